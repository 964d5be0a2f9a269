// SPDX-License-Identifier: GPL-2.0-only
// Queues by key with rates: exact times, order, turns, wake-ups, forgetting, held bytes, classes,
// rates that change while a frame waits.
#include "ns3/nstime.h"
#include "ns3/roce-shaped-scheduler.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;

namespace
{

constexpr uint8_t DATA_CLASS = 3;
constexpr uint64_t G = 1000000000;
constexpr int64_t US = 1000000;
constexpr uint32_t NO_KEY = ShapedScheduler::UNSHAPED;
constexpr uint32_t WIRE_1000 = 1020; //!< a frame of 1000 B with preamble and gap

struct ShapedSchedulerTest : public ::testing::Test, public ShapedScheduler::Owner
{
    void SetUp() override
    {
        port->SetAttribute("DataRate", StringValue("100Gbps"));
        ASSERT_EQ(port->WireBytes(1000), WIRE_1000);
        Make(0);
    }

    void TearDown() override
    {
        queue->Dispose();
        EXPECT_EQ(FramePool::Outstanding(), 0u) << "frames leaked";
    }

    void Make(uint32_t burst, int64_t idlePs = 5000 * US)
    {
        if (queue)
        {
            queue->Dispose();
        }
        known.clear();
        queue = CreateObject<ShapedScheduler>();
        queue->SetAttribute("Burst", UintegerValue(burst));
        queue->SetAttribute("IdleTimeout", TimeValue(PicoSeconds(idlePs)));
        queue->Configure(this, *port);
    }

    uint32_t Classify(const Frame& frame, uint16_t, int64_t) override
    {
        EXPECT_LT(frame.trafficClass, 6) << "control is not asked about";
        return static_cast<uint32_t>(frame.remoteAddress);
    }

    uint64_t GetRateBps(uint32_t key, uint16_t, int64_t) override
    {
        ++asked;
        return rates.count(key) ? rates[key] : 10 * G;
    }

    void OnMade(uint32_t key, uint16_t, int64_t) override
    {
        known.insert(key); // in each class
        ++made;
    }

    void OnForgotten(uint32_t key, uint16_t, int64_t) override
    {
        ASSERT_NE(known.find(key), known.end()) << key << " is forgotten twice";
        known.erase(known.find(key));
    }

    void Put(uint32_t key,
             int64_t nowPs,
             unsigned n = 1,
             uint8_t trafficClass = DATA_CLASS,
             uint32_t bytes = 1000)
    {
        for (unsigned i = 0; i < n; ++i)
        {
            Frame* frame = FramePool::Alloc();
            frame->trafficClass = trafficClass;
            frame->frameBytes = bytes;
            frame->psn = nextPsn++;
            frame->remoteAddress = key;
            queue->Enqueue(frame, nowPs);
        }
    }

    struct Served
    {
        uint64_t key;
        uint64_t psn;
        int64_t atPs;
    };

    /// Ask as a port does: when it is free, and when the queues say.
    std::vector<Served> Serve(int64_t fromPs, unsigned n = UINT32_MAX, uint32_t pausedMask = 0)
    {
        std::vector<Served> all;
        int64_t at = fromPs;
        while (all.size() < n)
        {
            if (Frame* frame = queue->Dequeue(pausedMask, at))
            {
                all.push_back({frame->remoteAddress, frame->psn, at});
                at += port->SerialisationPs(port->WireBytes(frame->frameBytes));
                FramePool::Free(frame);
                continue;
            }
            const int64_t next = queue->NextEligiblePs(pausedMask, at);
            if (next == NEVER_PS)
            {
                break;
            }
            EXPECT_GT(next, at) << "asked to come back at once";
            at = next;
        }
        endPs = at;
        return all;
    }

    static std::string KeysOf(const std::vector<Served>& served)
    {
        std::string keys;
        for (const Served& s : served)
        {
            keys += s.key == NO_KEY ? std::string("-") : std::to_string(s.key);
        }
        return keys;
    }

    Ptr<Port> port = CreateObject<Port>();
    Ptr<ShapedScheduler> queue;
    std::map<uint32_t, uint64_t> rates;
    std::multiset<uint32_t> known; //!< keys with a queue
    uint64_t nextPsn{0};
    unsigned asked{0}; //!< for rates
    unsigned made{0};  //!< queues
    int64_t endPs{0};
};

} // namespace

