// SPDX-License-Identifier: GPL-2.0-only

// What replay's profile hpcc-sim is made of: sizes, ticks, windows, units, headroom.
#include "roce-error-of.h"
#include "roce-replay-fixture.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

TEST_F(Replay, EmptyNetworkWithOtherSizes)
{
    Config::SetDefault("ns3::roce::Port::FramingBytes", UintegerValue(0));
    Config::SetDefault("ns3::roce::Port::MinFrameBytes", UintegerValue(0));
    Config::SetDefault("ns3::roce::Port::SerialisationTick", StringValue("1ns"));
    Config::SetDefault("ns3::roce::Nic::PathMtu", UintegerValue(1000));
    Config::SetDefault("ns3::roce::Nic::DataHeaderBytes", UintegerValue(48));
    Config::SetDefault("ns3::roce::Nic::FirstHeaderBytes", UintegerValue(0));
    Config::SetDefault("ns3::roce::Nic::PayloadAlign", UintegerValue(1));
    Config::SetDefault("ns3::roce::Nic::AckFrameBytes", UintegerValue(46));
    Config::SetDefault("ns3::roce::Nic::AckMinBytes", UintegerValue(60));
    SetRateLaw("LineRate");
    SmallNetwork s(Path("topology.txt"));
    std::vector<FlowSpec> flows;
    for (uint64_t size : {0, 1, 999, 1000, 1001, 2500, 100000})
    {
        flows.push_back(Flow(0, 3, size, static_cast<int64_t>(flows.size()) * MS));
    }
    flows = Numbered(flows);
    Completions done(s.net);
    s.net.AssignStreams(1);
    s.net.InstallFlows(flows);
    Simulator::Run();
    for (const FlowSpec& flow : flows)
    {
        EXPECT_EQ(done.FctPs(flow.id), s.net.GetIdeal(flow).senderFctPs) << flow.sizeBytes;
    }
    // 1048 B are 83 ns at 100 Gbit/s and 20 ns at 400, an ACK of 60 B 4 and 1; four links each way.
    EXPECT_EQ(done.FctPs(3), (8000 + 2 * (83 + 20) + 2 * (4 + 1)) * NS);
}

TEST_F(Replay, PayloadWindowCountsPayload)
{
    Config::SetDefault("ns3::roce::Nic::PathMtu", UintegerValue(1000));
    Config::SetDefault("ns3::roce::LineRate::Window", UintegerValue(2500));
    SetRateLaw("LineRate");
    for (const bool payload : {false, true})
    {
        Config::SetDefault("ns3::roce::Nic::PayloadWindow", BooleanValue(payload));
        Network net;
        MakeStar(net, 2);
        net.Build();
        net.AssignStreams(1);
        net.InstallFlows(Numbered({Flow(0, 1, 100000)}));
        Simulator::Stop(PicoSeconds(2 * US)); // nothing has been acknowledged
        Simulator::Run();
        const Nic& nic = *net.GetNic(0);
        const QueuePair* qp = nic.GetQp(2);
        ASSERT_TRUE(qp);
        EXPECT_EQ(qp->GetNextPsn(), 3u); // 3000 B of payload, or 3262 on the wire
        EXPECT_EQ(qp->GetInflightBytes(), payload ? 3000u : 3u * 1082 + 16);
        Simulator::Destroy();
    }
}

// An empty packet in flight must keep the timeout running.
TEST_F(Replay, LostEmptyMessageIsRepeatedUnderAPayloadWindow)
{
    Config::SetDefault("ns3::roce::Nic::PayloadWindow", BooleanValue(true));
    for (const char* recovery : {"GoBackN", "SelectiveRepeat"})
    {
        Config::SetDefault("ns3::roce::Nic::LossRecovery",
                           StringValue(std::string("ns3::roce::") + recovery));
        Network net;
        MakeStar(net, 2);
        net.Build();
        net.AssignStreams(1);
        Ptr<Nic> nic = net.GetNic(0);
        const uint32_t receiver = net.GetNic(1)->ReserveQp(0, nic->GetProfile());
        bool lost = false;
        LoseFrames(net.GetNic(1), [&](const Frame& frame) {
            const bool lose = frame.kind == FrameKind::DATA && frame.psn == 1 && !lost;
            lost |= lose;
            return lose;
        });
        Simulator::Schedule(PicoSeconds(0), [&] {
            QueuePair* qp = nic->OpenQp(1, receiver, 3, 1, false);
            nic->Post(qp, 1000, 1);
            nic->Post(qp, 0, 2);
        });
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        EXPECT_TRUE(lost);
        EXPECT_EQ(nic->GetQp(2)->GetUna(), 2u) << recovery;
        Simulator::Destroy();
    }
}

