// SPDX-License-Identifier: GPL-2.0-only
#include "roce-dcqcn.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <cmath>

namespace ns3::roce
{

namespace
{

/// Timer events in one go from which on the closed form is used.
constexpr uint64_t JUMP_EVENTS = 1024;
/// The free-running cut timer lags by this much, so that alpha's tick comes first.
constexpr int64_t CUT_TICK_LAG_PS = 1000;

/// base to the power n by repeated squaring: the same result with every mathematical library.
double
IntPow(double base, int64_t n)
{
    double result = 1;
    for (; n > 0; n >>= 1)
    {
        if (n & 1)
        {
            result *= base;
        }
        base *= base;
    }
    return result;
}

} // namespace

Ptr<ReceiverFeedback>
Dcqcn::MakeFeedback() const
{
    if (GetParams().cnpInAck)
    {
        return CongestionControl::MakeFeedback();
    }
    Ptr<EcnCnpFeedback> feedback = CreateObject<EcnCnpFeedback>();
    feedback->SetAttribute("CnpInterval", TimeValue(PicoSeconds(GetParams().minTimeBetweenCnpsPs)));
    return feedback;
}

void
Dcqcn::DoStart(int64_t)
{
    m_p = m_parameters.Get();
    Begin(*m_p);
}

void
Dcqcn::DoInitialize()
{
    m_setBack = GetParams().cutFaults ? std::make_shared<bool>(false) : nullptr;
    DcqcnReactionPoint::DoInitialize();
}

void
Dcqcn::Retune(const CongestionControl& prototype, int64_t nowPs)
{
    Advance(nowPs);
    const Dcqcn& same = SameLaw<Dcqcn>(prototype);
    const std::shared_ptr<const DcqcnParams> before = m_p;
    m_p = m_parameters.Retune(same.m_parameters, *before);
    Change(*m_p, nowPs, same.m_setBack);
}

void
DcqcnReactionPoint::Begin(const DcqcnParams& p)
{
    m_d = &p;
    if (!m_path.lineRateBps || (m_d->bdpWindow && m_path.baseRttPs <= 0))
    {
        throw InputError("ns3::roce::Dcqcn: path of " + std::to_string(m_path.lineRateBps) +
                         " bit/s and base RTT " + std::to_string(m_path.baseRttPs) +
                         " ps, expected a positive rate (and, with Window=bdp, RTT)");
    }
    m_line = static_cast<double>(m_path.lineRateBps);
    m_rate = m_target = m_line;
    m_alpha = m_d->initialAlpha;
    m_hasState = m_limited = m_cnpSinceTick = false;
    m_cutDuePs = m_incDuePs = NEVER_PS;
    m_nextCutPs = INT64_MIN;
    m_timeStage = m_byteStage = m_hyperEvents = m_bytes = 0;
    TakeOver();
    Publish();
}

void
DcqcnReactionPoint::TakeOver()
{
    m_cnpInAck = m_d->cnpInAck;
    m_cutOnLoss = m_d->cutOnLoss;
    m_ai = m_d->aiRateBps * (m_d->aiPer25G ? m_line / 25e9 : 1);
    m_hai = m_d->haiRateBps * (m_d->haiPer25G ? m_line / 25e9 : 1);
    m_alphaPeriodPs = m_d->alphaPeriodPs;
    m_timeResetPs = m_d->timeResetPs;
}

void
DcqcnReactionPoint::Change(const DcqcnParams& next,
                           int64_t nowPs,
                           const std::shared_ptr<bool>& setBack)
{
    const DcqcnParams& before = *m_d;
    const int64_t alphaPeriodPs = m_alphaPeriodPs;
    const bool sameAlpha = (setBack && *setBack ? GetGain() : next.gain) == GetGain() &&
                           next.alphaPeriodPs == before.alphaPeriodPs &&
                           next.alphaFreeRunning == before.alphaFreeRunning;
    if (m_hasState && !sameAlpha) // in two steps it would be rounded otherwise
    {
        AdvanceAlpha(nowPs);
    }
    m_d = &next;
    m_setBack = setBack;
    TakeOver();
    // Timers that run end when they would have; the new periods begin there.
    m_alphaTickPs += alphaPeriodPs - m_alphaPeriodPs;
    if (before.cutPeriodPs && m_cutTickPs <= nowPs)
    {
        m_cutTickPs += ((nowPs - m_cutTickPs) / before.cutPeriodPs + 1) * before.cutPeriodPs;
    }
    m_cnpSinceTick = m_cnpSinceTick && next.alphaFreeRunning;
    if (!m_timeResetPs || !m_limited)
    {
        m_incDuePs = NEVER_PS;
    }
    else if (m_incDuePs == NEVER_PS)
    {
        m_incDuePs = nowPs + m_timeResetPs;
    }
    Publish();
}

double
DcqcnReactionPoint::RaisedAlpha(double alpha) const
{
    const double gain = GetGain();
    return (1 - gain) * alpha + gain;
}

double
DcqcnReactionPoint::AlphaAfter(int64_t ticks) const
{
    double alpha = m_alpha;
    if (ticks > 0 && m_cnpSinceTick)
    {
        alpha = RaisedAlpha(alpha);
        --ticks;
    }
    return alpha * IntPow(1 - GetGain(), ticks);
}

double
DcqcnReactionPoint::GetAlpha(int64_t nowPs) const
{
    return m_hasState ? AlphaAfter((nowPs - m_alphaTickPs) / m_alphaPeriodPs) : m_alpha;
}

void
DcqcnReactionPoint::GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const
{
    variables.insert(variables.end(),
                     {{"alpha", GetAlpha(nowPs)},
                      {"target_rate_bps", m_target},
                      {"time_stage", static_cast<double>(m_timeStage)},
                      {"byte_stage", static_cast<double>(m_byteStage)}});
}

void
DcqcnReactionPoint::AdvanceAlpha(int64_t nowPs)
{
    const int64_t ticks = (nowPs - m_alphaTickPs) / m_alphaPeriodPs;
    if (ticks > 0)
    {
        m_alpha = AlphaAfter(ticks);
        m_alphaTickPs += ticks * m_alphaPeriodPs;
        m_cnpSinceTick = false;
    }
}

void
DcqcnReactionPoint::MakeState(int64_t nowPs)
{
    const DcqcnParams& p = *m_d;
    m_hasState = true;
    m_alpha = p.initialAlpha;
    m_alphaTickPs = nowPs;
    m_cutTickPs = nowPs + p.cutPeriodPs + CUT_TICK_LAG_PS;
    m_cnpSinceTick = false;
    m_rate = p.firstCnpRateBps > 0 ? p.firstCnpRateBps : p.firstCnpFraction * m_line;
    m_rate = m_target = std::min(std::max(m_rate, p.minRateBps), m_line);
    m_timeStage = m_byteStage = m_hyperEvents = m_bytes = 0;
    m_limited = true;
    if (m_setBack)
    {
        *m_setBack = true;
    }
    CheckLine();
}

void
DcqcnReactionPoint::OnCnp(const CnpInfo& cnp)
{
    const int64_t nowPs = cnp.nowPs;
    Advance(nowPs);
    const DcqcnParams& p = *m_d;
    if (!m_hasState)
    {
        MakeState(nowPs);
    }
    else
    {
        AdvanceAlpha(nowPs);
        m_cnpSinceTick = p.alphaFreeRunning;
    }
    if (!p.alphaFreeRunning)
    {
        m_alphaTickPs = nowPs;
        m_alpha = p.alphaBeforeCut ? RaisedAlpha(m_alpha) : m_alpha;
    }
    if (p.cutFreeRunning && p.cutPeriodPs)
    {
        if (m_cutDuePs == NEVER_PS)
        {
            m_cutDuePs = m_cutTickPs;
            if (nowPs >= m_cutTickPs)
            {
                m_cutDuePs += ((nowPs - m_cutTickPs) / p.cutPeriodPs + 1) * p.cutPeriodPs;
            }
        }
    }
    else if (nowPs >= m_nextCutPs)
    {
        Cut(nowPs);
    }
    else
    {
        m_cutDuePs = m_nextCutPs;
    }
    if (!p.alphaFreeRunning && !p.alphaBeforeCut)
    {
        m_alpha = RaisedAlpha(m_alpha);
    }
    Publish();
}

void
DcqcnReactionPoint::OnAck(const AckInfo& ack)
{
    if ((m_cnpInAck && ack.ecnEcho) || (m_cutOnLoss && ack.isLoss))
    {
        OnCnp({ack.nowPs});
    }
}

void
DcqcnReactionPoint::OnTimeout(int64_t nowPs)
{
    if (m_cutOnLoss)
    {
        OnCnp({nowPs});
    }
}

void
DcqcnReactionPoint::Cut(int64_t nowPs)
{
    const DcqcnParams& p = *m_d;
    AdvanceAlpha(nowPs);
    if (p.clamp == DcqcnClamp::ALWAYS ||
        (p.clamp == DcqcnClamp::AFTER_TIME_INC && (m_timeStage > 0 || m_byteStage > 0)) ||
        (p.clamp == DcqcnClamp::AFTER_BYTE_INC && m_byteStage > 0))
    {
        m_target = m_rate;
    }
    // Gd below 10 could take more than there is; the floors below hold.
    const int gd = IsSetBack() ? 11 : static_cast<int>(p.gd);
    const double left = 1 - std::ldexp(m_alpha, 10 - gd);
    const double cut = m_rate * std::max(left, IsSetBack() ? 0.5 : p.minDecFac);
    if (p.cutFaults)
    {
        m_rate = left < 0 ? 0x1p64 : std::max(cut, p.minRateBps);
    }
    else
    {
        m_rate = std::min(std::max(cut, p.minRateBps), m_line);
        m_target = std::max(m_target, m_rate);
    }
    m_timeStage = m_byteStage = m_hyperEvents = m_bytes = 0;
    m_cutDuePs = NEVER_PS;
    m_nextCutPs = nowPs + p.cutPeriodPs;
    m_incDuePs = m_timeResetPs ? nowPs + m_timeResetPs : NEVER_PS;
    m_limited = true;
    CheckLine();
}

void
DcqcnReactionPoint::Advance(int64_t nowPs)
{
    if (nowPs < NextRateChangePs())
    {
        return;
    }
    const bool increaseFirst = m_timeResetPs > m_d->cutPeriodPs;
    while (nowPs >= NextRateChangePs())
    {
        // increases up to the cut, if one is due
        const int64_t until =
            m_cutDuePs <= nowPs ? (increaseFirst ? m_cutDuePs : m_cutDuePs - 1) : nowPs;
        if (m_incDuePs <= until)
        {
            TimerIncreases(until);
        }
        else
        {
            Cut(m_cutDuePs);
        }
    }
    Publish();
}

void
DcqcnReactionPoint::OnSend(const SendInfo& sent)
{
    Advance(sent.nowPs);
    if (!m_limited || !m_d->byteResetBytes)
    {
        return;
    }
    m_bytes += sent.wireBytes;
    const auto step = static_cast<uint64_t>(m_d->byteResetBytes);
    if (m_bytes < step)
    {
        return;
    }
    while (m_bytes >= step && m_limited)
    {
        m_bytes -= step;
        Increase(false, sent.nowPs);
    }
    Publish();
}

DcqcnReactionPoint::Phase
DcqcnReactionPoint::PhaseOf(uint64_t timeStage) const
{
    const uint64_t high = std::max(m_byteStage, timeStage);
    // with one stage only, that stage decides about hyper increase too
    const uint64_t low = m_d->timeOnlyStages ? high : std::min(m_byteStage, timeStage);
    return high < m_d->threshold  ? Phase::FAST_RECOVERY
           : low > m_d->threshold ? Phase::HYPER
                                  : Phase::ADDITIVE;
}

double
DcqcnReactionPoint::GetStep(Phase phase, int64_t) const
{
    return phase == Phase::ADDITIVE ? m_ai
           : m_d->hyperMultiplier   ? static_cast<double>(m_hyperEvents) * m_hai
                                    : m_hai;
}

void
DcqcnReactionPoint::Increase(bool byTimer, int64_t atPs)
{
    uint64_t& stage = byTimer ? m_timeStage : m_byteStage;
    stage += !m_d->timeOnlyStages;
    const Phase phase = PhaseOf(m_timeStage);
    m_hyperEvents += phase == Phase::HYPER;
    if (phase != Phase::FAST_RECOVERY)
    {
        m_target = std::min(m_target + GetStep(phase, atPs), m_line);
    }
    stage += m_d->timeOnlyStages;
    m_rate = (m_target + m_rate) / 2;
    ReleaseAtLine();
}

void
DcqcnReactionPoint::TimerIncreases(int64_t untilPs)
{
    const int64_t period = m_timeResetPs;
    uint64_t events = 1 + static_cast<uint64_t>((untilPs - m_incDuePs) / period);
    m_incDuePs += static_cast<int64_t>(events) * period;
    while (events > 0 && m_limited)
    {
        if (events <= JUMP_EVENTS || !Jump(events))
        {
            Increase(true, m_incDuePs - static_cast<int64_t>(events) * period);
            --events;
        }
    }
}

bool
DcqcnReactionPoint::Jump(uint64_t& events)
{
    // phases follow each other as TS rises, so equal ends mean one phase in between
    const uint64_t before = m_timeStage - m_d->timeOnlyStages;
    const Phase phase = PhaseOf(before + 1);
    uint64_t n = events;
    while (PhaseOf(before + n) != phase)
    {
        n /= 2;
    }
    double step = phase == Phase::ADDITIVE ? m_ai : phase == Phase::HYPER ? m_hai : 0;
    if (m_target >= m_line)
    {
        // as many halvings as leave less than 1 bit/s, where increases end
        step = 0;
        n = std::min(n, static_cast<uint64_t>(std::ilogb(m_line - m_rate)) + 1);
    }
    if (step > 0)
    {
        n = std::min(n, static_cast<uint64_t>((m_line - m_target) / step));
        if (phase == Phase::HYPER && m_d->hyperMultiplier)
        {
            n = 0; // steps grow; the line rate is near
        }
    }
    if (n < 2)
    {
        return false;
    }
    // d = Rt - Rc obeys d' = (d + step) / 2
    const double gap = m_target - m_rate;
    m_target += static_cast<double>(n) * step;
    const int halvings = static_cast<int>(std::min<uint64_t>(n, 2000));
    m_rate = m_target - (step + std::ldexp(gap - step, -halvings));
    m_timeStage += n;
    events -= n;
    ReleaseAtLine();
    return true;
}

void
DcqcnReactionPoint::CheckLine()
{
    if (std::abs(m_line - m_rate) >= 1) // above it: CutFaults
    {
        return;
    }
    m_rate = m_target = m_line;
    m_limited = false;
    m_incDuePs = NEVER_PS;
}

void
DcqcnReactionPoint::ReleaseAtLine()
{
    CheckLine();
    if (!m_limited && m_d->release && m_cutDuePs == NEVER_PS)
    {
        m_hasState = false;
        m_alpha = m_d->initialAlpha;
    }
}

void
DcqcnReactionPoint::Publish()
{
    m_rateBps = std::max<uint64_t>(1, static_cast<uint64_t>(std::min(m_rate, m_line)));
    if (m_d->bdpWindow)
    {
        const auto window = static_cast<uint64_t>(m_path.BdpBytes() * (m_rate / m_line));
        m_windowBytes = std::max<uint64_t>({window, m_path.fullFrameBytes, 1});
    }
    else
    {
        m_windowBytes = UNLIMITED_BYTES;
    }
}

} // namespace ns3::roce
