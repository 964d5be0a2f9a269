// SPDX-License-Identifier: GPL-2.0-only
// Gemini: step and cut of short and long paths, both signals, their guard, slow start, every
// attribute.
#include "roce-law-fixture.h"

#include "ns3/roce-gemini.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Opens the state.
struct OpenGemini : public Gemini
{
    using Gemini::m_alpha;
    using Gemini::m_cwnd;
    using Gemini::m_markFactor;
    using Gemini::m_rttLimitPs;
    using Gemini::m_step;
};

/// 100 Gbit/s: 14 us and 175,000 B, or 2 ms and 25,000,000 B.
PathInfo
PathOf(bool interDc)
{
    PathInfo path = MakePath(G100, interDc ? 2 * MS : 14 * US, 4000, 0);
    path.interDc = interDc;
    return path;
}

/// One flow and its ACKs.
struct Sender : LawSender<OpenGemini>
{
    explicit Sender(bool interDc, const Attributes& attributes = {})
        : LawSender(attributes, PathOf(interDc))
    {
    }

    /// An ACK of one frame; the window is full unless said otherwise.
    void Ack(int64_t nowPs,
             int64_t rttPs,
             bool marked = false,
             bool loss = false,
             bool full = true,
             bool hasMore = false)
    {
        AckInfo ack = MakeAck(1, marked, full, hasMore);
        ack.nowPs = nowPs;
        ack.rttPs = rttPs;
        ack.isLoss = loss;
        cc->OnAck(ack);
    }

    double W() const
    {
        return cc->m_cwnd;
    }
};

const bool INTRA = false;
const bool INTER = true;

} // namespace

TEST(Gemini, StepAndMarkFactor)
{
    // F = 4 * 25,000 / (BDP + 25,000): 100,000 / 200,000 and 100,000 / 25,025,000;
    // h = 1.2e-7 * 1.4e6 bit = 0.168 packets of 4000 B, and 1.2e-7 * 2e8 bit = 24
    Sender intra(INTRA);
    EXPECT_DOUBLE_EQ(intra.cc->m_markFactor, 0.5);
    EXPECT_NEAR(intra.cc->m_step, 672, 1e-9);
    EXPECT_EQ(intra.cc->m_rttLimitPs, 14 * US + 5 * MS);
    Sender inter(INTER);
    EXPECT_NEAR(inter.cc->m_markFactor, 0.003996004, 1e-9);
    EXPECT_NEAR(inter.cc->m_step, 96000, 1e-6);
    EXPECT_EQ(inter.cc->m_rttLimitPs, 7 * MS);
    // K a sixth of the BDP, 29,167 B: 4/7 and 0.004661
    EXPECT_NEAR(Sender(INTRA, {{"K", "29167"}}).cc->m_markFactor, 0.5714, 1e-4);
    EXPECT_NEAR(Sender(INTER, {{"K", "29167"}}).cc->m_markFactor, 0.004661, 1e-6);
}

TEST(Gemini, ArtifactStepAndMarkFactor)
{
    // K = 24,576: 98,304 / 199,576 and 98,304 / 25,024,576; h = 0.00024 * 25 MB for both classes
    const Attributes artifact{{"Profile", "artifact"}, {"InterRtt", "2ms"}};
    Sender intra(INTRA, artifact);
    EXPECT_NEAR(intra.cc->m_markFactor, 0.492564, 1e-6);
    EXPECT_NEAR(intra.cc->m_step, 6000, 1e-6);
    EXPECT_EQ(intra.cc->m_rttLimitPs, NEVER_PS);
    EXPECT_EQ(Variable(*intra.cc, "alpha"), 0);
    Sender inter(INTER, artifact);
    EXPECT_NEAR(inter.cc->m_markFactor, 0.003928298, 1e-9);
    EXPECT_NEAR(inter.cc->m_step, 6000, 1e-6);
    EXPECT_EQ(inter.cc->m_rttLimitPs, 2 * MS + 100 * US);
    // the profile's own InterRtt: 0.00024 * 22,400,500 B; none: 0.00024 * 175,000 B
    EXPECT_NEAR(Sender(INTRA, {{"Profile", "artifact"}}).cc->m_step, 5376.12, 1e-6);
    EXPECT_NEAR(Sender(INTRA, {{"Profile", "artifact"}, {"InterRtt", "0ns"}}).cc->m_step, 42, 1e-9);
    EXPECT_NEAR(Sender(INTER, {{"Profile", "artifact"}}).cc->m_step, 6000, 1e-6);
}

