// SPDX-License-Identifier: GPL-2.0-only
#include "roce-plb.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Plb);

namespace
{

/// With Signal = delay: a packet is congested above this many base RTTs. Ours: the paper takes
/// Swift's target delay, which only Swift knows.
constexpr int64_t CONGESTED_RTTS = 2;

} // namespace

const ParameterTable<PlbParams>&
PlbParams::Table()
{
    using P = PlbParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::Plb")
            .Choice("Signal", &P::delaySignal, {false}, {{"ecn", false}, {"delay", true}})
            .Help("Sign of congestion")
            .Number("CongestionThreshold", &P::threshold, {0.5}, Range::Within(0, 1))
            .Help("Share of congested packets that makes a round trip congested")
            .Count("IdleRounds", &P::idleRounds, {3}, Range::AtLeast(1))
            .Help("Congested round trips after which an idle flow moves")
            .Count("Rounds", &P::rounds, {12}, Range::AtLeast(0))
            .Help("Congested round trips after which a flow moves, idle or not; 0: never")
            .Constants({{"DelayThreshold", "twice the base RTT"},
                        {"DelayFactor", "2"},
                        {"MoveOnLoss", "false"},
                        {"LossGate", "1"}})
            .Duration("SuspendTime", &P::suspendPs, {60'000'000'000'000}, Range::AtLeast(0))
            .Help("After a timeout PLB pauses for one to two times this; 0: it does not");
    return table;
}

Ptr<PathSelector>
Plb::Fork() const
{
    return CopyObject<Plb>(this);
}

void
Plb::DoStart(const PathInfo& path)
{
    m_p = m_parameters.Get();
    m_baseRttPs = path.baseRttPs;
}

uint16_t
Plb::Select(int64_t nowPs, uint64_t inflightBytes)
{
    const bool idle = inflightBytes == 0;
    if (nowPs >= m_restUntilPs && ((idle && m_congestedRounds >= m_p->idleRounds) ||
                                   (m_p->rounds && m_congestedRounds >= m_p->rounds)))
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
    if (ack.isNak)
    {
        m_roundEndPsn = std::min(m_roundEndPsn, ack.ackPsn);
    }
    m_packets += packets;
    m_congested += m_p->delaySignal ? (ack.rttPs > CONGESTED_RTTS * m_baseRttPs ? packets : 0)
                                    : std::min<uint64_t>(ack.markedPackets, packets);
    if (ack.ackPsn <= m_roundEndPsn)
    {
        return;
    }
    const bool congested = m_congested > 0 && static_cast<double>(m_congested) >=
                                                  m_p->threshold * static_cast<double>(m_packets);
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
    if (m_fledPs != INT64_MIN && nowPs - m_fledPs < m_baseRttPs)
    {
        return;
    }
    m_fledPs = nowPs;
    Move();
    m_congestedRounds = 0;
    if (m_p->suspendPs > 0)
    {
        // At most 26 days: twice that after some simulated time is still a time.
        const int64_t once = std::min(m_p->suspendPs, INT64_MAX / 4);
        m_restUntilPs = nowPs + once + static_cast<int64_t>(Draw() % static_cast<uint64_t>(once));
    }
}

} // namespace ns3::roce
