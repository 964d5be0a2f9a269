// SPDX-License-Identifier: GPL-2.0-only
// MLCC at the receiver's external switch: a queue for each flow, its rate, what data bring along
// from it, when it is freed, and what it does to the buffer and to the WAN.
#include "roce-error-of.h"
#include "roce-mlcc-network.h"

#include <algorithm>
#include <random>
#include <set>
#include <utility>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using Sent = MlccNetwork::Sent;

struct MlccReceiverSideTest : public MlccSystemTest
{
    void Build(MlccNetwork& dc)
    {
        dc.Build();
        MlccNetwork::Watch(dc.At(MlccNetwork::FAR, dc.farOut), entering);
        MlccNetwork::Watch(*dc.At(MlccNetwork::FAR, dc.farOut).GetPeer(), acks);
        MlccNetwork::Watch(dc.At(MlccNetwork::NEAR, dc.nearWan), wan);
        MlccNetwork::Watch(dc.At(MlccNetwork::FAR, dc.farWan), returning);
    }

    /// Data of a flow on their way into the datacenter.
    std::vector<Sent> DataOf(uint32_t src, uint32_t dst) const
    {
        std::vector<Sent> some;
        std::copy_if(entering.begin(),
                     entering.end(),
                     std::back_inserter(some),
                     [&](const Sent& s) { return s.IsData() && s.src == src && s.dst == dst; });
        return some;
    }

    /// Rate of some transmissions on the wire, bit/s, within a time.
    static double RateOf(const std::vector<Sent>& sent, int64_t fromPs, int64_t toPs)
    {
        double bits = 0;
        for (const Sent& s : sent)
        {
            bits += s.atPs >= fromPs && s.atPs < toPs ? 8.0 * (s.bytes + 20) : 0;
        }
        return bits / (1e-12 * static_cast<double>(toPs - fromPs));
    }

    std::vector<Sent> wan;       //!< near switch to WAN
    std::vector<Sent> returning; //!< far switch to WAN
    std::vector<Sent> entering;  //!< far switch to its spine
    std::vector<Sent> acks;      //!< spine to far switch
};

/// Four flows to two receivers.
const std::vector<FlowSpec> FOUR =
    Numbered({Flow(0, 4, 1000000), Flow(1, 5, 1000000), Flow(2, 4, 1000000), Flow(3, 5, 1000000)});

} // namespace

// ---------------------------------------------------------------- queues

// A queue for each flow; no flow is reordered, and one does not wait for another.
TEST_F(MlccReceiverSideTest, EachFlowHasAQueue)
{
    SetLaw("test::ScriptedMlcc");
    ScriptedMlcc::script = [](uint32_t nic, int64_t) {
        return Script{1, nic == 4 ? 1e9 : 20e9, 25e9};
    };
    MlccNetwork dc;
    Build(dc);
    // Host 0 sends to both: by destination and by flow, queues differ from those by host.
    const auto times = dc.Run(Numbered({Flow(0, 4, 1000000), Flow(0, 5, 1000000)}));
    EXPECT_GT(times[0], 7 * MS) << "1 Gbit/s";
    EXPECT_LT(times[1], MS) << "waits for a flow of 1 Gbit/s";
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> next;
    for (const Sent& s : entering)
    {
        if (s.IsData())
        {
            EXPECT_EQ(s.psn, (next[{s.src, s.dst}]++)) << "reordered";
        }
    }
    EXPECT_EQ(MlccNetwork::Count(*dc.far).at("mlccFlowsPeak"), 2u);
    EXPECT_EQ(MlccNetwork::Count(*dc.far).at("mlccPfqs"), 2u);
}

// Two flows of the same pair of hosts are two flows.
TEST_F(MlccReceiverSideTest, FlowsOfThePairOfHostsAreApart)
{
    SetLaw("test::ScriptedMlcc");
    ScriptedMlcc::script = [](uint32_t, int64_t) { return Script{1, 5e9, 25e9}; };
    MlccNetwork dc;
    Build(dc);
    dc.Run(Numbered({Flow(0, 4, 1000000), Flow(0, 4, 1000000), Flow(1, 4, 1000000)}));
    EXPECT_EQ(dc.far->GetCounters().flowsPeak, 3u);
    EXPECT_NEAR(RateOf(entering, 700 * US, 1200 * US), 15e9, 0.3e9) << "5 Gbit/s each";
}

