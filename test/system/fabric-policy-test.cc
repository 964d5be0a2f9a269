// SPDX-License-Identifier: GPL-2.0-only
// Path policies of leaf and spine switches: DRILL sends each frame where the queue is shortest,
// CONGA moves flowlets away from links that are used, near and far.
#include "roce-test-network.h"

#include "ns3/roce-conga-meter.h"
#include "ns3/roce-path-policy.h"

#include <set>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr uint32_t HOSTS = 4; //!< of each of the two leaves

class FabricPolicyTest : public SystemTest
{
  public:
    /// Switches 0 and 1 are leaves with hosts of 100 Gbit/s, the others spines. Links are numbered
    /// from the hosts' on, two for each spine.
    /// @param upBps rates of the links between leaf 0 and the spines @param downBps to leaf 1
    static void Build(Network& net,
                      const std::string& policy,
                      const std::vector<uint64_t>& upBps,
                      const std::vector<uint64_t>& downBps)
    {
        Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("64MiB"));
        for (const char* name : {"leaf0", "leaf1"})
        {
            const uint32_t leaf = net.AddSwitch(name, 0);
            for (uint32_t h = 0; h < HOSTS; ++h)
            {
                net.AddNic(net.AddHost("h", 0), leaf, 100 * G, US);
            }
        }
        for (uint32_t s = 0; s < upBps.size(); ++s)
        {
            const uint32_t spine = net.AddSwitch("spine" + std::to_string(s), 0);
            net.Connect(0, spine, upBps[s], US);
            net.Connect(spine, 1, downBps[s], US);
        }
        Network::Options options;
        if (!policy.empty())
        {
            options.pathPolicy = ObjectFactory("ns3::roce::" + policy);
        }
        net.Build(options);
        net.AssignStreams(1);
    }

    static void UseSelectiveRepeat()
    {
        Config::SetDefault("ns3::roce::Nic::LossRecovery",
                           StringValue("ns3::roce::SelectiveRepeat[ReorderPackets=64]"));
    }

    /// @return the spine that leaf 0 chooses for a flow of its first host
    static uint32_t Choose(Network& net, uint16_t entropy, int64_t nowPs)
    {
        const Ptr<Switch> leaf = net.GetSwitch(0);
        const PathList paths = leaf->GetRouting().GetPaths(HOSTS);
        Frame frame{};
        frame.dst = HOSTS;
        frame.entropy = entropy;
        const uint32_t hash = leaf->GetRouting().Hash(0, HOSTS, entropy);
        return leaf->GetPathPolicy()->Choose({frame, paths.entries, paths.all, hash, nowPs});
    }

    /// @return UDP source port of a flow of the first host that goes to a spine. @param least the
    /// first one to try
    static uint16_t FindEntropy(Network& net, uint32_t spine, uint16_t least)
    {
        while (Choose(net, least, 0) != spine)
        {
            ++least;
        }
        return least;
    }

    /// @return wire bytes from leaf 0 to a spine
    static uint64_t SentBytes(const Network& net, uint32_t spine)
    {
        return net.GetSwitch(0)->GetPort(static_cast<uint16_t>(HOSTS + spine))->GetTxWireBytes();
    }

    static FlowSpec FlowAt(uint16_t entropy, uint64_t bytes)
    {
        FlowSpec flow = Flow(0, HOSTS, bytes);
        flow.srcPort = entropy;
        return flow;
    }
};

} // namespace

