// SPDX-License-Identifier: GPL-2.0-only
// Links that fail and are repaired: which frames are lost, pause state, routes, and the reports.
#include "roce-test-network.h"

#include "ns3/roce-flow-application.h"
#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-run-collector.h"
#include "ns3/roce-stall-detector.h"

#include <algorithm>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr int64_t FIRST = 335520;  // first frame of 4096 B at 100 Gbit/s, ps
constexpr int64_t MIDDLE = 334240; // further frames

struct LinkFailure : SystemTest
{
    void SetUp() override
    {
        SystemTest::SetUp();
        SetRateLaw("LineRate");
        Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MicroSeconds(400)));
        Config::SetDefault("ns3::roce::Nic::RetryLimit", UintegerValue(0));
    }

    /// Two leaves, two spines, two hosts at each leaf; names are dc0-...
    static void MakeLeafSpine(Network& net, unsigned datacenters = 1)
    {
        LeafSpineHelper h;
        h.datacenters = datacenters;
        h.leaves = 2;
        h.spines = 2;
        h.hostsPerLeaf = 2;
        h.wanDelay = MicroSeconds(20);
        h.Construct(net);
        net.Build();
        net.AssignStreams(1);
    }

    /// First uplink of leaf 0 that some path from NIC 0 to NIC 2 uses, with that path's entropy.
    static uint32_t UplinkOf(const Network& net, const FlowSpec& flow)
    {
        const auto path = net.TracePath(flow.src, flow.dst, FlowApplication::Entropy(flow));
        EXPECT_EQ(path.size(), 4u);
        for (uint32_t link = 0; link < net.GetNLinks(); ++link)
        {
            if (&net.GetLink(link) == path[1].port->GetLink())
            {
                return link;
            }
        }
        ADD_FAILURE() << "no such link";
        return 0;
    }
};

bool
Contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

// Frame for frame, on the link from the switch to NIC 1: what arrives by the failure survives, what
// is in flight or sent meanwhile is lost, so is the one under way at the repair, the next survives.
TEST_F(LinkFailure, LosesExactlyWhatWasOnTheLink)
{
    const int64_t delay = 10 * US;
    for (bool eager : {false, true})
    {
        Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
        Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
        Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MilliSeconds(10)));
        Network net;
        MakeStar(net, 2, 100 * G, delay);
        net.Build();
        // Packet i leaves the switch from start(i) on and would arrive at NIC 1 at arrival(i).
        const auto start = [&](int64_t i) { return FIRST + i * MIDDLE + delay; };
        const auto arrival = [&](int64_t i) { return 2 * FIRST + i * MIDDLE + 2 * delay; };
        const int64_t down = arrival(20); // inclusive
        const int64_t up = start(70) + 2000;
        std::vector<uint64_t> arrived;
        std::vector<uint64_t> lost;
        net.GetNic(1)->TraceConnectWithoutContext(
            "RxEnd",
            Callback<void, const Frame&, Time>([&](const Frame& f, Time) {
                if (!(f.flags & FRAME_RETX))
                {
                    arrived.push_back(f.psn);
                }
            }));
        net.GetNic(1)->TraceConnectWithoutContext(
            "PhyRxDrop",
            Callback<void, const Frame&, uint8_t, Time>([&](const Frame& f, uint8_t why, Time at) {
                EXPECT_EQ(why, Port::LOSS_LINK_DOWN);
                EXPECT_EQ(at.GetTimeStep(), arrival(static_cast<int64_t>(f.psn)));
                lost.push_back(f.psn);
            }));
        const uint32_t link = net.GetLinkOfNic(1);
        std::vector<std::pair<int64_t, bool>> changes;
        net.GetNic(1)->AddLinkChangeCallback(Callback<void>([&] {
            changes.emplace_back(Simulator::Now().GetTimeStep(), net.GetNic(1)->IsLinkUp());
        }));
        // One way: the ACKs of what arrived get back.
        net.ScheduleLinkChange(down, link, false, Link::FROM_1);
        net.ScheduleLinkChange(up, link, true, Link::FROM_1);
        const auto flows = Numbered({Flow(0, 1, 100 * 4096)});
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Schedule(TimeStep(down + 1), [&] {
            EXPECT_FALSE(net.GetNic(1)->IsLinkUp());
            EXPECT_TRUE(net.GetSwitch(0)->GetPort(1)->IsLinkUp());
            EXPECT_EQ(net.DescribeDownLinks().size(), 1u);
            EXPECT_EQ(net.Audit(false), "");
        });
        Simulator::Run();
        ExpectAllDone(net, done, flows);
        ASSERT_EQ(lost.size(), 50u); // 21 to 70
        for (uint64_t i = 0; i < 50; ++i)
        {
            EXPECT_EQ(lost[i], 21 + i);
        }
        for (uint64_t psn : {0u, 20u, 71u})
        {
            EXPECT_EQ(std::count(arrived.begin(), arrived.end(), psn), 1) << psn;
        }
        EXPECT_EQ(net.GetNic(1)->GetFramesLost(), 50u);
        EXPECT_EQ(net.GetNic(1)->GetFramesLost(Port::LOSS_LINK_DOWN), 50u);
        EXPECT_EQ(net.CountLinkFailures(), 1u);
        EXPECT_EQ(changes, (std::vector<std::pair<int64_t, bool>>{{down, false}, {up, true}}));
        Simulator::Destroy();
    }
}

