// SPDX-License-Identifier: GPL-2.0-only
// UnoCC's epochs and Quick Adapt, without a rate law around them.
#include "roce-test-time.h"

#include "ns3/roce-uno-window.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr int64_t R = 14 * US;
constexpr double MTU = 4096;

constexpr UnoEpoch::Rules EPOCH{1.0 / 16, 1, true, false, false};

UnoAck
Ack(double nowUs, double sentUs, uint32_t marked = 0, uint32_t packets = 1)
{
    UnoAck ack;
    ack.nowPs = static_cast<int64_t>(nowUs * US);
    ack.sentPs = static_cast<int64_t>(sentUs * US);
    ack.relDelayPs = ack.nowPs - ack.sentPs - R;
    ack.bytes = packets * MTU;
    ack.packets = packets;
    ack.marked = marked;
    ack.hasMore = true;
    return ack;
}

/// Paper's rules without the parts that tests add one by one.
QuickAdapt::Rules
PlainRules()
{
    return {true, 0.5, 1, false, 0, false, true, 0, false};
}

constexpr QuickAdapt::Limits LIMITS{0, MTU, R};
constexpr QuickAdapt::Limits GUARDED{MTU, MTU, R};

/// A flow with the window cwnd and periods of R, the first of which opens at R.
struct Flow
{
    explicit Flow(double window, const QuickAdapt::Rules& r = PlainRules())
        : rules(r),
          cwnd(window)
    {
        qa.Start(0);
        Take(R, 0, 0);
    }

    /// @return whether Quick Adapt has acted
    bool Take(int64_t nowPs, double bytes, int64_t sentPs = INT64_MIN, bool hasMore = true)
    {
        UnoAck ack;
        ack.nowPs = nowPs;
        ack.sentPs = sentPs;
        ack.bytes = bytes;
        ack.hasMore = hasMore;
        ack.cwndBytes = cwnd;
        const uint64_t hits = qa.GetHits();
        cwnd = qa.OnAck(ack, R, rules, limits);
        return qa.GetHits() != hits;
    }

    bool Timer()
    {
        const uint64_t hits = qa.GetHits();
        cwnd = qa.OnTimer(cwnd, R, rules, limits);
        return qa.GetHits() != hits;
    }

    QuickAdapt qa;
    QuickAdapt::Rules rules;
    QuickAdapt::Limits limits{LIMITS};
    double cwnd;
};

} // namespace

// T3 of the specification.
TEST(UnoEpoch, Average)
{
    const auto run = [](double init, const std::vector<std::pair<uint32_t, double>>& steps) {
        UnoEpoch::Rules rules = EPOCH;
        rules.init = init;
        UnoEpoch epoch;
        epoch.Start(rules);
        EXPECT_EQ(epoch.GetEwma(), init);
        ASSERT_FALSE(epoch.OnAck(Ack(14, 0, 0, 0), R, rules));
        double us = 14;
        for (const auto& [marked, expected] : steps)
        {
            const double before = epoch.GetEwma();
            ASSERT_TRUE(epoch.OnAck(Ack(us + 14, us, marked, 2), R, rules));
            EXPECT_EQ(epoch.GetShare(), marked / 2.0);
            EXPECT_NEAR(epoch.GetEwma(), expected, 1e-10);
            EXPECT_EQ(epoch.GetEwmaBefore(), before);
            EXPECT_EQ(epoch.GetBytes(), 2 * MTU);
            us += 14;
        }
    };
    run(1,
        {{1, 0.96875}, {0, 0.908203125}, {2, 0.9139404297}, {0, 0.8568191528}, {0, 0.8032679558}});
    run(0, {{2, 0.0625}, {2, 0.12109375}, {2, 0.176025390625}});
}

