// SPDX-License-Identifier: GPL-2.0-only
// What every loss recovery keeps to: all of the module, over a channel that loses, delays and
// doubles frames. What one of them does about a loss is in its own tests.
#include "roce-recovery-fixture.h"
#include "roce-variants.h"
// Uno may not be in this build.
#if __has_include("roce-test-erasure.h")
#include "roce-test-erasure.h"
#define ROCE_TEST_ERASURE
#endif

#include "ns3/roce-retransmission-timers.h"

#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr uint64_t MESSAGES = 25;

const PathInfo PATH = [] {
    PathInfo path = MakePath(G100, 100 * US, 1100, 9);
    path.interDc = true;
    return path;
}();

/// Loses, delays and doubles frames, in steps of a microsecond.
struct Channel
{
    void Put(const Frame& frame, int64_t nowPs, std::mt19937_64& rng)
    {
        if (rng() % 100 >= lossPercent)
        {
            const auto delay = static_cast<int64_t>(50 + rng() % (1 + jitterUs));
            frames.emplace(nowPs + delay * US, frame);
            if (rng() % 100 == 0)
            {
                frames.emplace(nowPs + 2 * delay * US, frame);
            }
        }
    }

    template <typename F>
    void Take(int64_t nowPs, F&& arrive)
    {
        while (!frames.empty() && frames.begin()->first <= nowPs)
        {
            const Frame frame = frames.begin()->second;
            frames.erase(frames.begin());
            arrive(frame);
        }
    }

    uint64_t lossPercent{0};
    uint64_t jitterUs{0};
    std::multimap<int64_t, Frame> frames;
};

/// A sender whose timeout is served as a NIC does.
struct TimedSender : RecoverySender
{
    TimedSender(const Ptr<LossRecovery>& prototype, const PathInfo& path, uint64_t window)
        : RecoverySender(prototype, path, window),
          queuePairs(qp.GetQpn() + 1),
          timers(queuePairs)
    {
        queuePairs.back().reset(&qp);
        RetransmissionTimers::Open(qp, 400 * US);
    }

    ~TimedSender()
    {
        queuePairs.back().release(); // it is a member
    }

    Frame SendTimed(int64_t nowPs)
    {
        const Frame frame = Send(nowPs);
        timers.OnSend(qp, frame, nowPs);
        return frame;
    }

    QueuePair::AckResult AckTimed(const Frame& ack, int64_t nowPs)
    {
        const QueuePair::AckResult result = OnAck(ack, nowPs);
        if (result.packets || result.rewound || result.loss)
        {
            timers.OnProgress(qp, result, nowPs);
        }
        return result;
    }

    void ServeTimeout(int64_t nowPs)
    {
        while (timers.NextDue(nowPs))
        {
            ASSERT_TRUE(RetransmissionTimers::Expire(qp, recovery->IsRetry(qp, nowPs), 0));
            recovery->OnTimeout(qp, nowPs);
            timers.Resume(qp, nowPs);
        }
    }

    QueuePairList queuePairs;
    RetransmissionTimers timers;
};

/// How a recovery is set up, at random.
std::string
RandomAttributes(const std::string& type, std::mt19937_64& rng)
{
    const auto pick = [&rng](std::vector<std::string> values) {
        return values[rng() % values.size()];
    };
    const auto number = [&rng](unsigned below) { return std::to_string(rng() % below); };
    if (type == "SelectiveRepeat")
    {
        return "BdpCap=" + pick({"true", "false"}) + "|BdpPackets=" + number(200) +
               "|ReorderPackets=" + pick({"0", "10", "20"}) + "|RtoLow=110us|RtoHigh=300us";
    }
    if (type == "PacketTimers")
    {
        return "Rto=" + pick({"0ns", "130us"}) + "|RtoBackoff=" + pick({"1", "2", "8"});
    }
#ifdef ROCE_TEST_ERASURE
    if (type == "TestErasure")
    {
        return "DataPackets=" + std::to_string(1 + rng() % 12) + "|ParityPackets=" + number(5) +
               "|LastBlock=" + pick({"shortened", "proportional", "padded"}) +
               "|Code=" + pick({"all", "all", "inter", "none"}) +
               "|Repeater=" + pick({"PacketTimers", "SelectiveRepeat"}) +
               "|NackRepeat=" + pick({"missingData", "needed", "unacked"}) +
               "|RearmOnPacket=" + pick({"true", "false"}) + "|MaxNacks=" + pick({"1", "2", "16"}) +
               "|BlockTimeout=" + pick({"0ns", "20us", "120us"}) +
               "|Rto=" + pick({"0ns", "130us"}) + "|RtoBackoff=" + pick({"1", "2", "8"}) + "|" +
               TestErasure::BytesIfPossible();
    }
#endif
    return "";
}

