// SPDX-License-Identifier: GPL-2.0-only
// Swift: target, updates, guards, pacing, endpoint window, profiles.
#include "roce-law-fixture.h"

#include "ns3/roce-swift.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr uint32_t FRAME = 4178;

/// Opens the state, so that a vector can start anywhere.
struct OpenSwift : public Swift
{
    using Swift::m_endpoint;
    using Swift::m_fabric;
    using Swift::m_smoothedRttPs;
    using Swift::m_timeouts;

    void SetCwnd(double cwnd)
    {
        m_fabric.cwnd = cwnd;
    }
};

/// Five switches, six links.
Ptr<OpenSwift>
Make(const Attributes& attributes = {},
     uint64_t lineBps = G100,
     int64_t rttPs = 12 * US,
     uint32_t links = 6)
{
    Ptr<OpenSwift> cc = MakeLaw<OpenSwift>(attributes, MakePath(lineBps, rttPs, FRAME, links));
    cc->m_endpoint.cwnd = 256; // out of the way unless a test is about it
    return cc;
}

AckInfo
Ack(int64_t nowPs, double rttUs, uint32_t packets = 1, double holdUs = 0)
{
    AckInfo ack;
    ack.nowPs = nowPs;
    ack.rttPs = std::llround(rttUs * US);
    ack.remoteHoldPs = std::llround(holdUs * US);
    ack.ackedPackets = packets;
    return ack;
}

AckInfo
Loss(int64_t nowPs, double rttUs)
{
    AckInfo ack = Ack(nowPs, rttUs, 0);
    ack.isLoss = true;
    ack.isNak = true;
    return ack;
}

} // namespace

TEST(Swift, SmallState)
{
}

TEST(Swift, SignalsAndStart)
{
    auto cc = Make();
    EXPECT_TRUE(cc->NeedsTimestamp());
    EXPECT_FALSE(cc->NeedsTelemetry());
    EXPECT_FALSE(cc->IsEcnCapable());
    EXPECT_EQ(cc->NextRateChangePs(), NEVER_PS);
    EXPECT_EQ(cc->GetCwnd(), 32);
    EXPECT_EQ(cc->GetRateBps(), G100);
    EXPECT_EQ(cc->GetWindowBytes(), 32u * FRAME);
    auto bdp = Make({{"InitialCwnd", "0"}}); // 150 000 B
    EXPECT_NEAR(bdp->GetCwnd(), 35.902, 1e-3);
    EXPECT_EQ(bdp->GetWindowBytes(), 35u * FRAME);
    EXPECT_EQ(Make({{"InitialCwnd", "0"}, {"CwndMax", "20"}})->m_fabric.cwnd, 20);
    EXPECT_GT(Make({{"InitialCwnd", "1e30"}, {"CwndMax", "1e30"}})->GetWindowBytes(),
              1000000000000);
    EXPECT_EQ(Make({{"InitialCwnd", "7.5"}})->GetCwnd(), 7.5);
    EXPECT_EQ(Make({{"InitialCwnd", "7.5"}})->GetWindowBytes(), 7u * FRAME);
}

TEST(Swift, FlowScaling)
{
    auto cc = Make({{"TopologyScaling", "false"}});
    const std::pair<double, double> vectors[] = {{0.1, 100},
                                                 {1, 30.2441},
                                                 {4, 14.1139},
                                                 {16, 6.0488},
                                                 {64, 2.0163},
                                                 {256, 0},
                                                 {1000, 0},   // clamped
                                                 {0.01, 100}, // clamped
                                                 {0.0001, 100}};
    for (const auto& [cwnd, us] : vectors)
    {
        EXPECT_NEAR(cc->GetTargetPs(cwnd) / US, 25 + us, 1e-4) << cwnd;
    }
}

TEST(Swift, TopologyScaling)
{
    EXPECT_NEAR(Make()->GetTargetPs(16) / US, 36.0488, 1e-4);
    EXPECT_NEAR(Make({{"HopCount", "switches"}})->GetTargetPs(16) / US, 36.0488, 1e-4);
    EXPECT_NEAR(Make({{"HopCount", "roundTrip"}})->GetTargetPs(16) / US, 43.0488, 1e-4);
    EXPECT_NEAR(Make({{"TopologyScaling", "false"}})->GetTargetPs(16) / US, 31.0488, 1e-4);
    EXPECT_NEAR(Make({{"FlowScaling", "false"}})->GetTargetPs(16) / US, 30, 1e-9);
    EXPECT_NEAR(Make({{"AddBaseRtt", "true"}})->GetTargetPs(16) / US, 48.0488, 1e-4);
    EXPECT_NEAR(Make({}, G100, 12 * US, 1)->GetTargetPs(16) / US, 31.0488, 1e-4);
    EXPECT_NEAR(Make({}, G100, 12 * US, 0)->GetTargetPs(16) / US, 31.0488, 1e-4);
}

