// SPDX-License-Identifier: GPL-2.0-only
#include "roce-error-of.h"
#include "roce-test-time.h"
#include "roce-two-datacenters.h"

#include "ns3/rng-seed-manager.h"
#include "ns3/roce-workload.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr uint64_t GBPS = 1000000000;

/// About 200000 flows of 1000 bytes: load within 0.25 % (one standard error).
PoissonWorkload
LongPoisson()
{
    PoissonWorkload w;
    w.sizes = FlowSizeDistribution::Constant(1000);
    w.hosts = TwoDatacenters();
    w.capacity.hostRateBps = 10 * GBPS;
    w.load = 0.5;
    w.startPs = 2 * MS;
    w.durationPs = 20 * MS;
    w.stream = 100;
    return w;
}

OfferedLoad
Measure(const PoissonWorkload& w)
{
    return OfferedLoad::Measure(w.Generate(), w.hosts, w.capacity, w.durationPs);
}

/// All fields but the id, to compare.
std::tuple<int64_t, uint32_t, uint32_t, uint64_t, int, int>
Key(const FlowSpec& f)
{
    return {f.startPs, f.src, f.dst, f.sizeBytes, f.trafficClass, f.tag};
}

std::vector<std::tuple<int64_t, uint32_t, uint32_t, uint64_t, int, int>>
Keys(const std::vector<FlowSpec>& flows)
{
    std::vector<std::tuple<int64_t, uint32_t, uint32_t, uint64_t, int, int>> keys;
    for (const auto& f : flows)
    {
        keys.push_back(Key(f));
    }
    return keys;
}

void
ExpectSortedAndNumbered(const std::vector<FlowSpec>& flows)
{
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        ASSERT_EQ(flows[i].id, i);
        ASSERT_NE(flows[i].src, flows[i].dst);
        if (i > 0)
        {
            ASSERT_LE(std::tie(flows[i - 1].startPs, flows[i - 1].src, flows[i - 1].dst),
                      std::tie(flows[i].startPs, flows[i].src, flows[i].dst));
        }
    }
}

TEST(PoissonWorkloadTest, OffersItsLoadOfTheHostLinks)
{
    for (double load : {0.2, 0.5, 1.0})
    {
        auto w = LongPoisson();
        w.load = load;
        w.durationPs = static_cast<int64_t>(10 * MS / load);
        const auto flows = w.Generate();
        ExpectSortedAndNumbered(flows);
        EXPECT_GE(flows.front().startPs, w.startPs);
        EXPECT_LT(flows.back().startPs, w.startPs + w.durationPs);
        const auto offered = OfferedLoad::Measure(flows, w.hosts, w.capacity, w.durationPs);
        EXPECT_NEAR(offered.load / load, 1, 0.01);
        EXPECT_EQ(offered.flows, flows.size());
        EXPECT_EQ(offered.bytes, 1000 * flows.size());
    }
}

TEST(PoissonWorkloadTest, OffersItsLoadWithDrawnSizes)
{
    auto w = LongPoisson();
    w.sizes = FlowSizeDistribution::Named("solar"); // light tail: 1e5 flows are within 0.5 %
    w.durationPs = 400 * MS;
    EXPECT_NEAR(Measure(w).load, 0.5, 0.005);
}

TEST(PoissonWorkloadTest, OffersItsLoadOfTheUplinks)
{
    auto w = LongPoisson();
    w.capacity.reference = LoadReference::Uplink;
    w.capacity.uplinkBps = 80 * GBPS;
    for (bool interRackOnly : {false, true})
    {
        w.interRackOnly = interRackOnly;
        for (double interFraction : {-1.0, 0.0, 0.2})
        {
            w.interFraction = interFraction;
            const auto flows = w.Generate();
            EXPECT_NEAR(OfferedLoad::Measure(flows, w.hosts, w.capacity, w.durationPs).load,
                        0.5,
                        0.005);
            uint64_t bytes = 0; // counted here a second time
            for (const auto& f : flows)
            {
                bytes += f.src / 4 != f.dst / 4 ? f.sizeBytes : 0;
            }
            EXPECT_NEAR(double(bytes) * 8 / 0.020, 40e9, 0.4e9);
        }
    }
}

