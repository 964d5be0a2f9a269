// SPDX-License-Identifier: GPL-2.0-only
// Fat-tree and other three-tier datacenters: structure, paths, rates, and traffic that arrives.
#include "roce-error-of.h"
#include "roce-test-network.h"

#include "ns3/roce-fat-tree-helper.h"
#include "ns3/roce-workload.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Tier of a switch: its name without datacenter and number.
std::string
Tier(const std::string& name)
{
    const std::size_t begin = name.find('-') + 1;
    return name.substr(begin, name.find_first_of("0123456789", begin) - begin);
}

/// A built network seen from outside: who is joined to whom, how many shortest paths there are.
class Graph
{
  public:
    explicit Graph(const Network& net)
        : m_net(net)
    {
        for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
        {
            m_index[PeekPointer(net.GetSwitch(s))] = s;
            ++m_count[Tier(Name(s))];
        }
    }

    const std::string& Name(uint32_t s) const
    {
        return m_net.GetSwitch(s)->GetName();
    }

    /// The switch at a port's other end; -1 for a NIC.
    int Next(uint32_t s, uint16_t port) const
    {
        const auto it = m_index.find(
            dynamic_cast<Switch*>(m_net.GetSwitch(s)->GetPort(port)->GetPeer()->GetOwner()));
        return it == m_index.end() ? -1 : static_cast<int>(it->second);
    }

    /// Number of switches by tier.
    std::map<std::string, uint32_t> Count() const
    {
        return m_count;
    }

    /// Links of a switch by tier of the other end ("host", "edge", ...), and "wan".
    std::map<std::string, uint32_t> Degree(uint32_t s) const
    {
        std::map<std::string, uint32_t> degree;
        for (uint16_t p = 0; p < m_net.GetSwitch(s)->GetNPorts(); ++p)
        {
            const int next = Next(s, p);
            const bool wan = next >= 0 && Name(next).substr(0, 4) != Name(s).substr(0, 4);
            ++degree[next < 0 ? "host" : wan ? "wan" : Tier(Name(next))];
        }
        return degree;
    }

    /// Every switch of a tier has these links.
    void ExpectDegrees(const std::string& tier, const std::map<std::string, uint32_t>& links) const
    {
        for (uint32_t s = 0; s < m_net.GetNSwitches(); ++s)
        {
            if (Tier(Name(s)) == tier)
            {
                EXPECT_EQ(Degree(s), links) << Name(s);
            }
        }
    }

    /// Equal-cost paths between two NICs, parallel links counted apart.
    uint64_t Paths(uint32_t src, uint32_t dst) const
    {
        const auto owner = m_net.GetNic(src)->GetPeer()->GetOwner();
        std::map<uint32_t, uint64_t> known;
        return PathsFrom(m_index.at(dynamic_cast<Switch*>(owner)), dst, known);
    }

  private:
    uint64_t PathsFrom(uint32_t s, uint32_t dst, std::map<uint32_t, uint64_t>& known) const
    {
        if (m_net.GetNic(dst)->GetPeer()->GetOwner() == PeekPointer(m_net.GetSwitch(s)))
        {
            return 1;
        }
        const auto it = known.find(s);
        if (it != known.end())
        {
            return it->second;
        }
        uint64_t paths = 0;
        for (uint16_t port : m_net.GetSwitch(s)->GetRouting().GetGroup(m_net.GetRack(dst)))
        {
            paths += PathsFrom(static_cast<uint32_t>(Next(s, port)), dst, known);
        }
        return known[s] = paths;
    }

    const Network& m_net;
    std::map<const Switch*, uint32_t> m_index;
    std::map<std::string, uint32_t> m_count;
};

FatTreeHelper
KAry(uint32_t k, uint32_t datacenters = 2)
{
    FatTreeHelper h;
    h.datacenters = datacenters;
    h.k = k;
    return h;
}

