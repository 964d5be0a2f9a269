// SPDX-License-Identifier: GPL-2.0-only
// Flows that wait for single others: when they start, and what is said of those that never do.
#include "roce-error-of.h"
#include "roce-star-run.h"

#include "ns3/roce-collective-workload.h"

#include <map>
#include <memory>
#include <utility>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// A flow with a key that waits for others.
FlowSpec
After(uint32_t key, std::vector<uint32_t> after, FlowSpec flow)
{
    auto dependencies = std::make_shared<FlowDependencies>();
    dependencies->key = key;
    dependencies->after = std::move(after);
    flow.dependencies = dependencies;
    return flow;
}

using FlowGraphTest = WaitingFlowsTest;

constexpr uint32_t SLOW = 6; // the NIC behind six others

TEST_F(FlowGraphTest, WhoGetsAFlowKnowsBeforeWhoHasSentIt)
{
    StarRun run(SLOW,
                {After(1, {}, Flow(0, 1, 100000)),
                 After(2, {1}, Flow(1, 2, 1000)),          // its source has received it
                 After(3, {1}, Flow(0, 3, 1000)),          // its source has sent it
                 After(4, {1}, Flow(4, 5, 1000, 20 * US)), // neither
                 After(5, {}, Flow(SLOW, 1, 100000)),      // 80 us
                 After(6, {1, 5}, Flow(1, 3, 1000))});     // both must have come
    ASSERT_EQ(run.collector->GetFinished(), 6u);
    EXPECT_GT(run.completedPs[0], run.receivedPs[0]);
    EXPECT_EQ(run.StartOf(1), run.receivedPs[0]) << "later than its source knows it";
    // NICs 0 and 4 are one rank, since one waits for the other.
    EXPECT_EQ(run.StartOf(2), run.completedPs[0] + US + 1) << "the delay of a link after it";
    EXPECT_EQ(run.StartOf(3), run.completedPs[0] + 20 * US);
    EXPECT_GT(run.receivedPs[4], run.receivedPs[0]);
    EXPECT_EQ(run.StartOf(5), run.receivedPs[4]);
    EXPECT_EQ(run.net.GetLastWaitedStartPs(), run.StartOf(5));
    EXPECT_EQ(run.net.DescribeWaiting(), "");
}

// Which of two NICs tells first that its flow is done depends on the number of threads.
TEST_F(FlowGraphTest, FlowsThatAreReadyAtOnceStartByTheirIds)
{
    StarRun run(SLOW,
                {After(1, {}, Flow(0, 1, 1000)),
                 After(2, {}, Flow(2, 3, 1000)),
                 After(3, {2}, Flow(4, 5, 1000)),
                 After(4, {1}, Flow(4, 5, 1000))});
    ASSERT_EQ(run.collector->GetFinished(), 4u);
    EXPECT_EQ(run.completedPs[0], run.completedPs[1]);
    EXPECT_EQ(run.StartOf(2), run.StartOf(3));
    EXPECT_LT(run.receivedPs[2], run.receivedPs[3]);
}

// What else its source receives, or sends, does not hold a flow up.
TEST_F(FlowGraphTest, OthersOfItsSourceDoNotMatter)
{
    StarRun run(SLOW,
                {After(1, {}, Flow(SLOW, 1, 1000000)), // 800 us
                 After(2, {1}, Flow(1, 2, 1000)),
                 After(3, {}, Flow(0, 1, 1000)),
                 After(4, {3}, Flow(1, 3, 1000))});
    ASSERT_EQ(run.collector->GetFinished(), 4u);
    EXPECT_GT(run.StartOf(1), 800 * US);
    EXPECT_LT(run.StartOf(3), 100 * US);
}

