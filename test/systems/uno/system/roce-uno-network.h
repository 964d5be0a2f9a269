// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_UNO_NETWORK_H
#define ROCE_UNO_NETWORK_H

#include "roce-test-erasure.h"
#include "roce-test-network.h"

#include "ns3/object-factory.h"
#include "ns3/roce-loss-model.h"

#include <string>
#include <vector>

namespace ns3::roce::test
{

/// Two switches, one per datacenter, with parallel links between them and hosts at each.
struct UnoTest : SystemTest
{
    static constexpr uint32_t WAN_LINKS = 8;
    static constexpr uint32_t HOSTS = 4; //!< of each datacenter

    void SetUp() override
    {
        SystemTest::SetUp();
        SetRateLaw("LineRate");
        Recover("TestErasure[" + TestErasure::BytesIfPossible() + "]");
        Select("UnoLb");
        // Lossy: drop tail.
        Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(0));
        Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("64MiB"));
    }

    static void Recover(const std::string& recovery)
    {
        Config::SetDefault("ns3::roce::Nic::LossRecovery", StringValue("ns3::roce::" + recovery));
    }

    static void Select(const std::string& selector)
    {
        Config::SetDefault("ns3::roce::Nic::PathSelector", StringValue("ns3::roce::" + selector));
    }

    /// NICs 0 to HOSTS - 1 are in the first datacenter, the others in the second.
    static void Make(Network& net,
                     uint32_t wanLinks = WAN_LINKS,
                     int64_t wanDelay = 50 * US,
                     uint64_t ecmpSeed = 1)
    {
        for (uint32_t dc = 0; dc < 2; ++dc)
        {
            net.AddSwitch("dc" + std::to_string(dc), dc);
            for (uint32_t i = 0; i < HOSTS; ++i)
            {
                net.AddNic(net.AddHost("h" + std::to_string(dc * HOSTS + i), dc), dc, 100 * G, US);
            }
        }
        for (uint32_t i = 0; i < wanLinks; ++i)
        {
            net.Connect(0, 1, 100 * G, wanDelay);
        }
        Network::Options options;
        options.ecmpSeed = ecmpSeed;
        net.Build(options);
    }

    /// WAN link i.
    static uint32_t Wan(const Network& net, uint32_t i)
    {
        return net.FindLink(0, 1, i).link;
    }

    /// Losses on all WAN links, at the end in a datacenter, or at both.
    static void LoseOnWan(const Network& net,
                          const std::string& model,
                          std::vector<uint32_t> datacenters = {0, 1})
    {
        ObjectFactoryValue value;
        value.DeserializeFromString("ns3::roce::" + model, MakeObjectFactoryChecker());
        for (const uint32_t dc : datacenters)
        {
            for (uint16_t port = 0; port < net.GetSwitch(dc)->GetNPorts(); ++port)
            {
                if (port >= HOSTS)
                {
                    net.GetSwitch(dc)->GetPort(port)->SetLossModel(value.Get().Create<LossModel>());
                }
            }
        }
    }

    /// Frames lost on links.
    static uint64_t LostOnLinks(const Network& net)
    {
        uint64_t n = 0;
        for (const Ptr<Port>& port : net.GetPorts())
        {
            n += port->GetFramesLost();
        }
        return n;
    }

    /// Receiving halves of coded flows at a NIC.
    static std::vector<const TestErasureReceiver*> Receivers(const Network& net, uint32_t nic)
    {
        std::vector<const TestErasureReceiver*> receivers;
        for (uint32_t qpn = 2; const ReceiverQp* qp = net.GetNic(nic)->GetReceiver(qpn); ++qpn)
        {
            if (const auto* coded = dynamic_cast<const TestErasureReceiver*>(qp))
            {
                receivers.push_back(coded);
            }
        }
        return receivers;
    }
};

} // namespace ns3::roce::test

#endif /* ROCE_UNO_NETWORK_H */
