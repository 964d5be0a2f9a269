// SPDX-License-Identifier: GPL-2.0-only
// UnoErasure's sender: what leaves what is in flight, what is sent again, and when.
#include "roce-error-of.h"
#include "uno-erasure-fixture.h"

#include "ns3/roce-retransmission-timers.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using Psns = std::vector<uint64_t>;

constexpr int64_t OLD = 150 * US; // more than a base RTT after 0

Psns
PsnsFrom(uint64_t first, uint64_t end)
{
    Psns psns;
    for (; first < end; ++first)
    {
        psns.push_back(first);
    }
    return psns;
}

} // namespace

TEST(UnoErasure, SendsBlockByBlockDataThenParity)
{
    Sender s;
    s.qp.Post(10500, 1, 0); // 8 + 2 and 3 + 2 packets
    const auto frames = s.SendFrames();
    ASSERT_EQ(frames.size(), 15u);
    for (uint64_t i = 0; i < 15; ++i)
    {
        const Frame& f = frames[i];
        const UnoErasureHeader header = CodeHeaderOf(f);
        const BlockPlace& place = header.place;
        EXPECT_TRUE(f.flags & FRAME_CODED);
        EXPECT_EQ(f.psn, i);
        EXPECT_EQ(place.index, i % 10);
        EXPECT_EQ(place.data, i < 10 ? 8 : 3);
        EXPECT_EQ(place.total, i < 10 ? 10 : 5);
        EXPECT_EQ(header.blockBytes, i < 10 ? 8000u : 2500u);
        EXPECT_EQ(f.msn + f.ackedPackets, 0u) << "fields of ACKs";
        EXPECT_EQ(f.payloadBytes, i == 12 ? 500u : 1000u);
        EXPECT_EQ(f.frameBytes, f.payloadBytes + 62u + CODE_HEADER_BYTES + (i ? 0 : RETH_BYTES));
    }
    EXPECT_TRUE(frames[14].flags & FRAME_LAST);
    EXPECT_EQ(s.qp.GetInflightBytes(), 15 * WIRE + RETH_BYTES - 500);
}

// A message may be complete before its last parity is sent, so that does not count.
TEST(UnoErasure, UnsentBytesAreOfData)
{
    Sender s;
    s.qp.Post(10500, 1, 0); // 8 + 2 and 3 + 2 packets
    const std::map<int, uint64_t>
        left{{0, 10500}, {7, 3500}, {8, 2500}, {10, 2500}, {11, 1500}, {12, 500}, {13, 0}, {15, 0}};
    for (int sent = 0; sent <= 15; ++sent)
    {
        if (left.count(sent))
        {
            EXPECT_EQ(s.qp.GetUnsentBytes(), left.at(sent)) << sent << " packets sent";
        }
        if (sent < 15)
        {
            s.Send();
        }
    }
}

TEST(UnoErasure, AcksOfSinglePacketsLeaveTheBlockOpen)
{
    Sender s;
    s.qp.Post(16000, 1, 0);
    s.SendAll();
    auto result = s.Ack(0, {3});
    EXPECT_EQ(result.packets, 1u);
    EXPECT_EQ(result.bytes, WIRE);
    EXPECT_EQ(result.newestPsn, 4u);
    EXPECT_FALSE(result.advanced);
    EXPECT_FALSE(result.loss);
    EXPECT_EQ(s.qp.GetInflightBytes(), 19 * WIRE + RETH_BYTES);
    EXPECT_EQ(s.Ack(0, {3}).packets, 0u); // told again
    EXPECT_EQ(s.Ack(0, {0, 1, 3, 9}).packets, 3u);
    EXPECT_EQ(s.qp.GetInflightBytes(), 16 * WIRE);
    EXPECT_EQ(s.qp.GetUna(), 0u);
    EXPECT_FALSE(s.qp.CanSend()); // overtaking is no sign of a loss
}

