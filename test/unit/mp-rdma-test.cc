// SPDX-License-Identifier: GPL-2.0-only
// MP-RDMA's window: what each ACK does to it, both profiles, every attribute.
#include "roce-law-fixture.h"

#include "ns3/roce-mp-rdma.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// A flow at 100 Gbit/s; with 14 us its BDP is 175,000 B, 43.75 frames.
struct Sender : LawSender<MpRdma>
{
    explicit Sender(const Attributes& attributes = {}, int64_t baseRttPs = 14 * US)
        : LawSender(attributes, MakePath(G100, baseRttPs, 4000))
    {
    }
};

} // namespace

TEST(MpRdma, StartsWithABdp)
{
    Sender s;
    EXPECT_EQ(s.cc->GetCwnd(), 43.75);
    EXPECT_EQ(Variable(*s.cc, "cwnd_packets"), 43.75);
    EXPECT_EQ(s.cc->GetWindowBytes(), 172000u); // 43 whole frames
    EXPECT_EQ(s.cc->GetRateBps(), 100000000000u);
    EXPECT_TRUE(s.cc->NeedsEcn());
    EXPECT_TRUE(s.cc->IsEcnCapable());
    EXPECT_FALSE(s.cc->NeedsTimestamp());
    EXPECT_EQ(Sender(Attributes{{"InitialCwnd", "8"}}).cc->GetWindowBytes(), 32000u);
    EXPECT_EQ(Sender({}, 1000).cc->GetCwnd(), 1); // a path shorter than a frame
}

TEST(MpRdma, EachAckMovesTheWindow)
{
    Sender s(Attributes{{"InitialCwnd", "10"}});
    s.Ack(1, 0); // 10 + 1/10
    EXPECT_DOUBLE_EQ(s.cc->GetCwnd(), 10.1);
    s.Ack(1, 1); // - 1/2
    EXPECT_DOUBLE_EQ(s.cc->GetCwnd(), 9.6);
    EXPECT_EQ(s.cc->GetWindowBytes(), 36000u);
    s.Ack(4, 1); // - 1/2 + 3/9.1
    EXPECT_DOUBLE_EQ(s.cc->GetCwnd(), 9.1 + 3 / 9.1);
    Sender two(Attributes{{"InitialCwnd", "10"}});
    two.Ack(4, 2); // - 1 + 2/9
    EXPECT_DOUBLE_EQ(two.cc->GetCwnd(), 9 + 2.0 / 9);
    s.Ack(0, 1); // no new data
    EXPECT_DOUBLE_EQ(s.cc->GetCwnd(), 9.1 + 3 / 9.1);
}

TEST(MpRdma, RestsAtTwoPerShareOfMarks)
{
    // F = 1/5: cwnd = 2 * 0.8 / 0.2 = 8
    Sender s(Attributes{{"InitialCwnd", "40"}});
    double sum = 0;
    for (int i = 0; i < 2000; ++i)
    {
        s.Ack(1, i % 5 == 0);
        sum += i < 1000 ? 0 : s.cc->GetCwnd();
    }
    EXPECT_NEAR(sum / 1000, 8, 0.1);
}

TEST(MpRdma, GrowsOnlyWhileItLimits)
{
    Sender s(Attributes{{"InitialCwnd", "10"}});
    s.Ack(1, 0, false);
    EXPECT_EQ(s.cc->GetCwnd(), 10);
    s.Ack(1, 1, false);
    EXPECT_EQ(s.cc->GetCwnd(), 9.5);
    s.Ack(1, 0, false, true); // others on the NIC limit it
    EXPECT_EQ(s.cc->GetCwnd(), 9.5);
    Sender paced(Attributes{{"InitialCwnd", "10"}, {"Pacing", "true"}});
    paced.Ack(1, 0, false, true); // the pacer holds frames back
    EXPECT_DOUBLE_EQ(paced.cc->GetCwnd(), 10.1);
    paced.Ack(1, 0, false, false); // no more to send
    EXPECT_DOUBLE_EQ(paced.cc->GetCwnd(), 10.1);
}

