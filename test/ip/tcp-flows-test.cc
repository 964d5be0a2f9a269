// SPDX-License-Identifier: GPL-2.0-only

// TcpFlows: connections of a program's flows, what they report, and what is refused.

#include "roce-error-of.h"
#include "roce-test-network.h"

#include "ns3/roce-net-device.h"
#include "ns3/roce-tcp-flows.h"
#include "ns3/roce-wire-format.h"

#include <algorithm>
#include <set>

namespace ns3::roce::test
{

namespace
{

constexpr int64_t DELAY_PS = 1000 * NS;
constexpr uint32_t SEGMENT = 1448;
constexpr uint32_t SYN = 56; //!< bytes of it, and of the answer to it
constexpr uint32_t N_HOSTS = 4;

/// @return time on a link of 10 Gbit/s. @param ipBytes a packet; Ethernet adds 18 B, and the line
/// 20
int64_t
LinePs(int64_t ipBytes)
{
    return (ipBytes + 18 + 20) * 800;
}

/// @return from one host to another: two links, store and forward
int64_t
OneWayPs(int64_t ipBytes)
{
    return 2 * (LinePs(ipBytes) + DELAY_PS);
}

/// Hosts at one switch, and flows of TCP between them.
struct TcpRun
{
    explicit TcpRun(std::vector<FlowSpec> specs, const std::string& law = "ns3::TcpNewReno")
        : flows(Numbered(std::move(specs)))
    {
        MakeStar(network, N_HOSTS, 10 * G, DELAY_PS);
        network.Build();
        for (FlowSpec& flow : flows)
        {
            flow.law = TcpFlows::FIRST_LAW;
        }
        tcp->TraceConnectWithoutContext(
            "MessageCompleted",
            Callback<void, const MessageRecord&>(
                [this](const MessageRecord& record) { completed[record.cookie] = record; }));
        tcp->TraceConnectWithoutContext(
            "MessageReceived",
            Callback<void, uint64_t, Time>([this](uint64_t cookie, Time at) {
                EXPECT_EQ(at, Simulator::Now());
                receivedPs[cookie] = at.GetPicoSeconds();
            }));
        tcp->Install(network, flows, {ObjectFactory(law)});
    }

    void Run(const Time& until)
    {
        Simulator::Stop(until);
        Simulator::Run();
        network.CatchUp();
        EXPECT_EQ(network.Audit(false), "");
    }

