// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_STATION_CLOCK_H
#define ROCE_STATION_CLOCK_H

#include "roce-station-turn.h"
#include "roce-wake-timer.h"

#include "ns3/roce-time-heap.h"
#include "ns3/roce-time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::roce
{

class Station;

/**
 * @brief The alarm clock that the stations of a network share: many of them wake up at one event of
 * the simulator.
 *
 * A station may run at any time between its first item and that plus its slack. So the clock rounds
 * the time down to the next multiple of GRID_PS, and runs all that fall on one multiple in a row.
 * See StationRow for how they run.
 *
 * Where all stations have the same slack, they can take turns (SetBeat()). Then the clock has a
 * beat, which is as long as the slack. NICs run at each beat, half of the switches at the even ones
 * and their neighbours at the odd ones. A switch may so be late by two beats: at beat k its
 * neighbours have run up to k - 1, and what they do later arrives after k. It wakes up half as
 * often and finds twice as much to do. While a trace source of stations has a sink, all run at each
 * beat, so that no sink is called later than by the slack.
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
     * @brief Have stations take turns. Before the first alarm.
     * @param beatPs the slack of all of them, above 0
     */
    void SetBeat(int64_t beatPs)
    {
        m_tickPs = beatPs;
        m_hasTurns = true;
    }

    /// @return whether stations take turns
    bool HasTurns() const
    {
        return m_hasTurns;
    }

    /**
     * @brief Set the alarm of a station.
     * @param station outlives the clock, or is given another one before
     * @param latestPs its first item plus its slack; before its alarm, if it has one
     * @return when it is going to be called
     */
    int64_t Set(Station* station, int64_t latestPs, int64_t slackPs);

    /**
     * @brief If stations take turns: up to when they have run.
     * @param turn EVEN or ODD
     * @return all of that turn have run at least so far
     */
    int64_t GetDonePs(StationTurn turn) const
    {
        const int64_t beat = m_donePs / m_tickPs;
        const bool isLast = (beat & 1) == static_cast<int64_t>(turn);
        return (beat - (!isLast ? 1 : m_inTurn == TURN_OF_SWITCHES ? 2 : 0)) * m_tickPs;
    }

    /// @brief One more station has this clock.
    void Add()
    {
        ++m_stations;
    }

    /// @return whether it is calling stations: the caller is one of them
    bool IsAtWork() const
    {
        return m_inTurn != N_TURNS;
    }

    /// @brief Called by the timer.
    void OnWake(int64_t nowPs);

  private:
    static constexpr std::size_t SLOTS = 32; //!< multiples to come that have lists: 2 us, or beats

    /// The lists of a multiple, in the order of their turn. Without turns all are in the first one.
    enum InTurn : uint8_t
    {
        TURN_OF_SWITCHES,
        TURN_OF_NICS, //!< after the switches next to them
        N_TURNS,
    };

    using Slot = std::array<std::vector<Station*>, N_TURNS>;

    int64_t GetNextPs() const;
    InTurn GetTurnOf(const Station& station) const;
    void WakeAll(int64_t nowPs);
    void Run(int64_t nowPs);

    std::size_t m_stations{0};       //!< that have this clock
    int64_t m_tickPs{GRID_PS};       //!< of the slots; the beat, if stations take turns
    int64_t m_donePs{0};             //!< multiples up to this one have had their turn
    uint32_t m_filled{0};            //!< bit s: a list of slot s is not empty
    bool m_hasTurns{false};          //!< see SetBeat()
    InTurn m_inTurn{N_TURNS};        //!< of the multiple at m_donePs: the turn at work, or none
    std::array<Slot, SLOTS> m_slots; //!< by multiple
    TimeHeap<Station*> m_others;     //!< alarms that are in none of the lists
    std::vector<Station*> m_due;     //!< those whose turn it is
    WakeTimer<StationClock> m_timer;
};

} // namespace ns3::roce

#endif /* ROCE_STATION_CLOCK_H */
