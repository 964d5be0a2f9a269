// SPDX-License-Identifier: GPL-2.0-only
// PARALEON's sketches beside packets of ns-3: flows by their 5-tuple, and load of uplinks.
#include "roce-packet-stream.h"
#include "roce-tuner-network.h"

#include "ns3/roce-sketch-monitor.h"

#include <map>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

TEST_F(SystemTest, SketchesCountPacketsByFiveTuple)
{
    Network::Options options;
    options.stages.emplace_back("ns3::roce::SketchMonitor");
    TunedRacks racks(2, options);
    Network& net = racks.net;
    // 16.2 MB of three flows in 4 ms, beside 2 MB of RDMA from the same NIC.
    PacketStream sender(*net.GetNic(0), {3, 33e9, 0, ECN_ECT0, 1500, 0, 4 * MS, 3});
    PacketStream receiver(*net.GetNic(3));
    net.InstallFlows(Numbered({Flow(0, 2, 2'000'000)}));
    Simulator::Run();
    net.CatchUp();
    ASSERT_EQ(receiver.taken, sender.sent);
    const uint64_t data = net.GetCounters().at("dataSent");
    auto& tor = *net.GetSwitch(1)->FindStage<SketchMonitor>();
    const auto& other = *net.GetSwitch(2)->FindStage<SketchMonitor>();
    EXPECT_EQ(tor.GetCounted(), sender.sent + data);
    EXPECT_EQ(other.GetCounted(), 0u) << "packets are counted twice";
    EXPECT_EQ(other.GetSkipped(), sender.sent + data);
    SwitchStage::Measurement measured;
    tor.Report(measured, 4 * MS);
    std::map<uint32_t, FlowStates::Flow> flows;
    for (const FlowStates::Flow& flow : tor.GetFlows())
    {
        EXPECT_EQ(NicOfFlow(flow.flow), 0u);
        flows[QpOfFlow(flow.flow)] = flow;
    }
    ASSERT_EQ(flows.size(), 4u) << "three 5-tuples and a queue pair";
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < 3; ++i)
    {
        ASSERT_EQ(flows.count(PacketBytes::NO_QP | i), 1u);
        const FlowStates::Flow& flow = flows.at(PacketBytes::NO_QP | i);
        EXPECT_EQ(flow.state, FlowState::ELEPHANT) << flow.size << " B";
        bytes += flow.size;
    }
    EXPECT_EQ(bytes, 1500 * sender.sent);
    uint64_t wireBytes = 0;
    for (const uint64_t ofPort : measured.rxDataBytes)
    {
        wireBytes += ofPort;
    }
    EXPECT_EQ(wireBytes, net.GetNic(0)->GetTxWireBytes()) << "the uplink's use";
}
