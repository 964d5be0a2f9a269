// SPDX-License-Identifier: GPL-2.0-only
// Go-back-N arithmetic of both ends of a queue pair, and what receivers feed back.
#include "counting-sink.h"
#include "roce-recovery-fixture.h"

#include "ns3/nstime.h"
#include "ns3/roce-go-back-n.h"
#include "ns3/roce-message-layout.h"
#include "ns3/roce-queue-pair.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using Action = ReceiverQp::Action;

/// A sender that goes back.
struct Sender : RecoverySender
{
    explicit Sender(uint64_t window = 0,
                    const QueuePair::Config& config = MakeConfig(),
                    const Ptr<LossRecovery>& recovery = CreateObject<GoBackN>())
        : RecoverySender(recovery, MakePath(G100, 10 * US, 1100), window, nullptr, config)
    {
    }

    static QueuePair::Config MakeConfig()
    {
        QueuePair::Config config;
        config.src = 1;
        config.dst = 2;
        config.dstQp = 3;
        config.mtuBytes = 1000;
        return config;
    }

    QueuePair::AckResult Ack(uint64_t una, bool nak = false, int64_t nowPs = 0)
    {
        return OnAck(AckOf(una, nak), nowPs);
    }
};

/// Goes back, and sends the first of each two data packets once more behind them.
class Doubling : public GoBackN, public MessageLayout
{
  public:
    const MessageLayout* GetLayout() const override
    {
        return this;
    }

    uint64_t CountPackets(uint64_t dataCount) const override
    {
        return dataCount + (dataCount + 1) / 2;
    }

    uint64_t CountDataBefore(uint64_t position) const override
    {
        return position / 3 * 2 + std::min<uint64_t>(position % 3, 2);
    }

    uint32_t GetPayload(uint64_t position,
                        uint64_t packets,
                        uint64_t bytes,
                        uint32_t mtuBytes) const override
    {
        const bool isCopy = position % 3 == 2 || position + 1 == packets;
        const uint64_t data = isCopy ? position / 3 * 2 : CountDataBefore(position);
        return static_cast<uint32_t>(std::min<uint64_t>(mtuBytes, bytes - data * mtuBytes));
    }
};

constexpr uint32_t FIRST_WIRE = 1000 + 62 + 16 + 20;
constexpr uint32_t MIDDLE_WIRE = 1000 + 62 + 20;

} // namespace

// What is open, with what was posted before it.
TEST(QueuePair, OpenMessages)
{
    Sender s;
    s.qp.Post(2500, 11, 0);
    s.qp.Post(1000, 12, 0);
    s.qp.Post(700, 13, 0);
    s.SendFrames();
    s.OnAck(Sender::AckOf(3));
    std::vector<std::vector<uint64_t>> open;
    s.qp.ForOpen([&open](const QueuePair::Open& message) {
        open.push_back({message.cookie, message.packets, message.bytes, message.bytesBefore});
    });
    EXPECT_EQ(open, (std::vector<std::vector<uint64_t>>{{12, 1, 1000, 2500}, {13, 1, 700, 3500}}));
}

