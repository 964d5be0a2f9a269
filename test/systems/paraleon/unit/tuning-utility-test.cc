// SPDX-License-Identifier: GPL-2.0-only
// PARALEON's utility, term by term.
#include "paraleon-values.h"

#include "ns3/roce-tuning-utility.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3::roce;
using ns3::roce::test::ParaleonValues;

namespace
{

constexpr int64_t US = 1000000;
constexpr int64_t MS = 1000 * US;
constexpr uint64_t G100 = 100000000000;

TuningUtility::Config
Default()
{
    return ParaleonValues::Of().utility;
}

TuningUtility
Make(const TuningUtility::Config& config)
{
    TuningUtility utility;
    utility.Start(config);
    utility.Begin(MS);
    return utility;
}

/// Bytes of a millisecond at that rate.
constexpr uint64_t
Bytes(uint64_t gbps)
{
    return gbps * 125000;
}

/// An interval with these terms exactly.
TuningUtility
With(double tp, double rtt, int64_t pausedUs)
{
    TuningUtility utility = Make(Default());
    utility.AddUplink(static_cast<uint64_t>(tp * 12500000), G100);
    utility.AddRtt(static_cast<int64_t>(rtt * 100) * US, 100 * US);
    utility.AddPort(pausedUs * US, 0);
    return utility;
}

} // namespace

TEST(TuningUtility, WeightsOfMiceAndOfElephants)
{
    struct Case
    {
        double tp;
        double rtt;
        int64_t pausedUs;
        double mice;
        double elephants;
    };

    const Case cases[] = {{0.9, 0.3, 0, 0.63, 0.81},
                          {0.6, 0.7, 0, 0.77, 0.74},
                          {0.9, 0.3, 200, 0.57, 0.75},
                          {1, 1, 0, 1, 1}};
    for (const Case& c : cases)
    {
        const TuningUtility utility = With(c.tp, c.rtt, c.pausedUs);
        const std::string what =
            "O_TP " + std::to_string(c.tp) + ", O_RTT " + std::to_string(c.rtt);
        EXPECT_NEAR(utility.Evaluate(utility.GetWeights(false)).u, c.mice, 1e-9) << what;
        EXPECT_NEAR(utility.Evaluate(utility.GetWeights(true)).u, c.elephants, 1e-9) << what;
    }
    auto config = Default();
    for (const bool dominate : {false, true})
    {
        config.weightMode = TuningUtility::WeightMode::AT_BEGIN;
        EXPECT_EQ(Make(config).GetWeights(dominate).tp, dominate ? 0.5 : 0.2);
        config.weightMode = TuningUtility::WeightMode::MICE;
        EXPECT_EQ(Make(config).GetWeights(dominate).tp, 0.2) << "whatever dominates";
        config.weightMode = TuningUtility::WeightMode::ELEPHANTS;
        EXPECT_EQ(Make(config).GetWeights(dominate).tp, 0.5) << "whatever dominates";
    }
}

TEST(TuningUtility, UplinksThatAreActive)
{
    auto config = Default();
    for (const double threshold : {0.0, 0.05})
    {
        config.activeThreshold = threshold;
        TuningUtility utility = Make(config);
        for (const uint64_t gbps : {90, 50, 10, 0})
        {
            utility.AddUplink(Bytes(gbps), G100);
        }
        EXPECT_NEAR(utility.Evaluate(config.mice).tp, 0.5, 1e-12)
            << "the idle uplink does not count, threshold " << threshold;
    }
    TuningUtility utility = Make(config);
    utility.AddUplink(Bytes(5), G100);
    EXPECT_EQ(utility.Evaluate(config.mice).tp, 0) << "5 Gb/s of 100 are not above 5 %";
    utility.AddUplink(Bytes(6), G100);
    EXPECT_NEAR(utility.Evaluate(config.mice).tp, 0.06, 1e-12);
    utility.AddUplink(Bytes(200), 4 * G100);
    EXPECT_NEAR(utility.Evaluate(config.mice).tp, 0.28, 1e-12) << "6 % of 100G and 50 % of 400G";
    utility.Begin(2 * MS);
    utility.AddUplink(Bytes(100), G100);
    EXPECT_NEAR(utility.Evaluate(config.mice).tp, 0.5, 1e-12)
        << "the interval is twice as long, and the one before is over";
}

TEST(TuningUtility, RttsOfPairs)
{
    using Mode = TuningUtility::BaseDelayMode;
    using Metric = TuningUtility::RttMetric;
    auto config = Default();
    const auto term = [&config] {
        TuningUtility utility = Make(config);
        utility.AddRtt(40 * US, 60 * US);
        utility.AddRtt(40 * US, 100 * US);
        utility.AddRtt(20 * US, 25 * US);
        return utility.Evaluate(config.mice).rtt;
    };
    EXPECT_NEAR(term(), 0.62222, 5e-6) << "mean of ratios";
    config.rttMetric = Metric::RATIO_OF_MEANS;
    EXPECT_NEAR(term(), 100.0 / 185, 1e-9) << "ratio of means";
    config.baseDelayMode = Mode::CONSTANT;
    EXPECT_NEAR(term(), 0.64865, 5e-6) << "40 us for all";
    config.rttMetric = Metric::MEAN_OF_RATIOS;
    EXPECT_NEAR(term(), (40.0 / 60 + 0.4 + 1.6) / 3, 1e-9) << "a pair may be above 1";
}

TEST(TuningUtility, PausesOfPorts)
{
    auto config = Default();
    const auto term = [&config] {
        TuningUtility utility = Make(config);
        utility.AddPort(0, 0);
        utility.AddPort(0, 0);
        utility.AddPort(40 * US, 3);
        utility.AddPort(160 * US, 1);
        return utility.Evaluate(config.mice).pfc;
    };
    EXPECT_NEAR(term(), 0.95, 1e-12) << "200 us of 4 ports";
    config.pfcMetric = TuningUtility::PfcMetric::FRAME_COUNT;
    EXPECT_NEAR(term(), 0.99, 1e-12) << "2 frames per paused port, 5 us each";
    config.pfcMetric = TuningUtility::PfcMetric::PAUSED_LINK_SHARE;
    EXPECT_NEAR(term(), 0.5, 1e-12) << "2 of 4 ports";
    for (const auto metric : {TuningUtility::PfcMetric::EXACT_TIME,
                              TuningUtility::PfcMetric::FRAME_COUNT,
                              TuningUtility::PfcMetric::PAUSED_LINK_SHARE})
    {
        config.pfcMetric = metric;
        EXPECT_EQ(Make(config).Evaluate(config.mice).pfc, 1) << "nobody was paused";
        TuningUtility utility = Make(config);
        utility.AddPort(2 * MS, 1000);
        EXPECT_EQ(utility.Evaluate(config.mice).pfc, 0) << "never below 0";
    }
}

TEST(TuningUtility, ASilentIntervalIsNotAGoodOne)
{
    TuningUtility utility = Make(Default());
    const auto silent = utility.Evaluate(utility.GetWeights(false));
    EXPECT_FALSE(silent.any);
    EXPECT_NEAR(silent.u, 0.3, 1e-12) << "but for pauses, there were none";
    utility.AddRtt(40 * US, 40 * US);
    EXPECT_TRUE(utility.Evaluate(utility.GetWeights(false)).any);
    EXPECT_FALSE(utility.Evaluate(utility.GetWeights(false)).all) << "no uplink was active";
    utility.AddUplink(Bytes(90), G100);
    EXPECT_TRUE(utility.Evaluate(utility.GetWeights(false)).all);
}
