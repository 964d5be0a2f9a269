// SPDX-License-Identifier: GPL-2.0-only
// Elastic Sketch against a trace worked out by hand and against plain maps on random streams.
#include "paraleon-values.h"

#include "ns3/roce-elastic-sketch.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <malloc.h>
#include <map>
#include <random>
#include <vector>

using namespace ns3::roce;
using ns3::roce::test::ParaleonValues;

namespace
{

constexpr FlowKey A = 11;
constexpr FlowKey B = 22;

ElasticSketch::Config
Small(uint32_t buckets, uint32_t entries, uint32_t counters)
{
    ElasticSketch::Config config = ParaleonValues::Of().sketch;
    config.heavyBuckets = buckets;
    config.entriesPerBucket = entries;
    config.lightCounters = counters;
    return config;
}

ElasticSketch
Make(const ElasticSketch::Config& config)
{
    ElasticSketch sketch;
    sketch.Start(config);
    return sketch;
}

std::vector<FlowReading>
Read(ElasticSketch& sketch)
{
    std::vector<FlowReading> readings;
    sketch.ReadAndReset(readings);
    return readings;
}

/// @return packets of flows: few have most of them
std::vector<std::pair<FlowKey, uint32_t>>
Skewed(uint64_t seed, std::size_t packets)
{
    std::mt19937_64 random(seed);
    std::vector<std::pair<FlowKey, uint32_t>> stream;
    for (std::size_t i = 0; i < packets; ++i)
    {
        const double u = std::uniform_real_distribution<>(0, 1)(random);
        const auto rank = static_cast<uint64_t>(std::pow(10000.0, u)); // Zipf, exponent 1
        stream.emplace_back(rank << 32 | 7, 64 + random() % 1000);
    }
    return stream;
}

} // namespace

// One bucket, lambda 8, packets of 1000 bytes: A, B, A, then B only.
TEST(ElasticSketch, NewcomerTakesTheBucketAtEightTimesTheVotes)
{
    auto config = Small(1, 1, 460800);
    ElasticSketch sketch = Make(config);
    ASSERT_NE(sketch.CounterOf(A), sketch.CounterOf(B)) << "choose other flows";
    for (const FlowKey flow : {A, B, A})
    {
        sketch.Insert(flow, 1000);
    }
    EXPECT_EQ(sketch.Estimate(A), 2000U) << "vote+ after packet 3";
    EXPECT_EQ(sketch.GetVotesAgainst(0), 1000U) << "vote- after packet 3";
    EXPECT_EQ(sketch.GetLight(B), 1000U) << "a packet that does not take the bucket is not lost";
    for (int packet = 4; packet <= 17; ++packet)
    {
        sketch.Insert(B, 1000);
    }
    EXPECT_EQ(sketch.GetVotesAgainst(0), 15000U) << "vote- after packet 17";
    EXPECT_EQ(sketch.GetLight(B), 15000U) << "after packet 17";
    EXPECT_EQ(sketch.GetLight(A), 0U) << "A has its bucket at a ratio of 7.5";
    sketch.Insert(B, 1000);
    EXPECT_EQ(sketch.GetLight(A), 2000U) << "at a ratio of 8, A's votes go to the light part";
    EXPECT_EQ(sketch.GetLight(B), 15000U) << "the packet that takes the bucket is in the bucket";
    EXPECT_EQ(sketch.GetVotesAgainst(0), 1000U) << "vote- of the newcomer is its packet";
    sketch.Insert(B, 1000);
    const auto readings = Read(sketch);
    ASSERT_EQ(readings.size(), 1U) << "what is in the light part alone has no name";
    EXPECT_EQ(readings[0].flow, B);
    EXPECT_EQ(readings[0].size, 17000U) << "vote+ 2000 and the light part's 15000";
    EXPECT_TRUE(readings[0].mayBePart);
}

TEST(ElasticSketch, ANewcomerAtALambdaOf8)
{
    ElasticSketch sketch = Make(Small(1, 1, 1000));
    sketch.Insert(A, 100);
    sketch.Insert(B, 799);
    EXPECT_EQ(sketch.Estimate(A), 100U) << "a ratio of 7.99 is not enough";
    sketch.Insert(B, 1);
    EXPECT_EQ(Read(sketch)[0].size, 800U) << "1 vote, and the light part's 799";
}

TEST(ElasticSketch, PacketsInPlaceOfBytes)
{
    auto config = Small(1, 1, 1000);
    config.inPackets = true;
    ElasticSketch sketch = Make(config);
    sketch.Insert(A, 1000);
    sketch.Insert(A, 1);
    EXPECT_EQ(Read(sketch)[0].size, 2U);
}

