// SPDX-License-Identifier: GPL-2.0-only

// One flow between two hosts of one switch: build a network, install a flow, run, and compare its
// completion time with the ideal one.
//
//     first-flow [--bytes=1000000] [--cc=Hpcc] [--ns3::roce::Nic::PathMtu=1024]

#include "ns3/core-module.h"
#include "ns3/roce-network.h"
#include "ns3/roce-scenario.h"
#include "ns3/roce-stall-detector.h"

#include <cstdio>
#include <iostream>

using namespace ns3;
using namespace ns3::roce;

namespace
{

int
Simulate(int argc, char** argv)
{
    uint64_t bytes = 1000000;
    std::string cc = "Dcqcn";
    CheckedCommandLine cmd(__FILE__, "One flow between two hosts.");
    cmd.AddBytes("bytes", "Size of the message", bytes);
    cmd.AddValue("cc", "Rate law", cc);
    cmd.Parse(argc, argv);
    cc = ValueCheck::Factory("--cc", cc, CongestionControl::GetTypeId());
    Config::SetDefault("ns3::roce::Nic::CongestionControl", StringValue(cc));

    // A switch and two hosts with a NIC each: 100 Gbit/s, 1 us one way.
    Network network;
    const uint32_t leaf = network.AddSwitch("leaf", 0);
    for (const char* name : {"alice", "bob"})
    {
        network.AddNic(network.AddHost(name, 0), leaf, DataRate("100Gbps"), MicroSeconds(1));
    }
    network.Build();

    // Alice writes to Bob's memory, 10 us after the beginning.
    FlowSpec flow;
    flow.src = 0;
    flow.dst = 1;
    flow.sizeBytes = bytes;
    flow.startPs = 10000000;
    network.InstallFlows({flow});

    bool done = false;
    network.GetNic(0)->TraceConnectWithoutContext(
        "MessageCompleted",
        Callback<void, const MessageRecord&>([&](const MessageRecord& message) {
            done = true;
            const int64_t fctPs = message.completedPs - message.postedPs;
            const int64_t idealPs = network.GetIdeal(flow).senderFctPs;
            std::printf("%llu bytes in %llu packets: %.3f us, ideal %.3f us, slowdown %.4f\n",
                        static_cast<unsigned long long>(message.bytes),
                        static_cast<unsigned long long>(message.packets),
                        static_cast<double>(fctPs) / 1e6,
                        static_cast<double>(idealPs) / 1e6,
                        static_cast<double>(fctPs) / static_cast<double>(idealPs));
        }));
    Simulator::Run();
    if (!done)
    {
        std::cerr << StallDetector(network, StallDetector::Options()).DescribeUnfinished().at(0)
                  << std::endl;
    }
    return done ? 0 : RunOptions::UNFINISHED;
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunProgram([&] { return Simulate(argc, argv); });
}
