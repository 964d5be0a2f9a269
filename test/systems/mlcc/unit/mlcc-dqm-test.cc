// SPDX-License-Identifier: GPL-2.0-only
// MLCC's queue management: equations 1 to 9 and Algorithm 2 with worked-out numbers, the token step
// by step, and the loop over a model of one queue, against an independent model of the same.
#include "roce-test-time.h"

#include "ns3/roce-mlcc-dqm.h"
#include "ns3/roce-mlcc-params.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using DwWindow = MlccDqm::DwWindow;

constexpr double G = 1e9;
constexpr double ENDLESS_PS = 1e30; //!< theta beside which the predicted delay is nothing
constexpr int64_t RTT_C = 6044 * US;
constexpr int64_t RTT_D = 22 * US;

/// Parameters by default, as the attributes say.
MlccDqm::Settings
Defaults(double thetaMs = 18)
{
    MlccDqm::Settings settings = Parameters<MlccParams>().Get()->dqm;
    settings.thetaPs = thetaMs * MS;
    return settings;
}

MlccDqm::Path
PathOf(int64_t crossRttPs = RTT_C, int64_t roundRttPs = RTT_D, double lineBps = 25 * G)
{
    return {lineBps, 100e6, crossRttPs, roundRttPs, 1000};
}

MlccDqm
Started(const MlccDqm::Settings& settings, const MlccDqm::Path& path = PathOf())
{
    MlccDqm dqm;
    dqm.Start(settings, path, 0);
    return dqm;
}

// U-M1
TEST(MlccDqm, RoundsPerRttC)
{
    EXPECT_EQ(MlccDqm::Rounds(6044 * US, 22 * US), 275u) << "274.73";
    EXPECT_EQ(MlccDqm::Rounds(6044 * US, 24 * US), 252u) << "251.83";
    EXPECT_EQ(MlccDqm::Rounds(2044 * US, 22 * US), 93u) << "92.9";
    EXPECT_EQ(MlccDqm::Rounds(2044 * US, 24 * US), 85u) << "85.2";
    EXPECT_EQ(MlccDqm::Rounds(US, 22 * US), 1u);
    EXPECT_EQ(MlccDqm::Rounds(INT64_MAX, 1), MlccDqm::MOST_ROUNDS);
    EXPECT_EQ(Started(Defaults()).GetRounds(), 275u);
}

TEST(MlccDqm, DefaultsAreThePapers)
{
    const MlccDqm::Settings s = Defaults();
    EXPECT_EQ(s.alpha, 0.5);
    EXPECT_EQ(s.thetaPs, 18. * MS);
    EXPECT_EQ(s.targetPs, 1. * MS);
    EXPECT_EQ(MlccDqm::CREDITS, 5u);
    EXPECT_EQ(s.dwWindow, DwWindow::SLIDING);
    EXPECT_FALSE(s.holds || s.literalToken);
}

// U-M3
TEST(MlccDqm, EquationsThreeToFive)
{
    struct Case
    {
        const char* name;
        double preBps;
        double creditBps;
        double meanCreditBps;
        double queueBytes;
        double thetaMs;
        double rttMs;
        double queueAhead;
        double delayMs;
        double targetG;
    };

    for (const Case& c :
         {Case{"onset", 25, 12.5, 12.5, 0, 18, 6.044, 9443750, 6.044, 8.997222},
          Case{"backlog", 25, 12.5, 12.5, 10e6, 18, 6.044, 19443750, 12.444, 4.552778},
          Case{"at target", 12.5, 12.5, 12.5, 1562500, 18, 6.044, 1562500, 1, 12.5},
          Case{"empty", 12.5, 12.5, 12.5, 0, 18, 6.044, 0, 0, 13.194444},
          Case{"theta 6", 25, 12.5, 12.5, 10e6, 6, 6.044, 19443750, 12.444, -11.341667},
          Case{"uneven", 12.5, 10, 13.5, 4e6, 18, 6.044, 5888750, 3.489630, 8.616872},
          Case{"negative", 6, 12.5, 12.5, 1e6, 18, 6.044, -3910750, -2.502880, 14.932556},
          Case{"WAN 1 ms", 25, 12.5, 12.5, 0, 18, 2.044, 3193750, 2.044, 11.775}})
    {
        SCOPED_TRACE(c.name);
        const double ahead =
            MlccDqm::QueueAhead(c.preBps * G, c.creditBps * G, c.rttMs * MS, c.queueBytes);
        EXPECT_NEAR(ahead, c.queueAhead, 0.5);
        const double delayPs = MlccDqm::DelayAhead(ahead, c.meanCreditBps * G);
        EXPECT_NEAR(delayPs / MS, c.delayMs, 5e-7);
        EXPECT_NEAR(MlccDqm::TargetRate(c.creditBps * G, delayPs, 1. * MS, c.thetaMs * MS) / G,
                    c.targetG,
                    5e-7);
    }
}

