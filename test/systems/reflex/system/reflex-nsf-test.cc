// SPDX-License-Identifier: GPL-2.0-only
// Reflex's near-source feedback in a network: geometry, overhead, no effect on delivery, refusals.
#include "roce-error-of.h"
#include "roce-test-network.h"

#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-reflex-nsf.h"
#include "ns3/roce-reflex-sender.h"

#include <algorithm>
#include <array>
#include <set>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr int64_t WAN_DELAY = 100 * US;
const char* const TIMELY = "Timely[Profile=hpcc-sim|MinRate=100Mbps]";

ObjectFactory
Nsf(const std::vector<std::pair<std::string, std::string>>& attributes = {})
{
    ObjectFactory factory("ns3::roce::ReflexNsf");
    for (const auto& [name, value] : attributes)
    {
        factory.Set(name, StringValue(value));
    }
    return factory;
}

/// Two datacenters of n hosts at one switch, an external switch behind it; NICs 0 .. n-1 and n ...
struct TwoDcs
{
    explicit TwoDcs(const std::vector<ObjectFactory>& edge,
                    uint32_t hosts = 2,
                    uint64_t wan = 400 * G)
    {
        for (uint32_t dc = 0; dc < 2; ++dc)
        {
            const std::string name = "dc" + std::to_string(dc);
            rack[dc] = net.AddSwitch(name + "-leaf", dc);
            external[dc] = net.AddSwitch(name + "-esw", dc);
            for (uint32_t h = 0; h < hosts; ++h)
            {
                net.AddNic(net.AddHost(name + "-h" + std::to_string(h), dc), rack[dc], 100 * G, US);
            }
            net.Connect(rack[dc], external[dc], 100 * G, US);
        }
        net.Connect(external[0], external[1], wan, WAN_DELAY);
        Network::Options options;
        options.ecn = options.telemetry = false;
        options.moreStages = true; // also with laws that need marks
        for (const ObjectFactory& stage : edge)
        {
            options.stages.emplace_back(stage, SwitchRole::DCI);
        }
        net.Build(options);
        net.AssignStreams(1);
    }

    ReflexNsf& GetNsf(uint32_t dc) const
    {
        return *net.GetSwitch(external[dc])->FindStage<ReflexNsf>();
    }

    void Run(const std::vector<FlowSpec>& flows)
    {
        net.InstallFlows(flows);
        Simulator::Run();
        net.CatchUp();
    }

    Network net;
    std::array<uint32_t, 2> rack;
    std::array<uint32_t, 2> external;
};

struct ReflexNsfTest : public SystemTest
{
    void SetUp() override
    {
        SystemTest::SetUp();
        SetRateLaw(TIMELY);
        Config::SetDefault("ns3::roce::Nic::PathMtu", UintegerValue(1000));
    }
};

/// Wire bytes of a middle frame of 1000 bytes and of an ACK, both with a time stamp.
constexpr int64_t FULL = 1000 + 62 + 8 + 20;
constexpr int64_t ACK = 66 + 8 + 20;

constexpr int64_t
OnWire(int64_t bytes, uint64_t rate = 100 * G)
{
    return bytes * 8 * 1000000000000 / static_cast<int64_t>(rate);
}

/// T_src of every pseudo-ACK sent in datacenter 0.
std::vector<int64_t>
Delays(const std::vector<std::pair<std::string, std::string>>& attributes,
       const std::vector<FlowSpec>& flows,
       uint64_t wan = 400 * G)
{
    TwoDcs dcs({Nsf(attributes)}, 2, wan);
    std::vector<int64_t> delays;
    dcs.GetNsf(0).TraceConnectWithoutContext(
        "PseudoAck",
        Callback<void, uint32_t, uint32_t, int64_t, Time>(
            [&](uint32_t, uint32_t, int64_t delayPs, Time) { delays.push_back(delayPs); }));
    dcs.Run(Numbered(flows));
    Simulator::Destroy();
    return delays;
}

