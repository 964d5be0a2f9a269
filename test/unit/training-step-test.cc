// SPDX-License-Identifier: GPL-2.0-only
// A training step: order, messages, bytes and times, by hand.
#include "roce-error-of.h"
#include "roce-program-run.h"

#include "ns3/roce-log-gp.h"
#include "ns3/roce-training-step.h"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr int64_t US = 1000000;

/// Two of each, four layers: activations have 2 16 8 elements of 2 bytes, 512 bytes.
TrainingStep
Small()
{
    TrainingStep step;
    step.tensor = step.pipeline = step.data = 2;
    step.layers = 4;
    step.microBatches = 3;
    step.hidden = 8;
    step.sequence = 16;
    step.microBatch = 2;
    step.flops = 1e9;
    return step;
}

/// No group but the pipeline; a forward pass takes 1 us, a backward pass 2 us.
TrainingStep
Pipeline(uint32_t stages, uint32_t microBatches)
{
    TrainingStep step;
    step.pipeline = step.layers = stages;
    step.microBatches = microBatches;
    step.forwardPs = US;
    return step;
}

/// @return passes of a rank: "F1 B1" of micro-batch 1
std::string
PassesOf(const RankProgram& program, uint32_t rank)
{
    std::string all;
    for (const RankOp& op : program.ranks[rank].ops)
    {
        if (op.kind == RankOp::Kind::CALC && op.durationPs > 0)
        {
            const std::string& name = program.parts[op.part].name;
            all += (all.empty() ? "" : " ") + std::string(name[0] == 'f' ? "F" : "B") +
                   name.substr(name.rfind(' ') + 1);
        }
    }
    return all;
}

/// @return messages and bytes that a rank sends to each other one
std::map<uint32_t, std::pair<int, uint64_t>>
SentBy(const RankProgram& program, uint32_t rank)
{
    std::map<uint32_t, std::pair<int, uint64_t>> sent;
    for (const RankOp& op : program.ranks[rank].ops)
    {
        if (op.kind == RankOp::Kind::SEND)
        {
            ++sent[op.peer].first;
            sent[op.peer].second += op.bytes;
        }
    }
    return sent;
}

using Sent = std::map<uint32_t, std::pair<int, uint64_t>>;

/// @return when ranks are done if a byte takes so long and nothing else does
std::vector<int64_t>
EndsAt(const RankProgram& program, int64_t bytePs)
{
    RankCosts costs;
    costs.ideal = LogGpParams{0, 0, bytePs};
    return LogGp::Run(program, costs);
}

TEST(TrainingStepTest, OneForwardOneBackward)
{
    const RankProgram program = Pipeline(4, 8).Generate();
    EXPECT_EQ(PassesOf(program, 0), "F1 F2 F3 F4 B1 F5 B2 F6 B3 F7 B4 F8 B5 B6 B7 B8");
    EXPECT_EQ(PassesOf(program, 2), "F1 F2 B1 F3 B2 F4 B3 F5 B4 F6 B5 F7 B6 F8 B7 B8");
    EXPECT_EQ(PassesOf(program, 3), "F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7 F8 B8");
    EXPECT_EQ(PassesOf(Pipeline(4, 2).Generate(), 0), "F1 F2 B1 B2") << "fewer than stages";
    EXPECT_EQ(PassesOf(Pipeline(1, 2).Generate(), 0), "F1 B1 F2 B2");
}

// Narayanan et al.: the bubble is (p - 1) (forward + backward).
TEST(TrainingStepTest, TheBubbleOfThePipeline)
{
    const std::vector<int64_t> ends = EndsAt(Pipeline(4, 8).Generate(), 0);
    EXPECT_EQ(ends, (std::vector<int64_t>{33 * US, 31 * US, 29 * US, 27 * US}));
}

