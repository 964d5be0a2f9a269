// SPDX-License-Identifier: GPL-2.0-only
// Phantom queues against closed forms (Uno, table 2 and section 5.1), and what each attribute does.
#include "roce-error-of.h"
#include "roce-made-profile.h"
#include "roce-test-time.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/node.h"
#include "ns3/queue-size.h"
#include "ns3/roce-dwrr-scheduler.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-phantom-queue.h"
#include "ns3/roce-switch.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr int64_t FRAME_PS = 327680; //!< 4096 B at 100 Gbit/s

/// A switch with a port of 100 and one of 400 Gbit/s, and phantom queues.
struct PhantomQueueTest : ::testing::Test
{
    void Make(std::initializer_list<std::pair<const char*, const char*>> attributes = {})
    {
        node = CreateObject<Node>();
        sw = CreateObject<Switch>();
        node->AggregateObject(sw);
        for (const char* rate : {"100Gbps", "400Gbps"})
        {
            Ptr<Port> port = CreateObject<Port>();
            port->SetAttribute("DataRate", StringValue(rate));
            node->AddDevice(port);
            sw->AddPort(port);
        }
        phantom = CreateObject<PhantomQueue>();
        const Attributes all(attributes.begin(), attributes.end());
        for (const auto& [name, value] : WithMadeProfile(PhantomQueue::GetTypeId(), all))
        {
            phantom->SetAttribute(name, StringValue(value));
        }
        phantom->Install(*sw);
        phantom->AssignStreams(17);
    }

    static Frame MakeFrame(uint32_t bytes, uint8_t ecn = ECN_NOT_ECT)
    {
        Frame frame{};
        frame.kind = FrameKind::DATA;
        frame.trafficClass = 3;
        frame.frameBytes = bytes;
        frame.ecn = ecn;
        return frame;
    }

    /// @return whether the frame was marked
    bool Enqueue(int64_t nowPs, uint32_t bytes, uint8_t ecn = ECN_NOT_ECT, uint16_t port = 0)
    {
        Frame frame = MakeFrame(bytes, ecn);
        EXPECT_EQ(phantom->OnEnqueue(frame, *sw->GetPort(port), *queue, nowPs),
                  SwitchStage::Verdict::PASS);
        EXPECT_TRUE(frame.ecn == ecn || frame.ecn == ECN_CE);
        return frame.ecn != ecn;
    }

    /// @return whether the frame was marked
    bool Dequeue(int64_t nowPs, uint8_t ecn = ECN_ECT0)
    {
        Frame frame = MakeFrame(4096, ecn);
        EXPECT_EQ(phantom->OnDequeue(frame, *sw->GetPort(0), *queue, nowPs),
                  SwitchStage::Verdict::PASS);
        return frame.ecn != ecn;
    }

    void TearDown() override
    {
        Simulator::Destroy();
    }

    Ptr<Node> node;
    Ptr<Switch> sw;
    Ptr<PhantomQueue> phantom;
    Ptr<DwrrScheduler> queue = CreateObject<DwrrScheduler>();
};

} // namespace

// After the n-th of packets back to back: 4096 + 409.6 (n - 1).
TEST_F(PhantomQueueTest, ClosedFormOfBackToBackPackets)
{
    Make();
    int64_t first25 = 0;
    int64_t first75 = 0;
    for (int64_t n = 1; n <= 46000; ++n)
    {
        const int64_t now = (n - 1) * FRAME_PS;
        Enqueue(now, 4096);
        const double bytes = phantom->GetOccupancyBytes(0, now);
        ASSERT_NEAR(bytes, 4096 + 409.6 * static_cast<double>(n - 1), 1e-3) << n;
        first25 = !first25 && bytes >= 6.25e6 ? n : first25;
        first75 = !first75 && bytes >= 18.75e6 ? n : first75;
    }
    // 5.0 and 15.0 ms, less what the first packet brings at once.
    EXPECT_EQ(first25, 15250);
    EXPECT_EQ(first75, 45768);
    EXPECT_NEAR(static_cast<double>((first25 - 1) * FRAME_PS), 5.0e9, 4e6);
    EXPECT_NEAR(static_cast<double>((first75 - 1) * FRAME_PS), 15.0e9, 4e6);
}