TEST_F(ReflexNsfTest, IdleDelayIsPropagationAndSerialisation)
{
    const std::vector<FlowSpec> flow{Flow(0, 2, 10000)};
    const int64_t idle = 2 * (US + OnWire(FULL)); // links of host and leaf
    const std::vector<int64_t> ingress =
        Delays({{"TSrcThreshold", "0us"}, {"TInterval", "0us"}}, flow);
    ASSERT_EQ(ingress.size(), 10u);
    EXPECT_EQ(ingress[0], idle + 2 * OnWire(16)); // the first frame has a RETH
    for (std::size_t i = 1; i < ingress.size(); ++i)
    {
        EXPECT_EQ(ingress[i], idle + OnWire(16)) << i; // and stands in the way of the others
    }
    EXPECT_EQ(
        Delays({{"TSrcThreshold", "0us"}, {"TInterval", "0us"}, {"MeasurePoint", "egress"}}, flow),
        ingress)
        << "the WAN is faster";
    EXPECT_TRUE(Delays({}, flow).empty()) << "5 us are never exceeded on an empty network";
}

TEST_F(ReflexNsfTest, EgressIsBehindTheQueueToTheWan)
{
    const std::vector<FlowSpec> flow{Flow(0, 2, 10000)};
    const std::vector<int64_t> in =
        Delays({{"TSrcThreshold", "0us"}, {"TInterval", "0us"}}, flow, 50 * G);
    const std::vector<int64_t> out =
        Delays({{"TSrcThreshold", "0us"}, {"TInterval", "0us"}, {"MeasurePoint", "egress"}},
               flow,
               50 * G);
    ASSERT_EQ(in.size(), 10u);
    ASSERT_EQ(out.size(), 10u);
    for (int64_t i = 1; i < 10; ++i)
    {
        // The first frame takes its time on the WAN, those behind it twice as long as to arrive.
        EXPECT_EQ(out[i] - in[i], OnWire(16, 50 * G) + i * OnWire(FULL)) << i;
    }
}

TEST_F(ReflexNsfTest, TransitAndLocalTrafficIsNotServed)
{
    // A chain of three datacenters; in the middle the external switch joins two racks.
    Network net;
    uint32_t external[3];
    for (uint32_t dc = 0; dc < 3; ++dc)
    {
        const std::string name = "dc" + std::to_string(dc);
        external[dc] = net.AddSwitch(name + "-esw", dc);
        for (uint32_t r = 0; r < 2; ++r)
        {
            const std::string rack = name + "-leaf" + std::to_string(r);
            const uint32_t leaf = net.AddSwitch(rack, dc);
            net.AddNic(net.AddHost(rack + "-h", dc), leaf, 100 * G, US);
            net.Connect(leaf, external[dc], 100 * G, US);
        }
    }
    net.Connect(external[0], external[1], 100 * G, WAN_DELAY);
    net.Connect(external[1], external[2], 100 * G, WAN_DELAY);
    Network::Options options;
    options.ecn = options.telemetry = false;
    options.stages.emplace_back(Nsf({{"TSrcThreshold", "0us"}}), SwitchRole::DCI);
    net.Build(options);
    net.AssignStreams(1);
    const auto served = [&](uint32_t dc) {
        return net.GetSwitch(external[dc])->FindStage<ReflexNsf>()->GetCounters().dataFrames;
    };
    net.InstallFlows(Numbered({Flow(0, 4, 50000), Flow(2, 3, 20000), Flow(3, 5, 7000)}));
    Simulator::Run();
    net.CatchUp();
    EXPECT_EQ(served(0), 50u);
    EXPECT_EQ(served(1), 7u);
    EXPECT_EQ(served(2), 0u);
    EXPECT_EQ(net.GetPath(0, 4, 0).nearHops, 2u);
    EXPECT_EQ(net.Audit(true), "");
}

TEST_F(ReflexNsfTest, SampleAtTheSenderIsTheNearLoop)
{
    TwoDcs dcs({Nsf({{"TSrcThreshold", "0us"}, {"TInterval", "0us"}})});
    const PathInfo path = dcs.net.GetPath(0, 2, 0);
    EXPECT_TRUE(path.interDc);
    EXPECT_EQ(path.hops, 5u);
    EXPECT_EQ(path.nearHops, 2u);
    EXPECT_EQ(path.nearRttPs, 4 * US + 2 * OnWire(FULL) + 2 * OnWire(ACK));
    const PathInfo intra = dcs.net.GetPath(0, 1, 0);
    EXPECT_EQ(intra.nearRttPs, intra.baseRttPs);
    EXPECT_EQ(intra.nearHops, intra.hops);
    std::set<int64_t> rtts;
    dcs.net.GetNic(0)->TraceConnectWithoutContext(
        "Rate",
        Callback<void, const QueuePair&, Time>([&](const QueuePair& qp, Time) {
            rtts.insert(dynamic_cast<const ReflexSender&>(qp.GetCc()).GetNearRttPs());
        }));
    dcs.Run(Numbered({Flow(0, 2, 100000)}));
    rtts.erase(0); // before the first
    EXPECT_EQ(rtts,
              (std::set<int64_t>{path.nearRttPs + OnWire(16), path.nearRttPs + 2 * OnWire(16)}))
        << "the first frame has a RETH and stands in the way of the others";
}

