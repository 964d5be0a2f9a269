// SPDX-License-Identifier: GPL-2.0-only
#include "roce-error-of.h"
#include "roce-test-time.h"
#include "roce-two-datacenters.h"

#include "ns3/roce-workload.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr uint64_t GBPS = 1000000000;

/// Hosts 0..7 in datacenter 0, 8..15 in datacenter 1.
HostPlacement
WithoutRacks()
{
    HostPlacement hosts = TwoDatacenters();
    hosts.rackOf.clear();
    return hosts;
}

IncastWorkload
Incast(uint32_t nSenders)
{
    IncastWorkload w;
    w.hosts = WithoutRacks();
    w.nSenders = nSenders;
    w.sizeBytes = 10000;
    w.startPs = 5 * US;
    w.stream = 900;
    return w;
}

/// The flows by incast: start to (receiver, senders).
std::map<int64_t, std::pair<uint32_t, std::set<uint32_t>>>
ByIncast(const std::vector<FlowSpec>& flows)
{
    std::map<int64_t, std::pair<uint32_t, std::set<uint32_t>>> incasts;
    for (const auto& f : flows)
    {
        auto& incast = incasts[f.startPs];
        EXPECT_TRUE(incast.second.empty() || incast.first == f.dst) << "two receivers at once";
        incast.first = f.dst;
        EXPECT_TRUE(incast.second.insert(f.src).second) << "the same sender twice";
    }
    return incasts;
}

void
ExpectSameFlows(const std::vector<FlowSpec>& a, const std::vector<FlowSpec>& b)
{
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
    {
        ASSERT_EQ(a[i].id, i);
        ASSERT_EQ(b[i].id, i);
        ASSERT_EQ(std::tie(a[i].startPs, a[i].src, a[i].dst, a[i].sizeBytes),
                  std::tie(b[i].startPs, b[i].src, b[i].dst, b[i].sizeBytes));
    }
}

TEST(IncastWorkloadTest, OnceFromAllToAFixedReceiver)
{
    auto w = Incast(15);
    w.receiver = 3;
    const auto flows = w.Generate();
    ASSERT_EQ(flows.size(), 15U);
    for (const auto& f : flows)
    {
        EXPECT_EQ(f.startPs, 5 * US);
        EXPECT_EQ(f.sizeBytes, 10000U);
        EXPECT_EQ(f.tag, 1);
        EXPECT_EQ(f.trafficClass, 3);
    }
    const auto incasts = ByIncast(flows);
    ASSERT_EQ(incasts.size(), 1U);
    EXPECT_EQ(incasts.begin()->second.first, 3U);
    EXPECT_EQ(incasts.begin()->second.second.count(3), 0U);
}

TEST(IncastWorkloadTest, SendersComeFromTheSideAskedFor)
{
    for (const auto side : {IncastSenders::RemoteDatacenter, IncastSenders::LocalDatacenter})
    {
        auto w = Incast(5);
        w.senders = side;
        w.arrivals = IncastArrivals::Periodic;
        w.periodPs = US;
        w.durationPs = 400 * US;
        const auto incasts = ByIncast(w.Generate());
        ASSERT_EQ(incasts.size(), 400U);
        std::set<uint32_t> receivers;
        std::set<uint32_t> senders;
        for (const auto& [start, incast] : incasts)
        {
            ASSERT_EQ(incast.second.size(), 5U);
            receivers.insert(incast.first);
            for (const uint32_t src : incast.second)
            {
                senders.insert(src);
                ASSERT_NE(src, incast.first);
                ASSERT_EQ(src / 8 != incast.first / 8, side == IncastSenders::RemoteDatacenter);
            }
        }
        EXPECT_EQ(receivers.size(), 16U);
        EXPECT_EQ(senders.size(), 16U);
    }
}

TEST(IncastWorkloadTest, SomeSendersAreLocal)
{
    for (const uint32_t nLocal : {0U, 3U, 5U})
    {
        auto w = Incast(5);
        w.nLocalSenders = nLocal;
        w.arrivals = IncastArrivals::Periodic;
        w.periodPs = US;
        w.durationPs = 100 * US;
        for (const auto& [start, incast] : ByIncast(w.Generate()))
        {
            uint32_t local = 0;
            for (const uint32_t src : incast.second)
            {
                local += src / 8 == incast.first / 8;
                ASSERT_NE(src, incast.first);
            }
            ASSERT_EQ(local, nLocal);
            ASSERT_EQ(incast.second.size(), 5U);
        }
    }
}

