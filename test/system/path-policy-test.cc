// SPDX-License-Identifier: GPL-2.0-only
// Path policies of switches: what the tables say of each way, what UCMP and LCMP choose, that flows
// stay where they are, go on after failures, and never go round in circles on detours.
#include "roce-error-of.h"
#include "roce-test-network.h"

#include "ns3/roce-lcmp.h"
#include "ns3/roce-ucmp.h"

#include <array>
#include <set>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// A way through one datacenter: rate and delay of each of its two links.
struct Way
{
    uint64_t rateBps;
    int64_t delayPs;
};

/// The ways of the LCMP paper's Figure 5.
const std::vector<Way> SIX_WAYS{{200 * G, 25 * MS},
                                {200 * G, 100 * MS},
                                {100 * G, 10 * MS},
                                {100 * G, 40 * MS},
                                {25 * G, 5 * MS},
                                {25 * G, 20 * MS}};

constexpr uint32_t HOSTS = 2; //!< of each of the two datacenters at the ends

class PathPolicyTest : public SystemTest
{
  public:
    /// Switches 0 and 1 have hosts, 2 and so on are in the middle; links in this order. With a
    /// leafBps the hosts of switch 1 are at one more, behind a link of that rate.
    static void Build(Network& net,
                      const std::vector<Way>& ways,
                      const std::string& policy,
                      uint64_t leafBps = 0)
    {
        Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(0));
        Config::SetDefault("ns3::roce::Switch::EgressLimit", StringValue("1GiB"));
        for (uint32_t dc = 0; dc < 2; ++dc)
        {
            net.AddSwitch("end" + std::to_string(dc), dc);
        }
        for (uint32_t dc = 0; dc < 2; ++dc)
        {
            const uint32_t sw = dc && leafBps ? net.AddSwitch("leaf", dc) : dc;
            for (uint32_t h = 0; h < HOSTS; ++h)
            {
                net.AddNic(net.AddHost("h", dc), sw, 100 * G, US);
            }
            if (sw > dc)
            {
                net.Connect(dc, sw, leafBps, US);
            }
        }
        for (uint32_t w = 0; w < ways.size(); ++w)
        {
            const uint32_t sw = net.AddSwitch("middle" + std::to_string(w), 2 + w);
            net.Connect(0, sw, ways[w].rateBps, ways[w].delayPs);
            net.Connect(sw, 1, ways[w].rateBps, ways[w].delayPs);
        }
        Network::Options options;
        if (!policy.empty())
        {
            options.edgePathPolicy = ObjectFactory("ns3::roce::" + policy);
        }
        net.Build(options);
    }

    /// @return the index of the way that switch 0 chooses for a flow
    static uint32_t Choose(Network& net, uint16_t entropy, int64_t nowPs)
    {
        const Ptr<Switch> sw = net.GetSwitch(0);
        const PathList paths = sw->GetRouting().GetPaths(HOSTS);
        Frame frame{};
        frame.src = 0;
        frame.dst = HOSTS;
        frame.entropy = entropy;
        const uint32_t hash = sw->GetRouting().Hash(0, HOSTS, entropy);
        return sw->GetPathPolicy()->Choose({frame, paths.entries, paths.all, hash, nowPs});
    }

    /// @return how many of many flows take each way
    static std::vector<unsigned> Spread(Network& net, std::size_t ways, unsigned flows)
    {
        std::vector<unsigned> counts(ways);
        for (unsigned i = 0; i < flows; ++i)
        {
            ++counts.at(Choose(net, static_cast<uint16_t>(i), MS));
        }
        return counts;
    }
};

} // namespace

// Delay and least rate are those of the whole way, also where the second link differs.
TEST_F(PathPolicyTest, TablesKnowDelayAndLeastRate)
{
    Network net;
    Build(net, {{200 * G, 25 * MS}, {25 * G, 5 * MS}}, "Ucmp");
    const PathList paths = net.GetSwitch(0)->GetRouting().GetPaths(HOSTS);
    ASSERT_EQ(paths.all, 2u);
    EXPECT_EQ(paths.shortest, 2u);
    EXPECT_EQ(paths.entries[0].delayPs, 50 * MS);
    EXPECT_EQ(paths.entries[0].leastBps, 200 * G);
    EXPECT_EQ(paths.entries[1].delayPs, 10 * MS);
    EXPECT_EQ(paths.entries[1].leastBps, 25 * G);
    EXPECT_FALSE(paths.entries[1].detour);
    // A sender has to reckon with the longest.
    EXPECT_GT(net.GetPath(0, HOSTS, 0).baseRttPs, 100 * MS);
    EXPECT_LT(net.GetPath(0, HOSTS, 0).baseRttPs, 101 * MS);
    // The ideal is that of the quickest.
    EXPECT_LT(net.GetIdeal(Flow(0, HOSTS, 1000)).senderFctPs, 21 * MS);
}

