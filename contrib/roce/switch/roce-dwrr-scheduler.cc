// SPDX-License-Identifier: GPL-2.0-only
#include "roce-dwrr-scheduler.h"

#include "ns3/roce-input-error.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <charconv>
#include <sstream>

namespace ns3::roce
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
            .AddAttribute(
                "Quantum",
                "Bytes a class of weight 1 may send in one round; 0: one frame, whatever "
                "its size",
                UintegerValue(4200),
                MakeUintegerAccessor(&DwrrScheduler::SetQuantum, &DwrrScheduler::GetQuantum),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute(
                "Weights",
                "Shares of classes, for example 3:2,4:5: class 4 may send 5/2 of class 3's bytes; "
                "other classes have weight 1",
                StringValue(""),
                MakeStringAccessor(&DwrrScheduler::TakeWeights, &DwrrScheduler::GetWeights),
                MakeStringChecker())
            .AddAttribute("StrictClasses",
                          "Bit mask of the classes served strictly first, highest class first; "
                          "default: 6 and 7 (control)",
                          UintegerValue(0xc0),
                          MakeUintegerAccessor(&DwrrScheduler::m_strictMask),
                          MakeUintegerChecker<uint8_t>());
    return tid;
}

void
DwrrScheduler::SetQuantum(uint32_t bytes)
{
    m_quantumBytes = bytes;
    for (Class& c : m_classes)
    {
        c.deficitBytes = 0; // it may count frames from now on, or no longer
    }
}

uint32_t
DwrrScheduler::GetQuantum() const
{
    return m_quantumBytes;
}

void
DwrrScheduler::SetWeight(uint8_t trafficClass, uint32_t weight)
{
    if (trafficClass >= N_CLASSES || !weight || weight > MAX_WEIGHT)
    {
        throw InputError("ns3::roce::DwrrScheduler: weight of class " +
                         std::to_string(trafficClass) + " is " + std::to_string(weight) +
                         ", expected classes 0 to 7 and weights 1 to " +
                         std::to_string(MAX_WEIGHT));
    }
    m_classes[PlaceOf(trafficClass)].weight = weight;
}

std::array<uint32_t, N_CLASSES>
DwrrScheduler::ParseWeights(const char* what, const std::string& text, uint32_t most)
{
    std::array<uint32_t, N_CLASSES> weights{}; // 0: not named
    const char* at = text.data();
    const char* const end = at + text.size();
    bool good = true;
    while (good && at != end)
    {
        unsigned c = 0;
        uint32_t weight = 0;
        const auto first = std::from_chars(at, end, c);
        good = first.ec == std::errc() && c < N_CLASSES && !weights[c] && first.ptr != end &&
               *first.ptr == ':';
        const auto second = good ? std::from_chars(first.ptr + 1, end, weight) : first;
        good = good && second.ec == std::errc() && weight && weight <= most &&
               (second.ptr == end || (*second.ptr == ',' && second.ptr + 1 != end));
        if (good)
        {
            weights[c] = weight;
            at = second.ptr + (second.ptr != end);
        }
    }
    if (!good)
    {
        throw InputError(std::string(what) + " is '" + text +
                         "', expected CLASS:WEIGHT,... with classes 0 to 7, each once, and weights "
                         "1 to " +
                         std::to_string(most));
    }
    for (uint32_t& weight : weights)
    {
        weight = std::max(weight, 1U);
    }
    return weights;
}

void
DwrrScheduler::SetWeights(const std::string& text)
{
    const auto weights = ParseWeights("ns3::roce::DwrrScheduler::Weights", text, MAX_WEIGHT);
    for (unsigned c = 0; c < N_CLASSES; ++c)
    {
        m_classes[PlaceOf(c)].weight = weights[c];
    }
}

/// ns-3 loses an object whose attribute throws while it is made: CheckAttributes() does.
void
DwrrScheduler::TakeWeights(const std::string& text)
{
    m_weightsError.clear();
    try
    {
        SetWeights(text);
    }
    catch (const InputError& error)
    {
        m_weightsError = error.what();
    }
}

void
DwrrScheduler::CheckAttributes() const
{
    if (!m_weightsError.empty())
    {
        throw InputError(m_weightsError);
    }
}

std::string
DwrrScheduler::GetWeights() const
{
    std::ostringstream text;
    for (unsigned c = 0; c < N_CLASSES; ++c)
    {
        if (const uint32_t weight = m_classes[PlaceOf(c)].weight; weight != 1)
        {
            text << (text.tellp() > 0 ? "," : "") << c << ":" << weight;
        }
    }
    return text.str();
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

Ptr<EgressScheduler>
DwrrScheduler::MakeAlike() const
{
    // A subclass may have more than is copied.
    return GetInstanceTypeId() == GetTypeId() && IsEmpty()
               ? CopyObject(Ptr<const DwrrScheduler>(this))
               : nullptr;
}

Frame*
DwrrScheduler::FindLast(uint8_t trafficClass) const
{
    return GetQueue(trafficClass).PeekLast();
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

} // namespace ns3::roce
