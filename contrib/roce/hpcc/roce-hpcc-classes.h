// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_HPCC_CLASSES_H
#define ROCE_HPCC_CLASSES_H

#include "roce-hpcc-config.h"

#include "ns3/roce-flow-spec.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @ingroup roce
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

} // namespace ns3::roce

#endif /* ROCE_HPCC_CLASSES_H */
