// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_CLASS_CHECK_H
#define ROCE_CLASS_CHECK_H

#include "ns3/roce-network.h"

#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief Look for flows in traffic classes that are not meant for data.
 * @param network built
 * @param flows of the run
 * @param lossyOnPurpose do not report that PFC leaves out some classes that have data
 * @return a line for each of: classes whose frames use the switches' control pool, classes that go
 * before all others, classes that PFC does not protect although it protects others
 */
std::vector<std::string> CheckClasses(const Network& network,
                                      const std::vector<FlowSpec>& flows,
                                      bool lossyOnPurpose);

} // namespace ns3::roce

#endif /* ROCE_CLASS_CHECK_H */
