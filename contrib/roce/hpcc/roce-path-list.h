// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PATH_LIST_H
#define ROCE_PATH_LIST_H

#include "roce-hpcc-topology.h"

#include "ns3/roce-flow-list.h"
#include "ns3/roce-network.h"

#include <cstdint>
#include <string>

namespace ns3::roce
{

/**
 * @brief Pin flows to given paths, to take differences of ECMP hashes out of a comparison.
 *
 * The file has the header `id,path_node_ids[,ack_path_node_ids]`, then lines such as
 * `3,78-132-136-130-38`: id is the flow's position in its list, from 0, and the nodes are those of
 * the topology file. A flow is pinned by choosing a UDP source port that the switches' hashes send
 * along that path; which one of parallel links it takes is not pinned. Flows not listed keep their
 * own. Without the third column ACKs have the port of the data, and so any path.
 *
 * @param topology the network's
 * @param network built
 * @param list flows, which get their source ports
 * @return number of flows pinned
 * @throw InputError naming file and line: bad field, unknown flow or node, a flow named twice, a
 *        path that does not lead from the flow's source to its destination, or one that no source
 *        port takes (routes are shortest paths only)
 */
uint64_t PinPaths(const std::string& path,
                  const HpccTopology& topology,
                  const Network& network,
                  FlowList& list);

} // namespace ns3::roce

#endif /* ROCE_PATH_LIST_H */