// A failure of one picosecond loses what is in flight, both ways, and nothing else.
TEST_F(LinkFailure, FlapLosesWhatIsInFlight)
{
    Network net;
    MakeStar(net, 2, 100 * G, 10 * US);
    net.Build();
    const auto flows = Numbered({Flow(0, 1, 2000 * 4096), Flow(1, 0, 2000 * 4096)});
    Completions done(net);
    net.InstallFlows(flows);
    const uint32_t link = net.GetLinkOfNic(0);
    net.ScheduleLinkChange(100 * US, link, false);
    net.ScheduleLinkChange(100 * US + 1, link, true);
    uint64_t inFlight = 0;
    Simulator::Schedule(TimeStep(100 * US), [&] {
        net.CatchUp();
        inFlight = net.GetLink(link).CountInFlight();
    });
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    const uint64_t lost =
        net.GetNic(0)->GetFramesLost() + net.GetSwitch(0)->GetPort(0)->GetFramesLost();
    EXPECT_GT(inFlight, 2 * 29u);
    EXPECT_EQ(lost, inFlight);
    // Already down, already up: nothing happens.
    net.RepairLink(link);
    EXPECT_EQ(net.CountLinkFailures(), 1u);
}

// The failure of a link whose end is paused: the port drains, and the XOFF that is still due is
// sent again at the repair. Nothing lossless is dropped, nobody stays paused.
TEST_F(LinkFailure, PauseStateSurvives)
{
    // Long pauses without refresh: only the repair itself can bring the news.
    Config::SetDefault("ns3::roce::Switch::RefreshPause", BooleanValue(false));
    Config::SetDefault("ns3::roce::Port::InfinitePause", BooleanValue(true));
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("600kB"));
    Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MilliSeconds(20)));
    for (bool eager : {false, true})
    {
        Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
        Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
        Network net;
        MakeStar(net, 5);
        net.Build();
        std::vector<FlowSpec> flows;
        for (uint32_t src = 0; src < 4; ++src)
        {
            flows.push_back(Flow(src, 4, 4000000));
        }
        flows = Numbered(flows);
        Completions done(net);
        net.InstallFlows(flows);
        bool pausedBefore = false;
        bool pausedMeanwhile = false;
        bool wasPausedAfter = false;
        // A moment at which NIC 0 is paused; the queue is deep, so its XOFF outlasts the failure.
        std::function<void()> poll = [&] {
            net.CatchUp();
            const int64_t now = Simulator::Now().GetTimeStep();
            const auto& paused = net.GetSwitch(0)->GetBuffer().GetPaused();
            const bool due =
                std::find(paused.begin(), paused.end(), std::pair<uint16_t, uint8_t>(0, 3)) !=
                paused.end();
            if (!due || !net.GetNic(0)->PausedMask(now))
            {
                Simulator::Schedule(NanoSeconds(100), poll);
                return;
            }
            pausedBefore = true;
            const uint32_t link = net.GetLinkOfNic(0);
            net.FailLink(link);
            pausedMeanwhile = net.GetNic(0)->PausedMask(now);
            Simulator::Schedule(NanoSeconds(200), [&net, link] { net.RepairLink(link); });
            Simulator::Schedule(NanoSeconds(200) + MicroSeconds(1) + PicoSeconds(6721),
                                [&net, &wasPausedAfter] {
                                    net.CatchUp();
                                    wasPausedAfter = net.GetNic(0)->PausedMask(NowPs());
                                });
        };
        Simulator::Schedule(MicroSeconds(30), poll);
        Simulator::Run();
        EXPECT_TRUE(pausedBefore);
        EXPECT_FALSE(pausedMeanwhile);
        EXPECT_TRUE(wasPausedAfter);
        ExpectAllDone(net, done, flows);
        EXPECT_EQ(Sum(net).lostLossless, 0u);
        EXPECT_GT(Sum(net).refreshed, 0u);
        Simulator::Destroy();
    }
}