// T6 of the specification: us of arrival and sending, mark; then what both readings make of it.
TEST(UnoEpoch, Trace)
{
    struct Row
    {
        double nowUs, sentUs;
        uint32_t marked;
        double share; //!< -1: does not end an epoch
        double literalUs, catchUpUs;
        double catchUpShare;
    };

    const Row rows[] = {{14, 0, 0, -1, 14, 14, -1},
                        {20, 6, 1, -1, 14, 14, -1},
                        {28, 14, 0, 1.0 / 3, 28, 28, 1.0 / 3},
                        {36, 22, 0, -1, 28, 28, -1},
                        {42, 28, 1, 0.5, 42, 42, 0.5},
                        {70, 56, 0, 0, 56, 56, 0},
                        {200, 186, 1, 1, 70, 186, 1},
                        {201, 187, 1, 1, 84, 200, 1},
                        {202, 188, 1, 1, 98, 200, -1},
                        {215, 201, 1, 1, 112, 214, 1}};
    for (const bool catchUp : {false, true})
    {
        UnoEpoch::Rules rules = EPOCH;
        rules.catchUp = catchUp;
        UnoEpoch epoch;
        epoch.Start(rules);
        int afterGap = 0;
        for (const Row& row : rows)
        {
            const double share = catchUp ? row.catchUpShare : row.share;
            const bool ended = epoch.OnAck(Ack(row.nowUs, row.sentUs, row.marked), R, rules);
            EXPECT_EQ(ended, share >= 0) << row.nowUs << " " << catchUp;
            if (ended)
            {
                EXPECT_DOUBLE_EQ(epoch.GetShare(), share) << row.nowUs;
                afterGap += row.nowUs >= 200;
            }
            EXPECT_EQ(epoch.GetEndPs(), (catchUp ? row.catchUpUs : row.literalUs) * US)
                << row.nowUs;
        }
        EXPECT_EQ(afterGap, catchUp ? 3 : 4);
    }
}

TEST(UnoEpoch, DelayIsTheLeastOfMarkedOrTheLast)
{
    for (const bool last : {false, true})
    {
        UnoEpoch::Rules rules = EPOCH;
        rules.lastDelay = last;
        UnoEpoch epoch;
        epoch.Start(rules);
        epoch.OnAck(Ack(14, 0), R, rules);
        epoch.OnAck(Ack(20, 3, 1), R, rules); // 3 us late
        epoch.OnAck(Ack(22, 6, 1), R, rules); // 2 us
        epoch.OnAck(Ack(23, 9, 0), R, rules); // none, but not marked
        UnoAck untimed = Ack(24, 0, 1);
        untimed.sentPs = INT64_MIN;
        untimed.relDelayPs = -R;
        EXPECT_FALSE(epoch.OnAck(untimed, R, rules));
        EXPECT_TRUE(epoch.OnAck(Ack(35, 14, 1), R, rules)); // 7 us
        EXPECT_EQ(epoch.GetShare(), 4.0 / 6) << "untimed ACKs count";
        EXPECT_EQ(epoch.GetDelayPs(), (last ? 7 : 2) * US);
        EXPECT_TRUE(epoch.OnAck(Ack(42, 28), R, rules)); // nothing marked, nothing of the old one
        EXPECT_EQ(epoch.GetDelayPs(), last ? 0 : INT64_MAX);
    }
}

TEST(UnoEpoch, SharesOfBytes)
{
    for (const bool bytes : {false, true})
    {
        UnoEpoch::Rules rules = EPOCH;
        rules.byBytes = bytes;
        UnoEpoch epoch;
        epoch.Start(rules);
        UnoAck small = Ack(14, 0, 1);
        small.bytes = 1000;
        epoch.OnAck(small, R, rules);
        UnoAck large = Ack(28, 14, 1, 2);
        large.bytes = 8000;
        EXPECT_TRUE(epoch.OnAck(large, R, rules));
        EXPECT_DOUBLE_EQ(epoch.GetShare(), bytes ? 5000.0 / 9000 : 2.0 / 3);
        EXPECT_EQ(epoch.GetBytes(), 9000);
    }
}

TEST(UnoEpoch, ClosedUntilAWindowHasBeenSent)
{
    UnoEpoch epoch;
    epoch.Start(EPOCH);
    epoch.OnAck(Ack(14, 0), R, EPOCH);
    epoch.OnAck(Ack(15, 1, 1), R, EPOCH);
    epoch.CloseUntilSent(10000);
    epoch.OnSend(20 * US, MTU);
    EXPECT_FALSE(epoch.OnAck(Ack(40, 26, 1), R, EPOCH));
    epoch.OnSend(41 * US, MTU);
    EXPECT_FALSE(epoch.OnAck(Ack(42, 28, 1), R, EPOCH));
    EXPECT_EQ(epoch.GetEwma(), 1);
    epoch.OnSend(43 * US, MTU); // 12 288 bytes
    EXPECT_EQ(epoch.GetEndPs(), 43 * US);
    epoch.OnSend(44 * US, MTU);
    EXPECT_EQ(epoch.GetEndPs(), 43 * US);
    EXPECT_FALSE(epoch.OnAck(Ack(50, 42), R, EPOCH)); // sent before, counts for the first epoch
    EXPECT_TRUE(epoch.OnAck(Ack(57, 43, 1), R, EPOCH));
    EXPECT_EQ(epoch.GetShare(), 0.5);
}

