// SPDX-License-Identifier: GPL-2.0-only
// Chakra traces as programs of ranks: what nodes become, which nodes are one collective, turns.
#include "roce-program-run.h"
#include "roce-temp-file.h"

#include "ns3/roce-chakra-program.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using Type = ChakraNode::Type;
using Collective = ChakraNode::Collective;
using Algorithm = ChakraProgram::Algorithm;
using Kind = RankOp::Kind;

ChakraNode
Node(uint64_t id, Type type, const std::vector<uint64_t>& after = {})
{
    ChakraNode node;
    node.id = id;
    node.type = type;
    node.afterData = after;
    node.at = 100 + id;
    return node;
}

ChakraNode
Comp(uint64_t id, uint64_t us, const std::vector<uint64_t>& after = {})
{
    ChakraNode node = Node(id, Type::COMP, after);
    node.durationUs = us;
    return node;
}

ChakraNode
Coll(uint64_t id, Collective collective, uint64_t bytes, const std::vector<uint64_t>& after = {})
{
    ChakraNode node = Node(id, Type::COLLECTIVE, after);
    node.collective = collective;
    node.bytes = bytes;
    return node;
}

ChakraNode
Message(uint64_t id,
        Type type,
        uint32_t peer,
        uint64_t tag,
        const std::vector<uint64_t>& after = {})
{
    ChakraNode node = Node(id, type, after);
    (type == Type::SEND ? node.destination : node.source) = peer;
    node.bytes = 1000 + tag;
    node.tag = tag;
    return node;
}

/// The same nodes for each rank.
std::vector<ChakraTrace>
Traces(std::size_t ranks, const std::vector<ChakraNode>& nodes)
{
    std::vector<ChakraTrace> traces(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank)
    {
        traces[rank].file = "t." + std::to_string(rank) + ".et";
        traces[rank].nodes = nodes;
    }
    return traces;
}

RankProgram
Make(const std::vector<ChakraTrace>& traces, const ChakraProgram& rules = {})
{
    const RankProgram program = rules.Make(traces, "t");
    EXPECT_EQ(ErrorOf([&] { program.Check(); }), "no error");
    const ProgramRun run(program);
    EXPECT_EQ(run.nDone, run.nOps) << "some wait for ever";
    EXPECT_EQ(run.nUnequal, 0u);
    return program;
}

std::string
Refusal(const std::vector<ChakraTrace>& traces, const ChakraProgram& rules = {})
{
    return ErrorOf([&] { rules.Make(traces, "t"); });
}

/// @return ranks that a rank sends to, once each
std::set<uint32_t>
PeersOf(const RankSchedule& schedule)
{
    std::set<uint32_t> peers;
    for (const RankOp& op : schedule.ops)
    {
        if (op.kind == Kind::SEND)
        {
            peers.insert(op.peer);
        }
    }
    return peers;
}

TEST(ChakraProgramTest, RingOfEight)
{
    const RankProgram program = Make(Traces(8, {Coll(1, Collective::ALL_REDUCE, 8 << 20)}));
    ASSERT_EQ(program.ranks.size(), 8u);
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        unsigned sends = 0;
        for (const RankOp& op : program.ranks[rank].ops)
        {
            EXPECT_EQ(op.label, 1u);
            if (op.kind == Kind::SEND)
            {
                ++sends;
                EXPECT_EQ(op.bytes, 1u << 20);
                EXPECT_EQ(op.peer, (rank + 1) % 8);
            }
        }
        EXPECT_EQ(sends, 14u);
    }
    EXPECT_EQ(ProgramRun(program).nSteps, 14u);
}

