// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TIME_H
#define ROCE_TIME_H

#include <cstdint>
#include <limits>

namespace ns3::roce
{

/// A time that never comes, picoseconds.
constexpr int64_t NEVER_PS = std::numeric_limits<int64_t>::max();

constexpr int64_t PS_PER_US = 1'000'000;
constexpr int64_t PS_PER_MS = 1'000 * PS_PER_US;

} // namespace ns3::roce

#endif /* ROCE_TIME_H */
