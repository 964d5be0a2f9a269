// SPDX-License-Identifier: GPL-2.0-only
#include "roce-path-policy.h"
#include "roce-switch.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
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

// Attributes and trace sources of Switch, what is made of them before the run, and its end.

namespace ns3::roce
{

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
            .AddAttribute("ResumeOthers",
                          "A frame that leaves makes XON due for any peer; false: only for the one "
                          "that it came from (as in the HPCC simulator)",
                          BooleanValue(true),
                          UntilBuilt(MakeBooleanAccessor(&Switch::m_resumeOthers)),
                          MakeBooleanChecker())
            .AddAttribute("ResponseBytes",
                          "Headroom for what an upstream sends before it reacts to XOFF",
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
                "Any of the frames that arrive at the same picosecond may be first, by RngSeed "
                "and RngRun; likewise any of frames that overlap, if a queue with EgressLimit "
                "has room for one. false: the port with the lowest number, or the earlier frame",
                BooleanValue(true),
                UntilBuilt(MakeBooleanAccessor(&Switch::m_randomTies)),
                MakeBooleanChecker())
            .AddAttribute("Eager",
                          "Start each transmission from an event of its own, so that trace sinks "
                          "may read Simulator::Now(); slower, same results",
                          BooleanValue(false),
                          UntilBuilt(MakeBooleanAccessor(&Switch::m_eager)),
                          MakeBooleanChecker())
            .AddTraceSource("Drop",
                            "A frame is lost, and why: buffer, noRoute, ttl, or what a stage says",
                            MakeTraceSourceAccessor(&Switch::m_dropTrace),
                            "ns3::roce::Switch::DropCallback")
            .AddTraceSource("PauseSent",
                            "A pause frame is made for a port's peer, and why",
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
    m_pathPolicy = nullptr;
    Object::DoDispose();
}

uint16_t
Switch::AddPort(Ptr<Port> port)
{
    const auto index = static_cast<uint16_t>(m_ports.size());
    m_ports.emplace_back();
    m_ports.back().port = port;
    port->SetOwner(this, index);
    return index;
}

void
Switch::SetPortBuffer(uint16_t port, const SharedBuffer::PortConfig& config)
{
    CheckPort(port);
    m_bufferOverrides.resize(GetNPorts());
    m_bufferOverrides[port] = {config, true};
}

const EgressScheduler&
Switch::NoQueue() const
{
    throw InputError("a switch is asked for its queues, expected Network::Build() before");
}

/// A port has queues of its own. No frame comes to those of a copy: one for all will do.
void
Switch::MakeQueues()
{
    for (OutPort& out : m_ports)
    {
        const OutPort& first = m_ports.front();
        const bool isFirst = &out == &first;
        out.queue = isFirst ? nullptr : IsCopy() ? first.queue : first.queue->MakeAlike();
        if (!out.queue)
        {
            out.queue = m_schedulerFactory.Create<EgressScheduler>();
            out.queue->CheckAttributes();
        }
        out.workConserving = out.queue->IsWorkConserving();
    }
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
    if (!IsCopy()) // others may have it
    {
        out.queue->Dispose();
    }
    out.workConserving = queue->IsWorkConserving();
    out.queue = std::move(queue);
    SetQueueOf(port, PeekPointer(out.queue));
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
    SharedBuffer::PortConfig config;
    if (index < m_bufferOverrides.size() && m_bufferOverrides[index].isSet)
    {
        config = m_bufferOverrides[index].config;
    }
    else
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
        // occupancy, the frame that causes the XOFF is in the headroom itself.
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
    MakeQueues();
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
    if (IsCopy())
    {
        m_buffer.Fold();
    }
    m_pipeline.SetNNics(attachments ? attachments->rackOfNic.size() : 0);
    m_routing.Configure(std::move(attachments), ownRack, salt);
    std::vector<Port*> ports;
    for (OutPort& out : m_ports)
    {
        ports.push_back(PeekPointer(out.port));
        out.link = out.port->GetOutgoing();
    }
    SetUp(m_nodeId, ports, m_eager);
    if (IsCopy())
    {
        return;
    }
    // A MAC address apart from those of the NICs.
    m_pauses.Configure(0x800000 | m_nodeId, m_losslessMask, ports);
    if (m_randomTies)
    {
        // Not the node's id, which grows from one network of a process to the next.
        SetRandomTies(Mix64(Mix64(RngSeedManager::GetSeed()) + RngSeedManager::GetRun()) + salt);
        m_contest.SetUp(GetNPorts());
    }
    for (uint16_t p = 0; p < GetNPorts(); ++p)
    {
        SetQueueOf(p, PeekPointer(m_ports[p].queue));
    }
}

Ptr<PathPolicy>
Switch::GetPathPolicy() const
{
    return m_pathPolicy;
}

void
Switch::SetPathPolicy(Ptr<PathPolicy> policy)
{
    if (!policy || m_pathPolicy)
    {
        throw InputError("switch " + m_name +
                         (policy ? ": a second path policy, expected one"
                                 : ": a path policy is null, expected one"));
    }
    m_pathPolicy = std::move(policy);
    m_routing.KeepPaths();
    for (uint16_t p = 0; p < GetNPorts(); ++p)
    {
        m_isWan.push_back(IsWanPort(p));
    }
    m_pathPolicy->Install(*this);
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

} // namespace ns3::roce
