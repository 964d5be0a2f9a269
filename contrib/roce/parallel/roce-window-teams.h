// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WINDOW_TEAMS_H
#define ROCE_WINDOW_TEAMS_H

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::roce
{

/**
 * @brief The windows of a round, and which of them a partition may run.
 *
 * Several windows follow each other in a round without one thread in between. Partitions that links
 * shorter than the longest round join are a *team*: all of them end a window before any begins the
 * next one, as it needs what the others have sent. Teams do not wait for each other, since what
 * they send each other arrives after the round.
 */
class WindowTeams
{
  public:
    static constexpr unsigned MOST = 8; //!< windows of a round

    // --- set-up

    /// @param partitions that this process runs, each a team of its own
    explicit WindowTeams(const std::vector<unsigned>& partitions);

    /// @brief The same teams, before the first round.
    WindowTeams(const WindowTeams& other);
    WindowTeams& operator=(const WindowTeams&) = delete;

    /// @brief A link shorter than the longest round joins two partitions.
    void Join(unsigned a, unsigned b);

    // --- between rounds

    /// @brief A round begins. @param windows of it, 1 to MOST
    void Begin(unsigned windows);

    /// @return whether two partitions are of the same team
    bool AreTogether(unsigned a, unsigned b) const
    {
        return m_teamOf[a] == m_teamOf[b];
    }

    /// @return number of the round under way or the last one; 0 before the first
    uint64_t GetRound() const
    {
        return m_round;
    }

    /// @return windows of that round
    unsigned GetWindows() const
    {
        return m_windows;
    }

    // --- in a round, by all threads

    /// @return the window that a partition's team is at, from 1; 0 if it has run all
    unsigned GetOpen(unsigned partition) const
    {
        return m_teams[m_teamOf[partition]].open.load(std::memory_order_acquire);
    }

    /// @brief A partition has sent something to others in the window that its team is at.
    void NoteSent(unsigned partition)
    {
        m_sent[m_round & 1][GetOpen(partition) - 1][partition] = 1;
    }

    /// @brief A partition's team does not run the windows after the one that it is at.
    void End(unsigned partition)
    {
        m_teams[m_teamOf[partition]].isEnd.store(true, std::memory_order_relaxed);
    }

    /// @brief A partition has run the window that its team is at.
    void Finish(unsigned partition);

    /// @return whether a partition sent something in a window that its team has ended
    /// @param round the one under way or the one before
    bool HasSent(unsigned partition, uint64_t round, unsigned window) const
    {
        return m_sent[round & 1][window - 1][partition];
    }

    /// @return windows that teams have still to run, the sum over all of them: 0 when the round is
    /// over. It falls each time that there is something new to run.
    uint64_t CountLeft() const;

  private:
    /// Its number is that of its first partition.
    struct alignas(128) Team
    {
        std::atomic<unsigned> open{0};  //!< see GetOpen()
        std::atomic<unsigned> left{0};  //!< of its partitions, in that window
        std::atomic<bool> isEnd{false}; //!< see End()
        unsigned size{1};
    };

    using Flags = std::vector<uint8_t>; //!< by partition

    const std::vector<unsigned> m_partitions;
    std::unique_ptr<Team[]> m_teams;
    std::vector<unsigned> m_teamOf;                //!< by partition
    std::vector<unsigned> m_all;                   //!< numbers of teams
    std::array<std::array<Flags, MOST>, 2> m_sent; //!< of a round and the one before, by window
    unsigned m_windows{0};
    uint64_t m_round{0};
};

} // namespace ns3::roce

#endif /* ROCE_WINDOW_TEAMS_H */
