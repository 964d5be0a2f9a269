// SPDX-License-Identifier: GPL-2.0-only
// ECMP: table look-up, and the statistical quality of the hash at every tier.
#include "ns3/roce-routing.h"

#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

using namespace ns3::roce;

namespace
{

/// 99.9 % quantiles of chi-square with n - 1 degrees of freedom.
double
Quantile999(unsigned n)
{
    return n == 2 ? 10.828 : n == 4 ? 16.266 : 24.322; // 1, 3, 7
}

double
ChiSquare(const std::vector<unsigned>& counts)
{
    const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
    const double expected = total / static_cast<double>(counts.size());
    double chi = 0;
    for (unsigned n : counts)
    {
        chi += (n - expected) * (n - expected) / expected;
    }
    return chi;
}

struct Tuple
{
    uint32_t src, dst;
    uint16_t port;
};

/// Each rack is a class of its own.
void
TellAllApart(Routing& routing, unsigned racks)
{
    auto classes = std::make_shared<std::vector<uint32_t>>(racks);
    std::iota(classes->begin(), classes->end(), 0U);
    routing.SetClasses(classes);
}

/// A switch with n equal ports towards every rack but none of its own NICs.
Routing
Fan(unsigned n, uint64_t salt, unsigned racks = 1)
{
    auto attachments = std::make_shared<Attachments>();
    for (unsigned nic = 0; nic < 1024; ++nic)
    {
        attachments->rackOfNic.push_back(nic % racks);
        attachments->portOfNic.push_back(0);
    }
    Routing routing;
    routing.Configure(attachments, -1, salt);
    TellAllApart(routing, racks);
    std::vector<uint16_t> ports(n);
    std::iota(ports.begin(), ports.end(), static_cast<uint16_t>(0));
    for (unsigned r = 0; r < racks; ++r)
    {
        routing.SetGroup(r, ports);
    }
    return routing;
}

unsigned
Choose(const Routing& routing, const Tuple& t)
{
    return routing.Route(t.src, t.dst, t.port);
}

std::vector<Tuple>
RandomTuples(std::size_t n, unsigned seed)
{
    std::mt19937 rng(seed);
    std::vector<Tuple> tuples(n);
    for (Tuple& t : tuples)
    {
        t = {static_cast<uint32_t>(rng() % 1024),
             static_cast<uint32_t>(rng() % 1024),
             static_cast<uint16_t>(0xc000 | (rng() & 0x3fff))};
    }
    return tuples;
}

/// What the hash meets in practice: one pair of hosts, consecutive source ports; or consecutive
/// destinations.
std::vector<Tuple>
RegularTuples(bool ports)
{
    std::vector<Tuple> tuples;
    for (uint32_t i = 0; i < 10000; ++i)
    {
        tuples.push_back(ports ? Tuple{3, 7, static_cast<uint16_t>(0xc000 + i)}
                               : Tuple{i % 100, i / 100, 0xc000});
    }
    return tuples;
}

} // namespace

class Ecmp : public ::testing::TestWithParam<unsigned>
{
};

// Three tiers with the salts that Network uses (seed * 1000003 + switch number): at the second and
// third tier only the flows that made one given choice before are counted (no polarisation).
TEST_P(Ecmp, UniformAtEveryTierGivenTheChoiceBefore)
{
    const unsigned n = GetParam();
    for (const auto& tuples : {RandomTuples(10000, 1), RegularTuples(true), RegularTuples(false)})
    {
        const Routing first = Fan(n, 1000003);
        const Routing second = Fan(n, 1000004);
        const Routing third = Fan(n, 1000005);
        std::vector<unsigned> one(n);
        std::vector<std::vector<unsigned>> two(n, one);
        std::vector<std::vector<unsigned>> three(n, one);
        for (const Tuple& t : tuples)
        {
            const unsigned a = Choose(first, t);
            const unsigned b = Choose(second, t);
            ASSERT_LT(a, n);
            ++one[a];
            ++two[a][b];
            ++three[b][Choose(third, t)];
        }
        EXPECT_LT(ChiSquare(one), Quantile999(n));
        for (unsigned c = 0; c < n; ++c)
        {
            EXPECT_LT(ChiSquare(two[c]), Quantile999(n)) << c;
            EXPECT_LT(ChiSquare(three[c]), Quantile999(n)) << c;
        }
    }
}

