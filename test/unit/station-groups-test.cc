// SPDX-License-Identifier: GPL-2.0-only

// How a network is divided for threads.

#include "ns3/roce-station-groups.h"

#include <algorithm>
#include <gtest/gtest.h>
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

TEST(StationGroupsTest, WithoutDelaysThereIsOneGroup)
{
    const Shape none(2, 4, 0, 0, 0);
    EXPECT_EQ(StationGroups(none.items, none.edges, 4).GetN(), 1u);
}

} // namespace ns3::roce::test
