// SPDX-License-Identifier: GPL-2.0-only
// WRCC's Algorithm 1 and equations 1, 2 and 5, one step at a time, against vectors worked out by an
// independent model of the paper.
#include "ns3/roce-wrcc-fair-rate.h"
#include "ns3/roce-wrcc-port-rate.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace ns3::roce;

namespace
{

using Branch = WrccPortRate::Branch;
using QExtra = WrccPortRate::QExtra;
using MdGating = WrccPortRate::MdGating;

constexpr double G = 1e9;
constexpr double T_US = 24;

WrccPortRate::Config
Default()
{
    return Parameters<WrccFairRateParams>().Get()->rate;
}

/// @return bytes of a period at that rate
uint64_t
BytesAt(double bps)
{
    return static_cast<uint64_t>(std::llround(bps * T_US * 1e-6 / 8));
}

/// A port of 100 Gbit/s in the midst of a run.
WrccPortRate
PortAt(double rateBps, double avgRttUs, double lineBps = 100 * G)
{
    WrccPortRate port;
    port.Start(Default(), lineBps);
    port.SetState(rateBps, avgRttUs);
    return port;
}

// --- AutoParm (equation 5)

TEST(WrccPortRate, AlphaIsThePowerOfTwoBelowTheFreeShare)
{
    const auto config = Default();
    const std::vector<std::pair<double, double>> vectors{
        {0, 2},
        {40, 2},
        {50, 2},
        {51, 4},
        {60, 4},
        {75, 4},
        {80, 8},
        {87.5, 8},
        {90, 16},
        {93.75, 16},
        {95, 32},
        {98, 64},
        {98.5, 64},
        {99.9, 64},
        {100, 64},
        {105, 64},
        {109, 64},
    };
    for (const auto& [input, level] : vectors)
    {
        EXPECT_EQ(WrccPortRate::AutoAlpha(config, 100 * G, input * G, 50 * G), 1 / level)
            << "R_input " << input << "G";
        EXPECT_EQ(WrccPortRate::AutoAlpha(config, 100 * G, input * G, 100 * G), 0.5)
            << "R_Fair is not below the target";
    }
}

TEST(WrccPortRate, OtherReadingsOfAutoParm)
{
    auto config = Default();
    config.alphaByInput = true;
    EXPECT_EQ(WrccPortRate::AutoAlpha(config, 100 * G, 80 * G, 100 * G), 1.0 / 8);
    EXPECT_EQ(WrccPortRate::AutoAlpha(config, 100 * G, 105 * G, 50 * G), 0.5);
    config = Default();
    config.alphaByDistance = true;
    EXPECT_EQ(WrccPortRate::AutoAlpha(config, 100 * G, 105 * G, 50 * G), 1.0 / 32);
    EXPECT_EQ(WrccPortRate::AutoAlpha(config, 100 * G, 80 * G, 50 * G), 1.0 / 8);
}

// --- one step

/// A row of the table of one-step vectors.
struct Step
{
    const char* name;
    double rate; //!< Gbit/s, as the other rates
    double input;
    double line;
    double avgRttUs;
    double queueMb;
    uint64_t pauses;
    double thresholdMb;
    Branch branch;
    double alpha; //!< 0: none
    double expected;
    double printed; //!< with QExtraMode=printed
};

const Step STEPS[] = {
    {"U1", 50, 80, 100, 24, 0, 0, 4, Branch::AI, 1. / 8, 51.25, 51.25},
    {"U2", 50, 80, 100, 12, 0, 0, 4, Branch::AI, 1. / 8, 51.25, 51.25},
    {"U3", 50, 80, 100, 2016, 0, 0, 4, Branch::AI, 1. / 8, 50.014881, 50.014881},
    {"U4", 50, 80, 100, 24, 2.5, 0, 4, Branch::AI, 1. / 8, 46.041667, 35.625},
    {"U5", 50, 80, 100, 24, 2.0, 0, 4, Branch::AI, 1. / 8, 51.25, 30.416667},
    {"U6", 50, 105, 100, 24, 0, 0, 4, Branch::AI, 1. / 64, 49.960938, 49.960938},
    {"U7", 100, 105, 100, 24, 0, 0, 4, Branch::AI, 1. / 2, 97.5, 97.5},
    {"U8", 100, 800, 100, 24, 0, 0, 4, Branch::MD, 0, 12.5, 12.5},
    {"U9", 40, 90, 100, 24, 0, 3, 4, Branch::MD, 0, 20, 20},
    {"U9 with SD 8", 40, 800, 100, 24, 0, 3, 4, Branch::MD, 0, 5, 5},
    {"U10", .15, 200, 100, 24, 0, 0, 4, Branch::MD, 0, 0.1, 0.1},
    {"U11", 99, 20, 100, 24, 0, 0, 4, Branch::AI, 1. / 2, 100, 100},
    {"U12", 50, 110, 100, 24, 0, 0, 4, Branch::MD, 0, 45.454545, 45.454545},
    {"U13", 50, 400, 400, 2016, 0, 0, 40, Branch::AI, 1. / 64, 50, 50},
    {"U14", 60, 80, 100, 24, 4, 0, 4, Branch::AI, 1. / 8, 36.5, 61.5},
    {"U15", 60, 80, 100, 24, 8, 0, 4, Branch::AI, 1. / 8, 0.1, 100},
};

TEST(WrccPortRate, OneStepOfAlgorithm1)
{
    for (const Step& step : STEPS)
    {
        for (const bool printed : {false, true})
        {
            auto config = Default();
            config.qExtra = printed ? QExtra::PRINTED : QExtra::EXCESS;
            WrccPortRate port = PortAt(step.rate * G, step.avgRttUs, step.line * G);
            WrccPortRate::Period period;
            period.hasInputs = true;
            period.inputBytes = BytesAt(step.input * G);
            period.queueBytes = static_cast<uint64_t>(step.queueMb * 1e6);
            period.thresholdBytes = static_cast<uint64_t>(step.thresholdMb * 1e6);
            period.pauses = step.pauses;
            port.Update(config, period, 1);
            EXPECT_NEAR(port.GetRateBps() / G, printed ? step.printed : step.expected, 1e-6)
                << step.name << (printed ? " printed" : "");
            EXPECT_EQ(port.GetBranch(), step.branch) << step.name;
            EXPECT_EQ(port.GetAlpha(), step.alpha) << step.name;
        }
    }
}

TEST(WrccPortRate, OtherReadingsOfTheQueueTerm)
{
    WrccPortRate::Period period;
    period.hasInputs = true;
    period.inputBytes = BytesAt(80 * G);
    period.queueBytes = 2500000;
    period.thresholdBytes = 4000000;
    auto config = Default();
    const auto extra = [&](QExtra mode) {
        config.qExtra = mode;
        WrccPortRate port = PortAt(50 * G, 24);
        port.Update(config, period, 1);
        return port.GetExtraBytes();
    };
    EXPECT_EQ(extra(QExtra::EXCESS), 500000);
    EXPECT_EQ(extra(QExtra::PRINTED), 1500000);
    EXPECT_EQ(extra(QExtra::QP_MINUS_QMAX), -1500000);
    EXPECT_EQ(extra(QExtra::FULL_QUEUE), 2500000);
    period.queueBytes = 1999999;
    EXPECT_EQ(extra(QExtra::FULL_QUEUE), 0) << "below QRatio Q_max";
    period.queueBytes = 2500000;
    period.hasInputs = false;
    EXPECT_EQ(extra(QExtra::EXCESS), 0) << "without inputs there is no Q_max";
}

// --- equation 1

TEST(WrccPortRate, InputRateAndAverageRtt)
{
    const auto config = Default();
    WrccPortRate port = PortAt(50 * G, 12);
    WrccPortRate::Period period;
    period.hasInputs = true;
    period.inputBytes = 150000 + 150000 + 75000;
    period.rttSumUs = 2040;
    period.packets = 100;
    port.Update(config, period, 1);
    EXPECT_DOUBLE_EQ(port.GetInputBps(), 125 * G);
    EXPECT_NEAR(port.GetAvgRttUs(), 12.84, 1e-9);
    port.Update(config, period, 2);
    EXPECT_NEAR(port.GetAvgRttUs(), 13.596, 1e-9);

    port = PortAt(50 * G, 12);
    period.rttSumUs = 1014 * 100;
    port.Update(config, period, 1);
    EXPECT_NEAR(port.GetAvgRttUs(), 112.2, 1e-9);
    port.Update(config, period, 2);
    EXPECT_NEAR(port.GetAvgRttUs(), 202.38, 1e-9);
    period.packets = period.rttSumUs = 0;
    port.Update(config, period, 3);
    EXPECT_NEAR(port.GetAvgRttUs(), 202.38, 1e-9) << "no packets: as it was";

    port.Start(config, 100 * G);
    period.packets = 3;
    period.rttSumUs = 3 * 2016;
    port.Update(config, period, 1);
    EXPECT_EQ(port.GetAvgRttUs(), 2016) << "the first sample";
}

// --- collapse, gating, recovery

/// @return periods of persistent overload until the rate is at its floor
int
PeriodsToFloor(const WrccPortRate::Config& config, double slowDown, double avgRttUs = 24)
{
    WrccPortRate port = PortAt(100 * G, avgRttUs);
    WrccPortRate::Period period;
    period.hasInputs = true;
    period.inputBytes = BytesAt(slowDown * 100 * G);
    int n = 0;
    while (port.GetRateBps() > config.fMinBps)
    {
        port.Update(config, period, ++n);
    }
    return n;
}

TEST(WrccPortRate, PersistentOverloadReachesTheFloor)
{
    const auto config = Default();
    EXPECT_EQ(PeriodsToFloor(config, 2), 10);
    EXPECT_EQ(PeriodsToFloor(config, 8), 4);
    EXPECT_EQ(PeriodsToFloor(config, 1.1), 73);
}

TEST(WrccPortRate, DividesOncePerRtt)
{
    auto config = Default();
    EXPECT_EQ(PeriodsToFloor(config, 2, 12), 10) << "an RTT below the period counts as one";
    EXPECT_EQ(PeriodsToFloor(config, 2, 2016), 1 + 9 * 84);
    WrccPortRate port = PortAt(100 * G, 2016);
    WrccPortRate::Period period;
    period.hasInputs = true;
    period.inputBytes = BytesAt(200 * G);
    port.Update(config, period, 1);
    EXPECT_EQ(port.GetBranch(), Branch::MD);
    port.Update(config, period, 2);
    EXPECT_EQ(port.GetBranch(), Branch::HOLD);
    EXPECT_EQ(port.GetRateBps(), 50 * G);
    config.mdGating = MdGating::EVERY_PERIOD;
    EXPECT_EQ(PeriodsToFloor(config, 2, 2016), 10);
}

// Flows across whose senders hear of a division by FCNPs: it need not wait for their round trip.
TEST(WrccPortRate, DividesOncePerLoop)
{
    auto config = Default();
    const auto branches = [&config](uint64_t loopSumUs) {
        WrccPortRate port;
        port.Start(config, 100 * G);
        WrccPortRate::Period period;
        period.hasInputs = true;
        period.inputBytes = BytesAt(200 * G);
        period.packets = 10;
        period.rttSumUs = 10 * 2016;
        period.loopSumUs = loopSumUs;
        std::string text;
        for (int i = 1; i <= 170; ++i)
        {
            port.Update(config, period, i);
            text += port.GetBranch() == Branch::MD ? 'd' : '.';
        }
        return text;
    };
    const auto every = [](std::size_t n) {
        std::string text(170, '.');
        for (std::size_t i = 0; i < text.size(); i += n)
        {
            text[i] = 'd';
        }
        return text;
    };
    EXPECT_EQ(branches(0), every(1)) << "all are told at once";
    EXPECT_EQ(branches(10 * 2016), every(84)) << "none is";
    EXPECT_EQ(branches(5 * 2016), every(42)) << "every other one";
    config.mdGating = MdGating::PER_RTT_AVG;
    EXPECT_EQ(branches(0), every(84)) << "by the round trip";
}

// The gate counts periods without packets, too.
TEST(WrccPortRate, TheTimeSinceADivisionHasIdlePeriods)
{
    const auto config = Default();
    for (const int idle : {82, 83})
    {
        WrccPortRate port = PortAt(100 * G, 2016);
        WrccPortRate::Period period;
        period.hasInputs = true;
        period.inputBytes = BytesAt(200 * G);
        port.Update(config, period, 1);
        ASSERT_EQ(port.GetBranch(), Branch::MD);
        port.Rest(config, 0, 1 + idle, idle);
        port.Update(config, period, 2 + idle);
        EXPECT_EQ(port.GetBranch(), idle < 83 ? Branch::HOLD : Branch::MD) << idle;
    }
}

TEST(WrccPortRate, RecoversOnAnIdlePort)
{
    const auto config = Default();
    for (const auto& [rttUs, periods] :
         std::vector<std::pair<double, int>>{{24, 18}, {500, 292}, {2016, 1164}})
    {
        WrccPortRate port = PortAt(0.1 * G, rttUs);
        int n = 0;
        while (port.GetRateBps() < config.fMaxBps)
        {
            port.Update(config, {}, ++n);
        }
        EXPECT_EQ(n, periods) << "RTT " << rttUs << " us";
    }
}

// Many idle periods at once are as many one by one, to the last bit.
TEST(WrccPortRate, IdlePeriodsAtOnce)
{
    for (const bool shift : {false, true})
    {
        auto config = Default();
        config.shiftDivision = shift;
        for (const int n : {1, 2, 17, 291, 292, 293, 5000})
        {
            WrccPortRate single = PortAt(0.1 * G, 500);
            WrccPortRate together = single;
            for (int i = 1; i <= n; ++i)
            {
                single.Update(config, {}, i);
            }
            together.Rest(config, 0, n, n);
            EXPECT_EQ(single.GetRateBps(), together.GetRateBps()) << n;
            EXPECT_EQ(single.IsAtRest(config), together.IsAtRest(config)) << n;
        }
    }
    WrccPortRate port = PortAt(0.1 * G, 2016);
    port.Rest(Default(), 0, INT64_MAX / 4, INT64_MAX / 4); // work is bounded by the rate
    EXPECT_TRUE(port.IsAtRest(Default()));
}

// --- linear stability: the model of the paper's section 3.4, with the module's alpha and beta

TEST(WrccPortRate, PhaseMarginsOfTheLinearModel)
{
    const std::vector<std::pair<double, double>> margins{
        {0, 15.39},
        {60, 15.74},
        {80, 12.77},
        {90, 9.59},
        {95, 6.97},
        {99, 5.00},
    };
    for (const auto& [input, margin] : margins)
    {
        const double a = WrccPortRate::AutoAlpha(Default(), 100 * G, input * G, 50 * G);
        const double b = a / 2;
        const double w = std::sqrt((a * a + std::sqrt(a * a * a * a + 4 * b * b)) / 2);
        EXPECT_NEAR((std::atan(a * w / b) - w) * 180 / M_PI, margin, 0.005) << "alpha " << a;
    }
    // b is a / 2 in the step, too: of 4 MB less QRatio, 8 QX / RTT is 166.67 Gbit/s.
    WrccPortRate port = PortAt(50 * G, 24);
    WrccPortRate::Period period;
    period.hasInputs = true;
    period.inputBytes = BytesAt(100 * G);
    period.queueBytes = 2500000;
    period.thresholdBytes = 4000000;
    port.Update(Default(), period, 1);
    EXPECT_NEAR(port.GetRateBps() / (50 * G), 1 - (1. / 128) * 166.6667 / 100, 1e-6);
}

// --- the rest

TEST(WrccPortRate, TargetUtilizationAndEffectiveDrain)
{
    auto config = Default();
    config.targetUtilization = 0.5;
    WrccPortRate port = PortAt(50 * G, 24);
    WrccPortRate::Period period;
    period.hasInputs = true;
    period.inputBytes = BytesAt(80 * G);
    port.Update(config, period, 1);
    EXPECT_NEAR(port.GetSlowDown(), 1.6, 1e-9);

    config = Default();
    period.queueBytes = 100000;
    period.thresholdBytes = 4000000;
    period.sentBytes = BytesAt(20 * G); // paused most of the time
    port = PortAt(50 * G, 24);
    port.Update(config, period, 1);
    EXPECT_EQ(port.GetBranch(), Branch::AI) << "as printed, its rate rises";
    config.effectiveDrain = true;
    port = PortAt(50 * G, 24);
    port.Update(config, period, 1);
    EXPECT_EQ(port.GetBranch(), Branch::MD);
    EXPECT_NEAR(port.GetSlowDown(), 4, 1e-9);
    period.queueBytes = 0;
    port = PortAt(50 * G, 24);
    port.Update(config, period, 1);
    EXPECT_NEAR(port.GetSlowDown(), 0.8, 1e-9) << "without a queue, the line";
}

// The paper's prototype: a divisor counts as the nearest power of two.
TEST(WrccPortRate, ShiftsInPlaceOfDivisions)
{
    auto config = Default();
    config.shiftDivision = true;
    config.periodPs = int64_t{1} << 24;
    const double line = std::ldexp(1, 36);
    const auto after = [&](double slowDown) {
        WrccPortRate port;
        port.Start(config, line);
        port.SetState(line, 1);
        WrccPortRate::Period period;
        period.hasInputs = true;
        period.inputBytes =
            static_cast<uint64_t>(slowDown * line * static_cast<double>(config.periodPs) / 8e12);
        port.Update(config, period, 1);
        EXPECT_NEAR(port.GetSlowDown(), slowDown, 1e-4) << "these divisors are powers of two";
        return port.GetRateBps() / line;
    };
    EXPECT_EQ(after(2.9), 1. / 2);
    EXPECT_EQ(after(3.1), 1. / 4);
    config.shiftDivision = false;
    EXPECT_NEAR(after(2.9), 1 / 2.9, 1e-4);
}

} // namespace
