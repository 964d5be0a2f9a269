// SPDX-License-Identifier: GPL-2.0-only
#include "roce-bicc.h"

#include "ns3/roce-counters.h"
#include "ns3/roce-deployment.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-plain-queue.h"
#include "ns3/roce-reply-builder.h"
#include "ns3/roce-station-series.h"
#include "ns3/roce-switch.h"
#include "ns3/roce-time.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Bicc);

const ParameterTable<BiccParams>&
BiccParams::Table()
{
    using P = BiccParams;
    using N = BiccNearSource::Settings;
    using R = BiccReceiverSide::Settings;
    using Marks = BiccNearSource::Marks;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::Bicc")
            .Duration("CnpInterval",
                      Nested(&P::nearSource, &N::cnpIntervalPs),
                      {50 * PS_PER_US},
                      Range::AtLeast(0))
            .Help("Near source: least time between two CNPs of a flow (DCQCN's receivers: 50 us); "
                  "0: a CNP for each congested frame")
            .Size("Kmin", Nested(&P::nearSource, &N::kminBytes), {100000}, Range::AtLeast(0))
            .Help("Near source: at or below this length of the WAN port's queue there is no CNP; "
                  "at ReferenceRate. Open: RED as EcnMarker has it")
            .Size("Kmax", Nested(&P::nearSource, &N::kmaxBytes), {400000}, Range::AtLeast(0))
            .Help("Near source: above this length each frame is congested; at ReferenceRate")
            .Number("Pmax", Nested(&P::nearSource, &N::pmax), {0.2}, Range::Within(0, 1))
            .Help("Near source: probability at Kmax")
            .Rate("ReferenceRate",
                  Nested(&P::nearSource, &N::referenceRateBps),
                  {25000000000},
                  Range::AtLeast(0))
            .Help("Near source: Kmin and Kmax scale with a WAN port's rate over this one; 0: they "
                  "do not")
            .Choice("AnswerMarks",
                    Nested(&P::nearSource, &N::marks),
                    {Marks::DATACENTER},
                    {{"none", Marks::NONE}, {"datacenter", Marks::DATACENTER}, {"all", Marks::ALL}})
            .Help("Near source: which other marks give a CNP, too: none, datacenter (those that "
                  "arriving data have) or all (also those of other stages of this switch, such as "
                  "EcnMarker, which sees the queue that Kmin and Kmax are for). Open: the loop is "
                  "for the sender's datacenter, whose congestion they are")
            .Count("ControlClass", &P::controlClass, {6}, Range::Within(0, 7))
            .Help("Near source: traffic class of its CNPs")
            .Number("Gain", Nested(&P::receiverSide, &R::gain), {1.0 / 16}, Range::AboveUpTo(0, 1))
            .Help("Receiver side: g of alpha's average. Open: greater than DCQCN's 1/256, since "
                  "the loop is a round trip within the datacenter")
            .Constants({{"InitialAlpha", "1"},
                        {"ResetAlpha", "true"},
                        {"RecoveryPeriod", "55us"},
                        {"VoqChoice", "hash"}})
            .Duration("AlphaPeriod",
                      Nested(&P::receiverSide, &R::alphaPeriodPs),
                      {55 * PS_PER_US},
                      Range::Above(0))
            .Help("Receiver side: alpha decays by 1 - g in this time (DCQCN)")
            .Duration("CutPeriod",
                      Nested(&P::receiverSide, &R::cutPeriodPs),
                      {50 * PS_PER_US},
                      Range::AtLeast(0))
            .Help("Receiver side: at most one cut of a queue in this time. Open: DCQCN's interval "
                  "between the CNPs of a flow, for all flows of a queue")
            .Rate("AiRate", Nested(&P::receiverSide, &R::aiRateBps), {500000000}, Range::Above(0))
            .Help("Receiver side: step of the recovery. Open: ten times DCQCN's, since the rate is "
                  "that of all flows of a destination, and there is no fast recovery")
            .Rate("MaxRate", Nested(&P::receiverSide, &R::maxRateBps), {0}, Range::AtLeast(0))
            .Help("Receiver side: greatest rate of a queue; 0: the port's. Open: the switch does "
                  "not know how fast destinations are")
            .Rate("MinRate",
                  Nested(&P::receiverSide, &R::minRateBps),
                  {100000000},
                  Range::AtLeast(1000))
            .Help("Receiver side: least rate of a queue. Open: a frame each 0.3 ms, so that its "
                  "destination is known")
            .Size("PassCnpsAbove",
                  Nested(&P::receiverSide, &R::passAboveBytes),
                  {0},
                  Range::AtLeast(0))
            .Help("Receiver side: CNPs of destinations whose queue is longer are forwarded to the "
                  "senders; 0: never. Open: BiCC's third loop, from end to end, is unknown")
            .Live()
            .Count("Voqs", Nested(&P::receiverSide, &R::voqs), {128}, Range::Within(1, 65536))
            .Help("Receiver side: virtual output queues of each port (WRCC paper, 4.1: 128)")
            .Finish([](P& p, const Parameters<P>&) {
                const N& n = p.nearSource;
                Table().Require(n.kminBytes <= n.kmaxBytes,
                                "Kmin",
                                std::to_string(n.kminBytes) + " B",
                                "at most Kmax, " + std::to_string(n.kmaxBytes) + " B");
            });
    return table;
}

