// SPDX-License-Identifier: GPL-2.0-only
#include "roce-routing.h"

#include "ns3/roce-hash.h"

#include <algorithm>
#include <utility>

namespace ns3::roce
{

void
Routing::Configure(std::shared_ptr<const Attachments> attachments, int32_t ownRack, uint64_t salt)
{
    m_attachments = std::move(attachments);
    m_rackOfNic = m_attachments->rackOfNic.data();
    m_portOfNic = m_attachments->portOfNic.data();
    m_ownRack = ownRack;
    // The salts given are small numbers; spread them over all bits.
    m_salt = Mix64(salt + 0x9e3779b97f4a7c15ULL);
}

void
Routing::SetClasses(std::shared_ptr<const std::vector<uint32_t>> classOfRack)
{
    m_classes = std::move(classOfRack);
    m_classOfRack = m_classes->data();
    m_groups.clear();
    m_ports.clear();
    m_paths.clear();
}

void
Routing::SetGroup(uint32_t rackClass, const std::vector<uint16_t>& ports)
{
    if (m_groups.size() <= rackClass)
    {
        m_groups.resize(rackClass + 1);
    }
    // Classes reached through the same ports share one run.
    auto it = std::search(m_ports.begin(), m_ports.end(), ports.begin(), ports.end());
    m_groups[rackClass] = {static_cast<uint32_t>(it - m_ports.begin()),
                           static_cast<uint32_t>(ports.size())};
    if (it == m_ports.end())
    {
        m_ports.insert(m_ports.end(), ports.begin(), ports.end());
    }
}

void
Routing::SetPaths(uint32_t rackClass, std::vector<PathEntry> paths)
{
    std::vector<uint16_t> group;
    for (const PathEntry& path : paths)
    {
        group.push_back(path.port);
    }
    // One port that is no port: Route() need not ask whether there is a policy.
    SetGroup(rackClass, paths.size() > 1 ? std::vector<uint16_t>{CHOOSE} : group);
    m_paths.resize(std::max(m_paths.size(), m_groups.size()));
    const auto detour =
        std::find_if(paths.begin(), paths.end(), [](const PathEntry& path) { return path.detour; });
    m_paths[rackClass].shortest = static_cast<uint32_t>(detour - paths.begin());
    m_paths[rackClass].entries = std::move(paths);
}

uint16_t
Routing::Foresee(uint32_t src, uint32_t dst, uint16_t entropy, bool detours) const
{
    const uint16_t port = Route(src, dst, entropy);
    if (port != CHOOSE)
    {
        return port;
    }
    const PathList paths = GetPaths(dst);
    return std::max_element(
               paths.entries,
               paths.entries + (detours ? paths.all : paths.shortest),
               [](const PathEntry& a, const PathEntry& b) { return a.delayPs < b.delayPs; })
        ->port;
}

std::vector<uint16_t>
Routing::GetGroup(uint32_t rack) const
{
    if (m_keepsPaths)
    {
        std::vector<uint16_t> ports;
        const Paths& paths = m_paths.at(m_classes->at(rack));
        for (uint32_t i = 0; i < paths.shortest; ++i)
        {
            ports.push_back(paths.entries[i].port);
        }
        return ports;
    }
    const Group group = m_groups.at(m_classes->at(rack));
    return {m_ports.begin() + group.first, m_ports.begin() + group.first + group.count};
}

} // namespace ns3::roce
