// SPDX-License-Identifier: GPL-2.0-only
#include "roce-transport-options.h"

#include "roce-class-check.h"
#include "roce-nvidia-names.h"

#include "ns3/config.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/roce-congestion-control.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-loss-recovery.h"
#include "ns3/roce-path-policy.h"
#include "ns3/roce-path-selector.h"
#include "ns3/roce-tcp-flows.h"
#include "ns3/roce-tuner.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>
#include <vector>

namespace ns3::roce
{

namespace
{

/**
 * Cut the role off a stage's text.
 * @param option for messages
 * @param text ROLE:STAGE or STAGE; STAGE afterwards
 * @return the role, by default ALL
 */
SwitchRole
TakeRole(const std::string& option, std::string& text)
{
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || text.find('[') < colon || text.substr(colon, 2) == "::")
    {
        return SwitchRole::ALL;
    }
    const std::string name = text.substr(0, colon);
    const auto role = std::find(std::begin(SWITCH_ROLE_NAMES), std::end(SWITCH_ROLE_NAMES), name);
    if (role == std::end(SWITCH_ROLE_NAMES))
    {
        throw InputError(option + " has role '" + name +
                         "', expected all, tor, spine, core or dci");
    }
    text.erase(0, colon + 1);
    return static_cast<SwitchRole>(role - std::begin(SWITCH_ROLE_NAMES));
}

/// What switches do without a policy.
const char* const ECMP = "Ecmp";

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
    if (externals.empty())
    {
        return false;
    }
    std::map<uint32_t, std::set<uint32_t>> racks; // by datacenter
    for (uint32_t nic = 0; nic < network.GetNNics(); ++nic)
    {
        racks[network.GetDatacenter(nic)].insert(network.GetRack(nic));
    }
    for (uint32_t s = 0; s < network.GetNSwitches(); ++s)
    {
        const Ptr<Switch> sw = network.GetSwitch(s);
        std::vector<bool> leadsThere(sw->GetNPorts());
        for (uint16_t p = 0; p < sw->GetNPorts(); ++p)
        {
            leadsThere[p] = externals.count(sw->PeekPort(p)->GetPeer()->GetOwner());
        }
        if (std::find(leadsThere.begin(), leadsThere.end(), true) == leadsThere.end())
        {
            continue; // of a large network, nearly all
        }
        for (const uint32_t rack : racks[sw->GetDatacenter()])
        {
            for (const uint16_t p : sw->GetRouting().GetGroup(rack))
            {
                if (leadsThere[p])
                {
                    return true;
                }
            }
        }
    }
    return false;
}

} // namespace

std::vector<std::string>
TransportOptions::SplitOutsideBrackets(const std::string& text)
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

void
TransportOptions::AddOptions(CheckedCommandLine& cmd)
{
    AddTypes(cmd);
    laws.AddOptions(cmd);
    cmd.AddAttributeFile(
        "nvidia",
        "File of lines such as rpg_ai_rate=50, or what mlxconfig query or grep . in "
        "/sys/class/net prints: DCQCN and ECN by NVIDIA's names",
        &NvidiaNames::Read);
    // Types of the program itself and of other libraries are among them.
    const std::string stageTypes = ValueCheck::KnownTypes(SwitchStage::GetTypeId());
    cmd.AddValue("stages",
                 "What runs on switches, with commas between: " + stageTypes +
                     "; attributes may follow; tor:, spine:, core: or dci: in front of one chooses "
                     "switches, otherwise all",
                 stages);
    cmd.AddValue("edge",
                 "Stages of external switches (as dci: in --stages), with commas between: " +
                     stageTypes + "; attributes may follow",
                 edge)
        .UnusedIf([this] { return !m_scopes[true] && !m_passesExternals; },
                  "without flows between datacenters");
    cmd.AddValue("lossless", "PFC protects data; otherwise switches drop excess frames", pfc);
    const std::string sw = "ns3::roce::Switch::";
    cmd.AddUnusedAttributes({sw + "HeadroomFactor",
                             sw + "HeadroomInBuffer",
                             sw + "PauseQuanta",
                             sw + "RefreshPause",
                             sw + "ResponseBytes",
                             sw + "XonOffset"},
                            UnusedWhile([this] { return !pfc; }, "with --lossless=0"));
    cmd.AddValue("ecn", "Switches mark ECN", ecn);
    cmd.AddValue("int", "Switches stamp in-band telemetry", telemetry);
    cmd.AddValue("ecmpSeed", "Salt of the ECMP hashes; 0: as --seed", ecmpSeed);
}

