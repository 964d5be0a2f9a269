// SPDX-License-Identifier: GPL-2.0-only
#include "roce-mlcc-near-source.h"

#include "roce-mlcc-edge.h"
#include "roce-mlcc-header.h"

#include "ns3/roce-notification-series.h"
#include "ns3/roce-port.h"
#include "ns3/roce-reply-builder.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(MlccNearSource);

const ParameterTable<MlccNearSourceParams>&
MlccNearSourceParams::Table()
{
    using P = MlccNearSourceParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::MlccNearSource")
            .Duration("SwitchIntMinInterval", &P::minIntervalPs, {0}, Range::AtLeast(0))
            .Help("Least time between two Switch-INTs of a flow; 0: one for each data frame. Open: "
                  "as HPCC's ACKs")
            .Live()
            .Flag("SwitchIntIncludeWanHop", &P::includesWanHop, {true})
            .Help("The WAN port of this switch is among the records. The paper names only the "
                  "switches before it, but then nothing would control its queue")
            .Count("ControlClass", &P::controlClass, {6}, Range::Within(0, 7))
            .Help("Traffic class of Switch-INTs");
    return table;
}

TypeId
MlccNearSource::GetTypeId()
{
    static const TypeId tid =
        MlccNearSourceParams::Table()
            .AddTo(TypeId("ns3::roce::MlccNearSource")
                       .SetParent<SwitchStage>()
                       .SetGroupName("Roce")
                       .AddConstructor<MlccNearSource>(),
                   &MlccNearSource::m_parameters)
            .AddTraceSource("SwitchInt",
                            "The records of a data frame are sent to its sender",
                            MakeTraceSourceAccessor(&MlccNearSource::m_switchIntTrace),
                            "ns3::roce::MlccNearSource::SwitchIntCallback");
    return tid;
}

// ---------------------------------------------------------------- set-up

uint32_t
MlccNearSource::GetHooks() const
{
    return m_p->includesWanHop ? DEQUEUE : ARRIVAL | DEQUEUE;
}

void
MlccNearSource::Check(const Deployment& deployment) const
{
    m_parameters.Get();
    CheckMlccEdge(deployment, "ns3::roce::MlccNearSource");
}

void
MlccNearSource::Install(Switch& sw)
{
    m_p = m_parameters.Get();
    DatacenterEdge::RequireWanLink(sw, "ns3::roce::MlccNearSource");
    m_at = &sw;
    m_edge.Install(sw);
    for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
    {
        m_isWan.push_back(sw.IsWanPort(p));
    }
    m_hopBytes = GetHopBytes(sw);
    SetFlowTimeout();
}

void
MlccNearSource::SetFlowTimeout()
{
    // A message about a forgotten flow may be sent anyway. Not sooner than in 1 ms: it costs work.
    m_flows.SetTimeout(std::max<int64_t>(m_p->minIntervalPs, 1000000000));
}

void
MlccNearSource::OnRetune(const MlccNearSourceParams&, int64_t)
{
    SetFlowTimeout();
}

void
MlccNearSource::Count(std::map<std::string, uint64_t>& counters) const
{
    counters["mlccSwitchInts"] += m_told;
    counters["mlccSwitchIntBytes"] += m_toldBytes;
    counters["mlccSwitchIntsSuppressed"] += m_suppressed;
    counters["mlccNearMarksCleared"] += m_cleared;
}

// ---------------------------------------------------------------- frames

inline bool
MlccNearSource::IsServed(const Frame& data) const
{
    return data.FindExtension<MlccHeader>() && m_edge.Leaves(data);
}

SwitchStage::Verdict
MlccNearSource::OnArrival(Frame& frame, Port&, int64_t nowPs)
{
    if (IsServed(frame))
    {
        Tell(frame, nowPs);
    }
    return Verdict::PASS;
}

SwitchStage::Verdict
MlccNearSource::OnDequeue(Frame& frame, Port& out, const EgressScheduler&, int64_t nowPs)
{
    if (!m_isWan[out.GetIndex()] || !IsServed(frame))
    {
        return Verdict::PASS;
    }
    if (m_p->includesWanHop)
    {
        Tell(frame, nowPs);
    }
    else
    {
        Empty(frame); // of the own record
    }
    return Verdict::PASS;
}

void
MlccNearSource::Empty(Frame& data) const
{
    if (data.telemetry)
    {
        KeepLastHops(data, 0, m_hopBytes);
    }
}

void
MlccNearSource::Tell(Frame& data, int64_t nowPs)
{
    bool marked = data.ecn == ECN_CE;
    if (marked)
    {
        data.ecn = ECN_ECT0;
        ++m_cleared;
    }
    if (m_p->minIntervalPs > 0)
    {
        Flow& flow = m_flows.Touch(FlowOfData(data), nowPs);
        marked = marked || flow.marked;
        if (nowPs - flow.toldPs < m_p->minIntervalPs)
        {
            flow.marked = marked;
            ++m_suppressed;
            Empty(data);
            return;
        }
        flow = {nowPs, false};
    }
    ReplyBuilder replies;
    replies.trafficClass = static_cast<uint8_t>(m_p->controlClass);
    Frame* reply =
        replies.Build(FrameKind::NOTIFICATION, data, ACK_FRAME_BYTES + data.telemetryBytes);
    reply->msn = MlccSwitchInt::KIND;
    reply->psn = data.psn;
    reply->sentPs = data.sentPs;
    reply->flags = data.flags & FRAME_TIMESTAMP;
    reply->ecn = marked ? ECN_CE : ECN_NOT_ECT;
    reply->telemetryBytes = data.telemetryBytes;
    uint32_t hops = 0;
    if (data.telemetry)
    {
        hops = data.telemetry.hops;
        // The records move; those that are charged to the data frame go with them.
        const uint32_t bytes = std::min<uint32_t>(data.telemetryBytes, hops * m_hopBytes);
        data.telemetryBytes -= bytes;
        data.frameBytes -= bytes;
        reply->telemetry = data.telemetry;
        data.telemetry = FramePool::AllocInt();
    }
    ++m_told;
    m_toldBytes += reply->frameBytes;
    m_switchIntTrace(data.src, data.srcQp, data.psn, hops, PicoSeconds(nowPs));
    m_at->Emit(reply, nowPs);
}

namespace
{

[[maybe_unused]] const bool g_notifications[] = {
    NotificationForm::Register({MlccSwitchInt::KIND, "switch-int"}),
    NotificationForm::Register({MlccUpdate::KIND, "mlcc-update", [](const Frame& frame) {
                                    return frame.FindExtension<MlccHeader>()->GetDqmBps();
                                }})};

} // namespace

} // namespace ns3::roce
