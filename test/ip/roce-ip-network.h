// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_IP_NETWORK_H
#define ROCE_IP_NETWORK_H

#include "roce-test-network.h"

#include "ns3/config.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/ipv6.h"
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

/// Hosts at the two ends of a row of switches, with ns-3's stacks.
struct IpNetwork
{
    /// @param links on the way from a host of one end to one of the other, at least 2
    /// @param perEnd hosts; the first half of all is at the first switch
    /// @param mtu of the devices
    IpNetwork(int links,
              uint64_t rateBps,
              int64_t delayPs,
              uint32_t perEnd = 1,
              uint16_t mtu = 1500)
    {
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
            const uint32_t host = network.AddHost("h" + std::to_string(h), 0);
            network.AddNic(host,
                           h < perEnd ? 0U : static_cast<uint32_t>(links - 2),
                           rateBps,
                           delayPs);
        }
        network.Build();
        InstallStacks(mtu);
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
        NodeContainer nodes;
        for (uint32_t h = 0; h < devices.GetN(); ++h)
        {
            nodes.Add(devices.Get(h)->GetNode());
        }
        InternetStackHelper().Install(nodes);
        Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(devices);
        Ipv6AddressHelper().Assign(devices);
    }
};

} // namespace ns3::roce::test

#endif /* ROCE_IP_NETWORK_H */
