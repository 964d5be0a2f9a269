// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PARTITION_HOMES_H
#define ROCE_PARTITION_HOMES_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Which thread runs which partition.
 *
 * Each partition is at home with one thread, whose caches have it. In a window a thread takes those
 * at home with it first, and then those of other threads that nobody has taken. Now and then homes
 * change, by how long partitions have taken lately.
 */
class PartitionHomes
{
  public:
    static constexpr unsigned NONE = UINT32_MAX; //!< no partition

    /**
     * @param partitions their numbers, neighbours next to each other
     * @param threads at least 1
     */
    PartitionHomes(const std::vector<unsigned>& partitions, unsigned threads);

    // --- between windows

    /// @brief A window begins: no partition has been taken.
    void Begin();

    /**
     * @brief How long a window would take.
     * @param workNs what each partition takes, by its number
     * @return when the last of the threads has nothing left to take
     */
    int64_t Predict(const std::vector<int64_t>& workNs) const;

    // --- in a window, by all threads

    /// @return a partition that nobody has taken so far, or NONE
    unsigned Take(unsigned thread);

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
    static constexpr unsigned ROUNDS = 64; //!< windows after which homes may change

    /// A partition.
    struct alignas(64) Place
    {
        std::atomic<uint64_t> takenIn{0}; //!< the last window in which it was taken
        int64_t workNs{0};                //!< lately
    };

    void Move();
    bool TryTake(unsigned partition);

    const std::vector<unsigned> m_partitions;
    std::unique_ptr<Place[]> m_places;       //!< by number of the partition
    std::vector<std::vector<unsigned>> m_of; //!< by thread: those at home with it, longest first
    uint64_t m_window{0};
};

} // namespace ns3::roce

#endif /* ROCE_PARTITION_HOMES_H */
