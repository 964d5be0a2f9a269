// SPDX-License-Identifier: GPL-2.0-only
#include "roce-round-runner.h"

#include "ns3/abort.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-link.h"
#include "ns3/roce-station-trace.h"
#include "ns3/roce-station.h"
#include "ns3/simulator.h"

#include <chrono>
#include <ctime>

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

/// @return time that the calling thread has worked, ns; of this thread alone if measure
int64_t
WorkNs(bool measure)
{
    return measure ? CpuNs()
                   : std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch())
                         .count();
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

RoundRunner::RoundRunner(PartitionOwner& owner,
                         unsigned partitions,
                         const std::vector<unsigned>& here,
                         unsigned threads,
                         int64_t windowPs,
                         bool measure)
    : m_here(here),
      m_windowPs(windowPs),
      m_teams(m_here),
      m_measure(measure),
      m_workNs(WindowTeams::MOST, std::vector<int64_t>(partitions)),
      m_homes(m_here, std::min<unsigned>(m_here.size(), threads), m_teams),
      m_findings(measure ? 1 : std::min<unsigned>(m_here.size(), threads)),
      m_probe(Create<NoEvent>()),
      m_pool(
          m_findings.size(),
          [this](unsigned thread) { Work(thread); },
          [] { FramePool::ReleaseThread(); })
{
    for (unsigned i = 0; i < partitions; ++i)
    {
        const bool isHere = std::binary_search(m_here.begin(), m_here.end(), i);
        m_units.push_back(std::make_unique<Unit>(owner, i, !isHere));
    }
}

RoundRunner::~RoundRunner()
{
    for (const unsigned index : m_here)
    {
        // The network is not used any more.
        ForPending(index, [index](Outbox& outbox) { outbox.Discard(index); });
    }
}

void
RoundRunner::Add(Station& station, unsigned partition)
{
    const int64_t slackPs = station.GetShortestDelayPs();
    station.SetPartition(&m_units.at(partition)->partition);
    station.GetPartition()->Add(slackPs);
    m_slackPs = std::max(m_slackPs, slackPs);
    m_leastSlackPs = std::min(m_leastSlackPs, slackPs);
    m_hasTurns |= station.GetTurn() != StationTurn::EACH;
}

void
RoundRunner::NoteLink(const Link& link)
{
    const Station& one = *link.PeekPort(0)->GetOwner();
    const Station& other = *link.PeekPort(1)->GetOwner();
    if (one.IsHere() && other.IsHere() && link.GetDelayPs() < WindowTeams::MOST * m_windowPs)
    {
        m_teams.Join(one.GetPartition()->GetIndex(), other.GetPartition()->GetIndex());
    }
    // A NIC runs after its switch in the same window.
    m_hasTurns &= one.GetPartition() == other.GetPartition() ||
                  (one.GetTurn() != StationTurn::EACH && other.GetTurn() != StationTurn::EACH);
}

void
RoundRunner::Begin(std::size_t stations)
{
    m_betweenNs = CpuNs();
    m_hasTurns &= m_slackPs == m_windowPs && m_leastSlackPs == m_windowPs;
    m_donePs = NowPs();
    for (const std::unique_ptr<Unit>& unit : m_units)
    {
        unit->partition.SetThreadStations(stations / m_pool.GetThreads());
    }
}

void
RoundRunner::CheckSinks()
{
    if (SinkMark::Count())
    {
        throw InputError("threads: a trace source that stations call has a sink; expected sinks of "
                         "MessageCompleted and MessageReceived only, sinks that are made while a "
                         "SinkMark::LocalSinks lives, or one thread");
    }
}

void
RoundRunner::SeekNext()
{
    m_nextPs = NEVER_PS;
    for (const std::unique_ptr<Unit>& unit : m_units)
    {
        m_nextPs = std::min(m_nextPs, unit->partition.GetFirstPs(m_slackPs));
    }
}

std::vector<CutDirection*>
RoundRunner::TakeSent()
{
    std::vector<CutDirection*> sent;
    for (const unsigned partition : m_here)
    {
        std::vector<CutDirection*>& toRanks = m_units[partition]->toRanks;
        sent.insert(sent.end(), toRanks.begin(), toRanks.end());
        toRanks.clear();
    }
    return sent;
}

void
RoundRunner::RunTo(int64_t nowPs, bool all)
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
    if (all && m_isUneven)
    {
        RunRound(m_donePs, m_donePs);
        m_isUneven = false;
    }
}

/// The round's work of a thread.
void
RoundRunner::Work(unsigned thread)
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
RoundRunner::WorkAlone()
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
RoundRunner::RunPartition(PartitionHomes::Turn turn, Finding& finding)
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
RoundRunner::Post(Unit& unit, unsigned window, Finding& finding)
{
    Partition& partition = unit.partition;
    std::vector<CutDirection*>& sent = partition.GetSent();
    if (m_here.size() < m_units.size())
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
        finding.firstPs = std::min(finding.firstPs, outbox.Fill(sent, m_units.size()));
        m_teams.NoteSent(partition.GetIndex());
        sent.clear();
    }
    std::vector<Partition::Report>& reports = partition.GetReports();
    finding.reports.insert(finding.reports.end(), reports.begin(), reports.end());
    reports.clear();
}

/// @return of the round under way
StationTurn
RoundRunner::TurnOf(unsigned window) const
{
    return m_turn == StationTurn::EACH || window % 2 ? m_turn
           : m_turn == StationTurn::EVEN             ? StationTurn::ODD
                                                     : StationTurn::EVEN;
}

/// @return when a window of the round under way ends
int64_t
RoundRunner::EndOf(unsigned window) const
{
    return std::min(m_basePs + window * m_windowPs, m_untilPs);
}

/// @return up to when all stations have run when a window of the round under way begins
int64_t
RoundRunner::TakenBy(unsigned window) const
{
    const unsigned behind = m_turn == StationTurn::EACH ? 1 : 2; // some had no turn
    return window == 1 ? FindTakenPs() : window <= behind ? m_donePs : EndOf(window - behind);
}

void
RoundRunner::RunRound(int64_t basePs, int64_t untilPs)
{
    const int64_t windows = std::max<int64_t>(1, (untilPs - basePs + m_windowPs - 1) / m_windowPs);
    NS_ABORT_MSG_IF(windows > WindowTeams::MOST,
                    "a round of " << untilPs - basePs << " ps, with windows of " << m_windowPs);
    CheckSinks();
    m_basePs = basePs;
    m_untilPs = untilPs;
    m_turn = !m_hasTurns                       ? StationTurn::EACH
             : m_lastTurn == StationTurn::EVEN ? StationTurn::ODD
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

/// After a round.
void
RoundRunner::TakeFindings()
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
RoundRunner::ThrowFirstError()
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
RoundRunner::ForPending(unsigned to, F use) const
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
RoundRunner::DeliverTo(unsigned partition, unsigned window)
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

void
RoundRunner::Deliver()
{
    const int64_t takenPs = FindTakenPs();
    for (const unsigned index : m_here)
    {
        const Partition::AtWork atWork(m_units[index]->partition);
        ForPending(index, [=](Outbox& outbox) { outbox.DeliverTo(index, takenPs); });
    }
    m_mailOf = 0;
}

} // namespace ns3::roce
