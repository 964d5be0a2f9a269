// SPDX-License-Identifier: GPL-2.0-only
// Programs of ranks without packets: dependencies, what a CPU does next, which message a
// receive gets, and what LogGP's messages take.
#include "roce-error-of.h"
#include "roce-test-time.h"

#include "ns3/roce-log-gp.h"
#include "ns3/roce-rank-runner.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr int64_t NS = 1000; // ps

RankOp
Calc(int64_t ns, uint16_t stream = 0)
{
    RankOp op;
    op.durationPs = ns * NS;
    op.stream = stream;
    return op;
}

RankOp
Send(uint32_t to, uint64_t bytes, uint64_t tag = 0)
{
    RankOp op;
    op.kind = RankOp::Kind::SEND;
    op.peer = to;
    op.bytes = bytes;
    op.tag = tag;
    return op;
}

RankOp
Receive(uint32_t from, uint64_t tag = 0)
{
    RankOp op = Send(from, 0, tag);
    op.kind = RankOp::Kind::RECV;
    return op;
}

/// Operations, each after the one before it.
RankSchedule
InOrder(const std::vector<RankOp>& ops)
{
    RankSchedule schedule;
    for (const RankOp& op : ops)
    {
        const uint32_t number = schedule.Add(op);
        if (number)
        {
            schedule.Require(number, number - 1);
        }
    }
    return schedule;
}

RankSchedule
AtOnce(const std::vector<RankOp>& ops)
{
    return {ops, {}};
}

// --- LogGP

/// @return ends in nanoseconds, with L = 100, g and o as given, G = 2, S in bytes
std::vector<int64_t>
Ends(std::vector<RankSchedule> ranks, int64_t o, int64_t g, uint64_t eager)
{
    RankProgram program;
    program.ranks = std::move(ranks);
    program.source = "test";
    program.Check();
    RankCosts costs;
    costs.overheadPs = o * NS;
    costs.eagerBytes = eager;
    costs.ideal = LogGpParams{100 * NS, g * NS, 2 * NS};
    std::vector<int64_t> ends = LogGp::Run(program, costs);
    for (int64_t& end : ends)
    {
        end = end < 0 ? end : end / NS;
    }
    return ends;
}

constexpr uint64_t ALL = 1000000;
using Times = std::vector<int64_t>;

TEST(LogGpTest, AMessageTakesOverheadsLatencyAndItsBytes)
{
    // o, L, and o and (s - 1) G at the receiver.
    EXPECT_EQ(Ends({AtOnce({Send(1, 51)}), AtOnce({Receive(0)})}, 10, 0, ALL),
              (Times{10, 10 + 100 + 10 + 100}));
    EXPECT_EQ(Ends({AtOnce({Send(1, 51)}), AtOnce({Receive(0)})}, 10, 0, 50), (Times{110, 220}))
        << "above S the sender is done when the message meets its receive";
    EXPECT_EQ(Ends({AtOnce({Send(1, 0)}), AtOnce({Receive(0)})}, 0, 0, ALL), (Times{0, 100}));
}

TEST(LogGpTest, AnEndOfANicTakesOneMessageAfterTheOther)
{
    // The second begins when the bytes of the first have left, and g after its begin.
    EXPECT_EQ(
        Ends({AtOnce({Send(1, 51), Send(1, 51)}), AtOnce({Receive(0), Receive(0)})}, 0, 0, ALL),
        (Times{100, 100 + 100 + 100}));
    EXPECT_EQ(
        Ends({AtOnce({Send(1, 1), Send(1, 1)}), AtOnce({Receive(0), Receive(0)})}, 0, 30, ALL),
        (Times{30, 130}));
    // Two senders: the receiver's CPU takes in one after the other.
    EXPECT_EQ(Ends({AtOnce({Receive(1), Receive(2)}), AtOnce({Send(0, 51)}), AtOnce({Send(0, 51)})},
                   0,
                   0,
                   ALL)[0],
              100 + 100 + 100);
    // Meanwhile it computes nothing.
    EXPECT_EQ(Ends({AtOnce({Receive(1), Calc(105), Calc(7)}), AtOnce({Send(0, 51)})}, 0, 0, ALL)[0],
              105 + 7 + 100);
}

