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
/// One window of so many has several threads whatever its work: faults that only these have must
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
                         bool measure,
                         std::unique_ptr<RankMail> mail)
    : m_nPartitions(partitions),
      m_here(FindHere(mail.get(), partitions)),
      m_mail(std::move(mail)),
      m_measure(measure),
      m_workNs(partitions),
      m_homes(m_here, std::min<unsigned>(m_here.size(), threads)),
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
    if (m_mailOf)
    {
        // The network is not used any more.
        for (const Finding& finding : m_findings)
        {
            for (const unsigned sender : finding.GetSenders(m_mailOf))
            {
                m_units[sender]->outboxes[m_mailOf & 1].Discard();
            }
        }
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
ParallelRun::Begin(int64_t windowPs, int64_t meetingPs)
{
    m_betweenNs = CpuNs();
    m_windowPs = windowPs;
    m_hasTurns &= m_slackPs == windowPs && m_leastSlackPs == windowPs;
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

/// End the next window in time. @param firstPs nothing happens before, or NEVER_PS
void
ParallelRun::Arm(int64_t firstPs)
{
    if (firstPs != NEVER_PS)
    {
        // Never in the past: an event may make work before the one at this time that ends a window.
        m_timer.Arm(0, std::max(std::max(m_donePs, firstPs) + m_windowPs, NowPs()));
    }
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

/// The window's work of a thread.
void
ParallelRun::Work(unsigned thread)
{
    Finding& finding = m_findings[thread];
    finding.Begin(m_windows);
    int64_t beginNs = WorkNs(m_measure);
    for (unsigned index = m_homes.Take(thread); index != PartitionHomes::NONE;
         index = m_homes.Take(thread))
    {
        Unit& unit = *m_units[index];
        const Partition::AtWork atWork(unit.partition);
        DeliverTo(index);
        RunPartition(unit, finding);
        const int64_t endNs = WorkNs(m_measure);
        m_homes.Note(index, endNs - beginNs);
        if (m_measure)
        {
            m_workNs[index] = endNs - beginNs;
        }
        finding.workNs += endNs - beginNs;
        beginNs = endNs;
    }
}

/// The window's work of all, by one thread.
void
ParallelRun::WorkAlone()
{
    Finding& finding = m_findings.front();
    finding.Begin(m_windows);
    const int64_t beginNs = WorkNs(m_measure);
    for (const unsigned index : m_here)
    {
        Unit& unit = *m_units[index];
        const Partition::AtWork atWork(unit.partition);
        DeliverTo(index);
        RunPartition(unit, finding);
    }
    finding.workNs = WorkNs(m_measure) - beginNs;
}

/// The window of a partition. @param finding of the thread
void
ParallelRun::RunPartition(Unit& unit, Finding& finding)
{
    try
    {
        if (unit.partition.GetFirstPs(m_slackPs) <= m_untilPs)
        {
            unit.partition.RunTo(m_basePs, m_untilPs, m_slackPs, m_turn);
        }
        finding.firstPs = std::min(finding.firstPs, unit.partition.GetFirstPs(m_slackPs));
        Post(unit, finding);
    }
    catch (...)
    {
        unit.error = std::current_exception();
        finding.failed = true;
    }
}

/// What a partition has sent and has to tell goes to where others find it after the window.
void
ParallelRun::Post(Unit& unit, Finding& finding)
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
        Outbox& outbox = unit.outboxes[m_windows & 1];
        finding.firstPs = std::min(finding.firstPs, outbox.Fill(sent, m_nPartitions));
        finding.senders[m_windows & 1].push_back(partition.GetIndex());
        sent.clear();
    }
    std::vector<Partition::Report>& reports = partition.GetReports();
    finding.reports.insert(finding.reports.end(), reports.begin(), reports.end());
    reports.clear();
}

void
ParallelRun::RunWindow(int64_t basePs, int64_t untilPs)
{
    NS_ABORT_MSG_IF(untilPs - basePs > m_windowPs,
                    "a window of " << untilPs - basePs << " ps, longer than " << m_windowPs);
    CheckSinks();
    m_basePs = basePs;
    m_untilPs = untilPs;
    m_takenPs = FindTakenPs();
    m_beforePs = m_donePs;
    // With a sink none of its stations may be later than a delay.
    m_turn = !m_hasTurns || (!m_isUneven && SinkMark::Count()) ? StationTurn::EACH
             : m_turn == StationTurn::EVEN                     ? StationTurn::ODD
                                                               : StationTurn::EVEN;
    ++m_windows;
    const uint32_t firstUid = NextEventUid(m_probe);
    const int64_t beginNs = m_measure ? CpuNs() : 0;
    const bool isAlone =
        m_homes.GetThreads() == 1 || (m_lastWorkNs < ALONE_NS && m_windows % TOGETHER);
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
    m_isUneven = m_turn != StationTurn::EACH;
    if (m_measure)
    {
        ++m_balance.windows;
        m_balance.workNs += m_lastWorkNs;
        m_balance.longestNs += isAlone ? m_lastWorkNs : m_homes.Predict(m_workNs);
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

/// After a window.
void
ParallelRun::TakeFindings()
{
    m_mailOf = m_windows;
    m_nextPs = NEVER_PS;
    m_lastWorkNs = 0;
    bool failed = false;
    for (const Finding& finding : m_findings)
    {
        if (finding.window == m_windows)
        {
            m_nextPs = std::min(m_nextPs, finding.firstPs);
            m_lastWorkNs += finding.workNs;
            failed |= finding.failed;
        }
    }
    for (std::size_t i = 0; failed && i < m_units.size(); ++i)
    {
        if (m_units[i]->error)
        {
            std::rethrow_exception(std::exchange(m_units[i]->error, nullptr));
        }
    }
}

/// Put onto links what a partition was sent in the window before. In an AtWork of it.
void
ParallelRun::DeliverTo(unsigned partition)
{
    for (std::size_t i = 0; m_mailOf && i < m_findings.size(); ++i)
    {
        for (const unsigned sender : m_findings[i].GetSenders(m_mailOf))
        {
            m_units[sender]->outboxes[m_mailOf & 1].DeliverTo(partition, m_takenPs);
        }
    }
}

/// Put onto links what all partitions have sent each other.
void
ParallelRun::Deliver()
{
    m_takenPs = FindTakenPs();
    for (const unsigned index : m_here)
    {
        const Partition::AtWork atWork(m_units[index]->partition);
        DeliverTo(index);
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
            RunWindow(firstPs, nowPs);
        }
        m_donePs = std::max(m_donePs, nowPs);
    }
    if ((all || SinkMark::Count()) && m_isUneven)
    {
        RunWindow(m_donePs, m_donePs);
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
    // Even without work: the event that ends this window may be the only one scheduled.
    Arm(m_nextPs);
}

void
ParallelRun::OnWake(int64_t nowPs)
{
    // What is sent to others waits for their next window, or until somebody looks; what processes
    // send each other until they meet.
    const ScopedValue<bool> inside(m_inside, true, false);
    RunHere(nowPs, false);
    Collect();
    if (!m_mail)
    {
        Tell();
        RunWatcher::TellAll(*this, FindTakenPs());
    }
    Arm(m_nextPs);
}

} // namespace ns3::roce