// The artifact's window grows with each ACK, and a BDP bounds it.
TEST(MpRdma, GrowsAlwaysUpToItsBound)
{
    Sender s(Attributes{{"InitialCwnd", "43"}, {"Growth", "always"}, {"MaxCwndBdp", "1"}});
    s.Ack(1, 0, false);
    EXPECT_DOUBLE_EQ(s.cc->GetCwnd(), 43 + 1. / 43) << "though it does not limit";
    for (int i = 0; i < 100; ++i)
    {
        s.Ack(1, 0);
    }
    EXPECT_EQ(s.cc->GetCwnd(), 43.75);
    Sender unbounded(Attributes{{"InitialCwnd", "43.75"}});
    unbounded.Ack(1, 0);
    EXPECT_GT(unbounded.cc->GetCwnd(), 43.75);
    Sender small(Attributes{{"MaxCwndBdp", "1"}}, 1000); // a path shorter than a frame
    small.Ack(1, 0);
    EXPECT_EQ(small.cc->GetCwnd(), 1);
}

TEST(MpRdma, AtLeastOnePacket)
{
    Sender s(Attributes{{"InitialCwnd", "1"}});
    s.Ack(1, 1);
    EXPECT_EQ(s.cc->GetCwnd(), 1);
    EXPECT_EQ(s.cc->GetWindowBytes(), 4000u);
    s.Ack(1, 0);
    EXPECT_EQ(s.cc->GetCwnd(), 2);
}

TEST(MpRdma, Timeouts)
{
    Sender s;
    s.cc->OnTimeout(0);
    EXPECT_EQ(s.cc->GetCwnd(), 1);
    EXPECT_EQ(s.cc->GetWindowBytes(), 4000u);
    Sender none(Attributes{{"TimeoutReaction", "none"}});
    none.cc->OnTimeout(0);
    EXPECT_EQ(none.cc->GetCwnd(), 43.75);
}

TEST(MpRdma, Artifact)
{
    Sender s(Attributes{{"Profile", "artifact"}, {"InitialCwnd", "35"}});
    EXPECT_EQ(s.cc->GetRateBps(), 80000000000u); // 140,000 B in 14 us
    s.Ack(1, 1);
    EXPECT_DOUBLE_EQ(s.cc->GetCwnd(), 34.85);
    s.Ack(1, 0);
    EXPECT_DOUBLE_EQ(s.cc->GetCwnd(), 34.85 + 1 / 34.85);
    const double before = s.cc->GetCwnd();
    s.cc->OnTimeout(0);
    EXPECT_EQ(s.cc->GetCwnd(), before);
    EXPECT_EQ(Sender(Attributes{{"Profile", "artifact"}}).cc->GetCwnd(), 43.75);
    // what is set by hand holds
    const Sender t(Attributes{{"Decrease", "0.5"}, {"Pacing", "false"}, {"Profile", "artifact"}});
    EXPECT_EQ(t.cc->GetParams().decrease, 0.5);
    EXPECT_FALSE(t.cc->GetParams().paced);
}

TEST(MpRdma, WarnsOnLongPaths)
{
    EXPECT_EQ(Sender().cc->GetWarning(), "");
    // 25 MB: half are 3125 frames and round trips of 2 ms
    const std::string warning = Sender({}, 2000000000).cc->GetWarning();
    EXPECT_NE(warning.find("3125 round trips, 6250 ms"), std::string::npos) << warning;
}

TEST(MpRdma, BadAttributes)
{
    ExpectEachRefused<MpRdma>({{"Profile", "uno"},
                               {"Decrease", "-2"},
                               {"InitialCwnd", "0.5"},
                               {"MaxCwndBdp", "-1"},
                               {"Pacing", "maybe"}},
                              MakePath(G100, 14 * US, 4000));
    EXPECT_NE(ErrorOf([]() { CreateObject<MpRdma>()->Start(PathInfo(), 0); }).find("base RTT"),
              std::string::npos);
}
