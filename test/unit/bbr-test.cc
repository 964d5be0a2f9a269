/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// BBR: every state and transition over a model of one bottleneck, filters, recovery, attributes.
#include "../roce-error-of.h"

#include "ns3/roce-bbr.h"
#include "ns3/roce-input-error.h"
#include "ns3/string.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr int64_t US = 1000000;
constexpr int64_t MS = 1000 * US;
constexpr uint32_t FRAME = 1000;

using Attributes = std::vector<std::pair<std::string, std::string>>;

/// The sender's line is 100 Gbit/s, the path takes 100 us: BDP 1.25 MB, 1250 frames.
PathInfo
MakePath()
{
    PathInfo path;
    path.lineRateBps = path.bottleneckBps = 100000000000;
    path.baseRttPs = 100 * US;
    path.fullFrameBytes = FRAME;
    return path;
}

/// A sender, a queue in front of a slower link, and ACKs after 100 us less its own time.
class Pipe
{
  public:
    explicit Pipe(const Attributes& attributes = {}, int64_t frameTimePs = 800000)
        : cc(CreateObject<Bbr>()),
          frameTimePs(frameTimePs) // 10 Gbit/s: BDP 125 frames
    {
        for (const auto& [name, value] : attributes)
        {
            cc->SetAttribute(name, StringValue(value));
        }
        cc->Start(MakePath(), 0);
    }

    /// Until the given time or until a condition holds after an ACK; false if it never did.
    template <typename F>
    bool RunUntil(int64_t endPs, F&& done)
    {
        while (true)
        {
            const bool send = posted && inflight < cc->GetWindowBytes();
            const int64_t sendPs = send ? std::max(now, nextSendPs) : NEVER_PS;
            const int64_t ackPs = acks.empty() ? NEVER_PS : acks.front().atPs;
            now = std::min(std::max(now, std::min(sendPs, ackPs)), endPs);
            if (std::min(sendPs, ackPs) >= endPs)
            {
                return false;
            }
            if (sendPs < ackPs)
            {
                Send();
                continue;
            }
            Ack();
            if (done())
            {
                return true;
            }
        }
    }

    void Run(int64_t endPs)
    {
        RunUntil(endPs, []() { return false; });
    }

    /// Until BBR is in a state.
    bool RunTo(BbrState state, int64_t endPs)
    {
        return RunUntil(endPs, [&]() { return cc->GetState() == state; });
    }

    /// Bytes in the queue, with the one that leaves it.
    double Queue() const
    {
        return static_cast<double>(std::max<int64_t>(freePs - now, 0)) /
               static_cast<double>(frameTimePs) * FRAME;
    }

    Ptr<Bbr> cc;
    int64_t frameTimePs;
    int64_t now{0};
    uint64_t inflight{0};
    uint64_t posted{UINT64_MAX}; //!< frames to send
    uint64_t acked{0};           //!< frames
    bool lossNext{false};        //!< the next ACK tells of a loss
    int64_t extraPs{0};          //!< more propagation delay

  private:
    struct Due
    {
        int64_t atPs;
        int64_t sentPs;
    };

    void Send()
    {
        cc->OnSend(now, FRAME);
        --posted;
        inflight += FRAME;
        nextSendPs =
            now + static_cast<int64_t>(FRAME * 8e12 / static_cast<double>(cc->GetRateBps()));
        freePs = std::max(freePs, now) + frameTimePs;
        acks.push_back({freePs - frameTimePs + 100 * US + extraPs, now});
    }

    void Ack()
    {
        AckInfo ack;
        ack.nowPs = now;
        ack.rttPs = now - acks.front().sentPs;
        ack.ackedBytes = FRAME;
        ack.ackedPackets = 1;
        inflight -= FRAME;
        ack.inflightBytes = inflight;
        ack.hasMore = posted > 0;
        ack.isLoss = lossNext;
        lossNext = false;
        acks.pop_front();
        ++acked;
        cc->OnAck(ack);
    }

    std::deque<Due> acks;
    int64_t nextSendPs{0};
    int64_t freePs{0};
};

constexpr double G10 = 10e9;

} // namespace