TEST(QueuePair, MessageBoundariesAndSizes)
{
    Sender s;
    s.qp.Post(2500, 11, 0);
    s.qp.Post(1000, 12, 0);
    s.qp.Post(1, 13, 0);
    EXPECT_EQ(s.qp.GetEndPsn(), 5u);
    const std::vector<Frame> f = s.SendFrames();
    ASSERT_EQ(f.size(), 5u);
    const uint8_t last = FRAME_LAST | FRAME_ACK_REQ;
    const uint8_t flags[] = {FRAME_FIRST, 0, last, FRAME_FIRST | last, FRAME_FIRST | last};
    const uint32_t payload[] = {1000, 1000, 500, 1000, 1};
    const uint32_t bytes[] = {1078, 1062, 562, 1078, 82}; // the last is padded to 4
    const uint64_t message[] = {2500, 2500, 2500, 1000, 1};
    for (unsigned i = 0; i < 5; ++i)
    {
        EXPECT_EQ(f[i].psn, i);
        EXPECT_EQ(f[i].flags, flags[i]) << i;
        EXPECT_EQ(f[i].payloadBytes, payload[i]) << i;
        EXPECT_EQ(f[i].frameBytes, bytes[i]) << i;
        EXPECT_EQ(f[i].messageBytes, message[i]) << i;
        EXPECT_EQ(f[i].cookie, i < 3 ? 11 : i + 9) << i;
        EXPECT_EQ(f[i].src, 1u);
        EXPECT_EQ(f[i].dst, 2u);
        EXPECT_EQ(f[i].dstQp, 3u);
        EXPECT_EQ(f[i].srcQp, 7u);
        EXPECT_EQ(f[i].trafficClass, 3);
        EXPECT_EQ(f[i].dscp, 24);
        EXPECT_EQ(f[i].ecn, ECN_ECT0);
    }
    EXPECT_EQ(s.qp.GetInflightBytes(), 1078u + 1062 + 562 + 1078 + 82 + 5 * 20);
}

// A loss recovery that adds packets says what each packet of a message carries; the queue pair
// counts only data as sent and acknowledged.
TEST(QueuePair, LayoutOfTheLossRecovery)
{
    Sender s(0, Sender::MakeConfig(), CreateObject<Doubling>());
    s.qp.Post(2500, 11, 0);
    s.qp.Post(1000, 12, 0);
    EXPECT_EQ(s.qp.GetEndPsn(), 7u) << "3 + 2 packets, then 1 + 1";
    const std::vector<Frame> f = s.SendFrames();
    ASSERT_EQ(f.size(), 7u);
    const uint8_t last = FRAME_LAST | FRAME_ACK_REQ;
    const uint8_t flags[] = {FRAME_FIRST, 0, 0, 0, last, FRAME_FIRST, last};
    const uint32_t payload[] = {1000, 1000, 1000, 500, 500, 1000, 1000};
    const uint64_t acked[] = {0, 1000, 2000, 2000, 2500}; // when the first i packets are
    for (unsigned i = 0; i < 7; ++i)
    {
        EXPECT_EQ(f[i].flags, flags[i]) << i;
        EXPECT_EQ(f[i].payloadBytes, payload[i]) << i;
    }
    for (unsigned i = 1; i < 5; ++i)
    {
        s.Ack(i);
        EXPECT_EQ(s.qp.GetAckedPayloadBytes(), acked[i]) << i;
        EXPECT_TRUE(s.done.empty()) << i;
    }
    s.Ack(5);
    ASSERT_EQ(s.done.size(), 1u);
    EXPECT_EQ(s.done[0].bytes, 2500u);
    EXPECT_EQ(s.done[0].packets, 5u);
    s.qp.Post(2500, 13, 0);
    for (const uint64_t left : {1500, 500, 500, 0, 0})
    {
        s.Send();
        EXPECT_EQ(s.qp.GetUnsentBytes(), left);
    }
}

// What has never been sent, of all messages: repetitions do not count, nor what others have.
TEST(QueuePair, UnsentBytes)
{
    Sender s;
    EXPECT_EQ(s.qp.GetUnsentBytes(), 0u);
    s.qp.Post(2500, 11, 0);
    s.qp.Post(3300, 12, 0);
    EXPECT_EQ(s.qp.GetUnsentBytes(), 5800u);
    for (const uint64_t left : {4800, 3800, 3300, 2300, 1300, 300})
    {
        s.Send();
        EXPECT_EQ(s.qp.GetUnsentBytes(), left);
    }
    s.Ack(1, true);
    ASSERT_TRUE(s.qp.CanSend()) << "it does not go back";
    EXPECT_EQ(s.qp.GetUnsentBytes(), 300u);
    s.SendFrames();
    EXPECT_EQ(s.qp.GetUnsentBytes(), 0u);
    s.Ack(7);
    EXPECT_EQ(s.qp.GetUnsentBytes(), 0u);
}

