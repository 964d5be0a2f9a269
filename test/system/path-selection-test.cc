// SPDX-License-Identifier: GPL-2.0-only
// Path selection in a network with four equal paths: balance, order, getting out of the way.
#include "roce-test-network.h"

#include "ns3/roce-flow-application.h"
#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-selective-repeat.h"
#include "ns3/roce-stall-detector.h"

#include <algorithm>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

struct PathSelection : SystemTest
{
    /// Two leaves, four spines; hosts 0..n-1 and n..2n-1.
    static void Make(Network& net, uint32_t hosts = 4)
    {
        LeafSpineHelper h;
        h.datacenters = 1;
        h.leaves = 2;
        h.spines = 4;
        h.hostsPerLeaf = hosts;
        h.Construct(net);
        net.Build();
        net.AssignStreams(1);
    }

    static void Select(const std::string& selector)
    {
        Config::SetDefault("ns3::roce::Nic::PathSelector", StringValue("ns3::roce::" + selector));
    }

    static void Recover(const std::string& recovery)
    {
        Config::SetDefault("ns3::roce::Nic::LossRecovery", StringValue("ns3::roce::" + recovery));
    }

    /// Data bytes that leaf 0 has sent to each spine.
    static std::vector<uint64_t> Uplinks(const Network& net, uint32_t hosts = 4)
    {
        std::vector<uint64_t> bytes;
        for (uint16_t p = 0; p < 4; ++p)
        {
            bytes.push_back(net.GetSwitch(0)->GetPort(hosts + p)->GetTxWireBytes());
        }
        return bytes;
    }

    static uint64_t Reordered(const Network& net)
    {
        uint64_t n = 0;
        for (uint32_t i = 0; i < net.GetNNics(); ++i)
        {
            n += net.GetNic(i)->GetCounters().reordered;
        }
        return n;
    }
};

} // namespace

TEST_F(PathSelection, FlowHashKeepsAFlowOnOnePathAndInOrder)
{
    SetRateLaw("LineRate");
    Network net;
    Make(net);
    const auto flows = Numbered({Flow(0, 4, 1000000)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    const std::vector<uint64_t> bytes = Uplinks(net);
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0u), 3);
    EXPECT_EQ(Reordered(net), 0u);
    EXPECT_EQ(net.GetNic(0)->GetProfile()->GetSelector()->IsStatic(), true);
}

// Flows between datacenters may choose paths, and repair losses, in another way than those within.
TEST_F(PathSelection, EachClassOfFlowsHasItsOwnSelectorAndRecovery)
{
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Nic::InterPathSelector", StringValue("ns3::roce::Spray"));
    Config::SetDefault("ns3::roce::Nic::InterLossRecovery",
                       StringValue("ns3::roce::SelectiveRepeat[ReorderPackets=100]"));
    Network net;
    for (uint32_t i = 0; i < 3; ++i)
    {
        net.AddSwitch("s" + std::to_string(i), i == 2);
        net.AddNic(net.AddHost("h" + std::to_string(i), i == 2), i, 100 * G, US);
    }
    for (const uint32_t other : {1, 1, 2, 2})
    {
        net.Connect(0, other, 100 * G, US);
    }
    net.Build();
    const auto flows = Numbered({Flow(0, 1, 1000000), Flow(0, 2, 1000000)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    const auto hasSentMost = [&net](uint16_t port) {
        return net.GetSwitch(0)->GetPort(port)->GetTxWireBytes() > 900000;
    };
    EXPECT_NE(hasSentMost(1), hasSentMost(2));
    EXPECT_FALSE(hasSentMost(3) || hasSentMost(4));
    for (const bool interDc : {false, true})
    {
        const TransportProfile& profile = *net.GetNic(0)->GetProfile(interDc);
        EXPECT_EQ(!!DynamicCast<SelectiveRepeat>(profile.GetRecovery()), interDc);
        EXPECT_EQ(profile.GetSelector()->IsPerPacket(), interDc);
    }
    EXPECT_EQ(Sum(net).naks, net.GetNic(2)->GetCounters().naksSent);
}

// What is reported of a queue pair is its present path, or with Spray all of them, and not the path
// of the entropy it began with.
TEST_F(PathSelection, ReportsNameTheFailedLinksOfTheWayTaken)
{
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MicroSeconds(100)));
    uint32_t moved = 0;
    for (int64_t stopUs = 50; stopUs < 900; stopUs += 100) // a timeout each
    {
        const bool spray = stopUs == 50;
        Select(spray ? "Spray" : "Plb");
        Network net;
        Make(net, 1);
        const auto flows = Numbered({Flow(0, 1, 1000000)});
        net.InstallFlows(flows);
        for (uint32_t spine = 0; spine < 4; ++spine)
        {
            const auto [link, end] = net.FindLink(0, 2 + spine, 0);
            net.ScheduleLinkChange(5 * US, link, false, 1U << end);
        }
        Simulator::Stop(MicroSeconds(stopUs));
        Simulator::Run();
        const StallDetector detector(net, StallDetector::Options());
        const std::vector<std::string> lines = detector.DescribeUnfinished();
        ASSERT_EQ(lines.size(), 1u);
        const QueuePair* qp = net.GetNic(0)->GetQp(2);
        ASSERT_NE(qp, nullptr);
        const auto path = net.TracePath(0, 1, qp->GetEntropy());
        ASSERT_EQ(path.size(), 4u);
        const auto first = net.TracePath(0, 1, qp->GetConfig().entropy);
        moved += first[2].port != path[2].port;
        for (uint32_t spine = 0; spine < 4; ++spine)
        {
            const std::string text = "; link dc0-leaf0 - dc0-spine" + std::to_string(spine) +
                                     ", direction from dc0-leaf0, is down since 0.005 ms";
            const bool taken =
                path[2].port->GetNode()->GetId() == net.GetSwitch(2 + spine)->GetNodeId();
            if (spray || taken)
            {
                EXPECT_NE(lines[0].find(text), std::string::npos) << lines[0];
            }
            else
            {
                EXPECT_EQ(lines[0].find(text), std::string::npos) << lines[0];
            }
        }
        Simulator::Destroy();
    }
    EXPECT_GT(moved, 3u);
}