TypeId
Bicc::GetTypeId()
{
    static const TypeId tid =
        BiccParams::Table()
            .AddTo(TypeId("ns3::roce::Bicc")
                       .SetParent<SwitchStage>()
                       .SetGroupName("Roce")
                       .AddConstructor<Bicc>(),
                   &Bicc::m_parameters)
            .AddTraceSource("NearCnp",
                            "A CNP is sent to the near source of a flow",
                            MakeTraceSourceAccessor(&Bicc::m_nearCnpTrace),
                            "ns3::roce::Bicc::NearCnpCallback")
            .AddTraceSource("Cut",
                            "A CNP has cut the rate of a virtual output queue",
                            MakeTraceSourceAccessor(&Bicc::m_cutTrace),
                            "ns3::roce::Bicc::CutCallback");
    return tid;
}

// ---------------------------------------------------------------- set-up

void
Bicc::Check(const Deployment& deployment) const
{
    m_parameters.Get();
    for (const Deployment::Transport& transport : deployment.GetTransports())
    {
        // Any class of law: receivers must send CNPs and senders react to them.
        if (transport.interDc &&
            !dynamic_cast<const EcnCnpFeedback*>(PeekPointer(transport.feedback)))
        {
            const std::string law = transport.law->GetInstanceTypeId().GetName();
            throw InputError("--edge=Bicc steers senders by CNPs, but rate law " +
                             law.substr(law.rfind(':') + 1) +
                             " between datacenters has receivers that send none; expected Dcqcn "
                             "without CnpInAck (--cc or --interCc)");
        }
    }
}

void
Bicc::Install(Switch& sw)
{
    m_p = m_parameters.Get();
    m_switch = &sw;
    DatacenterEdge::RequireWanLink(sw, "stage Bicc");
    m_edge.Install(sw);
    std::vector<uint64_t> rates;
    std::vector<uint64_t> inwardRates;
    for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
    {
        m_isWan.push_back(sw.IsWanPort(p));
        rates.push_back(sw.GetPort(p)->GetRateBps());
        inwardRates.push_back(m_isWan[p] ? 0 : rates[p]);
        for (uint8_t c = 0; c < N_CLASSES; ++c)
        {
            m_losslessMask |= sw.GetBuffer().IsLossless(p, c) << c;
        }
    }
    m_nearSource.Configure(m_p->nearSource, rates);
    m_receiverSide.Configure(m_p->receiverSide, inwardRates);
    m_voqs.resize(sw.GetNPorts());
    for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
    {
        if (m_isWan[p])
        {
            continue;
        }
        m_voqs[p] = MakeQueueLike<ShapedScheduler>(sw, p, "stage Bicc");
        m_voqs[p]->Configure(this, *sw.GetPort(p));
        sw.SetQueue(p, m_voqs[p]);
    }
}

