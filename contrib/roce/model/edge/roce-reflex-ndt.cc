/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-reflex-ndt.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/roce-congestion-control.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-port.h"
#include "ns3/roce-switch.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(ReflexNdt);

namespace
{

/// @return which of the values an attribute has
std::size_t
IndexOf(const char* attribute, const std::string& value, const std::vector<std::string>& values)
{
    const auto it = std::find(values.begin(), values.end(), value);
    if (it == values.end())
    {
        std::string text = "ns3::roce::ReflexNdt: " + std::string(attribute) + " is '" + value +
                           "', expected one of";
        for (const std::string& expected : values)
        {
            text += " '" + expected + "'";
        }
        throw InputError(text);
    }
    return it - values.begin();
}

} // namespace

TypeId
ReflexNdt::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::ReflexNdt")
            .SetParent<SwitchStage>()
            .SetGroupName("Roce")
            .AddConstructor<ReflexNdt>()
            .AddAttribute("TDstThreshold",
                          "A flow is congested when its round trip from this switch to the "
                          "receiver and back is longer",
                          TimeValue(MicroSeconds(10)),
                          MakeTimeAccessor(&ReflexNdt::m_threshold),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Throttle",
                          "Congested flows use Controlled; false: all use Normal, so that there "
                          "are measurements only",
                          BooleanValue(true),
                          MakeBooleanAccessor(&ReflexNdt::m_throttle),
                          MakeBooleanChecker())
            .AddAttribute("NThrottle",
                          "Packets served from Normal for each one from Controlled",
                          UintegerValue(8),
                          MakeUintegerAccessor(&ReflexNdt::m_nThrottle),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("WrrUnit",
                          "What NThrottle counts: packet or byte",
                          StringValue("packet"),
                          MakeStringAccessor(&ReflexNdt::m_wrrUnit),
                          MakeStringChecker())
            .AddAttribute("OrderGuard",
                          "A recovered flow stays in Controlled until none of its packets is there",
                          BooleanValue(true),
                          MakeBooleanAccessor(&ReflexNdt::m_orderGuard),
                          MakeBooleanChecker())
            .AddAttribute("SymmetricOrderGuard",
                          "A congested flow stays in Normal until none of its packets is there, "
                          "for ever if it has a standing backlog there (not in the paper)",
                          BooleanValue(true),
                          MakeBooleanAccessor(&ReflexNdt::m_symmetricOrderGuard),
                          MakeBooleanChecker())
            .AddAttribute("Pause",
                          "Controlled is suspended when too many flows are congested",
                          BooleanValue(true),
                          MakeBooleanAccessor(&ReflexNdt::m_pause),
                          MakeBooleanChecker())
            .AddAttribute("PauseAlpha",
                          "Controlled is suspended above this share of the active flows",
                          DoubleValue(0.7),
                          MakeDoubleAccessor(&ReflexNdt::m_pauseAlpha),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MaxPause",
                          "Longest suspension",
                          TimeValue(MicroSeconds(500)),
                          MakeTimeAccessor(&ReflexNdt::m_maxPause),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("PauseScope",
                          "Whose flows make up the share: those of each port or of the whole "
                          "switch; port or switch",
                          StringValue("switch"),
                          MakeStringAccessor(&ReflexNdt::m_pauseScope),
                          MakeStringChecker())
            .AddAttribute("PauseNumerator",
                          "Which flows are counted: congested ones (state) or those with packets "
                          "in Controlled (queue)",
                          StringValue("queue"),
                          MakeStringAccessor(&ReflexNdt::m_pauseNumerator),
                          MakeStringChecker())
            .AddAttribute("ActiveWindow",
                          "A flow is active while its last data entered the queues no longer ago",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&ReflexNdt::m_activeWindow),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FlowEntryTimeout",
                          "A flow is forgotten when it has been silent for longer",
                          TimeValue(MilliSeconds(5)),
                          MakeTimeAccessor(&ReflexNdt::m_flowEntryTimeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SeparateTimestamp",
                          "true: the stamp is a field of its own (no bytes are charged for it); "
                          "false: it replaces the sender's time stamp, so that the sender's "
                          "measurements are wrong; auto: false if the switch has a ReflexNsf",
                          StringValue("auto"),
                          MakeStringAccessor(&ReflexNdt::m_separateText),
                          MakeStringChecker())
            .AddTraceSource("RttDst",
                            "An acknowledgement of a known flow has come back",
                            MakeTraceSourceAccessor(&ReflexNdt::m_rttDstTrace),
                            "ns3::roce::ReflexNdt::RttDstCallback")
            .AddTraceSource("State",
                            "A flow has become congested or has recovered",
                            MakeTraceSourceAccessor(&ReflexNdt::m_stateTrace),
                            "ns3::roce::ReflexNdt::StateCallback")
            .AddTraceSource("Pause",
                            "Controlled of a port is suspended or resumed",
                            MakeTraceSourceAccessor(&ReflexNdt::m_pauseTrace),
                            "ns3::roce::ReflexNdt::PauseCallback");
    return tid;
}

// ---------------------------------------------------------------- set-up

NdtController::Settings
ReflexNdt::MakeSettings() const
{
    NdtController::Settings settings;
    settings.thresholdPs = m_threshold.GetPicoSeconds();
    settings.throttle = m_throttle;
    settings.orderGuard = m_orderGuard;
    settings.symmetricOrderGuard = m_symmetricOrderGuard;
    settings.pause = m_pause;
    settings.switchScope = IndexOf("PauseScope", m_pauseScope, {"port", "switch"});
    settings.countQueued = IndexOf("PauseNumerator", m_pauseNumerator, {"state", "queue"});
    settings.alpha = m_pauseAlpha;
    settings.maxPausePs = m_maxPause.GetPicoSeconds();
    settings.activeWindowPs = m_activeWindow.GetPicoSeconds();
    settings.flowTimeoutPs = m_flowEntryTimeout.GetPicoSeconds();
    return settings;
}

void
ReflexNdt::Install(Switch& sw)
{
    m_switch = &sw;
    m_controller.Configure(MakeSettings(), sw.GetNPorts(), this);
    const std::size_t separate =
        IndexOf("SeparateTimestamp", m_separateText, {"false", "true", "auto"});
    m_separate = separate == 1;
    m_separateKnown = separate < 2;
    const bool byBytes = IndexOf("WrrUnit", m_wrrUnit, {"packet", "byte"}) == 1;
    m_schedulers.resize(sw.GetNPorts());
    m_resumed.reserve(sw.GetNPorts());
    for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
    {
        if (sw.IsWanPort(p) || !dynamic_cast<Switch*>(sw.GetPort(p)->GetPeer()->GetOwner()))
        {
            continue;
        }
        const auto* before = dynamic_cast<const DwrrScheduler*>(&sw.GetQueue(p));
        if (!before || dynamic_cast<const NdtScheduler*>(before))
        {
            throw InputError("ns3::roce::ReflexNdt: the queues of switch " + sw.GetName() +
                             " are of class " + sw.GetQueue(p).GetInstanceTypeId().GetName() +
                             ", expected ns3::roce::DwrrScheduler");
        }
        for (unsigned c = 0; c < N_CLASSES; ++c)
        {
            m_losslessMask |= sw.GetBuffer().IsLossless(p, static_cast<uint8_t>(c)) << c;
        }
        if (!m_losslessMask)
        {
            throw InputError("ns3::roce::ReflexNdt: switch " + sw.GetName() +
                             " has no lossless class, expected LosslessClasses with one that "
                             "near-destination throttling can act on");
        }
        Ptr<NdtScheduler> queue = CreateObject<NdtScheduler>();
        queue->CopySettings(*before);
        queue->Configure(this, p, m_losslessMask, m_nThrottle, byBytes);
        sw.SetQueue(p, queue);
        m_schedulers[p] = queue;
    }
}

void
ReflexNdt::CheckLaw(const CongestionControl& law) const
{
    if (m_separateText == "false" && !law.NeedsTimestamp())
    {
        throw InputError("ns3::roce::ReflexNdt: SeparateTimestamp is false, but " +
                         law.GetInstanceTypeId().GetName() +
                         " takes no time stamps, expected a rate law that does (Timely, Swift) or "
                         "SeparateTimestamp=true");
    }
}

bool
ReflexNdt::IsSeparate()
{
    if (!m_separateKnown)
    {
        // Not at Install(): the other stages may come later.
        const auto& stages = m_switch->GetStages();
        m_separate = std::none_of(stages.begin(), stages.end(), [](const Ptr<SwitchStage>& stage) {
            return !stage->GetSenderShim().empty(); // ReflexNsf gives the senders their samples
        });
        m_separateKnown = true;
    }
    return m_separate;
}

// ---------------------------------------------------------------- frames

inline bool
ReflexNdt::EntersDatacenter(const Frame& frame) const
{
    const uint32_t own = m_switch->GetDatacenter();
    return frame.kind == FrameKind::DATA && m_switch->GetDatacenterOf(frame.dst) == own &&
           m_switch->GetDatacenterOf(frame.src) != own;
}

SwitchStage::Verdict
ReflexNdt::OnArrival(Frame& frame, Port&, int64_t nowPs)
{
    const uint32_t own = m_switch->GetDatacenter();
    if (frame.kind == FrameKind::DATA || m_switch->GetDatacenterOf(frame.src) != own ||
        m_switch->GetDatacenterOf(frame.dst) == own)
    {
        return Verdict::PASS;
    }
    const int64_t stampPs = IsSeparate() ? static_cast<int64_t>(frame.aux) : frame.sentPs;
    const uint64_t key = FlowOfAck(frame);
    // No stamp: the data came in through another switch.
    if (stampPs && m_controller.OnAck(key, nowPs - stampPs, nowPs))
    {
        m_rttDstTrace(frame.dst, frame.dstQp, nowPs - stampPs, PicoSeconds(nowPs));
        KickResumed(nowPs);
    }
    return Verdict::PASS;
}

SwitchStage::Verdict
ReflexNdt::OnDequeue(Frame& frame, Port& out, const EgressScheduler&, int64_t nowPs)
{
    if (m_schedulers[out.GetIndex()] && (m_losslessMask >> frame.trafficClass & 1) &&
        EntersDatacenter(frame))
    {
        if (IsSeparate())
        {
            frame.aux = static_cast<uint64_t>(nowPs);
        }
        else
        {
            frame.sentPs = nowPs;
        }
    }
    return Verdict::PASS;
}

bool
ReflexNdt::Classify(const Frame& frame, uint16_t port, int64_t nowPs)
{
    return EntersDatacenter(frame) && m_controller.OnEnqueue(FlowOfData(frame), port, nowPs);
}

void
ReflexNdt::Leave(const Frame& frame, uint16_t port, bool controlled)
{
    if (EntersDatacenter(frame))
    {
        m_controller.OnDequeue(FlowOfData(frame), port, controlled);
    }
}

// ---------------------------------------------------------------- changes

void
ReflexNdt::OnTimer(int64_t nowPs)
{
    m_controller.OnTimeout(nowPs); // ends a suspension, and OnPause() arms the timer anew
    KickResumed(nowPs);
}

void
ReflexNdt::OnState(uint64_t key, bool congested, int64_t nowPs)
{
    m_stateTrace(NicOfFlow(key), QpOfFlow(key), congested, PicoSeconds(nowPs));
}

void
ReflexNdt::OnPause(uint16_t group, bool begins, double ratio, bool byTimeout, int64_t nowPs)
{
    const bool all = m_pauseScope == "switch";
    for (uint16_t p = 0; p < m_schedulers.size(); ++p)
    {
        if (!m_schedulers[p] || (!all && p != group))
        {
            continue;
        }
        if (begins)
        {
            m_schedulers[p]->Suspend();
        }
        else
        {
            m_schedulers[p]->Resume();
            m_resumed.push_back(p);
        }
        m_pauseTrace(p, begins, ratio, byTimeout, PicoSeconds(nowPs));
    }
    m_switch->ArmStage(this, m_controller.GetNextTimeoutPs());
}

void
ReflexNdt::KickResumed(int64_t nowPs)
{
    // After the controller is done: a port that starts to send calls it.
    for (const uint16_t port : m_resumed)
    {
        m_switch->Kick(port, nowPs);
    }
    m_resumed.clear();
}

void
ReflexNdt::Count(std::map<std::string, uint64_t>& counters) const
{
    const NdtController::Counters& own = m_controller.GetCounters();
    counters["reflexNdtFlows"] += own.flows;
    counters["reflexNdtCongestedFlows"] += own.congestedFlows;
    counters["reflexNdtEpisodes"] += own.episodes;
    counters["reflexNdtControlled"] += own.controlled;
    counters["reflexNdtLegacyControlled"] += own.legacyControlled;
    counters["reflexNdtPauses"] += own.pauses;
    counters["reflexNdtPauseTimeouts"] += own.pauseTimeouts;
    counters["reflexNdtPausedNs"] += own.pausedPs / 1000;
    uint64_t& peak = counters["reflexNdtTablePeak"];
    peak = std::max(peak, own.tablePeak);
}

} // namespace roce
} // namespace ns3
