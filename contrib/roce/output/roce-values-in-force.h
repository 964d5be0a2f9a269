/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_VALUES_IN_FORCE_H
#define ROCE_VALUES_IN_FORCE_H

#include <nlohmann/json_fwd.hpp>

namespace ns3
{
namespace roce
{

class Network;

/**
 * @ingroup roce
 * @brief Every attribute of what a network consists of, with the value in force, for summary.json:
 * NICs, switches with their buffers, schedulers and stages, and what queue pairs are made of.
 * @param network built
 * @return by role ("nic", "switch", "scheduler", "stage", "intra.congestionControl", ...), a list
 * of {type, count, values, given}: objects of a role that have the same values are one entry. What
 * is given names the parameters that were set; the others are the profile's, or follow from others
 */
nlohmann::ordered_json ValuesInForce(const Network& network);

} // namespace roce
} // namespace ns3

#endif /* ROCE_VALUES_IN_FORCE_H */