// What of a block is not needed leaves what is in flight, uncounted; its own ACK counts it.
TEST(UnoErasure, SparedPacketsCountOnlyWhenTheyArrive)
{
    Sender s;
    s.qp.Post(24000, 1, 0);
    s.SendAll();
    s.Ack(0, PsnsFrom(0, 7));
    auto result = s.Ack(10, {7}, true);
    EXPECT_TRUE(result.advanced);
    EXPECT_EQ(result.packets, 1u);
    EXPECT_EQ(result.bytes, WIRE);
    EXPECT_EQ(s.qp.GetUna(), 10u);
    EXPECT_EQ(s.qp.GetInflightBytes(), 20 * WIRE);
    result = s.Ack(10, {9}, true);
    EXPECT_EQ(result.packets, 1u);
    EXPECT_EQ(result.bytes, WIRE);
    EXPECT_FALSE(result.advanced);
    EXPECT_EQ(s.qp.GetInflightBytes(), 20 * WIRE);
    EXPECT_EQ(s.Ack(10, {9}, true).packets, 0u); // once
    EXPECT_EQ(s.Ack(10, {7}, true).packets, 0u);
    // The last block before the second: done, not delivered.
    s.Ack(10, PsnsFrom(20, 27));
    result = s.Ack(10, {27}, true);
    EXPECT_FALSE(result.advanced);
    EXPECT_EQ(result.packets, 1u);
    EXPECT_EQ(s.qp.GetInflightBytes(), 10 * WIRE);
    EXPECT_EQ(s.Ack(10, {28}, true).packets, 1u);
    EXPECT_EQ(s.qp.GetInflightBytes(), 10 * WIRE);
    result = s.Ack(30, PsnsFrom(10, 18), true);
    EXPECT_EQ(result.packets, 8u);
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
    ASSERT_EQ(s.done.size(), 1u);
    EXPECT_EQ(s.done[0].bytes, 24000u);
    EXPECT_EQ(s.done[0].retransmitted, 0u);
}

// Of a block that can be rebuilt before all of it is sent the rest is not sent.
TEST(UnoErasure, ParityThatIsNotNeededIsNotSent)
{
    Sender s("", 9 * WIRE); // nine packets at a time
    s.qp.Post(16000, 1, 0);
    EXPECT_EQ(s.SendAll(), PsnsFrom(0, 9));
    const auto result = s.Ack(10, PsnsFrom(0, 8), true);
    EXPECT_TRUE(result.advanced);
    EXPECT_EQ(result.packets, 8u);
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
    EXPECT_EQ(s.qp.GetNextPsn(), 10u);
    EXPECT_EQ(s.SendAll().front(), 10u);
    EXPECT_EQ(s.qp.GetRetransmitted(), 0u);
    // The message ends with parity that is not sent.
    Sender last("", WIRE + 200);
    last.qp.Post(1500, 5, 0);
    EXPECT_EQ(last.SendAll(), PsnsFrom(0, 2));
    last.Ack(4, PsnsFrom(0, 2), true);
    ASSERT_EQ(last.done.size(), 1u);
    EXPECT_EQ(last.done[0].cookie, 5u);
    EXPECT_EQ(last.qp.GetUna(), last.qp.GetEndPsn());
    EXPECT_FALSE(last.qp.HasPacket());
    last.qp.Post(500, 6, 0);
    EXPECT_EQ(last.SendAll().front(), 4u);
}

