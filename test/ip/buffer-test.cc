// SPDX-License-Identifier: GPL-2.0-only

// Lossy and lossless classes in one buffer: it is conserved, and what floods a lossy class neither
// pauses RDMA nor takes more of a link from it than the scheduler's share.

#include "roce-ip-network.h"
#include "roce-lose-frames.h"

#include "ns3/random-variable-stream.h"
#include "ns3/roce-flow-spec.h"
#include "ns3/roce-switch.h"

#include <map>
#include <string>

namespace ns3::roce::test
{

namespace
{

constexpr uint64_t RDMA_BYTES = 5'000'000;

/// What a hog is.
enum class Hog
{
    NONE,
    UDP,
    TCP,
};

/// Of a run.
struct Outcome
{
    int64_t fctPs;
    std::map<std::string, uint64_t> counters;
    uint64_t hogBytes; //!< that the hog's receiver has when RDMA is done
};

/// RDMA from host 0 to host 3 and a hog of class 0 from hosts 1 and 2 to the same host.
Outcome
RunBeside(Hog hog, const std::string& scheduler)
{
    Config::Reset();
    Config::SetDefault("ns3::roce::Switch::EgressScheduler", StringValue(scheduler));
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("2MB"));
    // RDMA keeps to its share without pauses; TCP has tail drop.
    SetRateLaw("Dctcp");
    Config::SetDefault("ns3::roce::EcnMarker::Classes", UintegerValue(1 << 3));
    Config::SetDefault("ns3::roce::EcnMarker::RateMap", StringValue("10Gbps/60000/60000/1"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(1)));
    IpNetwork net(3, 10 * G, 1000 * NS, 3);
    uint64_t hogBytes = 0;
    net.devices.Get(3)->TraceConnectWithoutContext(
        "PhyRxEnd",
        Callback<void, Ptr<const Packet>>(
            [&hogBytes](Ptr<const Packet> packet) { hogBytes += packet->GetSize() + 18 + 20; }));
    std::vector<Ptr<PacketSink>> sinks;
    for (const uint32_t from : {1, 2})
    {
        if (hog == Hog::UDP)
        {
            SendUdp(net, from, 3, 16'000, NanoSeconds(1235)); // line rate
        }
        for (uint16_t port = 80; hog == Hog::TCP && port < 88; ++port)
        {
            sinks.push_back(SendTcp(net, from, 3, 0, static_cast<uint16_t>(port + 100 * from)));
        }
    }
    FlowSpec flow;
    flow.src = 0;
    flow.dst = 3;
    flow.sizeBytes = RDMA_BYTES;
    flow.startPs = 5000 * US;
    net.network.InstallFlows({flow});
    uint64_t before = 0;
    uint64_t after = 0;
    Simulator::Schedule(PicoSeconds(flow.startPs), [&] { before = hogBytes; });
    const Completions completions(net.network);
    net.network.GetNic(3)->TraceConnectWithoutContext(
        "MessageReceived",
        Callback<void, uint64_t, Time>([&](uint64_t, Time) { after = hogBytes; }));
    net.Run(MilliSeconds(20));
    return {completions.FctPs(0), net.network.GetCounters(), after - before};
}

} // namespace

class IpHog : public ::testing::TestWithParam<Hog>
{
  public:
    void TearDown() override
    {
        Config::Reset();
    }
};

TEST_P(IpHog, ALossyHogTakesNoMoreThanTheSchedulersShare)
{
    struct Share
    {
        std::string scheduler;
        double ofRdma; //!< of the link
    };

    for (const Share& share : {Share{"ns3::roce::DwrrScheduler", 0.5},
                               Share{"ns3::roce::DwrrScheduler[Weights=3:3]", 0.75},
                               Share{"ns3::roce::DwrrScheduler[StrictClasses=200]", 1}})
    {
        const Outcome alone = RunBeside(Hog::NONE, share.scheduler);
        const Outcome beside = RunBeside(GetParam(), share.scheduler);
        ASSERT_GT(alone.fctPs, 0) << share.scheduler;
        ASSERT_GT(beside.fctPs, 0) << share.scheduler;
        EXPECT_GT(beside.counters.at("framesDropped"), 10u) << "not much of a hog";
        for (const char* none : {"pfcXoffSent", "losslessDrops", "retransmitted"})
        {
            EXPECT_EQ(beside.counters.at(none), 0u) << share.scheduler << ": " << none;
        }
        const double slower = static_cast<double>(beside.fctPs) / static_cast<double>(alone.fctPs);
        EXPECT_NEAR(slower, 1 / share.ofRdma, 0.03 / share.ofRdma)
            << share.scheduler << ": " << alone.fctPs / US << " us, with the hog "
            << beside.fctPs / US << " us";
        std::printf("%s: %.3f ms, with the hog %.3f ms, %.3f times; hog %.2f Gbit/s\n",
                    share.scheduler.c_str(),
                    static_cast<double>(alone.fctPs) / 1e9,
                    static_cast<double>(beside.fctPs) / 1e9,
                    slower,
                    static_cast<double>(beside.hogBytes) * 8e3 / static_cast<double>(beside.fctPs));
    }
}

INSTANTIATE_TEST_SUITE_P(Of,
                         IpHog,
                         ::testing::Values(Hog::UDP, Hog::TCP),
                         [](const ::testing::TestParamInfo<Hog>& info) {
                             return info.param == Hog::UDP ? "Udp" : "Tcp";
                         });

using IpBufferTest = SystemTest;

TEST_F(IpBufferTest, IsConservedWithDropsPausesAndLossesOfBothKinds)
{
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("500KB"));
    Config::SetDefault("ns3::roce::EcnMarker::Kmin", UintegerValue(20'000));
    Config::SetDefault("ns3::roce::EcnMarker::Kmax", UintegerValue(200'000));
    Config::SetDefault("ns3::roce::RoceNetDevice::Classes", StringValue("0,dscp24=3"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(1)));
    IpNetwork net(3, 10 * G, 1000 * NS, 4);
    net.network.AssignStreams(1);
    Ptr<UniformRandomVariable> dice = CreateObject<UniformRandomVariable>();
    dice->SetStream(77);
    LoseFrames(net.network.GetSwitch(1)->GetPort(0),
               [dice](const Frame&) { return dice->GetValue() < 1e-3; });
    std::vector<FlowSpec> flows;
    for (const uint32_t from : {0U, 1U, 2U, 3U})
    {
        SendTcp(net, from, 4, 0, static_cast<uint16_t>(80 + from));
        SendUdp(net, from, 5, 3000, NanoSeconds(6000), 24 << 2); // in RDMA's class
        FlowSpec flow = Flow(from, 6 + from % 2, 2'000'000, 10 * US);
        flow.id = flows.size();
        flows.push_back(flow);
    }
    net.network.InstallFlows(flows);
    for (int ms = 1; ms <= 20; ++ms)
    {
        Simulator::Schedule(MilliSeconds(ms), [&net, ms] {
            net.network.CatchUp();
            EXPECT_EQ(net.network.Audit(false), "") << "after " << ms << " ms";
        });
    }
    net.Run(MilliSeconds(20) + NanoSeconds(1));
    const std::map<std::string, uint64_t> counters = net.network.GetCounters();
    for (const char* some :
         {"framesDroppedBuffer", "framesDroppedRed", "pfcXoffSent", "retransmitted"})
    {
        EXPECT_GT(counters.at(some), 0u) << some << ": a weak test";
    }
    EXPECT_GT(net.network.CountFramesLost(), 0u);
    EXPECT_EQ(counters.at("losslessDrops"), 0u);
}

} // namespace ns3::roce::test