/// Options that name a type; what NICs have, for flows within a datacenter and between two.
void
TransportOptions::AddTypes(CheckedCommandLine& cmd)
{
    const auto addPair = [&](const std::string& name,
                             const std::string& help,
                             std::string& type,
                             const std::string& interName,
                             std::string& interType,
                             const TypeId& base,
                             const std::string& attribute,
                             const std::vector<std::string>& words = {}) {
        std::vector<std::string> interWords = words;
        interWords.emplace_back();
        cmd.AddFactory(name, help, type, base, words)
            .Replaces("ns3::roce::Nic::" + attribute)
            .UnusedIf([this, &interType] { return !m_scopes[false] && !interType.empty(); },
                      "with --" + interName + " and without flows within a datacenter");
        cmd.AddFactory(interName,
                       "The same for flows between datacenters; empty: as --" + name,
                       interType,
                       base,
                       interWords)
            .Replaces("ns3::roce::Nic::Inter" + attribute)
            .UnusedIf([this] { return !m_scopes[true]; }, "without flows between datacenters");
    };
    const auto known = [](const TypeId& base) { return ValueCheck::KnownTypes(base); };
    const TypeId laws = CongestionControl::GetTypeId();
    addPair("cc",
            "Rate law: none, or one of " + known(laws) + "; [Attribute=value|...] may follow",
            cc,
            "interCc",
            interCc,
            laws,
            "CongestionControl",
            {"none"});
    const TypeId recoveries = LossRecovery::GetTypeId();
    addPair("lossRecovery",
            known(recoveries) + "; attributes may follow",
            lossRecovery,
            "interLossRecovery",
            interLossRecovery,
            recoveries,
            "LossRecovery");
    const TypeId selectors = PathSelector::GetTypeId();
    addPair("paths",
            known(selectors) + " (FlowHash is ECMP); attributes may follow",
            paths,
            "interPaths",
            interPaths,
            selectors,
            "PathSelector");
    const TypeId policies = PathPolicy::GetTypeId();
    cmd.AddFactory("pathPolicy",
                   "How switches choose among several ways: Ecmp, or one of " + known(policies) +
                       "; attributes may follow",
                   pathPolicy,
                   policies,
                   {ECMP});
    cmd.AddFactory("edgePathPolicy",
                   "The same for external switches; empty: as --pathPolicy",
                   edgePathPolicy,
                   policies,
                   {ECMP, ""})
        .UnusedIf([this] { return !m_scopes[true] && !m_passesExternals; },
                  "without flows between datacenters");
    cmd.AddValue("detours",
                 "External switches with a policy may choose ways out of their datacenter that are "
                 "a link longer than the shortest",
                 detours);
    const TypeId tuners = Tuner::GetTypeId();
    cmd.AddFactory("tuner",
                   "Tuner of parameters during the simulation: " + known(tuners) +
                       "; attributes may follow",
                   tuner,
                   tuners,
                   {""});
}

void
TransportOptions::Apply(const CheckedCommandLine& cmd) const
{
    const auto set = [](const char* attribute, const std::string& text, const TypeId& base) {
        const std::string type = text == "none" ? "LineRate" : text;
        Config::SetDefault(
            std::string("ns3::roce::Nic::") + attribute,
            StringValue(type.empty() ? "" : ValueCheck::Factory(attribute, type, base)));
    };
    set("CongestionControl", cc, CongestionControl::GetTypeId());
    set("InterCongestionControl", interCc, CongestionControl::GetTypeId());
    set("LossRecovery", lossRecovery, LossRecovery::GetTypeId());
    set("InterLossRecovery", interLossRecovery, LossRecovery::GetTypeId());
    set("PathSelector", paths, PathSelector::GetTypeId());
    set("InterPathSelector", interPaths, PathSelector::GetTypeId());
    if (!pfc)
    {
        if (cmd.IsGiven("ns3::roce::Switch::LosslessClasses"))
        {
            throw InputError("--lossless=0 with --ns3::roce::Switch::LosslessClasses, expected one "
                             "of them");
        }
        Config::SetDefault("ns3::roce::Switch::LosslessClasses", UintegerValue(0));
    }
    for (const StagePlacement& placement : GetStages())
    {
        RefuseShimAttributes(cmd, placement.stage);
    }
}

