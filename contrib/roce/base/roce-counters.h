// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_COUNTERS_H
#define ROCE_COUNTERS_H

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace ns3::roce
{

/**
 * @brief Add one part's value to a counter of the network: the largest of all parts for names that
 * begin with peak or max or contain Peak, else the sum.
 */
inline void
AddCounter(std::map<std::string, uint64_t>& counters, const std::string& name, uint64_t value)
{
    const bool isPeak =
        name.find("peak") == 0 || name.find("max") == 0 || name.find("Peak") != std::string::npos;
    uint64_t& total = counters[name];
    total = isPeak ? std::max(total, value) : total + value;
}

} // namespace ns3::roce

#endif /* ROCE_COUNTERS_H */