TEST(Bbr, Start)
{
    Pipe p;
    EXPECT_EQ(p.cc->GetState(), BbrState::STARTUP);
    EXPECT_EQ(p.cc->GetWindowBytes(), 10000u);
    // 2/ln 2 * 10 * 8000 bit in 100 us
    EXPECT_NEAR(static_cast<double>(p.cc->GetRateBps()), 2.885390082 * 0.8e9, 1);
    EXPECT_EQ(p.cc->GetRtPropPs(), NEVER_PS);
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
    EXPECT_EQ(p.cc->GetRounds(), 1u);
    EXPECT_EQ(p.cc->GetRtPropPs(), 100 * US);
}

TEST(Bbr, StartupDoublesAndEnds)
{
    Pipe p;
    std::vector<double> perRound;
    uint64_t rounds = 0;
    ASSERT_TRUE(p.RunUntil(10 * MS, [&]() {
        if (p.cc->GetRounds() != rounds)
        {
            rounds = p.cc->GetRounds();
            perRound.push_back(p.cc->GetBottleneckBps());
        }
        return p.cc->GetState() != BbrState::STARTUP;
    }));
    // From 10 to 125 frames in flight are 3.6 doublings; three more round trips find no growth.
    EXPECT_GE(rounds, 7u);
    EXPECT_LE(rounds, 10u);
    EXPECT_GE(perRound[3], 1.7 * perRound[2]); // a sample of a round trip's first ACK
    EXPECT_NEAR(p.cc->GetBottleneckBps(), G10, 0.01 * G10);
    EXPECT_EQ(p.cc->GetState(), BbrState::DRAIN);
    EXPECT_DOUBLE_EQ(p.cc->GetPacingGain(), 1 / 2.8853900817779268);
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
    EXPECT_EQ(p.cc->GetPhase(), 2u);
    EXPECT_EQ(p.cc->GetPacingGain(), 1);
    // window 2 BDP + 3 frames, reached by what is acknowledged
    std::vector<int64_t> starts(8, 0);
    std::vector<double> gains(8, 0);
    uint32_t phase = 2;
    double most = 0;
    while (p.now < 20 * MS && starts[1] == 0)
    {
        p.RunUntil(20 * MS, [&]() {
            most = std::max(most, p.Queue());
            return p.cc->GetPhase() != phase;
        });
        EXPECT_EQ(p.cc->GetPhase(), (phase + 1) % 8);
        phase = p.cc->GetPhase();
        starts[phase] = p.now;
        gains[phase] = p.cc->GetPacingGain();
    }
    EXPECT_EQ(gains, (std::vector<double>{1.25, 0.75, 0, 1, 1, 1, 1, 1}));
    for (const uint32_t i : {4, 5, 6, 7})
    {
        EXPECT_NEAR(static_cast<double>(starts[i] - starts[i - 1]), 100e6, 2e6) << i;
    }
    // a quarter of a BDP more, which the next phase takes away
    EXPECT_GE(most, 0.2 * 125 * FRAME);
    p.RunUntil(30 * MS, [&]() { return p.cc->GetPhase() == 2; });
    EXPECT_LE(p.Queue(), 8 * FRAME);
    p.Run(30 * MS);
    EXPECT_NEAR(static_cast<double>(p.cc->GetWindowBytes()), (2 * 125 + 3) * FRAME, 3000);
    EXPECT_NEAR(p.cc->GetBottleneckBps(), G10, 0.01 * G10);
    EXPECT_EQ(p.cc->GetRtPropPs(), 100 * US);
}

