// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network-division.h"
#include "roce-network.h"

#include "ns3/roce-tuner.h"

#include <algorithm>
#include <limits>

// What a Tuner knows of the network.

namespace ns3::roce
{

void
Network::InstallTuner(const ObjectFactory& factory)
{
    TunedNetwork network;
    for (const auto& entry : m_parts.nics)
    {
        network.nics.push_back(entry.nic);
        network.hasInterDc = network.hasInterDc || entry.datacenter != m_parts.nics[0].datacenter;
    }
    for (uint32_t s = 0; s < GetNSwitches(); ++s)
    {
        network.switches.push_back(m_parts.switches[s].sw);
        network.isTor.push_back(HasRole(s, SwitchRole::TOR));
    }
    network.pathInfo = [this](uint32_t src, uint32_t dst) { return GetPath(src, dst, 0); };
    network.catchUp = [this] { CatchUp(); };
    network.noteShared = [this] { m_division->NoteShared(); };
    network.isDone = [this] { return IsSimulatorDone(); };
    network.ranks = [this] { return GetRanks(); };
    m_tuner = factory.Create<Tuner>();
    m_tuner->Install(std::move(network));
}

Ptr<Tuner>
Network::GetTuner() const
{
    return m_tuner;
}

} // namespace ns3::roce
