// SPDX-License-Identifier: GPL-2.0-only
// UnoErasure in a network: with ISA-L  every byte that is delivered has been compared.
#include "roce-uno-network.h"

#include "ns3/roce-frame.h"

#include <random>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Flows of all sizes that matter to a code of x data packets, both ways and within.
std::vector<FlowSpec>
MakeFlows(std::mt19937_64& rng, uint64_t x, uint32_t n)
{
    const uint64_t sizes[] = {0,
                              1,
                              4095,
                              4096,
                              4097,
                              x * 4096,
                              x * 4096 - 1,
                              x * 4096 + 1,
                              2 * x * 4096,
                              100000,
                              400000};
    std::vector<FlowSpec> flows;
    for (uint32_t i = 0; i < n; ++i)
    {
        const auto src = static_cast<uint32_t>(rng() % 8);
        const auto dst = static_cast<uint32_t>((src + 1 + rng() % 7) % 8);
        const uint64_t size = i < 22 ? sizes[i % 11] : rng() % 300000;
        const uint32_t far = src < 4 ? 4 + src : src - 4;
        flows.push_back(
            Flow(src, i < 11 ? far : dst, size, static_cast<int64_t>(rng() % (300 * US))));
    }
    return Numbered(flows);
}

struct Case
{
    unsigned x;
    unsigned y;
    const char* lastBlock;
    const char* more;
    const char* loss; //!< on WAN links, both ways, ACKs and NACKs as well
};

void
PrintTo(const Case& c, std::ostream* out)
{
    *out << c.x << "," << c.y << " " << c.lastBlock << c.more << " " << c.loss;
}

} // namespace

struct UnoErasureNetwork : UnoTest
{
};

class UnoErasureLosses : public UnoTest, public ::testing::WithParamInterface<Case>
{
};

TEST_P(UnoErasureLosses, EveryMessageIsDelivered)
{
    const Case& c = GetParam();
    Recover("TestErasure[DataPackets=" + std::to_string(c.x) +
            "|ParityPackets=" + std::to_string(c.y) + "|LastBlock=" + c.lastBlock + c.more + "|" +
            TestErasure::BytesIfPossible() + "]");
    for (const unsigned seed : {1u, 2u})
    {
        std::mt19937_64 rng(seed);
        Network net;
        Make(net);
        LoseOnWan(net, c.loss);
        net.AssignStreams(seed);
        const auto flows = MakeFlows(rng, c.x, 80);
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Schedule(TimeStep(200 * US), [&net] { EXPECT_EQ(net.Audit(false), ""); });
        Simulator::Run();
        EXPECT_GT(LostOnLinks(net), 30u);
        EXPECT_EQ(Sum(net).lost, 0u);
        EXPECT_EQ(Sum(net).failed, 0u);
        ExpectAllDone(net, done, flows);
        uint64_t rebuilt = 0;
        for (uint32_t nic = 0; nic < 8; ++nic)
        {
            for (const TestErasureReceiver* receiver : Receivers(net, nic))
            {
                rebuilt += receiver->GetRebuilt();
            }
        }
        EXPECT_EQ(rebuilt > 0, c.y > 0);
        Simulator::Destroy();
    }
}

INSTANTIATE_TEST_SUITE_P(
    Codes,
    UnoErasureLosses,
    ::testing::Values(
        Case{8, 2, "shortened", "", "RandomLoss[Rate=0.05]"},
        Case{8, 2, "padded", "", "RandomLoss[Rate=0.2]"},
        Case{8, 2, "proportional", "|NackRepeat=needed", "RandomLoss[Rate=0.2]"},
        Case{8,
             2,
             "shortened",
             "|NackRepeat=unacked",
             "RunLoss[Profile=none|StartRate=0.02|BurstSizes=0.74,0.21,0.05]"},
        Case{8, 2, "shortened", "", "ChunkLoss[Profile=none|Probabilities=0.2,0.1,0.05]"},
        Case{1, 1, "shortened", "", "RandomLoss[Rate=0.1]"},
        Case{10, 4, "proportional", "", "ChunkLoss[Profile=none|Probabilities=0.1,0.1,0.2,0.3]"},
        Case{32, 8, "shortened", "", "RandomLoss[Rate=0.1]"},
        Case{60, 4, "padded", "", "RandomLoss[Rate=0.02]"},
        Case{4, 0, "shortened", "", "RandomLoss[Rate=0.05]"},
        Case{8, 2, "shortened", "|Profile=artifact", "RandomLoss[Rate=0.1]"},
        // Not coded within the datacenters: selective repeat alone there.
        Case{8, 2, "shortened", "|Repeater=SelectiveRepeat", "RandomLoss[Rate=0.1]"},
        Case{8,
             2,
             "padded",
             "|Repeater=SelectiveRepeat|NackRepeat=needed",
             "ChunkLoss[Profile=none|Probabilities=0.2,0.1,0.05]"}));

