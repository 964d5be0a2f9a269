// SPDX-License-Identifier: GPL-2.0-only
// Egress scheduling: byte fairness, strict priority, paused classes, byte counts.
#include "roce-error-of.h"

#include "ns3/roce-dwrr-scheduler.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <array>
#include <gtest/gtest.h>
#include <string>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

Frame*
Make(uint8_t trafficClass, uint32_t bytes, uint64_t psn = 0)
{
    Frame* frame = FramePool::Alloc();
    frame->trafficClass = trafficClass;
    frame->frameBytes = bytes;
    frame->psn = psn;
    return frame;
}

/// Keeps two frames of each class queued and serves n frames; @return bytes served by class.
std::array<uint64_t, N_CLASSES>
Serve(DwrrScheduler& dwrr, const std::array<uint32_t, N_CLASSES>& sizes, int n, uint32_t paused = 0)
{
    std::array<uint64_t, N_CLASSES> served{};
    for (uint8_t c = 0; c < N_CLASSES; ++c)
    {
        for (int i = 0; sizes[c] && i < 2; ++i)
        {
            dwrr.Enqueue(Make(c, sizes[c]), 0);
        }
    }
    for (int i = 0; i < n; ++i)
    {
        Frame* frame = dwrr.Dequeue(paused, 0);
        if (!frame)
        {
            break;
        }
        served[frame->trafficClass] += frame->frameBytes;
        dwrr.Enqueue(Make(frame->trafficClass, frame->frameBytes), 0);
        FramePool::Free(frame);
    }
    return served;
}

} // namespace

TEST(Dwrr, SharesByBytesWhateverTheFrameSizes)
{
    Ptr<DwrrScheduler> dwrr = CreateObject<DwrrScheduler>();
    const auto served = Serve(*dwrr, {100, 4158, 0, 1062}, 60000);
    for (unsigned c : {0, 1, 3})
    {
        EXPECT_NEAR(static_cast<double>(served[c]), static_cast<double>(served[1]), 2 * 4200) << c;
    }
    dwrr->Dispose();
    EXPECT_EQ(FramePool::Outstanding(), 0u);
}

TEST(Dwrr, Weights)
{
    Ptr<DwrrScheduler> dwrr = CreateObject<DwrrScheduler>();
    dwrr->SetWeight(1, 3);
    dwrr->SetWeight(2, 5);
    const auto served = Serve(*dwrr, {4158, 1500, 300}, 100000);
    const double unit = static_cast<double>(served[0]);
    EXPECT_NEAR(served[1] / unit, 3, 0.01);
    EXPECT_NEAR(served[2] / unit, 5, 0.01);
    dwrr->Dispose();
}

// As the command line has them.
TEST(Dwrr, WeightsAreAnAttribute)
{
    Ptr<DwrrScheduler> dwrr = CreateObject<DwrrScheduler>();
    dwrr->SetAttribute("Weights", StringValue("1:3,2:5"));
    const auto served = Serve(*dwrr, {4158, 1500, 300}, 100000);
    const double unit = static_cast<double>(served[0]);
    EXPECT_NEAR(served[1] / unit, 3, 0.01);
    EXPECT_NEAR(served[2] / unit, 5, 0.01);
    dwrr->Dispose();
    const auto textOf = [](const DwrrScheduler& scheduler) {
        StringValue text;
        scheduler.GetAttribute("Weights", text);
        return text.Get();
    };
    dwrr = CreateObject<DwrrScheduler>();
    EXPECT_EQ(textOf(*dwrr), "");
    dwrr->SetWeights("7:2,0:1000000,3:1");
    EXPECT_EQ(textOf(*dwrr), "0:1000000,7:2");
    dwrr->SetWeights("4:6"); // others are 1 again
    EXPECT_EQ(textOf(*dwrr), "4:6");
    Ptr<DwrrScheduler> copy = CreateObject<DwrrScheduler>();
    copy->CopySettings(*dwrr);
    EXPECT_EQ(textOf(*copy), "4:6");
}

