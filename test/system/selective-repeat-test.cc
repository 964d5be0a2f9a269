// SPDX-License-Identifier: GPL-2.0-only
// Selective repeat in a network: what is sent again, and when.
#include "roce-loss-fixture.h"

#include "ns3/roce-random-loss.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

struct Repeat : LossTest
{
    void SetUp() override
    {
        LossTest::SetUp();
        UseSelectiveRepeat();
    }

    static void UseSelectiveRepeat(const std::string& parameters = "")
    {
        Recover("SelectiveRepeat" + parameters);
    }
};

/// Repeated transmissions: (time, PSN).
std::vector<std::pair<int64_t, uint64_t>>&
RecordRepeats(Network& net)
{
    static std::vector<std::pair<int64_t, uint64_t>> repeats;
    repeats.clear();
    net.GetNic(0)->TraceConnectWithoutContext(
        "TxBegin",
        Callback<void, const Frame&, Time>([](const Frame& f, Time at) {
            if (f.flags & FRAME_RETX)
            {
                repeats.emplace_back(at.GetTimeStep(), f.psn);
            }
        }));
    return repeats;
}

} // namespace

class DropKthOfSelective : public Repeat, public ::testing::WithParamInterface<uint64_t>
{
};

TEST_P(DropKthOfSelective, ResendsExactlyOne)
{
    UseSelectiveRepeat("[BdpCap=0]");
    const uint64_t k = GetParam();
    Network net;
    MakeStar(net, 2);
    net.Build();
    auto& repeats = RecordRepeats(net);
    LoseFrames(net.GetNic(1), LoseOnce(k));
    const auto flows = Numbered({Flow(0, 1, N_PACKETS * 4096)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ASSERT_EQ(repeats.size(), 1u);
    EXPECT_EQ(repeats[0].second, k);
    // As soon as the port is free after the NAK, which SACK_BYTES lengthen on both links.
    const int64_t nak = Arrival(k + 1) + BACK + 2 * SACK_BYTES * 80;
    EXPECT_GE(repeats[0].first, nak);
    EXPECT_LE(repeats[0].first, nak + FIRST);
    EXPECT_EQ(Sum(net).timeouts, 0u);
    EXPECT_EQ(net.GetNic(1)->GetCounters().dataReceived, N_PACKETS);
    EXPECT_EQ(net.GetNic(1)->GetCounters().reordered, 0u);
    ExpectAllDone(net, done, flows);
}

INSTANTIATE_TEST_SUITE_P(K, DropKthOfSelective, ::testing::Values(0u, 1u, 7u, 50u, 97u, 98u));

// Also when the high timeout was running shortly before.
TEST_F(Repeat, LastPacketLostIsRecoveredByTheLowTimeout)
{
    for (const uint64_t packets : {uint64_t{100}, uint64_t{1000}})
    {
        UseSelectiveRepeat("[BdpCap=0|RtoLow=40us|RtoHigh=900us]");
        Network net;
        MakeStar(net, 2);
        net.Build();
        auto& repeats = RecordRepeats(net);
        LoseFrames(net.GetNic(1), LoseOnce(packets - 1));
        const auto flows = Numbered({Flow(0, 1, packets * 4096)});
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        ASSERT_EQ(repeats.size(), 1u);
        EXPECT_EQ(repeats[0].first, Arrival(packets - 2) + BACK + 40 * US);
        ExpectAllDone(net, done, flows);
        Simulator::Destroy();
    }
}

// With many outstanding the high timeout holds, and all of them come again.
TEST_F(Repeat, EverythingLostIsRecoveredByTheHighTimeout)
{
    UseSelectiveRepeat("[BdpCap=0|RtoLow=40us|RtoHigh=900us]");
    Network net;
    MakeStar(net, 2);
    net.Build();
    auto& repeats = RecordRepeats(net);
    LoseFrames(net.GetNic(1),
               [](const Frame& f) { return f.kind == FrameKind::DATA && !(f.flags & FRAME_RETX); });
    const auto flows = Numbered({Flow(0, 1, N_PACKETS * 4096)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ASSERT_EQ(repeats.size(), N_PACKETS);
    EXPECT_EQ(repeats[0].first, 900 * US);
    EXPECT_EQ(Sum(net).timeouts, 1u);
    ExpectAllDone(net, done, flows);
}

// A repeat that is lost again is found by what is sent after it, or else by the timeout.
TEST_F(Repeat, LostTwice)
{
    for (const uint64_t psn : {uint64_t{20}, N_PACKETS - 2})
    {
        UseSelectiveRepeat("[BdpCap=0|RtoLow=100us|RtoHigh=100us]");
        Network net;
        MakeStar(net, 2);
        net.Build();
        auto& repeats = RecordRepeats(net);
        int lost = 0;
        LoseFrames(net.GetNic(1), [&lost, psn](const Frame& f) {
            return f.kind == FrameKind::DATA && f.psn == psn && lost++ < 2;
        });
        const auto flows = Numbered({Flow(0, 1, N_PACKETS * 4096)});
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        ASSERT_EQ(repeats.size(), 2u);
        const int64_t waited = repeats[1].first - repeats[0].first;
        if (psn == 20)
        {
            EXPECT_LT(waited, 7 * US); // a round trip and two frames
        }
        else
        {
            EXPECT_EQ(waited, 100 * US);
        }
        ExpectAllDone(net, done, flows);
        Simulator::Destroy();
    }
}

// 60 messages wait in one buffer, with PFC for longer than seven of IRN's timeouts: nothing is
// lost, repeated or given up.
TEST_F(Repeat, WhatWaitsUnderPfcIsNotRepeated)
{
    SetRateLaw("Dcqcn");
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("8MB"));
    Network net;
    MakeStar(net, 61, 10 * G);
    net.Build();
    std::vector<FlowSpec> flows;
    for (uint32_t src = 1; src <= 60; ++src)
    {
        flows.push_back(Flow(src, 0, 40000));
    }
    flows = Numbered(flows);
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    const Totals t = Sum(net);
    EXPECT_EQ(t.failed, 0u);
    EXPECT_EQ(t.timeouts, 0u);
    EXPECT_EQ(t.retransmitted, 0u);
    EXPECT_GT(done.FctPs(59), 1000 * US) << "the test needs a long queue";
    ExpectAllDone(net, done, flows);
}

// Without PFC a few are repeated in vain, since IRN's low timeout is short; no flow fails for that.
TEST_F(Repeat, WhatWaitsWithoutPfcIsNotGivenUp)
{
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("16MB"));
    Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(0));
    Network net;
    MakeStar(net, 101, 10 * G);
    net.Build();
    std::vector<FlowSpec> flows;
    for (uint32_t src = 1; src <= 100; ++src)
    {
        flows.push_back(Flow(src, 0, src % 2 ? 4000 : 80000));
    }
    flows = Numbered(flows);
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    const Totals t = Sum(net);
    EXPECT_EQ(t.lost, 0u);
    EXPECT_EQ(t.failed, 0u);
    EXPECT_LT(t.retransmitted, 1050u) << "of 1050 packets";
    ExpectAllDone(net, done, flows);
}

// Random losses cost less than with go-back-N, the cap and all timeouts as they are by default: it
// is as short as the path where there is none longer, and then a loss costs both a round trip.
TEST_F(Repeat, RandomLossesCostLessThanWithGoBackN)
{
    Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MicroSeconds(100)));
    const auto goodput = [](const std::string& recovery, const std::string& rate, bool racks) {
        Recover(recovery);
        Network net;
        MakeStar(net, 2);
        if (racks)
        {
            net.AddSwitch("sw1", 0);
            net.AddNic(net.AddHost("h2", 0), 1, 100 * G, US);
            net.Connect(0, 1, 100 * G, 4 * US);
        }
        net.Build();
        for (const Ptr<Port>& port : net.GetPorts())
        {
            Ptr<RandomLoss> loss = CreateObject<RandomLoss>();
            loss->SetAttribute("Rate", StringValue(rate));
            port->SetLossModel(loss);
        }
        net.AssignStreams(1);
        const auto flows = Numbered({Flow(0, 1, 20000000)});
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        ExpectAllDone(net, done, flows);
        const auto ideal = static_cast<double>(net.GetIdeal(flows[0]).senderFctPs);
        Simulator::Destroy();
        return ideal / static_cast<double>(done.FctPs(0));
    };
    for (const bool lossless : {false, true})
    {
        Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(lossless ? 8 : 0));
        for (const std::string rate : {"0.001", "0.01", "0.05"})
        {
            const double others = goodput("GoBackN", rate, false);
            EXPECT_GT(goodput("SelectiveRepeat", rate, false), 0.97 * others) << rate;
            const double more = goodput("SelectiveRepeat", rate, true);
            EXPECT_GT(more, 1.03 * others) << rate;
            EXPECT_GT(more, rate == "0.05" ? 0.7 : 0.9) << rate;
        }
    }
}

