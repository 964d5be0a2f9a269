// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/roce-fct-stats.h"
#include "ns3/roce-input-error.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

using namespace ns3::roce;

namespace
{

FlowRecord
Flow(uint64_t id, uint64_t bytes, int64_t fctPs, int64_t idealPs, bool inter = false)
{
    FlowRecord record;
    record.spec.id = id;
    record.spec.sizeBytes = bytes;
    record.fctPs = fctPs;
    record.receiverFctPs = fctPs;
    record.idealPs = idealPs;
    record.interDc = inter;
    record.packets = bytes / 1000 + 1;
    record.retransmittedPackets = id % 2;
    record.deliveredBytes = fctPs < 0 ? bytes / 2 : bytes;
    return record;
}

} // namespace

TEST(FctStats, NearestRank)
{
    EXPECT_EQ(FctStats::NearestRank(1, 500000), 1u);
    EXPECT_EQ(FctStats::NearestRank(1, 0), 1u);
    EXPECT_EQ(FctStats::NearestRank(4, 500000), 2u);
    EXPECT_EQ(FctStats::NearestRank(5, 500000), 3u);
    EXPECT_EQ(FctStats::NearestRank(100, 990000), 99u);
    EXPECT_EQ(FctStats::NearestRank(101, 990000), 100u);
    EXPECT_EQ(FctStats::NearestRank(1000, 999000), 999u);
    EXPECT_EQ(FctStats::NearestRank(10, 1000000), 10u);
    // In floating point 0.07 * 100 = 7.000000000000001, whose ceiling is 8.
    EXPECT_EQ(FctStats::NearestRank(100, 70000), 7u);
    EXPECT_EQ(FctStats::NearestRank(UINT64_MAX, 1000000), UINT64_MAX);
    // 6148914691236517205 is UINT64_MAX / 3; its 99th percentile computed with long integers
    EXPECT_EQ(FctStats::NearestRank(6148914691236517205ULL, 990000), 6087425544324152033ULL);
    EXPECT_THROW(FctStats::NearestRank(0, 1), InputError);
    EXPECT_THROW(FctStats::NearestRank(1, 1000001), InputError);
}

// Against the definition, by counting: the smallest value with at least p*n samples at or below it.
TEST(FctStats, PercentilesMatchTheDefinition)
{
    std::mt19937 random(7);
    for (size_t n = 1; n < 400; n++)
    {
        std::vector<double> values(n);
        for (double& value : values)
        {
            value = static_cast<double>(random() % 50);
        }
        const auto byDefinition = [&values](uint64_t perThousand) {
            double best = 1e9;
            for (double candidate : values)
            {
                const auto below = static_cast<uint64_t>(
                    std::count_if(values.begin(), values.end(), [candidate](double v) {
                        return v <= candidate;
                    }));
                if (below * 1000 >= perThousand * values.size())
                {
                    best = std::min(best, candidate);
                }
            }
            return best;
        };
        const Distribution d = FctStats::Describe(values);
        ASSERT_EQ(d.count, n);
        ASSERT_EQ(d.p50, byDefinition(500));
        ASSERT_EQ(d.p95, byDefinition(950));
        ASSERT_EQ(d.p99, byDefinition(990));
        ASSERT_EQ(d.p999, byDefinition(999));
        ASSERT_EQ(d.max, *std::max_element(values.begin(), values.end()));
        ASSERT_DOUBLE_EQ(d.mean, std::accumulate(values.begin(), values.end(), 0.0) / n);
    }
    EXPECT_EQ(FctStats::Describe({}).count, 0u);
}

TEST(FctStats, GroupsByScope)
{
    FctStats stats;
    for (int i = 1; i <= 100; i++)
    {
        stats.Add(Flow(i, 5000, i * 1000, 1000, i > 60));
    }
    stats.Add(Flow(101, 5000, -1, 1000, true));
    const FctGroup all = stats.Group(FlowScope::ALL);
    EXPECT_EQ(all.flows, 101u);
    EXPECT_EQ(all.finished, 100u);
    EXPECT_EQ(all.unfinished, 1u);
    EXPECT_EQ(all.slowdown.count, 100u);
    EXPECT_DOUBLE_EQ(all.slowdown.mean, 50.5);
    EXPECT_EQ(all.slowdown.p50, 50);
    EXPECT_EQ(all.slowdown.p99, 99);
    EXPECT_EQ(all.fctPs.p99, 99000);
    EXPECT_EQ(all.packets, 606u);
    EXPECT_EQ(all.retransmittedPackets, 51u);
    EXPECT_EQ(all.deliveredBytes, 100u * 5000 + 2500);
    const FctGroup intra = stats.Group(FlowScope::INTRA);
    EXPECT_EQ(intra.flows, 60u);
    EXPECT_EQ(intra.unfinished, 0u);
    EXPECT_EQ(intra.slowdown.p50, 30);
    const FctGroup inter = stats.Group(FlowScope::INTER);
    EXPECT_EQ(inter.flows, 41u);
    EXPECT_EQ(inter.unfinished, 1u);
    EXPECT_EQ(inter.slowdown.p50, 80);
}

