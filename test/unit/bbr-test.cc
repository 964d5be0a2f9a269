// SPDX-License-Identifier: GPL-2.0-only
// BBR over a model of one bottleneck: STARTUP, DRAIN, the cycle of gains, the filter of the
// bandwidth.
#include "bbr-pipe.h"

#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

TEST(Bbr, Start)
{
    Pipe p;
    EXPECT_EQ(p.cc->m_state, BbrState::STARTUP);
    EXPECT_EQ(p.cc->GetWindowBytes(), 10000u);
    // 2/ln 2 * 10 * 8000 bit in 100 us
    EXPECT_NEAR(static_cast<double>(p.cc->GetRateBps()), 2.885390082 * 0.8e9, 1);
    EXPECT_EQ(RtPropPs(*p.cc), 0);
    EXPECT_TRUE(p.cc->NeedsTimestamp());
    EXPECT_FALSE(p.cc->IsEcnCapable());
    EXPECT_FALSE(p.cc->NeedsEcn());
    EXPECT_EQ(p.cc->GetWarning(), "");
    EXPECT_EQ(Pipe(Attributes{{"InitialCwnd", "0"}}).cc->GetWindowBytes(), 1250000u);
}

TEST(Bbr, FirstRoundTripGrowsByWhatIsAcknowledged)
{
    Pipe p;
    for (uint64_t i = 1; i <= 9; ++i)
    {
        p.RunUntil(MS, []() { return true; });
        EXPECT_EQ(p.cc->GetWindowBytes(), 10000 + i * FRAME);
    }
    EXPECT_EQ(p.cc->m_rounds, 1u);
    EXPECT_EQ(RtPropPs(*p.cc), 100 * US);
}

TEST(Bbr, StartupDoublesAndEnds)
{
    Pipe p;
    std::vector<double> perRound;
    uint64_t rounds = 0;
    ASSERT_TRUE(p.RunUntil(10 * MS, [&]() {
        if (p.cc->m_rounds != rounds)
        {
            rounds = p.cc->m_rounds;
            perRound.push_back(Variable(*p.cc, "bottleneck_bps"));
        }
        return p.cc->m_state != BbrState::STARTUP;
    }));
    // From 10 to 125 frames in flight are 3.6 doublings; three more round trips find no growth.
    EXPECT_GE(rounds, 7u);
    EXPECT_LE(rounds, 10u);
    EXPECT_GE(perRound[3], 1.7 * perRound[2]); // a sample of a round trip's first ACK
    EXPECT_NEAR(Variable(*p.cc, "bottleneck_bps"), G10, 0.01 * G10);
    EXPECT_EQ(p.cc->m_state, BbrState::DRAIN);
    EXPECT_DOUBLE_EQ(Variable(*p.cc, "pacing_gain"), 1 / 2.8853900817779268);
    EXPECT_NEAR(static_cast<double>(p.cc->GetRateBps()), 0.34657 * G10, 0.01 * G10);
    // STARTUP's window was 2/ln 2 of the BDP, so 1.89 of it are in the queue at most
    EXPECT_LE(p.Queue(), 1.95 * 125 * FRAME);
    EXPECT_GE(p.Queue(), 1.5 * 125 * FRAME);
}

TEST(Bbr, DrainEmptiesTheQueue)
{
    Pipe p;
    ASSERT_TRUE(p.RunTo(BbrState::DRAIN, 10 * MS));
    const int64_t from = p.now;
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
    EXPECT_LE(p.inflight, (125u + 3) * FRAME);
    // 1.89 BDPs at 1 - 0.347 of the rate: 2.9 round trips
    EXPECT_NEAR(static_cast<double>(p.now - from), 290e6, 40e6);
}

