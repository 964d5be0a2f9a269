// SPDX-License-Identifier: GPL-2.0-only
// Flows that wait for what their own sender receives: when they start, who is delayed by a slow
// rank and who is not, and what is said of those that never start.
#include "roce-error-of.h"
#include "roce-star-run.h"

#include "ns3/roce-collective-workload.h"
#include "ns3/roce-iteration-table.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

FlowSpec
InStep(uint32_t step, uint32_t after, FlowSpec flow)
{
    flow.step = step;
    flow.after = after;
    return flow;
}

using FlowStepsTest = WaitingFlowsTest;

constexpr uint32_t SLOW = 6; // the NIC behind six others

TEST_F(FlowStepsTest, ASlowRankDelaysOnlyWhoNeedsWhatItSends)
{
    StarRun run(6,
                {InStep(1, 0, Flow(SLOW, 1, 1000000)), // 800 us
                 InStep(1, 0, Flow(3, 4, 1000)),
                 InStep(2, 1, Flow(1, 2, 1000)),
                 InStep(2, 1, Flow(4, 5, 1000)),
                 InStep(3, 2, Flow(5, 3, 1000, 7 * US))});
    ASSERT_EQ(run.collector->GetFinished(), 5u);
    EXPECT_GT(run.receivedPs[0], 800 * US);
    // No sooner than the delay of the link after it has received, or as late as asked for.
    EXPECT_EQ(run.StartOf(2), run.receivedPs[0] + US);
    EXPECT_EQ(run.StartOf(3), run.receivedPs[1] + US);
    EXPECT_EQ(run.StartOf(4), run.receivedPs[3] + 7 * US);
    EXPECT_LT(run.receivedPs[4], 100 * US) << "a barrier: the other ranks wait for the slow one";
    EXPECT_EQ(run.net.GetLastWaitedStartPs(), run.StartOf(2));
    EXPECT_EQ(run.net.DescribeWaiting(), "");
}

// Several messages of a step, steps out of order, steps that a rank does not receive.
TEST_F(FlowStepsTest, AllThatCountsMustHaveCome)
{
    StarRun run(6,
                {InStep(1, 0, Flow(SLOW, 1, 100000)),
                 InStep(1, 0, Flow(0, 1, 100000)),
                 InStep(2, 0, Flow(2, 1, 1000)), // is there first
                 InStep(0, 1, Flow(1, 3, 1000)),
                 InStep(0, 2, Flow(1, 3, 1000)),
                 InStep(9, 0, Flow(0, 1, 1000, 400 * US)),
                 InStep(0, 8, Flow(1, 3, 1000)), // nothing more comes up to 8
                 InStep(0, 9, Flow(1, 3, 1000)),
                 InStep(0, 10, Flow(1, 3, 1000))});
    ASSERT_EQ(run.collector->GetFinished(), 9u);
    EXPECT_GT(run.receivedPs[0], run.receivedPs[1]);
    EXPECT_GT(run.receivedPs[1], run.receivedPs[2]);
    EXPECT_EQ(run.StartOf(3), run.receivedPs[0] + US);
    EXPECT_EQ(run.StartOf(4), run.receivedPs[0] + US);
    EXPECT_EQ(run.StartOf(6), run.receivedPs[0] + US);
    EXPECT_EQ(run.StartOf(7), run.receivedPs[5] + US);
    EXPECT_EQ(run.StartOf(8), run.receivedPs[5] + US);
}

// A rank that is not ready to begin does not pass on what it gets either.
TEST_F(FlowStepsTest, FlowsOfARankStartInTheirOrder)
{
    StarRun run(3,
                {InStep(1, 0, Flow(0, 1, 1000)),
                 InStep(1, 0, Flow(1, 2, 1000, 300 * US)),
                 InStep(2, 1, Flow(1, 2, 1000))});
    EXPECT_LT(run.receivedPs[0], 10 * US);
    EXPECT_EQ(run.StartOf(2), 300 * US);
}

