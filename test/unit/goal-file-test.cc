// SPDX-License-Identifier: GPL-2.0-only
// GOAL schedules: what is read from text and from the binary form, what is refused and where, what
// is written.
#include "roce-error-of.h"
#include "roce-temp-file.h"

#include "ns3/roce-goal-file.h"
#include "ns3/roce-stream-order.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

const std::string TEXT = "// a comment\n"
                         "num_ranks 3\n"
                         "\n"
                         "rank 0 {\n"
                         "l1: calc 1500 cpu 1\n"
                         "send1: send 1000b to 1 tag 7 cpu 2 nic 3\n"
                         "send1 requires l1\n"
                         "recv 0 b from -1 tag -1 // without a label, its unit apart\n"
                         "}\n"
                         "rank 1 {\r\n"
                         "\ta: recv 1000b from 0 tag 7\r\n"
                         "b: send 0b to 0 /* over\n"
                         "two lines */\n"
                         "b irequires a\n"
                         "}\n"
                         "rank 2 { }\n";

/// Bytes of the binary form, as LogGOPSim's txt2bin writes them.
class Binary
{
  public:
    Binary& Add(unsigned bytes, uint64_t value)
    {
        for (unsigned i = 0; i < bytes; ++i)
        {
            data += static_cast<char>(value >> (8 * i));
        }
        return *this;
    }

    /// An operation; of those that wait for it, which places of the list.
    Binary& Op(unsigned waits,
               char kind,
               uint64_t peer,
               uint64_t size,
               uint64_t tag,
               uint8_t cpu,
               uint8_t nic,
               std::vector<uint32_t> places)
    {
        Add(4, waits).Add(1, kind).Add(4, peer).Add(8, size).Add(4, tag).Add(1, cpu).Add(1, nic);
        for (const uint32_t place : places)
        {
            Add(4, place);
        }
        return *this;
    }

    std::string data;
};

/// TEXT in the binary form.
std::string
MakeBinary()
{
    Binary first;
    first.Add(4, 3).Add(4, 2).Add(4, 0).Add(4, 2); // operations, those that wait for none
    first.Op(0, 3, 0, 1500, 0, 1, 0, {1, 0, 0, 1});
    first.Op(1, 1, 1, 1000, 7, 2, 3, {0, 1, 0, 1});
    first.Op(0, 2, UINT32_MAX, 0, UINT32_MAX, 0, 0, {0, 999, 0, UINT32_MAX});
    first.Add(4, 1); // the list
    Binary second;
    second.Add(4, 2).Add(4, 1).Add(4, 0);
    second.Op(0, 2, 0, 1000, 7, 0, 0, {0, 0, 1, 0});
    second.Op(1, 1, 0, 0, 0, 0, 0, {0, 1, 0, 1});
    second.Add(4, 1);
    Binary third;
    third.Add(4, 0).Add(4, 0);
    const std::vector<std::string> ranks{first.data, second.data, third.data};
    Binary all;
    all.Add(8, 4223).Add(4, ranks.size()).Add(1, 2).Add(1, 3);
    uint64_t at = 6 + 16 * ranks.size();
    for (const std::string& rank : ranks)
    {
        all.Add(8, at).Add(8, at + rank.size());
        at += rank.size();
    }
    for (const std::string& rank : ranks)
    {
        all.data += rank;
    }
    return all.data;
}

/// Compares what was read, but lines and source.
void
ExpectSame(const RankProgram& found, const RankProgram& expected)
{
    ASSERT_EQ(found.ranks.size(), expected.ranks.size());
    for (std::size_t r = 0; r < found.ranks.size(); ++r)
    {
        const auto& [ops, edges] = found.ranks[r];
        ASSERT_EQ(ops.size(), expected.ranks[r].ops.size()) << "rank " << r;
        for (std::size_t i = 0; i < ops.size(); ++i)
        {
            const RankOp& a = ops[i];
            const RankOp& b = expected.ranks[r].ops[i];
            EXPECT_EQ(std::tie(a.kind, a.stream, a.nic, a.peer, a.tag, a.bytes, a.durationPs),
                      std::tie(b.kind, b.stream, b.nic, b.peer, b.tag, b.bytes, b.durationPs))
                << "rank " << r << ", operation " << i;
        }
        ASSERT_EQ(edges.size(), expected.ranks[r].edges.size()) << "rank " << r;
        for (std::size_t i = 0; i < edges.size(); ++i)
        {
            const RankEdge& a = edges[i];
            const RankEdge& b = expected.ranks[r].edges[i];
            EXPECT_EQ(std::tie(a.op, a.before, a.isStarted), std::tie(b.op, b.before, b.isStarted))
                << "rank " << r << ", edge " << i;
        }
    }
}

