// SPDX-License-Identifier: GPL-2.0-only
// BBR over a model of one bottleneck: idle and limited applications, PROBE_RTT, losses, profile
// artifact, attributes.
#include "bbr-pipe.h"

#include "ns3/roce-input-error.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

TEST(Bbr, ApplicationLimitedSamplesDoNotLowerTheBandwidth)
{
    Pipe p;
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
    p.posted = 0;
    p.Run(p.now + MS);
    EXPECT_TRUE(p.cc->GetDelivery().IsAppLimited());
    const double before = Variable(*p.cc, "bottleneck_bps");
    const uint64_t rounds = p.cc->m_rounds;
    for (int i = 0; i < 30; ++i) // two frames each millisecond
    {
        p.posted = 2;
        p.Run(p.now + MS);
    }
    EXPECT_GE(p.cc->m_rounds, rounds + 30);
    EXPECT_EQ(Variable(*p.cc, "bottleneck_bps"), before);
    EXPECT_EQ(Variable(*p.cc, "pacing_gain") * before,
              Variable(*p.cc, "pacing_gain") * Variable(*p.cc, "bottleneck_bps"));
    p.posted = UINT64_MAX;
    p.Run(p.now + 5 * MS);
    EXPECT_FALSE(p.cc->GetDelivery().IsAppLimited());
    EXPECT_NEAR(Variable(*p.cc, "bottleneck_bps"), G10, 0.01 * G10);
}

// AppLimited=false: they count as any other, so that the bandwidth is forgotten.
TEST(Bbr, ApplicationLimitedSamplesMayCount)
{
    Pipe p(Attributes{{"AppLimited", "false"}});
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
    for (int i = 0; i < 30; ++i)
    {
        p.posted = 2;
        p.Run(p.now + MS);
    }
    EXPECT_FALSE(p.cc->GetDelivery().IsAppLimited());
    EXPECT_LT(Variable(*p.cc, "bottleneck_bps"), 0.1 * G10) << "two frames in a round trip";
}

TEST(Bbr, ApplicationLimitedFlowStaysInStartup)
{
    Pipe p;
    for (int i = 0; i < 20; ++i)
    {
        p.posted = 5;
        p.Run(p.now + MS);
    }
    EXPECT_EQ(p.cc->m_state, BbrState::STARTUP);
    p.posted = UINT64_MAX;
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, p.now + 10 * MS));
    EXPECT_NEAR(Variable(*p.cc, "bottleneck_bps"), G10, 0.01 * G10);
}

TEST(Bbr, RestartFromIdleAtTheEstimate)
{
    Pipe p(Attributes{{"StartPhase", "0"}});
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
    p.posted = 0;
    EXPECT_FALSE(p.RunUntil(p.now + MS, [&]() { return Variable(*p.cc, "pacing_gain") == 0.75; }));
    ASSERT_EQ(Variable(*p.cc, "pacing_gain"), 1.25);
    p.posted = 5;
    p.RunUntil(p.now + US, []() { return true; });
    EXPECT_NEAR(static_cast<double>(p.cc->GetRateBps()), Variable(*p.cc, "bottleneck_bps"), 1);
}

