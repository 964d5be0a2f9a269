// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SWITCH_ROLE_H
#define ROCE_SWITCH_ROLE_H

#include <cstdint>

namespace ns3::roce
{

/// Which switches of a network are meant. A switch may have several of the roles.
enum class SwitchRole : uint8_t
{
    ALL,   //!< every switch
    TOR,   //!< with NICs
    SPINE, //!< neither TOR nor DCI, next to a TOR: spines, aggregation switches
    CORE,  //!< neither TOR nor DCI, next to no TOR
    DCI,   //!< with a link to another datacenter
};

/// Names of SwitchRole in options.
constexpr const char* SWITCH_ROLE_NAMES[] = {"all", "tor", "spine", "core", "dci"};

} // namespace ns3::roce

#endif /* ROCE_SWITCH_ROLE_H */
