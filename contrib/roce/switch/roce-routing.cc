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

std::vector<uint16_t>
Routing::GetGroup(uint32_t rack) const
{
    const Group group = m_groups.at(m_classes->at(rack));
    return {m_ports.begin() + group.first, m_ports.begin() + group.first + group.count};
}

} // namespace ns3::roce
