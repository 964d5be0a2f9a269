// SPDX-License-Identifier: GPL-2.0-only
#include "roce-reflex-ndt.h"

#include "roce-reflex-sender.h"

#include "ns3/roce-counters.h"
#include "ns3/roce-deployment.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-plain-queue.h"
#include "ns3/roce-port.h"
#include "ns3/roce-switch.h"
#include "ns3/roce-time.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(ReflexNdt);

const FrameExtension NdtStamp::EXTENSION{"ns3::roce::NdtStamp", {}, true};

const ParameterTable<ReflexNdtParams>&
ReflexNdtParams::Table()
{
    using P = ReflexNdtParams;
    using S = NdtController::Settings;
    using Counted = NdtController::Counted;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::ReflexNdt")
            .Duration("TDstThreshold",
                      Nested(&P::controller, &S::thresholdPs),
                      {10 * PS_PER_US},
                      Range::AtLeast(0))
            .Help("A flow is congested when its round trip from this switch to the receiver and "
                  "back is longer")
            .Flag("Throttle", Nested(&P::controller, &S::throttle), {true})
            .Help("Congested flows use Controlled; false: all use Normal, so that there are "
                  "measurements only")
            .Count("NThrottle", &P::nThrottle, {8}, Range::AtLeast(1))
            .Help("Packets served from Normal for each one from Controlled")
            .Constants({{"WrrUnit", "packet"}})
            .Flag("OrderGuard", Nested(&P::controller, &S::orderGuard), {true})
            .Help("A recovered flow stays in Controlled until none of its packets is there")
            .Flag("SymmetricOrderGuard", Nested(&P::controller, &S::symmetricOrderGuard), {true})
            .Help("A congested flow stays in Normal until none of its packets is there, for ever "
                  "if it has a standing backlog there (not in the paper)")
            .Flag("Pause", Nested(&P::controller, &S::pause), {true})
            .Help("Controlled is suspended when too many flows are congested")
            .Number("PauseAlpha", Nested(&P::controller, &S::alpha), {0.7}, Range::Within(0, 1))
            .Help("Controlled is suspended above this share of the active flows")
            .Duration("MaxPause",
                      Nested(&P::controller, &S::maxPausePs),
                      {500 * PS_PER_US},
                      Range::AtLeast(0))
            .Help("Longest suspension")
            .Choice("PauseScope",
                    Nested(&P::controller, &S::switchScope),
                    {false},
                    {{"port", false}, {"switch", true}})
            .Help("Whose flows make up the share: those of each port or of the whole switch")
            .Choice("PauseNumerator",
                    Nested(&P::controller, &S::counted),
                    {Counted::BOTH},
                    {{"state", Counted::CONGESTED},
                     {"queue", Counted::IN_CONTROLLED},
                     {"both", Counted::BOTH}})
            .Help("Which flows are counted: congested ones (state), those with packets in "
                  "Controlled (queue), or congested ones with packets there (both)")
            // A flow is active while its last data entered the queues no longer ago
            .Fixed<kind::Duration>("ActiveWindow",
                                   Nested(&P::controller, &S::activeWindowPs),
                                   {1000 * PS_PER_US})
            // A flow is forgotten when it has been silent for longer
            .Fixed<kind::Duration>("FlowEntryTimeout",
                                   Nested(&P::controller, &S::flowTimeoutPs),
                                   {5000 * PS_PER_US})
            .Choice("SeparateTimestamp",
                    &P::stamp,
                    {Stamp::AUTO},
                    {{"true", Stamp::OWN}, {"false", Stamp::SENDERS}, {"auto", Stamp::AUTO}})
            .Help("true: the stamp is a field of its own (no bytes are charged for it); false: it "
                  "replaces the sender's time stamp, so that the sender's measurements are wrong; "
                  "auto: false if the switch has a ReflexNsf");
    return table;
}