TEST_F(MlccReceiverSideTest, RatesAreThoseOfTheReceivers)
{
    SetLaw("test::ScriptedMlcc");
    ScriptedMlcc::script = [](uint32_t nic, int64_t) {
        return Script{1, nic == 4 ? 3e9 : 7e9, 25e9};
    };
    MlccNetwork dc;
    Build(dc);
    std::map<uint32_t, uint64_t> credits;
    dc.far->TraceConnectWithoutContext(
        "Credit",
        Callback<void, uint32_t, uint32_t, uint64_t, uint16_t, Time>(
            [&](uint32_t nic, uint32_t, uint64_t rate, uint16_t epoch, Time) {
                EXPECT_EQ(credits.count(nic), 0u) << "told again, though nothing has changed";
                credits[nic] = rate;
                EXPECT_EQ(epoch, 1u);
            }));
    dc.Run(FOUR);
    EXPECT_EQ(credits,
              (std::map<uint32_t, uint64_t>{{0, 3000000000},
                                            {1, 7000000000},
                                            {2, 3000000000},
                                            {3, 7000000000}}));
    EXPECT_EQ(dc.far->GetCounters().credits, 4u);
    EXPECT_NEAR(RateOf(DataOf(0, 4), 600 * US, 1100 * US), 3e9, 0.06e9);
    EXPECT_NEAR(RateOf(DataOf(3, 5), 600 * US, 1100 * US), 7e9, 0.12e9);
}

// The first frames, before any ACK: by attribute, or as fast as a server.
TEST_F(MlccReceiverSideTest, InitialRate)
{
    SetLaw("test::ScriptedMlcc");
    for (const char* rate : {"0bps", "4Gbps"})
    {
        SetEdge("ReceiverSide::PfqInitialRate", rate);
        ScriptedMlcc::script = [&](uint32_t, int64_t) {
            return Script{1, rate[0] == '0' ? 25e9 : 4e9, 25e9};
        };
        entering.clear();
        MlccNetwork dc;
        Build(dc);
        const double expected = rate[0] == '0' ? 25e9 : 4e9;
        dc.Run(Numbered({Flow(0, 4, 300000)}));
        const std::vector<Sent> data = DataOf(0, 4);
        // Behind the 16 kB by which a new queue may be ahead.
        EXPECT_NEAR(RateOf(data, data[20].atPs, data[60].atPs), expected, 0.03 * expected);
        EXPECT_EQ(dc.far->GetCounters().credits, 0u) << "no ACK has changed the rate";
        Simulator::Destroy();
    }
}

// A rate that rises wakes the port up: what waits does not wait for its old time.
TEST_F(MlccReceiverSideTest, ARateThatRisesIsFeltAtOnce)
{
    SetLaw("test::ScriptedMlcc");
    const int64_t risesPs = 2 * MS;
    ScriptedMlcc::script = [](uint32_t, int64_t nowPs) {
        return nowPs < risesPs ? Script{1, 10e6, 25e9} : Script{2, 20e9, 25e9}; // 0.8 ms a frame
    };
    MlccNetwork dc;
    Build(dc);
    // The ACK of a second flow's frame does not help; that of the own one, each 0.8 ms, does.
    dc.Run(Numbered({Flow(0, 4, 100000)}));
    int64_t told = 0;
    for (const Sent& ack : acks)
    {
        told = ack.header.epoch == 2 && !told ? ack.atPs : told;
    }
    ASSERT_GT(told, risesPs);
    int64_t next = NEVER_PS;
    for (const Sent& s : DataOf(0, 4))
    {
        next = s.atPs > told ? std::min(next, s.atPs) : next;
    }
    EXPECT_LT(next - told, 6 * US) << "the ACK's way to the switch is 5 us";
    EXPECT_GT(next - told, 5 * US);
}

