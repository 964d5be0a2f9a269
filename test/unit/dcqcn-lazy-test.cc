// SPDX-License-Identifier: GPL-2.0-only
// DCQCN: lazy evaluation against brute force, idle time, forks, tuning, bad input.
#include "roce-law-fixture.h"

#include "ns3/roce-dcqcn.h"
#include "ns3/roce-line-rate.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <string>
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
Make(const Attributes& attributes, uint64_t lineBps = G100)
{
    return MakeLaw<OpenDcqcn>(attributes, MakePath(lineBps, 12 * US, 1106));
}

// DCQCN word by word, looked at in every nanosecond. Deliberately knows nothing of laziness.
struct BruteForce
{
    const DcqcnParams& p;
    double line;
    double rc{line}, rt{line}, alpha{1};
    bool state{false}, slow{false}, alphaFlag{false}, cutFlag{false};
    int64_t nextAlpha{-1}, nextCut{-1}, nextInc{-1}, allowed{0};
    uint64_t bytes{0}, bc{0}, ts{0}, hyper{0};
    int timerEvents{0}; // cuts and increases by time

    void Up(bool byTime)
    {
        uint64_t b = bc + (!byTime && !p.timeOnlyStages);
        uint64_t t = ts + (byTime && !p.timeOnlyStages);
        const uint64_t f = p.threshold;
        const bool hai = p.timeOnlyStages ? (b > f || t > f) : (b > f && t > f);
        if (hai)
        {
            ++hyper;
            rt += p.haiRateBps * (p.haiPer25G ? line / 25e9 : 1) * (p.hyperMultiplier ? hyper : 1);
        }
        else if (b >= f || t >= f)
        {
            rt += p.aiRateBps * (p.aiPer25G ? line / 25e9 : 1);
        }
        (byTime ? ts : bc)++;
        rt = rt > line ? line : rt;
        rc = (rt + rc) / 2;
        AtLine(true);
    }

    void AtLine(bool release)
    {
        slow = line - rc >= 1;
        if (!slow)
        {
            rc = rt = line;
            nextInc = -1;
            state = state && !(release && p.release && !cutFlag);
        }
    }

    double Decayed() const
    {
        return (1 - p.gain) * alpha;
    }

    void CutNow(int64_t t)
    {
        cutFlag = false;
        const bool risen = bc || (ts && p.clamp == DcqcnClamp::AFTER_TIME_INC);
        if (p.clamp == DcqcnClamp::ALWAYS || (risen && p.clamp != DcqcnClamp::NEVER))
        {
            rt = rc;
        }
        rc = std::max({p.minRateBps, p.minDecFac * rc, rc * (1 - alpha / 2)});
        bytes = bc = ts = hyper = 0;
        nextInc = p.timeResetPs ? t + p.timeResetPs : -1;
        allowed = t + p.cutPeriodPs;
        AtLine(false);
    }

    void IncreaseTick(int64_t t)
    {
        if (slow && t == nextInc)
        {
            ++timerEvents;
            nextInc += p.timeResetPs;
            Up(true);
        }
    }

    void Tick(int64_t t)
    {
        if (state && t == nextAlpha)
        {
            alpha = Decayed() + (alphaFlag ? p.gain : 0);
            alphaFlag = false;
            nextAlpha += p.alphaPeriodPs;
        }
        if (p.timeResetPs > p.cutPeriodPs)
        {
            IncreaseTick(t);
        }
        if (p.cutFreeRunning ? (state && t == nextCut) : (cutFlag && t >= allowed))
        {
            nextCut += p.cutPeriodPs;
            timerEvents += cutFlag;
            if (cutFlag)
            {
                CutNow(t);
            }
        }
        if (p.timeResetPs <= p.cutPeriodPs)
        {
            IncreaseTick(t);
        }
    }

    void Send(uint32_t wireBytes)
    {
        bytes += slow && p.byteResetBytes ? wireBytes : 0;
        while (slow && p.byteResetBytes && bytes >= static_cast<uint64_t>(p.byteResetBytes))
        {
            bytes -= static_cast<uint64_t>(p.byteResetBytes);
            Up(false);
        }
    }

    void Cnp(int64_t t)
    {
        if (!state)
        {
            state = true;
            alpha = p.initialAlpha;
            alphaFlag = false;
            nextAlpha = t + p.alphaPeriodPs;
            nextCut = t + p.cutPeriodPs + NS;
            bytes = bc = ts = hyper = 0;
        }
        else
        {
            alphaFlag = p.alphaFreeRunning;
        }
        cutFlag = true;
        if (!p.alphaFreeRunning)
        {
            nextAlpha = t + p.alphaPeriodPs;
        }
        const double raised = Decayed() + p.gain;
        if (!p.alphaFreeRunning && p.alphaBeforeCut)
        {
            alpha = raised;
        }
        if (!p.cutFreeRunning && t >= allowed)
        {
            CutNow(t);
        }
        if (!p.alphaFreeRunning)
        {
            alpha = raised;
        }
    }
};