std::vector<std::string>
Recoveries()
{
    std::vector<std::string> names = ChildrenOf(LossRecovery::GetTypeId());
    std::replace(names.begin(),
                 names.end(),
                 std::string("UnoErasure"),
                 std::string("TestErasure")); // the same, with real bytes
    return names;
}

/// (recovery, seed)
class RecoveryContract : public ::testing::TestWithParam<std::tuple<std::string, unsigned>>
{
  protected:
    /// What a connection has come to.
    struct Outcome
    {
        int64_t endPs{0};
        uint64_t sentBytes{0};
        uint64_t retransmitted{0};

        bool operator==(const Outcome& o) const
        {
            return endPs == o.endPs && sentBytes == o.sentBytes && retransmitted == o.retransmitted;
        }
    };

    void Connect(const Ptr<LossRecovery>& prototype, std::mt19937_64 rng, Outcome& outcome)
    {
        TimedSender s(prototype, PATH, rng() % 2 ? 0 : (1 + rng() % 60) * 1086);
        RecoveryReceiver r(prototype, PATH);
        const auto ackEveryN = static_cast<uint32_t>(1 + rng() % 5);
        Channel there;
        Channel back;
        there.lossPercent = rng() % 40;
        back.lossPercent = rng() % 40;
        there.jitterUs = rng() % 3 * 40;
        back.jitterUs = rng() % 3 * 40;
        uint64_t posted = 0;
        uint64_t completed = 0;
        uint64_t bytes = 0;
        uint64_t counted = 0; // bytes acknowledged
        int64_t now = 0;
        while (posted < MESSAGES || completed < posted)
        {
            now += US;
            ASSERT_LT(now, 100000000 * US) << "stuck";
            if (posted < MESSAGES && rng() % 20 == 0)
            {
                const uint64_t size = rng() % 4 ? rng() % 30000 : rng() % 3;
                s.qp.Post(size, posted++, now);
                bytes += size;
            }
            there.Take(now, [&](const Frame& f) {
                Frame answer;
                const bool old = f.psn < r.qp->expectedPsn;
                const uint64_t before = r.qp->receivedBytes;
                const bool answers = r.Take(f, answer, now, ackEveryN);
                EXPECT_TRUE(answers || !old); // its ACK may be lost
                EXPECT_TRUE(r.qp->receivedBytes == before || !old);
                if (answers)
                {
                    back.Put(answer, now, rng);
                }
            });
            for (const Frame& nak : r.Timer(now))
            {
                back.Put(nak, now, rng);
            }
            back.Take(now, [&](const Frame& f) {
                counted += s.AckTimed(f, now).bytes;
                for (const MessageRecord& record : s.done)
                {
                    EXPECT_EQ(record.cookie, completed++);
                }
            });
            s.ServeTimeout(now);
            for (int i = 0; i < 3 && s.qp.CanSend(); ++i)
            {
                const uint64_t before = s.qp.GetInflightBytes();
                there.Put(s.SendTimed(now), now, rng);
                outcome.sentBytes += s.qp.GetInflightBytes() - before;
            }
            ASSERT_LE(s.qp.GetUna(), r.qp->expectedPsn);
            ASSERT_LE(s.qp.GetInflightBytes() + counted, outcome.sentBytes);
            ASSERT_EQ(s.qp.GetInflightBytes() && s.qp.timeout.GetDeadlinePs() == NEVER_PS, false);
        }
        EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
        EXPECT_FALSE(s.qp.HasPacket());
        EXPECT_EQ(r.qp->receivedBytes, bytes);
        EXPECT_EQ(r.qp->expectedPsn, s.qp.GetEndPsn());
        std::vector<uint64_t> cookies(MESSAGES);
        std::iota(cookies.begin(), cookies.end(), 0);
        EXPECT_EQ(r.done, cookies) << "the receiver has each message once, in order";
        EXPECT_TRUE(r.Timer(now + 1000000 * US).empty());
        EXPECT_EQ(r.qp->timerPs, NEVER_PS);
        outcome.endPs = now;
        outcome.retransmitted = s.qp.GetRetransmitted();
    }
};

} // namespace

