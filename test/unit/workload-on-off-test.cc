// SPDX-License-Identifier: GPL-2.0-only
// Workers that all send to each other, again and again.
#include "roce-error-of.h"
#include "roce-test-time.h"

#include "ns3/roce-on-off-workload.h"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// PARALEON's network: 8 racks of 16 hosts.
OnOffWorkload
Paraleon()
{
    OnOffWorkload w;
    w.hosts.nHosts = 128;
    for (uint32_t h = 0; h < 128; ++h)
    {
        w.hosts.rackOf.push_back(h / 16);
    }
    w.startPs = 2000 * MS;
    return w;
}

} // namespace

TEST(OnOffWorkloadTest, WorkersAreSpreadOverTheRacks)
{
    OnOffWorkload w = Paraleon();
    EXPECT_EQ(w.GetWorkers(), (std::vector<uint32_t>{0,  1,  2,  16, 17, 18, 32, 33, 34,  48,
                                                     49, 50, 64, 65, 80, 81, 96, 97, 112, 113}))
        << "3, 3, 3, 3, 2, 2, 2, 2 on the first hosts of each rack";
    w.placement = OnOffWorkload::Placement::CONTIGUOUS;
    w.workers = 3;
    EXPECT_EQ(w.GetWorkers(), (std::vector<uint32_t>{0, 1, 2}));
    w.placement = OnOffWorkload::Placement::SPREAD;
    w.hosts = {5, {}, {0, 0, 0, 0, 1}};
    w.workers = 4;
    EXPECT_EQ(w.GetWorkers(), (std::vector<uint32_t>{0, 1, 2, 4})) << "a rack may be full";
}

TEST(OnOffWorkloadTest, AClosedLoopOfRounds)
{
    const auto flows = Paraleon().Generate();
    ASSERT_EQ(flows.size(), 5U * 380);
    std::map<uint32_t, std::map<std::pair<uint32_t, uint32_t>, int>> pairs;
    std::map<uint32_t, uint64_t> sent;
    for (const FlowSpec& flow : flows)
    {
        ++pairs[flow.phase][{flow.src, flow.dst}];
        sent[flow.src] += flow.sizeBytes;
        EXPECT_EQ(flow.sizeBytes, 12000000U);
        EXPECT_EQ(flow.startPs, flow.phase == 1 ? 2000 * MS : 20 * MS) << "phase " << flow.phase;
    }
    ASSERT_EQ(pairs.size(), 5U);
    for (uint32_t phase = 1; phase <= 5; ++phase)
    {
        EXPECT_EQ(pairs[phase].size(), 380U) << "each ordered pair once, phase " << phase;
    }
    for (const auto& [host, bytes] : sent)
    {
        EXPECT_EQ(bytes, 5 * 228000000ULL) << "228 MB a round of host " << host;
    }
}

TEST(OnOffWorkloadTest, AFixedPeriod)
{
    OnOffWorkload w = Paraleon();
    w.isClosedLoop = false;
    w.hostRateBps = 100000000000;
    EXPECT_EQ(w.GetPeriodPs(), 38240 * US) << "18.24 ms ON, 20 ms OFF";
    w.sizeBytes = 12 * 1048576;
    EXPECT_NEAR(static_cast<double>(w.GetPeriodPs()), 39.126e9, 1e6) << "with 12 MiB";
    w.sizeBytes = 12000000;
    std::map<int64_t, int> starts;
    for (const FlowSpec& flow : w.Generate())
    {
        ++starts[flow.startPs];
        EXPECT_EQ(flow.phase, 0U) << "nobody waits";
    }
    ASSERT_EQ(starts.size(), 5U);
    for (int i = 0; i < 5; ++i)
    {
        EXPECT_EQ(starts[2000 * MS + i * 38240 * US], 380) << "round " << i;
    }
}

TEST(OnOffWorkloadTest, BadInputIsRefused)
{
    const OnOffWorkload good = Paraleon();
    OnOffWorkload w = good;
    w.workers = 1;
    ExpectRefused([&] { w.Generate(); }, "1 workers, expected 2 to 128");
    w.workers = 129;
    ExpectRefused([&] { w.Generate(); }, "129 workers");
    w = good;
    w.rounds = 0;
    ExpectRefused([&] { w.Generate(); }, "0 rounds");
    w = good;
    w.offPs = -1;
    ExpectRefused([&] { w.Generate(); }, "OFF time -1 ps");
    w = good;
    w.isClosedLoop = false;
    ExpectRefused([&] { w.Generate(); }, "expected it for the fixed period");
    w = good;
    w.hosts.rackOf.clear();
    ExpectRefused([&] { w.Generate(); }, "racks are unknown");
}
