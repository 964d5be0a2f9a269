// SPDX-License-Identifier: GPL-2.0-only
// Connections: flows that are messages of one queue pair.
#include "roce-test-network.h"

#include "ns3/roce-flow-application.h"
#include "ns3/roce-leaf-spine-helper.h"

#include <malloc.h>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

FlowSpec
OnConnection(uint32_t connection, FlowSpec flow)
{
    flow.connection = connection;
    return flow;
}

/// When the first frame of each message began to be sent by a NIC.
struct Begins
{
    explicit Begins(Ptr<Nic> nic)
    {
        nic->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([this](const Frame& f, Time at) {
                if (f.kind == FrameKind::DATA && f.flags & FRAME_FIRST)
                {
                    atPs.emplace(f.cookie, at.GetTimeStep());
                }
            }));
    }

    std::map<uint64_t, int64_t> atPs; //!< by cookie
};

/// Two hosts, three messages of 1 MB at once.
struct Messages : SystemTest
{
    void Run(uint32_t connection)
    {
        SetRateLaw("LineRate");
        MakeStar(net, 2);
        net.Build();
        done = std::make_unique<Completions>(net);
        begins = std::make_unique<Begins>(net.GetNic(0));
        for (uint32_t i = 0; i < 3; ++i)
        {
            flows.push_back(OnConnection(connection, Flow(0, 1, 1000000)));
        }
        flows = Numbered(flows);
        net.InstallFlows(flows);
        Simulator::Run();
    }

    Network net;
    std::vector<FlowSpec> flows;
    std::unique_ptr<Completions> done;
    std::unique_ptr<Begins> begins;
};

} // namespace

TEST_F(Messages, OfOneConnectionFollowEachOther)
{
    Run(9);
    const int64_t ideal = net.GetIdeal(flows[0]).senderFctPs;
    EXPECT_EQ(done->FctPs(0), ideal) << "the first has the link alone";
    const int64_t each = begins->atPs[1] - begins->atPs[0];
    EXPECT_EQ(begins->atPs[2] - begins->atPs[1], each);
    EXPECT_EQ(done->FctPs(1), ideal + each);
    EXPECT_EQ(done->FctPs(2), ideal + 2 * each);
    EXPECT_EQ(Sum(net).open, 1u) << "the connection stays";
    ASSERT_EQ(done->received.size(), 3u);
    EXPECT_LT(done->received[0], done->received[1]);
    EXPECT_LT(done->received[1], done->received[2]);
}

TEST_F(Messages, OfQueuePairsOfTheirOwnShareTheLink)
{
    Run(0);
    const int64_t ideal = net.GetIdeal(flows[0]).senderFctPs;
    for (uint64_t i = 0; i < 3; ++i)
    {
        EXPECT_GT(done->FctPs(i), 2 * ideal);
    }
    EXPECT_EQ(Sum(net).open, 0u);
}

// A lone message takes what its hosts take, too, and so does its ideal.
TEST_F(Messages, CostTheirHosts)
{
    const int64_t plain = [] {
        Network other;
        MakeStar(other, 2);
        other.Build();
        return other.GetIdeal(Flow(0, 1, 1000000)).senderFctPs;
    }();
    Config::SetDefault("ns3::roce::Nic::PostLatency", TimeValue(NanoSeconds(700)));
    Config::SetDefault("ns3::roce::Nic::CompletionLatency", TimeValue(NanoSeconds(1100)));
    Config::SetDefault("ns3::roce::Nic::DeliveryLatency", TimeValue(NanoSeconds(500)));
    Config::SetDefault("ns3::roce::Nic::QueueDepth", UintegerValue(1));
    Run(1);
    const IdealFct::Result ideal = net.GetIdeal(flows[0]);
    EXPECT_EQ(ideal.senderFctPs, plain + 1800 * NS);
    for (uint64_t i = 0; i < 3; ++i)
    {
        EXPECT_EQ(done->FctPs(i), static_cast<int64_t>(i + 1) * ideal.senderFctPs)
            << "with depth 1 nothing overlaps";
        EXPECT_EQ(done->received[i],
                  static_cast<int64_t>(i) * ideal.senderFctPs + ideal.receiverFctPs);
    }
    EXPECT_EQ(begins->atPs[0], 700 * NS);
}