/// 4 cores, 8 aggregation switches, 8 racks of 4 hosts.
FatTreeHelper
Wrcc()
{
    FatTreeHelper h = KAry(4);
    h.hostsPerEdge = 4;
    h.external.links = 1;
    h.wanLinks = 1;
    h.wanRate = DataRate("400Gbps");
    h.wanDelay = MilliSeconds(1);
    return h;
}

/// Message of the InputError that building it throws, or "no error".
std::string
BuildErrorOf(const FatTreeHelper& h)
{
    return ErrorOf([&h] {
        Network net;
        h.Construct(net);
        net.Build();
    });
}

/// Links of the path of one flow.
std::size_t
Hops(const Network& net, uint32_t src, uint32_t dst)
{
    return net.TracePath(src, dst, 1).size();
}

} // namespace

class FatTree : public SystemTest, public ::testing::WithParamInterface<uint32_t>
{
};

TEST_P(FatTree, KAryStructureAndPaths)
{
    const uint32_t k = GetParam();
    const uint32_t half = k / 2;
    FatTreeHelper h = KAry(k);
    h.external.count = 2;
    h.external.links = 3;
    h.wanLinks = 5;
    Network net;
    h.Construct(net);
    net.Build();
    const Graph graph(net);
    const uint32_t nics = k * half * half;
    EXPECT_EQ(h.GetNicsPerDatacenter(), nics);
    EXPECT_EQ(net.GetNNics(), 2 * nics);
    const std::map<std::string, uint32_t> count{{"edge", 2 * k * half},
                                                {"agg", 2 * k * half},
                                                {"core", 2 * half * half},
                                                {"border", 4}};
    EXPECT_EQ(graph.Count(), count);
    graph.ExpectDegrees("edge", {{"host", half}, {"agg", half}});
    graph.ExpectDegrees("agg", {{"edge", half}, {"core", half}});
    graph.ExpectDegrees("core", {{"agg", k}, {"border", 6}});
    graph.ExpectDegrees("border", {{"core", 3 * half * half}, {"wan", 5}});

    const uint32_t pod = half * half; // first NIC of the second pod
    const uint64_t up = half * half;
    if (half > 1)
    {
        EXPECT_EQ(graph.Paths(0, 1), 1u);
        EXPECT_EQ(Hops(net, 0, 1), 2u);
        EXPECT_EQ(graph.Paths(0, half), half);
        EXPECT_EQ(Hops(net, 0, half), 4u);
    }
    EXPECT_EQ(graph.Paths(0, pod), up);
    EXPECT_EQ(Hops(net, 0, pod), 6u);
    EXPECT_EQ(graph.Paths(nics - 1, 0), up);
    EXPECT_EQ(graph.Paths(0, 2 * nics - 1), 2 * (up * 3) * 5 * (up * 3));
    EXPECT_EQ(graph.Paths(nics, 0), 2 * (up * 3) * 5 * (up * 3));
    EXPECT_EQ(Hops(net, 0, 2 * nics - 1), 9u);
}

INSTANTIATE_TEST_SUITE_P(Arity, FatTree, ::testing::Values(2u, 4u, 6u, 8u, 16u));

// Two aggregation switches of different pods reach the same cores if and only if they have the
// same index.
TEST_F(SystemTest, FatTreeCoreGroups)
{
    const FatTreeHelper h = KAry(6, 1);
    Network net;
    h.Construct(net);
    net.Build();
    const Graph graph(net);
    EXPECT_EQ(graph.Count().count("border"), 0u);
    std::map<uint32_t, std::set<int>> cores; // by number of the aggregation switch
    for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
    {
        if (Tier(graph.Name(s)) != "agg")
        {
            continue;
        }
        const auto agg = static_cast<uint32_t>(cores.size());
        ASSERT_EQ(graph.Name(s), "dc0-agg" + std::to_string(agg));
        for (uint16_t p = 0; p < net.GetSwitch(s)->GetNPorts(); ++p)
        {
            const int next = graph.Next(s, p);
            if (Tier(graph.Name(static_cast<uint32_t>(next))) == "core")
            {
                cores[agg].insert(next);
            }
        }
    }
    ASSERT_EQ(cores.size(), 18u);
    for (const auto& [a, mine] : cores)
    {
        for (const auto& [b, others] : cores)
        {
            std::vector<int> both;
            std::set_intersection(mine.begin(),
                                  mine.end(),
                                  others.begin(),
                                  others.end(),
                                  std::back_inserter(both));
            EXPECT_EQ(both.size(), a % 3 == b % 3 ? 3u : 0u) << a << " and " << b;
        }
    }
}

