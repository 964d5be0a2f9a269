// SPDX-License-Identifier: GPL-2.0-only
// Reflex's near-destination throttling in a network: round trips, order of packets, suspension.
#include "roce-reflex-ndt-fixture.h"

#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-stall-detector.h"

#include <array>
#include <random>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/**
 * Four flows from far use 60 % of the port; bursts of local data let Normal grow now and then,
 * suspensions Controlled.
 * @return data overtaken at receivers while round trips, and so states, are random
 */
uint64_t
ReorderedByRandomStates(bool guard, bool symmetric, unsigned seed)
{
    SetNdt("OrderGuard", BooleanValue(guard));
    SetNdt("SymmetricOrderGuard", BooleanValue(symmetric));
    SetNdt("MaxPause", TimeValue(MicroSeconds(5)));
    NdtNetwork dc(15 * G);
    std::mt19937 random(seed);
    std::array<bool, N_FAR> congested{};
    dc.Build([&](uint32_t nic, int64_t) {
        congested[nic] ^= random() % 16 == 0;
        return congested[nic] ? LONG_RTT : SHORT_RTT;
    });
    std::vector<FlowSpec> flows;
    for (uint32_t n = 0; n < N_FAR; ++n)
    {
        flows.push_back(Flow(n, n + N_FAR, 2000000, n * 333 * NS));
        flows.push_back(Flow(2 * N_FAR, n + N_FAR, 400000, (100 + n * 300) * US));
    }
    dc.Run(Numbered(flows));
    const auto counters = dc.Count();
    EXPECT_GT(counters.at("reflexNdtEpisodes"), 20u);
    EXPECT_GT(counters.at("reflexNdtControlled"), 100u);
    EXPECT_EQ(counters.at("reflexNdtLegacyControlled") > 0, guard);
    const uint64_t reordered = dc.Reordered();
    Simulator::Destroy();
    return reordered;
}

/// A run of the leaf-spine topology under load. @return fingerprint
uint64_t
LeafSpineRun(const std::string& law)
{
    SetRateLaw(law);
    LeafSpineHelper h;
    h.leaves = h.spines = 2;
    h.hostsPerLeaf = 4;
    h.wanDelay = MicroSeconds(50);
    Network net;
    h.Construct(net);
    Network::Options options;
    options.stages.emplace_back("ns3::roce::ReflexNdt", SwitchRole::DCI);
    net.Build(options);
    net.AssignStreams(1);
    std::vector<FlowSpec> flows;
    for (uint32_t i = 0; i < 8; ++i)
    {
        // In both directions, two to one; and local traffic to the same receivers.
        flows.push_back(Flow(i, 8 + i % 4, 1500000 + i, i * 7 * US));
        flows.push_back(Flow(8 + i, i % 4, 1000000 + i, i * 5 * US));
        flows.push_back(Flow(8 + i, 8 + (i + 5) % 4, 700000, 30 * US));
    }
    flows = Numbered(flows);
    const Completions done(net);
    net.EnableFingerprint();
    net.InstallFlows(flows);
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    EXPECT_EQ(Sum(net).lost, 0u);
    std::map<std::string, uint64_t> counters;
    for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
    {
        for (const Ptr<SwitchStage>& stage : net.GetSwitch(s)->GetStages())
        {
            stage->Count(counters);
        }
    }
    EXPECT_EQ(counters["reflexNdtFlows"], 16u);
    EXPECT_EQ(counters["reflexNdtTablePeak"], 8u);
    EXPECT_GT(counters["reflexNdtCongestedFlows"], 4u);
    EXPECT_GT(counters["reflexNdtControlled"], 100u);
    for (uint32_t n = 0; n < net.GetNNics(); ++n)
    {
        EXPECT_EQ(net.GetNic(n)->GetCounters().reordered, 0u);
    }
    const uint64_t print = net.GetFingerprint();
    Simulator::Destroy();
    return print;
}

} // namespace

// Three links there and back, at the topology of the paper.
TEST_F(ReflexNdtTest, IdleRoundTripIsTheClosedForm)
{
    LeafSpineHelper h;
    Network net;
    h.Construct(net);
    Network::Options options;
    options.stages.emplace_back("ns3::roce::ReflexNdt", SwitchRole::DCI);
    net.Build(options);
    int64_t dataPs = 0;
    int64_t ackPs = 0;
    const Ptr<Nic> receiver = net.GetNic(net.GetNNics() - 1);
    const auto frameTimes = [&](const Frame& frame, Time) {
        (frame.kind == FrameKind::DATA ? dataPs : ackPs) =
            receiver->SerialisationPs(receiver->WireBytes(frame.frameBytes));
    };
    receiver->TraceConnectWithoutContext("RxEnd", Callback<void, const Frame&, Time>(frameTimes));
    receiver->TraceConnectWithoutContext("TxBegin", Callback<void, const Frame&, Time>(frameTimes));
    unsigned samples = 0;
    for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
    {
        for (const Ptr<SwitchStage>& stage : net.GetSwitch(s)->GetStages())
        {
            stage->TraceConnectWithoutContext("RttDst",
                                              Callback<void, uint32_t, uint32_t, int64_t, Time>(
                                                  [&](uint32_t nic, uint32_t, int64_t rttPs, Time) {
                                                      ++samples;
                                                      EXPECT_EQ(nic, 0u);
                                                      EXPECT_EQ(rttPs,
                                                                6 * US + 3 * (dataPs + ackPs));
                                                  }));
        }
    }
    const std::vector<FlowSpec> flows = Numbered({Flow(0, net.GetNNics() - 1, 1000)});
    const Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    EXPECT_EQ(samples, 1u);
    EXPECT_GT(dataPs, 80 * NS);
    EXPECT_GT(ackPs, 5 * NS);
}

