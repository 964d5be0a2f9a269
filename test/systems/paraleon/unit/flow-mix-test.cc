// SPDX-License-Identifier: GPL-2.0-only
// The mix of elephants and mice: figure 4 of PARALEON's paper, Kullback-Leibler divergence,
// trigger.
#include "paraleon-values.h"

#include "ns3/roce-flow-mix.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using namespace ns3::roce;
using ns3::roce::test::ParaleonValues;

namespace
{

ParaleonParams
Default()
{
    return ParaleonValues::Of();
}

/// @return masses of figure 4's flows, for each interval
std::vector<FlowShares>
Figure4(const ParaleonParams& p)
{
    const std::vector<std::vector<uint64_t>> sizes{{1200, 2500, 1100, 0, 0, 0, 0, 0},
                                                   {25, 28, 33, 100, 216, 221, 423, 530},
                                                   {27, 19, 13, 12, 12, 6, 4, 0}};
    FlowStates states;
    states.Start(p.states);
    std::vector<FlowShares> masses;
    for (std::size_t i = 0; i < 8; ++i)
    {
        std::vector<FlowReading> readings;
        for (FlowKey flow = 0; flow < 3; ++flow)
        {
            readings.push_back({flow, sizes[flow][i] * 1000, false});
        }
        masses.push_back(FlowMix::Weigh(p.mix, states.Update(readings), p.states.tau));
    }
    return masses;
}

FlowMix
Make(const FlowMix::Config& config)
{
    FlowMix mix;
    mix.Start(config);
    return mix;
}

} // namespace

TEST(FlowMix, Figure4)
{
    const ParaleonParams p = Default();
    const double elephants[] = {0.3333, 0.3333, 0.3817, 0.1285, 0.2425, 0.3560, 0.5465, 1};
    const double divergence[] = {0, 0, 0.00514, 0.15920, 0.04781, 0.03214, 0.07519, 0.60421};
    FlowMix mix = Make(p.mix);
    const auto masses = Figure4(p);
    for (std::size_t i = 0; i < 8; ++i)
    {
        const bool triggers = mix.Update(masses[i]);
        EXPECT_NEAR(mix.GetShares().elephants, elephants[i], 5e-5) << "interval " << i + 1;
        EXPECT_NEAR(mix.GetShares().mice, 1 - elephants[i], 5e-5) << "interval " << i + 1;
        EXPECT_NEAR(mix.GetDivergence(), divergence[i], 5e-6) << "interval " << i + 1;
        EXPECT_EQ(triggers, i == 0 || i >= 3)
            << "interval " << i + 1 << ": the first flows trigger, and KL above 0.01";
    }
}

// Without the mice's part of potential elephants, elephants are alone from interval 3 on.
TEST(FlowMix, Figure4ByTheArtifacts)
{
    const std::pair<FlowMix::PeWeight, std::vector<double>> cases[] = {
        {FlowMix::PeWeight::CUMULATIVE, {1, 1, 1.145, 0.257, 0.485, 0.712, 1.093, 1}},
        {FlowMix::PeWeight::SIGMOID, {1, 1, 2, 1.4621, 1.7616, 1.9051, 1.9820, 1}}};
    for (const auto& [weight, masses] : cases)
    {
        ParaleonParams p = Default();
        p.mix.peWeight = weight;
        p.mix.peComplement = false;
        p.states.peRule = FlowStates::PeRule::ARTIFACT_WINDOW;
        const auto found = Figure4(p);
        for (std::size_t i = 0; i < 8; ++i)
        {
            EXPECT_NEAR(found[i].elephants, masses[i], 5e-5) << "interval " << i + 1;
            EXPECT_EQ(found[i].mice, i < 2 ? 2 : 0) << "interval " << i + 1;
        }
    }
}

TEST(FlowMix, WeightsOfAPotentialElephant)
{
    auto config = Default().mix;
    const FlowStates::Flow flow{1, FlowState::POTENTIAL_ELEPHANT, 400, 250, 2};
    config.peWeight = FlowMix::PeWeight::SIGMOID;
    EXPECT_NEAR(FlowMix::Weigh(config, {flow}, 1000).elephants, 0.880797, 1e-6);
    config.peWeight = FlowMix::PeWeight::CUMULATIVE;
    EXPECT_DOUBLE_EQ(FlowMix::Weigh(config, {flow}, 1000).elephants, 0.25) << "250 of 1000 bytes";
    EXPECT_DOUBLE_EQ(FlowMix::Weigh(config, {flow}, 1000).mice, 0.75);
    const FlowStates::Flow elephant{2, FlowState::ELEPHANT, 70, 5000, 0};
    const FlowStates::Flow mouse{3, FlowState::MICE, 8, 8, 0};
    EXPECT_EQ(FlowMix::Weigh(config, {elephant, mouse}, 1000).elephants, 1);
    EXPECT_EQ(FlowMix::Weigh(config, {elephant, mouse}, 1000).mice, 1);
}

