// SPDX-License-Identifier: GPL-2.0-only
#include "roce-aimd.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Aimd);

const ParameterTable<AimdParams>&
AimdParams::Table()
{
    using P = AimdParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::Aimd", {"gentle", "bold"})
            .Rate("Step", &P::stepBps, {100000000, 1000000000}, Range::Above(0))
            .Help("Increase per round trip")
            .Number("Factor", &P::factor, {0.8, 0.5}, Range::Within(0, 1))
            .Help("What a cut leaves of the rate")
            .Rate("MinRate", &P::minRateBps, {100000000}, Range::Above(0))
            .Help("Floor of the rate")
            .Number("Tolerance", &P::tolerance, {0, 0.1}, Range::Within(0, 1))
            .Help("Share of marked packets up to which there is no cut")
            .Count("CalmRounds", &P::calmRounds, {5}, Range::AtLeast(0))
            .Help("Round trips without a cut after which steps grow; 0: never")
            .Number("CalmFactor", &P::calmFactor, {2, 8}, Range::AtLeast(1))
            .Help("Then a step is this many times Step");
    return table;
}

void
Aimd::DoStart(int64_t)
{
    RequirePath();            // an error message, if there is none
    m_p = m_parameters.Get(); // line rate and no window are set already
    m_roundEndPsn = m_packets = m_marked = m_calm = 0;
}

void
Aimd::OnAck(const AckInfo& ack)
{
    m_packets += ack.ackedPackets;
    m_marked += ack.GetMarkedOfAcked();
    if (ack.ackPsn >= m_roundEndPsn && m_packets > 0)
    {
        EndRound();
        m_roundEndPsn = ack.sndNxtPsn;
        m_packets = m_marked = 0;
    }
}

void
Aimd::EndRound()
{
    const bool cut =
        static_cast<double>(m_marked) > m_p->tolerance * static_cast<double>(m_packets);
    const bool calm = m_p->calmRounds > 0 && m_calm >= m_p->calmRounds;
    const auto rate = static_cast<double>(m_rateBps);
    const auto step = static_cast<double>(m_p->stepBps) * (calm ? m_p->calmFactor : 1);
    const double next = cut ? rate * m_p->factor : rate + step;
    m_calm = cut ? 0 : m_calm + 1;
    const uint64_t floor = std::min(m_p->minRateBps, m_path.lineRateBps);
    m_rateBps = std::clamp(static_cast<uint64_t>(next), floor, m_path.lineRateBps);
}

void
Aimd::GetVariables(int64_t, std::vector<ControlVariable>& variables) const
{
    variables.push_back({"calm_rounds", static_cast<double>(m_calm)});
}

} // namespace ns3::roce
