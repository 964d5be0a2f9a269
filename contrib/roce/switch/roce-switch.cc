// SPDX-License-Identifier: GPL-2.0-only
#include "roce-switch.h"

#include "roce-path-policy.h"

#include "ns3/log.h"
#include "ns3/roce-counters.h"
#include "ns3/roce-input-error.h"

#include <algorithm>

namespace ns3::roce
{

NS_LOG_COMPONENT_DEFINE("RoceSwitch");

bool
Switch::IsWanPort(uint16_t port) const
{
    const auto* peer =
        dynamic_cast<const Switch*>(m_ports[CheckPort(port)].port->GetPeer()->GetOwner());
    return peer && peer->m_datacenter != m_datacenter;
}

bool
Switch::IsHostPort(uint16_t port) const
{
    return !dynamic_cast<const Switch*>(m_ports[CheckPort(port)].port->GetPeer()->GetOwner());
}

unsigned
Switch::Retune(const SwitchStage& prototype, int64_t nowPs)
{
    CatchUp(nowPs); // finish events of the old configuration first
    unsigned retuned = 0;
    for (const Ptr<SwitchStage>& stage : GetStages())
    {
        if (stage->GetInstanceTypeId() == prototype.GetInstanceTypeId())
        {
            stage->Retune(prototype, nowPs);
            ++retuned;
        }
    }
    Rearm();
    return retuned;
}

void
Switch::Receive(Port& port, Frame* frame, int64_t nowPs)
{
    frame->inPort = port.GetIndex();
    ++m_counters.rxFrames;
    const auto verdict = m_pipeline.Arrive(*frame, port, nowPs);
    if (__builtin_expect(verdict != SwitchStage::Verdict::PASS, 0))
    {
        Stop(frame, verdict, SwitchStage::ARRIVAL, 0, nowPs);
        return;
    }
    Forward(frame, nowPs);
}

/// A stage does not let a frame pass. hook: where; MARK if the frame was not admitted
__attribute__((cold, noinline)) void
Switch::Stop(Frame* frame,
             SwitchStage::Verdict verdict,
             SwitchStage::Hook hook,
             uint16_t outPort,
             int64_t nowPs)
{
    const bool held = verdict == SwitchStage::Verdict::HOLD;
    if (hook == SwitchStage::MARK && verdict != SwitchStage::Verdict::DROP)
    {
        m_pipeline.Refuse(*frame, "does not pass a frame on at hook MARK, expected PASS or DROP");
    }
    if (hook == SwitchStage::DEQUEUE && held)
    {
        m_pipeline.Refuse(*frame, "holds a frame at DEQUEUE, expected PASS, CONSUME or DROP");
    }
    if (FramePool::IsFree(frame))
    {
        m_pipeline.Refuse("has freed the frame it was given, expected Verdict::CONSUME");
    }
    if (hook == SwitchStage::ENQUEUE && !held)
    {
        ReleaseBuffer(*frame, outPort, nowPs);
    }
    switch (verdict)
    {
    case SwitchStage::Verdict::PASS:
        break;
    case SwitchStage::Verdict::CONSUME:
        ++m_counters.consumedFrames;
        FramePool::Free(frame);
        break;
    case SwitchStage::Verdict::HOLD:
        frame->nextGapPs = HELD_MARK;
        ++m_counters.heldFrames;
        break;
    case SwitchStage::Verdict::DROP:
        Drop(frame, m_refusal, nowPs);
        break;
    default:
        m_pipeline.Refuse(*frame,
                          "returns verdict " + std::to_string(static_cast<unsigned>(verdict)) +
                              ", expected one of SwitchStage::Verdict");
    }
}

void
Switch::Emit(Frame* frame, int64_t nowPs)
{
    m_pipeline.Check(*frame, "emitted");
    CatchUp(nowPs);
    frame->inPort = SharedBuffer::INTERNAL_PORT;
    ++m_counters.emittedFrames;
    Forward(frame, nowPs);
    Rearm();
}

/// The end of every frame's way. @return whether it is sent: no stage has consumed it
__attribute__((always_inline)) inline bool
Switch::Send(Frame* frame, OutPort& out, int64_t atPs)
{
    out.starting = true; // a stage may emit to this very port
    const auto verdict = m_pipeline.Dequeue(*frame, *out.port, *out.queue, atPs);
    out.starting = false;
    if (__builtin_expect(verdict != SwitchStage::Verdict::PASS, 0))
    {
        Stop(frame, verdict, SwitchStage::DEQUEUE, out.port->GetIndex(), atPs);
        return false;
    }
    ++m_counters.txFrames;
    out.port->Transmit(frame, atPs);
    return true;
}

void
Switch::Forward(Frame* frame, int64_t nowPs)
{
    // Routers do not send on what has no hops left: a stack that forwards would count on from
    // there.
    if (frame->ttl <= (frame->kind == FrameKind::PACKET))
    {
        Drop(frame, DROP_TTL, nowPs);
        return;
    }
    --frame->ttl;
    const uint16_t outPort = m_routing.Route(frame->src, frame->dst, frame->entropy);
    if (outPort >= Routing::CHOOSE)
    {
        ForwardByPolicy(frame, outPort, nowPs);
        return;
    }
    ForwardTo(frame, outPort, nowPs);
}

/// Apart, so that frames without a choice do not save registers for it. @param route CHOOSE or
/// NO_PORT
__attribute__((noinline)) void
Switch::ForwardByPolicy(Frame* frame, uint16_t route, int64_t nowPs)
{
    if (route == Routing::NO_PORT)
    {
        Drop(frame, DROP_NO_ROUTE, nowPs);
        return;
    }
    ForwardTo(frame, ChoosePath(*frame, nowPs), nowPs);
}

__attribute__((always_inline)) inline void
Switch::ForwardTo(Frame* frame, uint16_t outPort, int64_t nowPs)
{
    OutPort& out = m_ports[outPort];
    __builtin_prefetch(out.link); // it is loaded while the port is checked
    // Nothing is in its way and nothing holds it back: it never occupies the buffer.
    const bool passesBy =
        !m_pipeline.NeedsAdmission(frame->kind) && out.IsIdle(frame->trafficClass, nowPs);
    if (!passesBy && !Admit(frame, outPort, nowPs))
    {
        DropForBuffer(frame, outPort, nowPs);
        return;
    }
    out.port->CountOffered(frame->frameBytes);
    const auto verdict = m_pipeline.Enqueue(*frame, *out.port, *out.queue, nowPs);
    if (__builtin_expect(verdict != SwitchStage::Verdict::PASS, 0))
    {
        Stop(frame, verdict, passesBy ? SwitchStage::MARK : SwitchStage::ENQUEUE, outPort, nowPs);
        return;
    }
    if (!passesBy)
    {
        Enqueue(frame, outPort, nowPs);
        return;
    }
    Send(frame, out, nowPs);
    if (out.HasFrames())
    {
        StartIfFree(outPort, nowPs);
    }
}

/// Detours are for frames that come from the own datacenter: others might go round in circles.
uint16_t
Switch::ChoosePath(const Frame& frame, int64_t nowPs)
{
    const PathList paths = m_routing.GetPaths(frame.dst);
    const bool isTransit = frame.inPort < m_isWan.size() && m_isWan[frame.inPort];
    const uint32_t count = isTransit ? paths.shortest : paths.all;
    return count < 2 ? paths.entries->port
                     : paths
                           .entries[m_pathPolicy->Choose(
                               {frame,
                                paths.entries,
                                count,
                                m_routing.Hash(frame.src, frame.dst, frame.entropy),
                                nowPs})]
                           .port;
}

inline bool
Switch::Admit(Frame* frame, uint16_t outPort, int64_t nowPs)
{
    switch (m_buffer.Charge(frame->inPort, outPort, frame->trafficClass, frame->frameBytes))
    {
    case SharedBuffer::Verdict::DROPPED:
        return false;
    case SharedBuffer::Verdict::XOFF:
        SendPause(PauseEvent::XOFF, frame->inPort, frame->trafficClass, nowPs);
        break;
    case SharedBuffer::Verdict::ADMITTED:
        break;
    }
    m_counters.admittedBytes += frame->frameBytes;
    return true;
}

inline void
Switch::Enqueue(Frame* frame, uint16_t outPort, int64_t nowPs)
{
    ++m_ports[outPort].queuedFrames;
    m_ports[outPort].queue->Enqueue(frame, nowPs);
    if (__builtin_expect(!m_queueTrace.IsEmpty(), 0))
    {
        TraceQueue(outPort, frame->trafficClass, nowPs); // it is in the queue
    }
    StartIfFree(outPort, nowPs);
}

void
Switch::Release(Frame* frame, SwitchStage::Hook hook, uint16_t outPort, int64_t nowPs)
{
    if (FramePool::IsFree(frame) || frame->nextGapPs != HELD_MARK)
    {
        throw InputError("switch " + m_name +
                         ": a stage releases a frame that is not held, "
                         "expected each once");
    }
    frame->nextGapPs = 0;
    m_pipeline.Check(*frame, "released");
    CheckPort(hook == SwitchStage::ARRIVAL ? 0 : outPort);
    CatchUp(nowPs);
    --m_counters.heldFrames;
    if (hook == SwitchStage::ARRIVAL)
    {
        Forward(frame, nowPs);
    }
    else
    {
        Enqueue(frame, outPort, nowPs);
    }
    Rearm();
}

void
Switch::Drop(Frame* frame, uint8_t reason, int64_t nowPs)
{
    const char* name = m_drops.Count(reason);
    NS_LOG_WARN("switch " << m_name << " drops a frame of NIC " << frame->src << " to "
                          << frame->dst << ", class " << +frame->trafficClass << ", reason "
                          << name);
    m_dropTrace(*frame, name, PicoSeconds(nowPs));
    FramePool::Free(frame);
}

__attribute__((cold, noinline)) void
Switch::DropForBuffer(Frame* frame, uint16_t outPort, int64_t nowPs)
{
    Port& out = *m_ports[outPort].port;
    if (m_randomTies && m_buffer.GetEgressLimitBytes(outPort))
    {
        Contend(*frame, outPort, nowPs);
    }
    m_counters.droppedLosslessFrames += m_losslessMask >> frame->trafficClass & 1;
    m_pipeline.Drop(*frame, out, nowPs);
    Drop(frame, DROP_BUFFER, nowPs);
}

/// A full queue refuses a frame: see TailContest.
void
Switch::Contend(Frame& frame, uint16_t outPort, int64_t nowPs)
{
    Frame* last = m_ports[outPort].queue->FindLast(frame.trafficClass);
    if (!last || frame.inPort >= GetNPorts() || last->inPort == frame.inPort ||
        last->inPort >= GetNPorts() || last->frameBytes != frame.frameBytes)
    {
        return;
    }
    const Port& in = *m_ports[frame.inPort].port;
    if (last->timePs > nowPs - in.SerialisationPs(in.WireBytes(frame.frameBytes)))
    {
        m_contest.Run(*last,
                      frame,
                      outPort,
                      TieKey(nowPs, frame.inPort),
                      m_pipeline.LooksAtEnqueue(frame.kind));
    }
}

void
Switch::Kick(uint16_t port, int64_t nowPs)
{
    CatchUp(nowPs);
    StartIfFree(port, nowPs);
    Rearm();
}

void
Switch::StartIfFree(uint16_t port, int64_t nowPs)
{
    OutPort& out = m_ports[port];
    if (out.starting)
    {
        return;
    }
    const int64_t busyUntil = out.port->GetBusyUntilPs();
    if (busyUntil <= nowPs)
    {
        Depart(port, nowPs);
    }
    else if (GetDeparture(port) > busyUntil)
    {
        SetDeparture(port, busyUntil);
    }
}

void
Switch::ReleaseBuffer(const Frame& frame, uint16_t port, int64_t atPs)
{
    m_counters.releasedBytes += frame.frameBytes;
    m_buffer.Uncharge(frame.inPort, port, frame.trafficClass, frame.frameBytes);
    std::pair<uint16_t, uint8_t> which(frame.inPort, frame.trafficClass);
    while (m_buffer.GetPausedCount() && m_buffer.PopResumable(which, m_resumeOthers))
    {
        ResumePeer(which.first, which.second, atPs);
    }
}

void
Switch::Depart(uint16_t port, int64_t atPs)
{
    OutPort& out = m_ports[port];
    for (bool sent = false; !sent;)
    {
        if (!out.pfc.IsEmpty())
        {
            out.port->Transmit(out.pfc.Pop(), atPs);
            break;
        }
        const uint32_t paused = out.port->PausedMask(atPs);
        Frame* frame = out.queuedFrames ? out.queue->Dequeue(paused, atPs) : nullptr;
        if (!frame)
        {
            SetDeparture(port, out.queuedFrames ? NextTryPs(out, paused, atPs) : NEVER_PS);
            return;
        }
        --out.queuedFrames;
        if (__builtin_expect(!m_queueTrace.IsEmpty(), 0))
        {
            TraceQueue(port, frame->trafficClass, atPs);
        }
        out.starting = true; // releasing may resume this very port's peer
        ReleaseBuffer(*frame, port, atPs);
        sent = Send(frame, out, atPs);
    }
    SetDeparture(port, out.HasFrames() ? out.port->GetBusyUntilPs() : NEVER_PS);
}

/// When to ask the queues of a port again that gave no frame.
int64_t
Switch::NextTryPs(const OutPort& out, uint32_t paused, int64_t atPs) const
{
    const int64_t eligiblePs = out.queue->NextEligiblePs(paused, atPs);
    if (eligiblePs <= atPs)
    {
        throw InputError(out.queue->GetInstanceTypeId().GetName() +
                         " has a frame that may be sent now, and gives none; expected a later time "
                         "of NextEligiblePs()");
    }
    return std::min(out.port->NextPauseExpiryPs(), eligiblePs);
}

__attribute__((cold, noinline)) void
Switch::TraceQueue(uint16_t port, uint8_t trafficClass, int64_t atPs)
{
    m_queueTrace(port,
                 trafficClass,
                 m_ports[port].queue->GetBytes(trafficClass),
                 PicoSeconds(atPs));
}

void
Switch::ArmStage(SwitchStage* stage, int64_t atPs)
{
    m_pipeline.Arm(stage, std::max(atPs, PresentPs()));
    SetTimers();
    Rearm();
}

void
Switch::SetTimers()
{
    SetTimer(std::min(m_pauses.GetNextRefreshPs(), m_pipeline.GetNextTimerPs()));
}

void
Switch::Timer(int64_t atPs)
{
    const auto refresh = [this, atPs](const PauseSender::PausedList& paused) {
        m_pauses.Refresh(paused, atPs, [this, atPs](uint16_t port, uint8_t c) {
            SendPause(PauseEvent::REFRESH, port, c, atPs);
        });
    };
    m_storms.empty() ? refresh(m_buffer.GetPaused()) : refresh(GetAllPaused());
    m_pipeline.RunTimers(atPs);
    SetTimers();
}

void
Switch::Count(std::map<std::string, uint64_t>& counters) const
{
    counters["pfcXoffSent"] += m_pauses.GetSent(PauseEvent::XOFF);
    counters["pfcXonSent"] += m_pauses.GetSent(PauseEvent::XON);
    counters["pfcXoffRefreshed"] += m_pauses.GetSent(PauseEvent::REFRESH);
    m_drops.AddTo("framesDropped", counters);
    counters["losslessDrops"] += m_counters.droppedLosslessFrames;
    AddCounter(counters, "peakBufferBytes", m_buffer.GetPeakBytes());
    if (m_pathPolicy)
    {
        m_pathPolicy->Count(counters);
    }
    for (const Ptr<SwitchStage>& stage : GetStages())
    {
        stage->Count(counters);
    }
}

std::string
Switch::Audit() const
{
    uint64_t queued = 0;
    uint64_t queuedBytes = 0;
    for (const OutPort& out : m_ports)
    {
        queued += out.queue->GetFrames();
        queuedBytes += out.queue->GetTotalBytes();
    }
    const uint64_t in = m_counters.rxFrames + m_counters.emittedFrames;
    const uint64_t out = m_counters.txFrames + m_drops.GetTotal() + m_counters.consumedFrames +
                         m_counters.heldFrames + queued;
    if (in != out)
    {
        return "switch " + m_name + ": " + std::to_string(in) + " frames in, " +
               std::to_string(out) + " accounted for";
    }
    if (m_counters.admittedBytes - m_counters.releasedBytes != m_buffer.GetTotalBytes())
    {
        return "switch " + m_name + ": admitted less released bytes differ from the buffer's";
    }
    if (!m_counters.heldFrames && queuedBytes != m_buffer.GetTotalBytes())
    {
        return "switch " + m_name + ": queues hold " + std::to_string(queuedBytes) +
               " B, the buffer says " + std::to_string(m_buffer.GetTotalBytes());
    }
    return "";
}

void
Switch::SendPause(PauseEvent event, uint16_t port, uint8_t trafficClass, int64_t atPs)
{
    OutPort& out = m_ports[port];
    NS_LOG_LOGIC("switch " << m_name << " port " << port << " class " << +trafficClass
                           << (event == PauseEvent::XON ? " XON" : " XOFF"));
    out.pfc.Push(m_pauses.Make(event, port, trafficClass, atPs));
    SetTimers();
    m_pipeline.Pause(event, *out.port, trafficClass, atPs);
    m_pauseSentTrace(port, trafficClass, event, PicoSeconds(atPs));
    StartIfFree(port, atPs);
}

} // namespace ns3::roce
