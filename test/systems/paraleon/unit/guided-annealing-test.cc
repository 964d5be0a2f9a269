// SPDX-License-Identifier: GPL-2.0-only
// PARALEON's search, an interval at a time: schedule, acceptance, mutations, and the readings of
// Algorithm 1.
#include "paraleon-values.h"

#include "ns3/roce-guided-annealing.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using ns3::roce::test::ParaleonValues;

namespace
{

using Values = GuidedAnnealing::Values;

constexpr double UNKNOWN = -std::numeric_limits<double>::infinity();
const FlowShares MICE{0.03, 0.97};
const FlowShares ELEPHANTS{0.97, 0.03};

GuidedAnnealing::Config
Profile(const std::string& profile)
{
    return ParaleonValues::Of("Profile=" + profile).annealing;
}

/// The same numbers again and again.
Ptr<RandomVariableStream>
Script(std::vector<double> numbers)
{
    const auto random = CreateObject<DeterministicRandomVariable>();
    random->SetValueArray(numbers.data(), numbers.size());
    return random;
}

Ptr<RandomVariableStream>
Uniform(int64_t stream)
{
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(stream);
    return random;
}

/// Rows without bounds.
MutationTable
Wide(std::size_t rows, double step = 100)
{
    MutationTable table;
    for (std::size_t i = 0; i < rows; ++i)
    {
        table.Add({"X",
                   std::to_string(i),
                   TunedParameter::Unit::NUMBER,
                   i % 2 == 0,
                   step,
                   -1e12,
                   1e12,
                   500,
                   false});
    }
    return table;
}

GuidedAnnealing
Make(const GuidedAnnealing::Config& config,
     const MutationTable& table,
     const Ptr<RandomVariableStream>& random)
{
    GuidedAnnealing search;
    search.Setup(config, table, random);
    return search;
}

/// One row of PARALEON's table.
MutationTable
Only(const std::string& attribute)
{
    const MutationTable all = ParaleonValues::Of("FirstCnpFraction=0.5").MakeTable();
    MutationTable table;
    table.Add(all.GetRows()[all.Find("Dcqcn", attribute)]);
    return table;
}

} // namespace

// --- schedule

TEST(GuidedAnnealing, Schedules)
{
    struct Case
    {
        const char* profile;
        uint32_t length;
        uint32_t perLevel;
        double last;
    };

    const Case cases[] = {{"paper", 280, 20, 9.24927},
                          {"artifact-a1", 130, 10, 9.67244},
                          {"artifact-a2", 72, 8, 0.0084591},
                          {"naive-sa", 1760, 20, 90 * std::pow(0.95, 88)}};
    for (const Case& c : cases)
    {
        const auto config = Profile(c.profile);
        EXPECT_EQ(GuidedAnnealing::GetRunLength(config), c.length) << c.profile;
        GuidedAnnealing search = Make(config, Wide(3), Uniform(1));
        search.Begin({500, 500, 500}, MICE, 0.5);
        uint32_t intervals = 0;
        double level = search.GetTemperature();
        while (search.IsRunning() && intervals < 3000)
        {
            search.Advance(0.5, MICE);
            ++intervals;
            const bool cools = intervals % c.perLevel == 0;
            EXPECT_NEAR(search.GetTemperature(), cools ? level * config.coolingRate : level, 1e-9)
                << c.profile << ", interval " << intervals;
            level = search.GetTemperature();
        }
        EXPECT_EQ(intervals, c.length) << c.profile;
        EXPECT_NEAR(search.GetTemperature() / c.last, 1, 1e-5) << c.profile;
    }
}

TEST(GuidedAnnealing, Acceptance)
{
    auto config = Profile("paper");
    const auto probability = [&config](double difference, double temperature) {
        return GuidedAnnealing::GetAcceptance(config, difference, temperature);
    };
    const double lastLevel = 90 * std::pow(0.85, 13);
    EXPECT_NEAR(probability(-0.1, 90), 0.99889, 5e-6);
    EXPECT_NEAR(probability(-0.1, lastLevel), 0.99085, 5e-6);
    EXPECT_NEAR(probability(-0.05, 0.1), 0.60653, 5e-6);
    EXPECT_NEAR(probability(-0.05, 0.1 * std::pow(0.76, 8)), 0.01119, 1e-5);
    config.utilityScale = 100;
    EXPECT_NEAR(probability(-0.1, 90), 0.89484, 5e-6);
    EXPECT_NEAR(probability(-0.1, lastLevel), 0.39892, 5e-6);
}

