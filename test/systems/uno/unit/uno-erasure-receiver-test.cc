// SPDX-License-Identifier: GPL-2.0-only
// UnoErasure's receiver: when a block can be rebuilt, what ACKs and NACKs say, the timers of
// blocks; and both halves together.
#include "uno-erasure-fixture.h"

#include <algorithm>
#include <functional>
#include <random>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// One timeout of a block of n packets.
constexpr int64_t
Timeout(int64_t n, int64_t gapPs = FRAME)
{
    return QUEUES + n * gapPs;
}

} // namespace

// ---------------------------------------------------------------- rebuilding

// Any 8 of 10 are enough, in any order, and no fewer; with ISA-L the bytes are right, too.
TEST(UnoErasureReceiver, RebuildsFromAnyEightOfTenAndNeverFromFewer)
{
    std::mt19937_64 rng(1);
    for (unsigned subset = 1; subset < 1024; ++subset)
    {
        Sender s(TestErasure::BytesIfPossible());
        Receiver r(TestErasure::BytesIfPossible());
        s.qp.Post(7500, 1, 0);
        std::vector<Frame> frames = s.SendFrames();
        ASSERT_EQ(frames.size(), 10u);
        std::vector<Frame> arriving;
        for (unsigned i = 0; i < 10; ++i)
        {
            if (subset >> i & 1)
            {
                arriving.push_back(frames[i]);
            }
        }
        std::shuffle(arriving.begin(), arriving.end(), rng);
        unsigned arrived = 0;
        for (const Frame& frame : arriving)
        {
            const Frame ack = r.Take(frame);
            const bool done = ++arrived >= 8;
            ASSERT_EQ(ack.flags & FRAME_CODED, done ? FRAME_CODED : 0) << subset;
            ASSERT_EQ(r.qp->expectedPsn, done ? 10u : 0u);
            ASSERT_EQ(r.qp->receivedBytes, done ? 7500u : 0u);
            ASSERT_EQ(r.qp->msn, done ? 1u : 0u);
            s.OnAck(ack, 0);
        }
        const bool done = arrived >= 8;
        EXPECT_EQ(s.qp.GetUna(), done ? 10u : 0u);
        EXPECT_EQ(s.qp.GetInflightBytes() == 0, done);
        const bool parity = std::any_of(arriving.begin(),
                                        arriving.begin() + std::min(arrived, 8u),
                                        [](const Frame& f) { return f.psn >= 8; });
        EXPECT_EQ(r.Coded().GetRebuilt(), done && parity ? 1u : 0u);
    }
}

// Codes and message lengths around the ends of blocks; the packets lost are random, as many as can
// be; repeats that are not needed change nothing.
TEST(UnoErasureReceiver, EveryCodeAndLength)
{
    std::mt19937_64 rng(2);
    for (const char* last : {"shortened", "proportional", "padded"})
    {
        for (unsigned x = 1; x <= 60; x = x < 9 ? x + 1 : x + 17)
        {
            for (const unsigned y : {0U, 1U, 2U, 4U})
            {
                const std::string attributes =
                    "DataPackets=" + std::to_string(x) + "|ParityPackets=" + std::to_string(y) +
                    "|LastBlock=" + last + "|" + TestErasure::BytesIfPossible();
                Sender s(attributes);
                Receiver r(attributes);
                uint64_t bytes = 0;
                uint64_t messages = 0;
                for (const int64_t extra : {-1001, -1000, -1, 0, 1, 7, 1001})
                {
                    for (const int64_t whole : {0, 1, 2})
                    {
                        const int64_t size = whole * x * MTU + extra;
                        if (size >= 0)
                        {
                            s.qp.Post(static_cast<uint64_t>(size), messages++, 0);
                            bytes += static_cast<uint64_t>(size);
                        }
                    }
                }
                std::vector<Frame> frames = s.SendFrames();
                for (std::size_t i = 0; i < frames.size();)
                {
                    const BlockPlace place = CodeHeaderOf(frames[i]).place;
                    std::vector<Frame> block(frames.begin() + static_cast<long>(i),
                                             frames.begin() + static_cast<long>(i) + place.total);
                    i += place.total;
                    std::shuffle(block.begin(), block.end(), rng);
                    block.resize(rng() % 2 ? place.data : block.size());
                    for (const Frame& frame : block)
                    {
                        s.OnAck(r.Take(frame), 0);
                    }
                }
                ASSERT_EQ(r.qp->receivedBytes, bytes) << attributes;
                ASSERT_EQ(r.qp->msn, messages);
                ASSERT_EQ(r.qp->expectedPsn, s.qp.GetEndPsn());
                ASSERT_EQ(s.qp.GetUna(), s.qp.GetEndPsn());
                ASSERT_EQ(s.qp.GetInflightBytes(), 0u);
            }
        }
    }
}