TEST(PoissonWorkloadTest, OffersItsLoadOfTheBusierWanDirection)
{
    auto w = LongPoisson();
    w.capacity.reference = LoadReference::Wan;
    w.capacity.wanBps = 40 * GBPS;
    w.interFraction = 0.2;
    auto offered = Measure(w);
    EXPECT_NEAR(offered.load, 0.5, 0.005);
    EXPECT_NEAR(double(offered.bytesOutOfDc[0]) * 8 / 0.020, 20e9, 0.3e9);
    EXPECT_NEAR(double(offered.bytesOutOfDc[1]) * 8 / 0.020, 20e9, 0.3e9);
    EXPECT_EQ(offered.bytesOutOfDc[0] + offered.bytesOutOfDc[1], offered.bytesInterDc);

    // 12 hosts against 4: the WAN is loaded out of the larger one, a third of it the other way
    for (uint32_t h = 8; h < 12; ++h)
    {
        w.hosts.datacenterOf[h] = 0;
        w.hosts.rackOf[h] = 2;
    }
    w.durationPs = 40 * MS;
    offered = Measure(w);
    EXPECT_NEAR(offered.load, 0.5, 0.005);
    EXPECT_NEAR(double(offered.bytesOutOfDc[0]) * 8 / 0.040, 20e9, 0.2e9);
    EXPECT_NEAR(double(offered.bytesOutOfDc[1]) * 8 / 0.040, 20e9 / 3, 0.15e9);
}

TEST(PoissonWorkloadTest, InterFractionIsTheShareOfFlowsBetweenDatacenters)
{
    auto w = LongPoisson();
    for (double fraction : {0.0, 0.2, 1.0})
    {
        w.interFraction = fraction;
        const auto offered = Measure(w);
        EXPECT_NEAR(double(offered.flowsInterDc) / double(offered.flows), fraction, 0.005);
        EXPECT_EQ(offered.bytesInterDc, 1000 * offered.flowsInterDc);
    }
    w.interFraction = -1; // 8 of the 15 others
    const auto offered = Measure(w);
    EXPECT_NEAR(double(offered.flowsInterDc) / double(offered.flows), 8.0 / 15, 0.005);
}

TEST(PoissonWorkloadTest, DestinationsAreUniformOverThoseAllowed)
{
    auto w = LongPoisson();
    for (bool interRackOnly : {false, true})
    {
        for (double fraction : {-1.0, 0.5})
        {
            w.interRackOnly = interRackOnly;
            w.interFraction = fraction;
            const auto flows = w.Generate();
            std::map<uint32_t, double> share; // of the flows of host 5: rack 4..7, datacenter 0..7
            double n = 0;
            for (const auto& f : flows)
            {
                if (f.src == 5)
                {
                    ++share[f.dst];
                    ++n;
                }
            }
            ASSERT_GT(n, 10000);
            const double nearHosts = interRackOnly ? 4 : 7;
            for (uint32_t h = 0; h < 16; ++h)
            {
                const bool allowed = h != 5 && !(interRackOnly && h / 4 == 1);
                const double each =
                    fraction < 0 ? 1 / (nearHosts + 8) : (h < 8 ? 0.5 / nearHosts : 0.5 / 8);
                EXPECT_NEAR(share[h] / n, allowed ? each : 0, allowed ? 0.015 : 0) << h;
            }
        }
    }
}