TEST(Bbr, CycleOfGains)
{
    Pipe p(Attributes{{"StartPhase", "2"}});
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
    EXPECT_EQ(p.cc->m_phase, 2u);
    EXPECT_EQ(Variable(*p.cc, "pacing_gain"), 1);
    // window 2 BDP + 3 frames, reached by what is acknowledged
    std::vector<int64_t> starts(8, 0);
    std::vector<double> gains(8, 0);
    uint32_t phase = 2;
    double most = 0;
    while (p.now < 20 * MS && starts[1] == 0)
    {
        p.RunUntil(20 * MS, [&]() {
            most = std::max(most, p.Queue());
            return p.cc->m_phase != phase;
        });
        EXPECT_EQ(p.cc->m_phase, (phase + 1) % 8);
        phase = p.cc->m_phase;
        starts[phase] = p.now;
        gains[phase] = Variable(*p.cc, "pacing_gain");
    }
    EXPECT_EQ(gains, (std::vector<double>{1.25, 0.75, 0, 1, 1, 1, 1, 1}));
    for (const uint32_t i : {4, 5, 6, 7})
    {
        EXPECT_NEAR(static_cast<double>(starts[i] - starts[i - 1]), 100e6, 2e6) << i;
    }
    // a quarter of a BDP more, which the next phase takes away
    EXPECT_GE(most, 0.2 * 125 * FRAME);
    p.RunUntil(30 * MS, [&]() { return p.cc->m_phase == 2; });
    EXPECT_LE(p.Queue(), 8 * FRAME);
    p.Run(30 * MS);
    EXPECT_NEAR(static_cast<double>(p.cc->GetWindowBytes()), (2 * 125 + 3) * FRAME, 3000);
    EXPECT_NEAR(Variable(*p.cc, "bottleneck_bps"), G10, 0.01 * G10);
    EXPECT_EQ(RtPropPs(*p.cc), 100 * US);
}

TEST(Bbr, ProbingLastsUntilTheGainIsInFlight)
{
    // A phase at 1.25 ends once that much is in flight, after RTprop at least. A window that stays
    // below (MaxCwndBdp: 1.05 times the 125 frames of the path) never gets there.
    Pipe free(Attributes{{"StartPhase", "0"}});
    ASSERT_TRUE(free.RunTo(BbrState::PROBE_BW, 10 * MS));
    EXPECT_EQ(Variable(*free.cc, "pacing_gain"), 1.25);
    EXPECT_TRUE(free.RunUntil(free.now + 300 * US, [&]() { return free.cc->m_phase == 1; }));
    Pipe held(Attributes{{"StartPhase", "0"}, {"MaxCwndBdp", "0.105"}});
    ASSERT_TRUE(held.RunTo(BbrState::PROBE_BW, 10 * MS));
    EXPECT_FALSE(held.RunUntil(held.now + 2 * MS, [&]() { return held.cc->m_phase == 1; }));
    held.lossNext = true; // unless there is a loss
    EXPECT_TRUE(held.RunUntil(held.now + 10 * US, [&]() { return held.cc->m_phase == 1; }));
    // The next one is over as soon as no more than a BDP is in flight.
    EXPECT_TRUE(held.RunUntil(held.now + 50 * US, [&]() { return held.cc->m_phase == 2; }));
}

TEST(Bbr, StartPhaseIsDrawnFromTheTime)
{
    std::vector<int> seen(8, 0);
    for (int64_t i = 0; i < 400; ++i)
    {
        Pipe p({}, 800000 + i);
        Pipe again({}, 800000 + i);
        ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
        ASSERT_TRUE(again.RunTo(BbrState::PROBE_BW, 10 * MS));
        EXPECT_EQ(p.cc->m_phase, again.cc->m_phase);
        ++seen[p.cc->m_phase];
    }
    EXPECT_EQ(seen[1], 0);
    for (const int i : {0, 2, 3, 4, 5, 6, 7})
    {
        EXPECT_NEAR(seen[i], 400 / 7.0, 30) << i;
    }
}

TEST(Bbr, BandwidthIsTheGreatestOfTenRoundTrips)
{
    Pipe p(Attributes{{"StartPhase", "2"}});
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
    p.Run(p.now + MS);
    p.frameTimePs = 1600000; // half of it is left
    const uint64_t rounds = p.cc->m_rounds;
    ASSERT_TRUE(p.RunUntil(60 * MS, [&]() { return p.cc->m_rounds >= rounds + 9; }));
    EXPECT_GT(Variable(*p.cc, "bottleneck_bps"), 0.98 * G10);
    ASSERT_TRUE(p.RunUntil(60 * MS, [&]() { return p.cc->m_rounds >= rounds + 13; }));
    EXPECT_NEAR(Variable(*p.cc, "bottleneck_bps"), G10 / 2, 0.03 * G10);
}

TEST(Bbr, FindsMoreBandwidth)
{
    Pipe p;
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
    p.frameTimePs = 400000;
    p.Run(p.now + 5 * MS); // five cycles of 1.25
    EXPECT_NEAR(Variable(*p.cc, "bottleneck_bps"), 2 * G10, 0.02 * G10);
}
