// SPDX-License-Identifier: GPL-2.0-only
// Collectives: who sends how many bytes to whom in which order, and what that waits for.
#include "roce-error-of.h"
#include "roce-program-run.h"

#include "ns3/roce-collective-workload.h"
#include "ns3/roce-rank-job.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using Kind = CollectiveWorkload::Kind;

CollectiveWorkload
Collective(Kind kind, uint32_t hosts, uint64_t bytes, uint32_t gpus = 1)
{
    CollectiveWorkload w;
    w.kind = kind;
    for (uint32_t h = 0; h < hosts; ++h)
    {
        w.hosts.push_back(10 + h); // any set of NICs
    }
    w.sizeBytes = bytes;
    w.gpusPerHost = gpus;
    return w;
}

/// Sum of what each NIC sends.
std::map<uint32_t, uint64_t>
Sent(const std::vector<FlowSpec>& flows)
{
    std::map<uint32_t, uint64_t> sent;
    for (const FlowSpec& flow : flows)
    {
        sent[flow.src - 10] += flow.sizeBytes;
    }
    return sent;
}

TEST(CollectiveWorkloadTest, ChannelsAreRingsOfTheirOwn)
{
    CollectiveWorkload w = Collective(Kind::RING_ALL_REDUCE, 8, 1003);
    w.channels = 2;
    w.hostsPerServer = 4;
    std::map<uint32_t, std::map<uint32_t, uint32_t>> nextOf; // by connection and host
    uint64_t all = 0;
    for (const FlowSpec& flow : w.Generate())
    {
        const auto [next, isNew] =
            nextOf[flow.connection].try_emplace(flow.src - 10, flow.dst - 10);
        EXPECT_TRUE(isNew || next->second == flow.dst - 10) << "not a ring";
        all += flow.sizeBytes;
    }
    // In at host c of the first server and out at the next, and back the same way.
    using Ring = std::map<uint32_t, uint32_t>;
    EXPECT_EQ(nextOf[1], (Ring{{0, 3}, {3, 2}, {2, 1}, {1, 5}, {5, 6}, {6, 7}, {7, 4}, {4, 0}}));
    EXPECT_EQ(nextOf[2], (Ring{{1, 0}, {0, 3}, {3, 2}, {2, 6}, {6, 7}, {7, 4}, {4, 5}, {5, 1}}));
    EXPECT_EQ(all, 2u * 7 * 1003) << "pieces are lost or doubled";
    w.hosts.pop_back();
    EXPECT_EQ(ErrorOf([&] { w.Generate(); }),
              "collective: 7 hosts on several channels, expected whole servers of 4 hosts");
}

// The messages between two GPUs are of one connection, and no others.
TEST(CollectiveWorkloadTest, ConnectionForEachTwoGpus)
{
    for (const Kind kind : {Kind::RING_ALL_REDUCE, Kind::TREE_ALL_REDUCE, Kind::ALL_TO_ALL})
    {
        std::map<std::pair<uint32_t, uint32_t>, std::map<uint32_t, unsigned>> messages;
        auto w = Collective(kind, 4, 4000, 2);
        w.rounds = 3;
        for (const FlowSpec& flow : w.Generate())
        {
            ++messages[{flow.src, flow.dst}][flow.connection];
        }
        for (const auto& [pair, connections] : messages)
        {
            const bool isAllToAll = kind == Kind::ALL_TO_ALL;
            EXPECT_EQ(connections.size(), isAllToAll ? 4u : 1u) << "of 2 x 2 GPUs";
            EXPECT_EQ(connections.begin()->first, 1u) << "it has a queue pair of its own";
            for (const auto& [connection, count] : connections)
            {
                EXPECT_EQ(count % 3, 0u) << "one in each round";
            }
        }
    }
}

TEST(CollectiveWorkloadTest, RingAllReduceOfThree)
{
    // 10 bytes are shares of 4, 3, 3.
    const RankProgram program = Collective(Kind::RING_ALL_REDUCE, 3, 10).MakeProgram();
    EXPECT_EQ(MessagesOf(program.ranks[0]), "S1:3 R2:3 S1:3 R2:4 S1:4 R2:3 S1:3 R2:3");
    EXPECT_EQ(MessagesOf(program.ranks[1]), "S2:4 R0:3 S2:3 R0:3 S2:3 R0:4 S2:4 R0:3");
    EXPECT_EQ(ErrorOf([&] { program.Check(); }), "no error");
}

