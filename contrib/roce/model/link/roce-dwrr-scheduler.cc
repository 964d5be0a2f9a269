/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-dwrr-scheduler.h"

#include "ns3/roce-input-error.h"
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
    if (trafficClass >= N_CLASSES || weight == 0)
    {
        throw InputError("DwrrScheduler: class " + std::to_string(trafficClass) + " and weight " +
                         std::to_string(weight) +
                         ", expected a class from 0 to 7 and a weight of 1 or more");
    }
    m_classes[PlaceOf(trafficClass)].weight = weight;
}

void
DwrrScheduler::CopySettings(const DwrrScheduler& other)
{
    for (unsigned c = 0; c < N_CLASSES; ++c)
    {
        m_classes[c].weight = other.m_classes[c].weight;
    }
    m_quantumBytes = other.m_quantumBytes;
    m_strictMask = other.m_strictMask;
}

void
DwrrScheduler::DoEnqueue(Frame* frame, int64_t)
{
    m_classes[PlaceOf(frame->trafficClass)].queue.Push(frame);
    Activate(frame->trafficClass);
}

Frame*
DwrrScheduler::DoDequeue(uint32_t pausedMask, int64_t)
{
    return Choose(
        pausedMask,
        [this](unsigned c) { return m_classes[PlaceOf(c)].queue.Peek()->frameBytes; },
        [this](unsigned c) {
            FrameQueue& queue = m_classes[PlaceOf(c)].queue;
            Frame* frame = queue.Pop();
            if (queue.IsEmpty())
            {
                Deactivate(c);
            }
            return frame;
        });
}

} // namespace roce
} // namespace ns3