TEST_F(SystemTest, FatTreeEveryPairIsReachable)
{
    for (const bool split : {false, true})
    {
        FatTreeHelper h = KAry(4);
        h.datacenters = 3;
        h.external.count = 2;
        h.splitBorders = split;
        h.nicsPerHost = 2;
        Network net;
        h.Construct(net);
        net.Build();
        const HostPlacement placement = h.GetPlacement();
        ASSERT_EQ(placement.nHosts, net.GetNNics());
        for (uint32_t src = 0; src < net.GetNNics(); ++src)
        {
            EXPECT_EQ(placement.datacenterOf[src], net.GetDatacenter(src));
            EXPECT_EQ(placement.rackOf[src], net.GetRack(src));
            for (uint32_t dst = 0; dst < net.GetNNics(); ++dst)
            {
                if (src == dst)
                {
                    continue;
                }
                const auto path = net.TracePath(src, dst, static_cast<uint16_t>(src * 31 + dst));
                EXPECT_EQ(path.back().port->GetPeer(), PeekPointer(net.GetNic(dst)));
                const bool sameDc = net.GetDatacenter(src) == net.GetDatacenter(dst);
                const bool sameRack = net.GetRack(src) == net.GetRack(dst);
                const bool samePod = net.GetRack(src) / 2 == net.GetRack(dst) / 2;
                EXPECT_EQ(path.size(), !sameDc ? 9u : sameRack ? 2u : samePod ? 4u : 6u);
            }
        }
    }
}

TEST_F(SystemTest, FatTreeBorderAttachment)
{
    FatTreeHelper h = KAry(4);
    h.external.count = 2;
    h.splitBorders = true;
    Network net;
    h.Construct(net);
    net.Build();
    const Graph graph(net);
    graph.ExpectDegrees("core", {{"agg", 4}, {"border", 8}});
    graph.ExpectDegrees("border", {{"core", 16}, {"wan", 8}});
    // Core c hangs at border switch c modulo 2; border switches of the same number are joined.
    const auto number = [&graph](uint32_t sw) {
        const std::string name = graph.Name(sw);
        return std::stoi(name.substr(name.find_first_of("0123456789", 4)));
    };
    for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
    {
        for (uint16_t p = 0; Tier(graph.Name(s)) == "border" && p < 24; ++p)
        {
            const auto next = static_cast<uint32_t>(graph.Next(s, p));
            EXPECT_EQ(number(s), number(next) % 2) << graph.Name(s) << " " << graph.Name(next);
        }
    }
    // Each aggregation switch has a core at each border switch: 4 paths up, to one of them each.
    EXPECT_EQ(graph.Paths(0, 31), 2u * (2 * 8) * 8 * (2 * 8));
}