TEST(PoissonWorkloadTest, GapsAreExponentialAndHostsIndependent)
{
    const auto w = LongPoisson();
    std::map<uint32_t, std::vector<int64_t>> starts;
    for (const auto& f : w.Generate())
    {
        starts[f.src].push_back(f.startPs);
    }
    ASSERT_EQ(starts.size(), 16U);
    for (const auto& [src, times] : starts)
    {
        double sum = 0;
        double square = 0;
        int beyondMean = 0;
        const auto n = static_cast<double>(times.size() - 1);
        for (std::size_t i = 1; i < times.size(); ++i)
        {
            const auto gap = static_cast<double>(times[i] - times[i - 1]);
            sum += gap;
            square += gap * gap;
            beyondMean += gap > 1.6e6 ? 1 : 0; // 1000 B * 8 / (0.5 * 10 Gb/s)
        }
        EXPECT_NEAR(sum / n, 1.6e6, 0.05e6) << src;
        EXPECT_NEAR(std::sqrt(square / n - sum / n * sum / n) / (sum / n), 1, 0.05) << src;
        EXPECT_NEAR(beyondMean / n, std::exp(-1), 0.02) << src;
    }
    EXPECT_NE(starts[0], starts[1]);
}

TEST(PoissonWorkloadTest, SameSeedSameFlowsOtherSeedOtherFlows)
{
    auto w = LongPoisson();
    w.sizes = FlowSizeDistribution::Named("websearch");
    w.durationPs = 100 * MS;
    const auto first = Keys(w.Generate());
    ASSERT_GT(first.size(), 100U);
    EXPECT_EQ(Keys(w.Generate()), first);
    EXPECT_EQ(w.GetStreams(), 48);
    auto other = w;
    other.stream += w.GetStreams();
    EXPECT_NE(Keys(other.Generate()), first);
    RngSeedManager::SetRun(2);
    EXPECT_NE(Keys(w.Generate()), first);
    RngSeedManager::SetRun(1);
    EXPECT_EQ(Keys(w.Generate()), first);
}

TEST(PoissonWorkloadTest, StreamsDoNotShiftEachOther)
{
    const auto w = LongPoisson();
    const auto base = w.Generate();

    auto sizes = w; // half the size at half the load: the same arrival rate
    sizes.sizes = FlowSizeDistribution::Constant(500);
    sizes.load = w.load / 2;
    const auto otherSizes = sizes.Generate();
    ASSERT_EQ(otherSizes.size(), base.size());

    auto places = w;
    places.interFraction = 0.9;
    const auto otherPlaces = places.Generate();
    ASSERT_EQ(otherPlaces.size(), base.size());

    auto tail = w; // drawn sizes, again at the same rate as constant ones
    tail.sizes = FlowSizeDistribution::Named("datamining");
    tail.load = w.load * tail.sizes.MeanBytes() / 1000 / 1e4;
    auto longer = w;
    longer.load /= 1e4;
    const auto heavy = tail.Generate();
    const auto light = longer.Generate();
    ASSERT_EQ(heavy.size(), light.size());
    ASSERT_GT(heavy.size(), 5U);

    bool differ = false;
    for (std::size_t i = 0; i < base.size(); ++i)
    {
        ASSERT_EQ(otherSizes[i].startPs, base[i].startPs);
        ASSERT_EQ(otherSizes[i].src, base[i].src);
        ASSERT_EQ(otherSizes[i].dst, base[i].dst);
        ASSERT_EQ(otherPlaces[i].startPs, base[i].startPs);
        ASSERT_EQ(otherPlaces[i].src, base[i].src);
        differ = differ || otherPlaces[i].dst != base[i].dst;
    }
    EXPECT_TRUE(differ);
    for (std::size_t i = 0; i < heavy.size(); ++i)
    {
        EXPECT_NEAR(double(heavy[i].startPs), double(light[i].startPs), 1);
        EXPECT_EQ(heavy[i].dst, light[i].dst);
    }
}

