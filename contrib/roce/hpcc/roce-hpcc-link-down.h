// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_HPCC_LINK_DOWN_H
#define ROCE_HPCC_LINK_DOWN_H

#include "roce-hpcc-config.h"
#include "roce-hpcc-topology.h"

#include "ns3/roce-network.h"

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief LINK_DOWN of a configuration, `us a b`: the link between nodes a and b fails at 2 s, when
 * that simulator's example flows start, plus this many microseconds; 0: no link fails.
 * @param config which may have the key
 * @param topology of the same run
 * @param network built
 * @param reroute whether routes change at once, as there
 * @throw InputError naming the key, for nodes that no link joins, or a time that is too late
 */
void HpccLinkDown(const HpccConfig& config,
                  const HpccTopology& topology,
                  Network& network,
                  bool reroute);

} // namespace ns3::roce

#endif /* ROCE_HPCC_LINK_DOWN_H */
