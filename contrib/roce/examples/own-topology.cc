// SPDX-License-Identifier: GPL-2.0-only

// A topology of your own: three switches in a row, two of them in one datacenter and the third one
// 10 ms away, with links of different rates. Class 3 is lossless, class 1 is not. Prints what is
// lost and paused, and completion times.
//
//         alice 100G, bob 100G          carol 25G                          dave 200G
//                |                         |                                  |
//              west ---- 400G, 1 us ---- middle ---- 100G, 10 ms -------- east
//
//     own-topology [--bytes=20000000] [--cc=Swift]

#include "ns3/core-module.h"
#include "ns3/roce-network.h"
#include "ns3/roce-scenario.h"

#include <cstdio>
#include <iostream>
#include <map>
#include <vector>

using namespace ns3;
using namespace ns3::roce;

namespace
{

constexpr uint8_t LOSSY = 1;    // any class that Switch::LosslessClasses does not name
constexpr uint8_t LOSSLESS = 3; // the only one that it names

/// Adds a host with one NIC. @return the NIC's number
uint32_t
AddHost(Network& network, const char* name, uint32_t sw, uint32_t datacenter, const char* rate)
{
    return network.AddNic(network.AddHost(name, datacenter), sw, DataRate(rate), MicroSeconds(1));
}

int
Simulate(int argc, char** argv)
{
    uint64_t bytes = 20000000;
    std::string cc = "Dcqcn";
    CheckedCommandLine cmd(__FILE__, "Three switches in a row, one of them 10 ms away.");
    cmd.AddBytes("bytes", "Size of each message", bytes);
    cmd.AddValue("cc", "Rate law", cc);
    cmd.Parse(argc, argv);
    cc = ValueCheck::Factory("--cc", cc, CongestionControl::GetTypeId());
    ValueCheck::Value("--bytes", ValueKind::UNSIGNED, std::to_string(bytes), 1000000000);
    Config::SetDefault("ns3::roce::Nic::CongestionControl", StringValue(cc));
    // At 400 Gbit/s ECN is to act before PFC does.
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("64MiB"));
    // What is lost in class 1 is sent again alone.
    Config::SetDefault("ns3::roce::Nic::LossRecovery", StringValue("ns3::roce::SelectiveRepeat"));

    Network network;
    const uint32_t west = network.AddSwitch("west", 0);
    const uint32_t middle = network.AddSwitch("middle", 0);
    const uint32_t east = network.AddSwitch("east", 1);
    network.Connect(west, middle, DataRate("400Gbps"), MicroSeconds(1));
    // Deep buffers at both ends: without them the headroom of 20 ms would not fit into the switch.
    network.ConnectLong(middle, east, DataRate("100Gbps"), MilliSeconds(10));
    const uint32_t alice = AddHost(network, "alice", west, 0, "100Gbps");
    const uint32_t bob = AddHost(network, "bob", west, 0, "100Gbps");
    const uint32_t carol = AddHost(network, "carol", middle, 0, "25Gbps");
    const uint32_t dave = AddHost(network, "dave", east, 1, "200Gbps");
    network.Build();
    network.AssignStreams(0);
    for (const std::string& warning : network.GetWarnings())
    {
        std::cerr << "warning: " << warning << std::endl;
    }

    // From, to, class; all at the same time.
    const std::tuple<uint32_t, uint32_t, uint8_t> pairs[] = {{alice, dave, LOSSLESS},
                                                             {bob, dave, LOSSY},
                                                             {carol, dave, LOSSLESS},
                                                             {dave, carol, LOSSLESS},
                                                             {alice, bob, LOSSY}};
    std::vector<FlowSpec> flows;
    for (const auto& [src, dst, trafficClass] : pairs)
    {
        FlowSpec flow;
        flow.id = flows.size();
        flow.src = src;
        flow.dst = dst;
        flow.trafficClass = trafficClass;
        flow.sizeBytes = bytes;
        flows.push_back(flow);
    }
    network.InstallFlows(flows);

    // Traces: every kind of event that the lines below count. Sinks get the exact time.
    std::map<std::pair<std::string, uint8_t>, uint64_t> drops; // by switch and class
    std::map<std::string, uint64_t> pauses;                    // by switch
    for (uint32_t s = 0; s < network.GetNSwitches(); ++s)
    {
        const std::string name = network.GetSwitch(s)->GetName();
        network.GetSwitch(s)->TraceConnectWithoutContext(
            "Drop",
            Callback<void, const Frame&, const char*, Time>(
                [&drops, name](const Frame& frame, const char*, Time) {
                    ++drops[{name, frame.trafficClass}];
                }));
        network.GetSwitch(s)->TraceConnectWithoutContext(
            "PauseSent",
            Callback<void, uint16_t, uint8_t, PauseEvent, Time>(
                [&pauses, name](uint16_t, uint8_t, PauseEvent, Time) { ++pauses[name]; }));
    }
    std::size_t done = 0;
    for (uint32_t nic = 0; nic < network.GetNNics(); ++nic)
    {
        network.GetNic(nic)->TraceConnectWithoutContext(
            "MessageCompleted",
            Callback<void, const MessageRecord&>([&](const MessageRecord& message) {
                ++done;
                const FlowSpec& flow = flows[message.cookie];
                const double fctPs = static_cast<double>(message.completedPs - message.postedPs);
                const auto idealPs = static_cast<double>(network.GetIdeal(flow).senderFctPs);
                std::printf("%s to %s, class %u: %.3f ms, slowdown %.2f\n",
                            network.GetNicName(flow.src).c_str(),
                            network.GetNicName(flow.dst).c_str(),
                            flow.trafficClass,
                            fctPs / 1e9,
                            fctPs / idealPs);
            }));
    }
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    for (const auto& [where, count] : drops)
    {
        std::printf("%s: %llu frames of class %u dropped\n",
                    where.first.c_str(),
                    static_cast<unsigned long long>(count),
                    where.second);
    }
    for (const auto& [name, count] : pauses)
    {
        std::printf("%s: %llu pause frames sent\n",
                    name.c_str(),
                    static_cast<unsigned long long>(count));
    }
    std::printf("%zu of %zu flows done\n", done, flows.size());
    return done == flows.size() ? 0 : RunOptions::UNFINISHED;
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunProgram([&] { return Simulate(argc, argv); });
}
