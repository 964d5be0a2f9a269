// SPDX-License-Identifier: GPL-2.0-only
#include "roce-wrcc-fair-rate.h"

#include "roce-wrcc-header.h"
#include "roce-wrcc.h"

#include "ns3/roce-counters.h"
#include "ns3/roce-deployment.h"
#include "ns3/roce-hash.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-notification-series.h"
#include "ns3/roce-pause-sender.h"
#include "ns3/roce-port.h"
#include "ns3/roce-reply-builder.h"
#include "ns3/roce-station-series.h"
#include "ns3/roce-switch.h"

#include <algorithm>
#include <cmath>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(WrccFairRate);

WrccFairRate::WrccFairRate()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

void
WrccFairRate::DoDispose()
{
    m_at = nullptr;
    SwitchStage::DoDispose();
}

int64_t
WrccFairRate::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

void
WrccFairRate::Check(const Deployment& deployment) const
{
    const WrccFairRateParams& p = GetParams();
    bool heard = false;
    for (const Deployment::Transport& transport : deployment.GetTransports())
    {
        const auto* law = dynamic_cast<const Wrcc*>(PeekPointer(transport.law));
        heard = heard || law;
        if (law && p.rate.fMaxBps < static_cast<double>(transport.lineRateBps))
        {
            const std::string rate = kind::Rate::Print(transport.lineRateBps);
            throw InputError("stage WrccFairRate: FMax is " +
                             kind::Rate::Print(static_cast<uint64_t>(p.rate.fMaxBps)) +
                             ", expected at least the rate of all NICs with rate law Wrcc, " +
                             rate + " (--stages=WrccFairRate[FMax=" + rate + "])");
        }
        if (law && law->GetParams().t1Ps < p.rate.periodPs)
        {
            const std::string period = kind::Duration::Print(p.rate.periodPs);
            throw InputError("rate law Wrcc: T1 is " +
                             kind::Duration::Print(law->GetParams().t1Ps) +
                             ", expected at least Period of WrccFairRate, " + period +
                             " (--cc=Wrcc[T1=" + period + "])");
        }
        if (law && law->GetParams().isLiteral != p.isLiteral)
        {
            const auto with = [](bool isLiteral) {
                return std::string(isLiteral ? "with" : "without") + " Profile=literal";
            };
            throw InputError(
                "rate law Wrcc is " + with(law->GetParams().isLiteral) + ", stage WrccFairRate " +
                with(p.isLiteral) +
                "; expected both Algorithms 1 and 2 as printed, or none "
                "(--cc=Wrcc[Profile=literal], --stages=WrccFairRate[Profile=literal])");
        }
    }
    if (!heard)
    {
        throw InputError("stage WrccFairRate computes fair rates, but no rate law listens to them; "
                         "expected Wrcc (--cc=Wrcc)");
    }
}

void
WrccFairRate::Install(Switch& sw)
{
    m_p = m_parameters.Get();
    m_at = &sw;
    m_domain = static_cast<uint16_t>(sw.GetDatacenter());
    const uint16_t n = sw.GetNPorts();
    m_ports.resize(n);
    m_pauses.assign(n + 1U, 0);
    for (uint16_t p = 0; p < n; ++p)
    {
        OutPort& port = m_ports[p];
        port.rate.Start(m_p->rate, static_cast<double>(sw.GetPort(p)->GetRateBps()));
        port.rateMbps = WrccMbps(port.rate.GetRateBps());
        port.bytesFrom.assign(n + 1U, 0);
        port.inputs.reserve(n + 1U);
    }
    m_flows.SetTimeout(m_p->fcnpIntervalPs);
    m_toldPs.assign(m_p->fcnpHashBits ? std::size_t{1} << m_p->fcnpHashBits : 0, INT64_MIN / 2);
}

void
WrccFairRate::BeforeRetune(int64_t nowPs)
{
    if (m_index > 0 && nowPs >= m_nextEndPs)
    {
        EndPeriods(nowPs, nullptr, 0);
    }
}

void
WrccFairRate::OnRetune(const WrccFairRateParams&, int64_t)
{
    m_flows.SetTimeout(m_p->fcnpIntervalPs);
}