// 0.60653 of the drops by 0.05 are accepted at T = 0.1.
TEST(GuidedAnnealing, DropsAreAcceptedByChance)
{
    auto config = Profile("artifact-a2");
    config.startSolution = GuidedAnnealing::StartSolution::DEFAULT_SCORED;
    const auto random = Uniform(2);
    int accepted = 0;
    constexpr int RUNS = 20000;
    for (int run = 0; run < RUNS; ++run)
    {
        GuidedAnnealing search = Make(config, Wide(1), random);
        search.Begin({1}, MICE, 0.8);
        search.Advance(0.75, MICE);
        accepted += search.GetCurrentUtility() == 0.75 ? 1 : 0;
        ASSERT_EQ(search.GetBestUtility(), 0.8) << "a drop is never the best";
        ASSERT_EQ(search.GetBest(), Values{1});
    }
    EXPECT_NEAR(static_cast<double>(accepted) / RUNS, 0.60653, 0.014) << "four sigmas";
}

// --- mutations

// HaiRate 50, step 100, mice with mu 0.97, eta 0.8: 0.5 goes down, 0.85 up; step 0.8 of 100.
TEST(GuidedAnnealing, OneMutation)
{
    struct Case
    {
        const char* attribute;
        double direction;
        double mice;
        double value;
        double after;
        const char* what;
    };

    const Case cases[] = {
        {"HaiRate", 0.5, 0.97, 50, 10, "0.5 < 0.8 is delay-friendly: 50 - 80, at the bound"},
        {"HaiRate", 0.85, 0.97, 50, 130, "0.85 is throughput-friendly"},
        {"HaiRate", 0.79, 0.97, 200, 120, "0.79 < 0.8"},
        {"HaiRate", 0.8, 0.97, 200, 280, "0.8 is not below 0.8"},
        {"HaiRate", 0.59, 0.6, 200, 120, "mu 0.6: 0.59 is below"},
        {"HaiRate", 0.61, 0.6, 200, 280, "mu 0.6: 0.61 is not"},
        {"FractionOnFirstCnp", 0.5, 0.97, 0.5, 0.42, "not rounded"},
        {"AiRate", 0.5, 0.97, 5, 1, "5 - 40, at the bound"},
        {"TimeReset", 0.5, 0.97, 300, 340, "a longer timer is delay-friendly"},
        {"TimeReset", 0.5, 0.03, 300, 260, "elephants: a shorter one"},
    };
    for (const Case& c : cases)
    {
        // The first utility is accepted without a draw; then step and direction.
        GuidedAnnealing search =
            Make(Profile("paper"), Only(c.attribute), Script({0.6, c.direction}));
        search.Begin({c.value}, {1 - c.mice, c.mice}, UNKNOWN);
        const Values& next = search.Advance(0.5, {1 - c.mice, c.mice});
        EXPECT_NEAR(next[0], c.after, 1e-9) << c.attribute << ": " << c.what;
    }
}

TEST(GuidedAnnealing, KminAndKmaxStayInOrder)
{
    const MutationTable all = ParaleonValues::Of().MakeTable();
    MutationTable table;
    table.Add(all.GetRows()[all.Find("EcnMarker", "Kmin")]);
    table.Add(all.GetRows()[all.Find("EcnMarker", "Kmax")]);
    // Kmin up by 80, Kmax down by 320.
    GuidedAnnealing search = Make(Profile("paper"), table, Script({0.6, 0.1, 0.6, 0.9}));
    search.Begin({1480, 1520}, ELEPHANTS, UNKNOWN);
    EXPECT_EQ(search.Advance(0.5, ELEPHANTS), (Values{1200, 1560})) << "1560 and 1200, exchanged";
}

