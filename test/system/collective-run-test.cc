// SPDX-License-Identifier: GPL-2.0-only
// Collectives on a network: what a rank sends when, who is delayed by a slow rank and who is not,
// and what is said of those that never start.
#include "roce-star-run.h"

#include "ns3/roce-collective-workload.h"
#include "ns3/roce-iteration-table.h"
#include "ns3/roce-rank-job.h"

#include <map>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using CollectiveRunTest = WaitingFlowsTest;

constexpr uint32_t SLOW = 6; // the NIC behind six others

/// @return ids of the flows of a NIC in the order of its operations
std::map<uint32_t, std::vector<std::size_t>>
SentBy(const std::vector<FlowSpec>& flows)
{
    std::map<uint32_t, std::vector<std::size_t>> sent;
    for (const FlowSpec& flow : flows)
    {
        sent[flow.src].push_back(flow.id);
    }
    return sent;
}

TEST_F(CollectiveRunTest, ResultsDoNotDependOnWhenStationsTell)
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

TEST_F(CollectiveRunTest, ARingSendsOnWhatItHasReceived)
{
    CollectiveWorkload ring;
    ring.hosts = {0, 1, 2, SLOW, 3};
    ring.sizeBytes = 5000000;
    StarRun run(6, ring.Generate());
    ASSERT_EQ(run.flows.size(), 5u * 8);
    ASSERT_EQ(run.collector->GetFinished(), 40u);
    auto sent = SentBy(run.flows);
    for (std::size_t place = 0; place < 5; ++place)
    {
        const uint32_t host = ring.hosts[place];
        const uint32_t before = ring.hosts[(place + 4) % 5];
        EXPECT_EQ(run.StartOf(sent[host][0]), 0);
        for (std::size_t step = 1; step < 8; ++step)
        {
            EXPECT_EQ(run.StartOf(sent[host][step]), run.receivedPs[sent[before][step - 1]])
                << "step " << step << " of host " << host;
        }
    }
    // Behind the slow rank: 3 waits for its first share, 0 and 1 have sent two by then.
    const int64_t slowPs = run.receivedPs[sent[SLOW][0]];
    EXPECT_GE(run.StartOf(sent[3][1]), slowPs);
    EXPECT_LT(run.receivedPs[sent[0][1]], slowPs);
    EXPECT_LT(run.receivedPs[sent[1][1]], slowPs) << "a barrier: others wait for the slow rank";
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
    EXPECT_EQ(run.net.DescribeWaiting(), "");
}

// 2 hosts of 4 GPUs, shares of 1000 B; 80 Gbit/s inside a host: 100 ns per hop. What has come to a
// host's first GPU leaves it from the last one 3 hops later, and that one begins a round 20 us
// after it has all of the last one.
TEST_F(CollectiveRunTest, GpusOfAHostAreHopsOfTheRing)
{
    CollectiveWorkload ring;
    ring.hosts = {0, 1};
    ring.gpusPerHost = 4;
    ring.sizeBytes = 8000;
    ring.intraHostBps = 80000000000;
    ring.startPs = 5 * US;
    ring.computePs = 20 * US;
    ring.rounds = 2;
    StarRun run(6, ring.Generate());
    ASSERT_EQ(run.collector->GetFinished(), 2u * 2 * 14);
    constexpr int64_t HOP = 100 * NS;
    auto sent = SentBy(run.flows);
    const auto startOf = [&](uint32_t host, std::size_t step) {
        return run.StartOf(sent[host][step]);
    };
    for (const uint32_t host : {0U, 1U})
    {
        for (std::size_t step = 0; step < 28; ++step)
        {
            const std::size_t inRound = step % 14;
            const int64_t beginPs = step < 14 ? 5 * US
                                              : run.receivedPs[sent[1 - host][10]] + 3 * HOP +
                                                    20 * US; // after step 14, which came in step 11
            const int64_t expectedPs = inRound >= 4
                                           ? run.receivedPs[sent[1 - host][step - 4]] + 3 * HOP
                                           : beginPs + static_cast<int64_t>(inRound) * HOP;
            if (inRound == 0 || inRound >= 4 || step < 14)
            {
                EXPECT_EQ(startOf(host, step), expectedPs) << "step " << step;
            }
            else
            {
                // In the second round a GPU before it may not have begun.
                EXPECT_GE(startOf(host, step), expectedPs) << "step " << step;
            }
        }
    }
}

// Two GPUs per host: a leaf sends 90 ns after the start, when its second GPU's part is there.
TEST_F(CollectiveRunTest, ATreeReducesWithinHostsFirst)
{
    CollectiveWorkload tree;
    tree.kind = CollectiveWorkload::Kind::TREE_ALL_REDUCE;
    tree.hosts = {0, 1, 2, 3, 4};
    tree.gpusPerHost = 2;
    tree.sizeBytes = 900;
    tree.intraHostBps = 80000000000;
    StarRun run(6, tree.Generate());
    ASSERT_EQ(run.collector->GetFinished(), 8u);
    int64_t upPs = 0;
    for (const FlowSpec& flow : run.flows)
    {
        if (flow.src >= 2 && flow.dst < flow.src)
        {
            EXPECT_EQ(run.StartOf(flow.id), 90 * NS);
        }
        upPs = flow.dst == 0 ? std::max(upPs, run.receivedPs[flow.id]) : upPs;
    }
    EXPECT_EQ(run.StartOf(0), upPs) << "the root sends before it has all";
}

// With a queue pair of its own a short message overtakes a long one, and waits for its turn.
TEST_F(CollectiveRunTest, MessagesAreUsedInTheirOrder)
{
    CollectiveWorkload gather;
    gather.kind = CollectiveWorkload::Kind::ALL_GATHER;
    gather.hosts = {0, 1, 2};
    gather.sizeBytes = 3;
    std::vector<FlowSpec> flows = gather.Generate();
    for (FlowSpec& flow : flows)
    {
        flow.connection = 0;
        // Rank 0's own share is long, the one that it passes on is not.
        flow.sizeBytes = flow.src == 0 && flow.op == 0 ? 2000000 : 1000;
    }
    StarRun run(6, flows);
    auto sent = SentBy(run.flows);
    ASSERT_LT(run.receivedPs[sent[0][1]], run.receivedPs[sent[0][0]]) << "it does not overtake";
    EXPECT_EQ(run.StartOf(sent[1][1]), run.receivedPs[sent[0][0]]);
}

TEST_F(CollectiveRunTest, WhatNeverComesIsTold)
{
    CollectiveWorkload gather;
    gather.kind = CollectiveWorkload::Kind::ALL_GATHER;
    gather.hosts = {0, 1, 2};
    gather.sizeBytes = 3000;
    StarRun run(6, gather.Generate(), [](Network& net) {
        LoseFrames(net.GetNic(1), [](const Frame& frame) { return frame.kind == FrameKind::DATA; });
    });
    EXPECT_EQ(run.StartOf(SentBy(run.flows)[1][1]), -1);
    EXPECT_EQ(run.net.DescribeWaiting(),
              "rank 1 is not done: 5 of 6 operations, of which the first is at collective "
              "all-gather: rank 1, operation 1, receive from rank 0 of tag 0");
    EXPECT_TRUE(run.collector->GetStallDetector().HasStopped());
}

} // namespace
