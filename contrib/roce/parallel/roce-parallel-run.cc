// SPDX-License-Identifier: GPL-2.0-only
#include "roce-parallel-run.h"

#include "roce-run-watcher.h"

#include "ns3/abort.h"
#include "ns3/roce-byte-stream.h"
#include "ns3/roce-frame-codec.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-scoped-value.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <tuple>
#include <utility>

namespace ns3::roce
{

namespace
{

/// @return CPU time of the calling thread, ns
int64_t
CpuNs()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

/// Less work than this is not worth it to have several threads begin.
constexpr int64_t ALONE_NS = 15'000;
/// One round of so many has several threads whatever its work: faults that only these have must
/// not depend on how fast the machine is.
constexpr uint64_t TOGETHER = 16;
/// Windows between two searches for the last completion, if the first one finds it near.
constexpr unsigned SEEK_WINDOWS = 64;
constexpr unsigned MOST_SEEK_WINDOWS = 1024; //!< the same, if all have found it near

/// @return time that the calling thread has worked, ns; of this thread alone if measure
int64_t
WorkNs(bool measure)
{
    return measure ? CpuNs()
                   : std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch())
                         .count();
}

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

/// An event that does nothing.
struct NoEvent final : public EventImpl
{
    void Notify() override
    {
    }
};

/// @return number of the simulator's next event: one more than that of the last one scheduled
/// @param probe that is scheduled for it; to take it out again might take long
uint32_t
NextEventUid(const Ptr<EventImpl>& probe)
{
    return Simulator::Schedule(Time(0), probe).GetUid() + 1;
}

} // namespace

ParallelRun::ParallelRun(unsigned partitions,
                         unsigned threads,
                         int64_t windowPs,
                         bool measure,
                         std::unique_ptr<RankMail> mail)
    : m_nPartitions(partitions),
      m_here(FindHere(mail.get(), partitions)),
      m_mail(std::move(mail)),
      m_windowPs(windowPs),
      m_teams(m_here),
      m_measure(measure),
      m_workNs(WindowTeams::MOST, std::vector<int64_t>(partitions)),
      m_homes(m_here, std::min<unsigned>(m_here.size(), threads), m_teams),
      m_findings(measure ? 1 : std::min<unsigned>(m_here.size(), threads)),
      m_probe(Create<NoEvent>()),
      m_timer(this),
      m_pool(
          m_findings.size(),
          [this](unsigned thread) { Work(thread); },
          [] { FramePool::ReleaseThread(); })
{
    for (unsigned i = 0; i < partitions; ++i)
    {
        const bool isHere = std::binary_search(m_here.begin(), m_here.end(), i);
        m_units.push_back(std::make_unique<Unit>(*this, i, !isHere));
    }
}

ParallelRun::~ParallelRun()
{
    m_meeting.Cancel();
    for (Station* station : m_stations)
    {
        station->SetPartition(nullptr);
    }
    for (const unsigned index : m_here)
    {
        // The network is not used any more.
        ForPending(index, [index](Outbox& outbox) { outbox.Discard(index); });
    }
}

void
ParallelRun::Add(Station& station, unsigned partition)
{
    station.SetPartition(&m_units.at(partition)->partition);
    m_stations.push_back(&station);
    station.GetPartition()->Add(station.GetShortestDelayPs());
    if (station.GetPartition()->IsRemote())
    {
        m_mail->AddRemote(station);
    }
    m_slackPs = std::max(m_slackPs, station.GetShortestDelayPs());
    m_leastSlackPs = std::min(m_leastSlackPs, station.GetShortestDelayPs());
    m_hasTurns |= station.GetTurn() != StationTurn::EACH;
}

