// SPDX-License-Identifier: GPL-2.0-only
// What erasure coding and subflows are for: blocks that survive losses as often as they should,
// dead links that are left, and an end if there is no way.
#include "roce-uno-network.h"

#include "ns3/roce-line-rate.h"
#include "ns3/roce-uno-lb.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

struct UnoReliability : UnoTest
{
    /// One flow of so many blocks (8,2) of small packets; data is lost, ACKs are not.
    static uint64_t CountNackedBlocks(uint64_t blocks,
                                      const std::string& loss,
                                      uint32_t wanLinks,
                                      uint64_t seed)
    {
        Config::SetDefault("ns3::roce::Nic::PathMtu", UintegerValue(256));
        Network net;
        Make(net, wanLinks, 5 * US);
        LoseOnWan(net, loss, {1});
        net.AssignStreams(static_cast<int64_t>(1000 * seed));
        const auto flows = Numbered({Flow(0, 4, blocks * 8 * 256)});
        Completions done(net);
        net.InstallFlows(flows);
        Simulator::Run();
        ExpectAllDone(net, done, flows);
        const uint64_t nacked = Receivers(net, 4).at(0)->GetNackedBlocks();
        Simulator::Destroy();
        return nacked;
    }

    /// P(more than 2 of 10 are lost), independent losses.
    static double MoreThanTwoOfTen(double p)
    {
        const double q = 1 - p;
        return 1 - std::pow(q, 10) - 10 * p * std::pow(q, 9) - 45 * p * p * std::pow(q, 8);
    }

    /// As a binomial variate, within three standard deviations.
    static void ExpectShare(uint64_t found, uint64_t n, double p)
    {
        const double mean = static_cast<double>(n) * p;
        EXPECT_NEAR(static_cast<double>(found), mean, 3 * std::sqrt(mean * (1 - p)) + 0.5) << p;
    }
};

/**
 * P(more than `tolerated` of 10 consecutive frames are lost) with RunLoss, exactly: a chain over
 * what is left of the present run and the losses so far, that starts in the steady state.
 */
double
RunLossFailure(double a, const std::array<double, 3>& sizes, unsigned tolerated)
{
    // Of 1 + a * meanRun frames, on average, one is asked whether it starts a run: that is state 0
    // (and the first frame of a run belongs to it). In state i the next i frames are lost.
    std::array<double, 3> start{1, a * (sizes[1] + sizes[2]), a * sizes[2]};
    const double sum = start[0] + start[1] + start[2];
    std::array<std::array<double, 11>, 3> now{};
    for (int i = 0; i < 3; ++i)
    {
        now[i][0] = start[i] / sum;
    }
    for (int frame = 0; frame < 10; ++frame)
    {
        std::array<std::array<double, 11>, 3> next{};
        for (int lost = 0; lost <= frame; ++lost)
        {
            next[0][lost] += now[0][lost] * (1 - a);
            for (int i = 0; i < 3; ++i)
            {
                next[i][lost + 1] += now[0][lost] * a * sizes[i];
            }
            next[0][lost + 1] += now[1][lost];
            next[1][lost + 1] += now[2][lost];
        }
        now = next;
    }
    double failure = 0;
    for (unsigned lost = tolerated + 1; lost <= 10; ++lost)
    {
        failure += now[0][lost] + now[1][lost] + now[2][lost];
    }
    return failure;
}

constexpr std::array<double, 3> SETUP1{0.74296, 0.20599, 0.05104};

/// Counts timeouts, and ACKs that tell of losses.
struct TimeoutCounter : LineRate
{
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::roce::TimeoutCounter")
                                .SetParent<LineRate>()
                                .AddConstructor<TimeoutCounter>();
        return tid;
    }

    Ptr<CongestionControl> Fork() const override
    {
        return CopyObject<TimeoutCounter>(this);
    }

    void OnTimeout(int64_t nowPs) override
    {
        ++s_count;
        LineRate::OnTimeout(nowPs);
    }

    void OnFurtherTimeout(int64_t nowPs) override
    {
        ++s_further;
        LineRate::OnFurtherTimeout(nowPs);
    }

    void OnAck(const AckInfo& ack) override
    {
        s_losses += ack.isLoss;
        LineRate::OnAck(ack);
    }

    static void Reset()
    {
        s_count = s_further = s_losses = 0;
    }

    inline static uint64_t s_count = 0;
    inline static uint64_t s_further = 0;
    inline static uint64_t s_losses = 0;
};

