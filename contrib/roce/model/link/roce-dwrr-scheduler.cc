/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-dwrr-scheduler.h"

#include "ns3/assert.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(DwrrScheduler);

TypeId
DwrrScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::DwrrScheduler")
            .SetParent<EgressScheduler>()
            .SetGroupName("Roce")
            .AddConstructor<DwrrScheduler>()
            .AddAttribute("Quantum",
                          "Bytes a class of weight 1 may send in one round",
                          UintegerValue(4200),
                          MakeUintegerAccessor(&DwrrScheduler::m_quantumBytes),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("StrictClasses",
                          "Bit mask of the classes served strictly first, highest class first; "
                          "default: 6 and 7 (control)",
                          UintegerValue(0xc0),
                          MakeUintegerAccessor(&DwrrScheduler::m_strictMask),
                          MakeUintegerChecker<uint8_t>());
    return tid;
}

void
DwrrScheduler::SetWeight(uint8_t trafficClass, uint32_t weight)
{
    NS_ASSERT_MSG(trafficClass < N_CLASSES && weight > 0, "class 0..7, weight 1 or more");
    m_weights[trafficClass] = weight;
}

void
DwrrScheduler::DoEnqueue(Frame* frame, int64_t)
{
    m_queues[frame->trafficClass].Push(frame);
    m_active |= 1U << frame->trafficClass;
}

Frame*
DwrrScheduler::PopFrom(unsigned trafficClass)
{
    FrameQueue& queue = m_queues[trafficClass];
    Frame* frame = queue.Pop();
    if (queue.IsEmpty())
    {
        m_active &= ~(1U << trafficClass);
        m_deficitBytes[trafficClass] = 0;
    }
    return frame;
}

unsigned
DwrrScheduler::NextClass(uint32_t mask) const
{
    const uint32_t after = mask & ~((2U << m_current) - 1);
    return __builtin_ctz(after ? after : mask);
}

Frame*
DwrrScheduler::DoDequeue(uint32_t pausedMask, int64_t)
{
    const uint32_t eligible = m_active & ~pausedMask;
    if (!eligible)
    {
        return nullptr;
    }
    if (const uint32_t strict = eligible & m_strictMask)
    {
        return PopFrom(31 - __builtin_clz(strict));
    }
    if (!(eligible & (eligible - 1)))
    {
        // Nobody to share with: turns and deficits have no meaning.
        m_current = __builtin_ctz(eligible);
        m_deficitBytes[m_current] = 0;
        return PopFrom(m_current);
    }
    while (true)
    {
        if (eligible >> m_current & 1)
        {
            const uint32_t bytes = m_queues[m_current].Peek()->frameBytes;
            if (bytes <= m_deficitBytes[m_current])
            {
                m_deficitBytes[m_current] -= bytes;
                return PopFrom(m_current);
            }
        }
        m_current = NextClass(eligible);
        m_deficitBytes[m_current] += static_cast<uint64_t>(m_weights[m_current]) * m_quantumBytes;
    }
}

} // namespace roce
} // namespace ns3
