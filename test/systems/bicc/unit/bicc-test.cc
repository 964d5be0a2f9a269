// SPDX-License-Identifier: GPL-2.0-only
// The two halves of the BiCC-like edge function by themselves: which data are answered with a CNP,
// and the rates of virtual output queues.
#include "ns3/roce-bicc-near-source.h"
#include "ns3/roce-bicc-receiver-side.h"
#include "ns3/roce-bicc.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace ns3;
using namespace ns3::roce;

namespace
{

constexpr uint64_t G = 1000000000;
constexpr int64_t US = 1000000;
using Answer = BiccNearSource::Answer;
using Marks = BiccNearSource::Marks;

BiccParams
Defaults()
{
    return *Parameters<BiccParams>().Get();
}

Frame
Data(uint32_t qp = 1, uint8_t ecn = ECN_ECT0)
{
    Frame frame{};
    frame.kind = FrameKind::DATA;
    frame.src = 7;
    frame.srcQp = qp;
    frame.ecn = ecn;
    return frame;
}

struct NearSource : public ::testing::Test
{
    void SetUp() override
    {
        near.Configure(settings, {400 * G, 100 * G});
        near.SetStream(1);
    }

    Answer Arrive(uint8_t ecn, int64_t nowPs, uint32_t qp = 1)
    {
        Frame frame = Data(qp, ecn);
        const Answer answer = near.OnArrival(frame, nowPs);
        EXPECT_NE(frame.ecn, ECN_CE) << "the mark is still there";
        return answer;
    }

    Answer Depart(uint64_t queueBytes, int64_t nowPs, uint32_t qp = 1, uint8_t ecn = ECN_ECT0)
    {
        Frame frame = Data(qp, ecn);
        const Answer answer = near.OnDeparture(frame, 0, queueBytes, nowPs);
        EXPECT_NE(frame.ecn, ECN_CE) << "the mark is still there";
        return answer;
    }

    BiccNearSource::Settings settings = Defaults().nearSource;
    BiccNearSource near;
};

struct ReceiverSide : public ::testing::Test
{
    void SetUp() override
    {
        side.Configure(settings, {0, 100 * G, 400 * G});
    }

    uint64_t Rate(int64_t nowPs) const
    {
        return side.GetRateBps(1, 5, nowPs);
    }

    BiccReceiverSide::Settings settings = Defaults().receiverSide;
    BiccReceiverSide side;
};

} // namespace

TEST_F(NearSource, OneCnpPerFlowAndInterval)
{
    EXPECT_EQ(Arrive(ECN_CE, 10 * US), Answer::CNP);
    EXPECT_EQ(Arrive(ECN_CE, 10 * US), Answer::SUPPRESSED);
    EXPECT_EQ(Arrive(ECN_CE, 60 * US - 1), Answer::SUPPRESSED);
    EXPECT_EQ(Arrive(ECN_CE, 60 * US - 1, 2), Answer::CNP) << "another flow";
    EXPECT_EQ(Arrive(ECN_CE, 60 * US), Answer::CNP) << "50 us are over";
    EXPECT_EQ(Arrive(ECN_CE, 60 * US, 2), Answer::SUPPRESSED);
    EXPECT_EQ(Arrive(ECN_ECT0, 900 * US), Answer::NOTHING);
    EXPECT_EQ(near.GetCleared(), 6u);
}

TEST_F(NearSource, AnIntervalIsExactForFlowsThatAreForgotten)
{
    for (const int64_t interval : {int64_t{0}, 5 * US, 20000 * US})
    {
        settings.cnpIntervalPs = interval;
        near.Configure(settings, {400 * G});
        int64_t last = INT64_MIN / 2;
        for (int64_t at = 0; at < 100000 * US; at += 7777 * US / 10)
        {
            const bool due = at - last >= interval;
            ASSERT_EQ(Arrive(ECN_CE, at), due ? Answer::CNP : Answer::SUPPRESSED) << at;
            last = due ? at : last;
        }
    }
}

TEST_F(NearSource, TheCurveScalesWithThePort)
{
    unsigned marked = 0;
    for (unsigned i = 0; i < 4000; ++i)
    {
        EXPECT_EQ(Depart(1600000, i, i), Answer::NOTHING) << "Kmin at 400 Gbit/s";
        EXPECT_EQ(Depart(6400001, i, 10000 + i), Answer::CNP) << "above Kmax";
        marked += Depart(4000000, i, 20000 + i) == Answer::CNP;
    }
    EXPECT_NEAR(marked / 4000.0, 0.1, 0.02) << "half way to Pmax";
    Frame frame = Data();
    EXPECT_EQ(near.OnDeparture(frame, 1, 1600001, 0), Answer::CNP) << "100 Gbit/s";
    EXPECT_EQ(Depart(UINT64_MAX, 0, 9, ECN_NOT_ECT), Answer::NOTHING) << "not ECN-capable";
}

