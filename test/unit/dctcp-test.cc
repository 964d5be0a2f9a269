// SPDX-License-Identifier: GPL-2.0-only
// DCTCP: alpha, one cut per window, increases, losses, both forms, every attribute.
#include "roce-law-fixture.h"

#include "ns3/roce-dctcp.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Opens the state.
struct OpenDctcp : public Dctcp
{
    using Dctcp::m_inCwr;
    using Dctcp::m_step;
};

const PathInfo PATH = MakePath(G100, 12 * US, 1000); // BDP 150,000 B

/// One flow and its ACKs; the window is full unless said otherwise.
struct Sender : LawSender<OpenDctcp>
{
    explicit Sender(const Attributes& attributes = {}, const PathInfo& path = PATH)
        : LawSender(attributes, path)
    {
        next = 10;
    }

    /// A NAK or another ACK without progress that tells of a loss.
    void Loss(bool nak = true)
    {
        AckInfo ack;
        ack.ackPsn = psn;
        ack.isNak = nak;
        ack.isLoss = true;
        next = nak ? psn : next;
        ack.sndNxtPsn = next;
        cc->OnAck(ack);
    }

    /// Acknowledges what is in flight, one packet an ACK, the given ones with a mark; as many
    /// follow.
    void Round(uint32_t marked, uint32_t packets = 10)
    {
        next = psn + packets;
        Ack(1, marked > 0); // this one ends the round before
        for (uint32_t i = 1; i < packets; ++i)
        {
            Ack(1, i < marked);
        }
    }

    double Gbps() const
    {
        const PathInfo& path = cc->GetPath();
        return Variable(*cc, "exact_window_bytes") * 8e3 / static_cast<double>(path.baseRttPs);
    }
};

Attributes
Rate(const Attributes& more = {})
{
    return Join({{"Form", "rate"}, {"Ai", "615Mbps"}, {"MinRate", "1Gbps"}}, more);
}

void
ExpectError(const Attributes& attributes, const std::string& part)
{
    ExpectRefused<Dctcp>(attributes, part, PATH);
}

} // namespace

TEST(Dctcp, StartsAtLineRate)
{
    Sender s;
    EXPECT_EQ(s.cc->GetRateBps(), G100);
    EXPECT_EQ(s.cc->GetWindowBytes(), 150000u);
    EXPECT_EQ(s.cc->m_step, 1000);
    EXPECT_EQ(Variable(*s.cc, "alpha"), 1);
    EXPECT_TRUE(s.cc->IsEcnCapable());
    EXPECT_FALSE(s.cc->NeedsTimestamp());
    EXPECT_FALSE(s.cc->NeedsTelemetry());
    EXPECT_EQ(s.cc->GetBurstBytes(), 0u);
    EXPECT_EQ(s.cc->MakeFeedback()->GetInstanceTypeId(), PlainFeedback::GetTypeId());
    EXPECT_EQ(s.cc->NextRateChangePs(), NEVER_PS);
    Sender rate(Attributes{{"Profile", "hpcc-sim"}});
    EXPECT_EQ(rate.cc->GetRateBps(), G100);
    EXPECT_EQ(rate.cc->GetWindowBytes(), UNLIMITED_BYTES);
}

TEST(Dctcp, AlphaFollowsTheShareOfMarks)
{
    Sender s(Rate({{"InitialAlpha", "0"}}));
    s.next = 10;
    s.Ack(1, 1);
    for (uint32_t i = 1; i < 10; ++i)
    {
        s.Ack(1, 1);
        EXPECT_EQ(Variable(*s.cc, "alpha"),
                  0); // the first window ends with the data in flight at its ACK
    }
    for (double alpha : {0.0625, 0.12109375, 0.1760254})
    {
        s.next = s.psn + 10;
        for (uint32_t i = 0; i < 10; ++i)
        {
            s.Ack(1, 1);
            EXPECT_NEAR(Variable(*s.cc, "alpha"), alpha, 1e-7);
        }
    }
    Sender part(Attributes{{"InitialAlpha", "0"}, {"Gain", "0.5"}});
    part.next = 10;
    part.Round(3);
    part.Round(0); // its first ACK ends the round of three marks: with it 11 packets
    EXPECT_NEAR(Variable(*part.cc, "alpha"), 0.5 * 3 / 11, 1e-12);
    part.Round(0);
    EXPECT_NEAR(Variable(*part.cc, "alpha"), 0.25 * 3 / 11, 1e-12);
}

