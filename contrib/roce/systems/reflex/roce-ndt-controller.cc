// SPDX-License-Identifier: GPL-2.0-only
#include "roce-ndt-controller.h"

#include "ns3/roce-congestion-control.h"

#include <algorithm>
#include <iterator>

namespace ns3::roce
{

void
NdtController::Configure(const Settings& settings, uint16_t nPorts, Listener* listener)
{
    m_settings = settings;
    m_settings.pause = settings.pause && settings.throttle; // nothing to suspend otherwise
    m_listener = listener;
    m_counters = Counters();
    m_nPaused = 0;
    m_nextTimeoutPs = NEVER_PS;
    m_lastSweepPs = 0;
    m_flows.clear(); // first: flows are in lists of groups
    m_groups = std::vector<Group>(settings.switchScope ? 1 : nPorts);
}

// ---------------------------------------------------------------- flow table

NdtController::Flow&
NdtController::Find(uint64_t key, int64_t nowPs)
{
    const auto it = m_flows.find(key);
    if (it != m_flows.end())
    {
        if (!IsForgotten(it->second, nowPs))
        {
            return it->second;
        }
        Erase(it);
    }
    if (nowPs - m_lastSweepPs >= m_settings.flowTimeoutPs)
    {
        Sweep(nowPs);
    }
    Flow& flow = m_flows[key];
    ++m_counters.flows;
    m_counters.tablePeak = std::max<uint64_t>(m_counters.tablePeak, m_flows.size());
    return flow;
}

inline bool
NdtController::IsForgotten(const Flow& flow, int64_t nowPs) const
{
    return !flow.queued && nowPs - flow.lastSeenPs > m_settings.flowTimeoutPs;
}

NdtController::Flows::iterator
NdtController::Erase(Flows::iterator it)
{
    for (Lane& lane : it->second.lanes)
    {
        if (lane.is_linked())
        {
            Forget(m_groups[GroupOf(lane.port)], lane);
        }
    }
    return m_flows.erase(it);
}

void
NdtController::Sweep(int64_t nowPs)
{
    m_lastSweepPs = nowPs;
    for (auto it = m_flows.begin(); it != m_flows.end();)
    {
        it = IsForgotten(it->second, nowPs) ? Erase(it) : std::next(it);
    }
}

bool
NdtController::IsCongested(uint64_t key) const
{
    const auto it = m_flows.find(key);
    return it != m_flows.end() && it->second.congested;
}

// ---------------------------------------------------------------- activity

inline NdtController::Lane&
NdtController::ActivityOf(Flow& flow, Lane& lane) const
{
    return m_settings.switchScope ? flow.lanes.front() : lane;
}

inline void
NdtController::Touch(Group& group, Lane& activity, int64_t nowPs)
{
    activity.lastPs = nowPs;
    if (activity.is_linked())
    {
        activity.unlink();
    }
    else
    {
        ++group.active;
    }
    group.byLast.push_back(activity);
}

inline void
NdtController::Forget(Group& group, Lane& activity)
{
    activity.unlink();
    --group.active;
    group.counted -= activity.counted;
    activity.counted = false;
}

/// Whether the flow counts for a suspension may have changed.
inline void
NdtController::Recount(Flow& flow, Lane& activity)
{
    const uint32_t inControlled = m_settings.switchScope ? flow.controlled : activity.controlled;
    const bool counts = activity.is_linked() &&
                        (flow.congested || m_settings.counted == Counted::IN_CONTROLLED) &&
                        (inControlled > 0 || m_settings.counted == Counted::CONGESTED);
    Group& group = m_groups[GroupOf(activity.port)];
    group.counted += counts;
    group.counted -= activity.counted;
    activity.counted = counts;
}

// ---------------------------------------------------------------- packets

bool
NdtController::OnEnqueue(uint64_t key, uint16_t port, int64_t nowPs)
{
    Flow& flow = Find(key, nowPs);
    auto lane = std::find_if(flow.lanes.begin(), flow.lanes.end(), [port](const Lane& known) {
        return known.port == port;
    });
    if (lane == flow.lanes.end())
    {
        lane = flow.lanes.emplace(lane);
        lane->port = port;
    }
    flow.lastSeenPs = nowPs;
    // Congested flows leave Normal, recovered ones Controlled, only when nothing of theirs could
    // be overtaken.
    const bool controlled =
        m_settings.throttle && (flow.congested ? !(m_settings.symmetricOrderGuard && lane->normal)
                                               : m_settings.orderGuard && lane->controlled);
    ++(controlled ? lane->controlled : lane->normal);
    ++flow.queued;
    flow.controlled += controlled;
    m_counters.controlled += controlled;
    m_counters.legacyControlled += controlled && !flow.congested;
    m_counters.isolatedFlows += controlled && !flow.everIsolated;
    flow.everIsolated |= controlled;
    Lane& activity = ActivityOf(flow, *lane);
    Touch(m_groups[GroupOf(port)], activity, nowPs);
    Recount(flow, activity);
    return controlled;
}

void
NdtController::OnDequeue(uint64_t key, uint16_t port, bool controlled)
{
    Flow& flow = m_flows.find(key)->second; // not swept while it has packets queued
    const auto lane = std::find_if(flow.lanes.begin(), flow.lanes.end(), [port](const Lane& known) {
        return known.port == port;
    });
    --(controlled ? lane->controlled : lane->normal);
    --flow.queued;
    if (controlled)
    {
        --flow.controlled;
        m_groups[GroupOf(port)].mustSend = false;
        Recount(flow, ActivityOf(flow, *lane));
    }
}

bool
NdtController::OnAck(uint64_t key, int64_t rttPs, int64_t nowPs)
{
    const auto it = m_flows.find(key);
    if (it == m_flows.end() || IsForgotten(it->second, nowPs))
    {
        return false;
    }
    Flow& flow = it->second;
    flow.lastSeenPs = nowPs;
    const bool congested = rttPs > m_settings.thresholdPs;
    if (congested != flow.congested)
    {
        flow.congested = congested;
        m_counters.episodes += congested;
        m_counters.congestedFlows += congested && !flow.everCongested;
        flow.everCongested |= congested;
        for (Lane& lane : flow.lanes)
        {
            Recount(flow, lane);
        }
        m_listener->OnState(key, congested, nowPs);
    }
    if (m_settings.pause)
    {
        for (const Lane& lane : flow.lanes)
        {
            Evaluate(GroupOf(lane.port), true, nowPs);
        }
        for (uint16_t index = 0; m_nPaused && index < m_groups.size(); ++index)
        {
            Evaluate(index, false, nowPs);
        }
    }
    return true;
}

// ---------------------------------------------------------------- suspension

double
NdtController::Ratio(Group& group, int64_t nowPs)
{
    while (!group.byLast.empty() && nowPs - group.byLast.front().lastPs > m_settings.activeWindowPs)
    {
        Forget(group, group.byLast.front());
    }
    return group.counted ? static_cast<double>(group.counted) / group.active : 0;
}

void
NdtController::Evaluate(uint16_t index, bool mayBegin, int64_t nowPs)
{
    Group& group = m_groups[index];
    const bool paused = group.pausedSincePs >= 0;
    if (!paused && (!mayBegin || group.mustSend))
    {
        return;
    }
    const double ratio = Ratio(group, nowPs);
    if (paused && ratio <= m_settings.alpha)
    {
        EndPause(index, ratio, false, nowPs);
    }
    else if (!paused && ratio > m_settings.alpha)
    {
        group.pausedSincePs = nowPs;
        ++m_nPaused;
        ++m_counters.pauses;
        m_nextTimeoutPs = std::min(m_nextTimeoutPs, nowPs + m_settings.maxPausePs);
        m_listener->OnSuspension(index, true, ratio, false, nowPs);
    }
}

void
NdtController::EndPause(uint16_t index, double ratio, bool byTimeout, int64_t nowPs)
{
    Group& group = m_groups[index];
    m_counters.pausedPs += nowPs - group.pausedSincePs;
    m_counters.pauseTimeouts += byTimeout;
    group.pausedSincePs = -1;
    group.mustSend = byTimeout;
    --m_nPaused;
    m_nextTimeoutPs = NEVER_PS;
    for (const Group& other : m_groups)
    {
        if (other.pausedSincePs >= 0)
        {
            m_nextTimeoutPs =
                std::min(m_nextTimeoutPs, other.pausedSincePs + m_settings.maxPausePs);
        }
    }
    m_listener->OnSuspension(index, false, ratio, byTimeout, nowPs);
}

void
NdtController::OnTimeout(int64_t nowPs)
{
    for (uint16_t index = 0; index < m_groups.size(); ++index)
    {
        Group& group = m_groups[index];
        if (group.pausedSincePs >= 0 && group.pausedSincePs + m_settings.maxPausePs <= nowPs)
        {
            EndPause(index, Ratio(group, nowPs), true, nowPs);
        }
    }
}

} // namespace ns3::roce