// Of all ports, the one that is free first: a link gets frames in proportion to its rate, and those
// of the same rate get the same.
TEST_F(FabricPolicyTest, DrillTakesThePortThatIsFreeFirst)
{
    Config::SetDefault("ns3::roce::Drill::Samples", UintegerValue(64));
    Config::SetDefault("ns3::roce::Drill::Memory", UintegerValue(0));
    UseSelectiveRepeat();
    SetRateLaw("LineRate");
    Network net;
    Build(net, "Drill", {60 * G, 60 * G, 5 * G}, {100 * G, 100 * G, 100 * G});
    const Completions done(net);
    net.InstallFlows(Numbered({Flow(0, HOSTS, 5000000)}));
    Simulator::Run();
    EXPECT_EQ(done.sent.size(), 1u);
    const double sum =
        static_cast<double>(SentBytes(net, 0) + SentBytes(net, 1) + SentBytes(net, 2));
    EXPECT_NEAR(static_cast<double>(SentBytes(net, 0)) / sum, 0.48, 0.03);
    EXPECT_NEAR(static_cast<double>(SentBytes(net, 1)) / sum, 0.48, 0.03);
    EXPECT_LT(static_cast<double>(SentBytes(net, 2)) / sum, 0.06);
    EXPECT_EQ(Sum(net).retransmitted, 0u);
}

// One random port and the one remembered: in a while it is the best of all, and stays it.
TEST_F(FabricPolicyTest, DrillRemembersTheBest)
{
    Config::SetDefault("ns3::roce::Drill::Samples", UintegerValue(1));
    SetRateLaw("LineRate");
    Network net;
    // All queues grow; that of the fastest link waits the shortest time.
    Build(net, "Drill", {G, G, G, 2 * G, G, G, G, G}, std::vector<uint64_t>(8, 100 * G));
    net.InstallFlows(Numbered({Flow(0, HOSTS, 2000000)}));
    std::set<uint32_t> last;
    std::set<uint32_t> best;
    Simulator::Schedule(MicroSeconds(150), [&] {
        const Ptr<Switch> leaf = net.GetSwitch(0);
        for (int i = 0; i < 300; ++i)
        {
            const uint32_t chosen = Choose(net, 1, 150 * US);
            if (i >= 200)
            {
                last.insert(chosen);
            }
        }
        int64_t leastPs = INT64_MAX;
        for (uint32_t s = 0; s < 8; ++s)
        {
            const auto p = static_cast<uint16_t>(HOSTS + s);
            const int64_t waitPs =
                leaf->GetPort(p)->GetBusyUntilPs() - 150 * US +
                static_cast<int64_t>(leaf->GetQueue(p).GetTotalBytes() * 8000000000000 /
                                     leaf->GetPort(p)->GetRateBps());
            EXPECT_GT(waitPs, 0);
            if (waitPs < leastPs)
            {
                leastPs = waitPs;
                best = {s};
            }
        }
    });
    Simulator::Stop(MicroSeconds(200));
    Simulator::Run();
    EXPECT_EQ(last, best);
}

// Samples are random numbers of the stream that was assigned.
TEST_F(FabricPolicyTest, DrillDrawsFromItsStream)
{
    const auto draw = [](int64_t stream) {
        Network net;
        Build(net, "Drill", std::vector<uint64_t>(8, 100 * G), std::vector<uint64_t>(8, 100 * G));
        net.AssignStreams(stream);
        std::vector<uint32_t> chosen;
        for (int i = 0; i < 50; ++i)
        {
            chosen.push_back(Choose(net, 1, 0));
        }
        Simulator::Destroy();
        EXPECT_GE(std::set<uint32_t>(chosen.begin(), chosen.end()).size(), 7u);
        return chosen;
    };
    EXPECT_EQ(draw(1), draw(1));
    EXPECT_NE(draw(1), draw(2));
}

// Four flows at line rate over four links: with ECMP some share one. Receivers bear the order.
TEST_F(FabricPolicyTest, DrillFillsAllLinks)
{
    const auto longestPs = [](const char* policy) {
        UseSelectiveRepeat();
        SetRateLaw("LineRate");
        Network net;
        Build(net, policy, std::vector<uint64_t>(4, 100 * G), std::vector<uint64_t>(4, 100 * G));
        std::vector<FlowSpec> flows;
        for (uint32_t h = 0; h < HOSTS; ++h)
        {
            flows.push_back(Flow(h, HOSTS + h, 5000000));
        }
        const Completions done(net);
        net.InstallFlows(Numbered(flows));
        Simulator::Run();
        int64_t longest = 0;
        for (uint32_t h = 0; h < HOSTS; ++h)
        {
            longest = std::max(longest, done.FctPs(h));
        }
        EXPECT_EQ(Sum(net).retransmitted, 0u);
        Simulator::Destroy();
        return longest;
    };
    EXPECT_LT(longestPs("Drill"), 450 * US); // 428 us alone
    EXPECT_GT(longestPs(""), 800 * US);
}

