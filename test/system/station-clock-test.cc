// SPDX-License-Identifier: GPL-2.0-only

// When stations wake up that share a clock, that those which take turns do the same as if each had
// events of its own, and that large networks, which have memory fetched ahead, do, too.

#include "roce-error-of.h"
#include "roce-test-network.h"

#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-station-clock.h"
#include "ns3/roce-station-row.h"
#include "ns3/roce-station-trace.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>
#include <sstream>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// How late stations were with what they sent.
struct Lateness
{
    int64_t leastPs{INT64_MAX};
    int64_t mostPs{INT64_MIN};

    /// @brief Note what a port sends. @param port from now on
    void Watch(Port& port)
    {
        port.TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([this](const Frame&, Time at) {
                const int64_t ps = (Simulator::Now() - at).GetTimeStep();
                leastPs = std::min(leastPs, ps);
                mostPs = std::max(mostPs, ps);
            }));
    }
};

/// Those of a network.
struct Latenesses
{
    Lateness nics;
    Lateness switches;
};

/// @param net built; all NICs but the last write to the last. @param seen sinks count as such: see
/// SinkMark. @return how late stations were
Latenesses
RunIncast(Network& net, bool seen)
{
    Latenesses late;
    {
        std::optional<SinkMark::LocalSinks> local;
        if (!seen)
        {
            local.emplace();
        }
        for (const Ptr<Port>& port : net.GetPorts())
        {
            const bool isNic = dynamic_cast<const Nic*>(PeekPointer(port)) != nullptr;
            (isNic ? late.nics : late.switches).Watch(*port);
        }
    }
    InstallIncast(net, 200000);
    Simulator::Run();
    EXPECT_EQ(net.Audit(true), "");
    Simulator::Destroy();
    return late;
}

/// @param delayPs of all links: the slack of all stations. @param seen see RunIncast()
Latenesses
RunStar(int64_t delayPs, bool seen)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 5, 100 * G, delayPs);
    net.Build();
    return RunIncast(net, seen);
}

/// Three switches in a ring, two hosts at each.
/// @param delaysPs of the links between 0 and 1, 1 and 2, 2 and 0. @param hostDelayPs of the others
void
MakeTriangle(Network& net, const std::array<int64_t, 3>& delaysPs, int64_t hostDelayPs = US)
{
    for (uint32_t s = 0; s < 3; ++s)
    {
        net.AddSwitch("s" + std::to_string(s), 0);
    }
    for (uint32_t s = 0; s < 3; ++s)
    {
        net.Connect(s, (s + 1) % 3, 100 * G, delaysPs[s]);
    }
    for (uint32_t i = 0; i < 6; ++i)
    {
        net.AddNic(net.AddHost("h" + std::to_string(i), 0), i / 2, 100 * G, hostDelayPs);
    }
    net.Build();
}

/// Two datacenters, and flows of all kinds between their hosts.
/// @param net built and given flows. @param rng makes them
void
MakeBusy(Network& net, std::mt19937_64& rng)
{
    LeafSpineHelper h;
    h.leaves = 2;
    h.spines = 2;
    h.hostsPerLeaf = 4;
    h.wanDelay = MicroSeconds(20);
    h.Construct(net);
    net.Build();
    net.AssignStreams(1);
    std::vector<FlowSpec> flows;
    for (unsigned i = 0; i < 60; ++i)
    {
        const auto src = static_cast<uint32_t>(rng() % net.GetNNics());
        const auto step = static_cast<uint32_t>(1 + rng() % (net.GetNNics() - 1));
        flows.push_back(Flow(src,
                             (src + step) % net.GetNNics(),
                             1000 + rng() % 100000,
                             static_cast<int64_t>(rng() % (100 * US))));
    }
    net.InstallFlows(Numbered(flows));
}