TEST(ElasticSketch, ReadingEmptiesBothParts)
{
    ElasticSketch sketch = Make(Small(1, 1, 1));
    for (int round = 0; round < 2; ++round)
    {
        sketch.Insert(A, 100);
        sketch.Insert(B, 500);
        EXPECT_EQ(sketch.GetLightSum(), 500U) << "round " << round;
        const auto readings = Read(sketch);
        ASSERT_EQ(readings.size(), 1U);
        EXPECT_EQ(readings[0].flow, A) << "round " << round << ": the first flow has the bucket";
        EXPECT_EQ(readings[0].size, 100U) << "round " << round;
        EXPECT_FALSE(readings[0].mayBePart);
        EXPECT_EQ(sketch.GetLightSum(), 0U) << "the light part is cleared";
        EXPECT_EQ(sketch.GetVotesAgainst(0), 0U) << "votes are cleared";
    }
    EXPECT_TRUE(Read(sketch).empty());
}

TEST(ElasticSketch, LightCountersStayAtTheirGreatestValue)
{
    auto config = Small(1, 1, 1);
    config.lightBits = 8;
    config.lambda = 1e9;
    ElasticSketch sketch = Make(config);
    sketch.Insert(A, 1);
    sketch.Insert(B, 200);
    sketch.Insert(B, 200);
    EXPECT_EQ(sketch.GetLight(B), 255U) << "8 bits do not wrap around";
    config.lightBits = 32;
    config.lambda = 1e18;
    sketch = Make(config);
    sketch.Insert(A, 1);
    sketch.Insert(B, UINT32_MAX);
    sketch.Insert(B, 1000);
    EXPECT_EQ(sketch.GetLight(B), UINT32_MAX) << "32 bits do not wrap around";
}

// Seven entries share a vote; the smallest goes once the vote is above 8 times its size.
TEST(ElasticSketch, SevenEntriesShareTheirVotesAgainst)
{
    auto config = Small(1, 7, 1000);
    config.inPackets = true;
    ElasticSketch sketch = Make(config);
    for (FlowKey flow = 1; flow <= 7; ++flow)
    {
        for (FlowKey i = 0; i <= flow % 4; ++i) // flow 4 has 1 packet, the others 2 to 4
        {
            sketch.Insert(flow, 1000);
        }
    }
    for (int packet = 1; packet <= 8; ++packet)
    {
        sketch.Insert(B, 1000);
        EXPECT_EQ(sketch.GetVotesAgainst(0), static_cast<uint64_t>(packet));
    }
    EXPECT_EQ(sketch.GetLight(B), 8U) << "8 votes are not above 8 times 1 packet";
    sketch.Insert(B, 1000);
    EXPECT_EQ(sketch.GetVotesAgainst(0), 0U) << "the vote begins anew";
    const uint64_t light = sketch.GetLight(4);
    const auto readings = Read(sketch);
    ASSERT_EQ(readings.size(), 7U);
    const std::vector<FlowKey> expected{1, 2, 3, B, 5, 6, 7};
    for (std::size_t i = 0; i < 7; ++i)
    {
        EXPECT_EQ(readings[i].flow, expected[i]) << "place " << i << ": the smallest one goes";
        EXPECT_EQ(readings[i].mayBePart, i == 3);
    }
    EXPECT_EQ(readings[3].size, 9U);
    EXPECT_GE(light, 1U) << "what the smallest had is in the light part";
}