void
ParallelRun::Cut(Link& link)
{
    Partition* const sides[] = {link.PeekPort(0)->GetOwner()->GetPartition(),
                                link.PeekPort(1)->GetOwner()->GetPartition()};
    const uint32_t id = 2 * m_links++;
    const bool isHere = !sides[0]->IsRemote() && !sides[1]->IsRemote();
    if (isHere && link.GetDelayPs() < WindowTeams::MOST * m_windowPs)
    {
        m_teams.Join(sides[0]->GetIndex(), sides[1]->GetIndex());
    }
    // A NIC runs after its switch in the same window.
    m_hasTurns &=
        sides[0] == sides[1] || (link.PeekPort(0)->GetOwner()->GetTurn() != StationTurn::EACH &&
                                 link.PeekPort(1)->GetOwner()->GetTurn() != StationTurn::EACH);
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
    m_betweenNs = CpuNs();
    m_hasTurns &= m_slackPs == m_windowPs && m_leastSlackPs == m_windowPs;
    m_meetingPs = meetingPs;
    m_donePs = NowPs();
    m_metPs = NowPs();
    const std::size_t here = std::count_if(m_stations.begin(),
                                           m_stations.end(),
                                           [](const Station* s) { return s->IsHere(); });
    for (const std::unique_ptr<Unit>& unit : m_units)
    {
        unit->partition.SetThreadStations(here / m_pool.GetThreads());
    }
    m_inside = m_mail != nullptr; // all processes begin alike, below
    for (Station* station : m_stations)
    {
        station->Resume();
    }
    if (m_mail)
    {
        SwapMail();
        ArrangeMeeting();
        Arm(m_nextPs);
        m_inside = false;
    }
}

/// The first time at which anything may happen, or NEVER_PS. All that was sent is on its link.
int64_t
ParallelRun::FindFirstPs() const
{
    int64_t firstPs = NEVER_PS;
    for (const std::unique_ptr<Unit>& unit : m_units)
    {
        firstPs = std::min(firstPs, unit->partition.GetFirstPs(m_slackPs));
    }
    return firstPs;
}

/// @return the longest time of a round. @param firstPs nothing happens before
int64_t
ParallelRun::FindRoundPs(int64_t firstPs) const
{
    const int64_t longestPs = WindowTeams::MOST * m_windowPs;
    if (m_mail)
    {
        return longestPs; // sinks are called when processes meet
    }
    if (!m_findLeastEnd || ReplyMark::Count() || !m_teams.GetRound()) // sinks may still be coming
    {
        return m_windowPs;
    }
    // Sinks hear of the last completion at most L late.
    return m_windowPs + std::clamp<int64_t>(m_leastEndPs - firstPs, 0, longestPs - m_windowPs);
}

/// End the next round in time. @param firstPs nothing happens before, or NEVER_PS
void
ParallelRun::Arm(int64_t firstPs)
{
    if (firstPs != NEVER_PS)
    {
        const int64_t basePs = std::max(m_donePs, firstPs);
        // Never in the past: an event may make work before the one at this time that ends a round.
        m_timer.Arm(0, std::max(basePs + FindRoundPs(basePs), NowPs()));
    }
}

/// Find a later time for SetLeastEnd(), if this is the only process; several do so when they meet
/// (FindLeastEnd()).
void
ParallelRun::SeekLeastEnd()
{
    const int64_t farPs = WindowTeams::MOST * m_windowPs;
    if (m_mail || !m_findLeastEnd || ReplyMark::Count() || m_leastEndPs - m_donePs >= farPs ||
        m_donePs - m_soughtPs < m_soughtFor * m_windowPs)
    {
        return;
    }
    m_soughtPs = m_donePs;
    m_leastEndPs = std::max(m_leastEndPs, m_findLeastEnd(m_donePs, 0));
    // It is slow: where it is in vain, the less often.
    m_soughtFor = m_leastEndPs - m_donePs >= farPs
                      ? SEEK_WINDOWS
                      : std::clamp(2 * m_soughtFor, SEEK_WINDOWS, MOST_SEEK_WINDOWS);
}

void
ParallelRun::NoteOutside()
{
    // Of the new work nothing happens before now.
    m_nextPs = std::min(m_nextPs, NowPs());
    m_hasWork = true;
    if (!m_inside)
    {
        m_outsidePs = NowPs();
        m_donePs = std::max(m_donePs, m_nextPs - 1);
        Arm(m_donePs);
    }
}