// Rate laws with windows and telemetry; coalesced ACKs; windows of payload.
class UnoErasureLaws : public UnoTest, public ::testing::WithParamInterface<const char*>
{
};

TEST_P(UnoErasureLaws, EveryMessageIsDelivered)
{
    SetRateLaw(GetParam());
    for (const bool odd : {false, true})
    {
        Config::SetDefault("ns3::roce::Nic::AckEveryN", UintegerValue(odd ? 16 : 1));
        Config::SetDefault("ns3::roce::Nic::PayloadWindow", BooleanValue(odd));
        std::mt19937_64 rng(3);
        Network net;
        Make(net);
        LoseOnWan(net, "RandomLoss[Rate=0.03]");
        net.AssignStreams(1);
        const auto flows = MakeFlows(rng, 8, 60);
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        EXPECT_EQ(Sum(net).failed, 0u);
        ExpectAllDone(net, done, flows);
        Simulator::Destroy();
    }
}

INSTANTIATE_TEST_SUITE_P(
    Laws,
    UnoErasureLaws,
    ::testing::Values("LineRate[Window=9000]", "Dcqcn", "Hpcc", "Swift", "Dctcp", "PowerTcp"));

// Without losses nothing is repeated, and parity costs what it is: 25 % of the data, and a header.
TEST_F(UnoErasureNetwork, WithoutLossesItIsJustParity)
{
    Recover("TestErasure[" + TestErasure::BytesIfPossible() + "]");
    Network net;
    Make(net);
    net.AssignStreams(1);
    const auto flows = Numbered({Flow(0, 4, 160 * 8 * 4096), Flow(1, 2, 1000000)});
    uint64_t coded = 0;
    uint64_t others = 0;
    for (const uint32_t nic : {0, 1})
    {
        net.GetNic(nic)->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([&, nic](const Frame& f, Time) {
                const bool isCoded = f.flags & FRAME_CODED;
                EXPECT_EQ(isCoded, nic == 0); // within a datacenter: no code
                (isCoded ? coded : others) += f.kind == FrameKind::DATA;
            }));
    }
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    EXPECT_EQ(coded, 1600u);
    EXPECT_EQ(others, 245u);
    EXPECT_EQ(Sum(net).retransmitted, 0u);
    EXPECT_EQ(Sum(net).naks + Sum(net).timeouts, 0u);
    // The last block can be rebuilt two packets before its parity is there.
    const double ideal = static_cast<double>(net.GetIdeal(flows[0]).senderFctPs);
    EXPECT_NEAR(static_cast<double>(done.FctPs(0)) / 1e6,
                (ideal + 318 * 334560 + 1280 * 320) / 1e6,
                1);
}

// Many messages, empty ones too, on one queue pair, each when the one before is complete or not.
TEST_F(UnoErasureNetwork, ManyMessagesOnOneQueuePair)
{
    std::mt19937_64 rng(4);
    Network net;
    Make(net);
    LoseOnWan(net, "RandomLoss[Rate=0.05]");
    net.AssignStreams(1);
    Completions done(net);
    Ptr<Nic> nic = net.GetNic(0);
    const uint32_t dstQp = net.GetNic(5)->ReserveQp(0, nic->GetProfile(true));
    QueuePair* qp = nic->OpenQp(5, dstQp, 3, 0xc001, false);
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < 300; ++i)
    {
        const uint64_t size = rng() % 3 ? rng() % 60000 : rng() % 2;
        bytes += size;
        Simulator::Schedule(TimeStep(static_cast<int64_t>(i * i) * 10 * NS),
                            [=] { nic->Post(qp, size, i); });
    }
    Simulator::Run();
    EXPECT_EQ(done.sent.size(), 300u);
    EXPECT_EQ(net.Audit(true), "");
    EXPECT_EQ(Sum(net).delivered, bytes);
    EXPECT_EQ(net.GetNic(5)->GetReceiver(dstQp)->msn, 300u);
    EXPECT_EQ(qp->GetInflightBytes(), 0u);
    EXPECT_GT(Receivers(net, 5)[0]->GetRebuilt(), 10u);
}

