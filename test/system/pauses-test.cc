// SPDX-License-Identifier: GPL-2.0-only
// Slow receivers, storms of pauses, and the watchdog of switches.
#include "roce-error-of.h"
#include "roce-test-network.h"

#include "ns3/roce-pfc-watchdog.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Hosts at one switch.
struct Pauses : SystemTest
{
    void Build(uint32_t hosts, const std::string& watchdog = "")
    {
        SetRateLaw("LineRate");
        MakeStar(net, hosts);
        Network::Options options;
        if (!watchdog.empty())
        {
            ObjectFactoryValue stage;
            stage.DeserializeFromString("ns3::roce::PfcWatchdog[" + watchdog + "]",
                                        MakeObjectFactoryChecker());
            options.stages.emplace_back(stage.Get());
        }
        net.Build(options);
        done = std::make_unique<Completions>(net);
        if (!watchdog.empty())
        {
            net.GetSwitch(0)->FindStage<PfcWatchdog>()->TraceConnectWithoutContext(
                "Storm",
                Callback<void, uint16_t, uint8_t, bool, Time>(
                    [this](uint16_t port, uint8_t c, bool begins, Time at) {
                        EXPECT_EQ(port, STORM);
                        EXPECT_EQ(c, 3);
                        (begins ? begun : over).push_back(at.GetTimeStep());
                    }));
        }
    }

    /// Times at which a NIC begins to send data, or has received some.
    void Watch(uint32_t nic, const std::string& source)
    {
        net.GetNic(nic)->TraceConnectWithoutContext(
            source,
            Callback<void, const Frame&, Time>([this](const Frame& f, Time at) {
                if (f.kind == FrameKind::DATA)
                {
                    dataPs.push_back(at.GetTimeStep());
                }
            }));
    }

    /// @return data frames seen in a time
    std::ptrdiff_t CountData(int64_t fromPs, int64_t toPs) const
    {
        return std::count_if(dataPs.begin(), dataPs.end(), [=](int64_t at) {
            return fromPs <= at && at < toPs;
        });
    }

    void Install(std::vector<FlowSpec> all)
    {
        flows = Numbered(std::move(all));
        net.InstallFlows(flows);
    }

    /// @brief NIC STORM pauses its switch.
    void Storm(int64_t fromPs, int64_t toPs)
    {
        net.SchedulePauses(fromPs, toPs, net.GetLinkOfNic(STORM), 0, 0);
    }

    static constexpr uint32_t STORM = 2;

    Network net;
    std::unique_ptr<Completions> done;
    std::vector<FlowSpec> flows;
    std::vector<int64_t> dataPs;
    std::vector<int64_t> begun;
    std::vector<int64_t> over;
};

} // namespace

TEST_F(Pauses, SlowReceiverTakesItsRate)
{
    Build(2);
    net.SchedulePauses(0, -1, net.GetLinkOfNic(1), 0, 20 * G);
    Install({Flow(0, 1, 10000000)});
    Simulator::Run();
    ExpectAllDone(net, *done, flows);
    const Totals t = Sum(net);
    EXPECT_EQ(t.lost, 0u);
    EXPECT_EQ(t.retransmitted, 0u);
    // What is in its buffer, at most 64 KiB and a round trip of its link, is not waited for.
    const double hostPs = 1e7 * 4184 / 4096 * 8e12 / 20e9;
    const double bufferPs = (65536 + 30000) * 8e12 / 20e9;
    EXPECT_LT(static_cast<double>(done->FctPs(0)), hostPs + 20e6);
    EXPECT_GT(static_cast<double>(done->FctPs(0)), hostPs - bufferPs);
    EXPECT_GT(t.xoff, 10u);
}

TEST_F(Pauses, SlowReceiverOnlyForItsTime)
{
    Build(2);
    net.SchedulePauses(100 * US, 300 * US, net.GetLinkOfNic(1), 0, 10 * G);
    Watch(1, "RxEnd");
    Install({Flow(0, 1, 10000000)});
    Simulator::Run();
    ExpectAllDone(net, *done, flows);
    const double framePs = 4184 * 80;
    EXPECT_NEAR(CountData(10 * US, 100 * US), 90e6 / framePs, 2);
    EXPECT_NEAR(CountData(150 * US, 300 * US), 150e6 / framePs / 10, 10);
    EXPECT_NEAR(CountData(310 * US, 500 * US), 190e6 / framePs, 2);
}

TEST_F(Pauses, StormOfANicStopsItsSwitch)
{
    Build(3);
    Storm(50 * US, 900 * US); // longer than two XOFFs hold
    Watch(STORM, "RxEnd");
    Install({Flow(0, STORM, 20000000)});
    Simulator::Run();
    ExpectAllDone(net, *done, flows);
    EXPECT_GT(CountData(0, 50 * US), 100);
    EXPECT_EQ(CountData(54 * US, 900 * US), 0) << "data in spite of the storm";
    EXPECT_GT(CountData(904 * US, 1 * MS), 200) << "the storm is not over";
    EXPECT_EQ(Sum(net).lost, 0u);
}

