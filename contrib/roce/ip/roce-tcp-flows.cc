// SPDX-License-Identifier: GPL-2.0-only
#include "roce-tcp-flows.h"

#include "roce-net-device-helper.h"

#include "ns3/arp-l3-protocol.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4.h"
#include "ns3/node.h"
#include "ns3/roce-api-check.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-network.h"
#include "ns3/roce-wake-timer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(TcpFlows);

namespace
{

constexpr uint16_t HEADER_BYTES = 52;        // of IPv4 and TCP, with timestamps
constexpr uint64_t MIN_BUFFER = 4U << 20U;   // Linux: tcp_wmem
constexpr uint64_t MAX_BUFFER = 640U << 20U; // and the receiver's below 1 GiB, RFC 7323

/// Set an attribute, unless its default is another one than ns-3's own.
void
SetUnlessGiven(Object& object, const std::string& name, const AttributeValue& value)
{
    TypeId::AttributeInformation info;
    object.GetInstanceTypeId().LookupAttributeByName(name, &info);
    if (info.initialValue->SerializeToString(info.checker) ==
        info.originalInitialValue->SerializeToString(info.checker))
    {
        object.SetAttribute(name, value);
    }
}

} // namespace

TypeId
TcpFlows::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::TcpFlows")
                            .SetParent<Object>()
                            .SetGroupName("Roce")
                            .AddConstructor<TcpFlows>()
                            .AddTraceSource("MessageCompleted",
                                            "The sender has the last ACK of a flow",
                                            MakeTraceSourceAccessor(&TcpFlows::m_completed),
                                            "ns3::roce::Nic::MessageCallback")
                            .AddTraceSource("MessageReceived",
                                            "The receiver has the last byte of a flow",
                                            MakeTraceSourceAccessor(&TcpFlows::m_received),
                                            "ns3::roce::Nic::ReceivedCallback");
    return tid;
}

TcpFlows::TcpFlows() = default;
TcpFlows::~TcpFlows() = default;

void
TcpFlows::Check(const FlowSpec& flow) const
{
    const std::string who = "flow " + std::to_string(flow.id) + ": TCP carries ";
    if (flow.phase || flow.dependencies || flow.job)
    {
        throw InputError(who + "no flow that waits for others or is waited for");
    }
    if (flow.connection)
    {
        throw InputError(who + "each flow over a connection of its own, expected none of several");
    }
    for (const uint32_t nic : {flow.src, flow.dst})
    {
        if (!m_devices[CheckIndex("NIC", nic, m_devices.size())])
        {
            throw InputError(who + "nothing to or from NIC " + std::to_string(nic) +
                             ", which is inside its server");
        }
    }
    if (flow.src == flow.dst || !m_network->AreJoined(flow.src, flow.dst))
    {
        throw InputError(who + "nothing from NIC " + std::to_string(flow.src) + " to NIC " +
                         std::to_string(flow.dst) + ", which no links join");
    }
}

void
TcpFlows::Install(Network& network,
                  const std::vector<FlowSpec>& flows,
                  const std::vector<ObjectFactory>& laws)
{
    m_network = &network;
    m_laws = laws;
    m_devices.resize(network.GetNNics());
    std::set<uint8_t> classes;
    for (const FlowSpec& flow : flows)
    {
        if (IsTcp(flow))
        {
            m_flows.emplace_back();
            m_flows.back().spec = flow;
            m_flows.back().leftBytes = flow.sizeBytes;
            classes.insert(flow.trafficClass);
        }
    }
    std::string map; // by the priority of sockets: with a DSCP, ns-3's TCP has no ECN
    for (const uint8_t c : classes)
    {
        const std::string text = std::to_string(c);
        map += map.empty() ? text : ",priority" + text + "=" + text;
    }
    RoceNetDeviceHelper helper;
    helper.SetDeviceAttribute("Classes", StringValue(map));
    const NetDeviceContainer devices = helper.Install(network);
    NodeContainer hosts;
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        const auto device = DynamicCast<RoceNetDevice>(devices.Get(i));
        m_devices[device->GetNic()->GetIndex()] = device;
        if (!device->GetNode()->GetObject<Ipv4>() && !hosts.Contains(device->GetNode()->GetId()))
        {
            hosts.Add(device->GetNode());
        }
    }
    std::for_each(m_flows.begin(), m_flows.end(), [this](const Flow& f) { Check(f.spec); });
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false); // it would send to all hosts at the start
    stack.Install(hosts);
    for (uint32_t i = 0; i < hosts.GetN(); ++i)
    {
        // Addresses are answered at once, so that nothing has to be spread in time.
        SetUnlessGiven(*hosts.Get(i)->GetObject<ArpL3Protocol>(),
                       "RequestJitter",
                       StringValue("ns3::ConstantRandomVariable[Constant=0]"));
    }
    Ipv4AddressHelper("10.0.0.0", "255.0.0.0").Assign(devices);
    for (Flow& flow : m_flows)
    {
        Simulator::ScheduleWithContext(m_devices[flow.spec.src]->GetNode()->GetId(),
                                       PicoSeconds(flow.spec.startPs) - Simulator::Now(),
                                       [this, &flow] { Begin(flow); });
    }
}

