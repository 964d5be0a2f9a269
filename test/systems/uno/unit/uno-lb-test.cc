// SPDX-License-Identifier: GPL-2.0-only
// UnoLb: subflows in turn, which of them a loss moves, where to, and how often.
#include "roce-error-of.h"
#include "roce-test-time.h"

#include "ns3/object-factory.h"
#include "ns3/roce-uno-lb.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr int64_t RTT = 100 * US;

/// A UnoLb of one flow.
struct Flow
{
    explicit Flow(const std::string& attributes = "", uint64_t seed = 1)
    {
        ObjectFactoryValue value;
        value.DeserializeFromString("ns3::roce::UnoLb[" + attributes + "]",
                                    MakeObjectFactoryChecker());
        lb = DynamicCast<UnoLb>(value.Get().Create<UnoLb>()->Fork());
        PathInfo path;
        path.baseRttPs = RTT;
        lb->Start(path, 0xc123, seed);
        first = lb->GetEntropies();
    }

    /// An ACK that answers data of a subflow as it was at first.
    void Ack(std::size_t subflow, int64_t nowPs)
    {
        AckEntropy(first[subflow], nowPs);
    }

    void AckEntropy(uint16_t entropy, int64_t nowPs, uint32_t packets = 1)
    {
        AckInfo ack;
        ack.nowPs = nowPs;
        ack.entropy = entropy;
        ack.ackedPackets = packets;
        lb->OnAck(ack);
    }

    /// All subflows have an ACK, the i-th at nowPs + i.
    void AckAll(int64_t nowPs)
    {
        for (std::size_t i = 0; i < first.size(); ++i)
        {
            AckEntropy(lb->GetEntropies()[i], nowPs + static_cast<int64_t>(i));
        }
    }

    /// A NACK about packets of these subflows as they were at first.
    void Lose(const std::vector<std::size_t>& subflows, int64_t nowPs, bool timeout = false)
    {
        for (const std::size_t i : subflows)
        {
            lb->OnLoss(first[i], nowPs);
        }
        Sign(nowPs, timeout);
    }

    void Sign(int64_t nowPs, bool timeout = false)
    {
        if (timeout)
        {
            lb->OnTimeout(nowPs);
            return;
        }
        AckInfo ack;
        ack.nowPs = nowPs;
        ack.isLoss = true;
        lb->OnAck(ack);
    }

    /// Which subflows have other entropies than at first.
    std::vector<std::size_t> Moved() const
    {
        const auto now = lb->GetEntropies();
        std::vector<std::size_t> moved;
        for (std::size_t i = 0; i < now.size(); ++i)
        {
            if (now[i] != first[i])
            {
                moved.push_back(i);
            }
        }
        return moved;
    }

    /// Whether a subflow has the entropy that some subflow had at first.
    bool IsCopy(std::size_t subflow) const
    {
        return std::count(first.begin(), first.end(), lb->GetEntropies()[subflow]) > 0;
    }

    Ptr<UnoLb> lb;
    std::vector<uint16_t> first;
};

using Subflows = std::vector<std::size_t>;

} // namespace

TEST(UnoLb, SubflowsTakeTurns)
{
    Flow flow;
    ASSERT_EQ(flow.first.size(), 10u);
    EXPECT_EQ(std::set<uint16_t>(flow.first.begin(), flow.first.end()).size(), 10u);
    EXPECT_TRUE(flow.lb->IsPerPacket());
    EXPECT_FALSE(flow.lb->IsStatic());
    for (int i = 0; i < 35; ++i)
    {
        EXPECT_EQ(flow.lb->Select(i, 1000), flow.first[i % 10]);
        EXPECT_GE(flow.first[i % 10], 0xc000);
    }
    Flow one("Subflows=1");
    EXPECT_EQ(one.lb->Select(0, 0), one.lb->Select(1, 0));
    EXPECT_EQ(Flow("Subflows=256").first.size(), 256u);
    EXPECT_EQ(Flow("", 5).first, Flow("", 5).first);
    EXPECT_NE(Flow("", 5).first, Flow("", 6).first);
}