TEST(GoalFileTest, TextIsRead)
{
    const TempFile file(TEXT);
    const RankProgram program = GoalFile::Read(file.path);
    ASSERT_EQ(program.ranks.size(), 3U);
    const std::vector<RankOp>& ops = program.ranks[0].ops;
    ASSERT_EQ(ops.size(), 3U);
    EXPECT_EQ(ops[0].durationPs, 1500000);
    EXPECT_EQ(ops[0].stream, 1);
    EXPECT_EQ(ops[1].kind, RankOp::Kind::SEND);
    EXPECT_EQ(ops[1].peer, 1U);
    EXPECT_EQ(ops[1].bytes, 1000U);
    EXPECT_EQ(ops[1].tag, 7U);
    EXPECT_EQ(ops[1].stream, 2);
    EXPECT_EQ(ops[1].nic, 3);
    EXPECT_EQ(ops[1].line, 6U);
    EXPECT_EQ(ops[2].peer, RankOp::ANY_RANK);
    EXPECT_EQ(ops[2].tag, RankOp::ANY_TAG);
    EXPECT_EQ(program.GetNNics(), 4);
    EXPECT_EQ(program.Where(0, 1), file.path + ":6");
    ASSERT_EQ(program.ranks[1].edges.size(), 1U);
    EXPECT_TRUE(program.ranks[1].edges[0].isStarted);
    EXPECT_EQ(program.ranks[1].edges[0].op, 1U);
    EXPECT_TRUE(program.ranks[2].ops.empty());
}

TEST(GoalFileTest, BinaryIsTheSame)
{
    const auto read = [](const std::string& data) {
        const TempFile file(data);
        return GoalFile::Read(file.path);
    };
    const RankProgram found = read(MakeBinary());
    ExpectSame(found, read(TEXT));
    EXPECT_EQ(found.Where(0, 1), found.source + ": rank 0, operation 2");
}

TEST(GoalFileTest, WhatIsWrittenIsReadAgain)
{
    const TempFile file(TEXT);
    const RankProgram program = GoalFile::Read(file.path);
    std::ostringstream out;
    GoalFile::WriteText(out, program);
    std::ofstream(file.path) << out.str();
    ExpectSame(GoalFile::Read(file.path), program);
}

/// @return what is written of a program
std::string
Written(const RankProgram& program)
{
    std::ostringstream out;
    GoalFile::WriteText(out, program);
    return out.str();
}

// Two calculations of 2 us on CPU 4 and a message that needs none.
TEST(GoalFileTest, WhatGoalHasNoWordsForIsWrittenWhereItMakesNoDifference)
{
    RankProgram program;
    program.source = "made";
    program.ranks.resize(2);
    RankSchedule& rank = program.ranks[0];
    RankOp calc;
    calc.durationPs = 2000000;
    calc.stream = 4;
    rank.Add(calc);
    rank.Add(calc);
    RankOp send;
    send.kind = RankOp::Kind::SEND;
    send.peer = 1;
    send.bytes = 9;
    send.stream = RankOp::NO_STREAM;
    rank.Add(send);
    EXPECT_NE(Written(program).find("l2: calc 2000 cpu 4\nl3: send 9b to 1 tag 0 cpu 5 nic 0\n"),
              std::string::npos)
        << Written(program);
    rank.ops[0].holdsUntil = 2; // CPU 4 waits for the message
    rank.Require(2, 0);
    EXPECT_EQ(StreamOrder::FindUnordered(rank, 4), 1U);
    ExpectRefused([&] { Written(program); },
                  "made: rank 0, operation 0: shares a stream that operations hold while others "
                  "may, too, which GOAL has no form for");
    rank.RequireStarted(1, 2);
    EXPECT_EQ(StreamOrder::FindUnordered(rank, 4), 1U) << "the message is not done by then";
    rank.edges.back().isStarted = false;
    EXPECT_EQ(StreamOrder::FindUnordered(rank, 4), RankOp::NO_OP);
    EXPECT_NE(Written(program).find("l3: send 9b to 1 tag 0 cpu 5 nic 0\nl3 requires l1\n"
                                    "l2 requires l3\n"),
              std::string::npos)
        << Written(program);
    rank.ops[0].holdsUntil = RankOp::NO_OP;
    rank.ops[0].stream = RankOp::NO_STREAM;
    EXPECT_NE(Written(program).find("l1: calc 2000 cpu 6\nl2: calc 2000 cpu 4\n"),
              std::string::npos)
        << Written(program);
    rank.ops[1].stream = RankOp::NO_STREAM;
    rank.edges.pop_back();
    ExpectRefused([&] { Written(program); },
                  "made: rank 0, operation 0: computes without a stream while others may, too");
    rank.ops[1].stream = 255;
    ExpectRefused([&] { Written(program); }, "has CPU 257, NIC 0, tag 0, expected up to 255, 255");
}