TEST(UnoErasureReceiver, DeliversInOrderAndEachByteOnce)
{
    Sender s(TestErasure::BytesIfPossible());
    Receiver r(TestErasure::BytesIfPossible());
    s.qp.Post(16000, 1, 0);
    s.qp.Post(0, 2, 0);
    s.qp.Post(1, 3, 0);
    const auto frames = s.SendFrames();
    ASSERT_EQ(frames.size(), 26u);
    for (int i = 25; i >= 10; --i)
    {
        r.Take(frames[i]);
        r.Take(frames[i]); // twice
    }
    EXPECT_EQ(r.qp->receivedBytes, 8001u);
    EXPECT_EQ(r.qp->expectedPsn, 0u);
    EXPECT_EQ(r.qp->msn, 0u);
    for (int i = 2; i < 10; ++i)
    {
        EXPECT_EQ(r.qp->msn, 0u);
        r.Take(frames[i]);
    }
    EXPECT_EQ(r.qp->msn, 3u);
    EXPECT_EQ(r.qp->expectedPsn, 26u);
    EXPECT_EQ(r.qp->receivedBytes, 16001u);
    EXPECT_EQ(r.Coded().GetRebuilt(), 4u); // all, as parity came first or something did not
    r.Take(frames[0]);                     // long delivered; its bytes are not looked at
    EXPECT_EQ(r.qp->receivedBytes, 16001u);
}

// ---------------------------------------------------------------- answers

TEST(UnoErasureReceiver, AcksTellTheLast64)
{
    Sender s;
    Receiver r;
    s.qp.Post(80 * MTU, 1, 0);
    const auto frames = s.SendFrames();
    Frame ack = r.Take(frames[3]);
    EXPECT_EQ(ack.kind, FrameKind::ACK);
    EXPECT_EQ(ack.psn, UINT64_MAX); // nothing in order
    EXPECT_EQ(ack.flags, FRAME_SACK);
    EXPECT_EQ(ack.sackPsn, 0u);
    EXPECT_EQ(ack.sackBits, 0x8u);
    EXPECT_EQ(ack.frameBytes, SACK_BYTES);
    r.Take(frames[0]);
    r.Take(frames[9]);
    ack = r.Take(frames[5]);
    EXPECT_EQ(ack.sackBits, 0x29u); // up to what it answers
    ack = r.Take(frames[66]);
    EXPECT_EQ(ack.sackPsn, 3u);
    EXPECT_EQ(ack.sackBits, 1ULL << 63 | 0x45u);
    // The ACK that completes a block tells all that has arrived of it.
    for (const int i : {1, 2, 6})
    {
        ack = r.Take(frames[i]);
        EXPECT_EQ(ack.flags & FRAME_CODED, 0);
    }
    ack = r.Take(frames[7]);
    EXPECT_EQ(ack.psn, 9u);
    EXPECT_EQ(ack.flags, FRAME_SACK | FRAME_CODED);
    EXPECT_EQ(ack.sackPsn, 0u);
    EXPECT_EQ(ack.sackBits, 0xefu);
    ack = r.Take(frames[8]); // late
    EXPECT_EQ(ack.psn, 9u);
    EXPECT_EQ(ack.flags, FRAME_SACK | FRAME_CODED);
    EXPECT_EQ(ack.sackBits & 0x100u, 0x100u);
    ack = r.Take(frames[10]);
    EXPECT_EQ(ack.flags, FRAME_SACK);
    EXPECT_EQ(ack.sackBits & 0xfff, 0x6efu);
}

