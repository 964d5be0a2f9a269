// SPDX-License-Identifier: GPL-2.0-only

// What the simulator's event list sees of a network: a few events for each node, whatever is in
// flight, and few events for each packet-hop.

#include "roce-counting-scheduler.h"
#include "roce-test-network.h"

#include "ns3/roce-leaf-spine-helper.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// What one run cost.
struct Cost
{
    uint64_t maxPending;
    double eventsPerHop;
    uint64_t hops;
};

/// Two datacenters, every host of one writes to its twin in the other: the WAN link is full.
Cost
FillWan(Time wanDelay, bool eager)
{
    Simulator::SetScheduler(ObjectFactory("ns3::roce::CountingScheduler"));
    CountingScheduler::Reset();
    Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
    Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
    Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(Seconds(1)));
    LeafSpineHelper topology;
    topology.fabricRate = DataRate("400Gbps");
    topology.external.rate = DataRate("400Gbps");
    topology.wanDelay = wanDelay;
    Network network;
    topology.Construct(network);
    network.Build();
    std::vector<FlowSpec> flows;
    for (uint32_t i = 0; i < topology.GetNicsPerDatacenter(); ++i)
    {
        FlowSpec flow;
        flow.id = i;
        flow.src = i;
        flow.dst = topology.GetNicsPerDatacenter() + i;
        flow.sizeBytes = 4000000;
        flows.push_back(flow);
    }
    network.InstallFlows(flows);
    Simulator::Run();
    const Cost cost{CountingScheduler::s_max,
                    static_cast<double>(CountingScheduler::s_count) /
                        static_cast<double>(network.CountPacketHops()),
                    network.CountPacketHops()};
    Simulator::Destroy();
    return cost;
}

} // namespace

TEST_F(SystemTest, PendingEventsDoNotGrowWithTheWan)
{
    SetRateLaw("LineRate");
    const Cost nearby = FillWan(MicroSeconds(5), false);
    const Cost far = FillWan(MilliSeconds(5), false);
    // 50 nodes; a station has one event pending, and now and then one that came too early.
    EXPECT_LE(nearby.maxPending, 300u);
    EXPECT_LE(far.maxPending, nearby.maxPending + 10);
    EXPECT_EQ(far.hops, nearby.hops);
}

TEST_F(SystemTest, FewEventsPerPacketHop)
{
    SetRateLaw("LineRate");
    EXPECT_LT(FillWan(MicroSeconds(500), false).eventsPerHop, 0.5);
    EXPECT_LT(FillWan(MicroSeconds(500), true).eventsPerHop, 2.5); // one for each agenda item
}
