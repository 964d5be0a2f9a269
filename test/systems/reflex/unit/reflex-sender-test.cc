// SPDX-License-Identifier: GPL-2.0-only
// Reflex's shim: what TIMELY and Swift get to know, and what comes of it.
#include "roce-law-fixture.h"

#include "ns3/roce-dcqcn.h"
#include "ns3/roce-reflex-nsf.h"
#include "ns3/roce-reflex-sender.h"
#include "ns3/roce-swift.h"
#include "ns3/roce-timely.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr double G = 1e9;
constexpr uint32_t FRAME = 1048;
constexpr int64_t NEAR = 6266 * NS;

/// TIMELY as the common RDMA code of ns-3 has it.
Ptr<Timely>
MakeTimely()
{
    return With<Timely>({{"Profile", "hpcc-sim"}, {"MinRate", "100Mbps"}});
}

Ptr<Swift>
MakeSwift()
{
    return With<Swift>({{"Profile", "reflex"}, {"FlowScaling", "false"}, {"CwndMax", "12700"}});
}

const PathInfo PATH = [] {
    PathInfo path = MakePath(G100, 1012 * US, FRAME, 7);
    path.mtuBytes = 1000;
    path.interDc = true;
    path.nearRttPs = NEAR;
    path.nearHops = 3;
    return path;
}();

/// A started sender behind a shim.
struct Sender
{
    explicit Sender(Ptr<CongestionControl> law, const Attributes& attributes = {})
    {
        Ptr<ReflexSender> prototype = With<ReflexSender>(attributes);
        prototype->SetLaw(law);
        shim = DynamicCast<ReflexSender>(prototype->Fork());
        shim->Start(PATH, -10000 * US);
    }

    void PseudoAck(int64_t nowPs, int64_t rttPs)
    {
        Notification notification;
        notification.nowPs = nowPs;
        notification.kind = ReflexNsf::KIND;
        notification.rttPs = rttPs;
        shim->OnNotification(notification);
    }

    /// A real ACK through the WAN.
    void Ack(int64_t nowPs)
    {
        AckInfo ack;
        ack.nowPs = nowPs;
        ack.ackPsn = ++m_psn;
        ack.sndNxtPsn = m_psn + 12000;
        ack.ackedPackets = 1;
        ack.ackedBytes = FRAME;
        ack.inflightBytes = 12000 * FRAME;
        ack.rttPs = 1012 * US;
        shim->OnAck(ack);
    }

    double RateG() const
    {
        return static_cast<double>(shim->GetRateBps()) / G;
    }

    Ptr<ReflexSender> shim;

  private:
    uint64_t m_psn{0};
};

/// Cuts a TIMELY sender to a rate with an RTT above THigh, before time 0.
void
CutTo(Sender& sender, double rateG)
{
    auto& timely = dynamic_cast<Timely&>(sender.shim->GetLaw());
    sender.PseudoAck(-9000 * US, 50 * US);
    sender.PseudoAck(-5000 * US, 500 * US / (1 - (1 - rateG / 100) / 0.8)); // one cut to that rate
    ASSERT_NEAR(timely.GetRateBps(), rateG * G, 1e5);
}

TEST(ReflexSender, RealAcksAreNoSamples)
{
    // U-R6: in neither mode before the first pseudo-ACK; never with freeze.
    for (const char* mode : {"freeze", "holdAndClock"})
    {
        Sender timely(MakeTimely(), {{"SilentMode", mode}});
        Sender swift(MakeSwift(), {{"SilentMode", mode}});
        const uint64_t window = swift.shim->GetWindowBytes();
        for (int i = 1; i < 1000; ++i)
        {
            timely.Ack(1012 * US + i * US);
            swift.Ack(1012 * US + i * US);
        }
        EXPECT_EQ(timely.shim->GetRateBps(), G100);
        EXPECT_EQ(swift.shim->GetRateBps(), G100);
        EXPECT_EQ(swift.shim->GetWindowBytes(), window);
    }
    Sender frozen(MakeTimely(), {{"SilentMode", "freeze"}});
    CutTo(frozen, 30);
    const uint64_t rate = frozen.shim->GetRateBps();
    for (int i = 1; i < 1000; ++i)
    {
        frozen.Ack(1100 * US + i * US);
    }
    EXPECT_EQ(frozen.shim->GetRateBps(), rate);
}

