// SPDX-License-Identifier: GPL-2.0-only
// Path selectors: which entropy comes next, and when a flow moves.
#include "roce-error-of.h"
#include "roce-test-time.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/roce-flowlet.h"
#include "ns3/roce-plb.h"
#include "ns3/roce-spray.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr uint16_t OWN = 0xc123;

template <typename T>
Ptr<T>
Make(uint64_t seed = 1,
     std::initializer_list<std::pair<const char*, const AttributeValue*>> attributes = {})
{
    Ptr<T> selector = CreateObject<T>();
    for (const auto& [name, value] : attributes)
    {
        selector->SetAttribute(name, *value);
    }
    PathInfo path;
    path.baseRttPs = 8 * US;
    Ptr<PathSelector> fork = selector->Fork();
    fork->Start(path, OWN, seed);
    return DynamicCast<T>(fork);
}

/// One round trip of n packets, so many of them marked or with such an RTT.
struct Rounds
{
    void operator()(Plb& plb, uint32_t packets, uint32_t congested, int64_t rttPs = 9 * US)
    {
        AckInfo ack;
        for (uint32_t i = 0; i < packets; ++i)
        {
            ack.ackPsn = ++psn;
            ack.sndNxtPsn = psn + 9; // so that ten packets are a round trip
            ack.ackedPackets = 1;
            ack.markedPackets = i < congested;
            ack.rttPs = i < congested ? 100 * US : rttPs;
            plb.OnAck(ack);
        }
    }

    uint64_t psn{0};
};

} // namespace

TEST(PathSelector, FlowHashIsTheFlowsOwn)
{
    Ptr<FlowHash> hash = Make<FlowHash>();
    EXPECT_TRUE(hash->IsStatic());
    EXPECT_EQ(hash->Select(0, 0), OWN);
    EXPECT_EQ(hash->Select(100 * US, 0), OWN);
}

TEST(PathSelector, SprayUsesTheWholePortRangeEvenly)
{
    Ptr<Spray> spray = Make<Spray>();
    std::map<unsigned, unsigned> count;
    for (int i = 0; i < 16000; ++i)
    {
        const uint16_t entropy = spray->Select(0, 0);
        ASSERT_GE(entropy, 0xc000);
        ++count[(entropy & 0x3fff) / 1024];
    }
    ASSERT_EQ(count.size(), 16u);
    for (const auto& [bin, n] : count)
    {
        EXPECT_NEAR(n, 1000, 130) << bin; // four standard deviations
    }
}

TEST(PathSelector, SprayWithSomePathsTakesTurns)
{
    UintegerValue four(4);
    Ptr<Spray> spray = Make<Spray>(1, {{"Paths", &four}});
    std::vector<uint16_t> first;
    for (int i = 0; i < 4; ++i)
    {
        first.push_back(spray->Select(0, 0));
    }
    EXPECT_EQ(std::set<uint16_t>(first.begin(), first.end()).size(), 4u);
    for (int i = 0; i < 12; ++i)
    {
        EXPECT_EQ(spray->Select(0, 0), first[i % 4]);
    }
}

TEST(PathSelector, SeedsDecide)
{
    Ptr<Spray> a = Make<Spray>(1);
    Ptr<Spray> b = Make<Spray>(1);
    Ptr<Spray> c = Make<Spray>(2);
    int same = 0;
    for (int i = 0; i < 100; ++i)
    {
        const uint16_t entropy = a->Select(0, 0);
        EXPECT_EQ(entropy, b->Select(0, 0));
        same += entropy == c->Select(0, 0);
    }
    EXPECT_LT(same, 3);
}

TEST(PathSelector, FlowletMovesAfterAGapOnly)
{
    TimeValue gap(MicroSeconds(5));
    Ptr<Flowlet> flowlet = Make<Flowlet>(1, {{"Gap", &gap}});
    EXPECT_EQ(flowlet->Select(100 * US, 0), OWN); // no gap before the first packet
    EXPECT_EQ(flowlet->Select(104 * US, 0), OWN);
    EXPECT_EQ(flowlet->Select(109 * US - 1, 0), OWN);
    const uint16_t next = flowlet->Select(114 * US - 1, 0); // exactly the gap
    EXPECT_NE(next, OWN);
    EXPECT_EQ(flowlet->Select(115 * US, 0), next);
    EXPECT_EQ(flowlet->GetMoves(), 1u);
    // By default the base RTT.
    Ptr<Flowlet> own = Make<Flowlet>();
    own->Select(0, 0);
    EXPECT_EQ(own->Select(8 * US - 1, 0), OWN);
    EXPECT_NE(own->Select(16 * US, 0), OWN);
}

TEST(PathSelector, PlbMovesWhenIdleAfterThreeCongestedRounds)
{
    Ptr<Plb> plb = Make<Plb>();
    Rounds round;
    round(*plb, 1, 0); // begins the first round
    for (uint32_t i = 1; i <= 2; ++i)
    {
        round(*plb, 10, 5);
        EXPECT_EQ(plb->Select(0, 0), OWN);
        EXPECT_EQ(plb->GetCongestedRounds(), i);
    }
    round(*plb, 10, 5);
    EXPECT_EQ(plb->Select(0, 1000), OWN); // not idle
    const uint16_t next = plb->Select(0, 0);
    EXPECT_NE(next, OWN);
    EXPECT_EQ(plb->GetMoves(), 1u);
    EXPECT_EQ(plb->Select(0, 0), next); // counting begins anew
}

