// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_HPCC_NETWORK_H
#define ROCE_HPCC_NETWORK_H

#include "roce-hpcc-config.h"
#include "roce-hpcc-topology.h"

#include "ns3/roce-flow-spec.h"
#include "ns3/roce-network.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Marking curves of a configuration: KMIN_MAP, KMAX_MAP (kB of 1000 bytes) and PMAX_MAP.
 * @param config with all three of them, or none
 * @param topology of the same run
 * @param isMarking whether each port rate of the topology needs a curve
 * @return a value for EcnMarker::RateMap; empty: there are no maps
 * @throw InputError naming key and line, for a map or a rate that is missing, a Kmin above its
 * Kmax, a probability above 1, more than 2^53 bytes
 */
std::string HpccEcnCurves(const HpccConfig& config, const HpccTopology& topology, bool isMarking);

/**
 * @brief The traffic classes of a list of flows, as the HPCC simulator serves them (`pg`).
 *
 * PFC protects all classes that have flows. In that simulator switches serve the queues 1 to 7
 * frame by frame in turn, and queue 0 before them: it is that of pauses and, with ACK_HIGH_PRIO, of
 * ACKs, and knows neither PFC nor ECN nor a limit. ACKs have the class of their data otherwise.
 * With its profile it is so here; without, schedulers and control class are this module's.
 * @param flows of the run
 * @param config for ACK_HIGH_PRIO
 * @param isProfile see above
 * @param set sets the default of an attribute
 */
void ApplyHpccClasses(
    const std::vector<FlowSpec>& flows,
    const HpccConfig& config,
    bool isProfile,
    const std::function<void(const std::string& attribute, const std::string& value)>& set);

/**
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

#endif /* ROCE_HPCC_NETWORK_H */