// A flow that is sprayed over two ports has a queue at each, and both hear of its rate.
TEST_F(MlccReceiverSideTest, BothQueuesOfASprayedFlowHearOfItsRate)
{
    SetLaw("test::ScriptedMlcc");
    Config::SetDefault("ns3::roce::Nic::InterPathSelector", StringValue("ns3::roce::Spray"));
    const int64_t risesPs = 2 * MS;
    ScriptedMlcc::script = [](uint32_t, int64_t nowPs) {
        return nowPs < risesPs ? Script{1, 10e6, 25e9} : Script{2, 20e9, 25e9}; // 0.8 ms a frame
    };
    MlccNetwork dc;
    const uint32_t spine = dc.net.AddSwitch("farSpine2", 1);
    const uint16_t second = dc.net.Connect(MlccNetwork::FAR, spine, 100 * G, 5 * US).first;
    dc.net.Connect(spine, MlccNetwork::FAR_LEAF, 100 * G, 5 * US);
    Build(dc);
    std::vector<Sent> other;
    MlccNetwork::Watch(dc.At(MlccNetwork::FAR, second), other);
    MlccNetwork::Watch(*dc.At(MlccNetwork::FAR, second).GetPeer(), acks);
    dc.net.InstallFlows(Numbered({Flow(0, 4, 100000)}));
    Simulator::Stop(PicoSeconds(4 * MS));
    Simulator::Run();
    dc.net.CatchUp();
    int64_t told = NEVER_PS;
    for (const Sent& ack : acks)
    {
        told = ack.header.epoch == 2 ? std::min(told, ack.atPs) : told;
    }
    ASSERT_GT(told, risesPs);
    ASSERT_LT(told, 4 * MS);
    for (const std::vector<Sent>* port : {&entering, &other})
    {
        EXPECT_GT(RateOf(*port, told + 5 * US, told + 10 * US), 2e9)
            << "frames wait at both ports; the old rate lets one go each 0.8 ms";
        EXPECT_LT(RateOf(*port, 0, told), 0.5e9) << "before";
    }
}

// ---------------------------------------------------------------- what data bring

// Telemetry begins anew: this switch, the spine, the leaf; and the queue that it tells of is the
// port's own, not what the rate holds back.
TEST_F(MlccReceiverSideTest, ReceiversSeeThreeRecords)
{
    SetLaw("test::ScriptedMlcc");
    ScriptedMlcc::script = [](uint32_t, int64_t) { return Script{1, 2e9, 25e9}; };
    for (const bool reportsPfq : {false, true})
    {
        SetEdge("ReceiverSide::IntReportsPfq", reportsPfq ? "true" : "false");
        entering.clear();
        std::vector<Sent> last;
        MlccNetwork dc;
        Build(dc);
        MlccNetwork::Watch(*dc.net.GetNic(4)->GetPeer(), last);
        dc.Run(Numbered({Flow(0, 4, 400000), Flow(1, 4, 400000)}));
        uint64_t longest = 0;
        uint64_t data = 0;
        for (const Sent& s : last)
        {
            if (!s.IsData())
            {
                continue;
            }
            ++data;
            ASSERT_EQ(s.hops.size(), 3u) << "PSN " << s.psn;
            ASSERT_EQ(s.hops[0].hopId,
                      static_cast<uint64_t>(dc.net.GetSwitch(MlccNetwork::FAR)->GetNodeId()) << 16 |
                          dc.farOut);
            EXPECT_EQ(s.hops[0].rateBps, 100 * G);
            longest = std::max(longest, s.hops[0].queueBytes);
        }
        EXPECT_EQ(data, 800u);
        EXPECT_EQ(longest > 200000, reportsPfq) << longest;
        for (const Sent& s : entering)
        {
            EXPECT_TRUE(!s.IsData() || s.hops.size() == 1) << "PSN " << s.psn;
        }
        Simulator::Destroy();
    }
}