// The same through rounds: the history begins at the line rate.
TEST(MlccDqm, ARoundPutsThemTogether)
{
    MlccDqm dqm = Started(Defaults());
    EXPECT_EQ(dqm.GetSmoothedBps(), 25 * G) << "before any round";
    dqm.OnPacket(1);
    EXPECT_EQ(dqm.GetSmoothedBps(), 25 * G) << "packets before the first round are no steps";
    dqm.Round(12.5 * G, 0, 0);
    EXPECT_EQ(dqm.GetPreBps(), 25 * G);
    EXPECT_NEAR(dqm.GetQueueAhead(), 9443750, 0.5);
    EXPECT_NEAR(dqm.GetDelayPs() / MS, 6.044, 1e-9);
    EXPECT_NEAR(dqm.GetTargetBps() / G, 8.997222, 5e-7);
    EXPECT_EQ(dqm.GetSmoothedBps(), 12.5 * G) << "without steps it is R_credit";

    MlccDqm steep = Started(Defaults(6));
    steep.Round(12.5 * G, 10000000, 0);
    EXPECT_EQ(steep.GetTargetBps(), 0) << "-11.3 Gbit/s is 0";
}

// Five rounds of R_credit, the last one 10 Gbit/s, make a delay of a queue.
TEST(MlccDqm, DelayIsOfTheLastMCredits)
{
    MlccDqm dqm = Started(Defaults());
    dqm.Round(99 * G, 0, 0);
    for (const double credit : {20., 15., 12.5, 10.})
    {
        dqm.Round(credit * G, 0, 0);
    }
    // Of the first ones, as many as there are.
    EXPECT_NEAR(dqm.GetDelayPs(),
                MlccDqm::DelayAhead(dqm.GetQueueAhead(), (99 + 20 + 15 + 12.5 + 10) / 5 * G),
                1);
    dqm.Round(10 * G, 4000000, 0);
    EXPECT_NEAR(dqm.GetDelayPs(), MlccDqm::DelayAhead(dqm.GetQueueAhead(), 13.5 * G), 1)
        << "the first one counts no longer";
    MlccDqm second = Started(Defaults());
    second.Round(20 * G, 0, 0);
    second.Round(10 * G, 4000000, 0);
    EXPECT_NEAR(second.GetDelayPs(), MlccDqm::DelayAhead(second.GetQueueAhead(), 15 * G), 1);
}

// U-M2: without steps what is suggested is R_credit.
TEST(MlccDqm, PredictionIsTheMeanOfTheLastNSuggested)
{
    MlccDqm dqm = Started(Defaults(), PathOf(4 * RTT_D));
    int64_t nowPs = 3 * RTT_D; // the first data come later than the flow begins
    for (const double credit : {10., 12., 14., 16., 20.})
    {
        dqm.Round(credit * G, 0, nowPs += RTT_D);
    }
    EXPECT_EQ(dqm.GetPreBps(), 13 * G) << "10, 12, 14, 16; not yet 20";
    dqm.Round(20 * G, 0, nowPs += RTT_D);
    EXPECT_EQ(dqm.GetPreBps(), 15.5 * G) << "12, 14, 16, 20";
}

// Under load a round takes longer than RTT_D: what was suggested within RTT_C counts, not n rounds.
TEST(MlccDqm, PredictionIsOfTheLastRttC)
{
    MlccDqm dqm = Started(Defaults(), PathOf(4 * RTT_D));
    int64_t nowPs = 0;
    for (const double credit : {10., 12., 14.})
    {
        dqm.Round(credit * G, 0, nowPs += 2 * RTT_D);
    }
    EXPECT_EQ(dqm.GetPreBps(), 11 * G) << "10 and 12, each for half of RTT_C";
    dqm.Round(20 * G, 0, nowPs += 100 * RTT_D);
    EXPECT_EQ(dqm.GetPreBps(), 14 * G) << "one round that is longer than RTT_C";
    dqm.Round(20 * G, 0, nowPs + RTT_D / 4);
    EXPECT_EQ(dqm.GetPreBps(), 14 * G) << "20 has hardly begun";
}

// --- steps

