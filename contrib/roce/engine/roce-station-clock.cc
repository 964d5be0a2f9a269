// SPDX-License-Identifier: GPL-2.0-only
#include "roce-station-clock.h"

#include "roce-station-row.h"

#include "ns3/roce-scoped-value.h"
#include "ns3/roce-station-trace.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3::roce
{

StationClock::StationClock()
    : m_timer(this)
{
}

StationClock::InTurn
StationClock::GetTurnOf(const Station& station) const
{
    return m_hasTurns && station.GetTurn() == StationTurn::EACH ? TURN_OF_NICS : TURN_OF_SWITCHES;
}

int64_t
StationClock::Set(Station* station, int64_t latestPs, int64_t slackPs)
{
    const InTurn turn = GetTurnOf(*station);
    int64_t multiple = latestPs / m_tickPs;
    if (m_hasTurns && turn == TURN_OF_SWITCHES && SinkMark::Count() == 0)
    {
        multiple += (multiple ^ static_cast<int64_t>(station->GetTurn())) & 1;
    }
    int64_t atPs = m_hasTurns ? multiple * m_tickPs : latestPs;
    if (atPs >= station->GetAlarmPs())
    {
        return station->GetAlarmPs(); // it has an alarm at that beat
    }
    const int64_t ahead = multiple - m_donePs / m_tickPs;
    // What a switch sends may arrive at a NIC whose turn at the same beat comes only now.
    const bool isToCome = ahead > 0 || (ahead == 0 && m_inTurn < turn);
    if (isToCome && ahead < static_cast<int64_t>(SLOTS) && (m_hasTurns || slackPs >= 2 * GRID_PS))
    {
        const std::size_t slot = multiple % SLOTS;
        atPs = multiple * m_tickPs;
        m_slots[slot][turn].push_back(station);
        m_filled |= 1U << slot;
    }
    else
    {
        m_others.Push(atPs, station);
    }
    if (m_inTurn == N_TURNS)
    {
        m_timer.Arm(Simulator::NO_CONTEXT, atPs);
    }
    return atPs;
}

/// When the first alarm goes off, or NEVER_PS.
int64_t
StationClock::GetNextPs() const
{
    int64_t nextPs = m_others.NextPs();
    if (m_filled)
    {
        // Rotated so that bit 0 is the first multiple to come.
        const int64_t first = m_donePs / m_tickPs + 1;
        const unsigned by = first % SLOTS;
        const uint32_t rotated = by ? m_filled >> by | m_filled << (SLOTS - by) : m_filled;
        nextPs = std::min(nextPs, (first + __builtin_ctz(rotated)) * m_tickPs);
    }
    return nextPs;
}

void
StationClock::OnWake(int64_t nowPs)
{
    WakeAll(nowPs);
    m_timer.Arm(Simulator::NO_CONTEXT, GetNextPs());
}

/// Call all stations whose alarms have gone off. Even if one throws, the clock is not at work
/// afterwards.
void
StationClock::WakeAll(int64_t nowPs)
{
    const ScopedValue<InTurn> atWork(m_inTurn, TURN_OF_SWITCHES, N_TURNS);
    for (int64_t nextPs = GetNextPs(); nextPs <= nowPs; nextPs = GetNextPs())
    {
        m_donePs = nextPs;
        const int64_t multiple = nextPs / m_tickPs;
        const std::size_t index = multiple % SLOTS;
        const bool isMultiple = nextPs == multiple * m_tickPs;
        Slot& slot = m_slots[index];
        while (m_others.IsDue(nextPs))
        {
            Station* station = m_others.Pop().what;
            (m_hasTurns ? slot[GetTurnOf(*station)] : m_due).push_back(station);
        }
        for (const InTurn turn : {TURN_OF_SWITCHES, TURN_OF_NICS})
        {
            m_inTurn = turn;
            if (isMultiple)
            {
                m_due.insert(m_due.end(), slot[turn].begin(), slot[turn].end());
                slot[turn].clear();
            }
            Run(nowPs);
            m_due.clear();
        }
        m_filled &= ~(uint32_t{isMultiple} << index);
    }
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

} // namespace ns3::roce