TEST(Swift, UpdateVectors)
{
    struct Case
    {
        double cwnd, delayUs;
        uint32_t packets;
        double result;
    };

    const Case cases[] = {
        {16, 30, 1, 16.0625},
        {16, 30, 10, 16.625},
        {16, 36.0488, 1, 16.0625}, // just below
        {16, 50, 1, 12.4285},      // 1 - 0.8 (50 - 36.0488) / 50
        {16, 50, 10, 12.4285},
        {16, 200, 1, 8},   // at most MaxMdf
        {0.5, 30, 1, 1.5}, // below one packet Ai per packet
        {0.5, 30, 3, 3.5},
        {1, 30, 1, 2},
        {256, 20, 5, 256}, // CwndMax
        {255.999, 20, 5, 256},
        {0.015, 1000, 1, 0.01}, // CwndMin
    };
    for (const Case& c : cases)
    {
        auto cc = Make();
        cc->SetCwnd(c.cwnd);
        cc->OnAck(Ack(500 * US, c.delayUs, c.packets));
        EXPECT_NEAR(cc->GetCwnd(), c.result, 2e-5) << c.cwnd << " " << c.delayUs;
    }
}

TEST(Swift, AtTheTargetTheWindowDoesNotGrow)
{
    auto cc = Make({{"FlowScaling", "false"}}); // 30 us
    cc->OnAck(Ack(100 * US, 30));
    EXPECT_EQ(cc->GetCwnd(), 32);
    cc->OnAck(Ack(200 * US, 29.999999));
    EXPECT_EQ(cc->GetCwnd(), 32 + 1.0 / 32);
}

TEST(Swift, DecreasesOncePerRoundTrip)
{
    auto cc = Make();
    cc->SetCwnd(16);
    cc->OnAck(Ack(100 * US, 200));
    EXPECT_EQ(cc->GetCwnd(), 8);
    cc->OnAck(Ack(149 * US, 50)); // 49 us after the cut
    EXPECT_EQ(cc->GetCwnd(), 8);
    cc->OnAck(Ack(150 * US, 50)); // the RTT of this ACK has passed
    const double target = cc->GetTargetPs(8) / US;
    EXPECT_NEAR(cc->GetCwnd(), 8 * (1 - 0.8 * (50 - target) / 50), 1e-9);
    // growth in between neither moves the mark nor is held back
    const double before = cc->GetCwnd();
    cc->OnAck(Ack(190 * US, 20));
    EXPECT_NEAR(cc->GetCwnd(), before + 1 / before, 1e-9);
    cc->OnAck(Ack(211 * US, 60));
    EXPECT_LT(cc->GetCwnd(), before);
}

TEST(Swift, GuardIsTheRttOfTheAck)
{
    auto cc = Make();
    cc->SetCwnd(64);
    EXPECT_EQ(cc->m_smoothedRttPs, 12.0 * US);
    EXPECT_EQ(Variable(*cc, "smoothed_rtt_ns"), cc->m_smoothedRttPs / 1000);
    cc->OnAck(Ack(1000 * US, 200)); // the first sample is the average
    EXPECT_EQ(cc->m_smoothedRttPs, 200.0 * US);
    EXPECT_EQ(cc->GetCwnd(), 32);
    cc->OnAck(Ack(1180 * US, 100));
    EXPECT_EQ(cc->m_smoothedRttPs, 175.0 * US);
    EXPECT_LT(cc->GetCwnd(), 32);
    const double before = cc->GetCwnd();
    cc->OnAck(Ack(1290 * US, 100)); // 110 us: more than 100, less than 156.25
    EXPECT_EQ(cc->m_smoothedRttPs, 156.25 * US);
    EXPECT_LT(cc->GetCwnd(), before);
}

