/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-dctcp.h"

#include "ns3/double.h"
#include "ns3/roce-input-error.h"
#include "ns3/string.h"

#include <algorithm>

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(Dctcp);

TypeId
Dctcp::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::Dctcp")
            .SetParent<CongestionControl>()
            .SetGroupName("Roce")
            .AddConstructor<Dctcp>()
            .AddAttribute("Profile",
                          "paper or hpcc-sim",
                          StringValue("paper"),
                          MakeStringAccessor(&Dctcp::SetProfile, &Dctcp::GetProfile),
                          MakeStringChecker())
            .AddAttribute("Form",
                          "What is cut and increased: window or rate; empty: profile",
                          StringValue(""),
                          MakeStringAccessor(&Dctcp::SetForm, &Dctcp::GetForm),
                          MakeStringChecker())
            .AddAttribute("Gain",
                          "g of alpha's average",
                          DoubleValue(1.0 / 16),
                          MakeDoubleAccessor(&Dctcp::m_gain),
                          MakeDoubleChecker<double>())
            .AddAttribute("InitialAlpha",
                          "Alpha at first",
                          DoubleValue(1),
                          MakeDoubleAccessor(&Dctcp::m_initialAlpha),
                          MakeDoubleChecker<double>())
            .AddAttribute("Ai",
                          "Increase per round trip as a rate; 0: from AiFrames or the profile",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&Dctcp::m_aiRate),
                          MakeDataRateChecker())
            .AddAttribute(
                "AiFrames",
                "Increase per round trip in full frames, unless Ai or the profile has one",
                DoubleValue(1),
                MakeDoubleAccessor(&Dctcp::m_aiFrames),
                MakeDoubleChecker<double>())
            .AddAttribute("MinRate",
                          "Floor of the rate (over the base RTT with Form=window); 0: profile",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&Dctcp::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("LossReaction",
                          "To a loss or timeout: halve or none; empty: profile",
                          StringValue(""),
                          MakeStringAccessor(&Dctcp::SetLossReaction, &Dctcp::GetLossReaction),
                          MakeStringChecker());
    return tid;
}

void
Dctcp::SetProfile(std::string name)
{
    if (name != "paper" && name != "hpcc-sim")
    {
        throw InputError("ns3::roce::Dctcp: Profile is '" + name +
                         "', expected 'paper' or 'hpcc-sim'");
    }
    m_hpccSim = name == "hpcc-sim";
}

std::string
Dctcp::GetProfile() const
{
    return m_hpccSim ? "hpcc-sim" : "paper";
}

void
Dctcp::SetForm(std::string form)
{
    if (!form.empty() && form != "window" && form != "rate")
    {
        throw InputError("ns3::roce::Dctcp: Form is '" + form +
                         "', expected 'window', 'rate' or '' (from the profile)");
    }
    m_formChoice = form.empty()       ? Choice::PROFILE
                   : form == "window" ? Choice::FIRST
                                      : Choice::SECOND;
}

std::string
Dctcp::GetForm() const
{
    return m_formChoice == Choice::PROFILE ? "" : m_formChoice == Choice::FIRST ? "window" : "rate";
}

void
Dctcp::SetLossReaction(std::string reaction)
{
    if (!reaction.empty() && reaction != "halve" && reaction != "none")
    {
        throw InputError("ns3::roce::Dctcp: LossReaction is '" + reaction +
                         "', expected 'halve', 'none' or '' (from the profile)");
    }
    m_lossChoice = reaction.empty()      ? Choice::PROFILE
                   : reaction == "halve" ? Choice::FIRST
                                         : Choice::SECOND;
}

std::string
Dctcp::GetLossReaction() const
{
    return m_lossChoice == Choice::PROFILE ? "" : m_lossChoice == Choice::FIRST ? "halve" : "none";
}

Ptr<CongestionControl>
Dctcp::Fork() const
{
    return CopyObject<Dctcp>(this);
}