TEST(Bbr, ProbingLastsUntilTheGainIsInFlight)
{
    // Far more propagation from now on: with 1.25 of the old BDP in flight at once a phase ends
    // after RTprop; a window that is held below it (MaxCwndBdp: 1.05 * 125 frames) never gets
    // there.
    Pipe free(Attributes{{"StartPhase", "0"}});
    ASSERT_TRUE(free.RunTo(BbrState::PROBE_BW, 10 * MS));
    EXPECT_EQ(free.cc->GetPacingGain(), 1.25);
    EXPECT_TRUE(free.RunUntil(free.now + 300 * US, [&]() { return free.cc->GetPhase() == 1; }));
    Pipe held(Attributes{{"StartPhase", "0"}, {"MaxCwndBdp", "0.105"}});
    ASSERT_TRUE(held.RunTo(BbrState::PROBE_BW, 10 * MS));
    EXPECT_FALSE(held.RunUntil(held.now + 2 * MS, [&]() { return held.cc->GetPhase() == 1; }));
    held.lossNext = true; // unless there is a loss
    EXPECT_TRUE(held.RunUntil(held.now + 10 * US, [&]() { return held.cc->GetPhase() == 1; }));
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
        EXPECT_EQ(p.cc->GetPhase(), again.cc->GetPhase());
        ++seen[p.cc->GetPhase()];
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
    const uint64_t rounds = p.cc->GetRounds();
    ASSERT_TRUE(p.RunUntil(60 * MS, [&]() { return p.cc->GetRounds() >= rounds + 9; }));
    EXPECT_GT(p.cc->GetBottleneckBps(), 0.98 * G10);
    ASSERT_TRUE(p.RunUntil(60 * MS, [&]() { return p.cc->GetRounds() >= rounds + 13; }));
    EXPECT_NEAR(p.cc->GetBottleneckBps(), G10 / 2, 0.03 * G10);
    Pipe two(Attributes{{"StartPhase", "2"}, {"BwRounds", "2"}});
    ASSERT_TRUE(two.RunTo(BbrState::PROBE_BW, 10 * MS));
    two.Run(two.now + MS);
    two.frameTimePs = 1600000;
    const uint64_t before = two.cc->GetRounds();
    ASSERT_TRUE(two.RunUntil(60 * MS, [&]() { return two.cc->GetRounds() >= before + 5; }));
    EXPECT_LT(two.cc->GetBottleneckBps(), 0.55 * G10); // 0.75 of it counts, too
}

TEST(Bbr, FindsMoreBandwidth)
{
    Pipe p;
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
    p.frameTimePs = 400000;
    p.Run(p.now + 5 * MS); // five cycles of 1.25
    EXPECT_NEAR(p.cc->GetBottleneckBps(), 2 * G10, 0.02 * G10);
}

TEST(Bbr, ApplicationLimitedSamplesDoNotLowerTheBandwidth)
{
    Pipe p;
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
    p.posted = 0;
    p.Run(p.now + MS);
    EXPECT_TRUE(p.cc->GetDelivery().IsAppLimited());
    const double before = p.cc->GetBottleneckBps();
    const uint64_t rounds = p.cc->GetRounds();
    for (int i = 0; i < 30; ++i) // two frames each millisecond
    {
        p.posted = 2;
        p.Run(p.now + MS);
    }
    EXPECT_GE(p.cc->GetRounds(), rounds + 30);
    EXPECT_EQ(p.cc->GetBottleneckBps(), before);
    EXPECT_EQ(p.cc->GetPacingGain() * before, p.cc->GetPacingGain() * p.cc->GetBottleneckBps());
    p.posted = UINT64_MAX;
    p.Run(p.now + 5 * MS);
    EXPECT_FALSE(p.cc->GetDelivery().IsAppLimited());
    EXPECT_NEAR(p.cc->GetBottleneckBps(), G10, 0.01 * G10);
}

TEST(Bbr, ApplicationLimitedFlowStaysInStartup)
{
    Pipe p;
    for (int i = 0; i < 20; ++i)
    {
        p.posted = 5;
        p.Run(p.now + MS);
    }
    EXPECT_EQ(p.cc->GetState(), BbrState::STARTUP);
    p.posted = UINT64_MAX;
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, p.now + 10 * MS));
    EXPECT_NEAR(p.cc->GetBottleneckBps(), G10, 0.01 * G10);
}

