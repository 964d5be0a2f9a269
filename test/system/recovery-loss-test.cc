// SPDX-License-Identifier: GPL-2.0-only
// Every loss recovery over links that lose frames at random.
#include "roce-is-built.h"
#include "roce-loss-fixture.h"

#include "ns3/roce-leaf-spine-helper.h"

#include <random>
#include <tuple>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

/// (recovery, (AckEveryN, rate law))
class RecoveryLosses : public LossTest,
                       public ::testing::WithParamInterface<
                           std::tuple<std::string, std::pair<unsigned, const char*>>>
{
};

// One frame in a thousand is lost on every link, ACKs and CNPs as well; pause frames arrive. 1,000
// flows of 1 MB.
TEST_P(RecoveryLosses, EveryFlowFinishesWithItsBytes)
{
    if (!IsBuilt(std::get<0>(GetParam())))
    {
        GTEST_SKIP() << "a system is not built";
    }
    const auto& [recovery, feedback] = GetParam();
    const bool coded = recovery == "UnoErasure";
    Recover(recovery + (coded ? "[Code=all]" : ""));
    SetRateLaw(feedback.second);
    Config::SetDefault("ns3::roce::Nic::AckEveryN", UintegerValue(feedback.first));
    Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MicroSeconds(200)));
    LeafSpineHelper h;
    h.datacenters = 1;
    h.leaves = 2;
    h.spines = 2;
    h.hostsPerLeaf = 4;
    Network net;
    h.Construct(net);
    net.Build();
    net.AssignStreams(1);
    std::mt19937_64 rng(feedback.first);
    uint64_t lost = 0;
    uint64_t lostData = 0;
    for (const Ptr<Port>& port : net.GetPorts())
    {
        LoseFrames(port, [&](const Frame& f) {
            const bool lose = f.kind != FrameKind::PFC && rng() % 1000 == 0;
            lost += lose;
            lostData += lose && f.kind == FrameKind::DATA;
            return lose;
        });
    }
    std::vector<FlowSpec> flows;
    for (uint32_t i = 0; i < 1000; ++i)
    {
        // One draw per statement: compilers evaluate arguments in different orders.
        const uint32_t src = rng() % 8;
        const auto startPs = static_cast<int64_t>(rng() % (60 * MS));
        const uint32_t dst = (src + 1 + rng() % 7) % 8;
        flows.push_back(Flow(src, dst, 1000000, startPs));
    }
    flows = Numbered(flows);
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    EXPECT_GT(lost, 300u); // fewer with coalesced ACKs
    EXPECT_EQ(Sum(net).failed, 0u);
    EXPECT_EQ(Sum(net).lost, 0u);
    // What is repeated in vain is little, but for go-back-N; parity makes up for most losses.
    EXPECT_EQ(Sum(net).retransmitted >= lostData, !coded);
    EXPECT_EQ(Sum(net).retransmitted < 2 * lostData, recovery != "GoBackN");
    ExpectAllDone(net, done, flows);
}

INSTANTIATE_TEST_SUITE_P(All,
                         RecoveryLosses,
                         ::testing::Combine(::testing::Values("GoBackN",
                                                              "SelectiveRepeat",
                                                              "PacketTimers",
                                                              "UnoErasure"),
                                            ::testing::Values(std::pair(1u, "LineRate"),
                                                              std::pair(16u, "LineRate"),
                                                              std::pair(1u, "Dcqcn"),
                                                              std::pair(1u, "Hpcc"),
                                                              std::pair(16u, "Hpcc"))));
