// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PARTITION_H
#define ROCE_PARTITION_H

#include "roce-station-turn.h"

#include "ns3/roce-time-heap.h"
#include "ns3/roce-time.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace ns3::roce
{

class CutDirection;
class Station;

/// @brief An object that the simulator or a Partition calls at a given time.
class Wakeable
{
  public:
    /// @param station whose alarm clock it is; null: of none
    explicit Wakeable(Station* station)
        : m_station(station)
    {
    }

    /// @brief The time has come.
    virtual void Fire(int64_t nowPs) = 0;

    /// @brief Have the station do what is due, if it is one. @param nowPs up to when
    virtual void RunTo(int64_t nowPs) = 0;

    /// @return the station whose alarm clock it is, or null
    Station* GetStation() const
    {
        return m_station;
    }

  protected:
    ~Wakeable() = default;

  private:
    Station* m_station;
};

/// @brief What partitions are parts of: a ParallelRun.
class PartitionOwner
{
  public:
    /// @brief Have all partitions do what is due. From events only.
    virtual void AdvanceTo(int64_t nowPs) = 0;

    /// @brief An event has made work for a partition.
    virtual void NoteOutside() = 0;

    /**
     * @brief An event makes work for stations, in all processes alike. With several processes all
     * learn of it here, so that they end the same windows.
     */
    virtual void NoteShared() = 0;

    /// @return whether sinks are being called with what has happened
    virtual bool IsTelling() const = 0;

  protected:
    ~PartitionOwner() = default;
};

/**
 * @brief The stations that one thread runs, and their alarm clocks, in place of the simulator's
 * events. Its owner says up to when.
 */
class alignas(128) Partition // written by one thread while others write their neighbours
{
  public:
    /// A report of a station to the outside: see Station::Tell().
    struct Report
    {
        int64_t atPs;
        Station* station;
        std::size_t index;
    };

    /**
     * @param owner the run it is part of
     * @param index its number there
     * @param isRemote another process runs its stations; here they are only copies
     */
    Partition(PartitionOwner& owner, unsigned index, bool isRemote)
        : m_owner(owner),
          m_index(index),
          m_isRemote(isRemote)
    {
    }

    /// @return its number
    unsigned GetIndex() const
    {
        return m_index;
    }

    /// @return whether another process runs its stations
    bool IsRemote() const
    {
        return m_isRemote;
    }

    /// @brief See PartitionOwner::NoteShared().
    void NoteShared();

    Partition(const Partition&) = delete;
    Partition& operator=(const Partition&) = delete;

    /**
     * @brief Call an object; from the partition's stations, or from events.
     * @param who object to call; outlives the partition
     */
    void Wake(int64_t atPs, Wakeable* who);

    /// @brief Code looks at a station: do everything that is due. Nothing happens if the code runs
    /// in the partition itself. @param nowPs present time
    void Await(int64_t nowPs)
    {
        if (t_current != this)
        {
            AwaitRun(nowPs);
        }
    }

    /// @return the time it is for its stations
    int64_t GetPresentPs() const;

    /**
     * @param slackPs shortest delay of a station's links
     * @return up to when the station may run, since all that arrives by then is on its links
     */
    int64_t GetReachPs(int64_t slackPs, int64_t nowPs) const
    {
        return t_current == this && m_startsDone && slackPs >= m_windowPs ? m_untilPs : nowPs;
    }

    /**
     * @brief A station has a report for the outside, which is delayed until no thread is at work.
     * @param station has Tell() called
     */
    void Note(int64_t atPs, Station* station, std::size_t index)
    {
        m_reports.push_back({atPs, station, index});
    }

    /// @throw InputError if sinks are being called. @param what cannot be done then
    void CheckNotTelling(const char* what) const;

    // --- for ParallelRun and CutDirection

    /// The calling thread runs a partition; others run others.
    class AtWork
    {
      public:
        /// @param partition nobody else runs
        explicit AtWork(const Partition& partition)
        {
            t_current = &partition;
        }

        ~AtWork()
        {
            t_current = nullptr;
        }

        AtWork(const AtWork&) = delete;
        AtWork& operator=(const AtWork&) = delete;
    };

    /**
     * @brief Do everything up to a time, in an AtWork.
     *
     * If stations take turns (see StationClock), then switches whose turn it is run first, and NICs
     * after them; the other switches run up to this time in the next window, before anything else
     * happens there. Calls without turns, which all stations have, come if no switch is behind.
     * @param basePs nothing is due before
     * @param untilPs up to and including it
     * @param slackPs longest slack of a station
     * @param turn of the switches to run, or EACH
     */
    void RunTo(int64_t basePs, int64_t untilPs, int64_t slackPs, StationTurn turn);

    /// @brief A station is given to it.
    void Add(int64_t slackPs)
    {
        m_leastSlackPs = std::min(m_leastSlackPs, slackPs);
    }

    /// @brief See StationRow. @param stations that a thread runs in each window
    void SetThreadStations(std::size_t stations)
    {
        m_threadStations = stations;
    }

    /**
     * @param slackPs longest slack of a station
     * @return the first time at which anything may happen, or NEVER_PS
     */
    int64_t GetFirstPs(int64_t slackPs) const;

    /// @return what stations have to tell, since it was emptied
    std::vector<Report>& GetReports()
    {
        return m_reports;
    }

    /// @return directions with frames for other partitions, since it was emptied
    std::vector<CutDirection*>& GetSent()
    {
        return m_sent;
    }

    /// @brief A direction has its first frame. @param direction from here
    void NoteSent(CutDirection* direction);

  private:
    using Heap = TimeHeap<Wakeable*>;

    using Turns = std::initializer_list<StationTurn>;

    Heap& FindNext();
    int64_t GetNextAlarmPs() const;
    void AwaitRun(int64_t nowPs);
    void FireFirst(Heap& heap);
    void FireStarts(int64_t untilPs);
    void FireInTurn(int64_t untilPs);
    void FireAlarms(Turns turns, int64_t untilPs);
    void RunBehind(Turns turns, int64_t untilPs, int64_t slackPs);
    template <typename RUN>
    void RunRow(const std::vector<Wakeable*>& row, RUN run);

    /// What the thread runs.
    [[gnu::tls_model("initial-exec")]] inline static thread_local const Partition* t_current{
        nullptr};

    PartitionOwner& m_owner;
    std::array<Heap, 3> m_alarms; //!< of stations, by StationTurn
    Heap m_starts;                //!< of all others
    std::vector<Wakeable*> m_due; //!< their alarms have gone off
    std::vector<Wakeable*>
        m_behind; //!< have work until now perhaps, though their alarm comes later
    std::vector<Report> m_reports;
    std::vector<CutDirection*> m_sent;
    int64_t m_presentPs{0};
    int64_t m_untilPs{0};
    int64_t m_windowPs{0};            //!< from the first thing that may happen
    int64_t m_leastSlackPs{NEVER_PS}; //!< of the stations
    std::size_t m_threadStations{0};
    bool m_startsDone{false};
    const unsigned m_index;
    const bool m_isRemote;
};

} // namespace ns3::roce

#endif /* ROCE_PARTITION_H */