TEST_F(ReflexNsfTest, OnlyFlowsBetweenDatacentersAreServed)
{
    TwoDcs dcs({Nsf({{"TSrcThreshold", "0us"}})});
    dcs.net.GetNic(0)->TraceConnectWithoutContext(
        "Rate",
        Callback<void, const QueuePair&, Time>([&](const QueuePair& qp, Time) {
            const bool shim = dynamic_cast<const ReflexSender*>(&qp.GetCc());
            EXPECT_EQ(shim, qp.GetConfig().dst >= 2);
        }));
    dcs.Run(Numbered({Flow(0, 1, 100000), Flow(0, 2, 50000), Flow(3, 1, 30000)}));
    EXPECT_EQ(dcs.GetNsf(0).GetCounters().dataFrames, 50u);
    EXPECT_EQ(dcs.GetNsf(1).GetCounters().dataFrames, 30u);
    EXPECT_EQ(dcs.GetNsf(0).GetCounters().dataBytes, 50 * (FULL - 20) + 16u);
    std::map<std::string, uint64_t> counters;
    dcs.GetNsf(0).Count(counters);
    dcs.GetNsf(1).Count(counters);
    EXPECT_EQ(counters["reflexNsfFlows"], 2u);
    EXPECT_EQ(counters["reflexNsfTablePeak"], 1u);
    EXPECT_EQ(counters["reflexNsfPseudoAckBytes"], counters["reflexNsfPseudoAcks"] * (ACK - 20));
    EXPECT_EQ(dcs.net.Audit(true), "");
}

/// When each flow has arrived, and the totals, with or without pseudo-ACKs.
std::pair<std::map<uint64_t, int64_t>, Totals>
Deliver(bool feedback, const std::vector<FlowSpec>& flows)
{
    TwoDcs dcs({Nsf({{"TSrcThreshold", feedback ? "0us" : "1s"},
                     {"TInterval", "0us"},
                     {"SilentMode", "freeze"}})},
               3);
    Completions done(dcs.net);
    dcs.Run(flows);
    ExpectAllDone(dcs.net, done, flows);
    EXPECT_EQ(dcs.GetNsf(0).GetCounters().pseudoAcks > 0, feedback);
    const std::pair<std::map<uint64_t, int64_t>, Totals> result{done.received, Sum(dcs.net)};
    Simulator::Destroy();
    return result;
}

TEST_F(ReflexNsfTest, PseudoAcksChangeNoDelivery)
{
    // A law that no sample moves from line rate: with thousands of pseudo-ACKs every message
    // arrives at the same picosecond, and nothing is acknowledged or sent more often.
    SetRateLaw("Timely[TLow=1s|THigh=2s]");
    const std::vector<FlowSpec> flows =
        Numbered({Flow(0, 3, 2000000), Flow(1, 3, 1000000, 7 * US), Flow(2, 4, 999999, 11 * US)});
    const auto [with, totals] = Deliver(true, flows);
    const auto [without, plain] = Deliver(false, flows);
    EXPECT_EQ(with, without);
    EXPECT_EQ(totals.delivered, plain.delivered);
    EXPECT_EQ(totals.retransmitted, 0u);
    EXPECT_EQ(totals.naks, 0u);
    EXPECT_EQ(totals.timeouts, 0u);
    EXPECT_EQ(totals.stray, 0u);
}

/// Answers data with three notifications: a good one, one to a queue pair that does not exist and
/// one from a NIC that the queue pair does not know.
struct Intruder : public SwitchStage
{
    uint32_t GetHooks() const override
    {
        return ARRIVAL;
    }

    uint32_t GetKinds() const override
    {
        return 1U << static_cast<unsigned>(FrameKind::DATA);
    }

    void Install(Switch& sw) override
    {
        m_switch = &sw;
    }

