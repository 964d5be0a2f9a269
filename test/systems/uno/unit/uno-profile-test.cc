// SPDX-License-Identifier: GPL-2.0-only
// UnoCC as its authors' simulator runs it: what the profile artifact changes, and each part alone.
#include "uno-test-util.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::unotest;

namespace
{

constexpr int64_t T = 14027500;
constexpr double BDP = 175343.75;

Ptr<OpenUno>
MakeAt(const Attributes& attributes, bool interDc = false)
{
    return Make(attributes, interDc ? PathOf(1792040000, true) : PathOf(T));
}

Ptr<OpenUno>
Artifact(Attributes attributes = {}, bool interDc = false)
{
    attributes.emplace_back("Profile", "artifact");
    return MakeAt(attributes, interDc);
}

/// An ACK of one packet, or of several of which some are marked.
AckInfo
Sent(int64_t nowPs, int64_t sentPs, uint32_t marked = 0, uint32_t packets = 1)
{
    AckInfo ack;
    ack.nowPs = nowPs;
    ack.rttPs = nowPs - sentPs;
    ack.ackedBytes = packets * MTU;
    ack.ackedPackets = packets;
    ack.ecnEcho = marked > 0;
    ack.markedPackets = marked;
    ack.hasMore = true;
    return ack;
}

/// An artifact flow with epochs, the first of which ends with an ACK of what is sent at time 0.
Ptr<OpenUno>
WithEpochs(Attributes attributes = {})
{
    attributes.emplace_back("QaEnable", "false");
    auto cc = Artifact(attributes);
    Send(*cc, 0, 200000);
    return cc;
}

} // namespace

TEST(UnoProfile, Constants)
{
    auto intra = Artifact();
    EXPECT_EQ(intra->m_baseRttPs, T);
    EXPECT_DOUBLE_EQ(Variable(*intra, "exact_window_bytes"), BDP);
    EXPECT_NEAR(intra->m_alpha, 175.34, 0.01);
    EXPECT_NEAR(intra->m_mdCoefficient, 0.4917, 5e-5);
    EXPECT_EQ(intra->m_epoch.GetEwma(), 0);
    EXPECT_EQ(Variable(*intra, "ecn_ewma"), intra->m_epoch.GetEwma());
    auto inter = Artifact({}, true);
    EXPECT_NEAR(Variable(*inter, "exact_window_bytes"), 22400500, 1);
    EXPECT_NEAR(inter->m_mdCoefficient, 0.00438, 5e-6);
    inter->OnAck(Sent(1792040000, 0));
    EXPECT_NEAR(Variable(*inter, "exact_window_bytes"), 22400500, 1) << "[m, B]";
    EXPECT_DOUBLE_EQ(Artifact({{"MaxCwndBdp", "1.25"}, {"InitialCwndBdp", "1.2"}})->m_cwnd,
                     1.2 * BDP);
}

