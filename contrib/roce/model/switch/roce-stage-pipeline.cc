/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-stage-pipeline.h"

#include <algorithm>

namespace ns3
{
namespace roce
{

void
StagePipeline::Add(Ptr<SwitchStage> stage)
{
    const uint32_t hooks = stage->GetHooks();
    const uint32_t kinds = stage->GetKinds();
    SwitchStage* raw = PeekPointer(stage);
    for (unsigned kind = 0; kind < N_FRAME_KINDS; ++kind)
    {
        const auto add = [&](uint32_t hook, Lists& lists) {
            if ((hooks & hook) && (kinds >> kind & 1))
            {
                lists[kind].push_back(raw);
            }
        };
        add(SwitchStage::ARRIVAL, m_arrival);
        add(SwitchStage::ENQUEUE | SwitchStage::MARK, m_enqueue);
        add(SwitchStage::DEQUEUE, m_dequeue);
        add(SwitchStage::DROP, m_drop);
        if (!m_enqueue[kind].empty() && m_enqueue[kind].back() == raw)
        {
            m_enqueueUse[kind] =
                std::max(m_enqueueUse[kind],
                         hooks & SwitchStage::ENQUEUE ? EnqueueUse::ADMIT : EnqueueUse::LOOK);
        }
    }
    if (hooks & SwitchStage::PAUSE)
    {
        m_pause.push_back(raw);
    }
    m_stages.push_back(std::move(stage));
}

void
StagePipeline::Clear()
{
    *this = StagePipeline();
}

SwitchStage::Verdict
StagePipeline::RunArrival(const List& stages, Frame& frame, Port& in, int64_t nowPs)
{
    for (SwitchStage* stage : stages)
    {
        if (const Verdict verdict = stage->OnArrival(frame, in, nowPs); verdict != Verdict::PASS)
        {
            return verdict;
        }
    }
    return Verdict::PASS;
}

SwitchStage::Verdict
StagePipeline::RunEnqueue(Frame& frame,
                          Port& out,
                          const EgressScheduler& queue,
                          int64_t nowPs) const
{
    for (SwitchStage* stage : m_enqueue[static_cast<unsigned>(frame.kind)])
    {
        const Verdict verdict = stage->OnEnqueue(frame, out, queue, nowPs);
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

} // namespace roce
} // namespace ns3