// Each message of two ranks has a tag of its own, the same at both: else one that overtakes another
// would be taken for it.
TEST(CollectiveWorkloadTest, NoMessageIsTakenForAnother)
{
    for (const Kind kind : {Kind::RING_ALL_REDUCE, Kind::TREE_ALL_REDUCE, Kind::ALL_TO_ALL})
    {
        CollectiveWorkload w = Collective(kind, 4, 4003, 2);
        w.channels = 3;
        w.rounds = 2;
        const RankProgram program = w.MakeProgram();
        std::set<std::tuple<uint32_t, uint32_t, uint64_t, uint64_t>> sent;
        std::set<std::tuple<uint32_t, uint32_t, uint64_t, uint64_t>> received;
        std::size_t nSent = 0;
        for (uint32_t rank = 0; rank < program.ranks.size(); ++rank)
        {
            for (const RankOp& op : program.ranks[rank].ops)
            {
                nSent += op.kind == RankOp::Kind::SEND;
                op.kind == RankOp::Kind::SEND   ? sent.emplace(rank, op.peer, op.tag, op.bytes)
                : op.kind == RankOp::Kind::RECV ? received.emplace(op.peer, rank, op.tag, op.bytes)
                                                : std::pair(sent.end(), false);
            }
        }
        EXPECT_EQ(sent, received);
        EXPECT_EQ(sent.size(), nSent) << "a tag twice";
        const ProgramRun run(program);
        EXPECT_EQ(run.nDone, run.nOps);
        EXPECT_EQ(run.nUnequal, 0u);
    }
}

// A round is a part of the program, and each rank hears from all others in it.
TEST(CollectiveWorkloadTest, RoundsAreParts)
{
    CollectiveWorkload w = Collective(Kind::RING_ALL_REDUCE, 3, 600, 2);
    w.rounds = 2;
    w.computePs = 5;
    const RankProgram program = w.MakeProgram();
    ASSERT_EQ(program.parts.size(), 3u);
    EXPECT_EQ(program.parts[2].iteration, 2u);
    EXPECT_EQ(program.parts[2].bytes, 600u);
    EXPECT_DOUBLE_EQ(program.parts[2].busFactor, 2 * 5. / 6);
    const ProgramRun run(program);
    for (uint32_t rank = 0; rank < 6; ++rank)
    {
        const std::vector<RankOp>& ops = program.ranks[rank].ops;
        for (uint32_t op = 0; op < ops.size(); ++op)
        {
            if (ops[op].part == 2)
            {
                EXPECT_EQ(run.knows[rank][op].count(), 6u) << "begins before the first is done";
            }
        }
    }
    for (const FlowSpec& flow : w.Generate())
    {
        EXPECT_EQ(flow.tag, 2);
        EXPECT_EQ(flow.phase, 0U);
        EXPECT_GT(flow.job->GetPart(flow.rank, flow.op).iteration, 0u);
    }
}

TEST(CollectiveWorkloadTest, BytesOfRingsPerHost)
{
    // 64 ranks, 64 kB: 2 * 63 shares of 1000 bytes for an all-reduce, 63 for a half.
    const auto all = Collective(Kind::RING_ALL_REDUCE, 64, 64000).Generate();
    EXPECT_EQ(all.size(), 64U * 126);
    const auto gather = Collective(Kind::ALL_GATHER, 64, 64000).Generate();
    const auto scatter = Collective(Kind::REDUCE_SCATTER, 64, 64000).Generate();
    EXPECT_EQ(gather.size(), 64U * 63);
    EXPECT_EQ(scatter.size(), 64U * 63);
    for (uint32_t h = 0; h < 64; ++h)
    {
        EXPECT_EQ(Sent(all)[h], 126000U);
        EXPECT_EQ(Sent(gather)[h], 63000U);
        EXPECT_EQ(Sent(scatter)[h], 63000U);
    }
}

TEST(CollectiveWorkloadTest, GpusOfAHostAreHopsOfTheRing)
{
    const CollectiveWorkload w = Collective(Kind::RING_ALL_REDUCE, 2, 8000, 4);
    const auto flows = w.Generate();
    ASSERT_EQ(flows.size(), 2U * 14);
    EXPECT_EQ(Sent(flows)[0], 14000U); // as with one GPU: only the last one sends to the other host
    const RankProgram program = w.MakeProgram();
    EXPECT_EQ(BytesSent(program.ranks[1]), 14000U);
    EXPECT_EQ(MessagesOf(program.ranks[1]).substr(0, 20), "S2:1000 R0:1000 S2:1");
}

