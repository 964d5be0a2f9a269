// SPDX-License-Identifier: GPL-2.0-only
// Ranks at their NICs: what they do when a message comes, to the picosecond. Threads and processes:
// cli.threads, cli.mpi.
#include "roce-error-of.h"
#include "roce-star-run.h"

#include "ns3/roce-rank-engine.h"

#include <memory>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

RankOp
Message(RankOp::Kind kind, uint32_t peer, uint64_t bytes, uint64_t tag = 0)
{
    RankOp op;
    op.kind = kind;
    op.peer = peer;
    op.bytes = bytes;
    op.tag = tag;
    return op;
}

RankOp
Calc(int64_t ps)
{
    RankOp op;
    op.durationPs = ps;
    return op;
}

/// Each rank passes on what it gets, `rounds` times around; rank 0 begins. Before each send it
/// computes.
std::shared_ptr<RankJob>
Ring(uint32_t ranks, unsigned rounds, int64_t calcPs = 0)
{
    auto job = std::make_shared<RankJob>();
    job->program.ranks.resize(ranks);
    job->program.source = "ring";
    for (uint32_t r = 0; r < ranks; ++r)
    {
        RankSchedule& schedule = job->program.ranks[r];
        for (unsigned round = 0; round < rounds; ++round)
        {
            const uint32_t receive =
                schedule.Add(Message(RankOp::Kind::RECV, (r + ranks - 1) % ranks, 0, round));
            const uint32_t calc = schedule.Add(Calc(calcPs));
            const uint32_t send =
                schedule.Add(Message(RankOp::Kind::SEND, (r + 1) % ranks, 3000, round));
            schedule.Require(send, calc);
            if (r || round)
            {
                schedule.Require(calc, r ? receive : receive - 3);
            }
        }
    }
    job->program.Check();
    return job;
}

/// A run, and its engine, which lives as long as the network.
struct RankRun
{
    explicit RankRun(const std::shared_ptr<const RankJob>& job, uint32_t hosts = 6)
        : star(hosts,
               RankJob::MakeFlows(job, hosts),
               {},
               [](RankEngine& engine) { engine.KeepLogs(); }),
          ends(star.engine->Finish(0))
    {
    }

    StarRun star;
    std::vector<int64_t> ends;
};

struct RankEngineTest : WaitingFlowsTest
{
};

TEST_F(RankEngineTest, ARankSendsOnAtTheMomentItHasReceived)
{
    const RankRun run(Ring(3, 2));
    ASSERT_EQ(run.star.collector->GetFinished(), 6U);
    const auto& received = run.star.receivedPs;
    // By rank, then round: 0 -> 1 is flow 0, 1 -> 2 flow 2, 2 -> 0 flow 4; then 1, 3, 5.
    const std::size_t order[] = {0, 2, 4, 1, 3, 5};
    EXPECT_EQ(run.star.StartOf(0), 0);
    for (std::size_t i = 1; i < std::size(order); ++i)
    {
        EXPECT_EQ(run.star.StartOf(order[i]), received[order[i - 1]]) << "message " << i;
    }
    EXPECT_EQ(run.ends[0], received[5]);
    EXPECT_EQ(run.ends[2], run.star.completedPs[5]) << "its send is done with the last ACK";
}

// (Without any delay the ACK of what has come would go first.)
TEST_F(RankEngineTest, WhatARankComputesDelaysWhatFollowsByAsMuch)
{
    const int64_t plainPs = RankRun(Ring(3, 2, 10 * US)).ends[0];
    Simulator::Destroy();
    EXPECT_EQ(RankRun(Ring(3, 2, 70 * US)).ends[0], plainPs + 6 * 60 * US);
    Simulator::Destroy();
    auto late = Ring(3, 2, 10 * US);
    late->program.ranks[2].ops[1].durationPs += 500 * US; // once
    EXPECT_EQ(RankRun(late).ends[0], plainPs + 500 * US);
}

TEST_F(RankEngineTest, OverheadsAreOfEachSendAndEachArrival)
{
    const int64_t plainPs = RankRun(Ring(3, 2, 10 * US)).ends[0];
    Simulator::Destroy();
    auto job = Ring(3, 2, 10 * US);
    job->costs.overheadPs = 3 * US;
    EXPECT_EQ(RankRun(job).ends[0], plainPs + 2 * 6 * 3 * US);
}