TypeId
ReflexNdt::GetTypeId()
{
    static const TypeId tid =
        ReflexNdtParams::Table()
            .AddTo(TypeId("ns3::roce::ReflexNdt")
                       .SetParent<SwitchStage>()
                       .SetGroupName("Roce")
                       .AddConstructor<ReflexNdt>(),
                   &ReflexNdt::m_parameters)
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

void
ReflexNdt::Install(Switch& sw)
{
    m_switch = &sw;
    m_edge.Install(sw);
    m_p = m_parameters.Get();
    m_controller.Configure(m_p->controller, sw.GetNPorts(), this);
    m_separate = m_p->stamp == ReflexNdtParams::Stamp::OWN;
    m_separateKnown = m_p->stamp != ReflexNdtParams::Stamp::AUTO;
    m_schedulers.resize(sw.GetNPorts());
    m_resumed.reserve(sw.GetNPorts());
    for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
    {
        if (sw.IsWanPort(p) || !dynamic_cast<Switch*>(sw.GetPort(p)->GetPeer()->GetOwner()))
        {
            continue;
        }
        Ptr<NdtScheduler> queue = MakeQueueLike<NdtScheduler>(sw, p, "ns3::roce::ReflexNdt");
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
        queue->Configure(this, p, m_losslessMask, m_p->nThrottle);
        sw.SetQueue(p, queue);
        m_schedulers[p] = queue;
    }
}

void
ReflexNdt::Check(const Deployment& deployment) const
{
    using Stamp = ReflexNdtParams::Stamp;
    const Stamp stamp = m_parameters.Get()->stamp;
    const bool replaces =
        stamp == Stamp::SENDERS ||
        (stamp == Stamp::AUTO && ReflexSender::IsMeant(deployment.GetSenderShim()));
    for (const Deployment::Transport& transport : deployment.GetTransports())
    {
        if (!transport.interDc)
        {
            continue; // what is replaced are stamps of data that leave the datacenter
        }
        if (stamp == Stamp::SENDERS && !transport.law->NeedsTimestamp())
        {
            throw InputError("ns3::roce::ReflexNdt: SeparateTimestamp is false, but " +
                             transport.law->GetInstanceTypeId().GetName() +
                             " takes no time stamps, expected a rate law that does (Timely, Swift) "
                             "or SeparateTimestamp=true");
        }
        if (replaces && transport.selector->NeedsTimestamp())
        {
            throw InputError("edge function ns3::roce::ReflexNdt replaces the time stamps that " +
                             transport.selector->GetInstanceTypeId().GetName() +
                             " measures by, expected stamps of its own (SeparateTimestamp=true)");
        }
    }
}

bool
ReflexNdt::IsSeparate()
{
    if (!m_separateKnown)
    {
        // Not at Install(): the other stages may come later.
        const auto& stages = m_switch->GetStages();
        // Where ReflexNsf gives the senders their samples. Other shims may need the time stamps.
        m_separate = std::none_of(stages.begin(), stages.end(), [](const Ptr<SwitchStage>& stage) {
            return ReflexSender::IsMeant(stage->GetSenderShim());
        });
        m_separateKnown = true;
    }
    return m_separate;
}

// ---------------------------------------------------------------- frames

inline bool
ReflexNdt::IsEntering(const Frame& frame) const
{
    return frame.kind == FrameKind::DATA && m_edge.Enters(frame);
}

SwitchStage::Verdict
ReflexNdt::OnArrival(Frame& frame, Port&, int64_t nowPs)
{
    if (frame.kind == FrameKind::DATA || !m_edge.Leaves(frame))
    {
        return Verdict::PASS;
    }
    const NdtStamp* stamp = frame.FindExtension<NdtStamp>();
    const int64_t stampPs = !IsSeparate() ? frame.sentPs : stamp ? stamp->atPs : 0;
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
        IsEntering(frame))
    {
        if (IsSeparate())
        {
            frame.Extend<NdtStamp>().atPs = nowPs;
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
    return IsEntering(frame) && m_controller.OnEnqueue(FlowOfData(frame), port, nowPs);
}

void
ReflexNdt::Leave(const Frame& frame, uint16_t port, bool controlled)
{
    if (IsEntering(frame))
    {
        m_controller.OnDequeue(FlowOfData(frame), port, controlled);
    }
}

// ---------------------------------------------------------------- changes

void
ReflexNdt::OnTimer(int64_t nowPs)
{
    m_controller.OnTimeout(nowPs); // ends a suspension, and OnSuspension() arms the timer again
    KickResumed(nowPs);
}

void
ReflexNdt::OnState(uint64_t key, bool congested, int64_t nowPs)
{
    m_stateTrace(NicOfFlow(key), QpOfFlow(key), congested, PicoSeconds(nowPs));
}

void
ReflexNdt::OnSuspension(uint16_t group, bool begins, double ratio, bool byTimeout, int64_t nowPs)
{
    const bool all = m_p->controller.switchScope;
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
    counters["reflexNdtIsolatedFlows"] += own.isolatedFlows;
    counters["reflexNdtEpisodes"] += own.episodes;
    counters["reflexNdtControlled"] += own.controlled;
    counters["reflexNdtLegacyControlled"] += own.legacyControlled;
    counters["reflexNdtPauses"] += own.pauses;
    counters["reflexNdtPauseTimeouts"] += own.pauseTimeouts;
    counters["reflexNdtPausedNs"] += own.pausedPs / 1000;
    AddCounter(counters, "reflexNdtTablePeak", own.tablePeak);
}

} // namespace ns3::roce
