// SPDX-License-Identifier: GPL-2.0-only

// What ns-3's traffic-control sees of a RoceNetDevice: full queues that stop, room that wakes,
// bytes for BQL; and what the device refuses.

#include "roce-error-of.h"
#include "roce-ip-network.h"

#include "ns3/net-device-queue-interface.h"
#include "ns3/roce-net-device.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/traffic-control-layer.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace ns3::roce::test
{

namespace
{

constexpr uint64_t GBPS = 1000000000;
constexpr uint32_t PAYLOAD = 1000; // of packets of 1028 B, 1066 B on the wire: 8528 ns at 1 Gb/s
constexpr int64_t SLOT_PS = 8528000;

constexpr int64_t START_PS = 1000000000; // after ARP, which holds few packets back

/// Host 0 sends packets at once, and looks at its queues one nanosecond after each departure.
struct Sender
{
    explicit Sender(const std::string& queue, const std::string& limits = "")
    {
        Config::Reset();
        Config::SetDefault("ns3::roce::RoceNetDevice::Queue", StringValue(queue));
        net = std::make_unique<IpNetwork>(2, GBPS, 1000000);
        device = net->devices.Get(0)->GetObject<RoceNetDevice>();
        const Ptr<TrafficControlLayer> control = net->Node(0)->GetObject<TrafficControlLayer>();
        control->DeleteRootQueueDiscOnDevice(device);
        TrafficControlHelper helper;
        helper.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", StringValue("1000p"));
        if (!limits.empty())
        {
            helper.SetQueueLimits(limits);
        }
        helper.Install(device);
        disc = control->GetRootQueueDiscOnDevice(device);
        socket = Socket::CreateSocket(net->Node(0), UdpSocketFactory::GetTypeId());
        socket->Connect(InetSocketAddress(net->Address(1), 9));
        Ptr<Socket> sink = Socket::CreateSocket(net->Node(1), UdpSocketFactory::GetTypeId());
        sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        sink->SetRecvCallback(Callback<void, Ptr<Socket>>([this](Ptr<Socket> from) {
            while (from->Recv())
            {
                ++received;
            }
        }));
        device->TraceConnectWithoutContext(
            "MacTxDrop",
            Callback<void, Ptr<const Packet>>([this](Ptr<const Packet>) { ++dropped; }));
    }

    /// @param packets sent @param look at time
    template <typename Look>
    void Run(uint32_t packets, Look look)
    {
        socket->Send(Create<Packet>(PAYLOAD));
        Simulator::Schedule(PicoSeconds(START_PS), [this, packets] {
            for (uint32_t i = 0; i < packets; ++i)
            {
                socket->Send(Create<Packet>(PAYLOAD));
            }
        });
        for (uint32_t sent = 1; sent <= packets; ++sent)
        {
            Simulator::Schedule(PicoSeconds(START_PS + (sent - 1) * SLOT_PS + 1000),
                                [look, sent] { look(sent); });
        }
        net->Run(MilliSeconds(10));
        EXPECT_EQ(received, packets + 1);
        EXPECT_EQ(dropped, 0U) << "the queue disc has given the device more than it holds";
    }

    std::unique_ptr<IpNetwork> net;
    Ptr<RoceNetDevice> device;
    Ptr<QueueDisc> disc;
    Ptr<Socket> socket;
    uint32_t received{0};
    uint32_t dropped{0};
};

} // namespace

TEST(IpQueuesTest, DeviceHoldsWhatItsQueueHoldsAndOnePacketIsOnItsWay)
{
    constexpr uint32_t PACKETS = 30;
    for (const uint32_t size : {1U, 5U, 29U, 40U})
    {
        Sender sender("ns3::DropTailQueue<Packet>[MaxSize=" + std::to_string(size) + "p]");
        sender.Run(PACKETS, [&](uint32_t sent) {
            const uint32_t inDevice = std::min(PACKETS - sent, size);
            EXPECT_EQ(sender.device->GetQueue(0)->GetNPackets(), inDevice)
                << "queue of " << size << " after " << sent << " departures";
            EXPECT_EQ(sender.disc->GetNPackets(), PACKETS - sent - inDevice)
                << "queue of " << size << " after " << sent << " departures";
            EXPECT_EQ(
                sender.device->GetObject<NetDeviceQueueInterface>()->GetTxQueue(0)->IsStopped(),
                inDevice == size)
                << "queue of " << size << " after " << sent << " departures";
        });
    }
}

TEST(IpQueuesTest, BqlKeepsTheQueueOfTheDeviceShort)
{
    constexpr uint32_t PACKETS = 400;
    std::vector<uint32_t> most;
    for (const char* limits : {"", "ns3::DynamicQueueLimits"})
    {
        Sender sender("ns3::DropTailQueue<Packet>[MaxSize=300p]", limits);
        uint32_t longest = 0;
        uint32_t idle = 0;
        sender.Run(PACKETS, [&](uint32_t sent) {
            const uint32_t packets = sender.device->GetQueue(0)->GetNPackets();
            longest = std::max(longest, packets);
            idle += packets == 0 && sent < PACKETS && sender.disc->GetNPackets() > 0;
        });
        most.push_back(longest);
        // Limits grow from nothing, and the link idles only until they have.
        EXPECT_LT(idle, PACKETS / 10) << limits;
    }
    EXPECT_EQ(most[0], 300U) << "without limits";
    EXPECT_LT(most[1], 30U) << "bytes queued and sent do not reach the limits";
    EXPECT_GT(most[1], 0U);
}

TEST(IpQueuesTest, NoHostGetsAPacketWithoutHopsLeft)
{
    Config::Reset();
    for (const int ttl : {1, 2, 3})
    {
        IpNetwork net(3, GBPS, 1000000); // two switches
        Ptr<Socket> socket = Socket::CreateSocket(net.Node(0), UdpSocketFactory::GetTypeId());
        socket->SetIpTtl(static_cast<uint8_t>(ttl));
        socket->Connect(InetSocketAddress(net.Address(1), 9));
        Ptr<Socket> sink = Socket::CreateSocket(net.Node(1), UdpSocketFactory::GetTypeId());
        sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        sink->SetIpRecvTtl(true);
        int got = -1;
        sink->SetRecvCallback(Callback<void, Ptr<Socket>>([&got](Ptr<Socket> from) {
            SocketIpTtlTag tag;
            got = from->Recv()->PeekPacketTag(tag) ? tag.GetTtl() : -2;
        }));
        Simulator::Schedule(Seconds(0), [&] { socket->Send(Create<Packet>(100)); });
        net.Run(MilliSeconds(10));
        EXPECT_EQ(got, ttl > 2 ? ttl - 2 : -1) << "sent with TTL " << ttl;
    }
}

TEST(IpQueuesTest, DevicesAndThreadsAreRefusedInEitherOrder)
{
    Config::Reset();
    const auto build = [](Network& network) {
        network.AddSwitch("s0", 0);
        network.AddSwitch("s1", 0);
        network.Connect(0, 1, DataRate("10Gbps"), MicroSeconds(1));
        for (uint32_t h = 0; h < 4; ++h)
        {
            const uint32_t host = network.AddHost("h" + std::to_string(h), 0);
            network.AddNic(host, h / 2, DataRate("10Gbps"), MicroSeconds(1));
        }
        network.Build();
    };
    {
        Network network;
        build(network);
        ASSERT_EQ(network.SetThreads(2), 2U);
        const std::string error = ErrorOf([&] { RoceNetDeviceHelper().Install(network); });
        EXPECT_NE(error.find("several threads"), std::string::npos) << error;
    }
    Simulator::Destroy();
    {
        Network network;
        build(network);
        RoceNetDeviceHelper().Install(network);
        EXPECT_EQ(ErrorOf([&] { network.SetThreads(2); }),
                  "threads: NIC 0 has a RoceNetDevice, and stacks of ns-3 share what belongs to no "
                  "station; expected one thread");
        EXPECT_EQ(network.SetThreads(1), 1U);
    }
    Simulator::Destroy();
}

} // namespace ns3::roce::test
