// SPDX-License-Identifier: GPL-2.0-only
#include "swapped-devices.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/pointer.h"
#include "ns3/roce-switch.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdlib>

namespace ns3::roce::test
{

NS_OBJECT_ENSURE_REGISTERED(SwappedChannel);
NS_OBJECT_ENSURE_REGISTERED(SwappedErrorChannel);
NS_OBJECT_ENSURE_REGISTERED(SwappedDevice);

namespace
{

const DataRate FAST(static_cast<uint64_t>(100e12));

/// A test's link is no hop of IP, and a switch is one.
void
AddHop(const Ptr<Packet>& packet, uint16_t protocol)
{
    constexpr int MOST_HOPS = 255;
    if (protocol == Ipv4L3Protocol::PROT_NUMBER)
    {
        Ipv4Header header;
        packet->RemoveHeader(header);
        header.SetTtl(static_cast<uint8_t>(std::min(header.GetTtl() + 1, MOST_HOPS)));
        if (Node::ChecksumEnabled())
        {
            header.EnableChecksum();
        }
        packet->AddHeader(header);
    }
    else if (protocol == Ipv6L3Protocol::PROT_NUMBER)
    {
        Ipv6Header header;
        packet->RemoveHeader(header);
        header.SetHopLimit(static_cast<uint8_t>(std::min(header.GetHopLimit() + 1, MOST_HOPS)));
        packet->AddHeader(header);
    }
}

} // namespace

// ---------------------------------------------------------------- channel

TypeId
SwappedChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::test::SwappedChannel")
                            .SetParent<RoceNetChannel>()
                            .AddConstructor<SwappedChannel>()
                            .AddAttribute("Delay",
                                          "From device to device",
                                          TimeValue(Seconds(0)),
                                          MakeTimeAccessor(&SwappedChannel::m_delay),
                                          MakeTimeChecker());
    return tid;
}

SwappedChannel::~SwappedChannel() = default;

void
SwappedChannel::Join(const Ptr<SwappedDevice>& device)
{
    NS_ABORT_MSG_IF(m_network, "a device joins a channel after the start");
    m_joined.push_back(device);
}

void
SwappedChannel::Build()
{
    if (m_network || m_joined.empty())
    {
        return;
    }
    m_network = std::make_unique<Network>();
    ObjectFactory factory("ns3::roce::Switch");
    factory.Set("LosslessClasses", UintegerValue(0));
    factory.Set("BufferSize", StringValue("1GiB"));
    factory.Set("EgressAlpha", StringValue("1000"));
    factory.Set("RandomTies", BooleanValue(false)); // some tests send at the same time
    const uint32_t sw = m_network->AddSwitch("s", 0, factory);
    ObjectFactory nic("ns3::roce::Nic");
    nic.Set("CongestionControl", StringValue("ns3::roce::LineRate"));
    for (const Ptr<SwappedDevice>& device : m_joined)
    {
        const uint32_t host = m_network->AddHost("h" + std::to_string(m_network->GetNHosts()), 0);
        const uint32_t n = m_network->AddNic(host, sw, FAST, m_delay / 2, nic);
        m_network->GetNic(n)->SetAttribute("DataRate", DataRateValue(device->GetLinkRate()));
    }
    Network::Options options;
    options.ecn = false;
    options.telemetry = false;
    m_network->Build(options);
    for (std::size_t i = 0; i < m_joined.size(); ++i)
    {
        Add(m_joined[i]);
        m_joined[i]->Attach(m_network->GetNic(static_cast<uint32_t>(i)), i);
    }
    // Some tests send to nobody, and count the packets that leave.
    Learn(Mac48Address(), 0);
}

void
SwappedChannel::BlackList(Ptr<SwappedDevice> from, Ptr<SwappedDevice> to)
{
    m_blackList.emplace(PeekPointer(from), PeekPointer(to));
}

bool
SwappedChannel::IsKeptFrom(const Address& from, const SwappedDevice& to) const
{
    return std::any_of(m_blackList.begin(), m_blackList.end(), [&](const auto& entry) {
        return entry.second == &to && entry.first->GetAddress() == from;
    });
}

std::size_t
SwappedChannel::GetNDevices() const
{
    return m_joined.size();
}

Ptr<NetDevice>
SwappedChannel::GetDevice(std::size_t i) const
{
    return m_joined.at(i);
}

std::vector<Time>
SwappedChannel::NextTimes()
{
    return {Seconds(0)};
}

TypeId
SwappedErrorChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::test::SwappedErrorChannel")
                            .SetParent<SwappedChannel>()
                            .AddConstructor<SwappedErrorChannel>();
    return tid;
}

void
SwappedErrorChannel::SetJumpingTime(const Time& delay)
{
    m_jump = delay;
}

void
SwappedErrorChannel::SetJumpingMode(bool isOn)
{
    m_isJumping = isOn;
    m_count = 0;
}

