// SPDX-License-Identifier: GPL-2.0-only
// Port and Link: exact serialisation, framing, pause state and its accounting, NetDevice interface.
#include "roce-lose-frames.h"
#include "roce-test-time.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/node.h"
#include "ns3/roce-ideal-fct.h"
#include "ns3/roce-link.h"
#include "ns3/roce-port.h"
#include "ns3/roce-station.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using ns3::roce::test::LoseFrames;

namespace
{

/// Takes what arrives and notes when; sends only what the test asks for.
struct Recorder : Station
{
    void Start(Port& port)
    {
        expected = &port;
        SetUp(port.GetNode()->GetId(), {&port}, eager);
    }

    void OnPauseChange(Port&, int64_t) override
    {
        ++pauseChanges;
    }

    bool eager{true};
    Port* expected{nullptr};
    std::vector<std::pair<int64_t, uint64_t>> arrivals;
    int pauseChanges{0};

  private:
    void Fetch(FetchStep, Plan&, int64_t) const override
    {
    }

    void Depart(uint16_t port, int64_t) override
    {
        SetDeparture(port, NEVER_PS);
    }

    void Receive(Port& port, Frame* frame, int64_t atPs) override
    {
        arrivals.emplace_back(atPs, frame->psn);
        EXPECT_EQ(&port, expected);
        FramePool::Free(frame);
    }

    void Timer(int64_t) override
    {
        SetTimer(NEVER_PS);
    }
};

struct PortTest : ::testing::Test
{
    void Join(const std::string& rate, Time delay)
    {
        for (int i : {0, 1})
        {
            node[i] = CreateObject<Node>();
            port[i] = CreateObject<Port>();
            port[i]->SetAttribute("DataRate", StringValue(rate));
            node[i]->AddDevice(port[i]);
            port[i]->SetOwner(&owner[i], 0);
        }
        link = CreateObject<Link>();
        link->SetAttribute("Delay", TimeValue(delay));
        link->Attach(port[0], port[1]);
        for (int i : {0, 1})
        {
            owner[i].Start(*port[i]);
        }
    }

    /// Set an attribute that is fixed as soon as the port's station is set up.
    void Set(const std::string& name, const AttributeValue& value)
    {
        port[0]->SetOwner(nullptr, 0);
        port[0]->SetAttribute(name, value);
        port[0]->SetOwner(&owner[0], 0);
    }

    Frame* Make(uint32_t bytes, uint64_t psn = 0)
    {
        Frame* frame = FramePool::Alloc();
        frame->frameBytes = bytes;
        frame->psn = psn;
        return frame;
    }

    /// Delivers a pause frame to port 0 at the given time.
    void Pause(int64_t atPs, uint8_t trafficClass, uint16_t quanta)
    {
        Simulator::Schedule(TimeStep(atPs), [=]() {
            Frame* frame = port[1]->MakePfc(trafficClass, quanta);
            EXPECT_FALSE(port[0]->Accept(frame, Simulator::Now().GetTimeStep()));
        });
    }

    void TearDown() override
    {
        Simulator::Destroy();
        EXPECT_EQ(FramePool::Outstanding(), 0u);
    }

    Ptr<Node> node[2];
    Ptr<Port> port[2];
    Ptr<Link> link;
    Recorder owner[2];
};

constexpr int64_t QUANTUM_100G = 5120; // 512 bit times

} // namespace

