// SPDX-License-Identifier: GPL-2.0-only
// On an empty network every completion time equals the closed form, to the picosecond.
#include "roce-test-network.h"

#include "ns3/roce-leaf-spine-helper.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

const uint64_t SIZES[] = {0, 1, 1000, 4096, 4097, 1000000, 30000000};

/// Runs one flow after the other, far enough apart for the network to be empty each time.
void
RunAlone(Network& net, std::vector<FlowSpec> flows, bool telemetry, int64_t gapPs = 20 * MS)
{
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        flows[i].startPs = static_cast<int64_t>(i) * gapPs + 12345;
    }
    flows = Numbered(flows);
    Completions done(net);
    net.AssignStreams(1);
    net.InstallFlows(flows);
    Simulator::Run();
    for (const FlowSpec& flow : flows)
    {
        const IdealFct::Result ideal = net.GetIdeal(flow, telemetry);
        EXPECT_EQ(done.FctPs(flow.id), ideal.senderFctPs)
            << flow.sizeBytes << " B from " << flow.src << " to " << flow.dst;
        EXPECT_EQ(done.received[flow.id] - flow.startPs, ideal.receiverFctPs);
    }
    ExpectAllDone(net, done, flows);
    const Totals t = Sum(net);
    EXPECT_EQ(t.xoff + t.lost + t.retransmitted + t.cnps + t.naks, 0u);
}

LeafSpineHelper
TwoDatacenters()
{
    LeafSpineHelper h;
    h.datacenters = 2;
    h.spines = 2;
    h.leaves = 2;
    h.hostsPerLeaf = 2;
    h.fabricRate = DataRate("400Gbps");
    h.external.rate = DataRate("400Gbps");
    return h;
}

/// Intra-rack, intra-datacenter and inter-datacenter flows of all sizes.
std::vector<FlowSpec>
AllPaths(const std::vector<uint64_t>& sizes)
{
    std::vector<FlowSpec> flows;
    for (uint32_t dst : {1u, 2u, 7u})
    {
        for (uint64_t size : sizes)
        {
            flows.push_back(Flow(0, dst, size));
        }
    }
    return flows;
}

} // namespace

/// (rate law, AckEveryN)
class EmptyNetwork : public SystemTest,
                     public ::testing::WithParamInterface<std::pair<const char*, unsigned>>
{
};

TEST_P(EmptyNetwork, FctIsIdeal)
{
    SetRateLaw(GetParam().first);
    Config::SetDefault("ns3::roce::Nic::AckEveryN", UintegerValue(GetParam().second));
    Network net;
    TwoDatacenters().Construct(net);
    net.Build();
    RunAlone(net, AllPaths({std::begin(SIZES), std::end(SIZES)}), false);
}

INSTANTIATE_TEST_SUITE_P(RateLaws,
                         EmptyNetwork,
                         ::testing::Values(std::pair("LineRate", 1u),
                                           std::pair("LineRate", 16u),
                                           std::pair("Dcqcn", 1u),
                                           std::pair("Dcqcn", 16u)));

class EmptyNetworkHpcc : public SystemTest, public ::testing::WithParamInterface<unsigned>
{
};

// Below one window HPCC sends at line rate; its frames and ACKs carry telemetry.
TEST_P(EmptyNetworkHpcc, FctIsIdealBelowOneWindow)
{
    SetRateLaw("Hpcc");
    Config::SetDefault("ns3::roce::Nic::AckEveryN", UintegerValue(GetParam()));
    Network net;
    TwoDatacenters().Construct(net);
    net.Build();
    // The base RTT across the WAN is about a millisecond, within a rack 4 us: 50 KB.
    RunAlone(net, AllPaths({0, 1, 1000, 4096, 4097, 30000}), true);
}

TEST_P(EmptyNetworkHpcc, LargeWindowAcrossTheWan)
{
    SetRateLaw("Hpcc");
    Config::SetDefault("ns3::roce::Nic::AckEveryN", UintegerValue(GetParam()));
    Network net;
    TwoDatacenters().Construct(net);
    net.Build();
    RunAlone(net, {Flow(0, 7, 1000000), Flow(0, 7, 10000000), Flow(5, 2, 9999999)}, true);
}

INSTANTIATE_TEST_SUITE_P(AckEveryN, EmptyNetworkHpcc, ::testing::Values(1u, 16u));

