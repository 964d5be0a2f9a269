// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_HOST_PLACEMENT_H
#define ROCE_HOST_PLACEMENT_H

#include <cstdint>
#include <vector>

namespace ns3::roce
{

/// @brief Where each host is; hosts are the NIC indices 0..nHosts-1 of FlowSpec.
struct HostPlacement
{
    uint32_t nHosts{0};                 //!< number of hosts, at least 2
    std::vector<uint32_t> datacenterOf; //!< per host, 0..D-1; empty: one datacenter
    std::vector<uint32_t> rackOf;       //!< per host, unique within its datacenter; empty: unknown
};

/// What a load of 1 means. All loads count payload bytes, without headers and retransmissions.
enum class LoadReference
{
    Host,   //!< mean payload offered per host, over the rate of the host's link
    Uplink, //!< payload offered between racks, over the sum of all leaf-to-spine capacities
    Wan,    //!< payload offered out of the busiest datacenter, over its WAN capacity that way
    /**
     * The greater one of Host and Wan, so that neither carries more than the load (Uno, section
     * 5.1, whose 4:1 mix would overload its WAN links at any usual load of the hosts).
     */
    Bottleneck
};

/// The capacities to which a load refers; only those of the reference need be given.
struct LoadCapacity
{
    LoadReference reference{LoadReference::Host}; //!< which of them
    uint64_t hostRateBps{0};                      //!< rate of one host's link, bit/s
    uint64_t uplinkBps{0}; //!< sum over all leaf switches of the capacity towards the spines, bit/s
    uint64_t wanBps{0};    //!< capacity out of one datacenter, one direction, bit/s
};

} // namespace ns3::roce

#endif /* ROCE_HOST_PLACEMENT_H */
