// SPDX-License-Identifier: GPL-2.0-only
#include "roce-nic-choice.h"

#include "roce-network-map.h"
#include "roce-network-paths.h"

#include "ns3/roce-hash.h"
#include "ns3/roce-input-error.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace ns3::roce
{

void
NicChoice::Apply(FlowSpec& flow)
{
    if (m_rule == NicRule::NAMED)
    {
        m_parts.CheckJoined("flow " + std::to_string(flow.id), flow.src, flow.dst);
        return;
    }
    const auto refuse = [&flow](const std::string& what) {
        throw InputError("flow " + std::to_string(flow.id) + ": " + what);
    };
    if (flow.src >= m_parts.hosts.size() || flow.dst >= m_parts.hosts.size())
    {
        refuse("host " + std::to_string(std::max(flow.src, flow.dst)) +
               " does not exist, expected 0 to " + std::to_string(m_parts.hosts.size() - 1));
    }
    if (flow.src == flow.dst)
    {
        refuse("source and destination are the same host, " + std::to_string(flow.src));
    }
    const auto [found, isNew] = m_pairs.try_emplace({flow.src, flow.dst});
    std::vector<Pair>& pairs = found->second;
    if (isNew)
    {
        pairs = FindPairs(flow.src, flow.dst);
    }
    if (pairs.empty())
    {
        refuse("no NIC of " + m_parts.hosts[flow.src].name + " leads to the one of " +
               m_parts.hosts[flow.dst].name + (m_rule == NicRule::RAIL ? " on its rail" : "") +
               ", expected two NICs of one network");
    }
    // All of a connection alike.
    const uint64_t key = flow.connection ? flow.connection - 1 : flow.id;
    const uint64_t hosts = uint64_t{flow.src} << 32 | flow.dst;
    const uint64_t choice = m_rule == NicRule::RAIL ? key : Mix64(hosts + Mix64(key + 1));
    std::tie(flow.src, flow.dst) = pairs[choice % pairs.size()];
}

std::vector<uint32_t>
NicChoice::GetNics(uint32_t host, bool internal) const
{
    std::vector<uint32_t> nics;
    for (const uint32_t nic : m_parts.hosts[host].nics)
    {
        if (m_parts.switches[m_parts.nics[nic].sw].isInternal == internal)
        {
            nics.push_back(nic);
        }
    }
    return nics;
}

std::vector<NicChoice::Pair>
NicChoice::FindPairs(uint32_t srcHost, uint32_t dstHost) const
{
    std::vector<Pair> pairs;
    const auto add = [&](uint32_t src, uint32_t dst) {
        if (m_parts.AreJoined(src, dst))
        {
            pairs.emplace_back(src, dst);
        }
    };
    for (const bool internal : {true, false})
    {
        const std::vector<uint32_t> from = GetNics(srcHost, internal);
        const std::vector<uint32_t> to = GetNics(dstHost, internal);
        if (!pairs.empty() || from.empty() || to.empty())
        {
            continue;
        }
        for (std::size_t i = 0; m_rule == NicRule::RAIL && i < std::max(from.size(), to.size());
             ++i)
        {
            add(from[i % from.size()], to[i % to.size()]);
        }
        for (std::size_t i = 0; m_rule != NicRule::RAIL && i < from.size() * to.size(); ++i)
        {
            add(from[i / to.size()], to[i % to.size()]);
        }
    }
    return m_rule == NicRule::NEAREST ? FindNearest(pairs) : pairs;
}

std::vector<NicChoice::Pair>
NicChoice::FindNearest(const std::vector<Pair>& pairs) const
{
    using Way = std::tuple<std::size_t, uint64_t, int64_t>; // the less the better
    std::map<Way, std::vector<Pair>> byWay;
    for (const Pair& pair : pairs)
    {
        Way best{SIZE_MAX, 0, 0};
        for (const std::vector<HopSpec>& path : m_paths.GetBestPaths(pair.first, pair.second))
        {
            uint64_t rateBps = UINT64_MAX;
            int64_t delayPs = 0;
            for (const HopSpec& hop : path)
            {
                rateBps = std::min(rateBps, hop.rateBps);
                delayPs += hop.delayPs;
            }
            best = std::min(best, Way{path.size(), UINT64_MAX - rateBps, delayPs});
        }
        byWay[best].push_back(pair);
    }
    return byWay.empty() ? pairs : byWay.begin()->second;
}

} // namespace ns3::roce