TEST(UnoErasure, ImpossibleAcksAreIgnored)
{
    Sender s("", 3 * WIRE);
    s.qp.Post(30000, 1, 0);
    EXPECT_EQ(s.Ack(10, {0}, true).packets, 0u); // nothing sent
    EXPECT_EQ(s.Nack(0, 0, {}, OLD).packets, 0u);
    s.SendAll();
    EXPECT_EQ(s.Ack(11, {2}, true).packets, 0u); // beyond the block of what is sent
    EXPECT_EQ(s.qp.GetUna(), 0u);
    EXPECT_EQ(s.Ack(0, {3, 60}).packets, 0u); // never sent
    EXPECT_FALSE(s.Nack(0, 20, {20}, OLD).loss);
    EXPECT_EQ(s.qp.GetInflightBytes(), 3 * WIRE + RETH_BYTES);
    s.Ack(10, {0}, true);
    EXPECT_FALSE(s.Nack(10, 0, {}, OLD).loss); // about what is long done
    EXPECT_EQ(s.Ack(0, {1}).packets, 1u);      // old, and nevertheless news
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
    EXPECT_FALSE(s.qp.GetUna() < 10);
}

// A loss that the code has covered is told to the path selector, once, and to nobody else.
TEST(UnoErasure, SilentPathsAreNoticed)
{
    Sender s;
    s.qp.Post(400 * MTU, 1, 0);
    s.SendAll();
    const uint64_t lost = 8; // of the first block; of the others nothing is
    uint64_t acked = 0;
    for (uint64_t block = 0; block < 50; ++block)
    {
        s.Ack(10 * block, PsnsFrom(10 * block, 10 * block + 7));
        const auto result = s.Ack(10 * block + 10, {10 * block + 7}, true);
        EXPECT_FALSE(result.loss);
        EXPECT_EQ(s.noter->covered.empty(), 10 * block + 10 <= SentPackets::HISTORY + lost)
            << block;
        for (const uint64_t late : {8, 9})
        {
            acked += block || late != lost
                         ? s.Ack(10 * block + 10, {10 * block + late}, true).packets
                         : 0;
        }
    }
    EXPECT_EQ(acked, 99u);
    EXPECT_EQ(s.noter->covered, std::vector<uint16_t>{8});
    EXPECT_TRUE(s.noter->lost.empty());
    // What a NACK has told before is not told again.
    Sender nacked;
    nacked.qp.Post(400 * MTU, 1, 0);
    nacked.SendAll();
    nacked.Nack(0, 0, PsnsFrom(0, 7), OLD);
    EXPECT_EQ(nacked.noter->lost.size(), 3u);
    for (uint64_t block = 0; block < 50; ++block)
    {
        nacked.Ack(10 * block + 10, PsnsFrom(10 * block, 10 * block + 10), true, OLD);
    }
    EXPECT_EQ(nacked.noter->lost.size(), 3u);
    EXPECT_TRUE(nacked.noter->covered.empty());
}

// ---------------------------------------------------------------- NACKs

struct NackCase
{
    const char* repeat;
    Psns arrived;
    Psns repeated;
};

class WhatANackRepeats : public ::testing::TestWithParam<NackCase>
{
};

TEST_P(WhatANackRepeats, OfTheBlock)
{
    Sender s(std::string("NackRepeat=") + GetParam().repeat);
    s.qp.Post(8000, 1, 0);
    s.SendAll();
    const auto result = s.Nack(0, 0, GetParam().arrived, OLD);
    EXPECT_TRUE(result.loss);
    EXPECT_EQ(result.packets, GetParam().arrived.size());
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u); // what is missing is lost
    EXPECT_EQ(s.noter->lost.size(), 10 - GetParam().arrived.size());
    EXPECT_EQ(s.SendAll(OLD), GetParam().repeated);
    EXPECT_FALSE(s.Nack(0, 0, GetParam().arrived, OLD).loss); // again: nothing more
    EXPECT_FALSE(s.qp.CanSend());
}

