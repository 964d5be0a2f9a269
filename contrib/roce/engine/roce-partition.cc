// SPDX-License-Identifier: GPL-2.0-only
#include "roce-partition.h"

#include "roce-station-row.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <string>

namespace ns3::roce
{

void
Partition::Wake(int64_t atPs, Wakeable* who)
{
    if (m_isRemote)
    {
        return;
    }
    if (t_current != this)
    {
        m_owner.NoteOutside();
    }
    const Station* const station = who->GetStation();
    Heap& heap = station ? m_alarms[static_cast<std::size_t>(station->GetTurn())] : m_starts;
    heap.Push(atPs, who);
}

void
Partition::NoteShared()
{
    m_owner.NoteShared();
}

/// The first alarm of a station, or NEVER_PS.
int64_t
Partition::GetNextAlarmPs() const
{
    return std::min({m_alarms[0].NextPs(), m_alarms[1].NextPs(), m_alarms[2].NextPs()});
}

int64_t
Partition::GetFirstPs(int64_t slackPs) const
{
    const int64_t alarmPs = GetNextAlarmPs();
    return std::min(alarmPs == NEVER_PS ? NEVER_PS : alarmPs - slackPs, m_starts.NextPs());
}

int64_t
Partition::GetPresentPs() const
{
    return t_current == this ? m_presentPs : NowPs();
}

void
Partition::AwaitRun(int64_t nowPs)
{
    if (t_current)
    {
        throw InputError("a station looks at one of another partition; with threads it may look at "
                         "itself and at the frames it gets");
    }
    m_owner.AdvanceTo(nowPs);
}

void
Partition::CheckNotTelling(const char* what) const
{
    if (m_owner.IsTelling())
    {
        throw InputError(
            std::string("threads: ") + what +
            " from a sink of MessageCompleted or MessageReceived, which is called after "
            "the fact; expected an event scheduled by the sink, at least the longest "
            "delay of a NIC's link later, or one thread");
    }
}

void
Partition::NoteSent(CutDirection* direction)
{
    m_sent.push_back(direction);
    if (t_current != this)
    {
        m_owner.NoteOutside();
    }
}

void
Partition::FireFirst(Heap& heap)
{
    const Heap::Entry alarm = heap.Pop();
    m_presentPs = alarm.atPs;
    alarm.what->Fire(alarm.atPs);
}

/// Run stations one after the other. @param row alarm clocks @param run called with each of them
template <typename RUN>
void
Partition::RunRow(const std::vector<Wakeable*>& row, RUN run)
{
    StationRow::Run(
        row.size(),
        m_threadStations,
        m_untilPs,
        [&row](std::size_t i) { return row[i]->GetStation(); },
        [&row, run](std::size_t i) { run(row[i]); });
}

void
Partition::FireStarts(int64_t untilPs)
{
    while (m_starts.IsDue(untilPs))
    {
        FireFirst(m_starts);
    }
    m_presentPs = untilPs;
}

/// That with the first alarm or start; of those at the same time, the start.
Partition::Heap&
Partition::FindNext()
{
    Heap* first = &m_starts;
    for (Heap& alarms : m_alarms)
    {
        first = alarms.NextPs() < first->NextPs() ? &alarms : first;
    }
    return *first;
}

/// Alarms and starts in the order of time.
void
Partition::FireInTurn(int64_t untilPs)
{
    // At equal times the order of alarms does not matter: no station affects another at the same
    // time.
    m_startsDone = !m_starts.IsDue(untilPs);
    for (Heap* next = &FindNext(); next->IsDue(untilPs); next = &FindNext())
    {
        FireFirst(*next);
        m_startsDone |= !m_starts.IsDue(untilPs);
    }
    m_presentPs = untilPs;
}

/// The alarms, if all that arrives within the window is on the links: each station may run to the
/// window's end at once, in any order.
void
Partition::FireAlarms(Turns turns, int64_t untilPs)
{
    m_startsDone = true;
    m_presentPs = untilPs;
    m_due.clear();
    for (const StationTurn turn : turns)
    {
        Heap& alarms = m_alarms[static_cast<std::size_t>(turn)];
        while (alarms.IsDue(untilPs))
        {
            m_due.push_back(alarms.Pop().what);
        }
    }
    RunRow(m_due, [untilPs](Wakeable* who) { who->Fire(untilPs); });
}

/// Run stations that have work until now perhaps, though their alarm comes later. What they send
/// arrives after the window, since they are late by less than a delay.
void
Partition::RunBehind(Turns turns, int64_t untilPs, int64_t slackPs)
{
    m_behind.clear();
    for (const StationTurn turn : turns)
    {
        m_alarms[static_cast<std::size_t>(turn)].ForEachUntil(
            untilPs + slackPs,
            [this](Wakeable* who) { m_behind.push_back(who); });
    }
    RunRow(m_behind, [untilPs](Wakeable* who) { who->RunTo(untilPs); });
}

void
Partition::RunTo(int64_t basePs, int64_t untilPs, int64_t slackPs, StationTurn turn)
{
    const Turns ALL{StationTurn::EVEN, StationTurn::ODD, StationTurn::EACH};
    m_untilPs = untilPs;
    m_windowPs = untilPs - basePs;
    if (turn != StationTurn::EACH)
    {
        // At the window's end a NIC needs what switches have sent up to one delay before: the one
        // next to it, whose turn it is or was in the window before, has.
        FireAlarms({turn}, untilPs);
        RunBehind({turn}, untilPs, slackPs);
        FireStarts(untilPs);
        FireAlarms({StationTurn::EACH}, untilPs);
        RunBehind({StationTurn::EACH}, untilPs, slackPs);
    }
    else if (m_leastSlackPs >= m_windowPs)
    {
        // A start has its own NIC run up to it and touches no other.
        FireStarts(untilPs);
        FireAlarms(ALL, untilPs);
        RunBehind(ALL, untilPs, slackPs);
    }
    else
    {
        FireInTurn(untilPs);
        RunBehind(ALL, untilPs, slackPs);
    }
}

} // namespace ns3::roce
