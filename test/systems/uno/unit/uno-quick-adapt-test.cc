// SPDX-License-Identifier: GPL-2.0-only
// UnoCC and Quick Adapt: its trap, its silence, its timer.
#include "uno-test-util.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::unotest;

namespace
{

// The window in flight is acknowledged one RTT later, evenly spread: a path without a queue.
struct Loop
{
    explicit Loop(const Ptr<OpenUno>& law, uint64_t shareBps = G100)
        : cc(law)
    {
        gapPs = static_cast<int64_t>(MTU * 8e12 / static_cast<double>(shareBps));
    }

    /// One packet after the other until untilPs; the bottleneck sends one each gapPs.
    void Run(int64_t untilPs)
    {
        for (;;)
        {
            while (inflight.size() * MTU < cc->GetWindowBytes())
            {
                Send(*cc, nowPs, MTU);
                freePs = std::max(freePs, nowPs) + gapPs;
                inflight.emplace_back(nowPs, freePs + INTRA);
            }
            const auto [sentPs, ackPs] = inflight.front();
            if (ackPs > untilPs)
            {
                return;
            }
            inflight.pop_front();
            nowPs = ackPs;
            cc->OnAck(Ack(nowPs, nowPs - sentPs));
            least = std::min(least, Variable(*cc, "exact_window_bytes"));
            most = std::max(most, Variable(*cc, "exact_window_bytes"));
        }
    }

    Ptr<OpenUno> cc;
    int64_t gapPs;
    int64_t nowPs{0};
    int64_t freePs{0};
    double least{1e18};
    double most{0};
    std::deque<std::pair<int64_t, int64_t>> inflight; //!< sent, acknowledged
};

} // namespace

// T5's trap: from one packet per RTT a flow gets away, but not as the paper's line is written.
TEST(UnoCc, NoTrapAtOnePacket)
{
    for (const std::string alpha : {"0.001", "0.1"})
    {
        Loop loop(Make({{"AlphaFraction", alpha}, {"InitialCwndBdp", "0.001"}}));
        ASSERT_EQ(Variable(*loop.cc, "exact_window_bytes"), MTU);
        loop.Run(200 * INTRA);
        EXPECT_GT(Variable(*loop.cc, "exact_window_bytes"), 8 * MTU) << alpha;
        EXPECT_EQ(loop.cc->m_quickAdapt.GetHits(), 0u);
        Loop trapped(Make({{"AlphaFraction", alpha},
                           {"InitialCwndBdp", "0.001"},
                           {"QaReference", "current"},
                           {"QaGuardPackets", "0"},
                           {"QaSkipFirst", "false"},
                           {"QaSkipRtts", "0"}}));
        trapped.Run(200 * INTRA);
        EXPECT_GT(trapped.cc->m_quickAdapt.GetHits(), 0u) << alpha;
        EXPECT_EQ(trapped.least, MTU);
        if (alpha == "0.001") // larger steps take more than one packet with them
        {
            EXPECT_LT(trapped.most, 2.2 * MTU);
            EXPECT_GE(trapped.cc->m_quickAdapt.GetHits(), 5u);
        }
    }
}

// A share of one eighth: the first windows are a BDP too large.
TEST(UnoCc, QuickAdaptFindsTheShareOfAnIncast)
{
    Loop loop(Make(), G100 / 8);
    loop.Run(6 * INTRA);
    EXPECT_GE(loop.cc->m_quickAdapt.GetHits(), 1u);
    EXPECT_NEAR(Variable(*loop.cc, "exact_window_bytes"), 175000 / 8.0, 1.2 * MTU);
    Loop off(Make({{"QaEnable", "false"}}), G100 / 8);
    off.Run(6 * INTRA);
    EXPECT_GT(Variable(*off.cc, "exact_window_bytes"), 175000);
}

TEST(UnoCc, PeriodsAreOfTheBaseRttSoThatTheySeeQueues)
{
    auto cc = Make();
    for (int64_t nowPs = 3 * INTRA; nowPs < 30 * INTRA; nowPs += INTRA / 7)
    {
        cc->OnAck(Ack(nowPs, 3 * INTRA, true, 175000 / 21)); // a window in three base RTTs
    }
    EXPECT_GT(cc->m_quickAdapt.GetHits(), 0u);
}

