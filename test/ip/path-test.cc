// SPDX-License-Identifier: GPL-2.0-only

// TCP and UDP over several paths: ECMP by addresses and ports, links that fail, long datagrams.

#include "roce-ip-network.h"

#include "ns3/roce-port.h"
#include "ns3/roce-switch.h"

namespace ns3::roce::test
{

namespace
{

constexpr uint32_t SPINES = 2;
constexpr uint32_t LEAVES = 2;
constexpr uint32_t PER_LEAF = 2;

/// Switches 0 and 1 are leaves, 2 and 3 spines; link i of leaf l to spine s is 2 l + s.
void
MakeLeafSpine(Network& network)
{
    for (uint32_t s = 0; s < LEAVES + SPINES; ++s)
    {
        network.AddSwitch((s < LEAVES ? "leaf" : "spine") + std::to_string(s % LEAVES), 0);
    }
    for (uint32_t leaf = 0; leaf < LEAVES; ++leaf)
    {
        for (uint32_t spine = 0; spine < SPINES; ++spine)
        {
            network.Connect(leaf, LEAVES + spine, 10 * G, 1000 * NS);
        }
    }
    for (uint32_t h = 0; h < LEAVES * PER_LEAF; ++h)
    {
        network.AddNic(network.AddHost("h" + std::to_string(h), 0),
                       h / PER_LEAF,
                       10 * G,
                       1000 * NS);
    }
    network.Build();
}

/// @return bytes that leaf 0 has sent to a spine
uint64_t
SentTo(const IpNetwork& net, uint32_t spine)
{
    net.network.GetSwitch(0)->CatchUp(NowPs());
    return net.network.GetLink(spine).GetPort(0)->GetTxWireBytes();
}

} // namespace

using IpPathTest = SystemTest;

TEST_F(IpPathTest, ManyConnectionsUseBothSpinesAndEachItsOwn)
{
    IpNetwork net(MakeLeafSpine);
    constexpr uint32_t BYTES = 100'000;
    std::vector<Ptr<PacketSink>> sinks;
    for (uint16_t port = 1000; port < 1064; ++port)
    {
        sinks.push_back(SendTcp(net, port % 2, 2 + port % 2, BYTES, port));
    }
    net.Run(Seconds(5));
    for (const Ptr<PacketSink>& sink : sinks)
    {
        EXPECT_EQ(sink->GetTotalRx(), BYTES);
    }
    const auto one = static_cast<double>(SentTo(net, 0));
    const auto other = static_cast<double>(SentTo(net, 1));
    // 64 draws of one half each: 3 standard deviations are 0.19.
    EXPECT_NEAR(one / (one + other), 0.5, 0.19) << "ports are not part of the hash";
}

TEST_F(IpPathTest, OneConnectionTakesOnePath)
{
    IpNetwork net(MakeLeafSpine);
    const Ptr<PacketSink> sink = SendTcp(net, 0, 2, 1'000'000);
    net.Run(Seconds(5));
    EXPECT_EQ(sink->GetTotalRx(), 1'000'000u);
    // What is sent to groups goes its own way.
    EXPECT_LT(std::min(SentTo(net, 0), SentTo(net, 1)), 2000u) << "its packets may be reordered";
}

TEST_F(IpPathTest, ATransferGoesOnOverTheOtherSpineWhenALinkFails)
{
    for (const bool reroutes : {true, false})
    {
        IpNetwork net(MakeLeafSpine);
        constexpr uint32_t BYTES = 8'000'000;
        const Ptr<PacketSink> sink = SendTcp(net, 0, 2, BYTES);
        if (reroutes)
        {
            net.network.SetReroute(MicroSeconds(500));
        }
        uint32_t used = 0;
        uint64_t before = 0;
        Simulator::Schedule(MilliSeconds(3), [&] {
            used = SentTo(net, 0) < SentTo(net, 1);
            before = sink->GetTotalRx();
            net.network.FailLink(used);
        });
        net.Run(Seconds(10));
        EXPECT_GT(before, 0u);
        EXPECT_LT(before, BYTES) << "the link fails too late";
        EXPECT_GT(net.network.CountFramesLost(), 0u);
        if (reroutes)
        {
            EXPECT_EQ(sink->GetTotalRx(), BYTES) << "it has stopped";
            EXPECT_GT(SentTo(net, 1 - used), (BYTES - before) * 9 / 10);
        }
        else
        {
            EXPECT_LT(sink->GetTotalRx(), BYTES) << "the failed link carries it";
        }
    }
}

TEST_F(IpPathTest, ALongDatagramOfIpv6ComesInFragments)
{
    IpNetwork net(2, 10 * G, 1000 * NS);
    Ptr<Socket> receiver = Socket::CreateSocket(net.Node(1), UdpSocketFactory::GetTypeId());
    receiver->Bind(Inet6SocketAddress(Ipv6Address::GetAny(), 9));
    std::vector<uint32_t> bytes;
    receiver->SetRecvCallback([&bytes](Ptr<Socket> from) {
        while (const Ptr<Packet> packet = from->Recv())
        {
            bytes.push_back(packet->GetSize());
        }
    });
    Ptr<Socket> sender = Socket::CreateSocket(net.Node(0), UdpSocketFactory::GetTypeId());
    sender->Connect(Inet6SocketAddress(net.Address6(1), 9));
    uint32_t fragments = 0;
    net.devices.Get(1)->TraceConnectWithoutContext(
        "MacRx",
        Callback<void, Ptr<const Packet>>([&fragments](Ptr<const Packet> packet) {
            fragments += packet->GetSize() > 1000 && packet->GetSize() <= 1500;
        }));
    Simulator::Schedule(Seconds(3), [&sender] { sender->Send(Create<Packet>(4000)); });
    net.Run(Seconds(4));
    EXPECT_EQ(bytes, std::vector<uint32_t>{4000});
    EXPECT_EQ(fragments, 3u);
}

TEST_F(IpPathTest, SegmentsThatAreTooLongForAPacketAreCut)
{
    // A segment of 1,460 B and time stamps are 12 B too much for one packet; one of 1,448 B is not.
    for (const auto& [segment, perSegment] : {std::pair{1448U, 1U}, {1460U, 2U}})
    {
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
        IpNetwork net(2, 10 * G, 1000 * NS);
        const Ptr<PacketSink> sink = SendTcp(net, 0, 1, segment * 100);
        uint32_t longest = 0;
        uint32_t count = 0;
        net.devices.Get(1)->TraceConnectWithoutContext(
            "MacRx",
            Callback<void, Ptr<const Packet>>([&](Ptr<const Packet> packet) {
                longest = std::max(longest, packet->GetSize());
                ++count;
            }));
        net.Run(Seconds(2));
        EXPECT_EQ(sink->GetTotalRx(), segment * 100);
        EXPECT_LE(longest, 1500u);
        EXPECT_NEAR(count, 100 * perSegment, 6) << "segments of " << segment;
    }
}

} // namespace ns3::roce::test
