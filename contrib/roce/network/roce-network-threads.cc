// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/roce-error-model-loss.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-station-groups.h"

#include <algorithm>
#include <set>
#include <thread>

// A Network in several threads.

namespace ns3::roce
{

void
Network::CheckParallel() const
{
    const auto refuse = [](const std::string& what) {
        throw InputError("threads: " + what + "; expected one thread");
    };
    for (const NicEntry& entry : m_nics)
    {
        BooleanValue eager;
        entry.nic->GetAttribute("Eager", eager);
        if (eager.Get())
        {
            refuse("ns3::roce::Nic::Eager is true, so that the simulator's time may be read");
        }
    }
    for (const SwitchEntry& entry : m_switches)
    {
        BooleanValue eager;
        entry.sw->GetAttribute("Eager", eager);
        if (eager.Get())
        {
            refuse("ns3::roce::Switch::Eager is true, so that the simulator's time may be read");
        }
    }
    std::set<const Object*> models;
    for (const Ptr<Port>& port : GetPorts())
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
Network::Unite()
{
    if (!m_parallel)
    {
        return;
    }
    CatchUp();
    m_parallel = nullptr;
    for (const NicEntry& entry : m_nics)
    {
        entry.nic->Resume();
    }
    for (const SwitchEntry& entry : m_switches)
    {
        entry.sw->Resume();
    }
}

unsigned
Network::SetThreads(unsigned threads)
{
    m_state.ExpectBuilt("SetThreads()");
    ExpectIdle("Network::SetThreads()");
    Unite();
    if (threads == 0)
    {
        threads = std::max(1U, std::thread::hardware_concurrency());
    }
    if (threads == 1)
    {
        return 1;
    }
    Divide(threads, threads, false, nullptr);
    return m_parallel->GetNPartitions();
}

void
Network::MeasureBalance(unsigned partitions)
{
    m_state.ExpectBuilt("MeasureBalance()");
    ExpectIdle("Network::MeasureBalance()");
    if (partitions < 2)
    {
        throw InputError("Network::MeasureBalance() of " + std::to_string(partitions) +
                         " partitions, expected 2 or more");
    }
    Unite();
    Divide(partitions, 1, true, nullptr);
}

void
Network::Divide(unsigned partitions, unsigned threads, bool measure, RankExchange* ranks)
{
    CheckParallel();
    ParallelRun::CheckSinks();
    CatchUp(); // partitions are never as late as stations that take turns
    // NICs first, then switches; by datacenter and in their order.
    std::vector<StationGroups::Item> items;
    const int64_t marginPs = GetLongestNicDelayPs();
    for (const NicEntry& entry : m_nics)
    {
        // It makes and receives what a port of a switch only forwards.
        items.push_back({entry.datacenter, 2 * entry.nic->GetRateBps()});
        // Made here, and not by several threads.
        entry.nic->GetProfile(false);
        entry.nic->GetProfile(m_nics.back().datacenter != m_nics.front().datacenter);
    }
    for (const SwitchEntry& entry : m_switches)
    {
        uint64_t rateBps = 0;
        for (uint16_t p = 0; p < entry.sw->GetNPorts(); ++p)
        {
            rateBps += entry.sw->PeekPort(p)->GetRateBps();
        }
        items.push_back({entry.datacenter, rateBps});
    }
    std::vector<StationGroups::Edge> edges;
    for (const LinkEntry& entry : m_links)
    {
        edges.push_back({entry.host ? entry.ends[0] : entry.ends[0] + GetNNics(),
                         entry.ends[1] + GetNNics(),
                         entry.link->GetDelayPs(),
                         entry.host});
    }
    const StationGroups groups(items, edges, partitions);
    // Completion callbacks may start flows, so they must run at the same time as without threads.
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
        Station* station = PeekPointer(m_nics[0].nic);
        if (i < GetNNics())
        {
            station = PeekPointer(m_nics[i].nic);
        }
        else
        {
            station = PeekPointer(m_switches[i - GetNNics()].sw);
        }
        m_parallel->Add(*station, groups.GetGroup(i));
    }
    for (const LinkEntry& entry : m_links)
    {
        m_parallel->Cut(*entry.link);
    }
    if (!ranks)
    {
        m_parallel->Begin(windowPs);
        return;
    }
    // At most this long: more frames at once would save nothing, and need memory.
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
    m_parallel->SetLeastEnd(m_lastStartPs);
    m_parallel->Begin(windowPs, m_orders.empty() ? meetingPs : std::min(meetingPs, windowPs));
}

} // namespace ns3::roce
