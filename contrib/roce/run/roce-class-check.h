// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_CLASS_CHECK_H
#define ROCE_CLASS_CHECK_H

#include "ns3/roce-flow-spec.h"
#include "ns3/roce-network.h"
#include "ns3/roce-option-table.h"

#include <array>
#include <set>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
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

/**
 * @param network built
 * @param flows that run in it
 * @return whether there are flows within a datacenter, and between two
 */
std::array<bool, 2> FindScopes(const Network& network, const std::vector<FlowSpec>& flows);

/**
 * @brief Find attributes of types without an object in a network, such as those of an edge function
 * that is not installed.
 * @param given names of options, attributes (`ns3::roce::ReflexNsf::TInterval`) and global values
 * @param network built, with its loss models
 * @param scopes see FindScopes(): parts that only missing kinds of flows have count as absent
 * @return those of this module's types, by type
 */
std::vector<UnusedOptions> FindUnusedAttributes(const std::set<std::string>& given,
                                                const Network& network,
                                                const std::array<bool, 2>& scopes);

} // namespace ns3::roce

#endif /* ROCE_CLASS_CHECK_H */