/// Text of one rank that sends to another one, which has one receive.
std::string
Two(const std::string& lines)
{
    return "num_ranks 2\nrank 0 {\n" + lines + "\n}\nrank 1 {\nr: recv 1b from 0\n}\n";
}

TEST(GoalFileTest, BadTextIsRefusedAtItsLine)
{
    const auto refuse = [](const std::string& text, unsigned line, const std::string& message) {
        SCOPED_TRACE(text);
        ExpectFileRefused([](const auto& path) { GoalFile::Read(path); }, text, line, message);
    };
    refuse("", 1, "the file ends, expected num_ranks");
    refuse("rank 0 {\n}\n", 1, "'rank', expected num_ranks");
    refuse("num_ranks 0\n", 1, "no ranks, expected at least one");
    refuse("num_ranks x\n", 1, "'x', expected number of ranks, 0 to 16777216");
    refuse("num_ranks 1\nnum_ranks 1\n", 2, "a second num_ranks, expected one");
    refuse("num_ranks 2\nrank 0 {\n}\n", 3, "the file ends without rank 1 of 2");
    refuse("num_ranks 1\nrank 1 {\n}\n", 2, "'1', expected rank, 0 to 0");
    refuse("num_ranks 1\nrank 0 {\n}\nrank 0 {\n", 4, "rank 0 again, after line 2");
    refuse("num_ranks 1\nrank 0\n", 2, "the end of the line, expected {");
    refuse("num_ranks 1\nrank 0 {\n", 2, "the file ends within rank 0, expected }");
    refuse("num_ranks 1\n/* rank 0 {\n", 2, "the file ends within a comment, expected */");
    refuse(Two("s: sned 1b to 1"), 3, "'sned', expected send, recv or calc");
    refuse(Two("5: send 1b to 1"), 3, "'5', expected an operation, a label or }");
    refuse(Two("s: send 1 to 1"), 3, "'to', expected b");
    refuse(Two("s: send 1b from 1"), 3, "'from', expected to");
    refuse(Two("s: send -1b to 1"),
           3,
           "'-1', expected a length such as 100b, 0 to 1000000000000000");
    refuse(Two("s: send 1b to -1"), 3, "'-1', expected rank, 0 to 1");
    refuse(Two("s: send 1b to 2"), 3, "'2', expected rank, 0 to 1");
    refuse(Two("s: send 1b to 1 tag -1"), 3, "'-1', expected tag, 0 to 4294967294");
    refuse(Two("s: send 1b to 1 cpu 256"), 3, "'256', expected CPU, 0 to 255");
    refuse(Two("s: send 1b to 1 cpu 0 tag 1"), 3, "'tag', expected the end of the line");
    refuse(Two("c: calc 1 nic 0"), 3, "'nic', expected the end of the line");
    refuse(Two("c: calc 99999999999999999"),
           3,
           "'99999999999999999', expected nanoseconds, 0 to 4611686018427387");
    refuse(Two("s: send 1b to 1\ns: calc 1"), 4, "label 's' again, after line 3");
    refuse(Two("s: send 1b to 1\ns needs s"), 4, "'needs', expected : or requires or irequires");
    refuse(Two("s: send 1b to 1\ns requires"), 4, "the end of the line, expected a label");
    refuse(Two("s: send 1b to 1\ns requires r"), 4, "rank 0 has no label 'r'");
}