// 7 Gbit/s divides nothing: no rounding may add up over many frames.
TEST_F(ShapedSchedulerTest, RatesAreExact)
{
    rates[1] = 7 * G;
    Put(1, 0, 20000);
    const std::vector<Served> served = Serve(0);
    ASSERT_EQ(served.size(), 20000u);
    for (const uint64_t i : {1, 2, 3, 7, 100, 9999, 19999})
    {
        EXPECT_EQ(served[i].atPs, static_cast<int64_t>(i * WIRE_1000 * 8 * 1000 / 7))
            << "frame " << i << ": all bytes before it at 7 Gbit/s";
    }
}

TEST_F(ShapedSchedulerTest, EachQueueHasItsRate)
{
    rates = {{1, 1 * G}, {2, 4 * G}, {3, 20 * G}};
    for (const uint64_t key : {1, 2, 3})
    {
        Put(key, 0, 3000);
    }
    std::map<uint64_t, unsigned> frames;
    for (const Served& s : Serve(0, 3000))
    {
        ++frames[s.key];
        if (s.atPs > 500 * US)
        {
            break;
        }
    }
    for (const auto& [key, rate] : rates)
    {
        const double expected = 500e-6 * static_cast<double>(rate) / 8 / WIRE_1000;
        EXPECT_NEAR(frames[key], expected, 2) << "queue " << key;
    }
}

TEST_F(ShapedSchedulerTest, OrderWithinAQueue)
{
    for (unsigned i = 0; i < 300; ++i)
    {
        Put(i % 3, 0, 1, DATA_CLASS, 200 + i % 7 * 500);
    }
    std::map<uint64_t, uint64_t> last;
    for (const Served& s : Serve(0))
    {
        if (last.count(s.key))
        {
            EXPECT_GT(s.psn, last[s.key]) << "queue " << s.key << " was reordered";
        }
        last[s.key] = s.psn;
    }
    EXPECT_EQ(last.size(), 3u);
}

// Queues of the port's rate or more are not shaped, and take turns.
TEST_F(ShapedSchedulerTest, EligibleQueuesTakeTurns)
{
    rates = {{1, 100 * G}, {2, 400 * G}, {3, 100 * G}};
    Put(1, 0, 4);
    Put(2, 0, 2);
    Put(3, 0, 1);
    Put(NO_KEY, 0, 2);
    EXPECT_EQ(KeysOf(Serve(0)), "123-12-11");
    EXPECT_EQ(endPs, 9 * port->SerialisationPs(WIRE_1000)) << "the port was idle in between";
}

// A rate that divides nothing: a shaper beside the line would wait for parts of picoseconds.
TEST_F(ShapedSchedulerTest, AtLineRateTheLinePaces)
{
    port->SetAttribute("DataRate", StringValue("7Gbps"));
    Make(0);
    rates[1] = 7 * G;
    Put(1, 0, 50);
    Serve(0);
    EXPECT_EQ(endPs, 50 * port->SerialisationPs(WIRE_1000));
}

// An oversubscribed port: who asks for less than the fair share gets it, the others share the rest.
TEST_F(ShapedSchedulerTest, AnOversubscribedPortIsSharedMaxMin)
{
    Make(16384);
    rates = {{1, 10 * G}, {2, 80 * G}, {3, 90 * G}};
    std::map<uint64_t, unsigned> frames;
    for (const uint64_t key : {1, 2, 3})
    {
        Put(key, 0, 9000);
    }
    for (const Served& s : Serve(0, 9000))
    {
        ++frames[s.key];
    }
    EXPECT_NEAR(frames[1], 900, 25);
    EXPECT_NEAR(frames[2], 4050, 25);
    EXPECT_NEAR(frames[3], 4050, 25);
}

// What a queue loses by waiting behind others it makes up for, up to Burst.
TEST_F(ShapedSchedulerTest, BurstMakesUpForWaiting)
{
    rates[1] = 50 * G;
    const int64_t gapPs = WIRE_1000 * 160;
    const auto servedAfterAbsence = [&](uint32_t burst) {
        Make(burst);
        Put(1, 0, 1000);
        const int64_t backPs = 300 * gapPs;
        Serve(0, 100);
        unsigned n = 0;
        for (const Served& s : Serve(backPs)) // the port has been away for some 200 gaps
        {
            n += s.atPs < backPs + 30 * gapPs;
        }
        return n;
    };
    EXPECT_EQ(servedAfterAbsence(0), 30u);
    EXPECT_EQ(servedAfterAbsence(10 * WIRE_1000), 40u);
}

