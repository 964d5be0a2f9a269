// SPDX-License-Identifier: GPL-2.0-only
// Reflex's near-destination throttling in a network: time stamps, attributes, refusals.
#include "roce-lose-frames.h"
#include "roce-other-shim.h"
#include "roce-reflex-ndt-fixture.h"

#include "ns3/roce-reflex-nsf.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// What the sender of the only flow sees. @return shortest round trip by the stamps of its ACKs
int64_t
ShortestRttAtSender(NdtNetwork& dc, uint8_t trafficClass = 3)
{
    int64_t shortest = NEVER_PS;
    dc.net.GetNic(0)->TraceConnectWithoutContext(
        "RxEnd",
        Callback<void, const Frame&, Time>([&shortest](const Frame& frame, Time at) {
            if (frame.kind == FrameKind::ACK)
            {
                shortest = std::min(shortest, at.GetTimeStep() - frame.sentPs);
            }
        }));
    dc.Run(Numbered({Flow(0, N_FAR, 50000, 0, trafficClass)}));
    return shortest;
}

/// Runs flow 0, congested always, and others that are not. @return what was counted
std::map<std::string, uint64_t>
CountWith(const std::string& attribute, const AttributeValue& value, std::vector<FlowSpec> others)
{
    ReflexNdtTest::SetDefaults();
    SetNdt(attribute, value);
    NdtNetwork dc(30 * G);
    dc.Build([](uint32_t nic, int64_t) { return nic == 0 ? LONG_RTT : SHORT_RTT; });
    others.insert(others.begin(), Flow(0, N_FAR, 200000, 100 * US));
    dc.Run(Numbered(others));
    const auto counters = dc.Count();
    Simulator::Destroy();
    Config::Reset();
    return counters;
}

} // namespace

TEST_F(ReflexNdtTest, TheStampIsSeparateUnlessItReplacesTheSenders)
{
    SetRateLaw("Timely");
    for (const char* separate : {"auto", "true", "false"})
    {
        SetNdt("SeparateTimestamp", StringValue(separate));
        NdtNetwork dc;
        dc.Build();
        const std::vector<int64_t>& rtts = dc.rtts;
        const int64_t seen = ShortestRttAtSender(dc);
        // Two links of 1 us each way; 20 us for the WAN.
        ASSERT_GT(rtts.size(), 10u) << separate;
        EXPECT_GT(*std::min_element(rtts.begin(), rtts.end()), 4 * US);
        EXPECT_LT(*std::max_element(rtts.begin(), rtts.end()), 6 * US);
        EXPECT_GT(seen, separate == std::string("false") ? 25 * US : 46 * US) << separate;
        EXPECT_LT(seen, separate == std::string("false") ? 28 * US : 50 * US) << separate;
        Simulator::Destroy();
    }
}

// Where the sender's round trips come from elsewhere, its time stamp is free.
TEST_F(ReflexNdtTest, AutoReplacesTheStampBesideNsf)
{
    SetRateLaw("Timely");
    NdtNetwork dc;
    dc.Build();
    dc.Own()->Install(CreateObject<ReflexNsf>()); // behind: the order does not matter
    EXPECT_LT(ShortestRttAtSender(dc), 28 * US);
}

// Senders behind the shim of another system keep their own stamps.
TEST_F(ReflexNdtTest, AutoKeepsTheStampBesideOtherShims)
{
    SetRateLaw("Timely");
    NdtNetwork dc;
    dc.Build();
    dc.Own()->Install(CreateObject<OtherShim>());
    EXPECT_GT(ShortestRttAtSender(dc), 46 * US) << "20 us of the WAN, twice, and the rest";
}

// Lossy classes are left alone: they keep the sender's stamp and have no flow states.
TEST_F(ReflexNdtTest, ActsOnLosslessClassesOnly)
{
    SetRateLaw("Timely");
    SetNdt("SeparateTimestamp", StringValue("false"));
    NdtNetwork dc;
    dc.Build();
    EXPECT_GT(ShortestRttAtSender(dc, 0), 46 * US);
    EXPECT_EQ(dc.Count().at("reflexNdtFlows"), 0u);
}

// ACKs in the data class, of a flow that leaves the datacenter, are no flow.
TEST_F(ReflexNdtTest, AcksAreNoData)
{
    Config::SetDefault("ns3::roce::Nic::ControlClass", UintegerValue(3));
    NdtNetwork dc;
    dc.Build();
    dc.Run(Numbered({Flow(N_FAR, 0, 50000)}));
    EXPECT_EQ(dc.Count().at("reflexNdtFlows"), 0u);
}

// As of data that came through a switch without this stage.
TEST_F(ReflexNdtTest, AnAckWithoutStampIsNoSample)
{
    NdtNetwork dc;
    dc.Build([](uint32_t, int64_t nowPs) { return nowPs; });
    dc.Run(Numbered({Flow(0, N_FAR, 50000)}));
    EXPECT_EQ(dc.Count().at("reflexNdtFlows"), 1u);
    EXPECT_EQ(dc.Count().at("reflexNdtEpisodes"), 0u);
}

