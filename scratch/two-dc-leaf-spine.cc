/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * One or several leaf-spine datacenters joined by long links, a congestion control, a workload.
 * Leaves a folder with flows.csv, summary.json and what else is asked for.
 *
 *     two-dc-leaf-spine --cc=Hpcc --load=0.6 --ns3::roce::Hpcc::Eta=0.9 --out=results/hpcc
 *
 * Exit status: 0 all flows are done, 2 bad input (one line on standard error says which), 3 some
 * flows are not done (each is explained on standard error).
 */

#include "ns3/core-module.h"
#include "ns3/roce-command-line.h"
#include "ns3/roce-fault-options.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-run-options.h"
#include "ns3/roce-workload-options.h"

#include <iostream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;

namespace
{

constexpr int64_t NETWORK_STREAM = 20000000; // above those of WorkloadOptions

/// What belongs neither to the topology, nor to the workload, nor to the run.
struct Settings
{
    std::string cc{"Dcqcn"};
    bool ecn{true};
    bool telemetry{true};
    uint64_t ecmpSeed{1};
};

/// Set the rate law of all NICs to be.
void
ChooseCongestionControl(const Settings& settings)
{
    const std::string name = settings.cc == "none" ? "LineRate" : settings.cc;
    const TypeId base = CongestionControl::GetTypeId();
    Config::SetDefault("ns3::roce::Nic::CongestionControl",
                       StringValue(ValueCheck::Factory("--cc", name, base)));
}

/// Refuse what would run but make no sense, and bad parameters of the rate law.
void
CheckCongestionControl(const Settings& settings, const Network& network)
{
    const Ptr<CongestionControl> cc = network.GetNic(0)->GetPrototype();
    if (!settings.telemetry && cc->NeedsTelemetry())
    {
        throw InputError("--int=0 with --cc=" + settings.cc +
                         ", which needs telemetry; expected --int=1");
    }
    if (!settings.ecn && cc->ReceiverFeedbackFactory().find("EcnCnp") != std::string::npos)
    {
        throw InputError("--ecn=0 with --cc=" + settings.cc +
                         ", which needs ECN marks; expected --ecn=1");
    }
    cc->Fork()->Start(network.GetPath(0, network.GetNNics() - 1, 0), 0);
}

int
Run(int argc, char** argv)
{
    Settings settings;
    WorkloadOptions workload;
    LeafSpineHelper topology;
    FaultOptions faults;
    RunOptions run;
    run.out = "results/two-dc-leaf-spine";
    CheckedCommandLine cmd(__FILE__, "RDMA congestion control within and across datacenters.");
    cmd.AddValue("cc",
                 "Dcqcn, Hpcc, none, or the TypeId of any; [Attribute=value|...] may follow",
                 settings.cc);
    cmd.AddValue("ecn", "Switches mark ECN", settings.ecn);
    cmd.AddValue("int", "Switches stamp in-band telemetry", settings.telemetry);
    cmd.AddValue("ecmpSeed", "Salt of the ECMP hashes", settings.ecmpSeed);
    cmd.Refuse("ns3::roce::Nic::CongestionControl", "cc");
    workload.AddOptions(cmd);
    faults.AddOptions(cmd);
    run.AddOptions(cmd);
    cmd.AddTopology(topology);
    cmd.Parse(argc, argv);
    run.Apply(cmd);
    ChooseCongestionControl(settings);
    if (topology.datacenters == 1 && !cmd.IsGiven("interFraction"))
    {
        workload.interFraction = 0;
    }

    Network network;
    topology.Construct(network);
    Network::Options options;
    options.ecn = settings.ecn;
    options.telemetry = settings.telemetry;
    options.ecmpSeed = settings.ecmpSeed;
    network.Build(options);
    for (const std::string& warning : network.GetWarnings())
    {
        std::cerr << "warning: " << warning << std::endl;
    }
    faults.Apply(network);
    network.AssignStreams(NETWORK_STREAM);
    CheckCongestionControl(settings, network);
    const std::vector<FlowSpec> flows = workload.Generate(topology);
    std::cout << workload.Report(flows, topology) << std::endl;
    return run.Run(cmd, network, flows);
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    try
    {
        const int status = Run(argc, argv);
        Simulator::Destroy();
        return status;
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return 2;
    }
}
