// SPDX-License-Identifier: GPL-2.0-only
#include "roce-wrcc.h"

#include "roce-wrcc-header.h"

#include "ns3/roce-deployment.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-time.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Wrcc);

namespace
{

constexpr double LONGEST_PERIOD_PS = 1e18; //!< sums of it and of any time fit into 64 bits

} // namespace

/*
 * The paper gives no value of T_1 but that it is at least the switches' period; 24 us is its
 * period. Profile literal is Algorithm 2 as printed, but for the misprinted max() in line 17, which
 * is TimerUsesMax in both profiles.
 */
const ParameterTable<WrccParams>&
WrccParams::Table()
{
    using P = WrccParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::Wrcc", {"default", "literal"})
            .Duration("T1", &P::t1Ps, {24 * PS_PER_US}, Range::Above(0))
            .Help("Increase timer; at least the switches' Period")
            .Number("T1RttFactor", &P::rttFactor, {2}, Range::Within(0, 1000))
            .Help("With IncreaseMode=rttGated the timer is at least that many RTT_est")
            .Choice("IncreaseMode",
                    &P::gated,
                    {true, false},
                    {{"rttGated", true}, {"literal", false}})
            .Help("rttGated: ACKs of data sent before a doubling do not undo it; literal: the next "
                  "ACK does")
            .Flag("SkipIfClipped", &P::skipIfClipped, {true, false})
            .Help("With IncreaseMode=rttGated: no doubling if a switch has lowered the rate since "
                  "the last expiry")
            .Choice("HeaderRate", &P::asksLineRate, {false}, {{"current", false}, {"line", true}})
            .Help("What data carry as FairRate: the present rate, as in line 21 of Algorithm 2, "
                  "which ACKs can only lower; or the line rate, so that ACKs carry the least fair "
                  "rate of the path, higher or lower")
            .Flag("TimerUsesMax", &P::timerUsesMax, {false})
            .Help("The timer sets the line rate, as misprinted in the paper")
            .Rate("FMin", &P::fMinBps, {100e6}, Range::AtLeast(1))
            .Help("Floor of the rate")
            // Whether the switches must have it as well
            .Fixed("Literal", &P::isLiteral, {false, true})
            .Live()
            .Choice("RttEstMode", &P::usesSrtt, {false}, {{"base", false}, {"srtt", true}})
            .Help("RTT_est: base (the path's propagation) or srtt (a running average of samples; "
                  "data and ACKs carry a time stamp for them)");
    return table;
}

TypeId
Wrcc::GetTypeId()
{
    static const TypeId tid = WrccParams::Table()
                                  .AddTo(TypeId("ns3::roce::Wrcc")
                                             .SetParent<CongestionControl>()
                                             .SetGroupName("Roce")
                                             .AddConstructor<Wrcc>(),
                                         &Wrcc::m_parameters)
                                  .AddTraceSource("Rate",
                                                  "The rate is set",
                                                  MakeTraceSourceAccessor(&Wrcc::m_rateTrace),
                                                  "ns3::roce::Wrcc::RateCallback");
    return tid;
}

Ptr<ReceiverFeedback>
Wrcc::MakeFeedback() const
{
    return CreateObject<WrccFeedback>();
}

const FrameExtension*
Wrcc::GetDataExtension() const
{
    return &WrccHeader::EXTENSION;
}

bool
Wrcc::NeedsTimestamp() const
{
    return GetParams().usesSrtt;
}

void
Wrcc::Check(const Deployment& deployment, bool interDc) const
{
    if (!deployment.HasStage("ns3::roce::WrccFairRate", interDc))
    {
        throw InputError(std::string("rate law Wrcc") + (interDc ? " between datacenters" : "") +
                         " needs fair rates, which no switch on the way computes; expected "
                         "--stages=WrccFairRate");
    }
}

void
Wrcc::DoStart(int64_t nowPs)
{
    RequirePath();
    m_p = m_parameters.Get();
    m_domain = static_cast<uint16_t>(m_path.datacenter);
    m_burst = m_answered = true;
    m_clipped = false;
    m_pastPsn = m_nextPsn = 0;
    m_srttPs = 0;
    // The propagation delays alone: a full frame takes its time on each link.
    const double framePs = static_cast<double>(m_path.fullFrameBytes) * 8e12 /
                           static_cast<double>(std::max<uint64_t>(1, m_path.bottleneckBps));
    const double restPs = static_cast<double>(m_path.baseRttPs) - m_path.hops * framePs;
    SetRttEst(static_cast<int64_t>(std::max(restPs, 0.0)));
    m_timerPs = nowPs + m_periodPs;
    m_lineRateMbps = WrccMbps(static_cast<double>(m_path.lineRateBps));
    MoveTo(m_path.lineRateBps, START, nowPs);
}

void
Wrcc::SetRttEst(int64_t rttPs)
{
    m_rttUs = static_cast<uint32_t>(std::clamp<int64_t>((rttPs + PS_PER_US / 2) / PS_PER_US,
                                                        1,
                                                        std::numeric_limits<uint32_t>::max()));
    const double gate = m_p->gated ? m_p->rttFactor * m_rttUs * static_cast<double>(PS_PER_US) : 0;
    m_periodPs = static_cast<int64_t>(
        std::min(std::max(static_cast<double>(m_p->t1Ps), gate), LONGEST_PERIOD_PS));
}

void
Wrcc::MoveTo(uint64_t rateBps, Cause cause, int64_t atPs)
{
    const auto least = static_cast<uint64_t>(m_p->fMinBps);
    m_rateBps = std::min(std::max(rateBps, least), m_path.lineRateBps);
    m_fairRateMbps = WrccMbps(static_cast<double>(m_rateBps));
    m_cause = cause;
    if (!m_rateTrace.IsEmpty())
    {
        m_rateTrace(m_rateBps, cause, PicoSeconds(atPs));
    }
}

