// SPDX-License-Identifier: GPL-2.0-only
// The best of equal-cost paths, against a look at all of them.
#include "ns3/roce-best-paths.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

using namespace ns3;
using namespace ns3::roce;

namespace
{

constexpr int64_t US = 1'000'000;
constexpr uint64_t G = 1'000'000'000;

/// Switches in levels, each with links to some of the next one; the last level is one switch.
struct Levels
{
    Levels(std::mt19937_64& rng,
           const std::vector<uint64_t>& rates,
           const std::vector<int64_t>& delays)
    {
        const uint32_t depth = 2 + rng() % 3;
        std::vector<uint32_t> level{0};
        uint32_t next = 1;
        for (uint32_t l = 0; l < depth; ++l)
        {
            std::vector<uint32_t> below;
            for (uint64_t n = l + 1 < depth ? 1 + rng() % 4 : 1; n > 0; --n)
            {
                below.push_back(next++);
            }
            for (const uint32_t sw : level)
            {
                for (const uint32_t to : below)
                {
                    const uint64_t rate = rates[rng() % rates.size()] * G;
                    links[sw].push_back({{rate, delays[rng() % delays.size()]}, to});
                }
            }
            level = below;
        }
        last = next - 1;
    }

    /// All paths from a switch to the last one.
    std::vector<BestPaths::Path> All(uint32_t sw) const
    {
        if (sw == last)
        {
            return {{}};
        }
        std::vector<BestPaths::Path> paths;
        for (const BestPaths::Link& link : links.at(sw))
        {
            for (BestPaths::Path rest : All(link.to))
            {
                rest.insert(rest.begin(), link.spec);
                paths.push_back(rest);
            }
        }
        return paths;
    }

    std::map<uint32_t, std::vector<BestPaths::Link>> links;
    uint32_t last;
};

int64_t
Fastest(const std::vector<BestPaths::Path>& paths, uint64_t bytes)
{
    int64_t best = INT64_MAX;
    for (const BestPaths::Path& path : paths)
    {
        best = std::min(best, IdealFct(path, {{100 * G, US}}).Compute(bytes).senderFctPs);
    }
    return best;
}

} // namespace

TEST(BestPaths, TheFastestIsAmongThem)
{
    std::mt19937_64 rng(1);
    for (int i = 0; i < 300; ++i)
    {
        const Levels levels(rng, {25, 40, 100}, {0, US, 20 * US});
        BestPaths best;
        const std::vector<BestPaths::Path>& found =
            best.Find(0, levels.last, [&](uint32_t sw) { return levels.links.at(sw); });
        const std::vector<BestPaths::Path> all = levels.All(0);
        EXPECT_LE(found.size(), all.size());
        for (const uint64_t bytes : {1, 4096, 10000, 1000000})
        {
            ASSERT_EQ(Fastest(found, bytes), Fastest(all, bytes)) << "network " << i;
        }
    }
}

TEST(BestPaths, OneIsLeftWhereLinksAreAlike)
{
    std::mt19937_64 rng(2);
    for (int i = 0; i < 100; ++i)
    {
        const Levels levels(rng, {100}, {US});
        BestPaths best;
        const auto links = [&](uint32_t sw) { return levels.links.at(sw); };
        EXPECT_EQ(best.Find(0, levels.last, links).size(), 1u);
    }
}

// 64 pods of 32 racks: what is known from one rack is not looked for again from the next.
TEST(BestPaths, WhatIsKnownIsNotLookedForAgain)
{
    uint64_t asked = 0;
    const auto links = [&asked](uint32_t sw) {
        ++asked;
        std::vector<BestPaths::Link> next;
        const auto add = [&next](uint32_t to) { next.push_back({{100 * G, US}, to}); };
        if (sw < 100) // racks
        {
            for (uint32_t agg = 100; agg < 132; ++agg)
            {
                add(agg);
            }
        }
        else if (sw < 132)
        {
            for (uint32_t core = 0; core < 32; ++core)
            {
                add(1000 + (sw - 100) * 32 + core);
            }
        }
        else
        {
            add(5000);
        }
        return next;
    };
    BestPaths best;
    best.Find(0, 5000, links);
    EXPECT_EQ(asked, 1 + 32 + 32 * 32u);
    best.Find(1, 5000, links);
    EXPECT_EQ(asked, 2 + 32 + 32 * 32u);
    best.Find(0, 5000, links);
    EXPECT_EQ(asked, 2 + 32 + 32 * 32u);
}

TEST(BestPaths, EndsWhereItBeginsOrNowhere)
{
    BestPaths best;
    const auto none = [](uint32_t) { return std::vector<BestPaths::Link>(); };
    EXPECT_EQ(best.Find(3, 3, none).size(), 1u);
    EXPECT_TRUE(best.Find(3, 3, none).front().empty());
    EXPECT_TRUE(best.Find(3, 4, none).empty());
}
