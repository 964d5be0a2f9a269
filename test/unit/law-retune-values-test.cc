// SPDX-License-Identifier: GPL-2.0-only
// What a value does that a law takes over while it runs, one or two for each law. What all laws
// keep to is in law-retune-test.cc.
#include "bbr-pipe.h"

#include "ns3/roce-dctcp.h"
#include "ns3/roce-gemini.h"
#include "ns3/roce-hpcc.h"
#include "ns3/roce-mp-rdma.h"
#include "ns3/roce-power-tcp.h"
#include "ns3/roce-swift.h"
#include "ns3/roce-timely.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

const PathInfo PATH = MakePath(G100, 12 * US, 1000); // BDP 150,000 B

/// A running law hears of other attributes.
template <typename T>
void
Retune(const Ptr<T>& law, const Attributes& attributes, int64_t nowPs = 0)
{
    law->Retune(*With<T>(attributes), nowPs);
}

/// An ACK of a full frame; the window is full.
AckInfo
AckOf(const CongestionControl& law, int64_t nowPs, double rttUs, uint64_t psn, uint32_t marked = 0)
{
    AckInfo ack;
    ack.nowPs = nowPs;
    ack.rttPs = static_cast<int64_t>(rttUs * US);
    ack.ackPsn = psn;
    ack.sndNxtPsn = psn + 100;
    ack.ackedPackets = 1;
    ack.ackedBytes = law.GetPath().fullFrameBytes;
    ack.inflightBytes = law.GetWindowBytes();
    ack.markedPackets = marked;
    ack.ecnEcho = marked > 0;
    return ack;
}

/// A port that is busy, with a standing queue, as each of two ACKs in a row shows it.
void
BusyPort(CongestionControl& law, EgressPort& port, uint64_t psn)
{
    port.Run(12 * US, 100e9, 150000); // power and utilisation 2
    roce::test::AckOf(law, psn, psn + 100, {port});
}

} // namespace

TEST(RetunedValues, SwiftTargetAndBounds)
{
    const auto law = MakeLaw<Swift>({{"TopologyScaling", "false"}, {"FlowScaling", "false"}}, PATH);
    law->OnAck(AckOf(*law, 100 * US, 20, 1)); // below 25 us
    EXPECT_DOUBLE_EQ(law->GetCwnd(), 32 + 1.0 / 32);
    const Attributes lower{{"TopologyScaling", "false"},
                           {"FlowScaling", "false"},
                           {"BaseTarget", "16us"}};
    Retune(law, lower, 110 * US);
    EXPECT_DOUBLE_EQ(law->GetCwnd(), 32 + 1.0 / 32);
    EXPECT_EQ(Variable(*law, "target_delay_ns"), 16000);
    law->OnAck(AckOf(*law, 200 * US, 20, 2));
    EXPECT_DOUBLE_EQ(law->GetCwnd(), (32 + 1.0 / 32) * (1 - 0.8 * 4 / 20));
    Retune(law, Join(lower, {{"CwndMax", "7.5"}}), 210 * US);
    EXPECT_EQ(law->GetCwnd(), 7.5);
    EXPECT_EQ(law->GetWindowBytes(), 7000u);
    Retune(law, Join(lower, {{"CwndMax", "0.5"}}), 220 * US);
    EXPECT_EQ(law->GetWindowBytes(), 1000u);
    EXPECT_EQ(law->GetRateBps(), 200000000u) << "half a frame in the smoothed 20 us";
}

TEST(RetunedValues, TimelyThresholds)
{
    const Attributes plain{{"SubtractSerialisation", "false"}, {"MinRtt", "20us"}};
    const auto law = MakeLaw<Timely>(plain, PATH);
    law->OnAck(AckOf(*law, 100 * US, 300, 1));
    law->OnAck(AckOf(*law, 500 * US, 300, 200)); // between the thresholds, no gradient
    EXPECT_EQ(law->GetRateBps(), G100);
    Retune(law, Join(plain, {{"THigh", "200us"}}), 600 * US);
    EXPECT_EQ(law->GetRateBps(), G100);
    law->OnAck(AckOf(*law, 900 * US, 300, 400)); // Beta (1 - 200 / 300)
    EXPECT_NEAR(static_cast<double>(law->GetRateBps()), G100 * (1 - 0.8 / 3), 1);
    Retune(law, Join(plain, {{"TLow", "400us"}, {"Delta", "2Gbps"}}), 1000 * US);
    const uint64_t before = law->GetRateBps();
    law->OnAck(AckOf(*law, 1300 * US, 390, 600)); // a gradient does not count below TLow
    EXPECT_EQ(law->GetRateBps(), before + 2000000000);
    Retune(law, Join(plain, {{"MinRate", "90Gbps"}}), 1400 * US);
    EXPECT_EQ(law->GetRateBps(), 90000000000u);
}

TEST(RetunedValues, HpccEta)
{
    const auto law = MakeLaw<Hpcc>({{"Wai", "75"}}, PATH);
    const auto twin = MakeLaw<Hpcc>({{"Wai", "75"}}, PATH);
    EgressPort port(1);
    EgressPort same(1);
    for (const uint64_t psn : {1, 200})
    {
        BusyPort(*law, port, psn);
        BusyPort(*twin, same, psn);
    }
    const double reference = Variable(*law, "reference_window_bytes");
    const double utilisation = Variable(*law, "utilisation");
    EXPECT_NEAR(reference, 150000 * 0.95 / utilisation + 75, 1e-6);
    Retune(law, {{"Wai", "75"}, {"Eta", "0.5"}});
    EXPECT_EQ(law->GetWindowBytes(), twin->GetWindowBytes());
    EXPECT_EQ(Variable(*law, "utilisation"), utilisation);
    BusyPort(*law, port, 400);
    BusyPort(*twin, same, 400);
    const double now = Variable(*law, "utilisation");
    EXPECT_EQ(now, Variable(*twin, "utilisation"));
    EXPECT_NEAR(Variable(*law, "exact_window_bytes"), reference * 0.5 / now + 75, 1e-6);
    EXPECT_NEAR(Variable(*twin, "exact_window_bytes"), reference * 0.95 / now + 75, 1e-6);
    Retune(law, {{"Wai", "75"}, {"MinRate", "80Gbps"}});
    EXPECT_EQ(law->GetRateBps(), 80000000000u);
}

