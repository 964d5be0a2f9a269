// SPDX-License-Identifier: GPL-2.0-only
#include "roce-dctcp.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Dctcp);

/*
 * Sources of the values:
 * [1] SIGCOMM 2010 paper.
 * [2] rdma-hw.cc of alibaba-edu/High-Precision-Congestion-Control (CC mode 8).
 * [3] run.py there; 615 Mb/s are one frame of 1000 bytes in 13 us, whatever the path is.
 * [4] RFC 8257 (sections 3.3 and 3.5).
 */
const ParameterTable<DctcpParams>&
DctcpParams::Table()
{
    using P = DctcpParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::Dctcp", {"paper", "hpcc-sim"})
            .Number("Gain", &P::gain, {1.0 / 16}, Range::AboveUpTo(0, 1)) // [1] [3]
            .Help("g of alpha's average")
            .Rate("Ai", &P::aiBps, {0, 615000000}, Range::AtLeast(0))
            .Help("Increase per round trip as a rate; 0: one full frame") // [1] [3]
            .Constants({{"AiFrames", "1"}})
            // Alpha at first [4] [2]
            .Fixed("InitialAlpha", &P::initialAlpha, {1})
            .Rate("MinRate",
                  &P::minRateBps,
                  {0, 1000000000},
                  Range::AtLeast(0)) // [3]
            .Help("Floor of the rate (over the base RTT with Form=window, where one frame is the "
                  "least); 0 with Form=rate: one step")
            // To a loss or timeout [4] [2]
            .Fixed("LossReaction", &P::halve, {true, false}, {{"halve", true}, {"none", false}})
            .Live()
            // the unit of W
            .Choice("Form",
                    &P::windowForm,
                    {true, false},
                    {{"window", true}, {"rate", false}}) // [1] [2]
            .Help("What is cut and increased");
    return table;
}

void
Dctcp::DoStart(int64_t)
{
    m_p = m_parameters.Get();
    RequirePath();
    TakeOver();
    const double line = static_cast<double>(m_path.lineRateBps) * GetUnitsPerBps();
    m_w = m_p->windowForm ? std::max(line, m_floor) : line;
    m_alpha = m_p->initialAlpha;
    m_started = m_inCwr = false;
    m_roundPackets = m_roundMarked = 0;
    m_roundEndPsn = m_cwrEndPsn = m_lossEndPsn = m_ackedPsn = 0;
    Publish();
}

double
Dctcp::GetUnitsPerBps() const
{
    return m_p->windowForm ? static_cast<double>(m_path.baseRttPs) / 8e12 : 1;
}

void
Dctcp::TakeOver()
{
    const double perBps = GetUnitsPerBps();
    const double frameBytes = m_path.fullFrameBytes;
    const double frameBps = frameBytes * 8e12 / static_cast<double>(m_path.baseRttPs);
    const double aiBps = m_p->aiBps > 0 ? m_p->aiBps : frameBps;
    const double line = static_cast<double>(m_path.lineRateBps) * perBps;
    m_step = aiBps * perBps;
    if (m_p->windowForm)
    {
        m_floor = std::max(m_p->minRateBps * perBps, frameBytes);
        m_ceiling = static_cast<double>(UNLIMITED_BYTES / 2);
    }
    else
    {
        m_floor = std::min(m_p->minRateBps > 0 ? m_p->minRateBps : aiBps, line);
        m_ceiling = line;
    }
}

void
Dctcp::OnRetune(const DctcpParams&, int64_t)
{
    TakeOver();
    m_w = std::max(m_w, m_floor);
    Publish();
}

void
Dctcp::CountMarks(const AckInfo& ack)
{
    m_roundPackets += ack.ackedPackets;
    m_roundMarked += ack.GetMarkedOfAcked();
}

void
Dctcp::EndRound(uint64_t sndNxtPsn)
{
    const double share =
        m_roundPackets ? static_cast<double>(m_roundMarked) / static_cast<double>(m_roundPackets)
                       : 0;
    m_alpha = (1 - m_p->gain) * m_alpha + m_p->gain * share;
    m_roundPackets = m_roundMarked = 0;
    m_roundEndPsn = sndNxtPsn;
}

void
Dctcp::OnAck(const AckInfo& ack)
{
    m_ackedPsn = std::max(m_ackedPsn, ack.ackPsn);
    // what the window was before this ACK, since a cut changes it
    const bool limited = !m_p->windowForm || ack.inflightBytes + ack.ackedBytes >= GetWindowBytes();
    if (ack.isNak)
    {
        Rewind(ack.ackPsn);
    }
    CountMarks(ack);
    bool newRound = false;
    if (!m_started)
    {
        m_started = true;
        m_roundEndPsn = ack.sndNxtPsn;
    }
    else if (ack.ackPsn > m_roundEndPsn)
    {
        newRound = true;
        EndRound(ack.sndNxtPsn);
    }
    if (m_inCwr && ack.ackPsn > m_cwrEndPsn)
    {
        m_inCwr = false;
    }
    if (ack.isLoss && m_p->halve && (ack.ackPsn > m_lossEndPsn || !m_lossEndPsn))
    {
        m_lossEndPsn = std::max<uint64_t>(ack.sndNxtPsn, 1);
        Cut(0.5, ack.sndNxtPsn);
    }
    const bool marked = ack.ackedPackets && (ack.markedPackets || ack.ecnEcho);
    if (marked && !m_inCwr)
    {
        Cut(1 - m_alpha / 2, ack.sndNxtPsn);
    }
    if (!m_inCwr && limited)
    {
        // In shares of a round trip, as TCP does: whole steps would all fall on the same place of
        // the cycle in which a window's frames and ACKs go round.
        const double share =
            m_p->windowForm ? std::min(static_cast<double>(ack.ackedBytes) / m_w, 1.0) : newRound;
        m_w = std::min(m_w + m_step * share, m_ceiling);
    }
    Publish();
}

void
Dctcp::GetVariables(int64_t, std::vector<ControlVariable>& variables) const
{
    const double bytes = m_w * static_cast<double>(m_path.baseRttPs) / 8e12; // W being a rate
    variables.insert(variables.end(),
                     {{"alpha", m_alpha},
                      {"exact_window_bytes", m_p->windowForm ? m_w : bytes},
                      {"cwr", m_inCwr ? 1.0 : 0.0}});
}

void
Dctcp::OnTimeout(int64_t)
{
    Rewind(m_ackedPsn);
    if (m_p->halve)
    {
        // a NAK still on its way is about the same loss
        m_lossEndPsn = std::max<uint64_t>(m_ackedPsn, 1);
        Cut(0.5, m_ackedPsn);
        Publish();
    }
}

void
Dctcp::Cut(double factor, uint64_t endPsn)
{
    m_w = std::max(m_w * factor, m_floor);
    m_inCwr = true;
    m_cwrEndPsn = endPsn;
}

void
Dctcp::Rewind(uint64_t psn)
{
    m_roundEndPsn = std::min(m_roundEndPsn, psn);
    m_cwrEndPsn = std::min(m_cwrEndPsn, psn);
}

void
Dctcp::Publish()
{
    if (m_p->windowForm)
    {
        m_windowBytes = static_cast<uint64_t>(m_w);
    }
    else
    {
        m_rateBps = std::max<uint64_t>(1, static_cast<uint64_t>(m_w));
    }
}

} // namespace ns3::roce