// 0.8 of the moves are towards the dominant flows; the mean move is 0.45 of the step.
TEST(GuidedAnnealing, DirectionsAndDrift)
{
    auto config = Profile("paper");
    config.mutationBase = GuidedAnnealing::MutationBase::CURRENT;
    config.iterationsPerLevel = 100000;
    GuidedAnnealing search = Make(config, Wide(4), Uniform(3));
    Values before = search.Begin({0, 0, 0, 0}, ELEPHANTS, UNKNOWN);
    constexpr int INTERVALS = 25000;
    int dominant = 0;
    double least = 1e9;
    double greatest = 0;
    for (int i = 0; i < INTERVALS; ++i)
    {
        const Values next = search.Advance(i, ELEPHANTS); // always better: always accepted
        for (std::size_t row = 0; row < 4; ++row)
        {
            const double move = (next[row] - before[row]) * (row % 2 == 0 ? 1 : -1);
            dominant += move > 0 ? 1 : 0;
            least = std::min(least, std::abs(move));
            greatest = std::max(greatest, std::abs(move));
        }
        before = next;
    }
    EXPECT_NEAR(dominant / (4.0 * INTERVALS), 0.8, 0.005) << "eta caps mu 0.97";
    EXPECT_NEAR(least, 50, 0.1) << "steps are half of s_p at least";
    EXPECT_NEAR(greatest, 100, 0.1) << "and s_p at most";
    for (std::size_t row = 0; row < 4; ++row)
    {
        const double drift = before[row] / INTERVALS * (row % 2 == 0 ? 1 : -1);
        EXPECT_NEAR(drift, 45, 1.5) << "mean move of row " << row;
    }
}

// What the artifacts' reading comes to: towards throughput Kmin is at its bound after 27 intervals
// on average, TimeReset after 14; towards delay Kmin after 9.
TEST(GuidedAnnealing, DriftReachesTheBounds)
{
    auto config = Profile("artifact-a1");
    config.startSolution = GuidedAnnealing::StartSolution::INCUMBENT;
    const MutationTable table = ParaleonValues::Of("FirstCnpFraction=0.5").MakeTable();
    const auto random = Uniform(4);
    const auto mean = [&](const char* target, const char* attribute, double bound, bool elephants) {
        const std::size_t row = table.Find(target, attribute);
        double sum = 0;
        for (int run = 0; run < 400; ++run)
        {
            GuidedAnnealing search = Make(config, table, random);
            const FlowShares& guide = elephants ? ELEPHANTS : MICE;
            double value = search.Begin(table.GetStart(), guide, UNKNOWN)[row];
            for (int i = 0; search.IsRunning() && value != bound; ++i)
            {
                value = search.Advance(i, guide)[row];
                ++sum;
            }
        }
        return sum / 400;
    };
    EXPECT_NEAR(mean("EcnMarker", "Kmax", 6400, true), 27, 3);
    EXPECT_NEAR(mean("Dcqcn", "TimeReset", 5, true), 14, 2.5);
    EXPECT_NEAR(mean("EcnMarker", "Kmin", 10, false), 9, 2);
}

TEST(GuidedAnnealing, DirectionFollowsTheFlowsUnlessItIsFixed)
{
    for (const bool fixed : {false, true})
    {
        auto config = Profile("paper");
        config.guidance =
            fixed ? GuidedAnnealing::Guidance::FIXED_DOMINANT : GuidedAnnealing::Guidance::DOMINANT;
        GuidedAnnealing search = Make(config, Wide(1), Script({0.6, 0.5}));
        search.Begin({0}, ELEPHANTS, UNKNOWN);
        EXPECT_EQ(search.GetExploitation(ELEPHANTS), 0.8);
        EXPECT_EQ(search.GetExploitation({0.7, 0.3}), 0.7);
        EXPECT_DOUBLE_EQ(search.GetExploitation(MICE), fixed ? 0.03 : 0.8)
            << "the share of elephants, or the cap for mice";
        EXPECT_NEAR(search.Advance(0.5, ELEPHANTS)[0], 80, 1e-9);
        // 0.5 is not below 0.03: away from elephants. And it is below 0.8: towards mice.
        EXPECT_NEAR(search.Advance(0.6, MICE)[0], 0, 1e-9);
        if (fixed)
        {
            EXPECT_EQ(search.GetExploitation({0.4, 0.6}), 0.4) << "not 0.6";
        }
    }
}