TEST(ReflexSender, PseudoAcksAreSamples)
{
    // U-R7's steps, reached through the shim: 50 G with RTTs 55, 60 us ...
    Sender sender(MakeTimely());
    auto& timely = dynamic_cast<Timely&>(sender.shim->GetLaw());
    CutTo(sender, 50);
    sender.PseudoAck(10 * US, 9 * US); // below TLow: additive, the first after a cut
    EXPECT_NEAR(sender.RateG(), 50.1, 1e-6);
    EXPECT_EQ(sender.shim->GetNearRttPs(), 9 * US);
    EXPECT_EQ(timely.GetPath().baseRttPs, NEAR);
    EXPECT_EQ(timely.GetPath().hops, 3u);
    EXPECT_EQ(sender.shim->GetPath().baseRttPs, 1012 * US);
}

TEST(ReflexSender, EachPseudoAckIsARoundTripUnlessGated)
{
    Sender each(MakeTimely());
    Sender gated(MakeTimely(), {{"PseudoAckGating", "true"}});
    for (Sender* sender : {&each, &gated})
    {
        CutTo(*sender, 50);
        for (int i = 0; i < 4; ++i)
        {
            sender->PseudoAck((2000 + 5 * i) * US, 9 * US);
        }
    }
    EXPECT_NEAR(each.RateG(), 50.4, 1e-6);
    // sent at 1991, 1996, 2001 and 2006 us: the second and fourth before the one before had come
    EXPECT_NEAR(gated.RateG(), 50.2, 1e-6);
}

TEST(ReflexSender, FrozenSenderStaysSlow)
{
    // U-R14: five Cooling samples add 0.1 G each, and then nothing happens.
    Sender sender(MakeTimely(), {{"SilentMode", "freeze"}});
    CutTo(sender, 30);
    for (int i = 1; i <= 5; ++i)
    {
        sender.PseudoAck((1000 + 5 * i) * US, NEAR);
    }
    for (int64_t at = 2000 * US; at < 20000 * US; at += 83840)
    {
        sender.Ack(at);
    }
    EXPECT_NEAR(sender.RateG(), 30.5, 1e-6);
    sender.PseudoAck(30000 * US, NEAR); // a sixth in a row is hyper-active
    EXPECT_NEAR(sender.RateG(), 31.0, 1e-6);
}

TEST(ReflexSender, HeldSampleLetsASenderRecover)
{
    // U-R14: +0.1 G per loop for five updates, then +0.5 G: line rate after about 0.9 ms.
    Sender sender(MakeTimely(), {{"SilentMode", "holdAndClock"}});
    CutTo(sender, 30);
    sender.PseudoAck(1000 * US, NEAR);
    int64_t fullAt = 0;
    std::vector<double> rates;
    for (int64_t at = 1000 * US + 10 * NS; at < 3000 * US && !fullAt; at += 10 * NS)
    {
        const double before = sender.RateG();
        sender.Ack(at);
        if (sender.RateG() != before)
        {
            rates.push_back(sender.RateG());
        }
        fullAt = sender.shim->GetRateBps() == G100 ? at : 0;
    }
    ASSERT_GE(rates.size(), 6u);
    EXPECT_NEAR(rates[3], 30.5, 1e-6);
    EXPECT_NEAR(rates[4], 31.0, 1e-6);
    EXPECT_NEAR(static_cast<double>(fullAt - 1000 * US) / US, 144 * 6.27, 10);
}