// A ring as a graph is the collective, to the picosecond. (With threads: cli.threads.)
TEST_F(FlowGraphTest, ARingAsAGraphIsTheCollective)
{
    CollectiveWorkload ring;
    ring.hosts = {0, 1, 2, SLOW, 3};
    ring.sizeBytes = 500000;
    const std::vector<FlowSpec> ranks = ring.Generate();
    std::map<uint32_t, std::vector<uint32_t>> received; // keys, by NIC and step
    std::map<uint32_t, uint32_t> steps;                 // so far, by NIC
    for (const FlowSpec& flow : ranks)
    {
        received[flow.dst].push_back(static_cast<uint32_t>(flow.id) + 1);
    }
    std::vector<FlowSpec> graph;
    for (FlowSpec flow : ranks)
    {
        const uint32_t step = steps[flow.src]++;
        const auto after =
            step ? std::vector<uint32_t>{received[flow.src][step - 1]} : std::vector<uint32_t>{};
        flow.job = nullptr;
        graph.push_back(After(static_cast<uint32_t>(flow.id) + 1, after, flow));
    }
    const auto starts = [](const std::vector<FlowSpec>& flows) {
        StarRun run(SLOW, flows);
        EXPECT_EQ(run.collector->GetFinished(), flows.size());
        std::vector<std::pair<int64_t, int64_t>> times;
        for (std::size_t i = 0; i < run.flows.size(); ++i)
        {
            times.emplace_back(run.StartOf(i), run.completedPs[i]);
        }
        Simulator::Destroy();
        return times;
    };
    EXPECT_EQ(starts(graph), starts(ranks));
}

// A connection is one queue pair, whoever starts its messages: the list, or a rank.
TEST_F(FlowGraphTest, AConnectionIsOneQueuePair)
{
    std::vector<FlowSpec> flows{After(1, {}, Flow(0, 1, 1000)),
                                After(2, {}, Flow(1, 0, 1000)),
                                After(3, {2}, Flow(0, 1, 1000)),
                                Flow(0, 1, 1000, 30 * US)};
    for (FlowSpec& flow : flows)
    {
        flow.connection = 5;
    }
    StarRun run(SLOW, flows);
    ASSERT_EQ(run.collector->GetFinished(), 4u);
    EXPECT_EQ(run.StartOf(2), run.receivedPs[1]);
    EXPECT_EQ(run.net.GetNic(0)->GetOpenQps(), 1u);
}

TEST_F(FlowGraphTest, WhatNeverComesIsTold)
{
    StarRun run(SLOW,
                {After(1, {}, Flow(0, 1, 1000)),
                 After(2, {}, Flow(3, 4, 1000)),
                 After(3, {1, 2}, Flow(1, 2, 1000))},
                [](Network& net) {
                    LoseFrames(net.GetNic(1),
                               [](const Frame& frame) { return frame.kind == FrameKind::DATA; });
                });
    EXPECT_EQ(run.collector->GetFinished(), 1u);
    EXPECT_EQ(run.StartOf(2), -1);
    EXPECT_EQ(run.net.DescribeWaiting(),
              "flow 2 has not started: 1 of 2 flows that it waits for are not done");
    EXPECT_TRUE(run.collector->GetStallDetector().HasStopped());
}

TEST_F(FlowGraphTest, BadGraphsAreRefused)
{
    const auto error = [](const std::vector<FlowSpec>& flows) {
        return ErrorOf([&flows] { StarRun run(SLOW, flows); });
    };
    EXPECT_EQ(error({After(1, {7}, Flow(0, 1, 1000))}),
              "flow 0 waits for key 7, which no flow has");
    EXPECT_EQ(error({After(1, {}, Flow(0, 1, 1000)),
                     After(1, {}, Flow(0, 1, 1000)),
                     After(2, {1}, Flow(0, 1, 1000))}),
              "flow 1 has the key of another one, expected each once");
    EXPECT_EQ(error({After(1, {2}, Flow(0, 1, 1000)), After(2, {1}, Flow(1, 0, 1000))}),
              "flow 0 waits for itself, by way of 1 others");
    FlowSpec both = After(1, {2}, Flow(0, 1, 1000));
    both.phase = 1;
    EXPECT_EQ(error({both, After(2, {}, Flow(0, 1, 1000))}),
              "flow 0 has a phase, and waits for single flows; expected one of them");
}

} // namespace
