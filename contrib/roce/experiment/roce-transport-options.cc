/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-transport-options.h"

#include "roce-unused-attributes.h"

#include "ns3/config.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/roce-congestion-control.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-loss-recovery.h"
#include "ns3/roce-path-selector.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <vector>

namespace ns3
{
namespace roce
{

namespace
{

/// The parts of a text between commas that stand outside of [].
std::vector<std::string>
SplitOutsideBrackets(const std::string& text)
{
    std::vector<std::string> parts(text.empty() ? 0 : 1);
    unsigned depth = 0;
    for (const char c : text)
    {
        if (c == ',' && !depth)
        {
            parts.emplace_back();
        }
        depth += c == '[';
        depth -= c == ']' && depth;
        if (c != ',' || depth)
        {
            parts.back() += c;
        }
    }
    return parts;
}

/// @return whether frames may pass a switch with WAN links on their way within a datacenter
bool
HasRoutesThroughExternals(const Network& network)
{
    std::set<const Station*> externals;
    for (uint32_t s = 0; s < network.GetNSwitches(); ++s)
    {
        const Ptr<Switch> sw = network.GetSwitch(s);
        for (uint16_t p = 0; p < sw->GetNPorts(); ++p)
        {
            if (sw->IsWanPort(p))
            {
                externals.insert(PeekPointer(sw));
            }
        }
    }
    std::map<uint32_t, std::set<uint32_t>> racks; // by datacenter
    for (uint32_t nic = 0; nic < network.GetNNics(); ++nic)
    {
        racks[network.GetDatacenter(nic)].insert(network.GetRack(nic));
    }
    for (uint32_t s = 0; s < network.GetNSwitches(); ++s)
    {
        const Ptr<Switch> sw = network.GetSwitch(s);
        for (const uint32_t rack : racks[sw->GetDatacenter()])
        {
            for (const uint16_t p : sw->GetRouting().GetGroup(rack))
            {
                if (externals.count(sw->GetPort(p)->GetPeer()->GetOwner()))
                {
                    return true;
                }
            }
        }
    }
    return false;
}

} // namespace

void
TransportOptions::AddOptions(CheckedCommandLine& cmd)
{
    cmd.AddValue(
        "cc",
        "Bbr, Dcqcn, Dctcp, Gemini, Hpcc, MpRdma, PowerTcp, Swift, Timely, UnoCc, none, or "
        "the TypeId of any; "
        "[Attribute=value|...] may follow",
        cc);
    cmd.AddValue("interCc", "The same for flows between datacenters; empty: as --cc", interCc);
    cmd.AddValue("stages",
                 "What runs on all switches: PhantomQueue, or the TypeId of any stage; attributes "
                 "may follow; several with commas",
                 stages);
    cmd.AddValue(
        "edge",
        "What runs on external switches: ReflexNsf, ReflexNdt, or the TypeId of any stage; "
        "attributes may follow; several with commas",
        edge);
    cmd.AddValue("lossRecovery",
                 "GoBackN, SelectiveRepeat, or the TypeId of any; attributes may follow",
                 lossRecovery);
    cmd.AddValue("interLossRecovery",
                 "The same for flows between datacenters; empty: as --lossRecovery",
                 interLossRecovery);
    cmd.AddValue(
        pathsOption,
        "FlowHash (ECMP), Spray, Flowlet, Plb, or the TypeId of any; attributes may follow",
        paths);
    cmd.AddValue("interPaths",
                 "The same for flows between datacenters; empty: as --" + pathsOption,
                 interPaths);
    cmd.AddValue("lossless", "PFC protects data; otherwise switches drop what is too much", pfc);
    cmd.AddValue("ecn", "Switches mark ECN", ecn);
    cmd.AddValue("int", "Switches stamp in-band telemetry", telemetry);
    cmd.AddValue("ecmpSeed", "Salt of the ECMP hashes; 0: as --seed", ecmpSeed);
    cmd.Refuse("ns3::roce::Nic::CongestionControl", "cc");
    cmd.Refuse("ns3::roce::Nic::InterCongestionControl", "interCc");
    cmd.Refuse("ns3::roce::Nic::LossRecovery", "lossRecovery");
    cmd.Refuse("ns3::roce::Nic::InterLossRecovery", "interLossRecovery");
    cmd.Refuse("ns3::roce::Nic::PathSelector", pathsOption);
    cmd.Refuse("ns3::roce::Nic::InterPathSelector", "interPaths");
}

void
TransportOptions::Apply(const CheckedCommandLine& cmd) const
{
    const std::string name = cc == "none" ? "LineRate" : cc;
    Config::SetDefault(
        "ns3::roce::Nic::CongestionControl",
        StringValue(ValueCheck::Factory("--cc", name, CongestionControl::GetTypeId())));
    const auto setInter =
        [](const char* attribute, const char* option, const std::string& text, TypeId base) {
            Config::SetDefault(
                std::string("ns3::roce::Nic::") + attribute,
                StringValue(text.empty() ? "" : ValueCheck::Factory(option, text, base)));
        };
    setInter("InterCongestionControl",
             "--interCc",
             interCc == "none" ? "LineRate" : interCc,
             CongestionControl::GetTypeId());
    setInter("InterLossRecovery",
             "--interLossRecovery",
             interLossRecovery,
             LossRecovery::GetTypeId());
    setInter("InterPathSelector", "--interPaths", interPaths, PathSelector::GetTypeId());
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
    for (const ObjectFactory& factory : GetStages("--edge", edge))
    {
        RefuseShimAttributes(cmd, factory);
    }
}

void
TransportOptions::RefuseShimAttributes(const CheckedCommandLine& cmd, const ObjectFactory& edge)
{
    // TYPE[ATTRIBUTE=VALUE|...]: what the stage sets itself is not for the command line.
    const std::string text = edge.Create<SwitchStage>()->GetSenderShim();
    const std::size_t bracket = text.find('[');
    std::istringstream list(text.substr(std::min(bracket + 1, text.size())));
    for (std::string item; bracket != std::string::npos && std::getline(list, item, '|');)
    {
        const std::string name = item.substr(0, item.find('='));
        const std::string path = text.substr(0, bracket) + "::" + name;
        if (cmd.IsGiven(path))
        {
            throw InputError("--" + path + " has no effect here, expected --" +
                             edge.GetTypeId().GetName() + "::" + name);
        }
    }
}

std::vector<ObjectFactory>
TransportOptions::GetStages(const std::string& option, const std::string& text)
{
    std::vector<ObjectFactory> factories;
    for (const std::string& part : SplitOutsideBrackets(text))
    {
        ObjectFactoryValue factory;
        factory.DeserializeFromString(ValueCheck::Factory(option, part, SwitchStage::GetTypeId()),
                                      MakeObjectFactoryChecker());
        factories.push_back(factory.Get());
    }
    return factories;
}

Network::Options
TransportOptions::MakeNetworkOptions() const
{
    Network::Options options;
    options.ecn = ecn;
    options.telemetry = telemetry;
    options.ecmpSeed = ecmpSeed ? ecmpSeed : RngSeedManager::GetRun();
    options.stages = GetStages("--stages", stages);
    options.edge = GetStages("--edge", edge);
    return options;
}

bool
TransportOptions::MarksEcn(bool interDc) const
{
    std::vector<ObjectFactory> factories = GetStages("--stages", stages);
    if (interDc)
    {
        const std::vector<ObjectFactory> more = GetStages("--edge", edge);
        factories.insert(factories.end(), more.begin(), more.end());
    }
    return ecn || std::any_of(factories.begin(), factories.end(), [](const ObjectFactory& factory) {
               return factory.Create<SwitchStage>()->MarksEcn();
           });
}

void
TransportOptions::CheckEcn(bool needed, bool interDc, const std::string& option) const
{
    if (needed && !MarksEcn(interDc))
    {
        throw InputError("--ecn=0 with " + option +
                         ", which needs ECN marks; expected --ecn=1 or a stage that marks "
                         "(--stages=PhantomQueue)");
    }
}

std::vector<std::string>
TransportOptions::Check(const Network& network) const
{
    Nic& nic = *network.GetNic(0);
    const PathInfo path = network.GetPath(0, network.GetNNics() - 1, 0);
    for (const bool interDc : {false, true})
    {
        // Throws for values that are good each by itself, but do not go together.
        nic.GetPrototype(interDc)->Fork();
        ObjectFactoryValue recovery;
        recovery.DeserializeFromString(nic.GetLossRecoveryFactory(interDc),
                                       MakeObjectFactoryChecker());
        PathInfo own = path;
        own.interDc = interDc;
        recovery.Get().Create<LossRecovery>()->ForQueuePair(own, 0);
    }
    for (const bool interDc : {false, true})
    {
        const Ptr<CongestionControl> law = nic.GetPrototype(interDc);
        const std::string option =
            interDc && !interCc.empty() ? "--interCc=" + interCc : "--cc=" + cc;
        if (!telemetry && law->NeedsTelemetry())
        {
            throw InputError("--int=0 with " + option +
                             ", which needs telemetry; expected --int=1");
        }
        CheckEcn(law->NeedsEcn(), interDc, option);
    }
    for (const bool interDc : {false, true})
    {
        CheckEcn(nic.GetSelectorPrototype(interDc)->NeedsEcn(),
                 interDc,
                 interDc && !interPaths.empty() ? "--interPaths=" + interPaths
                                                : "--" + pathsOption + "=" + paths);
    }
    const Ptr<CongestionControl> law = nic.GetPrototype(path.interDc)->Fork();
    law->Start(path, 0);
    std::vector<std::string> warnings = network.GetWarnings();
    if (const std::string warning = law->GetWarning(); !warning.empty())
    {
        warnings.push_back(
            (path.interDc && !interCc.empty() ? "--interCc=" + interCc : "--cc=" + cc) + ": " +
            warning);
    }
    nic.GetSelectorPrototype(path.interDc)->Fork()->Start(path, 0, 0);
    return warnings;
}

std::vector<UnusedOptions>
TransportOptions::GetUnused(const CheckedCommandLine& cmd,
                            const Network& network,
                            const std::vector<FlowSpec>& flows) const
{
    const std::array<bool, 2> scopes = FindScopes(network, flows);
    std::vector<UnusedOptions> unused = FindUnusedAttributes(cmd.GetGiven(), network, scopes);
    if (!scopes[true])
    {
        if (!edge.empty() && !HasRoutesThroughExternals(network))
        {
            unused.push_back({{"edge"}, "without flows between datacenters"});
        }
        unused.push_back(
            {{"interCc", "interLossRecovery", "interPaths"}, "without flows between datacenters"});
    }
    const std::tuple<std::string, std::string, bool> pairs[] = {
        {"cc", "interCc", interCc.empty()},
        {"lossRecovery", "interLossRecovery", interLossRecovery.empty()},
        {pathsOption, "interPaths", interPaths.empty()}};
    for (const auto& [name, interName, same] : pairs)
    {
        if (!scopes[false] && !same)
        {
            unused.push_back(
                {{name}, "with --" + interName + " and without flows within a datacenter"});
        }
    }
    if (!pfc)
    {
        const std::string sw = "ns3::roce::Switch::";
        unused.push_back({{"wanXonFraction",
                           sw + "HeadroomFactor",
                           sw + "HeadroomInBuffer",
                           sw + "PauseQuanta",
                           sw + "RefreshPause",
                           sw + "ResponseBytes",
                           sw + "XonOffset"},
                          "with --lossless=0"});
    }
    return unused;
}

} // namespace roce
} // namespace ns3