// Uno's and WRCC's networks: exact base RTTs. A full packet takes 334.24 ns at 100 Gbit/s, its ACK
// 6.88 ns.
TEST_F(SystemTest, FatTreeBaseRtt)
{
    SetRateLaw("LineRate");
    constexpr int64_t HOP = 334240 + 6880;
    {
        const FatTreeHelper uno;
        Network net;
        uno.Construct(net);
        net.Build();
        EXPECT_EQ(net.GetNNics(), 256u);
        EXPECT_EQ(net.GetPath(0, 1, 0).baseRttPs, 4 * US + 2 * HOP);
        EXPECT_EQ(net.GetPath(0, 4, 0).baseRttPs, 8 * US + 4 * HOP);
        EXPECT_EQ(net.GetPath(0, 16, 0).baseRttPs, 14046720);
        EXPECT_EQ(net.GetPath(0, 255, 0).baseRttPs, 2000070080);
        EXPECT_EQ(uno.GetCapacity(LoadReference::Wan).wanBps, 800 * G);
    }
    Simulator::Destroy();
    Network net;
    Wrcc().Construct(net);
    net.Build();
    EXPECT_EQ(net.GetPath(0, 31, 0).baseRttPs, 12 * US + 6 * HOP);
    EXPECT_EQ(net.GetPath(0, 63, 0).baseRttPs, 2016 * US + 8 * HOP + HOP / 4);
    EXPECT_EQ(net.GetPath(0, 63, 0).bottleneckBps, 100 * G);
}

TEST_F(SystemTest, FatTreeWrccInTwoWays)
{
    FatTreeHelper free = Wrcc();
    free.k = 0;
    free.pods = 4;
    free.edgesPerPod = 2;
    free.aggsPerPod = 2;
    free.cores = 4;
    for (const FatTreeHelper& h : {Wrcc(), free})
    {
        Network net;
        h.Construct(net);
        net.Build();
        const Graph graph(net);
        const std::map<std::string, uint32_t> count{{"edge", 16},
                                                    {"agg", 16},
                                                    {"core", 8},
                                                    {"border", 2}};
        EXPECT_EQ(graph.Count(), count);
        EXPECT_EQ(net.GetNNics(), 64u);
        graph.ExpectDegrees("edge", {{"host", 4}, {"agg", 2}});
        graph.ExpectDegrees("agg", {{"edge", 2}, {"core", 2}});
        graph.ExpectDegrees("core", {{"agg", 4}, {"border", 1}});
        graph.ExpectDegrees("border", {{"core", 4}, {"wan", 1}});
        const LoadCapacity capacity = h.GetCapacity(LoadReference::Uplink);
        EXPECT_EQ(capacity.uplinkBps, 2 * 1600 * G);
        EXPECT_EQ(capacity.wanBps, 400 * G);
        EXPECT_EQ(capacity.hostRateBps, 100 * G);
        Simulator::Destroy();
    }
}

// Counts that no k gives, every aggregation switch to every core.
TEST_F(SystemTest, FatTreeFullWiring)
{
    FatTreeHelper h;
    h.k = 0;
    h.datacenters = 1;
    h.pods = 3;
    h.edgesPerPod = 4;
    h.aggsPerPod = 2;
    h.cores = 5;
    h.hostsPerEdge = 3;
    h.fullCoreWiring = true;
    Network net;
    h.Construct(net);
    net.Build();
    const Graph graph(net);
    EXPECT_EQ(net.GetNNics(), 36u);
    graph.ExpectDegrees("edge", {{"host", 3}, {"agg", 2}});
    graph.ExpectDegrees("agg", {{"edge", 4}, {"core", 5}});
    graph.ExpectDegrees("core", {{"agg", 6}});
    EXPECT_EQ(graph.Paths(0, 35), 2u * 5 * 2);
}

TEST_F(SystemTest, FatTreeOversubscription)
{
    FatTreeHelper h = KAry(8, 1);
    EXPECT_EQ(h.GetAggRateBps(), 100 * G);
    EXPECT_EQ(h.GetCoreRateBps(), 100 * G);
    h.edgeOversubscription = 2; // 4 hosts of 100G over 4 uplinks
    EXPECT_EQ(h.GetAggRateBps(), 50 * G);
    EXPECT_EQ(h.GetCoreRateBps(), 100 * G);
    h.aggOversubscription = 4; // 4 edges of 50G over 4 uplinks
    EXPECT_EQ(h.GetCoreRateBps(), 12500000000u);
    h.hostsPerEdge = 8;
    h.nicsPerHost = 2;
    EXPECT_EQ(h.GetAggRateBps(), 200 * G);
    h.fullCoreWiring = true; // 16 uplinks
    EXPECT_EQ(h.GetCoreRateBps(), 12500000000u);
    EXPECT_EQ(h.GetCapacity(LoadReference::Uplink).uplinkBps, 32u * 800 * G);
    Network net;
    h.Construct(net);
    net.Build();
    std::vector<uint64_t> rates;
    for (const Network::PathHop& hop : net.TracePath(0, net.GetNNics() - 1, 0))
    {
        rates.push_back(hop.spec.rateBps);
    }
    const uint64_t core = 12500000000;
    EXPECT_EQ(rates, (std::vector<uint64_t>{100 * G, 200 * G, core, core, 200 * G, 100 * G}));
}

