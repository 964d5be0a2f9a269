// SPDX-License-Identifier: GPL-2.0-only
#include "tcp-hops.h"

#if __has_include("ns3/point-to-point-helper.h") && __has_include("ns3/bulk-send-helper.h")

#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/roce-net-device-helper.h"
#include "ns3/roce-network.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/uinteger.h"

#include <ctime>
#include <string>

namespace ns3::roce
{

namespace
{

constexpr uint32_t FLOWS = 8; // each from a host of its own
constexpr const char* HOST_RATE = "10Gbps";
constexpr const char* ROW_RATE = "100Gbps";
constexpr const char* DELAY = "1us";

double
CpuSeconds()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void
InstallFlow(const Ptr<Node>& from, const Ptr<Node>& to, Ipv4Address at, uint64_t bytes)
{
    BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(at, 80));
    bulk.SetAttribute("MaxBytes", UintegerValue(bytes));
    bulk.Install(from);
    PacketSinkHelper("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 80))
        .Install(to);
}

/// @return CPU time of the run
double
RunAll()
{
    Simulator::Stop(Seconds(10));
    const double start = CpuSeconds();
    Simulator::Run();
    return CpuSeconds() - start;
}

TcpCost
RunFabric(const TcpRow& row)
{
    Network network;
    for (uint32_t s = 0; s < row.switches; ++s)
    {
        network.AddSwitch("s" + std::to_string(s), 0);
        if (s > 0)
        {
            network.Connect(s - 1, s, DataRate(ROW_RATE), Time(DELAY));
        }
    }
    for (uint32_t h = 0; h < 2 * FLOWS; ++h)
    {
        network.AddNic(network.AddHost("h" + std::to_string(h), 0),
                       h < FLOWS ? 0 : row.switches - 1,
                       DataRate(HOST_RATE),
                       Time(DELAY));
    }
    network.Build();
    const NetDeviceContainer devices = RoceNetDeviceHelper().Install(network);
    NodeContainer hosts;
    for (uint32_t h = 0; h < devices.GetN(); ++h)
    {
        hosts.Add(devices.Get(h)->GetNode());
    }
    InternetStackHelper().Install(hosts);
    const Ipv4InterfaceContainer at = Ipv4AddressHelper("10.0.0.0", "255.0.0.0").Assign(devices);
    for (uint32_t f = 0; f < FLOWS; ++f)
    {
        InstallFlow(hosts.Get(f), hosts.Get(FLOWS + f), at.GetAddress(FLOWS + f), row.flowBytes);
    }
    const double seconds = RunAll();
    network.CatchUp();
    const TcpCost cost{network.CountPacketHops(), seconds};
    Simulator::Destroy();
    return cost;
}

TcpCost
RunPointToPoint(const TcpRow& row)
{
    NodeContainer routers;
    routers.Create(row.switches);
    NodeContainer hosts;
    hosts.Create(2 * FLOWS);
    InternetStackHelper().InstallAll();
    PointToPointHelper helper;
    helper.SetChannelAttribute("Delay", StringValue(DELAY));
    // As much room as the buffer of a switch has, and no queue disc: forwarding alone.
    helper.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("20000p"));
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    NetDeviceContainer devices;
    const auto connect = [&](const Ptr<Node>& a, const Ptr<Node>& b, const char* rate) {
        helper.SetDeviceAttribute("DataRate", StringValue(rate));
        const NetDeviceContainer pair = helper.Install(a, b);
        devices.Add(pair);
        const Ipv4InterfaceContainer both = addresses.Assign(pair);
        addresses.NewNetwork();
        return both.GetAddress(1);
    };
    for (uint32_t r = 1; r < row.switches; ++r)
    {
        connect(routers.Get(r - 1), routers.Get(r), ROW_RATE);
    }
    for (uint32_t h = 0; h < 2 * FLOWS; ++h)
    {
        const Ipv4Address at =
            connect(routers.Get(h < FLOWS ? 0 : row.switches - 1), hosts.Get(h), HOST_RATE);
        if (h >= FLOWS)
        {
            InstallFlow(hosts.Get(h - FLOWS), hosts.Get(h), at, row.flowBytes);
        }
    }
    TrafficControlHelper().Uninstall(devices);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    TcpCost cost{0, RunAll()};
    for (uint32_t d = 0; d < devices.GetN(); ++d)
    {
        cost.packetHops += devices.Get(d)
                               ->GetObject<PointToPointNetDevice>()
                               ->GetQueue()
                               ->GetTotalReceivedPackets();
    }
    Simulator::Destroy();
    return cost;
}

} // namespace

TcpCost
MeasureTcp(const TcpRow& row)
{
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 16));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 16));
    return row.isPointToPoint ? RunPointToPoint(row) : RunFabric(row);
}

} // namespace ns3::roce

#else

namespace ns3::roce
{

TcpCost
MeasureTcp(const TcpRow&)
{
    return {0, 0};
}

} // namespace ns3::roce

#endif
