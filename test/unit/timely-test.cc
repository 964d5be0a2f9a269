// SPDX-License-Identifier: GPL-2.0-only
// TIMELY: one-step vectors, modes, hyper-active increase, patched rule, every attribute.
#include "roce-law-fixture.h"

#include "ns3/roce-timely.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Opens the path, so that a flow can start at any rate and rise from there.
struct OpenTimely : public Timely
{
    using Timely::m_delta;
    using Timely::m_path;
    using Timely::m_rate;
};

/// A full frame takes 1 us at 10 Gbit/s.
PathInfo
PathOf(uint64_t lineBps = G10, int64_t rttPs = 20 * US)
{
    return MakePath(lineBps, rttPs, 1250);
}

/// One flow and its ACKs.
struct Sender : LawSender<OpenTimely>
{
    /**
     * @param attributes of the rate law
     * @param path its path; the flow starts at that line rate
     * @param ceilingBps line rate from then on
     */
    explicit Sender(const Attributes& attributes = {},
                    const PathInfo& path = PathOf(),
                    uint64_t ceilingBps = 0)
        : LawSender(attributes, path)
    {
        cc->m_path.lineRateBps = ceilingBps ? ceilingBps : path.lineRateBps;
    }

    /// Any ACK.
    double Ack(double rttUs, uint64_t ackPsn, uint64_t sndNxt, uint64_t bytes = 0, bool nak = false)
    {
        AckInfo ack;
        ack.nowPs = nowPs;
        ack.ackPsn = ackPsn;
        ack.sndNxtPsn = sndNxt;
        ack.ackedBytes = bytes;
        ack.ackedPackets = 1;
        ack.rttPs = std::llround(rttUs * US);
        ack.isNak = nak;
        cc->OnAck(ack);
        return Gbps();
    }

    /// An ACK that ends a round trip, long after the last one.
    double Sample(double rttUs)
    {
        nowPs += 100 * US;
        psn += 10;
        return Ack(rttUs, psn, psn + 9);
    }

    double Gbps() const
    {
        return cc->m_rate / 1e9;
    }

    int64_t nowPs{0};
};

/// The setting of the published vectors.
Attributes
Plain(const Attributes& more = {})
{
    return Join({{"MinRtt", "20us"},
                 {"SubtractSerialisation", "false"},
                 {"Delta", "10Mbps"},
                 {"MinRate", "1Mbps"}},
                more);
}

/// A flow at 10 Gb/s that may rise.
Sender
At10(const Attributes& more = {})
{
    return Sender(Plain(more), PathOf(), 2 * G10);
}

void
ExpectError(const Attributes& attributes, const std::string& part)
{
    ExpectRefused<Timely>(attributes, part, PathOf());
}

} // namespace

TEST(Timely, StartsAtLineRate)
{
    Sender s;
    EXPECT_EQ(s.cc->GetRateBps(), G10);
    EXPECT_EQ(s.cc->GetWindowBytes(), UNLIMITED_BYTES);
    EXPECT_TRUE(s.cc->NeedsTimestamp());
    EXPECT_FALSE(s.cc->NeedsTelemetry());
    EXPECT_FALSE(s.cc->IsEcnCapable());
    EXPECT_EQ(s.cc->GetBurstBytes(), 0u);
    EXPECT_EQ(s.cc->MakeFeedback()->GetInstanceTypeId(), PlainFeedback::GetTypeId());
    EXPECT_EQ(s.cc->NextRateChangePs(), NEVER_PS);
}