TEST(Swift, LossCutsOncePerRoundTripWhateverTheDelay)
{
    auto cc = Make();
    cc->OnAck(Loss(100 * US, 20)); // far below the target
    EXPECT_EQ(cc->GetCwnd(), 16);
    cc->OnAck(Loss(110 * US, 20));
    EXPECT_EQ(cc->GetCwnd(), 16);
    cc->OnAck(Ack(119 * US, 200)); // nor does delay cut again
    EXPECT_EQ(cc->GetCwnd(), 16);
    cc->OnAck(Loss(120 * US, 20));
    EXPECT_EQ(cc->GetCwnd(), 8);
    auto plain = Make(); // without a sample: the smoothed RTT, here the base RTT
    plain->OnAck(Loss(100 * US, 0));
    plain->OnAck(Loss(111 * US, 0));
    EXPECT_EQ(plain->GetCwnd(), 16);
    plain->OnAck(Loss(112 * US, 0));
    EXPECT_EQ(plain->GetCwnd(), 8);
    plain->OnAck(Ack(300 * US, 0)); // an ACK without a sample
    EXPECT_EQ(plain->GetCwnd(), 8);
}

TEST(Swift, TimeoutsInARowResetTheWindow)
{
    auto cc = Make();
    cc->OnTimeout(1000 * US);
    EXPECT_EQ(cc->GetCwnd(), 16);
    cc->OnTimeout(1005 * US); // within the smoothed RTT: counts, does not cut
    EXPECT_EQ(cc->GetCwnd(), 16);
    EXPECT_EQ(cc->m_timeouts, 2u);
    cc->OnTimeout(1006 * US); // the third needs no guard
    EXPECT_EQ(cc->GetCwnd(), 0.01);
    EXPECT_EQ(Variable(*cc, "endpoint_cwnd_packets"), 0.01);
    cc->SetCwnd(16);
    cc->m_endpoint.cwnd = 256;
    cc->OnAck(Ack(2000 * US, 20));
    EXPECT_EQ(cc->m_timeouts, 0u);
    cc->OnTimeout(3000 * US);
    cc->OnTimeout(4000 * US);
    EXPECT_NEAR(cc->GetCwnd(), 16.0625 / 4, 1e-9);
    cc->OnAck(Loss(4000 * US, 0)); // a NAK is an answer, too
    EXPECT_EQ(cc->m_timeouts, 0u);
    auto one = Make({{"RetxReset", "1"}, {"CwndMin", "0.5"}});
    one->OnTimeout(1000 * US);
    EXPECT_EQ(one->GetCwnd(), 0.5);
}

TEST(Swift, DecreasesAreNotPutOffByAcksInBetween)
{
    auto cc = Make();
    cc->OnAck(Ack(100 * US, 200));
    EXPECT_EQ(cc->GetCwnd(), 16);
    for (int64_t t = 110; t <= 400; t += 10)
    {
        cc->OnAck(Ack(t * US, 100));
    }
    EXPECT_LT(cc->GetCwnd(), 16 * 0.6 * 0.6 * 0.6);
}

TEST(Swift, BelowOnePacketOneFrameEachRttOverCwnd)
{
    auto cc = Make({{"Split", "false"}, {"Ai", "0.000001"}});
    cc->SetCwnd(0.25);
    cc->OnAck(Ack(100 * US, 40));
    EXPECT_NEAR(cc->GetCwnd(), 0.25, 1e-5);
    EXPECT_EQ(cc->GetWindowBytes(), FRAME);
    EXPECT_NEAR(8e6 * FRAME / static_cast<double>(cc->GetRateBps()), 160, 1e-3); // us
    cc->SetCwnd(0.999998);
    cc->OnAck(Ack(200 * US, 40));
    EXPECT_NEAR(8e6 * FRAME / static_cast<double>(cc->GetRateBps()), 40, 1e-3);
    cc->OnAck(Ack(300 * US, 40, 5)); // one packet and more: not paced
    EXPECT_GE(cc->GetCwnd(), 1);
    EXPECT_EQ(cc->GetRateBps(), G100);
    EXPECT_EQ(cc->GetWindowBytes(), FRAME);
    cc->SetCwnd(12.9);
    cc->OnAck(Ack(400 * US, 20));
    EXPECT_EQ(cc->GetWindowBytes(), 12u * FRAME);
    // a timeout paces with the smoothed RTT
    auto min = Make({{"RetxReset", "1"}});
    min->OnAck(Ack(100 * US, 20));
    min->OnTimeout(1000 * US);
    EXPECT_NEAR(8e6 * FRAME / static_cast<double>(min->GetRateBps()), 2000, 1e-2);
    // never above the line rate: a cwnd near 1 on a slow line with a short RTT
    auto slow = Make({{"Ai", "0.000001"}}, 1000000000, 12 * US);
    slow->SetCwnd(0.9);
    slow->OnAck(Ack(100 * US, 12));
    EXPECT_EQ(slow->GetRateBps(), 1000000000u);
}