TEST(ChakraProgramTest, NodesAndWhatTheyWaitFor)
{
    auto traces = Traces(2, {});
    ChakraNode load = Node(3, Type::MEM_LOAD);
    load.durationUs = 4;
    ChakraNode cpu = Comp(9, 7);
    cpu.isCpu = true;
    cpu.afterControl = {3};
    traces[0].nodes = {Comp(5, 20, {9, 3}),
                       cpu,
                       load,
                       Message(11, Type::SEND, 1, 6, {5}),
                       Message(12, Type::RECV, 1, 0, {11}),
                       Node(13, Type::METADATA, {12})};
    traces[1].nodes = {Message(1, Type::RECV, 0, 6), Message(2, Type::SEND, 0, 0, {1})};
    const RankProgram program = Make(traces);
    EXPECT_EQ(program.source, "t");
    const std::vector<RankOp>& ops = program.ranks[0].ops;
    ASSERT_EQ(ops.size(), 6u);

    struct Row
    {
        uint64_t label;
        Kind kind;
        uint16_t stream;
        int64_t durationPs;
        uint64_t bytes;
    };

    const uint16_t none = RankOp::NO_STREAM;
    const Row rows[] = {{3, Kind::CALC, ChakraProgram::COMMUNICATION, 4000000, 0},
                        {5, Kind::CALC, ChakraProgram::GPU, 20000000, 0},
                        {9, Kind::CALC, ChakraProgram::CPU, 7000000, 0},
                        {11, Kind::SEND, ChakraProgram::COMMUNICATION, 0, 1006},
                        {12, Kind::RECV, none, 0, 1000},
                        {13, Kind::CALC, none, 0, 0}};
    for (std::size_t i = 0; i < 6; ++i)
    {
        SCOPED_TRACE("node " + std::to_string(rows[i].label));
        EXPECT_EQ(ops[i].label, rows[i].label) << "not in the order of ids";
        EXPECT_EQ(ops[i].kind, rows[i].kind);
        EXPECT_EQ(ops[i].stream, rows[i].stream);
        EXPECT_EQ(ops[i].durationPs, rows[i].durationPs);
        EXPECT_EQ(ops[i].bytes, rows[i].bytes);
    }
    EXPECT_EQ(ops[3].tag, 6u);
    EXPECT_EQ(ops[3].holdsUntil, 3u) << "a send takes the turn until it is done";
    std::set<std::pair<uint32_t, uint32_t>> edges;
    for (const RankEdge& edge : program.ranks[0].edges)
    {
        EXPECT_FALSE(edge.isStarted);
        edges.emplace(edge.op, edge.before);
    }
    EXPECT_EQ(
        edges,
        (std::set<std::pair<uint32_t, uint32_t>>{{1, 0}, {1, 2}, {2, 0}, {3, 1}, {4, 3}, {5, 4}}));
    ChakraProgram freely;
    freely.takesTurns = false;
    const RankProgram free = Make(traces, freely);
    for (const RankOp& op : free.ranks[0].ops)
    {
        EXPECT_EQ(op.stream, RankOp::NO_STREAM);
        EXPECT_EQ(op.holdsUntil, RankOp::NO_OP);
    }
}

// A collective has its turn from its first operation to its last, and what waits for it waits for
// all of it.
TEST(ChakraProgramTest, CollectiveIsOneTurn)
{
    const auto traces =
        Traces(4, {Comp(1, 5), Coll(2, Collective::ALL_REDUCE, 4000, {1}), Comp(3, 5, {2})});
    const RankProgram program = Make(traces);
    const RankSchedule& schedule = program.ranks[2];
    const auto last = static_cast<uint32_t>(schedule.ops.size() - 1);
    EXPECT_EQ(schedule.ops[1].stream, ChakraProgram::COMMUNICATION);
    EXPECT_EQ(schedule.ops[1].holdsUntil, last - 1);
    std::set<uint32_t> lastWaitsFor;
    for (const RankEdge& edge : schedule.edges)
    {
        if (edge.op == last)
        {
            lastWaitsFor.insert(edge.before);
        }
    }
    EXPECT_EQ(lastWaitsFor, std::set<uint32_t>{last - 1});
    for (uint32_t op = 2; op < last; ++op)
    {
        EXPECT_EQ(schedule.ops[op].stream, RankOp::NO_STREAM) << "would wait for its own turn";
    }
    const ProgramRun run(program);
    EXPECT_EQ(run.knows[2][last].count(), 4u);
}