INSTANTIATE_TEST_SUITE_P(
    Modes,
    WhatANackRepeats,
    ::testing::Values(NackCase{"missingData", {0, 1, 2, 3, 4, 8, 9}, {5, 6, 7}},
                      NackCase{"missingData", {0, 1, 2, 3, 4, 5, 6}, {7}},
                      NackCase{"missingData", {3}, {0, 1, 2, 4, 5, 6, 7}},
                      NackCase{"needed", {0, 1, 2, 3, 4, 8, 9}, {5}},
                      NackCase{"needed", {0, 1, 2, 3, 4, 5, 6}, {7}},
                      NackCase{"needed", {9}, {0, 1, 2, 3, 4, 5, 6}},
                      NackCase{"unacked", {0, 1, 2, 3, 4, 8, 9}, {5, 6, 7}},
                      NackCase{"unacked", {0, 1, 2, 3, 4, 5, 6}, {7, 8, 9}}));

TEST(UnoErasure, ANackImplicatesThePathsOfWhatIsMissing)
{
    Sender s; // packet i takes path i
    s.qp.Post(16000, 1, 0);
    s.SendAll();
    s.Nack(0, 10, {10, 12, 13, 14, 16, 17, 18}, OLD);
    EXPECT_EQ(s.noter->lost, (std::vector<uint16_t>{11, 15, 19}));
    EXPECT_EQ(s.SendAll(OLD), (Psns{11, 15})); // data
    EXPECT_EQ(s.qp.GetInflightBytes(), 12 * WIRE + RETH_BYTES);
    // The repeats took paths 20 and 21; the second one is lost, too.
    s.Nack(0, 10, {10, 12, 13, 14, 16, 17, 18}, OLD + 100 * US);
    EXPECT_EQ(s.noter->lost, (std::vector<uint16_t>{11, 15, 19, 20, 21}));
}

// What was sent less than a base RTT ago is on its way.
TEST(UnoErasure, ANackDoesNotConcernWhatIsOnItsWay)
{
    for (const char* repeat : {"missingData", "needed", "unacked"})
    {
        Sender s(std::string("NackRepeat=") + repeat);
        s.qp.Post(8000, 1, 0);
        for (int i = 0; i < 10; ++i)
        {
            s.Send(i * 10 * US);
        }
        // Sent at 0 to 20 us: a base RTT ago or more.
        EXPECT_TRUE(s.Nack(0, 0, {1}, 120 * US).loss);
        EXPECT_EQ(s.qp.GetInflightBytes(), 7 * WIRE);
        // 1 is there, 7 are on their way: enough.
        EXPECT_EQ(s.SendAll(120 * US), repeat == std::string("needed") ? Psns{} : (Psns{0, 2}));
        EXPECT_FALSE(s.Nack(0, 0, {1}, 120 * US).loss);
    }
}

TEST(UnoErasure, ANackBeforeAllIsSent)
{
    Sender s("NackRepeat=needed", 5 * WIRE);
    s.qp.Post(8000, 1, 0);
    EXPECT_EQ(s.SendAll(), PsnsFrom(0, 5));
    // Two there, three lost, five unsent: one more is needed.
    EXPECT_TRUE(s.Nack(0, 0, {1, 3}, OLD).loss);
    EXPECT_EQ(s.SendAll(OLD), (Psns{0, 5, 6, 7, 8}));
    s.Ack(0, {0, 5, 6, 7, 8});
    EXPECT_EQ(s.SendAll(OLD), (Psns{9}));
}

// A repeat that has arrived meanwhile, or that is not needed any more, is not sent.
TEST(UnoErasure, LateArrivalsCancelRepeats)
{
    Sender s;
    s.qp.Post(16000, 1, 0);
    s.SendAll();
    s.Nack(0, 0, {0, 1, 2, 3}, OLD); // 4 to 7 wait
    s.Ack(0, {5});
    EXPECT_EQ(s.Send(OLD).psn, 4u);
    s.Ack(10, {6}, true);
    EXPECT_FALSE(s.qp.CanSend());
    EXPECT_EQ(s.qp.GetInflightBytes(), 10 * WIRE);
}

// ---------------------------------------------------------------- timeouts

