// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_STATION_ROW_H
#define ROCE_STATION_ROW_H

#include "roce-station.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ns3::roce
{

/**
 * @brief Stations that run one after the other.
 *
 * On large networks a station that has not run for its slack is in no cache any more. The next
 * stations are known, so their memory is fetched while the ones before run.
 */
class StationRow
{
  public:
    /// With fewer stations nothing is fetched: what they have stays in the caches.
    static constexpr std::size_t MANY = 400;

    /**
     * @brief Run them in order.
     * @param of how many; memory is fetched if these are MANY
     * @param nowPs up to when they are going to run
     * @param stationAt called with an index, gives the Station*
     * @param run called with an index, runs it
     */
    template <typename STATION_AT, typename RUN>
    static void Run(std::size_t n, std::size_t of, int64_t nowPs, STATION_AT stationAt, RUN run)
    {
        if (of < MANY)
        {
            for (std::size_t i = 0; i < n; ++i)
            {
                run(i);
            }
            return;
        }
        // Station i runs when station i + DEPTH begins to be fetched. What a step has asked for
        // comes while one station runs; two for each step gave nothing, or made it slower.
        constexpr std::size_t DEPTH = 1 + Station::N_FETCH_STEPS;
        std::array<Station::Plan, 8> plans;
        static_assert(DEPTH <= 8, "each station under way has a plan");
        for (std::size_t i = 0; i < n + DEPTH; ++i)
        {
            if (i < n)
            {
                stationAt(i)->FetchMembers();
            }
            std::size_t ahead = i; // wraps below 0
            for (unsigned step = 0; step < Station::N_FETCH_STEPS; ++step)
            {
                --ahead;
                if (ahead < n)
                {
                    const auto which = static_cast<Station::FetchStep>(step);
                    stationAt(ahead)->Fetch(which, plans[ahead % plans.size()], nowPs);
                }
            }
            if (i >= DEPTH)
            {
                run(i - DEPTH);
            }
        }
    }
};

} // namespace ns3::roce

#endif /* ROCE_STATION_ROW_H */