/// Settings that between them reach every order of timers.
const std::vector<Attributes> CASES = {
    {},
    {{"ReleaseAtLineRate", "false"}},
    {{"TimeReset", "3us"}, {"ByteReset", "100000"}}, // shorter than the cut period
    {{"TimeReset", "4us"}, {"ByteReset", "0"}, {"ReleaseAtLineRate", "false"}}, // equal to it
    {{"Profile", "paper"}},
    {{"Profile", "paper"}, {"CutPeriod", "20us"}, {"ClampTarget", "never"}},
    {{"Profile", "paper"}, {"AlphaBeforeCut", "true"}, {"ByteReset", "20000"}, {"Threshold", "2"}},
    {{"Profile", "hpcc-sim"}},
    {{"Profile", "hpcc-sim"}, {"TimeReset", "4us"}, {"MinRate", "100Mbps"}},
    {{"Profile", "hpcc-sim"}, {"TimeReset", "16us"}, {"Threshold", "3"}},
    {{"Profile", "hpcc-sim"},
     {"CutPeriod", "50us"},
     {"AlphaPeriod", "50us"},
     {"TimeReset", "55us"}},
    {{"Profile", "hpcc-sim"}, {"TimeReset", "1us"}, {"ByteReset", "9000"}, {"StageRule", "both"}},
};

} // namespace

class DcqcnLazy : public testing::TestWithParam<size_t>
{
};

// CNPs, frames and Advance() come at random; brute force looks at every nanosecond.
// NextRateChangePs() must name the first instant at which brute force sees a timer act.
TEST_P(DcqcnLazy, EqualsBruteForce)
{
    for (unsigned seed = 1; seed <= 3; ++seed)
    {
        auto cc = Make(CASES[GetParam()]);
        BruteForce ref{cc->GetParams(), 100e9};
        std::mt19937 random(seed);
        auto gap = [&random](int64_t most) { return 1 + static_cast<int64_t>(random() % most); };
        int64_t nextCnp = gap(20000);
        int64_t nextSend = gap(200);
        int64_t nextLook = gap(30000);
        int64_t due = NEVER_PS;
        int checks = 0;
        int changes = 0;
        for (int64_t ns = 0; ns < 4000000; ++ns)
        {
            const int64_t t = ns * NS;
            ref.timerEvents = 0;
            ref.Tick(t);
            if (ref.timerEvents && due != NEVER_PS - 1)
            {
                ASSERT_EQ(due, t) << "seed " << seed;
                due = NEVER_PS - 1; // lazy: blind until the next call
                ++changes;
            }
            const bool send = ns == nextSend;
            const bool cnp = ns == nextCnp;
            const bool look = ns == nextLook;
            if (!send && !cnp && !look)
            {
                continue;
            }
            if (send)
            {
                Send(*cc, t, 1106);
                ref.Send(1106);
                // silence now and then, so that many events are made up for at once
                nextSend = ns + (random() % 256 ? gap(400) : gap(300000));
            }
            if (cnp)
            {
                cc->OnCnp({t});
                ref.Cnp(t);
                nextCnp = ns + (random() % 8 ? gap(9000) : gap(900000));
            }
            if (look)
            {
                cc->Advance(t);
                nextLook = ns + gap(30000);
            }
            ASSERT_NEAR(cc->m_rate / ref.rc, 1, 1e-9) << t << " seed " << seed;
            ASSERT_NEAR(Variable(*cc, "target_rate_bps") / ref.rt, 1, 1e-9)
                << t << " seed " << seed;
            ASSERT_EQ(cc->GetRateBps(), static_cast<uint64_t>(cc->m_rate));
            ASSERT_EQ(cc->m_limited, ref.slow) << t << " seed " << seed;
            if (ref.state)
            {
                ASSERT_NEAR(cc->GetAlpha(t), ref.alpha, 1e-9) << t << " seed " << seed;
            }
            due = cc->NextRateChangePs();
            ASSERT_GT(due, t);
            ++checks;
        }
        EXPECT_GT(checks, 1000);
        EXPECT_GT(changes, 10);
    }
}

INSTANTIATE_TEST_SUITE_P(Profiles, DcqcnLazy, testing::Range<size_t>(0, CASES.size()));

