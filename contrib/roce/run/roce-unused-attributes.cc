// SPDX-License-Identifier: GPL-2.0-only
#include "roce-unused-attributes.h"

#include "ns3/object-factory.h"
#include "ns3/roce-flow-application.h"
#include "ns3/roce-tuner.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ns3::roce
{

namespace
{

const std::string MODULE = "ns3::roce::";

/// Types of what queue pairs have. @param nic of the sender @param interDc see Nic::GetProfile()
/// @param used filled in
void
AddQueuePairTypes(Nic& nic, bool interDc, std::set<TypeId>& used)
{
    const TransportProfile& profile = *nic.GetProfile(interDc);
    for (Ptr<const CongestionControl> law = profile.GetLaw(); law; law = law->GetInnerLaw())
    {
        used.insert(law->GetInstanceTypeId());
    }
    used.insert(profile.GetFeedback()->GetInstanceTypeId());
    used.insert(profile.GetRecovery()->GetInstanceTypeId());
    used.insert(profile.GetSelector()->GetInstanceTypeId());
}

/// @return the types of all objects of a network
std::set<TypeId>
FindUsedTypes(const Network& network, const std::array<bool, 2>& scopes)
{
    std::set<TypeId> used{FlowApplication::GetTypeId()};
    if (const Ptr<Tuner> tuner = network.GetTuner())
    {
        used.insert(tuner->GetInstanceTypeId());
    }
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        for (const bool interDc : {false, true})
        {
            if (scopes[interDc])
            {
                AddQueuePairTypes(*network.GetNic(n), interDc, used);
            }
        }
    }
    for (uint32_t s = 0; s < network.GetNSwitches(); ++s)
    {
        const Ptr<Switch> sw = network.GetSwitch(s);
        used.insert(sw->GetInstanceTypeId());
        for (uint16_t p = 0; p < sw->GetNPorts(); ++p)
        {
            used.insert(sw->GetQueue(p).GetInstanceTypeId());
        }
        for (const Ptr<SwitchStage>& stage : sw->GetStages())
        {
            used.insert(stage->GetInstanceTypeId());
        }
    }
    for (const Ptr<Port>& port : network.GetPorts())
    {
        used.insert(port->GetInstanceTypeId());
        used.insert(port->GetLink()->GetInstanceTypeId());
        if (const Ptr<LossModel> model = port->GetLossModel())
        {
            used.insert(model->GetInstanceTypeId());
        }
    }
    return used;
}

/// @return names of the loss recoveries if none of them looks at it, or nothing
std::string
FindIgnorants(LossRecovery::NicTimeout what,
              const Network& network,
              const std::array<bool, 2>& scopes)
{
    std::set<std::string> names;
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        for (const bool interDc : {false, true})
        {
            const Ptr<TransportProfile> profile =
                scopes[interDc] ? network.GetNic(n)->GetProfile(interDc) : nullptr;
            if (profile && profile->GetRecovery()->LooksAt(what))
            {
                return "";
            }
            if (profile)
            {
                const std::string type =
                    profile->GetRecovery()->GetInstanceTypeId().GetName().substr(MODULE.size());
                names.insert(type);
            }
        }
    }
    std::string text;
    for (const std::string& name : names)
    {
        text += (text.empty() ? "" : " and ") + name;
    }
    return text;
}

} // namespace

std::array<bool, 2>
FindScopes(const Network& network, const std::vector<FlowSpec>& flows)
{
    std::array<bool, 2> scopes{};
    for (const FlowSpec& flow : flows)
    {
        scopes[network.GetDatacenter(flow.src) != network.GetDatacenter(flow.dst)] = true;
    }
    return scopes;
}

std::vector<UnusedOptions>
FindUnusedAttributes(const std::set<std::string>& given,
                     const Network& network,
                     const std::array<bool, 2>& scopes)
{
    std::vector<UnusedOptions> unused;
    std::set<TypeId> used;
    for (const std::string& name : given)
    {
        const std::string type = name.substr(0, name.rfind("::"));
        TypeId tid;
        if (name.compare(0, MODULE.size(), MODULE) != 0 ||
            !TypeId::LookupByNameFailSafe(type, &tid))
        {
            continue;
        }
        if (used.empty())
        {
            used = FindUsedTypes(network, scopes);
        }
        if (std::none_of(used.begin(), used.end(), [&tid](const TypeId& candidate) {
                return candidate == tid || candidate.IsChildOf(tid);
            }))
        {
            unused.push_back({{name}, "since there is no " + type.substr(MODULE.size())});
        }
    }
    const std::pair<const char*, LossRecovery::NicTimeout> timeouts[] = {
        {"RtoFactor", LossRecovery::NicTimeout::RTO_FACTOR},
        {"RtoMin", LossRecovery::NicTimeout::RTO_MIN}};
    for (const auto& [attribute, what] : timeouts)
    {
        const std::string name = MODULE + "Nic::" + attribute;
        const std::string recoveries =
            given.count(name) ? FindIgnorants(what, network, scopes) : "";
        if (!recoveries.empty())
        {
            unused.push_back({{name}, "with the timeouts of " + recoveries});
        }
    }
    return unused;
}

} // namespace ns3::roce