// On an empty network the receiver goes on when the sender has the last ACK, though nobody says so
// to it.
TEST_F(RankEngineTest, AReceiveMayWaitForTheLastAck)
{
    auto job = Ring(3, 2);
    job->receiveAt = RankJob::ReceiveAt::LAST_ACK;
    const RankRun run(job);
    const std::size_t order[] = {0, 2, 4, 1, 3, 5};
    for (std::size_t i = 1; i < std::size(order); ++i)
    {
        EXPECT_EQ(run.star.StartOf(order[i]), run.star.completedPs[order[i - 1]])
            << "message " << i;
        EXPECT_GT(run.star.completedPs[order[i - 1]], run.star.receivedPs[order[i - 1]]);
    }
}

// A short send is done at once, a long one with its last ACK.
TEST_F(RankEngineTest, ShortSendsAreEager)
{
    for (const uint64_t eagerBytes : {3000, 2999})
    {
        auto job = std::make_shared<RankJob>();
        job->costs.eagerBytes = eagerBytes;
        job->program.ranks.resize(2);
        job->program.source = "pair";
        RankSchedule& sender = job->program.ranks[0];
        sender.Add(Message(RankOp::Kind::SEND, 1, 3000));
        sender.Add(Message(RankOp::Kind::SEND, 1, 10));
        sender.Require(1, 0);
        job->program.ranks[1].Add(Message(RankOp::Kind::RECV, 0, 3000));
        job->program.ranks[1].Add(Message(RankOp::Kind::RECV, 0, 10));
        const RankRun run(job);
        EXPECT_EQ(run.star.StartOf(1), eagerBytes == 3000 ? 0 : run.star.completedPs[0]);
        Simulator::Destroy();
    }
}

// Two ranks wait for each other; a third one is done. After the run it computes what is left,
// without the network.
TEST_F(RankEngineTest, WhatNeverComesIsSaid)
{
    auto job = std::make_shared<RankJob>();
    job->program.source = "dead";
    job->program.ranks.resize(3);
    for (const uint32_t r : {0U, 1U})
    {
        RankSchedule& schedule = job->program.ranks[r];
        schedule.Add(Message(RankOp::Kind::RECV, 1 - r, 5));
        schedule.Add(Message(RankOp::Kind::SEND, 1 - r, 5));
        schedule.Require(1, 0);
    }
    job->program.ranks[2].Add(Message(RankOp::Kind::SEND, 1, 5, 9));
    job->program.ranks[1].Add(Message(RankOp::Kind::RECV, 2, 5, 9));
    const RankRun run(job);
    EXPECT_EQ(
        run.star.net.DescribeWaiting(),
        "rank 0 is not done: 2 of 2 operations, of which the first is at dead: rank 0, operation "
        "0, receive from rank 1 of tag 0");
    const StallDetector& stall = run.star.collector->GetStallDetector();
    EXPECT_TRUE(stall.HasStopped()) << "the run goes on to the safety limit";
    EXPECT_EQ(stall.GetReports(), std::vector<std::string>{run.star.net.DescribeWaiting()});
    EXPECT_EQ(run.ends[0], -1);
    EXPECT_EQ(run.ends[2], run.star.completedPs[2]);
    EXPECT_EQ(run.star.StartOf(0), -1);
    const std::vector<RankOpTimes>& log = run.star.engine->GetLog(0)->ranks[0];
    EXPECT_EQ(log[0].startPs, 0) << "the receive is posted";
    EXPECT_EQ(log[0].endPs, -1);
    EXPECT_EQ(log[1].startPs, -1) << "the send has not begun";
}

