// SPDX-License-Identifier: GPL-2.0-only
// The network of Uno (section 5.1): RTT ratios, the fully provisioned variant, failures at the
// border.
#include "roce-test-network.h"

#include "ns3/roce-fat-tree-helper.h"
#include "ns3/roce-fault-options.h"
#include "ns3/roce-workload.h"

#include <set>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

// wanDelay as told in roce.rst: between datacenters 8, 32, 128 and 512 times the RTT between pods.
TEST_F(SystemTest, UnoRttRatios)
{
    SetRateLaw("LineRate");
    const std::pair<int64_t, int64_t> cases[] = {{8, 46651840},
                                                 {32, 215212480},
                                                 {128, 889455040},
                                                 {512, 3586425280}};
    for (const auto& [ratio, delayPs] : cases)
    {
        FatTreeHelper uno;
        uno.wanDelay = PicoSeconds(delayPs);
        Network net;
        uno.Construct(net);
        net.Build();
        EXPECT_EQ(net.GetPath(0, 16, 0).baseRttPs, 14046720);
        EXPECT_EQ(net.GetPath(0, 255, 0).baseRttPs, ratio * 14046720) << ratio;
        Simulator::Destroy();
    }
}

/// Uno's network with these WAN links.
FatTreeHelper
WithWanLinks(uint32_t links)
{
    FatTreeHelper uno;
    uno.wanLinks = links;
    uno.wanPortBuffer = QueueSize("100MiB");
    return uno;
}

// 128 WAN links of 100 Gbit/s carry what 128 hosts can send; ECMP uses them all.
TEST_F(SystemTest, UnoFullyProvisioned)
{
    SetRateLaw("LineRate");
    const FatTreeHelper full = WithWanLinks(128);
    EXPECT_EQ(full.GetCapacity(LoadReference::Wan).wanBps, 128 * full.hostRate.GetBitRate());
    Network net;
    full.Construct(net);
    net.Build();
    EXPECT_EQ(net.GetPath(0, 255, 0).baseRttPs, 2000070080);
    uint32_t wan = 0;
    for (uint32_t link = 0; link < net.GetNLinks(); ++link)
    {
        wan += net.GetLinkKind(link) == Network::LinkKind::WAN;
    }
    EXPECT_EQ(wan, 128u);
    std::set<const Port*> used;
    for (uint32_t entropy = 0; entropy < 2000; ++entropy)
    {
        for (const auto& hop : net.TracePath(0, 255, static_cast<uint16_t>(entropy)))
        {
            const auto* sw = dynamic_cast<const Switch*>(hop.port->GetOwner());
            if (sw && sw->IsWanPort(hop.port->GetIndex()))
            {
                used.insert(hop.port);
            }
        }
    }
    EXPECT_EQ(used.size(), 128u);
    // One flow of each host of a datacenter, all at once: the WAN is no bottleneck for them.
    EXPECT_EQ(full.GetRackUplinkBps() * full.GetRacks(), 12800 * G);
}

// One border link down in one direction from the start, no new routes (Uno, section 5.2.3): what
// ECMP sends there is lost for good, the other direction works.
TEST_F(SystemTest, UnoBorderLinkDownInOneDirection)
{
    SetRateLaw("LineRate");
    Config::SetDefault("ns3::roce::Nic::RetryLimit", UintegerValue(2));
    FatTreeHelper uno = WithWanLinks(8);
    uno.k = 4;
    uno.wanDelay = MicroSeconds(50);
    Network net;
    uno.Construct(net);
    net.Build();
    FaultOptions faults;
    faults.failLinks = "dc0-border0>dc1-border0#3@0ms";
    faults.Apply(net);
    std::vector<FlowSpec> flows;
    for (uint32_t i = 0; i < 200; ++i)
    {
        flows.push_back(Flow(i % 16, 16 + i / 16 % 16, 10000));
        flows.push_back(Flow(16 + i % 16, i / 16 % 16, 10000));
    }
    net.InstallFlows(Numbered(flows));
    Completions done(net);
    Simulator::Run();
    uint32_t stuck = 0;
    for (uint64_t id = 0; id < 400; ++id)
    {
        // Its ACKs may be lost as well: those of flows from datacenter 1 go the broken way.
        stuck += id % 2 == 0 && done.sent.count(id) == 0;
        if (id % 2)
        {
            EXPECT_EQ(done.received.count(id), 1u) << id;
        }
    }
    EXPECT_NEAR(stuck, 200 / 8.0, 4 * std::sqrt(200 / 8.0)); // 1 of 8 links
    uint64_t lost = 0;
    for (const Ptr<Port>& port : net.GetPorts())
    {
        const bool broken = port->GetFramesLost(Port::LOSS_LINK_DOWN) > 0;
        lost += broken;
        if (broken)
        {
            EXPECT_EQ(net.GetNodeName(port->GetNode()->GetId()), "dc1-border0"); // where they miss
        }
    }
    EXPECT_EQ(lost, 1u);
}

// A permutation of all 256 hosts, whatever their datacenter (figure 9).
TEST_F(SystemTest, UnoPermutationIsOverAllHosts)
{
    PermutationWorkload permutation;
    permutation.nHosts = FatTreeHelper().GetPlacement().nHosts;
    permutation.sizeBytes = 8 << 20;
    uint32_t inter = 0;
    std::set<uint32_t> receivers;
    const auto flows = permutation.Generate();
    for (const FlowSpec& flow : flows)
    {
        inter += flow.src / 128 != flow.dst / 128;
        receivers.insert(flow.dst);
    }
    EXPECT_EQ(flows.size(), 256u);
    EXPECT_EQ(receivers.size(), 256u);
    EXPECT_GT(inter, 96u); // 128.5 expected
    EXPECT_LT(inter, 160u);
}

} // namespace