TEST(Timely, Vectors)
{
    struct Case
    {
        double from, to, g, rate;
    };

    const Case cases[] = {
        {30, 40, 0.4375, 10.01}, // below TLow the gradient does not matter
        {30, 49.999, 0.8749563, 10.01},
        {30, 50, 0.875, 3},      // TLow itself is not below: 1 - 0.8 * 0.875
        {400, 1000, 26.25, 6},   // above THigh: 1 - 0.8 (1 - 500 / 1000)
        {490, 500, 0.4375, 6.5}, // THigh itself is not above
        {1000, 800, -8.75, 7},   // above THigh a falling RTT does not help
        {100, 110, 0.4375, 6.5},
        {110, 100, -0.4375, 10.01},
        {100, 100, 0, 10.01},
        {100, 150, 2.1875, 0.001}, // 1 - Beta g < 0: the floor
    };
    for (const Case& c : cases)
    {
        Sender s = At10();
        EXPECT_EQ(s.Sample(c.from), 10) << "the first sample is only stored";
        EXPECT_NEAR(s.Sample(c.to), c.rate, 1e-6) << c.from << " -> " << c.to;
        EXPECT_NEAR(s.cc->GetGradient(), c.g, 1e-6);
        EXPECT_EQ(Variable(*s.cc, "rtt_gradient"), s.cc->GetGradient());
        EXPECT_EQ(s.cc->GetRateBps(), static_cast<uint64_t>(s.cc->m_rate));
    }
}

TEST(Timely, NewDifferencesWeighAlpha)
{
    Sender s = At10();
    s.Sample(100);
    s.Sample(110);
    EXPECT_NEAR(s.cc->GetGradient(), 0.875 * 10 / 20, 1e-12);
    s.Sample(110);
    EXPECT_NEAR(s.cc->GetGradient(), 0.125 * 0.4375, 1e-12);
    s.Sample(90);
    EXPECT_NEAR(s.cc->GetGradient(), 0.125 * 0.0546875 - 0.875, 1e-12);
    Sender light = At10({{"Alpha", "0.25"}});
    light.Sample(100);
    light.Sample(140);
    EXPECT_NEAR(light.cc->GetGradient(), 0.5, 1e-12);
    light.Sample(140);
    EXPECT_NEAR(light.cc->GetGradient(), 0.375, 1e-12);
}

TEST(Timely, HyperActiveFromTheFifthEventOn)
{
    Sender s = At10();
    s.Sample(100);
    double rate = 10;
    for (uint32_t n = 1; n <= 7; ++n)
    {
        rate += n < 5 ? 0.01 : 0.05;
        EXPECT_NEAR(s.Sample(100), rate, 1e-9) << n;
        EXPECT_EQ(Variable(*s.cc, "hai_count"), n);
    }
    s.Sample(100.5); // a positive gradient starts the count anew
    EXPECT_EQ(Variable(*s.cc, "hai_count"), 0u);
    s.Sample(99);
    EXPECT_EQ(Variable(*s.cc, "hai_count"), 1u);
    s.Sample(600); // so does THigh
    EXPECT_EQ(Variable(*s.cc, "hai_count"), 0u);
    s.Sample(99);
    EXPECT_EQ(Variable(*s.cc, "hai_count"), 1u);
    rate = s.Gbps();
    EXPECT_NEAR(s.Sample(40), rate + 0.01, 1e-9); // and RTTs below TLow do not count
    EXPECT_EQ(Variable(*s.cc, "hai_count"), 0u);
    for (int n = 0; n < 6; ++n)
    {
        rate = s.Gbps();
        EXPECT_NEAR(s.Sample(40), rate + 0.01, 1e-9);
    }
}

TEST(Timely, HyperActiveAttributes)
{
    Sender off = At10({{"HaiThreshold", "0"}});
    off.Sample(100);
    for (int n = 1; n <= 8; ++n)
    {
        EXPECT_NEAR(off.Sample(100), 10 + 0.01 * n, 1e-9);
    }
    Sender two = At10({{"HaiThreshold", "2"}, {"HaiFactor", "3"}, {"HaiBelowTLow", "true"}});
    two.Sample(40);
    EXPECT_NEAR(two.Sample(40), 10.01, 1e-9);
    EXPECT_NEAR(two.Sample(40), 10.04, 1e-9);
    EXPECT_NEAR(two.Sample(49), 10.07, 1e-9); // although the gradient is positive
    EXPECT_EQ(Variable(*two.cc, "hai_count"), 3u);
    // by differences: equal samples do not count, falling ones do wherever they are
    Sender diff = At10({{"HaiSignal", "difference"}, {"HaiThreshold", "2"}, {"Beta", "0.001"}});
    diff.Sample(700);
    diff.Sample(690);
    EXPECT_EQ(Variable(*diff.cc, "hai_count"), 1u);
    double rate = diff.Gbps();
    EXPECT_NEAR(diff.Sample(100), rate + 0.05, 1e-9);
    EXPECT_EQ(Variable(*diff.cc, "hai_count"), 2u);
    rate = diff.Gbps();
    EXPECT_NEAR(diff.Sample(100), rate + 0.01, 1e-9);
    EXPECT_EQ(Variable(*diff.cc, "hai_count"), 0u);
}