TEST_F(PhantomQueueTest, OneMebibyteFillsInProportion)
{
    Make({{"Capacity", "1MiB"}});
    int64_t n = 0;
    std::vector<double> reached;
    for (const double share : {0.25, 0.75})
    {
        while (phantom->GetOccupancyBytes(0, n * FRAME_PS) < share * 1048576)
        {
            ASSERT_LT(n, 3000);
            Enqueue(++n * FRAME_PS, 4096);
        }
        reached.push_back(static_cast<double>(n * FRAME_PS));
    }
    EXPECT_NEAR(reached[0], 209.7e6, 4e6);
    EXPECT_NEAR(reached[1], 629.1e6, 4e6);
}

TEST_F(PhantomQueueTest, IdleTimeDrains)
{
    Make();
    const std::pair<int64_t, double> arrivals[] = {{0, 4096},
                                                   {100 * NS, 7067},
                                                   {US, 4096},
                                                   {2 * US, 4096}};
    for (const auto& [now, bytes] : arrivals)
    {
        Enqueue(now, 4096);
        EXPECT_NEAR(phantom->GetOccupancyBytes(0, now), bytes, 1e-9) << now;
    }
    EXPECT_EQ(phantom->GetOccupancyBytes(0, 3 * US), 0);
    EXPECT_NEAR(phantom->GetOccupancyBytes(0, 2 * US + 100 * NS), 2971, 1e-9); // looking is free
    EXPECT_NEAR(phantom->GetOccupancyBytes(0, 2 * US), 4096, 1e-9);
}

TEST_F(PhantomQueueTest, AQuarterOfTheCapacityDrainsIn555Us)
{
    Make();
    Enqueue(0, 6250000);
    EXPECT_GT(phantom->GetOccupancyBytes(0, 555555 * NS), 0);
    EXPECT_EQ(phantom->GetOccupancyBytes(0, 555556 * NS), 0);
}

TEST_F(PhantomQueueTest, DrainFollowsTheRateOfThePortAndTheFactor)
{
    Make({{"DrainFactor", "0.5"}});
    Enqueue(0, 1000000, ECN_NOT_ECT, 0);
    Enqueue(0, 1000000, ECN_NOT_ECT, 1);
    EXPECT_NEAR(phantom->GetOccupancyBytes(0, 10 * US), 1e6 - 62500, 1e-6);
    EXPECT_NEAR(phantom->GetOccupancyBytes(1, 10 * US), 1e6 - 250000, 1e-6);
}

TEST_F(PhantomQueueTest, NeverMoreThanTheCapacity)
{
    Make({{"Capacity", "10000B"}});
    for (int i = 0; i < 4; ++i)
    {
        Enqueue(0, 4096);
    }
    EXPECT_EQ(phantom->GetOccupancyBytes(0, 0), 10000);
    EXPECT_NEAR(phantom->GetOccupancyBytes(0, 100 * NS), 8875, 1e-9); // it drains from there
}

TEST_F(PhantomQueueTest, RedVectors)
{
    Make({{"Capacity", "1MiB"}});
    const EcnCurve& curve = phantom->GetCurve();
    const std::pair<uint64_t, double> vectors[] =
        {{256, 0}, {384, 0.25}, {512, 0.5}, {640, 0.75}, {768, 1}, {1024, 1}};
    for (const auto& [kib, p] : vectors)
    {
        EXPECT_DOUBLE_EQ(curve.Probability(kib * 1024), p) << kib;
    }
}

// Of 10,000 frames with p = 0.5, standard deviation 50; frames without bytes keep it there.
TEST_F(PhantomQueueTest, MarksByTheCurve)
{
    Make({{"Capacity", "1MiB"}});
    EXPECT_FALSE(Enqueue(0, 262144, ECN_ECT0));
    EXPECT_FALSE(Enqueue(0, 262144)); // not ECN-capable, but counted
    int marked = 0;
    for (int i = 0; i < 10000; ++i)
    {
        marked += Enqueue(0, 0, ECN_ECT0);
    }
    EXPECT_NEAR(marked, 5000, 200);
    Enqueue(0, 262145);
    for (int i = 0; i < 1000; ++i)
    {
        EXPECT_TRUE(Enqueue(0, 0, i % 2 ? ECN_ECT0 : ECN_ECT1));
        EXPECT_FALSE(Enqueue(0, 0, ECN_NOT_ECT));
    }
    EXPECT_EQ(phantom->GetMarked(), static_cast<uint64_t>(marked) + 1000);
    Enqueue(0, 0, ECN_CE); // marked already: not counted again
    EXPECT_EQ(phantom->GetMarked(), static_cast<uint64_t>(marked) + 1000);
    std::map<std::string, uint64_t> counters{{"phantomMarked", 5}};
    phantom->Count(counters);
    EXPECT_EQ(counters["phantomMarked"], static_cast<uint64_t>(marked) + 1005);
}