// Each subflow that lost something moves, to where ACKs come from, and each has its own gate.
TEST(UnoLb, ALossMovesTheSubflowsOfThePacket)
{
    Flow flow;
    flow.AckAll(0);
    flow.Lose({2, 5, 7}, 10 * US);
    EXPECT_EQ(flow.Moved(), (Subflows{2, 5, 7})) << "one NACK has missed packets of all three";
    for (const std::size_t i : {2, 5, 7})
    {
        EXPECT_TRUE(flow.IsCopy(i)) << i;
    }
    flow.AckAll(20 * US);
    flow.Lose({3}, 30 * US);
    EXPECT_EQ(flow.Moved(), (Subflows{2, 3, 5, 7})) << "3 has not moved within a base RTT";
    const auto before = flow.lb->GetEntropies();
    flow.lb->OnLoss(before[2], 10 * US + RTT); // exactly one after its move: not yet
    flow.Sign(10 * US + RTT);
    EXPECT_EQ(flow.lb->GetEntropies()[2], before[2]);
    EXPECT_EQ(Flow("GateScope=subflow").lb->GetEntropies(), Flow().lb->GetEntropies());
}

// GateScope=flow: of those that lost something, the one whose last ACK is oldest.
TEST(UnoLb, WithOneGateTheSubflowThatIsSilentLongestMoves)
{
    std::set<uint16_t> targets;
    for (uint64_t seed = 1; seed <= 200; ++seed)
    {
        Flow flow("GateScope=flow", seed);
        flow.AckAll(0);
        for (const std::size_t i : {3, 0, 5, 7}) // 5 is silent longer than 7
        {
            flow.Ack(i, RTT + static_cast<int64_t>(i));
        }
        for (const std::size_t i : {1, 2, 4})
        {
            flow.Ack(i, 2 * RTT);
        }
        flow.Lose({7, 5}, 2 * RTT);
        ASSERT_EQ(flow.Moved(), Subflows{5});
        EXPECT_EQ(flow.lb->GetMoves(), 1u);
        const auto now = flow.lb->GetEntropies();
        // 6, 8 and 9 are not healthy any more, 5 and 7 are suspect.
        const auto at = std::find(flow.first.begin(), flow.first.end(), now[5]);
        ASSERT_NE(at, flow.first.end()) << "not a copy";
        const auto target = static_cast<uint16_t>(at - flow.first.begin());
        EXPECT_TRUE(std::set<uint16_t>({0, 1, 2, 3, 4}).count(target)) << target;
        targets.insert(target);
        // Packets follow.
        std::vector<uint16_t> used;
        for (int i = 0; i < 10; ++i)
        {
            used.push_back(flow.lb->Select(2 * RTT, 0));
        }
        EXPECT_EQ(used, now);
    }
    EXPECT_EQ(targets.size(), 5u);
}

TEST(UnoLb, RecentMeansOneAndAHalfRtts)
{
    Flow flow;
    flow.Ack(4, 0);
    flow.Lose({1}, RTT * 3 / 2);
    EXPECT_EQ(flow.lb->GetEntropies()[1], flow.first[4]);
    Flow late;
    late.Ack(4, 0);
    late.Lose({1}, RTT * 3 / 2 + 1);
    EXPECT_EQ(late.Moved(), Subflows{1});
    EXPECT_FALSE(late.IsCopy(1)); // nobody is healthy: a new one
    Flow nothing;                 // an ACK that tells nothing new is no sign of health
    nothing.AckEntropy(nothing.first[4], 0, 0);
    nothing.Lose({1}, 1);
    EXPECT_FALSE(nothing.IsCopy(1));
}

