// SPDX-License-Identifier: GPL-2.0-only
#include "roce-mlcc-receiver-side.h"

#include "roce-mlcc-edge.h"
#include "roce-mlcc-header.h"

#include "ns3/roce-counters.h"
#include "ns3/roce-parameter-value.h"
#include "ns3/roce-plain-queue.h"
#include "ns3/roce-station-series.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(MlccReceiverSide);

const ParameterTable<MlccReceiverSideParams>&
MlccReceiverSideParams::Table()
{
    using P = MlccReceiverSideParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::MlccReceiverSide")
            .Rate("PfqInitialRate", &P::initialRateBps, {0}, Range::AtLeast(0))
            .Help("Rate of a new queue; 0: that of the fastest server in the datacenter. Open: so "
                  "a flow's first round trip is as without MLCC")
            .Flag("IntReportsPfq", &P::reportsPfq, {false})
            .Help("The queue length in this switch's hop record includes bytes that rates hold "
                  "back. Open: a backlog would lower its own rate")
            .Live()
            .Duration("PfqTimeout",
                      &P::timeoutPs,
                      {0},
                      Range::Within(0, 24.0 * 3600 * 1e12)) // as ShapedScheduler::IdleTimeout
            .Help("A queue that has been empty for this long is freed; 0: a round trip between the "
                  "datacenters, propagation of the longest way. Open");
    return table;
}

TypeId
MlccReceiverSide::GetTypeId()
{
    static const TypeId tid =
        MlccReceiverSideParams::Table()
            .AddTo(TypeId("ns3::roce::MlccReceiverSide")
                       .SetParent<SwitchStage>()
                       .SetGroupName("Roce")
                       .AddConstructor<MlccReceiverSide>(),
                   &MlccReceiverSide::m_parameters)
            .AddTraceSource("Queue",
                            "A frame has entered or left the queue of a flow",
                            MakeTraceSourceAccessor(&MlccReceiverSide::m_queueTrace),
                            "ns3::roce::MlccReceiverSide::QueueCallback")
            .AddTraceSource("Credit",
                            "An ACK has brought a flow's queue another rate",
                            MakeTraceSourceAccessor(&MlccReceiverSide::m_creditTrace),
                            "ns3::roce::MlccReceiverSide::CreditCallback")
            .AddTraceSource("Flows",
                            "A flow's first queue is made, or its last one is freed",
                            MakeTraceSourceAccessor(&MlccReceiverSide::m_flowsTrace),
                            "ns3::roce::MlccReceiverSide::FlowsCallback");
    return tid;
}

// ---------------------------------------------------------------- set-up

void
MlccReceiverSide::Check(const Deployment& deployment) const
{
    m_parameters.Get();
    CheckMlccEdge(deployment, "ns3::roce::MlccReceiverSide");
}

std::vector<std::string>
MlccReceiverSide::GetWarnings(const Deployment& deployment) const
{
    std::vector<std::string> lines;
    if (const uint32_t count = DatacenterEdge::CountExternals(*m_at); count > 1)
    {
        lines.push_back("ns3::roce::MlccReceiverSide: there are " + std::to_string(count) +
                        " external switches in a datacenter, and ACKs that return through another "
                        "one than their data came through do not set the rate of their flow's "
                        "queue; with one all do");
    }
    for (const Deployment::Transport& transport : deployment.GetTransports())
    {
        ParameterValue queue; // of timers that count on it
        if (transport.interDc && dynamic_cast<const Mlcc*>(PeekPointer(transport.law)) &&
            transport.recovery->GetAttributeFailSafe("QueueBytes", queue) && !queue.IsGiven())
        {
            lines.push_back("ns3::roce::MlccReceiverSide: packets wait for milliseconds in the "
                            "queues of flows, and " +
                            transport.recovery->GetInstanceTypeId().GetName() +
                            " repeats them, because its timers count on short queues; GoBackN, "
                            "SelectiveRepeat or a larger QueueBytes would let them wait");
        }
    }
    return lines;
}

void
MlccReceiverSide::Install(Switch& sw)
{
    m_p = m_parameters.Get();
    DatacenterEdge::RequireWanLink(sw, "ns3::roce::MlccReceiverSide");
    m_at = &sw;
    m_edge.Install(sw);
    m_serverBps = DatacenterEdge::Measure(sw).fastestNicBps;
    m_hopBytes = GetHopBytes(sw);
    const int64_t timeoutPs =
        m_p->timeoutPs ? m_p->timeoutPs : DatacenterEdge::LongestRoundTripPs(sw);
    m_queues.resize(sw.GetNPorts());
    m_portBytes.resize(sw.GetNPorts());
    for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
    {
        if (!sw.IsWanPort(p))
        {
            m_queues[p] = MakeQueueLike<ShapedScheduler>(sw, p, "ns3::roce::MlccReceiverSide");
            m_queues[p]->SetAttribute("IdleTimeout", TimeValue(PicoSeconds(timeoutPs)));
            m_queues[p]->Configure(this, *sw.GetPort(p));
            sw.SetQueue(p, m_queues[p]);
        }
    }
}