// Each attribute has its own parameter, in both profiles, and the rest stays.
TEST(UnoProfile, AttributesOverrideOneValueEach)
{
    using P = const UnoParams&;

    struct Case
    {
        const char* name;
        const char* value;
        std::function<double(P)> get;
        double set, paper, artifact;
    };

    const Case cases[] = {
        {"AlphaFraction", "0.01", [](P p) { return p.alphaFraction; }, 0.01, 0.001, 0.001},
        {"K", "5000", [](P p) { return p.kBytes; }, 5000, 0, 24576},
        {"IntraRtt", "9us", [](P p) { return p.intraRttPs; }, 9e6, 14e6, 14.0275e6},
        {"InterRtt", "9ms", [](P p) { return p.interRttPs; }, 9e9, 0, 1.79204e9},
        {"RttBaseMode", "class", [](P p) { return p.classRtt; }, 1, 0, 1},
        {"EpochMode", "own", [](P p) { return p.ownEpochs; }, 1, 0, 0},
        {"EpochPeriodMode", "measured", [](P p) { return p.measuredEpochs; }, 1, 0, 1},
        {"EpochCatchUp", "false", [](P p) { return p.epoch.catchUp; }, 0, 1, 0},
        {"EpochStart", "windowSent", [](P p) { return p.epochFromWindow; }, 1, 0, 1},
        {"EpochAfterQa", "windowSent", [](P p) { return p.epochAfterQa; }, 1, 0, 1},
        {"EcnGain", "0.5", [](P p) { return p.epoch.gain; }, 0.5, 0.0625, 0.65},
        {"EcnInit", "0.3", [](P p) { return p.epoch.init; }, 0.3, 1, 0},
        {"EcnUnit", "bytes", [](P p) { return p.epoch.byBytes; }, 1, 0, 1},
        {"FallingEwma", "increase", [](P p) { return p.fallingIncrease; }, 1, 0, 1},
        {"MdScale", "0.7", [](P p) { return p.mdScale; }, 0.7, 0.3, 0.35},
        {"MdScaleMode", "cumulative", [](P p) { return p.cumulative; }, 1, 0, 0},
        {"GentleDelayTolerance", "2us", [](P p) { return p.gentleDelayPs; }, 2e6, 1.4e6, 0},
        {"GentleDelayShare", "0.2", [](P p) { return p.gentleShare; }, 0.2, 0, 0.055},
        {"DelayStat", "last", [](P p) { return p.epoch.lastDelay; }, 1, 0, 1},
        {"QaEnable", "false", [](P p) { return p.qa.enabled; }, 0, 1, 1},
        {"QaBeta", "0.4", [](P p) { return p.qa.beta; }, 0.4, 0.5, 0.5},
        {"QaScale", "0.9", [](P p) { return p.qa.scale; }, 0.9, 1, 0.96},
        {"QaPeriodFactor", "2", [](P p) { return p.qaPeriodFactor; }, 2, 1, 1.05},
        {"QaReference", "current", [](P p) { return p.qa.current; }, 1, 0, 1},
        {"QaGuardPackets", "3", [](P p) { return p.qa.guardPackets; }, 3, 1, 0},
        {"QaSkipRtts", "3", [](P p) { return p.qaSkipRtts; }, 3, 1, 0},
        {"QaSkipFirst", "false", [](P p) { return p.qa.skipFirst; }, 0, 1, 0},
        {"QaSkipAppLimited", "false", [](P p) { return p.qa.skipAppLimited; }, 0, 1, 0},
        {"QaTimer", "2.5", [](P p) { return p.qa.timerPeriods; }, 2.5, 1.5, 0},
        {"QaRestart", "now", [](P p) { return p.qa.restartWhenSent; }, 0, 1, 1},
        {"QaOrder", "first", [](P p) { return p.qaFirst; }, 1, 0, 1},
        {"InitialCwndBdp", "0.1", [](P p) { return p.initialCwndBdp; }, 0.1, 1, 1},
        {"MaxCwndBdp", "3", [](P p) { return p.maxCwndBdp; }, 3, 1.25, 1},
        {"Pacing", "false", [](P p) { return p.pacing; }, 0, 1, 1},
        {"PacingUpdateShare", "0.1", [](P p) { return p.pacingUpdateShare; }, 0.1, 0, 0.05},
    };
    for (const Case& c : cases)
    {
        EXPECT_EQ(c.get(MakeAt({})->GetParams()), c.paper) << c.name;
        EXPECT_EQ(c.get(MakeAt({{"Profile", "paper"}})->GetParams()), c.paper) << c.name;
        EXPECT_EQ(c.get(Artifact()->GetParams()), c.artifact) << c.name;
        for (const char* profile : {"paper", "artifact"})
        {
            const auto changed = MakeAt({{c.name, c.value}, {"Profile", profile}});
            for (const Case& other : cases)
            {
                const double expected = profile[0] == 'p' ? other.paper : other.artifact;
                EXPECT_EQ(other.get(changed->GetParams()), &other == &c ? c.set : expected)
                    << c.name << " " << other.name << " " << profile;
            }
        }
    }
}