// Each rank's operations are a receive, a calculation of 10 us and a send, twice.
TEST_F(RankEngineTest, TheLogHasWhenEachOperationBeganAndWasDone)
{
    const RankRun run(Ring(3, 2, 10 * US));
    const RankLog& log = *run.star.engine->GetLog(0);
    for (uint32_t flow = 0; flow < 6; ++flow)
    {
        const uint32_t rank = flow / 2;
        const RankOpTimes* const ops = &log.ranks[rank][3 * (flow % 2)];
        const uint32_t got = (flow + 4) % 6; // of the rank before, in the same round
        // Rank 0 computes before it comes to its second receive; others wait for messages.
        EXPECT_EQ(ops[0].startPs, flow == 1 ? 10 * US : 0) << "receive of flow " << got;
        EXPECT_EQ(ops[0].endPs, run.star.receivedPs[got]) << "receive of flow " << got;
        EXPECT_EQ(ops[0].from, got / 2) << "receive of flow " << got;
        EXPECT_EQ(ops[0].send, 3 * (got % 2) + 2) << "receive of flow " << got;
        EXPECT_EQ(ops[1].endPs, ops[1].startPs + 10 * US) << "calculation before flow " << flow;
        EXPECT_EQ(ops[2].startPs, ops[1].endPs) << "flow " << flow;
        EXPECT_EQ(ops[2].startPs, run.star.StartOf(flow)) << "flow " << flow;
        EXPECT_EQ(ops[2].endPs, run.star.completedPs[flow]) << "flow " << flow;
        EXPECT_EQ(ops[2].from, RankOp::ANY_RANK) << "a send gets nothing";
    }
}

TEST_F(RankEngineTest, TheLastCalculationNeedsNoNetwork)
{
    auto job = Ring(2, 1);
    RankSchedule& last = job->program.ranks[1];
    last.Require(last.Add(Calc(1000000 * US)), 2);
    const RankRun run(job);
    EXPECT_EQ(run.ends[1], run.star.completedPs[1] + 1000000 * US);
    EXPECT_LT(Simulator::Now(), MilliSeconds(1)) << "the run has waited for it";
}

// Rank 0 gets a message at its second NIC and answers at its first one: a link's delay and 1 ps
// later.
TEST_F(RankEngineTest, ARankWithSeveralNicsGoesOnABitLater)
{
    auto job = std::make_shared<RankJob>();
    job->program.source = "nics";
    job->program.ranks.resize(2);
    for (const uint32_t r : {0U, 1U})
    {
        RankSchedule& schedule = job->program.ranks[r];
        RankOp first = Message(r ? RankOp::Kind::SEND : RankOp::Kind::RECV, 1 - r, 5000, 1);
        first.nic = 1;
        schedule.Add(first);
        schedule.Add(Message(r ? RankOp::Kind::RECV : RankOp::Kind::SEND, 1 - r, 3000, 2));
        schedule.Require(1, 0);
    }
    const RankRun run(job);
    ASSERT_EQ(run.star.collector->GetFinished(), 2U);
    // Flow 0 is rank 0's, from NIC 0 to 2; flow 1 rank 1's, from NIC 3 to 1.
    EXPECT_EQ(run.star.flows[0].src, 0U);
    EXPECT_EQ(run.star.flows[0].dst, 2U);
    EXPECT_EQ(run.star.flows[1].src, 3U);
    EXPECT_EQ(run.star.flows[1].dst, 1U);
    EXPECT_EQ(run.star.StartOf(1), 0);
    EXPECT_EQ(run.star.StartOf(0), run.star.receivedPs[1] + US + 1);
    EXPECT_EQ(run.ends[0], run.star.completedPs[0]);
    EXPECT_EQ(run.ends[1], run.star.receivedPs[0]);
    // What it computes in between counts from when the message had come.
    Simulator::Destroy();
    RankSchedule& answers = job->program.ranks[0];
    answers.ops.push_back(answers.ops[1]);
    answers.ops[1] = Calc(20 * US);
    answers.edges = {{1, 0, false}, {2, 1, false}};
    const RankRun later(job);
    EXPECT_EQ(later.star.StartOf(0), later.star.receivedPs[1] + 20 * US);
}