TEST_F(ShapedSchedulerTest, ABucketIsFullAfterIdling)
{
    Make(5 * WIRE_1000);
    rates[1] = 1 * G;
    Put(1, 1000 * US, 20);
    std::vector<Served> served = Serve(1000 * US);
    const int64_t line = port->SerialisationPs(WIRE_1000);
    EXPECT_EQ(served[5].atPs, 1000 * US + 5 * line) << "Burst, and the frame that is sent";
    // From then on at the rate, counted from the start.
    const int64_t gap = WIRE_1000 * 8000;
    EXPECT_EQ(served[6].atPs, 1000 * US + gap);
    EXPECT_EQ(served[19].atPs, 1000 * US + 14 * gap);
}

TEST_F(ShapedSchedulerTest, WakesUpExactly)
{
    rates = {{1, 1 * G}, {2, 2 * G}};
    const int64_t gap = WIRE_1000 * 8000;
    Put(1, 0, 2);
    Put(2, 0, 2);
    EXPECT_EQ(queue->NextEligiblePs(0, 0), NEVER_PS) << "nobody waits for a rate";
    EXPECT_EQ(KeysOf(Serve(0, 2)), "12");
    EXPECT_EQ(queue->Dequeue(0, endPs), nullptr);
    const int64_t line = port->SerialisationPs(WIRE_1000);
    EXPECT_EQ(queue->NextEligiblePs(0, endPs), line + gap / 2);
    EXPECT_EQ(queue->Dequeue(0, line + gap / 2 - 1), nullptr) << "a picosecond too early";
    EXPECT_EQ(KeysOf(Serve(line + gap / 2, 1)), "2");
    EXPECT_EQ(queue->NextEligiblePs(0, endPs), gap);
    EXPECT_EQ(KeysOf(Serve(gap)), "1");
    EXPECT_EQ(queue->NextEligiblePs(0, gap), NEVER_PS);
    EXPECT_TRUE(queue->IsEmpty());
}

TEST_F(ShapedSchedulerTest, ControlGoesFirstAndIsNotShaped)
{
    rates[1] = 1 * G;
    Put(1, 0, 3);
    Put(1, 0, 2, 6);
    Put(1, 0, 2, 7);
    const std::vector<Served> served = Serve(0);
    ASSERT_EQ(served.size(), 7u);
    EXPECT_EQ(served[0].psn, 5u);
    EXPECT_EQ(served[2].psn, 3u);
    EXPECT_EQ(served[4].psn, 0u);
    EXPECT_EQ(served[3].atPs, 3 * port->SerialisationPs(WIRE_1000));
    Put(1, endPs, 1, 7);
    EXPECT_EQ(Serve(endPs).size(), 1u) << "at once, though queue 1 has just sent";
}

TEST_F(ShapedSchedulerTest, OnePausedClass)
{
    rates[1] = 1 * G;
    Put(1, 0, 2, DATA_CLASS);
    Put(1, 0, 2, 2);
    const uint32_t paused = 1 << DATA_CLASS;
    const std::vector<Served> others = Serve(0, UINT32_MAX, paused);
    ASSERT_EQ(others.size(), 2u);
    EXPECT_EQ(others[0].psn, 2u);
    EXPECT_EQ(others[1].atPs, WIRE_1000 * 8000) << "each class has its queue of a key";
    EXPECT_EQ(queue->NextEligiblePs(paused, endPs), NEVER_PS) << "the pause decides, not the rate";
    EXPECT_EQ(queue->GetBytes(DATA_CLASS), 2000u);
    EXPECT_EQ(Serve(endPs, 1).size(), 1u);
    EXPECT_EQ(queue->NextEligiblePs(paused, endPs), NEVER_PS);
    EXPECT_NE(queue->NextEligiblePs(0, endPs), NEVER_PS);
    Serve(endPs);
}