// The stamp is of the moment a frame leaves the queues, so that waiting there is no part of the
// round trip: data of two far hosts at the full rate wait at the port, but not behind it.
TEST_F(ReflexNdtTest, WaitingInTheQueuesIsNotMeasured)
{
    NdtNetwork dc;
    dc.Build();
    dc.Run(Numbered({Flow(0, N_FAR, 500000), Flow(1, N_FAR + 1, 500000)}));
    ASSERT_FALSE(dc.sent.empty());
    EXPECT_GT(dc.sent.back().atPs, 80 * US) << "megabytes at 100 Gbit/s: half of it has waited";
    ASSERT_GT(dc.rtts.size(), 100u);
    EXPECT_LT(*std::max_element(dc.rtts.begin(), dc.rtts.end()), 6 * US);
    EXPECT_EQ(dc.Count().at("reflexNdtCongestedFlows"), 0u);
}

// A NAK is an acknowledgement with a round trip like any other.
TEST_F(ReflexNdtTest, NaksAreSamples)
{
    NdtNetwork dc;
    dc.Build([](uint32_t, int64_t) { return SHORT_RTT; });
    dc.faker->nakRttPs = LONG_RTT;
    bool lost = false;
    LoseFrames(dc.net.GetNic(N_FAR), [&lost](const Frame& frame) {
        return frame.kind == FrameKind::DATA && frame.psn == 10 && !std::exchange(lost, true);
    });
    dc.Run(Numbered({Flow(0, N_FAR, 200000)}));
    EXPECT_EQ(dc.faker->naks, 1u);
    EXPECT_EQ(dc.Count().at("reflexNdtEpisodes"), 1u) << "the flow became congested by its NAK";
}

// As shipped, a suspension is for congested flows that wait in Controlled: not for all that are
// congested, nor for what recovered flows have left there.
TEST_F(ReflexNdtTest, SuspensionsCountCongestedFlowsInControlledUnlessToldOtherwise)
{
    // Flow 0 is congested up to 55 us. The local flow that begins at 50 us keeps its packets in
    // Controlled; ACKs of those ahead still come back.
    const auto count = [](const char* numerator) {
        Config::Reset();
        SetRateLaw("LineRate");
        SetNdt("PauseScope", StringValue("port"));
        if (*numerator)
        {
            SetNdt("PauseNumerator", StringValue(numerator));
        }
        NdtNetwork dc;
        dc.Build([](uint32_t nic, int64_t atPs) {
            return nic == 0 && atPs < 55 * US ? LONG_RTT : SHORT_RTT;
        });
        dc.Run(Numbered({Flow(0, N_FAR, 2000000), Flow(2 * N_FAR, N_FAR + 1, 2000000, 50 * US)}));
        auto counters = dc.Count();
        Simulator::Destroy();
        return counters;
    };
    EXPECT_EQ(count("queue").at("reflexNdtPauseTimeouts"), 3u)
        << "what waits there goes on counting";
    const auto both = count("both");
    EXPECT_EQ(both.at("reflexNdtPauses"), 1u);
    EXPECT_EQ(both.at("reflexNdtPauseTimeouts"), 0u) << "an ACK has ended it";
    EXPECT_EQ(count("state").at("reflexNdtPauseTimeouts"), 1u) << "suspended before any ACK is out";
    EXPECT_EQ(count(""), both) << "the default is both";
}

// As shipped, each egress suspends by its own flows: what goes to leaf b does not hold back the
// suspension at leaf a, whose only flow is congested.
TEST_F(ReflexNdtTest, EachEgressCountsItsOwnFlowsUnlessToldOtherwise)
{
    const auto pauses = [](const char* scope) {
        Config::Reset();
        SetRateLaw("LineRate");
        SetNdt("PauseNumerator", StringValue("state"));
        if (*scope)
        {
            SetNdt("PauseScope", StringValue(scope));
        }
        NdtNetwork dc(30 * G);
        dc.Build([](uint32_t nic, int64_t) { return nic == 0 ? LONG_RTT : SHORT_RTT; });
        dc.Run(Numbered({Flow(0, 4, 400000, 100 * US), Flow(1, 8, 2000000), Flow(2, 8, 2000000)}));
        const uint64_t found = dc.Count().at("reflexNdtPauses");
        Simulator::Destroy();
        return found;
    };
    EXPECT_GT(pauses("port"), 0u);
    EXPECT_EQ(pauses("switch"), 0u) << "one of three flows is congested";
    EXPECT_EQ(pauses(""), pauses("port")) << "the default is port";
}

