// SPDX-License-Identifier: GPL-2.0-only
// Ideal times are those of the best path, whichever a flow takes.
#include "roce-is-built.h"
#include "roce-test-network.h"

#include <algorithm>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

struct BestPath : SystemTest, ::testing::WithParamInterface<const char*>
{
    /// Two leaves with two hosts each, joined by a fast and a slow spine.
    static void Make(Network& net, uint64_t slowBps, int64_t slowDelayPs)
    {
        const uint32_t left = net.AddSwitch("left", 0);
        const uint32_t right = net.AddSwitch("right", 0);
        for (uint32_t i = 0; i < 4; ++i)
        {
            const uint32_t host = net.AddHost("h" + std::to_string(i), 0);
            net.AddNic(host, i < 2 ? left : right, 100 * G, US);
        }
        for (const bool slow : {false, true})
        {
            const uint32_t spine = net.AddSwitch(slow ? "slow" : "fast", 0);
            for (const uint32_t leaf : {left, right})
            {
                net.Connect(leaf, spine, slow ? slowBps : 100 * G, slow ? slowDelayPs : US);
            }
        }
        net.Build();
        net.AssignStreams(1);
    }
};

} // namespace

// Lone flows of one pair of hosts, one after the other.
TEST_P(BestPath, IsTheIdealOfAllFlowsAndNoneIsFaster)
{
    if (!IsBuilt(GetParam()))
    {
        GTEST_SKIP() << "a system is not built";
    }
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Nic::PathSelector",
                       StringValue(std::string("ns3::roce::") + GetParam()));
    Config::SetDefault("ns3::roce::Nic::LossRecovery",
                       StringValue("ns3::roce::SelectiveRepeat[BdpCap=0|ReorderPackets=1000]"));
    for (const uint64_t size : {uint64_t{1000}, uint64_t{1000000}})
    {
        Network net;
        Make(net, 25 * G, US);
        std::vector<FlowSpec> flows;
        for (int i = 0; i < 16; ++i)
        {
            flows.push_back(Flow(0, 2, size, i * MS));
        }
        flows = Numbered(flows);
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        ExpectAllDone(net, done, flows);
        // First frame and last frame on each of the four fast links, then the ACK.
        const int64_t ideal = net.GetIdeal(flows[0]).senderFctPs;
        if (size == 1000)
        {
            EXPECT_EQ(ideal, 8 * US + 4 * ((1000 + 62 + 16 + 20) * 80 + (66 + 20) * 80));
        }
        unsigned best = 0;
        unsigned worse = 0;
        for (const FlowSpec& flow : flows)
        {
            EXPECT_EQ(net.GetIdeal(flow).senderFctPs, ideal) << "flow " << flow.id;
            EXPECT_GE(done.FctPs(flow.id), ideal) << GetParam() << ", flow " << flow.id;
            best += done.FctPs(flow.id) == ideal;
            worse += done.FctPs(flow.id) > ideal;
        }
        EXPECT_GT(worse, 0u) << "a path is slow";
        EXPECT_EQ(best > 0 || size > 1000, true) << "a path is fast";
        Simulator::Destroy();
    }
}

INSTANTIATE_TEST_SUITE_P(Selectors,
                         BestPath,
                         ::testing::Values("FlowHash", "Spray", "Flowlet", "Plb", "UnoLb"));

// Which path is the best depends on the size: one has the rate, the other the short delay.
TEST_F(BestPath, DependsOnTheSize)
{
    Network net;
    const uint32_t left = net.AddSwitch("left", 0);
    const uint32_t right = net.AddSwitch("right", 0);
    net.AddNic(net.AddHost("a", 0), left, 100 * G, US);
    net.AddNic(net.AddHost("b", 0), right, 100 * G, US);
    net.Connect(left, right, 100 * G, 50 * US);
    net.Connect(left, right, 10 * G, US);
    net.Build();
    EXPECT_EQ(net.GetBestPaths(0, 1).size(), 2u);
    const auto senderFct = [&net](uint64_t bytes) {
        return net.GetIdeal(Flow(0, 1, bytes)).senderFctPs;
    };
    const auto ofLink = [](const HopSpec& middle, uint64_t bytes) {
        const HopSpec nic{100 * G, US};
        int64_t best = INT64_MAX;
        for (const HopSpec& back : {HopSpec{100 * G, 50 * US}, HopSpec{10 * G, US}})
        {
            const IdealFct ideal({nic, middle, nic}, {nic, back, nic});
            best = std::min(best, ideal.Compute(bytes).senderFctPs);
        }
        return best;
    };
    EXPECT_EQ(senderFct(1000), ofLink({10 * G, US}, 1000));
    EXPECT_EQ(senderFct(10000000), ofLink({100 * G, 50 * US}, 10000000));
}

// What is capped by the longest path, and how long a full buffer takes to drain.
TEST_F(BestPath, SendersKnowTheLongestPathAndTheQueues)
{
    Config::SetDefault("ns3::roce::Nic::LossRecovery", StringValue("ns3::roce::SelectiveRepeat"));
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("10MB"));
    Network net;
    Make(net, 25 * G, 7 * US);
    int64_t longest = 0;
    for (uint16_t entropy = 0; entropy < 100; ++entropy)
    {
        longest = std::max(longest, net.GetPath(0, 2, entropy).baseRttPs);
    }
    const PathInfo near = net.GetPath(0, 1, 0);
    EXPECT_EQ(near.longestRttPs, longest);
    EXPECT_LT(near.baseRttPs, longest / 3);
    EXPECT_TRUE(near.lossless);
    EXPECT_EQ(near.fullQueuePs, 800 * US); // 10 MB at 100 Gbit/s
    EXPECT_FALSE(net.GetPath(0, 1, 0, 0).lossless) << "class 0 is not protected";
    EXPECT_EQ(net.GetPath(0, 1, 0, 0).fullQueuePs, 400 * US) << "EgressAlpha = 1: half of it";
}