TEST(QueuePair, ZeroByteMessageIsOnePacket)
{
    Sender s;
    s.qp.Post(0, 5, 100);
    const Frame f = s.Send();
    EXPECT_EQ(f.payloadBytes, 0);
    EXPECT_EQ(f.frameBytes, 78u);
    EXPECT_EQ(s.wireBytes, 98u);
    EXPECT_EQ(f.flags, FRAME_FIRST | FRAME_LAST | FRAME_ACK_REQ);
    EXPECT_FALSE(s.qp.CanSend());
    EXPECT_EQ(s.Ack(1, false, 900).packets, 1u);
    ASSERT_EQ(s.done.size(), 1u);
    EXPECT_EQ(s.done[0].cookie, 5u);
    EXPECT_EQ(s.done[0].bytes, 0u);
    EXPECT_EQ(s.done[0].packets, 1u);
    EXPECT_EQ(s.done[0].postedPs, 100);
    EXPECT_EQ(s.done[0].completedPs, 900);
}

TEST(QueuePair, FourGibibytesAndMore)
{
    QueuePair::Config config = Sender::MakeConfig();
    config.mtuBytes = 4096;
    Sender s(0, config);
    s.qp.Post(1ULL << 40, 1, 0);
    EXPECT_EQ(s.qp.GetEndPsn(), 1ULL << 28); // beyond 24 bits
    EXPECT_EQ(s.Send().payloadBytes, 4096);
}

TEST(QueuePair, CumulativeAckCompletesSeveralMessages)
{
    Sender s;
    s.qp.Post(2000, 1, 0);
    s.qp.Post(1000, 2, 0);
    s.qp.Post(1000, 3, 0);
    s.SendFrames();
    EXPECT_EQ(s.qp.GetOldestCookie(), 1u);
    EXPECT_EQ(s.Ack(1).packets, 1u);
    EXPECT_TRUE(s.done.empty());
    const QueuePair::AckResult r = s.Ack(3);
    EXPECT_EQ(r.packets, 2u);
    EXPECT_EQ(r.bytes, MIDDLE_WIRE + FIRST_WIRE);
    ASSERT_EQ(s.done.size(), 2u);
    EXPECT_EQ(s.done[0].cookie, 1u);
    EXPECT_EQ(s.done[1].cookie, 2u);
    EXPECT_EQ(s.qp.GetInflightBytes(), FIRST_WIRE);
    EXPECT_EQ(s.qp.GetOldestCookie(), 3u);
    EXPECT_EQ(s.Ack(2).packets + s.Ack(3).packets, 0u); // old; again
    EXPECT_EQ(s.Ack(99).packets, 0u);                   // never sent
    EXPECT_EQ(s.qp.GetUna(), 3u);
    s.Ack(4);
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
    EXPECT_EQ(s.qp.GetOldestCookie(), UINT64_MAX);
}

TEST(QueuePair, NakGoesBackAndAcknowledgesWhatIsBefore)
{
    Sender s;
    s.qp.Post(10000, 1, 0);
    s.SendFrames();
    const QueuePair::AckResult r = s.Ack(4, true);
    EXPECT_EQ(r.packets, 4u);
    EXPECT_TRUE(r.rewound);
    EXPECT_EQ(s.qp.GetUna(), 4u);
    EXPECT_EQ(s.qp.GetNextPsn(), 4u);
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
    const std::vector<Frame> again = s.SendFrames();
    ASSERT_EQ(again.size(), 6u);
    for (unsigned i = 0; i < 6; ++i)
    {
        EXPECT_TRUE(again[i].psn == 4 + i && again[i].flags & FRAME_RETX) << i;
    }
    EXPECT_EQ(s.qp.GetRetransmitted(), 6u);
    s.Ack(10);
    ASSERT_EQ(s.done.size(), 1u);
    EXPECT_EQ(s.done[0].retransmitted, 6u);
}

// A NAK that names the next new PSN has nothing to rewind; an old one is ignored.
TEST(QueuePair, NakWithoutEffect)
{
    Sender s;
    s.qp.Post(5000, 1, 0);
    s.SendFrames();
    s.Ack(3);
    EXPECT_FALSE(s.Ack(2, true).rewound);
    EXPECT_FALSE(s.Ack(5, true).rewound);
    EXPECT_EQ(s.qp.GetUna(), 5u);
    EXPECT_FALSE(s.qp.CanSend());
}