NS_OBJECT_ENSURE_REGISTERED(TimeoutCounter);

} // namespace

// Independent losses: a block needs a NACK if more than two of its ten packets are lost.
TEST_F(UnoReliability, BlocksFailAsOftenAsTheyShould)
{
    Recover("TestErasure");
    // The figures of the specification.
    EXPECT_NEAR(MoreThanTwoOfTen(0.01), 1.13849e-4, 1e-9);
    EXPECT_NEAR(MoreThanTwoOfTen(0.05), 1.150356e-2, 1e-8);
    EXPECT_NEAR(MoreThanTwoOfTen(0.1), 7.019083e-2, 1e-8);
    ExpectShare(CountNackedBlocks(5000, "RandomLoss[Rate=0.1]", 8, 1), 5000, MoreThanTwoOfTen(0.1));
    ExpectShare(CountNackedBlocks(10000, "RandomLoss[Rate=0.05]", 8, 2),
                10000,
                MoreThanTwoOfTen(0.05));
    ExpectShare(CountNackedBlocks(20000, "RandomLoss[Rate=0.01]", 8, 3),
                20000,
                MoreThanTwoOfTen(0.01));
}

// Losses in runs, on one link, with the sizes of Uno's table 1 but 200 times as many runs, since
// 1.6e-5 of blocks are too few for a network. Subflows on eight links spread the runs over blocks.
TEST_F(UnoReliability, RunsOfLossesFailMoreBlocksUnlessTheySpread)
{
    Recover("TestErasure");
    EXPECT_NEAR(RunLossFailure(3.8318e-5, SETUP1, 2), 1.565e-5, 3e-8); // as it is
    EXPECT_NEAR(RunLossFailure(3.8318e-5, SETUP1, 0), 3.950e-4, 1e-6); // without code
    const double a = 200 * 3.8318e-5;
    const std::string loss = "RunLoss[Profile=none|StartRate=" + std::to_string(a) +
                             "|BurstSizes=0.74296,0.206,0.05104]";
    constexpr uint64_t N = 20000;
    const double failure = RunLossFailure(a, SETUP1, 2);
    EXPECT_GT(failure, 3e-3);
    const uint64_t one = CountNackedBlocks(N, loss, 1, 1);
    ExpectShare(one, N, failure);
    Select("UnoLb[Target=fresh]"); // copies would end on one link in such a long time
    const uint64_t eight = CountNackedBlocks(N, loss, 8, 1);
    EXPECT_LT(3 * eight, one);
}

// ---------------------------------------------------------------- a dead link

class UnoDeadLink : public UnoReliability, public ::testing::WithParamInterface<unsigned>
{
};

