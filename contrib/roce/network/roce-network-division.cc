// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network-division.h"

#include "roce-network-flows.h"
#include "roce-network-map.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/roce-byte-stream.h"
#include "ns3/roce-error-model-loss.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-station-groups.h"

#include <algorithm>
#include <set>

namespace ns3::roce
{

void
NetworkDivision::Check() const
{
    const auto refuse = [](const std::string& what) {
        throw InputError("threads: " + what + "; expected one thread");
    };
    const auto checkEager = [&refuse](const Object& station, const std::string& kind) {
        BooleanValue eager;
        station.GetAttribute("Eager", eager);
        if (eager.Get())
        {
            refuse("ns3::roce::" + kind +
                   "::Eager is true, so that the simulator's time may be read");
        }
    };
    for (const auto& entry : m_parts.nics)
    {
        checkEager(*entry.nic, "Nic");
    }
    for (const auto& entry : m_parts.switches)
    {
        checkEager(*entry.sw, "Switch");
    }
    std::set<const Object*> models;
    for (const Ptr<Port>& port : m_parts.GetPorts())
    {
        const Ptr<LossModel> model = port->GetLossModel();
        const auto* adapter = dynamic_cast<const ErrorModelLoss*>(PeekPointer(model));
        if (model && (!models.insert(PeekPointer(model)).second ||
                      (adapter && !models.insert(PeekPointer(adapter->GetErrorModel())).second)))
        {
            refuse("two ports have the same loss model");
        }
        if (adapter && dynamic_cast<const ListErrorModel*>(PeekPointer(adapter->GetErrorModel())))
        {
            refuse("a loss model is a ListErrorModel, whose packets are counted over all links "
                   "(ReceiveListErrorModel counts those of a link)");
        }
    }
}

/// End an earlier division.
void
NetworkDivision::Unite()
{
    if (!m_parallel)
    {
        return;
    }
    m_parallel = nullptr;
    for (const auto& entry : m_parts.nics)
    {
        entry.nic->Resume();
    }
    for (const auto& entry : m_parts.switches)
    {
        entry.sw->Resume();
    }
}

void
NetworkDivision::Divide(const NetworkFlows& flows,
                        unsigned partitions,
                        unsigned threads,
                        bool measure,
                        RankExchange* ranks)
{
    Unite();
    Check();
    ParallelRun::CheckSinks();
    // NICs first, then switches; by datacenter and in their order.
    const auto nNics = static_cast<uint32_t>(m_parts.nics.size());
    std::vector<StationGroups::Item> items;
    std::vector<Station*> stations;
    const int64_t marginPs = m_parts.GetLongestNicDelayPs();
    for (const auto& entry : m_parts.nics)
    {
        // It makes and takes in what a port of a switch only passes on.
        items.push_back({entry.datacenter, 2 * entry.nic->GetRateBps()});
        stations.push_back(PeekPointer(entry.nic));
        // Made here, and not by several threads.
        entry.nic->GetProfile(false);
        entry.nic->GetProfile(m_parts.nics.back().datacenter != m_parts.nics.front().datacenter);
    }
    for (const auto& entry : m_parts.switches)
    {
        uint64_t rateBps = 0;
        for (uint16_t p = 0; p < entry.sw->GetNPorts(); ++p)
        {
            rateBps += entry.sw->PeekPort(p)->GetRateBps();
        }
        items.push_back({entry.datacenter, rateBps});
        stations.push_back(PeekPointer(entry.sw));
    }
    std::vector<StationGroups::Edge> edges;
    for (const auto& entry : m_parts.links)
    {
        edges.push_back({entry.host ? entry.ends[0] : entry.ends[0] + nNics,
                         entry.ends[1] + nNics,
                         entry.link->GetDelayPs(),
                         entry.host});
    }
    const StationGroups groups(items, edges, partitions);
    // Completion callbacks may schedule the rest of the run: not later than
    // without threads.
    int64_t windowPs = std::min(groups.GetShortestCutPs(), marginPs);
    if (groups.GetN() < 2 || windowPs <= 0)
    {
        throw InputError(
            windowPs <= 0
                ? "threads: links of NICs have no delay, so that nothing may happen at once; "
                  "expected one thread"
                : "threads: all links have a delay of 0, so that the network cannot be divided; "
                  "expected one thread");
    }
    if (ranks && groups.GetN() < ranks->GetN())
    {
        throw InputError("ranks: the network divides into " + std::to_string(groups.GetN()) +
                         " parts, too few for " + std::to_string(ranks->GetN()) +
                         " processes; expected at most " + std::to_string(groups.GetN()));
    }
    m_parallel = std::make_unique<ParallelRun>(groups.GetN(),
                                               threads,
                                               measure,
                                               ranks ? MakeMail(*ranks) : nullptr);
    for (uint32_t i = 0; i < items.size(); ++i)
    {
        m_parallel->Add(*stations[i], groups.GetGroup(i));
    }
    for (const auto& entry : m_parts.links)
    {
        m_parallel->Cut(*entry.link);
    }
    if (!ranks)
    {
        m_parallel->Begin(windowPs);
        return;
    }
    // At most so long: more frames at once would save nothing, and take memory.
    int64_t meetingPs = PS_PER_MS;
    windowPs = marginPs;
    for (const StationGroups::Edge& edge : edges)
    {
        const uint32_t a = groups.GetGroup(edge.a);
        const uint32_t b = groups.GetGroup(edge.b);
        const bool isOneRank = ParallelRun::RankOf(a, groups.GetN(), ranks->GetN()) ==
                               ParallelRun::RankOf(b, groups.GetN(), ranks->GetN());
        int64_t& limitPs = isOneRank ? windowPs : meetingPs;
        limitPs = a == b ? limitPs : std::min(limitPs, edge.delayPs);
    }
    // Flows that wait for others, whose end any process may learn, start as without threads.
    m_parallel->SetLeastEnd(flows.GetLastScheduledPs());
    m_parallel->Begin(windowPs, !flows.HasWaiting() ? meetingPs : std::min(meetingPs, windowPs));
}

std::unique_ptr<RankMail>
NetworkDivision::MakeMail(RankExchange& ranks) const
{
    // Of stations, only NICs have something to tell.
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
NetworkDivision::FindLeastEnd(int64_t nowPs, int64_t crossingPs) const
{
    int64_t longestPs = 0;
    for (const auto& entry : m_parts.nics)
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
                const bool crosses = !m_parts.nics[qp->GetConfig().dst].nic->IsHere();
                const auto ps =
                    static_cast<int64_t>(std::min<uint64_t>(bytes, 1'000'000'000)) * bytePs;
                allPs += ps;
                longestPs = std::max({longestPs, allPs, ps + (crosses ? 2 * crossingPs : 0)});
            }
        }
    }
    return nowPs + longestPs;
}

/// Links, routes or parameters have changed, in all processes.
void
NetworkDivision::NoteShared() const
{
    if (m_parallel)
    {
        m_parallel->NoteShared();
    }
}

/// Counters of all processes. @param own of this one
std::map<std::string, uint64_t>
NetworkDivision::AddRanks(const std::map<std::string, uint64_t>& own) const
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
