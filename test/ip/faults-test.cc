// SPDX-License-Identifier: GPL-2.0-only

// TCP while links fail, buffers are full or frames are lost; many sockets; connections half closed.

#include "roce-ip-network.h"

#include "ns3/tcp-socket-factory.h"

namespace ns3::roce::test
{

using IpFaultsTest = SystemTest;

TEST_F(IpFaultsTest, TcpGoesOnAfterALinkWasDown)
{
    IpNetwork net(3, 10 * G, 1000 * NS);
    const Ptr<PacketSink> sink = SendTcp(net, 0, 1, 5'000'000);
    net.network.ScheduleLinkChange(MicroSeconds(500), 0, false);
    net.network.ScheduleLinkChange(MicroSeconds(900), 0, true);
    net.Run(Seconds(10));
    EXPECT_EQ(sink->GetTotalRx(), 5'000'000u);
    EXPECT_GT(net.network.CountFramesLost(), 0u) << "nothing was on the link that failed";
}

TEST_F(IpFaultsTest, AFullBufferDropsAndConserves)
{
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("300KB"));
    IpNetwork net(3, 10 * G, 1000 * NS, 4);
    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t from = 0; from < 4; ++from)
    {
        sinks.push_back(SendTcp(net, from, 4, 1'000'000, static_cast<uint16_t>(80 + from)));
    }
    net.Run(Seconds(20));
    for (const Ptr<PacketSink>& sink : sinks)
    {
        EXPECT_EQ(sink->GetTotalRx(), 1'000'000u);
    }
    EXPECT_GT(net.network.GetCounters().at("framesDroppedBuffer"), 0u);
    EXPECT_EQ(net.network.Audit(true), "");
}

TEST_F(IpFaultsTest, AThousandSocketsShareALink)
{
    IpNetwork net(2, 10 * G, 1000 * NS);
    std::vector<Ptr<PacketSink>> sinks;
    for (uint16_t port = 1000; port < 2000; ++port)
    {
        sinks.push_back(SendTcp(net, 0, 1, 20'000, port));
    }
    net.Run(Seconds(30));
    uint32_t done = 0;
    for (const Ptr<PacketSink>& sink : sinks)
    {
        done += sink->GetTotalRx() == 20'000u;
    }
    EXPECT_EQ(done, 1000u);
}

TEST_F(IpFaultsTest, AHalfClosedConnectionStillBringsTheAnswer)
{
    IpNetwork net(2, 10 * G, 1000 * NS);
    Ptr<Socket> server = Socket::CreateSocket(net.Node(1), TcpSocketFactory::GetTypeId());
    server->Bind(InetSocketAddress(Ipv4Address::GetAny(), 80));
    server->Listen();
    uint32_t asked = 0;
    server->SetAcceptCallback(
        MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
        Callback<void, Ptr<Socket>, const Address&>([&asked](Ptr<Socket> peer, const Address&) {
            peer->SetRecvCallback(Callback<void, Ptr<Socket>>([&asked](Ptr<Socket> from) {
                while (Ptr<Packet> packet = from->Recv())
                {
                    asked += packet->GetSize();
                    if (packet->GetSize() == 0)
                    {
                        break;
                    }
                }
                if (asked == 100)
                {
                    from->Send(Create<Packet>(3000));
                    from->Close();
                }
            }));
        }));
    Ptr<Socket> client = Socket::CreateSocket(net.Node(0), TcpSocketFactory::GetTypeId());
    uint32_t answered = 0;
    client->SetRecvCallback(Callback<void, Ptr<Socket>>([&answered](Ptr<Socket> from) {
        for (Ptr<Packet> packet = from->Recv(); packet && packet->GetSize(); packet = from->Recv())
        {
            answered += packet->GetSize();
        }
    }));
    client->Connect(InetSocketAddress(net.Address(1), 80));
    Simulator::Schedule(MicroSeconds(100), [&client] {
        client->Send(Create<Packet>(100));
        client->ShutdownSend();
    });
    net.Run(Seconds(5));
    EXPECT_EQ(asked, 100u);
    EXPECT_EQ(answered, 3000u) << "the way back was closed, too";
}

} // namespace ns3::roce::test
