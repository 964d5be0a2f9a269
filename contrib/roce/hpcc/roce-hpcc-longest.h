// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_HPCC_LONGEST_H
#define ROCE_HPCC_LONGEST_H

#include "roce-hpcc-topology.h"

#include <cstdint>

namespace ns3::roce
{

/**
 * @brief What the HPCC simulator gives every flow with GLOBAL_T 1: the longest base RTT and the
 * largest bandwidth-delay product, over all pairs of hosts.
 *
 * They come from the file, without a network: they become defaults, which must be set before any
 * object is made.
 */
struct HpccLongest
{
    int64_t rttPs{0};     //!< see HpccIdeal::BaseRttPs()
    uint64_t bdpBytes{0}; //!< base RTT times lowest rate on the path
    bool isProduct{true}; //!< bdpBytes is rttPs times the rate of each host's link

    /**
     * @param topology read
     * @param payloadBytes payload of a full packet
     * @return both; of several shortest paths of a pair, the one with the longest base RTT counts
     */
    static HpccLongest Find(const HpccTopology& topology, uint32_t payloadBytes);
};

} // namespace ns3::roce

#endif /* ROCE_HPCC_LONGEST_H */