// Every message completes, in order, every byte is accepted once and (erasure codes, with ISA-L)
// right; nothing stays in flight, no timer keeps running. And again the same from one prototype,
// whose queue pairs so share nothing.
TEST_P(RecoveryContract, EverythingArrivesOnceAndAgainTheSame)
{
    const auto& [type, seed] = GetParam();
    std::mt19937_64 rng(seed);
    const std::string attributes = RandomAttributes(type, rng);
    SCOPED_TRACE(attributes);
    const auto prototype = MakeObject<LossRecovery>(type, attributes);
    Outcome outcomes[2];
    for (Outcome& outcome : outcomes)
    {
        Connect(prototype, rng, outcome);
        ASSERT_FALSE(HasFatalFailure());
    }
    EXPECT_EQ(outcomes[0], outcomes[1]);
}

TEST_P(RecoveryContract, ImpossibleAcksAreIgnored)
{
    const auto& [type, seed] = GetParam();
    std::mt19937_64 rng(seed);
    const std::string attributes = RandomAttributes(type, rng);
    SCOPED_TRACE(attributes);
    const auto prototype = MakeObject<LossRecovery>(type, attributes);
    RecoverySender s(prototype, PATH);
    RecoveryReceiver r(prototype, PATH);
    s.qp.Post(4000, 1, 0);
    s.qp.Post(4000, 2, 0);
    const auto frames = s.SendFrames();
    Frame answer{};
    for (std::size_t i = 0; i < frames.size() && !r.qp->msn; ++i)
    {
        if (r.Take(frames[i], answer))
        {
            s.OnAck(answer);
        }
    }
    const uint64_t una = s.qp.GetUna();
    const uint64_t inflight = s.qp.GetInflightBytes();
    ASSERT_GT(una, 0u);
    const uint64_t end = s.qp.GetEndPsn() + 1000;
    for (const bool nak : {false, true})
    {
        for (Frame frame : {RecoverySender::AckOf(end, nak),
                            RecoverySender::AckOf(1, nak),
                            RecoverySender::SackOf(end, nak, end, {end + 1, end + 9}),
                            RecoverySender::SackOf(una, false, end, {end, end + 63}),
                            RecoverySender::SackOf(1, nak, end, {end})})
        {
            for (const bool coded : {false, true})
            {
                frame.flags |= coded ? FRAME_SACK | FRAME_CODED : 0;
                EXPECT_EQ(s.OnAck(frame).packets, 0u);
                EXPECT_EQ(s.qp.GetUna(), una);
                EXPECT_EQ(s.qp.GetInflightBytes(), inflight);
                EXPECT_TRUE(s.done.empty());
                EXPECT_FALSE(s.qp.CanSend());
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All,
                         RecoveryContract,
                         ::testing::Combine(::testing::ValuesIn(Recoveries()),
                                            ::testing::Range(1u, 41u)),
                         [](const auto& info) {
                             return std::get<0>(info.param) + "_" +
                                    std::to_string(std::get<1>(info.param));
                         });