TEST_F(Pauses, StormOfASwitchStopsItsNic)
{
    Build(4);
    net.SchedulePauses(50 * US, 900 * US, net.GetLinkOfNic(0), 1, 0);
    Watch(0, "TxBegin");
    // The buffer fills and empties meanwhile.
    Install({Flow(0, 3, 5000000), Flow(1, 3, 5000000), Flow(2, 3, 5000000)});
    Simulator::Run();
    ExpectAllDone(net, *done, flows);
    EXPECT_GT(CountData(0, 50 * US), 50);
    EXPECT_EQ(CountData(52 * US, 900 * US), 0) << "data in spite of the storm";
    EXPECT_GT(CountData(902 * US, 1 * MS), 100) << "the storm is not over";
}

TEST_F(Pauses, OfNoClass)
{
    Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(0));
    Build(3);
    EXPECT_NE(ErrorOf([&] { Storm(0, -1); }).find("no class is lossless there"), std::string::npos);
    EXPECT_NE(ErrorOf([&] {
                  net.SchedulePauses(0, -1, net.GetLinkOfNic(0), 1, G);
              }).find("expected a NIC"),
              std::string::npos);
}

// Without a watchdog a storm stops flows that go elsewhere.
TEST_F(Pauses, StormSpreadsWithoutWatchdog)
{
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("400KiB"));
    Build(4);
    Storm(0, 5 * MS);
    Install({Flow(0, STORM, 2000000), Flow(0, 3, 2000000)});
    Simulator::Run();
    ExpectAllDone(net, *done, flows);
    EXPECT_GT(done->FctPs(1), 5 * MS);
}

TEST_F(Pauses, WatchdogDrops)
{
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("400KiB"));
    Build(4, "DetectionTime=200us|RestorationTime=300us");
    Storm(0, 5 * MS);
    Install({Flow(0, STORM, 2000000), Flow(0, 3, 2000000)});
    Simulator::Run();
    ExpectAllDone(net, *done, flows);
    ASSERT_EQ(begun.size(), 1u);
    EXPECT_NEAR(begun[0], 200 * US + 3 * US, 2 * US);
    EXPECT_LT(done->FctPs(1), 1 * MS) << "the storm spreads";
    EXPECT_GT(done->FctPs(0), 5 * MS);
    ASSERT_EQ(over.size(), 1u);
    EXPECT_NEAR(over[0], 5 * MS + 300 * US + 1 * US, 1 * US);
    const auto counters = net.GetCounters();
    EXPECT_EQ(counters.at("watchdogStorms"), 1u);
    EXPECT_EQ(counters.at("watchdogStormsOver"), 1u);
    EXPECT_GT(counters.at("framesDroppedWatchdog"), 20u);
    EXPECT_EQ(counters.at("losslessDrops"), 0u);
}

TEST_F(Pauses, WatchdogForwards)
{
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("400KiB"));
    Build(4, "DetectionTime=200us|RestorationTime=300us|Action=forward");
    Storm(0, 5 * MS);
    Install({Flow(0, STORM, 2000000), Flow(0, 3, 2000000), Flow(1, STORM, 1000, 6 * MS)});
    Simulator::Run();
    ExpectAllDone(net, *done, flows);
    EXPECT_LT(done->FctPs(0), 1 * MS) << "frames wait in the storm";
    EXPECT_LT(done->FctPs(1), 1 * MS);
    ASSERT_EQ(over.size(), 1u);
    const auto counters = net.GetCounters();
    EXPECT_GT(counters.at("watchdogForwarded"), 400u);
    EXPECT_EQ(counters.at("framesDropped"), 0u);
}

// Pauses as congestion makes them are no storm.
TEST_F(Pauses, WatchdogLeavesCongestionAlone)
{
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("400KiB"));
    Build(4, "DetectionTime=200us|RestorationTime=300us");
    net.SchedulePauses(0, -1, net.GetLinkOfNic(STORM), 0, 5 * G);
    Install({Flow(0, STORM, 2000000), Flow(1, STORM, 2000000), Flow(3, STORM, 2000000)});
    Simulator::Run();
    ExpectAllDone(net, *done, flows);
    EXPECT_GT(Sum(net).xoff, 20u);
    EXPECT_EQ(begun.size(), 0u);
}

// A port whose peer is paused for its full buffer, and in a storm: each refresh is sent once.
TEST_F(Pauses, StormOfAFullPortIsRefreshedOnce)
{
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("1MiB"));
    Build(3);
    int refreshes = 0;
    std::map<int64_t, int> atOnce;
    net.GetSwitch(0)->TraceConnectWithoutContext(
        "PauseSent",
        Callback<void, uint16_t, uint8_t, PauseEvent, Time>(
            [&](uint16_t port, uint8_t, PauseEvent event, Time at) {
                if (event == PauseEvent::REFRESH && port == 0)
                {
                    refreshes += at > MilliSeconds(1);
                    EXPECT_EQ(++atOnce[at.GetTimeStep()], 1) << "of one port and class";
                }
            }));
    Storm(0, 3000000000);                                                  // so the buffer fills
    net.SchedulePauses(1000000000, 3000000000, net.GetLinkOfNic(0), 1, 0); // of the switch's port
    Install({Flow(0, 2, 3000000)});
    Simulator::Run();
    ExpectAllDone(net, *done, flows);
    EXPECT_GT(refreshes, 2);
}