// An ACK of the first transmission arrives after a rewind: it may lie ahead of what was sent again.
TEST(QueuePair, AckBeyondTheRewind)
{
    Sender s;
    s.qp.Post(6000, 1, 0);
    s.qp.Post(2000, 2, 0);
    s.SendFrames();
    s.qp.GoBack();
    EXPECT_EQ(s.qp.GetNextPsn(), 0u);
    s.Send();
    s.Send();
    EXPECT_EQ(s.qp.GetInflightBytes(), FIRST_WIRE + MIDDLE_WIRE);
    EXPECT_EQ(s.Ack(7).packets, 7u);
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
    EXPECT_EQ(s.qp.GetNextPsn(), 7u);
    ASSERT_EQ(s.done.size(), 1u);
    EXPECT_EQ(s.done[0].retransmitted, 2u);
    const Frame f = s.Send();
    EXPECT_EQ(f.psn, 7u);
    EXPECT_EQ(f.messageBytes, 2000u);
    EXPECT_TRUE(f.flags & FRAME_LAST);
    EXPECT_TRUE(f.flags & FRAME_RETX);
    s.Ack(8);
    EXPECT_EQ(s.done.at(0).cookie, 2u);
    EXPECT_EQ(s.done.at(0).retransmitted, 1u);
}

TEST(QueuePair, WindowCountsWireBytes)
{
    Sender s(3 * FIRST_WIRE);
    s.qp.Post(100000, 1, 0);
    const std::vector<Frame> f = s.SendFrames();
    // It sends while in flight < window: three frames are a little less than the window.
    ASSERT_EQ(f.size(), 4u);
    EXPECT_FALSE(f[2].flags & FRAME_ACK_REQ);
    EXPECT_TRUE(f[3].flags & FRAME_ACK_REQ); // or coalesced ACKs would let it wait for ever
    s.Ack(1);
    EXPECT_TRUE(s.qp.CanSend());
}

namespace
{

/// A window that the test sets.
struct TestWindow : public LineRate
{
    void Set(uint64_t bytes)
    {
        m_windowBytes = bytes;
    }
};

} // namespace

// Six packets are out, none asks for an ACK, the receiver sends one every eight: when the window
// shrinks, a probe is sent, and only one.
TEST(QueuePair, ProbesWhenTheWindowShrinksBelowWhatIsInFlight)
{
    for (uint32_t ackEveryN : {8u, 4u, 1u})
    {
        Ptr<TestWindow> cc = CreateObject<TestWindow>();
        PathInfo path;
        path.lineRateBps = 100000000000;
        cc->Start(path, 0);
        QueuePair::Config config = Sender::MakeConfig();
        config.ackEveryN = ackEveryN;
        QueuePair qp(0, config, cc, CreateObject<GoBackN>());
        qp.Post(100000, 1, 0);
        const auto send = [&qp]() {
            Frame* frame = FramePool::Alloc();
            uint32_t wire;
            qp.BuildNext(*frame, wire, 0);
            const uint8_t flags = frame->flags;
            FramePool::Free(frame);
            return flags;
        };
        for (int i = 0; i < 6; ++i)
        {
            EXPECT_FALSE(send() & FRAME_ACK_REQ);
        }
        cc->Set(2000);
        // With N = 4 the receiver will acknowledge unasked.
        EXPECT_EQ(qp.CanSend(), ackEveryN == 8);
        if (qp.CanSend())
        {
            EXPECT_TRUE(send() & FRAME_ACK_REQ);
            EXPECT_FALSE(qp.CanSend());
            std::vector<MessageRecord> done;
            qp.GetRecovery().OnAck(qp, RecoverySender::AckOf(7), 0, done);
            EXPECT_TRUE(qp.CanSend());
        }
    }
}

