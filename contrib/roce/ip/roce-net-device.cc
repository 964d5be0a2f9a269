// SPDX-License-Identifier: GPL-2.0-only
#include "roce-net-device.h"

#include "roce-net-channel.h"

#include "ns3/ethernet-header.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-nic.h"
#include "ns3/roce-packet-bytes.h"
#include "ns3/roce-wire-format.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>

namespace ns3::roce
{

NS_LOG_COMPONENT_DEFINE("RoceNetDevice");
NS_OBJECT_ENSURE_REGISTERED(PacketLosses);
NS_OBJECT_ENSURE_REGISTERED(RoceNetDevice);

namespace
{

constexpr uint8_t GROUP_TTL = 255; // of what is not IP, and what goes to a group

} // namespace

TypeId
PacketLosses::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::PacketLosses")
                            .SetParent<Object>()
                            .SetGroupName("Roce")
                            .AddConstructor<PacketLosses>()
                            .AddTraceSource("Drop",
                                            "A packet is lost: see MacTxDrop and NetworkDrop of "
                                            "the device",
                                            MakeTraceSourceAccessor(&PacketLosses::m_drop),
                                            "ns3::Packet::TracedCallback");
    return tid;
}

TypeId
RoceNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::RoceNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("Roce")
            .AddConstructor<RoceNetDevice>()
            .AddAttribute("Mtu",
                          "Most bytes of a packet, without its MAC header",
                          UintegerValue(1500),
                          MakeUintegerAccessor(&RoceNetDevice::m_mtu),
                          MakeUintegerChecker<uint16_t>(MIN_MTU, MAX_MTU))
            .AddAttribute("Queue",
                          "Queue of each traffic class: a TypeId name of ns-3, with parameters in "
                          "brackets",
                          ObjectFactoryValue([] {
                              ObjectFactory factory("ns3::DropTailQueue<Packet>");
                              factory.Set("MaxSize", StringValue("100p"));
                              return factory;
                          }()),
                          MakeObjectFactoryAccessor(&RoceNetDevice::m_queueFactory),
                          MakeObjectFactoryChecker())
            .AddAttribute("Classes",
                          "Traffic class of packets: one for all, and exceptions by DSCP or by "
                          "priority of the socket, such as 0,dscp46=5,priority6=4",
                          StringValue("0"),
                          MakeStringAccessor(&RoceNetDevice::m_classText),
                          MakeStringChecker())
            .AddAttribute("TxQueue",
                          "Says by its trace source Drop which packets the device or the network "
                          "loses, as FlowMonitor expects it of a queue",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&RoceNetDevice::m_losses),
                          MakePointerChecker<PacketLosses>())
            .AddTraceSource("MacTx",
                            "A packet comes from the stack",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_macTx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A packet of the stack is not sent: the queue is full, the link is "
                            "down, it is longer than Mtu, or no device has its destination",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_macTxDrop),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("NetworkDrop",
                            "A packet of this host is lost in the network: where and why",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_networkDrop),
                            "ns3::roce::RoceNetDevice::NetworkDropCallback")
            .AddTraceSource("MacPromiscRx",
                            "A packet has arrived, for whomever it is",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_macPromiscRx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A packet has arrived for this host",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_macRx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxBegin",
                            "The NIC takes a packet",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_phyTxBegin),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxEnd",
                            "The NIC has a packet",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_phyRxEnd),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Sniffer",
                            "Packets from and for this host, with their MAC headers, for captures",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_sniffer),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PromiscSniffer",
                            "All packets that come and go, with their MAC headers, for captures",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_promiscSniffer),
                            "ns3::Packet::TracedCallback");
    return tid;
}

RoceNetDevice::RoceNetDevice() = default;
RoceNetDevice::~RoceNetDevice() = default;

void
RoceNetDevice::DoDispose()
{
    m_queues.clear();
    m_interface = nullptr;
    m_channel = nullptr;
    m_nic = nullptr;
    m_node = nullptr;
    m_receive =
        MakeNullCallback<bool, Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address&>();
    m_promiscReceive = PromiscReceiveCallback();
    NetDevice::DoDispose();
}

