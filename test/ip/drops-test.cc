// SPDX-License-Identifier: GPL-2.0-only

// Packets that the network loses: the devices of their senders say which, where and why.

#include "roce-ip-network.h"
#include "roce-lose-frames.h"

#include "ns3/flow-monitor-helper.h"
#include "ns3/ipv4-flow-classifier.h"

#include <map>
#include <string>

namespace ns3::roce::test
{

namespace
{

/// What devices report, by sender and "reason at node".
class Losses
{
  public:
    explicit Losses(const IpNetwork& net)
        : m_bySender(net.devices.GetN())
    {
        for (uint32_t host = 0; host < net.devices.GetN(); ++host)
        {
            auto& losses = m_bySender[host];
            net.devices.Get(host)->TraceConnectWithoutContext(
                "NetworkDrop",
                Callback<void, Ptr<const Packet>, const std::string&, uint32_t, const Time&>(
                    [&](Ptr<const Packet> packet,
                        const std::string& reason,
                        uint32_t node,
                        const Time& at) {
                        EXPECT_EQ(packet->GetSize(), 1514u) << "not the packet with its MAC header";
                        EXPECT_LE(at, Simulator::Now());
                        ++losses[reason + " at " + net.network.GetNodeName(node)];
                    }));
            net.devices.Get(host)->TraceConnectWithoutContext(
                "MacTxDrop",
                Callback<void, Ptr<const Packet>>(
                    [&](Ptr<const Packet>) { ++losses["not sent"]; }));
        }
    }

    /// @return what a sender has lost
    const std::map<std::string, uint64_t>& Of(uint32_t host) const
    {
        return m_bySender[host];
    }

  private:
    std::vector<std::map<std::string, uint64_t>> m_bySender;
};

using Counts = std::map<std::string, uint64_t>;

} // namespace

using IpDropsTest = SystemTest;

TEST_F(IpDropsTest, AFullBufferIsReportedToTheSendersOfWhatIsLost)
{
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("300KB"));
    Config::SetDefault("ns3::roce::EcnMarker::DropNotEct", BooleanValue(false));
    IpNetwork net(3, 10 * G, 1000 * NS, 3);
    const Losses losses(net);
    SendUdp(net, 0, 3, 1000, NanoSeconds(2000));
    SendUdp(net, 1, 3, 1000, NanoSeconds(2000));
    SendUdp(net, 2, 4, 10, NanoSeconds(100000));
    net.Run(MilliSeconds(10));
    const uint64_t lost = net.network.GetCounters().at("framesDroppedBuffer");
    ASSERT_GT(lost, 10u) << "a weak test";
    uint64_t reported = 0;
    for (const uint32_t host : {0, 1})
    {
        ASSERT_EQ(losses.Of(host).size(), 1u) << "host " << host;
        EXPECT_EQ(losses.Of(host).begin()->first, "buffer at s0");
        reported += losses.Of(host).begin()->second;
    }
    EXPECT_EQ(reported, lost) << "the third sender has had some of the others'";
}

TEST_F(IpDropsTest, ATimeToLiveThatEndsIsReported)
{
    IpNetwork net(3, 10 * G, 1000 * NS);
    const Losses losses(net);
    Ptr<Socket> socket = Socket::CreateSocket(net.Node(0), UdpSocketFactory::GetTypeId());
    socket->SetIpTtl(1);
    socket->Connect(InetSocketAddress(net.Address(1), 9));
    Simulator::Schedule(MicroSeconds(1), [&socket] { socket->Send(Create<Packet>(1472)); });
    net.Run(MilliSeconds(1));
    EXPECT_EQ(losses.Of(0), (Counts{{"ttl at s0", 1}}));
}

TEST_F(IpDropsTest, AFailedLinkIsReportedAndThenThatThereIsNoRoute)
{
    IpNetwork net(3, 10 * G, 1000 * NS);
    const Losses losses(net);
    SendUdp(net, 0, 1, 30, MicroSeconds(10));
    net.network.SetReroute(MicroSeconds(100));
    net.network.ScheduleLinkChange(MicroSeconds(100), 0, false);
    net.Run(MilliSeconds(1));
    // Sent at 1 us, 11 us, ...; those of 101 us to 191 us are on the link while it is down.
    EXPECT_EQ(losses.Of(0), (Counts{{"linkDown at s1", 10}, {"noRoute at s0", 10}}));
    EXPECT_EQ(net.network.GetCounters().at("packetsReceived"), 10u);
}

TEST_F(IpDropsTest, WhatALossModelTakesIsReported)
{
    IpNetwork net(3, 10 * G, 1000 * NS);
    const Losses losses(net);
    int n = 0;
    LoseFrames(net.network.GetNic(1), [&n](const Frame&) { return ++n % 3 == 0; });
    SendUdp(net, 0, 1, 30, MicroSeconds(10));
    net.Run(MilliSeconds(1));
    EXPECT_EQ(losses.Of(0), (Counts{{"lossModel at h1", 10}}));
}

TEST_F(IpDropsTest, WhatTheDeviceRefusesIsReported)
{
    IpNetwork net(2, 10 * G, 1000 * NS);
    const Losses losses(net);
    const auto send = [&](const Address& to, uint32_t bytes) {
        return net.devices.Get(0)->Send(Create<Packet>(bytes), to, 0x88b5);
    };
    Simulator::Schedule(MicroSeconds(1), [&] {
        const Address there = net.devices.Get(1)->GetAddress();
        EXPECT_TRUE(send(there, 1500));
        EXPECT_FALSE(send(there, 1501)) << "longer than the MTU";
        EXPECT_FALSE(send(Mac48Address("02:00:00:00:77:77"), 100)) << "nobody has it";
        int queued = 0;
        while (queued < 1000 && send(there, 1500))
        {
            ++queued;
        }
        // The first is on the wire, the queue has 100.
        EXPECT_EQ(queued, 100);
    });
    net.Run(MilliSeconds(1));
    EXPECT_EQ(losses.Of(0), (Counts{{"not sent", 3}}));
}

TEST_F(IpDropsTest, FlowMonitorCountsThemAtOnce)
{
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("300KB"));
    Config::SetDefault("ns3::roce::EcnMarker::DropNotEct", BooleanValue(false));
    IpNetwork net(3, 10 * G, 1000 * NS, 2);
    FlowMonitorHelper helper;
    const Ptr<FlowMonitor> monitor = helper.InstallAll();
    // 60 % of the rate each, and a burst that the device's queue is too short for: it waits above.
    SendUdp(net, 0, 2, 2000, NanoSeconds(2000));
    SendUdp(net, 1, 2, 2000, NanoSeconds(2000));
    SendUdp(net, 3, 2, 150, NanoSeconds(1));
    net.Run(MilliSeconds(10));
    const std::map<std::string, uint64_t> counters = net.network.GetCounters();
    const uint64_t dropped = counters.at("framesDroppedBuffer");
    ASSERT_GT(dropped, 10u);
    uint64_t sent = 0;
    uint64_t received = 0;
    uint64_t lost = 0;
    for (const auto& [flow, stats] : monitor->GetFlowStats())
    {
        EXPECT_EQ(stats.txPackets, stats.rxPackets + stats.lostPackets) << "flow " << flow;
        sent += stats.txPackets;
        received += stats.rxPackets;
        lost += stats.lostPackets;
    }
    EXPECT_EQ(sent, 4150u);
    EXPECT_EQ(received, counters.at("packetsReceived"));
    EXPECT_EQ(lost, dropped);
}

} // namespace ns3::roce::test