/// A queue management whose R_DQM is ratio times R_credit, 10 Gbit/s, with packets every us.
struct Stepper
{
    Stepper(double ratio, DwWindow window, int64_t crossRttPs, int64_t partPs, bool literal = false)
    {
        settings = Defaults();
        settings.dwWindow = window;
        settings.literalToken = literal;
        settings.thetaPs = ENDLESS_PS;
        dqm.Start(settings, {25 * G, 100e6, crossRttPs, partPs, 1000}, 0);
        SetRatio(ratio);
    }

    void SetRatio(double ratio)
    {
        // D_pre is nothing next to theta: R_DQM = R_credit (1 + target / theta).
        settings.targetPs = (ratio - 1) * settings.thetaPs;
        dqm.Retune(settings, 100e6);
        dqm.Round(10 * G, 0, nowPs);
    }

    void Packets(int n, int64_t gapPs = US)
    {
        for (int i = 0; i < n; ++i)
        {
            dqm.OnPacket(nowPs);
            nowPs += gapPs;
        }
    }

    MlccDqm::Settings settings;
    MlccDqm dqm;
    int64_t nowPs{0};
};

/// One whose window never ends, so that dw is the sum of all steps, and in no bounds that matter.
Stepper
Endless(double ratio)
{
    return {ratio, DwWindow::INTEGRATE, 1000 * MS, 1000 * MS};
}

// U-M5
TEST(MlccDqmSteps, TokenTraces)
{
    struct Trace
    {
        double ratio;
        std::vector<double> tokens;
        std::vector<int> dw;
        int after1000;
    };

    for (const Trace& trace : std::vector<Trace>{
             {0, {0, 0}, {-1, -2}, -1000},
             {0.5, {0.25, 0.5, 0.75, 0, 0.25}, {-1, -2, -3, -2, -3}, -500},
             {0.8, {0.4, 0.8, 0.2}, {-1, -2, -1}, -200},
             {1, {0.5, 0, 0.5, 0}, {-1, 0, -1, 0}, 0},
             {1.2, {0.6, 0.2}, {-1, 0}, 200},
             {1.5, {0.75, 0.5, 0.25, 0}, {-1, 0, 1, 2}, 500},
             {2, {0, 0}, {1, 2}, 1000},
             {2.5, {0, 0}, {1, 2}, 1000},
         })
    {
        SCOPED_TRACE(trace.ratio);
        Stepper stepper = Endless(trace.ratio);
        ASSERT_NEAR(stepper.dqm.GetTargetBps() / (10 * G), trace.ratio, 1e-9);
        for (std::size_t i = 0; i < trace.dw.size(); ++i)
        {
            stepper.Packets(1);
            EXPECT_NEAR(stepper.dqm.GetToken(), trace.tokens[i], 1e-9) << i;
            EXPECT_EQ(stepper.dqm.GetDw(), trace.dw[i]) << i;
        }
        while (stepper.nowPs < 1000 * US)
        {
            stepper.Packets(1);
            ASSERT_GE(stepper.dqm.GetToken(), 0);
            ASSERT_LT(stepper.dqm.GetToken(), 1);
        }
        EXPECT_EQ(stepper.dqm.GetDw(), trace.after1000);
    }
}

// U-M6
TEST(MlccDqmSteps, SlidingWindow)
{
    Stepper stepper(2, DwWindow::SLIDING, 6 * US, US);
    ASSERT_EQ(stepper.dqm.GetRounds(), 6u);
    std::vector<int> dw;
    for (int i = 0; i < 12; ++i)
    {
        if (i == 6)
        {
            stepper.SetRatio(0);
        }
        stepper.Packets(1);
        dw.push_back(static_cast<int>(std::lround(stepper.dqm.GetDw())));
    }
    EXPECT_EQ(dw, (std::vector<int>{1, 2, 3, 4, 5, 6, 4, 2, 0, -2, -4, -6}));
}

// A full window of 9444 packets (12.5 Gbit/s, 6.044 ms): unit gain.
TEST(MlccDqmSteps, AFullWindowReachesTheTarget)
{
    constexpr int W = 9444;
    constexpr int64_t GAP = 640000; // 1000 B at 12.5 Gbit/s
    for (const auto& [ratio, dw, rateG] :
         std::vector<std::tuple<double, int, double>>{{0.72, -2644, 9.0003},
                                                      {0.5, -4722, 6.2498},
                                                      {1, 0, 12.5},
                                                      {1.2, 1888, 14.9990}})
    {
        SCOPED_TRACE(ratio);
        MlccDqm::Settings settings = Defaults();
        settings.thetaPs = ENDLESS_PS;
        settings.targetPs = (ratio - 1) * settings.thetaPs;
        MlccDqm dqm = Started(settings, PathOf(W * GAP));
        dqm.Round(12.5 * G, 0, 0);
        for (int64_t i = 0; i < 2 * W; ++i)
        {
            dqm.OnPacket(i * GAP);
        }
        EXPECT_NEAR(dqm.GetDw(), dw, 1);
        EXPECT_NEAR(dqm.GetSmoothedBps() / G, rateG, 0.003);
    }
}