// Parallel links to a DCI switch are paths of their own: of data, and of the ACKs back.
TEST_F(PathSelection, FlowsSpreadOverParallelLinksToTheDciSwitch)
{
    LeafSpineHelper h;
    h.leaves = 2;
    h.spines = 2;
    h.external.links = 3;
    Network net;
    h.Construct(net);
    net.Build();
    std::vector<FlowSpec> flows;
    for (uint32_t i = 0; i < 120; ++i)
    {
        flows.push_back(Flow(i % 8, 8 + i % 7, 10000));
    }
    flows = Numbered(flows);
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    for (const uint32_t dci : {4, 9}) // the last switch of each datacenter
    {
        ASSERT_EQ(net.GetSwitch(dci)->GetNPorts(), 2 * 3 + 1);
        for (uint16_t p = 0; p < 6; ++p)
        {
            const Ptr<Port> port = net.GetSwitch(dci)->GetPort(p);
            EXPECT_GT(port->GetTxWireBytes(), 0u) << "link " << p;
            EXPECT_GT(port->GetPeer()->GetTxWireBytes(), 0u) << "link " << p;
        }
    }
}

// Four flows of four hosts: with spraying every path carries a quarter, and all four get the full
// rate, which flow hashing gives only if no two of them meet.
TEST_F(PathSelection, SprayBalancesAndSelectiveRepeatBearsTheReordering)
{
    SetRateLaw("LineRate");
    Select("Spray");
    Recover("SelectiveRepeat[BdpCap=0|ReorderPackets=100]");
    Network net;
    Make(net);
    std::vector<FlowSpec> flows;
    for (uint32_t i = 0; i < 4; ++i)
    {
        flows.push_back(Flow(i, 4 + i, 8000000));
    }
    flows = Numbered(flows);
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    const std::vector<uint64_t> bytes = Uplinks(net);
    EXPECT_LT(*std::max_element(bytes.begin(), bytes.end()),
              *std::min_element(bytes.begin(), bytes.end()) * 1.1);
    EXPECT_GT(Reordered(net), 100u);
    EXPECT_EQ(Sum(net).retransmitted, 0u);
    for (const FlowSpec& flow : flows)
    {
        EXPECT_LT(done.FctPs(flow.id), 1.15 * net.GetIdeal(flow).senderFctPs);
    }
}