TEST_F(PathPolicyTest, UcmpSharesByRate)
{
    Network net;
    Build(net, {{200 * G, MS}, {100 * G, MS}, {25 * G, MS}}, "Ucmp");
    const std::vector<unsigned> counts = Spread(net, 3, 60000);
    EXPECT_NEAR(counts[0], 60000 * 200 / 325.0, 600);
    EXPECT_NEAR(counts[1], 60000 * 100 / 325.0, 600);
    EXPECT_NEAR(counts[2], 60000 * 25 / 325.0, 400);
}

// Narrow links inside the other datacenter do not make wide and narrow ways equal.
TEST_F(PathPolicyTest, UcmpLooksAtTheNextLink)
{
    Config::SetDefault("ns3::roce::Ucmp::OnlyWidest", BooleanValue(true));
    Network net;
    Build(net, {{200 * G, MS}, {100 * G, MS}}, "Ucmp", 50 * G);
    EXPECT_EQ(net.GetSwitch(0)->GetRouting().GetPaths(HOSTS).entries[0].leastBps, 50 * G);
    EXPECT_EQ(Spread(net, 2, 1000)[0], 1000u);
}

TEST_F(PathPolicyTest, UcmpOnlyWidest)
{
    Config::SetDefault("ns3::roce::Ucmp::OnlyWidest", BooleanValue(true));
    Network net;
    Build(net, SIX_WAYS, "Ucmp");
    const std::vector<unsigned> counts = Spread(net, 6, 60000);
    EXPECT_NEAR(counts[0], 30000, 600);
    EXPECT_NEAR(counts[1], 30000, 600);
    EXPECT_EQ(counts[2] + counts[3] + counts[4] + counts[5], 0u);
}

// (3 * min(255, ms * 255 / 32) + 255 - points of the rate) / 4, by hand.
TEST_F(PathPolicyTest, LcmpQualityOfFirstLink)
{
    Network net;
    Build(net, SIX_WAYS, "Lcmp");
    const auto lcmp = DynamicCast<Lcmp>(net.GetSwitch(0)->GetPathPolicy());
    const PathList paths = net.GetSwitch(0)->GetRouting().GetPaths(HOSTS);
    const std::array<uint32_t, 6> costs{181, 223, 110, 242, 93, 183};
    for (uint32_t i = 0; i < 6; ++i)
    {
        EXPECT_EQ(lcmp->QualityCost(paths.entries[i]), costs[i]) << i;
    }
}

TEST_F(PathPolicyTest, LcmpQualityOfWholePath)
{
    Config::SetDefault("ns3::roce::Lcmp::Quality", StringValue("path"));
    Network net;
    Build(net, SIX_WAYS, "Lcmp");
    const auto lcmp = DynamicCast<Lcmp>(net.GetSwitch(0)->GetPathPolicy());
    const PathList paths = net.GetSwitch(0)->GetRouting().GetPaths(HOSTS);
    EXPECT_EQ(lcmp->QualityCost(paths.entries[4]), (3 * 79 + 255) / 4u);  // 10 ms
    EXPECT_EQ(lcmp->QualityCost(paths.entries[2]), (3 * 159 + 204) / 4u); // 20 ms
}

// The cheaper half, alike.
TEST_F(PathPolicyTest, LcmpTakesTheCheaperHalf)
{
    Network net;
    Build(net, SIX_WAYS, "Lcmp");
    const std::vector<unsigned> counts = Spread(net, 6, 30000);
    EXPECT_NEAR(counts[0], 10000, 400);
    EXPECT_NEAR(counts[2], 10000, 400);
    EXPECT_NEAR(counts[4], 10000, 400);
}

// A queue that was long at many decisions drives new flows away; old ones stay until they are idle.
TEST_F(PathPolicyTest, LcmpAvoidsLongQueuesAndFlowsStay)
{
    Config::SetDefault("ns3::roce::Lcmp::FullQueue", StringValue("1MB"));
    Config::SetDefault("ns3::roce::Lcmp::CongestionShare", UintegerValue(4));
    Config::SetDefault("ns3::roce::Lcmp::QualityShare", UintegerValue(0));
    SetRateLaw("LineRate");
    Network net;
    // The first two ways are slow: what is sent there queues.
    Build(net, {{G, MS}, {100 * G, MS}, {100 * G, MS}, {100 * G, MS}}, "Lcmp");
    uint16_t entropy = 1; // 0 would be any
    while (Choose(net, entropy, 0) != 0)
    {
        ++entropy;
    }
    FlowSpec flow = Flow(0, HOSTS, 4000000);
    flow.srcPort = entropy;
    net.InstallFlows(Numbered({flow}));
    std::set<uint32_t> others;
    uint32_t same = 9;
    Simulator::Schedule(MicroSeconds(300), [&] {
        EXPECT_GT(net.GetSwitch(0)->GetQueue(HOSTS).GetTotalBytes(), 1000000u);
        for (uint16_t e = 1000; e < 1200; ++e)
        {
            others.insert(Choose(net, e, 300 * US));
        }
        same = Choose(net, entropy, 300 * US);
    });
    Simulator::Run();
    EXPECT_EQ(others.count(0), 0u);
    EXPECT_EQ(others.size(), 2u); // the cheaper half of four
    EXPECT_EQ(same, 0u);
    // Idle for more than 2 s: placed anew, as a new flow is. The queues are empty again.
    EXPECT_EQ(net.GetCounters().at("lcmpFlowsPlaced"), entropy + 200u + 1u); // and its ACKs
    Choose(net, entropy, 300 * US + 2001 * MS);
    EXPECT_EQ(net.GetCounters().at("lcmpFlowsPlaced"), entropy + 200u + 2u);
}

