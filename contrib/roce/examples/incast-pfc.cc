// SPDX-License-Identifier: GPL-2.0-only

// 16 hosts send to one at line rate. Nothing holds them back but PFC: the switch pauses them when
// its buffer fills, and no frame is lost. Prints who was paused for how long, writes queues.csv.
//
//     incast-pfc [--senders=16] [--bytes=1000000] [--buffer=4MiB] [--out=results/incast-pfc]
//     scripts/plot_queues.py results/incast-pfc --out results/incast-pfc

#include "ns3/core-module.h"
#include "ns3/roce-network.h"
#include "ns3/roce-scenario.h"

#include <cstdio>

using namespace ns3;
using namespace ns3::roce;

namespace
{

constexpr uint8_t DATA_CLASS = 3; // FlowSpec's default

int
Simulate(int argc, char** argv)
{
    uint32_t senders = 16;
    uint64_t bytes = 1000000;
    std::string buffer = "4MiB";
    RunOptions run;
    run.out = "results/incast-pfc";
    run.progress = Progress::Mode::NONE;
    run.series["queues"] = "1us";
    run.seriesSwitches["pfc"] = true;
    CheckedCommandLine cmd(__FILE__, "Incast on one switch, held back by PFC only.");
    cmd.AddValue("senders", "Hosts that send to the same receiver", senders);
    cmd.AddBytes("bytes", "Bytes of each sender", bytes);
    cmd.AddValue("buffer", "Shared buffer of the switch", buffer);
    run.AddOptions(cmd);
    cmd.Parse(argc, argv);
    ValueCheck::Value("--senders",
                      ValueKind::UNSIGNED,
                      std::to_string(senders),
                      Station::MAX_PORTS - 1);
    ValueCheck::Value("--buffer", ValueKind::BYTES, buffer);
    run.Apply(cmd);
    Config::SetDefault("ns3::roce::Nic::CongestionControl", StringValue("ns3::roce::LineRate"));
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue(buffer));

    Network network;
    const uint32_t leaf = network.AddSwitch("leaf", 0);
    std::vector<FlowSpec> flows(senders);
    for (uint32_t i = 0; i <= senders; ++i)
    {
        const uint32_t host = network.AddHost("host" + std::to_string(i), 0);
        network.AddNic(host, leaf, DataRate("100Gbps"), MicroSeconds(1));
    }
    network.Build();
    for (uint32_t i = 0; i < senders; ++i)
    {
        flows[i].id = i;
        flows[i].src = i;
        flows[i].dst = senders;
        flows[i].sizeBytes = bytes;
    }
    const int status = run.Run(cmd, network, flows);
    for (uint32_t i = 0; i < senders; ++i)
    {
        const Ptr<Nic> nic = network.GetNic(i);
        const int64_t pausedPs =
            nic->GetPausedTimePs(DATA_CLASS, Simulator::Now().GetPicoSeconds());
        std::printf("NIC %u: %llu pause frames, paused for %.1f us\n",
                    i,
                    static_cast<unsigned long long>(nic->GetXoffReceived()),
                    static_cast<double>(pausedPs) / 1e6);
    }
    return status;
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunProgram([&] { return Simulate(argc, argv); });
}