TEST(TrainingStepTest, MessagesAndBytesOfEachGroup)
{
    // Rank t + 2 (d + 2 p). With its tensor neighbour two layers, three micro-batches and four
    // all-reduces, each a share of 256 bytes out and one back. Gradients: 12 64 2 / 2 bytes for
    // each of two layers.
    const RankProgram program = Small().Generate();
    EXPECT_EQ(SentBy(program, 0), (Sent{{1, {48, 12288}}, {2, {2, 1536}}, {4, {3, 1536}}}));
    EXPECT_EQ(SentBy(program, 7), (Sent{{6, {48, 12288}}, {5, {2, 1536}}, {3, {3, 1536}}}));

    TrainingStep split = Small();
    split.sequenceParallel = true;
    split.zero = true;
    EXPECT_EQ(SentBy(split.Generate(), 0), (Sent{{1, {48, 12288}}, {2, {2, 1536}}, {4, {3, 768}}}));

    TrainingStep levels = Small();
    levels.tensor = 4;
    levels.tensorLevels = CollectiveProgram::ParseLevels("2:ring,2:ring");
    // Half to one neighbour, a quarter to the other one, and both back.
    EXPECT_EQ(SentBy(levels.Generate(), 0),
              (Sent{{1, {48, 12288}}, {2, {48, 6144}}, {4, {2, 768}}, {8, {3, 1536}}}));
}

TEST(TrainingStepTest, ExpertsInEverySecondLayer)
{
    TrainingStep step = Small();
    step.tensor = step.pipeline = 1;
    step.layers = 2;
    step.microBatches = 1;
    step.data = 4;
    step.expert = 2;
    step.expertEvery = 2;
    // Four all-to-alls of 512 bytes with rank 1; a ring of 4 for 12 64 2 + 4 64 2 bytes; and with
    // rank 2, which has the same experts, 8 64 2 bytes.
    EXPECT_EQ(SentBy(step.Generate(), 0), (Sent{{1, {4 + 6, 1024 + 3072}}, {2, {2, 1024}}}));
    step.topK = 2;
    EXPECT_EQ(SentBy(step.Generate(), 0), (Sent{{1, {4 + 6, 2048 + 3072}}, {2, {2, 1024}}}));
}

// 24 256 8 + 4 256 16 = 65536 operations a pass, of two ranks at 10^9 a second.
TEST(TrainingStepTest, TimesOfPasses)
{
    TrainingStep step = Small();
    int64_t sumPs = 0;
    const RankProgram program = step.Generate();
    for (const RankOp& op : program.ranks[0].ops)
    {
        const std::string& name = program.parts[op.part].name;
        if (name == "forward 2, micro-batch 3")
        {
            EXPECT_EQ(op.durationPs, 16384000) << "half of it is the MLP's";
        }
        sumPs += op.durationPs;
    }
    EXPECT_EQ(sumPs, 2 * 3 * 3 * 32768000LL);
}

TEST(TrainingStepTest, BucketsGoTheirWayBesideTheBackwardPass)
{
    TrainingStep step = Small();
    step.tensor = step.pipeline = 1;
    step.layers = 2;
    step.microBatches = 1;
    step.forwardPs = US;
    // Of each layer 1536 bytes: twice half of them, a byte less each time for the first one.
    EXPECT_EQ(EndsAt(step.Generate(), 1), std::vector<int64_t>(2, 6 * US + 2 * 1535));
    step.overlap = true;
    EXPECT_EQ(EndsAt(step.Generate(), 1), std::vector<int64_t>(2, 6 * US + 2 * 1535))
        << "less than a bucket";
    step.bucketBytes = 1536;
    EXPECT_EQ(EndsAt(step.Generate(), 1), std::vector<int64_t>(2, 6 * US + 2 * 767));
}

TEST(TrainingStepTest, PartsHaveNames)
{
    const RankProgram program = RankProgram::Repeat(Small().Generate(), 0, 2, 0);
    std::map<std::string, int> times;
    for (const RankPart& part : program.parts)
    {
        ++times[part.name];
        if (part.name == "all-reduce of tensor group 4")
        {
            EXPECT_EQ(part.bytes, 512);
            EXPECT_EQ(part.busFactor, 1);
        }
    }
    EXPECT_EQ(times["forward 3, micro-batch 2"], 2) << "once in each iteration";
    EXPECT_EQ(times["backward 4, micro-batch 3"], 2);
    EXPECT_EQ(times["all-reduce of tensor group 4"], 2 * 2 * 3 * 4) << "layers, micro-batches";
    EXPECT_EQ(times["all-reduce of data group 4"], 2);
    EXPECT_EQ(times["activations of stage 1, micro-batch 1"], 2);
    EXPECT_EQ(times["gradients of stage 2, micro-batch 1"], 2);
    EXPECT_EQ(times.count("activations of stage 2, micro-batch 1"), 0) << "the last stage";
}