TEST(Bbr, ProbeRtt)
{
    Pipe p(Attributes{{"RttWindow", "5ms"}, {"ProbeRttDuration", "1ms"}});
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 3 * MS));
    const double window = static_cast<double>(p.cc->GetWindowBytes());
    p.extraPs = 10 * US; // RTprop is not seen any more
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_RTT, 12 * MS));
    EXPECT_GE(p.now, 5 * MS);
    EXPECT_GE(RtPropPs(*p.cc), 110 * US); // any RTT: what came first
    EXPECT_EQ(p.cc->GetWindowBytes(), 4u * FRAME);
    EXPECT_EQ(Variable(*p.cc, "pacing_gain"), 1);
    const int64_t from = p.now;
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 20 * MS));
    // time until four are in flight, about an RTT, then 1 ms
    EXPECT_GE(p.now - from, MS + 90 * US);
    EXPECT_LE(p.now - from, MS + 400 * US);
    EXPECT_EQ(RtPropPs(*p.cc), 110 * US);
    EXPECT_GE(static_cast<double>(p.cc->GetWindowBytes()), 0.95 * window);
    // what it delivered meanwhile does not count
    EXPECT_NEAR(Variable(*p.cc, "bottleneck_bps"), G10, 0.01 * G10);
    // and again, after 5 ms more
    const int64_t end = p.now;
    p.extraPs = 20 * US;
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_RTT, 40 * MS));
    EXPECT_GE(p.now, end + 5 * MS);
    Pipe without(Attributes{{"RttWindow", "5ms"}, {"ProbeRtt", "false"}});
    ASSERT_TRUE(without.RunTo(BbrState::PROBE_BW, 3 * MS));
    without.extraPs = 10 * US;
    EXPECT_FALSE(without.RunTo(BbrState::PROBE_RTT, 12 * MS));
    EXPECT_GE(RtPropPs(*without.cc), 110 * US); // the first one after that time
}

TEST(Bbr, ProbeRttMakesTheRttNew)
{
    // Even if it has not been seen meanwhile: the next PROBE_RTT is due 5 ms after the end of this
    // one.
    Pipe p(Attributes{{"RttWindow", "5ms"}, {"ProbeRttDuration", "1ms"}});
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 3 * MS));
    p.extraPs = 10 * US;
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_RTT, 12 * MS));
    p.extraPs = 100 * US;
    p.Run(p.now + 400 * US); // what was sent before has arrived
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 20 * MS));
    const int64_t end = p.now;
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_RTT, 40 * MS));
    EXPECT_GE(p.now, end + 5 * MS);
}

TEST(Bbr, ProbeRttOfAStartup)
{
    // Before the pipe is full: back to STARTUP.
    Pipe p(Attributes{{"RttWindow", "300us"}, {"ProbeRttDuration", "0ns"}});
    p.RunUntil(MS, [&]() { return p.acked == 1; });
    p.extraPs = US;
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_RTT, 2 * MS));
    ASSERT_TRUE(p.RunUntil(2 * MS, [&]() { return p.inflight <= 4 * FRAME; }));
    const int64_t from = p.now;
    ASSERT_TRUE(p.RunTo(BbrState::STARTUP, 4 * MS));
    EXPECT_GE(p.now - from, 95 * US); // a round trip, without any duration
    EXPECT_DOUBLE_EQ(Variable(*p.cc, "pacing_gain"), 2.8853900817779268);
}

TEST(Bbr, NoProbeRttAfterIdleTime)
{
    Pipe p(Attributes{{"RttWindow", "5ms"}});
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 3 * MS));
    p.posted = 0;
    p.Run(20 * MS);
    p.posted = 50;
    EXPECT_FALSE(p.RunTo(BbrState::PROBE_RTT, 24 * MS));
}

TEST(Bbr, PacketConservation)
{
    Pipe p(Attributes{{"StartPhase", "2"}});
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
    p.Run(p.now + 200 * US);
    const uint64_t window = p.cc->GetWindowBytes();
    ASSERT_EQ(Variable(*p.cc, "pacing_gain"), 1);
    p.lossNext = true;
    p.RunUntil(p.now + MS, []() { return true; });
    EXPECT_TRUE(p.cc->m_recovering);
    const uint64_t conserved = p.inflight + FRAME;
    EXPECT_EQ(p.cc->GetWindowBytes(), conserved);
    EXPECT_LT(conserved, window);
    const int64_t from = p.now;
    ASSERT_TRUE(p.RunUntil(p.now + MS, [&]() {
        EXPECT_TRUE(!p.cc->m_recovering || p.cc->GetWindowBytes() == conserved);
        return !p.cc->m_recovering;
    }));
    EXPECT_NEAR(static_cast<double>(p.now - from), 100e6, 5e6); // a round trip
    EXPECT_GE(p.cc->GetWindowBytes(), window);
    Pipe without(Attributes{{"StartPhase", "2"}, {"Recovery", "false"}});
    ASSERT_TRUE(without.RunTo(BbrState::PROBE_BW, 10 * MS));
    without.lossNext = true;
    without.RunUntil(without.now + MS, []() { return true; });
    EXPECT_FALSE(without.cc->m_recovering);
}