// Four racks of two hosts in each datacenter; the receiver has a place of its own rack.
TEST(IncastWorkloadTest, SpreadSendersStandInDifferentRacks)
{
    auto w = Incast(1);
    for (uint32_t h = 0; h < 16; ++h)
    {
        w.hosts.rackOf.push_back(h / 2);
    }
    w.spread = true;
    w.arrivals = IncastArrivals::Periodic;
    w.periodPs = US;
    w.durationPs = 300 * US;
    std::set<uint32_t> seen;
    for (const auto& [nLocal, nRemote] : {std::pair(3U, 4U), std::pair(6U, 6U), std::pair(7U, 0U)})
    {
        w.nLocalSenders = nLocal;
        w.nSenders = nLocal + nRemote;
        for (const auto& [start, incast] : ByIncast(w.Generate()))
        {
            std::map<uint32_t, uint32_t> perRack;
            for (const uint32_t src : incast.second)
            {
                ++perRack[src / 2];
                seen.insert(src);
            }
            const uint32_t own = incast.first / 2;
            ++perRack[own];
            uint32_t remoteRacks = 0;
            for (const auto& [rack, n] : perRack)
            {
                remoteRacks += rack / 4 != own / 4;
                ASSERT_LE(n, nLocal == 3 ? 1U : 2U);
            }
            ASSERT_EQ(remoteRacks, nRemote ? 4U : 0U);
        }
    }
    EXPECT_EQ(seen.size(), 16U); // drawn, all the same
}

TEST(IncastWorkloadTest, JitterDelaysEachFlowAndShiftsNothingElse)
{
    auto w = Incast(15);
    w.receiver = 3;
    w.startPs = 5 * US;
    const auto exact = w.Generate();
    w.jitterPs = US;
    const auto late = w.Generate();
    ASSERT_EQ(late.size(), 15U);
    std::set<uint32_t> senders;
    std::set<int64_t> starts;
    for (const auto& f : late)
    {
        EXPECT_GE(f.startPs, 5 * US);
        EXPECT_LE(f.startPs, 6 * US);
        starts.insert(f.startPs);
        senders.insert(f.src);
    }
    EXPECT_EQ(starts.size(), 15U);
    EXPECT_GT(*starts.rbegin() - *starts.begin(), US / 2);
    w = Incast(4);
    w.arrivals = IncastArrivals::Periodic;
    w.periodPs = 10 * US;
    w.durationPs = 500 * US;
    const auto without = ByIncast(w.Generate());
    w.jitterPs = US;
    std::map<int64_t, std::pair<uint32_t, std::set<uint32_t>>> with;
    for (const auto& f : w.Generate())
    {
        auto& incast = with[5 * US + (f.startPs - 5 * US) / (10 * US) * (10 * US)];
        incast.first = f.dst;
        incast.second.insert(f.src);
    }
    EXPECT_EQ(with, without);
}

TEST(IncastWorkloadTest, SendersAreDrawnUniformly)
{
    auto w = Incast(4);
    w.receiver = 0;
    w.arrivals = IncastArrivals::Periodic;
    w.periodPs = US;
    w.durationPs = 30 * MS; // 30000 incasts: one standard error of a share is 0.0026
    std::map<uint32_t, double> share;
    for (const auto& f : w.Generate())
    {
        share[f.src] += 1.0 / 30000;
    }
    ASSERT_EQ(share.size(), 15U);
    for (const auto& [src, s] : share)
    {
        EXPECT_NEAR(s, 4.0 / 15, 0.012) << src;
    }
}

TEST(IncastWorkloadTest, PeriodicStartsAreExactMultiples)
{
    auto w = Incast(2);
    w.arrivals = IncastArrivals::Periodic;
    w.periodPs = 7 * US + 1;
    w.durationPs = 100 * w.periodPs; // the end is not part of it
    int64_t expected = w.startPs;
    const auto incasts = ByIncast(w.Generate());
    ASSERT_EQ(incasts.size(), 100U);
    for (const auto& [start, incast] : incasts)
    {
        EXPECT_EQ(start, expected);
        expected += w.periodPs;
    }
}

TEST(IncastWorkloadTest, RepetitionGivesTheLoad)
{
    LoadCapacity capacity;
    capacity.hostRateBps = 100 * GBPS;
    for (const auto arrivals : {IncastArrivals::Periodic, IncastArrivals::Poisson})
    {
        auto w = Incast(3);
        w.arrivals = arrivals;
        w.load = 0.02; // one incast of 30 kB per 7.5 us
        w.hostRateBps = capacity.hostRateBps;
        w.durationPs = 600 * MS; // 80000 incasts: one standard error is 0.35 %
        const auto flows = w.Generate();
        const auto offered = OfferedLoad::Measure(flows, w.hosts, capacity, w.durationPs);
        EXPECT_NEAR(offered.load / 0.02, 1, arrivals == IncastArrivals::Poisson ? 0.01 : 1e-4);
        EXPECT_GE(flows.front().startPs, w.startPs);
        EXPECT_LT(flows.back().startPs, w.startPs + w.durationPs);
        if (arrivals == IncastArrivals::Periodic)
        {
            EXPECT_EQ(flows[3].startPs - flows[0].startPs, 7500000);
        }
    }
}

