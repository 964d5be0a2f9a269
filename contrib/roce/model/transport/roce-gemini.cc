/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-gemini.h"

#include "roce-settings-attributes.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(Gemini);

namespace
{

constexpr SettingsCheck CHECK{"ns3::roce::Gemini", "preset"};

/// See the table at GeminiSettings.
GeminiParams
PresetParams(bool artifact)
{
    GeminiParams p{};
    p.h = artifact ? 0.00024 : 1.2e-7;
    p.stepIsShare = artifact;
    p.tPs = artifact ? 0.1e9 : 5e9;
    p.beta = artifact ? 0.1 : 0.2;
    p.kBytes = artifact ? 24576 : 25000;
    p.gain = artifact ? 0.5 : 1.0 / 16;
    p.initialAlpha = artifact ? 0 : 1;
    p.rttSignal = artifact ? GeminiRttSignal::INTER : GeminiRttSignal::BOTH;
    p.interRttPs = artifact ? 1792.04e6 : 0;
    p.halveOnLoss = !artifact;
    p.clocked = artifact;
    p.paced = artifact;
    p.cutEndsSlowStart = !artifact;
    p.timeoutQueuePs = artifact ? 80e6 : 0;
    return p;
}

} // namespace

GeminiParams
GeminiSettings::Resolve() const
{
    GeminiParams p = PresetParams(CHECK.Choice("Preset", preset, {"paper", "artifact"}) == 1);
    p.stepIsShare = CHECK.Choice("StepForm", stepForm, {"packetsPerBit", "share"}, p.stepIsShare);
    p.h = CHECK.Number(h, p.h);
    CHECK.Require(p.h > 0, "H", std::to_string(p.h), "a positive number");
    p.tPs = static_cast<double>(CHECK.Duration("T", t, std::llround(p.tPs)));
    CHECK.Require(maxQueue >= 0, "MaxQueue", std::to_string(maxQueue), "0 or more bytes");
    p.maxQueueBytes = static_cast<double>(maxQueue);
    CHECK.Require(p.tPs > 0 || maxQueue > 0, "MaxQueue", "0", "a positive size with T=0");
    p.beta = CHECK.Number(beta, p.beta);
    CHECK.Require(p.beta > 0 && p.beta < 1, "Beta", std::to_string(p.beta), "0 < Beta < 1");
    p.kBytes = CHECK.Number(static_cast<double>(k), p.kBytes);
    CHECK.Require(p.kBytes > 0, "K", std::to_string(k), "a positive size, or -1");
    p.gain = CHECK.Number(gain, p.gain);
    CHECK.Require(p.gain > 0 && p.gain <= 1, "EcnGain", std::to_string(p.gain), "0 < EcnGain <= 1");
    p.initialAlpha = CHECK.Number(initialAlpha, p.initialAlpha);
    CHECK.Require(p.initialAlpha >= 0 && p.initialAlpha <= 1,
                  "InitialAlpha",
                  std::to_string(p.initialAlpha),
                  "0 <= InitialAlpha <= 1");
    p.rttSignal = static_cast<GeminiRttSignal>(CHECK.Choice("RttSignal",
                                                            rttSignal,
                                                            {"inter", "both", "none"},
                                                            static_cast<int>(p.rttSignal)));
    p.interRttPs =
        static_cast<double>(CHECK.Duration("InterRtt", interRtt, std::llround(p.interRttPs)));
    p.initialCwnd = CHECK.Number(initialCwnd, p.initialCwnd);
    CHECK.Require(p.initialCwnd == 0 || p.initialCwnd >= 1,
                  "InitialCwnd",
                  std::to_string(p.initialCwnd),
                  "1 or more frames, or 0 for the BDP");
    p.halveOnLoss = CHECK.Choice("LossReaction", lossReaction, {"none", "halve"}, p.halveOnLoss);
    p.clocked = CHECK.Choice("Rounds", rounds, {"acks", "baseRtt"}, p.clocked);
    p.paced = CHECK.Flag("Pacing", pacing, p.paced);
    p.cutEndsSlowStart =
        CHECK.Choice("SlowStartEnd", slowStartEnd, {"threshold", "cut"}, p.cutEndsSlowStart);
    p.timeoutQueuePs = static_cast<double>(
        CHECK.Duration("TimeoutQueue", timeoutQueue, std::llround(p.timeoutQueuePs)));
    return p;
}