TEST(UnoErasure, EachPacketTimesOutAndBacksOff)
{
    Sender s("RtoBackoff=4");
    s.qp.Post(1000, 1, 0);
    s.Send(0);
    s.Send(10 * US);
    s.Send(20 * US);
    EXPECT_EQ(s.recovery->DeadlinePs(s.qp), RTO);
    s.Ack(0, {2}); // it is not enough, as the code has one data packet: only in this test
    EXPECT_TRUE(s.recovery->IsRetry(s.qp, RTO));
    s.recovery->OnTimeout(s.qp, RTO);
    EXPECT_EQ(s.qp.GetInflightBytes(), WIRE);
    EXPECT_EQ(s.SendAll(RTO), (Psns{0}));
    // Not the oldest one: no retry.
    EXPECT_EQ(s.recovery->DeadlinePs(s.qp), RTO + 10 * US);
    EXPECT_FALSE(s.recovery->IsRetry(s.qp, RTO + 10 * US));
    s.recovery->OnTimeout(s.qp, RTO + 10 * US);
    EXPECT_EQ(s.SendAll(RTO + 10 * US), (Psns{1}));
    int64_t at = RTO;
    for (const int64_t factor : {2, 4, 4, 4})
    {
        at += factor * RTO;
        EXPECT_EQ(s.recovery->DeadlinePs(s.qp), at);
        s.recovery->OnTimeout(s.qp, at);
        EXPECT_EQ(s.SendAll(at), (Psns{0}));
        s.recovery->OnTimeout(s.qp, at + 10 * US);
        EXPECT_EQ(s.SendAll(at + 10 * US), (Psns{1}));
    }
    EXPECT_EQ(s.noter->lost.size(), 10u);
    s.Ack(3, {0}, true);
    EXPECT_EQ(s.recovery->DeadlinePs(s.qp), NEVER_PS);
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
}

// A block of which nothing arrives.
TEST(UnoErasure, ALostBlockComesAgain)
{
    Sender s;
    s.qp.Post(8000, 1, 0);
    s.SendAll();
    s.recovery->OnTimeout(s.qp, RTO - 1);
    EXPECT_FALSE(s.qp.CanSend());
    s.recovery->OnTimeout(s.qp, RTO);
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
    EXPECT_EQ(s.SendAll(RTO), PsnsFrom(0, 10));
    EXPECT_EQ(s.qp.GetRetransmitted(), 10u);
}

// The NIC's timer is set anew for a packet that is due before an older one which has backed off.
TEST(UnoErasure, NewPacketsAreDueBeforeThoseThatBackOff)
{
    Sender s("RtoBackoff=8", 12 * WIRE);
    s.qp.Post(16000, 1, 0);
    s.SendAll(0);
    for (uint64_t psn : PsnsFrom(1, 10))
    {
        s.Ack(0, {psn}); // the receiver says "not done": only in this test
    }
    s.recovery->OnTimeout(s.qp, RTO);
    const Frame oldest = s.Send(RTO);
    EXPECT_EQ(oldest.psn, 0u);
    const QueuePairList none;
    RetransmissionTimers(none).OnSend(s.qp, oldest, RTO);
    EXPECT_EQ(s.qp.timeout.GetDeadlinePs(), 3 * RTO);
    EXPECT_EQ(s.Send(RTO).flags & FRAME_RETX, FRAME_RETX);
    while (s.qp.HasPacket() && s.Send(RTO + 1).flags & FRAME_RETX)
    {
        EXPECT_EQ(s.qp.timeout.GetDeadlinePs(), 3 * RTO);
    }
    EXPECT_EQ(s.qp.timeout.GetDeadlinePs(), NEVER_PS);
    EXPECT_EQ(s.recovery->DeadlinePs(s.qp), 2 * RTO + 1);
}

// ---------------------------------------------------------------- without code

