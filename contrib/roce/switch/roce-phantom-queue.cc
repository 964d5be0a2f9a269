// SPDX-License-Identifier: GPL-2.0-only
#include "roce-phantom-queue.h"

#include "roce-switch.h"

#include <algorithm>
#include <cmath>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(PhantomQueue);

/*
 * Sources of the profile paper (Uno, SC 2025):
 * [1] table 2.
 * [2] section 5.1.
 * [a] not in the paper; the bandwidth-delay product of its path between datacenters.
 * The profile artifact is what the authors' simulator does; some of its runs have 1/1.10 for
 * DrainFactor.
 */
const ParameterTable<PhantomQueueParams>&
PhantomQueueParams::Table()
{
    using P = PhantomQueueParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::PhantomQueue", {"paper", "artifact"})
            .Size("Capacity", &P::capacityBytes, {25000000, 22400515}, Range::Above(0))
            .Help("Most that a phantom queue holds")                                         // [a]
            .Number("DrainFactor", &P::drainFactor, {0.9, 1 / 1.05}, Range::AboveUpTo(0, 1)) // [1]
            .Help("Drain rate over the port's rate")
            .Number("EcnMin", &P::ecnMin, {0.25, 0.02}, Range::Within(0, 1)) // [2]
            .Help("Share of Capacity up to which nothing is marked")
            .Number("EcnMax", &P::ecnMax, {0.75, 0.6}, Range::Within(0, 1)) // [2]
            .Help("Share of Capacity above which everything is marked")
            .Live()
            // When a frame's mark is decided: enqueue (with its own bytes counted) or dequeue
            .Fixed("MarkAt",
                   &P::markAtDequeue,
                   {false, true},
                   {{"enqueue", false}, {"dequeue", true}})
            // Frames that the buffer refuses count, too
            .Fixed("CountDropped", &P::countDropped, {false, true})
            .Constants({{"CountControl", "false"}, {"CountedBytes", "frame"}})
            .Choice("Ports", &P::ports, {PortSet::ALL}, PortSetNames())
            .Help(
                "Which egress ports have one: all, host, fabric (to switches of the same "
                "datacenter), wan, noWan, or noBorder (neither of nor to a switch with WAN links)")
            .Finish([](P& p, const Parameters<P>&) {
                Table().Require(p.ecnMin <= p.ecnMax,
                                "EcnMin",
                                kind::Number::Print(p.ecnMin),
                                "at most EcnMax, " + kind::Number::Print(p.ecnMax));
                p.curve = {static_cast<uint64_t>(std::llround(p.ecnMin * p.capacityBytes)),
                           static_cast<uint64_t>(std::llround(p.ecnMax * p.capacityBytes)),
                           1};
            });
    return table;
}

PhantomQueue::PhantomQueue()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

uint32_t
PhantomQueue::GetHooks() const
{
    uint32_t hooks = MARK;
    hooks |= m_p->markAtDequeue * DEQUEUE;
    hooks |= m_p->countDropped * DROP;
    return hooks;
}

uint32_t
PhantomQueue::GetKinds() const
{
    return LOAD_KINDS;
}

void
PhantomQueue::Install(Switch& sw)
{
    m_p = m_parameters.Get();
    m_counters.assign(sw.GetNPorts(), Counter());
    for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
    {
        if (IsIn(m_p->ports, sw, p))
        {
            m_counters[p].drainBytesPerPs =
                m_p->drainFactor * static_cast<double>(sw.GetPort(p)->GetRateBps()) / 8e12;
        }
    }
}

void
PhantomQueue::OnRetune(const PhantomQueueParams& before, int64_t nowPs)
{
    for (Counter& counter : m_counters)
    {
        counter.bytes = std::min(counter.BytesAt(nowPs), m_p->capacityBytes);
        counter.atPs = nowPs;
        counter.drainBytesPerPs *= m_p->drainFactor / before.drainFactor;
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
    counter.bytes = std::min(counter.BytesAt(nowPs) + frame.frameBytes, m_p->capacityBytes);
    counter.atPs = nowPs;
}

inline void
PhantomQueue::Mark(Frame& frame, double bytes)
{
    if (frame.ecn != ECN_NOT_ECT && m_p->curve.Draw(static_cast<uint64_t>(bytes), *m_random))
    {
        m_marked += frame.ecn != ECN_CE;
        frame.ecn = ECN_CE;
    }
}

SwitchStage::Verdict
PhantomQueue::OnEnqueue(Frame& frame, Port& out, const EgressScheduler&, int64_t nowPs)
{
    const Counter& counter = m_counters[out.GetIndex()];
    if (counter.drainBytesPerPs > 0)
    {
        Charge(frame, out, nowPs);
        if (!m_p->markAtDequeue)
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

} // namespace ns3::roce