TEST(GuidedAnnealing, CapOfArtifact2)
{
    GuidedAnnealing search = Make(Profile("artifact-a2"), Wide(1), Uniform(5));
    search.Begin({0}, ELEPHANTS, 0.5);
    EXPECT_DOUBLE_EQ(search.GetExploitation(ELEPHANTS), 0.7) << "no bad move yet";
    search.Advance(0.4, ELEPHANTS);
    EXPECT_DOUBLE_EQ(search.GetExploitation(ELEPHANTS), 0.5 + 0.2 * 0.85) << "b = 0.15";
    search.Advance(0.9, ELEPHANTS);
    EXPECT_DOUBLE_EQ(search.GetExploitation(ELEPHANTS), 0.5 + 0.2 * (1 - 0.15 * 0.85));
    search.Advance(0.895, ELEPHANTS);
    EXPECT_DOUBLE_EQ(search.GetExploitation(ELEPHANTS), 0.5 + 0.2 * (1 - 0.15 * 0.85 * 0.85))
        << "a drop by 0.005 is not a bad move";
    EXPECT_DOUBLE_EQ(search.GetExploitation({0.3, 0.7}), 0.3);
}

TEST(GuidedAnnealing, SomeParametersMoveAtOnce)
{
    auto config = Profile("paper");
    config.mutateCount = 8;
    GuidedAnnealing search = Make(config, Wide(13), Uniform(6));
    const Values start(13, 0);
    search.Begin(start, MICE, UNKNOWN);
    std::vector<int> moves(13);
    for (int i = 0; i < 200; ++i)
    {
        const Values next = search.Advance(i ? -i : 1, MICE); // the start stays the best
        int moved = 0;
        for (std::size_t row = 0; row < 13; ++row)
        {
            moved += next[row] != 0 ? 1 : 0;
            moves[row] += next[row] != 0 ? 1 : 0;
        }
        ASSERT_EQ(moved, 8) << "interval " << i;
    }
    for (std::size_t row = 0; row < 13; ++row)
    {
        EXPECT_NEAR(moves[row], 200 * 8.0 / 13, 35) << "row " << row << " in 200 intervals";
    }
}

// --- readings of Algorithm 1

TEST(GuidedAnnealing, MutatesTheBestOrTheLastAccepted)
{
    for (const bool current : {false, true})
    {
        auto config = Profile("paper");
        config.mutationBase =
            current ? GuidedAnnealing::MutationBase::CURRENT : GuidedAnnealing::MutationBase::BEST;
        GuidedAnnealing search = Make(config, Wide(1), Script({0.5})); // step 75, towards elephants
        EXPECT_EQ(search.Begin({10}, ELEPHANTS, UNKNOWN), Values{10}) << "the incumbent first";
        EXPECT_EQ(search.Advance(0.9, ELEPHANTS), Values{85});
        EXPECT_EQ(search.GetBest(), Values{10});
        EXPECT_EQ(search.GetBestUtility(), 0.9);
        // 85 is worse, and accepted at this temperature.
        EXPECT_EQ(search.Advance(0.8, ELEPHANTS), Values{current ? 160.0 : 85.0});
        EXPECT_EQ(search.GetCurrent(), Values{85});
        EXPECT_EQ(search.GetBest(), Values{10});
        // What is better than the last accepted but worse than the best is not the best.
        search.Advance(0.85, ELEPHANTS);
        EXPECT_EQ(search.GetCurrentUtility(), 0.85);
        EXPECT_EQ(search.GetBestUtility(), 0.9);
    }
}