TEST(TrainingStepTest, AllOfThemComeToTheirEnd)
{
    for (int i = 0; i < 32; ++i)
    {
        TrainingStep step = Small();
        step.sequenceParallel = i & 1;
        step.zero = i & 2;
        step.overlap = i & 4;
        step.bucketBytes = 700;
        step.data = i & 8 ? 4 : 1;
        step.pipeline = i & 16 ? 4 : 1;
        step.expert = i & 8 && i & 1 ? 2 : 1;
        const RankProgram program = RankProgram::Repeat(step.Generate(), US, 2, US);
        EXPECT_NO_THROW(program.Check()) << i;
        const ProgramRun run(program);
        EXPECT_EQ(run.nDone, run.nOps) << i;
        EXPECT_EQ(run.nUnequal, 0) << i;
    }
}

TEST(TrainingStepTest, Refuses)
{
    const auto error = [](void (*change)(TrainingStep&)) {
        TrainingStep step = Small();
        change(step);
        return ErrorOf([&] { step.Check(); });
    };
    EXPECT_EQ(error([](TrainingStep&) {}), "no error");
    EXPECT_EQ(error([](TrainingStep& s) { s.layers = 5; }),
              "layers is 5, expected a multiple of pipeline, 2");
    EXPECT_EQ(error([](TrainingStep& s) { s.expert = 4; }),
              "expert is 4, expected a divisor of data, 2");
    EXPECT_EQ(error([](TrainingStep& s) { s.flops = 0; }),
              "neither flops nor forward is given, expected one of them");
    EXPECT_EQ(error([](TrainingStep& s) { s.topK = 2; }), "topK is 2, expected at most expert");
    EXPECT_NE(error([](TrainingStep& s) { s.expert = 2; }).find("without sequenceParallel"),
              std::string::npos);
    EXPECT_NE(error([](TrainingStep& s) { s.flops = 1e-9; }).find("more than an hour"),
              std::string::npos);
    EXPECT_EQ(error([](TrainingStep& s) { s.dataLevels = {{3}}; }),
              "collective all-reduce: levels of 3 ranks in all, expected 2");
    EXPECT_EQ(error([](TrainingStep& s) {
                  s.zero = true;
                  s.dataLevels = {{2, CollectiveProgram::Algorithm::TREE}};
              }),
              "collective reduce-scatter: level 0 is reduce-scatter by tree, expected an algorithm "
              "that has it");
}

/// One rank that computes twice, the second time as soon as the first one has begun.
RankProgram
TwoStreams()
{
    RankProgram program;
    program.source = "test";
    program.ranks.resize(1);
    RankSchedule& rank = program.ranks[0];
    RankOp op;
    op.durationPs = 10 * US;
    op.holdsUntil = 1;
    rank.Add(op);
    op.stream = 1;
    op.durationPs = 3 * US;
    op.holdsUntil = RankOp::NO_OP;
    rank.RequireStarted(rank.Add(op), 0);
    return program;
}

TEST(RankRepetitionTest, StartPauseAndIterations)
{
    EXPECT_EQ(EndsAt(TwoStreams(), 0), std::vector<int64_t>{10 * US});
    const RankProgram all = RankProgram::Repeat(TwoStreams(), 5 * US, 3, US);
    EXPECT_EQ(EndsAt(all, 0), std::vector<int64_t>{(5 + 3 * 10 + 2) * US});
    ASSERT_EQ(all.ranks[0].ops.size(), 3 * 3);
    for (uint32_t i = 0; i < 3; ++i)
    {
        const RankOp* const ops = &all.ranks[0].ops[3 * i];
        EXPECT_EQ(all.parts[ops[0].part].iteration, 0) << "a pause";
        EXPECT_EQ(all.parts[ops[1].part].iteration, i + 1);
        EXPECT_EQ(all.parts[ops[2].part].iteration, i + 1);
        EXPECT_EQ(ops[1].holdsUntil, 3 * i + 2);
        EXPECT_EQ(ops[2].holdsUntil, RankOp::NO_OP);
    }
    const RankProgram once = RankProgram::Repeat(TwoStreams(), 0, 1, US);
    EXPECT_EQ(once.ranks[0].ops.size(), 2);
    EXPECT_EQ(once.parts[once.ranks[0].ops[1].part].iteration, 1);
}

} // namespace
