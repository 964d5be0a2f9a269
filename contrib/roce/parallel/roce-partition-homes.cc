// SPDX-License-Identifier: GPL-2.0-only
#include "roce-partition-homes.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace ns3::roce
{

PartitionHomes::PartitionHomes(const std::vector<unsigned>& partitions, unsigned threads)
    : m_partitions(partitions),
      m_places(std::make_unique<Place[]>(
          partitions.empty() ? 0 : *std::max_element(partitions.begin(), partitions.end()) + 1)),
      m_of(threads)
{
    for (std::size_t i = 0; i < partitions.size(); ++i)
    {
        m_of[i * threads / partitions.size()].push_back(partitions[i]);
    }
}

void
PartitionHomes::Begin()
{
    ++m_window;
    if (m_window % ROUNDS == 0)
    {
        Move();
    }
}

/// Take a partition, unless somebody has. Says whether it did.
bool
PartitionHomes::TryTake(unsigned partition)
{
    std::atomic<uint64_t>& takenIn = m_places[partition].takenIn;
    uint64_t before = takenIn.load(std::memory_order_relaxed);
    // What is in it is ordered by the beginning of windows.
    return before != m_window &&
           takenIn.compare_exchange_strong(before, m_window, std::memory_order_relaxed);
}

unsigned
PartitionHomes::Take(unsigned thread)
{
    for (const unsigned partition : m_of[thread])
    {
        if (TryTake(partition))
        {
            return partition;
        }
    }
    for (std::size_t i = 1; i < m_of.size(); ++i)
    {
        // The last is the one that it would come to last.
        const std::vector<unsigned>& of = m_of[(thread + i) % m_of.size()];
        const auto found =
            std::find_if(of.rbegin(), of.rend(), [this](unsigned p) { return TryTake(p); });
        if (found != of.rend())
        {
            return *found;
        }
    }
    return NONE;
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
PartitionHomes::Predict(const std::vector<int64_t>& workNs) const
{
    using Time = std::pair<int64_t, std::size_t>; // when a thread is free, and the thread
    std::priority_queue<Time, std::vector<Time>, std::greater<>> free;
    std::vector<std::vector<unsigned>> left = m_of;
    for (std::size_t thread = 0; thread < left.size(); ++thread)
    {
        free.emplace(0, thread);
    }
    int64_t endNs = 0;
    for (std::size_t n = 0; n < m_partitions.size(); ++n)
    {
        const auto [nowNs, thread] = free.top();
        free.pop();
        std::size_t from = thread;
        while (left[from].empty())
        {
            from = (from + 1) % left.size();
        }
        const auto at = from == thread ? left[from].begin() : left[from].end() - 1;
        endNs = std::max(endNs, nowNs + workNs[*at]);
        free.emplace(nowNs + workNs[*at], thread);
        left[from].erase(at);
    }
    return endNs;
}

} // namespace ns3::roce