    Verdict OnArrival(Frame& data, Port&, int64_t nowPs) override
    {
        for (unsigned i = 0; i < 3; ++i)
        {
            Frame* frame = FramePool::Alloc();
            frame->kind = FrameKind::NOTIFICATION;
            frame->msn = ReflexNsf::KIND;
            frame->src = i == 2 ? 3 : data.dst;
            frame->dst = data.src;
            frame->dstQp = data.srcQp + (i == 1 ? 100 : 0);
            frame->psn = 1000000; // far beyond what was sent
            frame->sentPs = data.sentPs;
            frame->flags = FRAME_TIMESTAMP;
            frame->frameBytes = ACK_FRAME_BYTES;
            frame->trafficClass = 6;
            frame->ttl = 64;
            m_switch->Emit(frame, nowPs);
        }
        return Verdict::PASS;
    }

    Switch* m_switch{nullptr};
};

TEST_F(ReflexNsfTest, NotificationLeavesTheQueuePairAlone)
{
    TwoDcs dcs({Nsf({{"TSrcThreshold", "1s"}})});
    dcs.net.GetSwitch(dcs.external[0])->Install(CreateObject<Intruder>());
    uint64_t notified = 0;
    dcs.net.GetNic(0)->TraceConnectWithoutContext(
        "Rate",
        Callback<void, const QueuePair&, Time>([&](const QueuePair& qp, Time at) {
            if (at < MicroSeconds(200)) // no ACK has come back yet
            {
                ++notified;
                EXPECT_EQ(qp.GetUna(), 0u);
                EXPECT_EQ(qp.GetNextPsn(), qp.GetHighestPsn());
                EXPECT_EQ(qp.GetInflightBytes(), qp.GetNextPsn() * FULL + 16u);
                EXPECT_EQ(qp.timeout.GetStartPs(), 0);
                EXPECT_EQ(qp.timeout.GetRetries(), 0u);
            }
        }));
    const std::vector<FlowSpec> flows = Numbered({Flow(0, 2, 3000000)});
    Completions done(dcs.net);
    dcs.Run(flows);
    ExpectAllDone(dcs.net, done, flows);
    EXPECT_GT(notified, 500u);
    const Nic::Counters& counters = dcs.net.GetNic(0)->GetCounters();
    EXPECT_EQ(counters.notificationsReceived, 3 * 3000u);
    EXPECT_EQ(counters.strayNotifications, 2 * 3000u);
    EXPECT_EQ(counters.strayFrames, 0u);
}

TEST_F(ReflexNsfTest, SteersTheSenderAtTheNearBottleneck)
{
    // Three senders, one uplink: without feedback PFC alone holds them for the first WAN RTT.
    const auto run = [](bool feedback) {
        Config::SetDefault("ns3::roce::Switch::Alpha", DoubleValue(0.01));
        TwoDcs dcs(feedback ? std::vector<ObjectFactory>{Nsf()} : std::vector<ObjectFactory>{}, 3);
        dcs.Run(Numbered({Flow(0, 3, 5000000), Flow(1, 4, 5000000), Flow(2, 5, 5000000)}));
        EXPECT_EQ(dcs.net.Audit(true), "");
        const uint64_t xoff = Sum(dcs.net).xoff;
        Simulator::Destroy();
        return xoff;
    };
    const uint64_t without = run(false);
    EXPECT_GT(without, 50u);
    EXPECT_LT(run(true), without / 2);
}

TEST_F(ReflexNsfTest, StatesAreTraced)
{
    TwoDcs dcs({Nsf()}, 3);
    std::map<uint32_t, std::vector<uint8_t>> states;
    dcs.GetNsf(0).TraceConnectWithoutContext(
        "State",
        Callback<void, uint32_t, uint32_t, uint8_t, int64_t, Time>(
            [&](uint32_t nic, uint32_t, uint8_t state, int64_t delayPs, Time) {
                EXPECT_EQ(delayPs > 5 * US, state == NsfMachine::ACTIVE);
                states[nic].push_back(state);
            }));
    dcs.Run(Numbered({Flow(0, 3, 3000000), Flow(1, 4, 3000000)}));
    uint64_t activations = 0;
    for (const auto& [nic, list] : states)
    {
        ASSERT_GE(list.size(), 3u);
        EXPECT_EQ(list[0], NsfMachine::ACTIVE);
        for (std::size_t i = 1; i < list.size(); ++i)
        {
            EXPECT_FALSE(list[i] == NsfMachine::COOLING && list[i - 1] == NsfMachine::SILENT);
            EXPECT_FALSE(list[i] == NsfMachine::SILENT && list[i - 1] == NsfMachine::ACTIVE);
            EXPECT_NE(list[i], list[i - 1]);
        }
        activations += std::count(list.begin(), list.end(), NsfMachine::ACTIVE);
    }
    EXPECT_EQ(states.size(), 2u);
    EXPECT_EQ(dcs.GetNsf(0).GetCounters().activations, activations);
}

