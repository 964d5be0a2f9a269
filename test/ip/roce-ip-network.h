// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_IP_NETWORK_H
#define ROCE_IP_NETWORK_H

#include "roce-test-network.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/ipv6.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/roce-net-device-helper.h"
#include "ns3/roce-network.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <vector>

namespace ns3::roce::test
{

/// Hosts, at the two ends of a row of switches or elsewhere, with ns-3's stacks.
struct IpNetwork
{
    /// @param links on the way from a host of one end to one of the other, at least 2
    /// @param perEnd hosts; the first half of all is at the first switch
    /// @param mtu of the devices
    /// @param options of the network
    IpNetwork(int links,
              uint64_t rateBps,
              int64_t delayPs,
              uint32_t perEnd = 1,
              uint16_t mtu = 1500,
              const Network::Options& options = {})
        : IpNetwork(
              [=](Network& network) {
                  for (int s = 0; s + 1 < links; ++s)
                  {
                      network.AddSwitch("s" + std::to_string(s), 0);
                      if (s > 0)
                      {
                          network.Connect(static_cast<uint32_t>(s - 1),
                                          static_cast<uint32_t>(s),
                                          rateBps,
                                          delayPs);
                      }
                  }
                  for (uint32_t h = 0; h < 2 * perEnd; ++h)
                  {
                      network.AddNic(network.AddHost("h" + std::to_string(h), 0),
                                     h < perEnd ? 0U : static_cast<uint32_t>(links - 2),
                                     rateBps,
                                     delayPs);
                  }
                  network.Build(options);
              },
              mtu)
    {
    }

    /// @param build makes the network and builds it @param mtu see above
    explicit IpNetwork(const std::function<void(Network&)>& build, uint16_t mtu = 1500)
    {
        build(network);
        InstallStacks(mtu);
    }

    ~IpNetwork()
    {
        Simulator::Destroy();
    }

    IpNetwork(const IpNetwork&) = delete;
    IpNetwork& operator=(const IpNetwork&) = delete;

    Ptr<ns3::Node> Node(uint32_t host) const
    {
        return devices.Get(host)->GetNode();
    }

    Ipv4Address Address(uint32_t host) const
    {
        const Ptr<Ipv4> ip = Node(host)->GetObject<Ipv4>();
        return ip->GetAddress(ip->GetInterfaceForDevice(devices.Get(host)), 0).GetLocal();
    }

    Ipv6Address Address6(uint32_t host) const
    {
        const Ptr<Ipv6> ip = Node(host)->GetObject<Ipv6>();
        return ip->GetAddress(ip->GetInterfaceForDevice(devices.Get(host)), 1).GetAddress();
    }

    void Run(const Time& until)
    {
        Simulator::Stop(until);
        Simulator::Run();
        network.CatchUp();
        EXPECT_EQ(network.Audit(false), "");
    }

    Network network;
    NetDeviceContainer devices;

  private:
    void InstallStacks(uint16_t mtu)
    {
        // Otherwise they ask up to 10 ms after they have to.
        for (const char* jitter :
             {"ns3::ArpL3Protocol::RequestJitter", "ns3::Icmpv6L4Protocol::SolicitationJitter"})
        {
            Config::SetDefault(jitter, StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        }
        RoceNetDeviceHelper helper;
        helper.SetDeviceAttribute("Mtu", UintegerValue(mtu));
        devices = helper.Install(network);
        InternetStackHelper().Install(network.GetHostNodes());
        Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(devices);
        Ipv6AddressHelper().Assign(devices);
    }
};

/// TCP from one node to another. @param bytes 0: without end. @return what receives it
inline Ptr<PacketSink>
SendTcp(const Ptr<ns3::Node>& from,
        const Ptr<ns3::Node>& to,
        const Ipv4Address& at,
        uint64_t bytes,
        uint16_t port = 80,
        const Time& start = MicroSeconds(1))
{
    BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(at, port));
    bulk.SetAttribute("MaxBytes", UintegerValue(bytes));
    bulk.Install(from).Start(start);
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
    return sink.Install(to).Get(0)->GetObject<PacketSink>();
}

/// The same between hosts of a network.
inline Ptr<PacketSink>
SendTcp(const IpNetwork& net, uint32_t from, uint32_t to, uint64_t bytes, uint16_t port = 80)
{
    return SendTcp(net.Node(from), net.Node(to), net.Address(to), bytes, port);
}

/// UDP from one host to another: datagrams that make packets of 1,500 B, one each gap.
inline void
SendUdp(const IpNetwork& net,
        uint32_t from,
        uint32_t to,
        uint32_t datagrams,
        const Time& gap,
        uint8_t tos = 0)
{
    // What nobody listens to would be answered by ICMP.
    Socket::CreateSocket(net.Node(to), UdpSocketFactory::GetTypeId())
        ->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
    Ptr<Socket> socket = Socket::CreateSocket(net.Node(from), UdpSocketFactory::GetTypeId());
    socket->Connect(InetSocketAddress(net.Address(to), 9));
    socket->SetIpTos(tos); // connecting sets it, too
    for (uint32_t i = 0; i < datagrams; ++i)
    {
        Simulator::Schedule(MicroSeconds(1) + gap * i,
                            [socket] { socket->Send(Create<Packet>(1472)); });
    }
}

} // namespace ns3::roce::test

#endif /* ROCE_IP_NETWORK_H */
