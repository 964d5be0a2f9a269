// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_ROUND_RUNNER_H
#define ROCE_ROUND_RUNNER_H

#include "roce-cut-direction.h"
#include "roce-partition-homes.h"
#include "roce-window-teams.h"
#include "roce-worker-pool.h"

#include "ns3/event-impl.h"
#include "ns3/roce-partition.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Runs the partitions of a process in rounds, in several threads; see ParallelRun.
 *
 * There are more partitions than threads: each thread runs those at home with it (PartitionHomes),
 * then those of others that nobody has begun. What one partition sends to another is put onto the
 * link by the thread that runs the receiver in the next window (Outbox), or by the one thread
 * between rounds, if somebody looks. Where little is left to do, one thread does it.
 *
 * Stations at work touch nothing that belongs to another partition, use no ns-3 simulator, and
 * count no references of what others have (ObjectLock). Events that they schedule end the run with
 * an error after the round, if two threads have not wrecked the simulator's list by then.
 */
class RoundRunner
{
  public:
    /// Cost so far.
    struct Balance
    {
        uint64_t windows{0};
        int64_t workNs{0};    //!< of all partitions
        int64_t longestNs{0}; //!< sum over rounds of the thread that would have ended last
        int64_t serialNs{0};  //!< between rounds: telling, and what events do
    };

    /**
     * @param owner of the partitions
     * @param partitions of all processes
     * @param here those that this process runs
     * @param threads how many at most
     * @param windowPs L, see ParallelRun
     * @param measure keep a Balance of so many threads, with one only
     */
    RoundRunner(PartitionOwner& owner,
                unsigned partitions,
                const std::vector<unsigned>& here,
                unsigned threads,
                int64_t windowPs,
                bool measure);
    ~RoundRunner();
    RoundRunner(const RoundRunner&) = delete;
    RoundRunner& operator=(const RoundRunner&) = delete;

    /// @throw InputError if a trace source that stations call has a sink
    static void CheckSinks();

    // --- set-up, in this order

    /// @brief Give a station to a partition.
    void Add(Station& station, unsigned partition);

    /// @brief Learn of a link, between two partitions or within one.
    void NoteLink(const Link& link);

    /// @brief Everything is there. @param stations of this process
    void Begin(std::size_t stations);

    // --- between rounds

    /// @brief An event has made work: of that nothing happens before nowPs.
    void NoteWork(int64_t nowPs)
    {
        m_nextPs = std::min(m_nextPs, nowPs);
        m_hasWork = true;
    }

    /// @brief Nothing happens up to a time.
    void NoteDone(int64_t untilPs)
    {
        m_donePs = std::max(m_donePs, untilPs);
    }

    /// @return all stations of this process have run up to then, but for those that had no turn
    int64_t GetDonePs() const
    {
        return m_donePs;
    }

    /// @return nothing happens earlier in this process
    int64_t GetNextPs() const
    {
        return m_nextPs;
    }

    /// @return up to when all stations have run; some have run further
    int64_t FindTakenPs() const
    {
        return m_isUneven ? m_beforePs : m_donePs;
    }

    /**
     * @brief Run a round, if there is anything to do. What partitions then send each other is not
     * on its link yet.
     * @param all also switches whose turn it is not
     */
    void RunTo(int64_t nowPs, bool all);

    /// @brief Put onto links what all partitions have sent each other.
    void Deliver();

    /// @brief Find GetNextPs() again: frames have come from other processes. After Deliver().
    void SeekNext();

    /// @return directions to other processes with frames, since this was called
    std::vector<CutDirection*> TakeSent();

    /// @brief Call a function with each vector of reports, which it empties. @param take the
    /// function
    template <typename F>
    void ForReports(F take)
    {
        for (Finding& finding : m_findings)
        {
            take(finding.reports);
        }
        for (const std::unique_ptr<Unit>& unit :
             m_units) // what events have done outside of windows
        {
            take(unit->partition.GetReports());
        }
    }

    /// @return partitions of all processes
    unsigned GetNPartitions() const
    {
        return static_cast<unsigned>(m_units.size());
    }

