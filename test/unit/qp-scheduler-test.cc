// SPDX-License-Identifier: GPL-2.0-only

// Which queue pair of a NIC sends next: turns, pacing, re-pacing.

#include "roce-test-time.h"

#include "ns3/roce-go-back-n.h"
#include "ns3/roce-qp-scheduler.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// A rate law that does what the test says.
class Puppet : public CongestionControl
{
  public:
    Ptr<CongestionControl> Fork() const override
    {
        return CopyObject<Puppet>(this);
    }

    void DoStart(int64_t) override
    {
    }

    void Advance(int64_t nowPs) override
    {
        if (nowPs >= changePs)
        {
            m_rateBps = changedRateBps;
            changePs = NEVER_PS;
        }
    }

    int64_t NextRateChangePs() const override
    {
        return changePs;
    }

    void Set(uint64_t rateBps, uint64_t windowBytes = UNLIMITED_BYTES)
    {
        m_rateBps = rateBps;
        m_windowBytes = windowBytes;
    }

    int64_t changePs{NEVER_PS};
    uint64_t changedRateBps{0};
};

/// Queue pairs with puppets, and a scheduler over them.
struct Bench
{
    QueuePairList qps;
    std::vector<Ptr<Puppet>> puppets;
    QpScheduler scheduler{qps};

    QueuePair* Add(uint64_t rateBps,
                   uint8_t trafficClass = 3,
                   uint64_t packets = 1000000,
                   QueuePair::Repacing repacing = QueuePair::Repacing::STRETCH,
                   int64_t tickPs = 0,
                   uint32_t burstBytes = 0,
                   bool dueClock = false)
    {
        Ptr<Puppet> puppet = CreateObject<Puppet>();
        puppet->Set(rateBps);
        QueuePair::Config config;
        config.mtuBytes = 1000;
        config.trafficClass = trafficClass;
        config.repacing = repacing;
        config.tickPs = tickPs;
        config.burstBytes = burstBytes;
        config.dueClock = dueClock;
        qps.push_back(std::make_unique<QueuePair>(static_cast<uint32_t>(qps.size()),
                                                  config,
                                                  puppet,
                                                  CreateObject<GoBackN>()));
        puppets.push_back(puppet);
        QueuePair* qp = qps.back().get();
        qp->Post(packets * 1000, 0, 0);
        return qp;
    }

    /// Send one packet of 1000 wire bytes' worth of pacing at that time.
    void Send(QueuePair* qp, int64_t atPs)
    {
        Frame* frame = FramePool::Alloc();
        uint32_t wireBytes;
        qp->BuildNext(*frame, wireBytes, 0);
        FramePool::Free(frame);
        scheduler.CountSent(qp, 1000, atPs);
        scheduler.Place(qp, atPs, atPs);
    }
};

constexpr uint64_t GBPS = 1000000000; // 1000 B take 8 us

} // namespace

TEST(QpScheduler, GapIsBytesOverRate)
{
    Bench bench;
    QueuePair* qp = bench.Add(GBPS);
    bench.scheduler.Place(qp, 0, 0);
    ASSERT_EQ(bench.scheduler.Next(0, 0), qp);
    bench.Send(qp, 0);
    EXPECT_EQ(bench.scheduler.NextTimerPs(), 8 * US);
    EXPECT_EQ(bench.scheduler.Next(0, 8 * US - 1), nullptr);
    EXPECT_EQ(bench.scheduler.Next(0, 8 * US), qp);
}

TEST(QpScheduler, FasterRateShortensWhatIsLeftOfTheGap)
{
    Bench bench;
    QueuePair* qp = bench.Add(GBPS);
    bench.Send(qp, 0);
    bench.puppets[0]->Set(4 * GBPS);
    bench.scheduler.Repace(qp, 4 * US); // 4 us left, at four times the rate 1 us
    EXPECT_EQ(bench.scheduler.NextTimerPs(), 5 * US);
    EXPECT_EQ(bench.scheduler.Next(0, 5 * US - 1), nullptr);
    EXPECT_EQ(bench.scheduler.Next(0, 5 * US), qp);
    EXPECT_EQ(bench.scheduler.Next(0, 9 * US), nullptr); // the old entry finds it moved
}

