// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network.h"

#include "ns3/roce-byte-stream.h"
#include "ns3/roce-input-error.h"
#include "ns3/simulator.h"

#include <algorithm>

// A Network in several processes.

namespace ns3::roce
{

void
Network::SetRanks(RankExchange& ranks, unsigned threads)
{
    m_state.ExpectBuilt("SetRanks()");
    ExpectIdle("Network::SetRanks()");
    if (threads == 0)
    {
        throw InputError("Network::SetRanks() with 0 threads, expected 1 or more");
    }
    Unite();
    Divide(ranks.GetN() * threads, threads, false, &ranks);
}

std::unique_ptr<RankMail>
Network::MakeMail(RankExchange& ranks) const
{
    // Of stations, only NICs have reports.
    return std::make_unique<RankMail>(
        ranks,
        RankMail::ReportCodec{
            [](const Station& station, std::size_t index) {
                return dynamic_cast<const Nic&>(station).PackReport(index);
            },
            [](Station& station, const std::string& bytes) {
                dynamic_cast<Nic&>(station).TellPacked(bytes);
            },
            [this](int64_t nowPs, int64_t crossingPs) { return FindLeastEnd(nowPs, crossingPs); }});
}

/// See RankMail::ReportCodec. A NIC needs some time for what it has not sent at all, though it may
/// send at its full rate; and if that goes to another process, then its acknowledgement comes back.
int64_t
Network::FindLeastEnd(int64_t nowPs, int64_t crossingPs) const
{
    int64_t longestPs = 0;
    for (const NicEntry& entry : m_nics)
    {
        const Nic& nic = *entry.nic;
        const auto bytePs = static_cast<int64_t>(8'000 * uint64_t{PS_PER_MS} / nic.GetRateBps());
        int64_t allPs = 0;
        for (uint32_t q = 0; nic.IsHere() && nic.GetOpenQps() && q < nic.GetNQps(); ++q)
        {
            const QueuePair* qp = nic.GetQp(q);
            const uint64_t bytes = qp && !qp->failed ? qp->GetUnsentBytes() : 0;
            if (bytes)
            {
                const bool crosses = !m_nics[qp->GetConfig().dst].nic->IsHere();
                const auto ps =
                    static_cast<int64_t>(std::min<uint64_t>(bytes, 1'000'000'000)) * bytePs;
                allPs += ps;
                longestPs = std::max({longestPs, allPs, ps + (crosses ? 2 * crossingPs : 0)});
            }
        }
    }
    return nowPs + longestPs;
}

bool
Network::IsSimulatorDone() const
{
    RankExchange* const ranks = GetRanks();
    return ranks ? ranks->Largest(Simulator::IsFinished()) : Simulator::IsFinished();
}

/// Links, routes or parameters have changed, in all processes.
void
Network::NoteShared() const
{
    if (m_parallel)
    {
        m_parallel->NoteShared();
    }
}

/// Counters of all processes. @param own of this one
std::map<std::string, uint64_t>
Network::AddRanks(const std::map<std::string, uint64_t>& own) const
{
    std::string bytes;
    ByteWriter writer(bytes);
    for (const auto& [name, value] : own)
    {
        writer(name)(value);
    }
    std::map<std::string, uint64_t> all;
    for (const std::string& other : GetRanks()->Gather(bytes))
    {
        for (ByteReader reader(other); !reader.IsEmpty();)
        {
            std::string name;
            reader(name);
            const auto value = reader.Get<uint64_t>();
            // Network::GetCounters() has the largest of these, and of all others the sum.
            const bool isPeak = name.find("peak") == 0 || name.find("max") == 0 ||
                                name.find("Peak") != std::string::npos;
            uint64_t& total = all[name];
            total = isPeak ? std::max(total, value) : total + value;
        }
    }
    return all;
}

} // namespace ns3::roce
