// SPDX-License-Identifier: GPL-2.0-only
// What a sender knows of its packets, and their timeouts.
#include "roce-test-time.h"

#include "ns3/roce-congestion-control.h"
#include "ns3/roce-sent-packets.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace ns3;
using namespace ns3::roce;

namespace
{

using State = SentPackets::State;
constexpr int64_t RTO = 1000;

SentPackets::Packet
Sent(int64_t nowPs, uint16_t entropy = 0)
{
    SentPackets::Packet packet;
    packet.sentPs = nowPs;
    packet.inflightBytes = 100;
    packet.entropy = entropy;
    return packet;
}

/// Takes out what is due, as a loss recovery does.
std::vector<uint64_t>
Expire(SentPackets& sent, uint64_t base, int64_t nowPs)
{
    std::vector<uint64_t> psns;
    for (uint64_t psn; sent.PopDue(base, RTO, nowPs, psn);)
    {
        sent.At(psn).state = State::LOST;
        psns.push_back(psn);
    }
    return psns;
}

} // namespace

TEST(SentPackets, EachPacketHasItsTimeout)
{
    SentPackets sent;
    sent.SetBackoff(8);
    EXPECT_EQ(sent.NextDuePs(0, RTO), NEVER_PS);
    for (uint64_t psn = 0; psn < 5; ++psn)
    {
        sent.OnSend(psn, 0, Sent(static_cast<int64_t>(10 * psn)));
    }
    EXPECT_EQ(sent.NextDuePs(0, RTO), RTO);
    sent.At(0).state = State::ARRIVED;
    EXPECT_EQ(sent.NextDuePs(0, RTO), RTO + 10);
    EXPECT_TRUE(Expire(sent, 0, RTO + 9).empty());
    EXPECT_EQ(Expire(sent, 0, RTO + 20), (std::vector<uint64_t>{1, 2}));
    EXPECT_EQ(sent.NextDuePs(0, RTO), RTO + 30);
    EXPECT_EQ(sent.NextDuePs(4, RTO), RTO + 40); // below the base nothing is due
}

TEST(SentPackets, TimeoutsDoubleForThePacketThatIsRepeated)
{
    for (const uint32_t backoff : {1U, 2U, 8U, 11U, 128U})
    {
        SentPackets sent;
        sent.SetBackoff(backoff);
        int64_t now = 0;
        uint32_t factor = 1;
        for (int i = 0; i < 300; ++i) // repetitions are counted to 255
        {
            sent.OnSend(0, 0, Sent(now));
            ASSERT_EQ(sent.DuePs(0, RTO), now + RTO * factor) << i;
            ASSERT_EQ(sent.NextDuePs(0, RTO), now + RTO * factor) << i;
            now += RTO * factor;
            ASSERT_TRUE(Expire(sent, 0, now - 1).empty());
            ASSERT_EQ(Expire(sent, 0, now).size(), 1u);
            factor = 2 * factor <= backoff ? 2 * factor : factor;
        }
        EXPECT_EQ(factor, backoff == 11 ? 8 : backoff);
        EXPECT_EQ(sent.At(0).repeats, 255u);
        // Others are not concerned.
        sent.OnSend(1, 0, Sent(now));
        EXPECT_EQ(sent.NextDuePs(0, RTO), now + RTO);
    }
}

TEST(SentPackets, RepeatsComeInOrderOnceAndOnlyIfWanted)
{
    SentPackets sent;
    sent.SetBackoff(1);
    for (uint64_t psn = 0; psn < 5; ++psn)
    {
        sent.OnSend(psn, 0, Sent(0));
        sent.At(psn).state = State::LOST;
    }
    uint64_t psn = 99;
    EXPECT_FALSE(sent.PeekRepeat(0, psn));
    for (uint64_t p : {3, 1, 4, 0})
    {
        sent.PushRepeat(p);
        EXPECT_EQ(sent.At(p).state, State::WAITING);
    }
    sent.At(3).state = State::ARRIVED;
    ASSERT_TRUE(sent.PeekRepeat(0, psn));
    EXPECT_EQ(psn, 1u);
    sent.PopRepeat();
    sent.OnSend(1, 0, Sent(5));
    EXPECT_EQ(sent.At(1).repeats, 1u);
    for (uint64_t p = 0; p < 4; ++p)
    {
        sent.Retire(p);
    }
    ASSERT_TRUE(sent.PeekRepeat(4, psn)); // 0 is below the base
    EXPECT_EQ(psn, 4u);
    sent.PopRepeat();
    EXPECT_FALSE(sent.PeekRepeat(4, psn));
}

TEST(SentPackets, WhatIsRetiredIsRememberedForAWhile)
{
    SentPackets sent;
    sent.SetBackoff(1);
    const uint64_t n = 3 * SentPackets::HISTORY;
    for (uint64_t psn = 0; psn < n; ++psn)
    {
        sent.OnSend(psn, psn, Sent(0, static_cast<uint16_t>(psn)));
        sent.At(psn).state = psn % 2 ? State::ARRIVED : State::OUT;
        sent.Retire(psn); // the base is psn + 1
        for (uint64_t old = psn - std::min(psn, SentPackets::HISTORY - 1); old <= psn; ++old)
        {
            ASSERT_EQ(sent.At(old).state, old % 2 ? State::ARRIVED : State::SPARED);
            ASSERT_EQ(sent.At(old).entropy, static_cast<uint16_t>(old));
        }
        ASSERT_EQ(sent.NextDuePs(psn + 1, RTO), NEVER_PS);
    }
}