// The failure ends a pause that nothing else would have ended, and the NIC goes on by itself.
TEST_F(LinkFailure, EndsAPauseForEver)
{
    Config::SetDefault("ns3::roce::Port::InfinitePause", BooleanValue(true));
    Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MilliSeconds(20)));
    Network net;
    MakeStar(net, 2);
    net.Build();
    const auto flows = Numbered({Flow(0, 1, 1000000)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Schedule(MicroSeconds(5), [&net] {
        net.CatchUp();
        Port& port = *net.GetSwitch(0)->GetPort(0);
        port.Transmit(port.MakePfc(3, 0xffff), NowPs() + 20 * NS); // behind the ACK under way
    });
    Simulator::Schedule(MicroSeconds(100), [&net] {
        net.CatchUp();
        EXPECT_NE(net.GetNic(0)->PausedMask(NowPs()), 0u);
    });
    net.ScheduleLinkChange(100 * US, net.GetLinkOfNic(0), false);
    net.ScheduleLinkChange(100 * US + 1, net.GetLinkOfNic(0), true);
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    EXPECT_EQ(net.GetNic(0)->GetCounters().timeouts, 0u);
    EXPECT_LT(done.FctPs(0), 250 * US);
}

// Routes that stay: the flow waits for the repair. Routes that follow: it goes round.
TEST_F(LinkFailure, ReroutedFlowsGoRound)
{
    const int64_t down = 50 * US;
    const int64_t up = 20 * MS;
    std::map<int64_t, int64_t> fct;
    for (int64_t reroute : {NEVER_PS, int64_t{0}, 2 * MS, 30 * MS})
    {
        Network net;
        MakeLeafSpine(net);
        if (reroute != NEVER_PS)
        {
            net.SetReroute(reroute);
        }
        const auto flows = Numbered({Flow(0, 2, 5000000)});
        const uint32_t link = UplinkOf(net, flows[0]);
        const auto ideal = net.GetIdeal(flows[0]).senderFctPs;
        Completions done(net);
        net.InstallFlows(flows);
        net.ScheduleLinkChange(down, link, false);
        net.ScheduleLinkChange(up, link, true);
        const auto group = [&] { return net.GetSwitch(0)->GetRouting().GetGroup(1).size(); };
        if (reroute == 2 * MS)
        {
            for (auto [at, size] : {std::pair(2 * MS, 2u),
                                    {2 * MS + 50 * US + 1, 1u},
                                    {21 * MS, 1u},
                                    {22 * MS + 1, 2u}})
            {
                Simulator::Schedule(TimeStep(at), [&group, size = size, at = at] {
                    EXPECT_EQ(group(), size) << at;
                });
            }
            EXPECT_EQ(net.GetLastChangePs(), up);
        }
        Simulator::Run();
        ExpectAllDone(net, done, flows);
        EXPECT_GT(Sum(net).retransmitted, 0u);
        EXPECT_EQ(group(), 2u);
        EXPECT_EQ(net.GetIdeal(flows[0]).senderFctPs, ideal);
        fct[reroute] = done.FctPs(0);
        Simulator::Destroy();
    }
    EXPECT_GT(fct[NEVER_PS], up);
    EXPECT_GT(fct[30 * MS], up);
    EXPECT_LT(fct[0], 2 * MS);
    EXPECT_GT(fct[2 * MS], 2 * MS);
    EXPECT_LT(fct[2 * MS], 4 * MS);
}

// All uplinks gone: without route frames are dropped and counted; with the repair everything goes
// on.
TEST_F(LinkFailure, UnreachableAndBack)
{
    Network net;
    MakeLeafSpine(net);
    net.SetReroute(100 * US);
    const auto flows = Numbered({Flow(0, 2, 3000000), Flow(2, 1, 3000000, 3 * MS)});
    Completions done(net);
    net.InstallFlows(flows);
    for (const char* spine : {"dc0-spine0", "dc0-spine1"})
    {
        const uint32_t link = net.FindLink("dc0-leaf0", spine).link;
        net.ScheduleLinkChange(50 * US, link, false);
        net.ScheduleLinkChange(10 * MS, link, true);
    }
    std::string report;
    const int64_t rttPs = net.GetPath(0, 2, 0).baseRttPs;
    const int64_t idealPs = net.GetIdeal(flows[0]).senderFctPs;
    Simulator::Schedule(MilliSeconds(5), [&] {
        EXPECT_EQ(net.TracePath(0, 2, 0).size(), 1u);
        // What is known of a path does not depend on there being one now.
        EXPECT_EQ(net.GetPath(0, 2, 0).baseRttPs, rttPs);
        EXPECT_EQ(net.GetPath(0, 2, 0).hops, 4u);
        EXPECT_EQ(net.GetIdeal(flows[0]).senderFctPs, idealPs);
        StallDetector detector(net, StallDetector::Options());
        report = detector.DescribeUnfinished().at(0);
        EXPECT_EQ(net.Audit(false), "");
    });
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    EXPECT_GT(net.GetSwitch(0)->GetDrops().Get(Switch::DROP_NO_ROUTE), 0u);
    EXPECT_TRUE(Contains(report, "dc0-leaf0 has no route to NIC 2")) << report;
    EXPECT_TRUE(Contains(report, "link dc0-leaf0 - dc0-spine1 is down since 0.05 ms")) << report;
    EXPECT_GT(done.FctPs(0), 10 * MS);
}

// Each change becomes known on its own, even if the next has come meanwhile.
TEST_F(LinkFailure, ChangesBecomeKnownInTurn)
{
    Network net;
    MakeLeafSpine(net);
    net.SetReroute(2 * MS);
    const uint32_t first = net.FindLink("dc0-leaf0", "dc0-spine0").link;
    const uint32_t second = net.FindLink("dc0-leaf0", "dc0-spine1").link;
    net.ScheduleLinkChange(MS, first, false);
    net.ScheduleLinkChange(3 * MS / 2, first, true);
    net.ScheduleLinkChange(2 * MS, second, false);
    net.ScheduleLinkChange(5 * MS / 2, second, true);
    using Group = std::vector<uint16_t>;
    std::vector<Group> groups;
    for (int64_t at : {2 * MS, 13 * MS / 4, 15 * MS / 4, 17 * MS / 4, 19 * MS / 4})
    {
        Simulator::Schedule(TimeStep(at),
                            [&] { groups.push_back(net.GetSwitch(0)->GetRouting().GetGroup(1)); });
    }
    Simulator::Run();
    EXPECT_EQ(net.GetLastChangePs(), 9 * MS / 2);
    // Ports 0 and 1 are the hosts'.
    EXPECT_EQ(groups, (std::vector<Group>{{2, 3}, {3}, {2, 3}, {2}, {2, 3}}));
}

// One direction fails: only frames that way are rerouted, and only they are lost.
TEST_F(LinkFailure, OneDirection)
{
    Network net;
    MakeLeafSpine(net);
    net.SetReroute(MS);
    const auto ref = net.FindLink("dc0-spine0", "dc0-leaf0");
    EXPECT_EQ(ref.firstEnd, 1u); // the leaf was named first when it was made
    Link& link = net.GetLink(ref.link);
    net.FailLink(ref.link, 1U << ref.firstEnd); // down only
    Simulator::Schedule(MilliSeconds(2), [&] {
        // Leaf 0 may still use it; from the other leaf to rack 0 only spine 1 is left.
        EXPECT_EQ(net.GetSwitch(0)->GetRouting().GetGroup(1).size(), 2u);
        EXPECT_EQ(net.GetSwitch(1)->GetRouting().GetGroup(0).size(), 1u);
        EXPECT_TRUE(link.GetPort(1)->IsLinkUp());
        EXPECT_FALSE(link.GetPort(0)->IsLinkUp());
        EXPECT_EQ(net.DescribeDownLinks(),
                  std::vector<std::string>{"link dc0-leaf0 - dc0-spine0, direction from "
                                           "dc0-spine0, is down since 0 ms"});
    });
    std::vector<FlowSpec> flows;
    for (int i = 0; i < 20; ++i)
    {
        flows.push_back(Flow(i % 2, 2 + i / 2 % 2, 200000, 3 * MS));
        flows.push_back(Flow(2 + i / 2 % 2, i % 2, 200000, 3 * MS));
    }
    flows = Numbered(flows);
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    EXPECT_EQ(Sum(net).retransmitted, 0u);
    EXPECT_GT(link.GetDirection(0).sentFrames, 100u);
    EXPECT_EQ(link.GetDirection(1).sentFrames, 0u);
}

TEST_F(LinkFailure, NamesTheDeadLink)
{
    Config::SetDefault("ns3::roce::Nic::RetryLimit", UintegerValue(3));
    Network net;
    MakeLeafSpine(net);
    const auto flows = Numbered({Flow(0, 2, 50000000), Flow(1, 0, 1000)});
    const uint32_t link = UplinkOf(net, flows[0]);
    net.InstallFlows(flows);
    net.ScheduleLinkChange(MS + MS / 2, link, false);
    RunCollector::Options options;
    RunCollector collector(net, flows, options);
    collector.Start();
    Simulator::Run();
    collector.Finish();
    EXPECT_TRUE(collector.GetStallDetector().HasStopped());
    EXPECT_LT(Simulator::Now(), MilliSeconds(200));
    const auto lines = collector.GetStallDetector().DescribeUnfinished();
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].find("flow 0: "), 0u) << lines[0];
    EXPECT_TRUE(Contains(lines[0], "link " + net.GetLinkName(link) + " is down since 1.5 ms"))
        << lines[0];
    auto counters = collector.GetCounters();
    EXPECT_EQ(counters["linkFailures"], 1u);
    EXPECT_GT(counters["framesLostOnLinks"], 0u);
    EXPECT_EQ(counters["framesLostOnLinks"], counters["framesLostLinkDown"]);
    EXPECT_EQ(net.Audit(false), "");
}

