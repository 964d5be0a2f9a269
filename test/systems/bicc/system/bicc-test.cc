// SPDX-License-Identifier: GPL-2.0-only
// The BiCC-like edge function in a network: CNPs to near sources, marks that end at the WAN, CNPs
// that end at the receiver's external switch, destinations that do not wait for each other.
#include "roce-error-of.h"
#include "roce-run-flows.h"

#include "ns3/roce-bicc.h"
#include "ns3/roce-leaf-spine-helper.h"

#include <algorithm>
#include <random>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr uint32_t N_NEAR = 4; //!< hosts of the senders' datacenter: NICs 0 .. 3
constexpr uint32_t SLOW = 4;   //!< a host behind a link of 10 Gbit/s
constexpr uint32_t FAST = 5;   //!< one behind 100 Gbit/s
constexpr uint32_t LOCAL = 6;  //!< another one, that sends

void
SetBicc(const std::string& attribute, const std::string& value)
{
    Config::SetDefault("ns3::roce::Bicc::" + attribute, StringValue(value));
}

/// Four hosts at an external switch; a WAN link; an external switch, a leaf, three hosts.
struct BiccNetwork
{
    /// @param wanRate bit/s @param wanDelayPs one way @param poolBytes of the far WAN port, without
    /// headroom
    explicit BiccNetwork(uint64_t wanRate = 400 * G,
                         int64_t wanDelayPs = 100 * US,
                         uint64_t poolBytes = 64 << 20)
    {
        net.AddSwitch("near", 0);
        net.AddSwitch("far", 1);
        net.AddSwitch("leaf", 1);
        for (uint32_t h = 0; h < N_NEAR + 3; ++h)
        {
            net.AddNic(net.AddHost("h" + std::to_string(h), h >= N_NEAR),
                       h < N_NEAR ? 0 : 2,
                       h == SLOW ? 10 * G : 100 * G,
                       US);
        }
        std::tie(nearWan, farWan) = net.Connect(0, 1, wanRate, wanDelayPs);
        inward = net.Connect(1, 2, 400 * G, US).first;
        SharedBuffer::PortConfig deep;
        deep.staticXoffBytes = SharedBuffer::WHOLE_POOL;
        deep.ownPoolBytes = (64 << 20) + 4 * HeadroomBytes(wanRate, wanDelayPs, 5000);
        net.GetSwitch(0)->SetPortBuffer(nearWan, deep);
        deep.ownPoolBytes = poolBytes + HeadroomBytes(wanRate, wanDelayPs, 5000, 5000);
        net.GetSwitch(1)->SetPortBuffer(farWan, deep);
    }

    void Build(bool withBicc = true)
    {
        Network::Options options;
        if (withBicc)
        {
            options.stages.emplace_back("ns3::roce::Bicc", SwitchRole::DCI);
        }
        net.Build(options);
        net.AssignStreams(1);
        if (withBicc)
        {
            near = net.GetSwitch(0)->FindStage<Bicc>();
            far = net.GetSwitch(1)->FindStage<Bicc>();
        }
        Watch(0, nearWan, leaving);
        Watch(1, farWan, returning);
        Watch(1, inward, entering);
    }

    /// A transmission.
    struct Sent
    {
        FrameKind kind;
        uint32_t src;
        uint32_t dst;
        uint8_t ecn;
        uint32_t bytes;
        int64_t atPs;
    };