void
WrccFairRate::Count(std::map<std::string, uint64_t>& counters) const
{
    counters["wrccRewrites"] += m_rewrites;
    counters["wrccFcnps"] += m_fcnps;
    AddCounter(counters, "wrccTablePeak", m_toldPs.empty() ? m_flows.GetPeak() : m_toldPs.size());
}

SwitchStage::Verdict
WrccFairRate::OnEnqueue(Frame& frame, Port& out, const EgressScheduler&, int64_t nowPs)
{
    if (nowPs >= m_nextEndPs)
    {
        EndPeriods(nowPs, nullptr, 0);
    }
    // Thresholds and queues are those of RDMA's classes; others may be lossy.
    m_classes |= static_cast<uint8_t>((frame.kind == FrameKind::DATA) << frame.trafficClass);
    OutPort& port = m_ports[out.GetIndex()];
    const auto in = static_cast<uint16_t>(std::min<std::size_t>(frame.inPort, m_ports.size()));
    uint64_t& bytes = port.bytesFrom[in];
    if (!bytes)
    {
        port.inputs.push_back(in);
    }
    bytes += out.WireBytes(frame.frameBytes);
    return Verdict::PASS;
}

SwitchStage::Verdict
WrccFairRate::OnDequeue(Frame& frame, Port& out, const EgressScheduler&, int64_t nowPs)
{
    if (nowPs >= m_nextEndPs)
    {
        EndPeriods(nowPs, &frame, out.GetIndex());
    }
    OutPort& port = m_ports[out.GetIndex()];
    port.sentBytes += out.WireBytes(frame.frameBytes);
    if (WrccHeader* header = frame.FindExtension<WrccHeader>())
    {
        port.rttSumUs += header->rttUs;
        port.loopSumUs += IsToldAtOnce(*header) ? 0 : header->rttUs;
        ++port.packets;
        if (header->fairRateMbps > port.rateMbps)
        {
            Rewrite(frame, *header, port.rateMbps, nowPs);
        }
    }
    return Verdict::PASS;
}

void
WrccFairRate::OnPause(PauseEvent event, Port& port, uint8_t, int64_t nowPs)
{
    if (event == PauseEvent::XON || (event == PauseEvent::REFRESH && !m_p->countsRefreshes))
    {
        return;
    }
    if (nowPs >= m_nextEndPs)
    {
        EndPeriods(nowPs, nullptr, 0);
    }
    ++m_pauses[port.GetIndex()];
    m_anyPause = true;
}

// ---------------------------------------------------------------- periods

/// The first frame: when do periods end here?
void
WrccFairRate::Begin(int64_t nowPs)
{
    const int64_t periodPs = m_p->rate.periodPs;
    const double phase = m_p->phaseJitter ? m_random->GetValue(0, 1) : 0;
    const auto phasePs = static_cast<int64_t>(phase * static_cast<double>(periodPs));
    // Earlier periods are not reported.
    m_nextEndPs =
        nowPs < phasePs ? phasePs : phasePs + ((nowPs - phasePs) / periodPs + 1) * periodPs;
    m_index = 1;
}

__attribute__((noinline)) void
WrccFairRate::EndPeriods(int64_t nowPs, const Frame* leaving, uint16_t leavingPort)
{
    if (m_index == 0)
    {
        Begin(nowPs);
        return;
    }
    const int64_t missed = (nowPs - m_nextEndPs) / m_p->rate.periodPs;
    for (uint16_t p = 0; p < m_ports.size(); ++p)
    {
        if (!IsIdle(m_ports[p]))
        {
            // The period ends before this frame leaves the queue.
            const bool one = leaving && p == leavingPort;
            EndPeriods(p, GetQueueBytes(p) + (one ? leaving->frameBytes : 0), missed, nowPs);
        }
    }
    if (m_anyPause)
    {
        std::fill(m_pauses.begin(), m_pauses.end(), 0);
        m_anyPause = false;
    }
    m_index += 1 + missed;
    m_nextEndPs += (1 + missed) * m_p->rate.periodPs;
}

