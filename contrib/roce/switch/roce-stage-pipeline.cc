// SPDX-License-Identifier: GPL-2.0-only
#include "roce-stage-pipeline.h"

#include "ns3/roce-input-error.h"

#include <algorithm>

namespace ns3::roce
{

namespace
{

/// Timers of stages that go off at one time: more is an endless loop.
constexpr uint32_t MOST_TIMER_RUNS = 1'000'000;

} // namespace

void
StagePipeline::Add(Ptr<SwitchStage> stage)
{
    const uint32_t hooks = stage->GetHooks();
    const uint32_t kinds = stage->GetKinds();
    SwitchStage* raw = PeekPointer(stage);
    // Each run again, at the end of a new list: this one with it, if it wants to be called.
    List called;
    const auto add = [&](uint32_t hook, unsigned kind, Run& run) {
        const auto begin = static_cast<uint16_t>(called.size());
        called.insert(called.end(), m_called.begin() + run.begin, m_called.begin() + run.end);
        const bool isWanted = (hooks & hook) && (kinds >> kind & 1);
        if (isWanted)
        {
            called.push_back(raw);
        }
        if (called.size() > UINT16_MAX)
        {
            throw InputError("too many stages in a switch");
        }
        run = {begin, static_cast<uint16_t>(called.size())};
        return isWanted;
    };
    for (unsigned kind = 0; kind < N_FRAME_KINDS; ++kind)
    {
        add(SwitchStage::ARRIVAL, kind, m_hot.arrival[kind]);
        add(SwitchStage::DEQUEUE, kind, m_hot.dequeue[kind]);
        if (add(SwitchStage::ENQUEUE | SwitchStage::MARK, kind, m_hot.enqueue[kind]))
        {
            EnqueueUse& use = m_hot.enqueueUse[kind];
            use =
                std::max(use, hooks & SwitchStage::ENQUEUE ? EnqueueUse::ADMIT : EnqueueUse::LOOK);
        }
        if ((hooks & SwitchStage::DROP) && (kinds >> kind & 1))
        {
            m_drop[kind].push_back(raw);
        }
    }
    m_called = std::move(called);
    m_hot.stages = m_called.data();
    if (hooks & SwitchStage::PAUSE)
    {
        m_pause.push_back(raw);
    }
    if (hooks & SwitchStage::PAUSED)
    {
        m_paused.push_back(raw);
    }
    m_stages.push_back(std::move(stage));
}

void
StagePipeline::Clear()
{
    *this = StagePipeline();
}

SwitchStage::Verdict
StagePipeline::RunArrival(Run stages, Frame& frame, Port& in, int64_t nowPs) const
{
    for (unsigned i = stages.begin; i != stages.end; ++i)
    {
        const Verdict verdict = m_hot.stages[i]->OnArrival(frame, in, nowPs);
        if (verdict != Verdict::PASS)
        {
            return verdict;
        }
        Check(frame, "changed");
    }
    return Verdict::PASS;
}

SwitchStage::Verdict
StagePipeline::RunEnqueue(Frame& frame,
                          Port& out,
                          const EgressScheduler& queue,
                          int64_t nowPs) const
{
    const Run stages = m_hot.enqueue[static_cast<unsigned>(frame.kind)];
    const uint32_t frameBytes = frame.frameBytes;
    const uint8_t trafficClass = frame.trafficClass;
    for (unsigned i = stages.begin; i != stages.end; ++i)
    {
        const Verdict verdict = m_hot.stages[i]->OnEnqueue(frame, out, queue, nowPs);
        // One that is consumed or dropped may have been freed, by mistake: Switch::Stop() sees it.
        if ((verdict == Verdict::PASS || verdict == Verdict::HOLD) &&
            __builtin_expect(frame.frameBytes != frameBytes || frame.trafficClass != trafficClass,
                             0))
        {
            Refuse(frame,
                   "changes size or class of a frame at hook ENQUEUE, expected what the buffer has "
                   "been charged");
        }
        if (verdict != Verdict::PASS)
        {
            return verdict;
        }
    }
    return Verdict::PASS;
}

void
StagePipeline::Drop(const Frame& frame, Port& out, int64_t nowPs) const
{
    for (SwitchStage* stage : m_drop[static_cast<unsigned>(frame.kind)])
    {
        stage->OnDrop(frame, out, nowPs);
    }
}

void
StagePipeline::Arm(SwitchStage* stage, int64_t atPs)
{
    auto it = std::find_if(m_timers.begin(), m_timers.end(), [stage](const auto& timer) {
        return timer.second == stage;
    });
    if (it == m_timers.end())
    {
        it = m_timers.insert(it, {NEVER_PS, stage});
    }
    it->first = atPs;
}

int64_t
StagePipeline::GetNextTimerPs() const
{
    int64_t next = NEVER_PS;
    for (const auto& timer : m_timers)
    {
        next = std::min(next, timer.first);
    }
    return next;
}

void
StagePipeline::RunTimers(int64_t nowPs)
{
    m_timerRuns = m_timersPs == nowPs ? m_timerRuns + 1 : 0;
    m_timersPs = nowPs;
    if (m_timerRuns == MOST_TIMER_RUNS)
    {
        const SwitchStage* stage = m_timers.empty() ? nullptr : m_timers.back().second;
        for (const auto& [atPs, other] : m_timers)
        {
            stage = atPs <= nowPs ? other : stage;
        }
        throw InputError((stage ? stage->GetInstanceTypeId().GetName() : "a stage") +
                         " sets its timer for the present again and again, expected a later time");
    }
    // By index: a stage may arm timers.
    for (std::size_t i = 0; i < m_timers.size(); ++i)
    {
        if (m_timers[i].first <= nowPs)
        {
            m_timers[i].first = NEVER_PS;
            m_timers[i].second->OnTimer(nowPs);
        }
    }
}

void
StagePipeline::Refuse(const std::string& what) const
{
    std::string names;
    for (const Ptr<SwitchStage>& stage : m_stages)
    {
        names += (names.empty() ? "" : " or ") + stage->GetInstanceTypeId().GetName();
    }
    throw InputError("stage " + names + " " + what);
}

void
StagePipeline::Refuse(const Frame& frame, const std::string& what) const
{
    Refuse(what + " (from NIC " + std::to_string(frame.src) + " to " + std::to_string(frame.dst) +
           ")");
}

void
StagePipeline::ThrowInsane(const Frame& frame, const char* what) const
{
    Refuse(frame,
           std::string("has ") + what + " a frame of " + std::to_string(frame.frameBytes) +
               " B and class " + std::to_string(frame.trafficClass) +
               ", expected 1 to 131072 B, class 0 to 7 and a destination below " +
               std::to_string(m_nNics));
}

} // namespace ns3::roce
