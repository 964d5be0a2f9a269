/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-scenario.h"

#include "roce-input-error.h"

#include "ns3/config.h"
#include "ns3/nstime.h"
#include "ns3/roce-congestion-control.h"
#include "ns3/roce-loss-recovery.h"
#include "ns3/roce-path-selector.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <iostream>
#include <vector>

namespace ns3
{
namespace roce
{

namespace
{

constexpr int64_t NETWORK_STREAM = 20000000; // above those of WorkloadOptions

} // namespace

void
ScenarioOptions::AddOptions(CheckedCommandLine& cmd)
{
    cmd.AddValue("cc",
                 "Dcqcn, Dctcp, Hpcc, PowerTcp, Swift, Timely, none, or the TypeId of any; "
                 "[Attribute=value|...] may follow",
                 cc);
    cmd.AddValue("lossRecovery",
                 "GoBackN, SelectiveRepeat, or the TypeId of any; attributes may follow",
                 lossRecovery);
    cmd.AddValue(
        "paths",
        "FlowHash (ECMP), Spray, Flowlet, Plb, or the TypeId of any; attributes may follow",
        paths);
    cmd.AddValue("lossless", "PFC protects data; otherwise switches drop what is too much", pfc);
    cmd.AddValue("ecn", "Switches mark ECN", ecn);
    cmd.AddValue("int", "Switches stamp in-band telemetry", telemetry);
    cmd.AddValue("ecmpSeed", "Salt of the ECMP hashes", ecmpSeed);
    cmd.Refuse("ns3::roce::Nic::CongestionControl", "cc");
    cmd.Refuse("ns3::roce::Nic::LossRecovery", "lossRecovery");
    cmd.Refuse("ns3::roce::Nic::PathSelector", "paths");
    workload.AddOptions(cmd);
    faults.AddOptions(cmd);
    run.AddOptions(cmd);
}

void
ScenarioOptions::Apply(const CheckedCommandLine& cmd, const Topology& topology)
{
    run.Apply(cmd);
    const std::string name = cc == "none" ? "LineRate" : cc;
    Config::SetDefault(
        "ns3::roce::Nic::CongestionControl",
        StringValue(ValueCheck::Factory("--cc", name, CongestionControl::GetTypeId())));
    Config::SetDefault(
        "ns3::roce::Nic::LossRecovery",
        StringValue(
            ValueCheck::Factory("--lossRecovery", lossRecovery, LossRecovery::GetTypeId())));
    Config::SetDefault(
        "ns3::roce::Nic::PathSelector",
        StringValue(ValueCheck::Factory("--paths", paths, PathSelector::GetTypeId())));
    if (!pfc)
    {
        if (cmd.IsGiven("ns3::roce::Switch::LosslessClasses"))
        {
            throw InputError("--lossless=0 with --ns3::roce::Switch::LosslessClasses, expected one "
                             "of them");
        }
        Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(0));
    }
    if (topology.datacenters == 1 && !cmd.IsGiven("interFraction"))
    {
        workload.interFraction = 0;
    }
}

void
ScenarioOptions::Build(Network& network, const Topology& topology)
{
    topology.Construct(network);
    Network::Options options;
    options.ecn = ecn;
    options.telemetry = telemetry;
    options.ecmpSeed = ecmpSeed;
    network.Build(options);
    for (const std::string& warning : network.GetWarnings())
    {
        std::cerr << "warning: " << warning << std::endl;
    }
    faults.Apply(network);
    network.AssignStreams(NETWORK_STREAM);
}

/// Refuse what would run but make no sense, and bad parameters of the rate law.
void
ScenarioOptions::Check(const Network& network) const
{
    const Ptr<CongestionControl> law = network.GetNic(0)->GetPrototype();
    if (!telemetry && law->NeedsTelemetry())
    {
        throw InputError("--int=0 with --cc=" + cc + ", which needs telemetry; expected --int=1");
    }
    if (!ecn && law->ReceiverFeedbackFactory().find("EcnCnp") != std::string::npos)
    {
        throw InputError("--ecn=0 with --cc=" + cc + ", which needs ECN marks; expected --ecn=1");
    }
    const Ptr<PathSelector> selector = network.GetNic(0)->GetSelectorPrototype();
    if (!ecn && selector->NeedsEcn())
    {
        throw InputError("--ecn=0 with --paths=" + paths +
                         ", which needs ECN marks; expected "
                         "--ecn=1");
    }
    const PathInfo path = network.GetPath(0, network.GetNNics() - 1, 0);
    const Ptr<CongestionControl> sample = law->Fork();
    sample->Start(path, 0);
    if (const std::string warning = sample->GetWarning(); !warning.empty())
    {
        std::cerr << "warning: --cc=" << cc << ": " << warning << std::endl;
    }
    selector->Fork()->Start(path, 0, 0);
}

int
ScenarioOptions::Run(const CheckedCommandLine& cmd, const Topology& topology)
{
    Apply(cmd, topology);
    Network network;
    Build(network, topology);
    Check(network);
    const std::vector<FlowSpec> flows = workload.Generate(topology);
    std::cout << workload.Report(flows, topology) << std::endl;
    return run.Run(cmd, network, flows);
}

int
RunProgram(const std::function<int()>& run)
{
    Time::SetResolution(Time::PS);
    try
    {
        const int status = run();
        Simulator::Destroy();
        return status;
    }
    catch (const InputError& error)
    {
        std::cerr << "error: " << error.what() << std::endl;
        return 2;
    }
}

} // namespace roce
} // namespace ns3
