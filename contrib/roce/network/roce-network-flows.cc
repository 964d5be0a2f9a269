// SPDX-License-Identifier: GPL-2.0-only
#include "roce-flow-graph.h"
#include "roce-flow-phases.h"
#include "roce-flow-steps.h"
#include "roce-network.h"

#include "ns3/node.h"
#include "ns3/roce-flow-application.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-scoped-value.h"

#include <algorithm>

namespace ns3::roce
{

void
Network::AddOrder(std::unique_ptr<FlowOrder> order)
{
    for (const std::unique_ptr<FlowOrder>& other : m_orders)
    {
        if (other->GetWhat() == order->GetWhat())
        {
            throw InputError(order->GetWhat() +
                             " are installed twice, expected all of them at once");
        }
    }
    for (const NicEntry& entry : m_nics)
    {
        order->Connect(*entry.nic);
    }
    m_orders.push_back(std::move(order));
}

/// @return by which order a flow waits, or null
FlowOrder*
Network::FindOrder(const FlowSpec& flow) const
{
    for (const std::unique_ptr<FlowOrder>& order : m_orders)
    {
        if (order->Keeps(flow))
        {
            return order.get();
        }
    }
    return nullptr;
}

int64_t
Network::GetLongestNicDelayPs() const
{
    int64_t delayPs = 0;
    for (const NicEntry& entry : m_nics)
    {
        delayPs = std::max(delayPs, entry.nic->GetLink()->GetDelayPs());
    }
    return delayPs;
}

void
Network::CheckFlow(const FlowSpec& flow) const
{
    const std::string who = "flow " + std::to_string(flow.id) + ": ";
    if (flow.src >= m_nics.size() || flow.dst >= m_nics.size())
    {
        throw InputError(who + "NIC " + std::to_string(std::max(flow.src, flow.dst)) +
                         " does not exist, expected 0 to " + std::to_string(m_nics.size() - 1));
    }
    if (flow.trafficClass >= N_CLASSES)
    {
        throw InputError(who + "traffic class is " + std::to_string(flow.trafficClass) +
                         ", expected 0 to 7");
    }
    if (flow.src == flow.dst)
    {
        throw InputError(who + "source and destination are the same NIC, " +
                         std::to_string(flow.src));
    }
    if (flow.sizeBytes > MAX_FLOW_BYTES)
    {
        throw InputError(who + "size is " + std::to_string(flow.sizeBytes) +
                         " B, expected at most " + std::to_string(MAX_FLOW_BYTES));
    }
    if (flow.startPs < 0 || flow.startPs > LONGEST_RUN_PS)
    {
        throw InputError(who + "start is " + std::to_string(flow.startPs) + " ps, expected 0 to " +
                         std::to_string(LONGEST_RUN_PS) + ", 53 days");
    }
}

void
Network::InstallFlows(const std::vector<FlowSpec>& flows)
{
    m_state.ExpectBuilt("InstallFlows()");
    if (GetRanks())
    {
        throw InputError("flows are installed in several processes, expected InstallFlows() before "
                         "SetRanks()");
    }
    if (m_defaults)
    {
        m_defaults->Check();
    }
    for (const FlowSpec& flow : flows)
    {
        CheckFlow(flow);
        m_lastStartPs = std::max(m_lastStartPs, flow.IsScheduled() ? flow.startPs : 0);
    }
    if (FlowPhases::IsUsed(flows))
    {
        AddOrder(std::make_unique<FlowPhases>(flows, GetLongestNicDelayPs()));
    }
    if (FlowSteps::IsUsed(flows))
    {
        std::vector<int64_t> marginsPs;
        for (const NicEntry& entry : m_nics)
        {
            marginsPs.push_back(entry.nic->GetLink()->GetDelayPs());
        }
        AddOrder(std::make_unique<FlowSteps>(flows, std::move(marginsPs)));
    }
    if (FlowGraph::IsUsed(flows))
    {
        AddOrder(std::make_unique<FlowGraph>(flows, GetLongestNicDelayPs()));
    }
    std::vector<Ptr<FlowApplication>> applications(m_nics.size());
    for (const FlowSpec& flow : flows)
    {
        Ptr<FlowApplication>& application = applications[flow.src];
        if (!application)
        {
            Ptr<Nic> nic = m_nics[flow.src].nic;
            application = CreateObject<FlowApplication>();
            application->SetNic(nic);
            nic->GetNode()->AddApplication(application);
        }
        const Ptr<TransportProfile>& profile =
            m_nics[flow.src].nic->GetProfile(IsInterDc(flow.src, flow.dst));
        const uint32_t dstQp =
            m_nics[flow.dst].nic->ReserveReceiver(flow.src, profile, flow.id, flow.replyPort);
        if (FlowOrder* order = FindOrder(flow))
        {
            order->Add({flow, dstQp, application});
        }
        else
        {
            application->AddFlow(flow, dstQp);
        }
    }
}

void
Network::Retune(bool interDc, const Ptr<CongestionControl>& law) const
{
    m_state.ExpectBuilt("Retune()");
    if (!law)
    {
        throw InputError("Network::Retune() without a rate law, expected a prototype");
    }
    const ScopedValue<bool> runs(m_runsStations, true, m_runsStations);
    if (m_nics.size() < 2)
    {
        return; // no destination
    }
    // A trial throws for parameters that cannot change, before anything has changed.
    const CongestionControl& own = *m_nics[0].nic->GetProfile(interDc)->GetLaw();
    const Ptr<CongestionControl> trial = CheckMade(own.Fork(), own, "Fork()");
    PathInfo path = GetPath(0, GetNNics() - 1, 0);
    path.interDc = interDc;
    trial->Start(path, NowPs());
    trial->Retune(*law, NowPs());
    for (const NicEntry& entry : m_nics)
    {
        entry.nic->Retune(interDc, law);
    }
    for (const NicEntry& entry : m_nics)
    {
        entry.nic->RetuneReceivers();
    }
}

int64_t
Network::GetStartPs(const FlowSpec& flow) const
{
    if (flow.IsScheduled())
    {
        return flow.startPs;
    }
    const FlowOrder* order = FindOrder(flow);
    return order ? order->GetStartPs(flow) : -1;
}

int64_t
Network::GetLastWaitedStartPs() const
{
    int64_t lastPs = -1;
    for (const std::unique_ptr<FlowOrder>& order : m_orders)
    {
        lastPs = std::max(lastPs, order->GetLastStartPs());
    }
    return lastPs;
}

std::string
Network::DescribeWaiting() const
{
    for (const std::unique_ptr<FlowOrder>& order : m_orders)
    {
        if (std::string waiting = order->Describe(); !waiting.empty())
        {
            return waiting;
        }
    }
    return "";
}

} // namespace ns3::roce