TEST(MlccDqmSteps, StepsAgeWithoutPackets)
{
    Stepper stepper(2, DwWindow::SLIDING, 600 * US, US);
    stepper.Packets(100);
    EXPECT_EQ(stepper.dqm.GetDw(), 100);
    stepper.nowPs += 549 * US; // 50 of them are older than 600 us by then
    stepper.Packets(1);
    EXPECT_EQ(stepper.dqm.GetDw(), 51);
    stepper.nowPs += 10 * MS;
    stepper.Packets(1);
    EXPECT_EQ(stepper.dqm.GetDw(), 1);
}

// U-M4
TEST(MlccDqmSteps, EquationNine)
{
    MlccDqm::Settings settings = Defaults();
    settings.thetaPs = ENDLESS_PS;
    settings.targetPs = -settings.thetaPs; // R_DQM is 0: each step is -1
    MlccDqm dqm = Started(settings);
    dqm.Round(12.5 * G, 0, 0);
    dqm.OnPacket(0);
    EXPECT_NEAR(12.5 * G - dqm.GetSmoothedBps(), 1.323627e6, 0.5);
    for (int i = 1; i < 100; ++i)
    {
        dqm.OnPacket(i);
    }
    EXPECT_NEAR(dqm.GetSmoothedBps() / G, 12.367637, 5e-7);
    for (int i = 100; i < 2644; ++i)
    {
        dqm.OnPacket(i);
    }
    EXPECT_NEAR(dqm.GetSmoothedBps() / G, 9.0003, 5e-5) << "9.0 Gbit/s are -2644.2 steps";
    for (int i = 2644; i < 20000; ++i)
    {
        dqm.OnPacket(i);
    }
    EXPECT_EQ(dqm.GetSmoothedBps(), 100e6) << "at least MinRate";
    EXPECT_NEAR(dqm.GetDw(), -12.4e9 * 6.044e-3 / 8000, 1) << "dw goes no further than Rbar";
}

TEST(MlccDqmSteps, ASumOfAllStepsDoesNotWindUp)
{
    Stepper stepper(2, DwWindow::INTEGRATE, 600 * US, US);
    stepper.Packets(5000); // 1125 are enough for the line rate
    EXPECT_EQ(stepper.dqm.GetSmoothedBps(), 25 * G);
    EXPECT_NEAR(stepper.dqm.GetDw(), 1125, 1e-6);
    stepper.SetRatio(0);
    stepper.Packets(500);
    EXPECT_NEAR(stepper.dqm.GetDw(), 625, 1e-6) << "nor does it age";
}

// U-M7: errors E1 and E2 of the algorithm as printed.
TEST(MlccDqmLiteral, DirectionDependsOnWhetherTheGainDividesOne)
{
    for (const auto& [ratio, step] :
         std::vector<std::pair<double, int>>{{0.4, -1}, {0.7, 1}, {1, -1}, {1.3, 1}, {2, -1}})
    {
        SCOPED_TRACE(ratio);
        Stepper stepper(ratio, DwWindow::INTEGRATE, 1000 * MS, 1000 * MS, true);
        stepper.Packets(5);
        EXPECT_EQ(stepper.dqm.GetDw(), 5 * step);
        EXPECT_GE(stepper.dqm.GetToken(), 1 - 1e-9) << "nothing is taken from it";
    }
    Stepper none(0, DwWindow::INTEGRATE, 1000 * MS, 1000 * MS, true);
    none.Packets(3);
    EXPECT_EQ(none.dqm.GetDw(), -3) << "the loop that would not end";
}

TEST(MlccDqmLiteral, BelowTheTargetTheRateIsHeld)
{
    MlccDqm::Settings settings = Defaults();
    settings.holds = true;
    MlccDqm dqm = Started(settings, PathOf(RTT_D)); // n is 1
    dqm.Round(12.5 * G, 0, 0);                      // Q_pre of 34 kB: 22 us
    EXPECT_EQ(dqm.GetTargetBps(), 25 * G) << "as at the start";
    dqm.Round(12.5 * G, 5000000, RTT_D);
    const double high = dqm.GetTargetBps();
    EXPECT_NEAR(high / G, 12.5 * (1 - 2.2 / 18), 1e-6);
    dqm.Round(12.5 * G, 100000, 2 * RTT_D);
    EXPECT_EQ(dqm.GetTargetBps(), high);
}