TEST_F(Repeat, DuplicatesAreAcknowledgedAgain)
{
    UseSelectiveRepeat("[BdpCap=0|RtoHigh=500us]");
    Network net;
    MakeStar(net, 2);
    net.Build();
    LoseFrames(net.GetNic(0), [](const Frame& f) {
        return f.kind == FrameKind::ACK && Simulator::Now() < MicroSeconds(400);
    });
    const auto flows = Numbered({Flow(0, 1, N_PACKETS * 4096)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    EXPECT_EQ(Sum(net).timeouts, 1u);
    EXPECT_EQ(net.GetNic(1)->GetCounters().bytesDelivered, N_PACKETS * 4096);
    ExpectAllDone(net, done, flows);
}

// One bandwidth-delay product is enough for the full rate, and bounds the queue of an incast.
TEST_F(Repeat, BdpCapKeepsTheRateAndBoundsTheQueue)
{
    uint64_t peak[2];
    for (const bool cap : {true, false})
    {
        UseSelectiveRepeat(cap ? "" : "[BdpCap=0]");
        Network net;
        MakeStar(net, 9);
        net.Build();
        std::vector<FlowSpec> flows{Flow(0, 1, 4000000)};
        for (uint32_t i = 1; i < 9; ++i)
        {
            flows.push_back(Flow(i, 0, 500000, MS));
        }
        flows = Numbered(flows);
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        ExpectAllDone(net, done, flows);
        EXPECT_EQ(done.FctPs(0), net.GetIdeal(flows[0]).senderFctPs);
        peak[cap] = Sum(net).peakBytes;
        Simulator::Destroy();
    }
    // 8 flows of one BDP each: 4.7 us at 100 Gbit/s are 15 packets.
    EXPECT_LT(peak[true], 8 * 15 * 4200u);
    EXPECT_GT(peak[false], 2 * peak[true]);
}

// Tail drop instead of PFC: all finish, with far fewer repeats than go-back-N needs.
TEST_F(Repeat, LossyIncast)
{
    uint64_t repeated[2];
    for (const bool selective : {false, true})
    {
        if (selective)
        {
            UseSelectiveRepeat();
        }
        else
        {
            Recover("GoBackN");
            Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MicroSeconds(320)));
        }
        Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(0));
        Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("1MB"));
        Config::SetDefault("ns3::roce::Nic::RetryLimit", UintegerValue(0));
        Network net;
        MakeStar(net, 33);
        net.Build();
        std::vector<FlowSpec> flows;
        for (uint32_t i = 1; i < 33; ++i)
        {
            flows.push_back(Flow(i, 0, 1000000));
        }
        flows = Numbered(flows);
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        EXPECT_GT(Sum(net).lost, 0u);
        EXPECT_EQ(Sum(net).xoff, 0u);
        repeated[selective] = Sum(net).retransmitted;
        ExpectAllDone(net, done, flows);
        Simulator::Destroy();
    }
    EXPECT_LT(2 * repeated[true], repeated[false]);
}
