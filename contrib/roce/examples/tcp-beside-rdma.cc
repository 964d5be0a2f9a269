// SPDX-License-Identifier: GPL-2.0-only

// A TCP transfer of ns-3 beside an RDMA flow, over the same links: two leaves with a link between
// them, a host of each kind of traffic at either one.
//
//     tcp-beside-rdma [--cc=Dcqcn] [--tcp=TcpCubic] [--class=0] [--bytes=20000000] [--pcap=out]
//
// With --pcap, out-NODE-INTERFACE.pcap has the packets of TCP at its receiver, and
// out-port-NODE-PORT.pcap all that the first leaf sends to the other one and gets from it.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/roce-net-device-helper.h"
#include "ns3/roce-network.h"
#include "ns3/roce-port-capture.h"
#include "ns3/roce-scenario.h"

#include <cstdio>
#include <string>

using namespace ns3;
using namespace ns3::roce;

namespace
{

int
Simulate(int argc, char** argv)
{
    uint64_t bytes = 20000000;
    std::string cc = "Dcqcn";
    std::string tcp = "TcpCubic";
    std::string trafficClass = "0";
    std::string pcap;
    CheckedCommandLine cmd(__FILE__, "TCP beside RDMA.");
    cmd.AddBytes("bytes", "Bytes of each transfer", bytes);
    cmd.AddValue("cc", "Rate law of RDMA", cc);
    cmd.AddValue("tcp", "Rate law of TCP", tcp);
    cmd.AddValue("class", "Traffic class of TCP; RDMA has class 3", trafficClass);
    cmd.AddValue("pcap", "Prefix of captures, or empty", pcap);
    cmd.Parse(argc, argv);
    cc = ValueCheck::Factory("--cc", cc, CongestionControl::GetTypeId());
    Config::SetDefault("ns3::roce::Nic::CongestionControl", StringValue(cc));
    Config::SetDefault("ns3::roce::RoceNetDevice::Classes", StringValue(trafficClass));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::" + tcp));
    // Hosts would wait for up to 10 ms before they ask for an address.
    Config::SetDefault("ns3::ArpL3Protocol::RequestJitter",
                       StringValue("ns3::ConstantRandomVariable[Constant=0]"));
    // ns-3 has checksums only where somebody looks at them.
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(!pcap.empty()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4 << 20));

    Network network;
    const uint32_t leaves[] = {network.AddSwitch("leaf0", 0), network.AddSwitch("leaf1", 0)};
    network.Connect(leaves[0], leaves[1], DataRate("25Gbps"), MicroSeconds(1));
    for (uint32_t h = 0; h < 4; ++h)
    {
        network.AddNic(network.AddHost("h" + std::to_string(h), 0),
                       leaves[h / 2],
                       DataRate("25Gbps"),
                       MicroSeconds(1));
    }
    network.Build();

    // What an ns-3 program does with any other device.
    RoceNetDeviceHelper helper;
    const NetDeviceContainer devices = helper.Install(network);
    const NodeContainer hosts = network.GetHostNodes();
    InternetStackHelper().Install(hosts);
    const Ipv4InterfaceContainer addresses =
        Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(devices);
    BulkSendHelper sender("ns3::TcpSocketFactory", InetSocketAddress(addresses.GetAddress(2), 80));
    sender.SetAttribute("MaxBytes", UintegerValue(bytes));
    sender.Install(hosts.Get(0)).Start(MicroSeconds(10));
    PacketSinkHelper receiver("ns3::TcpSocketFactory",
                              InetSocketAddress(Ipv4Address::GetAny(), 80));
    const ApplicationContainer sinks = receiver.Install(hosts.Get(2));
    PortCapture capture;
    if (!pcap.empty())
    {
        helper.EnablePcap(pcap, devices.Get(2));
        capture.EnablePcap(pcap + "-port", network.GetLink(0).GetPort(0));
    }

    // RDMA, from host 1 to host 3.
    FlowSpec flow;
    flow.src = 1;
    flow.dst = 3;
    flow.sizeBytes = bytes;
    flow.startPs = 10000000;
    network.InstallFlows({flow});

    const auto report = [](const char* what, uint64_t sent, const Time& end) {
        const double seconds = (end - MicroSeconds(10)).GetSeconds();
        std::printf("%s: %.3f ms, %.2f Gbit/s\n",
                    what,
                    seconds * 1e3,
                    static_cast<double>(sent) * 8 / seconds / 1e9);
    };
    const Ptr<PacketSink> sink = sinks.Get(0)->GetObject<PacketSink>();
    int left = 2;
    const auto done = [&left] {
        if (--left == 0)
        {
            Simulator::Stop();
        }
    };
    sink->TraceConnectWithoutContext(
        "Rx",
        Callback<void, Ptr<const Packet>, const Address&>([&](Ptr<const Packet>, const Address&) {
            if (sink->GetTotalRx() == bytes)
            {
                report(tcp.c_str(), bytes, Simulator::Now());
                done();
            }
        }));
    network.GetNic(3)->TraceConnectWithoutContext(
        "MessageReceived",
        Callback<void, uint64_t, Time>([&](uint64_t, Time at) {
            report("RDMA", bytes, at);
            done();
        }));
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    return left ? RunOptions::UNFINISHED : 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunProgram([&] { return Simulate(argc, argv); });
}