TypeId
Gemini::GetTypeId()
{
    using S = GeminiSettings;
    static const TypeId tid =
        SettingsAttributes<S>(TypeId("ns3::roce::Gemini")
                                  .SetParent<CongestionControl>()
                                  .SetGroupName("Roce")
                                  .AddConstructor<Gemini>())
            .Text<&S::preset>("Preset", "paper", "paper or artifact")
            .Text<&S::stepForm>("StepForm",
                                "What H is: packetsPerBit or share, of C RTT; empty: preset")
            .Number<&S::h>("H", "Increase per round trip is H C RTT, see StepForm; -1: preset")
            .Duration<&S::t>(
                "T",
                "Queueing delay that is congestion on the WAN; 0: half of MaxQueue; -1ns: preset")
            .Count<&S::maxQueue>("MaxQueue", 0, "Longest queue in the network, bytes; 0: not known")
            .Number<&S::beta>("Beta", "Share of the window a cut for delay takes; -1: preset")
            .Count<&S::k>("K", "Marking threshold of the switches, bytes; -1: preset")
            .Number<&S::gain>("EcnGain", "Gain of alpha's average; -1: preset")
            .Number<&S::initialAlpha>("InitialAlpha", "Alpha at first; -1: preset")
            .Text<&S::rttSignal>(
                "RttSignal",
                "Flows that cut for delay: inter (between datacenters), both or none; "
                "empty: preset")
            .Duration<&S::interRtt>(
                "InterRtt",
                "RTT in the increase of flows inside a datacenter; 0: their own; -1ns: preset")
            .Number<&S::initialCwnd>(
                "InitialCwnd",
                "First window, full frames, then slow start; 0: BDP; -1: preset")
            .Text<&S::lossReaction>("LossReaction", "To a loss: halve or none; empty: preset")
            .Text<&S::rounds>(
                "Rounds",
                "Round trips end by acks, or each baseRtt by the clock; empty: preset")
            .Text<&S::pacing>("Pacing", "true: spread the window over a base RTT; empty: preset")
            .Text<&S::slowStartEnd>("SlowStartEnd",
                                    "After a timeout, slow start ends with the first cut or at the "
                                    "threshold (half of the window before); empty: preset")
            .Duration<&S::timeoutQueue>(
                "TimeoutQueue",
                "Timeouts count once in a base RTT and this for each queue of the path; -1ns: "
                "preset");
    return tid;
}

Ptr<CongestionControl>
Gemini::Fork() const
{
    GetParams();
    return CopyObject<Gemini>(this);
}

bool
Gemini::NeedsEcn() const
{
    return GetParams().rttSignal == GeminiRttSignal::NONE;
}

void
Gemini::DoStart(int64_t)
{
    const GeminiParams& p = GetParams();
    CHECK.Path(m_path);
    const double bdp = m_path.BdpBytes();
    const double line = static_cast<double>(m_path.lineRateBps);
    m_markFactor = 4 * p.kBytes / (bdp + p.kBytes);
    const double stepRttPs =
        !m_path.interDc && p.interRttPs > 0 ? p.interRttPs : static_cast<double>(m_path.baseRttPs);
    const double stepBits = p.h * line * stepRttPs / 1e12;
    m_step = p.stepIsShare ? stepBits / 8 : stepBits * m_path.fullFrameBytes;
    const bool listens = p.rttSignal == GeminiRttSignal::BOTH ||
                         (p.rttSignal == GeminiRttSignal::INTER && m_path.interDc);
    const double tPs = p.tPs > 0 ? p.tPs : 0.5 * p.maxQueueBytes * 8e12 / line;
    m_rttLimitPs = listens ? m_path.baseRttPs + std::llround(tPs) : NEVER_PS;
    m_cwnd = p.initialCwnd > 0 ? p.initialCwnd * m_path.fullFrameBytes
                               : std::max<double>(bdp, m_path.fullFrameBytes);
    m_ssthresh = p.initialCwnd > 0 ? static_cast<double>(UNLIMITED_BYTES / 2) : 0;
    m_alpha = p.initialAlpha;
    m_roundPackets = m_roundMarks = 0;
    m_roundStartPs = m_minRttPs = m_lastMinRttPs = NEVER_PS;
    m_lastCutPs = INT64_MIN / 2;
    m_timedOut = false;
    m_lastTimeoutPs = INT64_MIN;
    const double queues = m_path.hops ? m_path.hops - 1 : 0;
    m_timeoutGatePs = m_path.baseRttPs + std::llround(queues * p.timeoutQueuePs);
    Publish();
}

std::string
Gemini::GetWarning() const
{
    const GeminiParams& p = *m_params;
    const double drainPs = p.maxQueueBytes * 8e12 / static_cast<double>(m_path.lineRateBps);
    if (m_rttLimitPs == NEVER_PS || drainPs <= 0 || p.tPs < drainPs)
    {
        return "";
    }
    return "T is " + std::to_string(std::llround(p.tPs / 1000)) +
           " ns, but MaxQueue is empty after " + std::to_string(std::llround(drainPs / 1000)) +
           " ns: delay is never taken for congestion; T=0 is half of that";
}

