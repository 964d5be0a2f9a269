// SPDX-License-Identifier: GPL-2.0-only
#include "roce-reflex-nsf.h"

#include "ns3/roce-counters.h"
#include "ns3/roce-deployment.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-notification-series.h"
#include "ns3/roce-reply-builder.h"
#include "ns3/roce-switch.h"
#include "ns3/roce-time.h"

#include <algorithm>
#include <sstream>

namespace ns3::roce
{

bool
NsfMachine::OnData(const Config& config, int64_t delayPs, int64_t nowPs)
{
    const bool due = nowPs - m_lastPs >= config.intervalPs;
    bool answer = due;
    if (delayPs > config.thresholdPs)
    {
        m_state = ACTIVE;
    }
    else if (m_state == ACTIVE)
    {
        m_state = config.nCool ? COOLING : SILENT;
        m_count = config.nCool;
    }
    else if (m_state == COOLING)
    {
        answer = Cool(config, due);
    }
    else
    {
        answer = config.probeIntervalPs > 0 && nowPs - m_lastPs >= config.probeIntervalPs;
    }
    if (answer)
    {
        m_lastPs = nowPs;
    }
    return answer;
}

bool
NsfMachine::Cool(const Config& config, bool due)
{
    const bool counts = config.cooling != CoolingMode::PER_PSEUDO_ACK || due;
    m_count -= counts;
    if (!m_count)
    {
        m_state = SILENT;
    }
    return due || config.cooling == CoolingMode::PER_PACKET_UNGATED;
}

NS_OBJECT_ENSURE_REGISTERED(ReflexNsf);

namespace
{

// Ours: the paper has neither.
constexpr int64_t PROBE_INTERVAL_PS = 50 * PS_PER_US; //!< of pseudo-ACKs with SilentMode=probe
constexpr int64_t FLOW_TIMEOUT_PS = 5000 * PS_PER_US; //!< without packets a flow is forgotten

} // namespace

const ParameterTable<ReflexNsfParams>&
ReflexNsfParams::Table()
{
    using P = ReflexNsfParams;
    using M = NsfMachine::Config;
    using Cooling = NsfMachine::CoolingMode;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::ReflexNsf", {"default", "literal"})
            .Duration("TSrcThreshold",
                      Nested(&P::machine, &M::thresholdPs),
                      {5 * PS_PER_US},
                      Range::AtLeast(0))
            .Help("One-way delay from NIC to switch above which a flow is congested")
            .Live()
            .Duration("TInterval",
                      Nested(&P::machine, &M::intervalPs),
                      {5 * PS_PER_US},
                      Range::AtLeast(0))
            .Help("Least time between two pseudo-ACKs of a flow (paper: 5 us with TIMELY, 3 us "
                  "with Swift)")
            .Count("NCool", Nested(&P::machine, &M::nCool), {5}, Range::AtLeast(0))
            .Help("Counter of the state Cooling at its start; 0: no such state")
            .Choice("CoolingMode",
                    Nested(&P::machine, &M::cooling),
                    {Cooling::PER_PSEUDO_ACK, Cooling::PER_PACKET_GATED},
                    {{"perPseudoAck", Cooling::PER_PSEUDO_ACK},
                     {"perPacketGated", Cooling::PER_PACKET_GATED},
                     {"perPacketUngated", Cooling::PER_PACKET_UNGATED}})
            .Help("What counts in Cooling")
            .Choice("SilentMode",
                    &P::silentMode,
                    {SilentMode::FREEZE},
                    {{"freeze", SilentMode::FREEZE},
                     {"holdAndClock", SilentMode::HOLD_AND_CLOCK},
                     {"probe", SilentMode::PROBE}})
            .Help("The sender without pseudo-ACKs: freeze, holdAndClock (real ACKs repeat the last "
                  "sample) or probe (some pseudo-ACKs)")
            .Choice("WindowMode",
                    &P::paced,
                    {true, false},
                    {{"pacedNearSource", true}, {"endToEnd", false}})
            .Help("What a rate law's window means: pacedNearSource (a rate) or endToEnd (bytes in "
                  "flight)")
            .Choice("MeasurePoint", &P::egress, {false}, {{"ingress", false}, {"egress", true}})
            .Help("Where T_src is taken: ingress or egress of the switch")
            .Constants({{"ProbeInterval", "50us"},
                        {"HostClockOffset", "0"},
                        {"FlowEntryTimeout", "5ms"},
                        {"PseudoAckBytes", "those of an ACK with a time stamp"}})
            .Count("ControlClass", &P::controlClass, {6}, Range::Within(0, 7))
            .Help("Traffic class of pseudo-ACKs")
            .Flag("PseudoAckGating", &P::gating, {false})
            .Help("At the sender, a pseudo-ACK counts only if its data was sent after the last one "
                  "that counted had arrived: one update per near-source RTT")
            .Choice("PseudoAckCovers", &P::coversSent, {true}, {{"sent", true}, {"one", false}})
            .Help("How many packets a pseudo-ACK acknowledges at the sender's rate law: sent "
                  "(since the last sample, at most a window) or one")
            .Finish([](P& p, const Parameters<P>&) {
                p.machine.probeIntervalPs =
                    p.silentMode == SilentMode::PROBE ? PROBE_INTERVAL_PS : 0;
            });
    return table;
}

TypeId
ReflexNsf::GetTypeId()
{
    static const TypeId tid =
        ReflexNsfParams::Table()
            .AddTo(TypeId("ns3::roce::ReflexNsf")
                       .SetParent<SwitchStage>()
                       .SetGroupName("Roce")
                       .AddConstructor<ReflexNsf>(),
                   &ReflexNsf::m_parameters)
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

uint32_t
ReflexNsf::GetHooks() const
{
    return m_p->egress ? DEQUEUE : ARRIVAL;
}

void
ReflexNsf::Check(const Deployment& deployment) const
{
    for (const Deployment::Transport& transport : deployment.GetTransports())
    {
        if (transport.interDc && !transport.law->NeedsTimestamp())
        {
            throw InputError("edge function ReflexNsf steers senders by their RTT, but " +
                             transport.law->GetInstanceTypeId().GetName() +
                             " takes no RTT samples; expected a delay-based rate law, such as "
                             "Timely or Swift");
        }
    }
}

std::string
ReflexNsf::GetSenderShim() const
{
    const ReflexNsfParams& p = *m_parameters.Get();
    const bool clock = p.silentMode == ReflexNsfParams::SilentMode::HOLD_AND_CLOCK;
    std::ostringstream text;
    text << "ns3::roce::ReflexSender[SilentMode=" << (clock ? "holdAndClock" : "freeze")
         << "|WindowMode=" << (p.paced ? "pacedNearSource" : "endToEnd")
         << "|ClockInterval=" << p.machine.intervalPs
         << "ps|PseudoAckGating=" << (p.gating ? "true" : "false")
         << "|PseudoAckCovers=" << (p.coversSent ? "sent" : "one") << "]";
    return text.str();
}

void
ReflexNsf::Install(Switch& sw)
{
    m_p = m_parameters.Get();
    m_switch = &sw;
    m_edge.Install(sw);
    m_flows.SetTimeout(FLOW_TIMEOUT_PS);
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
    AddCounter(counters, "reflexNsfTablePeak", m_flows.GetPeak());
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
    if (!m_edge.Leaves(data))
    {
        return;
    }
    ++m_counters.dataFrames;
    m_counters.dataBytes += data.frameBytes;
    const FlowKey flow = FlowOfData(data);
    NsfMachine& machine = m_flows.Touch(flow, nowPs);
    const NsfMachine::State before = machine.GetState();
    const int64_t delayPs = nowPs - data.sentPs;
    const bool answer = machine.OnData(m_p->machine, delayPs, nowPs);
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
    ReplyBuilder replies;
    replies.trafficClass = static_cast<uint8_t>(m_p->controlClass);
    Frame* answer = replies.Notify(KIND, data, 0);
    ++m_counters.pseudoAcks;
    m_counters.pseudoAckBytes += answer->frameBytes;
    m_switch->Emit(answer, nowPs);
}

namespace
{

[[maybe_unused]] const bool g_pseudoAcks =
    NotificationForm::Register({ReflexNsf::KIND, "pseudo-ack"});

} // namespace

} // namespace ns3::roce
