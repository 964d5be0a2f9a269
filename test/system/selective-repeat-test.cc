/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// Selective repeat in a network: what is sent again, and when.
#include "roce-loss-fixture.h"

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

// A repeat that is lost again waits for the timeout, counted from the repeat.
TEST_F(Repeat, LostTwice)
{
    UseSelectiveRepeat("[BdpCap=0|RtoLow=100us|RtoHigh=100us]");
    Network net;
    MakeStar(net, 2);
    net.Build();
    auto& repeats = RecordRepeats(net);
    int lost = 0;
    LoseFrames(net.GetNic(1), [&lost](const Frame& f) {
        return f.kind == FrameKind::DATA && f.psn == 20 && lost++ < 2;
    });
    const auto flows = Numbered({Flow(0, 1, N_PACKETS * 4096)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ASSERT_EQ(repeats.size(), 2u);
    EXPECT_EQ(repeats[1].first - repeats[0].first, 100 * US);
    ExpectAllDone(net, done, flows);
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
