/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-phantom-queue.h"

#include "roce-switch.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/roce-settings-attributes.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(PhantomQueue);

namespace
{

constexpr SettingsCheck CHECK{"ns3::roce::PhantomQueue", "preset"};

} // namespace

TypeId
PhantomQueue::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::PhantomQueue")
            .SetParent<SwitchStage>()
            .SetGroupName("Roce")
            .AddConstructor<PhantomQueue>()
            .AddAttribute("Preset",
                          "paper or artifact: what attributes are that say preset",
                          StringValue("paper"),
                          MakeStringAccessor(&PhantomQueue::m_preset),
                          MakeStringChecker())
            .AddAttribute("Capacity",
                          "Most that a phantom queue holds; 0: preset",
                          QueueSizeValue(QueueSize("0B")),
                          MakeQueueSizeAccessor(&PhantomQueue::m_capacity),
                          MakeQueueSizeChecker())
            .AddAttribute("DrainFactor",
                          "Drain rate over the port's rate; 0: preset",
                          DoubleValue(0),
                          MakeDoubleAccessor(&PhantomQueue::m_drainFactor),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("EcnMin",
                          "Share of Capacity up to which nothing is marked; -1: preset",
                          DoubleValue(-1),
                          MakeDoubleAccessor(&PhantomQueue::m_ecnMin),
                          MakeDoubleChecker<double>(-1, 1))
            .AddAttribute("EcnMax",
                          "Share of Capacity above which everything is marked; -1: preset",
                          DoubleValue(-1),
                          MakeDoubleAccessor(&PhantomQueue::m_ecnMax),
                          MakeDoubleChecker<double>(-1, 1))
            .AddAttribute("MarkAt",
                          "When a frame's mark is decided: enqueue (by what its own bytes have "
                          "raised the counter to) or dequeue; empty: preset",
                          StringValue(""),
                          MakeStringAccessor(&PhantomQueue::m_markAt),
                          MakeStringChecker())
            .AddAttribute("CountDropped",
                          "true: frames that the buffer refuses count, too; empty: preset",
                          StringValue(""),
                          MakeStringAccessor(&PhantomQueue::m_countDropped),
                          MakeStringChecker())
            .AddAttribute("CountControl",
                          "ACKs and other frames without data count, too",
                          BooleanValue(false),
                          MakeBooleanAccessor(&PhantomQueue::m_countControl),
                          MakeBooleanChecker())
            .AddAttribute("CountedBytes",
                          "What counts of a frame: frame (MAC header to FCS), wire (with padding, "
                          "preamble and gap) or payload",
                          StringValue("frame"),
                          MakeStringAccessor(&PhantomQueue::m_countedBytes),
                          MakeStringChecker())
            .AddAttribute("Ports",
                          "Which egress ports have one: all, host, fabric (switches of the same "
                          "datacenter), wan or noWan",
                          StringValue("all"),
                          MakeStringAccessor(&PhantomQueue::m_ports),
                          MakeStringChecker());
    return tid;
}

PhantomQueue::PhantomQueue()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

uint32_t
PhantomQueue::GetHooks() const
{
    uint32_t hooks = ENQUEUE;
    hooks |= m_markAtDequeue * DEQUEUE;
    hooks |= m_countsDropped * DROP;
    return hooks;
}

uint32_t
PhantomQueue::GetKinds() const
{
    return m_countControl ? ~0U : 1U << static_cast<unsigned>(FrameKind::DATA);
}

