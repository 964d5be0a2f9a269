// SPDX-License-Identifier: GPL-2.0-only
// Selective repeat: both halves, packet by packet, and against a plain model of what is in flight.
#include "roce-recovery-fixture.h"

#include "ns3/boolean.h"
#include "ns3/nstime.h"
#include "ns3/roce-retransmission-timers.h"
#include "ns3/roce-selective-repeat.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using Action = ReceiverQp::Action;
constexpr uint32_t FIRST_WIRE = 1000 + 62 + 16 + 20;
constexpr uint32_t MIDDLE_WIRE = 1000 + 62 + 20;

const PathInfo PATH = MakePath(G100, 10 * US, 1100);

struct Sender : RecoverySender
{
    explicit Sender(const Ptr<SelectiveRepeat>& prototype = NoCap(), uint64_t window = 0)
        : RecoverySender(prototype, PATH, window)
    {
    }

    static Ptr<SelectiveRepeat> NoCap()
    {
        return With<SelectiveRepeat>({{"BdpCap", "false"}});
    }

    /// ACK of everything below una, with these beyond it.
    QueuePair::AckResult Ack(uint64_t una, const std::vector<uint64_t>& sacked = {})
    {
        return sacked.empty() ? OnAck(AckOf(una))
                              : OnAck(SackOf(una,
                                             true,
                                             *std::min_element(sacked.begin(), sacked.end()),
                                             sacked));
    }
};

using Psns = std::vector<uint64_t>;

} // namespace

// ---------------------------------------------------------------- the set

TEST(PsnSet, AgainstAPlainSet)
{
    std::mt19937_64 rng(1);
    PsnSet set;
    std::set<uint64_t> model;
    uint64_t base = 1000003;
    for (int i = 0; i < 200000; ++i)
    {
        const uint64_t psn = base + rng() % (i < 100000 ? 500 : 3000);
        switch (rng() % 4)
        {
        case 0:
        case 1:
            set.Insert(psn, base);
            model.insert(psn);
            break;
        case 2:
            if (model.erase(psn))
            {
                set.Erase(psn);
            }
            break;
        default:
            for (const uint64_t end = base + rng() % 100; base < end; ++base)
            {
                if (model.erase(base))
                {
                    set.Erase(base);
                }
            }
        }
        const uint64_t asked = base + rng() % 10000;
        ASSERT_EQ(set.Has(asked, base), model.count(asked) == 1);
    }
    uint64_t bits = 0;
    for (unsigned i = 0; i < 64; ++i)
    {
        bits |= static_cast<uint64_t>(model.count(base + 5 + i)) << i;
    }
    EXPECT_EQ(set.Get64(base + 5, base), bits);
}

// ---------------------------------------------------------------- the sender