// Why PARALEON's chapter finds no search under a load that grows: the utility falls whatever is
// tried, so the first setting stays the best one, and no other is ever more than a step away.
TEST(GuidedAnnealing, UnderAFallingUtilityOnlyTheLastAcceptedDrifts)
{
    for (const bool current : {false, true})
    {
        auto config = Profile("paper");
        config.mutationBase =
            current ? GuidedAnnealing::MutationBase::CURRENT : GuidedAnnealing::MutationBase::BEST;
        GuidedAnnealing search = Make(config, Wide(4), Uniform(6));
        search.Begin({0, 0, 0, 0}, MICE, UNKNOWN);
        double farthest = 0;
        for (int i = 0; i < 60; ++i)
        {
            for (const double value : search.Advance(0.6 - 0.005 * i, MICE))
            {
                farthest = std::max(farthest, std::abs(value));
            }
        }
        EXPECT_EQ(search.GetBestUtility(), 0.6) << "the first interval";
        EXPECT_EQ(search.GetBest(), (Values{0, 0, 0, 0})) << "the first setting";
        if (current)
        {
            EXPECT_GT(farthest, 2000) << "60 moves of 45 on average";
        }
        else
        {
            EXPECT_LE(farthest, 100) << "one step";
        }
    }
}

TEST(GuidedAnnealing, WhatIsRejectedIsNotMutatedFurther)
{
    auto config = Profile("paper");
    config.mutationBase = GuidedAnnealing::MutationBase::CURRENT;
    config.utilityScale = 1e9;
    GuidedAnnealing search = Make(config, Wide(1), Script({0.5}));
    search.Begin({10}, ELEPHANTS, UNKNOWN);
    search.Advance(0.9, ELEPHANTS);
    EXPECT_EQ(search.Advance(0.8, ELEPHANTS), Values{85}) << "from 10 again";
    EXPECT_EQ(search.GetCurrent(), Values{10});
    EXPECT_EQ(search.GetCurrentUtility(), 0.9);
}

TEST(GuidedAnnealing, EndsWithTheBest)
{
    auto config = Profile("paper");
    config.iterationsPerLevel = 1;
    GuidedAnnealing search = Make(config, Wide(1), Script({0.5}));
    search.Begin({10}, ELEPHANTS, UNKNOWN);
    const double utilities[] = {0.3, 0.9, 0.5};
    Values best;
    for (int i = 0; i < 14; ++i)
    {
        EXPECT_TRUE(search.IsRunning()) << "interval " << i;
        if (i == 1)
        {
            best = search.GetDeployed();
        }
        search.Advance(i < 3 ? utilities[i] : 0.2, ELEPHANTS);
    }
    EXPECT_FALSE(search.IsRunning());
    EXPECT_EQ(search.GetIterations(), 14U);
    EXPECT_EQ(search.GetDeployed(), best) << "what had 0.9";
    EXPECT_EQ(search.Advance(1, MICE), best) << "nothing happens between runs";
    EXPECT_EQ(search.GetBestUtility(), 0.9);
    search.Begin({42}, MICE, UNKNOWN);
    EXPECT_TRUE(search.IsRunning());
    EXPECT_EQ(search.GetTemperature(), 90) << "a new run begins hot";
    EXPECT_EQ(search.GetBest(), Values{42});
    EXPECT_EQ(search.GetIterations(), 0U);
    EXPECT_EQ(search.GetBestUtility(), UNKNOWN) << "the run before is forgotten";
}

