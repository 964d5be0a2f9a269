// SPDX-License-Identifier: GPL-2.0-only
// Random topologies, rates, loads and incasts: what must hold in every run. And the same run eager.
#include "roce-test-network.h"

#include "ns3/roce-leaf-spine-helper.h"

#include <algorithm>
#include <functional>
#include <random>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// One random scenario, the same for the same seed.
struct Scenario
{
    explicit Scenario(unsigned seed)
        : rng(seed)
    {
    }

    uint64_t Pick(std::initializer_list<uint64_t> values)
    {
        return values.begin()[rng() % values.size()];
    }

    static QueueSize Bytes(uint64_t n)
    {
        return QueueSize(std::to_string(n) + "B");
    }

    /// Sets defaults and builds the network.
    void Build(Network& net)
    {
        const char* laws[] = {"LineRate", "Dcqcn", "Hpcc", "Dcqcn"};
        law = laws[rng() % 4];
        SetRateLaw(law);
        Config::SetDefault("ns3::roce::Nic::AckEveryN", UintegerValue(Pick({1, 1, 4, 16})));
        Config::SetDefault("ns3::roce::Nic::PathMtu", UintegerValue(Pick({1000, 1024, 4096})));
        Config::SetDefault("ns3::roce::Switch::PauseQuanta", UintegerValue(Pick({2000, 65535})));
        // Nothing is lost, so no timeout may be needed, however long the pauses are.
        Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(Seconds(10)));
        LeafSpineHelper h;
        h.datacenters = static_cast<uint32_t>(Pick({1, 1, 2}));
        h.leaves = static_cast<uint32_t>(Pick({1, 2, 3}));
        h.spines = static_cast<uint32_t>(Pick({1, 2, 4}));
        h.hostsPerLeaf = static_cast<uint32_t>(Pick({2, 5, 8}));
        h.hostRate = DataRate(Pick({25, 100, 400}) * G);
        h.fabricRate = DataRate(Pick({40, 100, 333}) * G);
        h.hostDelay = TimeStep(Pick({0, 50 * NS, US}));
        h.fabricDelay = TimeStep(Pick({0, 1, 700 * NS, 5 * US}));
        h.wanRate = DataRate(Pick({100, 800}) * G);
        h.wanDelay = TimeStep(Pick({20 * US, 300 * US}));
        // Little more than headroom and reserves of all ports, so that pauses are frequent.
        const auto ports = [](uint64_t n, const DataRate& rate, const Time& delay) {
            return n *
                   (HeadroomBytes(rate.GetBitRate(), delay.GetTimeStep(), 4304) + 4304 + 6 * 4096);
        };
        const uint64_t pool = Pick({60000, 200000, 800000});
        const uint64_t dci = h.datacenters > 1 ? ports(1, h.external.rate, h.external.delay) : 0;
        h.leafBuffer = Bytes(pool + ports(h.hostsPerLeaf, h.hostRate, h.hostDelay) +
                             ports(h.spines, h.fabricRate, h.fabricDelay));
        h.spineBuffer = Bytes(pool + dci + ports(h.leaves, h.fabricRate, h.fabricDelay));
        h.Construct(net);
        net.Build();
        net.AssignStreams(1);
        nics = net.GetNNics();
    }

    std::vector<FlowSpec> Flows()
    {
        std::vector<FlowSpec> flows;
        const int64_t horizon = 300 * US;
        const unsigned background = 20 + rng() % 60;
        for (unsigned i = 0; i < background; ++i)
        {
            const auto src = static_cast<uint32_t>(rng() % nics);
            const auto dst = static_cast<uint32_t>((src + 1 + rng() % (nics - 1)) % nics);
            const uint64_t size = rng() % 8 ? rng() % 100000 : rng() % 3;
            flows.push_back(Flow(src, dst, size, static_cast<int64_t>(rng() % horizon)));
        }
        const unsigned incasts = 1 + rng() % 3;
        for (unsigned i = 0; i < incasts; ++i)
        {
            const auto dst = static_cast<uint32_t>(rng() % nics);
            const auto at = static_cast<int64_t>(rng() % horizon);
            const uint64_t size = Pick({64000, 200000});
            for (uint32_t src = 0; src < nics; ++src)
            {
                if (src != dst && rng() % 3)
                {
                    flows.push_back(Flow(src, dst, size, at)); // all at the same instant
                }
            }
        }
        std::shuffle(flows.begin(), flows.end(), rng);
        return Numbered(flows);
    }

    std::mt19937_64 rng;
    const char* law{nullptr};
    uint32_t nics{0};
};

/// What one run was like.
struct Outcome
{
    uint64_t fingerprint{0};
    std::map<uint64_t, std::pair<int64_t, int64_t>> times;
    uint64_t xoffs{0};

    bool operator==(const Outcome& o) const
    {
        return fingerprint == o.fingerprint && times == o.times && xoffs == o.xoffs;
    }
};

Outcome
RunScenario(unsigned seed, bool eager)
{
    Config::Reset();
    Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
    Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
    Outcome outcome;
    {
        Network net;
        Scenario scenario(seed);
        scenario.Build(net);
        const std::vector<FlowSpec> flows = scenario.Flows();
        Completions done(net);
        PauseMonitor monitor(net);
        net.EnableFingerprint();
        net.InstallFlows(flows);
        // Invariants hold in the middle of everything, too.
        for (int64_t at : {10 * US, 50 * US, 123 * US, 290 * US, 400 * US})
        {
            Simulator::Schedule(TimeStep(at), [&net]() { EXPECT_EQ(net.Audit(false), ""); });
        }
        Simulator::Run();
        ExpectAllDone(net, done, flows);
        monitor.Check(net);
        const Totals t = Sum(net);
        EXPECT_EQ(t.lost, 0u);
        EXPECT_EQ(t.retransmitted + t.timeouts + t.naks, 0u) << scenario.law;
        for (const FlowSpec& flow : flows)
        {
            EXPECT_GE(done.FctPs(flow.id), net.GetIdeal(flow).senderFctPs);
            outcome.times[flow.id] = {done.sent[flow.id].completedPs, done.received[flow.id]};
        }
        outcome.fingerprint = net.GetFingerprint();
        outcome.xoffs = t.xoff;
    }
    Simulator::Destroy();
    return outcome;
}

} // namespace

class RandomNetwork : public SystemTest, public ::testing::WithParamInterface<unsigned>
{
};

TEST_P(RandomNetwork, InvariantsAndEagerGivesTheSame)
{
    const Outcome lazy = RunScenario(GetParam(), false);
    const Outcome eager = RunScenario(GetParam(), true);
    EXPECT_EQ(lazy.fingerprint, eager.fingerprint);
    EXPECT_EQ(lazy.times, eager.times);
    EXPECT_EQ(lazy.xoffs, eager.xoffs);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomNetwork, ::testing::Range(1u, 41u));

// The scenarios above do exercise what they are for.
TEST_F(SystemTest, RandomNetworksPauseOften)
{
    uint64_t xoffs = 0;
    unsigned runs = 0;
    for (unsigned seed = 1; seed < 11; ++seed)
    {
        const Outcome outcome = RunScenario(seed, false);
        xoffs += outcome.xoffs;
        runs += outcome.xoffs > 0;
    }
    EXPECT_GT(xoffs, 300u);
    EXPECT_GT(runs, 3u);
}

TEST_F(SystemTest, SameSeedSameRun)
{
    const Outcome once = RunScenario(7, false);
    EXPECT_TRUE(once == RunScenario(7, false));
    EXPECT_FALSE(once == RunScenario(8, false));
}