// One ACK for many packets: their marks are counted, not the ACK.
TEST(Dctcp, CoalescedAcksCountExactly)
{
    Sender s(Attributes{{"InitialAlpha", "0"}, {"Gain", "1"}});
    s.next = 16;
    s.Ack(8, 2);
    s.Ack(8, 0);
    s.next = 32;
    s.Ack(8, 4); // ends the round: 6 of 24
    EXPECT_DOUBLE_EQ(Variable(*s.cc, "alpha"), 0.25);
    s.next = 48;
    s.Ack(8, 0);  // up to 32
    s.Ack(8, 20); // more marks than packets: refused ones were marked, too
    EXPECT_DOUBLE_EQ(Variable(*s.cc, "alpha"), 0.5);
    AckInfo echo; // an echo without a number is for all
    echo.ackPsn = 100;
    echo.sndNxtPsn = 200;
    echo.ackedPackets = 60;
    echo.ecnEcho = true;
    s.cc->OnAck(echo);
    EXPECT_DOUBLE_EQ(Variable(*s.cc, "alpha"), 1);
}

TEST(Dctcp, OneCutPerWindow)
{
    Sender s(Rate({{"InitialAlpha", "0.5"}, {"Gain", "0.0000001"}}));
    s.next = 10;
    s.Ack(1, 0);
    s.Ack(1, 1);
    EXPECT_NEAR(s.Gbps(), 75, 1e-9);
    EXPECT_TRUE(s.cc->m_inCwr);
    for (s.next = 20; s.psn < 10;)
    {
        s.Ack(1, 1);
        EXPECT_NEAR(s.Gbps(), 75, 1e-9) << s.psn;
    }
    s.Ack(1, 1); // sent after the cut
    EXPECT_NEAR(s.Gbps(), 75 * 0.75, 1e-4);
    for (s.next = 30; s.psn < 20;)
    {
        s.Ack(1, 0);
        EXPECT_NEAR(s.Gbps(), 75 * 0.75, 1e-4);
    }
    s.Ack(1, 0); // out of CWR, and a round trip is over
    EXPECT_FALSE(s.cc->m_inCwr);
    EXPECT_NEAR(s.Gbps(), 75 * 0.75 + 0.615, 1e-4);
    s.Ack(1, 0);
    EXPECT_NEAR(s.Gbps(), 75 * 0.75 + 0.615, 1e-4);
}

TEST(Dctcp, RateFormStaysWithinItsBounds)
{
    Sender s(Rate());
    for (int i = 0; i < 5; ++i)
    {
        s.Round(0);
    }
    EXPECT_EQ(s.Gbps(), 100);
    for (int i = 0; i < 100; ++i)
    {
        s.Round(10);
    }
    EXPECT_EQ(s.Gbps(), 1);
    EXPECT_EQ(s.cc->GetRateBps(), 1000000000u);
    EXPECT_EQ(s.cc->GetWindowBytes(), UNLIMITED_BYTES);
    EXPECT_NEAR(Variable(*s.cc, "exact_window_bytes"), 1500, 1e-9);
}