TEST(Timely, RateStaysWithinItsBounds)
{
    Sender s(Plain());
    s.Sample(30);
    EXPECT_EQ(s.Sample(30), 10); // the line rate
    for (int i = 0; i < 100; ++i)
    {
        s.Sample(100 + 50 * (i % 2));
    }
    for (int i = 0; i < 100; ++i)
    {
        EXPECT_GE(s.Sample(1e6), 0.001);
    }
    EXPECT_EQ(s.cc->GetRateBps(), 1000000u);
    Sender profile; // the floor is one step unless given
    profile.Sample(100);
    EXPECT_NEAR(profile.Sample(300), 0.01, 1e-12);
    Sender high(Attributes{{"MinRate", "2Gbps"}});
    high.Sample(100);
    EXPECT_NEAR(high.Sample(300), 2, 1e-12);
}

TEST(Timely, StepScalesWithTheLineRate)
{
    EXPECT_NEAR(Sender({}, PathOf(G10)).cc->m_delta, 10e6, 1e-3);
    EXPECT_NEAR(Sender({}, PathOf(G100)).cc->m_delta, 100e6, 1e-3);
    EXPECT_NEAR(Sender(Attributes{{"Delta", "7Mbps"}}, PathOf(G100)).cc->m_delta, 7e6, 1e-3);
    EXPECT_NEAR(Sender(Attributes{{"Profile", "erpc"}}, PathOf(G100)).cc->m_delta, 40e6, 1e-3);
    Attributes noCorrection{{"SubtractSerialisation", "false"}};
    for (int64_t rttUs : {5, 40, 80}) // the default normalises by the path's own base RTT
    {
        Sender s(noCorrection, PathOf(G10, rttUs * US));
        s.Sample(100);
        s.Sample(101);
        EXPECT_NEAR(s.cc->GetGradient(), 0.875 / std::max<double>(rttUs, 20), 1e-9);
        noCorrection.push_back({"MinRtt", "0us"}); // without the floor of 20 us
        Sender pure(noCorrection, PathOf(G10, rttUs * US));
        pure.Sample(100);
        pure.Sample(101);
        EXPECT_NEAR(pure.cc->GetGradient(), 0.875 / static_cast<double>(rttUs), 1e-9);
        noCorrection.pop_back();
    }
}

// Only the first ACK of data sent after the last update counts.
TEST(Timely, PerRttUpdates)
{
    Sender s = At10();
    s.Ack(40, 1, 100);
    for (uint64_t psn : {2, 50, 100})
    {
        EXPECT_EQ(s.Ack(40, psn, psn + 100), 10);
    }
    EXPECT_NEAR(s.Ack(40, 101, 200), 10.01, 1e-9);
    EXPECT_NEAR(s.Ack(2000, 102, 201), 10.01, 1e-9);
    EXPECT_NEAR(s.Ack(2000, 200, 299), 10.01, 1e-9);
    EXPECT_NEAR(s.Ack(0, 201, 299), 10.01, 1e-9); // no sample: the update is put off, not lost
    EXPECT_NEAR(s.Ack(1000, 202, 300), 10.01 * 0.6, 1e-9);
}