// ---------------------------------------------------------------- timers

TEST(UnoErasureReceiver, AsksForABlockInTimeAndAgain)
{
    Sender s;
    Receiver r("MaxNacks=3");
    s.qp.Post(10500, 1, 0);
    const auto frames = s.SendFrames();
    EXPECT_EQ(r.qp->timerPs, NEVER_PS);
    r.Take(frames[11], 7 * US); // the last block has 5 packets
    int64_t due = 7 * US + Timeout(5);
    EXPECT_EQ(r.qp->timerPs, due);
    r.Take(frames[13], 7 * US); // further packets do not start it again
    EXPECT_EQ(r.qp->timerPs, due);
    EXPECT_TRUE(r.Timer(due - 1).empty());
    for (int i = 0; i < 3; ++i)
    {
        const auto nacks = r.Timer(due);
        ASSERT_EQ(nacks.size(), 1u);
        EXPECT_EQ(nacks[0].psn, 0u); // expected: the first block has not come at all
        EXPECT_EQ(nacks[0].flags, FRAME_SACK | FRAME_CODED);
        EXPECT_EQ(nacks[0].sackPsn, 10u);
        EXPECT_EQ(nacks[0].sackBits, 0b01010u);
        EXPECT_EQ(nacks[0].frameBytes, SACK_BYTES);
        due += 100 * US + Timeout(5);
        EXPECT_EQ(r.qp->timerPs, i < 2 ? due : NEVER_PS);
    }
    EXPECT_EQ(r.Coded().GetNackedBlocks(), 1u);
    r.Take(frames[14], due); // done: silence
    EXPECT_EQ(r.qp->receivedBytes, 2500u);
    EXPECT_TRUE(r.Timer(due + 1000000 * US).empty());
}

TEST(UnoErasureReceiver, RearmOnPacketWaitsForAPacket)
{
    Sender s;
    Receiver r("Profile=artifact|MaxNacks=2");
    s.qp.Post(8000, 1, 0);
    const auto frames = s.SendFrames();
    const int64_t timeout = 640 * US; // 8 queues of 1 MB; no term for the packets
    r.Take(frames[0], 0);
    EXPECT_EQ(r.qp->timerPs, timeout);
    ASSERT_EQ(r.Timer(timeout).size(), 1u);
    EXPECT_EQ(r.qp->timerPs, NEVER_PS);
    r.Take(frames[4], 5000 * US);
    EXPECT_EQ(r.qp->timerPs, 5000 * US + timeout);
    EXPECT_EQ(r.Timer(5000 * US + timeout)[0].sackBits, 0x11u);
    r.Take(frames[5], 7000 * US); // but not more often than MaxNacks
    EXPECT_EQ(r.qp->timerPs, NEVER_PS);
}