std::vector<TcpFlows::Open>
TcpFlows::GetOpen() const
{
    std::vector<Open> open;
    std::copy_if(m_flows.begin(), m_flows.end(), std::back_inserter(open), [](const Flow& flow) {
        return flow.sender && !flow.isDone;
    });
    return open;
}

uint64_t
TcpFlows::CountDeliveredBytes() const
{
    return std::accumulate(
        m_flows.begin(),
        m_flows.end(),
        uint64_t{0},
        [](uint64_t sum, const Flow& flow) { return sum + flow.deliveredBytes; });
}

/// @param nic where @param port of it; 0: any
Ptr<TcpSocketBase>
TcpFlows::MakeSocket(const Flow& flow, uint32_t nic, uint16_t port) const
{
    const Ptr<RoceNetDevice>& device = m_devices[nic];
    const Ptr<Node> node = device->GetNode();
    const auto socket =
        DynamicCast<TcpSocketBase>(Socket::CreateSocket(node, TcpSocketFactory::GetTypeId()));
    socket->SetCongestionControlAlgorithm(
        m_laws.at(flow.spec.law - FIRST_LAW).Create<TcpCongestionOps>());
    SetUnlessGiven(*socket, "SegmentSize", UintegerValue(device->GetMtu() - HEADER_BYTES));
    SetUnlessGiven(*socket, "SndBufSize", UintegerValue(flow.bufferBytes));
    UintegerValue sendBytes;
    socket->GetAttribute("SndBufSize", sendBytes);
    // ns-3's TCP crashes if a window is filled to its last byte: so none ever is.
    SetUnlessGiven(*socket, "RcvBufSize", UintegerValue(sendBytes.Get() + sendBytes.Get() / 2));
    socket->BindToNetDevice(device);
    const Ptr<Ipv4> ip = node->GetObject<Ipv4>();
    const Ipv4Address own = ip->GetAddress(ip->GetInterfaceForDevice(device), 0).GetLocal();
    if (socket->Bind(InetSocketAddress(own, port)) != 0)
    {
        throw InputError("flow " + std::to_string(flow.spec.id) + ": TCP's port " +
                         (port ? std::to_string(port) : "numbers") + " at NIC " +
                         std::to_string(nic) + " in use");
    }
    socket->SetPriority(flow.spec.trafficClass); // after Bind(), which changes it
    return socket;
}