TEST(SelectiveRepeat, OneLossIsSentAgainOnce)
{
    Sender s;
    s.qp.Post(10000, 1, 0);
    EXPECT_EQ(s.SendAll(), (Psns{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_FALSE(s.Ack(3).loss);
    const auto result = s.Ack(3, {4});
    EXPECT_TRUE(result.loss);
    EXPECT_FALSE(result.rewound);
    EXPECT_EQ(result.packets, 1u);
    EXPECT_EQ(result.newestPsn, 5u);
    // 5 to 9 are in flight; 3 is lost, 4 has arrived.
    EXPECT_EQ(s.qp.GetInflightBytes(), 5 * MIDDLE_WIRE);
    const Frame again = s.Send();
    EXPECT_EQ(again.psn, 3u);
    EXPECT_TRUE(again.flags & FRAME_RETX);
    EXPECT_TRUE(again.flags & FRAME_ACK_REQ);
    EXPECT_EQ(s.qp.GetInflightBytes(), 6 * MIDDLE_WIRE);
    // Further reports of the same gap change nothing.
    EXPECT_FALSE(s.Ack(3, {4, 5}).loss);
    EXPECT_FALSE(s.Ack(3, {4, 5, 6}).loss);
    EXPECT_FALSE(s.qp.CanSend());
    const auto last = s.Ack(10);
    EXPECT_EQ(last.packets, 4u); // 3, 7, 8, 9
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
    ASSERT_EQ(s.done.size(), 1u);
    EXPECT_EQ(s.done[0].retransmitted, 1u);
}

TEST(SelectiveRepeat, RepeatsComeBeforeNewPackets)
{
    Sender s(Sender::NoCap(), 4 * MIDDLE_WIRE);
    s.qp.Post(20000, 1, 0);
    EXPECT_EQ(s.SendAll(), (Psns{0, 1, 2, 3}));
    s.Ack(1);
    EXPECT_EQ(s.SendAll(), (Psns{4}));
    // 1 and 2 are lost: two places are free, and a third for the arrival of 3.
    s.Ack(1, {3});
    EXPECT_EQ(s.SendAll(), (Psns{1, 2, 5}));
}

TEST(SelectiveRepeat, AnotherLossInTheSameWindowIsNoNewSign)
{
    Sender s;
    s.qp.Post(20000, 1, 0);
    s.SendAll();
    EXPECT_TRUE(s.Ack(2, {3}).loss);
    EXPECT_FALSE(s.Ack(2, {3, 6}).loss); // 4 and 5, too
    EXPECT_EQ(s.SendAll(), (Psns{2, 4, 5}));
    EXPECT_FALSE(s.Ack(19).loss);
    s.qp.Post(5000, 2, 0);
    s.SendAll();
    EXPECT_FALSE(s.Ack(19, {20}).loss); // 19 had been sent when the loss was found
    s.SendAll();
    s.Ack(21);
    EXPECT_TRUE(s.Ack(21, {22}).loss); // the next window
}

TEST(SelectiveRepeat, ReorderPacketsDelaysTheVerdict)
{
    Ptr<SelectiveRepeat> p = Sender::NoCap();
    p->SetAttribute("ReorderPackets", UintegerValue(3));
    Sender s(p);
    s.qp.Post(10000, 1, 0);
    s.SendAll();
    for (uint64_t psn : {1, 2, 3})
    {
        EXPECT_FALSE(s.Ack(0, {psn}).loss) << psn;
        EXPECT_FALSE(s.qp.CanSend());
    }
    EXPECT_TRUE(s.Ack(0, {4}).loss);
    EXPECT_EQ(s.SendAll(), (Psns{0}));
    // One that was only late is not repeated.
    EXPECT_FALSE(s.Ack(5, {6, 7, 8}).loss);
    EXPECT_FALSE(s.qp.CanSend());
    s.Ack(9);
    EXPECT_EQ(s.qp.GetInflightBytes(), MIDDLE_WIRE);
}

// Lost is what has been overtaken by more than ReorderPackets, and not one more.
TEST(SelectiveRepeat, ReorderPacketsIsExact)
{
    Ptr<SelectiveRepeat> p = Sender::NoCap();
    p->SetAttribute("ReorderPackets", UintegerValue(3));
    Sender s(p);
    s.qp.Post(10000, 1, 0);
    s.SendAll();
    EXPECT_TRUE(s.Ack(0, {4}).loss);
    EXPECT_EQ(s.SendAll(), (Psns{0}));
    EXPECT_FALSE(s.Ack(0, {5}).loss); // in the same window
    EXPECT_EQ(s.SendAll(), (Psns{1}));
}

TEST(SelectiveRepeat, ALateArrivalCancelsTheRepeat)
{
    Sender s(Sender::NoCap(), 3 * MIDDLE_WIRE);
    s.qp.Post(10000, 1, 0);
    s.SendAll();
    s.Ack(0, {2}); // 0 and 1 lost: not in flight, and not sent again yet
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
    s.Ack(0, {1});
    EXPECT_EQ(s.Send().psn, 0u);
    EXPECT_EQ(s.Send().psn, 3u);
    EXPECT_EQ(s.qp.GetInflightBytes(), FIRST_WIRE + MIDDLE_WIRE);
}

TEST(SelectiveRepeat, TimeoutRepeatsAllHolesAndNothingElse)
{
    Sender s;
    s.qp.Post(8000, 1, 0);
    s.SendAll();
    s.Ack(2, {3, 5});
    EXPECT_EQ(s.SendAll(), (Psns{2, 4}));
    s.recovery->OnTimeout(s.qp, 0);
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
    EXPECT_EQ(s.SendAll(), (Psns{2, 4, 6, 7}));
    EXPECT_EQ(s.qp.GetInflightBytes(), 4 * MIDDLE_WIRE);
    s.Ack(8);
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
    EXPECT_EQ(s.qp.GetRetransmitted(), 6u);
}

TEST(SelectiveRepeat, BdpCapBoundsWhatIsOutstanding)
{
    Ptr<SelectiveRepeat> p = CreateObject<SelectiveRepeat>();
    p->SetAttribute("BdpPackets", UintegerValue(4));
    Sender s(p);
    s.qp.Post(20000, 1, 0);
    for (uint64_t i = 0; i < 3; ++i)
    {
        EXPECT_FALSE(s.Send().flags & FRAME_ACK_REQ);
    }
    EXPECT_TRUE(s.Send().flags & FRAME_ACK_REQ); // the cap is reached: an ACK must come
    EXPECT_FALSE(s.qp.CanSend());
    s.Ack(0, {2, 3});
    EXPECT_EQ(s.SendAll(), (Psns{0, 1})); // arrivals out of order do not move the cap
    s.Ack(2, {3});
    EXPECT_EQ(s.SendAll(), (Psns{4, 5}));
    // From the path: 100 Gbit/s * 10 us / 1100 B = 113.6.
    Sender derived(CreateObject<SelectiveRepeat>());
    derived.qp.Post(1000000, 1, 0);
    EXPECT_EQ(derived.SendAll().size(), 114u);
    // Or from the longest one of the network.
    PathInfo path = PATH;
    path.longestRttPs = 20 * US;
    RecoverySender longest(CreateObject<SelectiveRepeat>(), path);
    longest.qp.Post(1000000, 1, 0);
    EXPECT_EQ(longest.SendAll().size(), 228u);
}

TEST(SelectiveRepeat, TwoTimeouts)
{
    const auto timeout = [](Sender& s) { return s.recovery->TimeoutPs(s.qp); };
    Sender s(
        With<SelectiveRepeat>({{"BdpCap", "false"}, {"RtoLow", "100us"}, {"RtoHigh", "320us"}}));
    s.qp.Post(10000, 1, 0);
    for (int i = 0; i < 3; ++i)
    {
        s.Send();
        EXPECT_EQ(timeout(s), 100 * US);
    }
    s.Send();
    EXPECT_EQ(timeout(s), 320 * US);
    s.Ack(1);
    EXPECT_EQ(timeout(s), 100 * US);
    // What has arrived behind a gap is not in flight.
    s.SendAll();
    EXPECT_EQ(timeout(s), 320 * US);
    s.Ack(1, {4, 5, 6, 7, 8, 9});
    EXPECT_EQ(timeout(s), 320 * US) << "what waits to be sent again is not lost again";
    s.SendAll();
    EXPECT_EQ(s.qp.GetNextPsn() - s.qp.GetUna(), 9u);
    EXPECT_EQ(timeout(s), 100 * US);
    // Neither below the NIC's multiple of the base RTT.
    Sender other;
    Ptr<LossRecovery> longer = Sender::NoCap()->ForQueuePair(PATH, 150 * US);
    EXPECT_EQ(longer->TimeoutPs(other.qp), 150 * US);
    // More in flight never makes it shorter.
    const auto crossed = With<SelectiveRepeat>({{"RtoLow", "1ms"}, {"RtoHigh", "320us"}});
    s.qp.Post(10000, 2, 0);
    s.SendAll();
    EXPECT_EQ(crossed->ForQueuePair(PATH, 0)->TimeoutPs(s.qp), 1000 * US);
}

// RtoHigh is what full buffers take to drain: one, or with PFC that of each switch.
TEST(SelectiveRepeat, TimeoutsOfThePath)
{
    PathInfo path = PATH;
    path.hops = 4;
    path.fullQueuePs = 500 * US;
    for (const bool lossless : {false, true})
    {
        path.lossless = lossless;
        RecoverySender s(Sender::NoCap(), path);
        s.qp.Post(10000, 1, 0);
        s.Send();
        const int64_t high = 10 * US + (lossless ? 3 : 1) * 500 * US;
        EXPECT_EQ(s.recovery->TimeoutPs(s.qp), lossless ? high : 100 * US);
        EXPECT_EQ(s.recovery->GetLongestTimeoutPs(0), high);
        s.SendAll(1 * US);
        EXPECT_EQ(s.recovery->TimeoutPs(s.qp), high);
        // An RTT of 50 us: 50 + 4 * 25 us. Frames of one RTT are measured once.
        s.OnAck(Sender::AckOf(8), 50 * US);
        EXPECT_EQ(s.recovery->TimeoutPs(s.qp), 150 * US);
    }
}

// Three retries without progress, each twice as long; a flow may fail only once they are longest.
TEST(SelectiveRepeat, TimeoutsGrow)
{
    Sender s(
        With<SelectiveRepeat>({{"BdpCap", "false"}, {"RtoLow", "100us"}, {"RtoHigh", "350us"}}));
    s.qp.Post(2000, 1, 0);
    for (const int64_t expected : {100, 200, 350, 350})
    {
        s.SendAll();
        EXPECT_EQ(s.recovery->TimeoutPs(s.qp), expected * US);
        EXPECT_EQ(s.recovery->MayFail(s.qp), expected == 350);
        EXPECT_TRUE(RetransmissionTimers::Expire(s.qp, true, s.recovery->MayFail(s.qp) ? 7 : 0));
        s.recovery->OnTimeout(s.qp, 0);
    }
}

// A packet that is lost again is found by the next new one that arrives.
TEST(SelectiveRepeat, LostRepeatsAreFound)
{
    Sender s(Sender::NoCap(), 6 * MIDDLE_WIRE);
    s.qp.Post(20000, 1, 0);
    EXPECT_EQ(s.SendAll(), (Psns{0, 1, 2, 3, 4, 5}));
    s.Ack(1);
    EXPECT_EQ(s.SendAll(), (Psns{6}));
    s.Ack(1, {2});
    EXPECT_EQ(s.SendAll(), (Psns{1, 7}));
    s.Ack(1, {2, 3, 4, 5, 6}); // all sent before the repeat: no sign
    EXPECT_EQ(s.Send().psn, 8u);
    EXPECT_EQ(s.SendAll(), (Psns{9, 10, 11}));
    const uint64_t inflight = s.qp.GetInflightBytes();
    EXPECT_FALSE(s.Ack(1, {2, 3, 4, 5, 6, 7}).loss); // sent after it
    EXPECT_EQ(s.qp.GetInflightBytes(), inflight - 2 * MIDDLE_WIRE);
    EXPECT_EQ(s.SendAll(), (Psns{1, 12}));
    s.Ack(1, {8, 9, 10, 11});
    EXPECT_EQ(s.SendAll(), (Psns{13, 14, 15, 16}));
    s.Ack(17);
    EXPECT_EQ(s.qp.GetInflightBytes(), 0u);
    EXPECT_EQ(s.qp.GetRetransmitted(), 2u);
}

TEST(SelectiveRepeat, LostRepeatsAreFoundLaterOnPathsThatReorder)
{
    Ptr<SelectiveRepeat> p = Sender::NoCap();
    p->SetAttribute("ReorderPackets", UintegerValue(2));
    Sender s(p);
    s.qp.Post(4000, 1, 0);
    s.SendAll();
    s.Ack(0, {3});
    EXPECT_EQ(s.SendAll(), (Psns{0}));
    s.qp.Post(9000, 2, 0);
    s.SendAll();
    s.Ack(0, {1, 2, 4});
    s.Ack(0, {5});
    EXPECT_FALSE(s.qp.CanSend());
    s.Ack(0, {6}); // 4 is the first one sent after the repeat: overtaken by three
    EXPECT_EQ(s.SendAll(), (Psns{0}));
}

TEST(SelectiveRepeat, ImpossibleAcksAreIgnored)
{
    Sender s;
    s.qp.Post(4000, 1, 0);
    s.SendAll();
    EXPECT_EQ(s.Ack(5).packets, 0u);
    EXPECT_EQ(s.qp.GetUna(), 0u);
    s.Ack(2);
    EXPECT_EQ(s.Ack(1).packets, 0u);
    EXPECT_EQ(s.Ack(2, {9, 40}).packets, 0u); // never sent
    EXPECT_EQ(s.Ack(0, {1}).packets, 0u);     // long acknowledged
    EXPECT_EQ(s.qp.GetInflightBytes(), 2 * MIDDLE_WIRE);
}

// ---------------------------------------------------------------- the receiver

namespace
{

Frame
Answer(const SelectiveRepeatReceiver& r, uint64_t psn)
{
    Frame ack{};
    r.FillAck(ack, Data(psn));
    return ack;
}

} // namespace

TEST(SelectiveRepeatReceiver, TakesAnyOrderOnce)
{
    WithMessages<SelectiveRepeatReceiver> r;
    EXPECT_EQ(r.Take(Data(0), 1, 0), Action::ACK);
    EXPECT_FALSE(Answer(r, 0).flags & FRAME_SACK);
    EXPECT_EQ(r.Take(Data(2), 1, 0), Action::NAK);
    EXPECT_EQ(r.Take(Data(3, FRAME_LAST), 1, 0), Action::NAK); // each arrival out of order
    EXPECT_EQ(r.expectedPsn, 1u);
    EXPECT_EQ(r.receivedBytes, 3000u);
    EXPECT_EQ(r.msn, 0u);
    const Frame nak = Answer(r, 3);
    EXPECT_TRUE(nak.flags & FRAME_SACK);
    EXPECT_EQ(nak.sackPsn, 2u);
    EXPECT_EQ(nak.sackBits, 3u);
    EXPECT_EQ(nak.frameBytes, SACK_BYTES);
    EXPECT_EQ(r.Take(Data(2, FRAME_RETX), 1, 0), Action::ACK); // a duplicate
    EXPECT_EQ(r.receivedBytes, 3000u);
    EXPECT_EQ(r.Take(Data(1, FRAME_RETX), 100, 0), Action::ACK); // fills the gap: at once
    EXPECT_EQ(r.expectedPsn, 4u);
    EXPECT_EQ(r.msn, 1u);
    EXPECT_EQ(r.receivedBytes, 4000u);
    EXPECT_FALSE(Answer(r, 1).flags & FRAME_SACK);
    EXPECT_EQ(r.Take(Data(3, FRAME_RETX), 1, 0), Action::ACK);
    EXPECT_EQ(r.receivedBytes, 4000u);
    EXPECT_EQ(r.reordered, 0u); // all of it were repeats
}

TEST(SelectiveRepeatReceiver, ReportsThe64UpToTheArrival)
{
    WithMessages<SelectiveRepeatReceiver> r;
    for (uint64_t psn = 1; psn < 200; psn += 2)
    {
        r.Take(Data(psn), 1, 0);
    }
    const Frame nak = Answer(r, 199);
    EXPECT_EQ(nak.sackPsn, 136u);
    EXPECT_EQ(nak.sackBits, 0xaaaaaaaaaaaaaaaaULL);
    r.Take(Data(0), 1, 0);
    EXPECT_EQ(r.expectedPsn, 2u);
    const Frame ack = Answer(r, 0); // in order: what follows the gap
    EXPECT_EQ(ack.sackPsn, 3u);
    EXPECT_EQ(ack.sackBits, 0x5555555555555555ULL);
}

TEST(SelectiveRepeatReceiver, CoalescesInOrderOnly)
{
    WithMessages<SelectiveRepeatReceiver> r;
    EXPECT_EQ(r.Take(Data(0), 4, 0), Action::NOTHING);
    EXPECT_EQ(r.Take(Data(1), 4, 0), Action::NOTHING);
    EXPECT_EQ(r.Take(Data(2, FRAME_ACK_REQ), 4, 0), Action::ACK);
    EXPECT_EQ(r.Take(Data(4), 4, 0), Action::NAK);
    r.unackedPackets = 0;
    EXPECT_EQ(r.Take(Data(3), 4, 0), Action::ACK);
    EXPECT_EQ(r.expectedPsn, 5u);
}

TEST(SelectiveRepeatReceiver, CountsReordering)
{
    WithMessages<SelectiveRepeatReceiver> r;
    for (uint64_t psn : {0, 3, 1, 2, 4})
    {
        r.Take(Data(psn), 1, 0);
    }
    EXPECT_EQ(r.reordered, 2u);
    EXPECT_EQ(r.reorderDepth, 2u);
    EXPECT_EQ(r.expectedPsn, 5u);
}