TEST_F(ReflexNdtTest, UnderTimelyIsLosslessInOrderAndDeterministic)
{
    EXPECT_EQ(LeafSpineRun("Timely"), LeafSpineRun("Timely"));
}

TEST_F(ReflexNdtTest, UnderALawWithoutTimeStamps)
{
    LeafSpineRun("Dcqcn");
}

TEST_F(ReflexNdtTest, NothingIsReorderedByRandomStates)
{
    for (unsigned seed = 1; seed <= 5; ++seed)
    {
        EXPECT_EQ(ReorderedByRandomStates(true, true, seed), 0u) << seed;
    }
    // Without suspensions, too: those give Controlled other backlogs.
    SetNdt("Pause", BooleanValue(false));
    EXPECT_EQ(ReorderedByRandomStates(true, true, 6), 0u);
}

TEST_F(ReflexNdtTest, EachOrderGuardIsNeeded)
{
    uint64_t without = 0;
    uint64_t withoutSymmetric = 0;
    for (unsigned seed = 1; seed <= 5; ++seed)
    {
        without += ReorderedByRandomStates(false, true, seed);
        withoutSymmetric += ReorderedByRandomStates(true, false, seed);
    }
    EXPECT_GT(without, 100u);
    EXPECT_GT(withoutSymmetric, 3u);
}

// The price of the second guard: four flows at four times the port's rate never leave Normal.
TEST_F(ReflexNdtTest, AStandingBacklogStaysInNormal)
{
    for (const bool guard : {true, false})
    {
        SetNdt("SymmetricOrderGuard", BooleanValue(guard));
        NdtNetwork dc;
        dc.Build([](uint32_t, int64_t) { return LONG_RTT; });
        std::vector<FlowSpec> flows;
        for (uint32_t n = 0; n < N_FAR; ++n)
        {
            flows.push_back(Flow(n, n + N_FAR, 1000000));
        }
        dc.Run(Numbered(flows));
        const auto counters = dc.Count();
        EXPECT_EQ(counters.at("reflexNdtCongestedFlows"), N_FAR);
        EXPECT_EQ(counters.at("reflexNdtControlled") > 0, !guard);
        EXPECT_EQ(dc.Reordered() > 0, !guard);
        Simulator::Destroy();
    }
}

// A single flow that is congested from its first ACK on: everything waits until MaxPause.
TEST_F(ReflexNdtTest, SuspensionEndsAtExactlyMaxPause)
{
    SetNdt("MaxPause", TimeValue(MicroSeconds(77)));
    NdtNetwork dc;
    dc.Build([](uint32_t, int64_t) { return LONG_RTT; });
    // The reverse flow's ACKs, and the local flow's data, come through the same port.
    dc.Run(Numbered({Flow(0, N_FAR, 400000),
                     Flow(N_FAR + 1, 1, 1000000),
                     Flow(2 * N_FAR, N_FAR + 2, 300000, 50 * US)}));
    ASSERT_GE(dc.pauses.size(), 2u);
    EXPECT_EQ(dc.pauses.size() % 2, 0u);
    uint64_t acks = 0;
    uint64_t local = 0;
    for (std::size_t i = 0; i < dc.pauses.size(); i += 2)
    {
        const NdtNetwork::Pause& begin = dc.pauses[i];
        const NdtNetwork::Pause& end = dc.pauses[i + 1];
        EXPECT_EQ(begin.port, dc.portA);
        EXPECT_TRUE(begin.begins);
        EXPECT_EQ(begin.ratio, 1);
        EXPECT_FALSE(end.begins);
        EXPECT_TRUE(end.byTimeout);
        EXPECT_EQ(end.atPs - begin.atPs, 77 * US);
        for (const NdtNetwork::Sent& s : dc.sent)
        {
            const bool inside = s.atPs > begin.atPs + 4 * US && s.atPs < end.atPs;
            acks += inside && s.kind == FrameKind::ACK;
            local += inside && s.src == 2 * N_FAR;
            // 4 us: what is in Normal when the suspension begins still goes.
            EXPECT_FALSE(inside && s.kind == FrameKind::DATA && s.src == 0) << s.atPs;
        }
    }
    EXPECT_GT(acks, 100u);
    EXPECT_GT(local, 50u);
    const auto counters = dc.Count();
    EXPECT_EQ(counters.at("reflexNdtPauses"), dc.pauses.size() / 2);
    EXPECT_EQ(counters.at("reflexNdtPauseTimeouts"), dc.pauses.size() / 2);
    EXPECT_EQ(counters.at("reflexNdtPausedNs"), dc.pauses.size() / 2 * 77000);
    EXPECT_EQ(counters.at("reflexNdtFlows"), 1u) << "neither the local nor the leaving flow";
}

