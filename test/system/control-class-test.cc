// SPDX-License-Identifier: GPL-2.0-only
// The traffic class of ACKs: one of their own, or that of the data they answer.
#include "roce-test-network.h"

#include <array>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using Counts = std::array<uint64_t, N_CLASSES>;

/// @return data and ACK frames by class, with flows of 10 and 20 packets in classes 2 and 5
std::pair<Counts, Counts>
CountFrames(unsigned controlClass)
{
    Config::SetDefault("ns3::roce::Nic::ControlClass", UintegerValue(controlClass));
    Config::SetDefault("ns3::roce::Nic::PathMtu", UintegerValue(1000));
    Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(0x24));
    SetRateLaw("Dcqcn");
    Network net;
    MakeStar(net, 3);
    net.Build();
    net.AssignStreams(1);
    net.InstallFlows(Numbered({Flow(0, 2, 10000, 0, 2), Flow(1, 2, 20000, 0, 5)}));
    std::pair<Counts, Counts> counts{};
    const Ptr<Switch> sw = net.GetSwitch(0);
    for (uint16_t p = 0; p < sw->GetNPorts(); ++p)
    {
        sw->GetPort(p)->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([&counts](const Frame& f, Time) {
                ++(f.kind == FrameKind::DATA ? counts.first : counts.second)[f.trafficClass];
            }));
    }
    Simulator::Run();
    net.CatchUp();
    Simulator::Destroy();
    return counts;
}

} // namespace

TEST_F(SystemTest, AcksHaveAClassOfTheirOwn)
{
    const auto [data, acks] = CountFrames(6);
    EXPECT_EQ(data, (Counts{0, 0, 10, 0, 0, 20}));
    EXPECT_EQ(acks, (Counts{0, 0, 0, 0, 0, 0, 30}));
}

TEST_F(SystemTest, AcksHaveTheClassOfTheirData)
{
    const auto [data, acks] = CountFrames(8);
    EXPECT_EQ(data, (Counts{0, 0, 10, 0, 0, 20}));
    EXPECT_EQ(acks, (Counts{0, 0, 10, 0, 0, 20}));
}