void
RoceNetDevice::Attach(const Ptr<Nic>& nic, const Ptr<RoceNetChannel>& channel, std::size_t index)
{
    m_nic = nic;
    m_channel = channel;
    m_index = index;
    Mac48Address address;
    address.CopyFrom(WireFormat::MacOfNic(nic->GetIndex()).data());
    SetAddress(address);
    nic->SetStack(*this);
}

void
RoceNetDevice::NotifyConstructionCompleted()
{
    NetDevice::NotifyConstructionCompleted();
    MakeQueues();
}

void
RoceNetDevice::MakeQueues()
{
    m_classes = PacketClasses::Parse(m_classText);
    for (const uint8_t trafficClass : m_classes.GetAll())
    {
        m_queues.push_back({trafficClass, m_queueFactory.Create<Queue<Packet>>(), false, nullptr});
    }
    Ptr<NetDeviceQueueInterface> queues =
        CreateObjectWithAttributes<NetDeviceQueueInterface>("NTxQueues",
                                                            UintegerValue(m_queues.size()));
    queues->SetSelectQueueCallback([this](Ptr<QueueItem> item) {
        return static_cast<std::size_t>(&QueueOf(item->GetPacket()) - m_queues.data());
    });
    AggregateObject(queues);
    for (std::size_t i = 0; i < m_queues.size(); ++i)
    {
        queues->GetTxQueue(i)->ConnectQueueTraces(m_queues[i].packets);
    }
}

void
RoceNetDevice::NotifyNewAggregate()
{
    m_interface = m_interface ? m_interface : GetObject<NetDeviceQueueInterface>();
    NetDevice::NotifyNewAggregate();
}

// ---------------------------------------------------------------- sending

/// @param packet from its MAC header on, or of traffic-control
RoceNetDevice::TxQueue&
RoceNetDevice::QueueOf(const Ptr<const Packet>& packet)
{
    if (m_queues.size() == 1)
    {
        return m_queues.front();
    }
    std::array<uint8_t, PacketBytes::HEAD_BYTES> head{};
    const uint32_t size = packet->CopyData(head.data(), head.size());
    SocketPriorityTag tag;
    const bool hasPriority = packet->PeekPacketTag(tag);
    const uint8_t trafficClass =
        m_classes.Of(PacketBytes::Read(head.data(), size).dscp,
                     hasPriority ? static_cast<uint8_t>(tag.GetPriority()) : 0);
    return *std::find_if(m_queues.begin(), m_queues.end(), [trafficClass](const TxQueue& queue) {
        return queue.trafficClass == trafficClass;
    });
}

bool
RoceNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocol)
{
    return SendFrom(packet, m_address, dest, protocol);
}

bool
RoceNetDevice::SendFrom(Ptr<Packet> packet,
                        const Address& source,
                        const Address& dest,
                        uint16_t protocol)
{
    const Mac48Address from = Mac48Address::ConvertFrom(source);
    const Mac48Address to = Mac48Address::ConvertFrom(dest);
    m_macTx(packet);
    if (from != m_address)
    {
        m_channel->Learn(from, m_index);
    }
    if (to.IsGroup() && Answer(packet, from, protocol))
    {
        return true;
    }
    RoceNetDevice* const receiver = m_channel->Find(to);
    if (!IsLinkUp() || packet->GetSize() > m_mtu ||
        (!to.IsGroup() && (!receiver || receiver == this)))
    {
        NS_LOG_WARN("NIC " << m_nic->GetIndex() << " has no way to " << to << " for "
                           << packet->GetSize() << " B");
        return Refuse(packet);
    }
    EthernetHeader mac(false);
    mac.SetSource(from);
    mac.SetDestination(to);
    mac.SetLengthType(protocol);
    packet->AddHeader(mac);
    if (!QueueOf(packet).packets->Enqueue(packet))
    {
        return Refuse(packet);
    }
    Refill();
    Arm();
    return true;
}

/// @return false: it is not sent
bool
RoceNetDevice::Refuse(const Ptr<const Packet>& packet)
{
    m_macTxDrop(packet);
    m_losses->Count(packet);
    return false;
}