TEST(UnoCc, NoDecreaseForAnRttAfterQuickAdapt)
{
    auto cc = Make({{"QaSkipFirst", "false"}, {"EcnInit", "0.5"}});
    cc->OnAck(Ack(INTRA, INTRA));
    const int64_t hit = 2 * INTRA;
    cc->OnAck(Ack(hit, INTRA - 1, true, 50000)); // ends an epoch and the period: both act
    EXPECT_EQ(cc->m_quickAdapt.GetHits(), 1u);
    EXPECT_EQ(cc->m_counters.cuts, 1u);
    EXPECT_EQ(Variable(*cc, "exact_window_bytes"), 50000);
    const uint64_t epochs = cc->m_counters.epochs;
    const double ewma = cc->m_epoch.GetEwma();
    cc->OnAck(Ack(hit + INTRA - 1, INTRA - 1, true, 0));
    EXPECT_EQ(cc->m_counters.epochs, epochs + 1) << "epochs go on";
    EXPECT_GT(cc->m_epoch.GetEwma(), ewma) << "and so does the average";
    EXPECT_EQ(Variable(*cc, "exact_window_bytes"), 50000) << "but nothing is cut";
    cc->OnAck(Ack(hit + INTRA, INTRA - 1, true, 60000)); // sent too early to end an epoch
    EXPECT_EQ(cc->m_counters.cuts, 1u);
    cc->OnAck(Ack(hit + INTRA + 16 * US, 16 * US, true, 60000));
    EXPECT_EQ(cc->m_quickAdapt.GetHits(), 1u);
    EXPECT_EQ(cc->m_counters.cuts, 2u);
    EXPECT_LT(Variable(*cc, "exact_window_bytes"), 50000);
    // increases stay
    auto grows = Make({{"QaSkipFirst", "false"}, {"QaSkipRtts", "2"}});
    grows->OnAck(Ack(INTRA, INTRA));
    grows->OnAck(Ack(hit, INTRA, true, 50000));
    ASSERT_EQ(grows->m_quickAdapt.GetHits(), 1u);
    grows->OnAck(Ack(hit + 1, INTRA));
    EXPECT_GT(Variable(*grows, "exact_window_bytes"), 50000);
    grows->OnAck(Ack(hit + 2 * INTRA - 1, INTRA, true, 0));
    EXPECT_EQ(grows->m_quickAdapt.GetHits(), 1u);
    EXPECT_EQ(grows->m_counters.cuts, 1u);
}

TEST(UnoCc, QuickAdaptTimerIsLazy)
{
    auto cc = Make({{"QaSkipFirst", "false"}});
    EXPECT_EQ(cc->NextRateChangePs(), NEVER_PS);
    cc->OnAck(Ack(INTRA, INTRA));
    const int64_t due = INTRA + INTRA * 3 / 2;
    EXPECT_EQ(cc->NextRateChangePs(), due);
    cc->Advance(due - 1);
    EXPECT_GT(Variable(*cc, "exact_window_bytes"), 175000);
    cc->Advance(due);
    EXPECT_EQ(Variable(*cc, "exact_window_bytes"), MTU);
    EXPECT_EQ(cc->GetWindowBytes(), MTU);
    EXPECT_NEAR(static_cast<double>(cc->GetRateBps()), MTU * 8e12 / INTRA, 1);
    cc->Advance(1000000000 * INTRA); // ends at once
    EXPECT_EQ(cc->NextRateChangePs(), NEVER_PS);
    // an ACK or a timeout catches up
    for (const bool timeout : {false, true})
    {
        auto late = Make({{"QaSkipFirst", "false"}});
        late->OnAck(Ack(INTRA, INTRA));
        timeout ? late->OnTimeout(due + 5) : late->OnAck(Ack(due + 5, INTRA, true, 9 * MTU));
        EXPECT_EQ(Variable(*late, "exact_window_bytes"), MTU);
        EXPECT_EQ(late->m_quickAdapt.GetHits(), 1u);
    }
    auto unpaced = Make({{"QaSkipFirst", "false"}, {"Pacing", "false"}});
    unpaced->OnAck(Ack(INTRA, INTRA));
    EXPECT_EQ(unpaced->NextRateChangePs(), NEVER_PS) << "the window is looked at with an ACK only";
    unpaced->OnAck(Ack(due, INTRA, true));
    EXPECT_EQ(Variable(*unpaced, "exact_window_bytes"), MTU);
}

TEST(UnoCc, EndOfAFlowIsNotCongestion)
{
    auto cc = Make();
    for (int i = 1; i < 20; ++i)
    {
        AckInfo ack = Ack(i * INTRA, INTRA);
        ack.hasMore = false;
        cc->OnAck(ack);
    }
    EXPECT_EQ(cc->m_quickAdapt.GetHits(), 0u);
    EXPECT_EQ(cc->NextRateChangePs(), NEVER_PS);
}
