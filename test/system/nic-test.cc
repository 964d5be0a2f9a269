// SPDX-License-Identifier: GPL-2.0-only
// NICs: several of them, several messages on a queue pair, classes, long paths, high rates.
#include "roce-test-network.h"

#include "ns3/roce-leaf-spine-helper.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// A queue pair from NIC a to NIC b that stays open.
QueuePair*
Open(Network& net, uint32_t a, uint32_t b, uint8_t trafficClass = 3)
{
    Ptr<Nic> nic = net.GetNic(a);
    const uint32_t dstQp = net.GetNic(b)->ReserveQp(a, nic->GetProfile());
    return nic->OpenQp(b, dstQp, trafficClass, 0xc123, false);
}

/// Wire bytes of data by class that a port has started to send.
struct BytesByClass
{
    explicit BytesByClass(Ptr<Port> port)
    {
        const Port* raw = PeekPointer(port);
        port->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([this, raw](const Frame& f, Time) {
                if (f.kind == FrameKind::DATA)
                {
                    bytes[f.trafficClass] += raw->WireBytes(f.frameBytes);
                }
            }));
    }

    std::array<int64_t, N_CLASSES> bytes{};
};

} // namespace

TEST_F(SystemTest, NicsOfOneHostAreIndependent)
{
    SetRateLaw("Dcqcn");
    LeafSpineHelper h;
    h.datacenters = 1;
    h.leaves = 2;
    h.spines = 2;
    h.hostsPerLeaf = 2;
    h.nicsPerHost = 4;
    h.fabricRate = DataRate("400Gbps");
    Network net;
    h.Construct(net);
    net.Build();
    ASSERT_EQ(net.GetNNics(), 16u);
    EXPECT_EQ(net.GetNic(0)->GetNode(), net.GetNic(3)->GetNode());
    EXPECT_NE(net.GetNic(0)->GetNode(), net.GetNic(4)->GetNode());
    std::vector<FlowSpec> flows;
    for (uint32_t i = 0; i < 4; ++i)
    {
        flows.push_back(Flow(i, 4 + i, 1000000)); // within the rack: each has its own link
        flows.push_back(Flow(4 + i, i, 1000000));
    }
    flows.push_back(Flow(8, 9, 1000000)); // between NICs of one host
    flows = Numbered(flows);
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    for (const FlowSpec& flow : flows)
    {
        // ACKs of the other direction are all that is in the way.
        const int64_t ideal = net.GetIdeal(flow).senderFctPs;
        EXPECT_GE(done.FctPs(flow.id), ideal);
        EXPECT_LT(done.FctPs(flow.id), ideal * 104 / 100);
    }
    EXPECT_EQ(done.FctPs(8), net.GetIdeal(flows[8]).senderFctPs);
    ExpectAllDone(net, done, flows);
}

TEST_F(SystemTest, SeveralMessagesOnOneQueuePair)
{
    SetRateLaw("LineRate");
    for (unsigned ackEveryN : {1u, 16u})
    {
        Config::SetDefault("ns3::roce::Nic::AckEveryN", UintegerValue(ackEveryN));
        Network net;
        MakeStar(net, 2);
        net.Build();
        Completions done(net);
        std::vector<uint64_t> order;
        net.GetNic(0)->TraceConnectWithoutContext(
            "MessageCompleted",
            Callback<void, const MessageRecord&>(
                [&](const MessageRecord& r) { order.push_back(r.cookie); }));
        Ptr<Nic> nic = net.GetNic(0);
        const uint32_t dstQp = net.GetNic(1)->ReserveQp(0, nic->GetProfile());
        QueuePair* qp = nic->OpenQp(1, dstQp, 3, 0xc123, false);
        const uint64_t sizes[] = {4096, 0, 10000, 1, 8192, 123456};
        int64_t wire = 0;
        for (uint64_t i = 0; i < 6; ++i)
        {
            nic->Post(qp, sizes[i], i);
            const uint64_t packets = std::max<uint64_t>(1, (sizes[i] + 4095) / 4096);
            wire += static_cast<int64_t>((sizes[i] + 3) / 4 * 4 + 16 + packets * 82);
        }
        Simulator::Run();
        ASSERT_EQ(order.size(), 6u);
        for (uint64_t i = 0; i < 6; ++i)
        {
            EXPECT_EQ(order[i], i);
            EXPECT_EQ(done.sent[i].bytes, sizes[i]);
            EXPECT_EQ(done.sent[i].postedPs, 0);
        }
        // Back to back: all wire bytes on one link, the longest frame once more, and the ACK's way.
        EXPECT_EQ(done.FctPs(5), wire * 80 + 2 * US + 335520 + 2 * (US + 6880));
        EXPECT_EQ(net.GetNic(1)->GetReceiver(dstQp)->msn, 6u);
        EXPECT_EQ(nic->GetOpenQps(), 1u);
        // Idle for a while, then one more.
        Simulator::Schedule(MilliSeconds(1), [&]() { nic->Post(qp, 4096, 99); });
        Simulator::Run();
        EXPECT_EQ(done.FctPs(99), 2 * (US + 335520) + 2 * (US + 6880));
        EXPECT_EQ(net.Audit(true), "");
        Simulator::Destroy();
    }
}

