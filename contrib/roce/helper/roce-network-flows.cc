/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-network.h"

#include "ns3/abort.h"
#include "ns3/node.h"
#include "ns3/roce-flow-application.h"
#include "ns3/roce-input-error.h"

#include <algorithm>

namespace ns3
{
namespace roce
{

void
Network::MakePhases(const std::vector<FlowSpec>& flows)
{
    if (m_phases)
    {
        throw InputError("flows with phases are installed twice, expected all of them at once");
    }
    m_phases = std::make_unique<FlowPhases>(flows, GetLongestNicDelayPs());
    for (const NicEntry& entry : m_nics)
    {
        const bool connected = entry.nic->TraceConnectWithoutContext(
            "MessageCompleted",
            MakeCallback(&FlowPhases::OnCompleted, m_phases.get()));
        NS_ABORT_MSG_UNLESS(connected, "no such trace source");
    }
}

void
Network::MakeSteps(const std::vector<FlowSpec>& flows)
{
    if (m_steps)
    {
        throw InputError("flows with steps are installed twice, expected all of them at once");
    }
    std::vector<int64_t> marginsPs;
    for (const NicEntry& entry : m_nics)
    {
        marginsPs.push_back(entry.nic->GetLink()->GetDelayPs());
    }
    m_steps = std::make_unique<FlowSteps>(flows, std::move(marginsPs));
    for (const NicEntry& entry : m_nics)
    {
        const bool connected = entry.nic->TraceConnectWithoutContext(
            "MessageReceived",
            MakeCallback(&FlowSteps::OnReceived, m_steps.get()));
        NS_ABORT_MSG_UNLESS(connected, "no such trace source");
    }
}

void
Network::MakeGraph(const std::vector<FlowSpec>& flows)
{
    if (m_graph)
    {
        throw InputError("flows that wait for others are installed twice, expected all of them at "
                         "once");
    }
    m_graph = std::make_unique<FlowGraph>(flows, GetLongestNicDelayPs());
    for (const NicEntry& entry : m_nics)
    {
        const bool connected = entry.nic->TraceConnectWithoutContext(
                                   "MessageReceived",
                                   MakeCallback(&FlowGraph::OnReceived, m_graph.get())) &&
                               entry.nic->TraceConnectWithoutContext(
                                   "MessageCompleted",
                                   MakeCallback(&FlowGraph::OnCompleted, m_graph.get()));
        NS_ABORT_MSG_UNLESS(connected, "no such trace source");
    }
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
    for (const FlowSpec& flow : flows)
    {
        CheckFlow(flow);
    }
    if (FlowPhases::IsUsed(flows))
    {
        MakePhases(flows);
    }
    if (FlowSteps::IsUsed(flows))
    {
        MakeSteps(flows);
    }
    if (FlowGraph::IsUsed(flows))
    {
        MakeGraph(flows);
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
        if (FlowPhases::IsScheduled(flow))
        {
            application->AddFlow(flow, dstQp);
        }
        else if (flow.after)
        {
            m_steps->Add({flow, dstQp, application});
        }
        else if (flow.IsDependent())
        {
            m_graph->Add({flow, dstQp, application});
        }
        else
        {
            m_phases->Add({flow, dstQp, application});
        }
    }
}

void
Network::Retune(bool interDc, const Ptr<CongestionControl>& law) const
{
    if (m_nics.size() < 2)
    {
        return; // nobody to send to
    }
    // A trial throws for what cannot change, before anything has changed.
    const Ptr<CongestionControl> trial = m_nics[0].nic->GetProfile(interDc)->GetLaw()->Fork();
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
    if (flow.after)
    {
        return m_steps ? m_steps->GetStartPs(flow) : -1;
    }
    if (flow.IsDependent())
    {
        return m_graph ? m_graph->GetStartPs(flow) : -1;
    }
    return m_phases ? m_phases->GetStartPs(flow) : flow.startPs;
}

int64_t
Network::GetLastWaitedStartPs() const
{
    return std::max<int64_t>({m_phases ? m_phases->GetLastStartPs() : -1,
                              m_steps ? m_steps->GetLastStartPs() : -1,
                              m_graph ? m_graph->GetLastStartPs() : -1});
}

std::string
Network::DescribeWaiting() const
{
    std::string waiting = m_phases ? m_phases->Describe() : "";
    if (waiting.empty() && m_steps)
    {
        waiting = m_steps->Describe();
    }
    return waiting.empty() && m_graph ? m_graph->Describe() : waiting;
}

} // namespace roce
} // namespace ns3