TEST(UnoProfile, EpochsWaitForAWindow)
{
    auto cc = Artifact({{"QaEnable", "false"}});
    cc->OnAck(Sent(T, 0, 1));
    cc->OnAck(Sent(2 * T, T, 1));
    EXPECT_EQ(Variable(*cc, "epochs"), 0);
    for (int i = 0; i < 42; ++i)
    {
        Send(*cc, 2 * T + i, MTU);
    }
    cc->OnAck(Sent(3 * T, 2 * T + 41, 1));
    EXPECT_EQ(cc->m_counters.epochs, 0u); // 172 032 bytes
    Send(*cc, 3 * T, MTU);
    cc->OnAck(Sent(4 * T, 3 * T - 1, 1));
    EXPECT_EQ(cc->m_counters.epochs, 0u);
    cc->OnAck(Sent(4 * T, 3 * T, 1));
    EXPECT_EQ(cc->m_counters.epochs, 1u);
    EXPECT_EQ(cc->m_epoch.GetEndPs(), 4 * T) << "the RTT later, from the old end on";
    EXPECT_DOUBLE_EQ(cc->m_epoch.GetEwma(), 0.65);
}

// What has been sent is counted as the window counts it.
TEST(UnoProfile, WindowOfPayload)
{
    PathInfo path = PathOf(T);
    path.fullFrameBytes = 2 * MTU;
    path.windowFrameBytes = MTU;
    auto cc = Make({{"Profile", "artifact"}, {"QaEnable", "false"}}, path);
    Send(*cc, 0, 300000); // 150 000
    cc->OnAck(Sent(T, 0, 1));
    EXPECT_EQ(cc->m_counters.epochs, 0u);
    Send(*cc, T, 60000); // 180 000
    cc->OnAck(Sent(2 * T, T, 1));
    EXPECT_EQ(cc->m_counters.epochs, 1u);
}

TEST(UnoProfile, GentleDecrease)
{
    const double m = 4 * 24576 / (24576 + BDP);
    for (const auto& [rttPs, scale] :
         {std::pair{T, 0.35}, {T * 1055 / 1000, 0.35}, {T * 1055 / 1000 + 2, 1.0}})
    {
        auto cc = WithEpochs();
        cc->OnAck(Sent(10 * T - 1, 10 * T - 1 - 2 * T - rttPs, 1)); // an older one does not matter
        cc->OnAck(Sent(10 * T, 10 * T - rttPs, 1));
        EXPECT_NEAR(Variable(*cc, "exact_window_bytes"),
                    BDP * (1 - 0.65 * m) * (1 - 0.8775 * m * scale),
                    BDP * 0.3);
        auto fresh = WithEpochs();
        fresh->OnAck(Sent(rttPs, 0, 1));
        EXPECT_NEAR(Variable(*fresh, "exact_window_bytes"), BDP * (1 - 0.65 * m * scale), 0.1)
            << rttPs;
    }
}

TEST(UnoProfile, FallingAverageIncreases)
{
    const double m = 4 * 24576 / (24576 + BDP);
    for (const std::string rule : {"increase", "cut"})
    {
        auto cc = WithEpochs({{"FallingEwma", rule}, {"EpochPeriodMode", "base"}});
        int64_t sentPs = 0;
        const auto epoch = [&](uint32_t marked, uint32_t packets) {
            const double before = Variable(*cc, "exact_window_bytes");
            cc->OnAck(Sent(sentPs + 2 * T, sentPs, marked, packets));
            sentPs += T;
            return Variable(*cc, "exact_window_bytes") / before;
        };
        EXPECT_NEAR(epoch(10, 10), 1 - 0.65 * m, 1e-9); // the average was 0
        // 0.65 -> 0.35 * 0.65 + 0.65 * 0.2 = 0.3575: falls
        const double before = Variable(*cc, "exact_window_bytes");
        const double more = 1 + 0.001 * BDP * 10 * MTU / before / before;
        EXPECT_NEAR(epoch(2, 10), rule == "cut" ? 1 - 0.3575 * m : more, 1e-9);
        EXPECT_EQ(cc->m_counters.fallingRuns, rule == "cut" ? 0u : 1u);
        EXPECT_NEAR(epoch(10, 10), 1 - 0.775125 * m, 1e-9); // rises
        for (int i = 0; i < 5; ++i)
        {
            epoch(10, 10);
        }
        EXPECT_GT(cc->m_epoch.GetEwma(), 0.99);
        cc->SetCwnd(100000);
        // above 0.9 it is cut all the same
        EXPECT_LT(epoch(9, 10), 0.6);
        EXPECT_LT(cc->m_epoch.GetEwma(), cc->m_epoch.GetEwmaBefore());
        EXPECT_GT(cc->m_epoch.GetEwma(), 0.9);
    }
}