void
TransportOptions::RefuseShimAttributes(const CheckedCommandLine& cmd, const ObjectFactory& stage)
{
    // TYPE[ATTRIBUTE=VALUE|...]: attributes that the stage sets itself are not for the command
    // line.
    const std::string text = stage.Create<SwitchStage>()->GetSenderShim();
    const std::size_t bracket = text.find('[');
    std::istringstream list(text.substr(std::min(bracket + 1, text.size())));
    for (std::string item; bracket != std::string::npos && std::getline(list, item, '|');)
    {
        const std::string name = item.substr(0, item.find('='));
        const std::string path = text.substr(0, bracket) + "::" + name;
        if (cmd.IsGiven(path))
        {
            throw InputError("--" + path + " has no effect here, expected --" +
                             stage.GetTypeId().GetName() + "::" + name);
        }
    }
}

std::vector<StagePlacement>
TransportOptions::GetStages() const
{
    std::vector<StagePlacement> placements;
    const auto add = [&](const std::string& option, std::string text, SwitchRole where) {
        ObjectFactoryValue factory;
        factory.DeserializeFromString(ValueCheck::Factory(option, text, SwitchStage::GetTypeId()),
                                      MakeObjectFactoryChecker());
        placements.emplace_back(factory.Get(), where);
    };
    for (std::string text : SplitOutsideBrackets(stages))
    {
        const SwitchRole where = TakeRole("--stages", text);
        add("--stages", text, where);
    }
    for (const std::string& text : SplitOutsideBrackets(edge))
    {
        add("--edge", text, SwitchRole::DCI);
    }
    return placements;
}

Network::Options
TransportOptions::MakeNetworkOptions() const
{
    Network::Options options;
    options.ecn = ecn;
    options.telemetry = telemetry;
    options.ecmpSeed = ecmpSeed ? ecmpSeed : RngSeedManager::GetRun();
    options.stages = GetStages();
    const auto make = [](const char* what, const std::string& text, const TypeId& base) {
        ObjectFactoryValue factory;
        factory.DeserializeFromString(ValueCheck::Factory(what, text, base),
                                      MakeObjectFactoryChecker());
        return factory.Get();
    };
    if (!tuner.empty())
    {
        options.tuner = make("a tuner", tuner, Tuner::GetTypeId());
    }
    const auto addPolicy = [&](const std::string& text, std::optional<ObjectFactory>& policy) {
        if (text != ECMP)
        {
            policy = make("a path policy", text, PathPolicy::GetTypeId());
        }
    };
    addPolicy(pathPolicy, options.pathPolicy);
    addPolicy(edgePathPolicy.empty() ? pathPolicy : edgePathPolicy, options.edgePathPolicy);
    options.detours = detours;
    return options;
}