// After going back, the mark of the last update must go back, too, or the rate is frozen.
TEST(Timely, NakAndTimeoutRewindTheRoundTripMark)
{
    for (bool timeout : {false, true})
    {
        Sender s = At10();
        s.Ack(40, 1, 100);
        EXPECT_NEAR(s.Ack(40, 101, 1000), 10.01, 1e-9); // next update above 1000
        s.Ack(40, 300, 1000);
        if (timeout)
        {
            s.cc->OnTimeout(20 * US);
        }
        else
        {
            s.Ack(40, 300, 300, 0, true);
        }
        EXPECT_NEAR(s.Gbps(), 10.01, 1e-9); // no reaction to the loss itself
        EXPECT_NEAR(s.Ack(40, 301, 310), 10.02, 1e-9);
        EXPECT_NEAR(s.Ack(40, 310, 320), 10.02, 1e-9);
        EXPECT_NEAR(s.Ack(40, 311, 321), 10.03, 1e-9);
    }
}

// Each ACK counts, by the time since the last one over MinRtt; at most half of the rate is lost.
TEST(Timely, PerAckScalesWithTime)
{
    Sender s = At10({{"Mode", "perAck"}});
    auto after = [&](double us, double rttUs) {
        s.nowPs += std::llround(us * US);
        s.psn += 1;
        return s.Ack(rttUs, s.psn, s.psn + 100);
    };
    after(50, 40);
    EXPECT_NEAR(after(5, 40), 10 + 0.01 / 4, 1e-9);
    EXPECT_NEAR(after(20, 40), 10.0125, 1e-9);
    EXPECT_NEAR(after(500, 40), 10.0225, 1e-9); // not more than one step
    EXPECT_NEAR(after(0, 40), 10.0225, 1e-9);
    EXPECT_NEAR(after(5, 1000), 10.0225 * (1 - 0.25 * 0.8 * 0.5), 1e-9);
    double rate = s.Gbps();
    after(100, 400);
    EXPECT_NEAR(s.Gbps(), rate + 0.01, 1e-9);
    rate = s.Gbps();
    EXPECT_NEAR(after(100, 499), rate / 2, 1e-9); // g = 1.05: 1 - Beta g is 0.16
    rate = s.Gbps();
    EXPECT_NEAR(after(2, 510), rate * (1 - 0.1 * 0.8 * (1 - 500.0 / 510)), 1e-9);
    // the floor of half the rate is this mode's only
    Sender perRtt = At10();
    perRtt.Sample(100);
    EXPECT_LT(perRtt.Sample(120), 5);
}

TEST(Timely, PerSegmentUpdates)
{
    const Attributes mode{{"Mode", "perSegment"}, {"SegmentBytes", "5000"}};
    Sender s = At10(mode);
    int updates = 0;
    uint64_t psn = 0;
    auto ack = [&](uint64_t bytes, bool nak = false) {
        const double before = s.Gbps();
        ++psn;
        updates += s.Ack(40, psn, psn + 1000, bytes, nak) != before;
    };
    for (int i = 0; i < 4; ++i)
    {
        ack(1250); // the fourth is the first sample
    }
    EXPECT_EQ(updates, 0);
    for (int i = 0; i < 40; ++i)
    {
        ack(1250);
        EXPECT_EQ(updates, (i + 1) / 4);
    }
    ack(100000); // one ACK is one sample, and what is over does not count for the next
    EXPECT_EQ(updates, 11);
    ack(4999);
    EXPECT_EQ(updates, 11);
    ack(0, true); // a NAK: the segment begins anew
    ack(4999);
    EXPECT_EQ(updates, 11);
    ack(1);
    EXPECT_EQ(updates, 12);
    ack(4999);
    s.cc->OnTimeout(0);
    ack(4999);
    EXPECT_EQ(updates, 12);
}