TEST_F(ShapedSchedulerTest, ARateThatChangesWhileAFrameWaits)
{
    const int64_t gap = WIRE_1000 * 800; // at 10 Gbit/s
    const auto wakeAfter = [&](uint64_t rate, int64_t atPs) {
        Make(0);
        rates[1] = 10 * G;
        Put(1, 0, 2);
        Serve(0, 1);
        EXPECT_EQ(queue->NextEligiblePs(0, 0), gap);
        rates[1] = rate;
        queue->Repace(1, atPs);
        const int64_t next = queue->NextEligiblePs(0, atPs);
        EXPECT_EQ(Serve(atPs).at(0).atPs, next);
        return next;
    };
    EXPECT_EQ(wakeAfter(20 * G, gap / 2), gap / 2 + gap / 4) << "half of the gap, twice as fast";
    EXPECT_EQ(wakeAfter(1 * G, gap / 4), gap / 4 + gap * 30 / 4);
    EXPECT_EQ(wakeAfter(100 * G, gap / 2), gap / 2 + gap / 20);
    EXPECT_EQ(wakeAfter(10 * G, gap / 2), gap) << "the same rate";
}

// However often it changes, what was sent is paid for: bits, not times.
TEST_F(ShapedSchedulerTest, RatesThatChangeAllTheTime)
{
    rates[1] = 3 * G;
    Put(1, 0, 2);
    Serve(0, 1);
    long double bits = 0;
    int64_t at = 0;
    for (unsigned i = 0; queue->NextEligiblePs(0, at) > at + 1000; ++i)
    {
        bits += static_cast<long double>(rates[1]) * 1e-12L * 1000;
        at += 1000;
        rates[1] = (1 + i * 7 % 11) * G;
        queue->Repace(1, at);
    }
    bits += static_cast<long double>(rates[1]) * 1e-12L *
            static_cast<long double>(queue->NextEligiblePs(0, at) - at);
    EXPECT_NEAR(static_cast<double>(bits), WIRE_1000 * 8, 0.02);
    EXPECT_GT(at, 100000);
}

// What has idled for long has a full bucket, no more: its times fit at any rate.
TEST_F(ShapedSchedulerTest, ARateThatChangesAfterIdling)
{
    for (unsigned i = 1; i < 40; ++i)
    {
        Make(0);
        rates[1] = 1234567891ULL * i;
        Put(1, 0, 2);
        rates[1] = 1000;
        queue->Repace(1, 0);
        const std::vector<Served> served = Serve(0);
        ASSERT_EQ(served.size(), 2u);
        ASSERT_EQ(served[1].atPs, WIRE_1000 * 8000000000) << "after " << 1234567891ULL * i;
    }
}

TEST_F(ShapedSchedulerTest, ARepaceOfAnUnknownKeyDoesNothing)
{
    queue->Repace(5, 0);
    Put(1, 0, 2);
    queue->Repace(5, 0);
    EXPECT_EQ(Serve(0).size(), 2u);
    queue->Repace(1, endPs);
    Put(1, endPs, 2);
    EXPECT_EQ(Serve(endPs).size(), 2u);
}

TEST_F(ShapedSchedulerTest, HeldBytes)
{
    rates = {{1, 1 * G}, {2, 100 * G}};
    Put(1, 0, 4);
    EXPECT_EQ(queue->GetLineBytes(DATA_CLASS), 1000u) << "the head waits for the line only";
    Put(2, 0, 3);
    Put(NO_KEY, 0, 2);
    EXPECT_EQ(queue->GetLineBytes(), 6000u) << "what is not shaped is not held";
    EXPECT_EQ(queue->DescribeHeld(DATA_CLASS), "") << "nobody waits for a rate";
    EXPECT_EQ(KeysOf(Serve(0, 1)), "1");
    EXPECT_EQ(queue->GetLineBytes(DATA_CLASS), 5000u);
    EXPECT_EQ(queue->GetBytes(DATA_CLASS), 8000u);
    EXPECT_EQ(queue->DescribeHeld(DATA_CLASS), "3000 B held back by the rates of 1 queues");
    EXPECT_EQ(queue->DescribeHeld(2), "");
    EXPECT_EQ(KeysOf(Serve(endPs, 5)), "2-2-2");
    EXPECT_EQ(queue->GetLineBytes(DATA_CLASS), 0u);
    Put(1, endPs);
    EXPECT_EQ(queue->GetLineBytes(DATA_CLASS), 0u) << "behind those that are held";
    const int64_t gap = WIRE_1000 * 8000;
    EXPECT_EQ(Serve(gap, 1).at(0).atPs, gap);
    EXPECT_EQ(queue->DescribeHeld(DATA_CLASS), "3000 B held back by the rates of 1 queues");
    rates[1] = 100 * G;
    queue->Repace(1, gap);
    EXPECT_EQ(Serve(gap).size(), 3u);
    EXPECT_EQ(queue->GetLineBytes(), 0u);
    EXPECT_EQ(queue->GetTotalBytes(), 0u);
}

