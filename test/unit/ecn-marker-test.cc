// SPDX-License-Identifier: GPL-2.0-only
// ECN marking: the curve, which frames, scaling with the rate, and the rate of marks.
#include "roce-error-of.h"
#include "roce-test-time.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/node.h"
#include "ns3/roce-dwrr-scheduler.h"
#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-switch.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;

namespace
{

/// A switch with ports of the given rates, a marker, and a queue of one port.
struct EcnMarkerTest : ::testing::Test
{
    void MakeSwitch(const std::vector<std::string>& rates)
    {
        node = CreateObject<Node>();
        sw = CreateObject<Switch>();
        node->AggregateObject(sw);
        for (const std::string& rate : rates)
        {
            Ptr<Port> port = CreateObject<Port>();
            port->SetAttribute("DataRate", StringValue(rate));
            node->AddDevice(port);
            sw->AddPort(port);
        }
        marker->Install(*sw);
        marker->AssignStreams(17);
    }

    void FillTo(uint64_t bytes, uint8_t trafficClass = 3)
    {
        while (queue->GetBytes(trafficClass) < bytes)
        {
            const uint64_t rest = bytes - queue->GetBytes(trafficClass);
            Frame* frame = FramePool::Alloc();
            frame->trafficClass = trafficClass;
            frame->frameBytes = static_cast<uint32_t>(std::min<uint64_t>(rest, 4158));
            queue->Enqueue(frame, 0);
        }
    }

    bool Marks(uint8_t ecn = ECN_ECT0, uint16_t port = 0, uint8_t trafficClass = 3)
    {
        Frame frame{};
        frame.ecn = ecn;
        frame.trafficClass = trafficClass;
        EXPECT_EQ(marker->OnDequeue(frame, *sw->GetPort(port), *queue, 0),
                  SwitchStage::Verdict::PASS);
        EXPECT_TRUE(frame.ecn == ecn || frame.ecn == ECN_CE);
        return frame.ecn != ecn;
    }

    void TearDown() override
    {
        queue->Dispose();
        Simulator::Destroy();
    }

    Ptr<Node> node;
    Ptr<Switch> sw;
    Ptr<EcnMarker> marker = CreateObject<EcnMarker>();
    Ptr<DwrrScheduler> queue = CreateObject<DwrrScheduler>();
};

} // namespace

TEST(EcnCurve, Vectors)
{
    const EcnCurve curve{100000, 400000, 0.2};
    EXPECT_EQ(curve.Probability(0), 0);
    EXPECT_EQ(curve.Probability(100000), 0);
    EXPECT_DOUBLE_EQ(curve.Probability(250000), 0.1);
    EXPECT_DOUBLE_EQ(curve.Probability(400000), 0.2);
    EXPECT_EQ(curve.Probability(400001), 1); // the jump
    EXPECT_EQ(curve.Probability(UINT64_MAX), 1);
}

TEST(EcnCurve, StepWhenKminEqualsKmax)
{
    const EcnCurve curve{30000, 30000, 1};
    EXPECT_EQ(curve.Probability(30000), 0);
    EXPECT_EQ(curve.Probability(30001), 1);
}

TEST_F(EcnMarkerTest, APortWithoutCurveMarksNothing)
{
    marker->SetAttribute("Kmax", UintegerValue(100000)); // all above
    MakeSwitch({"25Gbps", "25Gbps"});
    marker->SetCurve(1, NO_ECN_CURVE);
    FillTo(10'000'000);
    EXPECT_TRUE(Marks());
    EXPECT_FALSE(Marks(ECN_ECT0, 1));
    EXPECT_FALSE(marker->GetCurve(1).CanMark());
    EXPECT_EQ(marker->GetMarkAllBytes(0), 100000u);
    EXPECT_EQ(marker->GetMarkAllBytes(1), 0u); // as of a stage that marks nothing
}

