// SPDX-License-Identifier: GPL-2.0-only
// Packets of ns-3 where PFC, its watchdog, slow hosts and limits of NICs act: as data of their
// class.
#include "roce-packet-stream.h"
#include "roce-test-network.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr uint8_t LOSSLESS = 3;
constexpr uint8_t LOSSY = 1;

using PacketPauses = SystemTest;

/// Runs a network to the end, and then a bit for pauses that run out.
void
RunOut(Network& net)
{
    Simulator::Run();
    net.CatchUp();
    EXPECT_EQ(net.Audit(false), "");
}

} // namespace

// Two senders of 70 Gbit/s to one link of 100: a lossless class waits, another loses.
TEST_F(PacketPauses, ByClass)
{
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("2MB"));
    SetRateLaw("LineRate");
    for (const uint8_t trafficClass : {LOSSLESS, LOSSY})
    {
        Network net;
        MakeStar(net, 4);
        net.Build();
        const PacketStream::Settings settings{2, 70e9, trafficClass, ECN_NOT_ECT, 1500, 0, MS};
        PacketStream first(*net.GetNic(0), settings);
        PacketStream second(*net.GetNic(1), settings);
        PacketStream receiver(*net.GetNic(2));
        // RDMA of the other ports is not paused with them.
        const Completions done(net);
        net.InstallFlows(Numbered({Flow(3, 1, 4'000'000)}));
        RunOut(net);
        const Totals totals = Sum(net);
        EXPECT_EQ(totals.xoff > 0, trafficClass == LOSSLESS);
        EXPECT_EQ(first.held + second.held > 1000, trafficClass == LOSSLESS) << "NICs are paused";
        EXPECT_EQ(receiver.taken + totals.lost, first.sent + second.sent);
        EXPECT_EQ(totals.lost > 1000, trafficClass == LOSSY) << totals.lost;
        EXPECT_EQ(totals.lostLossless, 0u);
        EXPECT_LT(done.FctPs(0), 350 * US) << "its own link is free";
        EXPECT_GT(done.FctPs(0), 0);
        Simulator::Destroy();
    }
}

// A NIC pauses its class for 2 ms: the watchdog finds packets that wait, and drops them.
TEST_F(PacketPauses, AWatchdogFindsThem)
{
    SetRateLaw("LineRate");
    for (const bool watched : {false, true})
    {
        Network net;
        MakeStar(net, 2);
        Network::Options options;
        if (watched)
        {
            ObjectFactory watchdog("ns3::roce::PfcWatchdog");
            watchdog.Set("DetectionTime", StringValue("200us"));
            watchdog.Set("RestorationTime", StringValue("200us"));
            options.stages.emplace_back(watchdog);
        }
        net.Build(options);
        net.SchedulePauses(100 * US, 2 * MS, net.GetLinkOfNic(1), 0, 0);
        PacketStream sender(*net.GetNic(0), {1, 10e9, LOSSLESS, ECN_NOT_ECT, 1500, 0, MS});
        PacketStream receiver(*net.GetNic(1));
        RunOut(net);
        const auto counters = net.GetCounters();
        EXPECT_EQ(receiver.taken + Sum(net).lost, sender.sent);
        EXPECT_EQ(Sum(net).lost > 300, watched) << Sum(net).lost;
        EXPECT_EQ(counters.count("watchdogStorms") ? counters.at("watchdogStorms") : 0, watched);
        EXPECT_GT(receiver.longestPs, watched ? 0 : MS) << "they are not paused";
        Simulator::Destroy();
    }
}

// A host that takes in 5 Gbit/s of 20: its NIC pauses the class.
TEST_F(PacketPauses, ASlowHostPausesThem)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 2);
    net.Build();
    net.SchedulePauses(0, 2 * MS, net.GetLinkOfNic(1), 0, 5 * G);
    PacketStream sender(*net.GetNic(0), {1, 20e9, LOSSLESS, ECN_ECT0, 1500, 0, MS});
    PacketStream receiver(*net.GetNic(1));
    uint64_t before = 0;
    Simulator::Schedule(MilliSeconds(1), [&] { before = receiver.taken; });
    RunOut(net);
    const double gbps = static_cast<double>(before) * 1538 * 8 / 1e6;
    EXPECT_NEAR(gbps, 5, 1) << "and 64 KiB of its buffer";
    EXPECT_EQ(receiver.taken, sender.sent);
}

// A NIC that takes 5 Gbit/s of 20 from its link loses the rest, and marks what can be marked.
TEST_F(PacketPauses, ALimitOfTheNicLosesThem)
{
    Config::SetDefault("ns3::roce::Nic::IngressRate", StringValue("5Gbps"));
    Config::SetDefault("ns3::roce::Nic::IngressMark", StringValue("30kB"));
    SetRateLaw("LineRate");
    for (const uint8_t ecn : {ECN_ECT0, ECN_NOT_ECT})
    {
        Network net;
        MakeStar(net, 2);
        net.Build();
        PacketStream sender(*net.GetNic(0), {1, 20e9, LOSSY, ecn, 1500, 0, MS});
        PacketStream receiver(*net.GetNic(1));
        RunOut(net);
        const auto counters = net.GetCounters();
        EXPECT_EQ(receiver.taken + counters.at("ingressDrops"), sender.sent);
        EXPECT_NEAR(static_cast<double>(receiver.taken) * 1538 * 8 / 1e6,
                    5 + 262144 * 8 / 1e6,
                    0.5);
        EXPECT_EQ(receiver.marked, counters.at("ingressMarks"));
        EXPECT_EQ(receiver.marked > 100, ecn == ECN_ECT0);
        Simulator::Destroy();
    }
}