TEST(UnoLb, WithOneGateOneMoveInABaseRtt)
{
    for (const bool timeout : {false, true})
    {
        Flow flow("GateScope=flow");
        flow.AckAll(0);
        flow.Lose({1}, 10 * US, timeout);
        EXPECT_EQ(flow.Moved(), Subflows{1});
        flow.AckAll(10 * US + RTT);
        flow.Lose({2}, 10 * US + RTT, timeout); // exactly one: not yet
        EXPECT_EQ(flow.Moved(), Subflows{1});
        flow.Lose({5}, 11 * US + RTT, timeout); // the loss of 2 is forgotten
        EXPECT_EQ(flow.Moved(), (Subflows{1, 5}));
        EXPECT_EQ(flow.lb->GetMoves(), 2u);
    }
    Flow gate("GateScope=flow|Gate=0.25");
    gate.AckAll(0);
    gate.Lose({1}, 0);
    gate.Lose({2}, RTT / 4);
    gate.Lose({3}, RTT / 4 + 1);
    EXPECT_EQ(gate.Moved(), (Subflows{1, 3}));
}

// GateScope=flow and Move=stale: all that are silent move together, then none for a base RTT.
TEST(UnoLb, AllThatAreStaleMoveAtOnce)
{
    Flow flow("GateScope=flow|Move=stale|Target=fresh");
    flow.AckAll(0);
    for (const std::size_t i : {0, 1, 2, 3, 4, 5})
    {
        flow.Ack(i, RTT);
    }
    flow.Lose({0}, RTT);
    EXPECT_EQ(flow.Moved(), (Subflows{6, 7, 8, 9})) << "the gate closes behind the first of them";
    flow.Lose({0}, 2 * RTT); // all are silent now, and the gate is closed
    EXPECT_EQ(flow.lb->GetMoves(), 4u);
    flow.Lose({0}, 2 * RTT + 1);
    EXPECT_EQ(flow.lb->GetMoves(), 14u);
}

// The path that a subflow copies is as old as the other's last ACK says: it is no reason to stay.
TEST(UnoLb, ACopyIsAsOldAsItsModel)
{
    Flow flow("Subflows=2|Gate=0");
    flow.Ack(0, 0);
    flow.Lose({1}, RTT); // to where 0 is, which was heard of at 0
    EXPECT_EQ(flow.lb->GetEntropies()[1], flow.first[0]);
    flow.lb->OnLoss(flow.first[0], RTT * 3 / 2 + 1);
    flow.Sign(RTT * 3 / 2 + 1); // both; what was healthy is not any more
    EXPECT_NE(flow.lb->GetEntropies()[0], flow.first[0]);
    Flow stale("Subflows=2|GateScope=subflow|Gate=0|Move=stale");
    stale.Ack(0, RTT);
    stale.Sign(RTT + 1); // 1 has never been heard of: it copies 0
    EXPECT_EQ(stale.lb->GetEntropies()[1], stale.first[0]);
    EXPECT_EQ(stale.lb->GetMoves(), 1u);
    stale.Sign(RTT + 2);
    EXPECT_EQ(stale.lb->GetMoves(), 1u) << "a copy of a path heard of just now is not stale";
}

// A packet sent before its subflow moved says nothing about where that is now.
TEST(UnoLb, OldLossesDoNotConcernTheNewPath)
{
    Flow flow;
    flow.AckAll(0);
    flow.Lose({6}, 0);
    flow.AckAll(3 * RTT);
    flow.Lose({6}, 3 * RTT);
    EXPECT_EQ(flow.lb->GetMoves(), 1u);
}

// Copies share their fate: both are suspect, and one moves, then the other.
TEST(UnoLb, CopiesShareTheirEntropy)
{
    Flow flow("Subflows=3|GateScope=flow");
    flow.AckAll(0);
    flow.Ack(2, 10); // 0 is the only candidate of 1 and 2 next time
    flow.Lose({1, 2}, 20);
    EXPECT_EQ(flow.lb->GetEntropies()[1], flow.first[0]);
    flow.Ack(2, 2 * RTT);
    flow.Lose({0}, 2 * RTT); // 0 and 1, and 2 is healthy
    flow.Ack(2, 4 * RTT);
    flow.Lose({0}, 4 * RTT);
    EXPECT_EQ(flow.lb->GetEntropies(),
              (std::vector<uint16_t>{flow.first[2], flow.first[2], flow.first[2]}));
    EXPECT_EQ(flow.lb->GetMoves(), 3u);
}