void
ParallelRun::CheckSinks()
{
    if (SinkMark::Count())
    {
        throw InputError("threads: a trace source that stations call has a sink; expected sinks of "
                         "MessageCompleted and MessageReceived only, sinks that are made while a "
                         "SinkMark::LocalSinks lives, or one thread");
    }
}

/// The round's work of a thread.
void
ParallelRun::Work(unsigned thread)
{
    Finding& finding = m_findings[thread];
    finding.Begin(m_teams.GetRound());
    int64_t beginNs = WorkNs(m_measure);
    for (uint64_t left = m_teams.CountLeft(); left;)
    {
        const PartitionHomes::Turn turn = m_homes.Take(thread);
        if (turn.partition == PartitionHomes::NONE)
        {
            // Until a team comes to its next window.
            const uint64_t before = left;
            for (unsigned polls = 0; left == before; left = m_teams.CountLeft())
            {
                m_pool.Pause(polls++);
            }
            beginNs = WorkNs(m_measure);
            continue;
        }
        RunPartition(turn, finding);
        const int64_t endNs = WorkNs(m_measure);
        m_homes.Note(turn.partition, endNs - beginNs);
        if (m_measure)
        {
            m_workNs[turn.window - 1][turn.partition] = endNs - beginNs;
        }
        finding.workNs += endNs - beginNs;
        beginNs = endNs;
        m_teams.Finish(turn.partition);
        left = m_teams.CountLeft();
    }
}

/// The round's work of all, by one thread.
void
ParallelRun::WorkAlone()
{
    Finding& finding = m_findings.front();
    finding.Begin(m_teams.GetRound());
    const int64_t beginNs = WorkNs(m_measure);
    for (unsigned window = 1; window <= m_teams.GetWindows(); ++window)
    {
        for (const unsigned index : m_here)
        {
            if (m_teams.GetOpen(index) == window)
            {
                RunPartition({index, window}, finding);
                m_teams.Finish(index);
            }
        }
    }
    finding.workNs = WorkNs(m_measure) - beginNs;
}

/// A window of a partition. @param finding of the thread
void
ParallelRun::RunPartition(PartitionHomes::Turn turn, Finding& finding)
{
    Unit& unit = *m_units[turn.partition];
    const Partition::AtWork atWork(unit.partition);
    DeliverTo(turn.partition, turn.window);
    const int64_t untilPs = EndOf(turn.window);
    try
    {
        if (unit.partition.GetFirstPs(m_slackPs) <= untilPs)
        {
            unit.partition.RunTo(turn.window == 1 ? m_basePs : EndOf(turn.window - 1),
                                 untilPs,
                                 m_slackPs,
                                 TurnOf(turn.window));
        }
        if (turn.window == m_teams.GetWindows())
        {
            finding.firstPs = std::min(finding.firstPs, unit.partition.GetFirstPs(m_slackPs));
        }
        Post(unit, turn.window, finding);
    }
    catch (...)
    {
        unit.error = std::current_exception();
        unit.errorIn = turn.window;
        finding.failed = true;
        m_teams.End(turn.partition);
    }
}

/// What a partition has sent and has to tell goes to where others find it later.
void
ParallelRun::Post(Unit& unit, unsigned window, Finding& finding)
{
    Partition& partition = unit.partition;
    std::vector<CutDirection*>& sent = partition.GetSent();
    if (m_mail)
    {
        const auto elsewhere = std::stable_partition(sent.begin(), sent.end(), [](const auto* d) {
            return d->GetTo() != CutDirection::ELSEWHERE;
        });
        unit.toRanks.insert(unit.toRanks.end(), elsewhere, sent.end());
        sent.erase(elsewhere, sent.end());
    }
    if (!sent.empty())
    {
        Outbox& outbox = unit.GetOutbox(m_teams.GetRound(), window);
        finding.firstPs = std::min(finding.firstPs, outbox.Fill(sent, m_nPartitions));
        m_teams.NoteSent(partition.GetIndex());
        sent.clear();
    }
    std::vector<Partition::Report>& reports = partition.GetReports();
    finding.reports.insert(finding.reports.end(), reports.begin(), reports.end());
    reports.clear();
}

