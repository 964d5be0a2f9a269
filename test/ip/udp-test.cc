// SPDX-License-Identifier: GPL-2.0-only

// UDP over RoceNetDevices: times by hand, addresses, fragments, groups, what is refused.

#include "roce-ip-network.h"

namespace ns3::roce::test
{

namespace
{

/// Sends back what it gets.
void
Echo(Ptr<Socket> socket)
{
    Address from;
    while (Ptr<Packet> packet = socket->RecvFrom(from))
    {
        socket->SendTo(packet, 0, from);
    }
}

/// A host that asks for echoes, and when they came.
struct Asker
{
    Ptr<Socket> socket;
    std::vector<int64_t> answersPs;
    std::vector<uint32_t> bytes;

    void Read(Ptr<Socket> from)
    {
        while (Ptr<Packet> packet = from->Recv())
        {
            answersPs.push_back(NowPs());
            bytes.push_back(packet->GetSize());
        }
    }

    Asker(const Ptr<Node>& node, const Address& to)
        : socket(Socket::CreateSocket(node, UdpSocketFactory::GetTypeId()))
    {
        socket->Connect(to);
        socket->SetRecvCallback(MakeCallback(&Asker::Read, this));
    }
};

void
EchoAt(const Ptr<Node>& node, const Address& local)
{
    Ptr<Socket> socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
    socket->Bind(local);
    socket->SetRecvCallback(MakeCallback(&Echo));
}

/// @return round trip of an echo by hand. @param hops links one way
int64_t
RoundTripPs(uint32_t ipBytes, int hops, int64_t psPerByte, int64_t delayPs)
{
    const uint32_t wireBytes = std::max(64U, 14 + ipBytes + 4) + 20;
    return 2 * hops * (wireBytes * psPerByte + delayPs);
}

} // namespace

TEST(IpUdp, AnEchoTakesWhatItsBytesTakeOnEachLink)
{
    for (const uint32_t bytes : {1U, 100U, 1472U})
    {
        IpNetwork net(3, 100 * G, 1000 * NS);
        EchoAt(net.Node(1), InetSocketAddress(Ipv4Address::GetAny(), 9));
        Asker asker(net.Node(0), InetSocketAddress(net.Address(1), 9));
        for (int i = 0; i < 3; ++i)
        {
            Simulator::Schedule(MicroSeconds(10 + 20 * i),
                                [&asker, bytes] { asker.socket->Send(Create<Packet>(bytes)); });
        }
        net.Run(MicroSeconds(100));
        ASSERT_EQ(asker.answersPs.size(), 3u) << bytes << " B: echoes are missing";
        for (int i = 0; i < 3; ++i)
        {
            EXPECT_EQ(asker.answersPs[i] - (10 + 20 * i) * 1000 * NS,
                      RoundTripPs(28 + bytes, 3, 80, 1000 * NS))
                << bytes << " B, echo " << i;
            EXPECT_EQ(asker.bytes[i], bytes);
        }
    }
}

TEST(IpUdp, Ipv6IsTheSameWithItsLongerHeader)
{
    IpNetwork net(2, 100 * G, 1000 * NS);
    EchoAt(net.Node(1), Inet6SocketAddress(Ipv6Address::GetAny(), 9));
    Asker asker(net.Node(0), Inet6SocketAddress(net.Address6(1), 9));
    // Not before duplicate addresses have been looked for, a second.
    Simulator::Schedule(Seconds(3), [&asker] { asker.socket->Send(Create<Packet>(100)); });
    net.Run(Seconds(4));
    ASSERT_EQ(asker.answersPs.size(), 1u);
    EXPECT_EQ(asker.answersPs[0] - 3'000'000'000 * NS, RoundTripPs(48 + 100, 2, 80, 1000 * NS));
}

TEST(IpUdp, ALongDatagramComesInFragments)
{
    IpNetwork net(2, 100 * G, 1000 * NS);
    EchoAt(net.Node(1), InetSocketAddress(Ipv4Address::GetAny(), 9));
    Asker asker(net.Node(0), InetSocketAddress(net.Address(1), 9));
    Simulator::Schedule(MicroSeconds(10), [&asker] { asker.socket->Send(Create<Packet>(4000)); });
    net.Run(MicroSeconds(100));
    ASSERT_EQ(asker.bytes, std::vector<uint32_t>{4000}) << "it has not come back whole";
    EXPECT_EQ(net.network.GetCounters().at("packetsSent"), 6u) << "three fragments each way";
}

TEST(IpUdp, ABroadcastReachesEveryOtherHostOnce)
{
    IpNetwork net(2, 100 * G, 1000 * NS, 4);
    std::vector<uint32_t> heard(net.network.GetNHosts());
    for (uint32_t host = 0; host < heard.size(); ++host)
    {
        Ptr<Socket> socket = Socket::CreateSocket(net.Node(host), UdpSocketFactory::GetTypeId());
        socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        socket->SetRecvCallback([&heard, host](Ptr<Socket> from) {
            while (from->Recv())
            {
                ++heard[host];
            }
        });
    }
    Ptr<Socket> sender = Socket::CreateSocket(net.Node(2), UdpSocketFactory::GetTypeId());
    sender->SetAllowBroadcast(true);
    sender->Connect(InetSocketAddress(Ipv4Address::GetBroadcast(), 9));
    Simulator::Schedule(MicroSeconds(1), [&sender] { sender->Send(Create<Packet>(10)); });
    net.Run(MicroSeconds(100));
    for (uint32_t host = 0; host < heard.size(); ++host)
    {
        EXPECT_EQ(heard[host], host == 2 ? 0U : 1U) << "host " << host;
    }
}

} // namespace ns3::roce::test
