// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TEST_TIME_H
#define ROCE_TEST_TIME_H

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3::roce::test
{

// Times are picoseconds.
constexpr int64_t NS = 1000;
constexpr int64_t US = 1000 * NS;
constexpr int64_t MS = 1000 * US;

} // namespace ns3::roce::test

/// Sets the resolution that every program of the module sets first, once per test executable.
inline const bool ROCE_TEST_PICOSECONDS = [] {
    ns3::Time::SetResolution(ns3::Time::PS);
    return true;
}();

#endif /* ROCE_TEST_TIME_H */
