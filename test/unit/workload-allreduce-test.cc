// SPDX-License-Identifier: GPL-2.0-only
// Training traffic: who exchanges how much with whom.
#include "roce-error-of.h"
#include "roce-test-time.h"
#include "roce-two-datacenters.h"

#include "ns3/rng-seed-manager.h"
#include "ns3/roce-workload.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Between two datacenters of four racks of four hosts.
AllReduceWorkload
Groups(uint32_t groups)
{
    AllReduceWorkload w;
    w.hosts = TwoDatacenters(32);
    w.groups = groups;
    w.iterations = 10;
    w.minBytes = 1000;
    w.maxBytes = 1003;
    w.startPs = 7 * MS;
    w.computePs = MS;
    w.stream = 5;
    return w;
}

std::vector<std::array<uint32_t, 2>>
Pairs(std::initializer_list<uint32_t> first)
{
    std::vector<std::array<uint32_t, 2>> pairs;
    for (const uint32_t host : first)
    {
        pairs.push_back({host, host + 16});
    }
    return pairs;
}

TEST(AllReduceWorkloadTest, GroupsAreSpreadOverTheRacks)
{
    EXPECT_EQ(Groups(1).GetGroups(), Pairs({0}));
    EXPECT_EQ(Groups(2).GetGroups(), Pairs({0, 8}));
    EXPECT_EQ(Groups(4).GetGroups(), Pairs({0, 4, 8, 12}));
    EXPECT_EQ(Groups(6).GetGroups(), Pairs({0, 4, 8, 12, 1, 9}));
    const auto all = Groups(16).GetGroups();
    std::set<uint32_t> hosts;
    for (const auto& pair : all)
    {
        hosts.insert(pair.begin(), pair.end());
    }
    EXPECT_EQ(hosts.size(), 32U);
}

TEST(AllReduceWorkloadTest, EachIterationIsAPhaseAndGoesBothWays)
{
    const auto w = Groups(3);
    const auto flows = w.Generate();
    ASSERT_EQ(flows.size(), 2U * 3 * 10);
    const auto pairs = w.GetGroups();
    std::map<uint32_t, uint64_t> volume[2];
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        const FlowSpec& f = flows[i];
        EXPECT_EQ(f.id, i);
        EXPECT_EQ(f.phase, i / 6 + 1);
        EXPECT_EQ(f.startPs, f.phase == 1 ? 7 * MS : MS);
        EXPECT_EQ(f.tag, 2);
        EXPECT_EQ(f.trafficClass, 3);
        const uint32_t from = f.src / 16;
        volume[from][f.phase] += f.sizeBytes;
        const auto pair = std::find_if(pairs.begin(), pairs.end(), [&](const auto& p) {
            return p[from] == f.src;
        });
        ASSERT_NE(pair, pairs.end());
        EXPECT_EQ((*pair)[1 - from], f.dst);
        // split as evenly as bytes can be
        EXPECT_GE(f.sizeBytes, 333U);
        EXPECT_LE(f.sizeBytes, 335U);
    }
    EXPECT_EQ(volume[0], volume[1]);
    EXPECT_EQ(volume[0].size(), 10U);
}

TEST(AllReduceWorkloadTest, VolumesAreUniform)
{
    auto w = Groups(3);
    w.iterations = 20000;
    std::map<uint64_t, double> share; // of each volume from 1000 to 1003
    std::map<uint32_t, uint64_t> volume;
    for (const auto& f : w.Generate())
    {
        volume[f.phase] += f.src < 16 ? f.sizeBytes : 0;
    }
    for (const auto& [phase, bytes] : volume)
    {
        share[bytes] += 1.0 / 20000;
    }
    ASSERT_EQ(share.size(), 4U);
    for (const uint64_t bytes : {1000, 1001, 1002, 1003})
    {
        EXPECT_NEAR(share[bytes], 0.25, 0.013) << bytes;
    }
    w.iterations = 5;
    w.maxBytes = 1000000;
    const auto sizes = [&w] {
        std::vector<uint64_t> bytes;
        for (const auto& f : w.Generate())
        {
            bytes.push_back(f.sizeBytes);
        }
        return bytes;
    };
    const auto once = sizes();
    EXPECT_EQ(once, sizes());
    RngSeedManager::SetRun(2);
    EXPECT_NE(once, sizes());
    RngSeedManager::SetRun(1);
    w.stream = 6;
    EXPECT_NE(once, sizes());
    w.minBytes = w.maxBytes = 3000;
    EXPECT_EQ(sizes(), std::vector<uint64_t>(30, 1000));
}

// Uno, section 5.1, and the assumptions of this module.
TEST(AllReduceWorkloadTest, DefaultsAreThoseOfUno)
{
    const AllReduceWorkload w;
    EXPECT_EQ(w.groups, 8U);
    EXPECT_EQ(w.iterations, 100U);
    EXPECT_EQ(w.minBytes, 70U << 20);
    EXPECT_EQ(w.maxBytes, 500U << 20);
    EXPECT_EQ(w.computePs, MS);
}

TEST(AllReduceWorkloadTest, RefusesImpossibleConfigurations)
{
    const std::string who = "all-reduce workload: ";
    const auto error = [](auto&& change) {
        auto w = Groups(4);
        change(w);
        return ErrorOf([&] { w.Generate(); });
    };
    using W = AllReduceWorkload;
    EXPECT_EQ(error([](W&) {}), "no error");
    const std::string groups = ", expected 1 to 16, one host of each datacenter for each";
    EXPECT_EQ(error([](W& w) { w.groups = 0; }), who + "0 groups" + groups);
    EXPECT_EQ(error([](W& w) { w.groups = 17; }), who + "17 groups" + groups);
    EXPECT_EQ(error([](W& w) { w.iterations = 0; }), who + "0 iterations, expected at least 1");
    EXPECT_EQ(error([](W& w) { w.minBytes = 1004; }),
              who + "1004 to 1003 bytes, expected the smaller first");
    EXPECT_EQ(error([](W& w) { w.computePs = -1; }),
              who + "compute time -1 ps, expected 0 or more");
    EXPECT_EQ(error([](W& w) { w.hosts.datacenterOf.assign(32, 0); }),
              who + "1 datacenters, expected two, with hosts in both; the pattern collective does "
                    "with one");
    EXPECT_EQ(error([](W& w) { w.hosts.datacenterOf[31] = 2; }),
              who + "3 datacenters, expected two, with hosts in both; the pattern collective does "
                    "with one");
    EXPECT_NE(error([](W& w) { w.hosts.datacenterOf.assign(32, 1); }), "no error");
    EXPECT_NE(error([](W& w) { w.maxBytes = UINT64_MAX; }), "no error");
    EXPECT_NE(error([](W& w) { w.startPs = -1; }), "no error");
    EXPECT_NE(error([](W& w) { w.iterations = UINT32_MAX; }), "no error");
}

} // namespace
