// SPDX-License-Identifier: GPL-2.0-only
#include "roce-gemini.h"

#include <algorithm>
#include <cmath>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Gemini);

/*
 * Sources of the values:
 * [1] Zeng et al., ICNP 2019, as the literature quotes it; no copy of its text was at hand.
 * [2] the htsim code that was published with Uno (SC 2025), commit 68d164e; T is 5 ms in its
 *     figures 10 to 12.
 * [3] a seventh of 14 us at 100 Gbit/s (Uno, table 2); the paper's K is whatever threshold the
 *     switches have.
 * [4] DCTCP's, on which Gemini is built: SIGCOMM 2010 and RFC 8257.
 * [5] A TCP would begin with ten segments in slow start; here as with the other rate laws.
 * [6] a TCP that is clocked by ACKs.
 */
const ParameterTable<GeminiParams>&
GeminiParams::Table()
{
    using P = GeminiParams;
    using S = GeminiRttSignal;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::Gemini", {"paper", "artifact"})
            // Unit of H C RTT [1] [2]
            .Fixed("StepForm",
                   &P::stepIsShare,
                   {false, true},
                   {{"packetsPerBit", false}, {"share", true}})
            .Number("H", &P::h, {1.2e-7, 0.00024}, Range::Above(0))
            .Help("Increase per round trip is H C RTT, see StepForm") // [1] [2]
            .Duration("T", &P::tPs, {5e9, 0.1e9}, Range::AtLeast(0))
            .Help("Queueing delay that is congestion on the WAN; 0: half of MaxQueue") // [1] [2]
            .Count("MaxQueue", &P::maxQueueBytes, {0}, Range::AtLeast(0))
            .Help("Longest queue in the network, bytes; 0: not known")
            .Number("Beta", &P::beta, {0.2, 0.1}, Range::Above(0).Below(1))
            .Help("Share of the window a cut for delay takes") // [1] [2]
            .Count("K", &P::kBytes, {25000, 24576}, Range::Above(0))
            .Help("Marking threshold of the switches, bytes")                     // [3] [2]
            .Number("EcnGain", &P::gain, {1.0 / 16, 0.5}, Range::AboveUpTo(0, 1)) // [4] [2]
            .Help("Gain of alpha's average")
            .Duration("InterRtt", &P::interRttPs, {0, 1792.04e6}, Range::AtLeast(0))
            .Help("RTT in the increase of flows inside a datacenter; 0: their own") // [1] [2]
            // To a loss [4] [2]
            .Fixed("LossReaction",
                   &P::halveOnLoss,
                   {true, false},
                   {{"halve", true}, {"none", false}})
            .Choice("Rounds", &P::clocked, {false, true}, {{"acks", false}, {"baseRtt", true}})
            .Help("Round trips end by acks, or each baseRtt by the clock") // [4] [2]
            .Flag("Pacing", &P::paced, {false, true})                      // [6] [2]
            .Help("true: spread the window over a base RTT")
            // An ACK sets the pace by the window that it makes, or by the one before [6] [2]
            .Fixed("PaceOf",
                   &P::pacesWindowBefore,
                   {false, true},
                   {{"window", false}, {"windowBefore", true}})
            // After a timeout, slow start ends with the first cut or at the threshold (half of the
            // window before) [4] [2]
            .Fixed("SlowStartEnd",
                   &P::cutEndsSlowStart,
                   {true, false},
                   {{"cut", true}, {"threshold", false}})
            // Timeouts count once in a base RTT and this for each queue of the path [2]
            .Fixed<kind::Duration>("TimeoutQueue", &P::timeoutQueuePs, {0, 80e6})
            .Live()
            // of the start alone
            // Alpha at first [4] [2]
            .Fixed("InitialAlpha", &P::initialAlpha, {1, 0})
            // whether switches must mark is checked before the run
            // Flows that cut for delay: inter (between datacenters), both or none [1] [2]
            .Fixed("RttSignal",
                   &P::rttSignal,
                   {S::BOTH, S::INTER},
                   {{"inter", S::INTER}, {"both", S::BOTH}, {"none", S::NONE}})
            // of the start alone
            .Number("InitialCwnd", &P::initialCwnd, {0}, Range::AtLeast(1).Or(0))
            .Help("First window, full frames, then slow start; 0: BDP") // [5] [2]
            .Finish([](P& p, const Parameters<P>&) {
                Table().Require(p.tPs > 0 || p.maxQueueBytes > 0,
                                "MaxQueue",
                                "0",
                                "a positive size with T=0");
            });
    return table;
}

