// SPDX-License-Identifier: GPL-2.0-only
// Kinds of NICs: profiles, a limit of what a receiver takes, CNPs on losses.
#include "roce-error-of.h"
#include "roce-test-network.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

TEST_F(SystemTest, NicProfileGivesWhatIsNotSet)
{
    Config::SetDefault("ns3::roce::Nic::Profile", StringValue("connectx5"));
    Config::SetDefault("ns3::roce::Nic::DeliveryLatency", TimeValue(NanoSeconds(7)));
    Network net;
    MakeStar(net, 2);
    net.Build();
    const Nic& nic = *net.GetNic(0);
    EXPECT_GT(nic.GetHostLatencies().postPs, 0);
    EXPECT_GT(nic.GetHostLatencies().completionPs, 0);
    EXPECT_EQ(nic.GetHostLatencies().deliveryPs, 7000) << "was set";
    EXPECT_EQ(nic.GetAckEveryN(), 1u) << "in no profile";
}

// 100 Gbit/s for a NIC that takes 50: it loses data, which come again until all are there.
TEST_F(SystemTest, IngressLimitLosesData)
{
    for (const char* const rate : {"0bps", "50Gbps"})
    {
        Config::SetDefault("ns3::roce::Nic::IngressRate", StringValue(rate));
        SetRateLaw("LineRate");
        Network net;
        MakeStar(net, 2);
        net.Build();
        InstallIncast(net, 1000000);
        Simulator::Run();
        const std::map<std::string, uint64_t> counters = net.GetCounters();
        EXPECT_EQ(Sum(net).delivered, 1000000u);
        EXPECT_EQ(Sum(net).lost, 0u) << "the network loses nothing";
        EXPECT_EQ(counters.count("ingressDrops"), std::string(rate) != "0bps");
        if (counters.count("ingressDrops"))
        {
            EXPECT_GT(counters.at("ingressDrops"), 0u);
            EXPECT_GE(Sum(net).retransmitted, counters.at("ingressDrops"));
        }
        Simulator::Destroy();
    }
}

TEST_F(SystemTest, IngressBufferHoldsAFrame)
{
    Config::SetDefault("ns3::roce::Nic::IngressRate", StringValue("50Gbps"));
    Config::SetDefault("ns3::roce::Nic::IngressBuffer", StringValue("4096B"));
    Network net;
    MakeStar(net, 2);
    ExpectRefused([&] { net.Build(); }, "B of a full frame");
}

// Without marks of switches DCQCN slows down for those of the receiving NIC, or for losses.
TEST_F(SystemTest, DcqcnWithoutMarksOfSwitches)
{
    for (const bool nicMarks : {true, false})
    {
        Config::SetDefault("ns3::roce::Nic::IngressRate", StringValue("50Gbps"));
        Config::SetDefault("ns3::roce::Nic::IngressMark", StringValue(nicMarks ? "16KiB" : "0B"));
        SetRateLaw("Dcqcn[CutOnLoss=true]");
        Network net;
        MakeStar(net, 2);
        Network::Options options;
        options.ecn = false;
        net.Build(options);
        uint64_t slowestBps = UINT64_MAX;
        net.GetNic(0)->TraceConnectWithoutContext(
            "Rate",
            Callback<void, const QueuePair&, Time>([&slowestBps](const QueuePair& qp, Time) {
                slowestBps = std::min(slowestBps, qp.GetCc().GetRateBps());
            }));
        InstallIncast(net, 10000000);
        Simulator::Run();
        const std::map<std::string, uint64_t> counters = net.GetCounters();
        EXPECT_EQ(Sum(net).delivered, 10000000u);
        EXPECT_EQ(counters.at("ingressMarks") > 0, nicMarks);
        EXPECT_EQ(Sum(net).cnps > 0, nicMarks);
        EXPECT_EQ(Sum(net).naks > 0, !nicMarks) << "marked early enough, nothing is lost";
        EXPECT_LT(slowestBps, 60 * G);
        Simulator::Destroy();
    }
}
