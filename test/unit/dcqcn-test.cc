// SPDX-License-Identifier: GPL-2.0-only
// DCQCN: published vectors, every parameter.
#include "counting-sink.h"
#include "roce-law-fixture.h"

#include "ns3/object-factory.h"
#include "ns3/roce-dcqcn.h"
#include "ns3/roce-receiver-feedback.h"

#include <cmath>
#include <gtest/gtest.h>
#include <sstream>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Opens the state.
struct OpenDcqcn : public Dcqcn
{
    using Dcqcn::m_limited;
    using Dcqcn::m_rate;
};

Ptr<OpenDcqcn>
Make(const Attributes& attributes, uint64_t lineBps = G100, int64_t rttPs = 12 * US)
{
    return MakeLaw<OpenDcqcn>(attributes, MakePath(lineBps, rttPs, 1106));
}

double
Gbps(const Ptr<OpenDcqcn>& cc)
{
    return cc->m_rate / 1e9;
}

double
TargetGbps(const Ptr<OpenDcqcn>& cc)
{
    return Variable(*cc, "target_rate_bps") / 1e9;
}

void
SendFrames(const Ptr<OpenDcqcn>& cc, int64_t nowPs, int frames, uint32_t bytes)
{
    for (int i = 0; i < frames; ++i)
    {
        Send(*cc, nowPs, bytes);
    }
}

} // namespace

TEST(Dcqcn, PaperVector)
{
    auto cc = Make({{"Profile", "paper"}});
    cc->OnCnp({7 * US});
    EXPECT_EQ(cc->GetRateBps(), 50000000000u);
    EXPECT_DOUBLE_EQ(TargetGbps(cc), 100);
    EXPECT_DOUBLE_EQ(cc->GetAlpha(7 * US), 1);
    EXPECT_EQ(Variable(*cc, "alpha", 70 * US), cc->GetAlpha(70 * US));
    const double rates[] = {75, 87.5, 93.75, 96.875, 98.4375, 99.21875};
    for (int i = 0; i < 6; ++i)
    {
        const int64_t due = 7 * US + (i + 1) * 55 * US;
        EXPECT_EQ(cc->NextRateChangePs(), due);
        const double before = Gbps(cc);
        cc->Advance(due - 1);
        EXPECT_DOUBLE_EQ(Gbps(cc), before);
        cc->Advance(due);
        EXPECT_DOUBLE_EQ(Gbps(cc), rates[i]);
    }
}

TEST(Dcqcn, FastRecoveryEndsAtThreshold)
{
    auto cc = Make({{"Profile", "paper"}});
    cc->OnCnp({0});
    cc->OnCnp({1 * US}); // target 50, rate 25
    EXPECT_DOUBLE_EQ(TargetGbps(cc), 50);
    EXPECT_DOUBLE_EQ(Gbps(cc), 25);
    cc->Advance(1 * US + 4 * 55 * US);
    EXPECT_DOUBLE_EQ(TargetGbps(cc), 50);
    cc->Advance(1 * US + 5 * 55 * US);
    EXPECT_DOUBLE_EQ(TargetGbps(cc), 50.04);
    cc->Advance(1 * US + 9 * 55 * US);
    EXPECT_DOUBLE_EQ(TargetGbps(cc), 50.2); // time alone never gives hyper increase
    auto scaled = Make({{"Profile", "paper"}, {"Threshold", "2"}, {"AiRate", "1Gbps"}});
    scaled->OnCnp({0});
    scaled->OnCnp({1 * US});
    scaled->Advance(1 * US + 2 * 55 * US);
    EXPECT_DOUBLE_EQ(TargetGbps(scaled), 51);
}