TEST(Gemini, StartsWithABdp)
{
    Sender s(INTRA);
    EXPECT_EQ(s.W(), 175000);
    EXPECT_EQ(s.cc->GetWindowBytes(), 172000u); // 43 whole frames
    EXPECT_EQ(s.cc->GetRateBps(), 100000000000u);
    EXPECT_FALSE(s.cc->IsInSlowStart());
    EXPECT_EQ(Variable(*s.cc, "alpha"), 1);
    EXPECT_TRUE(s.cc->NeedsTimestamp());
    EXPECT_TRUE(s.cc->IsEcnCapable());
    EXPECT_FALSE(s.cc->NeedsEcn());
    EXPECT_TRUE(Sender(INTRA, {{"RttSignal", "none"}}).cc->NeedsEcn());
    EXPECT_EQ(s.cc->GetWarning(), "");
}

TEST(Gemini, GrowsByTheStepPerWindow)
{
    Sender s(INTER);
    s.Ack(2 * MS, 2 * MS); // 96,000 * 4000 / 25e6 = 15.36
    EXPECT_NEAR(s.W(), 25000015.36, 1e-6);
    s.Ack(2 * MS, 2 * MS, false, false, false); // not limited by the window
    EXPECT_NEAR(s.W(), 25000015.36, 1e-6);
    s.Ack(2 * MS, 2 * MS, false, false, false, true); // but by others on the NIC
    EXPECT_NEAR(s.W(), 25000015.36, 1e-6);
}

// Frames that the pacer holds back are not in flight, but the window is why.
TEST(Gemini, PacedWindowsGrowWhileThereIsMoreToSend)
{
    Sender s(INTER, {{"Pacing", "true"}});
    s.Ack(2 * MS, 2 * MS, false, false, false, true);
    EXPECT_NEAR(s.W(), 25000015.36, 1e-6);
    s.Ack(2 * MS, 2 * MS, false, false, false, false); // the application has no more
    EXPECT_NEAR(s.W(), 25000015.36, 1e-6);
}

TEST(Gemini, MarksCutByAlphaOncePerRoundTrip)
{
    Sender s(INTRA);
    s.Ack(14 * US, 14 * US, true); // alpha 1, F 0.5
    EXPECT_DOUBLE_EQ(s.W(), 87500);
    s.Ack(20 * US, 14 * US, true); // sent at 6 us, before the cut: neither cut nor increase
    EXPECT_DOUBLE_EQ(s.W(), 87500);
    s.Ack(21 * US, 14 * US); // no mark: 672 * 4000 / 87,500
    EXPECT_DOUBLE_EQ(s.W(), 87530.72);
    EXPECT_EQ(Variable(*s.cc, "alpha"), 1);
    s.Ack(28 * US, 14 * US, true); // sent at the cut: alpha = 1 + (3/4 - 1) / 16 = 0.984375
    EXPECT_DOUBLE_EQ(Variable(*s.cc, "alpha"), 0.984375);
    EXPECT_DOUBLE_EQ(s.W(), 87530.72 * (1 - 0.984375 * 0.5));
    s.Ack(41 * US, 14 * US); // sent at 27 us: the round trip is not over
    EXPECT_DOUBLE_EQ(Variable(*s.cc, "alpha"), 0.984375);
    s.Ack(42 * US, 14 * US); // 0 of 2: times 15/16
    EXPECT_DOUBLE_EQ(Variable(*s.cc, "alpha"), 0.9228515625);
}

