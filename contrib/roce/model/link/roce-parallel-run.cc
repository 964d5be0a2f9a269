/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-parallel-run.h"

#include "ns3/abort.h"
#include "ns3/roce-input-error.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <ctime>
#include <tuple>
#include <utility>

namespace ns3
{
namespace roce
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
    m_port->SendTo(m_sent);
}

void
CutDirection::Take(Frame* frame)
{
    m_sent.head = m_sent.tail = frame;
    m_from.NoteSent(this);
}

void
CutDirection::Splice(int64_t donePs)
{
    Frame* first = m_sent.head;
    NS_ABORT_MSG_IF(first->timePs <= donePs,
                    "a frame arrives at " << first->timePs << " ps at a partition that has run up "
                                          << "to " << donePs << " ps");
    m_onLink.sentFrames += m_sent.sentFrames;
    m_sent.sentFrames = 0;
    m_sent.head = nullptr;
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

CutDirection::~CutDirection()
{
    m_port->SendTo(m_onLink);
    while (Frame* frame = m_sent.head) // the network is not used any more
    {
        m_sent.head = frame->next;
        FramePool::Free(frame);
    }
}

ParallelRun::ParallelRun(unsigned partitions, unsigned threads, bool measure)
    : m_errors(partitions),
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
        m_partitions.push_back(std::make_unique<Partition>(*this));
    }
}

ParallelRun::~ParallelRun()
{
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
    m_slackPs = std::max(m_slackPs, station.GetSlackPs());
}

void
ParallelRun::Cut(Link& link)
{
    Partition* const sides[] = {link.PeekPort(0)->GetOwner()->GetPartition(),
                                link.PeekPort(1)->GetOwner()->GetPartition()};
    for (unsigned end = 0; sides[0] != sides[1] && end < 2; ++end)
    {
        m_cut.push_back(std::make_unique<CutDirection>(link, end, *sides[end]));
    }
}

void
ParallelRun::Begin(int64_t windowPs)
{
    m_windowPs = windowPs;
    m_donePs = NowPs();
    for (Station* station : m_stations)
    {
        station->Resume();
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
        m_timer.Arm(0, firstPs + m_windowPs);
    }
}

void
ParallelRun::NoteOutside()
{
    if (!m_inside)
    {
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
                         "MessageCompleted and MessageReceived only, or one thread");
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
    for (unsigned p = thread; p < m_partitions.size(); p += m_pool.GetThreads())
    {
        RunPartition(p);
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
            direction->Splice(m_donePs);
        }
        partition->GetSent().clear();
    }
}

void
ParallelRun::Tell()
{
    for (const std::unique_ptr<Partition>& partition : m_partitions)
    {
        std::vector<Partition::Report>& reports = partition->GetReports();
        m_reports.insert(m_reports.end(), reports.begin(), reports.end());
        reports.clear();
    }
    if (m_reports.empty())
    {
        return;
    }
    std::sort(m_reports.begin(), m_reports.end(), [](const auto& a, const auto& b) {
        return std::make_tuple(a.atPs, a.station->GetStationNodeId(), a.index) <
               std::make_tuple(b.atPs, b.station->GetStationNodeId(), b.index);
    });
    m_telling = true;
    for (const Partition::Report& report : m_reports)
    {
        report.station->Tell(report.index);
    }
    m_telling = false;
    m_reports.clear();
}

void
ParallelRun::AdvanceTo(int64_t nowPs)
{
    if (m_inside)
    {
        return; // a sink looks: what is due is done
    }
    m_inside = true;
    const int64_t beginNs = m_measure ? CpuNs() : 0;
    const int64_t workNs = m_balance.workNs;
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
        Tell();
    }
    // Even if nothing was to be done: the event that ends this window may be the one for which
    // nothing later was arranged.
    Arm(GetFirstPs());
    m_balance.serialNs += m_measure ? CpuNs() - beginNs - (m_balance.workNs - workNs) : 0;
    m_inside = false;
}

} // namespace roce
} // namespace ns3