TEST(Timely, SerialisationIsSubtracted)
{
    // 1250 B at 10 Gb/s are 1 us, so 50.5 us are below TLow = 50 us or not
    auto rises = [](const Attributes& attributes) {
        Attributes a{{"Delta", "10Mbps"}, {"SegmentBytes", "1"}};
        a.insert(a.end(), attributes.begin(), attributes.end());
        Sender s(a, PathOf(), 2 * G10);
        s.cc->m_path.fullFrameBytes = 2500; // the same 1 us on the line of 20 Gb/s
        for (uint64_t psn : {10, 20})
        {
            s.nowPs += 100 * US;
            s.Ack(psn == 10 ? 45 : 50.5, psn, psn + 9, 1250);
        }
        return s.Gbps() > 10;
    };
    EXPECT_TRUE(rises({}));
    EXPECT_FALSE(rises({{"SubtractSerialisation", "false"}}));
    EXPECT_FALSE(rises({{"Profile", "hpcc-sim"}}));
    EXPECT_TRUE(rises({{"Profile", "hpcc-sim"}, {"SubtractSerialisation", "true"}}));
    EXPECT_TRUE(rises({{"Profile", "hpcc-sim"}, {"Mode", "perSegment"}}));
    EXPECT_TRUE(rises({{"Profile", "patched"}}));
    EXPECT_FALSE(rises({{"Profile", "erpc"}}));
    Sender tiny; // shorter than a full frame's serialisation: no negative samples
    tiny.Sample(0.5);
    tiny.Sample(0.4);
    EXPECT_EQ(tiny.cc->GetGradient(), 0);
}

TEST(Timely, BurstPacing)
{
    EXPECT_EQ(Sender(Attributes{{"Mode", "perSegment"}}).cc->GetBurstBytes(), 16384u);
    EXPECT_EQ(
        Sender(Attributes{{"Mode", "perSegment"}, {"SegmentBytes", "65536"}}).cc->GetBurstBytes(),
        65536u);
    EXPECT_EQ(
        Sender(Attributes{{"Mode", "perSegment"}, {"BurstPacing", "false"}}).cc->GetBurstBytes(),
        0u);
    EXPECT_EQ(Sender(Attributes{{"Mode", "perAck"}}).cc->GetBurstBytes(), 0u);
    EXPECT_EQ(Sender(Attributes{{"Mode", "perRtt"}, {"BurstPacing", "true"}}).cc->GetBurstBytes(),
              0u);
}

TEST(Timely, PatchedRule)
{
    const Attributes patched{{"Patched", "true"}, {"Beta", "0.008"}};

    // the weight, at RTT 100 us: error 1; d decays to what gives g
    struct Case
    {
        double from, to, g, rate;
    };

    // (1 - w) 0.01 + 10 (1 - 0.008 w), w = 2 g + 1/2
    const double step = 0.1 * 20 / 0.875; // g = 0.1
    const Case cases[] = {
        {100 - step, 100, 0.1, 9.947},
        {100, 100, 0, 9.965},
        {100 + 2.5 * step, 100, -0.25, 10.01},
        {100 + 3 * step, 100, -0.3, 10.01}, // w = 0
        {100 - 2.5 * step, 100, 0.25, 9.92},
        {100 - 5 * step, 100, 0.5, 9.92}, // w = 1
        {50, 50, 0, 10.005},              // no error at TLow: 0.005 on top
        {30, 49, 0.83125, 10.01},         // below TLow and above THigh as before
        {400, 1000, 26.25, 10 * (1 - 0.008 * 0.5)},
    };
    for (const Case& c : cases)
    {
        Sender s = At10(patched);
        s.Sample(c.from);
        EXPECT_NEAR(s.Sample(c.to), c.rate, 1e-6) << c.from << " -> " << c.to;
        EXPECT_NEAR(s.cc->GetGradient(), c.g, 1e-6);
    }
    Sender hai = At10({{"Patched", "true"}, {"Beta", "0.008"}}); // no hyper-active steps inside
    hai.Sample(50);
    for (int n = 1; n <= 10; ++n)
    {
        EXPECT_NEAR(hai.Sample(50), 10 + 0.005 * n, 1e-9);
    }
}