TEST_F(ReflexNsfTest, ProbesComeInSilentState)
{
    const std::vector<FlowSpec> flow{Flow(0, 2, 2000000)}; // 2000 frames, 174 us
    EXPECT_TRUE(Delays({{"SilentMode", "freeze"}}, flow).empty());
    EXPECT_EQ(Delays({{"SilentMode", "probe"}}, flow).size(), 4u);
}

TEST_F(ReflexNsfTest, RefusesOtherRateLawsAndNetworks)
{
    SetRateLaw("Dcqcn");
    EXPECT_EQ(ErrorOf([] { TwoDcs dcs({Nsf()}); }),
              "edge function ReflexNsf steers senders by their RTT, but ns3::roce::Dcqcn takes no "
              "RTT samples; expected a delay-based rate law, such as Timely or Swift");
    SetRateLaw("ReflexSender");
    EXPECT_EQ(ErrorOf([] { TwoDcs({}).Run(Numbered({Flow(0, 2, 1000)})); }),
              "ns3::roce::Nic::CongestionControl is ns3::roce::ReflexSender, which stands in front "
              "of a rate law; expected a rate law");
    SetRateLaw("Dcqcn");
    Config::SetDefault("ns3::roce::Nic::InterCongestionControl", StringValue("ns3::roce::Swift"));
    EXPECT_EQ(ErrorOf([] { TwoDcs dcs({Nsf()}); }), "no error"); // Swift between the datacenters
    EXPECT_EQ(ErrorOf([] {
                  TwoDcs dcs({Nsf(), Nsf()});
              }),
              "stages ns3::roce::ReflexNsf and ns3::roce::ReflexNsf both steer the senders, "
              "expected one of them");
    EXPECT_EQ(ErrorOf([] {
                  Network net;
                  MakeStar(net, 2);
                  Network::Options options;
                  options.stages.emplace_back(Nsf(), SwitchRole::DCI);
                  net.Build(options);
              }),
              "stage ns3::roce::ReflexNsf is for switches of role dci, but no switch has a link to "
              "another datacenter, expected one");
}

TEST_F(ReflexNsfTest, RateLawBetweenDatacentersIsItsOwn)
{
    Config::SetDefault("ns3::roce::Nic::InterCongestionControl",
                       StringValue("ns3::roce::Swift[AddBaseRtt=true]"));
    TwoDcs dcs({});
    std::set<std::string> laws[2];
    dcs.net.GetNic(0)->TraceConnectWithoutContext(
        "Rate",
        Callback<void, const QueuePair&, Time>([&](const QueuePair& qp, Time) {
            laws[qp.GetConfig().dst >= 2].insert(qp.GetCc().GetInstanceTypeId().GetName());
        }));
    dcs.Run(Numbered({Flow(0, 1, 100000), Flow(0, 2, 100000)}));
    EXPECT_EQ(laws[0], std::set<std::string>{"ns3::roce::Timely"});
    EXPECT_EQ(laws[1], std::set<std::string>{"ns3::roce::Swift"});
}

/// Gives data frames to a stage by hand, at any time.
class HandFed
{
  public:
    HandFed()
        : m_dcs({Nsf({})})
    {
    }

    /// @return flows that the stage has met, forgotten ones anew, after a frame on an empty path
    uint64_t Feed(int64_t nowPs)
    {
        Switch& sw = *m_dcs.net.GetSwitch(m_dcs.external[0]);
        Frame frame;
        frame.kind = FrameKind::DATA;
        frame.src = 0;
        frame.dst = 2;
        frame.srcQp = 5;
        frame.sentPs = nowPs - US;
        m_dcs.GetNsf(0).OnArrival(frame, *sw.GetPort(0), nowPs);
        std::map<std::string, uint64_t> counters;
        m_dcs.GetNsf(0).Count(counters);
        return counters["reflexNsfFlows"];
    }