// All that is in flight may be lost: a frame can go out all the same.
TEST(Bbr, PacketConservationLeavesAFrame)
{
    Pipe p;
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
    AckInfo lost;
    lost.nowPs = p.now;
    lost.isLoss = lost.hasMore = true;
    p.cc->OnAck(lost);
    EXPECT_TRUE(p.cc->m_recovering);
    EXPECT_EQ(p.cc->GetWindowBytes(), FRAME);
}

TEST(Bbr, GoBackNLeavesTheWindow)
{
    Pipe p;
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
    p.Run(p.now + 200 * US);
    const uint64_t window = p.cc->GetWindowBytes();
    AckInfo nak;
    nak.nowPs = p.now;
    nak.isNak = nak.isLoss = nak.hasMore = true;
    p.cc->OnAck(nak);
    EXPECT_EQ(p.cc->GetWindowBytes(), window);
    EXPECT_FALSE(p.cc->m_recovering);
}

TEST(Bbr, Timeouts)
{
    Pipe p;
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
    p.Run(p.now + 200 * US);
    const uint64_t window = p.cc->GetWindowBytes();
    p.posted = 0;
    p.Run(p.now + MS);
    p.cc->OnTimeout(p.now);
    p.cc->OnTimeout(p.now + US); // the window that comes back is the first one's
    EXPECT_EQ(p.cc->GetWindowBytes(), FRAME);
    p.posted = UINT64_MAX;
    ASSERT_TRUE(p.RunUntil(p.now + MS, []() { return true; }));
    EXPECT_GE(p.cc->GetWindowBytes(), window);
    Pipe without(Attributes{{"Recovery", "false"}});
    ASSERT_TRUE(without.RunTo(BbrState::PROBE_BW, 10 * MS));
    without.posted = 0;
    without.Run(without.now + MS);
    without.cc->OnTimeout(without.now);
    without.posted = UINT64_MAX;
    ASSERT_TRUE(without.RunUntil(without.now + MS, []() { return true; }));
    EXPECT_EQ(without.cc->GetWindowBytes(), 4u * FRAME);
}

TEST(Bbr, TimersOfEachPacket)
{
    for (const char* profile : {"paper", "artifact"})
    {
        Pipe p(Attributes{{"Profile", profile}});
        ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
        const uint64_t window = p.cc->GetWindowBytes();
        p.cc->OnFurtherTimeout(p.now);
        EXPECT_EQ(p.cc->GetWindowBytes(), profile == std::string("artifact") ? FRAME : window);
    }
    // from one frame the window grows by a frame with each ACK: the paper's by four with the first
    for (const auto& [profile, frames] : {std::pair("paper", 4U), std::pair("artifact", 2U)})
    {
        Pipe p(Attributes{{"Profile", profile}, {"Recovery", "false"}});
        ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
        p.posted = 0;
        p.Run(p.now + MS);
        p.cc->OnTimeout(p.now);
        AckInfo ack;
        ack.nowPs = p.now;
        ack.ackedPackets = 1;
        ack.ackedBytes = FRAME;
        p.cc->OnAck(ack);
        EXPECT_EQ(p.cc->GetWindowBytes(), frames * FRAME) << profile;
    }
    Pipe each(Attributes{{"TimeoutScope", "each"}});
    each.cc->OnFurtherTimeout(each.now);
    EXPECT_EQ(each.cc->GetWindowBytes(), FRAME);
}

