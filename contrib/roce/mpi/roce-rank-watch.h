// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RANK_WATCH_H
#define ROCE_RANK_WATCH_H

#include <chrono>

namespace ns3::roce
{

/**
 * @brief Names processes that do not come to a meeting (RankExchange): one that is stopped, starved
 * or lost on another machine keeps all others waiting, and nothing else would report it.
 *
 * A process that has waited for 10 s sends a note to all others. One that has sent none a second
 * later is missing; the first of those that wait reports it on standard error. They keep waiting,
 * and report it again after twice the time. For MpiRanks, with MPI only.
 */
class RankWatch
{
  public:
    /// @brief The next meeting begins: all processes call it equally often.
    static void NoteMeeting();

    /// @brief This process waits.
    static void Look(std::chrono::steady_clock::duration waited);

    /// @brief Receive the notes of others, before MPI ends.
    static void TakeIn();
};

} // namespace ns3::roce

#endif /* ROCE_RANK_WATCH_H */