/// @param stopPs then threads take over; 0: never. @return fingerprint of a run
uint64_t
RunBusy(int64_t stopPs)
{
    SetRateLaw("Dcqcn");
    std::mt19937_64 rng(1);
    Network net;
    MakeBusy(net, rng);
    net.EnableFingerprint();
    if (stopPs)
    {
        Simulator::Stop(TimeStep(stopPs));
        Simulator::Run();
        EXPECT_EQ(net.SetThreads(2), 2u);
    }
    Simulator::Run();
    EXPECT_EQ(net.Audit(true), "");
    const uint64_t fingerprint = net.GetFingerprint();
    Simulator::Destroy();
    return fingerprint;
}

/// A datacenter in four partitions or more. @param hostDelayPs fabric links have 1 us @param apart
/// there are so many partitions that NICs are not with their switches. @return how late stations
/// were
Latenesses
RunDivided(int64_t hostDelayPs, bool apart)
{
    SetRateLaw("LineRate");
    LeafSpineHelper h;
    h.datacenters = 1;
    h.leaves = 8;
    h.spines = 2;
    h.hostsPerLeaf = 6;
    h.hostDelay = TimeStep(hostDelayPs);
    Network net;
    h.Construct(net);
    net.Build();
    // Somebody who may answer, so that rounds have one window.
    net.GetNic(0)->TraceConnectWithoutContext(
        "MessageCompleted",
        Callback<void, const MessageRecord&>([](const MessageRecord&) {}));
    net.MeasureBalance(apart ? 20 : 2);
    return RunIncast(net, false);
}

/// What somebody sees who looks at stations at odd times, while messages begin and links fail.
/// @param eager an event for each item
std::string
LookAround(unsigned seed, bool eager, unsigned threads = 1)
{
    Config::Reset();
    SetRateLaw("Dcqcn");
    Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
    Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
    std::mt19937_64 rng(seed);
    Network net;
    MakeBusy(net, rng);
    EXPECT_EQ(net.SetThreads(threads), threads);
    std::ostringstream seen;
    for (unsigned i = 0; i < 200; ++i)
    {
        const uint64_t what = rng();
        const auto look = [&net, &seen, what] {
            const auto s = static_cast<uint32_t>(what / 8 % net.GetNSwitches());
            const auto n = static_cast<uint32_t>(what / 8 % net.GetNNics());
            seen << Simulator::Now().GetTimeStep() << ' ';
            switch (what % 8)
            {
            case 0:
                net.FailLink(static_cast<uint32_t>(what / 8 % net.GetNLinks()), Link::BOTH);
                break;
            case 1:
                net.RepairLink(static_cast<uint32_t>(what / 8 % net.GetNLinks()), Link::BOTH);
                break;
            case 2:
            case 3:
                seen << net.GetNic(n)->GetTxWireBytes();
                break;
            default:
                seen << net.GetSwitch(s)->GetBuffer().GetTotalBytes();
                for (uint16_t p = 0; p < net.GetSwitch(s)->GetNPorts(); ++p)
                {
                    seen << ',' << net.GetSwitch(s)->PeekPort(p)->GetTxWireBytes();
                }
            }
            seen << '\n';
        };
        Simulator::Schedule(TimeStep(rng() % (200 * US)), look);
    }
    Simulator::Stop(MicroSeconds(300));
    Simulator::Run();
    seen << net.GetCounters().at("retransmitted") << ' ' << net.CountPacketHops();
    Simulator::Destroy();
    return seen.str();
}