TEST(QueuePair, MinimumFrameAndFramingBytesAreConfigurable)
{
    QueuePair::Config config = Sender::MakeConfig();
    config.minFrameBytes = 100;
    config.framingBytes = 24;
    config.telemetryBytes = 2;
    config.flags = FRAME_TIMESTAMP;
    config.ecn = ECN_NOT_ECT;
    Sender s(0, config);
    s.qp.Post(0, 1, 0);
    const Frame f = s.Send();
    EXPECT_EQ(f.frameBytes, 80u);
    EXPECT_EQ(s.wireBytes, 124u);
    EXPECT_EQ(f.telemetryBytes, 2u);
    EXPECT_TRUE(f.flags & FRAME_TIMESTAMP);
    EXPECT_EQ(f.ecn, ECN_NOT_ECT);
    EXPECT_EQ(s.Ack(1).bytes, 124u);
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
}

// Many messages: finished ones are forgotten, and nothing else with them.
TEST(QueuePair, LongLivedQueuePair)
{
    Sender s;
    std::mt19937 rng(1);
    uint64_t psn = 0;
    uint64_t finished = 0;
    for (uint64_t i = 0; i < 2000; ++i)
    {
        s.qp.Post(rng() % 5000, i, 0);
        if (rng() % 4 == 0)
        {
            s.SendFrames();
            if (rng() % 3 == 0)
            {
                s.qp.GoBack();
                s.Send();
            }
            psn += rng() % (s.qp.GetNextPsn() - psn + 1);
            s.Ack(psn);
            for (const MessageRecord& r : s.done)
            {
                EXPECT_EQ(r.cookie, finished++);
            }
        }
    }
    s.SendFrames();
    s.Ack(s.qp.GetEndPsn());
    finished += s.done.size();
    EXPECT_EQ(finished, 2000u);
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
}

// ---------------------------------------------------------------- receiver

TEST(Receiver, InOrder)
{
    WithMessages<GoBackNReceiver> r;
    for (uint64_t p : {0, 1, 2, 3, 4})
    {
        EXPECT_EQ(r.Take(Data(p, p == 4 ? FRAME_LAST : 0), 1, 0), Action::ACK);
    }
    EXPECT_EQ(r.expectedPsn, 5u);
    EXPECT_EQ(r.receivedBytes, 5000u);
    EXPECT_EQ(r.msn, 1u);
}

TEST(Receiver, OneNakPerGap)
{
    WithMessages<GoBackNReceiver> r;
    r.Take(Data(0), 1, 0);
    EXPECT_EQ(r.Take(Data(2), 1, 0), Action::NAK);
    EXPECT_EQ(r.Take(Data(3), 1, 0), Action::NOTHING);
    EXPECT_EQ(r.Take(Data(4), 1, 0), Action::NOTHING);
    EXPECT_EQ(r.expectedPsn, 1u);
    EXPECT_EQ(r.receivedBytes, 1000u); // what came early is not kept
    EXPECT_EQ(r.Take(Data(1), 1, 0), Action::ACK);
    EXPECT_EQ(r.Take(Data(3), 1, 0), Action::NAK); // the next gap
    EXPECT_EQ(r.Take(Data(2), 1, 0), Action::ACK);
    EXPECT_EQ(r.Take(Data(3), 1, 0), Action::ACK);
}

TEST(Receiver, DuplicatesAreAcknowledgedAgainAndNotDelivered)
{
    WithMessages<GoBackNReceiver> r;
    r.Take(Data(0), 16, 0);
    r.Take(Data(1, FRAME_LAST), 16, 0);
    for (int i = 0; i < 3; ++i)
    {
        EXPECT_EQ(r.Take(Data(0), 16, 0), Action::ACK);
    }
    EXPECT_EQ(r.Take(Data(1, FRAME_LAST), 16, 0), Action::ACK);
    EXPECT_EQ(r.receivedBytes, 2000u);
    EXPECT_EQ(r.msn, 1u);
    EXPECT_EQ(r.expectedPsn, 2u);
}

