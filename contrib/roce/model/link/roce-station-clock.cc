/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-station-clock.h"

#include "roce-station-row.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace roce
{

StationClock::StationClock()
    : m_timer(this)
{
}

int64_t
StationClock::Set(Station* station, int64_t latestPs, int64_t slackPs)
{
    int64_t atPs = latestPs;
    const int64_t multiple = latestPs / GRID_PS;
    const int64_t ahead = multiple - m_donePs / GRID_PS;
    if (slackPs >= 2 * GRID_PS && ahead > 0 && ahead < static_cast<int64_t>(SLOTS))
    {
        const std::size_t slot = multiple % SLOTS;
        atPs = multiple * GRID_PS;
        m_slots[slot].push_back(station);
        m_filled |= 1U << slot;
    }
    else
    {
        m_others.push_back({atPs, station});
        std::push_heap(m_others.begin(), m_others.end());
    }
    if (!m_running)
    {
        m_timer.Arm(Simulator::NO_CONTEXT, atPs);
    }
    return atPs;
}

/// When the first alarm goes off, or NEVER_PS.
int64_t
StationClock::GetNextPs() const
{
    int64_t nextPs = m_others.empty() ? NEVER_PS : m_others.front().atPs;
    if (m_filled)
    {
        // Turn it so that bit 0 is the first multiple to come.
        const int64_t first = m_donePs / GRID_PS + 1;
        const unsigned turn = first % SLOTS;
        const uint32_t turned = turn ? m_filled >> turn | m_filled << (SLOTS - turn) : m_filled;
        nextPs = std::min(nextPs, (first + __builtin_ctz(turned)) * GRID_PS);
    }
    return nextPs;
}

void
StationClock::OnWake(int64_t nowPs)
{
    m_running = true;
    for (int64_t nextPs = GetNextPs(); nextPs <= nowPs; nextPs = GetNextPs())
    {
        m_due.clear();
        const int64_t multiple = nextPs / GRID_PS;
        const std::size_t slot = multiple % SLOTS;
        if (nextPs == multiple * GRID_PS && (m_filled >> slot & 1))
        {
            m_due.swap(m_slots[slot]);
            m_filled &= ~(1U << slot);
        }
        m_donePs = nextPs;
        while (!m_others.empty() && m_others.front().atPs <= nextPs)
        {
            m_due.push_back(m_others.front().station);
            std::pop_heap(m_others.begin(), m_others.end());
            m_others.pop_back();
        }
        Run(nowPs);
    }
    m_running = false;
    m_timer.Arm(Simulator::NO_CONTEXT, GetNextPs());
}

/// Call those whose turn it is.
void
StationClock::Run(int64_t nowPs)
{
    StationRow::Run(
        m_due.size(),
        m_stations,
        nowPs,
        [this](std::size_t i) { return m_due[i]; },
        [this, nowPs](std::size_t i) { m_due[i]->OnAlarm(nowPs); });
}

} // namespace roce
} // namespace ns3
