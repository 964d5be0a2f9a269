// SPDX-License-Identifier: GPL-2.0-only
// MLCC in closed loop, senders, receivers and both external switches: fair shares of a receiver's
// port and of a sender's uplink, each inner law, what Switch-INTs leave alone, and the same results
// however the simulator goes about it. What the stages do is in mlcc-near-source-test and
// mlcc-receiver-side-test, the queue of one flow in mlcc-queue-control-test.
#include "roce-mlcc-endless.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

struct MlccNetworkTest : public MlccEndlessTest
{
    static void SetEager(bool eager)
    {
        Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
        Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
    }
};

} // namespace

// 25 Gbit/s for two: 12.5 each at most, 11.3 of payload at HPCC's 95 %.
TEST_F(MlccNetworkTest, TwoFlowsShareAReceiver)
{
    const Shares shares = RunEndless({{0, 4}, {1, 4}}, 15 * MS, 25 * MS);
    for (const uint32_t src : {0, 1})
    {
        EXPECT_NEAR(shares.gbps.at(src), 11.2, 1.1) << src;
        EXPECT_NEAR(shares.creditGbps.at(src), 12.5, 1.9) << src;
    }
    EXPECT_NEAR(shares.queueBytes, 12e9 * 200e-6 / 8, 0.4 * 12e9 * 200e-6 / 8)
        << "each queue is at its target delay";
    // A loop of 22 us, and frames of 0.35 us on three links.
    EXPECT_NEAR(static_cast<double>(shares.matches), 25e3 / 24, 150);
}

TEST_F(MlccNetworkTest, OneFlowFillsTheLine)
{
    const Shares shares = RunEndless({{0, 4}}, 15 * MS, 20 * MS);
    EXPECT_GT(shares.gbps.at(0), 0.85 * 25 * 1000 / 1098);
}

// Flows to different receivers do not share anything.
TEST_F(MlccNetworkTest, FlowsToDifferentReceiversAreIndependent)
{
    const Shares shares = RunEndless({{0, 4}, {1, 5}}, 15 * MS, 20 * MS);
    for (const uint32_t src : {0, 1})
    {
        EXPECT_GT(shares.gbps.at(src), 0.85 * 25 * 1000 / 1098) << src;
    }
}

// A flow within the rack has its own law, HPCC with a round trip of 4 us: a queue counts for more
// there than in the loop of 22 us, so it gets less, but what it gets is steady.
TEST_F(MlccNetworkTest, AFlowWithinAndOneAcrossShareAReceiver)
{
    const Shares shares = RunEndless({{0, 4}, {5, 4}}, 20 * MS, 30 * MS);
    EXPECT_NEAR(shares.gbps.at(0) + shares.gbps.at(5), 22, 2.5);
    EXPECT_NEAR(shares.gbps.at(0), 14, 1.4);
    EXPECT_NEAR(shares.gbps.at(5), 7.6, 1);
}

