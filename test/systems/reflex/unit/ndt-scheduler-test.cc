// SPDX-License-Identifier: GPL-2.0-only
// Queues of near-destination throttling: round robin by packets (U-R11), order (U-R10), suspension,
// paused and strict classes.
#include "ns3/data-rate.h"
#include "ns3/roce-ndt-controller.h"
#include "ns3/roce-ndt-scheduler.h"
#include "ns3/roce-reflex-ndt.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;

namespace
{

constexpr uint8_t DATA_CLASS = 3;
constexpr uint16_t PORT = 5;

struct NdtSchedulerTest : public ::testing::Test, public NdtScheduler::Classifier
{
    void SetUp() override
    {
        Configure(8);
    }

    void TearDown() override
    {
        queue->Dispose();
        EXPECT_EQ(FramePool::Outstanding(), 0u) << "frames leaked";
    }

    void Configure(uint32_t nThrottle)
    {
        queue = CreateObject<NdtScheduler>();
        queue->Configure(this, PORT, 1 << DATA_CLASS | 1 << 2, nThrottle);
    }

    bool Classify(const Frame&, uint16_t port, int64_t) override
    {
        EXPECT_EQ(port, PORT);
        return toControlled;
    }

    void Leave(const Frame&, uint16_t port, bool controlled) override
    {
        EXPECT_EQ(port, PORT);
        fromControlled = controlled;
        ++left;
    }

    void Put(char letter, unsigned n = 1, uint8_t trafficClass = DATA_CLASS, uint32_t bytes = 1000)
    {
        for (unsigned i = 0; i < n; ++i)
        {
            Frame* frame = FramePool::Alloc();
            frame->trafficClass = trafficClass;
            frame->frameBytes = bytes;
            frame->psn = next++;
            frame->rKey = static_cast<uint8_t>(letter);
            toControlled = letter == 'C';
            queue->Enqueue(frame, 0);
        }
    }

    /// @return letters of up to n frames, as served
    std::string Serve(unsigned n = 1000, uint32_t pausedMask = 0)
    {
        std::string order;
        for (unsigned i = 0; i < n; ++i)
        {
            Frame* frame = queue->Dequeue(pausedMask, 0);
            if (!frame)
            {
                break;
            }
            order += static_cast<char>(frame->rKey);
            EXPECT_TRUE(frame->trafficClass != DATA_CLASS ||
                        fromControlled == (order.back() == 'C'));
            FramePool::Free(frame);
        }
        return order;
    }

    Ptr<NdtScheduler> queue;
    uint64_t next{0};
    bool toControlled{false};
    bool fromControlled{false};
    unsigned left{0};
};

} // namespace

TEST_F(NdtSchedulerTest, RoundRobinOrders) // U-R11
{
    Put('N', 20);
    Put('C', 4);
    EXPECT_EQ(Serve(), "NNNNNNNNCNNNNNNNNCNNNNCC");
    Configure(8);
    Put('C', 3);
    EXPECT_EQ(Serve(), "CCC");
    Put('N', 3);
    Put('C', 2);
    EXPECT_EQ(Serve(), "NNNCC");
    Configure(8);
    Put('N', 12);
    std::string order = Serve(7);
    Put('C', 2);
    EXPECT_EQ(order + Serve(), "NNNNNNNNCNNNNC");
    Configure(2);
    Put('N', 5);
    Put('C', 3);
    EXPECT_EQ(Serve(), "NNCNNCNC");
}

// A round that finds Controlled empty is over: the next begins with the ninth frame.
TEST_F(NdtSchedulerTest, AFullRoundBeginsAnew)
{
    Put('N', 20);
    EXPECT_EQ(Serve(9), "NNNNNNNNN");
    Put('C');
    EXPECT_EQ(Serve(), "NNNNNNNCNNNN");
}