TEST(UnoErasure, WithinADatacenterNothingIsCoded)
{
    Sender s("", 0, false);
    EXPECT_FALSE(s.recovery->GetLayout());
    s.qp.Post(20000, 1, 0);
    const auto frames = s.SendFrames();
    ASSERT_EQ(frames.size(), 20u);
    EXPECT_EQ(frames[5].flags & FRAME_CODED, 0);
    EXPECT_EQ(frames[5].frameBytes, MTU + 62);
    Receiver receiver("", false);
    EXPECT_EQ(dynamic_cast<UnoErasureReceiver*>(receiver.qp.get()), nullptr);
    // Packet 2 is lost: only its timeout repeats it.
    for (const Frame& frame : frames)
    {
        if (frame.psn != 2)
        {
            const auto result = s.OnAck(receiver.Take(frame), 50 * US);
            EXPECT_EQ(result.packets, 1u);
            EXPECT_FALSE(result.loss);
        }
    }
    EXPECT_EQ(s.qp.GetUna(), 2u);
    EXPECT_EQ(s.qp.GetInflightBytes(), MTU + 82);
    EXPECT_FALSE(s.qp.CanSend());
    EXPECT_EQ(receiver.qp->timerPs, NEVER_PS);
    s.recovery->OnTimeout(s.qp, RTO);
    const Frame again = s.Send(RTO);
    EXPECT_EQ(again.psn, 2u);
    const auto result = s.OnAck(receiver.Take(again), RTO + 50 * US);
    EXPECT_EQ(result.packets, 1u);
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
    EXPECT_EQ(s.done.size(), 1u);
    // An ACK that comes late tells nothing new.
    EXPECT_EQ(s.Ack(2, {2, 5}).packets, 0u);
}

TEST(UnoErasure, CumulativeAcksCountWithoutCode)
{
    Sender s("", 0, false);
    s.qp.Post(20000, 1, 0);
    s.SendAll();
    Frame ack{};
    ack.kind = FrameKind::ACK;
    ack.psn = 15;
    const auto result = s.OnAck(ack, 0);
    EXPECT_EQ(result.packets, 16u);
    EXPECT_EQ(result.bytes, 16 * (MTU + 82) + RETH_BYTES);
    EXPECT_EQ(s.qp.GetInflightBytes(), 4 * (MTU + 82));
    ack.psn = 20;
    EXPECT_EQ(s.OnAck(ack, 0).packets, 0u); // never sent
}

// A timer that runs out while ACKs come has found a loss, and the next ACK tells of it, once.
TEST(UnoErasure, ATimeoutAmongAcksIsALoss)
{
    for (const bool coded : {false, true})
    {
        Sender s(coded ? "" : "Code=none");
        s.qp.Post(20000, 1, 0);
        s.SendAll();
        EXPECT_FALSE(s.recovery->IsMereLoss(s.qp, RTO)) << "no ACK yet";
        EXPECT_FALSE(s.Ack(0, {3}, false, 100 * US).lateLoss);
        EXPECT_FALSE(s.recovery->IsMereLoss(s.qp, RTO)) << "its own ACK was due then, too";
        EXPECT_FALSE(s.Ack(0, {4}, false, 100 * US + 1).lateLoss);
        EXPECT_TRUE(s.recovery->IsMereLoss(s.qp, RTO));
        EXPECT_FALSE(s.recovery->IsMereLoss(s.qp, RTO + 1)) << "nothing has come for too long";
        s.recovery->OnTimeout(s.qp, RTO);
        EXPECT_FALSE(s.Ack(0, {4}, false, RTO).lateLoss) << "an ACK that tells nothing new";
        EXPECT_TRUE(s.Ack(0, {5}, false, RTO).lateLoss);
        EXPECT_FALSE(s.Ack(0, {6}, false, RTO).lateLoss) << "told before";
    }
    Sender artifact("TimeoutSignal=timeout");
    artifact.qp.Post(20000, 1, 0);
    artifact.SendAll();
    artifact.Ack(0, {3}, false, RTO - 1);
    EXPECT_FALSE(artifact.recovery->IsMereLoss(artifact.qp, RTO));
    artifact.recovery->OnTimeout(artifact.qp, RTO);
    EXPECT_FALSE(artifact.Ack(0, {5}, false, RTO).lateLoss);
}