TEST(Bbr, RestartFromIdleAtTheEstimate)
{
    Pipe p(Attributes{{"StartPhase", "0"}});
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
    p.posted = 0;
    EXPECT_FALSE(p.RunUntil(p.now + MS, [&]() { return p.cc->GetPacingGain() == 0.75; }));
    ASSERT_EQ(p.cc->GetPacingGain(), 1.25);
    p.posted = 5;
    p.RunUntil(p.now + US, []() { return true; });
    EXPECT_NEAR(static_cast<double>(p.cc->GetRateBps()), p.cc->GetBottleneckBps(), 1);
}

TEST(Bbr, ProbeRtt)
{
    Pipe p(Attributes{{"RttWindow", "5ms"}, {"ProbeRttDuration", "1ms"}});
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 3 * MS));
    const double window = static_cast<double>(p.cc->GetWindowBytes());
    p.extraPs = 10 * US; // RTprop is not seen any more
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_RTT, 12 * MS));
    EXPECT_GE(p.now, 5 * MS);
    EXPECT_GE(p.cc->GetRtPropPs(), 110 * US); // any RTT: what came first
    EXPECT_EQ(p.cc->GetWindowBytes(), 4u * FRAME);
    EXPECT_EQ(p.cc->GetPacingGain(), 1);
    const int64_t from = p.now;
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 20 * MS));
    // time until four are in flight, about an RTT, then 1 ms
    EXPECT_GE(p.now - from, MS + 90 * US);
    EXPECT_LE(p.now - from, MS + 400 * US);
    EXPECT_EQ(p.cc->GetRtPropPs(), 110 * US);
    EXPECT_GE(static_cast<double>(p.cc->GetWindowBytes()), 0.95 * window);
    // what it delivered meanwhile does not count
    EXPECT_NEAR(p.cc->GetBottleneckBps(), G10, 0.01 * G10);
    // and again, after 5 ms more
    const int64_t end = p.now;
    p.extraPs = 20 * US;
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_RTT, 40 * MS));
    EXPECT_GE(p.now, end + 5 * MS);
    Pipe without(Attributes{{"RttWindow", "5ms"}, {"ProbeRtt", "false"}});
    ASSERT_TRUE(without.RunTo(BbrState::PROBE_BW, 3 * MS));
    without.extraPs = 10 * US;
    EXPECT_FALSE(without.RunTo(BbrState::PROBE_RTT, 12 * MS));
    EXPECT_GE(without.cc->GetRtPropPs(), 110 * US); // the first one after that time
}

TEST(Bbr, ProbeRttOfAStartup)
{
    // Before the pipe is full: back to STARTUP.
    Pipe p(Attributes{{"RttWindow", "300us"}, {"ProbeRttDuration", "0ns"}});
    p.RunUntil(MS, [&]() { return p.acked == 1; });
    p.extraPs = US;
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_RTT, 2 * MS));
    ASSERT_TRUE(p.RunTo(BbrState::STARTUP, 4 * MS));
    EXPECT_DOUBLE_EQ(p.cc->GetPacingGain(), 2.8853900817779268);
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
    ASSERT_EQ(p.cc->GetPacingGain(), 1);
    p.lossNext = true;
    p.RunUntil(p.now + MS, []() { return true; });
    EXPECT_TRUE(p.cc->IsRecovering());
    const uint64_t conserved = p.inflight + FRAME;
    EXPECT_EQ(p.cc->GetWindowBytes(), conserved);
    EXPECT_LT(conserved, window);
    const int64_t from = p.now;
    ASSERT_TRUE(p.RunUntil(p.now + MS, [&]() {
        EXPECT_TRUE(!p.cc->IsRecovering() || p.cc->GetWindowBytes() == conserved);
        return !p.cc->IsRecovering();
    }));
    EXPECT_NEAR(static_cast<double>(p.now - from), 100e6, 5e6); // a round trip
    EXPECT_GE(p.cc->GetWindowBytes(), window);
    Pipe without(Attributes{{"StartPhase", "2"}, {"Recovery", "false"}});
    ASSERT_TRUE(without.RunTo(BbrState::PROBE_BW, 10 * MS));
    without.lossNext = true;
    without.RunUntil(without.now + MS, []() { return true; });
    EXPECT_FALSE(without.cc->IsRecovering());
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
    EXPECT_FALSE(p.cc->IsRecovering());
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

