// SPDX-License-Identifier: GPL-2.0-only
// Samples of the delivery rate, against hand-made sequences of frames and ACKs.
#include "roce-test-time.h"

#include "ns3/roce-delivery-rate.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// An ACK of 1000 bytes sent at sentPs.
AckInfo
Ack(int64_t nowPs, int64_t sentPs, uint64_t inflight = 1, uint64_t acked = 1000)
{
    AckInfo ack;
    ack.nowPs = nowPs;
    ack.rttPs = nowPs - sentPs;
    ack.ackedBytes = acked;
    ack.inflightBytes = inflight;
    return ack;
}

} // namespace

TEST(DeliveryRate, FirstWindowByTheAcks)
{
    // 4 frames at 0, 1, 2, 3 us; ACKs at 10, 12, 14, 16 us (a bottleneck of 1000 B in 2 us)
    DeliveryRate rate;
    rate.Reset(0);
    EXPECT_TRUE(rate.IsIdle());
    for (int64_t i = 0; i < 4; ++i)
    {
        rate.OnSend(i * US);
    }
    EXPECT_FALSE(rate.IsIdle());
    // Nothing was delivered when they were sent: i * 1000 B over the time since 0.
    EXPECT_DOUBLE_EQ(rate.OnAck(Ack(10 * US, 0)).bps, 8e3 / 10e-6);
    EXPECT_DOUBLE_EQ(rate.OnAck(Ack(12 * US, US)).bps, 16e3 / 12e-6);
    rate.OnSend(12 * US); // 2000 B by then, at 12 us
    EXPECT_DOUBLE_EQ(rate.OnAck(Ack(14 * US, 2 * US)).bps, 24e3 / 14e-6);
    EXPECT_DOUBLE_EQ(rate.OnAck(Ack(16 * US, 3 * US)).bps, 32e3 / 16e-6);
    // 3000 B in 22 - 12 us; it took 12 - 1 us to send them, since the last one acknowledged then
    const DeliverySample sample = rate.OnAck(Ack(22 * US, 12 * US, 0));
    EXPECT_EQ(sample.priorDelivered, 2000u);
    EXPECT_DOUBLE_EQ(sample.bps, 24e3 / 11e-6);
    EXPECT_EQ(rate.GetDelivered(), 5000u);
    EXPECT_TRUE(rate.IsIdle());
    EXPECT_EQ(rate.GetRecords(), 0u);
}

TEST(DeliveryRate, AfterIdleTimeCountsAnew)
{
    DeliveryRate rate;
    rate.Reset(0);
    rate.OnSend(0);
    rate.OnAck(Ack(10 * US, 0, 0));
    rate.OnSend(1000 * US);
    EXPECT_DOUBLE_EQ(rate.OnAck(Ack(1010 * US, 1000 * US)).bps, 8e3 / 10e-6);
    // not so while something is in flight
    rate.OnSend(2000 * US);
    EXPECT_DOUBLE_EQ(rate.OnAck(Ack(2010 * US, 2000 * US)).bps, 8e3 / 1000e-6);
    // after a timeout, too
    rate.OnTimeout();
    rate.OnSend(3000 * US);
    EXPECT_DOUBLE_EQ(rate.OnAck(Ack(3010 * US, 3000 * US)).bps, 8e3 / 10e-6);
    // a NAK that rewinds leaves nothing in flight, but the sender is not idle
    AckInfo nak = Ack(3010 * US, 1, 0, 0);
    nak.isNak = true;
    rate.OnAck(nak);
    EXPECT_FALSE(rate.IsIdle());
}

TEST(DeliveryRate, OvertakenFramesCountOnly)
{
    DeliveryRate rate;
    rate.Reset(0);
    rate.OnSend(0);
    rate.OnSend(US);
    rate.OnSend(2 * US);
    EXPECT_GT(rate.OnAck(Ack(10 * US, US)).bps, 0);
    EXPECT_EQ(rate.GetRecords(), 1u);
    EXPECT_EQ(rate.OnAck(Ack(11 * US, 0)).bps, 0);
    EXPECT_EQ(rate.GetDelivered(), 2000u);
    EXPECT_DOUBLE_EQ(rate.OnAck(Ack(12 * US, 2 * US)).bps, 24e3 / 12e-6);
    // neither do ACKs without new data or without a time
    rate.OnSend(20 * US);
    EXPECT_EQ(rate.OnAck(Ack(30 * US, 20 * US, 1, 0)).bps, 0);
    AckInfo untimed = Ack(31 * US, 20 * US);
    untimed.rttPs = 0;
    EXPECT_EQ(rate.OnAck(untimed).bps, 0);
    EXPECT_EQ(rate.GetDelivered(), 4000u);
    EXPECT_GT(rate.OnAck(Ack(32 * US, 20 * US)).bps, 0);
}

TEST(DeliveryRate, ApplicationLimited)
{
    DeliveryRate rate;
    rate.Reset(0);
    rate.OnSend(0);
    rate.MarkAppLimited(1000);
    EXPECT_TRUE(rate.IsAppLimited());
    rate.OnSend(US);
    rate.OnSend(2 * US);
    EXPECT_FALSE(rate.OnAck(Ack(10 * US, 0)).appLimited);
    EXPECT_TRUE(rate.IsAppLimited()); // just the 1000 B
    EXPECT_TRUE(rate.OnAck(Ack(11 * US, US)).appLimited);
    EXPECT_FALSE(rate.IsAppLimited());
    rate.OnSend(11 * US);
    EXPECT_TRUE(rate.OnAck(Ack(12 * US, 2 * US)).appLimited); // as it was when it was sent
    EXPECT_FALSE(rate.OnAck(Ack(21 * US, 11 * US)).appLimited);
    // before anything was sent
    DeliveryRate first;
    first.Reset(0);
    first.MarkAppLimited(0);
    EXPECT_TRUE(first.IsAppLimited());
}

TEST(DeliveryRate, MemoryIsWhatIsInFlight)
{
    DeliveryRate rate;
    rate.Reset(0);
    EXPECT_EQ(rate.GetCapacity(), 0u);
    int64_t sent = 0;
    int64_t acked = 0;
    for (; sent < 40; ++sent) // grows while the oldest is not at the start of the memory
    {
        rate.OnSend(sent * US);
        if (sent >= 10)
        {
            EXPECT_GT(rate.OnAck(Ack(sent * US + 1, acked++ * US)).bps, 0);
        }
        if (sent == 20)
        {
            for (; sent < 35; ++sent)
            {
                rate.OnSend((sent + 1) * US);
            }
        }
    }
    EXPECT_EQ(rate.GetCapacity(), 32u);
    for (; sent < 10000; ++sent)
    {
        rate.OnSend(sent * US);
        EXPECT_GT(rate.OnAck(Ack(sent * US + 1, acked++ * US)).bps, 0);
    }
    EXPECT_EQ(rate.GetCapacity(), 32u);
    EXPECT_EQ(rate.GetRecords(), static_cast<std::size_t>(sent - acked));
    EXPECT_EQ(rate.GetDelivered(), 1000u * static_cast<uint64_t>(acked));
}
