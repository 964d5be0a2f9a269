// SPDX-License-Identifier: GPL-2.0-only
#include "roce-uno-window.h"

#include <algorithm>

namespace ns3::roce
{

// ---------------------------------------------------------------- epochs

void
UnoEpoch::Start(const Rules& rules)
{
    *this = UnoEpoch();
    m_ewma = m_ewmaBefore = rules.init;
    Zero();
}

void
UnoEpoch::Zero()
{
    m_bytes = m_all = m_marked = 0;
    m_delayPs = INT64_MAX;
}

void
UnoEpoch::CloseUntilSent(double bytes)
{
    m_open = false;
    m_waits = true;
    m_toSend = bytes;
}

void
UnoEpoch::OnSend(int64_t nowPs, double bytes)
{
    if (!m_waits)
    {
        return;
    }
    m_toSend -= bytes;
    if (m_toSend <= 0)
    {
        m_waits = false;
        m_open = true;
        m_endPs = nowPs;
        Zero();
    }
}

bool
UnoEpoch::OnAck(const UnoAck& ack, int64_t periodPs, const Rules& rules)
{
    if (m_waits)
    {
        return false;
    }
    if (!m_open)
    {
        m_open = true;
        m_endPs = ack.nowPs;
    }
    m_bytes += ack.bytes;
    const double weight = rules.byBytes && ack.packets ? ack.bytes / ack.packets : 1;
    m_all += weight * ack.packets;
    m_marked += weight * ack.marked;
    if (!ack.IsTimed())
    {
        return false; // counted, but it cannot end anything
    }
    if (rules.lastDelay)
    {
        m_delayPs = ack.relDelayPs;
    }
    else if (ack.marked)
    {
        m_delayPs = std::min(m_delayPs, ack.relDelayPs);
    }
    if (ack.sentPs < m_endPs)
    {
        return false;
    }
    m_share = m_all > 0 ? m_marked / m_all : 0;
    m_ewmaBefore = m_ewma;
    m_ewma = (1 - rules.gain) * m_ewma + rules.gain * m_share;
    m_endedBytes = m_bytes;
    m_endedDelayPs = m_delayPs;
    Zero();
    m_endPs += periodPs;
    if (rules.catchUp)
    {
        // A flow that was idle would otherwise end an epoch with each ACK until it has caught up.
        m_endPs = std::max(m_endPs, ack.sentPs);
    }
    return true;
}

// ---------------------------------------------------------------- Quick Adapt

void
QuickAdapt::Start(int64_t nowPs)
{
    *this = QuickAdapt();
    m_sincePs = nowPs;
}

void
QuickAdapt::Open(int64_t nowPs, double cwndBytes, int64_t periodPs)
{
    m_openPs = nowPs;
    m_periodPs = periodPs;
    m_bytes = 0;
    m_windowBefore = m_first ? cwndBytes : m_window;
    m_window = cwndBytes;
    m_limitedBefore = m_limited;
    m_limited = false;
}

double
QuickAdapt::OnAck(const UnoAck& ack, int64_t periodPs, const Rules& rules, const Limits& limits)
{
    if (!rules.enabled)
    {
        return ack.cwndBytes;
    }
    m_asleep = false;
    m_limited = m_limited || !ack.hasMore;
    if (!m_periodPs)
    {
        if (!ack.IsTimed() || ack.sentPs >= m_sincePs)
        {
            Open(ack.nowPs, ack.cwndBytes, periodPs);
        }
        return ack.cwndBytes;
    }
    m_bytes += ack.bytes;
    if (ack.nowPs < m_openPs + m_periodPs)
    {
        return ack.cwndBytes;
    }
    return End(ack.nowPs, ack.cwndBytes, periodPs, rules, limits);
}

double
QuickAdapt::OnTimer(double cwndBytes, int64_t periodPs, const Rules& rules, const Limits& limits)
{
    const int64_t atPs = GetTimerPs(rules);
    const bool counts = !IsSilent(atPs) && !(rules.skipFirst && m_first);
    const bool settled = counts && m_bytes == 0 && std::min(m_window, m_windowBefore) >= cwndBytes;
    const double cwnd = End(atPs, cwndBytes, periodPs, rules, limits);
    m_asleep = settled && cwnd == cwndBytes;
    return cwnd;
}

int64_t
QuickAdapt::GetTimerPs(const Rules& rules) const
{
    // Without data nothing is acknowledged, which says nothing about the path.
    if (!m_periodPs || rules.timerPeriods <= 0 || m_limited || m_limitedBefore || m_asleep)
    {
        return INT64_MAX;
    }
    return m_openPs +
           static_cast<int64_t>(rules.timerPeriods * static_cast<double>(m_periodPs) + 0.5);
}

double
QuickAdapt::End(int64_t nowPs,
                double cwndBytes,
                int64_t periodPs,
                const Rules& rules,
                const Limits& limits)
{
    // What is acknowledged now was sent under a window one RTT old.
    const double reference = rules.current ? cwndBytes : std::min(m_window, m_windowBefore);
    const bool counts = !(rules.skipFirst && m_first) && !IsSilent(nowPs) &&
                        !(rules.skipAppLimited && (m_limited || m_limitedBefore));
    m_first = false;
    if (!counts || m_bytes + limits.guardBytes >= rules.beta * reference)
    {
        Open(nowPs, cwndBytes, periodPs);
        return cwndBytes;
    }
    ++m_hits;
    m_silentUntilPs = nowPs + limits.silencePs;
    const double cwnd = std::max(std::min(rules.scale * m_bytes, cwndBytes), limits.minCwnd);
    Open(nowPs, cwnd, rules.restartWhenSent ? 0 : periodPs);
    // A packet that left at this time was sent under the window before.
    m_sincePs = nowPs + 1;
    return cwnd;
}

} // namespace ns3::roce