TEST(QpScheduler, SlowerRateStretchesWhatIsLeftOfTheGap)
{
    Bench bench;
    QueuePair* qp = bench.Add(GBPS);
    bench.Send(qp, 0);
    bench.puppets[0]->Set(GBPS / 2);
    bench.scheduler.Repace(qp, 6 * US); // 2 us left become 4
    EXPECT_EQ(bench.scheduler.Next(0, 8 * US), nullptr);
    EXPECT_EQ(bench.scheduler.Next(0, 10 * US - 1), nullptr);
    EXPECT_EQ(bench.scheduler.Next(0, 10 * US), qp);
}

TEST(QpScheduler, ShiftMovesTheEndByTheDifferenceOfWholeGaps)
{
    Bench bench;
    QueuePair* qp = bench.Add(GBPS, 3, 1000000, QueuePair::Repacing::SHIFT);
    bench.Send(qp, 0);
    bench.puppets[0]->Set(2 * GBPS);
    bench.scheduler.Repace(qp, 2 * US);
    EXPECT_EQ(qp->nextAvailPs, 4 * US); // 8 us less 8 us - 4 us, however much has passed
    EXPECT_EQ(bench.scheduler.NextTimerPs(), 4 * US);
    bench.puppets[0]->Set(GBPS / 2);
    bench.scheduler.Repace(qp, 3 * US);
    EXPECT_EQ(qp->nextAvailPs, 16 * US);
}

TEST(QpScheduler, ShiftLeavesABurstUnderWayAlone)
{
    Bench bench;
    QueuePair* qp = bench.Add(GBPS, 3, 1000000, QueuePair::Repacing::SHIFT, 0, 2000);
    bench.Send(qp, 0);
    bench.scheduler.Next(0, 0);
    bench.Send(qp, 0); // the burst is complete: a gap of 16 us
    EXPECT_EQ(bench.scheduler.Next(0, 16 * US), qp);
    bench.Send(qp, 16 * US);
    EXPECT_EQ(qp->nextAvailPs, 16 * US);
    bench.puppets[0]->Set(GBPS / 4);
    bench.scheduler.Repace(qp, 16 * US);
    EXPECT_EQ(qp->nextAvailPs, 16 * US); // and not the last burst's 48 us later
}

// A packet due at 8 us that the port lets go only at 20 us: the next one is due at 16 us, so that
// what has been held up follows at once.
TEST(QpScheduler, ByTheDueClockThePortDelaysNoGap)
{
    for (const bool dueClock : {false, true})
    {
        Bench bench;
        QueuePair* qp = bench.Add(GBPS, 3, 1000000, QueuePair::Repacing::STRETCH, 0, 0, dueClock);
        bench.scheduler.Resume(qp, 0, 0);
        ASSERT_EQ(bench.scheduler.Next(0, 0), qp);
        bench.Send(qp, 0);
        ASSERT_EQ(bench.scheduler.Next(0, 20 * US), qp);
        EXPECT_EQ(QpScheduler::DueBytes(*qp, 20 * US), 1000u + 12 * 125) << "since 8 us";
        bench.Send(qp, 20 * US);
        EXPECT_EQ(qp->nextAvailPs, dueClock ? 16 * US : 28 * US);
        EXPECT_EQ(bench.scheduler.Next(0, 20 * US), dueClock ? qp : nullptr);
        EXPECT_EQ(QpScheduler::DueBytes(*qp, 20 * US), dueClock ? 1000u + 4 * 125 : 0u);
    }
}

// What could not be sent before has not been due before.
TEST(QpScheduler, ByTheDueClockNothingIsDueBeforeItCouldBeSent)
{
    Bench bench;
    QueuePair* qp = bench.Add(GBPS, 3, 2, QueuePair::Repacing::STRETCH, 0, 0, true);
    bench.scheduler.Resume(qp, 0, 0);
    for (const int64_t atPs : {0 * US, 8 * US})
    {
        ASSERT_EQ(bench.scheduler.Next(0, atPs), qp);
        bench.Send(qp, atPs);
    }
    EXPECT_EQ(QpScheduler::DueBytes(*qp, 50 * US), 0u) << "all is sent";
    qp->Post(1500, 1, 50 * US);
    bench.scheduler.Resume(qp, 50 * US, 50 * US);
    EXPECT_EQ(qp->nextAvailPs, 50 * US);
    EXPECT_EQ(QpScheduler::DueBytes(*qp, 50 * US), 1000u);
    EXPECT_EQ(QpScheduler::DueBytes(*qp, 90 * US), 1500u) << "not more than there is";
}