TEST(PoissonWorkloadTest, EachPurposeHasTheStreamDocumented)
{
    auto w = LongPoisson();
    w.sizes = FlowSizeDistribution::Named("fbhadoop");
    const double meanGapPs = 8e12 * w.sizes.MeanBytes() / (0.5 * 10e9);
    const uint32_t host = 5;
    auto gaps = CreateObject<ExponentialRandomVariable>();
    gaps->SetStream(100 + 3 * host);
    auto sizes = CreateObject<UniformRandomVariable>();
    sizes->SetStream(100 + 3 * host + 1);
    auto places = CreateObject<UniformRandomVariable>();
    places->SetStream(100 + 3 * host + 2);
    double afterPs = 0;
    int n = 0;
    for (const auto& f : w.Generate())
    {
        if (f.src == host)
        {
            afterPs += gaps->GetValue(meanGapPs, 0);
            EXPECT_NEAR(double(f.startPs - w.startPs), afterPs, 1.01);
            EXPECT_EQ(f.sizeBytes, w.sizes.Sample(sizes));
            places->GetValue(); // near or far: not needed here
            const auto place = static_cast<uint32_t>(places->GetValue() * 15);
            EXPECT_EQ(f.dst, place < host ? place : place + 1);
            ++n;
        }
    }
    EXPECT_GT(n, 50);
}

TEST(PoissonWorkloadTest, MoreHostsDoNotShiftThePresentOnes)
{
    auto w = LongPoisson();
    w.interFraction = 0;
    const auto base = w.Generate();
    w.hosts.nHosts = 18; // a third datacenter
    w.hosts.datacenterOf.insert(w.hosts.datacenterOf.end(), {2, 2});
    w.hosts.rackOf.insert(w.hosts.rackOf.end(), {0, 0});
    auto more = w.Generate();
    EXPECT_GT(more.size(), base.size());
    more.erase(std::remove_if(more.begin(), more.end(), [](auto& f) { return f.src > 15; }),
               more.end());
    EXPECT_EQ(Keys(more), Keys(base));
}

TEST(PoissonWorkloadTest, PlacementNeedNotBeContiguous)
{
    auto w = LongPoisson();
    for (uint32_t h = 0; h < 16; ++h)
    {
        w.hosts.datacenterOf[h] = h % 2;
        w.hosts.rackOf[h] = h % 4;
    }
    w.interFraction = 0.3;
    w.interRackOnly = true;
    const auto flows = w.Generate();
    double inter = 0;
    for (const auto& f : flows)
    {
        inter += f.src % 2 != f.dst % 2 ? 1 : 0;
        ASSERT_NE(f.src % 4, f.dst % 4);
    }
    EXPECT_NEAR(inter / double(flows.size()), 0.3, 0.005);
}

TEST(PoissonWorkloadTest, FieldsAreCopied)
{
    auto w = LongPoisson();
    w.hosts = HostPlacement{2, {}, {}};
    w.durationPs = MS;
    w.trafficClass = 5;
    w.tag = 9;
    for (const auto& f : w.Generate())
    {
        ASSERT_EQ(f.trafficClass, 5);
        ASSERT_EQ(f.tag, 9);
        ASSERT_EQ(f.srcPort, 0);
        ASSERT_EQ(f.dst, 1 - f.src);
    }
}

/// Message for LongPoisson() after a change.
/// A mix as Uno's: a fifth of the flows between datacenters, those are twenty times as large.
PoissonWorkload
MixedPoisson()
{
    auto w = LongPoisson();
    w.sizes = FlowSizeDistribution::Constant(1000);
    w.interSizes = FlowSizeDistribution::Constant(20000);
    w.interFraction = 0.2;
    return w;
}

