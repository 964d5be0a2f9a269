// SPDX-License-Identifier: GPL-2.0-only
// Ternary states of flows: figure 4 of PARALEON's paper, and the readings that it leaves open.
#include "paraleon-values.h"

#include "ns3/roce-flow-states.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::roce;
using ns3::roce::test::ParaleonValues;

namespace
{

constexpr uint64_t KB = 1000;

FlowStates::Config
Default()
{
    return ParaleonValues::Of().states;
}

/// @return a letter for each interval: M, P, E, or - for none
std::string
Trace(const FlowStates::Config& config, const std::vector<uint64_t>& sizes)
{
    FlowStates states;
    states.Start(config);
    std::string trace;
    for (const uint64_t size : sizes)
    {
        const auto& flows = states.Update({{5, size, false}});
        trace += flows.empty()                                     ? '-'
                 : flows[0].state == FlowState::ELEPHANT           ? 'E'
                 : flows[0].state == FlowState::POTENTIAL_ELEPHANT ? 'P'
                                                                   : 'M';
    }
    return trace;
}

/// Figure 4, bytes per interval.
const std::vector<std::vector<uint64_t>> FIGURE4{
    {1200 * KB, 2500 * KB, 1100 * KB, 0, 0, 0, 0, 0},
    {25 * KB, 28 * KB, 33 * KB, 100 * KB, 216 * KB, 221 * KB, 423 * KB, 530 * KB},
    {27 * KB, 19 * KB, 13 * KB, 12 * KB, 12 * KB, 6 * KB, 4 * KB, 0}};
const std::vector<std::string> FIGURE4_STATES{"EEE-----", "MMPPPPEE", "MMPPPPP-"};

} // namespace

TEST(FlowStates, Figure4)
{
    for (const auto rule : {FlowStates::PeRule::CONSECUTIVE, FlowStates::PeRule::ARTIFACT_WINDOW})
    {
        auto config = Default();
        config.peRule = rule;
        for (std::size_t i = 0; i < 3; ++i)
        {
            EXPECT_EQ(Trace(config, FIGURE4[i]), FIGURE4_STATES[i]) << "f" << i + 1;
        }
    }
}

TEST(FlowStates, PhiIsAllThatWasSent)
{
    FlowStates states;
    states.Start(Default());
    const uint64_t phi[] = {25, 53, 86, 186, 402, 623, 1046, 1576};
    for (std::size_t i = 0; i < 8; ++i)
    {
        const auto& flows = states.Update({{5, FIGURE4[1][i], false}});
        EXPECT_EQ(flows[0].phi, phi[i] * KB) << "interval " << i + 1;
        EXPECT_EQ(flows[0].size, FIGURE4[1][i]) << "interval " << i + 1;
    }
}

TEST(FlowStates, TauIsReachedNotPassed)
{
    EXPECT_EQ(Trace(Default(), {1000 * KB - 1}), "M");
    EXPECT_EQ(Trace(Default(), {1000 * KB}), "E");
    auto config = Default();
    config.tau = 1048576;
    EXPECT_EQ(Trace(config, FIGURE4[1]), "MMPPPPPE") << "a binary megabyte contradicts figure 4";
}

// A pause of one interval: an elephant is one again, a potential elephant begins anew.
TEST(FlowStates, SilenceForAnInterval)
{
    EXPECT_EQ(Trace(Default(), {600 * KB, 600 * KB, 0, 1, 0, 0, 1}), "ME-E--E");
    EXPECT_EQ(Trace(Default(), {9, 9, 9, 9, 0, 9, 9, 9, 9}), "MMPP-MMPP");
}