void
Dctcp::DoStart(int64_t)
{
    if (!(m_gain > 0 && m_gain <= 1))
    {
        throw InputError("ns3::roce::Dctcp: Gain is " + std::to_string(m_gain) +
                         ", expected 0 < Gain <= 1");
    }
    if (!(m_initialAlpha >= 0 && m_initialAlpha <= 1))
    {
        throw InputError("ns3::roce::Dctcp: InitialAlpha is " + std::to_string(m_initialAlpha) +
                         ", expected 0 <= InitialAlpha <= 1");
    }
    if (!(m_aiFrames > 0))
    {
        throw InputError("ns3::roce::Dctcp: AiFrames is " + std::to_string(m_aiFrames) +
                         ", expected a positive number");
    }
    if (m_path.baseRttPs <= 0 || !m_path.lineRateBps || !m_path.fullFrameBytes)
    {
        throw InputError("ns3::roce::Dctcp: base RTT is " + std::to_string(m_path.baseRttPs) +
                         " ps, line rate " + std::to_string(m_path.lineRateBps) +
                         " bit/s and full frame " + std::to_string(m_path.fullFrameBytes) +
                         " B, expected positive values");
    }
    m_windowForm = m_formChoice == Choice::PROFILE ? !m_hpccSim : m_formChoice == Choice::FIRST;
    m_halve = m_lossChoice == Choice::PROFILE ? !m_hpccSim : m_lossChoice == Choice::FIRST;

    // bytes in window form, bit/s in rate form; a rate is a window over the base RTT
    const double perBps = m_windowForm ? static_cast<double>(m_path.baseRttPs) / 8e12 : 1;
    const double frameBytes = m_path.fullFrameBytes;
    const double frameBps = frameBytes * 8e12 / static_cast<double>(m_path.baseRttPs);
    const double aiBps = m_aiRate.GetBitRate() ? static_cast<double>(m_aiRate.GetBitRate())
                         : m_hpccSim           ? 615e6
                                               : m_aiFrames * frameBps;
    const double minBps = m_minRate.GetBitRate() ? static_cast<double>(m_minRate.GetBitRate())
                          : m_hpccSim            ? 1e9
                                                 : aiBps;
    const double line = static_cast<double>(m_path.lineRateBps) * perBps;
    m_step = aiBps * perBps;
    m_w = line;
    if (m_windowForm)
    {
        m_floor = m_minRate.GetBitRate() || m_hpccSim ? std::max(minBps * perBps, frameBytes)
                                                      : frameBytes;
        m_ceiling = static_cast<double>(UNLIMITED_BYTES / 2);
        m_w = std::max(m_w, m_floor);
    }
    else
    {
        m_floor = std::min(minBps, line);
        m_ceiling = line;
    }
    m_alpha = m_initialAlpha;
    m_started = m_inCwr = false;
    m_roundPackets = m_roundMarked = 0;
    m_roundEndPsn = m_cwrEndPsn = m_lossEndPsn = m_ackedPsn = 0;
    Publish();
}

double
Dctcp::GetExactWindowBytes() const
{
    return m_windowForm ? m_w : m_w * static_cast<double>(m_path.baseRttPs) / 8e12;
}

double
Dctcp::GetExactRateBps() const
{
    return m_windowForm ? m_w * 8e12 / static_cast<double>(m_path.baseRttPs) : m_w;
}

void
Dctcp::CountMarks(const AckInfo& ack)
{
    m_roundPackets += ack.ackedPackets;
    m_roundMarked += ack.GetAckedMarks();
}

void
Dctcp::EndRound(uint64_t sndNxtPsn)
{
    const double share =
        m_roundPackets ? static_cast<double>(m_roundMarked) / static_cast<double>(m_roundPackets)
                       : 0;
    m_alpha = (1 - m_gain) * m_alpha + m_gain * share;
    m_roundPackets = m_roundMarked = 0;
    m_roundEndPsn = sndNxtPsn;
}

void
Dctcp::OnAck(const AckInfo& ack)
{
    m_ackedPsn = std::max(m_ackedPsn, ack.ackPsn);
    // what the window was before this ACK, since a cut changes it
    const bool limited = !m_windowForm || ack.inflightBytes + ack.ackedBytes >= GetWindowBytes();
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
    if (ack.isLoss && m_halve && (ack.ackPsn > m_lossEndPsn || !m_lossEndPsn))
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
            m_windowForm ? std::min(static_cast<double>(ack.ackedBytes) / m_w, 1.0) : newRound;
        m_w = std::min(m_w + m_step * share, m_ceiling);
    }
    Publish();
}

void
Dctcp::GetVariables(int64_t, std::vector<ControlVariable>& variables) const
{
    variables.insert(variables.end(),
                     {{"alpha", m_alpha},
                      {"exact_window_bytes", GetExactWindowBytes()},
                      {"cwr", m_inCwr ? 1.0 : 0.0}});
}

void
Dctcp::OnTimeout(int64_t)
{
    Rewind(m_ackedPsn);
    if (m_halve)
    {
        // a NAK still on its way tells of the same loss
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
    if (m_windowForm)
    {
        m_windowBytes = static_cast<uint64_t>(m_w);
    }
    else
    {
        m_rateBps = std::max<uint64_t>(1, static_cast<uint64_t>(m_w));
    }
}

} // namespace roce
} // namespace ns3
