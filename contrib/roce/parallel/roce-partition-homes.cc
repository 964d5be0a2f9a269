// SPDX-License-Identifier: GPL-2.0-only
#include "roce-partition-homes.h"

#include <algorithm>
#include <utility>

namespace ns3::roce
{

PartitionHomes::PartitionHomes(const std::vector<unsigned>& partitions,
                               unsigned threads,
                               const WindowTeams& teams)
    : m_partitions(partitions),
      m_places(std::make_unique<Place[]>(
          partitions.empty() ? 0 : *std::max_element(partitions.begin(), partitions.end()) + 1)),
      m_of(threads),
      m_teams(teams)
{
    for (std::size_t i = 0; i < partitions.size(); ++i)
    {
        m_of[i * threads / partitions.size()].push_back(partitions[i]);
    }
}

void
PartitionHomes::Begin()
{
    if (m_teams.GetRound() % ROUNDS == 0)
    {
        Move();
    }
}

/// Take a partition, unless somebody has or it has to wait. Says for which window, or 0.
unsigned
PartitionHomes::TryTake(unsigned partition)
{
    const unsigned window = m_teams.GetOpen(partition);
    const uint64_t number = m_teams.GetRound() * (WindowTeams::MOST + 1) + window;
    std::atomic<uint64_t>& takenIn = m_places[partition].takenIn;
    uint64_t before = takenIn.load(std::memory_order_relaxed);
    // What is in it is ordered by the window that is open.
    const bool taken = window && before < number &&
                       takenIn.compare_exchange_strong(before, number, std::memory_order_relaxed);
    return taken ? window : 0;
}

PartitionHomes::Turn
PartitionHomes::Take(unsigned thread)
{
    for (const unsigned partition : m_of[thread])
    {
        if (const unsigned window = TryTake(partition))
        {
            return {partition, window};
        }
    }
    for (std::size_t i = 1; i < m_of.size(); ++i)
    {
        // The last is the one that it would come to last.
        const std::vector<unsigned>& of = m_of[(thread + i) % m_of.size()];
        for (auto partition = of.rbegin(); partition != of.rend(); ++partition)
        {
            if (const unsigned window = TryTake(*partition))
            {
                return {*partition, window};
            }
        }
    }
    return {};
}

/// Give partitions homes by how long they took, if those that they have are much worse.
void
PartitionHomes::Move()
{
    const auto byWork = [this](unsigned a, unsigned b) {
        return m_places[a].workNs > m_places[b].workNs;
    };
    int64_t longestNs = 0;
    for (std::vector<unsigned>& of : m_of)
    {
        int64_t sumNs = 0;
        for (const unsigned partition : of)
        {
            sumNs += m_places[partition].workNs;
        }
        longestNs = std::max(longestNs, sumNs);
        std::stable_sort(of.begin(), of.end(), byWork);
    }
    // The longest first, each to the thread that has least to do.
    std::vector<unsigned> order = m_partitions;
    std::stable_sort(order.begin(), order.end(), byWork);
    std::vector<std::vector<unsigned>> of(m_of.size());
    std::vector<int64_t> sumsNs(m_of.size());
    for (const unsigned partition : order)
    {
        const auto least = std::min_element(sumsNs.begin(), sumsNs.end());
        *least += m_places[partition].workNs;
        of[least - sumsNs.begin()].push_back(partition);
    }
    // To move costs time, as caches have to be filled again.
    if (10 * *std::max_element(sumsNs.begin(), sumsNs.end()) < 9 * longestNs)
    {
        m_of = std::move(of);
    }
    for (const unsigned partition : m_partitions)
    {
        m_places[partition].workNs /= 2;
    }
}

int64_t
PartitionHomes::Predict(const std::vector<std::vector<int64_t>>& workNs, unsigned windows) const
{
    // As Take() does, with teams of its own; threads come in the order of the times when they are
    // free. Who finds nothing comes again when the next one is.
    WindowTeams teams(m_teams);
    PartitionHomes homes(m_partitions, static_cast<unsigned>(m_of.size()), teams);
    homes.m_of = m_of;
    teams.Begin(windows);
    std::vector<int64_t> freeNs(m_of.size());
    std::vector<unsigned> running(m_of.size(), NONE);
    int64_t endNs = 0;
    for (bool isOver = false; !isOver;)
    {
        isOver = true;
        for (std::size_t thread = 0; thread < m_of.size(); ++thread)
        {
            const Turn turn = running[thread] == NONE ? homes.Take(thread) : Turn{};
            if (turn.partition != NONE)
            {
                running[thread] = turn.partition;
                freeNs[thread] = endNs + workNs[turn.window - 1][turn.partition];
            }
        }
        std::size_t next = m_of.size();
        for (std::size_t thread = 0; thread < m_of.size(); ++thread)
        {
            if (running[thread] != NONE && (next == m_of.size() || freeNs[thread] < freeNs[next]))
            {
                next = thread;
            }
        }
        if (next != m_of.size())
        {
            isOver = false;
            endNs = freeNs[next];
            teams.Finish(std::exchange(running[next], NONE));
        }
    }
    return endNs;
}

} // namespace ns3::roce