TEST_F(PortTest, SerialisationIsExact)
{
    struct
    {
        const char* rate;
        uint32_t wire;
        int64_t ps;
    } const vectors[] = {
        {"100Gbps", 4178, 334240},
        {"100Gbps", 86, 6880},
        {"400Gbps", 4178, 83560},
        {"1600Gbps", 4178, 20890},
        {"1600Gbps", 1082, 5410},
        {"10Gbps", 84, 67200},
        {"30Gbps", 1082, 288533}, // 288,533.33
        {"30Gbps", 1081, 288267}, // 288,266.67: to nearest
        {"48Gbps", 3, 500},       // not a whole number per byte, whole for the frame
        {"3200Gbps", 1, 3},       // 2.5: half up
        {"1Mbps", 4178, 33424000000},
    };

    Join("100Gbps", MicroSeconds(1));
    for (const auto& v : vectors)
    {
        Set("DataRate", StringValue(v.rate));
        EXPECT_EQ(port[0]->SerialisationPs(v.wire), v.ps) << v.rate << " " << v.wire;
        EXPECT_EQ(IdealFct::SerialisationPs(v.wire, port[0]->GetRateBps()), v.ps);
    }
}

TEST_F(PortTest, ShortFramesArePadded)
{
    Join("100Gbps", MicroSeconds(1));
    EXPECT_EQ(port[0]->WireBytes(1), 84u);
    EXPECT_EQ(port[0]->WireBytes(64), 84u);
    EXPECT_EQ(port[0]->WireBytes(65), 85u);
    EXPECT_EQ(port[0]->WireBytes(4158), 4178u);
    Set("FramingBytes", UintegerValue(0));
    EXPECT_EQ(port[0]->WireBytes(65), 65u);
    Set("MinFrameBytes", UintegerValue(0));
    EXPECT_EQ(port[0]->WireBytes(48), 48u);
}

TEST_F(PortTest, FramesArriveInOrderAtTheExactTime)
{
    Join("100Gbps", NanoSeconds(700));
    const int64_t end = port[0]->Transmit(Make(1062, 1), 0);
    EXPECT_EQ(end, 86560);
    EXPECT_EQ(port[0]->Transmit(Make(66, 2), end), end + 6880);
    port[0]->Transmit(Make(20, 3), end + 6880);
    port[1]->Transmit(Make(66, 9), 0); // the other direction does not disturb
    EXPECT_TRUE(port[0]->IsLinkInFlight());
    EXPECT_EQ(link->CountInFlight(), 4u);
    EXPECT_EQ(port[0]->GetTxWireBytes(), 1082u + 86 + 84);
    EXPECT_EQ(port[0]->GetPacketHops(), 3u);
    Simulator::Run();
    const std::vector<std::pair<int64_t, uint64_t>> expected{{786560, 1},
                                                             {793440, 2},
                                                             {793440 + 6720, 3}};
    EXPECT_EQ(owner[1].arrivals, expected);
    EXPECT_EQ(owner[0].arrivals.at(0).first, 706880);
    EXPECT_FALSE(port[0]->IsLinkInFlight());
    EXPECT_EQ(link->CountInFlight(), 0u);
}

// What is sent into a sink is gone, at the same times; the other direction does not notice.
TEST_F(PortTest, ASinkTakesTheFramesOfADirection)
{
    struct Sink : FrameSink
    {
        void Take(Frame* frame) override
        {
            taken.emplace_back(frame->timePs, frame->psn);
            FramePool::Free(frame);
        }

        std::vector<std::pair<int64_t, uint64_t>> taken;
    };

    Join("100Gbps", NanoSeconds(700));
    Sink sink;
    link->SetSink(0, &sink);
    const int64_t end = port[0]->Transmit(Make(1062, 1), 0);
    port[0]->Transmit(Make(66, 2), end);
    port[1]->Transmit(Make(66, 9), 0);
    const std::vector<std::pair<int64_t, uint64_t>> expected{{786560, 1}, {793440, 2}};
    EXPECT_EQ(sink.taken, expected);
    EXPECT_EQ(link->CountInFlight(0), 0u);
    Simulator::Run();
    EXPECT_TRUE(owner[1].arrivals.empty());
    EXPECT_EQ(owner[0].arrivals.size(), 1u);
    EXPECT_EQ(link->GetDirection(0).sentFrames, 2u);
    EXPECT_EQ(link->GetDirection(0).arrivedFrames, 2u);
}

