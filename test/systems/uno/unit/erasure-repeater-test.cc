// SPDX-License-Identifier: GPL-2.0-only
// Blocks with parity above either recovery that sends again.
#include "uno-erasure-fixture.h"

#include "ns3/config.h"
#include "ns3/roce-selective-repeat.h"
#include "ns3/uinteger.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

std::vector<uint64_t>
Psns(uint64_t first, uint64_t end)
{
    std::vector<uint64_t> psns;
    for (; first < end; ++first)
    {
        psns.push_back(first);
    }
    return psns;
}

/// Three blocks of 8 and 2 packets have been sent.
struct BlockSender : Sender
{
    explicit BlockSender(const std::string& repeater, const std::string& more = "")
        : Sender("Repeater=" + repeater + more)
    {
        qp.Post(24000, 1, 0);
        EXPECT_EQ(SendAll(0), Psns(0, 30));
    }

    uint64_t Packets() const
    {
        return qp.GetInflightBytes() / WIRE;
    }
};

} // namespace

class ErasureRepeater : public ::testing::TestWithParam<const char*>
{
};

TEST_P(ErasureRepeater, WhatARebuiltBlockLacksIsNotNeeded)
{
    BlockSender s(GetParam());
    const auto result = s.Ack(10, Psns(2, 10), true, 100 * US);
    EXPECT_EQ(result.packets, 8u) << "two have been lost";
    EXPECT_EQ(s.Packets(), 20u);
    EXPECT_FALSE(s.qp.CanSend());
    EXPECT_EQ(s.Ack(30, Psns(22, 30), true, 100 * US).packets, 8u);
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
    EXPECT_EQ(s.done.size(), 1u);
}

TEST_P(ErasureRepeater, ABlockRebuiltEarlyIsNotSentAgain)
{
    BlockSender s(GetParam());
    s.Ack(0, Psns(10, 18), true, 100 * US);
    std::vector<uint64_t> repeats = s.SendAll(100 * US);
    if (repeats.empty())
    {
        s.recovery->OnTimeout(s.qp, RTO);
        repeats = s.SendAll(RTO);
    }
    ASSERT_GE(repeats.size(), 10u);
    repeats.resize(10);
    EXPECT_EQ(repeats, Psns(0, 10)) << "those before it, not its parity";
}

TEST_P(ErasureRepeater, ANackIsAnswered)
{
    BlockSender s(GetParam());
    const auto result = s.Nack(0, 0, Psns(0, 7), 200 * US);
    EXPECT_EQ(result.packets, 7u);
    EXPECT_TRUE(result.loss);
    EXPECT_EQ(s.noter->lost, (std::vector<uint16_t>{7, 8, 9})) << "the paths of what is missing";
    EXPECT_EQ(s.Packets(), 20u);
    EXPECT_EQ(s.SendAll(200 * US), std::vector<uint64_t>{7}) << "data that is missing";
    EXPECT_EQ(s.Packets(), 21u);
    EXPECT_FALSE(s.Nack(0, 0, Psns(0, 7), 300 * US - 1).loss) << "it may be on its way";
    EXPECT_TRUE(s.SendAll(300 * US).empty());
    EXPECT_TRUE(s.Nack(0, 0, Psns(0, 7), 300 * US).loss);
    EXPECT_EQ(s.SendAll(300 * US), std::vector<uint64_t>{7});
    EXPECT_EQ(s.Ack(10, {7}, true, 400 * US).packets, 1u);
    EXPECT_EQ(s.Packets(), 20u);
}

TEST_P(ErasureRepeater, ANackHasAllSentAgainOrAsMuchAsIsNeeded)
{
    BlockSender all(GetParam(), "|NackRepeat=unacked");
    all.Nack(0, 0, Psns(0, 7), 200 * US);
    EXPECT_EQ(all.SendAll(200 * US), Psns(7, 10));
    // Selective repeat has what was overtaken sent again, whatever NACKs say.
    Config::SetDefault("ns3::roce::SelectiveRepeat::ReorderPackets", UintegerValue(64));
    BlockSender needed(GetParam(), "|NackRepeat=needed");
    Config::Reset();
    needed.Nack(0, 0, Psns(3, 9), 200 * US);
    EXPECT_EQ(needed.SendAll(200 * US), Psns(0, 2));
}

TEST_P(ErasureRepeater, AnArrivalCancelsTheRepeat)
{
    BlockSender s(GetParam());
    s.Nack(0, 0, Psns(0, 7), 200 * US);
    EXPECT_EQ(s.Ack(10, {7}, true, 200 * US).packets, 1u);
    EXPECT_TRUE(s.SendAll(200 * US).empty());
    EXPECT_EQ(s.Packets(), 20u) << "it had left what is in flight";
}

INSTANTIATE_TEST_SUITE_P(Both,
                         ErasureRepeater,
                         ::testing::Values("PacketTimers", "SelectiveRepeat"),
                         [](const auto& info) { return std::string(info.param); });

TEST(ErasureSelectiveRepeat, FindsLossesByWhatOvertakes)
{
    BlockSender s("SelectiveRepeat");
    EXPECT_TRUE(s.Ack(0, {0, 1, 3}, false, 100 * US).loss);
    EXPECT_EQ(s.SendAll(100 * US), std::vector<uint64_t>{2});
    BlockSender timers("PacketTimers");
    EXPECT_FALSE(timers.Ack(0, {0, 1, 3}, false, 100 * US).loss);
    EXPECT_TRUE(timers.SendAll(100 * US).empty());
}

TEST(ErasureSelectiveRepeat, WhatANackAsksForGoesFirst)
{
    BlockSender s("SelectiveRepeat");
    s.Ack(0, {3}, false, 200 * US);
    s.Nack(0, 10, Psns(10, 17), 200 * US);
    std::vector<uint64_t> expected{17, 0, 1, 2};
    for (const uint64_t psn : Psns(4, 10))
    {
        expected.push_back(psn);
    }
    EXPECT_EQ(s.SendAll(200 * US), expected);
}

TEST(ErasureSelectiveRepeat, ATimeoutForgetsNacks)
{
    BlockSender s("SelectiveRepeat");
    s.Nack(0, 0, Psns(0, 7), 200 * US);
    s.recovery->OnTimeout(s.qp, 600 * US);
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
    EXPECT_EQ(s.SendAll(600 * US), Psns(7, 30)) << "each once";
}

// What is not coded has the repeater alone.
TEST(ErasureSelectiveRepeat, IsAloneWithinADatacenter)
{
    const auto recovery =
        MakeErasure("Repeater=SelectiveRepeat")->ForQueuePair(ErasurePath(false), 0);
    EXPECT_NE(DynamicCast<SelectiveRepeat>(recovery), nullptr);
    EXPECT_EQ(recovery->GetDataExtension(), nullptr);
}