TEST(IncastWorkloadTest, PoissonGapsAreExponential)
{
    auto w = Incast(1);
    w.arrivals = IncastArrivals::Poisson;
    w.periodPs = 10 * US;
    w.durationPs = 200 * MS;
    const auto flows = w.Generate();
    EXPECT_NEAR(double(flows.size()), 20000, 600);
    EXPECT_GT(flows.front().startPs, w.startPs); // no incast for certain at the start
    double beyondMean = 0;
    for (std::size_t i = 1; i < flows.size(); ++i)
    {
        beyondMean += flows[i].startPs - flows[i - 1].startPs > w.periodPs ? 1 : 0;
    }
    EXPECT_NEAR(beyondMean / double(flows.size() - 1), std::exp(-1), 0.015);
}

TEST(IncastWorkloadTest, DeterministicWithIndependentStreams)
{
    auto w = Incast(4);
    w.arrivals = IncastArrivals::Poisson;
    w.periodPs = 10 * US;
    w.durationPs = 5 * MS;
    const auto base = w.Generate();
    ASSERT_GT(base.size(), 1000U);
    ExpectSameFlows(w.Generate(), base);

    auto other = w;
    other.stream += 3;
    EXPECT_NE(ByIncast(other.Generate()), ByIncast(base));

    auto wider = w; // other senders, but the same receivers at the same times
    wider.nSenders = 6;
    const auto few = ByIncast(base);
    const auto many = ByIncast(wider.Generate());
    ASSERT_EQ(few.size(), many.size());
    for (auto a = few.begin(), b = many.begin(); a != few.end(); ++a, ++b)
    {
        ASSERT_EQ(a->first, b->first);
        ASSERT_EQ(a->second.first, b->second.first);
    }
}

template <typename Change>
std::string
IncastError(Change change)
{
    auto w = Incast(8);
    w.arrivals = IncastArrivals::Poisson;
    w.durationPs = MS;
    w.periodPs = 10 * US;
    change(w);
    return ErrorOf([&] { w.Generate(); });
}

TEST(IncastWorkloadTest, RefusesImpossibleConfigurations)
{
    const std::string who = "incast workload: ";
    using W = IncastWorkload;
    EXPECT_EQ(IncastError([](W&) {}), "no error");
    EXPECT_EQ(IncastError([](W& w) { w.nSenders = 0; }), who + "0 senders, expected at least 1");
    EXPECT_EQ(IncastError([](W& w) { w.nSenders = 16; }),
              who + "16 senders but only 15 hosts may send to receiver 0, expected at most that "
                    "many");
    EXPECT_EQ(IncastError([](W& w) {
                  w.receiver = 9;
                  w.senders = IncastSenders::LocalDatacenter;
              }),
              who + "8 senders but only 7 hosts may send to receiver 9, expected at most that "
                    "many");
    EXPECT_EQ(IncastError([](W& w) {
                  w.hosts.datacenterOf.clear();
                  w.senders = IncastSenders::RemoteDatacenter;
              }),
              who + "8 senders but only 0 hosts may send to receiver 0, expected at most that "
                    "many");
    // datacenters of 10 and 6: a random receiver in the larger one has too few remote senders
    EXPECT_EQ(IncastError([](W& w) {
                  w.hosts.datacenterOf[8] = w.hosts.datacenterOf[9] = 0;
                  w.senders = IncastSenders::RemoteDatacenter;
              }),
              who + "8 senders but only 6 hosts may send to receiver 0, expected at most that "
                    "many");
    EXPECT_EQ(IncastError([](W& w) { w.receiver = 16; }), who + "receiver 16, expected 0..15");
    EXPECT_EQ(IncastError([](W& w) { w.nLocalSenders = 9; }),
              who + "9 local senders, expected at most all 8 senders");
    EXPECT_EQ(IncastError([](W& w) { w.nLocalSenders = 8; }),
              who + "8 senders but only 7 hosts may send to receiver 0, expected at most that "
                    "many");
    EXPECT_EQ(IncastError([](W& w) {
                  w.nLocalSenders = 2;
                  w.senders = IncastSenders::LocalDatacenter;
              }),
              who + "a number of local senders and a side of all, expected one of them");
    EXPECT_EQ(IncastError([](W& w) { w.spread = true; }),
              who + "spread without racks, expected rackOf for each host");
    EXPECT_EQ(IncastError([](W& w) { w.jitterPs = -1; }),
              who + "jitter -1 ps, expected 0 or more and all starts below 2^63 ps");
    EXPECT_NE(IncastError([](W& w) { w.jitterPs = INT64_MAX; }), "no error");
    EXPECT_EQ(IncastError([](W& w) { w.durationPs = 0; }),
              who + "duration 0 ps, expected more than 0 and an end below 2^63 ps");
    EXPECT_EQ(IncastError([](W& w) { w.periodPs = -1; }), who + "period -1 ps, expected 0 or more");
    EXPECT_EQ(IncastError([](W& w) { w.periodPs = 0; }),
              who + "period 0 ps and load 0, expected exactly one of them to repeat the incast");
    EXPECT_EQ(IncastError([](W& w) { w.load = 0.1; }),
              who + "period 10000000 ps and load 0.1, expected exactly one of them to repeat the "
                    "incast");
    EXPECT_EQ(IncastError([](W& w) { w.arrivals = IncastArrivals::Once; }),
              who + "period 10000000 ps and load 0, expected neither for a single incast");
    EXPECT_EQ(IncastError([](W& w) {
                  w.periodPs = 0;
                  w.load = -0.1;
              }),
              who + "load -0.1, expected above 0 and at most 10");
    EXPECT_EQ(IncastError([](W& w) {
                  w.periodPs = 0;
                  w.load = 0.1;
              }),
              who + "load 0.1 with hostRateBps 0 and size 10000 bytes, expected both above 0");
    EXPECT_EQ(IncastError([](W& w) { w.sizeBytes = uint64_t{1} << 60; }),
              who + "size 1152921504606846976 bytes, expected at most 1000000000000000");
    EXPECT_EQ(IncastError([](W& w) { w.periodPs = 1; }),
              who + "about 8e+09 flows, expected at most 1e+09");
}

