// SPDX-License-Identifier: GPL-2.0-only

// Each switch takes one from the time to live and drops what has none left.

#include "roce-test-network.h"

#include "ns3/roce-leaf-spine-helper.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

TEST_F(SystemTest, TimeToLiveCountsSwitches)
{
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Nic::Ttl", UintegerValue(2));
    Config::SetDefault("ns3::roce::Nic::RetryLimit", UintegerValue(1));
    LeafSpineHelper topology;
    topology.datacenters = 1;
    Network network;
    topology.Construct(network);
    network.Build();
    FlowSpec near;
    near.src = 0;
    near.dst = 1; // one switch
    near.sizeBytes = 10000;
    FlowSpec far = near;
    far.id = 1;
    far.dst = 15; // three switches: the last one finds 0
    network.InstallFlows({near, far});
    Simulator::Run();
    EXPECT_EQ(network.GetNic(1)->GetCounters().bytesDelivered, 10000u);
    EXPECT_EQ(network.GetNic(15)->GetCounters().dataReceived, 0u);
    EXPECT_EQ(network.GetNic(0)->GetCounters().failedQps, 1u);
    uint64_t dropped = 0;
    for (uint32_t s = 0; s < network.GetNSwitches(); ++s)
    {
        const uint64_t here = network.GetSwitch(s)->GetDrops().Get(Switch::DROP_TTL);
        EXPECT_TRUE(here == 0 || network.GetSwitch(s)->GetName() == "dc0-leaf3");
        dropped += here;
    }
    EXPECT_EQ(dropped, network.GetNic(0)->GetCounters().dataSent - 3);
    EXPECT_EQ(network.Audit(true), "");
}