void
MlccReceiverSide::Count(std::map<std::string, uint64_t>& counters) const
{
    counters["mlccPfqs"] += m_counters.queues;
    counters["mlccCredits"] += m_counters.credits;
    counters["mlccStrayAcks"] += m_counters.strayAcks;
    AddCounter(counters, "mlccFlowsPeak", m_counters.flowsPeak);
    AddCounter(counters, "mlccPfqBytesPeak", m_counters.flowBytesPeak);
    AddCounter(counters, "mlccQueueBytesPeak", m_counters.bytesPeak);
}

// ---------------------------------------------------------------- flows and their queues

uint32_t
MlccReceiverSide::FindOrMake(FlowKey flow)
{
    const auto [found, isNew] = m_byFlow.try_emplace(flow, 0);
    if (isNew)
    {
        if (m_freeKeys.empty())
        {
            m_freeKeys.push_back(static_cast<uint32_t>(m_flows.size()));
            m_flows.emplace_back();
        }
        found->second = m_freeKeys.back();
        m_freeKeys.pop_back();
        m_flows[found->second] =
            {flow, 0, m_p->initialRateBps ? m_p->initialRateBps : m_serverBps, 0, 0, 0};
    }
    return found->second;
}

void
MlccReceiverSide::OnMade(uint32_t key, uint16_t port, int64_t nowPs)
{
    ++m_counters.queues;
    Flow& flow = m_flows[key];
    flow.port = !flow.queues || flow.port == port ? port : Flow::SEVERAL;
    if (flow.queues++ == 0)
    {
        m_counters.flowsPeak = std::max<uint64_t>(m_counters.flowsPeak, m_byFlow.size());
        m_flowsTrace(static_cast<uint32_t>(m_byFlow.size()), PicoSeconds(nowPs));
    }
}

void
MlccReceiverSide::OnForgotten(uint32_t key, uint16_t, int64_t nowPs)
{
    if (--m_flows[key].queues == 0)
    {
        m_byFlow.erase(m_flows[key].flow);
        m_freeKeys.push_back(key);
        m_flowsTrace(static_cast<uint32_t>(m_byFlow.size()), PicoSeconds(nowPs));
    }
}

void
MlccReceiverSide::FreeIdle(int64_t nowPs)
{
    if (nowPs < m_freePs)
    {
        return;
    }
    m_freePs = INT64_MAX;
    for (const Ptr<ShapedScheduler>& queues : m_queues)
    {
        if (queues)
        {
            queues->Forget(nowPs);
            // one that is not empty yet is not due sooner than in a whole timeout
            m_freePs = std::min({m_freePs, queues->NextForgetPs(), nowPs + queues->GetIdlePs()});
        }
    }
}

uint64_t
MlccReceiverSide::BytesOf(uint32_t key) const
{
    uint64_t bytes = 0;
    for (const Ptr<ShapedScheduler>& queues : m_queues)
    {
        bytes += queues ? queues->GetKeyBytes(key) : 0;
    }
    return bytes;
}

/// The queues of a port have another length.
inline void
MlccReceiverSide::NoteBytes(uint16_t port, uint64_t bytes)
{
    m_totalBytes += bytes - m_portBytes[port];
    m_portBytes[port] = bytes;
    m_counters.bytesPeak = std::max(m_counters.bytesPeak, m_totalBytes);
}

inline void
MlccReceiverSide::TraceQueue(uint32_t key, uint64_t bytes, int64_t nowPs) const
{
    if (__builtin_expect(!m_queueTrace.IsEmpty(), 0))
    {
        const FlowKey flow = m_flows[key].flow;
        m_queueTrace(NicOfFlow(flow), QpOfFlow(flow), bytes, m_totalBytes, PicoSeconds(nowPs));
    }
}

// ---------------------------------------------------------------- frames

uint32_t
MlccReceiverSide::Classify(const Frame& frame, uint16_t port, int64_t nowPs)
{
    if (frame.kind != FrameKind::DATA || !frame.FindExtension<MlccHeader>() ||
        !m_edge.Enters(frame))
    {
        return ShapedScheduler::UNSHAPED;
    }
    const uint32_t key = FindOrMake(FlowOfData(frame));
    m_flows[key].cookie = frame.cookie;
    // It is about to enter.
    const ShapedScheduler& queues = *m_queues[port];
    const uint64_t bytes = queues.GetKeyBytes(key) + frame.frameBytes;
    m_counters.flowBytesPeak = std::max(m_counters.flowBytesPeak, bytes);
    NoteBytes(port, queues.GetKeyedBytes() + frame.frameBytes);
    TraceQueue(key, bytes, nowPs);
    return key;
}

uint64_t
MlccReceiverSide::GetRateBps(uint32_t key, uint16_t, int64_t)
{
    return m_flows[key].rateBps;
}

SwitchStage::Verdict
MlccReceiverSide::OnArrival(Frame& frame, Port&, int64_t nowPs)
{
    if (frame.kind != FrameKind::DATA && m_edge.Leaves(frame))
    {
        OnAck(frame, nowPs);
    }
    return Verdict::PASS;
}