// Many flows between the datacenters share the eight WAN links, and the links of each core to its
// border switch, evenly.
TEST_F(SystemTest, FatTreeEcmpUsesAllParallelLinks)
{
    const FatTreeHelper h = KAry(4);
    Network net;
    h.Construct(net);
    net.Build();
    std::mt19937 rng(1);
    std::map<const Port*, uint32_t> wan;
    std::map<const Port*, uint32_t> border;
    constexpr uint32_t FLOWS = 32000;
    for (uint32_t i = 0; i < FLOWS; ++i)
    {
        const auto path = net.TracePath(rng() % 16, 16 + rng() % 16, static_cast<uint16_t>(rng()));
        ++border[path[3].port];
        ++wan[path[4].port];
    }
    ASSERT_EQ(wan.size(), 8u);
    ASSERT_EQ(border.size(), 4u * 8);
    // Five standard deviations of a binomial count.
    for (const auto& [port, n] : wan)
    {
        EXPECT_NEAR(n, FLOWS / 8.0, 5 * std::sqrt(FLOWS / 8.0));
    }
    for (const auto& [port, n] : border)
    {
        EXPECT_NEAR(n, FLOWS / 32.0, 5 * std::sqrt(FLOWS / 32.0));
    }
}

TEST_F(SystemTest, FatTreeBuffers)
{
    FatTreeHelper h = KAry(4);
    h.edgeBuffer = QueueSize("4MiB");
    h.portBuffer = QueueSize("1MiB");
    h.wanPortBuffer = QueueSize("64MiB");
    constexpr uint32_t MAX_FRAME = 4304; // 4096 bytes of payload, headers, telemetry
    for (const bool own : {true, false})
    {
        h.portBuffer = QueueSize(own ? "1MiB" : "0B");
        Network net;
        h.Construct(net);
        net.Build();
        const Graph graph(net);
        for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
        {
            const SharedBuffer& buffer = net.GetSwitch(s)->GetBuffer();
            for (uint16_t p = 0; p < net.GetSwitch(s)->GetNPorts(); ++p)
            {
                const int next = graph.Next(s, p);
                const bool wan = next >= 0 && Tier(graph.Name(s)) == "border" &&
                                 Tier(graph.Name(static_cast<uint32_t>(next))) == "border";
                const uint64_t xoff = buffer.GetThresholdBytes(p, 3);
                if (wan || own)
                {
                    const Ptr<Port> port = net.GetSwitch(s)->GetPort(p);
                    const uint64_t headroom = HeadroomBytes(port->GetRateBps(),
                                                            port->GetLink()->GetDelayPs(),
                                                            MAX_FRAME,
                                                            MAX_FRAME);
                    EXPECT_EQ(xoff + headroom, wan ? 64U << 20 : 1U << 20) << graph.Name(s);
                }
                else
                {
                    // alpha 1/8 of what is left of the shared buffer
                    const uint64_t size = Tier(graph.Name(s)) == "edge"     ? 4U << 20
                                          : Tier(graph.Name(s)) == "border" ? 256U << 20
                                                                            : 32U << 20;
                    EXPECT_LT(xoff, size / 8) << graph.Name(s);
                    EXPECT_GT(xoff, size / 10) << graph.Name(s);
                }
            }
        }
        Simulator::Destroy();
    }
}