// The meter's levels are eighths of a link's use over Tau.
TEST_F(FabricPolicyTest, CongaMeasuresUse)
{
    SetRateLaw("FixedRate[Rate=60Gbps]");
    Network net;
    Build(net, "Conga", {100 * G, 100 * G}, {100 * G, 100 * G});
    const uint16_t entropy = FindEntropy(net, 1, 1);
    net.InstallFlows(Numbered({FlowAt(entropy, 7500000)})); // 1 ms
    auto* meter = net.GetSwitch(0)->FindStage<CongaMeter>();
    ASSERT_NE(meter, nullptr);
    std::vector<int> levels;
    for (const int64_t us : {120, 900, 1300, 4000})
    {
        Simulator::Schedule(MicroSeconds(us), [&, us] {
            levels.push_back(meter->GetLevel(HOSTS + 1, us * US));
            EXPECT_EQ(meter->GetLevel(HOSTS, us * US), 0);
        });
    }
    Simulator::Run();
    EXPECT_EQ(levels, (std::vector<int>{2, 4, 0, 0})); // 1 - (7/8)^6 of 4.2 to 4.8, and so on
}

// A link behind the spine is used: only the other leaf sees that, and tells. New flows, and those
// that have paused, keep away; after a while the news are old.
TEST_F(FabricPolicyTest, CongaLearnsOfLinksFarAway)
{
    Config::SetDefault("ns3::roce::Conga::Age", StringValue("500us"));
    SetRateLaw("FixedRate[Rate=8Gbps]");
    Network net;
    Build(net, "Conga", {100 * G, 100 * G}, {100 * G, 10 * G});
    auto* meter = net.GetSwitch(0)->FindStage<CongaMeter>();
    const uint16_t busy = FindEntropy(net, 1, 1);
    const uint16_t idle = FindEntropy(net, 1, busy + 1);
    net.InstallFlows(Numbered({FlowAt(busy, 1500000)})); // 1.5 ms
    std::set<uint32_t> others;
    uint32_t same = 9;
    uint32_t early = 9;
    uint32_t late = 9;
    Simulator::Schedule(MicroSeconds(490), [&] { early = Choose(net, idle, 490 * US); });
    Simulator::Schedule(MicroSeconds(1400), [&] {
        EXPECT_EQ(meter->GetLevel(HOSTS + 1, 1400 * US), 0);
        EXPECT_EQ(meter->GetToldLevel(HOSTS, HOSTS, 1400 * US), 0);
        EXPECT_GE(meter->GetToldLevel(HOSTS, HOSTS + 1, 1400 * US), 5); // 0.81 * 8
        for (uint16_t e = 1000; e < 1100; ++e)
        {
            others.insert(Choose(net, e, 1400 * US));
        }
        same = Choose(net, busy, 1400 * US);
        late = Choose(net, idle, 1400 * US);
    });
    Simulator::Run();
    EXPECT_EQ(others, (std::set<uint32_t>{0}));
    EXPECT_EQ(same, 1u);  // it has not paused
    EXPECT_EQ(early, 1u); // for less than Gap
    EXPECT_EQ(late, 0u);
    // Among equals it stays where it was, not where its hash says.
    EXPECT_EQ(Choose(net, idle, 2200 * US), 0u);
    others.clear();
    for (uint16_t e = 2000; e < 2100; ++e)
    {
        others.insert(Choose(net, e, 20 * MS));
    }
    EXPECT_EQ(others, (std::set<uint32_t>{0, 1}));
}