// The way back counts, too; and a run is not ended before a repair that is to come.
TEST_F(LinkFailure, WaitsForTheRepair)
{
    Network net;
    MakeLeafSpine(net);
    const auto flows = Numbered({Flow(0, 2, 5000000)});
    // Only what comes back to NIC 0 is lost.
    const uint32_t link = net.GetLinkOfNic(0);
    net.ScheduleLinkChange(100 * US, link, false, Link::FROM_1);
    net.ScheduleLinkChange(300 * MS, link, true, Link::FROM_1);
    net.InstallFlows(flows);
    std::string report;
    Simulator::Schedule(MilliSeconds(100), [&] {
        StallDetector detector(net, StallDetector::Options());
        report = detector.DescribeUnfinished().at(0);
    });
    Completions done(net);
    RunCollector collector(net, flows, RunCollector::Options());
    collector.Start();
    Simulator::Run();
    collector.Finish();
    EXPECT_FALSE(collector.GetStallDetector().HasStopped());
    EXPECT_EQ(collector.GetFinished(), 1u);
    EXPECT_GT(done.FctPs(0), 300 * MS);
    EXPECT_TRUE(Contains(report,
                         "link dc0-host0 - dc0-leaf0, direction from dc0-leaf0, is down since "
                         "0.1 ms"))
        << report;
}