// A loop over the periods would not come back from any of these.
TEST(Dcqcn, IdleTimeIsFree)
{
    const int64_t farPs = 5000000000000000000; // 58 days
    auto alpha = Make({{"Profile", "hpcc-sim"}, {"AlphaPeriod", "1ns"}});
    alpha->OnCnp({0});
    alpha->OnCnp({farPs});
    EXPECT_LT(alpha->GetAlpha(farPs), 1e-9);
    auto target = Make({{"TimeReset", "1ns"}, {"AiRate", "1bps"}, {"RateOnFirstCnp", "10Gbps"}},
                       8000000000000000000);
    target->OnCnp({0});
    target->Advance(farPs);
    EXPECT_NEAR(Variable(*target, "target_rate_bps"), 10e9 + 5e15, 1e3);
    EXPECT_TRUE(target->m_limited);
    auto recovery = Make({{"TimeReset", "1ns"}, {"Threshold", "4000000000"}});
    recovery->OnCnp({0});
    recovery->Advance(farPs);
    EXPECT_FALSE(recovery->m_limited);
}

// The closed form takes over above 1024 events; below, each is computed.
TEST(Dcqcn, ClosedFormEqualsSteps)
{
    const std::vector<Attributes> cases = {
        {{"Threshold", "2000"}, {"AiRate", "1Mbps"}, {"TimeReset", "1us"}},
        {{"StageRule", "time"}, {"Threshold", "1500"}, {"HaiRate", "3Mbps"}, {"TimeReset", "1us"}},
        {{"HyperMultiplier", "true"},
         {"StageRule", "time"},
         {"HaiRate", "1kbps"},
         {"TimeReset", "1us"}},
        {{"AiRate", "50Mbps"}, {"TimeReset", "1us"}},
    };
    for (auto a : cases)
    {
        a.emplace_back("RateOnFirstCnp", "10Gbps");
        auto steps = Make(a);
        steps->OnCnp({0});
        for (int64_t t = US; t <= 6 * MS; t += US)
        {
            steps->Advance(t);
            // the last case reaches the line rate at 1.8 ms
            if (t == 1100 * US || (t > 1797 * US && t < 1810 * US) || t == 6 * MS)
            {
                auto jump = Make(a);
                jump->OnCnp({0});
                jump->Advance(t);
                EXPECT_NEAR(Variable(*jump, "target_rate_bps") /
                                Variable(*steps, "target_rate_bps"),
                            1,
                            1e-12);
                EXPECT_NEAR(jump->m_rate / steps->m_rate, 1, 1e-12);
                EXPECT_EQ(jump->m_limited, steps->m_limited);
                EXPECT_EQ(jump->NextRateChangePs(), steps->NextRateChangePs());
            }
        }
        EXPECT_GT(Variable(*steps, "target_rate_bps"), 10.1e9);
    }
}

TEST(Dcqcn, RetuneKeepsTheState)
{
    auto cc = Make({{"Profile", "paper"}});
    cc->OnCnp({0});
    cc->OnCnp({0});
    auto other = Make({{"Profile", "paper"},
                       {"TimeReset", "10us"},
                       {"AiRate", "1Gbps"},
                       {"Threshold", "1"},
                       {"AlphaPeriod", "1us"}});
    const double alpha = cc->GetAlpha(54 * US);
    cc->Retune(*PeekPointer(other), 54 * US);
    EXPECT_EQ(cc->GetRateBps(), 25000000000u);
    EXPECT_EQ(cc->GetAlpha(54 * US), alpha);
    EXPECT_LT(cc->GetAlpha(55 * US), alpha);
    EXPECT_EQ(cc->NextRateChangePs(), 55 * US); // as armed before
    cc->Advance(55 * US);
    EXPECT_EQ(Variable(*cc, "target_rate_bps"), 51e9);
    EXPECT_EQ(cc->NextRateChangePs(), 65 * US);
    // attributes alone do not touch a running object; Retune(itself) takes them over
    cc->SetAttribute("AiRate", StringValue("2Gbps"));
    cc->Advance(65 * US);
    EXPECT_EQ(Variable(*cc, "target_rate_bps"), 52e9);
    cc->Retune(*PeekPointer(cc), 70 * US);
    cc->Advance(75 * US);
    EXPECT_EQ(Variable(*cc, "target_rate_bps"), 54e9);
}