// g = 0 and (RTT - TLow) / TLow = N Delta / (Beta C): the rate C / N stays as it is.
TEST(Timely, PatchedFixedPoints)
{
    struct Case
    {
        uint64_t n;
        uint64_t capacity;
        double rttUs;
    };

    for (const Case& c : {Case{10, G10, 112.5}, Case{2, G10, 62.5}, Case{8, G100, 100}})
    {
        const Attributes a{{"Profile", "patched"},
                           {"Mode", "perRtt"},
                           {"SubtractSerialisation", "false"},
                           {"Delta", std::to_string(c.capacity / 1000) + "bps"}};
        auto drift = [&](double rttUs) {
            Sender s(a, PathOf(c.capacity / c.n), c.capacity);
            const double start = s.Gbps();
            for (int i = 0; i < 1000; ++i)
            {
                s.Sample(rttUs);
            }
            return s.Gbps() / start - 1;
        };
        EXPECT_NEAR(drift(c.rttUs), 0, 1e-9) << c.n;
        EXPECT_LT(drift(c.rttUs + 1), -1e-3);
        EXPECT_GT(drift(c.rttUs - 1), 1e-3);
    }
}

// A base RTT above THigh: the rate falls at each update although the network is empty.
TEST(Timely, WanPitfallAndThresholdsFromBaseRtt)
{
    const PathInfo wan = PathOf(G100, 1012 * US);
    const Attributes plain{{"SubtractSerialisation", "false"}};
    Sender s(plain, wan);
    s.Sample(1012);
    double rate = 100;
    for (int i = 0; i < 5; ++i)
    {
        const double next = s.Sample(1012);
        EXPECT_NEAR(next / rate, 0.595257, 1e-6);
        rate = next;
    }
    for (int i = 0; i < 100; ++i)
    {
        s.Sample(1012);
    }
    EXPECT_NEAR(s.Gbps(), 0.1, 1e-9); // for ever

    Sender path(Attributes{{"SubtractSerialisation", "false"}, {"ThresholdsFromBaseRtt", "true"}},
                wan);
    path.Sample(1012);
    EXPECT_EQ(path.Sample(1012), 100);
    EXPECT_EQ(path.Sample(1061), 100); // below 1062: no gradient
    rate = path.Sample(1063);
    EXPECT_NEAR(rate, 100 * (1 - 0.8 * path.cc->GetGradient()), 1e-9);
    EXPECT_LT(rate, 100);
    EXPECT_NEAR(path.Sample(1600), rate * (1 - 0.8 * (1 - 1512.0 / 1600)), 1e-9);
}

TEST(Timely, HpccSimProfile)
{
    Sender s(Attributes{{"Profile", "hpcc-sim"}}, PathOf(G100, 8 * US), 2 * G100);
    s.Sample(8);
    double rate = 100;
    for (int n = 1; n <= 8; ++n)
    {
        rate += n <= 5 ? 0.1 : 0.5; // five increases first, below TLow as well
        EXPECT_NEAR(s.Sample(8), rate, 1e-9) << n;
    }
    s.Sample(60);
    EXPECT_NEAR(s.cc->GetGradient(), 0.875 * 52 / 20, 1e-9);
    EXPECT_NEAR(s.Gbps(), 1, 1e-12); // 1 Gb/s is the floor
}

TEST(Timely, ErpcProfile)
{
    Sender s(Attributes{{"Profile", "erpc"}}, PathOf(G100), 2 * G100);
    EXPECT_EQ(s.cc->GetParams().mode, TimelyMode::PER_ACK);
    s.Sample(60);
    EXPECT_NEAR(s.Sample(61), 100 * (1 - 0.26 * 0.46 / 2), 1e-9);
    const double rate = s.Gbps();
    EXPECT_NEAR(s.Sample(900), rate / 2, 1e-9); // within [50 us, 1 ms], by the gradient
    for (int i = 0; i < 40; ++i)
    {
        s.Sample(1e5);
    }
    EXPECT_NEAR(s.Gbps(), 0.12, 1e-12);
    Sender falling(Attributes{{"Profile", "erpc"}}, PathOf(G10), G100);
    falling.Sample(200);
    for (int n = 1; n <= 6; ++n)
    {
        const double before = falling.Gbps();
        EXPECT_NEAR(falling.Sample(200 - n), before + (n < 5 ? 0.04 : 0.2), 1e-9);
    }
}

