// SPDX-License-Identifier: GPL-2.0-only
// Stages whose parameters change while a simulation is on.
#include "roce-error-of.h"
#include "roce-events-throw.h"
#include "roce-test-network.h"

#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-int-stamper.h"
#include "ns3/roce-phantom-queue.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Two senders to one receiver, whose port marks from the first byte or never.
struct StageRetuneTest : SystemTest
{
    void SetUp() override
    {
        SystemTest::SetUp();
        SetRateLaw("Dcqcn"); // ECN-capable; at line rate until it is marked
    }

    void Build(Network& net, const std::string& stage = "EcnMarker")
    {
        MakeStar(net, 3);
        Network::Options options;
        options.ecn = false;
        options.stages.emplace_back("ns3::roce::" + stage);
        net.Build(options);
        net.AssignStreams(1);
        net.InstallFlows(Numbered({Flow(1, 0, 4000000), Flow(2, 0, 4000000)}));
    }

    template <typename T>
    static T& Stage(const Network& net)
    {
        return *net.GetSwitch(0)->FindStage<T>();
    }
};

} // namespace

// What is set after Install() is not ignored: from then on it counts, and several may be set in
// any order.
TEST_F(StageRetuneTest, AttributesOfTheMarkerTakeEffect)
{
    Config::SetDefault("ns3::roce::EcnMarker::Kmin", UintegerValue(1 << 30));
    Config::SetDefault("ns3::roce::EcnMarker::Kmax", UintegerValue(1 << 30));
    Network net;
    Build(net);
    auto& marker = Stage<EcnMarker>(net);
    uint64_t before = 1;
    Simulator::Schedule(MicroSeconds(100), [&] {
        net.CatchUp();
        before = marker.GetMarked();
        marker.SetAttribute("Kmin", UintegerValue(0));
        marker.SetAttribute("Kmax", UintegerValue(0));
    });
    uint64_t then = 0;
    Simulator::Schedule(MicroSeconds(200), [&] {
        net.CatchUp();
        then = marker.GetMarked();
        marker.SetAttribute("Kmax", UintegerValue(1 << 30)); // Kmin behind it
        marker.SetAttribute("Kmin", UintegerValue(1 << 30));
        marker.SetAttribute("Pmax", DoubleValue(0));
    });
    Simulator::Run();
    EXPECT_EQ(before, 0u);
    EXPECT_NEAR(static_cast<double>(then), 100e-6 * 100e9 / 8 / 4182, 3) << "every frame";
    EXPECT_EQ(marker.GetMarked(), then) << "none";
    EXPECT_EQ(marker.GetCurve(0).pmax, 0);
}

// Values that are bad together, or not for now, end the run with one line; nothing has changed.
TEST_F(StageRetuneTest, BadValuesAreRefused)
{
    [[maybe_unused]] const EventsThrow events;
    Network net;
    Build(net);
    auto& marker = Stage<EcnMarker>(net);
    const EcnCurve before = marker.GetCurve(0);
    marker.SetAttribute("Kmin", UintegerValue(500000));
    EXPECT_EQ(ErrorOf([] { Simulator::Run(); }),
              "ns3::roce::EcnMarker: Kmin is 500000 B, expected at most Kmax, 400000 B");
    EXPECT_EQ(marker.GetCurve(0).kminBytes, before.kminBytes);
    marker.SetAttribute("Kmin", UintegerValue(100000));
    marker.SetAttribute("MarkAtEnqueue", BooleanValue(true));
    EXPECT_EQ(ErrorOf([] { Simulator::Run(); }),
              "ns3::roce::EcnMarker: MarkAtEnqueue is true, expected false: it cannot change while "
              "the simulation is on");
    marker.SetAttribute("MarkAtEnqueue", BooleanValue(false));
    marker.SetAttribute("RateMap", StringValue("7Gbps/1/2/0.5"));
    EXPECT_NE(ErrorOf([] { Simulator::Run(); }).find("has no curve for 100000000000 bit/s"),
              std::string::npos);
    EXPECT_EQ(marker.GetCurve(0).kmaxBytes, before.kmaxBytes);
    marker.SetAttribute("RateMap", StringValue(""));
    Simulator::Run();
    EXPECT_EQ(net.Audit(true), "");
}

