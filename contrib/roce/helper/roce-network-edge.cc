/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-network.h"

#include "ns3/roce-input-error.h"

#include <algorithm>

// The stages that a user chooses: of all switches, and of the external ones.

namespace ns3
{
namespace roce
{

namespace
{

/// Refuse a type that is in a list twice. @param what such a stage is called @param factories list
void
RefuseTwice(const std::string& what, const std::vector<ObjectFactory>& factories)
{
    for (auto it = factories.begin(); it != factories.end(); ++it)
    {
        if (std::any_of(factories.begin(), it, [it](const ObjectFactory& before) {
                return before.GetTypeId() == it->GetTypeId();
            }))
        {
            throw InputError(what + " " + it->GetTypeId().GetName() +
                             " is there twice, expected each once");
        }
    }
}

} // namespace

void
Network::CheckLaws(const SwitchStage& stage) const
{
    for (const NicEntry& nic : m_nics)
    {
        stage.CheckLaw(*nic.nic->GetProfile(true)->GetLaw());
    }
}

void
Network::InstallStages(const Options& options)
{
    std::vector<ObjectFactory> all;
    if (options.ecn)
    {
        all.push_back(options.ecnMarker);
    }
    if (options.telemetry)
    {
        all.push_back(options.intStamper);
    }
    all.insert(all.end(), options.stages.begin(), options.stages.end());
    RefuseTwice("stage", all);
    for (const ObjectFactory& factory : options.stages)
    {
        const Ptr<SwitchStage> sample = factory.Create<SwitchStage>();
        CheckLaws(*sample);
        if (!sample->GetSenderShim().empty())
        {
            throw InputError("stage " + factory.GetTypeId().GetName() +
                             " steers the senders, expected it as an edge function");
        }
        if (std::any_of(options.edge.begin(), options.edge.end(), [&](const ObjectFactory& edge) {
                return edge.GetTypeId() == factory.GetTypeId();
            }))
        {
            throw InputError("stage " + factory.GetTypeId().GetName() +
                             " is an edge function, too, expected one of them");
        }
        for (const SwitchEntry& entry : m_switches)
        {
            entry.sw->Install(factory.Create<SwitchStage>());
        }
    }
}

void
Network::InstallEdge(const std::vector<ObjectFactory>& factories)
{
    std::string shim;
    std::string shimOwner;
    for (const ObjectFactory& factory : factories)
    {
        const std::string name = factory.GetTypeId().GetName();
        const Ptr<SwitchStage> sample = factory.Create<SwitchStage>();
        CheckLaws(*sample);
        if (const std::string wanted = sample->GetSenderShim(); !wanted.empty())
        {
            if (!shim.empty())
            {
                throw InputError("edge functions " + shimOwner + " and " + name +
                                 " both steer the senders, expected one of them");
            }
            shim = wanted;
            shimOwner = name;
        }
    }
    RefuseTwice("edge function", factories);
    uint32_t external = 0;
    for (const SwitchEntry& entry : m_switches)
    {
        bool wan = false;
        for (uint16_t p = 0; p < entry.sw->GetNPorts(); ++p)
        {
            wan = wan || entry.sw->IsWanPort(p);
        }
        external += wan;
        for (const ObjectFactory& factory : factories)
        {
            if (wan)
            {
                entry.sw->Install(factory.Create<SwitchStage>());
            }
        }
    }
    if (!factories.empty() && !external)
    {
        throw InputError("edge function " + factories[0].GetTypeId().GetName() +
                         ": no switch has a link to another datacenter, expected one that has");
    }
    for (const NicEntry& nic : m_nics)
    {
        if (!shim.empty())
        {
            nic.nic->SetInterShim(shim);
        }
    }
}

void
Network::CheckTimestamps() const
{
    // What an edge function replaces are stamps of data that leaves the datacenter.
    const auto nic = std::find_if(m_nics.begin(), m_nics.end(), [](const NicEntry& entry) {
        return entry.nic->GetProfile(true)->GetSelector()->NeedsTimestamp();
    });
    if (nic == m_nics.end())
    {
        return;
    }
    for (const SwitchEntry& entry : m_switches)
    {
        for (const Ptr<SwitchStage>& stage : entry.sw->GetStages())
        {
            if (stage->ReplacesTimestamps())
            {
                throw InputError(
                    "edge function " + stage->GetInstanceTypeId().GetName() +
                    " replaces the time stamps that " +
                    nic->nic->GetProfile(true)->GetSelector()->GetInstanceTypeId().GetName() +
                    " measures by, expected stamps of its own (SeparateTimestamp=true)");
            }
        }
    }
}

} // namespace roce
} // namespace ns3
