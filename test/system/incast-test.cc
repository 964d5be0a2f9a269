// SPDX-License-Identifier: GPL-2.0-only
// Many-to-one: within a rack, across a fabric, across the WAN.
#include "roce-test-network.h"

#include "ns3/roce-leaf-spine-helper.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

uint64_t
HostXoffs(const Network& net)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < net.GetNNics(); ++i)
    {
        n += net.GetNic(i)->GetXoffReceived();
    }
    return n;
}

/// Bytes a switch may hold at most: its pools and all headroom and reserves.
void
ExpectWithinBuffers(const Network& net, uint64_t sharedBytes)
{
    for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
    {
        EXPECT_LE(net.GetSwitch(s)->GetBuffer().GetPeakBytes(), sharedBytes);
    }
}

} // namespace

class Incast : public SystemTest, public ::testing::WithParamInterface<const char*>
{
};

TEST_P(Incast, SixtyFourToOneInADatacenter)
{
    SetRateLaw(GetParam());
    LeafSpineHelper h;
    h.datacenters = 1;
    h.leaves = 5;
    h.spines = 4;
    h.hostsPerLeaf = 16;
    h.leafBuffer = QueueSize("1500kB"); // 20 ports with 62 kB of headroom and reserves each
    h.spineBuffer = QueueSize("500kB");
    Network net;
    h.Construct(net);
    net.Build();
    net.AssignStreams(1);
    std::vector<FlowSpec> flows;
    for (uint32_t i = 0; i < 64; ++i)
    {
        flows.push_back(Flow(16 + i, 3, 64000));
    }
    flows = Numbered(flows);
    Completions done(net);
    PauseMonitor monitor(net);
    net.InstallFlows(flows);
    Simulator::Run();
    const Totals t = Sum(net);
    EXPECT_EQ(t.lost, 0u);
    EXPECT_EQ(t.timeouts, 0u);
    EXPECT_GT(t.xoff, 0u);
    EXPECT_GT(HostXoffs(net), 0u);
    EXPECT_GE(monitor.xoffs, 4u);
    ExpectWithinBuffers(net, 1500000);
    ExpectAllDone(net, done, flows);
    monitor.Check(net);
    int64_t last = 0;
    for (const auto& [id, record] : done.sent)
    {
        last = std::max(last, record.completedPs);
    }
    // The receiver's link is the bottleneck: 64 * 16 packets.
    const int64_t busy = 64 * ((64000 + 16 + 16 * 82) * 80);
    EXPECT_GT(last, busy);
    if (std::string(GetParam()) == "LineRate")
    {
        EXPECT_LT(last, busy + 20 * US); // PFC alone keeps it busy
    }
}

TEST_P(Incast, SixteenToOneAcrossTheWan)
{
    SetRateLaw(GetParam());
    Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MilliSeconds(100)));
    LeafSpineHelper h;
    h.datacenters = 2;
    h.leaves = 4;
    h.spines = 2;
    h.hostsPerLeaf = 4;
    h.wanRate = DataRate("400Gbps");
    h.wanDelay = MicroSeconds(500);
    h.leafBuffer = h.spineBuffer = QueueSize("3MB");
    Network net;
    h.Construct(net);
    net.Build();
    net.AssignStreams(1);
    std::vector<FlowSpec> flows;
    for (uint32_t i = 0; i < 16; ++i)
    {
        flows.push_back(Flow(16 + i, 5, 4000000, i * 100));
    }
    flows = Numbered(flows);
    Completions done(net);
    PauseMonitor monitor(net);
    net.InstallFlows(flows);
    Simulator::Run();
    const Totals t = Sum(net);
    EXPECT_EQ(t.lost, 0u);
    EXPECT_EQ(t.retransmitted, 0u);
    EXPECT_GT(t.xoff, 0u);
    ExpectAllDone(net, done, flows);
    monitor.Check(net);
}

INSTANTIATE_TEST_SUITE_P(RateLaws, Incast, ::testing::Values("LineRate", "Dcqcn", "Hpcc"));

// The WAN port's own threshold pauses the far side of the WAN and nobody is lost on the way.
TEST_F(SystemTest, IncastPausesAcrossTheWan)
{
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(Seconds(1)));
    LeafSpineHelper h;
    h.datacenters = 2;
    h.leaves = 1;
    h.spines = 1;
    h.hostsPerLeaf = 4;
    h.fabricRate = DataRate("400Gbps");
    h.external.rate = DataRate("400Gbps");
    h.wanRate = DataRate("400Gbps");
    h.wanDelay = MicroSeconds(200);
    h.wanPortBuffer = QueueSize("22MB"); // headroom 20 MB
    h.leafBuffer = h.spineBuffer = QueueSize("3MB");
    Network net;
    h.Construct(net);
    net.Build();
    const auto flows = Numbered(
        {Flow(4, 0, 20000000), Flow(5, 0, 20000000), Flow(6, 0, 20000000), Flow(7, 0, 20000000)});
    Completions done(net);
    PauseMonitor monitor(net);
    net.InstallFlows(flows);
    Simulator::Run();
    EXPECT_EQ(Sum(net).lost, 0u);
    // Pauses went over the WAN and reached the senders.
    uint64_t wanXoffs = 0;
    for (const Ptr<Port>& port : net.GetPorts())
    {
        wanXoffs += port->GetLink()->GetDelayPs() == 200 * US ? port->GetXoffReceived() : 0;
    }
    EXPECT_GT(wanXoffs, 0u);
    EXPECT_GT(HostXoffs(net), 0u);
    ExpectAllDone(net, done, flows);
    monitor.Check(net);
}
