// SPDX-License-Identifier: GPL-2.0-only
#include "roce-port-set.h"

#include "roce-switch.h"

namespace ns3::roce
{

namespace
{

/// @return whether it has links to another datacenter
bool
IsBorder(const Switch& sw)
{
    for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
    {
        if (sw.IsWanPort(p))
        {
            return true;
        }
    }
    return false;
}

} // namespace

const NamedValues<PortSet>::Names&
PortSetNames()
{
    static const NamedValues<PortSet>::Names names = {{"all", PortSet::ALL},
                                                      {"host", PortSet::HOST},
                                                      {"fabric", PortSet::FABRIC},
                                                      {"wan", PortSet::WAN},
                                                      {"noWan", PortSet::NO_WAN},
                                                      {"noBorder", PortSet::NO_BORDER}};
    return names;
}

bool
IsIn(PortSet set, const Switch& sw, uint16_t port)
{
    // Without a look at the peer: the switch may have no links.
    if (set == PortSet::ALL)
    {
        return true;
    }
    if (set == PortSet::NO_BORDER)
    {
        const auto* peer = dynamic_cast<const Switch*>(sw.GetPort(port)->GetPeer()->GetOwner());
        return !IsBorder(sw) && !(peer && IsBorder(*peer));
    }
    if (sw.IsWanPort(port))
    {
        return set == PortSet::WAN;
    }
    return set == PortSet::NO_WAN || set == (sw.IsHostPort(port) ? PortSet::HOST : PortSet::FABRIC);
}

} // namespace ns3::roce