    Network network;
    std::vector<FlowSpec> flows;
    Ptr<TcpFlows> tcp{CreateObject<TcpFlows>()};
    std::map<uint64_t, MessageRecord> completed;
    std::map<uint64_t, int64_t> receivedPs;
};

} // namespace

using IpTcpFlowsTest = SystemTest;

// A handshake, and ten segments: the first window of ns-3. Headers of IP and TCP are 52 B with
// timestamps, 56 B with the options of a SYN.
TEST_F(IpTcpFlowsTest, ALoneFlowTakesWhatArithmeticSays)
{
    constexpr int64_t START_PS = 777 * NS;
    TcpRun run({Flow(0, 1, 10 * SEGMENT, START_PS)});
    run.Run(MilliSeconds(1));
    // The first data follows the handshake's ACK.
    const int64_t connectedPs = START_PS + 2 * OneWayPs(SYN);
    const int64_t lastPs =
        connectedPs + LinePs(52) + 9 * LinePs(SEGMENT + 52) + OneWayPs(SEGMENT + 52);
    ASSERT_EQ(run.receivedPs.count(0), 1u) << "it has not arrived";
    EXPECT_EQ(run.receivedPs[0], lastPs);
    ASSERT_EQ(run.completed.count(0), 1u) << "its sender has no ACK";
    EXPECT_EQ(run.completed[0].completedPs, lastPs + OneWayPs(52));
    EXPECT_EQ(run.completed[0].postedPs, START_PS);
    EXPECT_EQ(run.completed[0].packets, 10u);
    EXPECT_EQ(run.completed[0].retransmitted, 0u);
    EXPECT_TRUE(run.tcp->GetOpen().empty());
}

TEST_F(IpTcpFlowsTest, WithoutPayloadTheConnectionIsTheFlow)
{
    TcpRun run({Flow(2, 1, 0)});
    run.Run(MilliSeconds(1));
    EXPECT_EQ(run.completed[0].completedPs, 2 * OneWayPs(SYN));
    EXPECT_EQ(run.receivedPs[0], 2 * OneWayPs(SYN) + OneWayPs(52));
    EXPECT_EQ(run.completed[0].packets, 0u);
}

TEST_F(IpTcpFlowsTest, EachLawSendsAllOfManyFlows)
{
    for (const char* law : {"ns3::TcpNewReno", "ns3::TcpCubic", "ns3::TcpDctcp"})
    {
        std::vector<FlowSpec> flows;
        for (uint32_t i = 0; i < 12; ++i)
        {
            flows.push_back(
                Flow(i % N_HOSTS, (i + 1 + i / N_HOSTS) % N_HOSTS, 100'001 * i, i * US));
        }
        TcpRun run(flows, law);
        run.Run(Seconds(10)); // a timeout takes a second
        for (const FlowSpec& flow : run.flows)
        {
            EXPECT_EQ(run.completed.count(flow.id), 1u) << law << ", flow " << flow.id;
            EXPECT_EQ(run.completed[flow.id].bytes, flow.sizeBytes) << law << ", flow " << flow.id;
            EXPECT_GE(run.completed[flow.id].packets * SEGMENT, flow.sizeBytes) << law;
            EXPECT_LE(run.receivedPs[flow.id], run.completed[flow.id].completedPs + OneWayPs(52))
                << law << ", flow " << flow.id;
        }
        Simulator::Destroy();
    }
}

// Ten segments for 5 of them: lost ones are sent again, and what is under way is known.
TEST_F(IpTcpFlowsTest, WhatIsSentAgainIsCounted)
{
    TcpRun run({Flow(0, 1, 100 * SEGMENT)});
    uint32_t seen = 0;
    LoseFrames(run.network.GetNic(1), [&seen](const Frame& frame) {
        return frame.payloadBytes > SEGMENT && (++seen == 5 || seen == 8 || seen == 40);
    });
    run.Run(MilliSeconds(900));
    ASSERT_EQ(run.completed.count(0), 1u);
    EXPECT_EQ(run.completed[0].packets, 100u);
    EXPECT_EQ(run.completed[0].retransmitted, 3u);
}

TEST_F(IpTcpFlowsTest, AFlowUnderWayIsKnown)
{
    TcpRun run({Flow(0, 1, 50'000'000), Flow(2, 3, 1000), Flow(1, 0, 1000, 100 * MS)});
    run.Run(MilliSeconds(4));
    const std::vector<TcpFlows::Open> open = run.tcp->GetOpen();
    ASSERT_EQ(open.size(), 1u) << "one flow is done, and one has not begun";
    EXPECT_EQ(open[0].spec.id, 0u);
    EXPECT_NEAR(static_cast<double>(open[0].deliveredBytes), 4.7e6, 0.1e6); // at 94 % of the line
    EXPECT_GE(open[0].packets * SEGMENT, open[0].deliveredBytes);
    EXPECT_EQ(open[0].rto, Seconds(1));
    EXPECT_EQ(open[0].failure, "");
}

TEST_F(IpTcpFlowsTest, AFlowThatIsGivenUpSaysSo)
{
    Config::SetDefault("ns3::TcpSocket::DataRetries", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::ConnCount", UintegerValue(1));
    TcpRun run({Flow(0, 1, 50'000'000), Flow(2, 1, 1000, 2 * MS)});
    run.network.FailLink(run.network.GetLinkOfNic(1));
    run.network.ScheduleLinkChange(MicroSeconds(1), run.network.GetLinkOfNic(1), true);
    run.network.ScheduleLinkChange(MilliSeconds(1), run.network.GetLinkOfNic(1), false);
    run.Run(Seconds(100));
    const std::vector<TcpFlows::Open> open = run.tcp->GetOpen();
    ASSERT_EQ(open.size(), 2u);
    EXPECT_EQ(open[0].failure, "its connection is given up");
    EXPECT_EQ(open[1].failure, "no connection");
    EXPECT_TRUE(run.completed.empty());
}

// In both directions, and with ECN; but for a SYN, see TcpFlows.
TEST_F(IpTcpFlowsTest, FlowsKeepToTheirClasses)
{
    TcpRun run({Flow(0, 1, 100'000, 0, 0), Flow(2, 3, 100'000, 0, 3), Flow(2, 1, 100'000, 0, 5)},
               "ns3::TcpDctcp");
    std::map<uint32_t, std::set<uint8_t>> classes; // by NIC that gets them
    for (uint32_t nic = 0; nic < N_HOSTS; ++nic)
    {
        LoseFrames(run.network.GetNic(nic), [&classes, nic](const Frame& frame) {
            if (frame.kind == FrameKind::PACKET && frame.payloadBytes != SYN)
            {
                EXPECT_NE(frame.ecn, ECN_NOT_ECT);
                classes[nic].insert(frame.trafficClass);
            }
            return false;
        });
    }
    run.Run(MilliSeconds(2));
    EXPECT_EQ(run.completed.size(), 3u);
    using Classes = std::set<uint8_t>;
    EXPECT_EQ(classes[0], Classes({0}));
    EXPECT_EQ(classes[1], Classes({0, 5}));
    EXPECT_EQ(classes[2], Classes({3, 5}));
    EXPECT_EQ(classes[3], Classes({3}));
}

TEST_F(IpTcpFlowsTest, DefaultsOfSocketsComeFirst)
{
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1000));
    TcpRun run({Flow(0, 1, 10'000)});
    run.Run(MilliSeconds(1));
    EXPECT_EQ(run.completed[0].packets, 10u);
}

TEST_F(IpTcpFlowsTest, JumboPacketsMakeLargeSegments)
{
    Config::SetDefault("ns3::roce::RoceNetDevice::Mtu", UintegerValue(9000));
    TcpRun run({Flow(0, 1, 10 * 8948)});
    run.Run(MilliSeconds(1));
    EXPECT_EQ(run.completed[0].packets, 10u);
}

// Headroom is for frames of that size, whatever RDMA's MTU is.
TEST_F(IpTcpFlowsTest, JumboPacketsInALosslessClassAreNotLost)
{
    Config::SetDefault("ns3::roce::RoceNetDevice::Mtu", UintegerValue(9000));
    Config::SetDefault("ns3::roce::Nic::PathMtu", StringValue("1024"));
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("1MB"));
    Config::SetDefault("ns3::roce::EcnMarker::DropNotEct", BooleanValue(false));
    TcpRun run({Flow(0, 3, 3'000'000), Flow(1, 3, 3'000'000), Flow(2, 3, 3'000'000)});
    run.Run(MilliSeconds(100));
    EXPECT_EQ(run.completed.size(), 3u);
    const auto counters = run.network.GetCounters();
    EXPECT_GT(counters.at("pfcXoffSent"), 0u) << "nothing is paused: a weak test";
    EXPECT_EQ(counters.at("losslessDrops"), 0u);
}

TEST_F(IpTcpFlowsTest, DctcpIsMarked)
{
    Config::SetDefault("ns3::roce::EcnMarker::DropNotEct", BooleanValue(false));
    std::map<std::string, uint64_t> marked;
    for (const char* law : {"ns3::TcpNewReno", "ns3::TcpDctcp"})
    {
        TcpRun run({Flow(0, 3, 5'000'000), Flow(1, 3, 5'000'000), Flow(2, 3, 5'000'000)}, law);
        run.Run(MilliSeconds(100));
        EXPECT_EQ(run.completed.size(), 3u) << law;
        marked[law] = run.network.GetCounters().at("ecnMarked");
        Simulator::Destroy();
    }
    EXPECT_GT(marked["ns3::TcpDctcp"], 0u);
    EXPECT_EQ(marked["ns3::TcpNewReno"], 0u) << "it is not capable of ECN";
}

TEST_F(IpTcpFlowsTest, WhatTcpCannotCarryIsRefused)
{
    const auto errorOf = [](const FlowSpec& flow) {
        const std::string error = ErrorOf([&flow] { TcpRun run({flow}); });
        Simulator::Destroy();
        return error;
    };
    FlowSpec flow = Flow(0, 1, 1000);
    flow.phase = 2;
    EXPECT_EQ(errorOf(flow), "flow 0: TCP carries no flow that waits for others or is waited for");
    flow.phase = 0;
    flow.dependencies = std::make_shared<FlowDependencies>();
    EXPECT_EQ(errorOf(flow), "flow 0: TCP carries no flow that waits for others or is waited for");
    flow.dependencies = nullptr;
    flow.connection = 1;
    EXPECT_EQ(errorOf(flow),
              "flow 0: TCP carries each flow over a connection of its own, expected none of "
              "several");
    flow.connection = 0;
    EXPECT_EQ(errorOf(flow), "no error");
    EXPECT_EQ(errorOf(Flow(1, 1, 1000)),
              "flow 0: TCP carries nothing from NIC 1 to NIC 1, which no links join");
    EXPECT_EQ(errorOf(Flow(0, N_HOSTS, 1000)), "NIC 4 does not exist, expected 0 to 3");
}

} // namespace ns3::roce::test