// The artifact counts intervals with data, and looks for two falls of sums of two in succession.
TEST(FlowStates, ArtifactWindow)
{
    auto config = Default();
    config.peRule = FlowStates::PeRule::ARTIFACT_WINDOW;
    config.inPackets = true;
    config.tau = 1024;
    EXPECT_EQ(Trace(config, {9, 0, 9, 0, 0, 9, 9}), "M-M--PP") << "need not be in succession";
    // Sums 200, 189, 168: falls of 11, then 21.
    EXPECT_EQ(Trace(config, {100, 100, 89, 79, 100}), "MMPMM") << "and never again";
    EXPECT_EQ(Trace(config, {100, 100, 90, 79, 58}), "MMPPM") << "10 is no first fall; 21, 32 are";
    EXPECT_EQ(Trace(config, {100, 100, 89, 80, 99}), "MMPPP") << "20 is no second fall";
    EXPECT_EQ(Trace(config, {100, 100, 50, 101, 30}), "MMPPP") << "not in succession";
    EXPECT_EQ(Trace(config, {100, 900, 24}), "MME") << "1024 packets";
    config.inPackets = false;
    config.tau = 1000 * KB;
    EXPECT_EQ(Trace(config, {100 * KB, 100 * KB, 89 * KB, 79 * KB}), "MMPM") << "10 and 20 KB";
    EXPECT_EQ(Trace(config, {100 * KB, 100 * KB, 90 * KB, 70 * KB}), "MMPP");
}

TEST(FlowStates, AgeOfAPotentialElephant)
{
    FlowStates states;
    states.Start(Default());
    const std::vector<std::pair<uint64_t, uint32_t>>
        steps{{9, 0}, {9, 0}, {9, 0}, {9, 1}, {9, 2}, {0, 0}, {9, 0}, {9, 0}, {9, 0}, {9, 1}};
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        const auto& flows = states.Update({{5, steps[i].first, false}});
        EXPECT_EQ(flows.empty() ? 0 : flows[0].peAge, steps[i].second) << "interval " << i + 1;
    }
}

TEST(FlowStates, ForgetsAfterTheTimeoutAndNotBefore)
{
    auto config = Default();
    for (const uint32_t timeout : {5U, 100U, 0U})
    {
        config.entryTimeout = timeout;
        for (const uint32_t idle : {timeout - (timeout ? 1 : 0), timeout, timeout + 1, 1000U})
        {
            FlowStates states;
            states.Start(config);
            states.Update({}); // the timeout does not depend on when the flow began
            states.Update({{5, 600 * KB, false}});
            for (uint32_t i = 0; i < idle; ++i)
            {
                states.Update({{6, 1, false}});
            }
            const auto& flows = states.Update({{5, 600 * KB, false}});
            const bool forgotten = timeout && idle >= timeout;
            EXPECT_EQ(flows[0].state, forgotten ? FlowState::MICE : FlowState::ELEPHANT)
                << idle << " idle intervals, timeout " << timeout;
        }
    }
}

TEST(FlowStates, MemoryIsBounded)
{
    auto config = Default();
    config.entryTimeout = 10;
    FlowStates states;
    states.Start(config);
    for (FlowKey flow = 0; flow < 2000; ++flow)
    {
        states.Update({{flow, 1, false}});
        EXPECT_LE(states.GetKnown(), 21U);
    }
}

TEST(FlowStates, FlowsAreApartAndInTheOrderOfTheReadings)
{
    FlowStates states;
    states.Start(Default());
    states.Update({{7, 600 * KB, false}, {3, 600 * KB, false}});
    const auto& flows = states.Update({{3, 1, false}, {9, 0, false}, {7, 500 * KB, false}});
    ASSERT_EQ(flows.size(), 2U) << "a size of 0 is no flow";
    EXPECT_EQ(flows[0].flow, 3U);
    EXPECT_EQ(flows[0].state, FlowState::MICE);
    EXPECT_EQ(flows[1].flow, 7U);
    EXPECT_EQ(flows[1].state, FlowState::ELEPHANT);
}

TEST(FlowStates, NaiveClassesKnowOneIntervalOnly)
{
    auto config = Default();
    config.isTernary = false;
    EXPECT_EQ(Trace(config, FIGURE4[0]), "EEE-----");
    EXPECT_EQ(Trace(config, FIGURE4[1]), "MMMMMMMM");
    EXPECT_EQ(Trace(config, {9, 9, 9, 9, 1000 * KB, 9}), "MMMMEM");
}