void
Wrcc::OnSend(const SendInfo& sent)
{
    Advance(sent.nowPs);
    if (!sent.isRepeat || sent.psn >= m_nextPsn)
    {
        m_nextPsn = sent.psn + 1;
    }
    if (WrccHeader* header = sent.extension.As<WrccHeader>())
    {
        header->domainId = m_domain;
        header->fbdp = m_burst ? WrccHeader::BURST : 0;
        header->fairRateMbps = m_p->asksLineRate ? m_lineRateMbps : m_fairRateMbps;
        header->rttUs = m_rttUs;
    }
}

void
Wrcc::OnAck(const AckInfo& ack)
{
    Advance(ack.nowPs);
    m_nextPsn = ack.sndNxtPsn;
    if (m_p->usesSrtt && ack.rttPs > 0)
    {
        m_srttPs = m_srttPs ? m_srttPs + (ack.rttPs - m_srttPs) / 8 : ack.rttPs;
        SetRttEst(m_srttPs);
    }
    const WrccHeader* header = ack.extension.As<WrccHeader>();
    // Nothing is on the way or waits: what is sent next begins a burst, at whatever rate the timer
    // has reached by then.
    const bool isIdle = !ack.inflightBytes && !ack.hasMore && !ack.isNak;
    if (!header)
    {
        m_burst = m_burst || isIdle;
        return; // sent by a timer of the receiver
    }
    m_burst = isIdle || header->domainId != m_domain;
    if (IsLaterPsn(ack.ackPsn, m_pastPsn))
    {
        m_pastPsn = ack.ackPsn;
        m_answered = true;
        m_clipped = m_clipped || (header->fbdp & WrccHeader::CLIPPED);
        if (header->fairRateMbps != m_fairRateMbps)
        {
            MoveTo(uint64_t{header->fairRateMbps} * 1000000, ACK, ack.nowPs);
        }
    }
}

void
Wrcc::OnNotification(const Notification& notification)
{
    Advance(notification.nowPs);
    const WrccFcnp* fcnp = notification.extension.As<WrccFcnp>();
    if (!fcnp || notification.kind != WrccFcnp::KIND)
    {
        return;
    }
    const uint64_t fairRateBps = uint64_t{fcnp->fairRateMbps} * 1000000;
    if (m_rateBps > fairRateBps)
    {
        MoveTo(fairRateBps, FCNP, notification.nowPs);
        m_pastPsn = IsLaterPsn(fcnp->psn + 1, m_pastPsn) ? fcnp->psn + 1 : m_pastPsn;
        m_clipped = m_answered = true;
        m_timerPs = notification.nowPs + m_periodPs;
    }
}

void
Wrcc::Expire(int64_t nowPs)
{
    while (m_timerPs <= nowPs)
    {
        const bool atLine = m_rateBps >= m_path.lineRateBps;
        if (atLine && !m_clipped)
        {
            // Nothing changes any more: all of them at once.
            m_timerPs += ((nowPs - m_timerPs) / m_periodPs + 1) * m_periodPs;
            return;
        }
        // With queues a round trip is longer than RTT_est: a flow that doubled again before the
        // ACKs of the last doubling would ignore these, too, and end at the line rate.
        const bool waits = !m_answered && IsLaterPsn(m_nextPsn, m_pastPsn);
        const bool isHeld = m_p->gated && (waits || (m_p->skipIfClipped && m_clipped));
        if (!atLine && !isHeld)
        {
            MoveTo(m_p->timerUsesMax ? m_path.lineRateBps : 2 * m_rateBps, TIMER, m_timerPs);
            if (m_p->gated && IsLaterPsn(m_nextPsn, m_pastPsn))
            {
                m_pastPsn = m_nextPsn;
            }
            m_answered = false;
        }
        m_clipped = false;
        m_timerPs += m_periodPs;
    }
}

void
Wrcc::OnRetune(const WrccParams&, int64_t nowPs)
{
    SetRttEst(m_rttUs * PS_PER_US); // a running timer continues
    MoveTo(m_rateBps, m_cause, nowPs);
}

void
Wrcc::GetVariables(int64_t, std::vector<ControlVariable>& variables) const
{
    variables.insert(variables.end(),
                     {{"cause", static_cast<double>(m_cause)},
                      {"fbdp", m_burst ? 1.0 : 0.0},
                      {"clipped", m_clipped ? 1.0 : 0.0},
                      {"rtt_est_us", static_cast<double>(m_rttUs)}});
}

// ---------------------------------------------------------------- receiver

NS_OBJECT_ENSURE_REGISTERED(WrccFeedback);

TypeId
WrccFeedback::GetTypeId()
{
    static const TypeId tid = TypeId("ns3::roce::WrccFeedback")
                                  .SetParent<ReceiverFeedback>()
                                  .SetGroupName("Roce")
                                  .AddConstructor<WrccFeedback>();
    return tid;
}

Ptr<ReceiverFeedback>
WrccFeedback::Fork() const
{
    return CreateObject<WrccFeedback>();
}

void
WrccFeedback::Start(const PathInfo& path, int64_t)
{
    m_domain = static_cast<uint16_t>(path.datacenter);
}

void
WrccFeedback::FillAck(Frame& ack, const Frame&, int64_t)
{
    if (WrccHeader* header = ack.FindExtension<WrccHeader>())
    {
        header->domainId = m_domain;
    }
}

} // namespace ns3::roce