    void Watch(uint32_t sw, uint16_t port, std::vector<Sent>& sent) const
    {
        net.GetSwitch(sw)->GetPort(port)->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([&sent](const Frame& f, Time at) {
                sent.push_back({f.kind, f.src, f.dst, f.ecn, f.frameBytes, at.GetTimeStep()});
            }));
    }

    /// @return completion times, ps @param flows all of them must finish
    std::vector<int64_t> Run(const std::vector<FlowSpec>& flows)
    {
        return RunFlows(net, flows);
    }

    /// Goodput of data to a NIC into the far datacenter, bit/s of frames.
    double Rate(uint32_t dst, int64_t fromPs, int64_t toPs) const
    {
        double bits = 0;
        for (const Sent& s : entering)
        {
            const bool counts = s.kind == FrameKind::DATA && s.dst == dst && s.atPs >= fromPs;
            bits += counts && s.atPs < toPs ? 8.0 * s.bytes : 0;
        }
        return bits / (1e-12 * static_cast<double>(toPs - fromPs));
    }

    static uint64_t CountKind(const std::vector<Sent>& sent, FrameKind kind)
    {
        return static_cast<uint64_t>(std::count_if(sent.begin(), sent.end(), [kind](const Sent& s) {
            return s.kind == kind;
        }));
    }

    static std::map<std::string, uint64_t> Count(const Bicc& stage)
    {
        std::map<std::string, uint64_t> counters;
        stage.Count(counters);
        return counters;
    }

    Network net;
    uint16_t nearWan, farWan, inward;
    Bicc* near{nullptr};
    Bicc* far{nullptr};
    std::vector<Sent> leaving;   //!< near switch to WAN
    std::vector<Sent> returning; //!< far switch to WAN
    std::vector<Sent> entering;  //!< far switch to its leaf
};

struct BiccTest : public SystemTest
{
    void SetUp() override
    {
        SystemTest::SetUp();
        SetRateLaw("Dcqcn[Profile=paper]");
        Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MilliSeconds(50)));
    }
};

/// Four senders share a WAN link of 100 Gbit/s and 2 ms round trip.
const std::vector<FlowSpec> OVERLOAD =
    Numbered({Flow(0, FAST, 8000000), Flow(1, FAST, 8000000), Flow(2, FAST, 8000000)});

/// Where a flow to a slow host meets one to a fast host.
std::vector<FlowSpec>
SlowAndFast(bool withSlow)
{
    std::vector<FlowSpec> flows{Flow(1, FAST, 10000000)};
    if (withSlow)
    {
        flows.push_back(Flow(0, SLOW, 10000000));
    }
    return Numbered(flows);
}

} // namespace

// ---------------------------------------------------------------- near source

TEST_F(BiccTest, NearSourcesHearAtMostOnceInFiftyMicroseconds)
{
    BiccNetwork dc(100 * G, MS);
    dc.Build();
    std::map<uint32_t, std::vector<int64_t>> cnps;
    dc.near->TraceConnectWithoutContext(
        "NearCnp",
        Callback<void, uint32_t, uint32_t, Time>(
            [&](uint32_t nic, uint32_t, Time at) { cnps[nic].push_back(at.GetTimeStep()); }));
    dc.Run(OVERLOAD);
    ASSERT_EQ(cnps.size(), 3u) << "each flow shares the queue";
    int64_t shortest = NEVER_PS;
    for (const auto& [nic, times] : cnps)
    {
        EXPECT_LT(times[0], 200 * US) << "NIC " << nic << " hears long before the WAN's 2 ms";
        for (std::size_t i = 1; i < times.size(); ++i)
        {
            shortest = std::min(shortest, times[i] - times[i - 1]);
        }
    }
    EXPECT_GE(shortest, 50 * US);
    EXPECT_LT(shortest, 60 * US) << "while the queue is long";
    EXPECT_GT(dc.Count(*dc.near)["biccNearSuppressed"], 0u);
}

// With DCQCN alone the first CNP comes back after 2 ms, and the queue grows till then.
TEST_F(BiccTest, TheQueueToTheWanStaysShort)
{
    uint64_t peak[2]{};
    for (const bool withBicc : {false, true})
    {
        BiccNetwork dc(100 * G, MS);
        dc.Build(withBicc);
        dc.Run(OVERLOAD);
        peak[withBicc] = dc.net.GetSwitch(0)->GetBuffer().GetPeakBytes();
        Simulator::Destroy();
    }
    EXPECT_LT(peak[true], peak[false] / 3) << "with Bicc, without";
}