TEST_F(FlowStepsTest, ResultsDoNotDependOnWhenStationsTell)
{
    CollectiveWorkload ring;
    ring.hosts = {0, 1, 2, 3, SLOW, 4, 5};
    ring.sizeBytes = 700000;
    ring.rounds = 2;
    std::vector<std::vector<int64_t>> starts;
    for (const bool eager : {false, true})
    {
        Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
        Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
        StarRun run(6, ring.Generate());
        EXPECT_EQ(run.collector->GetFinished(), run.flows.size());
        starts.emplace_back();
        for (std::size_t i = 0; i < run.flows.size(); ++i)
        {
            starts.back().push_back(run.StartOf(i));
        }
        Simulator::Destroy();
    }
    EXPECT_EQ(starts[0], starts[1]);
}

TEST_F(FlowStepsTest, ARingSendsOnWhatItHasReceived)
{
    CollectiveWorkload ring;
    ring.hosts = {0, 1, 2, SLOW, 3};
    ring.sizeBytes = 5000000;
    StarRun run(6, ring.Generate());
    ASSERT_EQ(run.flows.size(), 5u * 8);
    ASSERT_EQ(run.collector->GetFinished(), 40u);
    const auto find = [&run](uint32_t step, uint32_t src) {
        std::size_t i = 0;
        while (run.flows[i].step != step || run.flows[i].src != src)
        {
            ++i;
        }
        return i;
    };
    const auto before = [&ring](uint32_t host) {
        const auto place = std::find(ring.hosts.begin(), ring.hosts.end(), host);
        return place == ring.hosts.begin() ? ring.hosts.back() : *(place - 1);
    };
    for (uint32_t step = 2; step <= 8; ++step)
    {
        for (const uint32_t host : ring.hosts)
        {
            EXPECT_EQ(run.StartOf(find(step, host)),
                      run.receivedPs[find(step - 1, before(host))] + US)
                << "step " << step << " of host " << host;
        }
    }
    // Behind the slow rank: 3 waits for its first share, 0 and 1 have sent two by then.
    const int64_t slowPs = run.receivedPs[find(1, SLOW)];
    EXPECT_GT(run.StartOf(find(2, 3)), slowPs);
    EXPECT_LT(run.receivedPs[find(2, 0)], slowPs);
    EXPECT_LT(run.receivedPs[find(2, 1)], slowPs);
    // Bound: the slow NIC takes 8 MB at 10 Gbit/s.
    const IterationTable table(run.net, run.records);
    ASSERT_EQ(table.GetRows().size(), 1u);
    const IterationTable::Row& row = table.GetRows()[0];
    EXPECT_EQ(row.flows, 40u);
    EXPECT_EQ(row.bytes, 40000000u);
    EXPECT_EQ(row.startPs, 0);
    const int64_t rttPs = run.net.GetPath(0, SLOW, 0).baseRttPs;
    EXPECT_GE(row.idealPs, 6400 * US + rttPs);
    EXPECT_LT(row.idealPs, 6401 * US + 2 * rttPs);
    EXPECT_GT(row.endPs, row.idealPs);
}

TEST_F(FlowStepsTest, WhatNeverComesIsTold)
{
    StarRun run(3,
                {InStep(1, 0, Flow(0, 1, 1000)), InStep(2, 1, Flow(1, 2, 1000))},
                [](Network& net) {
                    LoseFrames(net.GetNic(1),
                               [](const Frame& frame) { return frame.kind == FrameKind::DATA; });
                });
    EXPECT_EQ(run.collector->GetFinished(), 0u);
    EXPECT_EQ(run.StartOf(1), -1);
    EXPECT_EQ(run.net.DescribeWaiting(), "NIC 1 waits for step 1: 1 of 1 flows to it are not done");
    EXPECT_TRUE(run.collector->GetStallDetector().HasStopped());
}

TEST_F(FlowStepsTest, BadInputIsRefused)
{
    const auto error = [](const std::vector<FlowSpec>& flows) {
        return ErrorOf([&flows] { StarRun(3, flows); });
    };
    EXPECT_EQ(error({InStep(2, 0, Flow(0, 1, 1000)), InStep(0, 1, Flow(1, 2, 1000))}),
              "flow 1 waits for steps up to 1, but NIC 1 receives none of them; expected a step of "
              "a flow that goes there, or 0");
    FlowSpec both = InStep(1, 0, Flow(0, 1, 1000));
    both.phase = 1;
    EXPECT_EQ(error({both}), "flow 0 has a phase and a step, expected one of them");
    EXPECT_EQ(error({InStep(1, 0, Flow(0, 9, 1000))}),
              "flow 0: NIC 9 does not exist, expected 0 to 3");
}

} // namespace
