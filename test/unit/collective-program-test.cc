// SPDX-License-Identifier: GPL-2.0-only
// Collectives as operations of ranks: by hand for four ranks, and what holds for any number.
#include "roce-program-run.h"
#include "roce-temp-file.h"

#include "ns3/roce-collective-program.h"
#include "ns3/roce-goal-file.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using Kind = CollectiveProgram::Kind;
using Algorithm = CollectiveProgram::Algorithm;
using Level = CollectiveProgram::Level;

const std::vector<Kind> KINDS{Kind::ALL_REDUCE,
                              Kind::ALL_GATHER,
                              Kind::REDUCE_SCATTER,
                              Kind::ALL_TO_ALL,
                              Kind::REDUCE,
                              Kind::BROADCAST};

CollectiveProgram
Collective(Kind kind, const std::vector<Level>& levels, uint64_t bytes, uint32_t pieces = 1)
{
    CollectiveProgram collective;
    collective.kind = kind;
    collective.levels = levels;
    collective.bytes = bytes;
    collective.pieces = pieces;
    uint32_t ranks = 1;
    for (const Level& level : levels)
    {
        ranks *= level.size;
    }
    collective.ranks.resize(ranks);
    std::iota(collective.ranks.begin(), collective.ranks.end(), 0);
    return collective;
}

std::string
MessagesOf(const CollectiveProgram& collective, uint32_t rank)
{
    return test::MessagesOf(collective.Generate().ranks[rank]);
}

std::string
Title(const CollectiveProgram& collective)
{
    std::string title = CollectiveProgram::NameOf(collective.kind) + " of " +
                        std::to_string(collective.bytes) + " in " +
                        std::to_string(collective.pieces) + " by";
    for (const Level& level : collective.levels)
    {
        title +=
            " " + std::to_string(level.size) + " " + CollectiveProgram::NameOf(level.algorithm);
    }
    return title;
}

/// All collectives of one level, and some of several, with shares of at least a byte.
std::vector<CollectiveProgram>
All()
{
    std::vector<std::vector<Level>> levels;
    for (const Algorithm a : {Algorithm::RING,
                              Algorithm::TREE,
                              Algorithm::HALVING_DOUBLING,
                              Algorithm::DIRECT,
                              Algorithm::CHAIN})
    {
        for (const uint32_t n : {1, 2, 3, 4, 5, 8, 13, 16})
        {
            levels.push_back({{n, a}});
        }
    }
    const Level ring{4, Algorithm::RING};
    const Level halving{4, Algorithm::HALVING_DOUBLING};
    levels.push_back({{2, Algorithm::DIRECT}, ring});
    levels.push_back({ring, {3, Algorithm::DIRECT}, {2, Algorithm::RING}});
    levels.push_back({halving, {1, Algorithm::RING}, ring});
    levels.push_back({ring, {1, Algorithm::RING}});
    levels.push_back({{3, Algorithm::TREE}, {1, Algorithm::RING}, {2, Algorithm::TREE}});
    levels.push_back({ring, {5, Algorithm::TREE}});
    std::vector<CollectiveProgram> all;
    for (const std::vector<Level>& some : levels)
    {
        for (const Kind kind : KINDS)
        {
            for (const uint32_t pieces : {1, 3})
            {
                for (const uint64_t bytes : {240 * 13, 1003})
                {
                    all.push_back(Collective(kind, some, bytes, pieces));
                    if (ErrorOf([&] { all.back().Check(); }) != "no error")
                    {
                        all.pop_back();
                    }
                }
            }
        }
    }
    return all;
}