// --- U-M10: one queue, R_credit 12.5 Gbit/s, a sender that begins at 25 Gbit/s; what the sender is
// told becomes the queue's input RTT_C later. Reference: the fluid model of the specification.

struct Fluid
{
    double peak{0};
    double last{0};
    double lateLeast{1e18};
    double lateMost{0};
    double at18ms{0};
    double settledMs{0}; //!< from then on within 20 % of 1.5625 MB
    double undershoot{1e18};
};

Fluid
RunFluid(const MlccDqm::Settings& settings, double seconds = 0.15)
{
    constexpr double CREDIT = 12.5 * G;
    constexpr double ROUND = 22e-6;
    MlccDqm dqm = Started(settings);
    const std::size_t n = dqm.GetRounds();
    std::vector<double> inFlight(n, 25 * G);
    Fluid result;
    double queue = 0;
    double carry = 0;
    const auto rounds = static_cast<std::size_t>(seconds / ROUND);
    bool full = false;
    for (std::size_t k = 0; k < rounds; ++k)
    {
        const double in = inFlight[k % n];
        const double out = std::min(CREDIT, in + queue * 8 / ROUND);
        queue = std::max(0.0, queue + (in - out) * ROUND / 8);
        const double ms = static_cast<double>(k) * ROUND * 1e3;
        result.peak = std::max(result.peak, queue);
        full = full || queue > 4e6;
        if (full && ms > 10)
        {
            result.undershoot = std::min(result.undershoot, queue);
        }
        if (std::abs(ms - 18) < 0.011)
        {
            result.at18ms = queue;
        }
        if (std::abs(queue - 1562500) > 0.2 * 1562500)
        {
            result.settledMs = ms;
        }
        if (k > rounds * 2 / 3)
        {
            result.lateLeast = std::min(result.lateLeast, queue);
            result.lateMost = std::max(result.lateMost, queue);
        }
        dqm.Round(CREDIT, static_cast<uint64_t>(queue), static_cast<int64_t>(k) * RTT_D);
        carry += out * ROUND / 8 / 1000;
        const int packets = static_cast<int>(carry);
        carry -= packets;
        for (int i = 0; i < packets; ++i)
        {
            dqm.OnPacket(static_cast<int64_t>(k) * RTT_D + i * RTT_D / (packets + 1));
        }
        inFlight[k % n] = dqm.GetSmoothedBps();
    }
    result.last = queue;
    return result;
}

TEST(MlccDqmFluid, AQueueComesToItsTarget)
{
    for (const auto& [thetaMs, settledMs] :
         std::vector<std::pair<double, double>>{{6, 24.5}, {18, 56.5}, {30, 95.6}})
    {
        SCOPED_TRACE(thetaMs);
        const Fluid fluid = RunFluid(Defaults(thetaMs));
        EXPECT_NEAR(fluid.peak, 9.44e6, 0.02 * 9.44e6) << "one RTT_C of 12.5 Gbit/s too much";
        EXPECT_NEAR(fluid.last, 1562500, 0.05 * 1562500);
        EXPECT_NEAR(fluid.settledMs, settledMs, 0.1 * settledMs);
    }
    EXPECT_NEAR(RunFluid(Defaults(18)).at18ms, 5.99e6, 0.1 * 5.99e6);
    EXPECT_NEAR(RunFluid(Defaults(6)).undershoot, 1.22e6, 0.1 * 1.22e6);
}

TEST(MlccDqmFluid, ASumOfAllStepsNeverSettles)
{
    MlccDqm::Settings settings = Defaults();
    settings.dwWindow = DwWindow::INTEGRATE;
    const Fluid fluid = RunFluid(settings, 0.3);
    EXPECT_LT(fluid.lateLeast, 0.1e6);
    EXPECT_NEAR(fluid.lateMost, 3.1e6, 0.31e6);
}

TEST(MlccDqmFluid, AnotherTargetAnotherQueue)
{
    MlccDqm::Settings settings = Defaults();
    settings.targetPs = 2. * MS;
    EXPECT_NEAR(RunFluid(settings, 0.2).last, 3125000, 0.05 * 3125000);
}

} // namespace