// A timer that runs ends when it would have; the new period holds from there.
TEST(Dcqcn, RetuneLeavesRunningTimersAlone)
{
    for (const auto& [period, second] : {std::pair{"1us", 56 * US}, std::pair{"100us", 155 * US}})
    {
        auto cc = Make({{"Profile", "paper"}});
        cc->OnCnp({0});
        const double alpha = cc->GetAlpha(0);
        cc->Retune(*Make({{"Profile", "paper"}, {"AlphaPeriod", period}}), 50 * US);
        EXPECT_EQ(cc->GetAlpha(55 * US - 1), alpha) << period;
        EXPECT_DOUBLE_EQ(cc->GetAlpha(55 * US), alpha * 255 / 256) << period;
        EXPECT_DOUBLE_EQ(cc->GetAlpha(second - 1), alpha * 255 / 256) << period;
        EXPECT_DOUBLE_EQ(cc->GetAlpha(second), alpha * 255 / 256 * 255 / 256) << period;
    }
    auto waits = Make({});
    waits->OnCnp({0});
    waits->OnCnp({1 * US}); // too soon: the cut comes when the period is over
    waits->Retune(*Make({{"CutPeriod", "1us"}}), 2 * US);
    EXPECT_EQ(waits->NextRateChangePs(), 4 * US);
    const Attributes ticks{{"Profile", "hpcc-sim"}, {"CnpInAck", "false"}};
    auto grid = Make(ticks);
    grid->OnCnp({0});
    grid->Advance(10 * US);
    Attributes faster = ticks;
    faster.push_back({"CutPeriod", "1us"});
    grid->Retune(*Make(faster), 10 * US);
    grid->OnCnp({10 * US + US / 2});
    EXPECT_EQ(grid->NextRateChangePs(), 12 * US + 1000) << "the tick that was due anyway";
    grid->OnCnp({12 * US + US / 2});
    EXPECT_EQ(grid->NextRateChangePs(), 13 * US + 1000);
}

TEST(Dcqcn, RetuneRefusesWhatCannotChange)
{
    auto cc = Make({});
    EXPECT_EQ(ErrorOf([&] {
                  cc->Retune(*Make({{"Window", "bdp"}}), 0);
              }),
              "ns3::roce::Dcqcn: Window is bdp, expected none: it cannot change while the "
              "simulation is on");
    EXPECT_EQ(ErrorOf([&] { cc->Retune(*CreateObject<LineRate>(), 0); }),
              "ns3::roce::Dcqcn cannot take over parameters of ns3::roce::LineRate; expected the "
              "same class");
    EXPECT_EQ(ErrorOf([&] { CreateObject<LineRate>()->Retune(*cc, 0); }),
              "ns3::roce::LineRate has no parameters that can change while the simulation is on");
}

TEST(Dcqcn, ProfileTable)
{
    const DcqcnParams nvidia = Make({})->GetParams();
    EXPECT_EQ(nvidia.gain, 5.0 / 1024);
    EXPECT_EQ(nvidia.haiRateBps, 50e6);
    EXPECT_EQ(nvidia.timeResetPs, 300 * US);
    EXPECT_EQ(nvidia.threshold, 1u);
    EXPECT_EQ(nvidia.minRateBps, 1e6);
    EXPECT_EQ(nvidia.minDecFac, 0.5);
    const DcqcnParams paper = Make({{"Profile", "paper"}})->GetParams();
    EXPECT_EQ(paper.byteResetBytes, 10000000);
    EXPECT_EQ(paper.haiRateBps, 200e6);
    EXPECT_TRUE(paper.hyperMultiplier);
    const DcqcnParams hpcc = Make({{"Profile", "hpcc-sim"}})->GetParams();
    EXPECT_EQ(hpcc.byteResetBytes, 0);
    EXPECT_EQ(hpcc.minRateBps, 1e9);
}

TEST(Dcqcn, RefusesBadValues)
{
    ExpectEachRefused<Dcqcn>({{"Profile", "mellanox"},
                              {"Gain", "0"},
                              {"Gain", "1.5"},
                              {"AlphaPeriod", "0us"},
                              {"CutPeriod", "-4us"},
                              {"ByteReset", "-2"},
                              {"MinDecFac", "-0.5"},
                              {"InitialAlpha", "-0.5"},
                              {"Threshold", "0"},
                              {"MinDecFac", "1.1"},
                              {"ClampTarget", "sometimes"},
                              {"StageRule", "bytes"},
                              {"InitialAlpha", "2"},
                              {"FractionOnFirstCnp", "0"},
                              {"Window", "fixed"}},
                             MakePath(G100, 12 * US, 1106));
    EXPECT_THROW(Make({{"Profile", "hpcc-sim"}, {"TimeReset", "0us"}}), InputError);
    EXPECT_THROW(Make({}, 0), InputError);
}
