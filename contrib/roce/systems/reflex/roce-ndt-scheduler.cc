// SPDX-License-Identifier: GPL-2.0-only
#include "roce-ndt-scheduler.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(NdtScheduler);

TypeId
NdtScheduler::GetTypeId()
{
    // Without a constructor: a stage must make and configure it.
    static TypeId tid =
        TypeId("ns3::roce::NdtScheduler")
            .SetParent<DwrrScheduler>()
            .SetGroupName("Roce")
            .AddTraceSource("Queues",
                            "A frame has entered or left one of the two queues: bytes in Normal "
                            "and in Controlled",
                            MakeTraceSourceAccessor(&NdtScheduler::m_queuesTrace),
                            "ns3::roce::NdtScheduler::QueuesCallback");
    return tid;
}

void
NdtScheduler::Configure(Classifier* classifier,
                        uint16_t port,
                        uint8_t classMask,
                        uint32_t nThrottle)
{
    NS_ASSERT_MSG(IsEmpty() && nThrottle > 0, "an empty scheduler and a weight of 1 or more");
    m_classifier = classifier;
    m_port = port;
    m_classMask = classMask;
    m_nThrottle = nThrottle;
}

void
NdtScheduler::DoDispose()
{
    // Queued frames are freed by taking them out: suspended ones, too, without asking the owner.
    m_classifier = nullptr;
    Resume();
    DwrrScheduler::DoDispose();
}

void
NdtScheduler::Suspend()
{
    m_suspended = true;
    for (unsigned c = 0; c < N_CLASSES; ++c)
    {
        if (HasTwoQueues(c) && GetQueue(c).IsEmpty())
        {
            Deactivate(c);
        }
    }
}

void
NdtScheduler::Resume()
{
    m_suspended = false;
    for (unsigned c = 0; c < N_CLASSES; ++c)
    {
        if (!m_controlled[c].IsEmpty())
        {
            Activate(c);
        }
    }
}

std::string
NdtScheduler::DescribeHeld(uint8_t trafficClass) const
{
    const uint64_t bytes = m_controlled[trafficClass].GetBytes();
    return m_suspended && bytes ? std::to_string(bytes) +
                                      " B held back by a suspension of near-destination throttling"
                                : "";
}

inline void
NdtScheduler::Trace(const Frame& frame, int64_t nowPs)
{
    if (__builtin_expect(!m_queuesTrace.IsEmpty(), 0) && HasTwoQueues(frame.trafficClass))
    {
        m_queuesTrace(GetNormalBytes(), GetControlledBytes(), PicoSeconds(nowPs));
    }
}

void
NdtScheduler::DoEnqueue(Frame* frame, int64_t nowPs)
{
    const unsigned c = frame->trafficClass;
    if (HasTwoQueues(c) && m_classifier->Classify(*frame, m_port, nowPs))
    {
        m_controlled[c].Push(frame);
        if (!m_suspended)
        {
            Activate(c);
        }
    }
    else
    {
        DwrrScheduler::DoEnqueue(frame, nowPs);
    }
    Trace(*frame, nowPs);
}

bool
NdtScheduler::IsControlledNext(unsigned trafficClass) const
{
    return MaySendControlled(trafficClass) &&
           (GetQueue(trafficClass).IsEmpty() || m_normalServed[trafficClass] >= m_nThrottle);
}

Frame*
NdtScheduler::PopFrom(unsigned trafficClass)
{
    FrameQueue& normal = GetQueue(trafficClass);
    const bool controlled = IsControlledNext(trafficClass);
    Frame* frame = (controlled ? m_controlled[trafficClass] : normal).Pop();
    uint64_t& served = m_normalServed[trafficClass];
    if (controlled)
    {
        served -= std::min<uint64_t>(served, m_nThrottle);
    }
    else
    {
        // A full round that found Controlled empty begins again.
        const bool anew = !MaySendControlled(trafficClass) && served >= m_nThrottle;
        served = anew ? 1 : served + 1;
    }
    if (normal.IsEmpty() && !MaySendControlled(trafficClass))
    {
        Deactivate(trafficClass);
    }
    if (m_classifier && HasTwoQueues(trafficClass))
    {
        m_classifier->Leave(*frame, m_port, controlled);
    }
    return frame;
}

Frame*
NdtScheduler::DoDequeue(uint32_t pausedMask, int64_t nowPs)
{
    Frame* frame = Choose(
        pausedMask,
        [this](unsigned c) {
            return (IsControlledNext(c) ? m_controlled[c] : GetQueue(c)).Peek()->frameBytes;
        },
        [this](unsigned c) { return PopFrom(c); });
    if (frame)
    {
        Trace(*frame, nowPs);
    }
    return frame;
}

template <typename F>
auto
NdtScheduler::Sum(const F& ofClass) const
{
    decltype(ofClass(0)) sum = 0;
    for (unsigned c = 0; c < N_CLASSES; ++c)
    {
        sum += HasTwoQueues(c) ? ofClass(c) : 0;
    }
    return sum;
}

uint32_t
NdtScheduler::GetNormalFrames() const
{
    return Sum([this](unsigned c) { return GetQueue(c).GetFrames(); });
}

uint64_t
NdtScheduler::GetNormalBytes() const
{
    return Sum([this](unsigned c) { return GetQueue(c).GetBytes(); });
}

uint32_t
NdtScheduler::GetControlledFrames() const
{
    return Sum([this](unsigned c) { return m_controlled[c].GetFrames(); });
}

uint64_t
NdtScheduler::GetControlledBytes() const
{
    return Sum([this](unsigned c) { return m_controlled[c].GetBytes(); });
}

} // namespace ns3::roce