TEST_F(NdtSchedulerTest, SaturatedShareIsOneNinth) // U-R11
{
    const uint64_t slots = 9000;
    unsigned controlled = 0;
    Put('N', 2);
    Put('C', 2);
    for (uint64_t i = 0; i < slots; ++i)
    {
        const std::string served = Serve(1);
        controlled += served == "C";
        Put(served[0]);
    }
    EXPECT_EQ(controlled, slots / 9);
    const double rateBps = static_cast<double>(DataRate("100Gbps").GetBitRate());
    EXPECT_NEAR(rateBps * controlled / slots, 11.11e9, 0.01e9);
}

TEST_F(NdtSchedulerTest, SuspendedControlledIsSkipped)
{
    Put('N', 10);
    Put('C', 3);
    queue->Suspend();
    EXPECT_EQ(Serve(), "NNNNNNNNNN");
    EXPECT_EQ(queue->GetFrames(), 3u);
    EXPECT_EQ(Serve(), "");
    EXPECT_EQ(queue->NextEligiblePs(0, 0), NEVER_PS);
    Put('C');
    EXPECT_EQ(Serve(), "") << "what comes in meanwhile waits, too";
    EXPECT_EQ(queue->DescribeHeld(DATA_CLASS),
              "4000 B held back by a suspension of near-destination throttling");
    EXPECT_EQ(queue->DescribeHeld(2), "");
    Put('a', 2, 6);
    Put('N');
    Put('x', 1, 0);
    EXPECT_EQ(Serve(2), "aa");
    EXPECT_EQ(Serve().size(), 2u);
    queue->Resume();
    EXPECT_EQ(queue->DescribeHeld(DATA_CLASS), "");
    EXPECT_EQ(Serve(), "CCCC");
}

TEST_F(NdtSchedulerTest, SuspendedWhileNormalIsEmpty)
{
    Put('C', 2);
    queue->Suspend();
    Put('x', 2, 0);
    EXPECT_EQ(Serve(), "xx");
    queue->Resume();
    EXPECT_EQ(Serve(), "CC");
    EXPECT_EQ(Serve(), "");
    queue->Suspend();
    queue->Resume();
    EXPECT_EQ(Serve(), "") << "nothing is active without frames";
}

TEST_F(NdtSchedulerTest, DisposalFreesWhatIsSuspended)
{
    Put('C', 2);
    Put('N', 2);
    queue->Suspend();
    queue->Dispose();
    EXPECT_TRUE(queue->IsEmpty());
    EXPECT_EQ(left, 0u) << "the classifier may be gone";
}

TEST_F(NdtSchedulerTest, ControlGoesFirstAndIsNotCounted)
{
    Put('N', 16);
    Put('C', 2);
    std::string order;
    for (int i = 0; i < 18; ++i)
    {
        Put('a', 1, 6);
        EXPECT_EQ(Serve(1), "a");
        order += Serve(1);
    }
    EXPECT_EQ(order, "NNNNNNNNCNNNNNNNNC");
}

TEST_F(NdtSchedulerTest, PausedClassesAreNotServed)
{
    Put('N', 3);
    Put('C', 3);
    Put('x', 2, 0);
    EXPECT_EQ(Serve(10, 1 << DATA_CLASS), "xx");
    EXPECT_EQ(Serve(), "NNNCCC");
}

// Both queues of the class draw on its share of bytes, by the size of the frame whose turn it is.
TEST_F(NdtSchedulerTest, ClassesStillShareByBytes)
{
    double bytes[2]{};
    Put('N', 2, DATA_CLASS, 500);
    Put('C', 2, DATA_CLASS, 4000);
    Put('x', 2, 0, 1500);
    for (int i = 0; i < 30000; ++i)
    {
        const std::string served = Serve(1);
        const bool other = served == "x";
        const uint32_t size = other ? 1500 : served == "C" ? 4000 : 500;
        bytes[other] += size;
        Put(served[0], 1, other ? 0 : DATA_CLASS, size);
    }
    EXPECT_NEAR(bytes[0] / bytes[1], 1, 0.01);
}