TEST(Gemini, DelayCutsByBetaOncePerRoundTrip)
{
    Sender s(INTER, {{"InitialAlpha", "0"}});
    s.Ack(8 * MS, 7 * MS); // at the limit
    EXPECT_GT(s.W(), 25e6);
    Sender t(INTER, {{"H", "1e-15"}}); // no increase to speak of
    t.Ack(8 * MS, 7100 * US);
    EXPECT_NEAR(t.W(), 20e6, 1);
    t.Ack(15 * MS, 7100 * US); // sent at 7.9 ms
    EXPECT_NEAR(t.W(), 20e6, 1);
    t.Ack(15100 * US, 7100 * US); // sent at the cut
    EXPECT_NEAR(t.W(), 16e6, 1);
    t.Ack(22200 * US, 6900 * US); // the queue has gone
    EXPECT_NEAR(t.W(), 16e6, 1);
}

TEST(Gemini, LeastRttOfThisRoundTripAndTheLast)
{
    const Attributes flat{{"H", "1e-15"}};
    Sender s(INTER, flat);
    s.Ack(10 * MS, 2 * MS); // round trip from 10 ms on
    for (int64_t at = 11; at < 17; ++at)
    {
        s.Ack(at * MS, 7100 * US); // the least is still 2 ms
    }
    s.Ack(17200 * US, 7100 * US); // sent at 10.1 ms: a new round trip; 2 ms are of the last one
    s.Ack(20 * MS, 7100 * US);
    EXPECT_NEAR(s.W(), 25e6, 1);
    s.Ack(24400 * US, 7100 * US); // sent at 17.3 ms: another; 2 ms are forgotten
    EXPECT_NEAR(s.W(), 20e6, 1);
}

TEST(Gemini, LargerCutCounts)
{
    Sender s(INTER, {{"H", "1e-15"}});
    s.Ack(8 * MS, 7100 * US, true); // 0.004 for the mark, 0.2 for the delay
    EXPECT_NEAR(s.W(), 20e6, 1);
    Sender t(INTER, {{"H", "1e-15"}, {"Beta", "0.001"}});
    t.Ack(8 * MS, 7100 * US, true);
    EXPECT_NEAR(t.W(), 25e6 * (1 - 0.003996004), 1);
    Sender u(INTER);
    u.Ack(2 * MS, 2 * MS, true);
    EXPECT_NEAR(u.W(), 25e6 * (1 - 0.003996004), 1);
}

TEST(Gemini, WhoListensToTheRtt)
{
    for (const bool inter : {INTRA, INTER})
    {
        for (const char* signal : {"inter", "both", "none"})
        {
            Sender s(inter, {{"RttSignal", signal}, {"T", "1us"}});
            const bool listens = signal[0] == 'b' || (signal[0] == 'i' && inter);
            EXPECT_EQ(s.cc->m_rttLimitPs, listens ? PathOf(inter).baseRttPs + US : NEVER_PS);
            s.Ack(20 * MS, 10 * MS);
            EXPECT_EQ(s.W() < PathOf(inter).BdpBytes(), listens) << signal;
        }
    }
}

TEST(Gemini, LimitFromTheQueue)
{
    // half of 1 MiB at 100 Gbit/s: 41.94304 us
    Sender s(INTER, {{"T", "0ns"}, {"MaxQueue", "1048576"}});
    EXPECT_EQ(s.cc->m_rttLimitPs, 2 * MS + 41943040);
    EXPECT_EQ(s.cc->GetWarning(), "");
    EXPECT_NE(Sender(INTER, {{"MaxQueue", "1048576"}}).cc->GetWarning().find("83886 ns"),
              std::string::npos);
    EXPECT_EQ(Sender(INTER, {{"MaxQueue", "1048576"}, {"T", "80us"}}).cc->GetWarning(), "");
    EXPECT_EQ(Sender(INTER, {{"MaxQueue", "1048576"}, {"RttSignal", "none"}}).cc->GetWarning(), "");
}

TEST(Gemini, LossesHalveOncePerRoundTrip)
{
    Sender s(INTRA);
    s.Ack(14 * US, 14 * US, false, true);
    EXPECT_EQ(s.W(), 87500);
    s.Ack(15 * US, 14 * US, false, true);
    EXPECT_EQ(s.W(), 87500);
    s.Ack(28 * US, 14 * US, false, true);
    EXPECT_EQ(s.W(), 43750);
    Sender none(INTRA, {{"LossReaction", "none"}});
    none.Ack(14 * US, 14 * US, false, true);
    EXPECT_GT(none.W(), 175000);
}

