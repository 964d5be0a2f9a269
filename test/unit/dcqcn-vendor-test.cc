// SPDX-License-Identifier: GPL-2.0-only
// DCQCN with the vendor's knobs as PARALEON tunes them: vectors of its specification (T9), and each
// knob changed by Retune() while a queue pair is limited.
#include "roce-law-fixture.h"

#include "ns3/roce-dcqcn.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

Ptr<Dcqcn>
Make(const Attributes& attributes)
{
    return MakeLaw<Dcqcn>(attributes, MakePath(G100, 12 * US, 1106));
}

double
Gbps(const Ptr<Dcqcn>& cc, int64_t atPs)
{
    cc->Advance(atPs);
    return static_cast<double>(cc->GetRateBps()) / 1e9;
}

double
TargetGbps(const Ptr<Dcqcn>& cc)
{
    return Variable(*cc, "target_rate_bps") / 1e9;
}

/// A law retuned at a time. @param given attributes that change
void
RetuneAt(const Ptr<Dcqcn>& cc, int64_t atPs, const Attributes& before, const Attributes& given)
{
    Attributes all = before;
    all.insert(all.end(), given.begin(), given.end());
    cc->Retune(*Make(all), atPs);
}

} // namespace

TEST(DcqcnVendor, FirstCnpWithoutFraction)
{
    const auto cc = Make({{"ByteReset", "0"}});
    cc->OnCnp({0});
    EXPECT_NEAR(Gbps(cc, 0), 50.0488, 1e-4) << "alpha 1023/1024";
    EXPECT_NEAR(cc->GetAlpha(50 * US), 0.7821, 1e-4);
    EXPECT_NEAR(1 - cc->GetAlpha(50 * US) / 2, 0.60893, 1e-5) << "factor of the next cut";
    EXPECT_NEAR(Gbps(cc, 300 * US - 1), 50.0488, 1e-4);
    EXPECT_NEAR(Gbps(cc, 300 * US), 75.0244, 1e-4);
}

// The CNP counts for the decrease at the end of the first period, too: 25 % one period later.
TEST(DcqcnVendor, FirstCnpWithFraction)
{
    const auto cc = Make({{"ByteReset", "0"},
                          {"CutTimerFreeRunning", "true"},
                          {"StageRule", "time"},
                          {"FractionOnFirstCnp", "0.5"}});
    cc->OnCnp({0});
    EXPECT_DOUBLE_EQ(Gbps(cc, 0), 50);
    EXPECT_DOUBLE_EQ(TargetGbps(cc), 50);
    EXPECT_DOUBLE_EQ(Gbps(cc, 4 * US), 50) << "1 ns behind the tick of alpha";
    EXPECT_NEAR(cc->GetAlpha(4 * US) * 1024, 1003.165, 1e-3);
    EXPECT_NEAR(Gbps(cc, 4 * US + 1000), 25.5087, 1e-4);
    EXPECT_DOUBLE_EQ(TargetGbps(cc), 50) << "no increase since";
    EXPECT_NEAR(Gbps(cc, 304 * US + 1000), 37.7543, 1e-4);
}

TEST(DcqcnVendor, SteadyAlpha)
{
    const struct
    {
        int64_t spacingUs;
        const char* period;
        double alpha;
    } cases[] = {{4, "1us", 0.2518},
                 {50, "1us", 0.02249},
                 {96, "1us", 0.01302},
                 {50, "4us", 0.0823}};

    for (const auto& c : cases)
    {
        const auto cc = Make({{"ByteReset", "0"}, {"AlphaPeriod", c.period}});
        int64_t atPs = 0;
        for (int i = 0; i < 3000; ++i, atPs += c.spacingUs * US)
        {
            cc->OnCnp({atPs + 500000}); // half a microsecond before a tick
        }
        double highest = 0; // right behind the tick that has seen the CNP
        for (int64_t t = 0; t <= 8; ++t)
        {
            highest = std::max(highest, cc->GetAlpha(atPs - c.spacingUs * US + 500000 + t * US));
        }
        EXPECT_NEAR(highest, c.alpha, 0.005 * c.alpha) << c.spacingUs << " us, " << c.period;
    }
}

// rpg_gd: a cut takes alpha / 2^(Gd - 10).
TEST(DcqcnVendor, Gd)
{
    const double alpha = 1023.0 / 1024;
    for (const int gd : {11, 12, 13, 20})
    {
        const auto cc = Make({{"Gd", std::to_string(gd)}});
        cc->OnCnp({0});
        EXPECT_NEAR(Gbps(cc, 0), 100 * (1 - alpha / std::pow(2, gd - 10)), 1e-6) << gd;
    }
    for (const int gd : {0, 1, 10}) // more than there is: MinDecFac, then MinRate hold
    {
        const auto cc = Make({{"Gd", std::to_string(gd)}, {"MinDecFac", "0.3"}});
        cc->OnCnp({0});
        EXPECT_DOUBLE_EQ(Gbps(cc, 0), 30) << gd;
        const auto none = Make({{"Gd", std::to_string(gd)},
                                {"MinDecFac", "0"},
                                {"InitialAlpha", "1"},
                                {"MinRate", "2Gbps"}});
        none->OnCnp({0});
        EXPECT_DOUBLE_EQ(Gbps(none, 0), 2) << gd;
    }
}