TEST_F(ReflexNdtTest, AttributesOfTheController)
{
    const auto threshold = [](int64_t us) { return TimeValue(MicroSeconds(us)); };
    EXPECT_EQ(CountWith("TDstThreshold", threshold(12), {})["reflexNdtEpisodes"], 0u);
    EXPECT_EQ(CountWith("TDstThreshold", threshold(11), {})["reflexNdtEpisodes"], 1u);
    EXPECT_EQ(CountWith("TDstThreshold", threshold(7), {Flow(1, 5, 9000)})["reflexNdtEpisodes"],
              2u);
    auto counters = CountWith("Throttle", BooleanValue(false), {});
    EXPECT_EQ(counters["reflexNdtControlled"], 0u);
    EXPECT_EQ(counters["reflexNdtCongestedFlows"], 1u);
    counters = CountWith("Pause", BooleanValue(false), {});
    EXPECT_EQ(counters["reflexNdtPauses"], 0u);
    EXPECT_GT(counters["reflexNdtControlled"], 20u);
    // Flow 1 ends long before flow 0 begins.
    const std::vector<FlowSpec> early{Flow(1, 5, 9000)};
    EXPECT_EQ(CountWith("Pause", BooleanValue(true), early)["reflexNdtPauses"], 0u);
    EXPECT_EQ(CountWith("Pause", BooleanValue(true), early)["reflexNdtTablePeak"], 2u);
    // Recovered, with packets in Controlled: never here, so that nothing is suspended by them only.
    EXPECT_GT(CountWith("PauseNumerator", StringValue("state"), {})["reflexNdtPauses"],
              CountWith("PauseNumerator", StringValue("queue"), {})["reflexNdtPauses"]);
}

// Against a backlog of local data the throttled flow has 1/9 of the packets, or what is asked for.
TEST_F(ReflexNdtTest, ShareOfTheThrottledFlow)
{
    for (const unsigned nThrottle : {8, 3})
    {
        SetNdt("NThrottle", UintegerValue(nThrottle));
        SetNdt("Pause", BooleanValue(false));
        NdtNetwork dc;
        dc.Build([](uint32_t, int64_t) { return LONG_RTT; });
        dc.Run(Numbered({Flow(0, N_FAR, 2000000), Flow(2 * N_FAR, N_FAR + 1, 2000000, 50 * US)}));
        double throttled = 0;
        double all = 0;
        for (const NdtNetwork::Sent& s : dc.sent)
        {
            const bool saturated = s.atPs > 60 * US && s.atPs < 200 * US;
            all += saturated && s.kind == FrameKind::DATA;
            throttled += saturated && s.kind == FrameKind::DATA && s.src == 0;
        }
        EXPECT_GT(all, 400);
        EXPECT_NEAR(throttled / all, 1. / (nThrottle + 1), 0.003);
        Simulator::Destroy();
    }
}

TEST_F(ReflexNdtTest, OnlyPortsIntoTheDatacenterHaveTheQueues)
{
    Config::SetDefault("ns3::roce::Switch::EgressScheduler",
                       StringValue("ns3::roce::DwrrScheduler[Quantum=1234]"));
    NdtNetwork dc;
    dc.Build();
    EXPECT_FALSE(dc.ndt->GetScheduler(dc.wanPort));
    UintegerValue quantum;
    dc.ndt->GetScheduler(dc.portA)->GetAttribute("Quantum", quantum);
    EXPECT_EQ(quantum.Get(), 1234u);
    EXPECT_EQ(PeekPointer(dc.ndt->GetScheduler(dc.portA)), &dc.Own()->GetQueue(dc.portA));
    EXPECT_EQ(PeekPointer(dc.ndt->GetScheduler(dc.portB)), &dc.Own()->GetQueue(dc.portB));
    Ptr<ReflexNdt> far = CreateObject<ReflexNdt>();
    dc.net.GetSwitch(0)->Install(far);
    EXPECT_FALSE(far->GetScheduler(0)) << "leads to a host";
}

TEST_F(ReflexNdtTest, Refusals)
{
    const auto build = [](const std::string& attribute, const std::string& value) {
        SetNdt(attribute, StringValue(value));
        const std::string error = ErrorOf([] {
            NdtNetwork dc;
            Network::Options options;
            options.stages.emplace_back("ns3::roce::ReflexNdt", SwitchRole::DCI);
            dc.net.Build(options);
        });
        Config::Reset();
        return error;
    };
    const auto expectError = [&build](const char* attribute, const char* value, const char* text) {
        const std::string error = build(attribute, value);
        EXPECT_NE(error.find(text), std::string::npos) << error;
        EXPECT_EQ(error.find('\n'), std::string::npos);
    };
    expectError("SeparateTimestamp", "no", "SeparateTimestamp is 'no', expected");
    expectError("PauseScope", "node", "PauseScope is 'node', expected");
    expectError("PauseNumerator", "all", "PauseNumerator is 'all', expected");
    SetRateLaw("Dcqcn");
    expectError("SeparateTimestamp", "false", "ns3::roce::Dcqcn takes no time stamps");
    SetRateLaw("Dcqcn");
    EXPECT_EQ(build("SeparateTimestamp", "true"), "no error");
    SetRateLaw("Swift");
    EXPECT_EQ(build("SeparateTimestamp", "false"), "no error");
    Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(0));
    expectError("PauseScope", "port", "has no lossless class");
    NdtNetwork twice;
    twice.Build();
    const std::string error =
        ErrorOf([&twice] { twice.Own()->Install(CreateObject<ReflexNdt>()); });
    EXPECT_NE(error.find("expected DwrrScheduler"), std::string::npos) << error;
}