TEST(CollectiveWorkloadTest, TreeAllReduceOfFive)
{
    // 1 and 2 are under 0, 3 and 4 under 1.
    const RankProgram program = Collective(Kind::TREE_ALL_REDUCE, 5, 900).MakeProgram();
    EXPECT_EQ(MessagesOf(program.ranks[0]), "R1:900 R2:900 S1:900 S2:900");
    EXPECT_EQ(MessagesOf(program.ranks[1]), "R3:900 R4:900 S0:900 R0:900 S3:900 S4:900");
    EXPECT_EQ(MessagesOf(program.ranks[4]), "S1:900 R1:900");
    // Of three GPUs per host the first one is in the tree, and the others are a chain behind it.
    const RankProgram chains = Collective(Kind::TREE_ALL_REDUCE, 2, 900, 3).MakeProgram();
    EXPECT_EQ(MessagesOf(chains.ranks[0]), "R1:900 R3:900 S3:900 S1:900");
    EXPECT_EQ(MessagesOf(chains.ranks[4]), "R5:900 S3:900 R3:900 S5:900");
    EXPECT_EQ(MessagesOf(chains.ranks[5]), "S4:900 R4:900");
}

TEST(CollectiveWorkloadTest, AllToAllInRounds)
{
    // 302 bytes: shares of 101, 101, 100.
    const RankProgram program = Collective(Kind::ALL_TO_ALL, 3, 302).MakeProgram();
    EXPECT_EQ(MessagesOf(program.ranks[0]), "S1:101 R2:101 S2:100 R1:101");
    EXPECT_EQ(ProgramRun(program).nSteps, 2u) << "a round does not wait for the one before";
    // 3 hosts of 2 GPUs, shares of 100: 4 messages per pair of hosts and direction.
    const auto flows = Collective(Kind::ALL_TO_ALL, 3, 600, 2).Generate();
    EXPECT_EQ(flows.size(), 3U * 2 * 4);
    EXPECT_EQ(Sent(flows)[1], 800U);
}

TEST(CollectiveWorkloadTest, AllToAllWithRoundsSideBySide)
{
    CollectiveWorkload w = Collective(Kind::ALL_TO_ALL, 6, 600);
    for (const auto& [channels, steps] : {std::pair(1, 5), {2, 3}, {3, 2}, {5, 1}, {9, 1}})
    {
        w.channels = channels;
        w.hostsPerServer = 2; // which is for rings
        EXPECT_EQ(ProgramRun(w.MakeProgram()).nSteps, static_cast<uint32_t>(steps)) << channels;
        EXPECT_EQ(MessagesOf(w.MakeProgram().ranks[1]).substr(0, 6), "S2:100") << channels;
    }
}

TEST(CollectiveWorkloadTest, BadInputIsRefused)
{
    const auto error = [](const CollectiveWorkload& w) { return ErrorOf([&w] { w.Generate(); }); };
    auto w = Collective(Kind::RING_ALL_REDUCE, 1, 10);
    EXPECT_EQ(error(w), "collective: 1 hosts, expected at least 2");
    w = Collective(Kind::ALL_TO_ALL, 3, 10);
    w.hosts[2] = 10;
    EXPECT_EQ(error(w), "collective: host 10 twice, expected it once");
    w = Collective(Kind::ALL_GATHER, 3, 10);
    w.rounds = 0;
    EXPECT_EQ(error(w), "collective: 0 rounds, expected at least 1");
    w = Collective(Kind::ALL_GATHER, 3, 10);
    w.gpusPerHost = 0;
    EXPECT_EQ(error(w),
              "collective: 3 hosts with 0 GPUs, expected at least 1 GPU and at most 10^6 of all");
    w = Collective(Kind::ALL_GATHER, 3, 10);
    w.computePs = -1;
    EXPECT_EQ(error(w), "collective: compute time -1 ps, expected 0 to 10^6 s");
    w = Collective(Kind::RING_ALL_REDUCE, 3, 10);
    w.rounds = 4000000000U;
    EXPECT_NE(error(w).find("flows, expected at most 1e+09"), std::string::npos);
    w = Collective(Kind::ALL_GATHER, 3, 0);
    EXPECT_EQ(error(w), "collective all-gather: no rank sends anything, expected a message");
}

} // namespace