// The same with go-back-N: each overtaken packet is taken for a loss. All arrives all the same.
TEST_F(PathSelection, SprayWithGoBackNGoesBackOften)
{
    SetRateLaw("LineRate");
    Select("Spray");
    Network net;
    Make(net);
    const auto flows = Numbered({Flow(0, 4, 500000), Flow(1, 5, 500000), Flow(2, 6, 500000)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    EXPECT_GT(Sum(net).naks, 5u);
    EXPECT_GT(Sum(net).retransmitted, 50u);
}

TEST_F(PathSelection, SprayOverAFixedSetUsesOnlyThatManyPaths)
{
    SetRateLaw("LineRate");
    Select("Spray[Paths=1]");
    Network net;
    Make(net);
    const auto flows = Numbered({Flow(0, 4, 1000000)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    const std::vector<uint64_t> bytes = Uplinks(net);
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0u), 3);
}

// Messages with pauses between them: each is a flowlet, and none is reordered.
TEST_F(PathSelection, FlowletsMoveBetweenMessagesWithoutReordering)
{
    SetRateLaw("LineRate");
    Select("Flowlet[Gap=20us]");
    Network net;
    Make(net);
    Completions done(net);
    Ptr<Nic> nic = net.GetNic(0);
    const uint32_t dstQp = net.GetNic(4)->ReserveQp(0, nic->GetProfile());
    QueuePair* qp = nullptr;
    for (int i = 0; i < 40; ++i)
    {
        Simulator::Schedule(MicroSeconds(100 * i), [&, i]() {
            qp = qp ? qp : nic->OpenQp(4, dstQp, 3, 0xc000, false);
            nic->Post(qp, 100000, i);
        });
    }
    Simulator::Run();
    EXPECT_EQ(done.sent.size(), 40u);
    EXPECT_EQ(qp->GetSelector()->GetMoves(), 39u);
    const std::vector<uint64_t> bytes = Uplinks(net);
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0u), 0);
    EXPECT_EQ(Reordered(net), 0u);
}

// Two long flows that flow hashing has put on one uplink: PLB moves them apart, by either signal.
class PlbSignal : public PathSelection,
                  public ::testing::WithParamInterface<std::pair<const char*, const char*>>
{
};

TEST_P(PlbSignal, LeavesACongestedPath)
{
    double finish[2];
    for (const bool plb : {false, true})
    {
        SetRateLaw(GetParam().first);
        Select(plb ? GetParam().second : "FlowHash");
        Recover("SelectiveRepeat[BdpCap=0|ReorderPackets=200|RtoHigh=4ms|RtoLow=4ms]");
        Network net;
        Make(net);
        std::vector<FlowSpec> flows{Flow(0, 4, 60000000), Flow(1, 5, 60000000)};
        // Find source ports that meet.
        flows[0].srcPort = 0xc000;
        for (flows[1].srcPort = 0xc001;
             net.TracePath(1, 5, flows[1].srcPort)[1].port != net.TracePath(0, 4, 0xc000)[1].port;
             ++flows[1].srcPort)
        {
        }
        flows = Numbered(flows);
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        ExpectAllDone(net, done, flows);
        finish[plb] = static_cast<double>(std::max(done.FctPs(0), done.FctPs(1)));
        const uint64_t moves =
            net.GetNic(0)->GetCounters().pathMoves + net.GetNic(1)->GetCounters().pathMoves;
        EXPECT_EQ(moves > 0, plb);
        Simulator::Destroy();
    }
    EXPECT_LT(finish[true], 0.75 * finish[false]);
}

INSTANTIATE_TEST_SUITE_P(Signals,
                         PlbSignal,
                         ::testing::Values(std::pair("LineRate[Window=1200000]", "Plb"),
                                           std::pair("LineRate[Window=300000]",
                                                     "Plb[Signal=delay]")));

// A spine swallows everything: a flow that PLB moves after a timeout gets around it.
TEST_F(PathSelection, PlbLeavesADeadPathAfterATimeout)
{
    for (const bool plb : {false, true})
    {
        SetRateLaw("LineRate");
        Select(plb ? "Plb" : "FlowHash");
        Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MicroSeconds(200)));
        Network net;
        Make(net);
        const auto flows = Numbered({Flow(0, 4, 1000000)});
        const uint16_t entropy = FlowApplication::Entropy(flows[0]);
        LoseFrames(net.TracePath(0, 4, entropy)[1].port->GetPeer(),
                   [](const Frame&) { return true; });
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        EXPECT_EQ(done.sent.size(), plb ? 1u : 0u);
        EXPECT_EQ(Sum(net).failed, plb ? 0u : 1u);
        Simulator::Destroy();
    }
}

// Streams decide: the same again for the same, another for another.
TEST_F(PathSelection, RandomChoicesComeFromTheAssignedStream)
{
    std::vector<uint64_t> prints;
    for (const int64_t stream : {1, 1, 500})
    {
        SetRateLaw("LineRate");
        Select("Spray");
        Recover("SelectiveRepeat[ReorderPackets=100]");
        Network net;
        Make(net);
        net.AssignStreams(stream);
        net.EnableFingerprint();
        net.InstallFlows(Numbered({Flow(0, 4, 1000000), Flow(1, 5, 1000000)}));
        Simulator::Run();
        prints.push_back(net.GetFingerprint());
        Simulator::Destroy();
    }
    EXPECT_EQ(prints[0], prints[1]);
    EXPECT_NE(prints[0], prints[2]);
}
