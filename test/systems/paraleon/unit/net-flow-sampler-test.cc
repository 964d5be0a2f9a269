// SPDX-License-Identifier: GPL-2.0-only
// Sampling of packets, as NetFlow does, against what chance says.
#include "paraleon-values.h"

#include "ns3/roce-flow-states.h"
#include "ns3/roce-sketch-monitor.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using ns3::roce::test::ParaleonValues;

namespace
{

NetFlowSampler
Make(uint32_t oneIn, bool inPackets, int64_t stream)
{
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(stream);
    NetFlowSampler sampler;
    sampler.Start(oneIn, inPackets, random);
    return sampler;
}

std::vector<FlowReading>
Read(NetFlowSampler& sampler)
{
    std::vector<FlowReading> readings;
    sampler.ReadAndReset(readings);
    return readings;
}

} // namespace

// 1:100, packets of 1000 bytes: probability that a flow is seen at all.
TEST(NetFlowSampler, SmallFlowsAreSeldomSeen)
{
    const std::pair<uint64_t, double> cases[] = {{1, 0.0100}, {10, 0.0956}, {100, 0.634}};
    constexpr int FLOWS = 20000;
    NetFlowSampler sampler = Make(100, false, 1);
    for (const auto& [packets, probability] : cases)
    {
        for (FlowKey flow = 0; flow < FLOWS; ++flow)
        {
            for (uint64_t i = 0; i < packets; ++i)
            {
                sampler.Insert(flow, 1000);
            }
        }
        const double seen = static_cast<double>(Read(sampler).size()) / FLOWS;
        const double sigma = std::sqrt(probability * (1 - probability) / FLOWS);
        EXPECT_NEAR(seen, probability, 4 * sigma) << "flows of " << packets << " KB";
    }
    int missed = 0;
    for (FlowKey flow = 0; flow < 5000; ++flow)
    {
        for (int i = 0; i < 1000; ++i)
        {
            sampler.Insert(flow, 1000);
        }
        missed += Read(sampler).empty() ? 1 : 0;
    }
    EXPECT_LE(missed, 3) << "of 5000 flows of 1 MB, seen with probability 0.99996";
}

TEST(NetFlowSampler, EstimatesAreRightOnAverage)
{
    double bytes = 0;
    double packets = 0;
    constexpr int ROUNDS = 2000;
    NetFlowSampler inBytes = Make(100, false, 2);
    NetFlowSampler inPackets = Make(100, true, 3);
    for (int round = 0; round < ROUNDS; ++round)
    {
        for (int i = 0; i < 500; ++i)
        {
            inBytes.Insert(5, 700);
            inPackets.Insert(5, 700);
        }
    }
    for (const FlowReading& reading : Read(inBytes))
    {
        EXPECT_EQ(reading.size % 70000, 0U) << "a packet that is taken counts 100 times";
        bytes += static_cast<double>(reading.size);
    }
    for (const FlowReading& reading : Read(inPackets))
    {
        packets += static_cast<double>(reading.size);
    }
    EXPECT_NEAR(bytes / (ROUNDS * 500 * 700), 1, 0.04) << "four sigmas";
    EXPECT_NEAR(packets / (ROUNDS * 500), 1, 0.04) << "four sigmas";
}

TEST(NetFlowSampler, ExportsInOrderAndBeginsAnew)
{
    NetFlowSampler sampler = Make(1, false, 4);
    for (const FlowKey flow : {9, 2, 9, 5})
    {
        sampler.Insert(flow, 10);
    }
    const auto readings = Read(sampler);
    ASSERT_EQ(readings.size(), 3U);
    EXPECT_EQ(readings[0].flow, 9U);
    EXPECT_EQ(readings[0].size, 20U) << "1:1 counts everything";
    EXPECT_EQ(readings[1].flow, 2U);
    EXPECT_EQ(readings[2].flow, 5U);
    EXPECT_TRUE(Read(sampler).empty());
    sampler.Insert(5, 30);
    EXPECT_EQ(Read(sampler)[0].size, 30U) << "of the new period alone";
}

// PARALEON's ablation: an elephant by what one export says.
TEST(NetFlowSampler, ClassesByOneExport)
{
    FlowStates states;
    states.Start(ParaleonValues::Of("Profile=netflow").states);
    const auto flows = states.Update({{1, 999999, false}, {2, 1000000, false}});
    EXPECT_EQ(flows[0].state, FlowState::MICE);
    EXPECT_EQ(flows[1].state, FlowState::ELEPHANT);
    EXPECT_EQ(states.Update({{1, 999999, false}})[0].state, FlowState::MICE)
        << "nothing is remembered";
}