// If records come in over the WAN, they end here, with what they cost.
TEST_F(MlccReceiverSideTest, ForeignRecordsAreErased)
{
    struct Leaver : public SwitchStage
    {
        uint32_t GetHooks() const override
        {
            return ARRIVAL;
        }

        Verdict OnArrival(Frame& frame, Port&, int64_t) override
        {
            for (unsigned i = 0; frame.kind == FrameKind::DATA && i < 11; ++i)
            {
                frame.telemetry.Append().hopId = i;
                frame.frameBytes += 8;
                frame.telemetryBytes += 8;
            }
            return Verdict::PASS;
        }
    };

    MlccNetwork dc;
    Build(dc);
    dc.net.GetSwitch(MlccNetwork::FAR)->Install(CreateObject<Leaver>());
    dc.Run(Numbered({Flow(0, 4, 100000)}));
    const std::vector<Sent> data = DataOf(0, 4);
    ASSERT_EQ(data.size(), 100u);
    for (std::size_t i = 0; i < data.size(); ++i)
    {
        ASSERT_EQ(data[i].hops.size(), 1u);
        EXPECT_EQ(data[i].bytes, wan[i].bytes + 8);
        EXPECT_EQ(data[i].telemetryBytes, wan[i].telemetryBytes + 8);
    }
}

// C_D is the C_R of the last ACK that has passed, Q_c what is left behind the frame.
TEST_F(MlccReceiverSideTest, EpochAndQueueAreStamped)
{
    SetLaw("test::ScriptedMlcc");
    ScriptedMlcc::script = [](uint32_t nic, int64_t nowPs) {
        return Script{static_cast<uint16_t>(65530 + nowPs / (50 * US)), // wraps around
                      nic == 4 ? 4e9 : 6e9,
                      25e9};
    };
    MlccNetwork dc;
    Build(dc);
    dc.Run(FOUR);
    const int64_t wanPs = 100 * US;
    uint64_t filled = 0;
    std::set<uint16_t> epochs;
    for (const FlowSpec& flow : FOUR)
    {
        const std::vector<Sent> data = DataOf(flow.src, flow.dst);
        std::size_t nextAck = 0;
        std::size_t in = 0;
        std::vector<const Sent*> came;
        for (const Sent& s : wan)
        {
            if (s.IsData() && s.src == flow.src)
            {
                came.push_back(&s);
            }
        }
        std::vector<const Sent*> told;
        for (const Sent& a : acks)
        {
            if (a.kind == FrameKind::ACK && a.dst == flow.src)
            {
                told.push_back(&a);
            }
        }
        ASSERT_EQ(data.size(), came.size());
        uint64_t queue = 0;
        for (const Sent& d : data)
        {
            const auto endOf = [](const Sent& s, int64_t delayPs) {
                return s.atPs + (s.bytes + 20) * 80 + delayPs; // 100 Gbit/s
            };
            for (; in < came.size() && endOf(*came[in], wanPs) <= d.atPs; ++in)
            {
                queue += came[in]->bytes + 20;
            }
            for (; nextAck < told.size() && endOf(*told[nextAck], 5 * US) <= d.atPs; ++nextAck)
            {
            }
            queue -= d.bytes - 8 + 20; // without the record that it has got since
            ASSERT_TRUE(d.hasHeader);
            const uint16_t expected = nextAck ? told[nextAck - 1]->header.epoch : 0;
            ASSERT_EQ(d.header.epoch, expected) << "NIC " << flow.src << " PSN " << d.psn;
            ASSERT_EQ(d.header.GetQueueBytes(), queue) << "NIC " << flow.src << " PSN " << d.psn;
            filled += queue > 100000;
            epochs.insert(d.header.epoch);
        }
        EXPECT_EQ(queue, 0u);
    }
    EXPECT_GT(filled, 1000u) << "queues were to be long";
    EXPECT_GT(epochs.size(), 10u);
    EXPECT_EQ(epochs.count(0), 1u) << "before the first ACK";
    // ACKs go on as they are.
    std::size_t n = 0;
    for (const Sent& a : returning)
    {
        while (acks[n].kind != FrameKind::ACK || acks[n].psn != a.psn || acks[n].dst != a.dst)
        {
            ASSERT_LT(++n, acks.size()) << "an ACK from nowhere";
        }
        EXPECT_EQ(a.header.word, acks[n].header.word);
        EXPECT_EQ(a.header.dqmMbps, acks[n].header.dqmMbps);
        n = 0;
    }
}

