/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_STATION_CLOCK_H
#define ROCE_STATION_CLOCK_H

#include "roce-wake-timer.h"

#include "ns3/roce-time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace roce
{

class Station;

/**
 * @ingroup roce
 * @brief The alarm clock that the stations of a network share: many of them wake up at one event of
 * the simulator.
 *
 * A station may run at any time between its first item and that plus its slack. So the clock rounds
 * the time down to the next multiple of GRID_PS, and runs all that fall on one multiple in a row.
 * See StationRow for how they run.
 */
class StationClock
{
  public:
    /// Alarms are rounded to it; stations with a slack below twice that have theirs on time.
    static constexpr int64_t GRID_PS = 1 << 16;

    StationClock();
    StationClock(const StationClock&) = delete;
    StationClock& operator=(const StationClock&) = delete;

    /**
     * @brief Set the alarm of a station.
     * @param station not after its alarm; outlives the clock, or is given another one before
     * @param latestPs call its OnWake() by then
     * @param slackPs and not earlier than so much before
     * @return when it is going to be called
     */
    int64_t Set(Station* station, int64_t latestPs, int64_t slackPs);

    /// @brief One more station has this clock.
    void Add()
    {
        ++m_stations;
    }

    /// @brief Called by the timer.
    void OnWake(int64_t nowPs);

  private:
    static constexpr std::size_t SLOTS = 32; //!< multiples to come that have a list: 2 us

    /// An alarm that is in none of the lists.
    struct Alarm
    {
        int64_t atPs;
        Station* station;

        /// Heaps of the standard library have the greatest on top.
        bool operator<(const Alarm& other) const
        {
            return atPs > other.atPs;
        }
    };

    int64_t GetNextPs() const;
    void Run(int64_t nowPs);

    std::size_t m_stations{0}; //!< that have this clock
    int64_t m_donePs{0};       //!< multiples up to this one have had their turn
    uint32_t m_filled{0};      //!< bit s: list s is not empty
    bool m_running{false};
    std::array<std::vector<Station*>, SLOTS> m_slots; //!< by multiple
    std::vector<Alarm> m_others;                      //!< a heap
    std::vector<Station*> m_due;                      //!< those whose turn it is
    WakeTimer<StationClock> m_timer;
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_STATION_CLOCK_H */