// A queue whose rate the line does not give is backlogged by the line.
TEST_F(ShapedSchedulerTest, ALateQueueWaitsForTheLine)
{
    Make(16384);
    rates = {{1, 90 * G}, {2, 90 * G}};
    Put(1, 0, 200);
    Put(2, 0, 200);
    Serve(0, 100);
    EXPECT_GT(queue->GetLineBytes(), 290000u) << "two of 90 Gbit/s at a port of 100";
    Serve(0);
}

TEST_F(ShapedSchedulerTest, IdleQueuesAreForgotten)
{
    Make(1020, 100 * US);
    Put(1, 0, 1);
    Put(2, 0, 1);
    Serve(0);
    EXPECT_EQ(queue->GetQueues(), 2u);
    Put(3, 50 * US);
    EXPECT_EQ(queue->GetQueues(), 3u) << "too early";
    Put(1, 60 * US); // in use again
    Put(4, 150 * US);
    EXPECT_EQ(queue->GetQueues(), 3u) << "2 has been empty for 150 us";
    Serve(150 * US);
    Put(5, 300 * US);
    EXPECT_EQ(queue->GetQueues(), 1u);
    EXPECT_EQ(queue->GetPeakQueues(), 3u);
    Serve(300 * US);
}

// One that still owes, or may not yet be full, keeps nobody else from being forgotten.
TEST_F(ShapedSchedulerTest, ASlowQueueKeepsNoOther)
{
    Make(1020, 100 * US);
    rates[1] = 1 * G / 1000; // 8.16 ms for a frame
    Put(1, 0);
    Put(2, 0);
    Serve(0);
    queue->Forget(99 * US);
    EXPECT_EQ(queue->GetQueues(), 2u);
    queue->Forget(150 * US);
    EXPECT_EQ(known, (std::multiset<uint32_t>{1})) << "2 is behind 1 in the order of emptying";
    queue->Forget(17000 * US);
    EXPECT_TRUE(known.empty());
    queue->Forget(18000 * US);
    EXPECT_EQ(queue->GetQueues(), 0u);
}

// Before the owner is asked for a key, so that it may give one away again.
TEST_F(ShapedSchedulerTest, ForgettingComesBeforeClassifying)
{
    Make(0, 100 * US);
    Put(1, 0);
    Serve(0);
    Put(1, 150 * US);
    EXPECT_EQ(queue->GetPeakQueues(), 1u);
    EXPECT_EQ(made, 2u) << "forgotten, and made anew";
    Put(NO_KEY, 400 * US);
    EXPECT_EQ(known.size(), 1u) << "it holds a frame";
    Serve(400 * US);
}

TEST_F(ShapedSchedulerTest, TheLastKeyAndWireBytes)
{
    Put(7, 0, 2, DATA_CLASS, 1000);
    Put(7, 0, 1, 2, 500);
    Put(3, 0);
    Put(NO_KEY, 0);
    EXPECT_EQ(queue->GetKeyedBytes(), 3500u);
    EXPECT_EQ(queue->GetKeyWireBytes(7), 2500u + 3 * 20);
    EXPECT_EQ(queue->GetKeyWireBytes(4), 0u);
    uint64_t left = 3500;
    for (int64_t at = 0; !queue->IsEmpty(); at += 10 * US)
    {
        Frame* frame = queue->Dequeue(0, at);
        ASSERT_NE(frame, nullptr);
        EXPECT_EQ(queue->GetLastKey(), frame->remoteAddress);
        left -= frame->remoteAddress == NO_KEY ? 0 : frame->frameBytes;
        EXPECT_EQ(queue->GetKeyedBytes(), left);
        FramePool::Free(frame);
    }
}