// Marks do not leave the senders' datacenter, neither those of its switches (EcnMarker) nor those
// that data bring along.
TEST_F(BiccTest, MarksEndAtTheWan)
{
    BiccNetwork dc(100 * G, MS);
    dc.Build();
    LoseFrames(dc.net.GetSwitch(0)->GetPort(0), [](const Frame&) { return false; });
    dc.Run(OVERLOAD);
    const auto counters = dc.Count(*dc.near);
    EXPECT_GT(counters.at("biccMarksCleared"), 0u) << "EcnMarker sees the same queue";
    for (const BiccNetwork::Sent& s : dc.leaving)
    {
        ASSERT_FALSE(s.kind == FrameKind::DATA && s.ecn == ECN_CE) << "a mark leaves at " << s.atPs;
    }
    EXPECT_EQ(Sum(dc.net).cnps, 0u) << "a receiver repeats what the near source was told";
    EXPECT_GT(counters.at("biccNearCnps"), 0u);
}

namespace
{

/// Marks what comes from the first NICs.
struct Painter : public SwitchStage
{
    /// @param nNics how many
    explicit Painter(uint32_t nNics)
        : m_nNics(nNics)
    {
    }

    uint32_t GetHooks() const override
    {
        return ARRIVAL;
    }

    Verdict OnArrival(Frame& frame, Port&, int64_t) override
    {
        if (frame.kind == FrameKind::DATA && frame.src < m_nNics)
        {
            frame.ecn = ECN_CE;
        }
        return Verdict::PASS;
    }

  private:
    uint32_t m_nNics;
};

} // namespace

TEST_F(BiccTest, MarksThatDataBringAreAnswered)
{
    for (const bool answered : {true, false})
    {
        SetBicc("AnswerMarks", answered ? "datacenter" : "none");
        BiccNetwork dc;
        dc.net.Build();
        dc.net.GetSwitch(0)->Install(CreateObject<Painter>(1));
        for (const uint32_t s : {0, 1})
        {
            dc.net.GetSwitch(s)->Install(CreateObject<Bicc>());
        }
        dc.near = dc.net.GetSwitch(0)->FindStage<Bicc>();
        dc.Watch(0, dc.nearWan, dc.leaving);
        uint64_t cnps = 0;
        dc.net.GetSwitch(0)->GetPort(0)->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([&cnps](const Frame& f, Time) {
                cnps += f.kind == FrameKind::CNP;
                EXPECT_TRUE(f.kind != FrameKind::CNP || (f.trafficClass == 6 && f.src == FAST))
                    << "in the receiver's name, as control";
            }));
        const auto times = dc.Run(Numbered({Flow(0, FAST, 2000000), Flow(1, LOCAL, 2000000)}));
        const auto counters = dc.Count(*dc.near);
        EXPECT_EQ(cnps, counters.at("biccNearCnps"));
        EXPECT_EQ(counters.at("biccNearCnps") > 0, answered);
        EXPECT_GT(counters.at("biccMarksCleared"), 400u);
        EXPECT_EQ(times[0] > times[1] + 50 * US, answered) << "the sender slows down";
        EXPECT_EQ(std::count_if(dc.leaving.begin(),
                                dc.leaving.end(),
                                [](const auto& s) { return s.ecn == ECN_CE; }),
                  0);
        Simulator::Destroy();
    }
}

// Data that stay in their datacenter keep their marks, and its receivers send the CNPs.
TEST_F(BiccTest, LocalTrafficIsLeftAlone)
{
    BiccNetwork dc;
    dc.Build();
    dc.Run(Numbered({Flow(0, 3, 6000000), Flow(1, 3, 6000000)}));
    EXPECT_GT(Sum(dc.net).cnps, 0u);
    for (const auto& [name, count] : dc.Count(*dc.near))
    {
        EXPECT_EQ(count, 0u) << name;
    }
}

// ---------------------------------------------------------------- receiver side