TEST(Dctcp, WindowForm)
{
    Sender s(Attributes{{"InitialAlpha", "0.5"}, {"Gain", "0.0000001"}});
    double w = 150000;
    for (int i = 0; i < 150; ++i) // beyond the BDP, one frame a round trip
    {
        s.next = s.psn + 150;
        s.Ack(1, 0);
        w += 1e6 / w;
        EXPECT_NEAR(Variable(*s.cc, "exact_window_bytes"), w, 1e-6);
    }
    EXPECT_NEAR(w, 151000, 5);
    EXPECT_EQ(s.cc->GetWindowBytes(), static_cast<uint64_t>(w));
    EXPECT_NEAR(s.Gbps(), w * 8 / 12e3, 1e-9);
    EXPECT_EQ(s.cc->GetRateBps(), G100); // ACKs are the clock
    s.next = s.psn + 10;
    s.Ack(1, 1);
    EXPECT_NEAR(Variable(*s.cc, "exact_window_bytes"), w * 0.75, 0.1);
    s.Ack(9, 0);
    EXPECT_NEAR(Variable(*s.cc, "exact_window_bytes"), w * 0.75, 0.1); // CWR: no increase
    w = Variable(*s.cc, "exact_window_bytes");
    s.Ack(200, 0);
    EXPECT_NEAR(Variable(*s.cc, "exact_window_bytes"),
                w + 1000,
                1e-6); // one ACK is one step at most
    for (int i = 0; i < 200; ++i)
    {
        s.Round(10);
    }
    EXPECT_EQ(s.cc->GetWindowBytes(), 1000u); // one frame
}

// It does not grow while something else is the limit.
TEST(Dctcp, WindowGrowsOnlyIfItIsTheLimit)
{
    Sender s;
    for (int i = 0; i < 10; ++i)
    {
        s.next = s.psn + 1;
        s.Ack(1, 0, false);
        s.Ack(1, 0, false);
    }
    EXPECT_EQ(s.cc->GetWindowBytes(), 150000u);
    s.Ack(1, 0);
    EXPECT_EQ(s.cc->GetWindowBytes(), 150006u);
}

TEST(Dctcp, ALossHalvesOncePerWindow)
{
    Sender s({{"InitialAlpha", "0.5"}, {"Gain", "0.0000001"}});
    auto window = [&] { return Variable(*s.cc, "exact_window_bytes"); };
    s.next = 20;
    s.Ack(10, 0, false);
    s.Ack(1, 1, false);
    EXPECT_NEAR(window(), 112500, 0.1);
    s.Loss(); // the cut for marks does not stand in for it
    EXPECT_NEAR(window(), 56250, 0.1);
    EXPECT_NEAR(Variable(*s.cc, "alpha"), 0.5, 1e-6);
    s.Loss(); // the same loss once more
    EXPECT_NEAR(window(), 56250, 0.1);
    s.next = 30;
    s.Ack(1, 0, false); // what was sent again has arrived
    EXPECT_FALSE(s.cc->m_inCwr);
    s.Loss();
    EXPECT_NEAR(window(), 28125, 0.1);

    Sender selective; // repaired without going back: the window ends at the highest PSN sent
    selective.next = 100;
    selective.Ack(10, 0, false);
    selective.Loss(false);
    EXPECT_NEAR(Variable(*selective.cc, "exact_window_bytes"), 75000, 0.1);
    selective.Ack(10, 0);
    selective.Loss(false);
    EXPECT_NEAR(Variable(*selective.cc, "exact_window_bytes"), 75000, 0.1);
    selective.next = 200;
    selective.Ack(81, 0);
    const double w = Variable(*selective.cc, "exact_window_bytes");
    selective.Loss(false);
    EXPECT_NEAR(Variable(*selective.cc, "exact_window_bytes"), w / 2, 0.1);

    Sender first; // even the very first packet
    first.Loss();
    EXPECT_NEAR(Variable(*first.cc, "exact_window_bytes"), 75000, 0.1);
    first.Loss();
    EXPECT_NEAR(Variable(*first.cc, "exact_window_bytes"), 75000, 0.1);
}

TEST(Dctcp, TimeoutsAndLossReaction)
{
    Sender s;
    s.next = 20;
    s.Ack(10, 0, false);
    s.cc->OnTimeout(0);
    EXPECT_NEAR(Variable(*s.cc, "exact_window_bytes"), 75000, 0.1);
    s.Loss(); // a late NAK
    EXPECT_NEAR(Variable(*s.cc, "exact_window_bytes"), 75000, 0.1);
    s.cc->OnTimeout(0);
    EXPECT_NEAR(Variable(*s.cc, "exact_window_bytes"), 37500, 0.1);
    for (const Attributes& a :
         {Attributes{{"LossReaction", "none"}}, Attributes{{"Profile", "hpcc-sim"}}})
    {
        Sender none(a);
        none.next = 20;
        none.Ack(10, 0, false);
        none.Loss();
        none.cc->OnTimeout(0);
        EXPECT_NEAR(Variable(*none.cc, "exact_window_bytes"), 150000, 0.1);
    }
    Sender halve(Attributes{{"Profile", "hpcc-sim"}, {"LossReaction", "halve"}});
    halve.next = 20;
    halve.Ack(10, 0, false);
    halve.Loss();
    EXPECT_NEAR(halve.Gbps(), 50, 1e-9);
}