// A copy is as old as the subflow it copies: where both lose, it is not the first to move on.
TEST(UnoLb, ACopyHasTheLastAckOfItsOriginal)
{
    Flow flow("Subflows=2|Gate=0|GateScope=flow");
    flow.Ack(1, 0);
    flow.Ack(0, 10);
    flow.Lose({1}, 20);
    ASSERT_EQ(flow.lb->GetEntropies(), (std::vector<uint16_t>{flow.first[0], flow.first[0]}));
    flow.Lose({0}, 30); // of both; of the same age, the first
    EXPECT_NE(flow.lb->GetEntropies()[0], flow.first[0]);
    EXPECT_EQ(flow.lb->GetEntropies()[1], flow.first[0])
        << "the copy counts as silent since before it moved";
}

// What a subflow left behind says nothing about its new path.
TEST(UnoLb, ANewEntropyIsNotHealthyBeforeItsFirstAck)
{
    Flow flow("Subflows=2|Gate=0|GateScope=flow");
    flow.Ack(0, 0);
    flow.Ack(1, 1);
    flow.Lose({0, 1}, 2); // none is healthy: 0 has a new one
    EXPECT_EQ(flow.Moved(), Subflows{0});
    flow.Lose({1}, 3);
    EXPECT_EQ(flow.Moved(), (Subflows{0, 1}));
    EXPECT_NE(flow.lb->GetEntropies()[0], flow.lb->GetEntropies()[1]);
    flow.AckEntropy(flow.lb->GetEntropies()[0], 4);
    flow.lb->OnLoss(flow.lb->GetEntropies()[1], 5);
    flow.Sign(5);
    EXPECT_EQ(flow.lb->GetEntropies()[0], flow.lb->GetEntropies()[1]);
}

// Losses that the code makes up for move a subflow without recent ACK, and no other.
TEST(UnoLb, CoveredLossesMoveSilentSubflowsOnly)
{
    Flow flow("OnCoveredLoss=true|GateScope=flow");
    flow.AckAll(0);
    flow.lb->OnCoveredLoss(flow.first[3], RTT * 3 / 2 + 3); // still recent
    EXPECT_TRUE(flow.Moved().empty());
    for (const std::size_t i : {0, 1, 2})
    {
        flow.Ack(i, 2 * RTT);
    }
    flow.lb->OnCoveredLoss(flow.first[1], 2 * RTT);
    EXPECT_TRUE(flow.Moved().empty());
    flow.lb->OnCoveredLoss(flow.first[7], 2 * RTT);
    EXPECT_EQ(flow.Moved(), Subflows{7});
    EXPECT_TRUE(flow.IsCopy(7));
    flow.lb->OnCoveredLoss(flow.first[7], 4 * RTT);     // long gone
    flow.lb->OnCoveredLoss(flow.first[5], 2 * RTT + 5); // the gate
    EXPECT_EQ(flow.Moved(), Subflows{7});
    flow.lb->OnCoveredLoss(flow.first[5], 3 * RTT + 5);
    EXPECT_EQ(flow.Moved(), (Subflows{5, 7}));
    Flow silent; // Algorithm 2 knows NACKs and timeouts only
    silent.AckAll(0);
    silent.lb->OnCoveredLoss(silent.first[7], 4 * RTT);
    EXPECT_TRUE(silent.Moved().empty()) << "OnCoveredLoss=false";
    silent.Lose({2}, 4 * RTT);
    EXPECT_EQ(silent.Moved(), Subflows{2}) << "7 is remembered";
    Flow artifact("Profile=artifact"); // as any loss
    artifact.AckAll(0);
    artifact.Ack(2, RTT);
    artifact.lb->OnCoveredLoss(artifact.first[2], RTT);
    EXPECT_EQ(artifact.lb->GetMoves(), 9u);
    EXPECT_EQ(artifact.lb->GetEntropies()[2], artifact.first[2]);
}