    /// @return L, picoseconds
    int64_t GetWindowPs() const
    {
        return m_windowPs;
    }

    /// @return cost so far
    const Balance& GetBalance() const
    {
        return m_balance;
    }

    /// @return threads that share the partitions, or would if it measures
    unsigned GetThreads() const
    {
        return m_homes.GetThreads();
    }

    /// @return rounds that have begun
    uint64_t GetRound() const
    {
        return m_teams.GetRound();
    }

  private:
    /// A partition and what belongs to it.
    struct Unit
    {
        Unit(PartitionOwner& owner, unsigned index, bool isRemote)
            : partition(owner, index, isRemote)
        {
        }

        /// @return of the round and the one before, by window
        Outbox& GetOutbox(uint64_t round, unsigned window)
        {
            return outboxes[round & 1][window - 1];
        }

        Partition partition;
        std::array<std::array<Outbox, WindowTeams::MOST>, 2> outboxes; //!< see GetOutbox()
        std::vector<CutDirection*> toRanks; //!< with frames for other processes
        std::exception_ptr error;           //!< of the round
        unsigned errorIn{0};                //!< window of that
    };

    /// What a thread finds in a round, for the others to read afterwards.
    struct alignas(128) Finding
    {
        /// @brief It is of this round from now on.
        void Begin(uint64_t now)
        {
            round = now;
            firstPs = NEVER_PS;
            workNs = 0;
            failed = false;
        }

        uint64_t round{0};
        int64_t firstPs{NEVER_PS}; //!< nothing happens earlier in the partitions that it has run
        int64_t workNs{0};         //!< how long that took
        bool failed{false};        //!< a partition has an error
        std::vector<Partition::Report> reports;
    };

    void Work(unsigned thread);
    void WorkAlone();
    void RunPartition(PartitionHomes::Turn turn, Finding& finding);
    void Post(Unit& unit, unsigned window, Finding& finding);
    void RunRound(int64_t basePs, int64_t untilPs);
    void TakeFindings();
    void ThrowFirstError();
    StationTurn TurnOf(unsigned window) const;
    int64_t EndOf(unsigned window) const;
    int64_t TakenBy(unsigned window) const;
    void DeliverTo(unsigned partition, unsigned window);
    template <typename F>
    void ForPending(unsigned to, F use) const;

    std::vector<std::unique_ptr<Unit>> m_units;
    const std::vector<unsigned> m_here; //!< partitions that this process runs
    const int64_t m_windowPs;
    int64_t m_slackPs{0};                      //!< longest of the stations
    int64_t m_leastSlackPs{NEVER_PS};          //!< shortest of the stations
    bool m_hasTurns{false};                    //!< switches take turns, see Partition::RunTo()
    StationTurn m_turn{StationTurn::EACH};     //!< in the first window of the round under way
    StationTurn m_lastTurn{StationTurn::EACH}; //!< in the last window of the one before
    bool m_isUneven{false};                    //!< in that some had no turn
    int64_t m_beforePs{-1};                    //!< they had run up to then before the last window
    int64_t m_donePs{-1};                      //!< see GetDonePs()
    int64_t m_nextPs{NEVER_PS};                //!< see GetNextPs()
    bool m_hasWork{false};                     //!< see NoteWork()
    int64_t m_basePs{0};                       //!< of the round under way
    int64_t m_untilPs{0};
    WindowTeams m_teams;
    uint64_t m_mailOf{0};      //!< round whose outboxes are to be delivered, or 0
    unsigned m_mailWindows{0}; //!< of that round
    int64_t m_lastWorkNs{0};   //!< of the last round
    const bool m_measure;
    std::vector<std::vector<int64_t>> m_workNs; //!< if so: by window of the round, by partition
    int64_t m_betweenNs{0};                     //!< and when the last one ended
    PartitionHomes m_homes;
    std::vector<Finding> m_findings; //!< by thread
    Balance m_balance;
    const Ptr<EventImpl> m_probe; //!< counts the simulator's events
    WorkerPool m_pool;            // the last: its threads use the others
};

} // namespace ns3::roce

#endif /* ROCE_ROUND_RUNNER_H */