TEST(AllToAllWorkloadTest, EachPairOnceAndEachRoundAPermutation)
{
    AllToAllWorkload w;
    w.hosts = {7, 2, 9, 4, 11};
    w.sizeBytes = 4096;
    w.startPs = US;
    w.staggerPs = 250;
    w.tag = 4;
    const auto flows = w.Generate();
    ASSERT_EQ(flows.size(), 20U);
    std::set<std::pair<uint32_t, uint32_t>> pairs;
    std::map<int64_t, std::set<uint32_t>> senders;
    std::map<int64_t, std::set<uint32_t>> receivers;
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        const auto& f = flows[i];
        EXPECT_EQ(f.id, i);
        EXPECT_NE(f.src, f.dst);
        EXPECT_EQ(f.sizeBytes, 4096U);
        EXPECT_EQ(f.tag, 4);
        pairs.emplace(f.src, f.dst);
        senders[f.startPs].insert(f.src);
        receivers[f.startPs].insert(f.dst);
    }
    EXPECT_EQ(pairs.size(), 20U);
    ASSERT_EQ(senders.size(), 4U);
    for (int64_t r = 0; r < 4; ++r)
    {
        EXPECT_EQ(senders[US + 250 * r], (std::set<uint32_t>{2, 4, 7, 9, 11}));
        EXPECT_EQ(receivers[US + 250 * r], (std::set<uint32_t>{2, 4, 7, 9, 11}));
    }
    w.staggerPs = 0;
    EXPECT_EQ(w.Generate().back().startPs, US);
}

TEST(AllToAllWorkloadTest, RefusesImpossibleConfigurations)
{
    const std::string who = "all-to-all workload: ";
    AllToAllWorkload w;
    w.hosts = {3};
    EXPECT_EQ(ErrorOf([&] { w.Generate(); }), who + "1 hosts, expected at least 2");
    w.hosts = {3, 5, 3};
    EXPECT_EQ(ErrorOf([&] { w.Generate(); }),
              who + "host 3 is listed twice, expected different hosts");
    w.hosts = {3, 5};
    w.staggerPs = -1;
    EXPECT_EQ(ErrorOf([&] { w.Generate(); }),
              who + "stagger -1 ps over 1 rounds, expected 0 or more and all starts below 2^63 "
                    "ps");
    w.staggerPs = 0;
    w.trafficClass = 9;
    EXPECT_EQ(ErrorOf([&] { w.Generate(); }), who + "traffic class 9, expected 0..7");
}

