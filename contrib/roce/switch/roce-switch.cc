// SPDX-License-Identifier: GPL-2.0-only
#include "roce-switch.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/roce-byte-size.h"
#include "ns3/roce-fixed-attribute.h"
#include "ns3/roce-hash.h"
#include "ns3/roce-input-error.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3::roce
{

NS_LOG_COMPONENT_DEFINE("RoceSwitch");
NS_OBJECT_ENSURE_REGISTERED(Switch);

TypeId
Switch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::Switch")
            .SetParent<Object>()
            .SetGroupName("Roce")
            .AddConstructor<Switch>()
            .AddAttribute("BufferSize",
                          "Shared buffer, headroom and reserves included",
                          QueueSizeValue(QueueSize("32MiB")),
                          UntilBuilt(MakeQueueSizeAccessor(&Switch::m_bufferSize)),
                          ByteSize::MakeQueueSizeChecker())
            .AddAttribute("ControlPoolSize",
                          "Limit of the buffer of the control classes and of emitted frames",
                          QueueSizeValue(QueueSize("4MiB")),
                          UntilBuilt(MakeQueueSizeAccessor(&Switch::m_controlPoolSize)),
                          ByteSize::MakeQueueSizeChecker())
            .AddAttribute("Alpha",
                          "Dynamic threshold of an ingress (port, class) over the free shared "
                          "buffer",
                          DoubleValue(0.125),
                          UntilBuilt(MakeDoubleAccessor(&Switch::m_alpha)),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("EgressAlpha",
                          "Lossy classes: limit of an egress (port, class) over the free buffer",
                          DoubleValue(1.0),
                          UntilBuilt(MakeDoubleAccessor(&Switch::m_egressAlpha)),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("EgressLimit",
                          "Drop-tail limit of each egress port, all data classes together, in "
                          "place of all other limits; needs LosslessClasses=0. 0: none",
                          QueueSizeValue(QueueSize("0B")),
                          UntilBuilt(MakeQueueSizeAccessor(&Switch::m_egressLimit)),
                          ByteSize::MakeQueueSizeChecker())
            .AddAttribute("ReservedBytes",
                          "Reserve of each ingress (port, data class)",
                          UintegerValue(4096),
                          UntilBuilt(MakeUintegerAccessor(&Switch::m_reservedBytes)),
                          MakeUintegerChecker<uint64_t>(0, 1 << 30))
            .AddAttribute("XonOffset",
                          "XON when the occupancy is this many bytes below the threshold",
                          UintegerValue(2 * 4096),
                          UntilBuilt(MakeUintegerAccessor(&Switch::m_xonOffsetBytes)),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("ResponseBytes",
                          "Headroom for bytes that an upstream sends before it reacts to XOFF",
                          UintegerValue(0),
                          UntilBuilt(MakeUintegerAccessor(&Switch::m_responseBytes)),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("HeadroomFactor",
                          "Headroom of a lossless (port, class) over the bytes its link holds one "
                          "way (the HPCC simulator has 3); 0: HeadroomBytes()",
                          DoubleValue(0),
                          UntilBuilt(MakeDoubleAccessor(&Switch::m_headroomFactor)),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("HeadroomInBuffer",
                          "Headroom is part of BufferSize; otherwise it comes on top",
                          BooleanValue(true),
                          UntilBuilt(MakeBooleanAccessor(&Switch::m_headroomInBuffer)),
                          MakeBooleanChecker())
            .AddAttribute("AlphaReferenceRate",
                          "Port rate for which Alpha is given; it doubles with each doubling of "
                          "the rate above this. 0: the same for all ports",
                          DataRateValue(DataRate(0)),
                          UntilBuilt(MakeDataRateAccessor(&Switch::m_alphaReferenceRate)),
                          MakeDataRateChecker())
            .AddAttribute("DataClasses",
                          "Bit mask of the classes that are accounted as data; the others use the "
                          "control pool",
                          UintegerValue(0x3f),
                          UntilBuilt(MakeUintegerAccessor(&Switch::m_dataMask)),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("LosslessClasses",
                          "Bit mask of the data classes that PFC protects",
                          UintegerValue(1 << 3),
                          UntilBuilt(MakeUintegerAccessor(&Switch::m_losslessMask)),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("PauseQuanta",
                          "Duration an XOFF asks for, units of 512 bit times",
                          UintegerValue(65535),
                          MakeUintegerAccessor(&Switch::SetPauseQuanta, &Switch::GetPauseQuanta),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("RefreshPause",
                          "Send XOFF again at half its duration while its cause lasts",
                          BooleanValue(true),
                          MakeBooleanAccessor(&Switch::SetRefreshPause, &Switch::IsRefreshPause),
                          MakeBooleanChecker())
            .AddAttribute("EgressScheduler",
                          "Kind and parameters of each port's queues",
                          StringValue("ns3::roce::DwrrScheduler"),
                          UntilBuilt(MakeObjectFactoryAccessor(&Switch::m_schedulerFactory)),
                          MakeObjectFactoryChecker())
            .AddAttribute(
                "RandomTies",
                "Any of the frames that arrive at the same time may be first, by RngSeed "
                "and RngRun: at the same picosecond; and if they overlap and a queue with "
                "EgressLimit has room for one. Else the port with the lowest number, or the frame "
                "that is a picosecond earlier",
                BooleanValue(true),
                UntilBuilt(MakeBooleanAccessor(&Switch::m_randomTies)),
                MakeBooleanChecker())
            .AddAttribute("Eager",
                          "Start each transmission by a separate event, so that trace sinks "
                          "may read Simulator::Now(); slower, same results",
                          BooleanValue(false),
                          UntilBuilt(MakeBooleanAccessor(&Switch::m_eager)),
                          MakeBooleanChecker())
            .AddTraceSource("Drop",
                            "A frame is lost, with the reason: buffer, noRoute, ttl, or a stage's",
                            MakeTraceSourceAccessor(&Switch::m_dropTrace),
                            "ns3::roce::Switch::DropCallback")
            .AddTraceSource("PauseSent",
                            "A pause frame is made for a port's peer, with the reason",
                            MakeTraceSourceAccessor(&Switch::m_pauseSentTrace),
                            "ns3::roce::Switch::PauseSentCallback")
            .AddTraceSource("QueueLength",
                            "A frame has entered or left the queues of a port",
                            MakeTraceSourceAccessor(&Switch::m_queueTrace),
                            "ns3::roce::Switch::QueueLengthCallback");
    return tid;
}

Switch::Switch() = default;

Switch::~Switch() = default;

void
Switch::NotifyNewAggregate()
{
    if (Ptr<Node> node = GetObject<Node>())
    {
        m_nodeId = node->GetId();
    }
    Object::NotifyNewAggregate();
}

void
Switch::DoDispose()
{
    for (OutPort& out : m_ports)
    {
        out.pfc.Clear();
        if (out.queue)
        {
            out.queue->Dispose();
        }
    }
    m_ports.clear();
    for (const Ptr<SwitchStage>& stage : GetStages())
    {
        stage->SetSwitch(nullptr); // others may have it still
    }
    m_pipeline.Clear();
    Object::DoDispose();
}

uint16_t
Switch::AddPort(Ptr<Port> port)
{
    const auto index = static_cast<uint16_t>(m_ports.size());
    m_ports.emplace_back();
    m_ports.back().port = port;
    m_ports.back().queue = m_schedulerFactory.Create<EgressScheduler>();
    m_ports.back().queue->CheckAttributes();
    m_ports.back().workConserving = m_ports.back().queue->IsWorkConserving();
    m_bufferOverrides.emplace_back();
    port->SetOwner(this, index);
    return index;
}

void
Switch::SetPortBuffer(uint16_t port, const SharedBuffer::PortConfig& config)
{
    m_bufferOverrides[CheckPort(port)] = {config, true};
}

void
Switch::SetQueue(uint16_t port, Ptr<EgressScheduler> queue)
{
    OutPort& out = m_ports[CheckPort(port)];
    if (!queue || out.queuedFrames)
    {
        throw InputError("switch " + m_name + " port " + std::to_string(port) +
                         (queue ? ": queues are set while frames are in them, expected before the "
                                  "run"
                                : ": queues are null, expected an EgressScheduler"));
    }
    out.queue->Dispose();
    out.workConserving = queue->IsWorkConserving();
    out.queue = std::move(queue);
    SetQueueOf(port, PeekPointer(out.queue));
}

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

void
Switch::SetPauseQuanta(uint16_t quanta)
{
    m_pauses.SetQuanta(quanta);
}

uint16_t
Switch::GetPauseQuanta() const
{
    return m_pauses.GetQuanta();
}

void
Switch::SetRefreshPause(bool refresh)
{
    m_pauses.SetRefresh(refresh);
}

bool
Switch::IsRefreshPause() const
{
    return m_pauses.GetRefresh();
}

double
Switch::AlphaOf(const Port& port) const
{
    double alpha = m_alpha;
    const uint64_t reference = m_alphaReferenceRate.GetBitRate();
    for (uint64_t rate = port.GetRateBps(); reference && rate / 2 >= reference; rate /= 2)
    {
        alpha *= 2;
    }
    return alpha;
}

SharedBuffer::PortConfig
Switch::MakePortBuffer(uint16_t index, uint32_t maxFrameBytes) const
{
    const Port& port = *m_ports[index].port;
    SharedBuffer::PortConfig config = m_bufferOverrides[index].config;
    if (!m_bufferOverrides[index].isSet)
    {
        config.alpha = AlphaOf(port);
        config.reservedBytes = m_reservedBytes;
    }
    if (!config.egressLimitBytes)
    {
        config.egressLimitBytes = m_egressLimit.GetValue();
    }
    if (config.egressLimitBytes && config.egressLimitBytes < maxFrameBytes)
    {
        throw InputError("switch " + m_name + ": egress limit of port " + std::to_string(index) +
                         " is " + std::to_string(config.egressLimitBytes) +
                         " B, expected at least the largest frame, " +
                         std::to_string(maxFrameBytes) + " B");
    }
    if (!config.headroomBytes && m_headroomFactor > 0)
    {
        // At least one byte: SharedBuffer takes 0 for none; at most what no buffer holds.
        config.headroomBytes = static_cast<uint64_t>(
            std::clamp(std::floor(m_headroomFactor * static_cast<double>(port.GetRateBps()) *
                                  static_cast<double>(port.GetLink()->GetDelayPs()) / 8e12),
                       1.0,
                       1e15));
    }
    if (!config.headroomBytes)
    {
        // One frame more than the formula: when the dynamic threshold has fallen below the
        // occupancy, the frame that causes the XOFF is in headroom itself.
        config.headroomBytes = HeadroomBytes(port.GetRateBps(),
                                             port.GetLink()->GetDelayPs(),
                                             maxFrameBytes,
                                             m_responseBytes + maxFrameBytes);
    }
    return config;
}

void
Switch::Configure(const std::string& name,
                  std::shared_ptr<const Attachments> attachments,
                  int32_t ownRack,
                  uint64_t salt,
                  uint32_t maxFrameBytes)
{
    m_name = name;
    if (m_losslessMask & ~m_dataMask)
    {
        throw InputError(
            "switch " + name + ": LosslessClasses is " + std::to_string(m_losslessMask) +
            ", expected only classes that are in DataClasses, " + std::to_string(m_dataMask));
    }
    SharedBuffer::Config config;
    config.bufferBytes = m_bufferSize.GetValue();
    config.controlPoolBytes = m_controlPoolSize.GetValue();
    config.dataMask = m_dataMask;
    config.losslessMask = m_losslessMask;
    config.xonOffsetBytes = m_xonOffsetBytes;
    config.egressAlpha = m_egressAlpha;
    for (uint16_t p = 0; p < GetNPorts(); ++p)
    {
        const SharedBuffer::PortConfig port = MakePortBuffer(p, maxFrameBytes);
        if (!m_headroomInBuffer && !port.ownPoolBytes)
        {
            config.bufferBytes += port.headroomBytes * __builtin_popcount(m_losslessMask);
        }
        config.ports.push_back(port);
    }
    m_buffer.Configure(config, name.c_str());
    m_pipeline.SetNNics(attachments ? attachments->rackOfNic.size() : 0);
    m_routing.Configure(std::move(attachments), ownRack, salt);
    std::vector<Port*> ports;
    for (OutPort& out : m_ports)
    {
        ports.push_back(PeekPointer(out.port));
        out.link = out.port->GetOutgoing();
    }
    // A MAC address apart from those of the NICs.
    m_pauses.Configure(0x800000 | m_nodeId, m_losslessMask, ports);
    SetUp(m_nodeId, ports, m_eager);
    if (m_randomTies)
    {
        // Not the node's id, which grows from one network of a process to the next.
        SetRandomTies(Mix64(Mix64(RngSeedManager::GetSeed()) + RngSeedManager::GetRun()) + salt);
        m_contests.resize(GetNPorts());
    }
    for (uint16_t p = 0; p < GetNPorts(); ++p)
    {
        SetQueueOf(p, PeekPointer(m_ports[p].queue));
    }
}

void
Switch::Install(Ptr<SwitchStage> stage)
{
    if (!stage || stage->IsInstalled())
    {
        throw InputError("switch " + m_name + ": " +
                         (stage ? stage->GetInstanceTypeId().GetName() +
                                      " is installed already, expected a stage of its own"
                                : "a stage is null, expected a SwitchStage"));
    }
    stage->Install(*this);
    stage->SetSwitch(this);
    m_pipeline.Add(std::move(stage));
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
Switch::OnPauseChange(Port& port, int64_t nowPs)
{
    StartIfFree(port.GetIndex(), nowPs);
}

void
Switch::OnLinkRepair(Port& port, int64_t nowPs)
{
    // The peer does not know of any XOFF. By index: sending does not change who is paused.
    for (std::size_t i = 0; i < m_buffer.GetPaused().size(); ++i)
    {
        const auto [paused, trafficClass] = m_buffer.GetPaused()[i];
        if (paused == port.GetIndex())
        {
            SendPause(PauseEvent::REFRESH, paused, trafficClass, nowPs);
        }
    }
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

/**
 * A stage does not let a frame pass.
 * hook: where; MARK if the frame was not admitted
 */
__attribute__((cold, noinline)) void
Switch::Stop(Frame* frame,
             SwitchStage::Verdict verdict,
             SwitchStage::Hook hook,
             uint16_t outPort,
             int64_t nowPs)
{
    const bool held = verdict == SwitchStage::Verdict::HOLD;
    if (hook == SwitchStage::MARK)
    {
        m_pipeline.Refuse(*frame, "does not pass a frame on at hook MARK, expected Verdict::PASS");
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
    if (frame->ttl == 0)
    {
        Drop(frame, DROP_TTL, nowPs);
        return;
    }
    --frame->ttl;
    const uint16_t outPort = m_routing.Route(frame->src, frame->dst, frame->entropy);
    if (outPort == Routing::NO_PORT)
    {
        Drop(frame, DROP_NO_ROUTE, nowPs);
        return;
    }
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

/**
 * A full queue refuses a frame. If the one that goes last there came in while this one did, a real
 * switch, which takes in frames by pieces, may as well have refused that one; without this, a
 * sender that is a picosecond earlier would lose nothing for as long as the senders keep their pace
 * (Floyd and Jacobson, On traffic phase effects in packet-switched gateways, 1992). Each of the
 * frames that want the place gets it with the same probability. They exchange places, as if they
 * had come in the other order; where stages mark what is queued, the mark of the place stays there.
 */
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
    if (last->timePs <= nowPs - in.SerialisationPs(in.WireBytes(frame.frameBytes)))
    {
        return;
    }
    Contest& contest = m_contests[outPort];
    if (contest.holder != last || contest.arrivedPs != last->timePs)
    {
        contest = {last, last->timePs, 0};
    }
    ++contest.refused;
    if (TieKey(nowPs, frame.inPort) % (contest.refused + 1) == 0)
    {
        std::swap(*last, frame);
        std::swap(last->next, frame.next);
        if (m_pipeline.LooksAtEnqueue(frame.kind) && last->ecn != ECN_NOT_ECT &&
            frame.ecn != ECN_NOT_ECT)
        {
            std::swap(last->ecn, frame.ecn);
        }
        contest.arrivedPs = last->timePs;
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
    std::pair<uint16_t, uint8_t> which;
    while (m_buffer.GetPausedCount() && m_buffer.PopResumable(which))
    {
        SendPause(PauseEvent::XON, which.first, which.second, atPs);
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
    m_pauses.Refresh(m_buffer.GetPaused(), atPs, [this, atPs](uint16_t port, uint8_t c) {
        SendPause(PauseEvent::REFRESH, port, c, atPs);
    });
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
    uint64_t& peak = counters["peakBufferBytes"];
    peak = std::max(peak, m_buffer.GetPeakBytes());
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

} // namespace ns3::roce