TEST(RetunedValues, DctcpGainAndFloor)
{
    const auto law = MakeLaw<Dctcp>({}, PATH);
    const auto alphaAfter = [&](uint64_t psn) { // a round trip with all frames marked
        law->OnAck(AckOf(*law, 0, 0, psn, 1));
        return Variable(*law, "alpha");
    };
    law->OnAck(AckOf(*law, 0, 0, 1));
    const double first = alphaAfter(102);
    EXPECT_DOUBLE_EQ(first, 15.0 / 16 + 0.5 / 16); // from 1, with one of two
    const uint64_t window = law->GetWindowBytes();
    Retune(law, {{"Gain", "0.5"}});
    EXPECT_EQ(Variable(*law, "alpha"), first);
    EXPECT_EQ(law->GetWindowBytes(), window);
    EXPECT_DOUBLE_EQ(alphaAfter(203), 0.5 * first + 0.5);
    EXPECT_LT(law->GetWindowBytes(), window);
    Retune(law, {{"MinRate", "200Gbps"}});
    EXPECT_EQ(law->GetWindowBytes(), 300000u);
}

TEST(RetunedValues, PowerTcpGamma)
{
    const Attributes plain{{"BetaBytes", "1000"}, {"MaxWindow", "0"}};
    const auto law = MakeLaw<PowerTcp>(plain, PATH);
    EgressPort port(1, 0, 0, 150000);
    roce::test::AckOf(*law, 1, 100, {port});
    BusyPort(*law, port, 50); // power 2 for a whole tau
    EXPECT_DOUBLE_EQ(Variable(*law, "power"), 2);
    EXPECT_NEAR(Variable(*law, "exact_window_bytes"), 0.9 * 76000 + 0.1 * 150000, 1e-6);
    Retune(law, Join(plain, {{"Gamma", "0.5"}}));
    EXPECT_NEAR(Variable(*law, "exact_window_bytes"), 83400, 1e-6);
    EXPECT_DOUBLE_EQ(Variable(*law, "power"), 2);
    BusyPort(*law, port, 60);
    EXPECT_NEAR(Variable(*law, "exact_window_bytes"), 0.5 * 76000 + 0.5 * 83400, 1e-6);
    Retune(law, Join(plain, {{"MaxWindow", "0.1"}}));
    EXPECT_EQ(law->GetWindowBytes(), 15000u);
}

TEST(RetunedValues, MpRdmaDecrease)
{
    const Attributes ten{{"InitialCwnd", "10"}};
    const auto law = MakeLaw<MpRdma>(ten, PATH);
    law->OnAck(AckOf(*law, 1 * US, 0, 1, 1));
    EXPECT_EQ(law->GetCwnd(), 9.5);
    Retune(law, Join(ten, {{"Decrease", "2"}, {"Pacing", "true"}}));
    EXPECT_EQ(law->GetCwnd(), 9.5);
    EXPECT_EQ(law->GetRateBps(), 6333333333u) << "9.5 frames in 12 us";
    law->OnAck(AckOf(*law, 2 * US, 0, 2, 1));
    EXPECT_EQ(law->GetCwnd(), 7.5);
}

TEST(RetunedValues, GeminiBeta)
{
    PathInfo path = PATH;
    path.interDc = true;
    const auto law = MakeLaw<Gemini>({{"T", "10us"}}, path);
    const auto round = [&](int64_t nowPs, uint64_t psn) {
        law->OnAck(AckOf(*law, nowPs, 20, psn));
        return Variable(*law, "exact_window_bytes");
    };
    const double before = round(100 * US, 1); // 8 us of queue are no congestion
    EXPECT_GT(before, 150000);
    Retune(law, {{"T", "5us"}, {"Beta", "0.3"}}, 110 * US);
    EXPECT_EQ(Variable(*law, "exact_window_bytes"), before);
    EXPECT_NEAR(round(200 * US, 2), before * 0.7, 1e-6);
}

// Also in a state that lasts.
TEST(RetunedValues, BbrMaxCwndBdp)
{
    Pipe pipe;
    ASSERT_TRUE(pipe.RunTo(BbrState::PROBE_BW, 10 * MS));
    pipe.Run(pipe.now + MS);
    const double bottleneck = Variable(*pipe.cc, "bottleneck_bps");
    EXPECT_NEAR(static_cast<double>(pipe.cc->GetWindowBytes()), 2 * 125 * FRAME, 5 * FRAME);
    Retune<Bbr>(pipe.cc, {{"MaxCwndBdp", "0.15"}}, pipe.now);
    EXPECT_EQ(pipe.cc->m_state, BbrState::PROBE_BW);
    EXPECT_EQ(Variable(*pipe.cc, "bottleneck_bps"), bottleneck);
    pipe.Run(pipe.now + MS);
    EXPECT_NEAR(static_cast<double>(pipe.cc->GetWindowBytes()), 1.5 * 125 * FRAME, 5 * FRAME);
}