TEST(PermutationWorkloadTest, UniformOverDerangements)
{
    PermutationWorkload w;
    w.nHosts = 4;
    w.sizeBytes = 1000000;
    w.startPs = 3;
    std::map<std::vector<uint32_t>, int> seen;
    const int n = 9000;
    for (int stream = 0; stream < n; ++stream)
    {
        w.stream = stream;
        std::vector<uint32_t> to;
        std::set<uint32_t> receivers;
        for (const auto& f : w.Generate())
        {
            EXPECT_EQ(f.src, to.size());
            EXPECT_NE(f.src, f.dst);
            EXPECT_EQ(f.startPs, 3);
            to.push_back(f.dst);
            receivers.insert(f.dst);
        }
        ASSERT_EQ(receivers.size(), 4U);
        ++seen[to];
    }
    ASSERT_EQ(seen.size(), 9U); // the nine derangements of four, a third of them not cyclic
    for (const auto& [to, times] : seen)
    {
        EXPECT_NEAR(times, n / 9, 5 * 30); // 5 standard errors
    }
}

TEST(PermutationWorkloadTest, DeterministicAndRefusesOneHost)
{
    PermutationWorkload w;
    w.nHosts = 128;
    ExpectSameFlows(w.Generate(), w.Generate());
    w.nHosts = 1;
    EXPECT_EQ(ErrorOf([&] { w.Generate(); }), "permutation workload: 1 hosts, expected at least 2");
}

TEST(MergeTest, SortsAndRenumbersKeepingTags)
{
    auto incast = Incast(3);
    incast.startPs = 50;
    AllToAllWorkload background;
    background.hosts = {0, 1, 2};
    background.staggerPs = 100;
    const auto flows = Merge({incast.Generate(), background.Generate(), {}});
    ASSERT_EQ(flows.size(), 9U);
    for (std::size_t i = 0; i < 9; ++i)
    {
        EXPECT_EQ(flows[i].id, i);
        EXPECT_EQ(flows[i].tag, i / 3 == 1 ? 1 : 0);
        EXPECT_EQ(flows[i].startPs, i < 3 ? 0 : i < 6 ? 50 : 100);
    }
    EXPECT_TRUE(Merge({}).empty());
}

TEST(OfferedLoadTest, CountsByHand)
{
    HostPlacement hosts{4, {0, 0, 1, 1}, {0, 1, 0, 0}};
    std::vector<FlowSpec> flows(4);
    const uint64_t sizes[] = {1000, 200, 30, 4};
    const uint32_t ends[][2] = {{0, 1}, {0, 2}, {2, 3}, {3, 1}};
    for (std::size_t i = 0; i < 4; ++i)
    {
        flows[i].src = ends[i][0];
        flows[i].dst = ends[i][1];
        flows[i].sizeBytes = sizes[i];
    }
    LoadCapacity capacity{LoadReference::Host, 1000000, 2000000, 500000};
    const int64_t second = 1000 * MS;
    auto offered = OfferedLoad::Measure(flows, hosts, capacity, second);
    EXPECT_EQ(offered.flows, 4U);
    EXPECT_EQ(offered.bytes, 1234U);
    EXPECT_EQ(offered.flowsInterDc, 2U);
    EXPECT_EQ(offered.bytesInterDc, 204U);
    EXPECT_EQ(offered.bytesInterRack, 1204U);
    EXPECT_EQ(offered.bytesOutOfDc, (std::vector<uint64_t>{200, 4}));
    EXPECT_DOUBLE_EQ(offered.load, 1234 * 8 / 4e6);
    capacity.reference = LoadReference::Uplink;
    EXPECT_DOUBLE_EQ(OfferedLoad::Measure(flows, hosts, capacity, second).load, 1204 * 8 / 2e6);
    capacity.reference = LoadReference::Wan;
    EXPECT_DOUBLE_EQ(OfferedLoad::Measure(flows, hosts, capacity, second / 2).load,
                     200 * 8 / (0.5 * 5e5));

    flows[2].dst = 4;
    EXPECT_EQ(ErrorOf([&] { OfferedLoad::Measure(flows, hosts, capacity, second); }),
              "offered load: flow 0 goes from host 2 to host 4, expected 0..3");
    EXPECT_EQ(ErrorOf([&] { OfferedLoad::Measure({}, hosts, capacity, 0); }),
              "offered load: duration 0 ps, expected more than 0 and an end below 2^63 ps");
    capacity.wanBps = 0;
    EXPECT_EQ(ErrorOf([&] { OfferedLoad::Measure({}, hosts, capacity, 1); }),
              "offered load: wanBps is 0, expected the capacity that LoadReference::Wan refers "
              "to");
}

} // namespace