TEST(Dcqcn, AlphaDecay)
{
    auto paper = Make({{"Profile", "paper"}});
    paper->OnCnp({0});
    EXPECT_NEAR(paper->GetAlpha(100 * 55 * US), 0.67612, 1e-5);
    EXPECT_GT(paper->GetAlpha(177 * 55 * US), 0.5);
    EXPECT_LT(paper->GetAlpha(178 * 55 * US), 0.5);
    EXPECT_DOUBLE_EQ(paper->GetAlpha(55 * US - 1), 1);
    auto nvidia = Make({{"InitialAlpha", "1"}});
    nvidia->OnCnp({0});
    EXPECT_GT(nvidia->GetAlpha(141 * US), 0.5);
    EXPECT_LT(nvidia->GetAlpha(142 * US), 0.5);
    // a CNP restarts the paper's timer, but not a free-running one
    paper->OnCnp({30 * US});
    EXPECT_DOUBLE_EQ(paper->GetAlpha(84 * US), 1);
    EXPECT_LT(paper->GetAlpha(85 * US), 1);
    auto free =
        Make({{"Profile", "paper"}, {"AlphaTimerFreeRunning", "true"}, {"InitialAlpha", "0.5"}});
    free->OnCnp({0});
    free->OnCnp({30 * US});
    EXPECT_DOUBLE_EQ(free->GetAlpha(54 * US), 0.5);
    EXPECT_DOUBLE_EQ(free->GetAlpha(55 * US), 0.5 * 255 / 256 + 1.0 / 256);
    EXPECT_DOUBLE_EQ(free->GetAlpha(110 * US), (0.5 * 255 / 256 + 1.0 / 256) * 255 / 256);
}

TEST(Dcqcn, HpccSimVector)
{
    auto cc = Make({{"Profile", "hpcc-sim"}});
    const int64_t t0 = 3 * US;
    cc->OnCnp({t0});
    EXPECT_EQ(cc->GetRateBps(), 100000000000u); // decided by the tick, not by the CNP
    const int64_t cut = t0 + 4 * US + NS;
    EXPECT_EQ(cc->NextRateChangePs(), cut);
    cc->Advance(cut - 1);
    EXPECT_DOUBLE_EQ(Gbps(cc), 100);
    cc->Advance(cut);
    EXPECT_NEAR(cc->GetAlpha(cut), 0.984466, 1e-6);
    EXPECT_NEAR(Gbps(cc), 50.7767, 1e-4);
    EXPECT_EQ(cc->NextRateChangePs(), cut + 300 * US);
    cc->Advance(cut + 300 * US - 1);
    EXPECT_NEAR(Gbps(cc), 50.7767, 1e-4);
    cc->Advance(cut + 300 * US);
    EXPECT_NEAR(Gbps(cc), 75.3883, 1e-4);
    cc->Advance(cut + 600 * US);
    EXPECT_NEAR(Gbps(cc), 87.6942, 1e-4);
}

TEST(Dcqcn, HpccSimStepsScaleWithTheLine)
{
    auto cc = Make({{"Profile", "hpcc-sim"}, {"RateOnFirstCnp", "40Gbps"}}, 400000000000);
    cc->OnCnp({0});
    const int64_t cut = 4 * US + NS;
    const double targets[] = {40, 40, 40.08, 40.88, 41.68}; // cut, FR, AI, HAI, HAI
    for (int i = 0; i < 5; ++i)
    {
        cc->Advance(cut + i * 300 * US);
        EXPECT_DOUBLE_EQ(TargetGbps(cc), targets[i]) << i;
    }
    auto fixed = Make({{"Profile", "hpcc-sim"},
                       {"FractionOnFirstCnp", "0.1"},
                       {"AiRate", "1Gbps"},
                       {"HaiRate", "2Gbps"}},
                      400000000000);
    fixed->OnCnp({0});
    fixed->Advance(cut + 3 * 300 * US);
    EXPECT_DOUBLE_EQ(TargetGbps(fixed), 43);
}