TEST_P(Ecmp, DifferentSeedsChooseIndependently)
{
    const unsigned n = GetParam();
    for (uint64_t seed : {2u, 3u, 100u})
    {
        const Routing a = Fan(n, 1000003);
        const Routing b = Fan(n, seed * 1000003);
        std::vector<std::vector<unsigned>> joint(n, std::vector<unsigned>(n));
        for (const Tuple& t : RandomTuples(10000, 2))
        {
            ++joint[Choose(a, t)][Choose(b, t)];
        }
        for (const auto& row : joint)
        {
            EXPECT_LT(ChiSquare(row), Quantile999(n)) << seed;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(GroupSizes, Ecmp, ::testing::Values(2u, 4u, 8u));

TEST(Routing, IsAPureFunction)
{
    const Routing a = Fan(8, 5);
    const Routing b = Fan(8, 5);
    for (const Tuple& t : RandomTuples(1000, 3))
    {
        EXPECT_EQ(Choose(a, t), Choose(b, t));
        EXPECT_EQ(Choose(a, t), Choose(a, t));
    }
}

TEST(Routing, EveryFieldMatters)
{
    const Routing r = Fan(8, 5);
    int src = 0;
    int dst = 0;
    int port = 0;
    for (const Tuple& t : RandomTuples(1000, 4))
    {
        src += Choose(r, t) != Choose(r, {(t.src + 1) % 1024, t.dst, t.port});
        dst += Choose(r, t) != Choose(r, {t.src, (t.dst + 1) % 1024, t.port});
        port += Choose(r, t) != Choose(r, {t.src, t.dst, static_cast<uint16_t>(t.port + 1)});
    }
    for (int n : {src, dst, port})
    {
        EXPECT_NEAR(n, 875, 60); // 7 of 8 change
    }
}

TEST(Routing, OwnRackGoesToThePortOfTheNic)
{
    auto attachments = std::make_shared<Attachments>();
    attachments->rackOfNic = {0, 0, 1, 1};
    attachments->portOfNic = {0, 1, 0, 1};
    Routing routing;
    routing.Configure(attachments, 0, 1);
    TellAllApart(routing, 2);
    routing.SetGroup(1, {2, 3});
    EXPECT_EQ(routing.Route(2, 0, 1), 0);
    EXPECT_EQ(routing.Route(2, 1, 9), 1);
    for (uint16_t e = 0; e < 100; ++e)
    {
        const uint16_t port = routing.Route(0, 3, e);
        EXPECT_TRUE(port == 2 || port == 3);
    }
    EXPECT_EQ(routing.GetGroup(1), std::vector<uint16_t>({2, 3}));
}

TEST(Routing, EmptyGroupHasNoPortAndSingleGroupsAreExact)
{
    auto attachments = std::make_shared<Attachments>();
    attachments->rackOfNic = {0, 1, 2, 3};
    attachments->portOfNic = {0, 0, 0, 0};
    Routing routing;
    routing.Configure(attachments, -1, 1);
    TellAllApart(routing, 4);
    routing.SetGroup(0, {});
    routing.SetGroup(1, {4});
    routing.SetGroup(3, {4, 5});
    routing.SetGroup(2, {5}); // inside the run of rack 3
    EXPECT_EQ(routing.Route(9, 0, 1), Routing::NO_PORT);
    EXPECT_EQ(routing.Route(9, 1, 1), 4);
    EXPECT_EQ(routing.Route(9, 2, 1), 5);
    EXPECT_EQ(routing.GetGroup(3), std::vector<uint16_t>({4, 5}));
}

TEST(Routing, RacksOfAClassShareAGroup)
{
    auto attachments = std::make_shared<Attachments>();
    attachments->rackOfNic = {0, 1, 2};
    attachments->portOfNic = {0, 0, 0};
    Routing routing;
    routing.Configure(attachments, -1, 1);
    routing.SetClasses(std::make_shared<std::vector<uint32_t>>(std::vector<uint32_t>{1, 0, 1}));
    routing.SetGroup(0, {7});
    routing.SetGroup(1, {3});
    EXPECT_EQ(routing.Route(9, 0, 1), 3);
    EXPECT_EQ(routing.Route(9, 1, 1), 7);
    EXPECT_EQ(routing.Route(9, 2, 1), 3);
    EXPECT_EQ(routing.GetGroup(2), std::vector<uint16_t>({3}));
}