TEST(CollectiveProgramTest, FourRanksByHand)
{
    const auto of = [](Kind kind, Algorithm algorithm, uint32_t rank, uint32_t pieces = 1) {
        return MessagesOf(Collective(kind, {{4, algorithm}}, 1003, pieces), rank);
    };
    // Shares of 251, 251, 251 and 250 bytes.
    EXPECT_EQ(
        of(Kind::ALL_REDUCE, Algorithm::RING, 0),
        "S1:250 R3:251 S1:251 R3:251 S1:251 R3:251 S1:251 R3:250 S1:250 R3:251 S1:251 R3:251");
    EXPECT_EQ(of(Kind::REDUCE_SCATTER, Algorithm::RING, 3),
              "S0:251 R2:251 S0:251 R2:251 S0:251 R2:250");
    EXPECT_EQ(of(Kind::ALL_GATHER, Algorithm::RING, 3),
              "S0:250 R2:251 S0:251 R2:251 S0:251 R2:251");
    EXPECT_EQ(of(Kind::ALL_TO_ALL, Algorithm::RING, 0),
              "S1:752 R3:753 S1:502 R3:502 S1:251 R3:251");
    EXPECT_EQ(of(Kind::ALL_REDUCE, Algorithm::HALVING_DOUBLING, 0),
              "S1:501 R1:502 S2:251 R2:251 S2:251 R2:251 S1:502 R1:501");
    EXPECT_EQ(of(Kind::ALL_GATHER, Algorithm::HALVING_DOUBLING, 3), "S1:250 R1:251 S2:501 R2:502");
    EXPECT_EQ(of(Kind::ALL_TO_ALL, Algorithm::DIRECT, 1),
              "S2:251 R0:251 S3:250 R3:251 S0:251 R2:251");
    EXPECT_EQ(of(Kind::REDUCE_SCATTER, Algorithm::DIRECT, 3),
              "S0:251 R2:250 S1:251 R1:250 S2:251 R0:250");
    EXPECT_EQ(of(Kind::ALL_GATHER, Algorithm::DIRECT, 3),
              "S0:250 R2:251 S1:250 R1:251 S2:250 R0:251");
    EXPECT_EQ(of(Kind::ALL_REDUCE, Algorithm::TREE, 0), "R1:1003 R2:1003 S1:1003 S2:1003");
    EXPECT_EQ(of(Kind::ALL_REDUCE, Algorithm::TREE, 1), "R3:1003 S0:1003 R0:1003 S3:1003");
    EXPECT_EQ(of(Kind::REDUCE, Algorithm::TREE, 1), "R3:1003 S0:1003");
    EXPECT_EQ(of(Kind::BROADCAST, Algorithm::TREE, 1), "R0:1003 S3:1003");
    EXPECT_EQ(of(Kind::ALL_REDUCE, Algorithm::CHAIN, 1), "R2:1003 S0:1003 R0:1003 S2:1003");
    // The other piece's root is the last rank, over rank 2 and rank 1.
    EXPECT_EQ(of(Kind::ALL_REDUCE, Algorithm::TREE, 3, 2),
              "S1:502 R1:502 R2:501 R1:501 S2:501 S1:501");
}

TEST(CollectiveProgramTest, TwoLevelsByHand)
{
    const std::vector<Level> levels{{2, Algorithm::RING, 1}, {2, Algorithm::DIRECT}};
    const auto of = [&](Kind kind, uint32_t rank) {
        return MessagesOf(Collective(kind, levels, 1003), rank);
    };
    // 502 and 501 bytes within, then halves of these across.
    EXPECT_EQ(of(Kind::ALL_REDUCE, 0), "S1:501 R1:502 S2:251 R2:251 S2:251 R2:251 S1:502 R1:501");
    EXPECT_EQ(of(Kind::REDUCE_SCATTER, 3), "S2:502 R2:501 S1:251 R1:250");
    EXPECT_EQ(of(Kind::ALL_GATHER, 3), "S1:250 R1:251 S2:501 R2:502");
    // Within: what is for the neighbour's place, 0 and 2 or 1 and 3; across: of both in the pair.
    EXPECT_EQ(of(Kind::ALL_TO_ALL, 0), "S1:501 R1:502 S2:502 R2:502");
    EXPECT_EQ(of(Kind::ALL_TO_ALL, 3), "S2:502 R2:501 S1:502 R1:500");
    const RankProgram program = Collective(Kind::ALL_REDUCE, levels, 1003).Generate();
    for (const RankOp& op : program.ranks[0].ops)
    {
        EXPECT_TRUE(op.kind == RankOp::Kind::CALC || op.nic == (op.peer == 1 ? 1 : 0));
    }
}

TEST(CollectiveProgramTest, EachRunsToItsEnd)
{
    const std::vector<CollectiveProgram> all = All();
    EXPECT_GT(all.size(), 200u);
    for (const CollectiveProgram& collective : all)
    {
        SCOPED_TRACE(Title(collective));
        const RankProgram program = collective.Generate();
        EXPECT_EQ(ErrorOf([&] { program.Check(); }), "no error");
        const ProgramRun run(program);
        EXPECT_EQ(run.nDone, run.nOps) << "some wait for ever";
        EXPECT_EQ(run.nUnequal, 0u) << "messages that are longer or shorter than expected";
    }
}