// Increase and cut tick on the same instant: the increase was scheduled earlier, so it goes first,
// and the cut then clamps the target because the time stage is no longer 0.
TEST(Dcqcn, HpccSimIncreasePrecedesCutTick)
{
    auto cc = Make({{"Profile", "hpcc-sim"}});
    cc->OnCnp({0});
    cc->Advance(301 * US);
    cc->OnCnp({301 * US + 500 * NS});
    EXPECT_EQ(cc->NextRateChangePs(), 304 * US + NS);
    cc->Advance(304 * US + NS);
    double alpha = 1;
    for (int i = 1; i <= 304; ++i)
    {
        alpha = alpha * 255 / 256 + (i == 302 ? 1.0 / 256 : 0);
    }
    const double risen = (100 + 100 * (1 - std::pow(255.0 / 256, 4) / 2)) / 2;
    EXPECT_NEAR(TargetGbps(cc), risen, 1e-9);
    EXPECT_NEAR(Gbps(cc), risen * (1 - alpha / 2), 1e-9);
    EXPECT_EQ(cc->NextRateChangePs(), 604 * US + NS);
}

TEST(Dcqcn, AlphaBeforeCut)
{
    Attributes a{{"Profile", "paper"}, {"InitialAlpha", "0.5"}};
    auto after = Make(a);
    after->OnCnp({0});
    EXPECT_DOUBLE_EQ(Gbps(after), 75);
    a.emplace_back("AlphaBeforeCut", "true");
    auto before = Make(a);
    before->OnCnp({0});
    EXPECT_NEAR(Gbps(before), 74.9023, 1e-4);
    EXPECT_NEAR(before->GetAlpha(0), 0.501953, 1e-6);
    EXPECT_DOUBLE_EQ(after->GetAlpha(0), before->GetAlpha(0));
}

TEST(EcnCnpFeedback, CnpIntervalLimitsCnps)
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
    // 1 ms of back-to-back marked frames of 1082 bytes at 100 Gb/s: one each 86.56 ns. A CNP waits
    // for the first frame after the interval, hence 246 and not 250 with 4 us (47 frames each).
    const std::pair<const char*, int> cases[] = {{"50us", 20}, {"4us", 246}, {"0us", 11553}};
    for (const auto& [interval, expected] : cases)
    {
        auto np = CreateObject<EcnCnpFeedback>();
        np->SetAttribute("CnpInterval", StringValue(interval));
        CountingSink sink;
        Frame frame{};
        int cnps = 0;
        for (int64_t t = 0; t < MS; t += 86560)
        {
            frame.ecn = ECN_ECT0;
            EXPECT_FALSE(sink.SendsCnp(*np, frame, t));
            frame.ecn = ECN_CE;
            cnps += sink.SendsCnp(*np, frame, t);
        }
        EXPECT_EQ(cnps, expected) << interval;
    }
}

TEST(Dcqcn, CutOnLossTakesLossesForCnps)
{
    AckInfo ack;
    ack.nowPs = 3 * US;
    ack.isLoss = true;
    auto plain = Make({{"Profile", "paper"}});
    plain->OnAck(ack);
    plain->OnTimeout(4 * US);
    EXPECT_EQ(plain->GetRateBps(), 100000000000u);
    auto nak = Make({{"Profile", "paper"}, {"CutOnLoss", "true"}});
    nak->OnAck(ack);
    EXPECT_EQ(nak->GetRateBps(), 50000000000u);
    auto timeout = Make({{"Profile", "paper"}, {"CutOnLoss", "true"}});
    timeout->OnTimeout(3 * US);
    EXPECT_EQ(timeout->GetRateBps(), 50000000000u);
}

TEST(Dcqcn, NeedsNoMarksIfLossesCount)
{
    EXPECT_TRUE(Make({})->NeedsEcn());
    EXPECT_FALSE(Make({{"CutOnLoss", "true"}})->NeedsEcn());
}

TEST(Dcqcn, NamesTheReceiverItNeeds)
{
    const std::pair<Attributes, Time> cases[] = {
        {{}, MicroSeconds(4)},
        {{{"Profile", "paper"}}, MicroSeconds(50)},
        {{{"Profile", "hpcc-sim"}, {"CnpInAck", "false"}}, MicroSeconds(0)},
        {{{"MinTimeBetweenCnps", "96us"}}, MicroSeconds(96)}};
    for (const auto& [attributes, expected] : cases)
    {
        TimeValue interval;
        Make(attributes)->MakeFeedback()->GetAttribute("CnpInterval", interval);
        EXPECT_EQ(interval.Get(), expected);
    }
}