TEST(UnoProfile, EpochsDoNotCatchUp)
{
    auto cc = WithEpochs();
    cc->OnAck(Sent(T, 0));
    EXPECT_EQ(cc->m_epoch.GetEndPs(), T);
    for (int i = 1; i <= 5; ++i)
    {
        cc->OnAck(Sent(100 * T + i, 99 * T + i));
        EXPECT_EQ(cc->m_counters.epochs, 1u + i);
        EXPECT_EQ(cc->m_epoch.GetEndPs(), T + i * T);
    }
}

TEST(UnoProfile, QuickAdapt)
{
    auto cc = Artifact();
    Send(*cc, 0, 200000);
    cc->OnAck(Sent(T, 0)); // opens the period, and the epoch
    const int64_t period = T * 105 / 100;
    cc->OnAck(Sent(T + 5, 1, 1, 10));
    EXPECT_EQ(cc->NextRateChangePs(), NEVER_PS) << "no timer";
    cc->OnAck(Sent(T + period - 1, 2, 1, 5));
    EXPECT_EQ(cc->m_quickAdapt.GetHits(), 0u);
    const uint64_t epochs = cc->m_counters.epochs;
    AckInfo last = Sent(T + period, 3, 1, 5);
    last.hasMore = false; // does not matter
    cc->OnAck(last);
    EXPECT_EQ(Variable(*cc, "quick_adapts"), 1);
    EXPECT_DOUBLE_EQ(Variable(*cc, "exact_window_bytes"), 0.96 * 20 * MTU);
    EXPECT_EQ(cc->m_counters.epochs, epochs);
    // epochs and periods wait for what is sent now
    const int64_t hit = T + period;
    cc->OnAck(Sent(hit + 10 * T, hit - 1, 1));
    cc->OnAck(Sent(hit + 20 * T, hit - 1, 1));
    EXPECT_EQ(cc->m_quickAdapt.GetHits(), 1u);
    EXPECT_EQ(cc->m_counters.epochs, epochs);
    EXPECT_DOUBLE_EQ(Variable(*cc, "exact_window_bytes"), 0.96 * 20 * MTU);
    for (int i = 0; i < 20; ++i)
    {
        Send(*cc, hit + 21 * T, MTU);
    }
    cc->OnAck(Sent(hit + 22 * T, hit + 21 * T, 1));
    EXPECT_EQ(cc->m_counters.epochs, epochs + 1);
    const double before = Variable(*cc, "exact_window_bytes");
    cc->OnAck(Sent(hit + 24 * T, hit + 21 * T + 1, 1, 4)); // 4 < 9.6, one period on
    EXPECT_EQ(cc->m_quickAdapt.GetHits(), 2u);
    EXPECT_LT(Variable(*cc, "exact_window_bytes"), before);
}

// First: Quick Adapt compares before the decrease of the same ACK, and closes the epoch.
TEST(UnoProfile, OrderOfSteps)
{
    for (const std::string order : {"first", "last"})
    {
        auto cc = MakeAt({{"QaOrder", order},
                          {"QaSkipFirst", "false"},
                          {"EcnInit", "0.5"},
                          {"EcnGain", "0.5"},
                          {"QaReference", "current"},
                          {"QaGuardPackets", "0"}});
        cc->OnAck(Sent(T, 0, 0, 1));
        // 70 000 bytes are less than half of 175 000 (Quick Adapt), but not of 131 000
        AckInfo ack = Sent(T + 14 * T / 10, T, 1, 2);
        ack.ackedBytes = 70000;
        cc->OnAck(ack);
        EXPECT_EQ(cc->m_quickAdapt.GetHits(), order == "first" ? 1u : 0u);
        EXPECT_EQ(cc->m_counters.cuts, order == "first" ? 0u : 1u) << "silence";
        EXPECT_EQ(Variable(*cc, "exact_window_bytes") == 70000, order == "first");
    }
}