TEST(Bbr, Artifact)
{
    Pipe p(Attributes{{"Profile", "artifact"}});
    const BbrParams& params = p.cc->GetParams();
    EXPECT_EQ(params.startupGain, 2.89);
    EXPECT_EQ(params.drainGain, 0.35);
    EXPECT_FALSE(params.probeRtt);
    EXPECT_FALSE(params.recovers);
    EXPECT_EQ(p.cc->GetWindowBytes(), 1250000u);
    EXPECT_EQ(RtPropPs(*p.cc), 100 * US);
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
    const int64_t start = p.now;
    ASSERT_TRUE(p.RunUntil(10 * MS, [&]() { return p.cc->m_phase == 1; }));
    EXPECT_NEAR(static_cast<double>(p.now - start), 100e6, 1e6);
    ASSERT_TRUE(p.RunUntil(10 * MS, [&]() { return p.cc->m_phase == 2; }));
    EXPECT_NEAR(static_cast<double>(p.now - start), 200e6, 2e6); // the full phase at 0.75, too
    p.Run(20 * MS);
    EXPECT_NEAR(Variable(*p.cc, "bottleneck_bps"), G10, 0.01 * G10);
    EXPECT_EQ(p.cc->GetWindowBytes(), 1250000u) << "it falls with timeouts only";
    EXPECT_LE(Pipe(Attributes{{"Profile", "artifact"}}, 80000).cc->GetWindowBytes(), 1250000u);
    Pipe full(Attributes{{"Profile", "artifact"}}, 80000); // the whole line: never above a BDP
    full.RunUntil(5 * MS, [&]() {
        EXPECT_LE(full.cc->GetWindowBytes(), 1250000u);
        return false;
    });
    // what is set by hand holds
    EXPECT_EQ(Pipe(Attributes{{"StartPhase", "3"}, {"InitialCwnd", "7"}, {"Profile", "artifact"}})
                  .cc->GetWindowBytes(),
              7u * FRAME);
}

// The artifact's window has no other way down than timeouts.
TEST(Bbr, WindowFallsWithItsTargetOrNot)
{
    for (const bool falls : {true, false})
    {
        Pipe p(Attributes{{"InitialCwnd", "0"}, {"WindowFalls", falls ? "true" : "false"}});
        ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 30 * MS));
        p.Run(p.now + 5 * MS);
        if (falls)
        {
            EXPECT_NEAR(static_cast<double>(p.cc->GetWindowBytes()), (2 * 125 + 3) * FRAME, 3000);
        }
        else
        {
            EXPECT_GE(p.cc->GetWindowBytes(), 1250000u);
            p.cc->OnTimeout(p.now);
            EXPECT_EQ(p.cc->GetWindowBytes(), FRAME);
        }
    }
}

// A flow that finds less than the least bandwidth is paced by that.
TEST(Bbr, MinPacing)
{
    Pipe p(Attributes{{"StartPhase", "2"}, {"MinPacing", "3Gbps"}}, 4000000); // 2 Gbit/s
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 100 * MS));
    ASSERT_TRUE(p.RunUntil(100 * MS, []() { return true; }));
    EXPECT_NEAR(Variable(*p.cc, "bottleneck_bps"), 2e9, 2e7);
    EXPECT_EQ(p.cc->GetRateBps(), 3000000000u);
}

TEST(Bbr, PaceOfARoundTripIsThatOfTheAckBefore)
{
    Pipe p(Attributes{{"Rounds", "rtProp"}, {"PacingUpdate", "round"}});
    uint64_t rounds = 0;
    uint64_t changes = 0;
    uint64_t rate = p.cc->GetRateBps();
    p.RunUntil(10 * MS, [&]() {
        changes += p.cc->GetRateBps() != rate;
        EXPECT_TRUE(p.cc->GetRateBps() == rate || p.cc->m_rounds != rounds) << p.now;
        rate = p.cc->GetRateBps();
        rounds = p.cc->m_rounds;
        return false;
    });
    EXPECT_GT(changes, 10u);
}