/// One datacenter with more stations than fit into caches, also those of one of two threads.
/// @return fingerprint of a short run
uint64_t
RunLarge(const std::string& law, bool eager, unsigned threads)
{
    SetRateLaw(law);
    Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
    Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
    LeafSpineHelper h;
    h.datacenters = 1;
    h.leaves = 16;
    h.hostsPerLeaf = 52;
    Network net;
    h.Construct(net);
    net.Build();
    net.AssignStreams(1);
    net.EnableFingerprint();
    EXPECT_GE((net.GetNNics() + net.GetNSwitches()) / 2, StationRow::MANY);
    std::vector<FlowSpec> flows;
    for (uint32_t i = 0; i < net.GetNNics(); ++i)
    {
        // To other racks, some several to one.
        flows.push_back(Flow(i, (i * 7 + 103) % net.GetNNics(), 30000 + 100 * i, i % 5 * US));
        flows.push_back(Flow(i, (i / 8 * 8 + 203) % net.GetNNics(), 9000, 20 * US));
    }
    net.InstallFlows(Numbered(flows));
    EXPECT_EQ(net.SetThreads(threads), threads);
    Simulator::Run();
    EXPECT_EQ(net.Audit(true), "");
    const uint64_t fingerprint = net.GetFingerprint();
    Simulator::Destroy();
    return fingerprint;
}

} // namespace

TEST_F(SystemTest, StationsAreNeverLaterThanTheirSlack)
{
    // Those that take turns, at whatever multiples, and those without any slack.
    for (const int64_t delayPs : {US, StationClock::GRID_PS + 1, int64_t{0}})
    {
        const Latenesses late = RunStar(delayPs, true);
        EXPECT_GE(late.nics.leastPs, 0) << "a NIC has run before its time, delay " << delayPs;
        EXPECT_GE(late.switches.leastPs, 0) << "a switch has, delay " << delayPs;
        EXPECT_LE(late.nics.mostPs, delayPs) << "a NIC has run too late";
        EXPECT_LE(late.switches.mostPs, delayPs) << "a switch has run too late for a sink";
        // They wait, so that they find much to do.
        EXPECT_GE(late.switches.mostPs, delayPs * 9 / 10) << "switches wake up too early";
    }
}

TEST_F(SystemTest, SwitchesTakeTurns)
{
    for (const int64_t delayPs : {US, 10 * US, StationClock::GRID_PS + 1})
    {
        const Latenesses late = RunStar(delayPs, false);
        EXPECT_LE(late.nics.mostPs, delayPs) << "who waits for completions hears of them too late";
        EXPECT_GT(late.switches.mostPs, delayPs) << "a switch wakes up at each beat";
        EXPECT_LE(late.switches.mostPs, 2 * delayPs) << "a switch has run too late";
    }
}

TEST_F(SystemTest, SwitchesTakeTurnsWhereTheyCanBeDividedOnly)
{
    SetRateLaw("LineRate");
    Latenesses late;
    // Rounded down to the grid, and exact since it is too coarse.
    for (const int64_t delayPs : {US, StationClock::GRID_PS + 1})
    {
        Network ring;
        MakeTriangle(ring, {delayPs, delayPs, delayPs}, delayPs);
        late = RunIncast(ring, false);
        EXPECT_LE(late.switches.mostPs, delayPs) << "two neighbours have the same turn";
        EXPECT_GE(late.switches.mostPs,
                  delayPs > US / 2 ? delayPs - StationClock::GRID_PS : delayPs)
            << "switches wake up too early";
    }

    // What takes two beats may join two of the same turn; less may not.
    Network open;
    MakeTriangle(open, {US, US, 2 * US});
    late = RunIncast(open, false);
    EXPECT_GT(late.switches.mostPs, US) << "a long link keeps switches from taking turns";
    EXPECT_LE(late.switches.mostPs, 2 * US);
    Network shut;
    MakeTriangle(shut, {US, US, 2 * US - 1});
    EXPECT_LE(RunIncast(shut, false).switches.mostPs, US) << "a link is too short for that";

    // A switch whose links are all longer has more slack than the others.
    Network mixed;
    mixed.AddSwitch("a", 0);
    mixed.AddSwitch("b", 0);
    mixed.AddSwitch("far", 0);
    mixed.Connect(0, 2, 100 * G, 3 * US);
    mixed.Connect(1, 2, 100 * G, 3 * US);
    for (uint32_t i = 0; i < 4; ++i)
    {
        mixed.AddNic(mixed.AddHost("h" + std::to_string(i), 0), i / 2, 100 * G, US);
    }
    mixed.Build();
    late = RunIncast(mixed, false);
    EXPECT_GT(late.switches.mostPs, 2 * US) << "a switch does not wait as long as it can";
    EXPECT_LE(late.switches.mostPs, 3 * US);
}