void
Bicc::OnRetune(const BiccParams&, int64_t nowPs)
{
    m_nearSource.Retune(m_p->nearSource);
    m_receiverSide.Retune(m_p->receiverSide, nowPs);
    for (uint16_t p = 0; p < m_voqs.size(); ++p)
    {
        bool sooner = false;
        for (uint32_t voq = 0; m_voqs[p] && voq < m_receiverSide.GetNQueues(); ++voq)
        {
            sooner = m_voqs[p]->Repace(voq, nowPs) || sooner;
        }
        if (sooner)
        {
            m_switch->Kick(p, nowPs);
        }
    }
}

int64_t
Bicc::AssignStreams(int64_t stream)
{
    m_nearSource.SetStream(stream);
    return 1;
}

void
Bicc::Count(std::map<std::string, uint64_t>& counters) const
{
    counters["biccNearCnps"] += m_counters.nearCnps;
    counters["biccNearSuppressed"] += m_counters.nearSuppressed;
    counters["biccMarksCleared"] += m_nearSource.GetCleared();
    counters["biccCnpsConsumed"] += m_counters.cnpsConsumed;
    counters["biccCnpsPassed"] += m_counters.cnpsPassed;
    counters["biccCuts"] += m_counters.cuts;
    for (const Ptr<ShapedScheduler>& voqs : m_voqs)
    {
        AddCounter(counters, "biccVoqsPeak", voqs ? voqs->GetPeakQueues() : 0);
    }
}

// ---------------------------------------------------------------- near source

void
Bicc::Tell(BiccNearSource::Answer answer, const Frame& data, int64_t nowPs)
{
    if (answer == BiccNearSource::Answer::CNP)
    {
        ++m_counters.nearCnps;
        m_nearCnpTrace(data.src, data.srcQp, PicoSeconds(nowPs));
        ReplyBuilder replies;
        replies.trafficClass = m_p->controlClass;
        m_switch->Emit(replies.Build(FrameKind::CNP, data, CNP_FRAME_BYTES), nowPs);
    }
    m_counters.nearSuppressed += answer == BiccNearSource::Answer::SUPPRESSED;
}

SwitchStage::Verdict
Bicc::OnArrival(Frame& frame, Port&, int64_t nowPs)
{
    if (!m_edge.Leaves(frame))
    {
        return Verdict::PASS;
    }
    if (frame.kind == FrameKind::CNP)
    {
        return OnReturningCnp(frame, nowPs);
    }
    Tell(m_nearSource.OnArrival(frame, nowPs), frame, nowPs);
    return Verdict::PASS;
}

SwitchStage::Verdict
Bicc::OnDequeue(Frame& frame, Port& out, const EgressScheduler& queue, int64_t nowPs)
{
    if (m_isWan[out.GetIndex()] && frame.kind == FrameKind::DATA && m_edge.IsOwn(frame.src))
    {
        const uint64_t queueBytes = queue.GetLineBytes(frame.trafficClass);
        Tell(m_nearSource.OnDeparture(frame, out.GetIndex(), queueBytes, nowPs), frame, nowPs);
    }
    return Verdict::PASS;
}

// ---------------------------------------------------------------- receiver side

uint32_t
Bicc::Classify(const Frame& frame, uint16_t, int64_t)
{
    const bool isLoad =
        frame.kind == FrameKind::DATA ||
        (frame.kind == FrameKind::PACKET && (m_losslessMask >> frame.trafficClass & 1));
    return isLoad && m_edge.Enters(frame) ? m_receiverSide.QueueOf(frame.dst)
                                          : ShapedScheduler::UNSHAPED;
}

uint64_t
Bicc::GetRateBps(uint32_t key, uint16_t port, int64_t nowPs)
{
    return m_receiverSide.GetRateBps(port, key, nowPs);
}