TEST(FlowMix, Divergence)
{
    struct Case
    {
        double now;
        double before;
        double nats;
    };

    const Case cases[] = {{0.8, 0.5, 0.192745},
                          {0.5, 0.8, 0.223144},
                          {0.8, 0.75, 0.007002},
                          {0.8, 0.74, 0.009896},
                          {0.8, 0.73, 0.013233},
                          {0.5, 0.43, 0.009897},
                          {0.03, 0.07, 0.015429},
                          {0.03, 0.05, 0.004884}};
    for (const Case& c : cases)
    {
        const FlowShares now{c.now, 1 - c.now};
        const FlowShares before{c.before, 1 - c.before};
        EXPECT_NEAR(FlowMix::Divergence(now, before, 0), c.nats, 5e-7)
            << c.now << " after " << c.before;
        FlowMix mix = Make(Default().mix);
        mix.Update(before);
        EXPECT_EQ(mix.Update(now), c.nats > 0.01) << c.now << " after " << c.before;
    }
    EXPECT_NEAR(FlowMix::Divergence({0.1, 0.9}, {0, 1}, 1e-6), 1.05648, 5e-6);
    EXPECT_NEAR(FlowMix::Divergence({0.1, 0.9}, {0, 1}, 1e-3), 0.37056, 5e-6);
    EXPECT_EQ(FlowMix::Divergence({0.1, 0.9}, {0, 1}, 0), HUGE_VAL) << "not smoothed";
    EXPECT_NEAR(FlowMix::Divergence({0, 1}, {0.1, 0.9}, 0), -std::log(0.9), 1e-12);
}

TEST(FlowMix, MassesOfSwitchesAddUp)
{
    FlowShares sum;
    sum += {3, 1};
    sum += {0, 4};
    FlowMix mix = Make(Default().mix);
    mix.Update(sum);
    EXPECT_DOUBLE_EQ(mix.GetShares().elephants, 0.375);
    EXPECT_FALSE(mix.GetShares().ElephantsDominate());
    EXPECT_TRUE((FlowShares{0.5, 0.5}).ElephantsDominate()) << "elephants win a tie";
}

TEST(FlowMix, AnIntervalWithoutFlowsChangesNothing)
{
    FlowMix mix = Make(Default().mix);
    EXPECT_FALSE(mix.Update({0, 0}));
    EXPECT_FALSE(mix.IsKnown());
    EXPECT_EQ(mix.GetShares().elephants, 0.5);
    EXPECT_TRUE(mix.Update({3, 1})) << "the first flows";
    EXPECT_FALSE(mix.Update({0, 0}));
    EXPECT_EQ(mix.GetShares().elephants, 0.75);
    EXPECT_FALSE(mix.Update({6, 2})) << "the same mix";
    EXPECT_TRUE(mix.Update({1, 3}));
}

TEST(FlowMix, WhatGuidesWhenOneClassIsEmpty)
{
    auto config = Default().mix;
    FlowMix paper = Make(config);
    config.guideByBothOnly = true;
    FlowMix artifact = Make(config);
    for (FlowMix* mix : {&paper, &artifact})
    {
        mix->Update({1, 3});
        EXPECT_EQ(mix->GetGuide().elephants, 0.25);
        mix->Update({2, 0});
        EXPECT_EQ(mix->GetShares().elephants, 1);
    }
    EXPECT_EQ(paper.GetGuide().elephants, 1);
    EXPECT_EQ(artifact.GetGuide().elephants, 0.25) << "the mix before";
}

// Theta is near the noise of few flows: two samples of N flows, half of them elephants. The
// probabilities are sums over all pairs of outcomes; a mean KL is about 1 / N.
TEST(FlowMix, FewFlowsTriggerByChance)
{
    std::mt19937_64 random(11);
    const FlowMix::Config config = Default().mix;
    constexpr int TRIALS = 40000;
    const std::tuple<int, double> cases[] = {{50, 0.4841},
                                             {100, 0.2927},
                                             {400, 0.0438},
                                             {1000, 0.0016}};
    for (const auto& [flows, probability] : cases)
    {
        std::binomial_distribution<int> elephants(flows, 0.5);
        int triggers = 0;
        double sum = 0;
        for (int i = 0; i < TRIALS; ++i)
        {
            FlowMix mix = Make(config);
            for (int interval = 0; interval < 2; ++interval)
            {
                const int k = elephants(random);
                const bool triggered =
                    mix.Update({static_cast<double>(k), static_cast<double>(flows - k)});
                triggers += interval && triggered ? 1 : 0;
            }
            sum += mix.GetDivergence();
        }
        const double sigma = std::sqrt(probability * (1 - probability) / TRIALS);
        EXPECT_NEAR(static_cast<double>(triggers) / TRIALS, probability, 4 * sigma)
            << flows << " flows";
        EXPECT_NEAR(sum / TRIALS * flows, 1, 0.06) << "mean KL times N, " << flows << " flows";
    }
}