TEST(UnoErasureReceiver, TheTimerAllowsForSlowSenders)
{
    const auto second = [](const std::string& attributes, int64_t gapPs) {
        Sender s;
        Receiver r(attributes);
        s.qp.Post(80 * MTU, 1, 0);
        const auto frames = s.SendFrames();
        for (int i = 0; i < 10; ++i)
        {
            r.Take(frames[i], i * gapPs);
        }
        r.Take(frames[10], 10 * gapPs);
        EXPECT_EQ(r.qp->expectedPsn, 10u);
        EXPECT_TRUE(r.Timer(r.qp->timerPs).empty()); // that of the first block is over
        return r.qp->timerPs - 10 * gapPs;
    };
    EXPECT_EQ(second("", 20 * US), Timeout(10, 20 * US));   // from the first gap on
    EXPECT_EQ(second("", 50 * NS), Timeout(10));            // a frame takes longer than that
    EXPECT_EQ(second("", 500 * US), Timeout(10, 100 * US)); // a base RTT at most
    EXPECT_EQ(second("BlockGap=false", 20 * US), QUEUES);
    EXPECT_EQ(second("BlockTimeout=5us", 20 * US), 5 * US);
    EXPECT_EQ(second("QueueBytes=0", 20 * US), 200 * US);
    // A change of pace counts with one eighth.
    Sender s;
    Receiver r;
    s.qp.Post(80 * MTU, 1, 0);
    const auto frames = s.SendFrames();
    r.Take(frames[0], 0);
    r.Take(frames[1], 8 * US);
    r.Take(frames[10], 24 * US);
    EXPECT_EQ(r.qp->timerPs, Timeout(10));
    EXPECT_EQ(r.Timer(Timeout(10)).size(), 1u);
    EXPECT_EQ(r.qp->timerPs, 24 * US + Timeout(10, 9 * US));
}

TEST(UnoErasureReceiver, EachBlockHasItsTimer)
{
    Sender s;
    Receiver r;
    s.qp.Post(40 * MTU, 1, 0);
    const auto frames = s.SendFrames();
    for (const int i : {20, 0, 10, 30})
    {
        r.Take(frames[i], 0);
    }
    for (int i = 1; i < 8; ++i)
    {
        r.Take(frames[10 + i], 0);
    }
    EXPECT_EQ(r.qp->expectedPsn, 0u);
    const auto nacks = r.Timer(Timeout(10));
    ASSERT_EQ(nacks.size(), 3u); // all but the second block
    EXPECT_EQ(nacks[0].sackPsn, 0u);
    EXPECT_EQ(nacks[1].sackPsn, 20u);
    EXPECT_EQ(nacks[2].sackPsn, 30u);
    EXPECT_EQ(r.Coded().GetNackedBlocks(), 3u);
    EXPECT_EQ(r.qp->timerPs, 2 * Timeout(10) + 100 * US);
}

// ---------------------------------------------------------------- real bytes

TEST(ErasureVerifier, FindsEveryWrongByte)
{
    if (!ErasureVerifier::IsAvailable())
    {
        GTEST_SKIP() << "built without ISA-L";
    }
    // Of a message of 2 blocks (8 and 3 packets of data) each packet, rebuilt with or without it.
    for (const uint64_t damaged : {0, 3, 7, 8, 9, 10, 12, 13, 14})
    {
        Sender s("Bytes=true");
        Receiver r("Bytes=true");
        s.qp.Post(10500, 1, 0);
        auto frames = s.SendFrames();
        ErasureVerifier::GetBytes(frames[damaged])[17] ^= 0x20;
        const std::string error = ErrorOf<std::runtime_error>([&] {
            for (const uint64_t psn : {3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 14, 13, 12, 11, 10})
            {
                r.Take(frames[psn]);
            }
        });
        const std::string start = "message 0 of queue pair 7 of NIC 3: byte ";
        if (damaged == 10)
        {
            EXPECT_EQ(error, "no error"); // it was not needed any more
            EXPECT_EQ(r.qp->msn, 1u);
            continue;
        }
        EXPECT_EQ(error.substr(0, start.size()), start) << damaged;
        // The first one, or what was rebuilt with the damaged packet: 1 and 2; 10 and 11.
        const uint64_t byte = damaged == 0 ? 17 : damaged < 10 ? 1017 : 8017;
        EXPECT_EQ(error.substr(start.size(), error.find(" is") - start.size()),
                  std::to_string(byte))
            << error;
    }
}