TEST(Dcqcn, CnpInAckTakesEchoesForCnps)
{
    auto cc = Make({{"Profile", "hpcc-sim"}});
    EXPECT_EQ(cc->MakeFeedback()->GetInstanceTypeId(), PlainFeedback::GetTypeId());
    EXPECT_TRUE(cc->NeedsEcn());
    AckInfo ack;
    ack.nowPs = 3 * US;
    cc->OnAck(ack);
    EXPECT_EQ(cc->NextRateChangePs(), NEVER_PS);
    ack.ecnEcho = true;
    cc->OnAck(ack);
    EXPECT_EQ(cc->NextRateChangePs(), 7 * US + NS); // as after OnCnp()
    auto paper = Make({{"Profile", "paper"}});
    paper->OnAck(ack);
    EXPECT_EQ(paper->GetRateBps(), 100000000000u);
    auto both = Make({{"Profile", "paper"}, {"CnpInAck", "true"}});
    both->OnAck(ack);
    EXPECT_EQ(both->GetRateBps(), 50000000000u);
}

TEST(Dcqcn, UnthrottledCostsNothing)
{
    for (const char* profile : {"nvidia", "paper", "hpcc-sim"})
    {
        auto cc = Make({{"Profile", profile}});
        SendFrames(cc, 5 * US, 1000, 1106);
        EXPECT_EQ(cc->NextRateChangePs(), NEVER_PS);
        EXPECT_EQ(cc->GetRateBps(), 100000000000u);
        EXPECT_EQ(cc->GetWindowBytes(), UNLIMITED_BYTES);
        cc->OnCnp({10 * US});
        EXPECT_NE(cc->NextRateChangePs(), NEVER_PS);
        cc->Advance(1000 * MS); // back at the line rate
        EXPECT_EQ(cc->NextRateChangePs(), NEVER_PS) << profile;
        EXPECT_FALSE(cc->m_limited);
        EXPECT_EQ(cc->GetRateBps(), 100000000000u);
    }
}

TEST(Dcqcn, ReleaseForgetsAlpha)
{
    for (const char* release : {"true", "false"})
    {
        auto cc = Make({{"ReleaseAtLineRate", release}});
        cc->OnCnp({0});
        cc->OnCnp({50 * US});
        cc->Advance(100 * MS);
        EXPECT_FALSE(cc->m_limited);
        EXPECT_EQ(cc->GetAlpha(100 * MS) == 1023.0 / 1024, *release == 't');
        cc->OnCnp({100 * MS});
        EXPECT_NEAR(Gbps(cc), *release == 't' ? 100 * (1 - 1023.0 / 2048) : 100, 1e-6);
        EXPECT_EQ(cc->m_limited, *release == 't'); // alpha 0: a cut by nothing limits nothing
        EXPECT_EQ(cc->NextRateChangePs() == NEVER_PS, *release != 't');
    }
}

TEST(Dcqcn, CutPeriodHoldsCnpsBack)
{
    auto cc = Make({{"InitialAlpha", "1"}, {"Gain", "1"}, {"AlphaPeriod", "1ms"}});
    cc->OnCnp({0});
    EXPECT_DOUBLE_EQ(Gbps(cc), 50);
    cc->OnCnp({1 * US});
    cc->OnCnp({2 * US});
    EXPECT_DOUBLE_EQ(Gbps(cc), 50);
    EXPECT_EQ(cc->NextRateChangePs(), 4 * US);
    cc->Advance(4 * US);
    EXPECT_DOUBLE_EQ(Gbps(cc), 25);
    cc->OnCnp({8 * US});
    EXPECT_DOUBLE_EQ(Gbps(cc), 12.5);
    auto longer = Make({{"CutPeriod", "10us"}});
    longer->OnCnp({0});
    longer->OnCnp({1});
    EXPECT_EQ(longer->NextRateChangePs(), 10 * US);
    auto ticks = Make({{"CutTimerFreeRunning", "true"}});
    ticks->OnCnp({0});
    EXPECT_EQ(ticks->GetRateBps(), 100000000000u);
    EXPECT_EQ(ticks->NextRateChangePs(), 4 * US + NS);
    auto each = Make({{"Profile", "paper"}});
    for (int i = 0; i < 3; ++i)
    {
        each->OnCnp({i});
    }
    EXPECT_DOUBLE_EQ(Gbps(each), 12.5);
}