// The way of a flow fails: with new routes it takes another one.
TEST_F(PathPolicyTest, FailuresRerouteThroughTheSameTables)
{
    for (const char* policy : {"Ucmp", "Lcmp"})
    {
        Network net;
        Build(net, {{100 * G, 100 * US}, {100 * G, 100 * US}}, policy);
        net.SetReroute(200 * US);
        FlowSpec flow = Flow(0, HOSTS, 5000000);
        flow.srcPort = 7;
        const uint32_t way = Choose(net, 7, 0);
        const Completions done(net);
        net.InstallFlows(Numbered({flow}));
        net.ScheduleLinkChange(300 * US, 2 * HOSTS + 2 * way, false);
        Simulator::Schedule(MicroSeconds(600), [&] {
            const Ptr<Switch> sw = net.GetSwitch(0);
            EXPECT_EQ(sw->GetRouting().GetGroup(net.GetRack(HOSTS)),
                      std::vector<uint16_t>{static_cast<uint16_t>(HOSTS + 1 - way)});
        });
        Simulator::Run();
        EXPECT_GT(done.FctPs(0), 500 * US) << policy;
        EXPECT_EQ(net.GetCounters().at("framesDroppedNoRoute"), 0u);
        Simulator::Destroy();
    }
}

// Three datacenters: the direct link or the way through the third, from where no frame goes on a
// detour again.
TEST_F(PathPolicyTest, DetoursAreOneLinkLongerAndEnd)
{
    Network net;
    for (uint32_t dc = 0; dc < 3; ++dc)
    {
        net.AddSwitch("dc" + std::to_string(dc), dc);
        net.AddNic(net.AddHost("h", dc), dc, 100 * G, US);
    }
    net.Connect(0, 1, 100 * G, 100 * US);
    net.Connect(1, 2, 100 * G, 10 * US);
    net.Connect(0, 2, 100 * G, 10 * US);
    Network::Options options;
    options.edgePathPolicy = ObjectFactory("ns3::roce::Ucmp");
    options.detours = true;
    net.Build(options);
    const PathList paths = net.GetSwitch(0)->GetRouting().GetPaths(1);
    ASSERT_EQ(paths.all, 2u);
    ASSERT_EQ(paths.shortest, 1u);
    EXPECT_TRUE(paths.entries[1].detour);
    EXPECT_EQ(paths.entries[1].delayPs, 20 * US);
    std::vector<FlowSpec> flows;
    for (uint16_t i = 0; i < 60; ++i)
    {
        flows.push_back(Flow(i % 3, (i + 1 + i / 30) % 3, 3000, i * US));
    }
    const Completions done(net);
    net.InstallFlows(Numbered(flows));
    Simulator::Run();
    EXPECT_EQ(done.sent.size(), flows.size());
    EXPECT_EQ(net.Audit(true), "");
    // No frame passes more than two links between datacenters, and some do.
    uint64_t wanBytes = 0;
    uint64_t hostBytes = 0;
    for (const Ptr<Port>& port : net.GetPorts())
    {
        const bool isNic = DynamicCast<Nic>(port) != nullptr;
        const auto* sw = dynamic_cast<const Switch*>(port->GetOwner());
        wanBytes += sw && sw->IsWanPort(port->GetIndex()) ? port->GetTxWireBytes() : 0;
        hostBytes += isNic ? port->GetTxWireBytes() : 0;
    }
    EXPECT_GT(wanBytes, hostBytes * 5 / 4);
    EXPECT_LT(wanBytes, hostBytes * 2);
}

TEST_F(PathPolicyTest, DetoursNeedAPolicy)
{
    Network net;
    MakeStar(net, 2);
    Network::Options options;
    options.detours = true;
    EXPECT_NE(ErrorOf([&] { net.Build(options); }).find("detours without a path policy"),
              std::string::npos);
}

// The same frames at the same times in any number of threads.
TEST_F(PathPolicyTest, ThreadsGiveTheSame)
{
    const auto run = [](unsigned threads) {
        Network net;
        std::vector<Way> ways = SIX_WAYS;
        for (Way& way : ways)
        {
            way.delayPs /= 100;
        }
        Build(net, ways, "Lcmp");
        net.AssignStreams(1);
        net.EnableFingerprint();
        std::vector<FlowSpec> flows;
        for (uint16_t i = 0; i < 40; ++i)
        {
            flows.push_back(Flow(i % 4, (i + 2) % 4, 50000, i * 3 * US));
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
    const uint64_t one = run(1);
    EXPECT_EQ(run(2), one);
    EXPECT_EQ(run(4), one);
}