// Two senders of 25 Gbit/s and 25 Gbit/s from their leaf to the external switch: the near loop sees
// it in 22 us, and R_NS limits, not Rbar.
TEST_F(MlccNetworkTest, TheNearLoopSharesAnUplink)
{
    Network net;

    enum : uint32_t
    {
        LEAF,
        NEAR,
        FAR,
        FAR_LEAF,
    };

    net.AddSwitch("leaf", 0);
    net.AddSwitch("near", 0);
    net.AddSwitch("far", 1);
    net.AddSwitch("farLeaf", 1);
    for (uint32_t h = 0; h < 4; ++h)
    {
        const bool isNear = h < 2;
        net.AddNic(net.AddHost("h" + std::to_string(h), !isNear),
                   isNear ? LEAF : FAR_LEAF,
                   25 * G,
                   US);
    }
    const uint16_t uplink = net.Connect(LEAF, NEAR, 25 * G, 5 * US).first;
    net.Connect(NEAR, FAR, 100 * G, WAN);
    net.Connect(FAR, FAR_LEAF, 100 * G, 5 * US);
    Network::Options options;
    options.stages.emplace_back("ns3::roce::MlccNearSource", SwitchRole::DCI);
    options.stages.emplace_back("ns3::roce::MlccReceiverSide", SwitchRole::DCI);
    net.Build(options);
    net.AssignStreams(1);
    net.InstallFlows(Numbered({Flow(0, 2, 2'000'000'000), Flow(1, 3, 2'000'000'000)}));
    double queue = 0;
    for (int i = 0; i < 100; ++i)
    {
        Simulator::Schedule(MilliSeconds(5) + MicroSeconds(50) * i, [&] {
            net.CatchUp();
            const Switch& leaf = *net.GetSwitch(LEAF);
            queue += static_cast<double>(leaf.GetQueue(uplink).GetTotalBytes()) / 100;
        });
    }
    Simulator::Stop(MilliSeconds(10));
    Simulator::Run();
    net.CatchUp();
    for (const uint32_t src : {0, 1})
    {
        const QueuePair* qp = nullptr;
        const Ptr<Nic> nic = net.GetNic(src);
        for (uint32_t q = 0; q < nic->GetNQps(); ++q)
        {
            qp = nic->GetQp(q) ? nic->GetQp(q) : qp;
        }
        ASSERT_NE(qp, nullptr);
        const auto& law = dynamic_cast<const Mlcc&>(qp->GetCc());
        EXPECT_NEAR(static_cast<double>(law.GetNearBps()) / G, 11.9, 2) << src;
        EXPECT_EQ(law.GetRateBps(), law.GetNearBps()) << src;
        EXPECT_GT(law.GetDqmBps(), law.GetNearBps()) << src;
    }
    EXPECT_LT(queue, 60000) << "HPCC's, of 22 us, not of a round trip over the WAN";
}

// Every inner law works: flows finish, nobody is starved, rates come down to what fits.
TEST_F(MlccNetworkTest, EachInnerLawShares)
{
    for (const std::string law : {"Hpcc", "PowerTcp", "Dcqcn", "Timely"})
    {
        SCOPED_TRACE(law);
        SetLaw("Mlcc[InnerCc=" + law + "]");
        const Shares shares = RunEndless({{0, 4}, {1, 4}}, 15 * MS, 25 * MS);
        EXPECT_GT(shares.gbps.at(0) + shares.gbps.at(1), 12);
        EXPECT_GT(std::min(shares.gbps.at(0), shares.gbps.at(1)), 3);
        EXPECT_LT(shares.creditGbps.at(0) + shares.creditGbps.at(1), 45);
    }
}

namespace
{

/// All that a run shows.
struct Outcome
{
    uint64_t fingerprint{0};
    std::vector<int64_t> completedPs;
    std::map<std::string, uint64_t> counters;
};

/// Flows across in both directions and within, of many sizes.
Outcome
RunToTheEnd()
{
    Outcome outcome;
    MlccNetwork dc(50 * US);
    dc.Build();
    dc.net.EnableFingerprint();
    std::vector<FlowSpec> flows;
    for (uint32_t i = 0; i < 30; ++i)
    {
        const uint32_t src = i * 5 % 8;
        const uint32_t dst = (src + 1 + i * 3 % 7) % 8;
        flows.push_back(Flow(src, dst, 1 + (i * 7919) % 700 * 1000, i * 13 * US));
    }
    outcome.completedPs = dc.Run(Numbered(flows));
    outcome.counters = dc.net.GetCounters();
    outcome.fingerprint = dc.net.GetFingerprint();
    Simulator::Destroy();
    return outcome;
}

} // namespace

TEST_F(MlccNetworkTest, LazyAsEager)
{
    for (const std::string law : {"Hpcc", "PowerTcp", "Dcqcn", "Timely"})
    {
        SCOPED_TRACE(law);
        SetLaw("Mlcc[InnerCc=" + law + "]");
        SetEager(true);
        const Outcome eager = RunToTheEnd();
        SetEager(false);
        const Outcome lazy = RunToTheEnd();
        EXPECT_EQ(eager.fingerprint, lazy.fingerprint);
        EXPECT_EQ(eager.completedPs, lazy.completedPs);
        EXPECT_EQ(eager.counters, lazy.counters);
        EXPECT_GT(lazy.counters.at("mlccSwitchInts"), 1000u);
        EXPECT_GT(lazy.counters.at("mlccCredits"), 10u);
    }
}
