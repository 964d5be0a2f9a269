// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_HPCC_ECN_H
#define ROCE_HPCC_ECN_H

#include "roce-hpcc-config.h"
#include "roce-hpcc-topology.h"

#include <string>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief Marking curves of a configuration: KMIN_MAP, KMAX_MAP (kB of 1000 bytes) and PMAX_MAP.
 * @param config with all three of them, or none
 * @param topology of the same run
 * @param isMarking whether each port rate of the topology needs a curve
 * @return a value for EcnMarker::RateMap; empty: there are no maps
 * @throw InputError naming key and line, for a map or a rate that is missing, a Kmin above its
 * Kmax, a probability above 1, more than 2^53 bytes
 */
std::string HpccEcnCurves(const HpccConfig& config, const HpccTopology& topology, bool isMarking);

} // namespace ns3::roce

#endif /* ROCE_HPCC_ECN_H */