// Between the leaves, and only there, a frame is 6 bytes longer.
TEST_F(FabricPolicyTest, CongaTagsFramesBetweenLeaves)
{
    SetRateLaw("LineRate");
    Network net;
    Build(net, "Conga", {100 * G, 100 * G}, {100 * G, 100 * G});
    const Completions done(net);
    net.InstallFlows(Numbered({Flow(0, HOSTS, 1000000), Flow(1, 2, 100000)}));
    Simulator::Run();
    EXPECT_EQ(done.sent.size(), 2u);
    const uint64_t frames = net.GetNic(0)->GetPacketHops();
    const uint64_t bytes = net.GetNic(0)->GetTxWireBytes();
    EXPECT_EQ(SentBytes(net, 0) + SentBytes(net, 1), bytes + 6 * frames);
    EXPECT_EQ(net.GetSwitch(1)->GetPort(0)->GetTxWireBytes(), bytes);
    EXPECT_EQ(net.GetSwitch(0)->GetPort(2)->GetTxWireBytes(), net.GetNic(1)->GetTxWireBytes());
}

// A link fails: with new routes all go over the others, and when it is back over all.
TEST_F(FabricPolicyTest, FailuresRerouteThroughTheSameTables)
{
    for (const char* policy : {"Conga", "Drill"})
    {
        UseSelectiveRepeat();
        Network net;
        Build(net, policy, std::vector<uint64_t>(3, 100 * G), std::vector<uint64_t>(3, 100 * G));
        net.SetReroute(50 * US);
        std::vector<FlowSpec> flows;
        for (uint32_t i = 0; i < 40; ++i)
        {
            flows.push_back(Flow(i % HOSTS, HOSTS + i % HOSTS, 200000, i * 40 * US));
        }
        const Completions done(net);
        net.InstallFlows(Numbered(flows));
        net.ScheduleLinkChange(200 * US, 2 * HOSTS + 2, false); // leaf 0 to spine 1
        net.ScheduleLinkChange(800 * US, 2 * HOSTS + 2, true);
        uint64_t before = 0;
        uint64_t during = 0;
        Simulator::Schedule(MicroSeconds(251), [&] { before = SentBytes(net, 1); });
        Simulator::Schedule(MicroSeconds(799), [&] { during = SentBytes(net, 1); });
        Simulator::Run();
        EXPECT_EQ(done.sent.size(), flows.size()) << policy;
        EXPECT_GT(before, 0u) << policy;
        EXPECT_EQ(during, before) << policy;
        EXPECT_GT(SentBytes(net, 1), during) << policy;
        EXPECT_EQ(net.Audit(true), "") << policy;
        Simulator::Destroy();
    }
}

// The same frames at the same times in any number of threads.
TEST_F(FabricPolicyTest, ThreadsGiveTheSame)
{
    const auto run = [](const char* policy, unsigned threads) {
        UseSelectiveRepeat();
        Network net;
        Build(net, policy, std::vector<uint64_t>(4, 40 * G), std::vector<uint64_t>(4, 40 * G));
        net.EnableFingerprint();
        std::vector<FlowSpec> flows;
        for (uint32_t i = 0; i < 40; ++i)
        {
            flows.push_back(Flow(i % (2 * HOSTS), (i + HOSTS) % (2 * HOSTS), 50000, i * 3 * US));
        }
        net.InstallFlows(Numbered(flows));
        if (threads > 1)
        {
            EXPECT_EQ(net.SetThreads(threads), threads);
        }
        Simulator::Run();
        EXPECT_EQ(net.Audit(true), "");
        const uint64_t fingerprint = net.GetFingerprint();
        Simulator::Destroy();
        return fingerprint;
    };
    for (const char* policy : {"Conga", "Drill"})
    {
        const uint64_t one = run(policy, 1);
        EXPECT_EQ(run(policy, 2), one) << policy;
        EXPECT_EQ(run(policy, 4), one) << policy;
    }
    EXPECT_NE(run("Conga", 1), run("Drill", 1));
}