TEST(Timely, PaperIsTheDefaultProfile)
{
    const TimelyParams p = Sender().cc->GetParams();
    EXPECT_EQ(p.mode, TimelyMode::PER_RTT);
    EXPECT_EQ(p.alpha, 0.875);
    EXPECT_EQ(p.beta, 0.8);
    EXPECT_EQ(p.tLowPs, 50 * US);
    EXPECT_EQ(p.tHighPs, 500 * US);
    EXPECT_EQ(p.minRttPs, 0); // the path's, at least
    EXPECT_EQ(p.minRttFloorPs, 20 * US);
    EXPECT_EQ(p.haiThreshold, 5u);
    EXPECT_EQ(p.haiFactor, 5);
    EXPECT_FALSE(p.haiBelowTLow);
    EXPECT_FALSE(p.thresholdsFromBaseRtt);
    EXPECT_FALSE(p.patched);
    EXPECT_EQ(p.segmentBytes, 16384u);
    EXPECT_TRUE(p.subtractSerialisation);
    Sender given(
        Attributes{{"Profile", "patched"}, {"Beta", "0.5"}, {"TLow", "1us"}, {"THigh", "2us"}});
    EXPECT_EQ(given.cc->GetParams().beta, 0.5);
    EXPECT_EQ(given.cc->GetParams().tLowPs, US);
    EXPECT_EQ(given.cc->GetParams().tHighPs, 2 * US);
    EXPECT_EQ(given.cc->GetParams().minRttPs, 20 * US);
    EXPECT_EQ(given.cc->GetParams().mode, TimelyMode::PER_SEGMENT);
}

TEST(Timely, BdpWindow)
{
    Sender s(Plain({{"Window", "bdp"}}));
    EXPECT_EQ(s.cc->GetWindowBytes(), 25000u);
    s.Sample(400);
    s.Sample(1000);
    EXPECT_EQ(s.cc->GetWindowBytes(), 15000u);
    for (int i = 0; i < 20; ++i)
    {
        s.Sample(1e5);
    }
    EXPECT_EQ(s.cc->GetWindowBytes(), 1250u); // one frame
}

TEST(Timely, BadValues)
{
    ExpectError({{"Profile", "google"}}, "Profile is 'google', expected 'paper'");
    ExpectError({{"Mode", "perByte"}}, "Mode is 'perByte', expected 'perRtt'");
    ExpectError({{"Alpha", "0"}}, "Alpha is 0");
    ExpectError({{"Alpha", "1.1"}}, "Alpha is 1.1");
    ExpectError({{"Alpha", "-1"}}, "Alpha is -1");
    ExpectError({{"Beta", "2"}}, "Beta is 2");
    ExpectError({{"THigh", "10us"}}, "THigh is 10us, expected at least TLow, which is 50us");
    ExpectError({{"TLow", "-5us"}}, "TLow is -5us");
    ExpectError({{"TLow", "0us"}, {"Patched", "true"}}, "TLow is 0");
    ExpectError({{"MinRtt", "-2ns"}}, "MinRtt is -2ns");
    ExpectError({{"HaiFactor", "0.5"}}, "HaiFactor is 0.5");
    ExpectError({{"Patched", "yes"}}, "Patched is 'yes'");
    ExpectError({{"SegmentBytes", "0"}}, "SegmentBytes is 0");
    ExpectError({{"Window", "big"}}, "Window is 'big', expected 'none', 'bdp'");
    Ptr<Timely> cc = CreateObject<Timely>();
    EXPECT_THROW(cc->Start(PathInfo(), 0), InputError);
}

TEST(Timely, WarnsWhenTheEmptyPathIsLongerThanTHigh)
{
    EXPECT_EQ(Sender({}, PathOf(G100, 500 * US)).cc->GetWarning(), "");
    const std::string warning = Sender({}, PathOf(G100, 1012 * US)).cc->GetWarning();
    EXPECT_NE(warning.find("THigh is 500000 ns, but the empty path takes 1012000 ns"),
              std::string::npos)
        << warning;
    EXPECT_EQ(Sender({{"ThresholdsFromBaseRtt", "true"}}, PathOf(G100, 1012 * US)).cc->GetWarning(),
              "");
}