TEST(ChakraProgramTest, BytesOfEachCollective)
{
    const auto of = [](Collective collective, const ChakraProgram& rules = {}) {
        return MessagesOf(Make(Traces(4, {Coll(1, collective, 400)}), rules).ranks[1]);
    };
    EXPECT_EQ(of(Collective::ALL_GATHER), "S2:400 R0:400 S2:400 R0:400 S2:400 R0:400")
        << "comm_size is a rank's own share";
    EXPECT_EQ(of(Collective::REDUCE_SCATTER), "S2:100 R0:100 S2:100 R0:100 S2:100 R0:100");
    EXPECT_EQ(of(Collective::REDUCE_SCATTER_BLOCK), of(Collective::REDUCE_SCATTER));
    EXPECT_EQ(of(Collective::ALL_TO_ALL), "S2:100 R0:100 S3:100 R3:100 S0:100 R2:100");
    EXPECT_EQ(of(Collective::REDUCE), "R3:400 S0:400");
    EXPECT_EQ(of(Collective::BROADCAST), "R0:400 S3:400");
    EXPECT_EQ(of(Collective::BARRIER), "R3:1 S0:1 R0:1 S3:1");
    ChakraProgram rules;
    rules.levels = {{4, Algorithm::HALVING_DOUBLING}};
    EXPECT_EQ(of(Collective::ALL_GATHER, rules), "S3:400 R3:400 S0:800 R0:800");
    rules.allToAll = Algorithm::RING;
    rules.pieces = 2;
    EXPECT_EQ(of(Collective::ALL_TO_ALL, rules),
              "S2:150 R0:150 S2:100 R0:100 S2:50 R0:50 S2:150 R0:150 S2:100 R0:100 S2:50 R0:50");
    EXPECT_EQ(Refusal(Traces(4, {Coll(1, Collective::GATHER, 400)})),
              "t.0.et: byte 101: node 1 is GATHER, expected ALL_REDUCE, ALL_GATHER, "
              "REDUCE_SCATTER, ALL_TO_ALL, REDUCE, BROADCAST or BARRIER");
    rules.levels = {{4, Algorithm::TREE}};
    EXPECT_EQ(Refusal(Traces(4, {Coll(1, Collective::ALL_GATHER, 400)}), rules),
              "t.0.et: byte 101: node 1 cannot be laid out: collective all-gather: level 0 is "
              "all-gather by tree, expected an algorithm that has it");
}

TEST(ChakraProgramTest, GroupsOfRanks)
{
    ChakraNode groups = Node(1, Type::METADATA);
    groups.inputs = R"(['[{"pg_name": "7", "ranks": [3, 0]}, {"pg_name": "8", "ranks": [1, 2]},)"
                    R"( {"pg_name": "all", "ranks": []}]'])";
    ChakraNode own = Coll(2, Collective::ALL_REDUCE, 800);
    ChakraNode all = Coll(3, Collective::ALL_REDUCE, 8000, {2});
    all.group = "all";
    auto traces = Traces(4, {groups, own, all});
    for (const uint32_t rank : {0, 1, 2, 3})
    {
        traces[rank].nodes[1].group = rank % 3 == 0 ? "7" : "8";
    }
    RankProgram program = Make(traces);
    EXPECT_EQ(MessagesOf(program.ranks[3]),
              "S0:400 R0:400 S0:400 R0:400 S0:2000 R2:2000 S0:2000 R2:2000 S0:2000 R2:2000 S0:2000 "
              "R2:2000 S0:2000 R2:2000 S0:2000 R2:2000");
    // The same from a file; "0" is all ranks where nobody names it.
    const TempFile file(R"({"7": [3, 0], "8": [1, 2]})");
    ChakraProgram rules;
    rules.groups = ChakraProgram::ReadGroups(file.path);
    for (ChakraTrace& trace : traces)
    {
        trace.nodes[0].inputs.clear();
        trace.nodes[2].group = "0";
    }
    EXPECT_EQ(MessagesOf(Make(traces, rules).ranks[3]), MessagesOf(program.ranks[3]));
    EXPECT_EQ(
        Refusal(traces),
        "t.0.et: byte 102: node 2 is of process group '7', expected one of a METADATA node or "
        "of a file of groups");
    rules.groups["7"] = {0, 4294967295}; // of -1 in a file
    ExpectRefused([&] { rules.Make(traces, "t"); },
                  "expected a group of different ranks from 0 to 3");
    rules.groups["7"] = {3, 1};
    EXPECT_EQ(
        Refusal(traces, rules),
        "t.0.et: byte 102: node 2 is of process group '7', expected a group of different ranks "
        "from 0 to 3, with rank 0");
    for (const char* const wrong : {"[1]", "{\"a\": 1}", "{"})
    {
        const TempFile broken(wrong);
        ExpectRefused([&] { ChakraProgram::ReadGroups(broken.path); },
                      R"(expected {"NAME": [RANK, ...], ...})",
                      wrong);
    }
}