bool
Gemini::NeedsEcn() const
{
    return GetParams().rttSignal == GeminiRttSignal::NONE;
}

void
Gemini::DoStart(int64_t)
{
    m_p = m_parameters.Get();
    const GeminiParams& p = *m_p;
    RequirePath();
    TakeOver();
    m_cwnd = p.initialCwnd > 0 ? p.initialCwnd * m_path.FrameInFlightBytes()
                               : std::max<double>(m_path.BdpBytes(), m_path.FrameInFlightBytes());
    m_ssthresh = p.initialCwnd > 0 ? static_cast<double>(UNLIMITED_BYTES / 2) : 0;
    m_alpha = p.initialAlpha;
    m_roundPackets = m_roundMarks = 0;
    m_roundStartPs = m_minRttPs = m_lastMinRttPs = NEVER_PS;
    m_lastCutPs = INT64_MIN / 2;
    m_timedOut = false;
    m_lastTimeoutPs = INT64_MIN;
    Publish(m_cwnd);
}

void
Gemini::TakeOver()
{
    const GeminiParams& p = *m_p;
    const double bdp = m_path.BdpBytes();
    const double line = static_cast<double>(m_path.lineRateBps);
    m_markFactor = 4 * p.kBytes / (bdp + p.kBytes);
    const double stepRttPs =
        !m_path.interDc && p.interRttPs > 0 ? p.interRttPs : static_cast<double>(m_path.baseRttPs);
    const double stepBits = p.h * line * stepRttPs / 1e12;
    m_step = p.stepIsShare ? stepBits / 8 : stepBits * m_path.FrameInFlightBytes();
    const bool listens = p.rttSignal == GeminiRttSignal::BOTH ||
                         (p.rttSignal == GeminiRttSignal::INTER && m_path.interDc);
    const double tPs = p.tPs > 0 ? p.tPs : 0.5 * p.maxQueueBytes * 8e12 / line;
    m_rttLimitPs = listens ? m_path.baseRttPs + std::llround(tPs) : NEVER_PS;
    const double queues = m_path.hops ? m_path.hops - 1 : 0;
    m_timeoutGatePs = m_path.baseRttPs + std::llround(queues * p.timeoutQueuePs);
}

void
Gemini::OnRetune(const GeminiParams&, int64_t)
{
    TakeOver();
    Publish(m_pacedBytes);
}

std::string
Gemini::GetWarning() const
{
    const GeminiParams& p = *m_p;
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
    if (m_p->clocked)
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
        m_alpha += m_p->gain * (share - m_alpha);
        m_roundPackets = m_roundMarks = 0;
        m_roundStartPs = ack.nowPs;
        m_lastMinRttPs = m_p->clocked ? NEVER_PS : m_minRttPs;
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
    const GeminiParams& p = *m_p;
    // A flow that waits for the pacer is limited by its window, too.
    const bool limited =
        ack.inflightBytes + ack.ackedBytes >= m_windowBytes || (p.paced && ack.hasMore);
    const double before = m_cwnd;
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
    Publish(p.pacesWindowBefore ? before : m_cwnd);
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
    m_ssthresh = std::max<double>(threshold, m_path.FrameInFlightBytes());
    m_timedOut = true;
    Publish(m_cwnd);
}

void
Gemini::Cut(double share, int64_t nowPs)
{
    m_cwnd = std::max<double>(m_cwnd * (1 - share), m_path.FrameInFlightBytes());
    if (m_p->cutEndsSlowStart)
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
Gemini::Publish(double pacedBytes)
{
    m_windowBytes = m_path.WholeFramesBytes(m_cwnd);
    m_pacedBytes = pacedBytes;
    m_rateBps = m_p->paced ? m_path.PacedBps(pacedBytes) : m_path.lineRateBps;
}

} // namespace ns3::roce