TEST(PoissonWorkloadTest, FlowsBetweenDatacentersHaveSizesOfTheirOwn)
{
    for (const double interFraction : {0.2, -1.0})
    {
        auto w = MixedPoisson();
        w.interFraction = interFraction;
        w.durationPs = 100 * MS;
        for (const auto& f : w.Generate())
        {
            ASSERT_EQ(f.sizeBytes, f.src / 8 == f.dst / 8 ? 1000U : 20000U);
        }
        EXPECT_NEAR(Measure(w).load, 0.5, 0.01); // of the host links
        for (const auto reference : {LoadReference::Uplink, LoadReference::Wan})
        {
            w.capacity = {reference, 10 * GBPS, 80 * GBPS, 60 * GBPS};
            EXPECT_NEAR(Measure(w).load, 0.5, 0.01) << static_cast<int>(reference);
        }
    }
}

TEST(PoissonWorkloadTest, TheSameSizesTwiceChangeNothing)
{
    for (const auto reference : {LoadReference::Host, LoadReference::Uplink, LoadReference::Wan})
    {
        auto w = LongPoisson();
        w.sizes = FlowSizeDistribution::Named("websearch");
        w.interFraction = 0.3;
        w.capacity = {reference, 10 * GBPS, 80 * GBPS, 7 * GBPS};
        w.durationPs = 2000 * MS;
        const auto once = Keys(w.Generate());
        EXPECT_GT(once.size(), 500U);
        w.interSizes = w.sizes;
        EXPECT_EQ(once, Keys(w.Generate()));
    }
}

// One flow of each host: 0.8 * 1000 + 0.2 * 20000 = 4800 B of its link; 8 hosts of a datacenter:
// 8 * 4000 = 32000 B of the WAN, so that both are equally loaded with 66.7 Gbit/s there.
TEST(PoissonWorkloadTest, TheBottleneckIsTheMostLoadedLink)
{
    for (const uint64_t wan : {20 * GBPS, 66 * GBPS, 67 * GBPS, 500 * GBPS})
    {
        auto w = MixedPoisson();
        w.durationPs = 200 * MS;
        w.capacity = {LoadReference::Bottleneck, 10 * GBPS, 0, wan};
        const auto flows = w.Generate();
        const double host = OfferedLoad::Measure(flows,
                                                 w.hosts,
                                                 {LoadReference::Host, 10 * GBPS, 0, wan},
                                                 w.durationPs)
                                .load;
        const double inter = OfferedLoad::Measure(flows,
                                                  w.hosts,
                                                  {LoadReference::Wan, 10 * GBPS, 0, wan},
                                                  w.durationPs)
                                 .load;
        EXPECT_NEAR(std::max(host, inter), 0.5, 0.015) << wan;
        EXPECT_NEAR(inter / host, 200.0 / 3 * GBPS / static_cast<double>(wan), 0.04) << wan;
        EXPECT_EQ(Measure(w).load, std::max(host, inter));
        // the mean rate exactly
        const double perHost = std::min(0.5 * 1e10 / (8 * 4800), 0.5 * wan / (8 * 32000.0));
        EXPECT_NEAR(w.GetExpectedFlows() / (16 * perHost * 0.2), 1, 1e-12);
        EXPECT_NEAR(static_cast<double>(flows.size()),
                    w.GetExpectedFlows(),
                    5 * std::sqrt(w.GetExpectedFlows()));
    }
    auto w = MixedPoisson();
    w.capacity = {LoadReference::Bottleneck, 10 * GBPS, 0, 0};
    EXPECT_EQ(ErrorOf([&] { w.Generate(); }),
              "Poisson workload: wanBps is 0, expected the capacity that LoadReference::Wan refers "
              "to");
    w.interFraction = 0; // nothing crosses the WAN
    EXPECT_NEAR(Measure(w).load, 0.5, 0.01);
}