TEST(Receiver, AckEveryNRequestedAndLast)
{
    WithMessages<GoBackNReceiver> r;
    std::vector<uint64_t> acks;
    for (uint64_t p = 0; p < 40; ++p)
    {
        const uint8_t flags = p == 20 ? FRAME_ACK_REQ : p == 39 ? FRAME_LAST : 0;
        if (r.Take(Data(p, flags), 8, 0) == Action::ACK)
        {
            acks.push_back(p);
            r.unackedPackets = 0; // as the NIC does when it has sent the ACK
        }
    }
    // Every eighth since the last ACK, not since the start.
    EXPECT_EQ(acks, std::vector<uint64_t>({7, 15, 20, 28, 36, 39}));
}

TEST(Receiver, RemembersCeBetweenCoalescedAcks)
{
    WithMessages<GoBackNReceiver> r;
    Frame marked = Data(0);
    marked.ecn = ECN_CE;
    EXPECT_EQ(r.Take(marked, 4, 0), Action::NOTHING);
    EXPECT_EQ(r.Take(Data(1), 4, 0), Action::NOTHING);
    EXPECT_EQ(r.markedPackets, 1u);
}

// ---------------------------------------------------------------- feedback

TEST(Feedback, PlainEchoesAndMovesTelemetry)
{
    Ptr<PlainFeedback> feedback = CreateObject<PlainFeedback>();
    Frame* data = FramePool::Alloc();
    Frame* ack = FramePool::Alloc();
    data->ecn = ECN_CE;
    data->flags = FRAME_TIMESTAMP;
    data->sentPs = 4711;
    data->telemetry = FramePool::AllocInt();
    for (uint64_t i = 0; i < 11; ++i) // more than one chunk
    {
        data->telemetry.Append().txBytes = i;
    }
    data->telemetryBytes = 2 + 11 * 8 + 8;
    ack->frameBytes = ACK_FRAME_BYTES;
    EXPECT_FALSE(CountingSink().SendsCnp(*feedback, *data, 0));
    ReceiverFeedback::Echo(*ack, *data);
    EXPECT_TRUE(ack->flags & FRAME_ECN_ECHO);
    EXPECT_TRUE(ack->flags & FRAME_TIMESTAMP);
    EXPECT_EQ(ack->sentPs, 4711);
    EXPECT_EQ(ack->frameBytes, 66u + 98);
    EXPECT_FALSE(data->telemetry);
    ASSERT_EQ(ack->telemetry.hops, 11u);
    EXPECT_EQ(ack->telemetry.At(10).txBytes, 10u);
    FramePool::Free(data);
    FramePool::Free(ack);
    EXPECT_EQ(FramePool::Outstanding(), 0u);
}

TEST(Feedback, CnpForMarkedFramesAtMostOncePerInterval)
{
    Ptr<EcnCnpFeedback> prototype = CreateObject<EcnCnpFeedback>();
    prototype->SetAttribute("CnpInterval", TimeValue(MicroSeconds(50)));
    Ptr<ReceiverFeedback> feedback = prototype->Fork();
    Frame data = Data(0);
    EXPECT_FALSE(CountingSink().SendsCnp(*feedback, data, 0));
    data.ecn = ECN_ECT1;
    EXPECT_FALSE(CountingSink().SendsCnp(*feedback, data, 0)); // not "different from 0"
    data.ecn = ECN_CE;
    EXPECT_TRUE(CountingSink().SendsCnp(*feedback, data, 0));
    EXPECT_FALSE(CountingSink().SendsCnp(*feedback, data, 50 * US - 1));
    EXPECT_TRUE(CountingSink().SendsCnp(*feedback, data, 50 * US));
    EXPECT_FALSE(CountingSink().SendsCnp(*feedback, data, 60 * US));
    // Queue pairs do not share the interval.
    EXPECT_TRUE(CountingSink().SendsCnp(*feedback->Fork(), data, 60 * US));
    prototype->SetAttribute("CnpInterval", TimeValue(Time(0)));
    Ptr<ReceiverFeedback> each = prototype->Fork();
    EXPECT_TRUE(CountingSink().SendsCnp(*each, data, 7));
    EXPECT_TRUE(CountingSink().SendsCnp(*each, data, 7));
}