TEST_F(LinkFailure, FindsLinksByName)
{
    Network net;
    const uint32_t a = net.AddSwitch("a", 0);
    const uint32_t b = net.AddSwitch("b", 1);
    net.AddNic(net.AddHost("h", 0), a, 100 * G, US);
    net.AddNic(net.AddHost("i", 1), b, 100 * G, US);
    net.Connect(a, b, 100 * G, US);
    net.Connect(b, a, 100 * G, US);
    net.Build();
    EXPECT_EQ(net.FindLink("a", "b").link, 2u);
    EXPECT_EQ(net.FindLink("a", "b").firstEnd, 0u);
    EXPECT_EQ(net.FindLink("a", "b", 1).link, 3u);
    EXPECT_EQ(net.FindLink("a", "b", 1).firstEnd, 1u);
    EXPECT_EQ(net.FindLink(b, a, 0).firstEnd, 1u);
    EXPECT_EQ(net.FindLink("h", "a").link, 0u);
    EXPECT_EQ(net.FindLink("b", "nic1").link, 1u);
    EXPECT_EQ(net.GetLinkName(3), "b - a #1");
    EXPECT_EQ(net.GetLinkName(0), "h - a");
    EXPECT_EQ(net.GetLinkKind(0), Network::LinkKind::HOST);
    EXPECT_EQ(net.GetLinkKind(2), Network::LinkKind::WAN);
    EXPECT_THROW(net.FindLink("a", "c"), InputError);
    EXPECT_THROW(net.FindLink("h", "b"), InputError);
    EXPECT_THROW(net.FindLink("a", "b", 2), InputError);
    EXPECT_THROW(net.FindLink(a, 9), InputError);
    EXPECT_THROW(net.SetReroute(-1), InputError);
    EXPECT_THROW(net.ScheduleLinkChange(-1, 0, true), InputError);
}