/// A host of this datacenter reports congestion to a sender in another one.
SwitchStage::Verdict
Bicc::OnReturningCnp(const Frame& cnp, int64_t nowPs)
{
    const uint32_t voq = m_receiverSide.QueueOf(cnp.src);
    const uint16_t port = m_switch->GetRouting().Foresee(cnp.dst, cnp.src, cnp.entropy, false);
    if (port == Routing::NO_PORT || !m_receiverSide.HasQueues(port))
    {
        ++m_counters.cnpsPassed; // no data for it come through here
        return Verdict::PASS;
    }
    const uint32_t above = m_p->receiverSide.passAboveBytes;
    const bool passes = above && m_voqs[port]->GetKeyBytes(voq) > above;
    if (m_receiverSide.OnCnp(port, voq, nowPs))
    {
        ++m_counters.cuts;
        m_voqs[port]->Repace(voq, nowPs); // later than before: no need to wake the port
        m_cutTrace(port,
                   voq,
                   m_receiverSide.GetRateBps(port, voq, nowPs),
                   m_receiverSide.GetAlpha(port, voq, nowPs),
                   PicoSeconds(nowPs));
    }
    ++(passes ? m_counters.cnpsPassed : m_counters.cnpsConsumed);
    return passes ? Verdict::PASS : Verdict::CONSUME;
}

namespace
{

/// Trace sources ShapedScheduler/Queue and Cut. @param tell called with port and VOQ
void
WatchVoqs(Bicc& stage, uint16_t nPorts, const std::function<void(uint16_t, uint32_t, Time)>& tell)
{
    for (uint16_t p = 0; p < nPorts; ++p)
    {
        if (const Ptr<ShapedScheduler> voqs = stage.GetVoqs(p))
        {
            ConnectTrace<uint32_t, uint64_t, Time>(
                *voqs,
                "Queue",
                [tell, p](uint32_t voq, uint64_t, Time at) { tell(p, voq, at); });
        }
    }
    ConnectTrace<uint16_t, uint32_t, uint64_t, double, Time>(
        stage,
        "Cut",
        [tell](uint16_t port, uint32_t voq, uint64_t, double, Time at) { tell(port, voq, at); });
}

/// VOQs of ports into the datacenter. On change a row per frame in or out and per cut of the rate.
void
OfferVoqs(Switch& sw, SeriesOffer& offer)
{
    auto* const stage = sw.FindStage<Bicc>();
    if (!stage)
    {
        return;
    }
    const auto look = [stage](uint16_t port, uint32_t voq, int64_t nowPs) -> SeriesValues {
        return {voq,
                stage->GetVoqs(port)->GetKeyBytes(voq),
                stage->GetReceiverSide().GetRateBps(port, voq, nowPs)};
    };
    offer.visit = [&sw, stage, look](int64_t nowPs, const SeriesOffer::Take& take) {
        for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
        {
            const uint32_t voqs = stage->GetVoqs(p) ? stage->GetReceiverSide().GetNQueues() : 0;
            for (uint32_t voq = 0; voq < voqs; ++voq)
            {
                take(p, look(p, voq, nowPs));
            }
        }
    };
    if (offer.tell)
    {
        WatchVoqs(*stage,
                  sw.GetNPorts(),
                  [look, tell = offer.tell](uint16_t p, uint32_t voq, Time at) {
                      tell(at, p, look(p, voq, at.GetPicoSeconds()));
                  });
    }
}

[[maybe_unused]] const bool g_voqs =
    StationSeries::Register({"voqs",
                             SeriesSubject::PORTS,
                             "voqs.csv, BiCC's virtual output queues at external switches",
                             "{port} VOQ {voq}",
                             "bytes",
                             {{"port", SeriesForm::PORT},
                              {"voq", SeriesForm::COUNT, KEY},
                              {"queue_bytes", SeriesForm::COUNT, SILENT | DRAWN},
                              {"rate_bps", SeriesForm::COUNT}}},
                            OfferVoqs);

} // namespace

} // namespace ns3::roce