TEST(PoissonWorkloadTest, AllFlowsGoToTheReceiver)
{
    for (const double interFraction : {0.0, 0.25, -1.0})
    {
        auto w = MixedPoisson();
        w.interSizes.reset();
        w.interFraction = interFraction;
        w.receiver = 9;
        w.durationPs = 100 * MS;
        const auto flows = w.Generate();
        std::map<uint32_t, double> from;
        double inter = 0;
        const auto n = static_cast<double>(flows.size());
        for (const auto& f : flows)
        {
            ASSERT_EQ(f.dst, 9U);
            ASSERT_GE(f.startPs, w.startPs);
            from[f.src] += 1 / n;
            inter += f.src / 8 == 0 ? 1 / n : 0;
        }
        EXPECT_EQ(from.count(9), 0U);
        EXPECT_EQ(from.size(), interFraction == 0 ? 7U : 15U);
        EXPECT_NEAR(inter, interFraction < 0 ? 8.0 / 15 : interFraction, 0.02);
        for (const auto& [src, share] : from)
        {
            const double expected = interFraction < 0 ? 1.0 / 15
                                    : src / 8 == 0    ? interFraction / 8
                                                      : (1 - interFraction) / 7;
            EXPECT_NEAR(share, expected, 0.007) << src;
        }
        // half of one link of 10 Gbit/s for 100 ms
        EXPECT_NEAR(n * 1000, 0.5 * 1e10 / 8 * 0.1, 0.02 * 62.5e6);
    }
}

TEST(PoissonWorkloadTest, FlowsOfOneDatacenterToAnother)
{
    auto w = LongPoisson();
    w.fromDatacenter = 0;
    w.toDatacenter = 1;
    std::map<uint32_t, double> to;
    double n = 0;
    for (const auto& f : w.Generate())
    {
        ASSERT_EQ(f.src / 8, 0U);
        ASSERT_EQ(f.dst / 8, 1U);
        to[f.dst] += 1;
        ++n;
    }
    EXPECT_EQ(to.size(), 8U);
    EXPECT_NEAR(to[8], n / 8, 0.05 * n / 8);
    // half of eight links of 10 Gbit/s for 20 ms
    EXPECT_NEAR(n * 1000, 0.5 * 8e10 / 8 * 0.02, 0.02 * 1e8);
    w.toDatacenter = 0; // to others of their own
    for (const auto& f : w.Generate())
    {
        ASSERT_EQ(f.dst / 8, 0U);
        ASSERT_NE(f.src, f.dst);
    }
    w.fromDatacenter = 2;
    EXPECT_EQ(ErrorOf([&] { w.Generate(); }), "Poisson workload: no host in datacenter 2");
}

template <typename Change>
std::string
PoissonError(Change change)
{
    auto w = LongPoisson();
    change(w);
    return ErrorOf([&] { w.Generate(); });
}