TEST(PathSelector, PlbARoundBelowTheThresholdStartsTheCountAgain)
{
    Ptr<Plb> plb = Make<Plb>();
    Rounds round;
    round(*plb, 1, 0);
    round(*plb, 10, 9);
    round(*plb, 10, 9);
    round(*plb, 10, 4); // 40 % is below one half
    EXPECT_EQ(plb->GetCongestedRounds(), 0u);
    round(*plb, 10, 10);
    EXPECT_EQ(plb->Select(0, 0), OWN);
}

TEST(PathSelector, PlbForcesTheMoveAfterTwelveRounds)
{
    Ptr<Plb> plb = Make<Plb>();
    Rounds round;
    round(*plb, 1, 0);
    for (int i = 0; i < 11; ++i)
    {
        round(*plb, 10, 10);
        EXPECT_EQ(plb->Select(0, 50000), OWN);
    }
    round(*plb, 10, 10);
    EXPECT_NE(plb->Select(0, 50000), OWN);
    UintegerValue never(0);
    plb = Make<Plb>(1, {{"Rounds", &never}});
    Rounds again;
    for (int i = 0; i < 50; ++i)
    {
        again(*plb, 10, 10);
    }
    EXPECT_EQ(plb->Select(0, 50000), OWN);
}

TEST(PathSelector, PlbMovesAtATimeoutAndRests)
{
    TimeValue rest(MilliSeconds(1));
    Ptr<Plb> plb = Make<Plb>(1, {{"SuspendTime", &rest}});
    plb->OnTimeout(0);
    const uint16_t next = plb->Select(1, 0);
    EXPECT_NE(next, OWN);
    Rounds round;
    for (int i = 0; i < 20; ++i)
    {
        round(*plb, 10, 10);
    }
    EXPECT_EQ(plb->Select(1000 * US - 1, 0), next);
    EXPECT_NE(plb->Select(2000 * US, 0), next); // at most twice the time
}

// Where each packet has a timer of its own, one broken path makes many timeouts.
TEST(PathSelector, PlbMovesForTimeoutsOncePerBaseRtt)
{
    TimeValue none{Time(0)};
    Ptr<Plb> plb = Make<Plb>(1, {{"SuspendTime", &none}});
    const auto lose = [&](int64_t nowPs) {
        plb->OnTimeout(nowPs);
        return plb->Select(nowPs, 1);
    };
    const uint16_t next = lose(100 * US);
    EXPECT_NE(next, OWN);
    EXPECT_EQ(lose(100 * US + 8 * US - 1), next);
    EXPECT_NE(lose(100 * US + 8 * US), next);
    EXPECT_EQ(plb->GetMoves(), 2u);
    plb = Make<Plb>(1);
    AckInfo ack;
    ack.isLoss = true;
    plb->OnAck(ack);
    EXPECT_EQ(plb->Select(0, 1), OWN) << "other losses do not count";
}

// After going back the same PSNs are sent again: the round trip goes back with them.
TEST(PathSelector, PlbRoundsGoBackWithTheSender)
{
    for (const bool timeout : {false, true})
    {
        Ptr<Plb> plb = Make<Plb>();
        AckInfo ack;
        ack.ackPsn = 1;
        ack.sndNxtPsn = 1000; // the round trip would end above this
        ack.ackedPackets = 1;
        plb->OnAck(ack);
        if (timeout)
        {
            plb->OnTimeout(0);
        }
        else
        {
            ack.isNak = ack.isLoss = true;
            ack.ackedPackets = 0;
            ack.sndNxtPsn = 1;
            plb->OnAck(ack);
        }
        EXPECT_EQ(plb->GetCongestedRounds(), 0u);
        Rounds round;
        round.psn = 1;
        round(*plb, 10, 10);
        round(*plb, 10, 10);
        EXPECT_GT(plb->GetCongestedRounds(), 1u) << timeout;
    }
}

TEST(PathSelector, PlbWithTheLongestTimes)
{
    TimeValue rest(Seconds(86400 * 100));
    for (uint64_t seed = 1; seed < 20; ++seed)
    {
        Ptr<Plb> plb = Make<Plb>(seed, {{"SuspendTime", &rest}});
        plb->OnTimeout(0);
        const uint16_t next = plb->Select(1, 0);
        Rounds again;
        for (int i = 0; i < 20; ++i)
        {
            again(*plb, 10, 10);
        }
        EXPECT_EQ(plb->Select(1000 * US, 0), next) << seed;
    }
}

TEST(PathSelector, PlbByDelay)
{
    StringValue delay("delay");
    Ptr<Plb> plb = Make<Plb>(1, {{"Signal", &delay}});
    EXPECT_TRUE(plb->NeedsTimestamp());
    EXPECT_FALSE(plb->NeedsEcn());
    Rounds round;
    round(*plb, 1, 0);
    for (int i = 0; i < 3; ++i)
    {
        round(*plb, 10, 0, 16 * US); // twice the base RTT, and not above
    }
    EXPECT_EQ(plb->GetCongestedRounds(), 0u);
    for (int i = 0; i < 3; ++i)
    {
        round(*plb, 10, 0, 16 * US + 1);
    }
    EXPECT_EQ(plb->GetCongestedRounds(), 3u);
    StringValue both("both");
    EXPECT_EQ(test::ErrorOf([&] {
                  Make<Plb>(1, {{"Signal", &both}});
              }),
              "ns3::roce::Plb: Signal is 'both', expected 'ecn', 'delay'");
}