// A recovery that cannot name what was lost: any subflow may be the one; never to where it was.
TEST(UnoLb, WithoutNamesTheMostSilentOfAll)
{
    for (uint64_t seed = 1; seed <= 100; ++seed)
    {
        Flow flow("Subflows=2|GateScope=flow", seed);
        flow.AckAll(0); // 0 before 1, both recently
        flow.Sign(50, seed % 2);
        EXPECT_EQ(flow.lb->GetEntropies(), (std::vector<uint16_t>{flow.first[1], flow.first[1]}));
        flow.Sign(2 * RTT, seed % 2);
        EXPECT_EQ(flow.lb->GetMoves(), 2u);
    }
}

TEST(UnoLb, Artifact)
{
    Flow flow("Profile=artifact");
    flow.AckAll(0);
    for (const std::size_t i : {0, 1, 2, 3, 4, 5, 6})
    {
        flow.Ack(i, RTT);
    }
    // Those without ACK for half a base RTT, whatever was lost; to new ones.
    flow.Lose({0}, RTT);
    EXPECT_EQ(flow.Moved(), (Subflows{7, 8, 9}));
    for (const std::size_t i : {7, 8, 9})
    {
        EXPECT_FALSE(flow.IsCopy(i));
    }
    const auto before = flow.lb->GetEntropies();
    flow.Lose({0}, RTT + RTT / 2); // exactly half: still recent
    EXPECT_EQ(flow.lb->GetMoves(), 3u);
    flow.Lose({0}, RTT + RTT / 2 + 1, true); // 0 to 6; for 7 to 9 the gate is closed
    EXPECT_EQ(flow.lb->GetMoves(), 10u);
    EXPECT_EQ(flow.lb->GetEntropies()[8], before[8]);
    flow.Lose({0}, 2 * RTT + 1);
    EXPECT_EQ(flow.lb->GetMoves(), 13u);
}

TEST(UnoLb, WhatIsSetHoldsWhateverTheProfile)
{
    Flow flow("Profile=artifact|Target=healthy|GateScope=flow|Move=implicated");
    flow.AckAll(0);
    flow.Lose({3, 4}, 10);
    EXPECT_EQ(flow.Moved(), Subflows{3});
    EXPECT_TRUE(flow.IsCopy(3));
    flow.Lose({4}, 20);
    EXPECT_EQ(flow.lb->GetMoves(), 1u);
    Flow subflows("GateScope=subflow|Target=fresh");
    subflows.AckAll(0);
    subflows.Lose({3, 4}, 10);
    EXPECT_EQ(subflows.Moved(), (Subflows{3, 4}));
    EXPECT_FALSE(subflows.IsCopy(3));
    subflows.Lose({5}, 20);
    EXPECT_EQ(subflows.lb->GetMoves(), 3u);
    Flow stale("Move=stale");
    stale.AckAll(0);
    stale.Ack(1, 2 * RTT);
    stale.Sign(2 * RTT + 5);
    EXPECT_EQ(stale.Moved(), (Subflows{0, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(stale.lb->GetEntropies()[0], stale.first[1]);
}

TEST(UnoLb, BadValuesAreRefusedWithTheirNames)
{
    EXPECT_EQ(ErrorOf([] { Flow("Profile=uno"); }),
              "ns3::roce::UnoLb: Profile is 'uno', expected 'paper', 'artifact'");
    EXPECT_EQ(ErrorOf([] { Flow("Move=all"); }),
              "ns3::roce::UnoLb: Move is 'all', expected 'implicated', 'stale', or profile");
    for (const char* name : {"Target", "GateScope"})
    {
        EXPECT_NE(ErrorOf([&] { Flow(std::string(name) + "=x"); }).find(name), std::string::npos);
        EXPECT_NE(ErrorOf([&] { Flow(std::string(name) + "="); }).find(name), std::string::npos);
    }
}
