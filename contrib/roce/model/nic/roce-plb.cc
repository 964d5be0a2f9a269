/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-plb.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/roce-input-error.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(Plb);

TypeId
Plb::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::Plb")
            .SetParent<PathSelector>()
            .SetGroupName("Roce")
            .AddConstructor<Plb>()
            .AddAttribute("Signal",
                          "What tells congestion: ecn or delay",
                          StringValue("ecn"),
                          MakeStringAccessor(&Plb::SetSignal, &Plb::GetSignal),
                          MakeStringChecker())
            .AddAttribute("CongestionThreshold",
                          "Share of congested packets that makes a round trip congested",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&Plb::m_threshold),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("IdleRounds",
                          "Congested round trips after which an idle flow moves",
                          UintegerValue(3),
                          MakeUintegerAccessor(&Plb::m_idleRounds),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Rounds",
                          "Congested round trips after which a flow moves, idle or not; 0: never",
                          UintegerValue(12),
                          MakeUintegerAccessor(&Plb::m_rounds),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("DelayThreshold",
                          "Signal = delay: RTT above which a packet is congested; 0: DelayFactor "
                          "base RTTs",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&Plb::m_delayThreshold),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("DelayFactor",
                          "DelayThreshold over the base RTT of the path",
                          DoubleValue(2),
                          MakeDoubleAccessor(&Plb::m_delayFactor),
                          MakeDoubleChecker<double>(1))
            .AddAttribute("MoveOnLoss",
                          "Any loss moves the flow, not only a timeout",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Plb::m_moveOnLoss),
                          MakeBooleanChecker())
            .AddAttribute("LossGate",
                          "Least time between two moves for losses, base RTTs",
                          DoubleValue(1),
                          MakeDoubleAccessor(&Plb::m_lossGateRtts),
                          MakeDoubleChecker<double>(0, 1e6))
            .AddAttribute("SuspendTime",
                          "After a timeout PLB rests for one to two times this; 0: it does not",
                          TimeValue(Seconds(60)),
                          MakeTimeAccessor(&Plb::m_suspend),
                          MakeTimeChecker(Time(0)));
    return tid;
}

void
Plb::SetSignal(std::string name)
{
    if (name != "ecn" && name != "delay")
    {
        throw InputError("ns3::roce::Plb: Signal is '" + name + "', expected 'ecn' or 'delay'");
    }
    m_delaySignal = name == "delay";
}

std::string
Plb::GetSignal() const
{
    return m_delaySignal ? "delay" : "ecn";
}

Ptr<PathSelector>
Plb::Fork() const
{
    return CopyObject<Plb>(this);
}

void
Plb::DoStart(const PathInfo& path)
{
    m_delayPs = m_delayThreshold.IsZero()
                    ? static_cast<int64_t>(
                          std::min(m_delayFactor * static_cast<double>(path.baseRttPs), 9e18))
                    : m_delayThreshold.GetPicoSeconds();
    m_lossGatePs =
        static_cast<int64_t>(std::min(m_lossGateRtts * static_cast<double>(path.baseRttPs), 9e18));
}

uint16_t
Plb::Select(int64_t nowPs, uint64_t inflightBytes)
{
    const bool idle = inflightBytes == 0;
    if (nowPs >= m_restUntilPs && ((idle && m_congestedRounds >= m_idleRounds) ||
                                   (m_rounds && m_congestedRounds >= m_rounds)))
    {
        Move();
        m_congestedRounds = 0;
    }
    return m_entropy;
}

void
Plb::OnAck(const AckInfo& ack)
{
    const uint64_t packets = ack.ackedPackets;
    m_ackedPsn = std::max(m_ackedPsn, ack.ackPsn);
    if (ack.isLoss && m_moveOnLoss)
    {
        Flee(ack.nowPs);
    }
    if (ack.isNak)
    {
        m_roundEndPsn = std::min(m_roundEndPsn, ack.ackPsn);
    }
    m_packets += packets;
    m_congested += m_delaySignal ? (ack.rttPs > m_delayPs ? packets : 0)
                                 : std::min<uint64_t>(ack.markedPackets, packets);
    if (ack.ackPsn <= m_roundEndPsn)
    {
        return;
    }
    const bool congested = m_congested > 0 && static_cast<double>(m_congested) >=
                                                  m_threshold * static_cast<double>(m_packets);
    m_congestedRounds = congested ? m_congestedRounds + 1 : 0;
    m_roundEndPsn = ack.sndNxtPsn;
    m_packets = m_congested = 0;
}

void
Plb::OnTimeout(int64_t nowPs)
{
    Flee(nowPs);
    m_roundEndPsn = std::min(m_roundEndPsn, m_ackedPsn);
}

void
Plb::Flee(int64_t nowPs)
{
    if (m_fledPs != INT64_MIN && nowPs - m_fledPs < m_lossGatePs)
    {
        return;
    }
    m_fledPs = nowPs;
    Move();
    m_congestedRounds = 0;
    if (m_suspend.IsStrictlyPositive())
    {
        // At most 26 days: twice that after some simulated time is still a time.
        const int64_t once = std::min(m_suspend.GetPicoSeconds(), INT64_MAX / 4);
        m_restUntilPs = nowPs + once + static_cast<int64_t>(Draw() % static_cast<uint64_t>(once));
    }
}

} // namespace roce
} // namespace ns3
