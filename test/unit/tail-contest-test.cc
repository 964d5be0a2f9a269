// SPDX-License-Identifier: GPL-2.0-only
// Who gets the last place of a drop-tail queue: each of the frames that want it, equally often.
#include "ns3/roce-hash.h"
#include "ns3/roce-tail-contest.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

using namespace ns3::roce;

namespace
{

/// @return a frame of a sender. @param id its number
Frame
Sent(uint32_t id)
{
    Frame frame{};
    frame.psn = id;
    frame.timePs = 100 + id;
    return frame;
}

TEST(TailContest, EachGetsThePlaceEquallyOften)
{
    constexpr unsigned SENDERS = 5;
    constexpr unsigned TRIALS = 20000;
    TailContest contest;
    contest.SetUp(1);
    std::array<unsigned, SENDERS> won{};
    uint64_t draws = 0;
    for (unsigned trial = 0; trial < TRIALS; ++trial)
    {
        Frame last = Sent(0);
        last.timePs = 1000 * (trial + 1); // a new place
        for (unsigned id = 1; id < SENDERS; ++id)
        {
            Frame other = Sent(id);
            other.timePs = last.timePs;
            contest.Run(last, other, 0, Mix64(++draws), false);
        }
        ++won.at(last.psn);
    }
    const double mean = TRIALS / static_cast<double>(SENDERS);
    for (unsigned id = 0; id < SENDERS; ++id)
    {
        EXPECT_NEAR(won[id], mean, 4.5 * std::sqrt(mean * (1 - 1.0 / SENDERS))) << "sender " << id;
    }
}

TEST(TailContest, TheNextPlaceIsANewContest)
{
    TailContest contest;
    contest.SetUp(2);
    Frame last = Sent(0);
    for (uint32_t id = 1; id < 100; ++id)
    {
        Frame other = Sent(id);
        contest.Run(last, other, 0, 1, false); // 1 is no multiple: nobody wins
    }
    EXPECT_EQ(last.psn, 0u);
    Frame next = Sent(7);
    Frame other = Sent(8);
    contest.Run(next, other, 0, 2, false);
    EXPECT_EQ(next.psn, 8u)
        << "the first of two has a half, whatever was refused for the place before";
    Frame elsewhere = Sent(9);
    Frame third = Sent(10);
    contest.Run(elsewhere, third, 1, 2, false);
    EXPECT_EQ(elsewhere.psn, 10u) << "ports have contests of their own";
}

TEST(TailContest, OrderAndMarkStayWithThePlace)
{
    for (const bool keepsMark : {false, true})
    {
        TailContest contest;
        contest.SetUp(1);
        Frame behind = Sent(3);
        Frame last = Sent(1);
        Frame other = Sent(2);
        last.next = &behind;
        last.ecn = ECN_CE;
        other.ecn = ECN_ECT0;
        contest.Run(last, other, 0, 2, keepsMark);
        EXPECT_EQ(last.psn, 2u);
        EXPECT_EQ(last.next, &behind) << "the queue's links";
        EXPECT_EQ(last.ecn, keepsMark ? ECN_CE : ECN_ECT0);
        EXPECT_EQ(other.ecn, keepsMark ? ECN_ECT0 : ECN_CE);
    }
}

} // namespace