TEST_F(NearSource, WhoseMarksCount)
{
    for (const Marks marks : {Marks::NONE, Marks::DATACENTER, Marks::ALL})
    {
        settings.marks = marks;
        near.Configure(settings, {400 * G});
        EXPECT_EQ(Arrive(ECN_CE, 0), marks == Marks::NONE ? Answer::NOTHING : Answer::CNP);
        EXPECT_EQ(Depart(0, 0, 2, ECN_CE), marks == Marks::ALL ? Answer::CNP : Answer::NOTHING);
        EXPECT_EQ(Depart(UINT64_MAX, 0, 3, ECN_CE), Answer::CNP) << "the curve counts always";
    }
}

TEST_F(ReceiverSide, QueuesAreHashed)
{
    std::set<uint32_t> hashed;
    for (uint32_t nic = 0; nic < 1000; ++nic)
    {
        ASSERT_LT(side.QueueOf(nic), 128u);
        hashed.insert(side.QueueOf(nic));
    }
    EXPECT_GT(hashed.size(), 120u);
    settings.voqs = 1;
    side.Configure(settings, {100 * G});
    EXPECT_EQ(side.QueueOf(77), 0u);
}

TEST_F(ReceiverSide, FirstCnpHalvesThenAlphaDecides)
{
    EXPECT_FALSE(side.HasQueues(0));
    EXPECT_EQ(Rate(0), 100 * G);
    EXPECT_TRUE(side.OnCnp(1, 5, 0));
    EXPECT_EQ(Rate(0), 50 * G);
    EXPECT_FALSE(side.OnCnp(1, 5, 50 * US - 1)) << "one cut in 50 us";
    EXPECT_EQ(Rate(50 * US - 1), 50 * G);
    EXPECT_TRUE(side.OnCnp(1, 5, 50 * US));
    EXPECT_EQ(Rate(50 * US), 25 * G);
    // Two alpha periods, two steps of the recovery.
    EXPECT_TRUE(side.OnCnp(1, 5, 160 * US));
    const double g = 1.0 / 16;
    const double alpha = (1 - g) * std::pow(1 - g, 2) + g;
    EXPECT_DOUBLE_EQ(side.GetAlpha(1, 5, 160 * US), alpha);
    EXPECT_EQ(Rate(160 * US), static_cast<uint64_t>(std::llround(26e9 * (1 - alpha / 2))));
    EXPECT_EQ(side.GetRateBps(1, 6, 160 * US), 100 * G) << "another queue";
    EXPECT_EQ(side.GetRateBps(2, 5, 160 * US), 400 * G) << "another port";
}

TEST_F(ReceiverSide, RecoversByStepsWithoutATimer)
{
    side.OnCnp(1, 5, 0);
    EXPECT_EQ(Rate(55 * US - 1), 50 * G);
    EXPECT_EQ(Rate(55 * US), 50 * G + G / 2);
    EXPECT_EQ(Rate(10 * 55 * US), 55 * G);
    EXPECT_EQ(Rate(99 * 55 * US), 50 * G + 99 * G / 2);
    EXPECT_EQ(Rate(100 * 55 * US), 100 * G);
    EXPECT_EQ(Rate(101 * 55 * US), 100 * G);
    EXPECT_EQ(Rate(INT64_MAX / 2), 100 * G);
}

// Asking changes nothing: the result does not depend on when and how often it is looked at.
TEST_F(ReceiverSide, LookingChangesNothing)
{
    BiccReceiverSide other;
    other.Configure(settings, {0, 100 * G, 400 * G});
    for (const int64_t at : {0 * US, 130 * US, 190 * US, 1300 * US})
    {
        for (int64_t look = at - 40 * US; look < at; look += US)
        {
            side.GetRateBps(1, 5, std::max<int64_t>(look, 0));
            side.GetAlpha(1, 5, std::max<int64_t>(look, 0));
        }
        side.OnCnp(1, 5, at);
        other.OnCnp(1, 5, at);
        EXPECT_EQ(Rate(at), other.GetRateBps(1, 5, at));
    }
}

TEST_F(ReceiverSide, AlphaBeginsAnewAtTheGreatestRate)
{
    side.OnCnp(1, 5, 0);
    const int64_t later = 20000 * US;
    EXPECT_EQ(Rate(later), 100 * G);
    side.OnCnp(1, 5, later);
    EXPECT_EQ(Rate(later), 50 * G);
}