void
RoceNetDevice::OnLoss(const Frame& frame, const std::string& reason, uint32_t node, const Time& at)
{
    const Ptr<const Packet> packet(frame.packet);
    m_networkDrop(packet, reason, node, at);
    m_losses->Count(packet);
}

/// @return whether it is a question that the NIC answers in place of the network
bool
RoceNetDevice::Answer(const Ptr<const Packet>& packet,
                      const Mac48Address& asking,
                      uint16_t protocol)
{
    bool isQuestion = false;
    Mac48Address from;
    if (const Ptr<Packet> answer = m_channel->Answer(*this, packet, protocol, from, isQuestion))
    {
        // In an event of its own: the stack does not expect it before it has finished asking.
        Simulator::ScheduleNow(&RoceNetDevice::Deliver, this, answer, from, asking, protocol);
    }
    return isQuestion;
}

/// Show the NIC a packet of each class in which it has none. It leaves the queue when it is on its
/// way: so a queue holds what it would hold at any other device.
void
RoceNetDevice::Refill()
{
    NicPackets& nic = *m_nic->GetPackets();
    for (TxQueue& queue : m_queues)
    {
        while (!nic.IsWaiting(queue.trafficClass))
        {
            if (queue.isShown)
            {
                queue.isShown = false;
                const Ptr<const Packet> sent = queue.packets->Dequeue();
                m_phyTxBegin(sent);
                m_sniffer(sent);
                m_promiscSniffer(sent);
            }
            if (queue.copied && SendCopy(queue))
            {
                continue;
            }
            const Ptr<Packet> packet = ConstCast<Packet>(queue.packets->Peek());
            if (!packet)
            {
                break;
            }
            queue.isShown = true;
            EthernetHeader mac(false);
            packet->PeekHeader(mac);
            if (mac.GetDestination().IsGroup())
            {
                queue.copied = packet;
                queue.next = 0;
                SendCopy(queue);
            }
            else if (const RoceNetDevice* to = m_channel->Find(mac.GetDestination()))
            {
                Transmit(packet, to->m_nic->GetIndex(), queue.trafficClass);
            }
        }
    }
}

/// A packet for several: send it to the next one. @return whether there is one
bool
RoceNetDevice::SendCopy(TxQueue& queue)
{
    queue.next += queue.next == m_index;
    if (queue.next >= m_channel->GetNDevices())
    {
        queue.copied = nullptr;
        return false;
    }
    const auto* to =
        static_cast<const RoceNetDevice*>(PeekPointer(m_channel->GetDevice(queue.next++)));
    Transmit(queue.copied->Copy(), to->m_nic->GetIndex(), queue.trafficClass);
    return true;
}

void
RoceNetDevice::Transmit(const Ptr<Packet>& packet, uint32_t toNic, uint8_t trafficClass)
{
    std::array<uint8_t, PacketBytes::HEAD_BYTES> head{};
    const uint32_t size = packet->CopyData(head.data(), head.size());
    const PacketBytes bytes = PacketBytes::Read(head.data(), size);
    const bool isCounted = bytes.isIp && !bytes.isGroup;
    Frame* frame = FramePool::Alloc();
    frame->kind = FrameKind::PACKET;
    frame->packet = PeekPointer(packet);
    frame->packet->Ref();
    frame->frameBytes = packet->GetSize() + FCS_BYTES;
    frame->payloadBytes = static_cast<uint16_t>(packet->GetSize() - ETHERNET_HEADER_BYTES);
    frame->src = m_nic->GetIndex();
    frame->dst = toNic;
    frame->trafficClass = trafficClass;
    frame->entropy = bytes.entropy;
    frame->srcQp = bytes.flow;
    frame->dscp = bytes.dscp;
    frame->ecn = isCounted ? bytes.ecn : static_cast<uint8_t>(ECN_NOT_ECT);
    frame->ttl = isCounted ? bytes.ttl : GROUP_TTL;
    m_nic->SendPacket(frame);
}

// ---------------------------------------------------------------- receiving