TEST(LogGpTest, ParametersAreRead)
{
    const LogGpParams params = LogGp::Parse("2us,5ns,0.04ns");
    EXPECT_EQ(params.latencyPs, 2000 * NS);
    EXPECT_EQ(params.gapPs, 5 * NS);
    EXPECT_EQ(params.bytePs, 40);
    for (const char* bad :
         {"", "1us", "1us,2ns", "1us,2ns,9ns", "1,2,3", "-1ns,0,0", "1us,2ns,1ns,0"})
    {
        ExpectRefused([&] { LogGp::Parse(bad); },
                      "LogGP parameters '" + std::string(bad) + "', ",
                      bad);
    }
}

// --- one rank on any network

/// A rank whose messages go nowhere, until the test says that one comes.
class OneRank : public RankNetwork
{
  public:
    /// @param others what they send to rank 0
    OneRank(RankSchedule schedule, std::vector<RankSchedule> others, int64_t overheadNs = 0)
    {
        program.ranks = std::move(others);
        program.ranks.insert(program.ranks.begin(), std::move(schedule));
        program.source = "test";
        RankCosts costs;
        costs.overheadPs = overheadNs * NS;
        runner = std::make_unique<RankRunner>(program, 0, costs, *this);
    }

    void RunTo(int64_t ns)
    {
        while (runner->GetFirst().first <= ns * NS)
        {
            runner->RunFirst();
        }
    }

    /// A message comes. @param op number of the send
    void Bring(uint32_t from, uint32_t op, int64_t ns)
    {
        RunTo(ns - 1);
        runner->Arrive(from, op, ns * NS);
        RunTo(ns);
    }

    RankProgram program;
    std::unique_ptr<RankRunner> runner;
    std::vector<std::pair<uint32_t, int64_t>> sent; //!< operation, and when it began, ns

  private:
    void Send(uint32_t, uint32_t op, int64_t atPs) override
    {
        sent.emplace_back(op, atPs / NS);
    }

    void OnMatched(uint32_t, uint32_t, int64_t) override
    {
    }

    uint64_t MakeNumber() override
    {
        return m_number++;
    }

    uint64_t m_number{uint64_t{1} << 32};
};

using Sent = std::vector<std::pair<uint32_t, int64_t>>;

TEST(RankRunnerTest, AnOperationStartsAfterWhatItWaitsFor)
{
    RankSchedule schedule = AtOnce({Calc(50), Calc(20, 1), Send(1, 1), Send(1, 1), Send(1, 1)});
    schedule.Require(2, 0);
    schedule.Require(2, 1);
    schedule.RequireStarted(3, 0);
    schedule.Require(4, 1);
    schedule.ops[3].stream = schedule.ops[4].stream = 2;
    OneRank rank(schedule, {{}});
    rank.RunTo(1000);
    EXPECT_EQ(rank.sent, (Sent{{3, 0}, {4, 20}, {2, 50}}));
    EXPECT_FALSE(rank.runner->IsDone());
    EXPECT_EQ(rank.runner->Describe(),
              "rank 0 is not done: 3 of 5 operations, of which the first is at test: rank 0, "
              "operation 0, send to rank 1 of tag 0");
    for (const uint32_t op : {2, 3, 4})
    {
        rank.runner->OnSent(op, 2000 * NS);
    }
    EXPECT_TRUE(rank.runner->IsDone());
    EXPECT_EQ(rank.runner->GetEndPs(), 2000 * NS);
    EXPECT_EQ(rank.runner->Describe(), "");
}

// What has waited longer does not go first: it may have come too early.
TEST(RankRunnerTest, AFreeCpuTakesTheLowestNumber)
{
    RankSchedule schedule =
        AtOnce({Calc(100), Receive(1, 1), Receive(1, 2), Send(1, 1), Send(1, 1)});
    schedule.Require(1, 0); // the first receive is posted late, though its message is there
    schedule.Require(3, 1);
    schedule.Require(4, 2);
    OneRank rank(schedule, {AtOnce({Send(0, 1, 1), Send(0, 1, 2)})}, 0);
    rank.Bring(1, 0, 10);
    rank.Bring(1, 1, 20);
    rank.RunTo(1000);
    EXPECT_EQ(rank.sent, (Sent{{3, 100}, {4, 100}}));
}

TEST(RankRunnerTest, EachMessageTakesTheCpuItsOverhead)
{
    OneRank rank(InOrder({Receive(1), Receive(1), Send(1, 1)}),
                 {AtOnce({Send(0, 1), Send(0, 1)})},
                 30);
    rank.Bring(1, 0, 100);
    rank.Bring(1, 1, 110);
    rank.RunTo(1000);
    EXPECT_EQ(rank.sent, (Sent{{2, 160}}));
}