// A message is posted by the completion of the one before: at that very time, whether or not the
// machinery runs late.
TEST_F(SystemTest, ClosedLoopPostsFromTheCompletion)
{
    SetRateLaw("LineRate");
    std::vector<int64_t> times[2];
    for (bool eager : {false, true})
    {
        Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
        Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
        Network net;
        MakeStar(net, 3, 100 * G, 3 * US);
        net.Build();
        Ptr<Nic> nic = net.GetNic(0);
        QueuePair* qp = Open(net, 0, 1);
        Open(net, 2, 1);
        net.InstallFlows(Numbered({Flow(2, 0, 3000000)})); // something else is going on
        uint64_t n = 0;
        nic->TraceConnectWithoutContext(
            "MessageCompleted",
            Callback<void, const MessageRecord&>([&](const MessageRecord& r) {
                times[eager].push_back(r.postedPs);
                times[eager].push_back(r.completedPs);
                if (++n < 50)
                {
                    nic->Post(qp, 1000 * n, n);
                }
            }));
        nic->Post(qp, 1000, 0);
        Simulator::Run();
        EXPECT_EQ(n, 50u);
        EXPECT_EQ(net.Audit(true), "");
        Simulator::Destroy();
    }
    EXPECT_EQ(times[0], times[1]);
    for (std::size_t i = 2; i < times[0].size(); i += 2)
    {
        ASSERT_EQ(times[0][i], times[0][i - 1]) << "message " << i / 2;
    }
}

// Ten switches: telemetry of ten hops, and HPCC controls the bottleneck at the last of them.
TEST_F(SystemTest, HpccOverTenSwitches)
{
    SetRateLaw("Hpcc");
    Network net;
    for (uint32_t s = 0; s < 10; ++s)
    {
        net.AddSwitch("s" + std::to_string(s), 0);
        if (s)
        {
            net.Connect(s - 1, s, 400 * G, US / 2);
        }
    }
    net.AddNic(net.AddHost("a", 0), 0, 100 * G, US / 2);
    net.AddNic(net.AddHost("b", 0), 0, 100 * G, US / 2);
    net.AddNic(net.AddHost("c", 0), 9, 100 * G, US / 2);
    net.Build();
    uint32_t hops = 0;
    net.GetNic(0)->TraceConnectWithoutContext(
        "RxEnd",
        Callback<void, const Frame&, Time>(
            [&](const Frame& f, Time) { hops = f.telemetry ? f.telemetry.hops : hops; }));
    const auto flows = Numbered({Flow(0, 2, 20000000), Flow(1, 2, 20000000)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    EXPECT_EQ(hops, 10u);
    EXPECT_EQ(Sum(net).xoff, 0u); // without control the switch would have to pause
    // 40 MB at 95 % of 100 Gbit/s, with headers and telemetry of 2 + 80 B.
    const double atBest = 40e6 * (4096 + 62 + 20 + 82) / 4096 * 8 / 100e9 * 1e12;
    const auto last = static_cast<double>(std::max(done.FctPs(0), done.FctPs(1)));
    EXPECT_GT(last, atBest);
    EXPECT_LT(last, atBest / 0.88);
    ExpectAllDone(net, done, flows);
}

TEST_F(SystemTest, RatesOf1600Gbps)
{
    for (const char* law : {"LineRate", "Dcqcn", "Hpcc"})
    {
        SetRateLaw(law);
        Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("256MiB"));
        Network net;
        MakeStar(net, 4, 1600 * G, US);
        net.Build();
        net.AssignStreams(1);
        const auto flows =
            Numbered({Flow(1, 0, 20000000), Flow(2, 0, 20000000), Flow(3, 1, 30000000)});
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        const auto wire = static_cast<double>(IdealFct::SerialisationPs(4178, 1600 * G));
        EXPECT_GT(done.FctPs(0), 2 * 4882 * wire * 0.9) << law; // the two share
        EXPECT_LT(done.FctPs(2), 7325 * wire * 1.2 + 10 * US) << law;
        EXPECT_EQ(Sum(net).lost, 0u);
        ExpectAllDone(net, done, flows);
        Simulator::Destroy();
    }
}

// A lossless class of full frames and a lossy one of short messages share the NIC by bytes.
TEST_F(SystemTest, ClassesShareTheNicByBytes)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 2);
    net.Build();
    BytesByClass sent(net.GetNic(0));
    QueuePair* longer = Open(net, 0, 1, 3);
    QueuePair* shorter = Open(net, 0, 1, 1);
    net.GetNic(0)->Post(longer, 4000000, 0);
    for (uint64_t i = 0; i < 4000; ++i)
    {
        net.GetNic(0)->Post(shorter, 500, 1 + i);
    }
    Simulator::Stop(TimeStep(100 * US));
    Simulator::Run();
    net.CatchUp();
    EXPECT_GT(sent.bytes[3], 500000);
    EXPECT_NEAR(static_cast<double>(sent.bytes[1]), static_cast<double>(sent.bytes[3]), 2 * 4194);
    Simulator::Run();
    EXPECT_EQ(net.Audit(true), "");
}