// The byte counter brings the rate back while a CNP still waits for its cut: the state must stay.
TEST(Dcqcn, NoReleaseBeforeAPendingCut)
{
    auto cc = Make({{"ByteReset", "1"}, {"InitialAlpha", "1"}, {"Gain", "0.0009765625"}});
    cc->OnCnp({0});
    cc->OnCnp({1 * US});
    cc->OnSend({2 * US, 100}); // a hundred byte stages
    EXPECT_FALSE(cc->m_limited);
    EXPECT_EQ(cc->NextRateChangePs(), 4 * US);
    cc->Advance(4 * US);
    EXPECT_NEAR(Gbps(cc), 50, 0.2);
    cc->OnCnp({8 * US});
    EXPECT_NEAR(Gbps(cc), 25, 0.4);
}

TEST(Dcqcn, ByteCounterCountsWireBytes)
{
    auto cc = Make({{"InitialAlpha", "1"}, {"MinDecFac", "0"}});
    SendFrames(cc, 0, 30, 1082); // before the first CNP: not counted
    cc->OnCnp({0});
    SendFrames(cc, 1 * US, 30, 1082);
    EXPECT_DOUBLE_EQ(Gbps(cc), 50);
    SendFrames(cc, 1 * US, 1, 1082); // 33542 >= 32767
    EXPECT_DOUBLE_EQ(Gbps(cc), 75);
    SendFrames(cc, 1 * US, 29, 1082);
    EXPECT_DOUBLE_EQ(Gbps(cc), 75);
    SendFrames(cc, 1 * US, 1, 1082); // the 775 bytes above the first stage were kept
    EXPECT_DOUBLE_EQ(Gbps(cc), 87.5);
    EXPECT_EQ(cc->GetRateBps(), 87500000000u);
    auto jumbo = Make({{"ByteReset", "1000"}, {"InitialAlpha", "1"}});
    jumbo->OnCnp({0});
    jumbo->OnSend({1 * US, 3500}); // three stages in one frame
    EXPECT_DOUBLE_EQ(Gbps(jumbo), 93.75);
    auto off = Make({{"ByteReset", "0"}, {"InitialAlpha", "1"}});
    off->OnCnp({0});
    SendFrames(off, 1 * US, 1000, 1082);
    EXPECT_DOUBLE_EQ(Gbps(off), 50);
    auto only = Make({{"TimeReset", "0us"}});
    only->OnCnp({0});
    EXPECT_EQ(only->NextRateChangePs(), NEVER_PS);
    EXPECT_TRUE(only->m_limited);
}