// A frame is lost on the WAN. Until its sender has come back to it, a round trip of 0.2 ms later,
// go-back-N refuses all that comes; the credit loop, of 24 us, goes on.
TEST_F(MlccReceiverSideTest, ALostFrameDoesNotStopTheCreditLoop)
{
    constexpr uint64_t LOST = 1000;
    MlccNetwork dc;
    Build(dc);
    bool isLost = false;
    LoseFrames(dc.net.GetSwitch(MlccNetwork::FAR)->GetPort(dc.farWan), [&](const Frame& f) {
        return f.kind == FrameKind::DATA && f.psn == LOST && !std::exchange(isLost, true);
    });
    dc.Run(Numbered({Flow(0, 4, 2000000)}));
    EXPECT_GT(Sum(dc.net).retransmitted, 300u);
    std::set<uint16_t> epochs; // of what is refused
    for (const Sent& s : DataOf(0, 4))
    {
        if (s.psn == LOST)
        {
            break;
        }
        if (s.psn > LOST)
        {
            epochs.insert(s.header.epoch);
        }
    }
    EXPECT_GT(epochs.size(), 5u) << "while data are refused C_D does not go on: no answer comes";
}

// ---------------------------------------------------------------- whose data

// What stays in the datacenter, what leaves it, and senders with another law.
TEST_F(MlccReceiverSideTest, OthersAreLeftAlone)
{
    MlccNetwork dc(100 * US, 64 << 20, "Hpcc");
    Build(dc);
    dc.Run(Numbered({Flow(5, 4, 300000), Flow(6, 0, 300000), Flow(3, 4, 300000)}));
    EXPECT_EQ(dc.far->GetCounters().queues, 0u);
    EXPECT_EQ(dc.far->GetCounters().strayAcks, 0u);
    for (const Sent& s : DataOf(3, 4))
    {
        EXPECT_EQ(s.hops.size(), 3u) << "Hpcc's records";
        EXPECT_FALSE(s.hasHeader);
    }
}

// ---------------------------------------------------------------- timeouts

// A queue that has been empty for PfqTimeout is freed, with what was known of its flow.
TEST_F(MlccReceiverSideTest, IdleQueuesAreFreed)
{
    SetLaw("test::ScriptedMlcc");
    ScriptedMlcc::script = [](uint32_t, int64_t) { return Script{9, 5e9, 25e9}; };
    for (const char* timeout : {"0s", "100us"})
    {
        SetEdge("ReceiverSide::PfqTimeout", timeout);
        entering.clear();
        const int64_t timeoutPs = timeout[0] == '0' ? 2 * (1 + 5 + 100 + 5 + 5 + 1) * US : 100 * US;
        MlccNetwork dc;
        Build(dc);
        std::vector<uint32_t> flows;
        dc.far->TraceConnectWithoutContext(
            "Flows",
            Callback<void, uint32_t, Time>([&](uint32_t n, Time) { flows.push_back(n); }));
        const auto look = [&dc](int64_t atPs, std::size_t expected) {
            Simulator::Schedule(TimeStep(atPs), [&dc, expected] {
                dc.net.CatchUp();
                dc.far->FreeIdle(NowPs());
                EXPECT_EQ(dc.far->GetNFlows(), expected) << "at " << NowPs();
            });
        };
        const Completions done(dc.net);
        dc.net.InstallFlows(Numbered({Flow(0, 4, 1000), Flow(1, 4, 100000)}));
        // Both come in after 106 us; the first one has left at once, the other one 5 Gbit/s long.
        look(100 * US, 0);
        look(110 * US, 2);
        look(106 * US + timeoutPs, 2);
        look(109 * US + timeoutPs, 1);
        look(300 * US + timeoutPs, 0);
        Simulator::Run();
        EXPECT_EQ(done.sent.size(), 2u);
        EXPECT_EQ(flows, (std::vector<uint32_t>{1, 2, 1, 0})) << timeout;
        EXPECT_EQ(dc.far->GetTotalBytes(), 0u);
        Simulator::Destroy();
    }
}

