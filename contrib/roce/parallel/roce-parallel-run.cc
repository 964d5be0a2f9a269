// SPDX-License-Identifier: GPL-2.0-only
#include "roce-parallel-run.h"

#include "roce-run-watcher.h"

#include "ns3/roce-scoped-value.h"
#include "ns3/roce-station-trace.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ns3::roce
{

namespace
{

/// Windows between two searches for the last completion, if the first one finds it near.
constexpr unsigned SEEK_WINDOWS = 64;
constexpr unsigned MOST_SEEK_WINDOWS = 1024; //!< the same, if all have found it near

/// @return the partitions of this process. @param mail of several, or null
std::vector<unsigned>
FindHere(const RankMail* mail, unsigned partitions)
{
    std::vector<unsigned> here;
    for (unsigned i = 0; i < partitions; ++i)
    {
        if (!mail || ParallelRun::RankOf(i, partitions, mail->GetRanks().GetN()) ==
                         mail->GetRanks().GetRank())
        {
            here.push_back(i);
        }
    }
    return here;
}

} // namespace

ParallelRun::ParallelRun(unsigned partitions,
                         unsigned threads,
                         int64_t windowPs,
                         bool measure,
                         std::unique_ptr<RankMail> mail)
    : m_mail(std::move(mail)),
      m_timer(this),
      m_rounds(*this, partitions, FindHere(m_mail.get(), partitions), threads, windowPs, measure)
{
}

ParallelRun::~ParallelRun()
{
    m_meeting.Cancel();
    for (Station* station : m_stations)
    {
        station->SetPartition(nullptr);
    }
}

void
ParallelRun::Add(Station& station, unsigned partition)
{
    m_rounds.Add(station, partition);
    m_stations.push_back(&station);
    if (!station.IsHere())
    {
        m_mail->AddRemote(station);
    }
}

void
ParallelRun::Cut(Link& link)
{
    Partition* const sides[] = {link.PeekPort(0)->GetOwner()->GetPartition(),
                                link.PeekPort(1)->GetOwner()->GetPartition()};
    const uint32_t id = 2 * m_links++;
    m_rounds.NoteLink(link);
    for (unsigned end = 0; sides[0] != sides[1] && end < 2; ++end)
    {
        if (sides[end]->IsRemote())
        {
            if (!sides[1 - end]->IsRemote())
            {
                m_mail->AddIn(id + end, link, end);
            }
            continue;
        }
        const Partition& to = *sides[1 - end];
        m_cut.push_back(std::make_unique<CutDirection>(link,
                                                       end,
                                                       *sides[end],
                                                       to.IsRemote() ? CutDirection::ELSEWHERE
                                                                     : to.GetIndex()));
        if (to.IsRemote())
        {
            m_mail->AddOut(id + end, *m_cut.back(), RankOf(to.GetIndex()));
        }
    }
}

void
ParallelRun::Begin(int64_t meetingPs)
{
    m_meetingPs = meetingPs;
    m_metPs = NowPs();
    m_rounds.Begin(std::count_if(m_stations.begin(), m_stations.end(), [](const Station* s) {
        return s->IsHere();
    }));
    m_inside = m_mail != nullptr; // all processes begin alike, below
    for (Station* station : m_stations)
    {
        station->Resume();
    }
    if (m_mail)
    {
        SwapMail();
        ArrangeMeeting();
        Arm();
        m_inside = false;
    }
}

/// @return the longest time of a round. @param firstPs nothing happens before
int64_t
ParallelRun::FindRoundPs(int64_t firstPs) const
{
    const int64_t longestPs = WindowTeams::MOST * GetWindowPs();
    if (m_mail)
    {
        return longestPs; // sinks are called when processes meet
    }
    if (!m_findLeastEnd || ReplyMark::Count() || !m_rounds.GetRound()) // sinks may still be coming
    {
        return GetWindowPs();
    }
    // Sinks hear of the last completion at most L late.
    return GetWindowPs() +
           std::clamp<int64_t>(m_leastEndPs - firstPs, 0, longestPs - GetWindowPs());
}

/// End the next round in time.
void
ParallelRun::Arm()
{
    if (m_rounds.GetNextPs() != NEVER_PS)
    {
        const int64_t basePs = std::max(m_rounds.GetDonePs(), m_rounds.GetNextPs());
        // Never in the past: an event may make work before the one at this time that ends a round.
        m_timer.Arm(0, std::max(basePs + FindRoundPs(basePs), NowPs()));
    }
}

/// Find a later time for SetLeastEnd(), if this is the only process; several do so when they meet
/// (FindLeastEnd()).
void
ParallelRun::SeekLeastEnd()
{
    const int64_t farPs = WindowTeams::MOST * GetWindowPs();
    const int64_t donePs = m_rounds.GetDonePs();
    if (m_mail || !m_findLeastEnd || ReplyMark::Count() || m_leastEndPs - donePs >= farPs ||
        donePs - m_soughtPs < m_soughtFor * GetWindowPs())
    {
        return;
    }
    m_soughtPs = donePs;
    m_leastEndPs = std::max(m_leastEndPs, m_findLeastEnd(donePs, 0));
    // It is slow: where it is in vain, the less often.
    m_soughtFor = m_leastEndPs - donePs >= farPs
                      ? SEEK_WINDOWS
                      : std::clamp(2 * m_soughtFor, SEEK_WINDOWS, MOST_SEEK_WINDOWS);
}

void
ParallelRun::NoteOutside()
{
    m_rounds.NoteWork(NowPs());
    if (!m_inside)
    {
        m_outsidePs = NowPs();
        m_rounds.NoteDone(m_rounds.GetNextPs() - 1);
        Arm();
    }
}

/// Reports of stations.
void
ParallelRun::Collect()
{
    m_rounds.ForReports([this](std::vector<Partition::Report>& reports) {
        for (const Partition::Report& report : reports)
        {
            m_reports.emplace_back(report);
        }
        reports.clear();
    });
}

/// Deliver the reports collected.
void
ParallelRun::Tell()
{
    if (m_reports.empty())
    {
        return;
    }
    std::sort(m_reports.begin(), m_reports.end(), [](const auto& a, const auto& b) {
        return std::make_tuple(a.atPs, a.station->GetStationNodeId(), a.index) <
               std::make_tuple(b.atPs, b.station->GetStationNodeId(), b.index);
    });
    const ScopedValue<bool> telling(m_telling, true, false);
    for (const RankMail::Report& report : m_reports)
    {
        if (report.isFromElsewhere)
        {
            m_mail->Tell(report);
        }
        else
        {
            report.station->Tell(report.index);
        }
    }
    m_reports.clear();
}

void
ParallelRun::AdvanceTo(int64_t nowPs)
{
    if (m_inside)
    {
        // A sink looks: all is up to date, but for links.
        m_rounds.Deliver();
        return;
    }
    const ScopedValue<bool> inside(m_inside, true, false);
    if (m_mail)
    {
        MeetAt(nowPs);
    }
    else
    {
        m_rounds.RunTo(nowPs, true);
        m_rounds.Deliver();
        Collect();
        Tell();
        RunWatcher::TellAll(*this, m_rounds.GetDonePs());
    }
    // Even without work: the event that ends this round may be the only one scheduled.
    SeekLeastEnd();
    Arm();
}

void
ParallelRun::OnWake(int64_t nowPs)
{
    // What is sent to others waits for their next round, or until somebody looks; what processes
    // send each other until they meet.
    const ScopedValue<bool> inside(m_inside, true, false);
    m_rounds.RunTo(nowPs, false);
    Collect();
    if (!m_mail)
    {
        Tell();
        RunWatcher::TellAll(*this, m_rounds.FindTakenPs());
    }
    SeekLeastEnd();
    Arm();
}

} // namespace ns3::roce