// With 80 ns ticks ACKs would take no time at all, and the link has no delay.
TEST_F(Replay, ShortFramesTakeTimeWhateverTheTick)
{
    Config::SetDefault("ns3::roce::Nic::PathMtu", UintegerValue(1000));
    Config::SetDefault("ns3::roce::Port::SerialisationTick", StringValue("80ns"));
    Network net;
    MakeStar(net, 2, 100 * G, 0);
    net.Build();
    EXPECT_EQ(net.GetNic(0)->SerialisationPs(1082), 80000);
    EXPECT_EQ(net.GetNic(0)->SerialisationPs(84), 1);
    const std::vector<FlowSpec> flows = Numbered({Flow(0, 1, 0)});
    Completions done(net);
    net.AssignStreams(1);
    net.InstallFlows(flows);
    Simulator::Run();
    EXPECT_EQ(done.FctPs(0), 4);
    EXPECT_EQ(net.GetIdeal(flows[0]).senderFctPs, 4);
}

TEST_F(Replay, TelemetryInUnits)
{
    Config::SetDefault("ns3::roce::IntStamper::TxUnit", UintegerValue(128));
    Config::SetDefault("ns3::roce::IntStamper::QueueUnit", UintegerValue(1000));
    SetRateLaw("Hpcc");
    Network net;
    MakeStar(net, 3);
    net.Build();
    net.AssignStreams(1);
    uint64_t queued = 0;
    LoseFrames(net.GetNic(0), [&](const Frame& frame) {
        if (frame.kind == FrameKind::ACK)
        {
            const IntHop& hop = frame.telemetry.At(0);
            EXPECT_EQ(hop.txBytes % 128, 0u);
            EXPECT_EQ(hop.queueBytes % 1000, 0u);
            queued += hop.queueBytes;
        }
        return false;
    });
    InstallIncast(net, 100000);
    Simulator::Run();
    EXPECT_GT(queued, 0u);
}

TEST_F(Replay, HeadroomAndAlphaOfTheOtherSimulator)
{
    Config::SetDefault("ns3::roce::Switch::HeadroomFactor", DoubleValue(3));
    Config::SetDefault("ns3::roce::Switch::ReservedBytes", UintegerValue(0));
    Config::SetDefault("ns3::roce::Switch::AlphaReferenceRate", StringValue("100Gbps"));
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("1000000B"));
    for (const bool inside : {true, false})
    {
        Config::SetDefault("ns3::roce::Switch::HeadroomInBuffer", BooleanValue(inside));
        SmallNetwork s(Path("topology.txt"));
        const SharedBuffer& leaf = s.net.GetSwitch(0)->GetBuffer();
        // 37,500 B at 100 Gbit/s and 1 us, 150,000 B at 400.
        const uint64_t headroom = 2 * 37500 + 2 * 150000;
        const uint64_t pool = inside ? 1000000 - headroom : 1000000;
        EXPECT_EQ(leaf.GetPoolBytes(0), pool);
        EXPECT_EQ(leaf.GetThresholdBytes(0, 3), pool / 8); // host
        EXPECT_EQ(leaf.GetThresholdBytes(2, 3), pool / 2); // spine, four times as fast
        Simulator::Destroy();
    }
}

TEST_F(Replay, BadAttributesAreRefused)
{
    Config::SetDefault("ns3::roce::Nic::PayloadAlign", UintegerValue(3));
    EXPECT_THROW(SmallNetwork(Path("topology.txt")), InputError);
    Config::SetDefault("ns3::roce::Nic::PayloadAlign", UintegerValue(4));
    Config::SetDefault("ns3::roce::Nic::Repacing", StringValue("squeeze"));
    EXPECT_THROW(SmallNetwork(Path("topology.txt")), InputError);
    Config::SetDefault("ns3::roce::Nic::Repacing", StringValue("shift"));
    Config::SetDefault("ns3::roce::Nic::PacingClock", StringValue("queued"));
    EXPECT_EQ(ErrorOf([&] { SmallNetwork(Path("topology.txt")); }),
              "ns3::roce::Nic::PacingClock is 'queued', expected sent or due");
    Config::SetDefault("ns3::roce::Nic::PacingClock", StringValue("sent"));
    Config::SetDefault("ns3::roce::Port::SerialisationTick", StringValue("1us"));
    EXPECT_EQ(ErrorOf([&] { SmallNetwork(Path("topology.txt")); }),
              "ns3::roce::Port::SerialisationTick is 1000000 ps, expected at most the 334240 ps "
              "that a full frame takes at 100000000000 bit/s");
    Config::SetDefault("ns3::roce::Port::SerialisationTick", StringValue("0ns"));
    Config::SetDefault("ns3::roce::Nic::Repacing", StringValue("shift"));
    Config::SetDefault("ns3::roce::Switch::HeadroomFactor", DoubleValue(1e300));
    EXPECT_THROW(SmallNetwork(Path("topology.txt")), InputError);
}
