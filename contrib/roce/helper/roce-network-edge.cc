/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-input-error.h"
#include "roce-network.h"

#include <algorithm>

// What runs on the external switches of a Network.

namespace ns3
{
namespace roce
{

namespace
{

void
RefuseTwice(const std::vector<ObjectFactory>& factories)
{
    for (auto it = factories.begin(); it != factories.end(); ++it)
    {
        if (std::any_of(factories.begin(), it, [it](const ObjectFactory& before) {
                return before.GetTypeId() == it->GetTypeId();
            }))
        {
            throw InputError("edge function " + it->GetTypeId().GetName() +
                             " is there twice, expected each once");
        }
    }
}

} // namespace

void
Network::InstallEdge(const std::vector<ObjectFactory>& factories)
{
    std::string shim;
    std::string shimOwner;
    for (const ObjectFactory& factory : factories)
    {
        const std::string name = factory.GetTypeId().GetName();
        const Ptr<SwitchStage> sample = factory.Create<SwitchStage>();
        for (const NicEntry& nic : m_nics)
        {
            sample->CheckLaw(*nic.nic->GetPrototype(true));
        }
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
    RefuseTwice(factories);
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
        return entry.nic->GetSelectorPrototype(true)->NeedsTimestamp();
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
                    nic->nic->GetSelectorPrototype(true)->GetInstanceTypeId().GetName() +
                    " measures by, expected stamps of its own (SeparateTimestamp=true)");
            }
        }
    }
}

} // namespace roce
} // namespace ns3