void
PhantomQueue::Resolve()
{
    const auto choose = [](const char* name,
                           const std::string& value,
                           std::initializer_list<const char*> choices,
                           const std::string& expected) {
        const auto found = std::find(choices.begin(), choices.end(), value);
        CHECK.Require(found != choices.end(), name, "'" + value + "'", expected);
        return found - choices.begin();
    };
    const bool artifact =
        choose("Preset", m_preset, {"paper", "artifact"}, "'paper' or 'artifact'") == 1;
    const auto markAt = choose("MarkAt",
                               m_markAt,
                               {"enqueue", "dequeue", ""},
                               "'enqueue', 'dequeue' or '' (from the preset)");
    m_markAtDequeue = markAt == 2 ? artifact : markAt == 1;
    const auto dropped = choose("CountDropped",
                                m_countDropped,
                                {"false", "true", ""},
                                "'true', 'false' or '' (from the preset)");
    m_countsDropped = dropped == 2 ? artifact : dropped == 1;
    m_unit = static_cast<Unit>(choose("CountedBytes",
                                      m_countedBytes,
                                      {"frame", "wire", "payload"},
                                      "'frame', 'wire' or 'payload'"));
    choose("Ports",
           m_ports,
           {"all", "host", "fabric", "wan", "noWan"},
           "'all', 'host', 'fabric', 'wan' or 'noWan'");
    m_drainShare = m_drainFactor > 0 ? m_drainFactor : artifact ? 1 / 1.05 : 0.9;
    m_capacityBytes = m_capacity.GetValue() ? m_capacity.GetValue()
                      : artifact            ? 22400515
                                            : 25000000;
    const double ecnMin = SettingsCheck::Number(m_ecnMin, artifact ? 0.02 : 0.25);
    const double ecnMax = SettingsCheck::Number(m_ecnMax, artifact ? 0.6 : 0.75);
    CHECK.Require(ecnMin >= 0 && ecnMin <= ecnMax,
                  "EcnMin",
                  std::to_string(ecnMin),
                  "0 to EcnMax, " + std::to_string(ecnMax));
    m_curve = {static_cast<uint64_t>(std::llround(ecnMin * m_capacityBytes)),
               static_cast<uint64_t>(std::llround(ecnMax * m_capacityBytes)),
               1};
}

bool
PhantomQueue::HasCounter(const Switch& sw, uint16_t port) const
{
    if (m_ports == "all")
    {
        return true;
    }
    if (sw.IsWanPort(port))
    {
        return m_ports == "wan";
    }
    return m_ports == "noWan" || m_ports == (sw.IsHostPort(port) ? "host" : "fabric");
}

void
PhantomQueue::Install(Switch& sw)
{
    Resolve();
    m_counters.assign(sw.GetNPorts(), Counter());
    for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
    {
        if (HasCounter(sw, p))
        {
            m_counters[p].drainBytesPerPs =
                m_drainShare * static_cast<double>(sw.GetPort(p)->GetRateBps()) / 8e12;
        }
    }
}

int64_t
PhantomQueue::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

inline void
PhantomQueue::Charge(const Frame& frame, const Port& out, int64_t nowPs)
{
    Counter& counter = m_counters[out.GetIndex()];
    const uint32_t bytes = m_unit == Unit::FRAME  ? frame.frameBytes
                           : m_unit == Unit::WIRE ? out.WireBytes(frame.frameBytes)
                                                  : frame.payloadBytes;
    counter.bytes = std::min(counter.BytesAt(nowPs) + bytes, m_capacityBytes);
    counter.atPs = nowPs;
}

inline void
PhantomQueue::Mark(Frame& frame, double bytes)
{
    if (frame.ecn != ECN_NOT_ECT && m_curve.Draw(static_cast<uint64_t>(bytes), *m_random))
    {
        frame.ecn = ECN_CE;
        ++m_marked;
    }
}

SwitchStage::Verdict
PhantomQueue::OnEnqueue(Frame& frame, Port& out, const EgressScheduler&, int64_t nowPs)
{
    const Counter& counter = m_counters[out.GetIndex()];
    if (counter.drainBytesPerPs > 0)
    {
        Charge(frame, out, nowPs);
        if (!m_markAtDequeue)
        {
            Mark(frame, counter.bytes);
        }
    }
    return Verdict::PASS;
}

SwitchStage::Verdict
PhantomQueue::OnDequeue(Frame& frame, Port& out, const EgressScheduler&, int64_t nowPs)
{
    Mark(frame, GetOccupancyBytes(out.GetIndex(), nowPs));
    return Verdict::PASS;
}

void
PhantomQueue::OnDrop(const Frame& frame, Port& out, int64_t nowPs)
{
    if (m_counters[out.GetIndex()].drainBytesPerPs > 0)
    {
        Charge(frame, out, nowPs);
    }
}

double
PhantomQueue::GetOccupancyBytes(uint16_t port, int64_t nowPs) const
{
    return m_counters.at(port).BytesAt(nowPs);
}

} // namespace roce
} // namespace ns3