namespace
{

/// @return "0.32 ms"
std::string
Milliseconds(double ps)
{
    std::ostringstream text;
    text << std::setprecision(4) << ps / 1e9 << " ms";
    return text.str();
}

/// @return its type without ns3::roce::
std::string
NameOf(const Object& object)
{
    const std::string name = object.GetInstanceTypeId().GetName();
    return name.substr(name.rfind(':') + 1);
}

/// @return a warning if flows fail while their frames merely wait, or nothing
std::string
CheckPatience(const Network& network, const FlowSpec& flow)
{
    Nic& nic = *network.GetNic(flow.src);
    const PathInfo path = network.GetPath(flow.src, flow.dst, 0, flow.trafficClass);
    const Ptr<LossRecovery> recovery =
        nic.GetProfile(path.interDc)->GetRecovery()->ForQueuePair(path, nic.GetRtoFloorPs(path));
    const auto longestPs = static_cast<double>(recovery->GetLongestTimeoutPs(nic.GetRtoPs(path)));
    const double patiencePs = longestPs * (nic.GetRetryLimit() + 1.0);
    // Without PFC it is rare that one port has as much of the buffer.
    if (!path.lossless || !nic.GetRetryLimit() ||
        patiencePs >= static_cast<double>(path.fullQueuePs))
    {
        return "";
    }
    return NameOf(*recovery) + (path.interDc ? " between datacenters" : "") +
           ": flows fail after " + std::to_string(nic.GetRetryLimit() + 1) + " timeouts of " +
           Milliseconds(longestPs) + ", but a full buffer between NIC " + std::to_string(flow.src) +
           " and NIC " + std::to_string(flow.dst) + " takes " +
           Milliseconds(static_cast<double>(path.fullQueuePs)) +
           " to drain; longer timeouts or --ns3::roce::Nic::RetryLimit=0 would let them wait";
}

/// @return a warning if packets that overtake cause repeats, or nothing
std::string
CheckOrder(const Network& network, const FlowSpec& flow)
{
    const bool interDc = network.GetDatacenter(flow.src) != network.GetDatacenter(flow.dst);
    const TransportProfile& profile = *network.GetNic(flow.src)->GetProfile(interDc);
    std::string spreader =
        profile.GetSelector()->IsPerPacket() ? NameOf(*profile.GetSelector()) : "";
    for (uint32_t s = 0; s < network.GetNSwitches() && spreader.empty(); ++s)
    {
        const Ptr<PathPolicy> policy = network.GetSwitch(s)->GetPathPolicy();
        spreader = policy && policy->IsPerPacket() ? NameOf(*policy) : "";
    }
    if (spreader.empty() || !profile.GetRecovery()->NeedsOrder())
    {
        return "";
    }
    return spreader + (interDc ? " between datacenters" : "") +
           " sends packets on several paths, and " + NameOf(*profile.GetRecovery()) +
           " repeats each that another one overtakes; SelectiveRepeat[ReorderPackets=64] or "
           "PacketTimers would bear that";
}

} // namespace

std::vector<std::string>
TransportOptions::CheckRecovery(const Network& network, const std::vector<FlowSpec>& flows)
{
    std::vector<std::string> warnings;
    for (const auto check : {&CheckPatience, &CheckOrder})
    {
        std::string warning;
        for (const bool interDc : {false, true})
        {
            const auto flow = std::find_if(flows.begin(), flows.end(), [&](const FlowSpec& f) {
                return !TcpFlows::IsTcp(f) &&
                       interDc == (network.GetDatacenter(f.src) != network.GetDatacenter(f.dst));
            });
            if (flow != flows.end() && warning.empty())
            {
                warning = check(network, *flow);
            }
        }
        if (!warning.empty())
        {
            warnings.push_back(warning);
        }
    }
    return warnings;
}

std::vector<std::string>
TransportOptions::Check(const Network& network) const
{
    const auto [first, last] = network.FindPair();
    Nic& nic = *network.GetNic(first);
    const PathInfo path = network.GetPath(first, last, 0);
    for (const bool interDc : {false, true})
    {
        // Throws for values that are good each by itself, but do not go together.
        const TransportProfile& profile = *nic.GetProfile(interDc);
        profile.GetLaw()->Fork();
        PathInfo own = path;
        own.interDc = interDc;
        profile.GetRecovery()->ForQueuePair(own, 0);
    }
    const Ptr<CongestionControl> law = nic.GetProfile(path.interDc)->GetLaw()->Fork();
    law->Start(path, 0);
    std::vector<std::string> warnings = network.GetWarnings();
    if (const std::string warning = law->GetWarning(); !warning.empty())
    {
        warnings.push_back(
            (path.interDc && !interCc.empty() ? "--interCc=" + interCc : "--cc=" + cc) + ": " +
            warning);
    }
    nic.GetProfile(path.interDc)->GetSelector()->Fork()->Start(path, 0, 0);
    return warnings;
}

std::vector<UnusedOptions>
TransportOptions::FindUnused(const CheckedCommandLine& cmd,
                             const Network& network,
                             const std::vector<FlowSpec>& flows)
{
    m_scopes = FindScopes(network, flows);
    m_passesExternals = m_scopes[true] || HasRoutesThroughExternals(network);
    std::set<std::string> given = cmd.GetGiven();
    for (auto name = given.begin(); name != given.end() && !laws.tcpLaws.empty();)
    {
        // There is a device as soon as flows are installed.
        name = name->rfind("ns3::roce::RoceNetDevice::", 0) == 0 ? given.erase(name) : ++name;
    }
    return FindUnusedAttributes(given, network, m_scopes);
}

} // namespace ns3::roce