TEST(ChakraProgramTest, LevelsThatItSpans)
{
    ChakraProgram rules;
    rules.levels = {{4, Algorithm::DIRECT, 1}, {2, Algorithm::RING}};
    ChakraNode node = Coll(1, Collective::ALL_REDUCE, 8000);
    const auto peers = [&](const std::vector<bool>& dimensions, uint32_t rank) {
        node.dimensions = dimensions;
        return PeersOf(Make(Traces(8, {node}), rules).ranks[rank]);
    };
    EXPECT_EQ(peers({true, false}, 6), (std::set<uint32_t>{4, 5, 7}));
    EXPECT_EQ(peers({false, true}, 6), (std::set<uint32_t>{2}));
    EXPECT_EQ(peers({true, true}, 6), (std::set<uint32_t>{2, 4, 5, 7}));
    EXPECT_EQ(peers({}, 6), peers({true, true, true, true}, 6));
    EXPECT_EQ(peers({true}, 6), peers({true, true}, 6)) << "of a trace that knows fewer levels";
    node.dimensions = {false};
    EXPECT_EQ(
        Refusal(Traces(8, {node}), rules),
        "t.0.et: byte 101: node 1 has 1 values in involved_dim, expected 2, one for each level");
    // A group that is no part of each level is one ring across, one that is keeps to its levels.
    node = Coll(1, Collective::ALL_REDUCE, 8000);
    node.group = "g";
    rules.groups["g"] = {7, 1, 2};
    auto traces = Traces(8, {});
    for (const uint32_t rank : {7, 1, 2})
    {
        traces[rank].nodes = {node};
    }
    EXPECT_EQ(PeersOf(Make(traces, rules).ranks[7]), (std::set<uint32_t>{1}));
    rules.groups["g"] = {7, 1, 3, 5};
    traces[2].nodes.clear();
    traces[3].nodes = traces[5].nodes = {node};
    const RankProgram program = Make(traces, rules);
    EXPECT_EQ(PeersOf(program.ranks[7]), (std::set<uint32_t>{5, 3}));
    for (const RankOp& op : program.ranks[7].ops)
    {
        EXPECT_TRUE(op.kind == Kind::CALC || op.nic == (op.peer == 5 ? 1 : 0));
    }
    EXPECT_EQ(Refusal(Traces(6, {node}), rules),
              "Chakra: levels of 8 ranks, and 1 pieces, expected 6 ranks and at least one piece");
}

TEST(ChakraProgramTest, TagsKeepMessagesApart)
{
    auto traces = Traces(2,
                         {Coll(1, Collective::ALL_REDUCE, 200),
                          Coll(2, Collective::ALL_REDUCE, 400),
                          Coll(3, Collective::ALL_REDUCE, 400)});
    traces[0].nodes.push_back(Message(4, Type::SEND, 1, 41));
    traces[1].nodes.push_back(Message(4, Type::RECV, 0, 41));
    // On one rank the second comes first; there it has no lower id, but is waited for.
    traces[1].nodes[1].id = 30;
    traces[1].nodes[2].afterData = {30};
    ChakraProgram rules;
    rules.pieces = 2;
    std::map<uint64_t, std::set<uint64_t>> tagsOf;
    const RankProgram program = Make(traces, rules);
    for (const RankSchedule& schedule : program.ranks)
    {
        for (const RankOp& op : schedule.ops)
        {
            if (op.kind != Kind::CALC)
            {
                tagsOf[op.label].insert(op.tag);
            }
        }
    }
    EXPECT_EQ(tagsOf,
              (std::map<uint64_t, std::set<uint64_t>>{{1, {42, 43}},
                                                      {2, {44, 45}},
                                                      {3, {46, 47}},
                                                      {4, {41}},
                                                      {30, {44, 45}}}));
}