TEST(RankRunnerTest, MessagesMeetTheReceiveThatWasPostedFirst)
{
    // From any, of any tag, and both; each then sends, which shows whose message it was.
    RankSchedule schedule = AtOnce({Receive(RankOp::ANY_RANK, 5),
                                    Receive(1, RankOp::ANY_TAG),
                                    Receive(RankOp::ANY_RANK, RankOp::ANY_TAG),
                                    Receive(1, 5)});
    for (uint32_t op = 0; op < 4; ++op)
    {
        const uint32_t send = schedule.Add(Send(2, 1));
        schedule.Require(send, op);
    }
    OneRank rank(schedule,
                 {AtOnce({Send(0, 1, 5), Send(0, 1, 6), Send(0, 1, 5)}), AtOnce({Send(0, 1, 6)})});
    rank.Bring(2, 0, 10); // of 2 and tag 6: only the third takes it
    rank.Bring(1, 0, 20); // of 1 and tag 5: all do, the first was posted first
    rank.Bring(1, 2, 30);
    rank.Bring(1, 1, 40); // of 1 and tag 6: not the last one
    EXPECT_EQ(rank.sent, (Sent{{6, 10}, {4, 20}, {5, 30}}));
    EXPECT_NE(rank.runner->Describe().find("receive from rank 1 of tag 5"), std::string::npos)
        << rank.runner->Describe();
}

TEST(RankRunnerTest, MessagesThatComeEarlyWaitInTheirOrder)
{
    // All come while it computes: the one from any gets the first, that of the other tag its own.
    RankSchedule schedule = InOrder({Calc(100),
                                     Receive(RankOp::ANY_RANK, RankOp::ANY_TAG),
                                     Send(2, 1),
                                     Receive(1, 9),
                                     Send(2, 1),
                                     Receive(1, 5),
                                     Send(2, 1)});
    OneRank rank(schedule, {AtOnce({Send(0, 1, 5), Send(0, 1, 5), Send(0, 1, 9)}), {}});
    rank.Bring(1, 0, 10);
    rank.Bring(1, 1, 20);
    rank.RunTo(200);
    EXPECT_EQ(rank.sent, (Sent{{2, 100}})) << "the sends are done only with their ACKs";
    rank.runner->OnSent(2, 200 * NS);
    rank.RunTo(250);
    EXPECT_EQ(rank.sent.size(), 1U) << "the message of tag 9 is not there";
    rank.Bring(1, 2, 300);
    EXPECT_EQ(rank.sent, (Sent{{2, 100}, {4, 300}}));
    rank.runner->OnSent(4, 400 * NS);
    rank.RunTo(400);
    EXPECT_EQ(rank.sent, (Sent{{2, 100}, {4, 300}, {6, 400}}));
}

// One communication at a time: the stream is taken until the last piece of the first one is done.
TEST(RankRunnerTest, AStreamMayBeHeld)
{
    RankOp begin = Calc(0, 3);
    begin.holdsUntil = 3;
    RankOp piece = Send(1, 1);
    piece.stream = RankOp::NO_STREAM;
    RankOp arrival = Receive(1);
    arrival.stream = RankOp::NO_STREAM;
    RankOp end = Calc(0);
    end.stream = RankOp::NO_STREAM;
    RankOp next = Receive(1);
    next.stream = 3;
    next.holdsUntil = 4; // itself
    RankOp last = Send(1, 1);
    last.stream = 3;
    RankSchedule schedule = AtOnce({begin, piece, arrival, end, next, last});
    for (const uint32_t op : {1, 2})
    {
        schedule.Require(op, 0);
        schedule.Require(3, op);
    }
    // With overheads: the messages' CPU is free though the stream is held.
    OneRank rank(schedule, {AtOnce({Send(0, 1), Send(0, 1)})}, 5);
    rank.Bring(1, 0, 100);
    EXPECT_EQ(rank.sent, (Sent{{1, 0}}));
    rank.runner->OnSent(1, 200 * NS);
    rank.RunTo(250);
    EXPECT_EQ(rank.sent.size(), 1U) << "the receive holds the stream now";
    rank.Bring(1, 1, 300);
    rank.RunTo(400);
    EXPECT_EQ(rank.sent, (Sent{{1, 0}, {5, 305}}));
}

} // namespace
