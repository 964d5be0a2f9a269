/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-reflex-nsf.h"

#include "ns3/boolean.h"
#include "ns3/roce-congestion-control.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-switch.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <initializer_list>
#include <sstream>

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(ReflexNsf);

TypeId
ReflexNsf::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::ReflexNsf")
            .SetParent<SwitchStage>()
            .SetGroupName("Roce")
            .AddConstructor<ReflexNsf>()
            .AddAttribute("Profile",
                          "default or literal: what CoolingMode, SilentMode and WindowMode are if "
                          "they are empty",
                          StringValue("default"),
                          MakeStringAccessor(&ReflexNsf::m_profile),
                          MakeStringChecker())
            .AddAttribute("TSrcThreshold",
                          "One-way delay from NIC to switch above which a flow is congested",
                          TimeValue(MicroSeconds(5)),
                          MakeTimeAccessor(&ReflexNsf::m_threshold),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("TInterval",
                          "Least time between two pseudo-ACKs of a flow (paper: 5 us with TIMELY, "
                          "3 us with Swift)",
                          TimeValue(MicroSeconds(5)),
                          MakeTimeAccessor(&ReflexNsf::m_interval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("NCool",
                          "Counter of the state Cooling at its begin; 0: no such state",
                          UintegerValue(5),
                          MakeUintegerAccessor(&ReflexNsf::m_nCool),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("CoolingMode",
                          "What counts in Cooling: perPseudoAck, perPacketGated or "
                          "perPacketUngated; empty: profile",
                          StringValue(""),
                          MakeStringAccessor(&ReflexNsf::m_coolingMode),
                          MakeStringChecker())
            .AddAttribute(
                "SilentMode",
                "The sender without pseudo-ACKs: freeze, holdAndClock (real ACKs repeat the "
                "last sample) or probe (some pseudo-ACKs); empty: profile",
                StringValue(""),
                MakeStringAccessor(&ReflexNsf::m_silentMode),
                MakeStringChecker())
            .AddAttribute("WindowMode",
                          "What a rate law's window means: pacedNearSource (a rate) or endToEnd "
                          "(bytes in flight); empty: profile",
                          StringValue(""),
                          MakeStringAccessor(&ReflexNsf::m_windowMode),
                          MakeStringChecker())
            .AddAttribute("MeasurePoint",
                          "Where T_src is taken: ingress or egress of the switch",
                          StringValue("ingress"),
                          MakeStringAccessor(&ReflexNsf::m_measurePoint),
                          MakeStringChecker())
            .AddAttribute("ProbeInterval",
                          "Time between two pseudo-ACKs of a flow in Silent with SilentMode=probe",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&ReflexNsf::m_probeInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("HostClockOffset",
                          "By how much the clocks of the hosts are ahead of the switch's",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&ReflexNsf::m_hostClockOffset),
                          MakeTimeChecker())
            .AddAttribute("FlowEntryTimeout",
                          "Time without packets after which a flow is forgotten",
                          TimeValue(MilliSeconds(5)),
                          MakeTimeAccessor(&ReflexNsf::m_flowEntryTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("ControlClass",
                          "Traffic class of pseudo-ACKs",
                          UintegerValue(6),
                          MakeUintegerAccessor(&ReflexNsf::m_controlClass),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("PseudoAckBytes",
                          "Size of a pseudo-ACK, MAC header to FCS; 0: an ACK with a time stamp",
                          UintegerValue(0),
                          MakeUintegerAccessor(&ReflexNsf::m_pseudoAckBytes),
                          MakeUintegerChecker<uint32_t>(0, 1000))
            .AddAttribute("PseudoAckGating",
                          "At the sender, a pseudo-ACK counts only if its data was sent after the "
                          "last one that counted had arrived: one update per near-source RTT",
                          BooleanValue(false),
                          MakeBooleanAccessor(&ReflexNsf::m_pseudoAckGating),
                          MakeBooleanChecker())
            .AddAttribute("PseudoAckCovers",
                          "How many packets a pseudo-ACK stands for at the sender's rate law: sent "
                          "(since the last sample, at most a window) or one",
                          StringValue("sent"),
                          MakeStringAccessor(&ReflexNsf::m_pseudoAckCovers),
                          MakeStringChecker())
            .AddTraceSource("PseudoAck",
                            "A pseudo-ACK is sent",
                            MakeTraceSourceAccessor(&ReflexNsf::m_pseudoAckTrace),
                            "ns3::roce::ReflexNsf::PseudoAckCallback")
            .AddTraceSource("State",
                            "A flow's state has changed",
                            MakeTraceSourceAccessor(&ReflexNsf::m_stateTrace),
                            "ns3::roce::ReflexNsf::StateCallback");
    return tid;
}

namespace
{

/// One of some words, or of the profile if it is empty.
std::string
Choose(const char* name,
       const std::string& value,
       const char* profile,
       std::initializer_list<const char*> choices)
{
    const std::string chosen = value.empty() ? profile : value;
    std::string list;
    for (const char* choice : choices)
    {
        list += (list.empty() ? "" : ", ") + std::string(choice);
    }
    if (std::find(choices.begin(), choices.end(), chosen) == choices.end())
    {
        throw InputError("ns3::roce::ReflexNsf::" + std::string(name) + " is '" + value +
                         "', expected one of: " + list);
    }
    return chosen;
}

} // namespace

ReflexNsf::Readings
ReflexNsf::Resolve() const
{
    const bool literal =
        Choose("Profile", m_profile, "default", {"default", "literal"}) == "literal";
    const std::string cooling = Choose("CoolingMode",
                                       m_coolingMode,
                                       literal ? "perPacketGated" : "perPseudoAck",
                                       {"perPseudoAck", "perPacketGated", "perPacketUngated"});
    Readings readings;
    readings.cooling = cooling == "perPseudoAck"     ? NsfMachine::CoolingMode::PER_PSEUDO_ACK
                       : cooling == "perPacketGated" ? NsfMachine::CoolingMode::PER_PACKET_GATED
                                                     : NsfMachine::CoolingMode::PER_PACKET_UNGATED;
    readings.silentMode =
        Choose("SilentMode", m_silentMode, "freeze", {"holdAndClock", "freeze", "probe"});
    readings.windowMode = Choose("WindowMode",
                                 m_windowMode,
                                 literal ? "endToEnd" : "pacedNearSource",
                                 {"pacedNearSource", "endToEnd"});
    readings.egress =
        Choose("MeasurePoint", m_measurePoint, "ingress", {"ingress", "egress"}) == "egress";
    Choose("PseudoAckCovers", m_pseudoAckCovers, "sent", {"sent", "one"});
    return readings;
}

uint32_t
ReflexNsf::GetHooks() const
{
    return Resolve().egress ? DEQUEUE : ARRIVAL;
}

void
ReflexNsf::CheckLaw(const CongestionControl& law) const
{
    if (!law.NeedsTimestamp())
    {
        throw InputError("edge function ReflexNsf steers senders by their RTT, but " +
                         law.GetInstanceTypeId().GetName() +
                         " takes no RTT samples; expected a delay-based rate law, such as Timely "
                         "or Swift");
    }
}

std::string
ReflexNsf::GetSenderShim() const
{
    const Readings readings = Resolve();
    std::ostringstream text;
    text << "ns3::roce::ReflexSender[SilentMode="
         << (readings.silentMode == "probe" ? "freeze" : readings.silentMode)
         << "|WindowMode=" << readings.windowMode
         << "|ClockInterval=" << m_interval.GetPicoSeconds()
         << "ps|PseudoAckGating=" << (m_pseudoAckGating ? "true" : "false")
         << "|PseudoAckCovers=" << m_pseudoAckCovers << "]";
    return text.str();
}

void
ReflexNsf::Install(Switch& sw)
{
    const Readings readings = Resolve();
    m_switch = &sw;
    m_datacenter = sw.GetDatacenter();
    m_offsetPs = m_hostClockOffset.GetPicoSeconds();
    m_config.thresholdPs = m_threshold.GetPicoSeconds();
    m_config.intervalPs = m_interval.GetPicoSeconds();
    m_config.probeIntervalPs =
        readings.silentMode == "probe" ? m_probeInterval.GetPicoSeconds() : 0;
    m_config.nCool = m_nCool;
    m_config.cooling = readings.cooling;
    m_flows.SetTimeout(m_flowEntryTimeout.GetPicoSeconds());
}

void
ReflexNsf::Count(std::map<std::string, uint64_t>& counters) const
{
    counters["reflexNsfDataFrames"] += m_counters.dataFrames;
    counters["reflexNsfDataBytes"] += m_counters.dataBytes;
    counters["reflexNsfPseudoAcks"] += m_counters.pseudoAcks;
    counters["reflexNsfPseudoAckBytes"] += m_counters.pseudoAckBytes;
    counters["reflexNsfActivations"] += m_counters.activations;
    counters["reflexNsfFlows"] += m_flows.GetInserted();
    uint64_t& peak = counters["reflexNsfTablePeak"];
    peak = std::max(peak, m_flows.GetPeak());
}

SwitchStage::Verdict
ReflexNsf::OnArrival(Frame& frame, Port&, int64_t nowPs)
{
    Measure(frame, nowPs);
    return Verdict::PASS;
}

SwitchStage::Verdict
ReflexNsf::OnDequeue(Frame& frame, Port&, const EgressScheduler&, int64_t nowPs)
{
    Measure(frame, nowPs);
    return Verdict::PASS;
}

void
ReflexNsf::Measure(const Frame& data, int64_t nowPs)
{
    if (m_switch->GetDatacenterOf(data.src) != m_datacenter ||
        m_switch->GetDatacenterOf(data.dst) == m_datacenter)
    {
        return;
    }
    ++m_counters.dataFrames;
    m_counters.dataBytes += data.frameBytes;
    const FlowKey flow = FlowOfData(data);
    NsfMachine& machine = m_flows.Touch(flow, nowPs);
    const NsfMachine::State before = machine.GetState();
    const int64_t delayPs = nowPs - data.sentPs - m_offsetPs;
    const bool answer = machine.OnData(m_config, delayPs, nowPs);
    if (machine.GetState() != before)
    {
        m_counters.activations += machine.GetState() == NsfMachine::ACTIVE;
        m_stateTrace(NicOfFlow(flow),
                     QpOfFlow(flow),
                     machine.GetState(),
                     delayPs,
                     PicoSeconds(nowPs));
    }
    if (answer)
    {
        m_pseudoAckTrace(NicOfFlow(flow), QpOfFlow(flow), delayPs, PicoSeconds(nowPs));
        Answer(data, nowPs);
    }
}

void
ReflexNsf::Answer(const Frame& data, int64_t nowPs)
{
    Frame* answer = FramePool::Alloc();
    answer->kind = FrameKind::NOTIFICATION;
    answer->msn = KIND;
    answer->src = data.dst;
    answer->dst = data.src;
    answer->srcQp = data.dstQp;
    answer->dstQp = data.srcQp;
    answer->entropy = data.entropy;
    answer->psn = data.psn;
    answer->sentPs = data.sentPs;
    answer->flags = FRAME_TIMESTAMP;
    answer->telemetryBytes = TIMESTAMP_BYTES;
    answer->trafficClass = m_controlClass;
    answer->dscp = static_cast<uint8_t>(m_controlClass << 3);
    answer->ttl = 64;
    answer->frameBytes = m_pseudoAckBytes ? m_pseudoAckBytes : ACK_FRAME_BYTES + TIMESTAMP_BYTES;
    ++m_counters.pseudoAcks;
    m_counters.pseudoAckBytes += answer->frameBytes;
    m_switch->Emit(answer, nowPs);
}

} // namespace roce
} // namespace ns3