TEST_F(ReceiverSide, Bounds)
{
    for (int64_t at = 0; at < 2000 * US; at += 50 * US)
    {
        side.OnCnp(1, 5, at);
    }
    EXPECT_EQ(Rate(1950 * US), settings.minRateBps);
    settings.maxRateBps = 25 * G;
    SetUp();
    EXPECT_EQ(Rate(0), 25 * G);
    side.OnCnp(1, 5, 0);
    EXPECT_EQ(Rate(0), 25 * G / 2);
    EXPECT_EQ(Rate(100000 * US), 25 * G);
    settings.maxRateBps = 1000;
    SetUp();
    side.OnCnp(1, 5, 0);
    EXPECT_EQ(Rate(0), 1000u) << "MinRate is not above MaxRate";
}

TEST_F(ReceiverSide, OtherParametersKeepWhatIsRecovered)
{
    side.OnCnp(1, 5, 0);
    EXPECT_EQ(Rate(80 * US), 50 * G + G / 2);
    settings.aiRateBps = 2 * G;
    settings.gain = 0.25;
    side.Retune(settings, 80 * US);
    EXPECT_EQ(Rate(80 * US), 50 * G + G / 2);
    EXPECT_EQ(Rate(110 * US), 52 * G + G / 2) << "the step that was under way takes 55 us in all";
    EXPECT_DOUBLE_EQ(side.GetAlpha(1, 5, 80 * US), 15.0 / 16) << "a period with the old gain";
    EXPECT_DOUBLE_EQ(side.GetAlpha(1, 5, 110 * US), 15.0 / 16 * 0.75) << "and one with the new";
    EXPECT_TRUE(side.OnCnp(1, 5, 120 * US));
    settings.cutPeriodPs = 100 * US;
    side.Retune(settings, 130 * US);
    EXPECT_FALSE(side.OnCnp(1, 5, 219 * US)) << "since the last cut, not since the change";
    EXPECT_TRUE(side.OnCnp(1, 5, 220 * US));
}

TEST_F(ReceiverSide, OtherBoundsMoveRates)
{
    side.OnCnp(1, 5, 0);
    settings.maxRateBps = 40 * G;
    side.Retune(settings, US);
    EXPECT_EQ(Rate(US), 40 * G);
    EXPECT_EQ(side.GetRateBps(1, 6, US), 40 * G) << "never cut";
    EXPECT_EQ(side.GetRateBps(2, 5, US), 40 * G) << "another port";
    side.OnCnp(1, 5, 60 * US);
    settings.maxRateBps = 0;
    settings.minRateBps = 30 * G;
    side.Retune(settings, 61 * US);
    EXPECT_EQ(Rate(61 * US), 30 * G) << "raised to MinRate";
    EXPECT_EQ(side.GetRateBps(1, 6, 61 * US), 100 * G) << "never cut";
    EXPECT_EQ(side.GetRateBps(2, 5, 61 * US), 400 * G) << "never cut, of another port";
    settings.minRateBps = 0;
    side.Retune(settings, 10000 * US);
    EXPECT_EQ(Rate(10000 * US), 100 * G) << "one that is back stays";
    settings.maxRateBps = 60 * G;
    side.Retune(settings, 10000 * US);
    settings.maxRateBps = 80 * G;
    side.Retune(settings, 10000 * US);
    EXPECT_EQ(Rate(10000 * US), 80 * G) << "at its greatest rate it stays";
    EXPECT_FALSE(side.HasQueues(0));
}

TEST_F(NearSource, OtherParametersCountFromTheNextFrameOn)
{
    EXPECT_EQ(Depart(UINT64_MAX, 0), Answer::CNP);
    settings.cnpIntervalPs = 10 * US;
    settings.kminBytes = settings.kmaxBytes = 1000;
    settings.referenceRateBps = 0;
    settings.marks = Marks::NONE;
    near.Retune(settings);
    EXPECT_EQ(Depart(1001, 50 * US - 1), Answer::SUPPRESSED) << "told of 50 us before the change";
    EXPECT_EQ(Depart(1001, 50 * US), Answer::CNP) << "the new curve";
    EXPECT_EQ(Depart(1000, 70 * US), Answer::NOTHING);
    EXPECT_EQ(Depart(1001, 60 * US), Answer::CNP) << "the new interval";
    EXPECT_EQ(Arrive(ECN_CE, 80 * US), Answer::NOTHING);
}