TEST(Bbr, Artifact)
{
    Pipe p(Attributes{{"Preset", "artifact"}, {"StartPhase", "0"}});
    const BbrParams& params = p.cc->GetParams();
    EXPECT_EQ(params.startupGain, 2.89);
    EXPECT_EQ(params.drainGain, 0.35);
    EXPECT_FALSE(params.probeRtt);
    EXPECT_FALSE(params.recovers);
    EXPECT_EQ(p.cc->GetWindowBytes(), 1250000u);
    EXPECT_EQ(p.cc->GetRtPropPs(), 100 * US);
    ASSERT_TRUE(p.RunTo(BbrState::PROBE_BW, 10 * MS));
    const int64_t start = p.now;
    ASSERT_TRUE(p.RunUntil(10 * MS, [&]() { return p.cc->GetPhase() == 1; }));
    EXPECT_NEAR(static_cast<double>(p.now - start), 100e6, 1e6);
    ASSERT_TRUE(p.RunUntil(10 * MS, [&]() { return p.cc->GetPhase() == 2; }));
    EXPECT_NEAR(static_cast<double>(p.now - start), 200e6, 2e6); // the full phase at 0.75, too
    p.Run(20 * MS);
    EXPECT_NEAR(p.cc->GetBottleneckBps(), G10, 0.01 * G10);
    EXPECT_NEAR(static_cast<double>(p.cc->GetWindowBytes()), (2 * 125 + 1) * FRAME, 3000);
    EXPECT_LE(Pipe(Attributes{{"Preset", "artifact"}}, 80000).cc->GetWindowBytes(), 1250000u);
    Pipe full(Attributes{{"Preset", "artifact"}}, 80000); // the whole line: never above a BDP
    full.RunUntil(5 * MS, [&]() {
        EXPECT_LE(full.cc->GetWindowBytes(), 1250000u);
        return false;
    });
    // what is set by hand holds
    EXPECT_EQ(Pipe(Attributes{{"CwndGain", "3"}, {"InitialCwnd", "7"}, {"Preset", "artifact"}})
                  .cc->GetWindowBytes(),
              7u * FRAME);
}

TEST(Bbr, BadAttributes)
{
    for (const auto& [name, value] : Attributes{{"Preset", "v2"},
                                                {"StartupGain", "1"},
                                                {"DrainGain", "1"},
                                                {"CwndGain", "0.5"},
                                                {"BwRounds", "17"},
                                                {"Rounds", "us"},
                                                {"RtProp", "least"},
                                                {"RttWindow", "-2ns"},
                                                {"ProbeRtt", "yes"},
                                                {"ProbeRttDuration", "-2ns"},
                                                {"InitialCwnd", "0.5"},
                                                {"MaxCwndBdp", "-2"},
                                                {"QuantaFrames", "-2"},
                                                {"Recovery", "on"},
                                                {"StartPhase", "8"}})
    {
        const Attributes one{{name, value}};
        EXPECT_EQ(ErrorOf([&]() { Pipe p(one); }).rfind("ns3::roce::Bbr: " + name + " is ", 0), 0u)
            << name;
    }
    EXPECT_NE(ErrorOf([]() { CreateObject<Bbr>()->Start(PathInfo(), 0); }).find("base RTT"),
              std::string::npos);
}

TEST(Bbr, ForkAndVariables)
{
    Pipe p;
    p.Run(10 * MS);
    std::vector<ControlVariable> v;
    p.cc->GetVariables(p.now, v);
    ASSERT_EQ(v.size(), 4u);
    EXPECT_NEAR(v[0].value, G10, 0.01 * G10);
    EXPECT_EQ(v[1].value, 100000);
    EXPECT_EQ(v[2].value, 2);
    const Ptr<CongestionControl> fork = p.cc->Fork();
    fork->Start(MakePath(), p.now);
    EXPECT_EQ(fork->GetWindowBytes(), 10000u);
    EXPECT_EQ(dynamic_cast<Bbr&>(*fork).GetState(), BbrState::STARTUP);
    EXPECT_EQ(dynamic_cast<Bbr&>(*fork).GetDelivery().GetRecords(), 0u);
}