/// The same for one port: the present period, and those after it that have ended, too.
void
WrccFairRate::EndPeriods(uint16_t p, uint64_t queueBytes, int64_t missed, int64_t nowPs)
{
    OutPort& port = m_ports[p];
    port.rate.Update(m_p->rate, GetPeriod(port, queueBytes), m_index);
    if (!m_periodTrace.IsEmpty())
    {
        m_periodTrace(p, port.rate, PicoSeconds(m_nextEndPs), PicoSeconds(nowPs));
    }
    if (missed)
    {
        port.rate.Rest(m_p->rate, queueBytes, m_index + missed, missed);
        if (!m_periodTrace.IsEmpty())
        {
            m_periodTrace(p,
                          port.rate,
                          PicoSeconds(m_nextEndPs + missed * m_p->rate.periodPs),
                          PicoSeconds(nowPs));
        }
    }
    port.rateMbps = WrccMbps(port.rate.GetRateBps());
    for (const uint16_t in : port.inputs)
    {
        port.bytesFrom[in] = 0;
    }
    port.inputs.clear();
    port.rttSumUs = port.loopSumUs = port.packets = port.sentBytes = 0;
}

bool
WrccFairRate::IsIdle(const OutPort& port) const
{
    return port.inputs.empty() && !port.sentBytes && port.rate.IsAtRest(m_p->rate);
}

uint64_t
WrccFairRate::GetQueueBytes(uint16_t port) const
{
    const EgressScheduler& queue = m_at->GetQueue(port);
    uint64_t bytes = 0;
    for (unsigned classes = m_classes; classes; classes &= classes - 1)
    {
        bytes += queue.GetLineBytes(static_cast<uint8_t>(__builtin_ctz(classes)));
    }
    return bytes;
}

WrccPortRate::Period
WrccFairRate::GetPeriod(const OutPort& port, uint64_t queueBytes) const
{
    WrccPortRate::Period period;
    period.queueBytes = queueBytes;
    period.hasInputs = !port.inputs.empty();
    for (const uint16_t in : port.inputs)
    {
        period.inputBytes += port.bytesFrom[in];
        period.pauses += m_pauses[in];
        if (in < m_ports.size() && m_classes)
        {
            period.thresholdBytes +=
                m_at->GetBuffer().GetThresholdBytes(in,
                                                    static_cast<uint8_t>(__builtin_ctz(m_classes)));
        }
    }
    period.rttSumUs = port.rttSumUs;
    period.loopSumUs = port.loopSumUs;
    period.packets = port.packets;
    period.sentBytes = port.sentBytes;
    return period;
}

WrccPortRate
WrccFairRate::Look(uint16_t p, int64_t nowPs) const
{
    const OutPort& port = m_ports.at(p);
    WrccPortRate rate = port.rate;
    if (m_index > 0 && nowPs >= m_nextEndPs && !IsIdle(port))
    {
        const uint64_t queueBytes = GetQueueBytes(p);
        const int64_t missed = (nowPs - m_nextEndPs) / m_p->rate.periodPs;
        rate.Update(m_p->rate, GetPeriod(port, queueBytes), m_index);
        if (missed)
        {
            rate.Rest(m_p->rate, queueBytes, m_index + missed, missed);
        }
    }
    return rate;
}

// ---------------------------------------------------------------- notifications

void
WrccFairRate::Rewrite(Frame& frame, WrccHeader& header, uint32_t fairRateMbps, int64_t nowPs)
{
    header.fairRateMbps = fairRateMbps;
    header.fbdp |= WrccHeader::CLIPPED;
    ++m_rewrites;
    if (!IsToldAtOnce(header) || !MayTell(frame, nowPs))
    {
        return;
    }
    ReplyBuilder replies;
    replies.trafficClass = static_cast<uint8_t>(m_p->controlClass);
    Frame* reply = replies.Build(FrameKind::NOTIFICATION, frame, ACK_FRAME_BYTES);
    reply->msn = WrccFcnp::KIND;
    reply->psn = frame.psn;
    WrccFcnp& fcnp = reply->Extend<WrccFcnp>();
    fcnp.domainId = m_domain;
    fcnp.fbdp = header.fbdp;
    fcnp.psn = static_cast<uint32_t>(frame.psn & 0xffffff);
    fcnp.fairRateMbps = fairRateMbps;
    ++m_fcnps;
    m_fcnpTrace(frame.src, frame.srcQp, fairRateMbps, PicoSeconds(nowPs));
    m_at->Emit(reply, nowPs);
}