// T5 of the specification.
TEST(QuickAdapt, Table)
{
    const auto after = [](double cwnd, double bytes) {
        Flow flow(cwnd);
        flow.Take(2 * R, bytes);
        return flow.cwnd;
    };
    EXPECT_EQ(after(175000, 90000), 175000);
    EXPECT_EQ(after(175000, 87500), 175000); // not less than half
    EXPECT_EQ(after(175000, 80000), 80000);
    EXPECT_EQ(after(25e6, 12.4e6), 12.4e6);
    EXPECT_EQ(after(175000, 100), MTU); // not below MinCwnd
}

TEST(QuickAdapt, PeriodIsOneRttAndItsLastAckCountsForIt)
{
    Flow flow(175000);
    EXPECT_FALSE(flow.Take(2 * R - 1, 40000)); // not over
    EXPECT_EQ(flow.qa.GetBytes(), 40000);
    EXPECT_FALSE(flow.Take(2 * R, 50000));
    EXPECT_EQ(flow.qa.GetBytes(), 0);
    EXPECT_FALSE(flow.Take(3 * R - 1, 40000));
    EXPECT_TRUE(flow.Take(3 * R, 40000));
    EXPECT_EQ(flow.cwnd, 80000);
}

TEST(QuickAdapt, SilenceAfterAHit)
{
    Flow flow(175000);
    flow.limits.silencePs = R * 3 / 2;
    const int64_t t = 2 * R + 5;
    EXPECT_FALSE(flow.qa.IsSilent(t));
    EXPECT_TRUE(flow.Take(t, 80000));
    EXPECT_TRUE(flow.qa.IsSilent(t));
    EXPECT_FALSE(flow.Take(t + R, 10000)); // would act, but for the silence
    EXPECT_TRUE(flow.qa.IsSilent(t + R * 3 / 2 - 1));
    EXPECT_FALSE(flow.qa.IsSilent(t + R * 3 / 2));
    EXPECT_TRUE(flow.Take(t + 2 * R, 10000));
    EXPECT_EQ(flow.cwnd, 10000);
    EXPECT_EQ(flow.qa.GetHits(), 2u);
}

TEST(QuickAdapt, ReferenceIsTheSmallerOfTwoWindows)
{
    // 4096 bytes at the start of the period before, then the window jumps
    for (const bool current : {false, true})
    {
        QuickAdapt::Rules rules = PlainRules();
        rules.current = current;
        Flow flow(MTU, rules);
        EXPECT_FALSE(flow.Take(2 * R, MTU));
        flow.cwnd = 100000;
        EXPECT_EQ(flow.Take(3 * R, MTU), current); // reference: 4096
    }
    Flow flow(MTU);
    EXPECT_FALSE(flow.Take(2 * R, MTU));
    flow.cwnd = 100000;
    EXPECT_FALSE(flow.Take(3 * R, MTU));   // 4096 twice
    EXPECT_FALSE(flow.Take(4 * R, 20000)); // 4096, then 100 000
    EXPECT_TRUE(flow.Take(5 * R, 20000));  // 100 000 twice
}

// The trap of the specification's T5: above two packets, the last RTT still delivered one.
TEST(QuickAdapt, GuardOfOnePacket)
{
    for (const bool guard : {true, false})
    {
        QuickAdapt::Rules rules = PlainRules();
        rules.current = true;
        Flow flow(MTU, rules);
        flow.limits = guard ? GUARDED : LIMITS;
        EXPECT_FALSE(flow.Take(2 * R, MTU));
        flow.cwnd = 8193;
        EXPECT_EQ(flow.Take(3 * R, MTU), !guard);
        EXPECT_EQ(flow.cwnd, guard ? 8193 : MTU);
    }
    Flow flow(4 * MTU + 1); // and a packet more
    flow.limits = GUARDED;
    EXPECT_TRUE(flow.Take(2 * R, MTU));
}