TEST(ReflexSender, HeldSampleComesOncePerLoopAndInterval)
{
    for (const auto& [interval, rtt, expected] :
         std::vector<std::tuple<std::string, int64_t, int>>{{"5us", 10, 10}, {"20us", 10, 5}})
    {
        Sender sender(MakeTimely(), {{"SilentMode", "holdAndClock"}, {"ClockInterval", interval}});
        CutTo(sender, 30);
        sender.PseudoAck(1000 * US, rtt * US);
        int updates = 0;
        for (int64_t at = 1001 * US; at <= 1100 * US; at += US)
        {
            const double before = sender.RateG();
            sender.Ack(at);
            updates += sender.RateG() != before;
        }
        EXPECT_EQ(updates, expected) << interval;
    }
}

TEST(ReflexSender, WindowsAreRatesOnTheNearLoop)
{
    // U-R13
    Sender paced(MakeSwift());
    EXPECT_EQ(paced.shim->GetRateBps(), G100);
    EXPECT_EQ(paced.shim->GetWindowBytes(), 12650000u); // the BDP of the whole path
    paced.PseudoAck(10 * US, 20 * US);                  // target 6.2 us: the window is halved
    const double cwnd = static_cast<double>(NEAR) * 1e-12 * G100 / 8 / FRAME / 2;
    EXPECT_NEAR(dynamic_cast<Swift&>(paced.shim->GetLaw()).GetCwnd(), cwnd, 0.01);
    EXPECT_NEAR(paced.RateG(), cwnd * FRAME * 8 / 20e-6 / G, 1e-6)
        << "not the window of whole packets that Swift lets fly";
    EXPECT_EQ(paced.shim->GetWindowBytes(), 12650000u);

    Sender literal(MakeSwift(), {{"WindowMode", "endToEnd"}});
    EXPECT_EQ(literal.shim->GetRateBps(), G100);
    const auto window = static_cast<double>(literal.shim->GetWindowBytes());
    EXPECT_NEAR(window, 78000, FRAME); // of a loop of 6.27 us
    EXPECT_NEAR(75000 * 8 / 1012e-6 / G, 0.593, 0.001);
    EXPECT_NEAR(window * 8 / 1012e-6 / G, 0.61, 0.02);
}

// What is paced loses nothing by rounding: of a window of 1.9 packets, one alone would be half.
TEST(ReflexSender, SmallWindowsArePacedUnrounded)
{
    Sender sender(MakeSwift());
    const auto& swift = dynamic_cast<const Swift&>(sender.shim->GetLaw());
    for (int64_t atUs = 100; swift.GetCwnd() > 0.3; atUs += 100)
    {
        sender.PseudoAck(atUs * US, 20 * US); // at most half as much
        ASSERT_LT(atUs, 2000);
        EXPECT_NEAR(sender.RateG(), swift.GetCwnd() * FRAME * 8 / 20e-6 / G, 1e-6)
            << "of " << swift.GetCwnd() << " packets";
    }
}

TEST(ReflexSender, SampleStandsForThePacketsSent)
{
    // Target 6.2 us, sample below: cwnd grows by packets / cwnd.
    for (const auto& [covers, packets, cwndFrames] :
         std::vector<std::tuple<std::string, int, double>>{{"sent", 30, 30},
                                                           {"sent", 0, 1},
                                                           {"sent", 5000, 74},
                                                           {"one", 30, 1}})
    {
        Sender sender(MakeSwift(), {{"PseudoAckCovers", covers}});
        const auto& swift = dynamic_cast<const Swift&>(sender.shim->GetLaw());
        const double before = swift.GetCwnd();
        for (int i = 0; i < packets; ++i)
        {
            sender.shim->OnSend({i * US, FRAME});
        }
        sender.PseudoAck(6000 * US, 6 * US);
        EXPECT_NEAR(swift.GetCwnd(), before + cwndFrames / before, 1e-9) << covers << packets;
        sender.PseudoAck(6010 * US, 6 * US); // nothing sent since: one
        EXPECT_NEAR(swift.GetCwnd(), before + cwndFrames / before + 1 / before, 1e-3);
    }
}

