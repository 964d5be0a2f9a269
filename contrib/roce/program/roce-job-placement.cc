// SPDX-License-Identifier: GPL-2.0-only
#include "roce-job-placement.h"

#include "ns3/random-variable-stream.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-text-form.h"

#include <algorithm>
#include <sstream>

namespace ns3::roce
{

JobPlacement::JobPlacement(uint32_t nNics, uint32_t perServer)
    : m_isTaken(nNics, false),
      m_perServer(perServer)
{
}

std::vector<uint32_t>
JobPlacement::Parse(const std::string& text) const
{
    static const TextForm form("([0-9]{1,9})(-([0-9]{1,9}))?");
    std::vector<uint32_t> nics;
    std::vector<bool> isListed(m_isTaken.size(), false);
    std::istringstream list(text);
    for (std::string item; std::getline(list, item, ',');)
    {
        const std::vector<std::string> match = form.Match(item);
        const bool ok = !match.empty();
        const uint64_t first = ok ? std::stoull(match[1]) : 1;
        const uint64_t last = ok && !match[3].empty() ? std::stoull(match[3]) : first;
        bool isTwice = false;
        for (uint64_t nic = first; ok && nic <= last && last < isListed.size(); ++nic)
        {
            isTwice = isTwice || isListed[nic];
            isListed[nic] = true;
            nics.push_back(static_cast<uint32_t>(nic));
        }
        if (!ok || first > last || last >= isListed.size() || isTwice)
        {
            throw InputError("has '" + item + "', expected numbers 0 to " +
                             std::to_string(isListed.size() - 1) + ", each once, such as 0-7,12");
        }
    }
    return nics;
}

void
JobPlacement::Take(const std::vector<uint32_t>& nics)
{
    for (const uint32_t nic : nics)
    {
        m_isTaken.at(nic) = true;
    }
}

std::vector<uint32_t>
JobPlacement::Choose(Rule rule, uint32_t nRanks, uint32_t perRank, int64_t stream)
{
    if (rule == Rule::RAIL && m_perServer <= 1)
    {
        throw InputError("is rail, expected linear or random: the network has no servers of "
                         "several NICs");
    }
    const auto isFree = [this](uint32_t first, uint32_t n) {
        const auto begin = m_isTaken.begin() + first;
        return first + std::size_t{n} <= m_isTaken.size() &&
               std::none_of(begin, begin + n, [](bool taken) { return taken; });
    };
    std::vector<uint32_t> places; // first NICs of ranks
    for (uint32_t first = 0; first < m_isTaken.size(); first += perRank)
    {
        const uint32_t server = first / std::max(m_perServer, 1U) * m_perServer;
        if (isFree(first, perRank) && (rule != Rule::RAIL || isFree(server, m_perServer)))
        {
            places.push_back(first);
        }
    }
    if (places.size() < nRanks)
    {
        throw InputError("has room for " + std::to_string(places.size()) + " ranks of " +
                         std::to_string(perRank) + " NICs, expected " + std::to_string(nRanks));
    }
    if (rule == Rule::RANDOM)
    {
        const auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(stream);
        for (uint32_t i = 0; i < nRanks; ++i)
        {
            const auto last = static_cast<uint32_t>(places.size()) - 1;
            std::swap(places[i], places[random->GetInteger(i, last)]);
        }
    }
    std::vector<uint32_t> nics;
    for (uint32_t i = 0; i < nRanks; ++i)
    {
        for (uint32_t k = 0; k < perRank; ++k)
        {
            nics.push_back(places[i] + k);
        }
    }
    Take(nics);
    return nics;
}

} // namespace ns3::roce