bool
Gemini::IsRoundTripSince(int64_t startPs, const AckInfo& ack) const
{
    if (m_params->clocked)
    {
        return ack.nowPs - startPs >= m_path.baseRttPs;
    }
    return ack.rttPs > 0 && ack.nowPs - ack.rttPs >= startPs;
}

void
Gemini::CountRound(const AckInfo& ack)
{
    m_roundPackets += ack.ackedPackets;
    m_roundMarks += ack.GetMarkedOfAcked();
    if (m_roundStartPs == NEVER_PS)
    {
        m_roundStartPs = ack.nowPs;
    }
    else if (m_roundPackets && IsRoundTripSince(m_roundStartPs, ack))
    {
        const double share =
            static_cast<double>(m_roundMarks) / static_cast<double>(m_roundPackets);
        m_alpha += m_params->gain * (share - m_alpha);
        m_roundPackets = m_roundMarks = 0;
        m_roundStartPs = ack.nowPs;
        m_lastMinRttPs = m_params->clocked ? NEVER_PS : m_minRttPs;
        m_minRttPs = NEVER_PS;
    }
    if (ack.rttPs > 0)
    {
        m_minRttPs = std::min(m_minRttPs, ack.rttPs);
    }
}

bool
Gemini::IsDelayed(const AckInfo& ack) const
{
    return ack.rttPs > 0 && std::min(m_minRttPs, m_lastMinRttPs) > m_rttLimitPs;
}

void
Gemini::OnAck(const AckInfo& ack)
{
    const GeminiParams& p = *m_params;
    // What the pacer spreads, the window has limited, too.
    const bool limited =
        ack.inflightBytes + ack.ackedBytes >= m_windowBytes || (p.paced && ack.hasMore);
    m_timedOut = m_timedOut && !ack.ackedPackets;
    CountRound(ack);
    double share = 0;
    bool congested = false;
    const auto hear = [&](bool signal, double cut) {
        congested = congested || signal;
        share = signal ? std::max(share, cut) : share;
    };
    hear(ack.GetMarkedOfAcked() > 0, m_alpha * m_markFactor);
    hear(IsDelayed(ack), p.beta);
    hear(ack.isLoss && p.halveOnLoss, 0.5);
    if (!congested)
    {
        if (limited)
        {
            Grow(static_cast<double>(ack.ackedBytes));
        }
    }
    else if (IsRoundTripSince(m_lastCutPs, ack))
    {
        Cut(share, ack.nowPs);
    }
    Publish();
}

void
Gemini::OnTimeout(int64_t nowPs)
{
    if (m_lastTimeoutPs != INT64_MIN && nowPs - m_lastTimeoutPs < m_timeoutGatePs)
    {
        return;
    }
    m_lastTimeoutPs = nowPs;
    const double threshold = m_timedOut ? m_ssthresh : m_cwnd / 2;
    Cut(1, nowPs);
    m_ssthresh = std::max<double>(threshold, m_path.fullFrameBytes);
    m_timedOut = true;
    Publish();
}

void
Gemini::Cut(double share, int64_t nowPs)
{
    m_cwnd = std::max<double>(m_cwnd * (1 - share), m_path.fullFrameBytes);
    if (m_params->cutEndsSlowStart)
    {
        m_ssthresh = m_cwnd;
    }
    m_lastCutPs = nowPs;
}

void
Gemini::Grow(double ackedBytes)
{
    m_cwnd += IsInSlowStart() ? ackedBytes : m_step * std::min(ackedBytes / m_cwnd, 1.0);
}

void
Gemini::GetVariables(int64_t, std::vector<ControlVariable>& variables) const
{
    const int64_t minRttPs = std::min(m_minRttPs, m_lastMinRttPs);
    variables.insert(
        variables.end(),
        {{"alpha", m_alpha},
         {"exact_window_bytes", m_cwnd},
         {"min_rtt_ns", minRttPs == NEVER_PS ? 0 : static_cast<double>(minRttPs) / 1000},
         {"slow_start", IsInSlowStart() ? 1.0 : 0.0}});
}

void
Gemini::Publish()
{
    m_windowBytes = m_path.WholeFramesBytes(m_cwnd);
    m_rateBps = m_params->paced ? m_path.PacedBps(m_cwnd) : m_path.lineRateBps;
}

} // namespace roce
} // namespace ns3