TEST(ReflexSender, LossesReachTheLawWithoutASample)
{
    Sender sender(MakeSwift());
    const auto& swift = dynamic_cast<const Swift&>(sender.shim->GetLaw());
    const double before = swift.GetCwnd();
    AckInfo nak;
    nak.nowPs = 5000 * US;
    nak.ackPsn = 10;
    nak.isNak = nak.isLoss = true;
    nak.rttPs = 1012 * US;
    sender.shim->OnAck(nak);
    EXPECT_NEAR(swift.GetCwnd(), before / 2, 1e-9);
    EXPECT_EQ(sender.shim->GetNearRttPs(), 0);
    nak.nowPs += NS;
    sender.shim->OnAck(nak); // once per round trip
    EXPECT_NEAR(swift.GetCwnd(), before / 2, 1e-9);
    nak.nowPs += 500 * US;
    sender.shim->OnAck(nak);
    EXPECT_NEAR(swift.GetCwnd(), before / 4, 1e-9);
    sender.shim->OnTimeout(6000 * US);
    EXPECT_NEAR(swift.GetCwnd(), before / 8, 1e-9);
}

TEST(ReflexSender, AcksEndARowOfTimeouts)
{
    // Swift's floor is for RetxReset timeouts without an ACK between them.
    for (const bool acked : {true, false})
    {
        Ptr<Swift> law = MakeSwift();
        law->SetAttribute("RetxReset", StringValue("3"));
        Sender sender(law);
        const auto& swift = dynamic_cast<const Swift&>(sender.shim->GetLaw());
        const double before = swift.GetCwnd();
        for (int i = 1; i <= 3; ++i)
        {
            sender.shim->OnTimeout(i * 5000 * US);
            if (acked)
            {
                sender.Ack(i * 5000 * US + 1000 * US);
            }
        }
        EXPECT_NEAR(swift.GetCwnd(), acked ? before / 8 : 0.01, 1e-9) << acked;
        EXPECT_EQ(sender.shim->GetNearRttPs(), 0);
    }
    // After the ACK that does so, the held sample is repeated as before.
    Sender held(MakeTimely(), {{"SilentMode", "holdAndClock"}});
    CutTo(held, 30);
    held.PseudoAck(1000 * US, NEAR);
    const double rate = held.RateG();
    held.shim->OnTimeout(5000 * US);
    held.Ack(6000 * US);
    held.Ack(6001 * US);
    EXPECT_NEAR(held.RateG(), rate + 0.1, 1e-6);
}

TEST(ReflexSender, LossesAcknowledgeNothing)
{
    // Packets count when a sample comes, not a second time when an ACK with a loss does.
    Sender sender(With<Timely>({{"Mode", "perSegment"}, {"SegmentBytes", "16000"}}));
    const auto send16 = [&sender](int64_t nowPs) {
        for (int i = 0; i < 16; ++i)
        {
            sender.shim->OnSend({nowPs, FRAME});
        }
    };
    for (const int64_t atUs : {1000, 2000})
    {
        send16(atUs * US);
        sender.PseudoAck(atUs * US, 600 * US);
    }
    const double rate = sender.RateG();
    ASSERT_LT(rate, 90);
    AckInfo loss;
    loss.nowPs = 3000 * US;
    loss.ackedPackets = 16;
    loss.ackedBytes = 16 * FRAME;
    loss.isLoss = true;
    sender.shim->OnAck(loss);
    sender.PseudoAck(3010 * US, NEAR); // for one packet
    EXPECT_EQ(sender.RateG(), rate);
    loss.isNak = true; // a segment begins anew
    sender.shim->OnAck(loss);
    for (int i = 0; i < 15; ++i)
    {
        sender.shim->OnSend({3010 * US, FRAME});
    }
    sender.PseudoAck(3020 * US, NEAR);
    EXPECT_EQ(sender.RateG(), rate);
    send16(3020 * US);
    sender.PseudoAck(3030 * US, NEAR);
    EXPECT_NE(sender.RateG(), rate);
}

TEST(ReflexSender, VariablesHaveTheNearLoop)
{
    Sender sender(MakeTimely());
    sender.PseudoAck(10 * US, 7 * US);
    EXPECT_EQ(Variable(*sender.shim, "near_rtt_ns", 20 * US), 7000);
}