TEST(GoalFileTest, WhatCannotEndIsRefused)
{
    const auto refuse = [](const std::string& text, unsigned line, const std::string& message) {
        SCOPED_TRACE(text);
        ExpectFileRefused([](const auto& path) { GoalFile::Read(path); }, text, line, message);
    };
    refuse(Two("s: send 1b to 1\nc: calc 1\ns requires c\nc irequires s"),
           3,
           "waits for itself, by way of 1 others");
    refuse(Two("s: send 1b to 0"), 3, "a message of rank 0 to itself");
    refuse(Two("c: calc 1"),
           6,
           "receives what is not sent: rank 1 receives 1 messages from rank 0 of tag 0, and 0 are "
           "sent");
    refuse(Two("send 1b to 1\nsend 1b to 1"),
           4,
           "is not received: rank 1 receives 1 messages from rank 0 of tag 0, and 2 are sent");
    refuse(Two("send 1b to 1\nrecv 1b from -1"),
           4,
           "receives what is not sent: rank 0 receives 1 messages, and 0 are sent");
}

TEST(GoalFileTest, BadBytesAreRefused)
{
    const std::string good = MakeBinary();
    const auto refuse = [&](std::size_t at, unsigned char byte, const std::string& message) {
        std::string bad = good;
        bad.at(at) = static_cast<char>(byte);
        const TempFile file(bad);
        ExpectRefused([&] { GoalFile::Read(file.path); }, message, "byte " + std::to_string(at));
    };
    const std::size_t rank = 8 + 6 + 48; // the first one begins here, its operations 16 later
    refuse(8, 0, "0 ranks in a file of");
    refuse(8, 99, "99 ranks in a file of");
    refuse(14, 255, "rank 0 is from byte 255 to ");
    refuse(rank, 255, "a number of 255, more than the rest has room for");
    refuse(rank + 16 + 4, 9, "an operation of kind 9, expected 1, 2 or 3");
    refuse(rank + 16 + 9 + 7, 255, " ns, expected at most 4611686018427387");
    refuse(rank + 16 + 23, 2, "the file or the rank ends, expected 4 more bytes");
    refuse(rank + 16 + 3 * 39, 200, "operation 200 waits for another one, and the rank has 3");
    refuse(rank + 16 + 39 + 5, 9, "rank 0, operation 2: names rank 9, expected 0 to 2");
}

/// Everything that a file may have turned into is read, or refused in a line that names it.
TEST(GoalFileTest, BrokenFilesAreRefusedOrRead)
{
    std::vector<std::string> refused;
    uint64_t random = 1;
    const auto draw = [&random](std::size_t n) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::size_t>((random >> 33) % n);
    };
    for (const std::string& good : {TEXT, MakeBinary()})
    {
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < 2000; ++i)
        {
            std::string bad = good;
            for (std::size_t changes = 1 + draw(3); changes > 0; --changes)
            {
                const std::size_t at = draw(bad.size());
                switch (draw(4))
                {
                case 0:
                    bad[at] = static_cast<char>(draw(256));
                    break;
                case 1:
                    bad.erase(at, 1 + draw(8));
                    break;
                case 2:
                    bad.insert(at, good.substr(draw(good.size()), 1 + draw(8)));
                    break;
                default:
                    bad[at] = static_cast<char>(bad[at] ^ 1 << draw(8));
                }
                bad = bad.empty() ? "x" : bad;
            }
            const TempFile file(bad);
            const std::string error = ErrorOf([&] { GoalFile::Read(file.path); });
            wrong += error != "no error";
            ASSERT_TRUE(error == "no error" || error.rfind(file.path, 0) == 0) << error;
        }
        EXPECT_GT(wrong, 500U);
        for (std::size_t length = 0; length < good.size() - 3; ++length)
        {
            const TempFile file(good.substr(0, length));
            EXPECT_NE(ErrorOf([&] { GoalFile::Read(file.path); }), "no error") << length;
        }
    }
}

} // namespace
