// SPDX-License-Identifier: GPL-2.0-only
// MLCC at the sender's external switch: what a Switch-INT brings, to whom and how often, and what
// the data that go on over the WAN have lost.
#include "roce-error-of.h"
#include "roce-mlcc-network.h"

#include "ns3/roce-int-stamper.h"

#include <algorithm>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using Sent = MlccNetwork::Sent;

struct MlccNearSourceTest : public MlccSystemTest
{
    /// Build, watch the ports of the near switch and run.
    void Run(MlccNetwork& dc, const std::vector<FlowSpec>& flows)
    {
        dc.Build();
        MlccNetwork::Watch(dc.At(MlccNetwork::NEAR, dc.nearWan), leaving);
        MlccNetwork::Watch(dc.At(MlccNetwork::NEAR, dc.nearIn), back);
        MlccNetwork::Watch(*dc.At(MlccNetwork::NEAR, dc.nearIn).GetPeer(), arriving);
        times = dc.Run(Numbered(flows));
    }

    static std::vector<Sent> Only(const std::vector<Sent>& sent, FrameKind kind)
    {
        std::vector<Sent> some;
        std::copy_if(sent.begin(), sent.end(), std::back_inserter(some), [kind](const Sent& s) {
            return s.kind == kind;
        });
        return some;
    }

    std::vector<Sent> leaving;  //!< on the WAN
    std::vector<Sent> back;     //!< from the near switch into its datacenter
    std::vector<Sent> arriving; //!< from the leaf to the near switch
    std::vector<int64_t> times;
};

uint64_t
HopIdOf(const MlccNetwork& dc, MlccNetwork::Place place, uint16_t port)
{
    return static_cast<uint64_t>(dc.net.GetSwitch(place)->GetNodeId()) << 16 | port;
}

} // namespace

// Each data frame loses its records at the WAN, and its sender gets them, the WAN port's included.
TEST_F(MlccNearSourceTest, RecordsTurnBackAtTheWan)
{
    MlccNetwork dc;
    Run(dc, {Flow(0, 4, 200000), Flow(1, 5, 200000), Flow(4, 1, 3000)});
    const auto data = Only(leaving, FrameKind::DATA);
    const auto told = Only(back, FrameKind::NOTIFICATION);
    ASSERT_GT(data.size(), 50u);
    ASSERT_EQ(told.size(), data.size()) << "one for each data frame";
    std::map<std::pair<uint32_t, uint64_t>, const Sent*> arrived;
    for (const Sent& s : arriving)
    {
        arrived[{s.src, s.psn}] = s.IsData() ? &s : arrived[{s.src, s.psn}];
    }
    for (std::size_t i = 0; i < data.size(); ++i)
    {
        const Sent& d = data[i];
        ASSERT_TRUE(d.hasTelemetry) << "the far switches would not stamp it";
        ASSERT_TRUE(d.hops.empty()) << d.hops.size() << " records on the WAN, PSN " << d.psn;
        const Sent& before = *arrived.at({d.src, d.psn});
        EXPECT_EQ(before.hops.size(), 1u) << "the leaf's";
        EXPECT_EQ(d.bytes + 8, before.bytes) << "the WAN carries the bytes of no record";
        EXPECT_EQ(d.telemetryBytes + 8, before.telemetryBytes);
        const auto it = std::find_if(told.begin(), told.end(), [&](const Sent& n) {
            return n.dst == d.src && n.psn == d.psn;
        });
        ASSERT_NE(it, told.end()) << "nothing about PSN " << d.psn;
        EXPECT_EQ(it->src, d.dst) << "in the receiver's name";
        EXPECT_EQ(it->trafficClass, 6u);
        EXPECT_EQ(it->ecn, ECN_NOT_ECT) << "no switch marks it on its way back";
        ASSERT_EQ(it->hops.size(), 2u);
        EXPECT_EQ(it->hops[0].hopId, before.hops[0].hopId);
        EXPECT_EQ(it->hops[0].txBytes, before.hops[0].txBytes);
        EXPECT_EQ(it->hops[1].hopId, HopIdOf(dc, MlccNetwork::NEAR, dc.nearWan));
        EXPECT_EQ(it->hops[1].timePs, d.atPs);
        EXPECT_EQ(it->telemetryBytes, before.telemetryBytes + 8);
        EXPECT_EQ(it->bytes, ACK_FRAME_BYTES + it->telemetryBytes) << "what it is charged";
    }
    const auto counters = MlccNetwork::Count(*dc.near);
    EXPECT_EQ(counters.at("mlccSwitchInts"), told.size());
    EXPECT_EQ(counters.at("mlccSwitchIntBytes"), told.size() * told[0].bytes);
    EXPECT_EQ(counters.at("mlccSwitchIntsSuppressed"), 0u);
    EXPECT_EQ(dc.net.GetNic(0)->GetCounters().notificationsReceived +
                  dc.net.GetNic(1)->GetCounters().notificationsReceived,
              told.size());
}