/// @return whether this switch tells the sender of its rate itself, see section 3.2: it is near the
/// source, and no ACK has come yet or ACKs come from far away
bool
WrccFairRate::IsToldAtOnce(const WrccHeader& header) const
{
    return header.domainId == m_domain && (header.fbdp & WrccHeader::BURST);
}

/// @return whether the interval of the flow is over; then it begins again
bool
WrccFairRate::MayTell(const Frame& frame, int64_t nowPs)
{
    int64_t* toldPs;
    if (m_toldPs.empty())
    {
        toldPs = &m_flows.Touch(FlowOfData(frame), nowPs).atPs;
    }
    else
    {
        const uint64_t tuple = Mix64(static_cast<uint64_t>(frame.src) << 32 | frame.dst);
        toldPs = &m_toldPs[Mix64(tuple ^ frame.entropy) & (m_toldPs.size() - 1)];
    }
    if (nowPs - *toldPs <= m_p->fcnpIntervalPs)
    {
        return false;
    }
    *toldPs = nowPs;
    return true;
}

namespace
{

SeriesValues
ValuesOf(const WrccPortRate& rate)
{
    const WrccPortRate::Branch branch = rate.GetBranch();
    return {rate.GetRateBps(),
            rate.GetInputBps(),
            rate.GetSlowDown(),
            std::llround(rate.GetAvgRttUs() * 1e3),
            std::llround(rate.GetExtraBytes()),
            branch == WrccPortRate::Branch::AI     ? "ai"
            : branch == WrccPortRate::Branch::MD   ? "md"
            : branch == WrccPortRate::Branch::HOLD ? "hold"
                                                   : "none",
            rate.GetQueueBytes(),
            rate.GetThresholdBytes(),
            rate.GetPauses()};
}

/// The fair rate of each port, and counters of its last period. On change (trace source Period)
/// when the first frame after the end of a period meets the new rate.
void
OfferFairRates(Switch& sw, SeriesOffer& offer)
{
    auto* const stage = sw.FindStage<WrccFairRate>();
    if (!stage)
    {
        return;
    }
    offer.visit = [&sw, stage](int64_t nowPs, const SeriesOffer::Take& take) {
        for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
        {
            take(p, ValuesOf(stage->Look(p, nowPs)));
        }
    };
    if (offer.tell)
    {
        ConnectTrace<uint16_t, const WrccPortRate&, Time, Time>(
            *stage,
            "Period",
            [tell = offer.tell](uint16_t port, const WrccPortRate& rate, Time, Time at) {
                tell(at, port, ValuesOf(rate));
            });
    }
}

[[maybe_unused]] const bool g_fairRates =
    StationSeries::Register({"pfr",
                             SeriesSubject::PORTS,
                             "pfr.csv, WRCC's fair rates of switch ports",
                             "{port} fair rate",
                             "bit/s",
                             {{"port", SeriesForm::PORT},
                              {"fair_rate_bps", SeriesForm::WHOLE, STEADY | DRAWN},
                              {"input_bps", SeriesForm::WHOLE, SILENT},
                              {"slow_down", SeriesForm::SHARE},
                              {"avg_rtt_ns", SeriesForm::COUNT},
                              {"extra_bytes", SeriesForm::SIGNED},
                              {"branch", SeriesForm::TEXT},
                              {"queue_bytes", SeriesForm::COUNT},
                              {"threshold_bytes", SeriesForm::COUNT},
                              {"pauses", SeriesForm::COUNT}}},
                            OfferFairRates);

[[maybe_unused]] const bool g_fcnps =
    NotificationForm::Register({WrccFcnp::KIND, "fcnp", [](const Frame& frame) {
                                    const auto* fcnp = frame.FindExtension<WrccFcnp>();
                                    return uint64_t{fcnp->fairRateMbps} * 1000000;
                                }});

} // namespace

} // namespace ns3::roce