TEST(ChakraProgramTest, RefusesWhatDoesNotFit)
{
    const auto one = [](const ChakraNode& node) {
        auto traces = Traces(2, {});
        traces[1].nodes = {Comp(1, 1), node};
        return Refusal(traces);
    };
    EXPECT_EQ(one(Comp(5, 1, {4})),
              "t.1.et: byte 105: node 5 waits for node 4, expected a node of the same file");
    EXPECT_EQ(one(Comp(1, 1)), "t.1.et: byte 101: node 1 again, expected one node of that id");
    EXPECT_EQ(one(Comp(5, 1, {5})),
              "t.1.et: byte 105: node 5 waits for itself, or for nodes that do, expected "
              "dependencies without a cycle");
    EXPECT_EQ(one(Comp(5, 10000000000000)),
              "t.1.et: byte 105: node 5 takes 10000000000000 us, expected at most 9223372036854");
    EXPECT_EQ(one(Message(5, Type::SEND, 1, 0)),
              "t.1.et: byte 105: node 5 has comm_dst 1, expected another rank, 0 to 1");
    EXPECT_EQ(one(Message(5, Type::RECV, 2, 0)),
              "t.1.et: byte 105: node 5 has comm_src 2, expected another rank, 0 to 1");
    EXPECT_EQ(one(Node(5, Type::RECV)),
              "t.1.et: byte 105: node 5 has no comm_src, expected another rank, 0 to 1");
    ChakraNode message = Message(5, Type::SEND, 0, 0);
    message.source = 0;
    EXPECT_EQ(one(message), "t.1.et: byte 105: node 5 has comm_src 0, expected the rank itself, 1");
    message = Message(5, Type::SEND, 0, 0);
    message.bytes.reset();
    EXPECT_EQ(one(message), "t.1.et: byte 105: node 5 has no comm_size, expected one");
    EXPECT_EQ(one(Coll(5, Collective::ALL_REDUCE, 100)),
              "t.1.et: byte 105: node 5 is a collective with rank 0, expected a node of it in "
              "t.0.et");
    auto traces = Traces(2, {Coll(5, Collective::ALL_REDUCE, 100)});
    traces[1].nodes[0].bytes = 101;
    EXPECT_EQ(Refusal(traces),
              "t.1.et: byte 105: node 5 is ALL_REDUCE of 101 bytes, expected ALL_REDUCE of 100 "
              "bytes as node 5 of t.0.et");
    EXPECT_EQ(Refusal(Traces(2, {Node(5, Type::COLLECTIVE)})),
              "t.0.et: byte 105: node 5 has no comm_type or no comm_size, expected both");
    EXPECT_EQ(
        Refusal(Traces(2, {Coll(5, Collective::ALL_GATHER, uint64_t{1} << 62)})),
        "t.0.et: byte 105: node 5 has a result of more than 2^63 - 1 bytes, expected a smaller "
        "one");
    ChakraNode groups = Node(5, Type::METADATA);
    groups.inputs = R"(['[{"pg_name": 1}]'])";
    ExpectRefused([&] { ChakraProgram().Make(Traces(2, {groups}), "t"); },
                  "node 5 has process groups that cannot be read");
}

TEST(ChakraProgramTest, WritesTraces)
{
    CollectiveProgram collective;
    collective.ranks = {0, 1, 2, 3};
    collective.levels = {{4, Algorithm::HALVING_DOUBLING}};
    collective.bytes = 4096;
    RankProgram program = collective.Generate();
    RankOp calc;
    calc.durationPs = 2500000;
    program.ranks[2].Require(program.ranks[2].Add(calc), 0);
    std::vector<ChakraTrace> traces;
    for (const ChakraTrace& trace : ChakraProgram::ToTraces(program))
    {
        const TempFile file("");
        trace.Write(file.path);
        traces.push_back(ChakraTrace::Read(file.path));
    }
    EXPECT_EQ(traces[2].nodes.back().durationUs, 3u) << "2.5 us, rounded";
    const RankProgram read = Make(traces);
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        EXPECT_EQ(MessagesOf(read.ranks[rank]), MessagesOf(program.ranks[rank]));
        EXPECT_EQ(read.ranks[rank].edges.size(), program.ranks[rank].edges.size());
    }
    EXPECT_EQ(ProgramRun(read).nSteps, 4u);
    program.ranks[3].ops[0].nic = 1;
    EXPECT_EQ(ErrorOf([&] { ChakraProgram::ToTraces(program); }),
              "collective all-reduce: rank 3, operation 0 is of NIC 1, which Chakra has no form "
              "for");
    program.ranks[1].RequireStarted(1, 0);
    EXPECT_EQ(
        ErrorOf([&] { ChakraProgram::ToTraces(program); }),
        "collective all-reduce: rank 1, operation 1 waits for the start of another one, which "
        "Chakra has no form for");
    program.ranks[0].ops[1].peer = RankOp::ANY_RANK;
    EXPECT_EQ(ErrorOf([&] { ChakraProgram::ToTraces(program); }),
              "collective all-reduce: rank 0, operation 1 receives from any rank, which Chakra has "
              "no form for");
}

} // namespace