// After a long time alone a class has no debt, and one that was idle no credit.
TEST_F(SystemTest, AnIdleClassGetsNoCredit)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 2);
    net.Build();
    BytesByClass sent(net.GetNic(0));
    net.InstallFlows(Numbered({Flow(0, 1, 4000000, 0, 3), Flow(0, 1, 2000000, 100 * US, 1)}));
    std::array<int64_t, N_CLASSES> before{};
    Simulator::Schedule(MicroSeconds(100), [&]() {
        net.CatchUp();
        before = sent.bytes;
    });
    Simulator::Stop(TimeStep(200 * US));
    Simulator::Run();
    net.CatchUp();
    EXPECT_NEAR(static_cast<double>(sent.bytes[1] - before[1]),
                static_cast<double>(sent.bytes[3] - before[3]),
                3 * 4194);
    Simulator::Run();
}

// The same at a switch: one host for each class, frames of different size.
TEST_F(SystemTest, ClassesShareASwitchPortByBytes)
{
    SetRateLaw("LineRate");
    Network net;
    net.AddSwitch("s", 0);
    ObjectFactory small("ns3::roce::Nic");
    small.Set("PathMtu", UintegerValue(512));
    net.AddNic(net.AddHost("a", 0), 0, 100 * G, US);
    net.AddNic(net.AddHost("b", 0), 0, 100 * G, US, small);
    net.AddNic(net.AddHost("c", 0), 0, 100 * G, US);
    net.Build();
    BytesByClass sent(net.GetSwitch(0)->GetPort(2));
    net.InstallFlows(Numbered({Flow(0, 2, 10000000, 0, 3), Flow(1, 2, 10000000, 0, 1)}));
    Simulator::Stop(TimeStep(300 * US));
    Simulator::Run();
    net.CatchUp();
    // By frame bytes; the small frames have more framing on the wire.
    const double longFrames = static_cast<double>(sent.bytes[3]) * 4158 / 4178;
    const double shortFrames = static_cast<double>(sent.bytes[1]) * 574 / 594;
    EXPECT_GT(shortFrames, 1500000);
    EXPECT_NEAR(shortFrames, longFrames, 0.01 * longFrames + 3 * 4200);
    EXPECT_EQ(Sum(net).lostLossless, 0u);
}

// Bad flows are refused by name.
TEST_F(SystemTest, ImpossibleFlowsAreRefused)
{
    Network net;
    MakeStar(net, 2);
    net.Build();
    EXPECT_THROW(net.InstallFlows({Flow(0, 2, 1)}), InputError);
    EXPECT_THROW(net.InstallFlows({Flow(7, 1, 1)}), InputError);
    EXPECT_THROW(net.InstallFlows({Flow(1, 1, 1)}), InputError);
    EXPECT_THROW(net.InstallFlows({Flow(0, 1, 1, 0, 8)}), InputError);
}

TEST_F(SystemTest, LosslessControlClassIsRefused)
{
    Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(0x48));
    Network net;
    MakeStar(net, 2);
    EXPECT_THROW(net.Build(), InputError);
}