// A station that is not eager acts late by at most its shortest link, on the exact times.
TEST_F(PortTest, SlackDoesNotChangeTimes)
{
    owner[0].eager = owner[1].eager = false;
    Join("100Gbps", NanoSeconds(700));
    EXPECT_EQ(owner[1].GetSlackPs(), 700000);
    int64_t at = 0;
    for (uint64_t i = 0; i < 20; ++i)
    {
        at = port[0]->Transmit(Make(1062, i), at);
    }
    Simulator::Run();
    ASSERT_EQ(owner[1].arrivals.size(), 20u);
    for (uint64_t i = 0; i < 20; ++i)
    {
        EXPECT_EQ(owner[1].arrivals[i].first, static_cast<int64_t>(i + 1) * 86560 + 700000);
        EXPECT_EQ(owner[1].arrivals[i].second, i);
    }
    EXPECT_LE(Simulator::GetEventCount(), 8u); // that is what it is for
}

TEST(Agenda, EarliestOfAnyNumberOfItems)
{
    std::mt19937 rng(1);
    for (uint32_t items : {1u, 2u, 3u, 7u, 8u, 9u, 65u, 1000u})
    {
        Agenda agenda;
        agenda.Reset(items);
        std::vector<int64_t> times(items, NEVER_PS);
        EXPECT_EQ(agenda.GetFirstPs(), NEVER_PS);
        for (int i = 0; i < 3000; ++i)
        {
            const uint32_t item = rng() % items;
            times[item] = rng() % 4 ? static_cast<int64_t>(rng() % 50) : NEVER_PS;
            agenda.Set(item, times[item]);
            const auto first = std::min_element(times.begin(), times.end());
            ASSERT_EQ(agenda.GetFirstPs(), *first);
            if (*first != NEVER_PS)
            {
                ASSERT_EQ(agenda.GetFirst(), first - times.begin()); // ties: the lower item
            }
            ASSERT_EQ(agenda.Get(item), times[item]);
            const auto nowPs = static_cast<int64_t>(rng() % 60);
            for (uint32_t begin = 0; begin < items; begin += 64)
            {
                const uint32_t n = std::min(items - begin, 64U);
                uint64_t due = 0;
                for (uint32_t k = 0; k < n; ++k)
                {
                    due |= static_cast<uint64_t>(times[begin + k] <= nowPs) << k;
                }
                ASSERT_EQ(agenda.GetDue(begin, n, nowPs), due) << items << " items";
                ASSERT_EQ(agenda.GetDue(begin, 1, nowPs), due & 1) << "no more than asked for";
            }
        }
    }
}

TEST_F(PortTest, ZeroDelay)
{
    Join("1600Gbps", Time(0));
    port[0]->Transmit(Make(4158, 1), 0);
    Simulator::Run();
    EXPECT_EQ(owner[1].arrivals.at(0).first, 20890);
}

TEST_F(PortTest, NetDeviceAndChannelInterface)
{
    Join("100Gbps", MicroSeconds(3));
    EXPECT_TRUE(port[0]->IsPointToPoint());
    EXPECT_FALSE(port[0]->IsBridge());
    EXPECT_FALSE(port[0]->NeedsArp());
    EXPECT_TRUE(port[0]->IsLinkUp());
    EXPECT_FALSE(CreateObject<Port>()->IsLinkUp());
    EXPECT_EQ(port[0]->GetPeer(), PeekPointer(port[1]));
    EXPECT_EQ(port[0]->GetChannel(), link);
    EXPECT_EQ(link->GetNDevices(), 2u);
    EXPECT_EQ(link->GetDevice(1), port[1]);
    EXPECT_EQ(port[0]->GetNode(), node[0]);
    EXPECT_EQ(port[0]->GetIndex(), 0);
    EXPECT_EQ(port[0]->GetOwner(), &owner[0]);
    EXPECT_EQ(port[0]->GetAddress().GetLength(), 6);
    TimeValue delay;
    port[0]->GetChannel()->GetAttribute("Delay", delay);
    EXPECT_EQ(delay.Get(), MicroSeconds(3));
    EXPECT_EQ(link->GetDelayPs(), 3000000);
    DataRateValue rate;
    port[0]->GetAttribute("DataRate", rate);
    EXPECT_EQ(rate.Get().GetBitRate(), 100000000000u);
    EXPECT_FALSE(port[0]->Send(Create<Packet>(100), port[1]->GetAddress(), 0x800));
}