/// @return of the round under way
StationTurn
ParallelRun::TurnOf(unsigned window) const
{
    return m_turn == StationTurn::EACH || window % 2 ? m_turn
           : m_turn == StationTurn::EVEN             ? StationTurn::ODD
                                                     : StationTurn::EVEN;
}

/// @return when a window of the round under way ends
int64_t
ParallelRun::EndOf(unsigned window) const
{
    return std::min(m_basePs + window * m_windowPs, m_untilPs);
}

/// @return up to when all stations have run when a window of the round under way begins
int64_t
ParallelRun::TakenBy(unsigned window) const
{
    const unsigned behind = m_turn == StationTurn::EACH ? 1 : 2; // some had no turn
    return window == 1 ? FindTakenPs() : window <= behind ? m_donePs : EndOf(window - behind);
}

void
ParallelRun::RunRound(int64_t basePs, int64_t untilPs)
{
    const int64_t windows = std::max<int64_t>(1, (untilPs - basePs + m_windowPs - 1) / m_windowPs);
    NS_ABORT_MSG_IF(windows > WindowTeams::MOST,
                    "a round of " << untilPs - basePs << " ps, with windows of " << m_windowPs);
    CheckSinks();
    m_basePs = basePs;
    m_untilPs = untilPs;
    // With a sink none of its stations may be later than a delay.
    m_turn = !m_hasTurns || (!m_isUneven && SinkMark::Count()) ? StationTurn::EACH
             : m_lastTurn == StationTurn::EVEN                 ? StationTurn::ODD
                                                               : StationTurn::EVEN;
    m_teams.Begin(static_cast<unsigned>(windows));
    const uint32_t firstUid = NextEventUid(m_probe);
    const int64_t beginNs = m_measure ? CpuNs() : 0;
    const bool isAlone =
        m_homes.GetThreads() == 1 || (m_lastWorkNs < ALONE_NS && m_teams.GetRound() % TOGETHER);
    if (isAlone)
    {
        WorkAlone();
    }
    else
    {
        m_homes.Begin();
        m_pool.Run();
    }
    const uint32_t events = NextEventUid(m_probe) - firstUid - 1;
    TakeFindings();
    m_beforePs = windows == 1 ? m_donePs : EndOf(static_cast<unsigned>(windows) - 1);
    m_lastTurn = TurnOf(static_cast<unsigned>(windows));
    m_isUneven = m_lastTurn != StationTurn::EACH;
    if (m_measure)
    {
        m_balance.windows += static_cast<uint64_t>(windows);
        m_balance.workNs += m_lastWorkNs;
        m_balance.longestNs +=
            isAlone ? m_lastWorkNs : m_homes.Predict(m_workNs, static_cast<unsigned>(windows));
        m_balance.serialNs += beginNs - std::exchange(m_betweenNs, CpuNs());
    }
    if (events)
    {
        throw InputError("threads: " + std::to_string(events) +
                         " event(s) of ns-3 were scheduled by stages, rate laws or other parts of "
                         "stations up to " +
                         std::to_string(untilPs / 1000) +
                         " ns; expected Switch::ArmStage() or their own timers, or one thread");
    }
}

/// Up to when all stations have run; some have run further.
int64_t
ParallelRun::FindTakenPs() const
{
    return m_isUneven ? m_beforePs : m_donePs;
}

/// After a round.
void
ParallelRun::TakeFindings()
{
    m_mailOf = m_teams.GetRound();
    m_mailWindows = m_teams.GetWindows();
    m_nextPs = NEVER_PS;
    m_lastWorkNs = 0;
    bool failed = false;
    for (const Finding& finding : m_findings)
    {
        if (finding.round == m_mailOf)
        {
            m_nextPs = std::min(m_nextPs, finding.firstPs);
            m_lastWorkNs += finding.workNs;
            failed |= finding.failed;
        }
    }
    if (failed)
    {
        ThrowFirstError();
    }
}

/// Of the first window in which a partition has one.
void
ParallelRun::ThrowFirstError()
{
    Unit* first = nullptr;
    for (const std::unique_ptr<Unit>& unit : m_units)
    {
        if (unit->error && (!first || unit->errorIn < first->errorIn))
        {
            first = unit.get();
        }
    }
    std::rethrow_exception(std::exchange(first->error, nullptr));
}

