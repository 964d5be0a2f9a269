// SPDX-License-Identifier: GPL-2.0-only

// Users reach NICs, ports and links by ns-3's own means.

#include "roce-test-network.h"

#include "ns3/channel.h"
#include "ns3/roce-leaf-spine-helper.h"

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

uint64_t g_frames; //!< counted by CountFrame

void
CountFrame(std::string, const Frame&, Time)
{
    ++g_frames;
}

} // namespace

TEST_F(SystemTest, ConfigPathsReachNicsPortsAndSwitches)
{
    SetRateLaw("LineRate");
    LeafSpineHelper topology;
    topology.datacenters = 1;
    Network network;
    topology.Construct(network);
    Config::Set("/NodeList/*/DeviceList/*/$ns3::roce::Nic/AckEveryN", UintegerValue(4));
    network.Build();
    Config::Set("/NodeList/*/$ns3::roce::Switch/PauseQuanta", UintegerValue(77));
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        UintegerValue value;
        network.GetNic(n)->GetAttribute("AckEveryN", value);
        EXPECT_EQ(value.Get(), 4u);
    }
    UintegerValue quanta;
    network.GetSwitch(0)->GetAttribute("PauseQuanta", quanta);
    EXPECT_EQ(quanta.Get(), 77u);

    g_frames = 0;
    Config::Connect("/NodeList/*/DeviceList/*/$ns3::roce::Port/TxBegin", MakeCallback(&CountFrame));
    FlowSpec flow;
    flow.src = 0;
    flow.dst = 15;
    flow.sizeBytes = 8 * 4096;
    network.InstallFlows({flow});
    Simulator::Run();
    // Eight data frames and two ACKs over four links each.
    EXPECT_EQ(g_frames, 40u);
    EXPECT_EQ(network.CountPacketHops(), 40u);
}

TEST_F(SystemTest, LinksArePointToPointChannelsWithADelay)
{
    LeafSpineHelper topology;
    topology.wanDelay = MicroSeconds(123);
    Network network;
    topology.Construct(network);
    network.Build();
    uint32_t wan = 0;
    for (const Ptr<Port>& port : network.GetPorts())
    {
        EXPECT_TRUE(port->IsPointToPoint());
        Ptr<Channel> channel = port->GetChannel();
        ASSERT_EQ(channel->GetNDevices(), 2u);
        EXPECT_TRUE(channel->GetDevice(0) == port || channel->GetDevice(1) == port);
        TimeValue delay;
        channel->GetAttribute("Delay", delay);
        wan += delay.Get() == MicroSeconds(123);
    }
    EXPECT_EQ(wan, 2u);
}