void
MlccReceiverSide::OnAck(const Frame& ack, int64_t nowPs)
{
    const MlccHeader* header = ack.FindExtension<MlccHeader>();
    if (!header || !header->word)
    {
        return; // sent by a timer, or by another law's receiver
    }
    FreeIdle(nowPs); // not the flow's next frame decides whether this one is for its queue
    const auto found = m_byFlow.find(FlowOfAck(ack));
    if (found == m_byFlow.end())
    {
        ++m_counters.strayAcks;
        return;
    }
    const uint32_t key = found->second;
    Flow& flow = m_flows[key];
    flow.epoch = header->epoch;
    if (header->GetCreditBps() == flow.rateBps)
    {
        return;
    }
    flow.rateBps = header->GetCreditBps();
    ++m_counters.credits;
    m_creditTrace(ack.dst, ack.dstQp, flow.rateBps, flow.epoch, PicoSeconds(nowPs));
    if (flow.port != Flow::SEVERAL)
    {
        Repace(key, flow.port, nowPs);
        return;
    }
    for (uint16_t p = 0; p < m_queues.size(); ++p)
    {
        if (m_queues[p])
        {
            Repace(key, p, nowPs);
        }
    }
}

/// The flow's rate is another one.
void
MlccReceiverSide::Repace(uint32_t key, uint16_t port, int64_t nowPs)
{
    if (m_queues[port]->Repace(key, nowPs))
    {
        m_at->Kick(port, nowPs);
    }
}

SwitchStage::Verdict
MlccReceiverSide::OnDequeue(Frame& frame, Port& out, const EgressScheduler&, int64_t nowPs)
{
    const uint16_t port = out.GetIndex();
    if (frame.kind != FrameKind::DATA || !m_queues[port])
    {
        return Verdict::PASS;
    }
    const uint32_t key = m_queues[port]->GetLastKey();
    if (key != ShapedScheduler::UNSHAPED)
    {
        Stamp(frame, port, key);
        NoteBytes(port, m_queues[port]->GetKeyedBytes());
        TraceQueue(key, m_queues[port]->GetKeyBytes(key), nowPs);
    }
    return Verdict::PASS;
}

/// A frame has left its queue.
void
MlccReceiverSide::Stamp(Frame& data, uint16_t port, uint32_t key) const
{
    if (data.telemetry)
    {
        const uint64_t own = static_cast<uint64_t>(m_at->GetNodeId()) << 16 | port;
        const bool stamped =
            data.telemetry.hops && data.telemetry.At(data.telemetry.hops - 1).hopId == own;
        KeepLastHops(data, stamped, m_hopBytes);
        if (stamped && m_p->reportsPfq)
        {
            data.telemetry.At(0).queueBytes = m_queues[port]->GetTotalBytes();
        }
    }
    MlccHeader& header = *data.FindExtension<MlccHeader>();
    header.epoch = m_flows[key].epoch;
    header.SetQueueBytes(m_queues[port]->GetKeyWireBytes(key));
}

namespace
{

/// Queues of flows. On change (trace source Queue) a row per frame in or out.
void
OfferQueues(Switch& sw, SeriesOffer& offer)
{
    using Flow = MlccReceiverSide::Flow;
    auto* const stage = sw.FindStage<MlccReceiverSide>();
    if (!stage)
    {
        return;
    }
    const auto look = [](const Flow& flow, uint64_t bytes) -> SeriesValues {
        return {NicOfFlow(flow.flow),
                QpOfFlow(flow.flow),
                flow.cookie,
                bytes,
                flow.rateBps,
                flow.epoch};
    };
    offer.visit = [stage, look](int64_t, const SeriesOffer::Take& take) {
        stage->ForFlows([&](const Flow& flow, uint64_t bytes) { take(0, look(flow, bytes)); });
    };
    if (offer.tell)
    {
        ConnectTrace<uint32_t, uint32_t, uint64_t, uint64_t, Time>(
            *stage,
            "Queue",
            [=, tell = offer.tell](uint32_t nic, uint32_t qp, uint64_t bytes, uint64_t, Time at) {
                if (const Flow* flow = stage->FindFlow(MakeFlowKey(nic, qp)))
                {
                    tell(at, 0, look(*flow, bytes));
                }
            });
    }
}

// A queue is of a sending NIC and its queue pair; flow is the one whose data came last, its number
// in flows.csv; epoch is C_D.
[[maybe_unused]] const bool g_pfq =
    StationSeries::Register({"pfq",
                             SeriesSubject::PORTS,
                             "pfq.csv, MLCC's queues of flows at external switches",
                             "queue of NIC {src} QP {qp}",
                             "bytes",
                             {{"src", SeriesForm::COUNT, KEY},
                              {"qp", SeriesForm::COUNT, KEY},
                              {"flow", SeriesForm::COUNT},
                              {"queue_bytes", SeriesForm::COUNT, SILENT | DRAWN},
                              {"rate_bps", SeriesForm::COUNT},
                              {"epoch", SeriesForm::COUNT}}},
                            OfferQueues);

} // namespace

} // namespace ns3::roce