// At enqueue a frame sees its own bytes.
TEST_F(PhantomQueueTest, TheFrameItselfCounts)
{
    Make({{"EcnMin", "0.5"}, {"EcnMax", "0.5"}, {"Capacity", "10000B"}});
    EXPECT_FALSE(Enqueue(0, 5000, ECN_ECT0));
    EXPECT_TRUE(Enqueue(0, 1, ECN_ECT0));
}

TEST_F(PhantomQueueTest, DrawsOnlyBetweenZeroAndOne)
{
    const auto draws = [this](bool certain) {
        Make({{"Capacity", "1MiB"}});
        for (int i = 0; certain && i < 100; ++i)
        {
            Enqueue(i * 1000 * US, 1000, ECN_ECT0);   // p = 0
            Enqueue(i * 1000 * US, 900000, ECN_ECT0); // p = 1
        }
        std::vector<bool> marks;
        Enqueue(1000000 * US, 524288);
        for (int i = 0; i < 100; ++i)
        {
            marks.push_back(Enqueue(1000000 * US, 0, ECN_ECT0));
        }
        return marks;
    };
    EXPECT_EQ(draws(false), draws(true));
}

TEST_F(PhantomQueueTest, StreamsAreItsOwn)
{
    const auto draws = [this](int64_t stream) {
        Make({{"Capacity", "1MiB"}});
        EXPECT_EQ(phantom->AssignStreams(stream), 1);
        Enqueue(0, 524288);
        std::vector<bool> marks;
        for (int i = 0; i < 100; ++i)
        {
            marks.push_back(Enqueue(0, 0, ECN_ECT0));
        }
        return marks;
    };
    EXPECT_EQ(draws(17), draws(17));
    EXPECT_NE(draws(17), draws(18));
}

// Together with physical marking: 1 - (1 - 0.3) (1 - 0.5) = 0.65; standard deviation of 20,000: 67.
TEST_F(PhantomQueueTest, PhysicalMarkingIsOred)
{
    Make({{"Capacity", "1MiB"}});
    Ptr<EcnMarker> marker = CreateObject<EcnMarker>();
    marker->Install(*sw);
    marker->AssignStreams(18);
    marker->SetCurve(0, {0, 1000000, 1});
    Frame* filler = FramePool::Alloc();
    *filler = MakeFrame(300000);
    queue->Enqueue(filler, 0);
    Enqueue(0, 524288);
    int marked = 0;
    for (int i = 0; i < 20000; ++i)
    {
        Frame frame = MakeFrame(0, ECN_ECT0);
        phantom->OnEnqueue(frame, *sw->GetPort(0), *queue, 0);
        marker->OnDequeue(frame, *sw->GetPort(0), *queue, 0);
        marked += frame.ecn == ECN_CE;
    }
    EXPECT_NEAR(marked, 13000, 4 * 67);
    queue->Dispose();
}

TEST_F(PhantomQueueTest, HooksAndKinds)
{
    Make();
    EXPECT_EQ(phantom->GetHooks(), SwitchStage::MARK);
    EXPECT_EQ(phantom->GetKinds(), LOAD_KINDS);
    Make({{"MarkAt", "dequeue"}});
    EXPECT_EQ(phantom->GetHooks(), SwitchStage::MARK | SwitchStage::DEQUEUE);
    Make({{"CountDropped", "true"}});
    EXPECT_EQ(phantom->GetHooks(), SwitchStage::MARK | SwitchStage::DROP);
    EXPECT_TRUE(phantom->MarksEcn());
}

TEST_F(PhantomQueueTest, MarkAtDequeueGoesByWhatIsLeftThen)
{
    Make({{"MarkAt", "dequeue"}, {"Capacity", "10000B"}, {"EcnMin", "0.5"}, {"EcnMax", "0.5"}});
    EXPECT_FALSE(Enqueue(0, 6000, ECN_ECT0));
    EXPECT_TRUE(Dequeue(0));
    EXPECT_TRUE(Dequeue(88 * NS)); // 5010 B
    EXPECT_FALSE(Dequeue(88 * NS, ECN_NOT_ECT));
    EXPECT_FALSE(Dequeue(89 * NS)); // 4998.75 B
    EXPECT_EQ(phantom->GetMarked(), 2u);
}