// The paper's text: records of the switches before, when the data arrive. Nothing on the WAN
// either.
TEST_F(MlccNearSourceTest, WithoutTheWanHop)
{
    SetEdge("NearSource::SwitchIntIncludeWanHop", "false");
    MlccNetwork dc;
    Run(dc, {Flow(0, 4, 200000)});
    const auto data = Only(leaving, FrameKind::DATA);
    const auto told = Only(back, FrameKind::NOTIFICATION);
    ASSERT_EQ(told.size(), data.size());
    const int64_t linkPs = 5 * US;
    const auto before = Only(arriving, FrameKind::DATA);
    for (std::size_t i = 0; i < data.size(); ++i)
    {
        ASSERT_TRUE(data[i].hops.empty());
        ASSERT_TRUE(data[i].hasTelemetry);
        EXPECT_EQ(data[i].bytes + 8, before[i].bytes);
        ASSERT_EQ(told[i].hops.size(), 1u);
        EXPECT_EQ(told[i].hops[0].hopId, before[i].hops[0].hopId) << "the leaf's";
        EXPECT_LE(told[i].atPs, before[i].atPs + linkPs + 10 * US / 10) << "when it has arrived";
    }
}

TEST_F(MlccNearSourceTest, AtMostOneInAnInterval)
{
    SetEdge("NearSource::SwitchIntMinInterval", "10us");
    MlccNetwork dc;
    Run(dc, {Flow(0, 4, 400000), Flow(0, 5, 400000), Flow(1, 4, 400000)});
    std::map<std::pair<uint32_t, uint32_t>, std::vector<int64_t>> told; // by sender and receiver
    for (const Sent& n : Only(back, FrameKind::NOTIFICATION))
    {
        told[{n.dst, n.src}].push_back(n.atPs);
    }
    ASSERT_EQ(told.size(), 3u) << "flows, each with an interval of its own";
    uint64_t all = 0;
    for (const auto& [flow, at] : told)
    {
        all += at.size();
        for (std::size_t i = 1; i < at.size(); ++i)
        {
            EXPECT_GE(at[i] - at[i - 1], 10 * US - US / 10) << "NIC " << flow.first;
        }
        EXPECT_GE(at.size(), 6u);
    }
    const auto data = Only(leaving, FrameKind::DATA);
    for (const Sent& d : data)
    {
        ASSERT_TRUE(d.hops.empty()) << "those in between are emptied, too";
    }
    const auto counters = MlccNetwork::Count(*dc.near);
    EXPECT_EQ(counters.at("mlccSwitchIntsSuppressed"), data.size() - all);
}

namespace
{

/// Marks the frames with certain PSNs.
struct MarkSome : public SwitchStage
{
    uint32_t GetHooks() const override
    {
        return ARRIVAL;
    }

    Verdict OnArrival(Frame& frame, Port&, int64_t) override
    {
        if (frame.kind == FrameKind::DATA && frame.psn % 7 == 3)
        {
            frame.ecn = ECN_CE;
        }
        return Verdict::PASS;
    }
};

} // namespace