TEST(Swift, EndpointDelayHasItsOwnWindow)
{
    auto cc = Make({{"EndpointTarget", "50us"}});
    cc->m_endpoint.cwnd = 20;
    cc->SetCwnd(16);
    // 120 us in all, 100 us of them at the remote host: the fabric's 20 us are below its target
    cc->OnAck(Ack(1000 * US, 120, 1, 100));
    EXPECT_NEAR(cc->m_fabric.cwnd, 16.0625, 1e-9);
    EXPECT_NEAR(Variable(*cc, "endpoint_cwnd_packets"), 20 * (1 - 0.8 * 50 / 100), 1e-9);
    EXPECT_NEAR(cc->GetCwnd(), 12, 1e-9);
    EXPECT_EQ(cc->GetWindowBytes(), 12u * FRAME);
    cc->OnAck(Ack(1010 * US, 120, 1, 100)); // its own guard
    EXPECT_NEAR(Variable(*cc, "endpoint_cwnd_packets"), 12, 1e-9);
    cc->OnAck(Ack(1015 * US, 300, 1, 10)); // the fabric's first decrease does not wait for it
    EXPECT_NEAR(Variable(*cc, "endpoint_cwnd_packets"), 12 + 1.0 / 12, 1e-9);
    EXPECT_NEAR(cc->m_fabric.cwnd, (16.0625 + 1 / 16.0625) / 2, 1e-9);
    cc->OnAck(Loss(2000 * US, 50)); // losses act on both
    EXPECT_NEAR(Variable(*cc, "endpoint_cwnd_packets"), (12 + 1.0 / 12) / 2, 1e-9);
    EXPECT_NEAR(cc->m_fabric.cwnd, (16.0625 + 1 / 16.0625) / 4, 1e-9);
    auto whole = Make({{"Split", "false"}});
    whole->SetCwnd(16);
    whole->m_endpoint.cwnd = 1;
    whole->OnAck(Ack(1000 * US, 120, 1, 100));
    EXPECT_EQ(whole->GetCwnd(), 8); // one window, cut for the whole 120 us
}

// N flows share 100G: the window at which N cwnd packets take just the target to go round.
TEST(Swift, SteadyStatesInClosedForm)
{
    struct Case
    {
        int flows;
        double cwnd, rttUs;
    };

    auto cc = Make({}); // 25 + 5 us
    const double packetUs = FRAME * 8 / 100e3;
    for (const Case& c : {Case{1, 93.7, 31.3},
                          Case{2, 48.8, 32.6},
                          Case{10, 11.25, 37.6},
                          Case{100, 1.600, 53.5},
                          Case{500, 0.454, 75.9}})
    {
        double low = 0.01;
        double high = 256;
        for (int i = 0; i < 100; ++i)
        {
            const double mid = (low + high) / 2;
            (c.flows * mid * packetUs < cc->GetTargetPs(mid) / US ? low : high) = mid;
        }
        EXPECT_NEAR(low, c.cwnd, c.cwnd * 1.5e-3);
        EXPECT_NEAR(cc->GetTargetPs(low) / US, c.rttUs, 0.06);
        EXPECT_NEAR(c.flows * low * packetUs, c.rttUs, 0.06);
    }
}

// The same by running the law: N equal flows, a delay of N cwnd packets, ACK by ACK.
TEST(Swift, SteadyStatesByRunning)
{
    const double packetUs = FRAME * 8 / 100e3;
    for (const auto& [flows, rttUs] : {std::pair{1, 31.3}, {2, 32.6}, {10, 37.6}, {500, 75.9}})
    {
        auto cc = Make({{"Ai", "0.02"}}); // a small saw tooth
        double nowUs = 1000;
        double sum = 0;
        int n = 0;
        for (int round = 0; round < 400000; ++round)
        {
            const double delay = std::max(12.0, flows * cc->GetCwnd() * packetUs);
            nowUs += delay / cc->GetCwnd(); // from ACK to ACK
            cc->OnAck(Ack(std::llround(nowUs * US), delay));
            if (round > 350000)
            {
                sum += delay;
                ++n;
            }
        }
        EXPECT_NEAR(sum / n, rttUs, 0.03 * rttUs) << flows;
    }
}

