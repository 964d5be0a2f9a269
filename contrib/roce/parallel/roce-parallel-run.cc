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

/// @return number of the simulator's next event: one more than that of the last one scheduled
uint32_t
NextEventUid()
{
    const EventId probe = Simulator::ScheduleNow([] {});
    Simulator::Remove(probe);
    return probe.GetUid() + 1;
}

} // namespace

CutDirection::CutDirection(Link& link, unsigned end, Partition& from)
    : m_link(&link),
      m_port(link.GetPort(end)),
      m_onLink(link.GetDirection(end)),
      m_from(from)
{
    m_sent.delayPs = m_onLink.delayPs;
    m_sent.sink = this;
    m_sent.hasSink = true;
    m_port->SendTo(m_sent);
}

void
CutDirection::Take(Frame* frame)
{
    m_sent.head = m_sent.tail = frame;
    m_from.NoteSent(this);
}

void
CutDirection::CheckArrival(const Frame& frame, int64_t donePs)
{
    NS_ABORT_MSG_IF(frame.timePs <= donePs,
                    "a frame arrives at " << frame.timePs << " ps at a partition that has run up "
                                          << "to " << donePs << " ps");
}

void
CutDirection::Splice(int64_t donePs)
{
    Frame* first = m_sent.head;
    CheckArrival(*first, donePs);
    m_onLink.sentFrames += m_sent.sentFrames;
    m_sent.sentFrames = 0;
    m_sent.head = nullptr;
    m_onLink.lastPs = m_sent.lastPs;
    if (m_onLink.head)
    {
        Frame& tail = *m_onLink.tail;
        tail.next = first;
        tail.nextGapPs =
            static_cast<uint32_t>(std::min<int64_t>(first->timePs - tail.timePs, UINT32_MAX));
        m_onLink.tail = m_sent.tail;
        return;
    }
    m_onLink.head = first;
    m_onLink.tail = m_sent.tail;
    m_onLink.to->SetArrival(m_onLink.toPort, first->timePs);
}

int64_t
CutDirection::Pack(std::string& out)
{
    const int64_t firstPs = m_sent.head->timePs;
    ByteWriter stream(out);
    stream(m_sent.sentFrames);
    // For this process they have arrived.
    m_onLink.sentFrames += m_sent.sentFrames;
    m_onLink.arrivedFrames += m_sent.sentFrames;
    m_sent.sentFrames = 0;
    while (Frame* frame = m_sent.head)
    {
        m_sent.head = frame->next;
        FrameCodec::Write(*frame, out);
        FramePool::Free(frame);
    }
    return firstPs;
}

CutDirection::~CutDirection()
{
    m_port->SendTo(m_onLink);
    while (Frame* frame = m_sent.head) // the network is not used any more
    {
        m_sent.head = frame->next;
        FramePool::Free(frame);
    }
}

ParallelRun::ParallelRun(unsigned partitions,
                         unsigned threads,
                         bool measure,
                         std::unique_ptr<RankMail> mail)
    : m_nPartitions(partitions),
      m_mail(std::move(mail)),
      m_errors(partitions),
      m_measure(measure),
      m_workNs(partitions),
      m_timer(this),
      m_pool(
          measure ? 1 : std::min(partitions, threads),
          [this](unsigned thread) { Work(thread); },
          [] { FramePool::ReleaseThread(); })
{
    for (unsigned i = 0; i < partitions; ++i)
    {
        const bool isHere = !m_mail || RankOf(i) == m_mail->GetRanks().GetRank();
        m_partitions.push_back(std::make_unique<Partition>(*this, !isHere));
        if (isHere)
        {
            m_here.push_back(i);
        }
    }
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
    station.SetPartition(m_partitions.at(partition).get());
    m_stations.push_back(&station);
    station.GetPartition()->Add(station.GetSlackPs());
    if (station.GetPartition()->IsRemote())
    {
        m_mail->AddRemote(station);
    }
    m_slackPs = std::max(m_slackPs, station.GetSlackPs());
}

void
ParallelRun::Cut(Link& link)
{
    Partition* const sides[] = {link.PeekPort(0)->GetOwner()->GetPartition(),
                                link.PeekPort(1)->GetOwner()->GetPartition()};
    const uint32_t id = 2 * m_links++;
    const auto rankOf = [this](const Partition* partition) {
        const auto found = std::find_if(
            m_partitions.begin(),
            m_partitions.end(),
            [partition](const auto& candidate) { return candidate.get() == partition; });
        return RankOf(static_cast<std::size_t>(found - m_partitions.begin()));
    };
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
        m_cut.push_back(std::make_unique<CutDirection>(link, end, *sides[end]));
        if (sides[1 - end]->IsRemote())
        {
            m_mail->AddOut(id + end, *m_cut.back(), rankOf(sides[1 - end]));
        }
    }
}

void
ParallelRun::Begin(int64_t windowPs, int64_t meetingPs)
{
    m_windowPs = windowPs;
    m_meetingPs = meetingPs;
    m_donePs = NowPs();
    m_metPs = NowPs();
    const std::size_t here = std::count_if(m_stations.begin(),
                                           m_stations.end(),
                                           [](const Station* s) { return s->IsHere(); });
    for (const std::unique_ptr<Partition>& partition : m_partitions)
    {
        partition->SetThreadStations(here / m_pool.GetThreads());
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
        Arm(GetFirstPs());
        m_inside = false;
    }
}