// Marks of the senders' datacenter reach the sender, and end at the WAN; with an interval the next
// Switch-INT has the mark of one that had none.
TEST_F(MlccNearSourceTest, MarksGoToTheSender)
{
    for (const bool withInterval : {false, true})
    {
        leaving.clear();
        back.clear();
        SetLaw("Mlcc[InnerCc=Dcqcn]");
        SetEdge("NearSource::SwitchIntMinInterval", withInterval ? "3us" : "0s");
        MlccNetwork dc;
        dc.Build();
        dc.net.GetSwitch(MlccNetwork::NEAR_LEAF)->Install(CreateObject<MarkSome>());
        MlccNetwork::Watch(dc.At(MlccNetwork::NEAR, dc.nearWan), leaving);
        MlccNetwork::Watch(dc.At(MlccNetwork::NEAR, dc.nearIn), back);
        dc.Run(Numbered({Flow(0, 4, 400000)}));
        uint64_t marked = 0;
        for (const Sent& d : Only(leaving, FrameKind::DATA))
        {
            ASSERT_EQ(d.ecn, ECN_ECT0) << "a mark leaves its datacenter, PSN " << d.psn;
            marked += d.psn % 7 == 3;
        }
        EXPECT_EQ(MlccNetwork::Count(*dc.near).at("mlccNearMarksCleared"), marked);
        uint64_t last = UINT64_MAX;
        uint64_t suppressed = 0;
        for (const Sent& n : Only(back, FrameKind::NOTIFICATION))
        {
            bool expected = false;
            for (uint64_t psn = last + 1; psn <= n.psn; ++psn) // since the last one
            {
                expected = expected || psn % 7 == 3;
            }
            EXPECT_EQ(n.ecn == ECN_CE, expected) << "PSN " << n.psn;
            suppressed += n.psn - last - 1;
            last = n.psn;
        }
        EXPECT_EQ(suppressed > 0, withInterval);
        Simulator::Destroy();
    }
}

// For laws that listen to RTTs.
TEST_F(MlccNearSourceTest, TimeStampsGoToTheSender)
{
    SetLaw("Mlcc[InnerCc=Timely]");
    MlccNetwork dc;
    Run(dc, {Flow(0, 4, 50000)});
    const auto told = Only(back, FrameKind::NOTIFICATION);
    ASSERT_EQ(told.size(), Only(leaving, FrameKind::DATA).size());
    for (const Sent& n : told)
    {
        EXPECT_TRUE(n.flags & FRAME_TIMESTAMP);
        EXPECT_EQ(n.bytes, ACK_FRAME_BYTES + n.telemetryBytes);
        EXPECT_EQ(n.telemetryBytes, TIMESTAMP_BYTES) << "and no records: Timely asks for none";
    }
}

TEST_F(MlccNearSourceTest, NoTimeStampWhereDataHaveNone)
{
    MlccNetwork dc;
    Run(dc, {Flow(0, 4, 5000)});
    for (const Sent& n : Only(back, FrameKind::NOTIFICATION))
    {
        EXPECT_FALSE(n.flags & FRAME_TIMESTAMP);
    }
}

// A Switch-INT acknowledges nothing: without ACKs snd_una stays where it is.
TEST_F(MlccNearSourceTest, NeverMovesWhatIsAcknowledged)
{
    MlccNetwork dc;
    dc.Build();
    LoseFrames(dc.net.GetSwitch(MlccNetwork::NEAR)->GetPort(dc.nearWan),
               [](const Frame& f) { return f.kind == FrameKind::ACK || f.kind == FrameKind::NAK; });
    const Completions done(dc.net);
    dc.net.InstallFlows(Numbered({Flow(0, 4, 300000)}));
    Simulator::Stop(MilliSeconds(10));
    Simulator::Run();
    dc.net.CatchUp();
    const Ptr<Nic> nic = dc.net.GetNic(0);
    EXPECT_GT(nic->GetCounters().notificationsReceived, 50u);
    const QueuePair* qp = nic->GetQp(2);
    ASSERT_NE(qp, nullptr);
    EXPECT_EQ(qp->GetUna(), 0u);
    EXPECT_GT(qp->GetInflightBytes(), 300000u);
    EXPECT_TRUE(done.sent.empty());
}