// The state of a flow that has been forgotten is that of the next one: what there is does not grow
// with the flows that have been.
TEST_F(MlccReceiverSideTest, StateIsOfTheFlowsAtATime)
{
    SetEdge("ReceiverSide::PfqTimeout", "10us");
    MlccNetwork dc;
    Build(dc);
    std::vector<FlowSpec> flows;
    for (int64_t i = 0; i < 20; ++i)
    {
        flows.push_back(Flow(i % 2, 4, 1000, i * 100 * US));
    }
    dc.Run(Numbered(flows));
    EXPECT_EQ(dc.far->GetCounters().queues, 20u);
    EXPECT_EQ(dc.far->GetCounters().flowsPeak, 1u);
    EXPECT_EQ(dc.far->GetNStates(), 1u) << "keys of flows that are gone are not used again";
}

// A flow that comes back after that is a new one: its queue has the initial rate and no C_D. So has
// one whose ACKs come too late.
TEST_F(MlccReceiverSideTest, AFlowThatComesBackIsNew)
{
    SetLaw("test::ScriptedMlcc");
    SetEdge("ReceiverSide::PfqTimeout", "50us");
    ScriptedMlcc::script = [](uint32_t, int64_t) { return Script{9, 2e9, 25e9}; };
    MlccNetwork dc;
    Build(dc);
    const Completions done(dc.net);
    // One queue pair, three messages.
    QueuePair* qp = nullptr;
    uint64_t cookie = 0;
    for (const int64_t at : {0 * US, 40 * US, 600 * US})
    {
        Simulator::Schedule(TimeStep(at), [&] {
            if (!qp)
            {
                const uint32_t to =
                    dc.net.GetNic(4)->ReserveQp(0, dc.net.GetNic(0)->GetProfile(true));
                qp = dc.net.GetNic(0)->OpenQp(4, to, 3, 1000, false);
            }
            dc.net.GetNic(0)->Post(qp, 40000, cookie++);
        });
    }
    Simulator::Run();
    EXPECT_EQ(done.sent.size(), 3u);
    EXPECT_EQ(dc.far->GetCounters().queues, 2u) << "the second message finds its queue";
    uint16_t first = 1;
    int64_t gapPs = 0;
    const std::vector<Sent> data = DataOf(0, 4);
    for (std::size_t i = 1; i < data.size(); ++i)
    {
        if (data[i].atPs > 650 * US && data[i - 1].atPs < 650 * US)
        {
            first = data[i].header.epoch;
            gapPs = data[i + 25].atPs - data[i + 24].atPs;
        }
    }
    EXPECT_EQ(first, 0u) << "C_D of the flow before";
    EXPECT_LT(gapPs, US) << "the rate of the flow before: 2 Gbit/s";
    EXPECT_EQ(data[60].header.epoch, 9u);
}

// ---------------------------------------------------------------- buffer

