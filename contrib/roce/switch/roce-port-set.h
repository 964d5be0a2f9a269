// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PORT_SET_H
#define ROCE_PORT_SET_H

#include "ns3/roce-parameters.h"

#include <cstdint>

namespace ns3::roce
{

class Switch;

/// Which egress ports of switches are meant.
enum class PortSet : uint8_t
{
    ALL,
    HOST,
    FABRIC, //!< to switches of the same datacenter
    WAN,
    NO_WAN,
    NO_BORDER, //!< neither of nor to a switch with links to another datacenter
};

/// @return their names in attributes
const NamedValues<PortSet>::Names& PortSetNames();

/**
 * @param set ports
 * @param sw a switch whose links are there
 * @return whether it is one of them
 */
bool IsIn(PortSet set, const Switch& sw, uint16_t port);

} // namespace ns3::roce

#endif /* ROCE_PORT_SET_H */