TEST(FctStats, FixedBinsHaveInclusiveUpperEdges)
{
    FctStats stats;
    const uint64_t sizes[] =
        {0, 10000, 10001, 100000, 100001, 1000000, 1000001, 10000000, 10000001, 1ULL << 40};
    uint64_t id = 0;
    for (uint64_t size : sizes)
    {
        stats.Add(Flow(id++, size, 3000, 1000));
    }
    stats.Add(Flow(id++, 50000, -1, 1000));
    const auto bins = stats.Bins(FlowScope::ALL);
    ASSERT_EQ(bins.size(), 5u);
    const char* labels[] = {"<=10KB", "10KB-100KB", "100KB-1MB", "1MB-10MB", ">10MB"};
    for (size_t b = 0; b < bins.size(); b++)
    {
        EXPECT_EQ(bins[b].label, labels[b]);
        EXPECT_EQ(bins[b].group.finished, 2u) << b;
        EXPECT_EQ(bins[b].group.unfinished, b == 1 ? 1u : 0u);
    }
    EXPECT_EQ(bins[0].lowBytes, 0u);
    EXPECT_EQ(bins[0].highBytes, 10000u);
    EXPECT_EQ(bins[1].lowBytes, 10001u);
    EXPECT_EQ(bins[4].highBytes, UINT64_MAX);
    const auto none = stats.Bins(FlowScope::INTER);
    ASSERT_EQ(none.size(), 5u); // there, but empty
    EXPECT_EQ(none[2].group.flows, 0u);
}

TEST(FctStats, EqualCountBins)
{
    FctStats::Options options;
    options.equalCountBins = 4;
    FctStats stats(options);
    for (uint64_t i = 0; i < 10; i++)
    {
        stats.Add(Flow(i, 1000 * (10 - i), 2000, 1000));
    }
    const auto bins = stats.Bins(FlowScope::ALL);
    ASSERT_EQ(bins.size(), 4u);
    const uint64_t counts[] = {2, 3, 2, 3};
    const uint64_t highs[] = {2000, 5000, 7000, 10000};
    for (size_t b = 0; b < 4; b++)
    {
        EXPECT_EQ(bins[b].group.flows, counts[b]);
        EXPECT_EQ(bins[b].highBytes, highs[b]); // the largest flow is not lost
    }
    EXPECT_EQ(bins[3].label, "8KB-10KB");
    options.equalCountBins = 20;
    FctStats few(options);
    few.Add(Flow(1, 1, 1, 1));
    EXPECT_EQ(few.Bins(FlowScope::ALL).size(), 1u); // no empty bins
    EXPECT_TRUE(few.Bins(FlowScope::INTER).empty());
}

TEST(FctStats, WarmupIsExcludedByStart)
{
    FctStats::Options options;
    options.warmupPs = 1000;
    FctStats stats(options);
    FlowRecord record = Flow(1, 100, 9000, 1000);
    record.spec.startPs = 999; // ends after the warm-up, but starts in it
    stats.Add(record);
    record.spec.startPs = 1000;
    record.fctPs = 4000;
    stats.Add(record);
    EXPECT_EQ(stats.Excluded(), 1u);
    EXPECT_EQ(stats.Group(FlowScope::ALL).flows, 1u);
    EXPECT_EQ(stats.Group(FlowScope::ALL).slowdown.max, 4);
    EXPECT_EQ(stats.GetOptions().warmupPs, 1000);
}

TEST(FctStats, DoesNotDependOnTheOrderOfAdd)
{
    std::mt19937 random(11);
    std::vector<FlowRecord> flows;
    for (uint64_t i = 0; i < 1000; i++)
    {
        flows.push_back(Flow(i, random() % 7 * 3000, 1 + random() % 1000003, 1 + random() % 997));
    }
    FctStats::Options options;
    options.equalCountBins = 13;
    FctStats first(options);
    FctStats second(options);
    for (const auto& flow : flows)
    {
        first.Add(flow);
    }
    std::reverse(flows.begin(), flows.end());
    for (const auto& flow : flows)
    {
        second.Add(flow);
    }
    const auto a = first.Bins(FlowScope::ALL);
    const auto b = second.Bins(FlowScope::ALL);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); i++)
    {
        EXPECT_EQ(a[i].group.slowdown.mean, b[i].group.slowdown.mean); // to the last bit
        EXPECT_EQ(a[i].group.slowdown.p99, b[i].group.slowdown.p99);
        EXPECT_EQ(a[i].highBytes, b[i].highBytes);
    }
    EXPECT_EQ(first.Group(FlowScope::ALL).slowdown.mean,
              second.Group(FlowScope::ALL).slowdown.mean);
}

TEST(FctStats, SizeLabels)
{
    EXPECT_EQ(FctStats::SizeLabel(0), "0B");
    EXPECT_EQ(FctStats::SizeLabel(1500), "1500B");
    EXPECT_EQ(FctStats::SizeLabel(20000), "20KB");
    EXPECT_EQ(FctStats::SizeLabel(5000000), "5MB");
    EXPECT_EQ(FctStats::SizeLabel(3000000000ULL), "3GB");
}

TEST(FctStats, RefusesBadInput)
{
    FctStats::Options options;
    options.binEdgesBytes = {10, 10};
    EXPECT_THROW(FctStats{options}, InputError);
    options.binEdgesBytes = {};
    options.warmupPs = -1;
    EXPECT_THROW(FctStats{options}, InputError);
    options.warmupPs = 0;
    FctStats stats(options);
    EXPECT_THROW(stats.Add(Flow(1, 1, 5, 0)), InputError);
    stats.Add(Flow(1, 1, -1, 0)); // unfinished: no ideal needed
    ASSERT_EQ(stats.Bins(FlowScope::ALL).size(), 1u);
    EXPECT_EQ(stats.Bins(FlowScope::ALL)[0].label, "all sizes");
    EXPECT_EQ(stats.Bins(FlowScope::ALL)[0].group.unfinished, 1u);
}
