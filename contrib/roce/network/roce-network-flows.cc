// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network-flows.h"

#include "roce-network-map.h"

#include "ns3/node.h"
#include "ns3/roce-flow-application.h"
#include "ns3/roce-input-error.h"

#include <algorithm>
#include <utility>

namespace ns3::roce
{

void
NetworkFlows::SetOrder(std::unique_ptr<FlowOrder> order)
{
    if (m_order)
    {
        throw InputError("flows that wait for others are installed twice, expected all of them at "
                         "once");
    }
    for (const auto& entry : m_parts.nics)
    {
        order->Connect(*entry.nic);
    }
    m_order = std::move(order);
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
    Nic& dst = *m_parts.nics[flow.dst].nic;
    if (dst.IsCopy())
    {
        return dst.CountQp();
    }
    const Ptr<TransportProfile>& profile =
        m_parts.nics[flow.src].nic->GetProfile(m_parts.IsInterDc(flow.src, flow.dst), flow.law);
    return dst.ReserveQp(flow.src, profile, flow.replyPort);
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
    std::vector<Ptr<FlowApplication>> applications(m_parts.nics.size());
    m_expected.reserve(m_expected.size() + flows.size());
    for (const FlowSpec& flow : flows)
    {
        m_expected.push_back({flow.src, flow.dst, flow.sizeBytes});
        Ptr<FlowApplication>& application = applications[flow.src];
        if (!application)
        {
            Ptr<Nic> nic = m_parts.nics[flow.src].nic;
            application = CreateObject<FlowApplication>();
            application->SetNic(nic);
            nic->GetNode()->AddApplication(application);
        }
        uint32_t dstQp;
        Ptr<FlowApplication> sender = application;
        if (flow.connection)
        {
            const Connection& connection = FindConnection(flow, application);
            dstQp = connection.dstQp;
            sender = connection.application;
        }
        else
        {
            dstQp = Reserve(flow);
        }
        if (flow.IsScheduled())
        {
            sender->AddFlow(flow, dstQp);
        }
        else if (m_order)
        {
            m_order->Add(flow, dstQp, sender);
        }
        else
        {
            throw InputError("flow " + std::to_string(flow.id) +
                             " waits for others, or is sent by a rank, and no RankEngine is there "
                             "to start it");
        }
    }
}

int64_t
NetworkFlows::GetStartPs(const FlowSpec& flow) const
{
    return flow.IsScheduled() ? flow.startPs : m_order ? m_order->GetStartPs(flow) : -1;
}

int64_t
NetworkFlows::GetLastWaitedStartPs() const
{
    return m_order ? m_order->GetLastStartPs() : -1;
}

std::string
NetworkFlows::DescribeWaiting() const
{
    return m_order ? m_order->Describe() : "";
}

} // namespace ns3::roce