TEST(Gemini, TimeoutAndSlowStart)
{
    Sender s(INTRA);
    s.cc->OnTimeout(US);
    EXPECT_EQ(s.W(), 4000);
    EXPECT_TRUE(s.cc->IsInSlowStart());
    s.cc->OnTimeout(2 * US); // nothing acknowledged: the threshold stays at 87,500
    for (int i = 1; i <= 21; ++i)
    {
        s.Ack((100 + i) * US, 14 * US);
        EXPECT_EQ(s.W(), 4000 * (i + 1));
    }
    EXPECT_EQ(s.W(), 88000);
    EXPECT_FALSE(s.cc->IsInSlowStart());
    s.Ack(130 * US, 14 * US);
    EXPECT_NEAR(s.W(), 88000 + 672.0 * 4000 / 88000, 1e-6);
    s.cc->OnTimeout(140 * US);
    s.Ack(200 * US, 14 * US);
    s.Ack(201 * US, 14 * US);
    EXPECT_EQ(s.W(), 12000);
    s.Ack(202 * US, 14 * US, true); // a mark ends slow start
    EXPECT_FALSE(s.cc->IsInSlowStart());
}

// Each packet has a timer of its own: what one burst has lost times out one by one, ACKs between.
TEST(Gemini, TimeoutsOfABurstCountOnce)
{
    for (const bool artifact : {false, true})
    {
        Sender s(INTER, {{"Profile", artifact ? "artifact" : "paper"}});
        const int64_t gatePs = 2 * MS; // the path has no hops here, so no queues
        s.cc->OnTimeout(5 * MS);
        s.Ack(5 * MS + US, 2 * MS);
        EXPECT_EQ(s.W(), 8000);
        s.cc->OnTimeout(5 * MS + gatePs - 1);
        EXPECT_EQ(s.W(), 8000) << artifact;
        s.cc->OnTimeout(5 * MS + gatePs);
        EXPECT_EQ(s.W(), 4000) << artifact;
    }
    PathInfo path = PathOf(INTER);
    path.hops = 9;
    Sender s(INTER, {{"Profile", "artifact"}});
    s.cc->Start(path, 0);
    s.cc->OnTimeout(5 * MS);
    s.Ack(5 * MS + US, 2 * MS);
    s.cc->OnTimeout(7 * MS + 640 * US - 1);
    EXPECT_EQ(s.W(), 8000);
    s.cc->OnTimeout(7 * MS + 640 * US);
    EXPECT_EQ(s.W(), 4000);
}

TEST(Gemini, SlowStartGoesOnAfterACutInTheArtifact)
{
    for (const bool artifact : {false, true})
    {
        Sender s(INTER, {{"SlowStartEnd", artifact ? "threshold" : "cut"}});
        s.cc->OnTimeout(5 * MS);
        s.Ack(7 * MS + US, 2 * MS);
        s.Ack(9 * MS + 2 * US, 2 * MS, true);
        EXPECT_EQ(s.cc->IsInSlowStart(), artifact);
        const double before = s.W();
        s.Ack(9 * MS + 3 * US, 2 * MS);
        EXPECT_EQ(s.W() == before + 4000, artifact);
    }
}

TEST(Gemini, FloorOfOneFrame)
{
    // K = 10 BDP: F = 40/11, far more than the window
    Sender s(INTRA, {{"K", "1750000"}});
    s.Ack(14 * US, 14 * US, true);
    EXPECT_EQ(s.W(), 4000);
    EXPECT_EQ(s.cc->GetWindowBytes(), 4000u);
}

TEST(Gemini, InitialWindowSlowStarts)
{
    Sender s(INTRA, {{"InitialCwnd", "10"}});
    EXPECT_EQ(s.cc->GetWindowBytes(), 40000u);
    s.Ack(14 * US, 14 * US);
    EXPECT_EQ(s.W(), 44000);
    s.Ack(15 * US, 14 * US, true);
    EXPECT_EQ(s.W(), 22000);
    s.Ack(16 * US, 14 * US);
    EXPECT_NEAR(s.W(), 22000 + 672.0 * 4000 / 22000, 1e-6);
}