TEST(PoissonWorkloadTest, RefusesImpossibleConfigurations)
{
    const std::string who = "Poisson workload: ";
    using W = PoissonWorkload;
    EXPECT_EQ(PoissonError([](W&) {}), "no error");
    EXPECT_EQ(PoissonError([](W& w) { w.load = 0; }),
              who + "load 0, expected above 0 and at most 10");
    EXPECT_EQ(PoissonError([](W& w) { w.load = 10.5; }),
              who + "load 10.5, expected above 0 and at most 10");
    EXPECT_EQ(PoissonError([](W& w) { w.load = std::nan(""); }),
              who + "load nan, expected above 0 and at most 10");
    EXPECT_EQ(PoissonError([](W& w) { w.hosts.nHosts = 1; }), who + "1 hosts, expected at least 2");
    EXPECT_EQ(PoissonError([](W& w) { w.hosts.rackOf.pop_back(); }),
              who + "rackOf has 15 entries, expected 16");
    EXPECT_EQ(PoissonError([](W& w) { w.hosts.datacenterOf.push_back(0); }),
              who + "datacenterOf has 17 entries, expected 16");
    EXPECT_EQ(PoissonError([](W& w) { w.hosts.datacenterOf[3] = 16; }),
              who + "host 3 is in datacenter 16, expected datacenters numbered from 0 and fewer "
                    "than hosts");
    EXPECT_EQ(PoissonError([](W& w) { w.durationPs = 0; }),
              who + "duration 0 ps, expected more than 0 and an end below 2^63 ps");
    EXPECT_EQ(PoissonError([](W& w) { w.durationPs = INT64_MAX; }),
              who + "duration 9223372036854775807 ps, expected more than 0 and an end below 2^63 "
                    "ps");
    EXPECT_EQ(PoissonError([](W& w) { w.startPs = -1; }), who + "start -1 ps, expected 0 or more");
    EXPECT_EQ(PoissonError([](W& w) { w.trafficClass = 8; }),
              who + "traffic class 8, expected 0..7");
    EXPECT_EQ(PoissonError([](W& w) { w.stream = -1; }), who + "RNG stream -1, expected 0 or more");
    EXPECT_EQ(PoissonError([](W& w) { w.capacity.hostRateBps = 0; }),
              who + "hostRateBps is 0, expected the capacity that LoadReference::Host refers to");
    EXPECT_EQ(PoissonError([](W& w) { w.receiver = 16; }), who + "receiver 16, expected 0..15");
    EXPECT_EQ(PoissonError([](W& w) { w.interFraction = 1.5; }),
              who + "interFraction 1.5, expected 0..1, or -1 for uniform");
    EXPECT_EQ(PoissonError([](W& w) {
                  w.hosts.datacenterOf.clear();
                  w.interFraction = 0.2;
              }),
              who + "interFraction 0.2 but host 0 has no host in another datacenter, expected 0, "
                    "-1 or a second datacenter");
    EXPECT_EQ(PoissonError([](W& w) {
                  w.hosts = HostPlacement{2, {0, 1}, {}};
                  w.interFraction = 0.2;
              }),
              who + "host 0 has no other host in its datacenter, expected at least one or "
                    "interFraction 1");
    EXPECT_EQ(PoissonError([](W& w) {
                  w.hosts = HostPlacement{2, {}, {4, 4}};
                  w.interRackOnly = true;
              }),
              who + "host 0 has no other host outside its rack, expected at least one");
    EXPECT_EQ(PoissonError([](W& w) {
                  w.hosts.rackOf.clear();
                  w.interRackOnly = true;
              }),
              who + "interRackOnly without racks, expected rackOf for each host");
    EXPECT_EQ(PoissonError([](W& w) { w.durationPs = int64_t{1} << 60; }).substr(0, 35),
              (who + "about 1.15292e+13 flows").substr(0, 35));
    EXPECT_EQ(PoissonError([](W& w) { w.capacity.reference = LoadReference::Uplink; }),
              who + "uplinkBps is 0, expected the capacity that LoadReference::Uplink refers to");
    EXPECT_EQ(PoissonError([](W& w) {
                  w.capacity.reference = LoadReference::Uplink;
                  w.hosts.rackOf.clear();
              }),
              who + "rackOf is empty, expected the racks that LoadReference::Uplink needs");
    EXPECT_EQ(PoissonError([](W& w) {
                  w.capacity = {LoadReference::Uplink, 0, 1, 0};
                  w.hosts = HostPlacement{2, {}, {0, 0}};
              }),
              who + "no flow ever crosses the load reference, expected traffic between racks");
    EXPECT_EQ(PoissonError([](W& w) {
                  w.capacity.reference = LoadReference::Wan;
                  w.hosts.datacenterOf.clear();
              }),
              who + "all hosts are in one datacenter, expected two or more for "
                    "LoadReference::Wan");
    EXPECT_EQ(PoissonError([](W& w) {
                  w.capacity = {LoadReference::Wan, 0, 0, 1};
                  w.interFraction = 0;
              }),
              who + "no flow ever crosses the load reference, expected traffic between "
                    "datacenters");
}

} // namespace