TEST_F(SystemTest, FatTreeBadParameters)
{
    using Helper = FatTreeHelper;
    const std::tuple<const char*, std::function<void(Helper&)>, const char*> cases[] = {
        {"k is 5", [](Helper& h) { h.k = 5; }, "even"},
        {"k is 160", [](Helper& h) { h.k = 160; }, "158"},
        {"k is 4294967295", [](Helper& h) { h.k = 4294967295; }, "158"},
        {"k is 0", [](Helper& h) { h.k = 0; }, "all of pods"},
        {"k is 0", [](Helper& h) { h.k = 0, h.pods = 1; }, "edgesPerPod"},
        {"k is 0", [](Helper& h) { h.k = 0, h.pods = h.edgesPerPod = 1; }, "aggsPerPod"},
        {"k is 0", [](Helper& h) { h.k = 0, h.pods = h.edgesPerPod = h.aggsPerPod = 1; }, "cores"},
        {"k is 0",
         [](Helper& h) { h.k = 0, h.pods = h.edgesPerPod = h.aggsPerPod = h.cores = 1; },
         "hostsPerEdge"},
        {"cores is 6", [](Helper& h) { h.cores = 6; }, "multiple of aggsPerPod, 4"},
        {"cores is 2", [](Helper& h) { h.cores = 2; }, "multiple of aggsPerPod, 4"},
        {"borders is 3",
         [](Helper& h) { h.external.count = 3, h.splitBorders = true; },
         "divisor of the 16 cores"},
        {"borders is 0", [](Helper& h) { h.external.count = 0; }, "borders >= 1"},
        {"borderLinks is 0", [](Helper& h) { h.external.links = 0; }, "borderLinks >= 1"},
        {"borderRate is 0bps", [](Helper& h) { h.external.rate = DataRate(0); }, "borderRate > 0"},
        {"wanLinks is 0", [](Helper& h) { h.wanLinks = 0; }, "wanLinks >= 1"},
        {"datacenters is 0", [](Helper& h) { h.datacenters = 0; }, "datacenters >= 1"},
        {"nicsPerHost is 0", [](Helper& h) { h.nicsPerHost = 0; }, "nicsPerHost >= 1"},
        {"aggRate is 0bps", [](Helper& h) { h.aggRate = DataRate(0); }, "aggRate > 0"},
        {"coreRate is 0bps", [](Helper& h) { h.coreRate = DataRate(0); }, "coreRate > 0"},
        {"hostRate is 0bps", [](Helper& h) { h.hostRate = DataRate(0); }, "hostRate > 0"},
        {"aggDelay is -1us", [](Helper& h) { h.aggDelay = MicroSeconds(-1); }, "aggDelay >= 0"},
        {"coreDelay is -1us", [](Helper& h) { h.coreDelay = MicroSeconds(-1); }, "coreDelay >= 0"},
        {"borderDelay is -1us",
         [](Helper& h) { h.external.delay = MicroSeconds(-1); },
         "borderDelay >= 0"},
        {"wanDelay is -1us", [](Helper& h) { h.wanDelay = MicroSeconds(-1); }, "wanDelay >= 0"},
        {"edgeOversubscription is -1", [](Helper& h) { h.edgeOversubscription = -1; }, "or 0"},
        {"aggOversubscription is inf", [](Helper& h) { h.aggOversubscription = INFINITY; }, "or 0"},
        {"1,000,000 NICs", [](Helper& h) { h.hostsPerEdge = 4294967295; }, "more than"},
        {"1,000,000 switches", [](Helper& h) { h.pods = h.edgesPerPod = 65536; }, "more than"},
        {"1,000,000 switches", [](Helper& h) { h.cores = 4000000000; }, "more than"},
        {"32767 ports", [](Helper& h) { h.external.links = 2048; }, "border0"},
        {"dc0-edge0: port 0", [](Helper& h) { h.portBuffer = QueueSize("20KB"); }, "port buffer"},
        {"headroom", [](Helper& h) { h.coreBuffer = QueueSize("1000KB"); }, "dc0-core0"},
    };
    for (const auto& [words, spoil, more] : cases)
    {
        FatTreeHelper h;
        spoil(h);
        const std::string error = BuildErrorOf(h);
        EXPECT_NE(error.find(words), std::string::npos) << words << ": " << error;
        EXPECT_NE(error.find(more), std::string::npos) << words << ": " << error;
        EXPECT_EQ(error.find('\n'), std::string::npos);
        Simulator::Destroy();
    }
    // What only several datacenters need is not asked of one.
    FatTreeHelper one = KAry(4, 1);
    one.external.count = one.wanLinks = one.external.links = 0;
    EXPECT_EQ(BuildErrorOf(one), "no error");
}