namespace
{

/// The same without any economy.
struct Model
{
    struct Packet
    {
        State state{State::UNSENT};
        int64_t sentPs{0};
        unsigned repeats{0};
    };

    int64_t DuePs(const Packet& p) const
    {
        return p.sentPs + (RTO << std::min(p.repeats, maxLevel));
    }

    std::map<uint64_t, Packet> packets;
    std::deque<uint64_t> repeats;
    unsigned maxLevel{0};
};

} // namespace

class SentPacketsRandom : public ::testing::TestWithParam<unsigned>
{
};

TEST_P(SentPacketsRandom, AgreesWithAPlainModel)
{
    std::mt19937_64 rng(GetParam());
    SentPackets sent;
    Model model;
    model.maxLevel = rng() % 8;
    sent.SetBackoff(1U << model.maxLevel);
    uint64_t base = 0;
    uint64_t next = 0;
    int64_t now = 0;
    const uint64_t window = 1 + rng() % 600;
    for (int i = 0; i < 20000; ++i)
    {
        now += static_cast<int64_t>(rng() % 20);
        switch (rng() % 8)
        {
        case 0: { // the base moves, sometimes past what has been sent
            const uint64_t far = base + rng() % 40;
            const uint64_t end = std::min(far, next + (next ? rng() % 3 : 0));
            for (; base < end; ++base)
            {
                Model::Packet& p = model.packets[base];
                p.state = p.state == State::OUT                                 ? State::SPARED
                          : p.state == State::LOST || p.state == State::WAITING ? State::WRITTEN_OFF
                                                                                : p.state;
                const auto old = sent.Retire(base);
                const uint64_t oldPsn = base - std::min(base, SentPackets::HISTORY);
                if (base < SentPackets::HISTORY)
                {
                    ASSERT_EQ(old.state, State::UNSENT);
                }
                else if (model.packets[oldPsn].state != State::UNSENT)
                {
                    ASSERT_EQ(old.state, model.packets[oldPsn].state);
                    ASSERT_EQ(old.entropy, static_cast<uint16_t>(oldPsn));
                }
            }
            next = std::max(next, base);
            break;
        }
        case 1: // something arrives
            if (base < next)
            {
                const uint64_t psn = base + rng() % (next - base);
                if (model.packets[psn].state != State::UNSENT)
                {
                    model.packets[psn].state = sent.At(psn).state = State::ARRIVED;
                }
            }
            break;
        case 2: // something is taken for lost, and perhaps sent again later
            if (base < next)
            {
                const uint64_t psn = base + rng() % (next - base);
                if (model.packets[psn].state == State::OUT)
                {
                    model.packets[psn].state = sent.At(psn).state = State::LOST;
                    if (rng() % 2)
                    {
                        sent.PushRepeat(psn);
                        model.packets[psn].state = State::WAITING;
                        model.repeats.push_back(psn);
                    }
                }
            }
            break;
        case 3: {
            uint64_t psn = 0;
            const bool some = sent.PeekRepeat(base, psn);
            while (!model.repeats.empty() &&
                   (model.repeats.front() < base ||
                    model.packets[model.repeats.front()].state != State::WAITING))
            {
                model.repeats.pop_front();
            }
            ASSERT_EQ(some, !model.repeats.empty());
            if (some)
            {
                ASSERT_EQ(psn, model.repeats.front());
                model.repeats.pop_front();
                sent.PopRepeat();
                ++now; // nothing is sent twice at one time
                sent.OnSend(psn, base, Sent(now, static_cast<uint16_t>(psn)));
                Model::Packet& p = model.packets[psn];
                p = {State::OUT, now, std::min(p.repeats + 1, 255U)};
            }
            break;
        }
        default:
            if (next < base + window)
            {
                sent.OnSend(next, base, Sent(now, static_cast<uint16_t>(next)));
                model.packets[next] = {State::OUT, now, 0};
                ++next;
            }
        }
        int64_t due = NEVER_PS;
        std::size_t nDue = 0;
        for (auto it = model.packets.lower_bound(base); it != model.packets.end(); ++it)
        {
            const Model::Packet& p = it->second;
            if (p.state == State::OUT)
            {
                due = std::min(due, model.DuePs(p));
                nDue += model.DuePs(p) <= now;
            }
        }
        ASSERT_EQ(sent.NextDuePs(base, RTO), due);
        const auto expired = Expire(sent, base, now);
        ASSERT_EQ(expired.size(), nDue);
        for (const uint64_t psn : expired)
        {
            ASSERT_LE(model.DuePs(model.packets[psn]), now);
            model.packets[psn].state = State::LOST;
        }
        if (i % 50 == 0)
        {
            for (uint64_t psn = base - std::min(base, SentPackets::HISTORY); psn < next; ++psn)
            {
                const Model::Packet& p = model.packets[psn];
                if (p.state != State::UNSENT)
                {
                    ASSERT_EQ(sent.At(psn).state, p.state) << psn << ", " << base << "-" << next;
                    ASSERT_EQ(sent.At(psn).sentPs, p.sentPs);
                    ASSERT_EQ(sent.At(psn).repeats, p.repeats);
                    ASSERT_EQ(sent.At(psn).entropy, static_cast<uint16_t>(psn));
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SentPacketsRandom, ::testing::Range(1u, 13u));