// Whether a port has to be told.
TEST_F(ShapedSchedulerTest, RepaceSaysWhetherThePortMaySendEarlier)
{
    rates = {{1, 1 * G}, {2, 2 * G}};
    Put(1, 0, 2);
    Put(2, 0, 2);
    Serve(0, 2);
    rates[1] = 1 * G / 2;
    EXPECT_FALSE(queue->Repace(1, US)) << "later";
    rates[1] = 1500000000;
    EXPECT_FALSE(queue->Repace(1, US)) << "earlier than it was, but behind the other one";
    rates[1] = 50 * G;
    EXPECT_TRUE(queue->Repace(1, US));
    EXPECT_FALSE(queue->Repace(1, US)) << "the same rate";
    EXPECT_FALSE(queue->Repace(9, US)) << "no queue";
    Serve(US);
}

namespace
{

/// A time that counts how often it is compared.
struct Counted
{
    int64_t at;

    static inline uint64_t comparisons;

    bool operator<(const Counted& other) const
    {
        ++comparisons;
        return at < other.at;
    }
};

} // namespace

// A thousand queues: a frame costs some comparisons for each level of the heap, not for each queue.
TEST(PlaceHeapCost, IsLogarithmic)
{
    double perStep[2];
    for (const unsigned big : {0, 1})
    {
        const uint32_t n = big ? 16384 : 1024;
        BasicPlaceHeap<Counted> heap;
        uint64_t random = 1;
        const auto draw = [&random] {
            random = random * 6364136223846793005 + 1442695040888963407;
            return static_cast<int64_t>(random >> 20);
        };
        for (uint32_t i = 0; i < n; ++i)
        {
            heap.Push(i, {draw()});
        }
        Counted::comparisons = 0;
        constexpr unsigned STEPS = 20000;
        for (unsigned i = 0; i < STEPS; ++i)
        {
            const uint32_t first = heap.GetFirst();
            const int64_t at = heap.GetFirstPs().at;
            heap.Pop();
            heap.Push(first, {at + draw() / 4});
            heap.Move(static_cast<uint32_t>(draw()) % n, {at + draw() / 4});
        }
        perStep[big] = static_cast<double>(Counted::comparisons) / STEPS;
        EXPECT_LT(perStep[big], 8 * (big ? 14 : 10));
    }
    EXPECT_LT(perStep[1] / perStep[0], 1.6) << "16 times as many";
}

// And the port is woken up once for a frame at most, however many queues wait; nobody is asked for
// rates of queues that have no frame to send.
TEST_F(ShapedSchedulerTest, AThousandQueuesWakeThePortForFramesOnly)
{
    const auto cost = [this](uint32_t n, uint32_t frames) {
        Make(0);
        for (uint32_t key = 0; key < n; ++key)
        {
            rates[key] = 90 * G / n + key;
            Put(key, 0, frames);
        }
        asked = 0;
        unsigned attempts = 0;
        unsigned served = 0;
        for (int64_t at = 0; !queue->IsEmpty(); ++attempts)
        {
            if (Frame* frame = queue->Dequeue(0, at))
            {
                at += port->SerialisationPs(port->WireBytes(frame->frameBytes));
                FramePool::Free(frame);
                ++served;
                continue;
            }
            const int64_t next = queue->NextEligiblePs(0, at);
            EXPECT_GT(next, at);
            at = next;
        }
        EXPECT_EQ(served, n * frames);
        EXPECT_LE(attempts, 2 * served) << n << " queues";
        return static_cast<double>(asked) / served;
    };
    const double few = cost(10, 1000);
    EXPECT_LE(cost(1000, 10), few + 0.01) << "rates asked for, per frame";
    EXPECT_LE(few, 1.01);
}

// Forgetting is about memory: a queue that comes back is not ahead of its rate.
TEST_F(ShapedSchedulerTest, ForgettingChangesNoTime)
{
    std::vector<std::vector<int64_t>> times;
    for (const int64_t idlePs : {int64_t{0}, 1 * US, 5000 * US})
    {
        Make(3000, idlePs);
        rates.clear();
        times.emplace_back();
        int64_t at = 0;
        for (unsigned i = 0; i < 2000; ++i)
        {
            const uint64_t key = i * 7919 % 13;
            rates[key] = (1 + key) * G / 10;
            Put(key, at, 1 + i % 3);
            for (const Served& s : Serve(at, 1 + i % 4))
            {
                times.back().push_back(s.atPs);
            }
            at = std::max(at + 300000, endPs);
        }
        for (const Served& s : Serve(at))
        {
            times.back().push_back(s.atPs);
        }
    }
    EXPECT_EQ(times[0], times[2]);
    EXPECT_EQ(times[1], times[2]);
}