// What the queues hold is what the switch holds.
TEST_F(MlccReceiverSideTest, TheQueuesAreTheOccupancy)
{
    SetLaw("test::ScriptedMlcc");
    ScriptedMlcc::script = [](uint32_t nic, int64_t nowPs) {
        return Script{1,
                      (nic == 4 ? 1e9 : 3e9) * static_cast<double>(1 + nowPs / (100 * US) % 3),
                      25e9};
    };
    MlccNetwork dc;
    Build(dc);
    uint64_t most = 0;
    for (int64_t at = 50 * US; at < 3 * MS; at += 7777 * NS)
    {
        Simulator::Schedule(TimeStep(at), [&] {
            dc.net.CatchUp();
            uint64_t sum = 0;
            dc.far->ForFlows([&sum](const MlccReceiverSide::Flow&, uint64_t b) { sum += b; });
            const Ptr<Switch> sw = dc.net.GetSwitch(MlccNetwork::FAR);
            EXPECT_EQ(sum, sw->GetBuffer().GetIngressBytes(dc.farWan, 3)) << NowPs();
            EXPECT_EQ(sum, dc.far->GetTotalBytes());
            EXPECT_EQ(sum, sw->GetQueue(dc.farOut).GetBytes(3));
            most = std::max(most, sum);
            EXPECT_EQ(dc.net.Audit(false), "");
        });
    }
    uint64_t traced = 0;
    uint64_t tracedFlow = 0;
    dc.far->TraceConnectWithoutContext(
        "Queue",
        Callback<void, uint32_t, uint32_t, uint64_t, uint64_t, Time>(
            [&](uint32_t, uint32_t, uint64_t bytes, uint64_t total, Time) {
                EXPECT_LE(bytes, total);
                traced = std::max(traced, total);
                tracedFlow = std::max(tracedFlow, bytes);
            }));
    dc.Run(FOUR);
    EXPECT_GT(most, 1000000u);
    EXPECT_GE(traced, most);
    EXPECT_EQ(dc.far->GetCounters().bytesPeak, traced);
    EXPECT_EQ(dc.far->GetCounters().flowBytesPeak, tracedFlow);
    EXPECT_EQ(MlccNetwork::Count(*dc.far).at("mlccQueueBytesPeak"), traced);
}

// The paper's buffers: 128 MB with a WAN of 3 ms leave 53 MB before the WAN is paused. Four flows
// that are held back for good fill that, pause the WAN, and lose nothing.
TEST_F(MlccReceiverSideTest, ADeepBufferPausesTheWan)
{
    SetLaw("test::ScriptedMlcc[InterInflightCap=0]");
    Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MilliSeconds(500)));
    ScriptedMlcc::script = [](uint32_t, int64_t nowPs) {
        return Script{1, nowPs < 12 * MS ? 0.5e9 : 12e9, 25e9};
    };
    const uint64_t headroom = HeadroomBytes(100 * G, 3 * MS, 5000, 5000);
    MlccNetwork dc(3 * MS, 128000000 - headroom);
    Build(dc);
    PauseMonitor pauses(dc.net);
    int64_t firstXoff = 0;
    dc.net.GetSwitch(MlccNetwork::FAR)
        ->TraceConnectWithoutContext("PauseSent",
                                     Callback<void, uint16_t, uint8_t, PauseEvent, Time>(
                                         [&](uint16_t port, uint8_t, PauseEvent, Time at) {
                                             EXPECT_EQ(port, dc.farWan);
                                             firstXoff = firstXoff ? firstXoff : at.GetTimeStep();
                                         }));
    uint64_t most = 0;
    dc.far->TraceConnectWithoutContext("Queue",
                                       Callback<void, uint32_t, uint32_t, uint64_t, uint64_t, Time>(
                                           [&](uint32_t, uint32_t, uint64_t, uint64_t total, Time) {
                                               most = std::max(most, total);
                                           }));
    std::vector<FlowSpec> flows = FOUR;
    for (FlowSpec& flow : flows)
    {
        flow.sizeBytes = 30000000;
    }
    dc.Run(flows);
    EXPECT_EQ(Sum(dc.net).lost, 0u);
    EXPECT_GT(pauses.xoffs, 0u);
    pauses.Check(dc.net);
    EXPECT_GT(most, 75000000u) << "what was on its way fills the headroom";
    EXPECT_LT(most, 128000000u);
    // 53 MB come in at some 95 Gbit/s of payload, after 3 ms.
    EXPECT_GT(firstXoff, 3 * MS + 4 * MS);
    EXPECT_LT(firstXoff, 3 * MS + 5 * MS);
}

// ---------------------------------------------------------------- runs

namespace
{

/// What one run was like.
struct Outcome
{
    uint64_t fingerprint{0};
    std::vector<int64_t> times;
    std::map<std::string, uint64_t> counters;
};

} // namespace