TEST(Dwrr, BadWeightsAreRefused)
{
    Ptr<DwrrScheduler> dwrr = CreateObject<DwrrScheduler>();
    for (const char* text : {"3",
                             "3:",
                             ":2",
                             "8:1",
                             "3:0",
                             "3:1000001",
                             "3:2,",
                             ",3:2",
                             "3:2,3:4",
                             "3:-1",
                             "3:1.5",
                             "3:2;4:1",
                             "3: 2",
                             "99999999999:1",
                             "3:99999999999"})
    {
        EXPECT_EQ(ErrorOf([&] { dwrr->SetWeights(text); }),
                  "ns3::roce::DwrrScheduler::Weights is '" + std::string(text) +
                      "', expected CLASS:WEIGHT,... with classes 0 to 7, each once, and weights 1 "
                      "to 1000000");
    }
    EXPECT_EQ(ErrorOf([&] { dwrr->SetWeight(8, 1); }),
              "ns3::roce::DwrrScheduler: weight of class 8 is 1, expected classes 0 to 7 and "
              "weights 1 to 1000000");
    EXPECT_NE(ErrorOf([&] { dwrr->SetWeight(0, 0); }), "no error");
}

// Each turn is one frame, or as many as the weight says, whatever their sizes.
TEST(Dwrr, AQuantumOfZeroSharesByFrames)
{
    Ptr<DwrrScheduler> dwrr = CreateObject<DwrrScheduler>();
    dwrr->SetAttribute("Quantum", UintegerValue(0));
    const auto served = Serve(*dwrr, {0, 1048, 60, 0, 500}, 30000);
    EXPECT_EQ(served[1] / 1048, 10000u);
    EXPECT_EQ(served[2] / 60, 10000u);
    EXPECT_EQ(served[4] / 500, 10000u);
    dwrr->Dispose();
    dwrr = CreateObject<DwrrScheduler>();
    dwrr->SetAttribute("Quantum", UintegerValue(0));
    dwrr->SetAttribute("Weights", StringValue("2:3"));
    Serve(*dwrr, {0, 1048, 60}, 4);
    std::string order;
    for (int i = 0; i < 8; ++i)
    {
        Frame* frame = dwrr->Dequeue(0, 0);
        order += std::to_string(frame->trafficClass);
        dwrr->Enqueue(Make(frame->trafficClass, frame->frameBytes), 0);
        FramePool::Free(frame);
    }
    EXPECT_NE(std::string("1222122212221222").find(order), std::string::npos) << order;
    dwrr->Dispose();
    EXPECT_EQ(FramePool::Outstanding(), 0u);
}

TEST(Dwrr, AQuantumSmallerThanAFrameStillSharesByBytes)
{
    Ptr<DwrrScheduler> dwrr = CreateObject<DwrrScheduler>();
    dwrr->SetAttribute("Quantum", UintegerValue(100));
    const auto served = Serve(*dwrr, {4158, 64}, 50000);
    EXPECT_NEAR(static_cast<double>(served[0]) / served[1], 1, 0.01);
    dwrr->Dispose();
}

// Over any stretch, not only in the long run: the lag is at most a quantum and a frame.
TEST(Dwrr, ShortTermFairness)
{
    Ptr<DwrrScheduler> dwrr = CreateObject<DwrrScheduler>();
    Serve(*dwrr, {1062, 4158}, 1000);
    std::array<int64_t, 2> bytes{};
    for (int i = 0; i < 2000; ++i)
    {
        Frame* frame = dwrr->Dequeue(0, 0);
        bytes[frame->trafficClass] += frame->frameBytes;
        dwrr->Enqueue(Make(frame->trafficClass, frame->frameBytes), 0);
        FramePool::Free(frame);
        EXPECT_LE(std::abs(bytes[0] - bytes[1]), 2 * (4200 + 4158)) << i;
    }
    dwrr->Dispose();
}

TEST(Dwrr, StrictClassesGoFirstHighestFirst)
{
    Ptr<DwrrScheduler> dwrr = CreateObject<DwrrScheduler>();
    for (uint8_t c : {3, 6, 0, 7, 6})
    {
        dwrr->Enqueue(Make(c, 1000), 0);
    }
    std::vector<int> order;
    while (Frame* frame = dwrr->Dequeue(0, 0))
    {
        order.push_back(frame->trafficClass);
        FramePool::Free(frame);
    }
    ASSERT_EQ(order.size(), 5u);
    EXPECT_EQ(std::vector<int>(order.begin(), order.begin() + 3), std::vector<int>({7, 6, 6}));
    dwrr->SetAttribute("StrictClasses", UintegerValue(0));
    const auto served = Serve(*dwrr, {1000, 0, 0, 0, 0, 0, 1000, 1000}, 3000);
    EXPECT_NEAR(static_cast<double>(served[7]) / served[0], 1, 0.02);
    dwrr->Dispose();
}