// What a rank has at the end comes from all that it should.
TEST(CollectiveProgramTest, EachHearsFromAll)
{
    for (const CollectiveProgram& collective : All())
    {
        SCOPED_TRACE(Title(collective));
        const auto n = static_cast<uint32_t>(collective.ranks.size());
        RankProgram program;
        program.ranks.resize(n);
        std::vector<uint32_t> ends;
        for (uint32_t member = 0; member < n; ++member)
        {
            const uint32_t begin = program.ranks[member].Add({});
            ends.push_back(collective.Add(program.ranks[member], member, begin, 7));
            EXPECT_EQ(program.ranks[member].ops.back().label, n > 1 ? 7u : 0u);
        }
        const ProgramRun run(program);
        for (uint32_t member = 0; member < n; ++member)
        {
            const auto& heard = run.knows[member][ends[member]];
            if (collective.kind == Kind::BROADCAST)
            {
                EXPECT_TRUE(heard.test(0)) << "rank " << member;
            }
            else if (collective.kind != Kind::REDUCE || member == 0)
            {
                EXPECT_EQ(heard.count(), n) << "rank " << member;
            }
        }
    }
}

TEST(CollectiveProgramTest, BytesAndSteps)
{
    for (const uint32_t n : {2, 4, 8, 32})
    {
        const uint64_t bytes = n * 3000;
        const auto log = static_cast<uint32_t>(std::log2(n));
        const auto expect =
            [&](Kind kind, Algorithm algorithm, uint64_t bytesEach, uint32_t steps) {
                for (const uint32_t pieces : {1, 3})
                {
                    const auto collective = Collective(kind, {{n, algorithm}}, bytes, pieces);
                    SCOPED_TRACE(Title(collective));
                    const RankProgram program = collective.Generate();
                    for (const RankSchedule& schedule : program.ranks)
                    {
                        EXPECT_EQ(BytesSent(schedule), bytesEach);
                    }
                    EXPECT_EQ(ProgramRun(program).nSteps, steps);
                }
            };
        const uint64_t once = bytes - bytes / n;
        expect(Kind::ALL_REDUCE, Algorithm::RING, 2 * once, 2 * (n - 1));
        expect(Kind::REDUCE_SCATTER, Algorithm::RING, once, n - 1);
        expect(Kind::ALL_GATHER, Algorithm::RING, once, n - 1);
        expect(Kind::ALL_TO_ALL, Algorithm::RING, bytes * (n - 1) / 2, n - 1);
        expect(Kind::ALL_REDUCE, Algorithm::HALVING_DOUBLING, 2 * once, 2 * log);
        expect(Kind::REDUCE_SCATTER, Algorithm::HALVING_DOUBLING, once, log);
        expect(Kind::ALL_GATHER, Algorithm::HALVING_DOUBLING, once, log);
        expect(Kind::ALL_REDUCE, Algorithm::DIRECT, 2 * once, 2);
        expect(Kind::REDUCE_SCATTER, Algorithm::DIRECT, once, 1);
        expect(Kind::ALL_GATHER, Algorithm::DIRECT, once, 1);
        expect(Kind::ALL_TO_ALL, Algorithm::DIRECT, once, 1);
        // Within and across: as many bytes as in one level, in fewer steps.
        const RankProgram nested =
            Collective(Kind::ALL_REDUCE, {{n, Algorithm::RING}, {4, Algorithm::RING}}, 4 * bytes)
                .Generate();
        EXPECT_EQ(BytesSent(nested.ranks[1]), 2 * (4 * bytes - bytes / n));
        EXPECT_EQ(ProgramRun(nested).nSteps, 2 * (n - 1) + 2 * 3);
        // Up and down: all but the root send the buffer once each way.
        uint64_t sent = 0;
        const RankProgram tree =
            Collective(Kind::ALL_REDUCE, {{n, Algorithm::TREE}}, bytes).Generate();
        for (const RankSchedule& schedule : tree.ranks)
        {
            sent += BytesSent(schedule);
        }
        EXPECT_EQ(sent, 2 * (n - 1) * bytes);
        EXPECT_EQ(ProgramRun(tree).nSteps, 2 * log);
    }
}

TEST(CollectiveProgramTest, FewerBytesThanRanks)
{
    for (const Kind kind : KINDS)
    {
        for (const uint64_t bytes : {0, 1, 2})
        {
            const Algorithm algorithm =
                CollectiveProgram::Has(Algorithm::TREE, kind) ? Algorithm::TREE : Algorithm::RING;
            const auto collective = Collective(kind, {{5, algorithm}}, bytes, 2);
            SCOPED_TRACE(Title(collective));
            const RankProgram program = collective.Generate();
            EXPECT_EQ(ErrorOf([&] { program.Check(); }), "no error");
            const ProgramRun run(program);
            EXPECT_EQ(run.nDone, run.nOps);
            EXPECT_EQ(run.nUnequal, 0u);
            EXPECT_EQ(run.nSteps > 0, bytes > 0) << "an empty message";
        }
    }
}