// Every link another rate, some not whole numbers of picoseconds per byte. The bottleneck is first.
TEST_F(SystemTest, EmptyNetworkMixedRatesSlowFirst)
{
    for (const char* law : {"LineRate", "Dcqcn"})
    {
        SetRateLaw(law);
        Network net;
        for (int s = 0; s < 4; ++s)
        {
            net.AddSwitch("s" + std::to_string(s), 0);
        }
        net.AddNic(net.AddHost("a", 0), 0, 30 * G, 3 * NS);
        net.AddNic(net.AddHost("b", 0), 3, 1600 * G, 77);
        net.Connect(0, 1, 70 * G, 12 * US);
        net.Connect(1, 2, 1600 * G, 0);
        net.Connect(2, 3, 333333333333, 5 * US + 1);
        net.Build();
        std::vector<FlowSpec> flows;
        for (uint64_t size : SIZES)
        {
            flows.push_back(Flow(0, 1, size));
        }
        RunAlone(net, flows, false);
        Simulator::Destroy();
    }
}

// A fast sender behind a slow link: the switch queues, the bottleneck never starves.
TEST_F(SystemTest, EmptyNetworkMixedRatesSlowInTheMiddle)
{
    SetRateLaw("LineRate");
    Network net;
    for (int s = 0; s < 3; ++s)
    {
        net.AddSwitch("s" + std::to_string(s), 0);
    }
    net.AddNic(net.AddHost("a", 0), 0, 400 * G, US);
    net.AddNic(net.AddHost("b", 0), 2, 200 * G, US);
    net.Connect(0, 1, 100 * G, 2 * US);
    net.Connect(1, 2, 40 * G, US);
    net.Build();
    std::vector<FlowSpec> flows;
    for (uint64_t size : {0, 1, 1000, 4096, 4097, 1000000})
    {
        flows.push_back(Flow(0, 1, size));
        flows.push_back(Flow(1, 0, size));
    }
    RunAlone(net, flows, false);
}

// The same with enough data for XOFF: pauses cost nothing as long as the bottleneck is busy.
TEST_F(SystemTest, EmptyNetworkPausesDoNotStarveTheBottleneck)
{
    SetRateLaw("LineRate");
    Network net;
    net.AddSwitch("s", 0);
    net.AddNic(net.AddHost("a", 0), 0, 400 * G, US);
    net.AddNic(net.AddHost("b", 0), 0, 100 * G, US);
    net.Build();
    const std::vector<FlowSpec> flows = Numbered({Flow(0, 1, 30000000)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    EXPECT_EQ(done.FctPs(0), net.GetIdeal(flows[0]).senderFctPs);
    EXPECT_GT(Sum(net).xoff, 0u);
    EXPECT_EQ(Sum(net).lost, 0u);
    ExpectAllDone(net, done, flows);
}

// Small path MTU, other framing, one packet per message.
TEST_F(SystemTest, EmptyNetworkOtherFrameSizes)
{
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Nic::PathMtu", UintegerValue(1000));
    Config::SetDefault("ns3::roce::Port::FramingBytes", UintegerValue(0));
    Config::SetDefault("ns3::roce::Port::MinFrameBytes", UintegerValue(0));
    Network net;
    MakeStar(net, 2);
    net.Build();
    std::vector<FlowSpec> flows;
    for (uint64_t size : SIZES)
    {
        flows.push_back(Flow(0, 1, size));
    }
    RunAlone(net, flows, false);
}

// A short last packet catches up with the one before on the fast last link; its ACK waits for the
// ACK of that one on the slow link back, if there is one.
TEST_F(SystemTest, EmptyNetworkCoalescedAcksOnASlowReturnPath)
{
    SetRateLaw("LineRate");
    for (unsigned n : {1u, 2u, 4u, 16u})
    {
        Config::SetDefault("ns3::roce::Nic::AckEveryN", UintegerValue(n));
        Network net;
        net.AddSwitch("a", 0);
        net.AddSwitch("b", 0);
        net.Connect(0, 1, 40 * G, 0);
        net.AddNic(net.AddHost("x", 0), 0, 100 * G, US);
        net.AddNic(net.AddHost("y", 0), 1, 400 * G, US);
        net.Build();
        std::vector<FlowSpec> flows;
        for (uint64_t packets = 1; packets < 20; ++packets)
        {
            flows.push_back(Flow(0, 1, packets * 4096 + 1));
        }
        RunAlone(net, flows, false);
        Simulator::Destroy();
    }
}

// Hand-computed: two links of 100 Gbit/s and 1 us, one direction and back.
TEST_F(SystemTest, EmptyNetworkHandComputedVectors)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 2);
    net.Build();
    const std::vector<FlowSpec> flows =
        Numbered({Flow(0, 1, 1000000), Flow(0, 1, 1000, MS), Flow(0, 1, 0, 2 * MS)});
    Completions done(net);
    net.InstallFlows(flows);
    Simulator::Run();
    EXPECT_EQ(done.FctPs(0), 85957760);
    EXPECT_EQ(done.FctPs(1), 4189440);
    EXPECT_EQ(done.FctPs(2), 4 * US + 2 * (7840 + 6880));
}