// The sketch's paper: no estimate is too small; one that is shared is too large by more than e / w
// of all that the light part has with probability 1 / e at most.
TEST(ElasticSketch, ErrorsAreWithinTheBound)
{
    for (const uint32_t entries : {1U, 7U})
    {
        for (uint64_t seed = 1; seed <= 5; ++seed)
        {
            ElasticSketch sketch = Make(Small(700 / entries, entries, 2000));
            std::map<FlowKey, uint64_t> truth;
            for (const auto& [flow, bytes] : Skewed(seed, 60000))
            {
                sketch.Insert(flow, bytes);
                truth[flow] += bytes;
            }
            const double bound = std::exp(1) / 2000 * static_cast<double>(sketch.GetLightSum());
            std::size_t beyond = 0;
            for (const auto& [flow, size] : truth)
            {
                const uint64_t estimate = sketch.Estimate(flow);
                ASSERT_GE(estimate, size) << "flow " << flow << ", seed " << seed;
                beyond += static_cast<double>(estimate - size) > bound ? 1 : 0;
            }
            EXPECT_LE(static_cast<double>(beyond), static_cast<double>(truth.size()) / std::exp(1))
                << "of " << truth.size() << " flows, seed " << seed << ", " << entries
                << " entries";
            ASSERT_GT(sketch.GetLightSum(), 0U) << "the test shows nothing";
            std::map<FlowKey, FlowReading> readings;
            for (const FlowReading& reading : Read(sketch))
            {
                EXPECT_TRUE(readings.emplace(reading.flow, reading).second)
                    << reading.flow << " is listed twice";
                if (!reading.mayBePart)
                {
                    EXPECT_EQ(reading.size, truth[reading.flow])
                        << "a flow that never lost its place is exact";
                }
            }
            std::size_t large = 0;
            for (uint64_t rank = 1; rank <= 10; ++rank)
            {
                large += readings.count(rank << 32 | 7);
            }
            EXPECT_GE(large, 9U) << "of the ten largest flows in the heavy part, seed " << seed;
        }
    }
}

// Nearly all flows of an interval keep their buckets with the dimensions of PARALEON.
TEST(ElasticSketch, AnIntervalOfAToRIsNearlyExact)
{
    ElasticSketch sketch = Make(ParaleonValues::Of().sketch);
    std::mt19937_64 random(3);
    std::map<FlowKey, uint64_t> truth;
    for (int i = 0; i < 500; ++i)
    {
        const FlowKey flow = random();
        truth[flow] = 1000 * (1 + random() % 300);
        for (uint64_t sent = 0; sent < truth[flow]; sent += 1000)
        {
            sketch.Insert(flow, 1000);
        }
    }
    std::size_t exact = 0;
    for (const FlowReading& reading : Read(sketch))
    {
        exact += reading.size == truth[reading.flow] ? 1 : 0;
    }
    EXPECT_GE(exact, 485U) << "of 500; 500^2 / 2 / 16384 = 8 share a bucket";
}

TEST(ElasticSketch, SamePacketsGiveTheSameOrder)
{
    std::vector<std::vector<FlowReading>> both;
    ElasticSketch used = Make(Small(64, 7, 100));
    used.Insert(A, 1);
    Read(used);
    ElasticSketch fresh = Make(Small(64, 7, 100));
    for (ElasticSketch* sketch : {&used, &fresh})
    {
        for (const auto& [flow, bytes] : Skewed(9, 5000))
        {
            sketch->Insert(flow, bytes);
        }
        both.push_back(Read(*sketch));
    }
    ASSERT_EQ(both[0].size(), both[1].size());
    for (std::size_t i = 0; i < both[0].size(); ++i)
    {
        EXPECT_EQ(both[0][i].flow, both[1][i].flow) << "place " << i;
        EXPECT_EQ(both[0][i].size, both[1][i].size) << "place " << i;
    }
}

// Few bits of a flow's key differ: same host, queue pairs counted up.
TEST(ElasticSketch, BucketsAndCountersAreSpreadEvenly)
{
    const ElasticSketch sketch = Make(Small(64, 1, 64));
    std::vector<double> buckets(64);
    std::vector<double> counters(64);
    double same = 0;
    for (FlowKey qp = 0; qp < 6400; ++qp)
    {
        const FlowKey flow = FlowKey{3} << 32 | qp;
        ++buckets[sketch.BucketOf(flow)];
        ++counters[sketch.CounterOf(flow)];
        same += sketch.BucketOf(flow) == sketch.CounterOf(flow) ? 1 : 0;
    }
    const auto chiSquare = [](const std::vector<double>& counts) {
        double sum = 0;
        for (const double count : counts)
        {
            sum += (count - 100) * (count - 100) / 100;
        }
        return sum;
    };
    // 63 degrees of freedom: 103 is passed once in a thousand.
    EXPECT_LT(chiSquare(buckets), 103);
    EXPECT_LT(chiSquare(counters), 103);
    EXPECT_NEAR(same, 100, 40) << "the two hash functions go together";
}

TEST(ElasticSketch, InsertingTakesNoMemory)
{
    const auto stream = Skewed(4, 50000);
    for (const uint32_t entries : {1U, 7U})
    {
        ElasticSketch sketch = Make(Small(70, entries, 1000));
        const auto before = mallinfo2().uordblks;
        for (const auto& [flow, bytes] : stream)
        {
            sketch.Insert(flow, bytes);
        }
        EXPECT_EQ(mallinfo2().uordblks, before) << entries << " entries per bucket";
    }
}
