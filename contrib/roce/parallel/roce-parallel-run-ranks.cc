// SPDX-License-Identifier: GPL-2.0-only
#include "roce-parallel-run.h"
#include "roce-run-watcher.h"

#include "ns3/roce-input-error.h"
#include "ns3/simulator.h"

#include <algorithm>

// A ParallelRun that several processes share. All decisions here depend only on what all of them
// have.

namespace ns3::roce
{

unsigned
ParallelRun::RankOf(std::size_t partition) const
{
    return RankOf(partition, GetNPartitions(), m_mail->GetRanks().GetN());
}

void
ParallelRun::NoteShared()
{
    if (m_mail && !m_inside)
    {
        m_sharedPs = NowPs();
        m_disturbed = true;
        m_firstPs = std::min(m_firstPs, NowPs());
        m_metPs = std::max(m_metPs, m_firstPs - 1);
        ArrangeMeeting();
    }
}

/// Finish everything up to now in all processes, and meet; all call it at the same times.
void
ParallelRun::MeetAt(int64_t nowPs)
{
    if (m_outsidePs > m_sharedPs)
    {
        throw InputError("ranks: an event of the program's own makes stations work, which only "
                         "the process that has them knows; expected one process");
    }
    if (nowPs > m_metPs || m_disturbed)
    {
        m_disturbed = false;
        if (std::max(m_metPs, m_firstPs) <= nowPs)
        {
            m_rounds.RunTo(nowPs, true);
            SwapMail();
            Tell();
            RunWatcher::TellAll(*this, nowPs);
        }
        m_metPs = std::max(m_metPs, nowPs);
        m_rounds.NoteDone(nowPs);
    }
    ArrangeMeeting();
}

/// Exchange with other processes the frames and reports since they met.
void
ParallelRun::SwapMail()
{
    m_rounds.Deliver();
    Collect();
    ++m_meetings;
    m_rounds.SeekNext();
    const int64_t firstPs = std::max(m_rounds.GetDonePs(), m_rounds.GetNextPs());
    const RankMail::Outlook outlook =
        m_mail->Swap(NowPs(), {firstPs, FindLeastEnd()}, m_rounds.TakeSent(), m_reports);
    m_rounds.SeekNext(); // with what others have sent
    m_firstPs = outlook.firstPs;
    m_leastEndPs = std::max(m_leastEndPs, outlook.leastEndPs);
}

/// @return see SetLeastEnd(), by what stations of this process have still to send; 0 if a later
/// time than the present one was not sought or not found
int64_t
ParallelRun::FindLeastEnd()
{
    const int64_t nowPs = NowPs();
    // It is slow, so not in each window. The result stays valid.
    if (m_meetingPs <= GetWindowPs() || m_leastEndPs - nowPs >= m_meetingPs ||
        nowPs - m_soughtPs < m_meetingPs / 16)
    {
        return 0;
    }
    m_soughtPs = nowPs;
    return m_findLeastEnd(nowPs, m_meetingPs);
}

/// Set when the processes meet next.
void
ParallelRun::ArrangeMeeting()
{
    const int64_t firstPs = std::max(m_metPs, m_firstPs);
    int64_t atPs = NEVER_PS;
    if (firstPs != NEVER_PS)
    {
        // Early enough that the last completion is reported at most L late.
        const int64_t latestPs = firstPs + m_meetingPs;
        atPs =
            std::min(latestPs, std::max(firstPs, std::min(latestPs, m_leastEndPs)) + GetWindowPs());
        // Never in the past: an event may make work before the one at this time.
        atPs = std::max(atPs, NowPs());
    }
    if (m_meeting.IsRunning() && atPs == m_meetAtPs)
    {
        return;
    }
    // Not a WakeTimer, one of which may still be pending when nothing happens any more.
    Simulator::Remove(m_meeting);
    m_meetAtPs = atPs;
    if (atPs != NEVER_PS)
    {
        m_meeting = Simulator::Schedule(TimeStep(atPs - NowPs()), [this] { AdvanceTo(NowPs()); });
    }
}

} // namespace ns3::roce