TEST_F(PortTest, QuantaAre512BitTimes)
{
    Join("100Gbps", MicroSeconds(1));
    EXPECT_EQ(port[0]->QuantaPs(1), 5120);
    EXPECT_EQ(port[0]->QuantaPs(65535), 335539200);
    Set("DataRate", StringValue("25Gbps"));
    EXPECT_EQ(port[0]->QuantaPs(65535), 1342156800);
    Set("DataRate", StringValue("400Gbps"));
    EXPECT_EQ(port[0]->QuantaPs(65535), 83884800);
    Set("DataRate", StringValue("1600Gbps"));
    EXPECT_EQ(port[0]->QuantaPs(100), 32000);
}

TEST(PfcQuanta, EachClassHasItsOwn)
{
    Frame frame{};
    for (unsigned c = 0; c < N_CLASSES; ++c)
    {
        frame.SetQuanta(c, static_cast<uint16_t>(65535 - c));
    }
    frame.SetQuanta(5, 1);
    for (unsigned c = 0; c < N_CLASSES; ++c)
    {
        EXPECT_EQ(frame.GetQuanta(c), c == 5 ? 1 : 65535 - c) << "class " << c;
    }
}

TEST_F(PortTest, PfcFrame)
{
    Join("100Gbps", MicroSeconds(1));
    Frame* frame = port[0]->MakePfc(3, 77);
    EXPECT_EQ(frame->kind, FrameKind::PFC);
    EXPECT_EQ(frame->frameBytes, 64u);
    EXPECT_EQ(frame->classEnable, 1 << 3);
    EXPECT_EQ(frame->GetQuanta(3), 77);
    port[0]->Transmit(frame, 0);
    EXPECT_EQ(port[0]->GetPacketHops(), 0u); // not a packet
    EXPECT_EQ(port[0]->GetTxWireBytes(), 84u);
    Simulator::Run();
    EXPECT_TRUE(owner[1].arrivals.empty()); // ends at the port
    EXPECT_EQ(owner[1].pauseChanges, 1);
    EXPECT_EQ(port[1]->GetXoffReceived(), 1u);
    EXPECT_EQ(port[1]->PausedMask(1006720), 1u << 3);
    EXPECT_EQ(port[1]->PausedMask(1006720 + 77 * QUANTUM_100G - 1), 1u << 3);
    EXPECT_EQ(port[1]->PausedMask(1006720 + 77 * QUANTUM_100G), 0u);
}

TEST_F(PortTest, PauseTimeIsAccounted)
{
    Join("100Gbps", MicroSeconds(1));
    Pause(1000000, 3, 1000);           // refreshed before it runs out
    Pause(1000000 + 2000000, 3, 1000); // until 8,120,000
    Pause(20000000, 3, 65535);         // taken back
    Pause(21000000, 3, 0);
    Pause(30000000, 0, 10); // another class
    Simulator::Run();
    const int64_t first = 2000000 + 1000 * QUANTUM_100G;
    EXPECT_EQ(port[0]->GetPausedTimePs(3, 40000000), first + 1000000);
    EXPECT_EQ(port[0]->GetPausedTimePs(0, 40000000), 10 * QUANTUM_100G);
    EXPECT_EQ(port[0]->GetPausedTimePs(0, 30000100), 100);
    EXPECT_EQ(port[0]->GetPausedTimePs(1, 40000000), 0);
    EXPECT_EQ(port[0]->GetXoffReceived(), 4u);
    EXPECT_EQ(owner[0].pauseChanges, 5);
}

