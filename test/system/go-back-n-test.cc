// SPDX-License-Identifier: GPL-2.0-only
// Loss patterns and what go-back-N makes of them, packet for packet.
#include "roce-loss-fixture.h"

#include "ns3/roce-flow-application.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr int64_t PFC = 6720;
constexpr int64_t RTO = 4 * MS;

struct GoBackN : LossTest
{
    void SetUp() override
    {
        LossTest::SetUp();
        Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(TimeStep(RTO)));
    }
};

/// One data transmission.
struct Sent
{
    int64_t atPs;
    uint64_t psn;
    bool again;
};

void
RecordData(Ptr<Port> port, std::vector<Sent>& sent)
{
    port->TraceConnectWithoutContext(
        "TxBegin",
        Callback<void, const Frame&, Time>([&sent](const Frame& f, Time at) {
            if (f.kind == FrameKind::DATA)
            {
                sent.push_back({at.GetTimeStep(), f.psn, (f.flags & FRAME_RETX) != 0});
            }
        }));
}

} // namespace

class DropKth : public GoBackN, public ::testing::WithParamInterface<uint64_t>
{
};

// Sent again: packet k and everything sent after it until the NAK came. Nothing else.
TEST_P(DropKth, ResendsExactlyWhatFollowed)
{
    const uint64_t k = GetParam();
    Network net;
    MakeStar(net, 2);
    net.Build();
    std::vector<Sent> sent;
    RecordData(net.GetNic(0), sent);
    LoseFrames(net.GetNic(1), LoseOnce(k));
    const auto flows = Numbered({Flow(0, 1, N_PACKETS * 4096)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    const int64_t nak = Arrival(k + 1) + BACK;
    uint64_t next = k;
    while (next < N_PACKETS && Start(next) <= nak)
    {
        ++next;
    }
    const uint64_t again = next - k;
    ASSERT_EQ(sent.size(), N_PACKETS + again);
    for (uint64_t i = 0; i < sent.size(); ++i)
    {
        EXPECT_EQ(sent[i].psn, i < next ? i : i - again);
        EXPECT_EQ(sent[i].again, i >= next && i < next + again) << i;
    }
    const Totals t = Sum(net);
    EXPECT_EQ(t.naks, 1u);
    EXPECT_EQ(t.timeouts, 0u);
    EXPECT_EQ(t.retransmitted, again);
    EXPECT_EQ(done.sent[0].retransmitted, again);
    EXPECT_EQ(net.GetNic(1)->GetCounters().dataReceived, N_PACKETS + again - 1);
    ExpectAllDone(net, done, flows);
}

INSTANTIATE_TEST_SUITE_P(K, DropKth, ::testing::Values(0u, 1u, 7u, 50u, 97u, 98u));

TEST_F(GoBackN, LastPacketLostIsRecoveredByTheTimeout)
{
    Network net;
    MakeStar(net, 2);
    net.Build();
    std::vector<Sent> sent;
    RecordData(net.GetNic(0), sent);
    LoseFrames(net.GetNic(1), LoseOnce(N_PACKETS - 1));
    const auto flows = Numbered({Flow(0, 1, N_PACKETS * 4096)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ASSERT_EQ(sent.size(), N_PACKETS + 1);
    // The timer runs from the last progress, the ACK of the packet before.
    EXPECT_EQ(sent.back().atPs, Arrival(N_PACKETS - 2) + BACK + RTO);
    EXPECT_EQ(sent.back().psn, N_PACKETS - 1);
    EXPECT_EQ(Sum(net).timeouts, 1u);
    EXPECT_EQ(Sum(net).naks, 0u);
    ExpectAllDone(net, done, flows);
}

TEST_F(GoBackN, OnlyPacketLost)
{
    Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MicroSeconds(7)));
    Config::SetDefault("ns3::roce::Nic::RtoFactor", DoubleValue(1));
    Network net;
    MakeStar(net, 2);
    net.Build();
    std::vector<Sent> sent;
    RecordData(net.GetNic(0), sent);
    int n = 0;
    LoseFrames(net.GetNic(1), [&](const Frame&) { return ++n <= 3; });
    const auto flows = Numbered({Flow(0, 1, 0)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ASSERT_EQ(sent.size(), 4u);
    for (int i = 0; i < 4; ++i)
    {
        EXPECT_EQ(sent[i].atPs, i * 7 * US); // t_last + RTO, no backoff
    }
    EXPECT_EQ(done.sent[0].retransmitted, 3u);
    ExpectAllDone(net, done, flows);
}

// Every ACK is lost for 3 ms: one timeout, and the ACK of the first duplicate covers everything.
TEST_F(GoBackN, DuplicateIsAcknowledgedAgain)
{
    Network net;
    MakeStar(net, 2);
    net.Build();
    std::vector<Sent> sent;
    RecordData(net.GetNic(0), sent);
    LoseFrames(net.GetNic(0), [&](const Frame& f) {
        return f.kind == FrameKind::ACK && Simulator::Now() < MilliSeconds(3);
    });
    const auto flows = Numbered({Flow(0, 1, N_PACKETS * 4096)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    EXPECT_EQ(sent[N_PACKETS].atPs, RTO);
    EXPECT_EQ(sent[N_PACKETS].psn, 0u);
    const int64_t duplicateAck = Arrival(0) + BACK;
    uint64_t again = 0;
    while (Start(again) <= duplicateAck)
    {
        ++again;
    }
    EXPECT_EQ(Sum(net).retransmitted, again);
    EXPECT_EQ(Sum(net).timeouts, 1u);
    EXPECT_EQ(done.FctPs(0), RTO + duplicateAck);
    EXPECT_EQ(net.GetNic(1)->GetCounters().bytesDelivered, N_PACKETS * 4096);
    ExpectAllDone(net, done, flows);
}

// A lost NAK is not repeated for the same gap: the timeout helps.
TEST_F(GoBackN, LostNak)
{
    Network net;
    MakeStar(net, 2);
    net.Build();
    LoseFrames(net.GetNic(1), LoseOnce(10));
    bool lost = false;
    LoseFrames(net.GetNic(0), [&](const Frame& f) {
        return f.kind == FrameKind::NAK && !std::exchange(lost, true);
    });
    const auto flows = Numbered({Flow(0, 1, N_PACKETS * 4096)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    EXPECT_EQ(Sum(net).timeouts, 1u);
    EXPECT_EQ(Sum(net).naks, 1u);
    EXPECT_EQ(Sum(net).retransmitted, N_PACKETS - 10);
    ExpectAllDone(net, done, flows);
}

// A lost XOFF may cost frames; whatever happens is accounted for and repaired.
TEST_F(GoBackN, LostXoff)
{
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("600KiB"));
    Network net;
    MakeStar(net, 5);
    net.Build();
    uint64_t lost = 0;
    for (uint32_t n = 1; n < 5; ++n)
    {
        LoseFrames(net.GetNic(n), [&, first = true](const Frame& f) mutable {
            const bool lose = f.kind == FrameKind::PFC && f.GetQuanta(3) && first;
            first &= !lose;
            lost += lose;
            return lose;
        });
    }
    std::vector<FlowSpec> flows;
    for (uint32_t i = 1; i < 5; ++i)
    {
        flows.push_back(Flow(i, 0, 2000000, i * 100));
    }
    flows = Numbered(flows);
    Completions done(net);
    PauseMonitor monitor(net);
    net.InstallFlows(flows);
    Simulator::Run();
    EXPECT_EQ(lost, 4u);
    EXPECT_GT(Sum(net).lostLossless, 0u); // with this buffer it does cost frames
    EXPECT_EQ(Sum(net).lost, Sum(net).lostLossless);
    EXPECT_GE(Sum(net).retransmitted, Sum(net).lost);
    ExpectAllDone(net, done, flows);
    monitor.Check(net);
}

TEST_F(GoBackN, RetryLimitFailsTheQueuePair)
{
    Config::SetDefault("ns3::roce::Nic::RetryLimit", UintegerValue(3));
    Network net;
    MakeStar(net, 3);
    net.Build();
    LoseFrames(net.GetNic(1), [](const Frame& f) { return f.psn >= 20 && f.src == 0; });
    const auto flows = Numbered({Flow(0, 1, N_PACKETS * 4096), Flow(2, 1, 1000000)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    EXPECT_EQ(net.GetNic(0)->GetCounters().timeouts, 4u);
    EXPECT_EQ(net.GetNic(0)->GetCounters().failedQps, 1u);
    EXPECT_EQ(net.GetNic(0)->GetOpenQps(), 1u); // still there, to be asked
    EXPECT_EQ(done.sent.count(0), 0u);
    EXPECT_EQ(done.sent.count(1), 1u);
    const QueuePair* qp = nullptr;
    for (uint32_t n = 0; n < 10; ++n)
    {
        qp = net.GetNic(0)->GetQp(n) ? net.GetNic(0)->GetQp(n) : qp;
    }
    ASSERT_NE(qp, nullptr);
    EXPECT_TRUE(qp->failed);
    EXPECT_EQ(qp->GetUna(), 20u);
    EXPECT_NE(net.GetNic(0)->Explain(*qp, 100 * MS).find("retry limit exceeded"),
              std::string::npos);
    EXPECT_EQ(net.Audit(true), "");
}

// A repeat that waits, here for a pause to end, has not been lost again: no timeout meanwhile.
TEST_F(GoBackN, NoTimeoutWhileNothingIsInFlight)
{
    Config::SetDefault("ns3::roce::Port::InfinitePause", BooleanValue(true));
    Network net;
    MakeStar(net, 2);
    net.Build();
    bool dead = true;
    LoseFrames(net.GetNic(1), [&](const Frame&) { return dead; });
    const auto flows = Numbered({Flow(0, 1, N_PACKETS * 4096)});
    Completions done(net);
    net.InstallFlows(flows);
    const auto pause = [&](uint16_t quanta) {
        net.CatchUp();
        Port& port = *net.GetSwitch(0)->GetPort(0);
        port.Transmit(port.MakePfc(3, quanta), Simulator::Now().GetTimeStep());
    };
    Simulator::Schedule(MicroSeconds(100), [&]() { pause(100); });
    Simulator::Schedule(MilliSeconds(100), [&]() {
        dead = false;
        pause(0);
    });
    Simulator::Run();
    EXPECT_EQ(Sum(net).timeouts, 1u);
    EXPECT_EQ(Sum(net).failed, 0u);
    EXPECT_EQ(done.FctPs(0), 100 * MS + US + PFC + Arrival(N_PACKETS - 1) + BACK);
}

// It fails while it stands in the ready ring of a paused class: nothing is sent afterwards.
TEST_F(GoBackN, AFailedQueuePairSendsNothingMore)
{
    Config::SetDefault("ns3::roce::Nic::RetryLimit", UintegerValue(1));
    Config::SetDefault("ns3::roce::Port::InfinitePause", BooleanValue(true));
    Network net;
    MakeStar(net, 2);
    net.Build();
    Ptr<Nic> nic = net.GetNic(0);
    std::vector<Sent> sent;
    RecordData(nic, sent);
    LoseFrames(net.GetNic(1), [](const Frame& f) { return f.kind == FrameKind::DATA; });
    net.InstallFlows(Numbered({Flow(0, 1, N_PACKETS * 4096)}));
    const auto pause = [&](uint16_t quanta) {
        net.CatchUp();
        Port& port = *net.GetSwitch(0)->GetPort(0);
        port.Transmit(port.MakePfc(3, quanta), Simulator::Now().GetTimeStep());
    };
    Simulator::Schedule(MicroSeconds(4005), [&]() { pause(100); }); // amid the second attempt
    Simulator::Schedule(MilliSeconds(100), [&]() { pause(0); });
    Simulator::Run();
    EXPECT_EQ(nic->GetCounters().failedQps, 1u);
    EXPECT_GT(sent.back().atPs, RTO);
    EXPECT_LT(sent.back().atPs, RTO + 7 * US);
}