TEST(Swift, Profiles)
{
    auto target = [](const char* profile, double cwnd, uint32_t links) {
        return Make({{"Profile", profile}}, G100, 12 * US, links)->GetTargetPs(cwnd) / US;
    };
    EXPECT_NEAR(target("falcon", 1, 2), 26 + 30.2441, 1e-3);
    EXPECT_NEAR(target("paper", 100, 2), 26, 1e-9);
    EXPECT_NEAR(target("paper", 0.1, 2), 26 + 125, 1e-9);
    EXPECT_NEAR(target("htsim", 100, 2), 20 + 3.0534, 1e-3);
    EXPECT_NEAR(target("htsim", 0.1, 2), 20 + 3.0534 + 100, 1e-3);
    EXPECT_EQ(Make({{"Profile", "htsim"}})->GetCwnd(), 12);
    EXPECT_NEAR(Make({{"Profile", "paper"}})->GetCwnd(), 35.902, 1e-3);
    EXPECT_EQ(Make({{"Profile", "paper"}}, G100, 1000 * US)->m_fabric.cwnd, 50);
    for (const auto& [profile, min, resets] :
         {std::tuple{"falcon", 0.01, 3}, {"paper", 0.001, 5}, {"htsim", 10.0 / 4096, 5}})
    {
        auto cc = Make({{"Profile", profile}});
        for (int i = 1; i < resets; ++i)
        {
            cc->OnTimeout(1000 * US * i);
            EXPECT_GT(cc->GetCwnd(), 0.3);
        }
        cc->OnTimeout(10000 * US);
        EXPECT_EQ(cc->GetCwnd(), min);
    }
    // a single attribute overrides the profile's
    EXPECT_NEAR(Make({{"HopCount", "roundTrip"}, {"BaseTarget", "5us"}, {"HopScale", "2us"}},
                     G100,
                     8 * US,
                     4)
                        ->GetTargetPs(256) /
                    US,
                21,
                1e-9);
    auto strong = Make({{"Beta", "0.4"},
                        {"MaxMdf", "0.9"},
                        {"Ai", "2"},
                        {"FsRange", "50us"},
                        {"FsMin", "1"},
                        {"FsMax", "64"}});
    EXPECT_NEAR(strong->GetTargetPs(1) / US, 80, 1e-9);
    EXPECT_NEAR(strong->GetTargetPs(64) / US, 30, 1e-9);
    strong->SetCwnd(64);
    strong->OnAck(Ack(100 * US, 300));
    EXPECT_NEAR(strong->GetCwnd(), 64 * (1 - 0.4 * 270 / 300), 1e-9);
    strong->SetCwnd(64);
    strong->OnAck(Ack(101 * US, 20));
    EXPECT_NEAR(strong->GetCwnd(), 64 + 2.0 / 64, 1e-9);
}

TEST(Swift, BadAttributes)
{
    const std::vector<Attributes> bad = {{{"Profile", "swift"}},
                                         {{"BaseTarget", "0us"}},
                                         {{"BaseTarget", "-2us"}},
                                         {{"HopScale", "-2us"}},
                                         {{"FsRange", "-5us"}},
                                         {{"FsMin", "0"}},
                                         {{"FsMax", "0.1"}},
                                         {{"Ai", "0"}},
                                         {{"Beta", "1.5"}},
                                         {{"Beta", "-1"}},
                                         {{"MaxMdf", "1"}},
                                         {{"CwndMin", "0"}},
                                         {{"CwndMin", "10"}, {"CwndMax", "5"}},
                                         {{"InitialCwnd", "-3"}},
                                         {{"RetxReset", "0"}},
                                         {{"EndpointTarget", "0us"}}};
    for (const Attributes& a : bad)
    {
        EXPECT_THROW(Make(a), InputError) << a[0].first << " " << a[0].second;
    }
    ExpectRefused<Swift>({{"Beta", "1.5"}},
                         "Beta is 1.5, expected a number, 0 < Beta <= 1, or profile",
                         MakePath(G100, 12 * US, FRAME));
}

// 25 us + 5 switches of 1 us + 100 us of flow scaling.
TEST(Swift, WarnsWhenTheEmptyPathIsLongerThanTheTarget)
{
    EXPECT_EQ(Make({}, G100, 130 * US)->GetWarning(), "");
    const std::string warning = Make({}, G100, 131 * US)->GetWarning();
    EXPECT_NE(warning.find("target delay is 130000 ns, but the empty path takes 131000 ns"),
              std::string::npos)
        << warning;
    EXPECT_EQ(Make({{"AddBaseRtt", "true"}}, G100, 131 * US)->GetWarning(), "");
}