// Frames that were due before the change are marked by the old curve, however late they are done.
TEST_F(StageRetuneTest, WhatIsDueBelongsToTheTimeBefore)
{
    std::map<bool, uint64_t> marked;
    for (const bool eager : {false, true})
    {
        Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
        Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
        Config::SetDefault("ns3::roce::EcnMarker::Kmin", UintegerValue(1 << 30));
        Config::SetDefault("ns3::roce::EcnMarker::Kmax", UintegerValue(1 << 30));
        Network net;
        Build(net);
        const Ptr<EcnMarker> never = CreateObject<EcnMarker>();
        Simulator::Schedule(NanoSeconds(100100), [&] {
            Stage<EcnMarker>(net).SetAttribute("Kmin", UintegerValue(0));
            Stage<EcnMarker>(net).SetAttribute("Kmax", UintegerValue(0));
        });
        Simulator::Schedule(NanoSeconds(150200),
                            [&] { EXPECT_EQ(net.GetSwitch(0)->Retune(*never, NowPs()), 1u); });
        Simulator::Run();
        marked[eager] = Stage<EcnMarker>(net).GetMarked();
        Simulator::Destroy();
    }
    EXPECT_GT(marked[true], 100u);
    EXPECT_EQ(marked[false], marked[true]);
}

// A phantom queue keeps what is in it.
TEST_F(StageRetuneTest, PhantomQueuesKeepTheirState)
{
    Config::SetDefault("ns3::roce::PhantomQueue::Capacity", StringValue("100MB"));
    Network net;
    Build(net, "PhantomQueue");
    auto& phantom = Stage<PhantomQueue>(net);
    double before = 0;
    Simulator::Schedule(MicroSeconds(100), [&] {
        net.CatchUp();
        before = phantom.GetOccupancyBytes(0, NowPs());
        phantom.SetAttribute("DrainFactor", DoubleValue(0.45));
    });
    double after = 0;
    Simulator::Schedule(MicroSeconds(100) + PicoSeconds(2), [&] {
        net.CatchUp();
        after = phantom.GetOccupancyBytes(0, NowPs());
    });
    double later = 0;
    Simulator::Schedule(MicroSeconds(200), [&] {
        net.CatchUp();
        later = phantom.GetOccupancyBytes(0, NowPs());
        EXPECT_EQ(phantom.GetMarked(), 0u);
        phantom.SetAttribute("EcnMin", DoubleValue(0));
        phantom.SetAttribute("EcnMax", DoubleValue(0));
        phantom.SetAttribute("Capacity", StringValue("1kB"));
    });
    double cut = 0;
    Simulator::Schedule(MicroSeconds(200) + PicoSeconds(2),
                        [&] { cut = phantom.GetOccupancyBytes(0, NowPs()); });
    Simulator::Run();
    EXPECT_GT(before, 90000);
    EXPECT_NEAR(after, before, 5000);
    // A full port, two flows: 200 Gbit/s come in, 45 go out.
    EXPECT_NEAR(later - after, 100e-6 * (200e9 - 45e9) / 8, 60000);
    EXPECT_GT(phantom.GetMarked(), 200u);
    EXPECT_LE(cut, 1000);
}

TEST_F(StageRetuneTest, WhatIsNotLiveIsRefused)
{
    Network net;
    Build(net);
    const Ptr<PhantomQueue> other = CreateObject<PhantomQueue>();
    EXPECT_EQ(ErrorOf([&] { Stage<EcnMarker>(net).Retune(*other, 0); }),
              "ns3::roce::EcnMarker cannot take over the parameters of ns3::roce::PhantomQueue, "
              "expected a stage of its own class");
    const Ptr<IntStamper> stamper = CreateObject<IntStamper>();
    EXPECT_EQ(ErrorOf([&] { net.GetSwitch(0)->Retune(*stamper, 0); }),
              "ns3::roce::IntStamper cannot take over the parameters of ns3::roce::IntStamper: "
              "they cannot change while the simulation is on");
    EXPECT_EQ(net.GetSwitch(0)->Retune(*other, 0), 0u);
}