// After going back, the ends of the round trip and of CWR must go back, too.
TEST(Dctcp, NakAndTimeoutRewind)
{
    for (bool timeout : {false, true})
    {
        Sender s(Attributes{{"InitialAlpha", "0.5"}, {"LossReaction", "none"}});
        s.next = 10;
        s.Ack(1, 0, false);
        s.next = 1000;
        s.Ack(10, 1, false); // round trip and CWR up to 1000
        const double alpha = Variable(*s.cc, "alpha");
        const double w = Variable(*s.cc, "exact_window_bytes");
        EXPECT_TRUE(s.cc->m_inCwr);
        if (timeout)
        {
            s.cc->OnTimeout(0);
        }
        else
        {
            s.Loss();
        }
        s.next = s.psn + 5;
        s.Ack(1, 0);
        EXPECT_FALSE(s.cc->m_inCwr);
        EXPECT_LT(Variable(*s.cc, "alpha"), alpha);
        EXPECT_NEAR(Variable(*s.cc, "exact_window_bytes"), w + 1e6 / w, 1e-6);
    }
}

TEST(Dctcp, StepsOfProfilesAndAttributes)
{
    const PathInfo path = MakePath(G100, 13 * US, 1000);
    EXPECT_EQ(Sender({}, path).cc->m_step, 1000);
    EXPECT_NEAR(Sender(Attributes{{"Ai", "100Mbps"}}, path).cc->m_step, 162.5, 1e-9);
    EXPECT_EQ(Sender(Attributes{{"Profile", "hpcc-sim"}}, path).cc->m_step, 615e6);
    // a frame of 1000 B in 13 us is the simulator's 615 Mb/s
    EXPECT_NEAR(Sender(Attributes{{"Form", "rate"}}, path).cc->m_step, 615.4e6, 1e5);
    Sender floor(Attributes{{"Form", "rate"}}, path); // at least one frame per round trip
    for (int i = 0; i < 100; ++i)
    {
        floor.Round(10);
    }
    EXPECT_NEAR(Variable(*floor.cc, "exact_window_bytes"), 1000, 1e-6);
    Sender wide(Attributes{{"MinRate", "8Gbps"}}, path);
    for (int i = 0; i < 100; ++i)
    {
        wide.Round(10);
    }
    EXPECT_EQ(wide.cc->GetWindowBytes(), 13000u);
    Sender mixed(Attributes{{"Profile", "hpcc-sim"}, {"Form", "window"}}, path);
    EXPECT_NEAR(mixed.cc->m_step, 999.375, 1e-9);
    EXPECT_EQ(mixed.cc->GetWindowBytes(), 162500u);
}

TEST(Dctcp, LongFatPath)
{
    Sender s({}, MakePath(4 * G100, 920 * US, 1000));
    EXPECT_EQ(s.cc->GetWindowBytes(), 46000000u);
    Sender thin({}, MakePath(1000000, US, 1000)); // a BDP below one frame
    EXPECT_EQ(thin.cc->GetWindowBytes(), 1000u);
}

TEST(Dctcp, BadValues)
{
    ExpectError({{"Profile", "x"}}, "Profile is 'x', expected 'paper', 'hpcc-sim'");
    ExpectError({{"Form", "both"}}, "Form is 'both', expected 'window', 'rate'");
    ExpectError({{"Form", ""}}, "Form is '', expected 'window', 'rate', or profile");
    ExpectError({{"Gain", "0"}}, "Gain is 0");
    ExpectError({{"Gain", "1.5"}}, "Gain is 1.5");
    Ptr<Dctcp> cc = CreateObject<Dctcp>();
    EXPECT_THROW(cc->Start(PathInfo(), 0), InputError);
}
