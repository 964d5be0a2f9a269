// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PARTITION_HOMES_H
#define ROCE_PARTITION_HOMES_H

#include "roce-window-teams.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Which thread runs which partition.
 *
 * Each partition is at home with one thread, whose caches have it. A thread takes those at home
 * with it first, and then those of other threads that nobody has taken for the window that their
 * team is at (WindowTeams). Now and then homes change, by how long partitions have taken lately.
 */
class PartitionHomes
{
  public:
    static constexpr unsigned NONE = UINT32_MAX; //!< no partition

    /// A partition to run in a window.
    struct Turn
    {
        unsigned partition{NONE};
        unsigned window{0};
    };

    /**
     * @param partitions their numbers, neighbours next to each other
     * @param threads at least 1
     * @param teams of the partitions; outlives this
     */
    PartitionHomes(const std::vector<unsigned>& partitions,
                   unsigned threads,
                   const WindowTeams& teams);

    // --- between rounds

    /// @brief A round begins, of teams as well: no partition has been taken.
    void Begin();

    /**
     * @brief How long a round would take.
     * @param workNs what each partition takes, by window, by its number
     * @param windows of the round
     * @return when the last of the threads has nothing left to take
     */
    int64_t Predict(const std::vector<std::vector<int64_t>>& workNs, unsigned windows) const;

    // --- in a round, by all threads

    /// @return a partition that may be run now and that nobody has taken so far, or NONE
    Turn Take(unsigned thread);

    /// @brief The thread that has taken a partition has run it. @param workNs how long that took
    void Note(unsigned partition, int64_t workNs)
    {
        m_places[partition].workNs += workNs;
    }

    /// @return how many threads there are
    unsigned GetThreads() const
    {
        return static_cast<unsigned>(m_of.size());
    }

  private:
    static constexpr unsigned ROUNDS = 16; //!< after so many homes may change

    /// A partition.
    struct alignas(64) Place
    {
        std::atomic<uint64_t> takenIn{0}; //!< the last window of all rounds in which it was taken
        int64_t workNs{0};                //!< lately
    };

    void Move();
    unsigned TryTake(unsigned partition);

    const std::vector<unsigned> m_partitions;
    std::unique_ptr<Place[]> m_places;       //!< by number of the partition
    std::vector<std::vector<unsigned>> m_of; //!< by thread: those at home with it, longest first
    const WindowTeams& m_teams;
};

} // namespace ns3::roce

#endif /* ROCE_PARTITION_HOMES_H */