TEST_F(EcnMarkerTest, ThresholdsScaleWithTheRateOfThePort)
{
    MakeSwitch({"25Gbps", "100Gbps", "400Gbps", "10Gbps", "1600Gbps"});
    const uint64_t kmin[] = {100000, 400000, 1600000, 40000, 6400000};
    for (uint16_t p = 0; p < 5; ++p)
    {
        EXPECT_EQ(marker->GetCurve(p).kminBytes, kmin[p]);
        EXPECT_EQ(marker->GetCurve(p).kmaxBytes, 4 * kmin[p]);
        EXPECT_EQ(marker->GetCurve(p).pmax, 0.2);
    }
}

TEST_F(EcnMarkerTest, ReferenceRateZeroDoesNotScale)
{
    marker->SetAttribute("ReferenceRate", DataRateValue(DataRate(0)));
    MakeSwitch({"100Gbps", "400Gbps"});
    EXPECT_EQ(marker->GetCurve(0).kminBytes, 100000u);
    EXPECT_EQ(marker->GetCurve(1).kmaxBytes, 400000u);
}

TEST_F(EcnMarkerTest, RateMapReplacesTheScaling)
{
    marker->SetAttribute("RateMap", StringValue("100Gbps/400/1600/0.2,400000000000bps/5/6000/1"));
    MakeSwitch({"400Gbps", "100Gbps"});
    EXPECT_EQ(marker->GetCurve(0).kminBytes, 5u);
    EXPECT_EQ(marker->GetCurve(0).kmaxBytes, 6000u);
    EXPECT_EQ(marker->GetCurve(0).pmax, 1);
    EXPECT_EQ(marker->GetCurve(1).kminBytes, 400u);
    EXPECT_EQ(marker->GetCurve(1).pmax, 0.2);
}

TEST_F(EcnMarkerTest, RateMapSaysWhatIsWrong)
{
    const auto errorOf = [](const std::string& text) {
        return test::ErrorOf([&] { EcnMarker::ParseRateMap(text); });
    };
    const std::string head = "ns3::roce::EcnMarker: RateMap has ";
    const std::string form =
        "', expected RATE/KMIN/KMAX/PMAX, for example 100Gbps/400000/1600000/0.2";
    EXPECT_EQ(errorOf("100Gbps/4/8"), head + "'100Gbps/4/8" + form);
    EXPECT_EQ(errorOf("100Gbps/4/8/0.1,x"), head + "'x" + form);
    EXPECT_EQ(errorOf("100Gbps/8/4/0.1"),
              head + "'100Gbps/8/4/0.1', expected Kmin <= Kmax and 0 <= Pmax <= 1");
    EXPECT_EQ(errorOf("100Gbps/4/8/1.1"),
              head + "'100Gbps/4/8/1.1', expected Kmin <= Kmax and 0 <= Pmax <= 1");
    EXPECT_EQ(errorOf("fast/4/8/1"),
              head + "'fast/4/8/1', expected a rate above 0 with its unit, as 100Gbps");
    EXPECT_EQ(errorOf("1Gbps/4/8/1,1000Mbps/4/8/1"),
              head + "'1000Mbps/4/8/1', expected each rate once");
    marker->SetAttribute("RateMap", StringValue("100Gbps/4/8/0.1"));
    EXPECT_THROW(MakeSwitch({"100Gbps", "25Gbps"}), InputError);
}

TEST_F(EcnMarkerTest, AtEnqueueTheFrameItselfCounts)
{
    EXPECT_EQ(marker->GetHooks(), SwitchStage::DEQUEUE);
    marker->SetAttribute("MarkAtEnqueue", BooleanValue(true));
    marker->SetAttribute("RateMap", StringValue("25Gbps/5000/5000/1"));
    MakeSwitch({"25Gbps"});
    EXPECT_EQ(marker->GetHooks(), SwitchStage::MARK);
    FillTo(4000);
    Frame frame{};
    frame.ecn = ECN_ECT0;
    frame.trafficClass = 3;
    frame.frameBytes = 1000;
    marker->OnEnqueue(frame, *sw->GetPort(0), *queue, 0);
    EXPECT_EQ(frame.ecn, ECN_ECT0); // 5000 B is not above Kmin
    frame.frameBytes = 1001;
    marker->OnEnqueue(frame, *sw->GetPort(0), *queue, 0);
    EXPECT_EQ(frame.ecn, ECN_CE);
    frame.ecn = ECN_NOT_ECT;
    marker->OnEnqueue(frame, *sw->GetPort(0), *queue, 0);
    EXPECT_EQ(frame.ecn, ECN_NOT_ECT);
}