// Every knob of the vector takes effect at its next use, and no timer that runs is set anew.
TEST(DcqcnVendor, KnobsAreLive)
{
    const Attributes base{{"ByteReset", "0"},
                          {"StageRule", "time"},
                          {"ReleaseAtLineRate", "false"}};
    const auto limited = [&base] {
        const auto cc = Make(base);
        cc->OnCnp({0});
        return cc;
    };
    // Increase timer: the one that runs ends at 300 us; then the new period.
    auto cc = limited();
    RetuneAt(cc, 100 * US, base, {{"TimeReset", "10us"}});
    const double cut = Gbps(cc, 300 * US - 1);
    EXPECT_NEAR(cut, 50.0488, 1e-4);
    EXPECT_NEAR(Gbps(cc, 300 * US), (cut + 100) / 2, 1e-4);
    const double risen = Gbps(cc, 310 * US - 1);
    EXPECT_GT(Gbps(cc, 310 * US), risen) << "10 us later, not 300";
    // Steps.
    const auto target = [&](const Attributes& change, int64_t untilPs) {
        const auto law = limited();
        law->OnCnp({301 * US}); // the target is the rate, 75 Gb/s
        RetuneAt(law, 302 * US, base, change);
        law->Advance(untilPs);
        return TargetGbps(law);
    };
    const double plain = target({}, 301 * US + 600 * US);
    EXPECT_NEAR(target({{"AiRate", "1Gbps"}}, 301 * US + 600 * US) - plain, 0.995, 1e-6)
        << "fast recovery once, then one step";
    EXPECT_NEAR(target({{"HaiRate", "2Gbps"}}, 301 * US + 1500 * US) -
                    target({}, 301 * US + 1500 * US),
                3 * 1.95,
                1e-6)
        << "then three hyper steps";
    EXPECT_LT(target({{"Threshold", "50"}}, 301 * US + 1500 * US),
              target({}, 301 * US + 1500 * US) - 0.01);
    // Cuts.
    const auto next = [&](const Attributes& change) {
        const auto law = limited();
        RetuneAt(law, 10 * US, base, change);
        law->OnCnp({20 * US});
        return Gbps(law, 20 * US);
    };
    EXPECT_GT(next({{"MinDecFac", "0.95"}}), next({}) + 10);
    EXPECT_GT(next({{"Gd", "13"}}), next({}) + 10);
    EXPECT_DOUBLE_EQ(next({{"MinRate", "45Gbps"}}), 45);
    EXPECT_GT(next({{"Gain", "0.5"}}), next({}) + 10) << "alpha decays faster";
    EXPECT_GT(next({{"AlphaPeriod", "100ns"}}), next({}) + 1);
    const auto twice = [&](const Attributes& change) {
        const auto law = limited();
        RetuneAt(law, 10 * US, base, change);
        law->OnCnp({20 * US});
        law->OnCnp({30 * US});
        return Gbps(law, 30 * US);
    };
    EXPECT_GT(twice({{"CutPeriod", "100us"}}), twice({}) + 5) << "one cut in 100 us";
    // First CNP of another queue pair that is open already.
    const auto fresh = [&](const Attributes& change) {
        const auto law = Make(base);
        RetuneAt(law, 10 * US, base, change);
        law->OnCnp({20 * US});
        return Gbps(law, 20 * US);
    };
    EXPECT_NEAR(fresh({{"FractionOnFirstCnp", "0.5"}}), fresh({}) / 2, 1e-6);
    EXPECT_NEAR(fresh({{"InitialAlpha", "0.5"}}), 75, 1e-6);
    EXPECT_NEAR(fresh({{"RateOnFirstCnp", "10Gbps"}}), fresh({}) / 10, 1e-6);
    // Bytes, and when the target is lowered.
    const auto law = limited();
    RetuneAt(law, 10 * US, base, {{"ByteReset", "1000"}});
    Send(*law, 20 * US, 1106);
    EXPECT_GT(Gbps(law, 20 * US), 60) << "one byte stage";
    const auto clamped = limited();
    RetuneAt(clamped, 10 * US, base, {{"ClampTarget", "always"}});
    clamped->OnCnp({20 * US});
    EXPECT_NEAR(TargetGbps(clamped), 50.0488, 1e-3);
}