/// Call a function with each outbox of the last round that has something for a partition, in the
/// order of windows. Of its own team only the last window's have: it has the others.
template <typename F>
void
ParallelRun::ForPending(unsigned to, F use) const
{
    for (unsigned window = 1; m_mailOf && window <= m_mailWindows; ++window)
    {
        for (const unsigned from : m_here)
        {
            if (m_teams.HasSent(from, m_mailOf, window) &&
                (window == m_mailWindows || !m_teams.AreTogether(from, to)))
            {
                use(m_units[from]->GetOutbox(m_mailOf, window));
            }
        }
    }
}

/// Put onto links what a partition was sent before a window. In an AtWork of it.
void
ParallelRun::DeliverTo(unsigned partition, unsigned window)
{
    const int64_t takenPs = TakenBy(window);
    if (window == 1)
    {
        ForPending(partition, [=](Outbox& outbox) { outbox.DeliverTo(partition, takenPs); });
        return;
    }
    for (const unsigned from : m_here)
    {
        if (m_teams.AreTogether(from, partition) &&
            m_teams.HasSent(from, m_teams.GetRound(), window - 1))
        {
            m_units[from]->GetOutbox(m_teams.GetRound(), window - 1).DeliverTo(partition, takenPs);
        }
    }
}

/// Put onto links what all partitions have sent each other.
void
ParallelRun::Deliver()
{
    const int64_t takenPs = FindTakenPs();
    for (const unsigned index : m_here)
    {
        const Partition::AtWork atWork(m_units[index]->partition);
        ForPending(index, [=](Outbox& outbox) { outbox.DeliverTo(index, takenPs); });
    }
    m_mailOf = 0;
}

/// Reports of stations.
void
ParallelRun::Collect()
{
    const auto take = [this](std::vector<Partition::Report>& reports) {
        for (const Partition::Report& report : reports)
        {
            m_reports.emplace_back(report);
        }
        reports.clear();
    };
    for (Finding& finding : m_findings)
    {
        take(finding.reports);
    }
    for (const std::unique_ptr<Unit>& unit : m_units) // what events have done outside of windows
    {
        take(unit->partition.GetReports());
    }
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

/// Run the partitions of this process. What they then send each other is not on its link yet.
/// @param all also switches whose turn it is not
void
ParallelRun::RunHere(int64_t nowPs, bool all)
{
    if (nowPs > m_donePs || m_hasWork)
    {
        // Else nothing has changed since the last time.
        m_hasWork = false;
        if (const int64_t firstPs = std::max(m_donePs, m_nextPs); firstPs <= nowPs)
        {
            RunRound(firstPs, nowPs);
        }
        m_donePs = std::max(m_donePs, nowPs);
    }
    if ((all || SinkMark::Count()) && m_isUneven)
    {
        RunRound(m_donePs, m_donePs);
        m_isUneven = false;
    }
}

void
ParallelRun::AdvanceTo(int64_t nowPs)
{
    if (m_inside)
    {
        // A sink looks: all is up to date, but for links.
        Deliver();
        return;
    }
    const ScopedValue<bool> inside(m_inside, true, false);
    if (m_mail)
    {
        MeetAt(nowPs);
    }
    else
    {
        RunHere(nowPs, true);
        Deliver();
        Collect();
        Tell();
        RunWatcher::TellAll(*this, m_donePs);
    }
    // Even without work: the event that ends this round may be the only one scheduled.
    SeekLeastEnd();
    Arm(m_nextPs);
}

void
ParallelRun::OnWake(int64_t nowPs)
{
    // What is sent to others waits for their next round, or until somebody looks; what processes
    // send each other until they meet.
    const ScopedValue<bool> inside(m_inside, true, false);
    RunHere(nowPs, false);
    Collect();
    if (!m_mail)
    {
        Tell();
        RunWatcher::TellAll(*this, FindTakenPs());
    }
    SeekLeastEnd();
    Arm(m_nextPs);
}

} // namespace ns3::roce
