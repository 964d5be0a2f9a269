// SPDX-License-Identifier: GPL-2.0-only
#include "roce-uno-cc.h"

#include "ns3/roce-input-error.h"

#include <algorithm>

namespace ns3::roce
{

namespace
{

/// FallingEwma=increase: with a higher average an epoch cuts all the same.
constexpr double ALWAYS_CUT = 0.9;

/// Warnings: a path may be so much longer than the RTT it is counted with.
constexpr double RTT_SLACK = 1.05;

} // namespace

double
UnoCc::GetBdpBytes(int64_t rttPs) const
{
    return static_cast<double>(m_path.lineRateBps) * static_cast<double>(rttPs) / 8e12;
}

void
UnoCc::DoStart(int64_t nowPs)
{
    m_p = m_parameters.Get();
    const UnoParams& p = *m_p;
    if (m_path.baseRttPs <= 0 || !m_path.lineRateBps || !m_path.fullFrameBytes)
    {
        throw InputError("ns3::roce::UnoCc: base RTT is " + std::to_string(m_path.baseRttPs) +
                         " ps, line rate " + std::to_string(m_path.lineRateBps) +
                         " bit/s and full frame " + std::to_string(m_path.fullFrameBytes) +
                         " B, expected positive values");
    }
    const int64_t classPs = m_path.interDc ? p.interRttPs : p.intraRttPs;
    m_baseRttPs = p.classRtt && classPs ? classPs : m_path.baseRttPs;
    m_rttPs = m_baseRttPs;
    m_frameBytes = m_path.FrameInFlightBytes();
    TakeOver();
    m_cwnd = p.initialCwndBdp * GetBdpBytes(m_baseRttPs);
    Clamp();
    m_cumulativeScale = 1;
    m_counters = Counters();
    m_epoch.Start(p.epoch);
    if (p.epochFromWindow)
    {
        m_epoch.CloseUntilSent(m_cwnd);
    }
    m_quickAdapt.Start(nowPs);
    m_pacedPs = INT64_MIN / 2;
    Publish(nowPs);
}

void
UnoCc::TakeOver()
{
    const UnoParams& p = *m_p;
    const double own = GetBdpBytes(m_baseRttPs);
    const double intra = GetBdpBytes(p.intraRttPs);
    const double k = p.kBytes > 0 ? p.kBytes : intra / 7;
    m_alpha = p.alphaFraction * own; // not of the BDP inside a datacenter: our reading, E2
    m_mdCoefficient = 4 * k / (k + own);
    m_gentlePs = p.gentleDelayPs +
                 static_cast<int64_t>(p.gentleShare * static_cast<double>(m_baseRttPs) + 0.5);
    m_ceiling = std::max(p.maxCwndBdp * own, m_frameBytes);
}

void
UnoCc::OnRetune(const UnoParams& before, int64_t nowPs)
{
    TakeOver();
    const double cwnd = m_cwnd;
    Clamp();
    // Otherwise a rate that PacingUpdateShare holds back would be set too soon.
    if (m_cwnd != cwnd || m_p->pacing != before.pacing)
    {
        m_rateBps = m_path.lineRateBps;
        m_pacedPs = INT64_MIN / 2;
        Publish(nowPs);
    }
}

std::string
UnoCc::GetWarning() const
{
    const auto pathPs = static_cast<double>(m_path.baseRttPs);
    if (pathPs > RTT_SLACK * static_cast<double>(m_baseRttPs))
    {
        return std::string("the empty path takes ") + std::to_string(m_path.baseRttPs / 1000) +
               " ns, more than " + (m_path.interDc ? "InterRtt" : "IntraRtt") +
               ", which is its base RTT with RttBaseMode=class";
    }
    if (!m_path.interDc && pathPs > RTT_SLACK * static_cast<double>(m_p->intraRttPs))
    {
        return "the empty path takes " + std::to_string(m_path.baseRttPs / 1000) +
               " ns, more than IntraRtt, which should be the longest inside a datacenter";
    }
    if (m_mdCoefficient > 1)
    {
        return "the BDP is less than 3K, so an epoch with many marks takes the window to "
               "one packet; a smaller IntraRtt or K, or RttBaseMode=class, changes that";
    }
    return "";
}

QuickAdapt::Limits
UnoCc::GetLimits() const
{
    const UnoParams& p = *m_p;
    return {p.qa.guardPackets * m_frameBytes,
            m_frameBytes,
            static_cast<int64_t>(p.qaSkipRtts * static_cast<double>(m_baseRttPs))};
}

int64_t
UnoCc::GetEpochPeriodPs() const
{
    const UnoParams& p = *m_p;
    const int64_t basePs = p.ownEpochs ? m_baseRttPs : p.intraRttPs;
    return p.measuredEpochs
               ? static_cast<int64_t>(static_cast<double>(basePs) * static_cast<double>(m_rttPs) /
                                      static_cast<double>(m_baseRttPs))
               : basePs;
}

int64_t
UnoCc::GetQaPeriodPs() const
{
    const double periodPs = m_p->qaPeriodFactor * static_cast<double>(m_baseRttPs);
    return std::max<int64_t>(1, static_cast<int64_t>(periodPs + 0.5));
}

void
UnoCc::OnAck(const AckInfo& ack)
{
    const UnoParams& p = *m_p;
    Advance(ack.nowPs);
    UnoAck seen;
    seen.nowPs = ack.nowPs;
    seen.sentPs = ack.rttPs > 0 ? ack.nowPs - ack.rttPs : INT64_MIN;
    seen.relDelayPs = ack.rttPs - m_baseRttPs;
    seen.bytes = static_cast<double>(ack.ackedBytes);
    seen.packets = ack.ackedPackets;
    seen.marked = ack.GetMarkedOfAcked();
    seen.hasMore = ack.hasMore;
    m_rttPs = ack.rttPs > 0 ? ack.rttPs : m_rttPs;
    if (p.qaFirst)
    {
        RunQuickAdapt(seen);
    }
    if (!seen.marked && !ack.ecnEcho)
    {
        m_cwnd += m_alpha * seen.bytes / m_cwnd;
    }
    if (m_epoch.OnAck(seen, GetEpochPeriodPs(), p.epoch))
    {
        EndEpoch(ack.nowPs);
    }
    if (!p.qaFirst)
    {
        RunQuickAdapt(seen);
    }
    Clamp();
    Publish(ack.nowPs);
}

void
UnoCc::RunQuickAdapt(UnoAck& ack)
{
    ack.cwndBytes = m_cwnd;
    const uint64_t hits = m_quickAdapt.GetHits();
    Adapt(m_quickAdapt.OnAck(ack, GetQaPeriodPs(), m_p->qa, GetLimits()), hits);
}

void
UnoCc::Adapt(double cwnd, uint64_t hitsBefore)
{
    m_cwnd = cwnd;
    if (m_p->epochAfterQa && m_quickAdapt.GetHits() != hitsBefore)
    {
        m_epoch.CloseUntilSent(m_cwnd);
    }
}

void
UnoCc::EndEpoch(int64_t nowPs)
{
    const UnoParams& p = *m_p;
    ++m_counters.epochs;
    if (m_epoch.GetShare() <= 0 || m_quickAdapt.IsSilent(nowPs))
    {
        return;
    }
    const double ewma = m_epoch.GetEwma();
    const double before = m_epoch.GetEwmaBefore();
    if (p.fallingIncrease && ewma <= ALWAYS_CUT && ewma < before)
    {
        ++m_counters.fallingRuns;
        m_cwnd += m_alpha * m_epoch.GetBytes() / m_cwnd;
        return;
    }
    const bool gentle = m_epoch.GetDelayPs() <= m_gentlePs;
    m_cumulativeScale = gentle ? m_cumulativeScale * p.mdScale : 1;
    const double scale = !gentle ? 1 : p.cumulative ? m_cumulativeScale : p.mdScale;
    m_cwnd *= std::max(1 - ewma * m_mdCoefficient * scale, 0.0);
    ++m_counters.cuts;
    m_counters.gentleCuts += gentle;
    Clamp();
}

void
UnoCc::OnSend(const SendInfo& sent)
{
    m_epoch.OnSend(sent.nowPs, sent.wireBytes * m_frameBytes / m_path.fullFrameBytes);
}

void
UnoCc::OnTimeout(int64_t nowPs)
{
    Advance(nowPs); // no reaction: what all figures of the paper are run with, E41
}

void
UnoCc::Advance(int64_t nowPs)
{
    const UnoParams& p = *m_p;
    for (int64_t at = m_quickAdapt.GetTimerPs(p.qa); at <= nowPs;
         at = m_quickAdapt.GetTimerPs(p.qa))
    {
        const uint64_t hits = m_quickAdapt.GetHits();
        Adapt(m_quickAdapt.OnTimer(m_cwnd, GetQaPeriodPs(), p.qa, GetLimits()), hits);
        Publish(at);
    }
}

int64_t
UnoCc::NextRateChangePs() const
{
    return m_p->pacing ? m_quickAdapt.GetTimerPs(m_p->qa) : NEVER_PS;
}

void
UnoCc::GetVariables(int64_t, std::vector<ControlVariable>& variables) const
{
    variables.insert(variables.end(),
                     {{"exact_window_bytes", m_cwnd},
                      {"ecn_ewma", m_epoch.GetEwma()},
                      {"epochs", static_cast<double>(m_counters.epochs)},
                      {"cuts", static_cast<double>(m_counters.cuts)},
                      {"gentle_cuts", static_cast<double>(m_counters.gentleCuts)},
                      {"quick_adapts", static_cast<double>(m_quickAdapt.GetHits())}});
}

void
UnoCc::Clamp()
{
    m_cwnd = std::min(std::max(m_cwnd, m_frameBytes), m_ceiling);
}

void
UnoCc::Publish(int64_t nowPs)
{
    const auto frames = static_cast<uint64_t>(m_cwnd / m_frameBytes);
    m_windowBytes = std::max<uint64_t>(frames, 1) * static_cast<uint64_t>(m_frameBytes);
    const UnoParams& p = *m_p;
    const double rttPs = static_cast<double>(m_baseRttPs);
    if (!p.pacing || static_cast<double>(nowPs - m_pacedPs) < p.pacingUpdateShare * rttPs)
    {
        return;
    }
    m_pacedPs = nowPs;
    // The window may count less than the wire carries; the rate is of wire bytes.
    const double rate = m_cwnd / m_frameBytes * m_path.fullFrameBytes * 8e12 / rttPs;
    m_rateBps = rate < static_cast<double>(m_path.lineRateBps)
                    ? std::max<uint64_t>(1, static_cast<uint64_t>(rate + 0.5))
                    : m_path.lineRateBps;
}

} // namespace ns3::roce