TEST(ReflexSender, RefusesWhatMakesNoSense)
{
    const auto fork = [](Ptr<CongestionControl> law, const Attributes& attributes) {
        return ErrorOf([&] {
            Ptr<ReflexSender> shim = With<ReflexSender>(attributes);
            shim->SetLaw(law);
            shim->Fork();
        });
    };
    EXPECT_EQ(fork(CreateObject<Dcqcn>(), {}),
              "ns3::roce::ReflexSender in front of ns3::roce::Dcqcn, which takes no RTT samples; "
              "expected a delay-based rate law, such as Timely or Swift");
    EXPECT_EQ(fork(MakeTimely(), {{"SilentMode", "hold"}}),
              "ns3::roce::ReflexSender: SilentMode is 'hold', expected 'freeze', 'holdAndClock'");
    EXPECT_EQ(fork(MakeTimely(), {{"WindowMode", "x"}}),
              "ns3::roce::ReflexSender: WindowMode is 'x', expected 'pacedNearSource', 'endToEnd'");
    EXPECT_EQ(fork(MakeTimely(), {{"PseudoAckCovers", "two"}}),
              "ns3::roce::ReflexSender: PseudoAckCovers is 'two', expected 'sent', 'one'");
    const auto nsf = [](const Attributes& attributes) {
        return ErrorOf([&] { With<ReflexNsf>(attributes)->GetSenderShim(); });
    };
    EXPECT_EQ(nsf({{"Profile", "x"}}),
              "ns3::roce::ReflexNsf: Profile is 'x', expected 'default', 'literal'");
    EXPECT_EQ(nsf({{"CoolingMode", "x"}}),
              "ns3::roce::ReflexNsf: CoolingMode is 'x', expected 'perPseudoAck', "
              "'perPacketGated', 'perPacketUngated', or profile");
    EXPECT_EQ(nsf({{"MeasurePoint", "middle"}}),
              "ns3::roce::ReflexNsf: MeasurePoint is 'middle', expected 'ingress', 'egress', or "
              "profile");
    EXPECT_EQ(nsf({{"SilentMode", "x"}}),
              "ns3::roce::ReflexNsf: SilentMode is 'x', expected 'freeze', 'holdAndClock', "
              "'probe', or profile");
}

TEST(ReflexNsf, TellsTheSenderItsReadings)
{
    const auto shim = [](const Attributes& attributes) {
        return With<ReflexNsf>(attributes)->GetSenderShim();
    };
    EXPECT_EQ(shim({}),
              "ns3::roce::ReflexSender[SilentMode=freeze|WindowMode=pacedNearSource|"
              "ClockInterval=5000000ps|PseudoAckGating=false|PseudoAckCovers=sent]");
    EXPECT_EQ(shim({{"Profile", "literal"}, {"TInterval", "3us"}}),
              "ns3::roce::ReflexSender[SilentMode=freeze|WindowMode=endToEnd|"
              "ClockInterval=3000000ps|PseudoAckGating=false|PseudoAckCovers=sent]");
    EXPECT_EQ(shim({{"Profile", "literal"},
                    {"SilentMode", "holdAndClock"},
                    {"WindowMode", "pacedNearSource"},
                    {"PseudoAckGating", "true"},
                    {"PseudoAckCovers", "one"}}),
              "ns3::roce::ReflexSender[SilentMode=holdAndClock|WindowMode=pacedNearSource|"
              "ClockInterval=5000000ps|PseudoAckGating=true|PseudoAckCovers=one]");
    EXPECT_NE(shim({{"SilentMode", "probe"}}).find("SilentMode=freeze"), std::string::npos);
}

// What the paper sets of Swift.
TEST(ReflexPresets, ProfileOfSwift)
{
    const Ptr<Swift> law = With<Swift>({{"Profile", "reflex"}});
    law->Start(MakePath(G100, 12 * US, FRAME, 4), 0);
    EXPECT_NEAR(law->GetTargetPs(256) / US, 8.2, 1e-9) << "200 ns and 8 hops of 1 us";
}

} // namespace