TEST_F(SystemTest, WhoLooksSeesTheSameWithTurns)
{
    for (unsigned seed = 1; seed <= 20; ++seed)
    {
        EXPECT_EQ(LookAround(seed, false), LookAround(seed, true)) << "seed " << seed;
    }
}

TEST_F(SystemTest, WhoLooksSeesTheSameWithThreadsAndTurns)
{
    for (unsigned seed = 1; seed <= 20; ++seed)
    {
        EXPECT_EQ(LookAround(seed, false, 2 + seed % 3), LookAround(seed, true)) << "seed " << seed;
    }
}

TEST_F(SystemTest, SwitchesTakeTurnsInPartitions)
{
    // One thread, as the sinks of the test are not made for more.
    const Latenesses late = RunDivided(US, false);
    EXPECT_LE(late.nics.mostPs, US) << "who waits for completions hears of them too late";
    EXPECT_GT(late.switches.mostPs, US) << "a switch runs in each window";
    EXPECT_LE(late.switches.mostPs, 2 * US) << "a switch has run too late";
    EXPECT_LE(RunDivided(500 * NS, false).switches.mostPs, US)
        << "stations are of unequal slack, and yet take turns";
}

TEST_F(SystemTest, SwitchesTakeNoTurnsWhereNicsArePartedFromThem)
{
    EXPECT_LE(RunDivided(US, true).switches.mostPs, US)
        << "a NIC needs what its switch has sent up to a delay before, which had no turn";
}

TEST_F(SystemTest, LargeNetworksDoTheSameHoweverTheyWakeUp)
{
    for (const char* law : {"Dcqcn", "Hpcc"})
    {
        const uint64_t usual = RunLarge(law, false, 1);
        EXPECT_EQ(usual, RunLarge(law, true, 1)) << law << ", an event for each item";
        EXPECT_EQ(usual, RunLarge(law, false, 2)) << law << ", without the clock";
    }
}

TEST_F(SystemTest, ThreadsTakeOverFromTurns)
{
    const uint64_t whole = RunBusy(0);
    for (const int64_t stopPs : {30 * US, 30 * US + 1, 31 * US + 400 * NS, 40 * US + 999999})
    {
        EXPECT_EQ(RunBusy(stopPs), whole) << "divided at " << stopPs << " ps";
    }
}

TEST_F(SystemTest, SinksOfSwitchesLookAtNeighboursOnceAllRunAtEachBeat)
{
    // Connected before the run: the switch never takes its turn. In the midst of it: it is at work
    // at times that its neighbours must not be past.
    for (const int64_t atPs : {int64_t{0}, 20 * US + 300 * NS})
    {
        SetRateLaw("LineRate");
        Network net;
        MakeStar(net, 5);
        net.Build();
        uint64_t looks = 0;
        const auto connect = [&net, &looks] {
            net.GetSwitch(0)->PeekPort(4)->TraceConnectWithoutContext(
                "TxBegin",
                Callback<void, const Frame&, Time>([&net, &looks](const Frame&, Time) {
                    looks += net.GetNic(0)->GetTxWireBytes() > 0;
                }));
        };
        InstallIncast(net, 200000);
        if (atPs)
        {
            Simulator::Schedule(TimeStep(atPs), connect);
            const auto run = [] {
                std::cerr << ErrorOf([] { Simulator::Run(); });
                std::_Exit(3); // with the frame that was in the sink's hands
            };
            EXPECT_EXIT(run(),
                        ::testing::ExitedWithCode(3),
                        "sink of a switch that was connected just now");
        }
        else
        {
            connect();
            Simulator::Run();
            EXPECT_EQ(looks, 4 * 49u) << "packets of the four messages";
        }
        Simulator::Destroy();
    }
}