TEST(Gemini, RoundsByTheClock)
{
    // alpha = e: the first mark cuts nothing, but there is no other cut for 14 us
    Sender s(INTRA, {{"Profile", "artifact"}});
    s.Ack(14 * US, 14 * US, true);
    EXPECT_EQ(s.W(), 175000);
    s.Ack(27 * US, 27 * US, true);
    EXPECT_EQ(Variable(*s.cc, "alpha"), 0);
    s.Ack(28 * US, 28 * US, true); // 14 us after: 3 of 3, alpha 0.5, although sent before the cut
    EXPECT_EQ(Variable(*s.cc, "alpha"), 0.5);
    EXPECT_NEAR(s.W(), 175000 * (1 - 0.5 * 0.492564), 0.1);
    // the least RTT is that of this round trip alone
    Sender t(INTER, {{"Profile", "artifact"}});
    t.Ack(2 * MS, 2 * MS);
    t.Ack(4 * MS, 2200 * US);
    EXPECT_NEAR(t.W(), 22.5e6, 10);
}

TEST(Gemini, Pacing)
{
    Sender s(INTRA, {{"Pacing", "true"}});
    EXPECT_EQ(s.cc->GetRateBps(), 100000000000u);
    s.Ack(14 * US, 14 * US, true); // 87,500 B in 14 us
    EXPECT_EQ(s.cc->GetRateBps(), 50000000000u);
    Sender none(INTRA);
    none.Ack(14 * US, 14 * US, true);
    EXPECT_EQ(none.cc->GetRateBps(), 100000000000u);
    EXPECT_EQ(Sender(INTRA, {{"Profile", "artifact"}}).cc->GetParams().paced, true);
}

TEST(Gemini, TheArtifactPacesTheWindowBefore)
{
    for (const bool artifact : {false, true})
    {
        Sender s(INTER, {{"Pacing", "true"}, {"PaceOf", artifact ? "windowBefore" : "window"}});
        s.cc->OnTimeout(0); // one frame of 4000 B, then slow start
        s.Ack(10 * MS, 2 * MS);
        EXPECT_EQ(s.W(), 8000) << artifact;
        const double paced = artifact ? 4000 : 8000;
        EXPECT_NEAR(s.cc->GetRateBps(), paced * 8 / 2e-3, 1) << artifact;
    }
}

TEST(Gemini, AttributesOverrideTheProfile)
{
    const Sender s(INTRA, {{"Beta", "0.3"}, {"EcnGain", "1"}, {"Profile", "artifact"}});
    const GeminiParams& p = s.cc->GetParams();
    EXPECT_EQ(p.beta, 0.3);
    EXPECT_EQ(p.gain, 1);
    EXPECT_EQ(p.kBytes, 24576);
    EXPECT_FALSE(p.halveOnLoss);
}

TEST(Gemini, BadAttributes)
{
    ExpectEachRefused<Gemini>({{"Profile", "uno"},
                               {"H", "0"},
                               {"H", "-1"},
                               {"T", "-2ns"},
                               {"MaxQueue", "-1"},
                               {"Beta", "1"},
                               {"K", "0"},
                               {"EcnGain", "0"},
                               {"InterRtt", "-2us"},
                               {"InitialCwnd", "0.5"},
                               {"Rounds", "ps"},
                               {"Pacing", "yes"}},
                              PathOf(INTRA));
    EXPECT_NE(ErrorOf([]() {
                  Sender s(INTRA, {{"T", "0ns"}});
              }).find("MaxQueue is 0"),
              std::string::npos);
    EXPECT_NE(ErrorOf([]() { CreateObject<Gemini>()->Start(PathInfo(), 0); }).find("base RTT"),
              std::string::npos);
}

TEST(Gemini, Variables)
{
    Sender s(INTRA);
    EXPECT_EQ(Variable(*s.cc, "min_rtt_ns"), 0);
    s.Ack(14 * US, 14 * US, true);
    EXPECT_EQ(Variable(*s.cc, "exact_window_bytes"), 87500);
    EXPECT_EQ(Variable(*s.cc, "min_rtt_ns"), 14000);
}