// ---------------------------------------------------------------- attributes

/// @return the block code of a recovery that codes
const BlockCode&
CodeOf(const Ptr<LossRecovery>& recovery)
{
    return dynamic_cast<const BlockCode&>(*recovery->GetLayout());
}

TEST(UnoErasure, Profiles)
{
    Ptr<UnoErasure> artifact = MakeErasure("Profile=artifact");
    const auto of = [](Ptr<UnoErasure> erasure, bool interDc) {
        return erasure->ForQueuePair(ErasurePath(interDc), 0);
    };
    EXPECT_TRUE(of(artifact, false)->GetLayout());
    EXPECT_EQ(CodeOf(of(artifact, true)).lastBlock, BlockCode::LastBlock::PADDED);
    const auto rto = [](const std::string& attributes) {
        Sender s(attributes);
        s.qp.Post(1000, 1, 0);
        s.Send(0);
        return s.recovery->DeadlinePs(s.qp);
    };
    EXPECT_EQ(rto("Profile=artifact"), 100 * US + 8 * 80 * US);
    Ptr<UnoErasure> paper = MakeErasure();
    EXPECT_TRUE(of(paper, true)->GetLayout());
    EXPECT_EQ(CodeOf(of(paper, true)).dataPackets, 8);
    EXPECT_EQ(CodeOf(of(paper, true)).parityPackets, 2);
    EXPECT_EQ(CodeOf(of(paper, true)).lastBlock, BlockCode::LastBlock::SHORTENED);
    EXPECT_EQ(rto(""), RTO);
    EXPECT_FALSE(of(MakeErasure("Code=none"), true)->GetLayout());
    EXPECT_TRUE(of(MakeErasure("Code=all"), false)->GetLayout());
    // What is set holds, whatever the profile.
    const std::string set = "Profile=artifact|Code=inter|LastBlock=proportional|RtoMultiplier=2|"
                            "QueueBytes=0|RtoBackoff=2";
    Ptr<UnoErasure> own = MakeErasure(set);
    EXPECT_FALSE(of(own, false)->GetLayout());
    EXPECT_EQ(CodeOf(of(own, true)).lastBlock, BlockCode::LastBlock::PROPORTIONAL);
    EXPECT_EQ(rto(set), 200 * US);
    EXPECT_EQ(rto("Rto=3ms"), 3000 * US);
}

TEST(UnoErasure, BadValuesAreRefusedWithTheirNames)
{
    const auto error = [](const std::string& attributes) {
        return ErrorOf([&] { MakeErasure(attributes)->ForQueuePair(ErasurePath(), 0); });
    };
    EXPECT_EQ(error("Profile=uno")
                  .find("ns3::roce::UnoErasure: Profile is 'uno', expected 'paper', 'artifact'"),
              0u);
    EXPECT_EQ(error("Code=some"),
              "ns3::roce::UnoErasure: Code is 'some', expected 'inter', 'all', 'none', or "
              "profile");
    EXPECT_EQ(error("DataPackets=63"),
              "ns3::roce::UnoErasure: DataPackets + ParityPackets is 65, expected at most 64");
    EXPECT_EQ(error("DataPackets=62"), "no error");
    for (const char* bad : {"LastBlock=x",
                            "NackRepeat=data",
                            "RtoMultiplier=0.5",
                            "RtoMultiplier=-1",
                            "RtoBackoff=0",
                            "QueueBytes=-1",
                            "Rto=-1ns"})
    {
        const std::string name = std::string(bad).substr(0, std::string(bad).find('='));
        EXPECT_NE(error(bad).find(name + " is "), std::string::npos) << error(bad);
    }
}
