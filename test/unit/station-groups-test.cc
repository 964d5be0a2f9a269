// SPDX-License-Identifier: GPL-2.0-only

// How a network is divided for threads.

#include "ns3/roce-station-groups.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace ns3::roce::test
{

namespace
{

constexpr int64_t US = 1'000'000;

/// Datacenters of racks of four NICs; two spines and a gateway each, the gateways in a ring.
struct Shape
{
    std::vector<StationGroups::Item> items;
    std::vector<StationGroups::Edge> edges;

    Shape(uint32_t datacenters, uint32_t racks, int64_t hostPs, int64_t fabricPs, int64_t wanPs)
    {
        std::vector<uint32_t> gateways;
        for (uint32_t dc = 0; dc < datacenters; ++dc)
        {
            const uint32_t spine = Add(dc, 4);
            Add(dc, 4);
            gateways.push_back(Add(dc, 2));
            for (uint32_t s : {spine, spine + 1})
            {
                edges.push_back({s, gateways.back(), fabricPs, false});
            }
            for (uint32_t r = 0; r < racks; ++r)
            {
                const uint32_t leaf = Add(dc, 6);
                edges.push_back({leaf, spine, fabricPs, false});
                edges.push_back({leaf, spine + 1, fabricPs, false});
                for (int h = 0; h < 4; ++h)
                {
                    edges.push_back({Add(dc, 2), leaf, hostPs, true});
                }
            }
        }
        for (std::size_t g = 0; g + 1 < gateways.size(); ++g)
        {
            edges.push_back({gateways[g], gateways[g + 1], wanPs, false});
        }
    }

    uint32_t Add(uint32_t datacenter, uint64_t weight)
    {
        items.push_back({datacenter, weight});
        return static_cast<uint32_t>(items.size() - 1);
    }

    uint64_t Total() const
    {
        uint64_t total = 0;
        for (const auto& item : items)
        {
            total += item.weight;
        }
        return total;
    }
};

} // namespace

TEST(StationGroupsTest, DatacentersAreCutAtTheirLongLinks)
{
    const Shape two(2, 4, US, US, 1000 * US);
    const StationGroups groups(two.items, two.edges, 2);
    EXPECT_EQ(groups.GetN(), 2u);
    EXPECT_EQ(groups.GetShortestCutPs(), 1000 * US);
    EXPECT_EQ(groups.GetHeaviest(), two.Total() / 2);
    for (uint32_t i = 0; i < two.items.size(); ++i)
    {
        EXPECT_EQ(groups.GetGroup(i), two.items[i].datacenter);
    }
}

TEST(StationGroupsTest, LongLinksAreCutThoughOneSideHasMoreToDo)
{
    for (const auto& [percent, isLong] : {std::pair(140, true), {200, false}})
    {
        Shape two(2, 4, US, US, 1000 * US);
        for (auto& item : two.items)
        {
            item.weight *= item.datacenter ? 100 : percent;
        }
        const StationGroups groups(two.items, two.edges, 2);
        EXPECT_EQ(groups.GetShortestCutPs() > US, isLong) << percent << " %";
    }
    // It is not worth so much if they are but a little longer.
    Shape two(2, 4, US, US, 2 * US);
    for (auto& item : two.items)
    {
        item.weight *= item.datacenter ? 100 : 140;
    }
    EXPECT_EQ(StationGroups(two.items, two.edges, 2).GetShortestCutPs(), US);
}

TEST(StationGroupsTest, RacksStayWholeAndGroupsAreBalanced)
{
    const Shape one(1, 16, US / 10, US, 0);
    for (const uint32_t n : {2, 3, 4, 8})
    {
        const StationGroups groups(one.items, one.edges, n);
        EXPECT_EQ(groups.GetN(), n);
        EXPECT_EQ(groups.GetShortestCutPs(), US) << "a link of a NIC is cut";
        EXPECT_LE(groups.GetHeaviest() * n * 4, one.Total() * 5) << n << " groups";
        std::vector<uint64_t> weights(n);
        for (uint32_t i = 0; i < one.items.size(); ++i)
        {
            weights.at(groups.GetGroup(i)) += one.items[i].weight;
        }
        EXPECT_EQ(*std::max_element(weights.begin(), weights.end()), groups.GetHeaviest());
    }
}

TEST(StationGroupsTest, ShortLinksAreNotCutEvenBetweenSwitches)
{
    // Racks hang at spines by no delay: only the datacenters can be told apart.
    const Shape two(2, 4, US, 0, 20 * US);
    const StationGroups groups(two.items, two.edges, 2);
    EXPECT_EQ(groups.GetN(), 2u);
    EXPECT_EQ(groups.GetShortestCutPs(), 20 * US);
}

TEST(StationGroupsTest, OneSwitchIsCutAtItsNics)
{
    std::vector<StationGroups::Item> items{{0, 80}};
    std::vector<StationGroups::Edge> edges;
    for (uint32_t h = 1; h <= 8; ++h)
    {
        items.push_back({0, 20});
        edges.push_back({h, 0, US, true});
    }
    const StationGroups groups(items, edges, 2);
    EXPECT_EQ(groups.GetN(), 2u);
    EXPECT_LE(groups.GetHeaviest(), 140u);
    EXPECT_EQ(groups.GetShortestCutPs(), US);
}

TEST(StationGroupsTest, PodsStayWhole)
{
    // A 8-ary fat-tree: pods of four racks and four aggregation switches, 16 cores, added last.
    constexpr uint32_t HALF = 4;
    Shape tree(0, 0, 0, 0, 0);
    for (uint32_t rack = 0; rack < 8 * HALF; ++rack)
    {
        const uint32_t leaf = tree.Add(0, 8);
        tree.edges.push_back({tree.Add(0, 8), leaf, US, true, 8});
    }
    std::vector<uint32_t> aggs;
    for (uint32_t agg = 0; agg < 8 * HALF; ++agg)
    {
        aggs.push_back(tree.Add(0, 8));
        for (uint32_t r = 0; r < HALF; ++r)
        {
            const uint32_t leaf = 2 * (agg / HALF * HALF + r);
            tree.edges.push_back({leaf, aggs.back(), US, false, 2});
        }
    }
    for (uint32_t core = 0; core < HALF * HALF; ++core)
    {
        const uint32_t sw = tree.Add(0, 8);
        for (uint32_t pod = 0; pod < 8; ++pod)
        {
            tree.edges.push_back({aggs[pod * HALF + core / HALF], sw, US, false, 2});
        }
    }
    for (const uint32_t n : {2, 4, 8})
    {
        const StationGroups groups(tree.items, tree.edges, n);
        EXPECT_LE(groups.GetHeaviest() * n * 10, tree.Total() * 11) << n << " groups";
        uint32_t inPods = 0;
        for (const auto& edge : tree.edges)
        {
            inPods += edge.a < aggs.front() && groups.GetGroup(edge.a) != groups.GetGroup(edge.b);
        }
        EXPECT_LE(inPods, 20u) << n << " groups: of 128 links inside pods";
    }
}

TEST(StationGroupsTest, NoGroupHasStationsOfTwoDatacenters)
{
    Shape two(2, 8, US, US, 100 * US);
    for (auto& item : two.items)
    {
        item.weight *= item.datacenter ? 10 : 11; // of 8 groups 3.81 and 4.19
    }
    const StationGroups groups(two.items, two.edges, 8);
    EXPECT_EQ(groups.GetN(), 8u);
    std::vector<uint32_t> datacenterOf(8, 2);
    uint32_t last = 0;
    for (uint32_t i = 0; i < two.items.size(); ++i)
    {
        uint32_t& datacenter = datacenterOf.at(groups.GetGroup(i));
        datacenter = datacenter == 2 ? two.items[i].datacenter : datacenter;
        EXPECT_EQ(datacenter, two.items[i].datacenter) << "station " << i;
        last = std::max(last, two.items[i].datacenter ? 0 : groups.GetGroup(i));
    }
    // In order, so that processes get them in one piece.
    EXPECT_EQ(std::count(datacenterOf.begin(), datacenterOf.end(), 0), last + 1);
}

TEST(StationGroupsTest, ThatOfLittleTrafficIsCut)
{
    // Eight racks of one NIC. What they send passes one of two hubs, which are not told apart by
    // their order: even racks use the second one.
    Shape star(0, 0, 0, 0, 0);
    for (uint32_t rack = 0; rack < 8; ++rack)
    {
        star.edges.push_back({star.Add(0, 10), star.Add(0, 10), US, true, 20});
    }
    const uint32_t hub = star.Add(0, 20);
    star.Add(0, 20);
    for (uint32_t rack = 0; rack < 8; ++rack)
    {
        star.edges.push_back({2 * rack + 1, hub + 1 - rack % 2, US, false, 20});
        star.edges.push_back({2 * rack + 1, hub + rack % 2, US, false, 1});
    }
    const StationGroups groups(star.items, star.edges, 2);
    EXPECT_EQ(groups.GetHeaviest(), star.Total() / 2);
    for (const auto& edge : star.edges)
    {
        EXPECT_EQ(groups.GetGroup(edge.a) == groups.GetGroup(edge.b), edge.traffic > 1);
    }
}

TEST(StationGroupsTest, WithoutDelaysThereIsOneGroup)
{
    const Shape none(2, 4, 0, 0, 0);
    EXPECT_EQ(StationGroups(none.items, none.edges, 4).GetN(), 1u);
}

} // namespace ns3::roce::test