TEST(QpScheduler, OneThatHasNeverSentHasAPacketDue)
{
    Bench bench;
    EXPECT_EQ(QpScheduler::DueBytes(*bench.Add(GBPS), 50 * US), 1000u);
}

TEST(QpScheduler, WithoutRepacingTheRateHoldsFromTheNextPacketOn)
{
    Bench bench;
    QueuePair* qp = bench.Add(GBPS, 3, 1000000, QueuePair::Repacing::NONE);
    bench.Send(qp, 0);
    bench.puppets[0]->Set(2 * GBPS);
    bench.scheduler.Repace(qp, 2 * US);
    EXPECT_EQ(qp->nextAvailPs, 8 * US);
    ASSERT_EQ(bench.scheduler.Next(0, 8 * US), qp);
    bench.Send(qp, 8 * US);
    EXPECT_EQ(qp->nextAvailPs, 12 * US);
}

TEST(QpScheduler, GapsAreCutToTicks)
{
    Bench bench;
    QueuePair* qp = bench.Add(3 * GBPS, 3, 1000000, QueuePair::Repacing::SHIFT, 1000);
    bench.Send(qp, 500);
    EXPECT_EQ(qp->nextAvailPs, 500 + 2666000); // 2666.67 ns
    bench.puppets[0]->Set(7 * GBPS);
    bench.scheduler.Repace(qp, 1000);
    EXPECT_EQ(qp->nextAvailPs, 500 + 1142000); // 1142.86 ns
}

TEST(QpScheduler, RateThatRisesByItselfIsNoticedWhileWaiting)
{
    Bench bench;
    QueuePair* qp = bench.Add(GBPS);
    bench.puppets[0]->changePs = 2 * US;
    bench.puppets[0]->changedRateBps = 3 * GBPS;
    bench.Send(qp, 0);
    EXPECT_EQ(bench.scheduler.NextTimerPs(), 2 * US);
    EXPECT_EQ(bench.scheduler.Next(0, 2 * US), nullptr);
    EXPECT_EQ(bench.scheduler.Next(0, 4 * US), qp); // 6 us left at a third
    EXPECT_EQ(qp->nextAvailPs, 4 * US);
}

TEST(QpScheduler, ReadyOnesTakeTurns)
{
    Bench bench;
    std::vector<QueuePair*> all;
    for (int i = 0; i < 5; ++i)
    {
        all.push_back(bench.Add(100 * GBPS));
        bench.scheduler.Place(all.back(), 0, 0);
    }
    int64_t now = 0;
    for (int round = 0; round < 3; ++round)
    {
        for (QueuePair* expected : all)
        {
            QueuePair* qp = bench.scheduler.Next(0, now);
            ASSERT_EQ(qp, expected);
            now += 80000;
            bench.Send(qp, now - 80000);
        }
    }
}

TEST(QpScheduler, OneALittleSlowerThanTheLineGetsItsTurn)
{
    Bench bench;
    QueuePair* full = bench.Add(100000000000);
    QueuePair* slower = bench.Add(95000000000);
    bench.scheduler.Place(full, 0, 0);
    bench.scheduler.Place(slower, 0, 0);
    std::vector<int> turns(2);
    int64_t now = 0;
    for (int i = 0; i < 1000; ++i)
    {
        QueuePair* qp = bench.scheduler.Next(0, now);
        ASSERT_TRUE(qp);
        ++turns[qp == slower];
        const int64_t end = now + 86560; // 1082 bytes at 100 Gbit/s
        bench.scheduler.CountSent(qp, 1082, now);
        bench.scheduler.Place(qp, now, end);
        now = end;
    }
    EXPECT_EQ(turns, (std::vector<int>{500, 500}));
}

