/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WRCC in closed loop: fairness within a datacenter, across, and of both; what literal readings of
// the paper do; conservation, and the same results however the simulator goes about it.
#include "roce-wrcc-network.h"

#include <array>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// What a run of endless flows to one receiver was like.
struct Share
{
    double totalGbps;
    double jain;
    std::map<uint32_t, double> gbps; //!< by sender
    uint64_t fcnps;
};

class WrccNetwork : public WrccTest
{
  protected:
    /**
     * Endless flows to NIC 0 of the first datacenter.
     * @param near senders there
     * @param far senders in the other datacenter, 1 ms away
     * @return shares from a time on
     */
    Share Run(uint32_t near, uint32_t far, int64_t fromPs, int64_t untilPs)
    {
        Network net;
        MakeTwoDatacenters(net, near + 1, std::max(1U, far), MS);
        Build(net);
        std::vector<FlowSpec> flows;
        for (uint32_t src = 1; src < 1 + near + far; ++src)
        {
            flows.push_back(Flow(src, 0, 4'000'000'000));
        }
        net.InstallFlows(Numbered(flows));
        Arrivals arrivals(net, 0);
        Simulator::Schedule(PicoSeconds(fromPs), [&] {
            net.CatchUp();
            arrivals.Clear();
        });
        Simulator::Stop(PicoSeconds(untilPs));
        Simulator::Run();
        net.CatchUp();
        Share share{};
        share.totalGbps = arrivals.TotalGbps(untilPs - fromPs);
        share.jain = arrivals.Jain();
        for (uint32_t src = 1; src < 1 + near + far; ++src)
        {
            share.gbps[src] = arrivals.Gbps(src, untilPs - fromPs);
        }
        share.fcnps = Counted(net, "wrccFcnps");
        EXPECT_EQ(net.Audit(false), "");
        EXPECT_EQ(Sum(net).lost, 0u);
        Simulator::Destroy();
        return share;
    }
};

} // namespace

TEST_F(WrccNetwork, FourFlowsWithinShareAPort)
{
    const Share share = Run(4, 0, 2 * MS, 6 * MS);
    EXPECT_GT(share.jain, 0.99);
    EXPECT_GT(share.totalGbps, 75);
    EXPECT_GT(share.fcnps, 0u) << "before the first ACK they are told by the switch";
}

TEST_F(WrccNetwork, TwoFlowsAcrossShareARemotePort)
{
    const Share share = Run(0, 2, 14 * MS, 34 * MS);
    EXPECT_GT(share.jain, 0.99);
    EXPECT_GT(share.totalGbps, 60);
    EXPECT_EQ(share.fcnps, 0u) << "the congestion is in another domain";
}

TEST_F(WrccNetwork, FlowsWithinAndAcrossShareAPort)
{
    const Share share = Run(2, 2, 14 * MS, 34 * MS);
    EXPECT_GT(share.jain, 0.7);
    EXPECT_GT(share.totalGbps, 50);
}

// Divided every 24 us while senders react after 2 ms, the fair rate falls to its floor.
TEST_F(WrccNetwork, DividingEveryPeriodCollapses)
{
    const Share gated = Run(0, 2, 4 * MS, 24 * MS);
    Set("WrccFairRate::Profile", "literal");
    Set("Wrcc::Profile", "literal");
    const Share literal = Run(0, 2, 4 * MS, 24 * MS);
    EXPECT_LT(literal.totalGbps, 25);
    EXPECT_GT(gated.totalGbps, 2.5 * literal.totalGbps);
}