TEST_F(PhantomQueueTest, DroppedFramesCount)
{
    Make({{"CountDropped", "true"}});
    phantom->OnDrop(MakeFrame(4000), *sw->GetPort(0), 0);
    EXPECT_EQ(phantom->GetOccupancyBytes(0, 0), 4000);
    EXPECT_EQ(phantom->GetOccupancyBytes(1, 0), 0);
}

TEST_F(PhantomQueueTest, WhatCountsOfAFrame)
{
    Make();
    Frame frame = MakeFrame(50);
    frame.payloadBytes = 7;
    phantom->OnEnqueue(frame, *sw->GetPort(0), *queue, 0);
    EXPECT_EQ(phantom->GetOccupancyBytes(0, 0), 50) << "from MAC header to FCS";
}

TEST_F(PhantomQueueTest, ProfileArtifact)
{
    Make({{"Profile", "artifact"}});
    EXPECT_EQ(phantom->GetHooks(), SwitchStage::MARK | SwitchStage::DEQUEUE | SwitchStage::DROP);
    EXPECT_EQ(phantom->GetCurve().kminBytes, 448010u);
    EXPECT_EQ(phantom->GetCurve().kmaxBytes, 13440309u);
    EXPECT_EQ(phantom->GetCurve().pmax, 1);
    Enqueue(0, 4000000000);
    EXPECT_EQ(phantom->GetOccupancyBytes(0, 0), 22400515);
    EXPECT_NEAR(phantom->GetOccupancyBytes(0, 1050 * US), 22400515 - 12.5e6, 1e-3); // C/1.05
}

TEST_F(PhantomQueueTest, ProfilePaper)
{
    Make({{"Profile", "paper"}});
    EXPECT_EQ(phantom->GetCurve().kminBytes, 6250000u);
    EXPECT_EQ(phantom->GetCurve().kmaxBytes, 18750000u);
    Enqueue(0, 4000000000);
    EXPECT_EQ(phantom->GetOccupancyBytes(0, 0), 25000000);
    EXPECT_NEAR(phantom->GetOccupancyBytes(0, 1000 * US), 25e6 - 11.25e6, 1e-3);
}

// A profile leaves alone what was set by hand, even to the other profile's value.
TEST_F(PhantomQueueTest, AttributesGoBeforeTheProfile)
{
    Make({{"Profile", "artifact"},
          {"Capacity", "25000000B"},
          {"DrainFactor", "0.9"},
          {"EcnMin", "0"},
          {"EcnMax", "0.75"},
          {"MarkAt", "enqueue"},
          {"CountDropped", "false"}});
    EXPECT_EQ(phantom->GetHooks(), SwitchStage::MARK);
    EXPECT_EQ(phantom->GetCurve().kminBytes, 0u);
    EXPECT_EQ(phantom->GetCurve().kmaxBytes, 18750000u);
    Enqueue(0, 4000000000);
    EXPECT_EQ(phantom->GetOccupancyBytes(0, 0), 25000000);
    EXPECT_NEAR(phantom->GetOccupancyBytes(0, 1000 * US), 25e6 - 11.25e6, 1e-3);
}

TEST_F(PhantomQueueTest, SaysWhatIsWrong)
{
    const std::tuple<const char*, const char*, const char*> cases[] = {
        {"Profile", "code", "'code', expected 'paper', 'artifact'"},
        {"Capacity",
         "0B",
         "0B, expected a size below 4 GiB with unit, for example 32MiB, Capacity > 0, or profile"},
        {"Ports",
         "some",
         "'some', expected 'all', 'host', 'fabric', 'wan', 'noWan', 'noBorder', or profile"},
        {"EcnMin", "0.8", "0.8, expected at most EcnMax, 0.75"},
        {"EcnMin", "-0.5", "-0.5, expected a number, 0 <= EcnMin <= 1, or profile"}};
    for (const auto& [name, value, message] : cases)
    {
        EXPECT_EQ(ErrorOf([&, attribute = std::pair(name, value)] {
                      Make({attribute});
                  }).find(std::string("ns3::roce::PhantomQueue: ") + name + " is " + message),
                  0u)
            << name;
    }
}
