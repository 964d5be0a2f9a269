// SPDX-License-Identifier: GPL-2.0-only
// WRCC in closed loop: fairness within a datacenter, across, and of both; what literal readings of
// the paper do; conservation, and the same results however the simulator goes about it.
#include "roce-run-flows.h"
#include "roce-wrcc-network.h"

#include <array>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// What a run of endless flows to one receiver was like.
struct Share
{
    double totalGbps;
    double jain;
    std::map<uint32_t, double> gbps; //!< by sender
    uint64_t fcnps;
};

class WrccNetwork : public WrccTest
{
  protected:
    /**
     * Endless flows to NIC 0 of the first datacenter.
     * @param near senders there
     * @param far senders in the other datacenter, 1 ms away
     * @return shares from a time on
     */
    Share Run(uint32_t near, uint32_t far, int64_t fromPs, int64_t untilPs)
    {
        Network net;
        MakeTwoDatacenters(net, near + 1, std::max(1U, far), MS);
        Build(net);
        std::vector<FlowSpec> flows;
        for (uint32_t src = 1; src < 1 + near + far; ++src)
        {
            flows.push_back(Flow(src, 0, 4'000'000'000));
        }
        net.InstallFlows(Numbered(flows));
        Arrivals arrivals(net, 0);
        Simulator::Schedule(PicoSeconds(fromPs), [&] {
            net.CatchUp();
            arrivals.Clear();
        });
        Simulator::Stop(PicoSeconds(untilPs));
        Simulator::Run();
        net.CatchUp();
        Share share{};
        share.totalGbps = arrivals.TotalGbps(untilPs - fromPs);
        share.jain = arrivals.Jain();
        for (uint32_t src = 1; src < 1 + near + far; ++src)
        {
            share.gbps[src] = arrivals.Gbps(src, untilPs - fromPs);
        }
        share.fcnps = Counted(net, "wrccFcnps");
        EXPECT_EQ(net.Audit(false), "");
        EXPECT_EQ(Sum(net).lost, 0u);
        Simulator::Destroy();
        return share;
    }
};

} // namespace

TEST_F(WrccNetwork, FourFlowsWithinShareAPort)
{
    const Share share = Run(4, 0, 2 * MS, 6 * MS);
    EXPECT_GT(share.jain, 0.99);
    EXPECT_GT(share.totalGbps, 75);
    EXPECT_GT(share.fcnps, 0u) << "before the first ACK they are told by the switch";
}

TEST_F(WrccNetwork, TwoFlowsAcrossShareARemotePort)
{
    const Share share = Run(0, 2, 14 * MS, 34 * MS);
    EXPECT_GT(share.jain, 0.99);
    EXPECT_GT(share.totalGbps, 60);
    EXPECT_EQ(share.fcnps, 0u) << "the congestion is in another domain";
}

TEST_F(WrccNetwork, FlowsWithinAndAcrossShareAPort)
{
    const Share share = Run(2, 2, 34 * MS, 64 * MS);
    EXPECT_GT(share.jain, 0.8);
    EXPECT_GT(share.totalGbps, 70);
    EXPECT_NEAR(share.gbps.at(1), share.gbps.at(2), 2) << "those within among themselves";
    EXPECT_NEAR(share.gbps.at(3), share.gbps.at(4), 2) << "those across among themselves";
}

// Divided every 24 us while senders react after 2 ms, the fair rate falls to its floor.
TEST_F(WrccNetwork, DividingEveryPeriodCollapses)
{
    const Share gated = Run(0, 2, 4 * MS, 24 * MS);
    Set("WrccFairRate::Profile", "literal");
    Set("Wrcc::Profile", "literal");
    const Share literal = Run(0, 2, 4 * MS, 24 * MS);
    EXPECT_LT(literal.totalGbps, 25);
    EXPECT_GT(gated.totalGbps, 2.5 * literal.totalGbps);
}

// Their own uplink is full, of which FCNPs tell in 24 us. They make the sender ignore the ACKs of a
// round trip, so that doublings at the printed pace keep the uplink full; one in two round trips of
// 2 ms does not.
TEST_F(WrccNetwork, NearCongestionNeedsThePrintedTimer)
{
    const Share gated = Run(0, 4, 14 * MS, 34 * MS);
    EXPECT_LT(gated.totalGbps, 40);
    EXPECT_LT(gated.fcnps, 20u);
    Set("Wrcc::T1RttFactor", "0");
    const Share printed = Run(0, 4, 14 * MS, 34 * MS);
    EXPECT_GT(printed.totalGbps, 75);
    EXPECT_GT(printed.fcnps, 500u);
}

// With doublings at the printed pace, each waiting for its answer, divisions in every period do not
// starve flows across; with doublings in two round trips they do. The mix of flows asks for the
// latter.
TEST_F(WrccNetwork, DividingEveryPeriodNeedsThePrintedTimer)
{
    Set("WrccFairRate::MdGating", "everyPeriod");
    Set("Wrcc::SkipIfClipped", "false");
    const Share gated = Run(0, 2, 14 * MS, 34 * MS);
    EXPECT_LT(gated.totalGbps, 30);
    Set("Wrcc::T1RttFactor", "0");
    const Share printed = Run(0, 2, 14 * MS, 34 * MS);
    EXPECT_GT(printed.totalGbps, 70);
}

// Six flows across leave a rack by 400 Gbit/s from an instant on at which the first division sees
// 85 % of them. By the round trip of the WAN the next one comes 2 ms later; their senders hear of
// it by FCNPs within microseconds, so by the loop that steers them it comes in the next period.
TEST_F(WrccNetwork, NearCongestionDoesNotWaitForTheWan)
{
    constexpr uint16_t UPLINK = 0; // of the senders' rack

    struct Outcome
    {
        unsigned held; // periods
        uint64_t longestBytes;
    };

    std::map<std::string, Outcome> with;
    Set("WrccFairRate::PhaseJitter", "false");
    for (const std::string gating : {"perRttAvg", "perLoop"})
    {
        Set("WrccFairRate::MdGating", gating);
        Network net;
        MakeTwoDatacenters(net, 6, 6, MS);
        Build(net);
        Outcome& outcome = with[gating];
        StageOf(net, 1).TraceConnectWithoutContext(
            "Period",
            Callback<void, uint16_t, const WrccPortRate&, Time, Time>(
                [&](uint16_t port, const WrccPortRate& rate, Time, Time) {
                    outcome.held +=
                        port == UPLINK && rate.GetBranch() == WrccPortRate::Branch::HOLD;
                }));
        net.GetSwitch(1)->TraceConnectWithoutContext(
            "QueueLength",
            Callback<void, uint16_t, uint8_t, uint64_t, Time>(
                [&](uint16_t port, uint8_t, uint64_t bytes, Time) {
                    outcome.longestBytes =
                        std::max(outcome.longestBytes, port == UPLINK ? bytes : 0);
                }));
        std::vector<FlowSpec> flows;
        for (uint32_t i = 0; i < 6; ++i)
        {
            flows.push_back(Flow(6 + i, i, 4'000'000'000, 26 * US));
        }
        net.InstallFlows(Numbered(flows));
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        net.CatchUp();
        Simulator::Destroy();
    }
    EXPECT_GT(with["perRttAvg"].held, 70u) << "of 84 periods";
    EXPECT_LT(with["perLoop"].held, 3u);
    EXPECT_GT(with["perRttAvg"].longestBytes, 3 * with["perLoop"].longestBytes);
}

// Lines 3 to 5 of Algorithm 1: an incast to NIC 0 has its inputs paused, and the port of NIC 1,
// which a flow uses by the same input, is divided for that.
TEST_F(WrccNetwork, APauseDividesPortsThatAreNotFull)
{
    constexpr uint16_t VICTIM = 2; // behind the link to the external switch and NIC 0's port
    Set("Switch::BufferSize", "3MB");

    struct Outcome
    {
        uint64_t xoffs;
        uint64_t divisions; // of periods with less input than would be divided
        double leastGbps;
        int64_t fctPs;
    };

    std::map<std::string, Outcome> with;
    for (const std::string slowDown : {"2", "1"})
    {
        Set("WrccFairRate::PfcSlowDown", slowDown);
        Network net;
        MakeTwoDatacenters(net, 2, 3, 100 * US);
        Build(net);
        Outcome outcome{0, 0, 100, 0};
        StageOf(net).TraceConnectWithoutContext(
            "Period",
            Callback<void, uint16_t, const WrccPortRate&, Time, Time>(
                [&](uint16_t port, const WrccPortRate& rate, Time, Time) {
                    if (port == VICTIM)
                    {
                        outcome.divisions += rate.GetBranch() == WrccPortRate::Branch::MD &&
                                             rate.GetInputBps() < 1.1 * 100e9;
                        outcome.leastGbps = std::min(outcome.leastGbps, rate.GetRateBps() / 1e9);
                    }
                }));
        outcome.fctPs =
            RunFlows(
                net,
                Numbered({Flow(4, 1, 20'000'000), Flow(2, 0, 10'000'000), Flow(3, 0, 10'000'000)}))
                .at(0);
        outcome.xoffs = Counted(net, "pfcXoffSent");
        with[slowDown] = outcome;
        Simulator::Destroy();
    }
    EXPECT_GT(with["2"].xoffs, 0u) << "too easy";
    EXPECT_GT(with["1"].xoffs, 0u) << "too easy";
    EXPECT_GT(with["2"].divisions, 0u);
    EXPECT_EQ(with["1"].divisions, 0u);
    EXPECT_LT(with["2"].leastGbps, 60) << "divided by 2";
    EXPECT_GT(with["1"].leastGbps, 60);
    EXPECT_GT(with["2"].fctPs, 3 * with["1"].fctPs / 2) << "the flow pays for it";
}

namespace
{

/// All that a run shows.
struct Outcome
{
    uint64_t fingerprint{0};
    std::map<uint64_t, int64_t> completedPs;
    std::map<std::string, uint64_t> counters;
};

/**
 * Flows of all kinds, with pauses and idle times, until they are done.
 * @param watched somebody looks at fair rates meanwhile
 */
Outcome
RunToTheEnd(bool eager, bool watched = false)
{
    WrccTest::SetEager(eager);
    WrccTest::Set("Switch::BufferSize", "3MB");
    Outcome outcome;
    {
        Network net;
        WrccTest::MakeTwoDatacenters(net, 5, 6, 100 * US);
        WrccTest::Build(net);
        std::vector<FlowSpec> flows;
        for (uint32_t i = 0; i < 40; ++i)
        {
            const uint32_t src = i * 7 % 11;
            const uint32_t dst = (src + 1 + i * 3 % 10) % 11;
            // The last ones come after a rest of many periods.
            const int64_t start = i * 17 * US + (i < 30 ? 0 : 5 * MS);
            flows.push_back(Flow(src, dst, 20000 + i * 37000, start));
        }
        for (uint32_t src = 1; src < 11; ++src)
        {
            flows.push_back(Flow(src, 0, 400000, 100 * US)); // an incast
        }
        flows = Numbered(flows);
        Completions done(net);
        net.EnableFingerprint();
        net.InstallFlows(flows);
        double sum = 0;
        for (int64_t at = 0; watched && at < 2 * MS; at += 7 * US)
        {
            Simulator::Schedule(PicoSeconds(at), [&net, &sum, at] {
                net.CatchUp();
                for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
                {
                    sum += WrccTest::StageOf(net, s).Look(0, at).GetRateBps();
                }
            });
        }
        Simulator::Schedule(MicroSeconds(200), [&net] { EXPECT_EQ(net.Audit(false), ""); });
        Simulator::Run();
        ExpectAllDone(net, done, flows);
        EXPECT_EQ(Sum(net).lost, 0u);
        for (const auto& [id, record] : done.sent)
        {
            outcome.completedPs[id] = record.completedPs;
        }
        outcome.fingerprint = net.GetFingerprint();
        outcome.counters = net.GetCounters();
    }
    Simulator::Destroy();
    return outcome;
}

} // namespace

TEST_F(WrccTest, LazyEagerAndWatchedRunsAreTheSame)
{
    const Outcome lazy = RunToTheEnd(false);
    EXPECT_GT(lazy.counters.at("pfcXoffSent"), 0u) << "too easy";
    EXPECT_GT(lazy.counters.at("wrccFcnps"), 10u) << "too easy";
    for (const Outcome& other : {RunToTheEnd(true), RunToTheEnd(false, true)})
    {
        EXPECT_EQ(other.fingerprint, lazy.fingerprint);
        EXPECT_EQ(other.completedPs, lazy.completedPs);
        EXPECT_EQ(other.counters.at("wrccFcnps"), lazy.counters.at("wrccFcnps"));
        EXPECT_EQ(other.counters.at("wrccRewrites"), lazy.counters.at("wrccRewrites"));
    }
}

// An FCNP for each packet that is clipped: flows get through all the same.
TEST_F(WrccTest, AStormOfFcnpsStopsNobody)
{
    const uint64_t usual = RunToTheEnd(false).counters.at("wrccFcnps");
    Set("WrccFairRate::FcnpInterval", "1ps");
    const Outcome storm = RunToTheEnd(false);
    EXPECT_GT(storm.counters.at("wrccFcnps"), 3 * usual);
    EXPECT_LT(storm.completedPs.at(0), 3 * MS);
}