int64_t
ParallelRun::GetNextPs() const
{
    int64_t nextPs = NEVER_PS;
    for (const std::unique_ptr<Partition>& partition : m_partitions)
    {
        nextPs = std::min(nextPs, partition->GetNextPs());
    }
    return nextPs;
}

/// The first time at which anything may happen, or NEVER_PS.
int64_t
ParallelRun::GetFirstPs() const
{
    int64_t firstPs = NEVER_PS;
    for (const std::unique_ptr<Partition>& partition : m_partitions)
    {
        firstPs = std::min(firstPs, partition->GetFirstPs(m_slackPs));
    }
    return std::max(m_donePs, firstPs);
}

/// End the next window in time. @param firstPs see GetFirstPs()
void
ParallelRun::Arm(int64_t firstPs)
{
    if (firstPs != NEVER_PS)
    {
        // Never in the past: an event may make work before the one at this time that ends a window.
        m_timer.Arm(0, std::max(firstPs + m_windowPs, NowPs()));
    }
}

void
ParallelRun::NoteOutside()
{
    if (!m_inside)
    {
        m_outsidePs = NowPs();
        // Of the new work nothing happens before now; without it nothing before GetFirstPs().
        m_donePs = std::max(m_donePs, std::min(GetFirstPs(), NowPs()) - 1);
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

void
ParallelRun::RunPartition(unsigned partition)
{
    const int64_t beginNs = m_measure ? CpuNs() : 0;
    try
    {
        m_partitions[partition]->RunTo(m_basePs, m_untilPs, m_slackPs);
    }
    catch (...)
    {
        m_errors[partition] = std::current_exception();
    }
    m_workNs[partition] = m_measure ? CpuNs() - beginNs : 0;
}

void
ParallelRun::Work(unsigned thread)
{
    for (std::size_t i = thread; i < m_here.size(); i += m_pool.GetThreads())
    {
        RunPartition(m_here[i]);
    }
}

void
ParallelRun::RunWindow(int64_t basePs, int64_t untilPs)
{
    NS_ABORT_MSG_IF(untilPs - basePs > m_windowPs,
                    "a window of " << untilPs - basePs << " ps, longer than " << m_windowPs);
    CheckSinks();
    m_basePs = basePs;
    m_untilPs = untilPs;
    const uint32_t firstUid = NextEventUid();
    m_pool.Run();
    const uint32_t events = NextEventUid() - firstUid - 1;
    for (std::exception_ptr& error : m_errors)
    {
        if (error)
        {
            std::rethrow_exception(std::exchange(error, nullptr));
        }
    }
    if (events)
    {
        throw InputError("threads: " + std::to_string(events) +
                         " event(s) of ns-3 were scheduled by stages, rate laws or other parts of "
                         "stations up to " +
                         std::to_string(untilPs / 1000) +
                         " ns; expected Switch::ArmStage() or their own timers, or one thread");
    }
    if (m_measure)
    {
        ++m_balance.windows;
        int64_t longestNs = 0;
        for (const int64_t workNs : m_workNs)
        {
            m_balance.workNs += workNs;
            longestNs = std::max(longestNs, workNs);
        }
        m_balance.longestNs += longestNs;
    }
}

void
ParallelRun::Splice()
{
    for (const std::unique_ptr<Partition>& partition : m_partitions)
    {
        for (CutDirection* direction : partition->GetSent())
        {
            if (m_mail && m_mail->TakesFrom(direction))
            {
                m_toRanks.push_back(direction);
                continue;
            }
            direction->Splice(m_donePs);
        }
        partition->GetSent().clear();
    }
}

/// Reports of stations.
void
ParallelRun::Collect()
{
    for (const std::unique_ptr<Partition>& partition : m_partitions)
    {
        for (const Partition::Report& report : partition->GetReports())
        {
            m_reports.emplace_back(report);
        }
        partition->GetReports().clear();
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

/// Run the partitions of this process.
void
ParallelRun::RunHere(int64_t nowPs)
{
    Splice();
    if (nowPs > m_donePs || GetNextPs() <= nowPs)
    {
        // Else nothing has changed since the last time.
        if (const int64_t firstPs = GetFirstPs(); firstPs <= nowPs)
        {
            RunWindow(firstPs, nowPs);
        }
        m_donePs = std::max(m_donePs, nowPs);
        Splice();
        Collect();
    }
}

void
ParallelRun::AdvanceTo(int64_t nowPs)
{
    if (m_inside)
    {
        return; // a sink looks: all is up to date
    }
    const ScopedValue<bool> inside(m_inside, true, false);
    const int64_t beginNs = m_measure ? CpuNs() : 0;
    const int64_t workNs = m_balance.workNs;
    if (m_mail)
    {
        MeetAt(nowPs);
    }
    else
    {
        RunHere(nowPs);
        Tell();
        RunWatcher::TellAll(*this, m_donePs);
    }
    // Even without work: the event that ends this window may be the only one scheduled.
    Arm(GetFirstPs());
    m_balance.serialNs += m_measure ? CpuNs() - beginNs - (m_balance.workNs - workNs) : 0;
}

void
ParallelRun::OnWake(int64_t nowPs)
{
    if (!m_mail)
    {
        AdvanceTo(nowPs);
        return;
    }
    // Frames and completions for other processes wait until they meet.
    const ScopedValue<bool> inside(m_inside, true, false);
    RunHere(nowPs);
    Arm(GetFirstPs());
}

} // namespace ns3::roce
