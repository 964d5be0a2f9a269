// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_VALUES_IN_FORCE_H
#define ROCE_VALUES_IN_FORCE_H

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ns3::roce
{

class Network;

/**
 * @brief Every attribute of a network's parts, with its effective value, for summary.json: NICs,
 * switches with their buffers, schedulers and stages, and what queue pairs are made of.
 * @param network built
 * @return by role ("nic", "switch", "scheduler", "stage", "intra.congestionControl", ...), a list
 * of {type, count, values, from}: objects of a role that have the same values are one entry; from
 * is AttributeInForce::from of each value. A switch port also has its ECN thresholds
 */
nlohmann::ordered_json ValuesInForce(const Network& network);

/**
 * @brief What the option --PrintProfile prints: every parameter of a type with its effective value.
 * @param text as options that name types take it: `Dcqcn[Profile=nvidia]`, `ns3::roce::Switch`, a
 *        class of a program's own
 * @return a table: parameter, value with its unit, where it comes from (AttributeInForce::from),
 *         what values there are, help
 * @throw InputError if the type is unknown or cannot be made, and for bad attributes
 */
std::string PrintProfile(const std::string& text);

} // namespace ns3::roce

#endif /* ROCE_VALUES_IN_FORCE_H */