TEST_F(Messages, OverlapTheirCosts)
{
    Config::SetDefault("ns3::roce::Nic::PostLatency", TimeValue(NanoSeconds(700)));
    Config::SetDefault("ns3::roce::Nic::CompletionLatency", TimeValue(NanoSeconds(1100)));
    Config::SetDefault("ns3::roce::Nic::MessageGap", TimeValue(NanoSeconds(250)));
    Run(1);
    const int64_t each = begins->atPs[1] - begins->atPs[0];
    EXPECT_EQ(begins->atPs[2] - begins->atPs[1], each);
    const int64_t ideal = net.GetIdeal(flows[0]).senderFctPs;
    EXPECT_EQ(done->FctPs(0), ideal);
    EXPECT_EQ(done->FctPs(2), ideal + 2 * each) << "latencies of messages overlap";
    const Nic& nic = *net.GetNic(0);
    const uint32_t full = nic.WireBytes(nic.GetDataHeaderBytes() + nic.GetMtuBytes());
    const uint32_t last = nic.WireBytes(nic.GetDataHeaderBytes() + 1000000 % nic.GetMtuBytes());
    const int64_t bytes = full * (1000000 / nic.GetMtuBytes()) + last + nic.GetFirstHeaderBytes();
    EXPECT_NEAR(each, bytes * 80 + 250 * NS, 1 * NS) << "the gap does not overlap";
}

TEST_F(Messages, OfOneNicBeginAtItsRate)
{
    Config::SetDefault("ns3::roce::Nic::MessageRate", DoubleValue(5000));
    Run(0);
    EXPECT_EQ(begins->atPs[0], 0);
    EXPECT_EQ(begins->atPs[1], 200 * US);
    EXPECT_EQ(begins->atPs[2], 400 * US);
}

TEST_F(Messages, WaitForDepth)
{
    Config::SetDefault("ns3::roce::Nic::QueueDepth", UintegerValue(2));
    Run(1);
    EXPECT_LT(begins->atPs[1], done->sent[0].completedPs) << "two of them may be under way";
    EXPECT_GE(begins->atPs[2], done->sent[0].completedPs) << "three may not";
}

// A CNP leaves later than the data that it answers by its latency.
TEST_F(SystemTest, CnpLatency)
{
    int64_t without = 0;
    for (const int64_t latencyNs : {0, 55000})
    {
        Config::SetDefault("ns3::roce::Nic::CnpLatency", TimeValue(NanoSeconds(latencyNs)));
        for (const char* const name : {"Kmin", "Kmax"}) // no chance
        {
            Config::SetDefault(std::string("ns3::roce::EcnMarker::") + name, StringValue("20000"));
        }
        SetRateLaw("Dcqcn");
        Network net;
        MakeStar(net, 3);
        net.Build();
        int64_t firstPs = -1;
        net.GetNic(2)->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([&firstPs](const Frame& f, Time at) {
                firstPs = f.kind == FrameKind::CNP && firstPs < 0 ? at.GetTimeStep() : firstPs;
            }));
        InstallIncast(net, 3000000);
        Simulator::Run();
        Simulator::Destroy();
        ASSERT_GT(firstPs, 0);
        without = latencyNs ? without : firstPs;
        EXPECT_NEAR(firstPs - without, latencyNs * NS, 100 * NS);
    }
}

// Flows of one number are different connections to other NICs, back, and in other classes; more
// flows may come later.
TEST_F(SystemTest, ConnectionsAreOfTwoNicsAndAClass)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 3);
    net.Build();
    Completions done(net);
    std::vector<FlowSpec> flows;
    for (const auto& [src, dst, c] : {std::tuple{0, 1, 3}, {0, 2, 3}, {1, 0, 3}, {0, 1, 2}})
    {
        flows.push_back(OnConnection(1, Flow(src, dst, 5000, 0, static_cast<uint8_t>(c))));
        flows.push_back(OnConnection(1, Flow(src, dst, 7000, US, static_cast<uint8_t>(c))));
    }
    flows = Numbered(flows);
    net.InstallFlows({flows.begin(), flows.begin() + 5});
    net.InstallFlows({flows.begin() + 5, flows.end()});
    Simulator::Run();
    EXPECT_EQ(done.sent.size(), flows.size());
    EXPECT_EQ(done.received.size(), flows.size());
    EXPECT_EQ(Sum(net).open, 4u);
    EXPECT_EQ(FlowApplication::Entropy(flows[0]), FlowApplication::Entropy(flows[1]));
    EXPECT_NE(FlowApplication::Entropy(flows[0]), FlowApplication::Entropy(flows[2]));
}

TEST_F(SystemTest, ConnectionHasOneSourcePort)
{
    Network net;
    MakeStar(net, 2);
    net.Build();
    std::vector<FlowSpec> flows =
        Numbered({OnConnection(4, Flow(0, 1, 1)), OnConnection(4, Flow(0, 1, 1)), Flow(0, 1, 1)});
    flows[0].srcPort = 7;
    try
    {
        net.InstallFlows(flows);
        FAIL() << "accepted";
    }
    catch (const InputError& error)
    {
        EXPECT_STREQ(error.what(),
                     "flow 1: source port 0 and reply port 0 on connection 4, expected those of "
                     "flow 0, 7 and 0");
    }
}