void
TcpFlows::Begin(Flow& flow)
{
    const FlowSpec& spec = flow.spec;
    const PathInfo path = m_network->GetPath(spec.src, spec.dst, 0, spec.trafficClass);
    const double bdpBytes =
        static_cast<double>(path.bottleneckBps) / 8e12 * static_cast<double>(path.baseRttPs);
    flow.bufferBytes = std::clamp(static_cast<uint64_t>(4 * bdpBytes), MIN_BUFFER, MAX_BUFFER);
    flow.listener = MakeSocket(flow, spec.dst, spec.replyPort);
    flow.listener->Listen();
    flow.listener->SetAcceptCallback(
        MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
        Callback<void, Ptr<Socket>, const Address&>(
            [this, &flow](Ptr<Socket> socket, const Address&) { OnAccepted(flow, socket); }));
    Address to;
    flow.listener->GetSockName(to);

    flow.sender = MakeSocket(flow, spec.src, spec.srcPort);
    flow.sender->SetConnectCallback(
        Callback<void, Ptr<Socket>>([this, &flow](Ptr<Socket>) { Send(flow); }),
        Callback<void, Ptr<Socket>>([this, &flow](Ptr<Socket>) { Fail(flow, "no connection"); }));
    flow.sender->SetSendCallback(Callback<void, Ptr<Socket>, uint32_t>(
        [this, &flow](Ptr<Socket>, uint32_t) { Send(flow); }));
    const Callback<void, Ptr<Socket>> onClosed(
        [this, &flow](Ptr<Socket>) { Fail(flow, "its connection is given up"); });
    flow.sender->SetCloseCallbacks(onClosed, onClosed);
    flow.sender->TraceConnectWithoutContext(
        "Tx",
        Callback<void, Ptr<const Packet>, const TcpHeader&, Ptr<const TcpSocketBase>>(
            [this,
             &flow](Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>) {
                OnSegment(flow, packet->GetSize(), header.GetSequenceNumber());
            }));
    flow.sender->TraceConnectWithoutContext(
        "RTO",
        Callback<void, Time, Time>([&flow](Time, Time now) { flow.rto = now; }));
    ++m_progress;
    flow.sender->Connect(to);
    flow.sender->SetPriority(spec.trafficClass); // which that has changed, too
}

void
TcpFlows::OnAccepted(Flow& flow, const Ptr<Socket>& socket)
{
    flow.listener->Close();
    flow.listener = nullptr;
    flow.receiver = socket;
    socket->SetRecvCallback(
        Callback<void, Ptr<Socket>>([this, &flow](Ptr<Socket>) { OnData(flow); }));
    const Callback<void, Ptr<Socket>> close([](Ptr<Socket> s) { s->Close(); });
    socket->SetCloseCallbacks(close, Callback<void, Ptr<Socket>>([](Ptr<Socket>) {}));
    if (flow.spec.sizeBytes == 0)
    {
        m_received(flow.spec.id, Simulator::Now());
    }
}

void
TcpFlows::OnData(Flow& flow)
{
    const uint64_t before = flow.deliveredBytes;
    while (const Ptr<Packet> packet = flow.receiver->Recv())
    {
        if (packet->GetSize() == 0)
        {
            break; // the end of the stream
        }
        flow.deliveredBytes += packet->GetSize();
    }
    m_progress += flow.deliveredBytes - before;
    if (flow.deliveredBytes == flow.spec.sizeBytes && before < flow.deliveredBytes)
    {
        m_received(flow.spec.id, Simulator::Now());
    }
}

void
TcpFlows::OnSegment(Flow& flow, uint32_t bytes, SequenceNumber32 from)
{
    if (bytes == 0)
    {
        return;
    }
    const bool isNew = flow.packets == 0 || from >= flow.sent;
    ++(isNew ? flow.packets : flow.retransmitted);
    flow.sent = isNew ? from + bytes : flow.sent;
}

/// The connection is there, or the socket has room.
void
TcpFlows::Send(Flow& flow)
{
    if (flow.isDone)
    {
        return;
    }
    while (flow.leftBytes)
    {
        const auto bytes = static_cast<uint32_t>(
            std::min<uint64_t>(flow.leftBytes, flow.sender->GetTxAvailable()));
        if (bytes == 0 || flow.sender->Send(Create<Packet>(bytes), 0) < 0)
        {
            return;
        }
        flow.leftBytes -= bytes;
    }
    if (!flow.isClosed)
    {
        // With the last byte: otherwise its ACK may be a delayed one.
        flow.isClosed = true;
        flow.sender->Close();
    }
    UintegerValue all;
    flow.sender->GetAttribute("SndBufSize", all);
    if (flow.sender->GetTxAvailable() == all.Get())
    {
        Complete(flow);
    }
}

void
TcpFlows::Complete(Flow& flow)
{
    flow.isDone = true;
    ++m_progress;
    m_completed({flow.spec.id,
                 flow.spec.sizeBytes,
                 flow.spec.startPs,
                 NowPs(),
                 flow.packets,
                 flow.retransmitted});
}

/// Its socket is closed. @param why, unless the flow is done
void
TcpFlows::Fail(Flow& flow, const std::string& why)
{
    if (!flow.isDone && flow.failure.empty())
    {
        flow.failure = why;
    }
}

} // namespace ns3::roce