// A suspension that does not end: what ends the run says so, with the port and the bytes.
TEST_F(ReflexNdtTest, ASuspensionThatStallsIsNamed)
{
    SetNdt("MaxPause", TimeValue(Seconds(100)));
    NdtNetwork dc;
    dc.Build([](uint32_t, int64_t) { return LONG_RTT; });
    dc.net.InstallFlows(Numbered({Flow(0, N_FAR, 400000)}));
    StallDetector detector(dc.net, StallDetector::Options());
    detector.Start();
    Simulator::Stop(Seconds(20));
    Simulator::Run();
    EXPECT_TRUE(detector.HasStopped());
    ASSERT_EQ(detector.GetReports().size(), 1u);
    const std::string held =
        std::to_string(dc.ndt->GetScheduler(dc.portA)->GetControlledBytes()) +
        " B held back by a suspension of near-destination throttling at own port " +
        std::to_string(dc.portA);
    EXPECT_NE(detector.GetReports()[0].find(held), std::string::npos) << detector.GetReports()[0];
}

// The port is idle when the suspension ends: Controlled goes on at that very moment.
TEST_F(ReflexNdtTest, ControlledSendsWhenTheSuspensionEnds)
{
    for (const char* scope : {"port", "switch"})
    {
        SetNdt("PauseScope", StringValue(scope));
        SetNdt("MaxPause", TimeValue(MicroSeconds(77)));
        NdtNetwork dc;
        dc.Build([](uint32_t, int64_t) { return LONG_RTT; });
        dc.Run(Numbered({Flow(0, N_FAR, 400000)}));
        uint64_t ends = 0;
        for (const NdtNetwork::Pause& pause : dc.pauses)
        {
            if (!pause.begins && pause.port == dc.portA && pause.waiting)
            {
                ++ends;
                EXPECT_TRUE(std::any_of(dc.sent.begin(), dc.sent.end(), [&](const auto& s) {
                    return s.atPs == pause.atPs;
                })) << pause.atPs;
            }
        }
        EXPECT_GT(ends, 0u);
        EXPECT_EQ(dc.pauses.size(), dc.Count().at("reflexNdtPauses") * (*scope == 's' ? 4 : 2));
        Simulator::Destroy();
    }
}

// Flow 0 is congested; the ACKs of flow 1 find that, with flow 2, too few are.
TEST_F(ReflexNdtTest, AnAckEndsTheSuspension)
{
    SetNdt("PauseAlpha", DoubleValue(0.4));
    SetNdt("MaxPause", TimeValue(MilliSeconds(100)));
    NdtNetwork dc(30 * G);
    dc.Build([](uint32_t nic, int64_t) { return nic == 0 ? LONG_RTT : SHORT_RTT; });
    dc.Run(Numbered({Flow(0, 4, 1000000), Flow(1, 5, 4000000), Flow(2, 6, 1000000, 200 * US)}));
    ASSERT_EQ(dc.pauses.size(), 2u);
    EXPECT_EQ(dc.pauses[0].ratio, 0.5);
    EXPECT_FALSE(dc.pauses[1].begins);
    EXPECT_FALSE(dc.pauses[1].byTimeout);
    EXPECT_DOUBLE_EQ(dc.pauses[1].ratio, 1. / 3);
    EXPECT_GT(dc.pauses[1].atPs, 200 * US);
    EXPECT_LT(dc.pauses[1].atPs, 300 * US);
    // It was backlogged throughout, and has its turn at once.
    const int64_t last = dc.pauses[1].atPs;
    EXPECT_TRUE(std::any_of(dc.sent.begin(), dc.sent.end(), [last](const auto& s) {
        return s.src == 0 && s.atPs >= last && s.atPs < last + 2 * US;
    }));
    EXPECT_EQ(dc.Reordered(), 0u);
}

// It does so although nothing else happens at the port: all data are there, one acknowledgement
// after the other is shorter at last.
TEST_F(ReflexNdtTest, TheAckItselfStartsThePort)
{
    NdtNetwork dc;
    int64_t firstPs = 0;
    dc.Build([&firstPs](uint32_t, int64_t nowPs) {
        firstPs = firstPs ? firstPs : nowPs;
        return nowPs < firstPs + 2 * US ? LONG_RTT : SHORT_RTT;
    });
    dc.Run(Numbered({Flow(0, N_FAR, 80000)}));
    ASSERT_EQ(dc.pauses.size(), 2u);
    EXPECT_FALSE(dc.pauses[1].byTimeout);
    EXPECT_GT(dc.pauses[1].waiting, 1u);
    const int64_t last = dc.pauses[1].atPs;
    EXPECT_LT(last, firstPs + 3 * US);
    EXPECT_TRUE(std::any_of(dc.sent.begin(), dc.sent.end(), [last](const auto& s) {
        return s.atPs == last;
    }));
}
