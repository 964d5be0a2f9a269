// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_CYCLE_H
#define ROCE_CYCLE_H

#include <cstdint>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Find a cycle.
 * @param after for each item, which others it waits for; all are items
 * @return items of a cycle, each waiting for the next one and the last for the first; empty if
 * there is none
 */
std::vector<uint32_t> FindCycle(const std::vector<std::vector<uint32_t>>& after);

} // namespace ns3::roce

#endif /* ROCE_CYCLE_H */