// Ranks 0 and 1 are at NIC 0, rank 2 at NIC 1, rank 3 has no NIC. 1 -> 0 is within the host, at 8
// Gbit/s 1 ns a byte, and each message for itself; 0 -> 2 and 1 -> 2 are on one connection.
TEST_F(RankEngineTest, MessagesWithinAHostTakeTheirTime)
{
    auto job = std::make_shared<RankJob>();
    job->program.source = "inside";
    job->program.ranks.resize(4);
    job->nics = {0, 0, 1, 2};
    job->insideBps = 8000000000;
    RankSchedule& zero = job->program.ranks[0];
    for (const uint64_t tag : {1, 2})
    {
        const uint32_t received = zero.Add(Message(RankOp::Kind::RECV, 1, 0, tag));
        zero.Require(zero.Add(Message(RankOp::Kind::SEND, 2, 1000, tag)), received);
    }
    RankSchedule& one = job->program.ranks[1];
    one.Add(Message(RankOp::Kind::SEND, 0, 7000, 1));
    const uint32_t second = one.Add(Message(RankOp::Kind::SEND, 0, 5000, 2));
    one.Require(one.Add(Message(RankOp::Kind::SEND, 2, 2000, 3)), second);
    for (const uint64_t tag : {1, 2, 3})
    {
        job->program.ranks[2].Add(Message(RankOp::Kind::RECV, tag == 3 ? 1 : 0, 0, tag));
    }
    job->program.ranks[3].Add(Calc(9 * US));
    job->program.Check();
    const RankRun run(job);
    ASSERT_EQ(run.star.flows.size(), 3U) << "messages within a host are flows";
    EXPECT_EQ(run.star.StartOf(0), 7 * US);
    EXPECT_EQ(run.star.StartOf(1), 5 * US) << "waits for the other message";
    EXPECT_EQ(run.star.StartOf(2), 5 * US) << "a send is not done when its message is there";
    EXPECT_EQ(run.star.net.GetNic(0)->GetOpenQps(), 1U)
        << "ranks do not share their NIC's connection";
    EXPECT_EQ(run.ends[3], 9 * US);
}

// Rank 0 has two NICs, so rank 1, which sends to it within its host, is outside, too.
TEST_F(RankEngineTest, RanksOfAHostAreTogether)
{
    auto job = std::make_shared<RankJob>();
    job->program.source = "together";
    job->program.ranks.resize(3);
    job->nics = {0, 1, 0, 5, 2, 3};
    RankSchedule& zero = job->program.ranks[0];
    const uint32_t inside = zero.Add(Message(RankOp::Kind::RECV, 1, 0));
    for (const uint16_t nic : {0, 1})
    {
        RankOp send = Message(RankOp::Kind::SEND, 2, 1000, nic);
        send.nic = nic;
        zero.Require(zero.Add(send), inside);
        send.kind = RankOp::Kind::RECV;
        send.peer = 0;
        job->program.ranks[2].Add(send);
    }
    RankSchedule& one = job->program.ranks[1];
    const uint32_t calc = one.Add(Calc(3 * US));
    one.Require(one.Add(Message(RankOp::Kind::SEND, 0, 9)), calc);
    const RankRun run(job);
    ASSERT_EQ(run.star.flows.size(), 2U);
    EXPECT_EQ(run.star.StartOf(0), 3 * US);
    EXPECT_EQ(run.star.StartOf(1), 3 * US);
    EXPECT_EQ(run.ends[1], 3 * US);
}

TEST_F(RankEngineTest, WhatDoesNotFitIsRefused)
{
    const auto job = Ring(3, 1);
    ExpectRefused([&] { RankJob::MakeFlows(job, 2); },
                  "ring: 3 ranks of 1 NICs each, and the network has 2 NICs");
    auto second = Ring(3, 1);
    second->program.ranks[1].ops[2].nic = 1;
    ExpectRefused([&] { RankJob::MakeFlows(second, 5); }, "ring: 3 ranks of 2 NICs each, and");
    EXPECT_EQ(RankJob::MakeFlows(second, 6)[1].src, 3U);
    auto silent = std::make_shared<RankJob>();
    silent->program.source = "silent";
    silent->program.ranks.resize(1);
    ExpectRefused([&] { RankJob::MakeFlows(silent, 1); }, "silent: no rank sends anything");
    Network net;
    MakeStar(net, 4);
    net.Build();
    ExpectRefused([&] { net.InstallFlows(RankJob::MakeFlows(job, 4)); },
                  "flow 0 waits for others, or is sent by a rank, and no RankEngine");
}

} // namespace
