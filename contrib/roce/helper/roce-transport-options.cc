/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-transport-options.h"

#include "roce-input-error.h"

#include "ns3/config.h"
#include "ns3/roce-congestion-control.h"
#include "ns3/roce-loss-recovery.h"
#include "ns3/roce-path-selector.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <iostream>

namespace ns3
{
namespace roce
{

void
TransportOptions::AddOptions(CheckedCommandLine& cmd)
{
    cmd.AddValue("cc",
                 "Dcqcn, Dctcp, Hpcc, PowerTcp, Swift, Timely, none, or the TypeId of any; "
                 "[Attribute=value|...] may follow",
                 cc);
    cmd.AddValue("lossRecovery",
                 "GoBackN, SelectiveRepeat, or the TypeId of any; attributes may follow",
                 lossRecovery);
    cmd.AddValue(
        pathsOption,
        "FlowHash (ECMP), Spray, Flowlet, Plb, or the TypeId of any; attributes may follow",
        paths);
    cmd.AddValue("lossless", "PFC protects data; otherwise switches drop what is too much", pfc);
    cmd.AddValue("ecn", "Switches mark ECN", ecn);
    cmd.AddValue("int", "Switches stamp in-band telemetry", telemetry);
    cmd.AddValue("ecmpSeed", "Salt of the ECMP hashes", ecmpSeed);
    cmd.Refuse("ns3::roce::Nic::CongestionControl", "cc");
    cmd.Refuse("ns3::roce::Nic::LossRecovery", "lossRecovery");
    cmd.Refuse("ns3::roce::Nic::PathSelector", pathsOption);
}

void
TransportOptions::Apply(const CheckedCommandLine& cmd) const
{
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
        StringValue(ValueCheck::Factory("--" + pathsOption, paths, PathSelector::GetTypeId())));
    if (!pfc)
    {
        if (cmd.IsGiven("ns3::roce::Switch::LosslessClasses"))
        {
            throw InputError("--lossless=0 with --ns3::roce::Switch::LosslessClasses, expected one "
                             "of them");
        }
        Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(0));
    }
}

Network::Options
TransportOptions::MakeNetworkOptions() const
{
    Network::Options options;
    options.ecn = ecn;
    options.telemetry = telemetry;
    options.ecmpSeed = ecmpSeed;
    return options;
}

void
TransportOptions::Check(const Network& network) const
{
    for (const std::string& warning : network.GetWarnings())
    {
        std::cerr << "warning: " << warning << std::endl;
    }
    const Ptr<CongestionControl> law = network.GetNic(0)->GetPrototype();
    if (!telemetry && law->NeedsTelemetry())
    {
        throw InputError("--int=0 with --cc=" + cc + ", which needs telemetry; expected --int=1");
    }
    if (!ecn && law->NeedsEcn())
    {
        throw InputError("--ecn=0 with --cc=" + cc + ", which needs ECN marks; expected --ecn=1");
    }
    const Ptr<PathSelector> selector = network.GetNic(0)->GetSelectorPrototype();
    if (!ecn && selector->NeedsEcn())
    {
        throw InputError("--ecn=0 with --" + pathsOption + "=" + paths +
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

} // namespace roce
} // namespace ns3