TEST_F(PortTest, ExpiryOfSeveralClasses)
{
    Join("100Gbps", MicroSeconds(1));
    Pause(0, 3, 100);
    Pause(0, 5, 50);
    Simulator::Run();
    EXPECT_EQ(port[0]->NextPauseExpiryPs(), 50 * QUANTUM_100G);
    EXPECT_EQ(port[0]->PausedMask(50 * QUANTUM_100G - 1), 0x28u);
    EXPECT_EQ(port[0]->PausedMask(50 * QUANTUM_100G), 0x08u);
    EXPECT_EQ(port[0]->NextPauseExpiryPs(), 100 * QUANTUM_100G);
    EXPECT_EQ(port[0]->PausedMask(100 * QUANTUM_100G), 0u);
    EXPECT_EQ(port[0]->NextPauseExpiryPs(), NEVER_PS);
}

TEST_F(PortTest, InfinitePauseWaitsForXon)
{
    Join("100Gbps", MicroSeconds(1));
    port[0]->SetAttribute("InfinitePause", BooleanValue(true));
    Pause(0, 3, 1);
    Pause(900000000000, 3, 0);
    Simulator::Stop(Seconds(0.8));
    Simulator::Run();
    EXPECT_EQ(port[0]->PausedMask(800000000000), 1u << 3);
    EXPECT_EQ(port[0]->GetPausedTimePs(3, 800000000000), 800000000000);
    Simulator::Run();
    EXPECT_EQ(port[0]->PausedMask(900000000000), 0u);
    EXPECT_EQ(port[0]->GetPausedTimePs(3, 1000000000000), 900000000000);
}

TEST_F(PortTest, LossesAndTraces)
{
    Join("100Gbps", MicroSeconds(1));
    LoseFrames(port[1], [](const Frame& f) { return f.psn == 2; });
    std::vector<uint64_t> begun;
    std::vector<uint64_t> ended;
    port[0]->TraceConnectWithoutContext(
        "TxBegin",
        Callback<void, const Frame&, Time>([&](const Frame& f, Time) { begun.push_back(f.psn); }));
    port[1]->TraceConnectWithoutContext(
        "RxEnd",
        Callback<void, const Frame&, Time>([&](const Frame& f, Time) { ended.push_back(f.psn); }));
    int64_t at = 0;
    for (uint64_t psn : {1, 2, 3})
    {
        at = port[0]->Transmit(Make(100, psn), at);
    }
    Simulator::Run();
    EXPECT_EQ(begun, std::vector<uint64_t>({1, 2, 3}));
    EXPECT_EQ(ended, std::vector<uint64_t>({1, 3}));
    EXPECT_EQ(owner[1].arrivals.size(), 2u);
}

TEST_F(PortTest, FingerprintDependsOnTimeAndContent)
{
    std::vector<uint64_t> prints;
    for (int variant = 0; variant < 4; ++variant)
    {
        Join("100Gbps", MicroSeconds(1));
        port[0]->EnableFingerprint();
        Frame* frame = Make(100, variant == 1 ? 8 : 7);
        frame->ecn = variant == 2 ? ECN_CE : ECN_ECT0;
        port[0]->Transmit(frame, variant == 3 ? 1 : 0);
        prints.push_back(port[0]->GetFingerprint());
        for (int i = 0; i < variant; ++i)
        {
            EXPECT_NE(prints[i], prints[variant]);
        }
        Simulator::Run();
        Simulator::Destroy();
    }
}

// Frames on the wire when the simulation is torn down are given back.
TEST_F(PortTest, DestroyFreesFramesInFlight)
{
    Join("100Gbps", MicroSeconds(1));
    port[0]->Transmit(Make(100, 1), 0);
    port[0]->Transmit(Make(100, 2), 9600);
    EXPECT_EQ(FramePool::Outstanding(), 2u);
    Simulator::Destroy();
    EXPECT_EQ(FramePool::Outstanding(), 0u);
}
