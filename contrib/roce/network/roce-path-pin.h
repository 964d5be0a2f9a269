// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PATH_PIN_H
#define ROCE_PATH_PIN_H

#include "roce-network.h"

#include "ns3/roce-flow-spec.h"

#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Send flows through given switches instead of those that their hashes would pick.
 *
 * For a bottleneck that is known: a rack's flows share one uplink if they all go through one spine
 * (MLCC, section 2.2, Experiment 2, whose eight flows would find 200 Gbit/s of uplinks otherwise).
 * A flow is pinned by a UDP source port that the switches' hashes send along such a path; ACKs have
 * the same port and the hash of their own direction. Flows that have a source port keep it.
 *
 * @param network built
 * @param switches names, such as dc0-spine0; each flow takes one of its shortest paths with as many
 *        of them as possible
 * @param flows get their source ports
 * @throw InputError for a name that no path of any flow has
 */
void PinThrough(const Network& network,
                const std::vector<std::string>& switches,
                std::vector<FlowSpec>& flows);

/**
 * @brief PinThrough() with names joined by commas.
 * @param network built
 * @param switches such as "dc0-spine0,dc1-spine0"
 * @param flows get their source ports
 */
void PinThrough(const Network& network, const std::string& switches, std::vector<FlowSpec>& flows);

} // namespace ns3::roce

#endif /* ROCE_PATH_PIN_H */