// One of eight links between the datacenters is dead, from the start or from the middle on; routes
// stay as they are. Each subflow on it leaves in its turn, and then nothing is lost any more.
TEST_P(UnoDeadLink, IsLeft)
{
    for (const int64_t failPs : {int64_t{0}, 400 * US})
    {
        for (const bool bothWays : {false, true})
        {
            Recover("TestErasure[" + TestErasure::BytesIfPossible() + "]");
            Network net;
            // Without OnCoveredLoss one or two subflows of ten may stay: the code makes up for
            // them.
            Select("UnoLb[OnCoveredLoss=true]");
            Make(net, WAN_LINKS, 50 * US, GetParam());
            net.AssignStreams(GetParam());
            std::vector<FlowSpec> flows{Flow(0, 4, 40000000)};
            flows[0].replyPort = 50000; // ACKs have a way of their own, that lives
            flows = Numbered(flows);
            const auto ack = net.TracePath(4, 0, 50000);
            uint32_t dead = Wan(net, GetParam() % WAN_LINKS);
            if (ack.at(1).port->GetLink() == &net.GetLink(dead))
            {
                dead = Wan(net, (GetParam() + 1) % WAN_LINKS);
            }
            net.ScheduleLinkChange(failPs, dead, false, bothWays ? Link::BOTH : Link::FROM_0);
            std::vector<int64_t> lost;
            net.GetLink(dead).GetPort(1)->TraceConnectWithoutContext(
                "PhyRxDrop",
                Callback<void, const Frame&, uint8_t, Time>(
                    [&](const Frame&, uint8_t, Time at) { lost.push_back(at.GetTimeStep()); }));
            unsigned onDead = 0;
            uint64_t moves = 0;
            Ptr<Nic> nic = net.GetNic(0);
            const auto count = [&] {
                const auto* lb = dynamic_cast<const UnoLb*>(nic->GetQp(2)->GetSelector());
                unsigned n = 0;
                for (const uint16_t entropy : lb->GetEntropies())
                {
                    n += net.TracePath(0, 4, entropy).at(1).port->GetLink() == &net.GetLink(dead);
                }
                moves = lb->GetMoves();
                return n;
            };
            Simulator::Schedule(TimeStep(failPs + NS), [&] { onDead = count(); });
            unsigned left = 99;
            Simulator::Schedule(TimeStep(3500 * US), [&] { left = count(); });
            Completions done(net);
            net.InstallFlows(flows);
            Simulator::Run();
            ExpectAllDone(net, done, flows);
            EXPECT_EQ(left, 0u);
            EXPECT_EQ(onDead > 0, !lost.empty());
            // To find out takes a timeout at most, and ACKs need a base RTT to stop the flow of
            // packets. A move at random, at the start, may end at the dead link again.
            const PathInfo path = net.GetPath(0, 4, 0xc000);
            const int64_t rto = 3 * (path.baseRttPs + 2 * 83886080) / 2;
            const auto steps = static_cast<int64_t>(std::max<uint64_t>(onDead, moves));
            if (!lost.empty())
            {
                EXPECT_LE(lost.back(), failPs + rto + (steps + 2) * (path.baseRttPs + 10 * US));
                EXPECT_GE(moves, onDead);
                EXPECT_LE(moves, onDead + 3u);
            }
            Simulator::Destroy();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, UnoDeadLink, ::testing::Range(1u, 9u));

// ---------------------------------------------------------------- no way at all

// Data, ACKs, or both get lost from some time on. The queue pair fails after eight timeouts of its
// oldest packet (1, 2, 4, 8, 8, ... times as long), the receiver falls silent, the run ends.
TEST_F(UnoReliability, NoWayAtAll)
{
    Recover("TestErasure[RtoBackoff=8|" + TestErasure::BytesIfPossible() + "]");
    for (const unsigned directions : {Link::FROM_0, Link::FROM_1, Link::BOTH})
    {
        for (const int64_t failPs : {int64_t{0}, 57 * US})
        {
            Network net;
            Make(net, 2, 50 * US);
            net.AssignStreams(1);
            for (uint32_t i = 0; i < 2; ++i)
            {
                net.ScheduleLinkChange(failPs, Wan(net, i), false, directions);
            }
            Completions done(net);
            net.InstallFlows(Numbered({Flow(0, 4, 2000000), Flow(0, 1, 2000000)}));
            Simulator::Run();
            EXPECT_EQ(net.Audit(true), "");
            EXPECT_EQ(Sum(net).failed, 1u);
            EXPECT_EQ(done.sent.size(), 1u); // the one that stays at home
            const PathInfo path = net.GetPath(0, 4, 0xc000);
            const int64_t rto = 3 * (path.baseRttPs + 2 * 83886080) / 2;
            EXPECT_GE(Simulator::Now().GetTimeStep(), 47 * rto);
            EXPECT_LE(Simulator::Now().GetTimeStep(), 48 * rto + MS);
            const bool arrives = directions == Link::FROM_1;
            EXPECT_EQ(done.received.size(), arrives ? 2u : 1u);
            if (failPs && !arrives)
            {
                // A block that began to arrive has been asked for, in vain, as often as it may be.
                EXPECT_EQ(Sum(net).naks, 16 * Receivers(net, 4).at(0)->GetNackedBlocks());
            }
            EXPECT_EQ(Receivers(net, 4).empty(), failPs == 0 && !arrives);
            Simulator::Destroy();
        }
    }
}

// A burst of losses is many timeouts, as each packet has its own, but one for the rate law. A NACK
// answers no data, so it speaks for no path.
TEST_F(UnoReliability, RateLawsHearOfABurstOnce)
{
    SetRateLaw("TimeoutCounter");
    Recover("TestErasure[TimeoutSignal=timeout]");
    TimeoutCounter::Reset();
    Network net;
    Make(net);
    net.AssignStreams(1);
    for (uint16_t port = HOSTS; port < HOSTS + WAN_LINKS; ++port)
    {
        LoseFrames(net.GetSwitch(1)->GetPort(port), [](const Frame& f) {
            return f.psn >= 20 && f.psn < 60 && !(f.flags & FRAME_RETX); // four whole blocks
        });
    }
    uint64_t nacks = 0;
    net.GetNic(0)->TraceConnectWithoutContext(
        "RxEnd",
        Callback<void, const Frame&, Time>([&](const Frame& f, Time) {
            EXPECT_EQ(f.dataEntropy, f.kind == FrameKind::NAK ? 0 : f.entropy); // on the wire
            nacks += f.kind == FrameKind::NAK;
        }));
    LoseFrames(net.GetNic(4), [](const Frame& f) { // and most of another
        return f.psn >= 81 && f.psn < 90 && !(f.flags & FRAME_RETX);
    });
    const auto flows = Numbered({Flow(0, 4, 500000)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    EXPECT_EQ(Sum(net).timeouts, 40u);
    EXPECT_EQ(TimeoutCounter::s_count, 1u);
    EXPECT_EQ(nacks, 1u);
}

// Without code only timers find losses. While other packets are acknowledged these are losses to
// the rate law, in the next ACK; if nothing comes any more it is a timeout.
TEST_F(UnoReliability, RateLawsHearOfLossesWithoutCode)
{
    for (const bool told : {true, false})
    {
        for (const bool tail : {false, true})
        {
            SCOPED_TRACE(testing::Message() << told << tail);
            SetRateLaw("TimeoutCounter");
            Recover(told ? "TestErasure[Code=none]" : "TestErasure[Code=none|Profile=artifact]");
            TimeoutCounter::Reset();
            Network net;
            Make(net);
            net.AssignStreams(1);
            // 20 MB are 1.6 ms at line rate and 4883 packets; a timeout is some 400 us.
            LoseFrames(net.GetNic(4), [tail](const Frame& f) {
                return (tail ? f.psn >= 4873 : f.psn >= 100 && f.psn < 110) &&
                       !(f.flags & FRAME_RETX);
            });
            const auto flows = Numbered({Flow(0, 4, 20000000)});
            Completions done(net);
            net.InstallFlows(flows);
            Simulator::Run();
            ExpectAllDone(net, done, flows);
            EXPECT_EQ(Sum(net).timeouts, 10u);
            const bool loss = told && !tail;
            EXPECT_EQ(TimeoutCounter::s_losses > 0, loss) << "losses that ACKs tell of";
            EXPECT_LE(TimeoutCounter::s_losses, 10u);
            EXPECT_EQ(TimeoutCounter::s_count + TimeoutCounter::s_further, loss ? 0u : 10u);
            Simulator::Destroy();
        }
    }
}

// The selector hears of a timeout's packets at once; the ACK that tells the rate law is not another
// loss.
TEST_F(UnoReliability, SelectorsHearOfALossOnce)
{
    Recover("TestErasure[Code=none]");
    Network net;
    Make(net);
    net.AssignStreams(1);
    LoseFrames(net.GetNic(4), [](const Frame& f) {
        return f.psn >= 100 && f.psn < 102 && !(f.flags & FRAME_RETX);
    });
    const auto flows = Numbered({Flow(0, 4, 20000000)});
    Completions done(net);
    net.InstallFlows(flows);
    uint64_t moves = 0;
    Simulator::Schedule(TimeStep(1500 * US), [&] {
        moves = dynamic_cast<const UnoLb*>(net.GetNic(0)->GetQp(2)->GetSelector())->GetMoves();
    });
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    EXPECT_EQ(Sum(net).timeouts, 2u);
    EXPECT_EQ(moves, 2u) << "subflows of the two lost packets";
}

// NACKs alone get lost: timeouts repair what they would have.
TEST_F(UnoReliability, WithoutNacks)
{
    Network net;
    Make(net);
    LoseOnWan(net, "RandomLoss[Rate=0.15]");
    net.AssignStreams(3);
    for (uint16_t port = HOSTS; port < HOSTS + WAN_LINKS; ++port)
    {
        LoseFrames(net.GetSwitch(0)->GetPort(port),
                   [](const Frame& f) { return f.kind == FrameKind::NAK; });
    }
    const auto flows = Numbered({Flow(0, 4, 3000000), Flow(1, 5, 100000)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    EXPECT_GT(Sum(net).naks, 10u);
    EXPECT_GT(Sum(net).timeouts, 10u);
    ExpectAllDone(net, done, flows);
}
