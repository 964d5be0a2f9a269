// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_STATION_TURN_H
#define ROCE_STATION_TURN_H

#include <cstdint>

namespace ns3::roce
{

/// At which multiples of the beat a station of a StationClock runs, or in which windows of a
/// ParallelRun.
enum class StationTurn : uint8_t
{
    EVEN = 0,
    ODD = 1,
    EACH = 2, //!< at all of them
};

} // namespace ns3::roce

#endif /* ROCE_STATION_TURN_H */