TEST_F(BiccTest, CnpsEndAtTheReceiversSwitch)
{
    BiccNetwork dc;
    dc.Build();
    dc.Run(SlowAndFast(true));
    const auto counters = dc.Count(*dc.far);
    EXPECT_GT(Sum(dc.net).cnps, 10u) << "the slow host's leaf marks";
    EXPECT_EQ(counters.at("biccCnpsConsumed"), Sum(dc.net).cnps);
    EXPECT_EQ(counters.at("biccCnpsPassed"), 0u);
    EXPECT_EQ(BiccNetwork::CountKind(dc.returning, FrameKind::CNP), 0u);
    EXPECT_GT(counters.at("biccCuts"), 5u);
    EXPECT_EQ(counters.at("biccVoqsPeak"), 2u);
}

TEST_F(BiccTest, CnpsPassAboveALimit)
{
    SetBicc("PassCnpsAbove", "1MB");
    BiccNetwork dc;
    dc.Build();
    dc.Run(SlowAndFast(true));
    const auto counters = dc.Count(*dc.far);
    EXPECT_GT(counters.at("biccCnpsPassed"), 0u);
    EXPECT_GT(counters.at("biccCnpsConsumed"), 0u) << "while the queue is short";
    EXPECT_EQ(BiccNetwork::CountKind(dc.returning, FrameKind::CNP), counters.at("biccCnpsPassed"));
}

// A congested destination holds up another one neither by its queue nor by pauses, unless both have
// the same queue.
TEST_F(BiccTest, DestinationsDoNotWaitForEachOther)
{
    const auto fast = [](bool withSlow, const char* voqs) {
        SetBicc("Voqs", voqs);
        BiccNetwork dc;
        dc.Build();
        const int64_t time = dc.Run(SlowAndFast(withSlow))[0];
        if (withSlow)
        {
            EXPECT_NE(dc.far->GetReceiverSide().QueueOf(SLOW) ==
                          dc.far->GetReceiverSide().QueueOf(FAST),
                      voqs == std::string("128"));
        }
        Simulator::Destroy();
        return static_cast<double>(time);
    };
    const double alone = fast(false, "128");
    EXPECT_LT(fast(true, "128"), 1.02 * alone) << "beside a congested destination";
    EXPECT_GT(fast(true, "1"), 2 * alone) << "in the same queue";
}

// Without it, the slow host's backlog pauses the port from which both are served.
TEST_F(BiccTest, WithoutItThePortIsPaused)
{
    int64_t pausedPs[2]{};
    double fast[2]{};
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("4MB"));
    for (const bool withBicc : {false, true})
    {
        BiccNetwork dc(400 * G, MS); // the sender hears after 2 ms
        dc.Build(withBicc);
        fast[withBicc] = static_cast<double>(dc.Run(SlowAndFast(true))[0]);
        pausedPs[withBicc] = dc.net.GetSwitch(1)->GetPort(dc.inward)->GetPausedTimePs(3, 100 * MS);
        Simulator::Destroy();
    }
    EXPECT_LT(pausedPs[true], pausedPs[false] / 5) << "with Bicc, without";
    EXPECT_LT(fast[true], 0.8 * fast[false]);
}

// Only all that is held together pauses the WAN; then the near source tells the sender.
TEST_F(BiccTest, TheWanIsPausedByTheWholeBufferOnly)
{
    for (const bool small : {false, true})
    {
        BiccNetwork dc(400 * G, 100 * US, small ? 3 << 20 : 64 << 20);
        dc.Build();
        const PauseMonitor monitor(dc.net);
        dc.Run(Numbered({Flow(0, SLOW, 12000000)}));
        const uint64_t xoffs = dc.net.GetSwitch(1)->GetPauseSender().GetSent(PauseEvent::XOFF);
        EXPECT_EQ(xoffs > 0, small);
        EXPECT_EQ(dc.Count(*dc.near)["biccNearCnps"] > 0, small)
            << "the queue to a paused WAN is congested";
        EXPECT_EQ(Sum(dc.net).lost, 0u);
        monitor.Check(dc.net);
        Simulator::Destroy();
    }
}