TEST(QpScheduler, NewcomerIsBeforeTheOneThatHasJustSent)
{
    Bench bench;
    QueuePair* old = bench.Add(100000000000);
    QueuePair* newcomer = bench.Add(100000000000);
    bench.scheduler.Place(old, 0, 0);
    ASSERT_EQ(bench.scheduler.Next(0, 0), old);
    bench.scheduler.CountSent(old, 1082, 0);
    bench.scheduler.Place(old, 0, 86560);
    EXPECT_TRUE(bench.scheduler.HasReady());
    bench.scheduler.Place(newcomer, 1000, 86560);
    EXPECT_EQ(bench.scheduler.Next(0, 86560), newcomer);
    EXPECT_EQ(bench.scheduler.Next(0, 86560), old);
}

TEST(QpScheduler, FullWindowStandsNowhere)
{
    Bench bench;
    QueuePair* qp = bench.Add(100 * GBPS);
    bench.puppets[0]->Set(100 * GBPS, 1);
    bench.scheduler.Place(qp, 0, 0);
    ASSERT_EQ(bench.scheduler.Next(0, 0), qp);
    bench.Send(qp, 0);
    EXPECT_EQ(qp->place, QueuePair::Place::NOWHERE);
    EXPECT_EQ(bench.scheduler.NextTimerPs(), NEVER_PS);
    EXPECT_FALSE(bench.scheduler.HasReady());
}

TEST(QpScheduler, PausedClassWaitsAndOthersGoOn)
{
    Bench bench;
    QueuePair* paused = bench.Add(100 * GBPS, 3);
    QueuePair* other = bench.Add(100 * GBPS, 4);
    bench.scheduler.Place(paused, 0, 0);
    bench.scheduler.Place(other, 0, 0);
    EXPECT_EQ(bench.scheduler.Next(1U << 3, 0), other);
    EXPECT_EQ(bench.scheduler.Next(1U << 3, 0), nullptr);
    EXPECT_EQ(bench.scheduler.Next(0, 0), paused);
}

TEST(QpScheduler, ThousandsOfPacedOnesComeInOrderOfTime)
{
    Bench bench;
    for (uint64_t i = 0; i < 10000; ++i)
    {
        bench.Send(bench.Add(GBPS + (i * 7919 % 10000) * 100000), 0);
    }
    int64_t last = 0;
    for (int i = 0; i < 10000; ++i)
    {
        const int64_t now = bench.scheduler.NextTimerPs();
        ASSERT_GE(now, last);
        last = now;
        QueuePair* qp = bench.scheduler.Next(0, now);
        ASSERT_NE(qp, nullptr);
        ASSERT_EQ(qp->nextAvailPs, now);
        while (bench.scheduler.HasReady()) // others with the very same time
        {
            bench.scheduler.Next(0, now);
            ++i;
        }
    }
    EXPECT_EQ(bench.scheduler.NextTimerPs(), NEVER_PS);
}

// A pacing quantum: so much back to back, then the gap for all of it, counted from its start.
TEST(QpScheduler, BurstsAreSentBackToBack)
{
    Bench bench;
    Ptr<Puppet> puppet = CreateObject<Puppet>();
    puppet->Set(8000000000); // 1000 bytes take 1 us
    QueuePair::Config config;
    config.mtuBytes = 1000;
    config.burstBytes = 3000;
    bench.qps.push_back(std::make_unique<QueuePair>(0, config, puppet, CreateObject<GoBackN>()));
    QueuePair* qp = bench.qps.back().get();
    const auto count = [&](int64_t atPs) { bench.scheduler.CountSent(qp, 1000, atPs); };
    count(0);
    EXPECT_EQ(qp->nextAvailPs, 0);
    count(100000);
    EXPECT_EQ(qp->nextAvailPs, 100000);
    count(200000);
    EXPECT_EQ(qp->nextAvailPs, 3000000);
    // One packet of the next burst, and then nothing for longer than its own gap: a new burst.
    count(3000000);
    count(10000000);
    count(10100000);
    EXPECT_EQ(qp->nextAvailPs, 10100000);
    count(10200000);
    EXPECT_EQ(qp->nextAvailPs, 13000000);
}
