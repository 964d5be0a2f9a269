/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// When stations wake up that share a clock, and that large networks, which have memory fetched
// ahead, do the same as if nothing was.

#include "roce-test-network.h"

#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-station-clock.h"
#include "ns3/roce-station-row.h"

#include <algorithm>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// How late stations of a star were with what they sent.
struct Lateness
{
    int64_t leastPs{INT64_MAX};
    int64_t mostPs{INT64_MIN};
};

/// @param delayPs of all links: the slack of all stations
Lateness
RunStar(int64_t delayPs)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 5, 100 * G, delayPs);
    net.Build();
    Lateness late;
    for (const Ptr<Port>& port : net.GetPorts())
    {
        port->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([&late](const Frame&, Time at) {
                const int64_t ps = (Simulator::Now() - at).GetTimeStep();
                late.leastPs = std::min(late.leastPs, ps);
                late.mostPs = std::max(late.mostPs, ps);
            }));
    }
    InstallIncast(net, 200000);
    Simulator::Run();
    EXPECT_EQ(net.Audit(true), "");
    Simulator::Destroy();
    return late;
}

/// One datacenter with more stations than fit into caches, also those of one of two threads.
/// @return fingerprint of a short run
uint64_t
RunLarge(const std::string& law, bool eager, unsigned threads)
{
    SetRateLaw(law);
    Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
    Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
    LeafSpineHelper h;
    h.datacenters = 1;
    h.leaves = 16;
    h.hostsPerLeaf = 52;
    Network net;
    h.Construct(net);
    net.Build();
    net.AssignStreams(1);
    net.EnableFingerprint();
    EXPECT_GE((net.GetNNics() + net.GetNSwitches()) / 2, StationRow::MANY);
    std::vector<FlowSpec> flows;
    for (uint32_t i = 0; i < net.GetNNics(); ++i)
    {
        // To other racks, some several to one.
        flows.push_back(Flow(i, (i * 7 + 103) % net.GetNNics(), 30000 + 100 * i, i % 5 * US));
        flows.push_back(Flow(i, (i / 8 * 8 + 203) % net.GetNNics(), 9000, 20 * US));
    }
    net.InstallFlows(Numbered(flows));
    EXPECT_EQ(net.SetThreads(threads), threads);
    Simulator::Run();
    EXPECT_EQ(net.Audit(true), "");
    const uint64_t fingerprint = net.GetFingerprint();
    Simulator::Destroy();
    return fingerprint;
}

} // namespace

TEST_F(SystemTest, StationsAreNeverLaterThanTheirSlack)
{
    // Rounded down to the grid, exact since it is too coarse, and without any slack.
    for (const int64_t delayPs : {US, StationClock::GRID_PS + 1, int64_t{0}})
    {
        const Lateness late = RunStar(delayPs);
        EXPECT_GE(late.leastPs, 0) << "a station has run before its time, delay " << delayPs;
        EXPECT_LE(late.mostPs, delayPs) << "a station has run too late";
        // They wait as long as they can, so that they find much to do.
        EXPECT_GE(late.mostPs, delayPs - StationClock::GRID_PS) << "stations wake up too early";
    }
}

TEST_F(SystemTest, LargeNetworksDoTheSameHoweverTheyWakeUp)
{
    for (const char* law : {"Dcqcn", "Hpcc"})
    {
        const uint64_t usual = RunLarge(law, false, 1);
        EXPECT_EQ(usual, RunLarge(law, true, 1)) << law << ", an event for each item";
        EXPECT_EQ(usual, RunLarge(law, false, 2)) << law << ", without the clock";
    }
}