// A host sends locally to the same destination for a while; the VOQ makes room and comes back.
TEST_F(BiccTest, ARateRecoversWhenCongestionIsOver)
{
    BiccNetwork dc;
    dc.Build();
    std::vector<uint64_t> cuts;
    dc.far->TraceConnectWithoutContext(
        "Cut",
        Callback<void, uint16_t, uint32_t, uint64_t, double, Time>(
            [&](uint16_t port, uint32_t voq, uint64_t rate, double alpha, Time) {
                EXPECT_EQ(port, dc.inward);
                EXPECT_EQ(voq, dc.far->GetReceiverSide().QueueOf(FAST));
                EXPECT_GT(alpha, 0);
                cuts.push_back(rate);
            }));
    dc.Run(Numbered({Flow(1, FAST, 160000000), Flow(LOCAL, FAST, 20000000, 1000 * US)}));
    EXPECT_GT(dc.Rate(FAST, 300 * US, 900 * US), 95e9);
    EXPECT_LT(dc.Rate(FAST, 1200 * US, 2000 * US), 75e9) << "shared with the local flow";
    const double risen = dc.Rate(FAST, 7000 * US, 8000 * US) - dc.Rate(FAST, 5000 * US, 6000 * US);
    EXPECT_NEAR(risen, 2e-3 * 500e6 / 55e-6, 0.3e9) << "by steps of AiRate";
    EXPECT_GT(dc.Rate(FAST, 9000 * US, 13000 * US), 92e9) << "recovered";
    ASSERT_FALSE(cuts.empty());
    EXPECT_EQ(cuts[0], 200 * G) << "half of the port's rate";
    EXPECT_EQ(dc.far->GetVoqs(dc.inward)->GetTotalBytes(), 0u);
}

// What leaves a VOQ keeps to its rate: bytes between two cuts.
TEST_F(BiccTest, VoqsKeepToTheirRates)
{
    SetBicc("MaxRate", "20Gbps");
    BiccNetwork dc;
    dc.Build();
    const auto times =
        dc.Run(Numbered({Flow(1, FAST, 10000000), Flow(0, LOCAL, 10000000), Flow(2, 3, 10000000)}));
    EXPECT_LT(times[2], 1000 * US) << "data within the datacenter are not shaped";
    for (const uint32_t nic : {FAST, LOCAL})
    {
        // Of wire bytes: 4182 for 4158 of a frame.
        EXPECT_NEAR(dc.Rate(nic, 500 * US, 3500 * US), 20e9 * 4158 / 4178, 0.05e9) << nic;
    }
}

// A cut stretches the gap that runs: at 0.1 Gbit/s a frame each 334 us, until the first CNP is
// back.
TEST_F(BiccTest, ACutCountsAtOnce)
{
    SetBicc("MaxRate", "100Mbps");
    SetBicc("MinRate", "1Mbps");
    Config::SetDefault("ns3::roce::ShapedScheduler::Burst", UintegerValue(0));
    BiccNetwork dc;
    dc.Build();
    dc.net.GetSwitch(2)->Install(CreateObject<Painter>(1));
    dc.Run(Numbered({Flow(0, FAST, 12000)}));
    ASSERT_EQ(dc.entering.size(), 3u);
    const int64_t gapPs = dc.entering[1].atPs - dc.entering[0].atPs;
    EXPECT_GT(gapPs, 2 * 334 * US - 20 * US) << "at half of the rate, but for a round trip";
    EXPECT_LT(gapPs, 2 * 334 * US);
}