void
SwappedErrorChannel::SetDuplicateTime(const Time& delay)
{
    m_again = delay;
}

void
SwappedErrorChannel::SetDuplicateMode(bool isOn)
{
    m_isDuplicating = isOn;
    m_count = 0;
}

std::vector<Time>
SwappedErrorChannel::NextTimes()
{
    const bool isEven = m_count++ % 2 == 0;
    if (isEven && m_isJumping)
    {
        return {m_jump};
    }
    if (isEven && m_isDuplicating)
    {
        return {Seconds(0), m_again};
    }
    return {Seconds(0)};
}

// ---------------------------------------------------------------- device

TypeId
SwappedDevice::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::test::SwappedDevice")
                            .SetParent<RoceNetDevice>()
                            .AddConstructor<SwappedDevice>()
                            .AddAttribute("ReceiveErrorModel",
                                          "What is lost at the receiver",
                                          PointerValue(),
                                          MakePointerAccessor(&SwappedDevice::m_errors),
                                          MakePointerChecker<ErrorModel>())
                            .AddAttribute("PointToPointMode",
                                          "It is one of two, and sends to the other one",
                                          BooleanValue(false),
                                          MakeBooleanAccessor(&SwappedDevice::m_isPointToPoint),
                                          MakeBooleanChecker())
                            .AddAttribute("FirstQueue",
                                          "The queue",
                                          TypeId::ATTR_GET,
                                          PointerValue(),
                                          MakePointerAccessor(&SwappedDevice::GetQueue),
                                          MakePointerChecker<Queue<Packet>>())
                            .AddAttribute("DataRate",
                                          "Of the link; 0: as fast as may be",
                                          DataRateValue(DataRate("0b/s")),
                                          MakeDataRateAccessor(&SwappedDevice::m_rate),
                                          MakeDataRateChecker())
                            .AddTraceSource("PhyRxDrop",
                                            "The error model loses a packet",
                                            MakeTraceSourceAccessor(&SwappedDevice::m_phyRxDrop),
                                            "ns3::Packet::TracedCallback");
    return tid;
}

void
SwappedDevice::DoInitialize()
{
    if (m_joined)
    {
        m_joined->Build();
    }
    RoceNetDevice::DoInitialize();
}

void
SwappedDevice::DoDispose()
{
    m_joined = nullptr;
    m_errors = nullptr;
    m_judged = nullptr;
    RoceNetDevice::DoDispose();
}

void
SwappedDevice::SetChannel(const Ptr<SwappedChannel>& channel)
{
    m_joined = channel;
    if (m_given == Mac48Address())
    {
        SetAddress(Mac48Address::Allocate()); // some tests give all devices the same
    }
    channel->Join(this);
    m_linkChanges();
}

DataRate
SwappedDevice::GetLinkRate() const
{
    const char* given = std::getenv("ROCE_TIMED_BYTES");
    const uint64_t bytes = given ? std::stoull(given) : 1000;
    const uint64_t onWire = std::max<uint64_t>(bytes + 18, 64) + 20; // headers, FCS, preamble, gap
    const uint64_t rate = m_rate.GetBitRate();
    return rate ? DataRate(rate * onWire / bytes) : FAST;
}

void
SwappedDevice::Attach(const Ptr<Nic>& nic, std::size_t index)
{
    const Mac48Address given = m_given;
    RoceNetDevice::Attach(nic, m_joined, index);
    SetAddress(given);
    RoceNetDevice::AddLinkChangeCallback(Callback<void>([this] { m_linkChanges(); }));
}

Ptr<Queue<Packet>>
SwappedDevice::GetQueue() const
{
    return RoceNetDevice::GetQueue(0);
}

void
SwappedDevice::SetReceiveErrorModel(Ptr<ErrorModel> model)
{
    m_errors = model;
}

void
SwappedDevice::SetAddress(Address address)
{
    m_given = Mac48Address::ConvertFrom(address);
    if (GetNic())
    {
        RoceNetDevice::SetAddress(address);
    }
}

Address
SwappedDevice::GetAddress() const
{
    return m_given;
}

bool
SwappedDevice::IsLinkUp() const
{
    return GetNic() ? RoceNetDevice::IsLinkUp() : m_joined != nullptr;
}

void
SwappedDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChanges.ConnectWithoutContext(callback);
}

bool
SwappedDevice::IsBroadcast() const
{
    return !m_isPointToPoint;
}

bool
SwappedDevice::IsMulticast() const
{
    return !m_isPointToPoint;
}

bool
SwappedDevice::IsPointToPoint() const
{
    return m_isPointToPoint;
}

bool
SwappedDevice::NeedsArp() const
{
    return !m_isPointToPoint;
}

Ptr<Channel>
SwappedDevice::GetChannel() const
{
    return m_joined;
}