TEST_F(EcnMarkerTest, OnlyEcnCapableFramesAreMarked)
{
    MakeSwitch({"25Gbps"});
    FillTo(400001);
    EXPECT_FALSE(Marks(ECN_NOT_ECT));
    EXPECT_EQ(marker->GetMarked(), 0u);
    EXPECT_TRUE(Marks(ECN_ECT0));
    EXPECT_TRUE(Marks(ECN_ECT1));
    EXPECT_EQ(marker->GetMarked(), 2u);
}

TEST_F(EcnMarkerTest, WhatIsMarkedAlreadyIsNotCountedAgain)
{
    MakeSwitch({"25Gbps"});
    FillTo(400001);
    EXPECT_TRUE(Marks(ECN_ECT0));
    Marks(ECN_CE);
    EXPECT_EQ(marker->GetMarked(), 1u);
}

TEST_F(EcnMarkerTest, TheQueueOfTheFramesOwnClassCounts)
{
    MakeSwitch({"25Gbps"});
    FillTo(400001, 3);
    EXPECT_TRUE(Marks(ECN_ECT0, 0, 3));
    EXPECT_FALSE(Marks(ECN_ECT0, 0, 1));
}

TEST_F(EcnMarkerTest, DeterministicAtTheEnds)
{
    MakeSwitch({"25Gbps"});
    FillTo(100000);
    for (int i = 0; i < 1000; ++i)
    {
        EXPECT_FALSE(Marks());
    }
    FillTo(400001);
    for (int i = 0; i < 1000; ++i)
    {
        EXPECT_TRUE(Marks());
    }
}

// 100,000 frames in the middle of the curve: p = 0.1, standard deviation 95.
TEST_F(EcnMarkerTest, MarkingRateInTheMiddle)
{
    MakeSwitch({"25Gbps"});
    FillTo(250000);
    int marked = 0;
    for (int i = 0; i < 100000; ++i)
    {
        marked += Marks();
    }
    EXPECT_NEAR(marked, 10000, 4 * 95);
    FillTo(400000);
    marked = 0;
    for (int i = 0; i < 100000; ++i)
    {
        marked += Marks();
    }
    EXPECT_NEAR(marked, 20000, 4 * 127);
}

TEST_F(EcnMarkerTest, StreamsAreReproducible)
{
    MakeSwitch({"25Gbps"});
    FillTo(350000);
    std::vector<bool> a;
    std::vector<bool> b;
    for (int i = 0; i < 200; ++i)
    {
        a.push_back(Marks());
    }
    marker->AssignStreams(17);
    for (int i = 0; i < 200; ++i)
    {
        b.push_back(Marks());
    }
    EXPECT_EQ(a, b);
    marker->AssignStreams(18);
    b.clear();
    for (int i = 0; i < 200; ++i)
    {
        b.push_back(Marks());
    }
    EXPECT_NE(a, b);
}

TEST_F(EcnMarkerTest, PerPortCurve)
{
    MakeSwitch({"25Gbps", "25Gbps"});
    marker->SetCurve(1, {10, 20, 1});
    FillTo(21);
    EXPECT_FALSE(Marks(ECN_ECT0, 0));
    EXPECT_TRUE(Marks(ECN_ECT0, 1));
    EXPECT_THROW(marker->SetCurve(1, {20, 10, 1}), InputError);
    EXPECT_THROW(marker->SetCurve(1, {10, 20, 1.5}), InputError);
}

TEST_F(EcnMarkerTest, KminAboveKmaxIsRefused)
{
    marker->SetAttribute("Kmin", UintegerValue(500000));
    EXPECT_THROW(MakeSwitch({"25Gbps"}), InputError);
}
