// SPDX-License-Identifier: GPL-2.0-only
#include "roce-flow-application.h"

#include "ns3/node.h"
#include "ns3/roce-hash.h"
#include "ns3/roce-input-error.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(FlowApplication);

TypeId
FlowApplication::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::FlowApplication")
                            .SetParent<Application>()
                            .SetGroupName("Roce")
                            .AddConstructor<FlowApplication>();
    return tid;
}

FlowApplication::FlowApplication()
    : m_timer(this)
{
}

FlowApplication::~FlowApplication() = default;

void
FlowApplication::DoDispose()
{
    m_nic = nullptr;
    m_flows.clear();
    m_startsPs.clear();
    Application::DoDispose();
}

void
FlowApplication::SetNic(Ptr<Nic> nic)
{
    m_nic = nic;
}

void
FlowApplication::AddFlow(const FlowSpec& flow, uint32_t dstQp)
{
    if (!m_running) // sorted when the application starts
    {
        if (m_nic->IsCopy())
        {
            m_startsPs.push_back(flow.startPs);
        }
        else
        {
            m_flows.push_back({flow, dstQp});
        }
        return;
    }
    if (flow.startPs < NowPs())
    {
        throw InputError("flow " + std::to_string(flow.id) + " starts in the past, at " +
                         std::to_string(flow.startPs) + " ps, expected " + std::to_string(NowPs()) +
                         " ps or later");
    }
    const auto next = static_cast<std::ptrdiff_t>(m_next);
    if (m_nic->IsCopy())
    {
        m_startsPs.insert(
            std::upper_bound(m_startsPs.begin() + next, m_startsPs.end(), flow.startPs),
            flow.startPs);
    }
    else
    {
        const Item added{flow, dstQp};
        const auto key = [](const Item& item) {
            return std::make_pair(item.flow.startPs, item.flow.id);
        };
        const auto isBefore = [&key](const Item& a, const Item& b) { return key(a) < key(b); };
        m_flows.insert(std::upper_bound(m_flows.begin() + next, m_flows.end(), added, isBefore),
                       added);
    }
    // Not OnWake(): the caller may be a sink of the NIC's traces, which is at work.
    m_timer.Arm(m_nic->GetNode()->GetId(), GetStartPs(m_next));
}

uint16_t
FlowApplication::Entropy(const FlowSpec& flow)
{
    if (flow.srcPort)
    {
        return flow.srcPort;
    }
    const uint64_t key = flow.connection ? Mix64(uint64_t{flow.src} << 32 | flow.dst) ^
                                               (uint64_t{flow.connection} << 8 | flow.trafficClass)
                                         : flow.id + 1;
    // The dynamic port range that RoCEv2 implementations use for entropy.
    return static_cast<uint16_t>(0xc000 | (Mix64(key) & 0x3fff));
}

/// @return the flow's queue pair, opened if it is a new one
QueuePair*
FlowApplication::FindQp(const FlowSpec& flow, uint32_t dstQp)
{
    const auto open = [&](bool closeWhenDone) {
        return m_nic
            ->OpenQp(flow.dst, dstQp, flow.trafficClass, Entropy(flow), closeWhenDone, flow.law);
    };
    if (!flow.connection)
    {
        return open(true);
    }
    const auto [found, isNew] = m_connections.try_emplace({flow.dst, dstQp}, 0);
    if (isNew)
    {
        found->second = open(false)->GetQpn();
    }
    return m_nic->GetQp(found->second);
}

void
FlowApplication::StartApplication()
{
    m_running = true;
    std::stable_sort(m_flows.begin(), m_flows.end(), [](const Item& a, const Item& b) {
        return a.flow.startPs < b.flow.startPs;
    });
    std::sort(m_startsPs.begin(), m_startsPs.end());
    OnWake(NowPs());
}

void
FlowApplication::StopApplication()
{
    m_running = false;
}

int64_t
FlowApplication::GetStartPs(std::size_t flow) const
{
    return m_nic->IsCopy() ? m_startsPs[flow] : m_flows[flow].flow.startPs;
}

void
FlowApplication::OnWake(int64_t nowPs)
{
    if (!m_running)
    {
        return;
    }
    while (m_next < GetNFlows() && GetStartPs(m_next) <= nowPs)
    {
        ++m_next;
    }
    if (Partition* partition = m_nic->GetPartition())
    {
        // In its thread, but after the earlier events.
        if (m_startTimer.GetPartition() != partition)
        {
            m_startTimer.SetPartition(partition);
        }
        m_startTimer.Arm(0, nowPs);
        partition->NoteShared();
    }
    else
    {
        StartDue(nowPs);
    }
    if (m_next < GetNFlows())
    {
        m_timer.Arm(m_nic->GetNode()->GetId(), GetStartPs(m_next));
    }
}

void
FlowApplication::Post(const FlowSpec& flow, uint32_t dstQp)
{
    m_nic->Post(FindQp(flow, dstQp), flow.sizeBytes, flow.id);
}

void
FlowApplication::StartDue(int64_t nowPs)
{
    for (; m_started < m_next && m_flows[m_started].flow.startPs <= nowPs; ++m_started)
    {
        const Item& item = m_flows[m_started];
        Post(item.flow, item.dstQp);
    }
    if (m_started < m_next)
    {
        m_startTimer.Arm(0, m_flows[m_started].flow.startPs);
    }
}

} // namespace ns3::roce
