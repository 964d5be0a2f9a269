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
    Heap& heap = who->GetStation() ? m_alarms : m_starts;
    heap.Push(atPs, who);
}

void
Partition::NoteShared()
{
    m_owner.NoteShared();
}

/// The first alarm, or NEVER_PS.
int64_t
Partition::GetNextPs() const
{
    return std::min(m_alarms.NextPs(), m_starts.NextPs());
}

int64_t
Partition::GetFirstPs(int64_t slackPs) const
{
    const int64_t nextPs = m_skipped.empty() ? m_alarms.NextPs() : m_untilPs;
    return std::min(nextPs == NEVER_PS ? NEVER_PS : nextPs - slackPs, m_starts.NextPs());
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

/// Alarms and starts in the order of time.
void
Partition::FireInTurn(int64_t untilPs)
{
    // At equal times the order of alarms does not matter: no station affects another at the same
    // time.
    m_startsDone = !m_starts.IsDue(untilPs);
    while (GetNextPs() <= untilPs)
    {
        const bool isStart = m_starts.NextPs() <= m_alarms.NextPs();
        FireFirst(isStart ? m_starts : m_alarms);
        m_startsDone |= !m_starts.IsDue(untilPs);
    }
    m_presentPs = untilPs;
}

/// Run stations that have work until now perhaps, though their alarm comes later. What they send
/// arrives after the window, since they are late by less than a delay. @param limitPs of the alarm
/// @param isMeant called with a Station, says whether it is to run
template <typename IS_MEANT>
void
Partition::RunBehind(int64_t limitPs, IS_MEANT isMeant)
{
    m_behind.clear();
    m_alarms.ForEachUntil(limitPs, [this, isMeant](Wakeable* who) {
        if (isMeant(*who->GetStation()))
        {
            m_behind.push_back(who);
        }
    });
    RunRow(m_behind, [untilPs = m_untilPs](Wakeable* who) { who->RunTo(untilPs); });
}

/// The same, if all that arrives within the window is on the links: each station may run to the
/// window's end at once, in any order. A start has its own NIC run up to it and touches no other.
void
Partition::FireAll(int64_t untilPs, int64_t slackPs)
{
    while (m_starts.IsDue(untilPs))
    {
        FireFirst(m_starts);
    }
    m_startsDone = true;
    m_presentPs = untilPs;
    m_due.clear();
    while (m_alarms.IsDue(untilPs))
    {
        m_due.push_back(m_alarms.Pop().what);
    }
    RunRow(m_due, [untilPs](Wakeable* who) { who->Fire(untilPs); });
    RunBehind(untilPs + slackPs, [](const Station&) { return true; });
}

/// The same, with turns. At its end a NIC needs what switches have sent up to one delay before: the
/// one next to it, whose turn it is or was in the window before, has.
void
Partition::FireTurn(int64_t untilPs, int64_t slackPs, StationTurn turn)
{
    m_startsDone = true; // for switches; NICs come after the starts
    m_presentPs = untilPs;
    m_due.clear();
    m_dueNics.clear();
    const auto isSkipped = [turn](const Wakeable* who) {
        const StationTurn its = who->GetStation()->GetTurn();
        return its != turn && its != StationTurn::EACH;
    };
    const auto first = std::partition(m_skipped.begin(), m_skipped.end(), isSkipped);
    m_due.assign(first, m_skipped.end());
    m_skipped.erase(first, m_skipped.end());
    while (m_alarms.IsDue(untilPs))
    {
        Wakeable* const who = m_alarms.Pop().what;
        const bool isNic = who->GetStation()->GetTurn() == StationTurn::EACH;
        (isNic ? m_dueNics : isSkipped(who) ? m_skipped : m_due).push_back(who);
    }
    const auto fire = [untilPs](Wakeable* who) { who->Fire(untilPs); };
    RunRow(m_due, fire);
    RunBehind(untilPs + slackPs,
              [turn](const Station& station) { return station.GetTurn() == turn; });
    while (m_starts.IsDue(untilPs))
    {
        FireFirst(m_starts);
    }
    m_presentPs = untilPs;
    RunRow(m_dueNics, fire);
    RunBehind(untilPs + slackPs,
              [](const Station& station) { return station.GetTurn() == StationTurn::EACH; });
}

void
Partition::RunTo(int64_t basePs, int64_t untilPs, int64_t slackPs, StationTurn turn)
{
    m_untilPs = untilPs;
    m_windowPs = untilPs - basePs;
    if (turn != StationTurn::EACH)
    {
        FireTurn(untilPs, slackPs, turn);
    }
    else if (m_leastSlackPs >= m_windowPs)
    {
        FireAll(untilPs, slackPs);
    }
    else
    {
        FireInTurn(untilPs);
        RunBehind(untilPs + slackPs, [](const Station&) { return true; });
    }
}

} // namespace ns3::roce
