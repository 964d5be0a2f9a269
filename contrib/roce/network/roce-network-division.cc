// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network-division.h"

#include "roce-expected-traffic.h"
#include "roce-network-flows.h"
#include "roce-network-map.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/roce-byte-stream.h"
#include "ns3/roce-counters.h"
#include "ns3/roce-error-model-loss.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-station-groups.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ns3::roce
{

/*
 * Parallel runs. Stations and links become a graph (MakeGraph()), whose nodes weigh what a station
 * has to do, by the flows that are known (ExpectedTraffic), and whose edges are as long as a frame
 * takes. StationGroups cuts it where edges are
 * long: as long as the shortest edge that is cut, groups need not know of each other. Groups of one
 * process meet at these windows; processes meet less often, since frames between them are sent in
 * advance (Begin()).
 */

namespace
{

/// What is divided.
struct Graph
{
    std::vector<StationGroups::Item> items; //!< NICs first, then switches; in their order
    std::vector<Station*> stations;         //!< the same
    std::vector<StationGroups::Edge> edges; //!< links
};

/// @return weight of a station that handles so many frames
uint64_t
WeightOf(double frames)
{
    return static_cast<uint64_t>(std::llround(16 * frames));
}

/// @param flows that are known; none: stations weigh what their links can carry
Graph
MakeGraph(const NetworkParts& parts, const std::vector<ExpectedFlow>& flows)
{
    Graph graph;
    const ExpectedTraffic traffic(parts, flows);
    for (uint32_t n = 0; n < parts.nics.size(); ++n)
    {
        const auto& entry = parts.nics[n];
        graph.items.push_back(
            {entry.datacenter,
             traffic.IsKnown() ? WeightOf(traffic.GetNicWork(n)) : 2 * entry.nic->GetRateBps()});
        graph.stations.push_back(PeekPointer(entry.nic));
    }
    for (uint32_t s = 0; s < parts.switches.size(); ++s)
    {
        const auto& entry = parts.switches[s];
        uint64_t rateBps = 0;
        for (uint16_t p = 0; p < entry.sw->GetNPorts(); ++p)
        {
            rateBps += entry.sw->PeekPort(p)->GetRateBps();
        }
        graph.items.push_back(
            {entry.datacenter, traffic.IsKnown() ? WeightOf(traffic.GetSwitchWork(s)) : rateBps});
        graph.stations.push_back(PeekPointer(entry.sw));
    }
    const auto nNics = static_cast<uint32_t>(parts.nics.size());
    for (uint32_t l = 0; l < parts.links.size(); ++l)
    {
        const auto& entry = parts.links[l];
        graph.edges.push_back({entry.host ? entry.ends[0] : entry.ends[0] + nNics,
                               entry.ends[1] + nNics,
                               entry.link->GetDelayPs(),
                               entry.host,
                               traffic.IsKnown() ? 1 + WeightOf(traffic.GetLinkFrames(l))
                                                 : entry.link->PeekPort(0)->GetRateBps()});
    }
    return graph;
}

/// @brief Make what queue pairs of this process are made of, and not in several threads.
void
MakeProfiles(const NetworkParts& parts)
{
    const bool interDc = parts.nics.back().datacenter != parts.nics.front().datacenter;
    for (const auto& entry : parts.nics)
    {
        for (std::size_t law = 0; !entry.nic->IsCopy() && law < entry.nic->GetNLaws(); ++law)
        {
            entry.nic->GetProfile(false, static_cast<uint8_t>(law));
            entry.nic->GetProfile(interDc, static_cast<uint8_t>(law));
        }
    }
}

/// @brief Refuse what cannot be divided. @param groups of it @param windowPs in which they need not
/// meet @param ranks the processes, or null
void
RequireGroups(const StationGroups& groups, int64_t windowPs, const RankExchange* ranks)
{
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
}

/// How long groups need not meet.
struct Windows
{
    int64_t groupPs;   //!< those of one process
    int64_t processPs; //!< the processes
};

/// @return shortest delays between groups of one and of different processes
/// @param graph with these groups @param groups of it @param nRanks processes @param groupPs the
/// longest window
Windows
WindowsOf(const Graph& graph, const StationGroups& groups, unsigned nRanks, int64_t groupPs)
{
    // At most so long: more frames at once would save nothing, and take memory.
    Windows windows{groupPs, PS_PER_MS};
    for (const StationGroups::Edge& edge : graph.edges)
    {
        const uint32_t a = groups.GetGroup(edge.a);
        const uint32_t b = groups.GetGroup(edge.b);
        const bool isOneRank = ParallelRun::RankOf(a, groups.GetN(), nRanks) ==
                               ParallelRun::RankOf(b, groups.GetN(), nRanks);
        int64_t& limitPs = isOneRank ? windows.groupPs : windows.processPs;
        limitPs = a == b ? limitPs : std::min(limitPs, edge.delayPs);
    }
    return windows;
}

} // namespace

struct NetworkDivision::Expected
{
    StationGroups groups;
    unsigned partitions; //!< wanted
};

NetworkDivision::NetworkDivision(const NetworkParts& parts)
    : m_parts(parts)
{
}

NetworkDivision::~NetworkDivision() = default;

void
NetworkDivision::Expect(const RankExchange& ranks, unsigned threads)
{
    m_ranks = &ranks;
    m_threads = threads;
}

void
NetworkDivision::MakeCopies()
{
    if (!m_ranks || !m_threads)
    {
        return; // Divide() says what is wrong
    }
    const Graph graph = MakeGraph(m_parts, {}); // no flows are known yet
    const unsigned partitions = m_ranks->GetN() * ParallelRun::PartitionsOf(m_threads);
    const StationGroups groups(graph.items, graph.edges, partitions);
    if (groups.GetN() < m_ranks->GetN())
    {
        return;
    }
    m_expected = std::make_unique<const Expected>(Expected{groups, partitions});
    for (uint32_t i = 0; i < graph.stations.size(); ++i)
    {
        if (ParallelRun::RankOf(groups.GetGroup(i), groups.GetN(), m_ranks->GetN()) !=
            m_ranks->GetRank())
        {
            graph.stations[i]->MakeCopy();
        }
    }
}

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
        if (entry.nic->GetPackets())
        {
            refuse("NIC " + std::to_string(entry.nic->GetIndex()) +
                   " has a RoceNetDevice, and stacks of ns-3 share what belongs to no station");
        }
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
    if (HasCopies() && (ranks != m_ranks || partitions != m_expected->partitions))
    {
        throw InputError("the network has been built for other processes or threads, expected "
                         "those of Network::ExpectRanks()");
    }
    Unite();
    Check();
    RoundRunner::CheckSinks();
    const Graph graph = MakeGraph(m_parts, flows.GetExpected());
    MakeProfiles(m_parts);
    const StationGroups groups =
        HasCopies() ? m_expected->groups : StationGroups(graph.items, graph.edges, partitions);
    const int64_t marginPs = m_parts.GetLongestNicDelayPs();
    // Completion callbacks may schedule the rest of the run: not later than without threads.
    RequireGroups(groups, std::min(groups.GetShortestCutPs(), marginPs), ranks);
    const Windows windows = WindowsOf(graph, groups, ranks ? ranks->GetN() : 1, marginPs);
    m_parallel = std::make_unique<ParallelRun>(groups.GetN(),
                                               threads,
                                               windows.groupPs,
                                               measure,
                                               ranks ? MakeMail(*ranks) : nullptr);
    for (uint32_t i = 0; i < graph.stations.size(); ++i)
    {
        m_parallel->Add(*graph.stations[i], groups.GetGroup(i));
    }
    for (const auto& entry : m_parts.links)
    {
        m_parallel->Cut(*entry.link);
    }
    // Flows that wait for others, whose end any process may learn, start as without threads.
    if (ranks || !flows.HasWaiting())
    {
        m_parallel->SetLeastEnd(
            flows.GetLastScheduledPs(),
            [this](int64_t nowPs, int64_t crossingPs) { return FindLeastEnd(nowPs, crossingPs); });
    }
    const int64_t meetingPs = !ranks                ? NEVER_PS
                              : !flows.HasWaiting() ? windows.processPs
                                                    : std::min(windows.processPs, windows.groupPs);
    m_parallel->Begin(meetingPs);
}

std::unique_ptr<RankMail>
NetworkDivision::MakeMail(RankExchange& ranks) const
{
    // Of stations, only NICs have something to tell.
    return std::make_unique<RankMail>(ranks,
                                      RankMail::ReportCodec{
                                          [](const Station& station, std::size_t index) {
                                              return dynamic_cast<const Nic&>(station).PackReport(
                                                  index);
                                          },
                                          [](Station& station, const std::string& bytes) {
                                              dynamic_cast<Nic&>(station).TellPacked(bytes);
                                          },
                                      });
}

/// See ParallelRun::LeastEndFinder. A NIC needs some time for what it has not sent at all, though
/// it may send at its full rate; and if that goes to another process, then its acknowledgement
/// comes back.
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

/// Counters of all processes.
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
            AddCounter(all, name, reader.Get<uint64_t>());
        }
    }
    return all;
}

} // namespace ns3::roce
