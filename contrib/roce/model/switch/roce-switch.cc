/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-switch.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/roce-input-error.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace roce
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
                          MakeQueueSizeAccessor(&Switch::m_bufferSize),
                          MakeQueueSizeChecker())
            .AddAttribute("ControlPoolSize",
                          "Limit of the buffer of the control classes and of emitted frames",
                          QueueSizeValue(QueueSize("4MiB")),
                          MakeQueueSizeAccessor(&Switch::m_controlPoolSize),
                          MakeQueueSizeChecker())
            .AddAttribute("Alpha",
                          "Dynamic threshold of an ingress (port, class) over the free shared "
                          "buffer",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(&Switch::m_alpha),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("EgressAlpha",
                          "Lossy classes: limit of an egress (port, class) over the free buffer",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&Switch::m_egressAlpha),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("EgressLimit",
                          "Drop-tail limit of each egress port, all data classes together, in "
                          "place of all other limits; needs LosslessClasses=0. 0: none",
                          QueueSizeValue(QueueSize("0B")),
                          MakeQueueSizeAccessor(&Switch::m_egressLimit),
                          MakeQueueSizeChecker())
            .AddAttribute("ReservedBytes",
                          "Reserve of each ingress (port, data class)",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&Switch::m_reservedBytes),
                          MakeUintegerChecker<uint64_t>(0, 1 << 30))
            .AddAttribute("XonOffset",
                          "XON when the occupancy is this many bytes below the threshold",
                          UintegerValue(2 * 4096),
                          MakeUintegerAccessor(&Switch::m_xonOffsetBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("ResponseBytes",
                          "Headroom for what an upstream sends before it reacts to XOFF",
                          UintegerValue(0),
                          MakeUintegerAccessor(&Switch::m_responseBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("HeadroomFactor",
                          "Headroom of a lossless (port, class) over the bytes its link holds one "
                          "way (the HPCC simulator has 3); 0: HeadroomBytes()",
                          DoubleValue(0),
                          MakeDoubleAccessor(&Switch::m_headroomFactor),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("HeadroomInBuffer",
                          "Headroom is part of BufferSize; otherwise it comes on top",
                          BooleanValue(true),
                          MakeBooleanAccessor(&Switch::m_headroomInBuffer),
                          MakeBooleanChecker())
            .AddAttribute("AlphaReferenceRate",
                          "Port rate for which Alpha is given; it doubles with each doubling of "
                          "the rate above this. 0: the same for all ports",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&Switch::m_alphaReferenceRate),
                          MakeDataRateChecker())
            .AddAttribute("DataClasses",
                          "Bit mask of the classes that are accounted as data; the others use the "
                          "control pool",
                          UintegerValue(0x3f),
                          MakeUintegerAccessor(&Switch::m_dataMask),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("LosslessClasses",
                          "Bit mask of the data classes that PFC protects",
                          UintegerValue(1 << 3),
                          MakeUintegerAccessor(&Switch::m_losslessMask),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("PauseQuanta",
                          "Duration an XOFF asks for, units of 512 bit times",
                          UintegerValue(65535),
                          MakeUintegerAccessor(&Switch::m_pauseQuanta),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("RefreshPause",
                          "Send XOFF again at half its duration while its cause lasts",
                          BooleanValue(true),
                          MakeBooleanAccessor(&Switch::m_refreshPause),
                          MakeBooleanChecker())
            .AddAttribute("EgressScheduler",
                          "Kind and parameters of each port's queues",
                          StringValue("ns3::roce::DwrrScheduler"),
                          MakeObjectFactoryAccessor(&Switch::m_schedulerFactory),
                          MakeObjectFactoryChecker())
            .AddAttribute("Eager",
                          "Start each transmission from an event of its own, so that trace sinks "
                          "may read Simulator::Now(); slower, same results",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Switch::m_eager),
                          MakeBooleanChecker())
            .AddTraceSource("Drop",
                            "A frame is lost; the reason is a Switch::DropReason",
                            MakeTraceSourceAccessor(&Switch::m_dropTrace),
                            "ns3::roce::Switch::DropCallback")
            .AddTraceSource("PauseSent",
                            "A pause frame is made for a port's peer; quanta 0 resumes",
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
    m_stages.clear();
    Object::DoDispose();
}

uint16_t
Switch::AddPort(Ptr<Port> port)
{
    const auto index = static_cast<uint16_t>(m_ports.size());
    m_ports.emplace_back();
    m_ports.back().port = port;
    m_ports.back().queue = m_schedulerFactory.Create<EgressScheduler>();
    m_ports.back().workConserving = m_ports.back().queue->IsWorkConserving();
    m_bufferOverrides.emplace_back();
    port->SetOwner(this, index);
    return index;
}

void
Switch::SetPortBuffer(uint16_t port, const SharedBuffer::PortConfig& config)
{
    m_bufferOverrides.at(port) = {config, true};
}

void
Switch::SetQueue(uint16_t port, Ptr<EgressScheduler> queue)
{
    OutPort& out = m_ports.at(port);
    NS_ASSERT_MSG(!out.queuedFrames, "the queues of a port are chosen before anything is sent");
    out.queue->Dispose();
    out.workConserving = queue->IsWorkConserving();
    out.queue = std::move(queue);
}

bool
Switch::IsWanPort(uint16_t port) const
{
    const auto* peer = dynamic_cast<const Switch*>(m_ports.at(port).port->GetPeer()->GetOwner());
    return peer && peer->m_datacenter != m_datacenter;
}

bool
Switch::IsHostPort(uint16_t port) const
{
    return !dynamic_cast<const Switch*>(m_ports.at(port).port->GetPeer()->GetOwner());
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
        // occupancy, the frame that brings about the XOFF stands in headroom itself.
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
    m_routing.Configure(std::move(attachments), ownRack, salt);
    m_refreshAtPs.assign(m_ports.size() * N_CLASSES, NEVER_PS);
    std::vector<Port*> ports;
    for (const OutPort& out : m_ports)
    {
        ports.push_back(PeekPointer(out.port));
    }
    SetUp(m_nodeId, ports, m_eager);
}

void
Switch::Install(Ptr<SwitchStage> stage)
{
    stage->Install(*this);
    const uint32_t hooks = stage->GetHooks();
    SwitchStage* raw = PeekPointer(stage);
    for (unsigned kind = 0; kind < N_FRAME_KINDS; ++kind)
    {
        if (!(stage->GetKinds() >> kind & 1))
        {
            continue;
        }
        if (hooks & SwitchStage::ARRIVAL)
        {
            m_arrivalStages[kind].push_back(raw);
        }
        if (hooks & SwitchStage::ENQUEUE)
        {
            m_enqueueStages[kind].push_back(raw);
            m_enqueueUse[kind] =
                std::max(m_enqueueUse[kind],
                         stage->OnlyMarks() ? EnqueueUse::MARKS : EnqueueUse::FULL);
        }
        if (hooks & SwitchStage::DEQUEUE)
        {
            m_dequeueStages[kind].push_back(raw);
        }
        if (hooks & SwitchStage::DROP)
        {
            m_dropStages[kind].push_back(raw);
        }
    }
    m_stages.push_back(std::move(stage));
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
            ++m_counters.xoffRefreshed;
            SendPause(paused, trafficClass, m_pauseQuanta, nowPs);
        }
    }
}

void
Switch::Receive(Port& port, Frame* frame, int64_t nowPs)
{
    frame->inPort = port.GetIndex();
    ++m_counters.rxFrames;
    for (SwitchStage* stage : m_arrivalStages[static_cast<unsigned>(frame->kind)])
    {
        switch (stage->OnArrival(*frame, port, nowPs))
        {
        case SwitchStage::Verdict::PASS:
            break;
        case SwitchStage::Verdict::CONSUME:
            Consume(frame);
            return;
        case SwitchStage::Verdict::HOLD:
            ++m_counters.heldFrames;
            return;
        }
    }
    Forward(frame, nowPs);
}

void
Switch::Consume(Frame* frame)
{
    ++m_counters.consumedFrames;
    FramePool::Free(frame);
}

void
Switch::Emit(Frame* frame, int64_t nowPs)
{
    CatchUp(nowPs);
    frame->inPort = SharedBuffer::INTERNAL_PORT;
    ++m_counters.emittedFrames;
    Forward(frame, nowPs);
    Rearm();
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
    Port& port = *out.port;
    if (out.queuedFrames == 0 && port.GetBusyUntilPs() <= nowPs && out.pfc.IsEmpty() &&
        !out.starting && out.workConserving &&
        m_enqueueUse[static_cast<unsigned>(frame->kind)] != EnqueueUse::FULL &&
        !(port.PausedMask(nowPs) >> frame->trafficClass & 1))
    {
        // Nothing in its way: the frame is sent without ever occupying the buffer.
        port.CountOffered(frame->frameBytes);
        if (m_enqueueUse[static_cast<unsigned>(frame->kind)] != EnqueueUse::NONE)
        {
            RunMarkingStages(*frame, out, nowPs);
        }
        out.starting = true; // a stage may emit to this very port
        const bool pass = RunDequeueStages(*frame, out, nowPs);
        out.starting = false;
        if (pass)
        {
            ++m_counters.txFrames;
            port.Transmit(frame, nowPs);
        }
        else
        {
            Consume(frame);
        }
        if (out.queuedFrames || !out.pfc.IsEmpty())
        {
            StartIfFree(outPort, nowPs);
        }
        return;
    }
    switch (m_buffer.Charge(frame->inPort, outPort, frame->trafficClass, frame->frameBytes))
    {
    case SharedBuffer::Verdict::DROPPED:
        DropForBuffer(frame, port, nowPs);
        return;
    case SharedBuffer::Verdict::XOFF:
        ++m_counters.xoffSent;
        SendPause(frame->inPort, frame->trafficClass, m_pauseQuanta, nowPs);
        break;
    case SharedBuffer::Verdict::ADMITTED:
        break;
    }
    port.CountOffered(frame->frameBytes);
    m_counters.admittedBytes += frame->frameBytes;
    for (SwitchStage* stage : m_enqueueStages[static_cast<unsigned>(frame->kind)])
    {
        switch (stage->OnEnqueue(*frame, port, *out.queue, nowPs))
        {
        case SwitchStage::Verdict::PASS:
            break;
        case SwitchStage::Verdict::CONSUME:
            ReleaseBuffer(*frame, outPort, nowPs);
            Consume(frame);
            return;
        case SwitchStage::Verdict::HOLD:
            ++m_counters.heldFrames;
            return;
        }
    }
    Enqueue(frame, outPort, nowPs);
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

__attribute__((noinline)) void
Switch::RunMarkingStages(Frame& frame, OutPort& out, int64_t nowPs)
{
    for (SwitchStage* stage : m_enqueueStages[static_cast<unsigned>(frame.kind)])
    {
        stage->OnEnqueue(frame, *out.port, *out.queue, nowPs);
    }
}

bool
Switch::RunDequeueStages(Frame& frame, OutPort& out, int64_t atPs)
{
    for (SwitchStage* stage : m_dequeueStages[static_cast<unsigned>(frame.kind)])
    {
        if (stage->OnDequeue(frame, *out.port, *out.queue, atPs) != SwitchStage::Verdict::PASS)
        {
            return false;
        }
    }
    return true;
}

void
Switch::Release(Frame* frame, SwitchStage::Hook hook, uint16_t outPort, int64_t nowPs)
{
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
Switch::Drop(Frame* frame, DropReason reason, int64_t nowPs)
{
    ++m_counters.droppedFrames[reason];
    NS_LOG_WARN("switch " << m_name << " drops a frame of NIC " << frame->src << " to "
                          << frame->dst << ", class " << +frame->trafficClass << ", reason "
                          << +reason);
    m_dropTrace(*frame, reason, PicoSeconds(nowPs));
    FramePool::Free(frame);
}

__attribute__((cold, noinline)) void
Switch::DropForBuffer(Frame* frame, Port& out, int64_t nowPs)
{
    m_counters.droppedLosslessFrames += m_losslessMask >> frame->trafficClass & 1;
    for (SwitchStage* stage : m_dropStages[static_cast<unsigned>(frame->kind)])
    {
        stage->OnDrop(*frame, out, nowPs);
    }
    Drop(frame, DROP_BUFFER, nowPs);
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
        ++m_counters.xonSent;
        m_refreshAtPs[which.first * N_CLASSES + which.second] = NEVER_PS;
        SendPause(which.first, which.second, 0, atPs);
    }
}

void
Switch::Depart(uint16_t port, int64_t atPs)
{
    OutPort& out = m_ports[port];
    Frame* frame;
    while (true)
    {
        if (!out.pfc.IsEmpty())
        {
            frame = out.pfc.Pop();
            break;
        }
        const uint32_t paused = out.port->PausedMask(atPs);
        frame = out.queuedFrames ? out.queue->Dequeue(paused, atPs) : nullptr;
        if (!frame)
        {
            SetDeparture(port,
                         out.queuedFrames ? std::min(out.port->NextPauseExpiryPs(),
                                                     out.queue->NextEligiblePs(paused, atPs))
                                          : NEVER_PS);
            return;
        }
        --out.queuedFrames;
        if (__builtin_expect(!m_queueTrace.IsEmpty(), 0))
        {
            TraceQueue(port, frame->trafficClass, atPs);
        }
        out.starting = true; // releasing may resume this very port's peer
        ReleaseBuffer(*frame, port, atPs);
        const bool pass = RunDequeueStages(*frame, out, atPs);
        out.starting = false;
        if (pass)
        {
            ++m_counters.txFrames;
            break;
        }
        Consume(frame);
    }
    const int64_t end = out.port->Transmit(frame, atPs);
    SetDeparture(port, out.pfc.IsEmpty() && !out.queuedFrames ? NEVER_PS : end);
}

void
Switch::SendPause(uint16_t port, uint8_t trafficClass, uint16_t quanta, int64_t atPs)
{
    OutPort& out = m_ports[port];
    NS_LOG_LOGIC("switch " << m_name << " port " << port << " class " << +trafficClass
                           << (quanta ? " XOFF" : " XON"));
    Frame* frame = out.port->MakePfc(trafficClass, quanta);
    frame->src = 0x800000 | m_nodeId; // a MAC address apart from those of the NICs
    out.pfc.Push(frame);
    if (quanta && m_refreshPause)
    {
        // However short the pause is, at most half of what the port sends are pause frames.
        const int64_t leastPs =
            2 * __builtin_popcount(m_losslessMask) *
            out.port->SerialisationPs(out.port->WireBytes(out.port->GetPfcFrameBytes()));
        const int64_t refresh = atPs + std::max(out.port->QuantaPs(quanta) / 2, leastPs);
        m_refreshAtPs[port * N_CLASSES + trafficClass] = refresh;
        m_nextRefreshPs = std::min(m_nextRefreshPs, refresh);
        SetTimers();
    }
    m_pauseSentTrace(port, trafficClass, quanta, PicoSeconds(atPs));
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
    auto it = std::find_if(m_stageTimers.begin(), m_stageTimers.end(), [stage](const auto& timer) {
        return timer.second == stage;
    });
    if (it == m_stageTimers.end())
    {
        it = m_stageTimers.insert(it, {NEVER_PS, stage});
    }
    it->first = atPs;
    SetTimers();
    Rearm();
}

void
Switch::SetTimers()
{
    int64_t next = m_nextRefreshPs;
    for (const auto& [atPs, stage] : m_stageTimers)
    {
        next = std::min(next, atPs);
    }
    SetTimer(next);
}

void
Switch::Timer(int64_t atPs)
{
    if (m_nextRefreshPs <= atPs)
    {
        m_nextRefreshPs = NEVER_PS;
        // By index: sending a pause frame does not change who is paused.
        for (std::size_t i = 0; i < m_buffer.GetPaused().size(); ++i)
        {
            const auto [port, trafficClass] = m_buffer.GetPaused()[i];
            const int64_t refresh = m_refreshAtPs[port * N_CLASSES + trafficClass];
            if (refresh <= atPs)
            {
                ++m_counters.xoffRefreshed;
                SendPause(port, trafficClass, m_pauseQuanta, atPs);
            }
            else
            {
                m_nextRefreshPs = std::min(m_nextRefreshPs, refresh);
            }
        }
    }
    for (std::size_t i = 0; i < m_stageTimers.size(); ++i)
    {
        if (m_stageTimers[i].first <= atPs)
        {
            m_stageTimers[i].first = NEVER_PS;
            m_stageTimers[i].second->OnTimer(atPs);
        }
    }
    SetTimers();
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
    uint64_t dropped = 0;
    for (uint64_t n : m_counters.droppedFrames)
    {
        dropped += n;
    }
    const uint64_t in = m_counters.rxFrames + m_counters.emittedFrames;
    const uint64_t out =
        m_counters.txFrames + dropped + m_counters.consumedFrames + m_counters.heldFrames + queued;
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

} // namespace roce
} // namespace ns3
