// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network-flows.h"

#include "roce-flow-graph.h"
#include "roce-flow-phases.h"
#include "roce-network-map.h"

#include "ns3/node.h"
#include "ns3/roce-flow-application.h"
#include "ns3/roce-input-error.h"

#include <algorithm>
#include <utility>

namespace ns3::roce
{

void
NetworkFlows::AddOrder(std::unique_ptr<FlowOrder> order)
{
    for (const std::unique_ptr<FlowOrder>& other : m_orders)
    {
        if (other->GetWhat() == order->GetWhat())
        {
            throw InputError(order->GetWhat() +
                             " are installed twice, expected all of them at once");
        }
    }
    for (const auto& entry : m_parts.nics)
    {
        order->Connect(*entry.nic);
    }
    m_orders.push_back(std::move(order));
}

/// @return by which order a flow waits, or null
FlowOrder*
NetworkFlows::FindOrder(const FlowSpec& flow) const
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

void
NetworkFlows::CheckFlow(const FlowSpec& flow) const
{
    const std::string who = "flow " + std::to_string(flow.id) + ": ";
    if (flow.src >= m_parts.nics.size() || flow.dst >= m_parts.nics.size())
    {
        throw InputError(who + "NIC " + std::to_string(std::max(flow.src, flow.dst)) +
                         " does not exist, expected 0 to " +
                         std::to_string(m_parts.nics.size() - 1));
    }
    if (flow.trafficClass >= N_CLASSES)
    {
        throw InputError(who + "traffic class is " + std::to_string(flow.trafficClass) +
                         ", expected 0 to 7");
    }
    if (flow.law >= m_parts.nics[flow.src].nic->GetNLaws())
    {
        throw InputError(who + "rate law is " + std::to_string(flow.law) +
                         ", expected a number that AddLaw() gave, or 0");
    }
    if (flow.src == flow.dst)
    {
        throw InputError(who + "source and destination are the same NIC, " +
                         std::to_string(flow.src));
    }
    m_parts.CheckJoined("flow " + std::to_string(flow.id), flow.src, flow.dst);
    if (flow.sizeBytes > MAX_FLOW_BYTES)
    {
        throw InputError(who + "size is " + std::to_string(flow.sizeBytes) +
                         " B, expected at most " + std::to_string(MAX_FLOW_BYTES));
    }
    if (flow.startPs < 0 || flow.startPs > NetworkMap::LONGEST_RUN_PS)
    {
        throw InputError(who + "start is " + std::to_string(flow.startPs) + " ps, expected 0 to " +
                         std::to_string(NetworkMap::LONGEST_RUN_PS) + ", 53 days");
    }
}

/// @return number of a new receiving queue pair
uint32_t
NetworkFlows::Reserve(const FlowSpec& flow) const
{
    const Ptr<TransportProfile>& profile =
        m_parts.nics[flow.src].nic->GetProfile(m_parts.IsInterDc(flow.src, flow.dst), flow.law);
    return m_parts.nics[flow.dst].nic->ReserveQp(flow.src, profile, flow.replyPort);
}

/// @return the flow's connection. @param application of its source, for a new one
const NetworkFlows::Connection&
NetworkFlows::FindConnection(const FlowSpec& flow, const Ptr<FlowApplication>& application)
{
    const auto [found, isNew] = m_connections.try_emplace(
        {flow.src, flow.dst, flow.connection, flow.trafficClass, flow.job.get()},
        Connection{0, application, flow.id, flow.srcPort, flow.replyPort, flow.law});
    Connection& connection = found->second;
    if (isNew)
    {
        connection.dstQp = Reserve(flow);
    }
    if (connection.srcPort != flow.srcPort || connection.replyPort != flow.replyPort)
    {
        throw InputError(
            "flow " + std::to_string(flow.id) + ": source port " + std::to_string(flow.srcPort) +
            " and reply port " + std::to_string(flow.replyPort) + " on connection " +
            std::to_string(flow.connection) + ", expected those of flow " +
            std::to_string(connection.first) + ", " + std::to_string(connection.srcPort) + " and " +
            std::to_string(connection.replyPort));
    }
    if (connection.law != flow.law)
    {
        throw InputError("flow " + std::to_string(flow.id) + ": another rate law than flow " +
                         std::to_string(connection.first) + " on connection " +
                         std::to_string(flow.connection) + ", expected one");
    }
    return connection;
}

void
NetworkFlows::Install(const std::vector<FlowSpec>& flows)
{
    for (const FlowSpec& flow : flows)
    {
        CheckFlow(flow);
        m_lastStartPs = std::max(m_lastStartPs, flow.IsScheduled() ? flow.startPs : 0);
    }
    if (FlowPhases::IsUsed(flows))
    {
        AddOrder(std::make_unique<FlowPhases>(flows, m_parts.GetLongestNicDelayPs()));
    }
    if (FlowGraph::IsUsed(flows))
    {
        AddOrder(std::make_unique<FlowGraph>(flows, m_parts.GetLongestNicDelayPs()));
    }
    std::vector<Ptr<FlowApplication>> applications(m_parts.nics.size());
    for (const FlowSpec& flow : flows)
    {
        Ptr<FlowApplication>& application = applications[flow.src];
        if (!application)
        {
            Ptr<Nic> nic = m_parts.nics[flow.src].nic;
            application = CreateObject<FlowApplication>();
            application->SetNic(nic);
            nic->GetNode()->AddApplication(application);
        }
        WaitingFlow added{flow, 0, application};
        if (flow.connection)
        {
            const Connection& connection = FindConnection(flow, application);
            added.dstQp = connection.dstQp;
            added.application = connection.application;
        }
        else
        {
            added.dstQp = Reserve(flow);
        }
        if (FlowOrder* order = FindOrder(flow))
        {
            order->Add(std::move(added));
        }
        else if (flow.job)
        {
            throw InputError("flow " + std::to_string(flow.id) +
                             " is sent by a rank, and no RankEngine is there to run it");
        }
        else
        {
            added.application->AddFlow(flow, added.dstQp);
        }
    }
}

int64_t
NetworkFlows::GetStartPs(const FlowSpec& flow) const
{
    if (flow.IsScheduled())
    {
        return flow.startPs;
    }
    const FlowOrder* order = FindOrder(flow);
    return order ? order->GetStartPs(flow) : -1;
}

int64_t
NetworkFlows::GetLastWaitedStartPs() const
{
    int64_t lastPs = -1;
    for (const std::unique_ptr<FlowOrder>& order : m_orders)
    {
        lastPs = std::max(lastPs, order->GetLastStartPs());
    }
    return lastPs;
}

std::string
NetworkFlows::DescribeWaiting() const
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