// With losses, pauses and queues that come and go: everything arrives, nothing is left over, and
// the same eagerly and lazily.
TEST_F(MlccReceiverSideTest, LazyAsEager)
{
    for (const char* law : {"Mlcc", "test::ScriptedMlcc", "Mlcc[InnerCc=Dcqcn]"})
    {
        Outcome outcomes[2];
        for (const bool eager : {false, true})
        {
            SetLaw(law);
            SetEdge("ReceiverSide::PfqTimeout", "120us");
            SetEdge("NearSource::SwitchIntMinInterval", std::string(law).size() > 5 ? "2us" : "0s");
            ScriptedMlcc::script = [](uint32_t nic, int64_t nowPs) {
                return Script{static_cast<uint16_t>(nowPs / (20 * US)),
                              1e8 * static_cast<double>(1 + (nowPs / (17 * US) * (nic + 1)) % 97),
                              1e9 * static_cast<double>(5 + nowPs / (90 * US) % 20)};
            };
            Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MilliSeconds(1)));
            Config::SetDefault("ns3::roce::Nic::RetryLimit", UintegerValue(0));
            Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
            Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
            MlccNetwork dc(30 * US, 300000);
            dc.Build();
            uint64_t number = 0;
            for (const Ptr<Port>& port : dc.net.GetPorts())
            {
                LoseFrames(port, [rng = std::mt19937_64(number++)](const Frame& f) mutable {
                    return f.kind != FrameKind::PFC && rng() % 1000 == 0;
                });
            }
            std::mt19937_64 rng(1);
            std::vector<FlowSpec> flows;
            for (unsigned i = 0; i < 40; ++i)
            {
                const auto src = static_cast<uint32_t>(rng() % MlccNetwork::N_HOSTS);
                const auto other = static_cast<uint32_t>(rng() % (MlccNetwork::N_HOSTS - 1));
                flows.push_back(Flow(src,
                                     (src + 1 + other) % MlccNetwork::N_HOSTS,
                                     rng() % 200000,
                                     static_cast<int64_t>(rng() % (3 * MS))));
            }
            for (const int64_t at : {300 * US, MS, 2 * MS})
            {
                Simulator::Schedule(TimeStep(at), [&dc] { EXPECT_EQ(dc.net.Audit(false), ""); });
            }
            dc.net.EnableFingerprint();
            Outcome& outcome = outcomes[eager];
            outcome.times = dc.Run(Numbered(flows));
            outcome.fingerprint = dc.net.GetFingerprint();
            dc.near->Count(outcome.counters);
            dc.far->Count(outcome.counters);
            EXPECT_GT(Sum(dc.net).retransmitted, 0u);
            Simulator::Destroy();
        }
        EXPECT_EQ(outcomes[false].times, outcomes[true].times) << law;
        EXPECT_EQ(outcomes[false].counters, outcomes[true].counters) << law;
        EXPECT_EQ(outcomes[false].fingerprint, outcomes[true].fingerprint) << law;
        EXPECT_GT(outcomes[true].counters["mlccPfqs"], outcomes[true].counters["mlccFlowsPeak"]);
    }
}

// The initial rate and the record may change while a simulation is on; the timeout may not.
TEST_F(MlccReceiverSideTest, Retuning)
{
    SetLaw("test::ScriptedMlcc");
    ScriptedMlcc::script = [](uint32_t, int64_t) { return Script{1, 1e9, 25e9}; };
    MlccNetwork dc;
    Build(dc);
    Simulator::Schedule(TimeStep(50 * US),
                        [&dc] { dc.far->SetAttribute("PfqInitialRate", StringValue("1Gbps")); });
    dc.Run(Numbered({Flow(0, 4, 60000)}));
    const std::vector<Sent> data = DataOf(0, 4);
    EXPECT_NEAR(static_cast<double>(data[19].atPs - data[18].atPs), 1100 * 8 * 1e3, 0.05 * 8.8e6);
    const Ptr<MlccReceiverSide> other = CreateObject<MlccReceiverSide>();
    other->SetAttribute("PfqInitialRate", StringValue("1Gbps"));
    other->SetAttribute("PfqTimeout", StringValue("1ms"));
    EXPECT_NE(ErrorOf([&] { dc.far->Retune(*other, NowPs()); }).find("PfqTimeout is"),
              std::string::npos);
}