// 1000 B at 10 Gbit/s and 1.25 are 640 ns apart; with a step of 100 ns those that have not grown by
// it are 200 ns less than the last one. From 640 ns: 440, then 640 again.
TEST(Bbr, PacingStepShortensGapsWhileTheGainIsAboveOne)
{
    Pipe p(Attributes{{"StartPhase", "0"}, {"PacingStep", "100ns"}});
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
    std::vector<double> gaps;
    ASSERT_TRUE(p.RunUntil(20 * MS, [&]() {
        gaps.push_back(8e12 / static_cast<double>(p.cc->GetRateBps()));
        return gaps.size() == 40;
    }));
    ASSERT_EQ(p.cc->m_phase, 0u);
    for (std::size_t i = 20; i + 1 < gaps.size(); ++i)
    {
        EXPECT_NEAR(gaps[i], gaps[i - 1] > 540 ? 440 : 640, 10) << i;
    }
    ASSERT_TRUE(p.RunUntil(20 * MS, [&]() { return p.cc->m_phase == 2; }));
    EXPECT_NEAR(static_cast<double>(p.cc->GetRateBps()), G10, 0.02 * G10) << "the gain is 1";
    // A gap of less than two steps would be none: it is one step.
    Pipe fast(Attributes{{"PacingStep", "100ns"}, {"InitialCwnd", "0"}}, 80000);
    ASSERT_TRUE(fast.RunUntil(10 * MS, []() { return true; }));
    EXPECT_NEAR(static_cast<double>(fast.cc->GetRateBps()), 80e9, 1) << "1000 B in 100 ns";
}

// A frame that waits at the sender behind an idle time: longer than its RTT.
TEST(Bbr, SampleIntervalIsTheLongerOneOrTheRtt)
{
    for (const bool byRtt : {false, true})
    {
        auto cc =
            MakeLaw<OpenBbr>(Attributes{{"SampleInterval", byRtt ? "rtt" : "longer"}}, PIPE_PATH);
        const auto ack = [&cc](int64_t nowPs, int64_t sentPs, uint64_t inflight) {
            AckInfo info;
            info.nowPs = nowPs;
            info.rttPs = nowPs - sentPs;
            info.ackedBytes = FRAME;
            info.ackedPackets = 1;
            info.inflightBytes = inflight;
            info.hasMore = true;
            cc->OnAck(info);
        };
        Send(*cc, 0, FRAME);
        Send(*cc, 1 * US, FRAME);
        ack(100 * US, 0, FRAME);
        Send(*cc, 150 * US, FRAME); // 50 us after the last delivery
        ack(151 * US, 1 * US, FRAME);
        ack(250 * US, 150 * US, 0);
        // Two frames: in 100 us by its RTT, in 150 us since the delivery before.
        EXPECT_NEAR(Variable(*cc, "bottleneck_bps"), byRtt ? 160e6 : 16000 / 150e-6, 1e3) << byRtt;
    }
}

TEST(Bbr, BadAttributes)
{
    for (const auto& [name, value] : Attributes{{"Profile", "v2"},
                                                {"Rounds", "us"},
                                                {"RttWindow", "-2ns"},
                                                {"ProbeRttDuration", "-2ns"},
                                                {"InitialCwnd", "0.5"},
                                                {"MaxCwndBdp", "-2"}})
    {
        const Attributes one{{name, value}};
        EXPECT_EQ(ErrorOf([&]() { Pipe p(one); }).rfind("ns3::roce::Bbr: " + name + " is ", 0), 0u)
            << name;
    }
    EXPECT_NE(ErrorOf([]() { CreateObject<Bbr>()->Start(PathInfo(), 0); }).find("base RTT"),
              std::string::npos);
}

TEST(Bbr, Variables)
{
    Pipe p;
    p.Run(10 * MS);
    EXPECT_NEAR(Variable(*p.cc, "bottleneck_bps"), G10, 0.01 * G10);
    EXPECT_EQ(Variable(*p.cc, "rt_prop_ns"), 100000);
    EXPECT_EQ(Variable(*p.cc, "state"), 2);
}