// Another greatest rate counts at once, also for what waits at 0.1 Gbit/s, a frame each 334 us.
TEST_F(BiccTest, LiveParametersChange)
{
    SetBicc("MaxRate", "100Mbps");
    Config::SetDefault("ns3::roce::ShapedScheduler::Burst", UintegerValue(0));
    BiccNetwork dc;
    dc.Build();
    const auto retune = [&](const char* attribute, const char* value) {
        const Ptr<Bicc> next = CreateObject<Bicc>();
        next->SetAttribute(attribute, StringValue(value));
        dc.net.GetSwitch(1)->Retune(*next, NowPs());
    };
    const int64_t at = 300 * US;
    Simulator::Schedule(PicoSeconds(at), [&] { retune("MaxRate", "200Mbps"); });
    Simulator::Schedule(PicoSeconds(at + US), [&] {
        EXPECT_NE(ErrorOf([&] { retune("Voqs", "64"); }).find("Voqs is 64"), std::string::npos);
    });
    dc.Run(Numbered({Flow(0, FAST, 12000)}));
    ASSERT_EQ(dc.entering.size(), 3u);
    const int64_t first = dc.entering[0].atPs;
    const int64_t second = dc.entering[1].atPs;
    ASSERT_LT(first, at);
    EXPECT_NEAR(second, at + (first + 334 * US - at) / 2, 2 * US) << "the rest of the gap, halved";
    EXPECT_NEAR(dc.entering[2].atPs, second + 167 * US, 2 * US);
    EXPECT_EQ(dc.far->GetReceiverSide().GetRateBps(dc.inward, 0, NowPs()), G / 5);
}

TEST_F(BiccTest, TheNearSourceTakesOtherParameters)
{
    BiccNetwork dc(100 * G, 1000 * US);
    dc.Build();
    const Ptr<Bicc> deaf = CreateObject<Bicc>();
    deaf->SetAttribute("Kmax", StringValue("1000MB"));
    deaf->SetAttribute("Kmin", StringValue("1000MB"));
    dc.net.GetSwitch(0)->Retune(*deaf, 0);
    dc.Run(OVERLOAD);
    EXPECT_EQ(dc.Count(*dc.near)["biccNearCnps"], 0u) << "thresholds that no queue reaches";
}

// ---------------------------------------------------------------- several ports

// Six flows to as many hosts behind four ports, all marked at the receivers' leaves.
TEST_F(BiccTest, ACnpIsForThePortThatItsDataTake)
{
    LeafSpineHelper helper;
    helper.leaves = 2;
    helper.spines = 4;
    helper.hostsPerLeaf = 4;
    helper.wanDelay = MicroSeconds(50);
    Network net;
    helper.Construct(net);
    Network::Options options;
    options.stages.emplace_back("ns3::roce::Bicc", SwitchRole::DCI);
    net.Build(options);
    net.AssignStreams(1);
    std::map<std::pair<uint16_t, uint32_t>, uint64_t> data; // by port and VOQ
    std::map<std::pair<uint16_t, uint32_t>, unsigned> cuts;
    for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
    {
        const Ptr<Switch> sw = net.GetSwitch(s);
        Bicc* stage = sw->FindStage<Bicc>();
        if (sw->GetDatacenter() != 1)
        {
            continue;
        }
        if (!stage)
        {
            sw->Install(CreateObject<Painter>(8));
            continue;
        }
        for (uint16_t p = 0; p < sw->GetNPorts(); ++p)
        {
            EXPECT_EQ(stage->GetVoqs(p) == nullptr, sw->IsWanPort(p));
            sw->GetPort(p)->TraceConnectWithoutContext(
                "TxBegin",
                Callback<void, const Frame&, Time>([&data, stage, p](const Frame& f, Time) {
                    data[{p, stage->GetReceiverSide().QueueOf(f.dst)}] += f.kind == FrameKind::DATA;
                }));
        }
        stage->TraceConnectWithoutContext(
            "Cut",
            Callback<void, uint16_t, uint32_t, uint64_t, double, Time>(
                [&](uint16_t port, uint32_t voq, uint64_t, double, Time) {
                    ++cuts[{port, voq}];
                }));
    }
    std::vector<FlowSpec> flows;
    for (uint32_t n = 0; n < 6; ++n)
    {
        flows.push_back(Flow(n, 8 + n, 1000000)); // NIC 8 is the first of the second datacenter
    }
    flows = Numbered(flows);
    const Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    EXPECT_EQ(cuts.size(), 6u);
    for (const auto& [where, n] : cuts)
    {
        EXPECT_GT(data[where], 100u)
            << "port " << where.first << " was cut " << n << " times without data";
    }
}

