// SPDX-License-Identifier: GPL-2.0-only
// Rate laws beside packets of ns-3: telemetry, delays and marks have them, and RDMA takes what is
// left of a link.
#include "roce-packet-stream.h"
#include "roce-test-network.h"

#include "ns3/roce-int-stamper.h"

#include <map>
#include <ostream>
#include <string>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr int64_t END = 6 * MS;
constexpr int64_t FROM = 3 * MS;

/// A law, and the least and greatest share of a link that it and 30 % of packets use together.
struct LawCase
{
    const char* law;
    double least;
    double most;

    friend std::ostream& operator<<(std::ostream& out, const LawCase& one)
    {
        return out << one.law;
    }
};

class PacketsBesideRdma : public SystemTest, public ::testing::WithParamInterface<LawCase>
{
};

} // namespace

// The stream is in the flow's class and in another one.
TEST_P(PacketsBesideRdma, LeaveTheRestToTheLaw)
{
    SetRateLaw(GetParam().law);
    for (const uint8_t trafficClass : {3, 1})
    {
        Network net;
        MakeStar(net, 3);
        net.Build();
        net.AssignStreams(1);
        PacketStream sender(*net.GetNic(1), {2, 30e9, trafficClass, ECN_ECT0, 1500, 0, END});
        PacketStream receiver(*net.GetNic(2));
        double rdmaBits = 0;
        double packetBits = 0;
        const Ptr<Port> port = net.GetSwitch(0)->GetPort(2);
        port->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([&](const Frame& frame, Time at) {
                if (at >= TimeStep(FROM))
                {
                    (frame.kind == FrameKind::PACKET ? packetBits : rdmaBits) +=
                        8.0 * port->WireBytes(frame.frameBytes);
                }
            }));
        net.InstallFlows(Numbered({Flow(0, 2, 1'000'000'000)}));
        Simulator::Stop(TimeStep(END));
        Simulator::Run();
        net.CatchUp();
        EXPECT_EQ(net.Audit(false), "");
        const double bits = static_cast<double>(END - FROM) * 1e-12 * 100e9;
        EXPECT_NEAR(packetBits / bits, 0.3, 0.01) << "class " << +trafficClass;
        const double share = (packetBits + rdmaBits) / bits;
        EXPECT_GE(share, GetParam().least) << "class " << +trafficClass;
        EXPECT_LE(share, GetParam().most + 1e-3) << "class " << +trafficClass;
        Simulator::Destroy();
    }
}

INSTANTIATE_TEST_SUITE_P(Laws,
                         PacketsBesideRdma,
                         ::testing::Values(LawCase{"Hpcc", 0.94, 0.96},
                                           LawCase{"PowerTcp", 0.94, 1},
                                           LawCase{"Swift", 0.9, 1},
                                           LawCase{"Timely", 0.8, 1},
                                           LawCase{"Dcqcn", 0.8, 1},
                                           LawCase{"DcqcnPlus", 0.8, 1},
                                           LawCase{"Dctcp", 0.9, 1},
                                           LawCase{"Gemini", 0.9, 1},
                                           LawCase{"UnoCc", 0.8, 1}),
                         [](const auto& info) { return info.param.law; });

using PacketsAndReceivers = SystemTest;

// Hop records have the packets' bytes, and packets get no records.
TEST_F(PacketsAndReceivers, AreInTelemetry)
{
    SetRateLaw("Hpcc");
    Network net;
    MakeStar(net, 3);
    net.Build();
    PacketStream sender(*net.GetNic(1), {2, 30e9, 1, ECN_ECT0, 1500, 0, MS});
    PacketStream receiver(*net.GetNic(2));
    uint64_t sentBytes = 0;
    uint64_t records = 0;
    const Ptr<Port> port = net.GetSwitch(0)->GetPort(2);
    port->TraceConnectWithoutContext(
        "TxBegin",
        Callback<void, const Frame&, Time>([&](const Frame& frame, Time) {
            if (frame.kind == FrameKind::PACKET)
            {
                EXPECT_EQ(frame.frameBytes, 1518u) << "a packet carries records";
            }
            if (frame.kind == FrameKind::DATA && frame.telemetry)
            {
                ++records;
                EXPECT_EQ(frame.telemetry.At(0).txBytes, sentBytes);
            }
            sentBytes += port->WireBytes(frame.frameBytes);
        }));
    net.InstallFlows(Numbered({Flow(0, 2, 2'000'000)}));
    Simulator::Run();
    net.CatchUp();
    EXPECT_GT(records, 400u);
    EXPECT_EQ(receiver.taken, sender.sent);
    EXPECT_EQ(sentBytes, port->GetTxWireBytes());
}

// Marked packets are their stack's business; receivers of DCQCN answer marked data alone.
TEST_F(PacketsAndReceivers, GetNoCnp)
{
    SetRateLaw("Dcqcn");
    Network net;
    MakeStar(net, 3);
    net.Build();
    net.AssignStreams(1);
    PacketStream sender(*net.GetNic(1), {2, 10e9, 3, ECN_CE, 1500, 0, MS});
    PacketStream receiver(*net.GetNic(2));
    net.InstallFlows(Numbered({Flow(0, 2, 100'000)}));
    Simulator::Run();
    net.CatchUp();
    EXPECT_EQ(receiver.marked, sender.sent);
    EXPECT_EQ(Sum(net).cnps, 0u);
    EXPECT_EQ(Sum(net).stray, 0u);
    EXPECT_EQ(net.GetCounters().at("packetsSent"), sender.sent);
    EXPECT_EQ(net.GetCounters().at("packetsReceived"), sender.sent);
}

// To a NIC that has no stack: as a frame that no queue pair knows.
TEST_F(PacketsAndReceivers, WithoutAStackAreStray)
{
    SetRateLaw("Dcqcn");
    Network net;
    MakeStar(net, 2);
    net.Build();
    PacketStream sender(*net.GetNic(0), {1, 10e9, 1, ECN_NOT_ECT, 1500, 0, 100 * US});
    Simulator::Run();
    net.CatchUp();
    EXPECT_GT(sender.sent, 50u);
    EXPECT_EQ(Sum(net).stray, sender.sent);
    EXPECT_EQ(net.Audit(true), "");
}