// Drop-tail queues that overflow: an incast from the other datacenter.
TEST_F(UnoErasureNetwork, LossyIncast)
{
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("400kB"));
    Config::SetDefault("ns3::roce::Nic::RetryLimit", UintegerValue(0));
    SetRateLaw("Swift");
    Network net;
    Make(net);
    net.AssignStreams(1);
    std::vector<FlowSpec> flows;
    for (uint32_t src = 0; src < 8; ++src)
    {
        if (src != 5)
        {
            flows.push_back(Flow(src, 5, 2000000));
        }
    }
    flows = Numbered(flows);
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    EXPECT_GT(Sum(net).lost, 100u);
    ExpectAllDone(net, done, flows);
}

// The same with PFC and ECN: nothing is lost, so nothing is repeated unless a timer is too short.
TEST_F(UnoErasureNetwork, LosslessIncast)
{
    Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(1 << 3));
    SetRateLaw("Dcqcn");
    Network net;
    Make(net, 2, 10 * US);
    net.AssignStreams(1);
    std::vector<FlowSpec> flows;
    for (const uint32_t src : {0, 1, 2, 3, 4, 6})
    {
        flows.push_back(Flow(src, 5, 2000000));
    }
    flows = Numbered(flows);
    PauseMonitor monitor(net);
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    EXPECT_GT(Sum(net).cnps, 0u);
    EXPECT_EQ(Sum(net).lost, 0u);
    monitor.Check(net);
    ExpectAllDone(net, done, flows);
}

// ---------------------------------------------------------------- determinism

namespace
{

uint64_t
RunOnce(unsigned seed, bool eager, const char* scheduler)
{
    Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
    Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
    Simulator::SetScheduler(ObjectFactory(scheduler));
    SetRateLaw(seed % 2 ? "Dcqcn" : "LineRate");
    std::mt19937_64 rng(seed);
    Network net;
    UnoTest::Make(net);
    UnoTest::LoseOnWan(net, seed % 3 ? "RandomLoss[Rate=0.1]" : "BurstLoss[LossRate=0.1]");
    net.AssignStreams(seed);
    for (int i = 0; i < 4; ++i)
    {
        const uint32_t link = UnoTest::Wan(net, rng() % UnoTest::WAN_LINKS);
        const auto down = static_cast<int64_t>(rng() % 400) * US;
        net.ScheduleLinkChange(down, link, false);
        net.ScheduleLinkChange(down + static_cast<int64_t>(rng() % 4000) * US, link, true);
    }
    const auto flows = MakeFlows(rng, 8, 50);
    Completions done(net);
    net.EnableFingerprint();
    net.InstallFlows(flows);
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    EXPECT_GT(UnoTest::LostOnLinks(net), 100u);
    const uint64_t print = net.GetFingerprint();
    Simulator::Destroy();
    return print;
}

} // namespace

class UnoErasureSeeds : public UnoTest, public ::testing::WithParamInterface<unsigned>
{
};

TEST_P(UnoErasureSeeds, EagerAndOtherSchedulersGiveTheSame)
{
    const uint64_t lazy = RunOnce(GetParam(), false, "ns3::PriorityQueueScheduler");
    EXPECT_EQ(lazy, RunOnce(GetParam(), true, "ns3::PriorityQueueScheduler"));
    EXPECT_EQ(lazy, RunOnce(GetParam(), GetParam() % 2, "ns3::MapScheduler"));
    EXPECT_NE(lazy, RunOnce(GetParam() + 100, false, "ns3::MapScheduler"));
}

INSTANTIATE_TEST_SUITE_P(Seeds, UnoErasureSeeds, ::testing::Range(1u, 5u));