TEST(GuidedAnnealing, WhatARunTriesFirst)
{
    using Start = GuidedAnnealing::StartSolution;
    auto config = Profile("paper");
    const auto begin = [&config](Start start, double utility) {
        config.startSolution = start;
        GuidedAnnealing search = Make(config, Wide(1), Script({0.5}));
        search.Begin({10}, ELEPHANTS, utility);
        return search;
    };
    GuidedAnnealing incumbent = begin(Start::INCUMBENT, 0.7);
    EXPECT_EQ(incumbent.GetDeployed(), Values{10});
    EXPECT_EQ(incumbent.GetBestUtility(), UNKNOWN) << "it is scored in the first interval";
    GuidedAnnealing forgotten = begin(Start::DEFAULT, 0.7);
    EXPECT_EQ(forgotten.GetDeployed(), Values{500}) << "the table's start";
    forgotten.Advance(0.1, ELEPHANTS);
    EXPECT_EQ(forgotten.GetBest(), Values{500}) << "the incumbent does not count";
    GuidedAnnealing scored = begin(Start::DEFAULT_SCORED, 0.7);
    EXPECT_EQ(scored.GetDeployed(), Values{500});
    EXPECT_EQ(scored.GetCurrentUtility(), 0.7);
    scored.Advance(0.1, ELEPHANTS);
    EXPECT_EQ(scored.GetBest(), Values{10}) << "the incumbent was better";
    EXPECT_EQ(begin(Start::DEFAULT_SCORED, UNKNOWN).GetCurrentUtility(), UNKNOWN);
}

TEST(GuidedAnnealing, ATriggerDuringARun)
{
    using Policy = GuidedAnnealing::RestartPolicy;
    for (const Policy policy : {Policy::IGNORE, Policy::RESET_BEST})
    {
        auto config = Profile("paper");
        config.restartPolicy = policy;
        config.iterationsPerLevel = 2;
        GuidedAnnealing search = Make(config, Wide(1), Script({0.5}));
        search.OnTrigger();
        EXPECT_FALSE(search.IsRunning()) << "a trigger alone begins nothing";
        search.Begin({10}, ELEPHANTS, UNKNOWN);
        for (const double utility : {0.9, 0.5, 0.5})
        {
            search.Advance(utility, ELEPHANTS);
        }
        const Values deployed = search.GetDeployed();
        search.OnTrigger();
        EXPECT_EQ(search.GetDeployed(), deployed) << "what is deployed stays until it is scored";
        const std::string what = "policy " + std::to_string(static_cast<int>(policy));
        EXPECT_EQ(search.GetTemperature(), 76.5) << what;
        EXPECT_EQ(search.GetIterations(), 3U) << what;
        search.Advance(0.4, ELEPHANTS);
        EXPECT_EQ(search.GetBestUtility(), policy == Policy::IGNORE ? 0.9 : 0.4) << what;
        EXPECT_EQ(search.GetBest(), policy == Policy::IGNORE ? Values{10} : deployed) << what;
    }
}

// The best is what is accepted next, not what was accepted before the trigger.
TEST(GuidedAnnealing, AfterAResetTheNextAcceptedIsTheBest)
{
    auto config = Profile("paper");
    config.utilityScale = 1e9;
    GuidedAnnealing search = Make(config, Wide(1), Script({0.5}));
    search.Begin({10}, ELEPHANTS, UNKNOWN);
    search.Advance(0.9, ELEPHANTS);
    search.OnTrigger();
    search.Advance(0.5, ELEPHANTS); // rejected
    EXPECT_EQ(search.GetBestUtility(), UNKNOWN);
    search.Advance(0.95, ELEPHANTS);
    EXPECT_EQ(search.GetBestUtility(), 0.95);
}

// Other weights of the utility: what was earned with the former ones does not count.
TEST(GuidedAnnealing, ForgottenUtilitiesDoNotCount)
{
    auto config = Profile("paper");
    config.utilityScale = 1e9; // what is worse is rejected
    GuidedAnnealing search = Make(config, Wide(1), Script({0.5}));
    search.Begin({10}, ELEPHANTS, UNKNOWN);
    search.Advance(0.9, ELEPHANTS);
    const Values deployed = search.GetDeployed();
    search.ForgetUtilities();
    search.Advance(0.1, ELEPHANTS);
    EXPECT_EQ(search.GetCurrent(), deployed);
    EXPECT_EQ(search.GetBest(), deployed);
    EXPECT_EQ(search.GetBestUtility(), 0.1);
    EXPECT_EQ(search.GetIterations(), 2U) << "the run goes on";
}