TEST(Dwrr, PausedClassesAreSkippedAndLoseNothing)
{
    Ptr<DwrrScheduler> dwrr = CreateObject<DwrrScheduler>();
    auto served = Serve(*dwrr, {1000, 0, 0, 1000, 0, 0, 66}, 50, 0x48);
    EXPECT_GT(served[0], 0u);
    EXPECT_EQ(served[3], 0u);
    EXPECT_EQ(served[6], 0u); // strict classes too
    EXPECT_EQ(dwrr->Dequeue(0xff, 0), nullptr);
    EXPECT_FALSE(dwrr->IsEmpty());
    Frame* frame = dwrr->Dequeue(0xbf, 0);
    ASSERT_NE(frame, nullptr);
    EXPECT_EQ(frame->trafficClass, 6);
    FramePool::Free(frame);
    dwrr->Dispose();
}

// A class does not save up credit while it is paused.
TEST(Dwrr, NoCreditForThePausedTime)
{
    Ptr<DwrrScheduler> dwrr = CreateObject<DwrrScheduler>();
    Serve(*dwrr, {1000, 1000, 1000}, 3000, 0x2);
    std::array<int, 3> n{};
    for (int i = 0; i < 60; ++i)
    {
        Frame* frame = dwrr->Dequeue(0, 0);
        ++n[frame->trafficClass];
        dwrr->Enqueue(Make(frame->trafficClass, 1000), 0);
        FramePool::Free(frame);
    }
    EXPECT_NEAR(n[1], 20, 8);
    dwrr->Dispose();
}

// Nor while it has nothing to send.
TEST(Dwrr, NoCreditForTheIdleTime)
{
    Ptr<DwrrScheduler> dwrr = CreateObject<DwrrScheduler>();
    Serve(*dwrr, {1000, 1000}, 0);
    std::array<int, 3> n{};
    for (int i = 0; i < 700; ++i)
    {
        if (i % 10 == 0)
        {
            dwrr->Enqueue(Make(2, i < 600 ? 100 : 1000), 0);
        }
        Frame* frame = dwrr->Dequeue(0, 0);
        n[frame->trafficClass] += i >= 640;
        const bool again = frame->trafficClass < 2 || i >= 600;
        if (again)
        {
            dwrr->Enqueue(Make(frame->trafficClass, 1000), 0);
        }
        FramePool::Free(frame);
    }
    EXPECT_NEAR(n[2], 20, 8);
    dwrr->Dispose();
}

TEST(Dwrr, FirstInFirstOutWithinAClass)
{
    Ptr<DwrrScheduler> dwrr = CreateObject<DwrrScheduler>();
    for (uint64_t i = 0; i < 10; ++i)
    {
        dwrr->Enqueue(Make(3, 100 + i % 3, i), 0);
    }
    for (uint64_t i = 0; i < 10; ++i)
    {
        Frame* frame = dwrr->Dequeue(0, 0);
        EXPECT_EQ(frame->psn, i);
        FramePool::Free(frame);
    }
    EXPECT_TRUE(dwrr->IsEmpty());
    EXPECT_EQ(dwrr->Dequeue(0, 0), nullptr);
}

TEST(Dwrr, ByteCounts)
{
    Ptr<DwrrScheduler> dwrr = CreateObject<DwrrScheduler>();
    dwrr->Enqueue(Make(3, 1000), 0);
    dwrr->Enqueue(Make(3, 500), 0);
    dwrr->Enqueue(Make(0, 70), 0);
    EXPECT_EQ(dwrr->GetBytes(3), 1500u);
    EXPECT_EQ(dwrr->GetBytes(0), 70u);
    EXPECT_EQ(dwrr->GetTotalBytes(), 1570u);
    EXPECT_EQ(dwrr->GetFrames(), 3u);
    FramePool::Free(dwrr->Dequeue(0x1, 0));
    EXPECT_EQ(dwrr->GetBytes(3), 500u);
    dwrr->Dispose(); // frees what is queued
    EXPECT_EQ(FramePool::Outstanding(), 0u);
}