// What stays in the datacenter, what comes into it, and data of senders with another law.
TEST_F(MlccNearSourceTest, OthersAreLeftAlone)
{
    MlccNetwork dc(100 * US, 64 << 20, "Hpcc");
    Run(dc, {Flow(0, 1, 50000), Flow(3, 4, 50000), Flow(4, 3, 50000)});
    const auto counters = MlccNetwork::Count(*dc.near);
    EXPECT_EQ(counters.at("mlccSwitchInts"), 0u);
    EXPECT_TRUE(Only(back, FrameKind::NOTIFICATION).empty());
    const auto data = Only(leaving, FrameKind::DATA);
    ASSERT_FALSE(data.empty());
    for (const Sent& d : data)
    {
        EXPECT_EQ(d.hops.size(), 2u) << "Hpcc's own records are for its receiver";
    }
}

// Only the interval may change while a simulation is on.
TEST_F(MlccNearSourceTest, Retuning)
{
    MlccNetwork dc;
    dc.Build();
    std::vector<int64_t> told;
    dc.near->TraceConnectWithoutContext(
        "SwitchInt",
        Callback<void, uint32_t, uint32_t, uint64_t, uint32_t, Time>(
            [&told](uint32_t, uint32_t, uint64_t, uint32_t hops, Time at) {
                EXPECT_EQ(hops, 2u);
                told.push_back(at.GetTimeStep());
            }));
    const int64_t change = 60 * US;
    Simulator::Schedule(TimeStep(change), [&dc] {
        dc.near->SetAttribute("SwitchIntMinInterval", StringValue("20us"));
    });
    dc.Run(Numbered({Flow(0, 4, 500000)}));
    uint64_t before = 0;
    int64_t last = 0;
    for (const int64_t at : told)
    {
        before += at < change;
        EXPECT_TRUE(at <= change + 20 * US || last <= change || at - last >= 20 * US) << at;
        last = at;
    }
    EXPECT_GT(before, 20u);
    const Ptr<MlccNearSource> other = CreateObject<MlccNearSource>();
    other->SetAttribute("SwitchIntMinInterval", StringValue("20us"));
    other->SetAttribute("SwitchIntIncludeWanHop", StringValue("false"));
    EXPECT_EQ(
        ErrorOf([&] { dc.near->Retune(*other, NowPs()); }),
        "ns3::roce::MlccNearSource: SwitchIntIncludeWanHop is false, expected true: it cannot "
        "change while the simulation is on");
}

// Halves of MLCC, or MLCC where it cannot be, are refused in one line.
TEST_F(MlccNearSourceTest, WhatDoesNotGoTogether)
{
    const auto build = [](const std::vector<std::pair<std::string, SwitchRole>>& stages) {
        return ErrorOf([&] {
            MlccNetwork dc;
            Network::Options options;
            for (const auto& [name, role] : stages)
            {
                options.stages.emplace_back("ns3::roce::" + name, role);
            }
            dc.net.Build(options);
        });
    };
    const std::pair near{std::string("MlccNearSource"), SwitchRole::DCI};
    const std::pair far{std::string("MlccReceiverSide"), SwitchRole::DCI};
    EXPECT_EQ(build({near, far}), "no error");
    EXPECT_NE(build({near}).find("ns3::roce::MlccReceiverSide"), std::string::npos);
    EXPECT_NE(build({far}).find("ns3::roce::MlccNearSource"), std::string::npos);
    EXPECT_NE(build({}).find("ns3::roce::Mlcc"), std::string::npos) << "the law needs both";
    EXPECT_EQ(build({{"MlccNearSource", SwitchRole::ALL}, far}),
              "ns3::roce::MlccNearSource: switch nearLeaf has no link to another datacenter, "
              "expected it at switches of role dci only (--edge)");
    EXPECT_EQ(build({near, {"MlccReceiverSide", SwitchRole::TOR}, far}).find("no error"),
              std::string::npos);
    EXPECT_EQ(build({near, far, {"Bicc", SwitchRole::DCI}}).find("no error"), std::string::npos);
    SetLaw("Hpcc");
    EXPECT_EQ(build({near, far}),
              "edge function ns3::roce::MlccNearSource is for MLCC's senders, but no rate law "
              "between datacenters is one; expected Mlcc (--interCc=Mlcc)");
    EXPECT_EQ(build({far}),
              "edge function ns3::roce::MlccReceiverSide is for MLCC's senders, but no rate law "
              "between datacenters is one; expected Mlcc (--interCc=Mlcc)");
}
