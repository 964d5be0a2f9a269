// SPDX-License-Identifier: GPL-2.0-only
#include "roce-bbr.h"

#include "ns3/roce-hash.h"

#include <algorithm>
#include <cmath>

namespace ns3::roce
{

namespace
{

/// Gain of the window after STARTUP.
constexpr double CWND_GAIN = 2;
/// Gains of PROBE_BW.
constexpr std::array<double, 8> CYCLE{1.25, 0.75, 1, 1, 1, 1, 1, 1};
/// STARTUP goes on while a round trip brings this.
constexpr double FULL_GROWTH = 1.25;
/// Round trips without it that end STARTUP.
constexpr uint32_t FULL_ROUNDS = 3;

} // namespace

void
Bbr::DoStart(int64_t nowPs)
{
    m_p = m_parameters.Get();
    const BbrParams& p = *m_p;
    RequirePath();
    m_delivery.Reset(nowPs);
    m_bps.fill(0);
    m_bpsRound = m_rounds = m_nextRoundDelivered = 0;
    m_bottleneckBps = m_fullBps = m_savedCwnd = 0;
    m_rtPropPs = p.measuredRtt ? NEVER_PS : m_path.baseRttPs;
    m_rtPropStampPs = m_roundStampPs = m_phaseStampPs = nowPs;
    m_fullRounds = m_phase = 0;
    m_probeRttDonePs = 0;
    m_roundStart = m_filledPipe = m_recovering = false;
    m_rtPropExpired = m_idleRestart = m_probeRttRoundDone = false;
    m_cwnd = p.initialCwnd > 0 ? p.initialCwnd * m_path.FrameInFlightBytes()
                               : std::max<double>(m_path.BdpBytes(), m_path.FrameInFlightBytes());
    m_initialCwnd = m_cwnd;
    Enter(BbrState::STARTUP);
    m_pacingBps = m_pacingGain * m_cwnd * 8e12 / static_cast<double>(m_path.baseRttPs);
    m_paceBps = m_roundPaceBps = m_pacingBps;
    m_gapPs = m_path.FrameInFlightBytes() * 8e12 / static_cast<double>(m_path.lineRateBps);
    Publish();
}

void
Bbr::Enter(BbrState state)
{
    m_state = state;
    TakeOver();
}

void
Bbr::TakeOver()
{
    const BbrParams& p = *m_p;
    switch (m_state)
    {
    case BbrState::STARTUP:
        m_pacingGain = m_cwndGain = p.startupGain;
        break;
    case BbrState::DRAIN:
        m_pacingGain = p.drainGain;
        m_cwndGain = p.startupGain;
        break;
    case BbrState::PROBE_BW:
        m_pacingGain = CYCLE[m_phase];
        m_cwndGain = CWND_GAIN;
        break;
    case BbrState::PROBE_RTT:
        m_pacingGain = m_cwndGain = 1;
        break;
    }
}

void
Bbr::OnRetune(const BbrParams&, int64_t)
{
    TakeOver();
}

// ---------------------------------------------------------------- model of the path

void
Bbr::UpdateRound(const DeliverySample& sample, int64_t nowPs)
{
    m_roundStart = m_p->clocked ? m_rtPropPs != NEVER_PS && nowPs - m_roundStampPs >= m_rtPropPs
                                : sample.bps > 0 && sample.priorDelivered >= m_nextRoundDelivered;
    if (m_roundStart)
    {
        ++m_rounds;
        m_nextRoundDelivered = m_delivery.GetDelivered();
        m_roundStampPs = nowPs;
    }
}

void
Bbr::UpdateBottleneck(const DeliverySample& sample)
{
    const double bps = m_p->byRtt ? sample.bpsByRtt : sample.bps;
    if (bps <= 0 || (sample.appLimited && bps < m_bottleneckBps))
    {
        return;
    }
    // Round trips are only forgotten for newer ones: while all samples are application-limited, the
    // old ones hold.
    constexpr uint64_t LENGTH = BbrParams::BW_ROUNDS;
    const bool forget = m_rounds != m_bpsRound;
    for (uint64_t i = std::min(m_rounds - m_bpsRound, LENGTH); i > 0; --i)
    {
        m_bps[(m_rounds - i + 1) % LENGTH] = 0;
    }
    m_bpsRound = m_rounds;
    double& newest = m_bps[m_rounds % LENGTH];
    newest = std::max(newest, bps);
    m_bottleneckBps =
        forget ? *std::max_element(m_bps.begin(), m_bps.end()) : std::max(m_bottleneckBps, newest);
}

void
Bbr::UpdateRtProp(const AckInfo& ack)
{
    if (!m_p->measuredRtt)
    {
        return;
    }
    m_rtPropExpired = ack.nowPs - m_rtPropStampPs > m_p->rttWindowPs;
    if (ack.rttPs > 0 && (ack.rttPs <= m_rtPropPs || m_rtPropExpired))
    {
        m_rtPropPs = ack.rttPs;
        m_rtPropStampPs = ack.nowPs;
    }
}

double
Bbr::InflightBytes(double gain) const
{
    if (m_rtPropPs == NEVER_PS || m_bottleneckBps <= 0)
    {
        return m_cwnd;
    }
    return gain * m_bottleneckBps * static_cast<double>(m_rtPropPs) / 8e12 +
           m_p->quantaFrames * m_path.FrameInFlightBytes();
}

// ---------------------------------------------------------------- states

void
Bbr::CheckFullPipe(const DeliverySample& sample)
{
    if (m_filledPipe || !m_roundStart || sample.appLimited)
    {
        return;
    }
    if (m_bottleneckBps >= m_fullBps * FULL_GROWTH)
    {
        m_fullBps = m_bottleneckBps;
        m_fullRounds = 0;
        return;
    }
    m_filledPipe = ++m_fullRounds >= FULL_ROUNDS;
}

void
Bbr::EnterProbeBw(int64_t nowPs)
{
    Enter(BbrState::PROBE_BW);
    const int fixed = m_p->startPhase;
    // any but 1, the one below 1
    const auto drawn = static_cast<uint32_t>(Mix64(static_cast<uint64_t>(nowPs)) % 7);
    SetPhase(fixed >= 0 ? static_cast<uint32_t>(fixed) : drawn + (drawn > 0), nowPs);
}

void
Bbr::SetPhase(uint32_t phase, int64_t nowPs)
{
    m_phase = phase % CYCLE.size();
    m_phaseStampPs = nowPs;
    m_pacingGain = CYCLE[m_phase];
}

bool
Bbr::IsPhaseOver(const AckInfo& ack) const
{
    if (m_p->clocked)
    {
        return ack.nowPs - m_phaseStampPs >= m_rtPropPs;
    }
    const bool full = ack.nowPs - m_phaseStampPs > m_rtPropPs;
    const auto inflight = static_cast<double>(ack.inflightBytes + ack.ackedBytes);
    if (m_pacingGain > 1)
    {
        return full && (ack.isLoss || inflight >= InflightBytes(m_pacingGain));
    }
    return full || (m_pacingGain < 1 && inflight <= InflightBytes(1));
}

void
Bbr::UpdatePhase(const AckInfo& ack)
{
    if (m_state == BbrState::PROBE_BW && IsPhaseOver(ack))
    {
        SetPhase(m_phase + 1, ack.nowPs);
    }
}

void
Bbr::CheckProbeRtt(const AckInfo& ack)
{
    const BbrParams& p = *m_p;
    if (p.probeRtt && m_state != BbrState::PROBE_RTT && m_rtPropExpired && !m_idleRestart)
    {
        SaveCwnd();
        Enter(BbrState::PROBE_RTT);
        m_probeRttDonePs = 0;
    }
    m_idleRestart = false;
    if (m_state != BbrState::PROBE_RTT)
    {
        return;
    }
    m_delivery.MarkAppLimited(ack.inflightBytes);
    if (!m_probeRttDonePs)
    {
        if (static_cast<double>(ack.inflightBytes) <= p.minFrames * m_path.FrameInFlightBytes())
        {
            m_probeRttDonePs = ack.nowPs + p.probeRttDurationPs;
            m_probeRttRoundDone = false;
            m_nextRoundDelivered = m_delivery.GetDelivered();
        }
        return;
    }
    m_probeRttRoundDone = m_probeRttRoundDone || m_roundStart;
    if (m_probeRttRoundDone && ack.nowPs > m_probeRttDonePs)
    {
        LeaveProbeRtt(ack.nowPs);
    }
}

void
Bbr::LeaveProbeRtt(int64_t nowPs)
{
    m_rtPropStampPs = nowPs;
    m_cwnd = std::max(m_cwnd, m_savedCwnd);
    if (m_filledPipe)
    {
        EnterProbeBw(nowPs);
    }
    else
    {
        Enter(BbrState::STARTUP);
    }
}

// ---------------------------------------------------------------- events

void
Bbr::OnSend(const SendInfo& sent)
{
    if (m_delivery.IsIdle() && m_delivery.IsAppLimited())
    {
        m_idleRestart = true;
        if (m_state == BbrState::PROBE_BW)
        {
            SetPacing(1);
            Publish();
        }
    }
    m_delivery.OnSend(sent.nowPs);
}

void
Bbr::OnAck(const AckInfo& ack)
{
    const DeliverySample sample = m_delivery.OnAck(ack);
    UpdateRound(sample, ack.nowPs);
    if (m_roundStart)
    {
        m_roundPaceBps = m_paceBps;
    }
    UpdateBottleneck(sample);
    UpdatePhase(ack);
    CheckFullPipe(sample);
    if (m_state == BbrState::STARTUP && m_filledPipe)
    {
        Enter(BbrState::DRAIN);
    }
    if (m_state == BbrState::DRAIN && static_cast<double>(ack.inflightBytes) <= InflightBytes(1))
    {
        EnterProbeBw(ack.nowPs);
    }
    UpdateRtProp(ack);
    CheckProbeRtt(ack);
    SetPacing(m_pacingGain);
    SetCwnd(ack);
    if (m_p->appLimited && !ack.hasMore && static_cast<double>(ack.inflightBytes) < m_cwnd)
    {
        m_delivery.MarkAppLimited(ack.inflightBytes);
    }
    Publish();
}

void
Bbr::OnTimeout(int64_t)
{
    SaveCwnd();
    m_cwnd = m_path.FrameInFlightBytes();
    m_recovering = m_p->recovers;
    m_nextRoundDelivered = m_delivery.GetDelivered();
    m_delivery.OnTimeout();
    Publish();
}

void
Bbr::OnFurtherTimeout(int64_t nowPs)
{
    if (m_p->eachTimeout)
    {
        OnTimeout(nowPs);
    }
}

// ---------------------------------------------------------------- rate and window

void
Bbr::SaveCwnd()
{
    const bool reduced = m_recovering || m_state == BbrState::PROBE_RTT;
    m_savedCwnd = reduced ? std::max(m_savedCwnd, m_cwnd) : m_cwnd;
}

void
Bbr::SetPacing(double gain)
{
    const double bps = gain * std::max(m_bottleneckBps, static_cast<double>(m_p->minPacingBps));
    if (bps > 0 && (m_filledPipe || bps > m_pacingBps))
    {
        m_pacingBps = bps;
    }
    m_paceBps = m_p->pacingStepPs > 0 ? SteppedBps(gain) : m_pacingBps;
}

double
Bbr::SteppedBps(double gain)
{
    const double frameBits = m_path.FrameInFlightBytes() * 8.0;
    const auto stepPs = static_cast<double>(m_p->pacingStepPs);
    double gapPs = frameBits * 1e12 / m_pacingBps;
    if (gain > 1 && gapPs - m_gapPs < stepPs)
    {
        gapPs = m_gapPs - 2 * stepPs;
        if (gapPs <= 0)
        {
            gapPs = stepPs;
        }
    }
    m_gapPs = gapPs;
    return frameBits * 1e12 / gapPs;
}

void
Bbr::SetCwnd(const AckInfo& ack)
{
    const BbrParams& p = *m_p;
    const auto acked = static_cast<double>(ack.ackedBytes);
    const double conserved = static_cast<double>(ack.inflightBytes) + acked;
    if (m_recovering && m_roundStart)
    {
        m_recovering = false;
        m_cwnd = std::max(m_cwnd, m_savedCwnd);
    }
    if (p.recovers && ack.isLoss && !ack.isNak && !m_recovering)
    {
        SaveCwnd();
        m_recovering = true;
        m_nextRoundDelivered = m_delivery.GetDelivered();
        m_cwnd = conserved;
    }
    const double least = p.minFrames * m_path.FrameInFlightBytes();
    if (m_recovering)
    {
        m_cwnd = std::max(m_cwnd, conserved);
    }
    else
    {
        const double target = InflightBytes(m_cwndGain);
        if (m_filledPipe)
        {
            const double most = p.windowFalls ? target : std::max(target, m_cwnd);
            m_cwnd = std::min(m_cwnd + acked, most);
        }
        else if (m_cwnd < target || static_cast<double>(m_delivery.GetDelivered()) < m_initialCwnd)
        {
            m_cwnd += acked;
        }
        m_cwnd = std::max(m_cwnd, least);
    }
    if (p.maxCwndBdp > 0)
    {
        m_cwnd = std::min(m_cwnd, std::max(p.maxCwndBdp * m_path.BdpBytes(), least));
    }
    if (m_state == BbrState::PROBE_RTT)
    {
        m_cwnd = std::min(m_cwnd, least);
    }
}

void
Bbr::GetVariables(int64_t, std::vector<ControlVariable>& variables) const
{
    variables.insert(
        variables.end(),
        {{"bottleneck_bps", m_bottleneckBps},
         {"rt_prop_ns", m_rtPropPs == NEVER_PS ? 0 : static_cast<double>(m_rtPropPs) / 1000},
         {"state", static_cast<double>(m_state)},
         {"pacing_gain", m_pacingGain}});
}

void
Bbr::Publish()
{
    constexpr double UNLIMITED = 1e18; // more would not fit into 64 bits
    m_windowBytes = std::max<uint64_t>(m_path.FrameInFlightBytes(),
                                       static_cast<uint64_t>(std::min(m_cwnd, UNLIMITED)));
    // Windows and bandwidth may be of payload, the pace is of frames.
    const double frames = (m_p->pacingByRound ? m_roundPaceBps : m_paceBps) /
                          static_cast<double>(m_path.FrameInFlightBytes());
    const double bps = frames * m_path.fullFrameBytes;
    m_rateBps = bps < static_cast<double>(m_path.lineRateBps)
                    ? std::max<uint64_t>(1, static_cast<uint64_t>(bps + 0.5))
                    : m_path.lineRateBps;
}

} // namespace ns3::roce