// 10,000 keys, in any order of rates: each at its time.
TEST_F(ShapedSchedulerTest, TenThousandKeys)
{
    constexpr unsigned N = 10000;
    port->SetAttribute("DataRate", StringValue("100000Gbps"));
    Make(0);
    for (uint64_t key = 0; key < N; ++key)
    {
        rates[key] = 10000000 + key * 7919 % N * 1000;
        Put(key, 0, 3);
    }
    EXPECT_EQ(queue->GetQueues(), N);
    std::map<uint64_t, std::vector<int64_t>> times;
    for (const Served& s : Serve(0))
    {
        times[s.key].push_back(s.atPs);
    }
    ASSERT_EQ(times.size(), N);
    const int64_t firstRoundPs = N * port->SerialisationPs(WIRE_1000);
    for (const auto& [key, at] : times)
    {
        ASSERT_EQ(at.size(), 3u);
        const auto gap = static_cast<int64_t>(WIRE_1000 * 8000000000000 / rates[key]);
        ASSERT_LE(std::abs(at[1] - at[0] - gap), firstRoundPs) << "queue " << key;
        ASSERT_LE(std::abs(at[2] - at[1] - gap), firstRoundPs) << "queue " << key;
    }
}

// Rates of waiting queues change at random: each goes when its own bucket says, not before or
// later.
TEST_F(ShapedSchedulerTest, ManyRatesChangeWhileFramesWait)
{
    constexpr unsigned N = 500;
    for (uint64_t key = 0; key < N; ++key)
    {
        rates[key] = G / 100;
        Put(key, 0, 2);
    }
    std::vector<TokenBucket> buckets(N, TokenBucket(G / 100));
    for (const Served& s : Serve(0, N))
    {
        buckets[s.key].Pay(WIRE_1000, G / 100, 0, s.atPs);
    }
    uint64_t random = 1;
    for (unsigned i = 0; i < 5000; ++i)
    {
        random = random * 6364136223846793005 + 1442695040888963407;
        const uint64_t key = (random >> 33) % N;
        rates[key] = G / 1000 * (1 + (random >> 40) % 100);
        queue->Repace(key, endPs);
        buckets[key].SetRate(rates[key], 0, endPs);
    }
    int64_t last = endPs;
    for (unsigned n = 0; n < N; ++n)
    {
        const int64_t next = std::max(queue->NextEligiblePs(0, last), last);
        if (next > last)
        {
            ASSERT_EQ(queue->Dequeue(0, next - 1), nullptr) << "early";
        }
        Frame* frame = queue->Dequeue(0, next);
        ASSERT_NE(frame, nullptr);
        ASSERT_EQ(next, buckets[frame->remoteAddress].GetNextPs()) << frame->remoteAddress;
        FramePool::Free(frame);
        last = next;
    }
}

TEST_F(ShapedSchedulerTest, BytesOfAKeyAndTrace)
{
    std::vector<std::pair<uint64_t, uint64_t>> lengths;
    queue->TraceConnectWithoutContext(
        "Queue",
        Callback<void, uint32_t, uint64_t, Time>(
            [&](uint32_t key, uint64_t bytes, Time) { lengths.emplace_back(key, bytes); }));
    Put(1, 0, 2);
    Put(1, 0, 1, 2, 500);
    Put(NO_KEY, 0);
    EXPECT_EQ(queue->GetKeyBytes(1), 2500u);
    EXPECT_EQ(queue->GetKeyBytes(2), 0u);
    EXPECT_FALSE(queue->IsWorkConserving());
    Serve(0, 1, 1 << 2);
    using Lengths = std::vector<std::pair<uint64_t, uint64_t>>;
    EXPECT_EQ(lengths, (Lengths{{1, 1000}, {1, 2000}, {1, 500}, {1, 1000}}));
    Serve(0);
    EXPECT_EQ(lengths.size(), 6u);
}

TEST_F(ShapedSchedulerTest, DisposalFreesWhatIsHeld)
{
    rates[1] = 1;
    Put(1, 0, 5);
    Put(2, 0, 5, 2);
    Serve(0, 1);
    const unsigned askedBefore = asked;
    queue->Dispose();
    EXPECT_EQ(asked, askedBefore) << "the owner may be gone";
    EXPECT_TRUE(queue->IsEmpty());
    EXPECT_EQ(queue->GetLineBytes(), 0u);
}