/// The rate law.
class FatTreeRun : public SystemTest, public ::testing::WithParamInterface<const char*>
{
};

// Background and two incasts over every tier, with buffers so small that PFC is at work.
TEST_P(FatTreeRun, EveryByteArrivesAndAgainTheSame)
{
    SetRateLaw(GetParam());
    FatTreeHelper h = KAry(4);
    h.wanDelay = MicroSeconds(100);
    h.edgeBuffer = h.aggBuffer = h.coreBuffer = QueueSize("1500KB");
    uint64_t fingerprint[2];
    for (uint64_t& hash : fingerprint)
    {
        Network net;
        h.Construct(net);
        net.Build();
        net.AssignStreams(1000);
        net.EnableFingerprint();
        PoissonWorkload poisson;
        poisson.hosts = h.GetPlacement();
        poisson.capacity = h.GetCapacity(LoadReference::Host);
        poisson.sizes = poisson.sizes.TruncatedAt(300000);
        poisson.load = 0.6;
        poisson.interFraction = 0.3;
        poisson.durationPs = 100 * US;
        std::vector<FlowSpec> incast;
        for (uint32_t i = 1; i < 32; ++i)
        {
            incast.push_back(Flow(i, 0, 200000, i * NS));
            incast.push_back(Flow((16 + i) % 32, 16, i * 1000, 20 * US));
        }
        const std::vector<FlowSpec> flows = Merge({poisson.Generate(), incast});
        Completions done(net);
        PauseMonitor pauses(net);
        net.InstallFlows(flows);
        Simulator::Run();
        ExpectAllDone(net, done, flows);
        pauses.Check(net);
        EXPECT_GT(pauses.xoffs, 0u);
        const Totals t = Sum(net);
        EXPECT_EQ(t.lost + t.retransmitted + t.timeouts + t.naks + t.failed, 0u);
        hash = net.GetFingerprint();
        Simulator::Destroy();
    }
    EXPECT_EQ(fingerprint[0], fingerprint[1]);
}

INSTANTIATE_TEST_SUITE_P(RateLaws, FatTreeRun, ::testing::Values("LineRate", "Dcqcn", "Hpcc"));

// Alone in the network, a flow takes exactly the ideal time, at every distance.
TEST_F(SystemTest, FatTreeEmptyNetworkFctIsIdeal)
{
    SetRateLaw("LineRate");
    FatTreeHelper h = KAry(4);
    h.hostRate = DataRate("400Gbps");
    h.edgeOversubscription = 2;
    h.wanDelay = MicroSeconds(50);
    Network net;
    h.Construct(net);
    net.Build();
    std::vector<FlowSpec> flows;
    for (uint32_t dst : {1u, 2u, 4u, 31u})
    {
        for (uint64_t size : {0, 1, 4097, 1000000})
        {
            flows.push_back(Flow(0, dst, size, static_cast<int64_t>(flows.size()) * 2 * MS));
        }
    }
    flows = Numbered(flows);
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    for (const FlowSpec& flow : flows)
    {
        EXPECT_EQ(done.FctPs(flow.id), net.GetIdeal(flow).senderFctPs) << flow.dst;
    }
    ExpectAllDone(net, done, flows);
}
