// SPDX-License-Identifier: GPL-2.0-only
// What path policies and edge functions keep of flows and queues.
#include "ns3/roce-path-policy.h"

#include <gtest/gtest.h>
#include <map>

using namespace ns3::roce;

namespace
{

/// Three ways, at ports 4 to 6.
struct Ways
{
    PathEntry paths[3]{{4, 0, 1, false}, {5, 0, 1, false}, {6, 0, 1, false}};
    Frame frame{};
    StickyWays ways;
    uint16_t lastPort{0}; //!< that place() was given

    /// @return the index of the flow's way. @param wanted if it is placed anew @param count of ways
    uint32_t Find(uint16_t entropy, int64_t nowPs, uint32_t wanted, uint32_t count = 3)
    {
        frame.entropy = entropy;
        return ways.Find({frame, paths, count, 0, nowPs}, [&](uint16_t last) {
            lastPort = last;
            return wanted;
        });
    }
};

// The same as a map, whatever comes and goes.
TEST(EdgeFlowTable, IsAMap)
{
    EdgeFlowTable<uint32_t> table;
    table.SetTimeout(1000);
    std::map<FlowKey, std::pair<uint32_t, int64_t>> reference;
    uint64_t x = 1;
    for (uint32_t i = 0; i < 20000; ++i)
    {
        x = Mix64(x);
        const FlowKey flow = x % (i % 7 ? 50 : 5000); // some often, some seldom
        const int64_t nowPs = 3 * i;
        const auto it = reference.find(flow);
        const bool isThere = it != reference.end() && nowPs - it->second.second <= 1000;
        uint32_t& state = table.Touch(flow, nowPs);
        ASSERT_EQ(state, isThere ? it->second.first : 0) << i;
        state = i + 1;
        reference[flow] = {i + 1, nowPs};
    }
    EXPECT_LT(table.GetPeak(), 400u);
}

TEST(FlowOfTuple, TellsFlowsApart)
{
    Frame a{};
    a.src = 1;
    a.dst = 2;
    a.entropy = 3;
    for (const auto& [src, dst, entropy] :
         {std::tuple{2U, 2U, 3}, {1U, 3U, 3}, {1U, 2U, 4}, {2U, 1U, 3}, {1U, 0xffffffU, 3}})
    {
        Frame b{};
        b.src = src;
        b.dst = dst;
        b.entropy = static_cast<uint16_t>(entropy);
        EXPECT_NE(FlowOfTuple(a), FlowOfTuple(b));
    }
}

TEST(StickyWays, FlowsStayUntilTheyPause)
{
    Ways w;
    w.ways.SetGap(100);
    EXPECT_EQ(w.Find(1, 0, 2), 2u);
    EXPECT_EQ(w.lastPort, Routing::NO_PORT);
    EXPECT_EQ(w.Find(2, 0, 0), 0u);
    EXPECT_EQ(w.Find(1, 100, 0), 2u);
    EXPECT_EQ(w.Find(1, 200, 0), 2u);
    EXPECT_EQ(w.Find(1, 301, 1), 1u); // a flowlet; where it was is known
    EXPECT_EQ(w.lastPort, 6);
    EXPECT_EQ(w.Find(1, 502, 0), 0u); // forgotten
    EXPECT_EQ(w.lastPort, Routing::NO_PORT);
    EXPECT_EQ(w.ways.GetPlaced(), 4u);
}

TEST(StickyWays, AWayThatHasGoneIsLeft)
{
    Ways w;
    w.ways.SetGap(INT64_MAX);
    EXPECT_EQ(w.Find(1, 0, 2), 2u);
    EXPECT_EQ(w.Find(1, 10, 1, 2), 1u);
    EXPECT_EQ(w.Find(1, INT64_C(1'000'000'000'000'000'000), 0), 1u);
}

TEST(QueueTrend, SmoothsTowardsMinusInfinity)
{
    QueueTrend trend;
    trend.Look(8000, 8);
    EXPECT_EQ(trend.grownBytes, 1000);
    trend.Look(8000, 8);
    EXPECT_EQ(trend.grownBytes, 875);
    trend.Look(7999, 8); // -1 / 8 is -1
    EXPECT_EQ(trend.grownBytes, 875 - 1 - 109);
    trend.Look(0, 8);
    EXPECT_EQ(trend.grownBytes, 765 - 1000 - 95);
    EXPECT_EQ(trend.bytes, 0u);
}

} // namespace