// A rate law keeps what it knows while its connection is idle, or begins anew.
TEST_F(SystemTest, IdleConnectionKeepsItsRateOrRestarts)
{
    for (const char* const idleRestart : {"0s", "99us", "101us"})
    {
        SCOPED_TRACE(idleRestart);
        Config::SetDefault("ns3::roce::Nic::IdleRestart", TimeValue(Time(idleRestart)));
        SetRateLaw("Dcqcn");
        Network net;
        MakeStar(net, 2);
        net.Build();
        std::vector<uint64_t> ratesBps;
        Ptr<Nic> nic = net.GetNic(0);
        QueuePair* qp =
            nic->OpenQp(1, net.GetNic(1)->ReserveQp(0, nic->GetProfile()), 3, 0xc000, false);
        int64_t donePs = 0;
        nic->TraceConnectWithoutContext(
            "MessageCompleted",
            Callback<void, const MessageRecord&>([&](const MessageRecord& record) {
                if (record.cookie == 1)
                {
                    donePs = record.completedPs;
                    Simulator::Schedule(PicoSeconds(donePs + 100 * US) - Simulator::Now(), [&] {
                        nic->Post(qp, 1000, 2);
                        ratesBps.push_back(qp->GetCc().GetRateBps());
                    });
                }
            }));
        nic->Post(qp, 1000, 1);
        qp->GetCc().OnCnp({0, {}});
        ratesBps.push_back(qp->GetCc().GetRateBps());
        Simulator::Run();
        Simulator::Destroy();
        ASSERT_EQ(ratesBps.size(), 2u);
        EXPECT_LT(ratesBps[0], 60 * G);
        if (std::string(idleRestart) == "99us")
        {
            EXPECT_EQ(ratesBps[1], 100 * G);
        }
        else
        {
            EXPECT_EQ(ratesBps[1], ratesBps[0]);
        }
    }
}

// Messages leave nothing behind: a hundred times as many on the same connections take no more
// memory.
TEST_F(SystemTest, MessagesOfAConnectionAreForgotten)
{
    SetRateLaw("Hpcc");
    constexpr uint64_t CONNECTIONS = 200;
    constexpr uint64_t MESSAGES = 300; // of each
    Network net;
    MakeStar(net, 3);
    net.Build();
    std::vector<std::size_t> bytes;
    std::vector<QueuePair*> qps;
    uint64_t left = CONNECTIONS * MESSAGES;
    Ptr<Nic> nic = net.GetNic(0);
    nic->TraceConnectWithoutContext(
        "MessageCompleted",
        Callback<void, const MessageRecord&>([&](const MessageRecord& record) {
            --left;
            if (left == CONNECTIONS * (MESSAGES - 30) || left == 0)
            {
                bytes.push_back(mallinfo2().uordblks);
            }
            if (left >= CONNECTIONS)
            {
                nic->Post(qps[record.cookie], 3000, record.cookie);
            }
        }));
    for (uint64_t i = 0; i < CONNECTIONS; ++i)
    {
        const uint32_t dst = 1 + i % 2;
        const uint32_t dstQp = net.GetNic(dst)->ReserveQp(0, nic->GetProfile());
        qps.push_back(nic->OpenQp(dst, dstQp, 3, static_cast<uint16_t>(0xc000 + i), false));
    }
    for (uint64_t i = 0; i < CONNECTIONS; ++i)
    {
        nic->Post(qps[i], 3000, i);
    }
    Simulator::Run();
    EXPECT_EQ(left, 0u);
    ASSERT_EQ(bytes.size(), 2u);
    EXPECT_LE(bytes[1], bytes[0] + bytes[0] / 100) << "messages that are done take memory";
}

// After its retry limit a connection sends nothing more, and its later messages stay.
TEST_F(SystemTest, ConnectionThatFailedSendsNothing)
{
    Config::SetDefault("ns3::roce::Nic::RetryLimit", UintegerValue(2));
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 2);
    net.Build();
    LoseFrames(net.GetNic(1), [](const Frame& f) { return f.kind == FrameKind::DATA; });
    Completions done(net);
    net.InstallFlows(Numbered({OnConnection(1, Flow(0, 1, 1000)),
                               OnConnection(1, Flow(0, 1, 1000, 100 * MS)),
                               Flow(0, 1, 1000, 200 * MS)}));
    Simulator::Run();
    EXPECT_EQ(done.sent.size(), 0u);
    EXPECT_EQ(Sum(net).failed, 2u) << "the connection, and the last flow's queue pair";
    EXPECT_EQ(net.GetNic(0)->GetCounters().dataSent, 2 * 3u);
}
