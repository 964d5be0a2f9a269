/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// MP-RDMA's window: what each ACK does to it, both profiles, every attribute.
#include "../roce-error-of.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-mp-rdma.h"
#include "ns3/string.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using Attributes = std::vector<std::pair<std::string, std::string>>;

/// 100 Gbit/s and 14 us: 175,000 B, 43.75 frames.
PathInfo
MakePath(int64_t baseRttPs = 14000000)
{
    PathInfo path;
    path.lineRateBps = path.bottleneckBps = 100000000000;
    path.baseRttPs = baseRttPs;
    path.fullFrameBytes = 4000;
    return path;
}

/// One flow and its ACKs.
struct Sender
{
    explicit Sender(const Attributes& attributes = {}, const PathInfo& path = MakePath())
        : cc(CreateObject<MpRdma>())
    {
        for (const auto& [name, value] : attributes)
        {
            cc->SetAttribute(name, StringValue(value));
        }
        cc->Start(path, 0);
    }

    /// An ACK of so many packets, so many of them marked; the window is full unless said otherwise.
    void Ack(uint32_t packets, uint32_t marked, bool full = true, bool hasMore = false)
    {
        AckInfo ack;
        ack.ackedPackets = packets;
        ack.ackedBytes = 4000ULL * packets;
        ack.inflightBytes = full ? cc->GetWindowBytes() : 0;
        ack.ecnEcho = marked > 0;
        ack.markedPackets = marked;
        ack.hasMore = hasMore;
        cc->OnAck(ack);
    }

    Ptr<MpRdma> cc;
};

} // namespace

TEST(MpRdma, StartsWithABdp)
{
    Sender s;
    EXPECT_EQ(s.cc->GetCwnd(), 43.75);
    EXPECT_EQ(s.cc->GetWindowBytes(), 172000u); // 43 whole frames
    EXPECT_EQ(s.cc->GetRateBps(), 100000000000u);
    EXPECT_TRUE(s.cc->NeedsEcn());
    EXPECT_TRUE(s.cc->IsEcnCapable());
    EXPECT_FALSE(s.cc->NeedsTimestamp());
    EXPECT_EQ(Sender(Attributes{{"InitialCwnd", "8"}}).cc->GetWindowBytes(), 32000u);
    EXPECT_EQ(Sender({}, MakePath(1000)).cc->GetCwnd(), 1); // a path shorter than a frame
    EXPECT_LE(sizeof(MpRdma), 256u);
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

TEST(MpRdma, Increase)
{
    Sender s(Attributes{{"InitialCwnd", "10"}, {"Increase", "3"}});
    s.Ack(2, 0);
    EXPECT_DOUBLE_EQ(s.cc->GetCwnd(), 10.6);
}

TEST(MpRdma, WarnsOnLongPaths)
{
    EXPECT_EQ(Sender().cc->GetWarning(), "");
    // 25 MB: half are 3125 frames and round trips of 2 ms
    const std::string warning = Sender({}, MakePath(2000000000)).cc->GetWarning();
    EXPECT_NE(warning.find("3125 round trips, 6250 ms"), std::string::npos) << warning;
}

TEST(MpRdma, BadAttributes)
{
    for (const auto& [name, value] : Attributes{{"Profile", "uno"},
                                                {"Increase", "0"},
                                                {"Increase", "-1"},
                                                {"Decrease", "-2"},
                                                {"InitialCwnd", "0.5"},
                                                {"TimeoutReaction", "halve"},
                                                {"Pacing", "maybe"}})
    {
        const Attributes one{{name, value}};
        EXPECT_EQ(ErrorOf([&]() { Sender s(one); }).rfind("ns3::roce::MpRdma: " + name + " is ", 0),
                  0u)
            << name;
    }
    EXPECT_NE(ErrorOf([]() { CreateObject<MpRdma>()->Start(PathInfo(), 0); }).find("base RTT"),
              std::string::npos);
}

TEST(MpRdma, Variables)
{
    Sender s;
    std::vector<ControlVariable> v;
    s.cc->GetVariables(0, v);
    ASSERT_EQ(v.size(), 1u);
    EXPECT_EQ(v[0].value, 43.75);
    EXPECT_EQ(s.cc->Fork()->GetInstanceTypeId(), MpRdma::GetTypeId());
}