TEST(Dcqcn, HyperIncreaseNeedsBothStages)
{
    for (const char* multiplier : {"true", "false"})
    {
        auto cc = Make({{"Profile", "paper"},
                        {"ByteReset", "1000"},
                        {"Threshold", "2"},
                        {"AiRate", "1Mbps"},
                        {"HaiRate", "1Gbps"},
                        {"RateOnFirstCnp", "10Gbps"},
                        {"HyperMultiplier", multiplier}});
        cc->OnCnp({0});
        SendFrames(cc, 1 * US, 5, 1000); // BC = 5, TS = 0: FR, then four times AI
        EXPECT_DOUBLE_EQ(TargetGbps(cc), 10.004);
        cc->Advance(2 * 55 * US); // TS = 2: AI
        EXPECT_DOUBLE_EQ(TargetGbps(cc), 10.006);
        cc->Advance(3 * 55 * US); // TS = 3: first hyper increase
        EXPECT_DOUBLE_EQ(TargetGbps(cc), 11.006);
        SendFrames(cc, 3 * 55 * US, 2, 1000);
        EXPECT_DOUBLE_EQ(TargetGbps(cc), *multiplier == 't' ? 16.006 : 13.006);
    }
    auto time = Make({{"StageRule", "time"}, {"RateOnFirstCnp", "10Gbps"}});
    time->OnCnp({0});
    time->Advance(3 * 300 * US); // FR, AI, HAI by time alone
    EXPECT_DOUBLE_EQ(TargetGbps(time), 10.055);
}

TEST(Dcqcn, ClampTarget)
{
    struct Case
    {
        const char* clamp;
        bool atOnce, afterTime, afterBytes; // whether a cut lowers the target
    };

    for (const Case& c : {Case{"always", true, true, true},
                          Case{"afterTimeInc", false, true, true},
                          Case{"afterByteInc", false, false, true},
                          Case{"never", false, false, false}})
    {
        for (bool byTime : {true, false})
        {
            auto cc = Make({{"Profile", "paper"}, {"ByteReset", "1000"}, {"ClampTarget", c.clamp}});
            cc->OnCnp({0});
            cc->OnCnp({50 * US});
            EXPECT_DOUBLE_EQ(TargetGbps(cc), c.atOnce ? 50 : 100) << c.clamp;
            SendFrames(cc, 51 * US, byTime ? 0 : 1, 1000);
            const int64_t t = byTime ? 106 * US : 52 * US;
            cc->Advance(t);
            const double before = TargetGbps(cc);
            const double risen = Gbps(cc);
            cc->OnCnp({t});
            EXPECT_DOUBLE_EQ(TargetGbps(cc), (byTime ? c.afterTime : c.afterBytes) ? risen : before)
                << c.clamp;
        }
    }
}

TEST(Dcqcn, FloorsAndFirstCnp)
{
    auto rateAfter = [](Attributes a) {
        a.emplace_back("InitialAlpha", "1");
        auto cc = Make(a);
        cc->OnCnp({0});
        return std::make_pair(Gbps(cc), TargetGbps(cc));
    };
    EXPECT_EQ(rateAfter({{"MinDecFac", "0.8"}}), std::make_pair(80.0, 100.0));
    EXPECT_EQ(rateAfter({{"MinRate", "60Gbps"}}), std::make_pair(60.0, 100.0));
    EXPECT_EQ(rateAfter({{"RateOnFirstCnp", "40Gbps"}}), std::make_pair(20.0, 40.0));
    EXPECT_EQ(rateAfter({{"FractionOnFirstCnp", "0.5"}}), std::make_pair(25.0, 50.0));
    auto cc = Make({{"Profile", "paper"}});
    for (int i = 0; i < 100; ++i)
    {
        cc->OnCnp({i * US});
    }
    EXPECT_EQ(cc->GetRateBps(), 1000000u);
}

TEST(Dcqcn, WindowFollowsTheRate)
{
    auto cc = Make({{"Window", "bdp"}, {"InitialAlpha", "1"}});
    EXPECT_EQ(cc->GetWindowBytes(), 150000u);
    cc->OnCnp({0});
    EXPECT_EQ(cc->GetWindowBytes(), 75000u);
    for (int i = 1; i < 20; ++i)
    {
        cc->OnCnp({i * 4 * US});
    }
    EXPECT_EQ(cc->GetWindowBytes(), 1106u); // one full frame
    auto big = Make({{"Window", "bdp"}, {"InitialAlpha", "1"}}, 400000000000, 1000 * US);
    EXPECT_EQ(big->GetWindowBytes(), 50000000u);
    big->OnCnp({0});
    EXPECT_EQ(big->GetWindowBytes(), 25000000u);
}
