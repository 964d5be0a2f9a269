// SPDX-License-Identifier: GPL-2.0-only
#include "door-stage.h"

#include "door-law.h"

#include "ns3/roce-port.h"
#include "ns3/roce-switch.h"

namespace ns3::roce::test
{

NS_OBJECT_ENSURE_REGISTERED(DoorStage);

const ParameterTable<DoorStageParams>&
DoorStageParams::Table()
{
    using P = DoorStageParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::test::DoorStage")
            .Size("Threshold", &P::thresholdBytes, {20000}, Range::AtLeast(0))
            .Help("Senders are told of longer queues")
            .Duration("Hold", &P::holdPs, {5'000'000}, Range::Above(0))
            .Help("How long the first data frame of a flow waits")
            .Duration("Interval", &P::intervalPs, {50'000'000}, Range::Above(0))
            .Help("Least time between two notifications of a flow");
    return table;
}

TypeId
DoorStage::GetTypeId()
{
    static const TypeId tid = DoorStageParams::Table().AddTo(TypeId("ns3::roce::test::DoorStage")
                                                                 .SetParent<SwitchStage>()
                                                                 .SetGroupName("Roce")
                                                                 .AddConstructor<DoorStage>(),
                                                             &DoorStage::m_parameters);
    return tid;
}

uint32_t
DoorStage::GetHooks() const
{
    return ENQUEUE | DEQUEUE;
}

uint32_t
DoorStage::GetKinds() const
{
    return 1U << static_cast<unsigned>(FrameKind::DATA);
}

void
DoorStage::Install(Switch& sw)
{
    m_switch = &sw;
    m_p = m_parameters.Get();
}

void
DoorStage::Count(std::map<std::string, uint64_t>& counters) const
{
    counters["doorNotifications"] += m_notified;
    counters["doorHolds"] += m_holds;
}

SwitchStage::Verdict
DoorStage::OnEnqueue(Frame& frame, Port& out, const EgressScheduler& queue, int64_t nowPs)
{
    const uint64_t flow = static_cast<uint64_t>(frame.src) << 32 | frame.srcQp;
    const auto [told, isNew] = m_toldPs.insert({flow, INT64_MIN / 2});
    if (queue.GetBytes(frame.trafficClass) > m_p->thresholdBytes &&
        nowPs - told->second >= m_p->intervalPs)
    {
        told->second = nowPs;
        ++m_notified;
        m_switch->Emit(m_replies.Notify(DoorLaw::KIND, frame), nowPs);
    }
    if (isNew)
    {
        ++m_holds;
        m_held.push_back({nowPs + m_p->holdPs, &frame, out.GetIndex()});
        m_switch->ArmStage(this, m_held.front().untilPs);
        return Verdict::HOLD;
    }
    return Verdict::PASS;
}

void
DoorStage::OnTimer(int64_t nowPs)
{
    while (!m_held.empty() && m_held.front().untilPs <= nowPs)
    {
        const Held held = m_held.front();
        m_held.pop_front();
        m_switch->Release(held.frame, ENQUEUE, held.port, nowPs);
    }
    if (!m_held.empty())
    {
        m_switch->ArmStage(this, m_held.front().untilPs);
    }
}

SwitchStage::Verdict
DoorStage::OnDequeue(Frame& frame, Port&, const EgressScheduler&, int64_t)
{
    if (DoorMark* mark = frame.FindExtension<DoorMark>())
    {
        ++mark->hops;
    }
    return Verdict::PASS;
}

} // namespace ns3::roce::test