TEST_F(NdtSchedulerTest, EachClassHasItsOwnRound)
{
    Put('N', 9);
    Put('C');
    EXPECT_EQ(Serve(8), "NNNNNNNN");
    Put('N', 2, 2);
    Put('C', 1, 2);
    EXPECT_EQ(Serve(3, 1 << DATA_CLASS), "NNC");
    EXPECT_EQ(Serve(), "CN");
}

TEST_F(NdtSchedulerTest, TakesOverSettings)
{
    Ptr<DwrrScheduler> before = CreateObject<DwrrScheduler>();
    before->SetAttribute("Quantum", UintegerValue(1000));
    before->SetAttribute("StrictClasses", UintegerValue(1 << 5));
    before->SetWeight(DATA_CLASS, 2);
    queue->CopySettings(*before);
    Put('x', 4, 0);
    Put('N', 8);
    Put('s', 1, 5);
    Put('a', 1, 6);
    EXPECT_EQ(Serve(6, 1 << 6), "sNNxNN");
    Serve();
}

TEST_F(NdtSchedulerTest, LengthsAndTrace)
{
    std::vector<std::pair<uint64_t, uint64_t>> lengths;
    queue->TraceConnectWithoutContext(
        "Queues",
        Callback<void, uint64_t, uint64_t, Time>([&](uint64_t normal, uint64_t controlled, Time) {
            lengths.emplace_back(normal, controlled);
        }));
    Put('N', 2);
    Put('C', 1, DATA_CLASS, 700);
    Put('x', 1, 0);
    Put('a', 1, 6);
    EXPECT_EQ(queue->GetNormalFrames(), 2u);
    EXPECT_EQ(queue->GetNormalBytes(), 2000u);
    EXPECT_EQ(queue->GetControlledFrames(), 1u);
    EXPECT_EQ(queue->GetControlledBytes(), 700u);
    EXPECT_EQ(queue->GetBytes(DATA_CLASS), 2700u);
    EXPECT_EQ(queue->GetTotalBytes(), 4700u);
    EXPECT_FALSE(queue->IsWorkConserving());
    Serve();
    EXPECT_EQ(lengths,
              (std::vector<std::pair<uint64_t, uint64_t>>{{1000, 0},
                                                          {2000, 0},
                                                          {2000, 700},
                                                          {1000, 700},
                                                          {0, 700},
                                                          {0, 0}}));
}

namespace
{

struct Deaf : public NdtController::Listener
{
    void OnState(uint64_t, bool, int64_t) override
    {
    }

    void OnSuspension(uint16_t, bool, double, bool, int64_t) override
    {
    }
};

/// The queues with a controller behind them; all frames are of flow 1.
struct NdtOrderTest : public NdtSchedulerTest, public Deaf
{
    bool Classify(const Frame&, uint16_t port, int64_t nowPs) override
    {
        return controller.OnEnqueue(1, port, nowPs);
    }

    void Leave(const Frame&, uint16_t port, bool controlled) override
    {
        fromControlled = controlled;
        controller.OnDequeue(1, port, controlled);
    }

    /// @return how many frames, one after the other, are served in order, at most 1000
    unsigned ServeInOrder()
    {
        unsigned n = 0;
        for (uint64_t last = 0; n < 1000; ++n)
        {
            Frame* frame = queue->Dequeue(0, 0);
            if (!frame)
            {
                break;
            }
            const uint64_t psn = frame->psn;
            FramePool::Free(frame);
            if (n && psn != last + 1)
            {
                break;
            }
            last = psn;
        }
        return n;
    }

    NdtController controller;
};

} // namespace

TEST_F(NdtOrderTest, ABacklogInNormalIsNotOvertaken) // U-R10
{
    for (const bool guard : {true, false})
    {
        NdtController::Settings settings = Parameters<ReflexNdtParams>().Get()->controller;
        settings.symmetricOrderGuard = guard;
        settings.pause = false;
        controller.Configure(settings, PORT + 1, this);
        Put('-', 100);
        controller.OnAck(1, settings.thresholdPs + 1, 0);
        Put('-', 10);
        EXPECT_EQ(ServeInOrder(), guard ? 110u : 8u);
        queue->Dispose();
        Configure(8);
    }
}