void
RoceNetDevice::Foresee(int64_t atPs)
{
    atPs = std::max(atPs, NowPs());
    if (m_foreseen.empty() || m_foreseen.back() < atPs)
    {
        m_foreseen.push_back(atPs);
    }
    else if (const auto place = std::lower_bound(m_foreseen.begin(), m_foreseen.end(), atPs);
             *place != atPs)
    {
        m_foreseen.insert(place, atPs);
    }
    m_timer.Arm(m_node->GetId(), m_foreseen.front());
}

void
RoceNetDevice::OnWake(int64_t nowPs)
{
    if (!m_nic)
    {
        return; // disposed of
    }
    m_nic->CatchUp(nowPs);
    while (!m_foreseen.empty() && m_foreseen.front() <= nowPs)
    {
        m_foreseen.pop_front();
    }
    while (Frame* frame = m_nic->GetPackets()->TakeArrived())
    {
        Receive(frame);
    }
    Refill();
    Arm();
}

/// Wake up for what arrives next, and while packets wait for the port when it is free.
void
RoceNetDevice::Arm()
{
    const int64_t seenPs = m_foreseen.empty() ? NEVER_PS : m_foreseen.front();
    const int64_t freePs =
        m_nic->GetPackets()->IsWaiting() ? m_nic->GetNextDeparturePs() : NEVER_PS;
    const int64_t nextPs = std::min(seenPs, freePs);
    if (nextPs != NEVER_PS)
    {
        m_timer.Arm(m_node->GetId(), std::max(nextPs, NowPs()));
    }
}

namespace
{

/// Write what the fabric has changed into the packet.
template <typename Header, typename Change>
void
Rewrite(const Ptr<Packet>& packet, Change change)
{
    Header header;
    packet->RemoveHeader(header);
    change(header);
    packet->AddHeader(header);
}

} // namespace

void
RoceNetDevice::Receive(Frame* frame)
{
    const Ptr<Packet> packet(frame->packet);
    const uint8_t ecn = frame->ecn;
    const uint8_t ttl = frame->ttl;
    FramePool::Free(frame);
    EthernetHeader mac(false);
    packet->RemoveHeader(mac);
    const uint16_t protocol = mac.GetLengthType();
    if (!mac.GetDestination().IsGroup())
    {
        if (protocol == wire::ETHERTYPE_IPV4)
        {
            Rewrite<Ipv4Header>(packet, [ecn, ttl](Ipv4Header& header) {
                header.SetEcn(static_cast<Ipv4Header::EcnType>(ecn));
                header.SetTtl(ttl);
                if (Node::ChecksumEnabled())
                {
                    header.EnableChecksum();
                }
            });
        }
        else if (protocol == wire::ETHERTYPE_IPV6)
        {
            Rewrite<Ipv6Header>(packet, [ecn, ttl](Ipv6Header& header) {
                header.SetEcn(static_cast<Ipv6Header::EcnType>(ecn));
                header.SetHopLimit(ttl);
            });
        }
    }
    m_phyRxEnd(packet);
    Deliver(packet, mac.GetSource(), mac.GetDestination(), protocol);
}

/// @param packet without MAC header
void
RoceNetDevice::Deliver(const Ptr<Packet>& packet,
                       const Mac48Address& from,
                       const Mac48Address& to,
                       uint16_t protocol)
{
    const PacketType type = to.IsBroadcast()  ? PACKET_BROADCAST
                            : to.IsGroup()    ? PACKET_MULTICAST
                            : to == m_address ? PACKET_HOST
                                              : PACKET_OTHERHOST;
    if (!m_sniffer.IsEmpty() || !m_promiscSniffer.IsEmpty())
    {
        EthernetHeader mac(false);
        mac.SetSource(from);
        mac.SetDestination(to);
        mac.SetLengthType(protocol);
        const Ptr<Packet> seen = packet->Copy();
        seen->AddHeader(mac);
        m_promiscSniffer(seen);
        if (type != PACKET_OTHERHOST)
        {
            m_sniffer(seen);
        }
    }
    if (!m_promiscReceive.IsNull())
    {
        m_macPromiscRx(packet);
        m_promiscReceive(this, packet, protocol, from, to, type);
    }
    if (type != PACKET_OTHERHOST && !m_receive.IsNull())
    {
        m_macRx(packet);
        m_receive(this, packet, protocol, from);
    }
}

} // namespace ns3::roce