  private:
    TwoDcs m_dcs;
};

// A flow is forgotten 5 ms after its last packet, not 5 us.
TEST_F(ReflexNsfTest, AFlowIsForgottenAfterItsTimeout)
{
    const int64_t timeoutPs = 5000 * US;
    HandFed fed;
    EXPECT_EQ(fed.Feed(US), 1u);
    EXPECT_EQ(fed.Feed(US + timeoutPs), 1u) << "silent for the timeout";
    EXPECT_EQ(fed.Feed(2 * US + 2 * timeoutPs), 2u) << "silent for longer";
}

// Queue pairs of one NIC are flows of their own: a pseudo-ACK to one is none to the other.
TEST_F(ReflexNsfTest, EachQueuePairHasItsOwnMachine)
{
    TwoDcs dcs({Nsf({{"TSrcThreshold", "0us"}, {"TInterval", "10ms"}})});
    std::map<uint32_t, int> answers;
    dcs.GetNsf(0).TraceConnectWithoutContext(
        "PseudoAck",
        Callback<void, uint32_t, uint32_t, int64_t, Time>(
            [&answers](uint32_t nic, uint32_t qp, int64_t, Time) {
                EXPECT_EQ(nic, 0u);
                ++answers[qp];
            }));
    dcs.Run(Numbered({Flow(0, 2, 50000), Flow(0, 3, 50000), Flow(0, 2, 50000)}));
    EXPECT_EQ(answers.size(), 3u) << "queue pairs with pseudo-ACKs, all of NIC 0";
    for (const auto& [qp, count] : answers)
    {
        EXPECT_EQ(count, 1) << "one in TInterval to queue pair " << qp;
    }
    std::map<std::string, uint64_t> counters;
    dcs.GetNsf(0).Count(counters);
    EXPECT_EQ(counters["reflexNsfFlows"], 3u);
}

// Pseudo-ACKs go in the class of ACKs, before data and never paused with them.
TEST_F(ReflexNsfTest, PseudoAcksAreNotInTheDataClass)
{
    for (const unsigned expected : {6, 5})
    {
        std::vector<std::pair<std::string, std::string>> attributes{{"TSrcThreshold", "0us"}};
        if (expected != 6) // the default
        {
            attributes.emplace_back("ControlClass", std::to_string(expected));
        }
        TwoDcs dcs({Nsf(attributes)});
        std::set<unsigned> classes;
        std::set<unsigned> data;
        for (const uint32_t nic : {0, 2})
        {
            dcs.net.GetNic(nic)->TraceConnectWithoutContext(
                "RxEnd",
                Callback<void, const Frame&, Time>([&](const Frame& frame, Time) {
                    if (frame.kind == FrameKind::NOTIFICATION)
                    {
                        classes.insert(frame.trafficClass);
                    }
                    else if (frame.kind == FrameKind::DATA)
                    {
                        data.insert(frame.trafficClass);
                    }
                }));
        }
        dcs.Run(Numbered({Flow(0, 2, 50000)}));
        EXPECT_EQ(data, std::set<unsigned>{3});
        EXPECT_EQ(classes, std::set<unsigned>{expected});
        Simulator::Destroy();
    }
}

TEST_F(ReflexNsfTest, StagesWhereTheyMakeNoSenseAreRefused)
{
    const auto build = [](const Network::Options& options, const char* law = "Timely") {
        return ErrorOf([&]() {
            SetRateLaw(law);
            LeafSpineHelper h;
            h.leaves = h.spines = h.hostsPerLeaf = 1;
            Network net;
            h.Construct(net);
            net.Build(options);
        });
    };
    Network::Options options;
    options.stages = {ObjectFactory("ns3::roce::ReflexNsf")};
    EXPECT_EQ(
        build(options),
        "stage ns3::roce::ReflexNsf steers the senders of flows between datacenters, expected "
        "it at switches of role dci only (--edge)");
    options.stages = {ObjectFactory("ns3::roce::ReflexNdt")};
    options.stages[0].stage.Set("SeparateTimestamp", StringValue("false"));
    EXPECT_EQ(build(options), "no error");
    EXPECT_NE(build(options, "Dcqcn").find("ns3::roce::Dcqcn takes no time stamps"),
              std::string::npos);
}

} // namespace