TEST(ErasureVerifier, FindsPacketsThatAreNotWhatTheySay)
{
    if (!ErasureVerifier::IsAvailable())
    {
        GTEST_SKIP() << "built without ISA-L";
    }
    const auto run = [](const std::function<void(std::vector<Frame>&)>& spoil) {
        Sender s("Bytes=true");
        Receiver r("Bytes=true");
        s.qp.Post(16000, 1, 0);
        s.qp.Post(3000, 1, 0);
        auto frames = s.SendFrames();
        spoil(frames);
        for (const Frame& frame : frames)
        {
            r.Take(frame);
        }
    };
    EXPECT_NO_THROW(run([](auto&) {}));
    EXPECT_THROW(run([](auto& f) { std::swap(f[1].remoteAddress, f[2].remoteAddress); }),
                 std::runtime_error);
    EXPECT_THROW(run([](auto& f) { f[5].payloadBytes = 999; }), std::runtime_error);
    EXPECT_THROW(
        run([](auto& f) { CodeHeaderOf(f[0]).blockBytes = CodeHeaderOf(f[1]).blockBytes = 7999; }),
        std::runtime_error);
    EXPECT_THROW(run([](auto& f) { // a block twice
                     for (int i = 0; i < 10; ++i)
                     {
                         f[10 + i].remoteAddress = f[i].remoteAddress;
                     }
                 }),
                 std::runtime_error);
    EXPECT_THROW(run([](auto& f) {
                     for (Frame& frame : f)
                     {
                         frame.messageBytes += 1;
                     }
                 }),
                 std::runtime_error);
}

TEST(ErasureVerifier, TheSenderKeepsWhatIsNotAcknowledged)
{
    ErasureVerifier::Sender sender;
    for (uint64_t psn = 0; psn < 40; ++psn)
    {
        Frame frame{};
        frame.psn = psn;
        frame.flags = psn ? FRAME_CODED : FRAME_CODED | FRAME_FIRST;
        frame.payloadBytes = 100;
        CodeHeaderOf(frame) = {{static_cast<uint8_t>(psn % 10), 8, 10, psn >= 30}, 800};
        sender.OnSend(frame);
        EXPECT_EQ(frame.remoteAddress, psn); // captures show it
        EXPECT_NO_THROW(ErasureVerifier::GetBytes(frame));
        EXPECT_EQ(sender.GetBlocks(), psn / 10 + 1);
    }
    sender.Retire(9);
    EXPECT_EQ(sender.GetBlocks(), 4u);
    sender.Retire(10);
    EXPECT_EQ(sender.GetBlocks(), 3u);
    sender.Retire(40);
    EXPECT_EQ(sender.GetBlocks(), 0u);
    Frame late{};
    late.remoteAddress = 39;
    EXPECT_THROW(ErasureVerifier::GetBytes(late), std::logic_error);
}

// Two networks in one process: the same NIC and queue pair numbers, other bytes.
TEST(ErasureVerifier, SendersWithTheSameNumbersKeepTheirOwnBytes)
{
    if (!ErasureVerifier::IsAvailable())
    {
        GTEST_SKIP() << "built without ISA-L";
    }
    Receiver r[2]{Receiver("Bytes=true"), Receiver("Bytes=true")};
    Sender s[2]{Sender("Bytes=true"), Sender("Bytes=true")};
    s[0].qp.Post(16000, 1, 0);
    s[1].qp.Post(9000, 1, 0);
    s[1].qp.Post(16000, 1, 0);
    const auto first = s[0].SendFrames();
    const auto second = s[1].SendFrames();
    for (std::size_t i = 0; i < second.size(); ++i)
    {
        r[1].Take(second[i]);
        if (i < first.size())
        {
            r[0].Take(first[i]);
        }
    }
    EXPECT_EQ(r[0].qp->msn, 1u);
    EXPECT_EQ(r[1].qp->msn, 2u);
}