TEST(QuickAdapt, NeverRaises)
{
    Flow flow(175000);
    flow.cwnd = 20000; // other cuts
    EXPECT_TRUE(flow.Take(2 * R, 80000));
    EXPECT_EQ(flow.cwnd, 20000);
}

TEST(QuickAdapt, Scale)
{
    QuickAdapt::Rules rules = PlainRules();
    rules.scale = 0.96;
    Flow flow(175000, rules);
    EXPECT_TRUE(flow.Take(2 * R, 50000));
    EXPECT_DOUBLE_EQ(flow.cwnd, 48000);
    EXPECT_FALSE(Flow(175000, {false, 0.5, 1, false, 0, false, true, 1.5, false}).Take(2 * R, 0));
}

TEST(QuickAdapt, FirstPeriodAndApplicationLimited)
{
    QuickAdapt::Rules rules = PlainRules();
    rules.skipFirst = true;
    Flow first(175000, rules);
    EXPECT_FALSE(first.Take(2 * R, 1000));
    EXPECT_TRUE(first.Take(3 * R, 1000));
    for (const bool skip : {true, false})
    {
        rules = PlainRules();
        rules.skipAppLimited = skip;
        Flow flow(175000, rules);
        EXPECT_FALSE(flow.Take(2 * R - 100, 0, INT64_MIN, false)); // no more data for a moment
        EXPECT_EQ(flow.Take(2 * R, 1000), !skip);
        if (skip)
        {
            EXPECT_FALSE(flow.Take(3 * R, 1000)) << "a window that was let go in the gap";
            EXPECT_TRUE(flow.Take(4 * R, 1000));
        }
    }
}

TEST(QuickAdapt, TimerEndsAPeriodWithoutAcks)
{
    QuickAdapt::Rules rules = PlainRules();
    Flow none(175000, rules);
    EXPECT_EQ(none.qa.GetTimerPs(rules), INT64_MAX);
    rules.timerPeriods = 1.5;
    Flow flow(175000, rules);
    flow.limits = GUARDED;
    EXPECT_EQ(flow.qa.GetTimerPs(rules), R + R * 3 / 2);
    flow.Take(R + 10, 20000);
    EXPECT_EQ(flow.qa.GetTimerPs(rules), R + R * 3 / 2);
    EXPECT_TRUE(flow.Timer()); // what came before counts
    EXPECT_EQ(flow.cwnd, 20000);
    EXPECT_EQ(flow.qa.GetTimerPs(rules), R + R * 3);
    EXPECT_TRUE(flow.Timer());
    EXPECT_EQ(flow.cwnd, MTU);
    EXPECT_FALSE(flow.Timer()); // one packet is not a share of one
    EXPECT_EQ(flow.qa.GetTimerPs(rules), INT64_MAX) << "nothing more can come of it";
    const int64_t late = 100 * R;
    EXPECT_FALSE(flow.Take(late, MTU));
    EXPECT_EQ(flow.qa.GetTimerPs(rules), late + R * 3 / 2);
    // without data to send nothing is missing
    flow.Take(late + 1, MTU, INT64_MIN, false);
    EXPECT_EQ(flow.qa.GetTimerPs(rules), INT64_MAX);
    flow.Take(late + 2 * R, MTU);
    EXPECT_EQ(flow.qa.GetTimerPs(rules), INT64_MAX);
    flow.Take(late + 3 * R, MTU);
    EXPECT_NE(flow.qa.GetTimerPs(rules), INT64_MAX);
}

TEST(QuickAdapt, RestartsWithWhatWasSentSince)
{
    QuickAdapt::Rules rules = PlainRules();
    rules.restartWhenSent = true;
    Flow flow(175000, rules);
    flow.limits.silencePs = 0;
    EXPECT_TRUE(flow.Take(2 * R, 50000, R));
    EXPECT_FALSE(flow.Take(3 * R, 1000, 2 * R - 1)); // sent before: nothing is open
    EXPECT_FALSE(flow.Take(4 * R, 1000, 2 * R - 1));
    EXPECT_FALSE(flow.Take(5 * R - 1, 1000, 2 * R)); // left before the window was cut
    EXPECT_FALSE(flow.Take(5 * R, 1000, 2 * R + 1)); // opens one, and does not count
    EXPECT_EQ(flow.qa.GetBytes(), 0);
    EXPECT_TRUE(flow.Take(6 * R, 1000, 5 * R));
    EXPECT_EQ(flow.cwnd, MTU);
}