TEST(CollectiveProgramTest, RefusesWhatIsNone)
{
    const auto refused = [](Kind kind, const std::vector<Level>& levels, auto change) {
        CollectiveProgram collective = Collective(kind, levels, 1000);
        change(collective);
        return ErrorOf([&] { collective.Generate(); });
    };
    const auto nothing = [](CollectiveProgram&) {};
    EXPECT_EQ(refused(Kind::ALL_GATHER, {{4, Algorithm::TREE}}, nothing),
              "collective all-gather: level 0 is all-gather by tree, expected an algorithm that "
              "has it");
    EXPECT_EQ(refused(Kind::ALL_REDUCE, {{2, Algorithm::TREE}, {2, Algorithm::TREE}}, nothing),
              "collective all-reduce: level 0 is reduce-scatter by tree, expected an algorithm "
              "that has it");
    EXPECT_EQ(refused(Kind::ALL_REDUCE, {{6, Algorithm::HALVING_DOUBLING}}, nothing),
              "collective all-reduce: 6 ranks by halving-doubling, expected a power of two");
    EXPECT_EQ(refused(Kind::ALL_REDUCE,
                      {{4, Algorithm::RING}},
                      [](CollectiveProgram& c) { c.levels[0].size = 3; }),
              "collective all-reduce: levels of 3 ranks in all, expected 4");
    EXPECT_EQ(refused(Kind::ALL_REDUCE,
                      {{4, Algorithm::RING}},
                      [](CollectiveProgram& c) { c.ranks[3] = 1; }),
              "collective all-reduce: rank 1 twice, expected it once");
    EXPECT_EQ(refused(Kind::ALL_REDUCE,
                      {{4, Algorithm::RING}},
                      [](CollectiveProgram& c) { c.pieces = 0; }),
              "collective all-reduce: 4 ranks and 0 pieces, expected at least one");
    EXPECT_EQ(refused(Kind::ALL_TO_ALL,
                      {{4, Algorithm::DIRECT}},
                      [](CollectiveProgram& c) { c.block = 3; }),
              "collective all-to-all: level 0 of 4 ranks in blocks of 3, expected whole blocks");
}

// Other simulators can run it.
TEST(CollectiveProgramTest, IsWrittenAsGoal)
{
    CollectiveProgram collective = Collective(Kind::ALL_REDUCE, {{4, Algorithm::TREE}}, 1003);
    const RankProgram program = collective.Generate();
    std::ostringstream out;
    GoalFile::WriteText(out, program);
    const TempFile file(out.str());
    const RankProgram read = GoalFile::Read(file.path);
    ASSERT_EQ(read.ranks.size(), 4u);
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        EXPECT_EQ(test::MessagesOf(read.ranks[rank]), test::MessagesOf(program.ranks[rank]));
        EXPECT_EQ(read.ranks[rank].edges.size(), program.ranks[rank].edges.size());
    }
    EXPECT_EQ(ProgramRun(read).nSteps, 4u);
}

TEST(CollectiveProgramTest, LevelsAsText)
{
    const auto levels =
        CollectiveProgram::ParseLevels("8:direct,1:tree,1000000:halving-doubling,7:chain");
    ASSERT_EQ(levels.size(), 4u);
    EXPECT_EQ(levels[0].size, 8u);
    EXPECT_EQ(levels[0].algorithm, Algorithm::DIRECT);
    EXPECT_EQ(levels[1].algorithm, Algorithm::TREE);
    EXPECT_EQ(levels[2].size, 1000000u);
    EXPECT_EQ(levels[2].algorithm, Algorithm::HALVING_DOUBLING);
    EXPECT_EQ(levels[3].algorithm, Algorithm::CHAIN);
    EXPECT_TRUE(CollectiveProgram::ParseLevels("").empty());
    for (const char* const wrong :
         {"8", "0:ring", "8:Ring", "8:ring,,2:ring", "8 :ring", "-1:ring"})
    {
        ExpectRefused([&] { CollectiveProgram::ParseLevels(wrong); },
                      "', expected SIZE:ALGORITHM, with ring, tree, halving-doubling, direct or "
                      "chain, such as 8:direct,4:ring",
                      wrong);
    }
}

} // namespace