// ---------------------------------------------------------------- the same results

TEST_F(BiccTest, LazyAndEagerRunsAreTheSame)
{
    const auto run = [](bool eager, uint64_t seed) {
        Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
        Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
        BiccNetwork dc(60 * G, 50 * US, 4 << 20);
        dc.Build();
        dc.net.EnableFingerprint();
        std::mt19937_64 rng(seed);
        std::vector<FlowSpec> flows;
        for (unsigned i = 0; i < 60; ++i)
        {
            const auto src = static_cast<uint32_t>(rng() % 7);
            const auto dst = static_cast<uint32_t>((src + 1 + rng() % 6) % 7);
            const auto startPs = static_cast<int64_t>(rng() % (1000 * US));
            flows.push_back(Flow(src, dst, rng() % 1500000, startPs));
        }
        const auto times = dc.Run(Numbered(flows));
        const auto far = dc.Count(*dc.far);
        EXPECT_GT(far.at("biccCuts"), 3u);
        EXPECT_GT(dc.Count(*dc.near)["biccNearCnps"], 3u);
        const auto outcome = std::make_tuple(dc.net.GetFingerprint(), times, far);
        Simulator::Destroy();
        return outcome;
    };
    for (const uint64_t seed : {1, 2, 3})
    {
        const auto lazy = run(false, seed);
        EXPECT_EQ(lazy, run(true, seed)) << "seed " << seed;
        EXPECT_EQ(lazy, run(false, seed)) << "seed " << seed;
    }
}

// ---------------------------------------------------------------- what makes no sense

namespace
{

std::string
ErrorOfBuild(const std::vector<StagePlacement>& stages)
{
    std::string error;
    {
        BiccNetwork dc;
        Network::Options options;
        options.stages = stages;
        error = ErrorOf([&] { dc.net.Build(options); });
    }
    Simulator::Destroy();
    return error;
}

} // namespace

TEST_F(BiccTest, IsRefusedWhereItCannotWork)
{
    const StagePlacement bicc("ns3::roce::Bicc", SwitchRole::DCI);
    const StagePlacement ndt("ns3::roce::ReflexNdt", SwitchRole::DCI);
    EXPECT_EQ(ErrorOfBuild({bicc}), "no error");
    EXPECT_EQ(ErrorOfBuild({StagePlacement("ns3::roce::Bicc", SwitchRole::TOR)}),
              "stage Bicc: switch leaf has no link to another datacenter, expected it at "
              "switches of role dci only (--edge)");
    EXPECT_EQ(ErrorOfBuild({ndt, bicc}),
              "stage Bicc: the queues of switch far are of class NdtScheduler, expected "
              "DwrrScheduler: one function with queues of its own (--edge)");
    EXPECT_EQ(ErrorOfBuild({bicc, ndt}),
              "ns3::roce::ReflexNdt: the queues of switch far are of class ShapedScheduler, "
              "expected DwrrScheduler: one function with queues of its own (--edge)");
    for (const std::string law : {"Timely", "Hpcc", "Dctcp", "LineRate", "Dcqcn[CnpInAck=true]"})
    {
        SetRateLaw(law);
        EXPECT_EQ(ErrorOfBuild({bicc}),
                  "--edge=Bicc steers senders by CNPs, but rate law " +
                      law.substr(0, law.find('[')) +
                      " between datacenters has receivers that send none; expected Dcqcn without "
                      "CnpInAck (--cc or --interCc)");
        Config::SetDefault("ns3::roce::Nic::InterCongestionControl",
                           StringValue("ns3::roce::Dcqcn"));
        EXPECT_EQ(ErrorOfBuild({bicc}), "no error") << law << " within datacenters only";
        Config::SetDefault("ns3::roce::Nic::InterCongestionControl", StringValue(""));
    }
    SetRateLaw("Dcqcn");
    SetBicc("Kmin", "500kB");
    EXPECT_EQ(ErrorOfBuild({bicc}),
              "ns3::roce::Bicc: Kmin is 500000 B, expected at most Kmax, 400000 B");
}