// Artifact 1 in an interval without data: time passes, nothing is accepted.
TEST(GuidedAnnealing, AnUnknownUtilityIsNotAccepted)
{
    const auto config = Profile("artifact-a1");
    GuidedAnnealing search = Make(config, Wide(1), Script({0.5}));
    search.Begin({10}, ELEPHANTS, UNKNOWN);
    search.Advance(std::numeric_limits<double>::quiet_NaN(), ELEPHANTS);
    EXPECT_EQ(search.GetCurrent(), Values{10}) << "also if nothing is known yet";
    search.Advance(0.9, ELEPHANTS);
    const Values current = search.GetCurrent();
    for (unsigned i = 0; i < 8; ++i)
    {
        search.Advance(std::numeric_limits<double>::quiet_NaN(), ELEPHANTS);
        EXPECT_EQ(search.GetCurrent(), current);
        EXPECT_EQ(search.GetCurrentUtility(), 0.9);
        EXPECT_NE(search.GetDeployed(), current) << "the next one is tried";
    }
    EXPECT_EQ(search.GetTemperature(), 80 * 0.85) << "ten intervals";
}

// --- ablations

TEST(GuidedAnnealing, NaiveAnnealingDrawsFromTheWholeRange)
{
    const auto config = Profile("naive-sa");
    MutationTable table;
    table.Add({"X", "Y", TunedParameter::Unit::NUMBER, true, 1, -1000, 1000, 0, false});
    GuidedAnnealing search = Make(config, table, Uniform(7));
    search.Begin({0}, ELEPHANTS, UNKNOWN);
    double sum = 0;
    double square = 0;
    int up = 0;
    constexpr int INTERVALS = 1759;
    for (int i = 0; i < INTERVALS; ++i)
    {
        const double move = search.Advance(i ? -i : 1, ELEPHANTS)[0]; // from the start, the best
        sum += move;
        square += move * move;
        up += move > 0 ? 1 : 0;
    }
    EXPECT_NEAR(up / static_cast<double>(INTERVALS), 0.5, 0.05) << "no direction is favoured";
    EXPECT_NEAR(sum / INTERVALS, 0, 60);
    EXPECT_NEAR(square / INTERVALS, 1e6 / 3, 3e4) << "uniform on half the range, up or down";
}

TEST(GuidedAnnealing, WithoutADistributionDirectionsAreEven)
{
    const auto config = Profile("no-fsd");
    EXPECT_EQ(GuidedAnnealing::GetRunLength(config), 280U) << "the same schedule";
    GuidedAnnealing search = Make(config, Wide(1), Uniform(8));
    search.Begin({0}, ELEPHANTS, UNKNOWN);
    EXPECT_EQ(search.GetExploitation(ELEPHANTS), 0.5);
    int up = 0;
    for (int i = 0; i < 279; ++i)
    {
        const double move = search.Advance(i ? -i : 1, ELEPHANTS)[0];
        EXPECT_GE(std::abs(move), 50) << "steps are the table's";
        up += move > 0 ? 1 : 0;
    }
    EXPECT_NEAR(up, 139.5, 34);
}

// A search finds its way on a surface with its best point away from the start.
TEST(GuidedAnnealing, FindsABetterSetting)
{
    const MutationTable table = ParaleonValues::Of().MakeTable();
    const auto utility = [&table](const Values& values) {
        double distance = 0;
        for (const auto& [name, target] :
             {std::pair{"HaiRate", 1500.0}, std::pair{"AiRate", 250.0}})
        {
            const std::size_t row = table.Find("Dcqcn", name);
            const TunedParameter& p = table.GetRows()[row];
            distance += std::abs(values[row] - target) / (p.greatest - p.least);
        }
        return 1 - distance;
    };
    GuidedAnnealing search = Make(Profile("paper"), table, Uniform(9));
    Values deployed = search.Begin(table.GetStart(), ELEPHANTS, UNKNOWN);
    const double before = utility(deployed);
    while (search.IsRunning())
    {
        deployed = search.Advance(utility(deployed), ELEPHANTS);
    }
    EXPECT_LT(before, 0.3);
    EXPECT_GT(utility(deployed), 0.95);
    EXPECT_EQ(utility(deployed), search.GetBestUtility());
}