bool
SwappedDevice::IsLost(const Ptr<const Packet>& packet, const Address& from)
{
    if (packet != m_judged)
    {
        m_judged = packet;
        m_isLost = m_joined->IsKeptFrom(from, *this);
        if (!m_isLost && m_errors && m_errors->IsCorrupt(packet->Copy()))
        {
            m_isLost = true;
            m_phyRxDrop(packet);
        }
    }
    return m_isLost;
}

void
SwappedDevice::SetReceiveCallback(ReceiveCallback callback)
{
    RoceNetDevice::SetReceiveCallback(ReceiveCallback([this, callback](Ptr<NetDevice> device,
                                                                       Ptr<const Packet> packet,
                                                                       uint16_t protocol,
                                                                       const Address& from) {
        if (IsLost(packet, from))
        {
            return true;
        }
        for (const Time& delay : m_joined->NextTimes())
        {
            if (delay.IsZero())
            {
                callback(device, packet->Copy(), protocol, from);
                continue;
            }
            Simulator::Schedule(delay, [=, given = Ptr<const Packet>(packet->Copy())] {
                callback(device, given, protocol, from);
            });
        }
        return true;
    }));
}

void
SwappedDevice::SetPromiscReceiveCallback(PromiscReceiveCallback callback)
{
    RoceNetDevice::SetPromiscReceiveCallback(
        PromiscReceiveCallback([this, callback](Ptr<NetDevice> device,
                                                Ptr<const Packet> packet,
                                                uint16_t protocol,
                                                const Address& from,
                                                const Address& to,
                                                PacketType type) {
            return IsLost(packet, from) || callback(device, packet, protocol, from, to, type);
        }));
}

bool
SwappedDevice::SendFrom(Ptr<Packet> packet,
                        const Address& source,
                        const Address& dest,
                        uint16_t protocol)
{
    m_joined->Build();
    Address to = dest;
    if (m_isPointToPoint)
    {
        to = m_joined->GetDevice(m_joined->GetDevice(0) == this)->GetAddress();
    }
    if (!Mac48Address::ConvertFrom(to).IsGroup())
    {
        AddHop(packet, protocol);
    }
    return RoceNetDevice::SendFrom(packet, source, to, protocol);
}

// ---------------------------------------------------------------- helper

SwappedHelper::SwappedHelper(bool isPointToPoint)
    : m_device("ns3::roce::test::SwappedDevice"),
      m_channel("ns3::roce::test::SwappedChannel")
{
    SetNetDevicePointToPointMode(isPointToPoint);
    SetQueue("ns3::DropTailQueue"); // its defaults, which some tests change
}

void
SwappedHelper::SetQueueFactory(const ObjectFactory& queue)
{
    m_device.Set("Queue", ObjectFactoryValue(queue));
}

void
SwappedHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    m_device.Set(name, value);
}

void
SwappedHelper::SetChannelAttribute(const std::string& name, const AttributeValue& value)
{
    (name == "DataRate" ? m_device : m_channel).Set(name, value); // CSMA's channel has the rate
}

void
SwappedHelper::SetNetDevicePointToPointMode(bool isPointToPoint)
{
    m_device.Set("PointToPointMode", BooleanValue(isPointToPoint));
}

NetDeviceContainer
SwappedHelper::Install(const Ptr<Node>& node) const
{
    return Install(node, m_channel.Create<SwappedChannel>());
}

NetDeviceContainer
SwappedHelper::Install(const Ptr<Node>& node, const Ptr<SwappedChannel>& channel) const
{
    const Ptr<SwappedDevice> device = m_device.Create<SwappedDevice>();
    device->SetAddress(Mac48Address::Allocate());
    node->AddDevice(device);
    device->SetChannel(channel);
    return NetDeviceContainer(device);
}

NetDeviceContainer
SwappedHelper::Install(const NodeContainer& nodes) const
{
    return Install(nodes, m_channel.Create<SwappedChannel>());
}

NetDeviceContainer
SwappedHelper::Install(const NodeContainer& nodes, const Ptr<SwappedChannel>& channel) const
{
    NetDeviceContainer devices;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        devices.Add(Install(nodes.Get(i), channel));
    }
    return devices;
}

NetDeviceContainer
SwappedHelper::Install(const Ptr<Node>& a, const Ptr<Node>& b) const
{
    return Install(NodeContainer(a, b));
}

} // namespace ns3::roce::test

int
main(int argc, char* argv[])
{
    ns3::Time::SetResolution(ns3::Time::PS);
    // neighbor-cache expects the number that MAC addresses have in ns-3's own program.
    ns3::Address::Register();
    ns3::Address::Register();
    // Other devices of tests between two hosts do not ask for addresses at all.
    for (const char* jitter :
         {"ns3::ArpL3Protocol::RequestJitter", "ns3::Icmpv6L4Protocol::SolicitationJitter"})
    {
        ns3::Config::SetDefault(jitter,
                                ns3::StringValue("ns3::ConstantRandomVariable[Constant=0]"));
    }
    return ns3::TestRunner::Run(argc, argv);
}
