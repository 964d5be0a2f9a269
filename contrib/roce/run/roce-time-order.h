// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TIME_ORDER_H
#define ROCE_TIME_ORDER_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Puts reports of stations into order of time, with bounded memory.
 *
 * Each station reports in order of time, but late by up to its slack, so that reports of several
 * stations are mixed up. Whatever is older than the greatest slack is final. Entries of one time
 * are ordered by a key, and those of one key by when they were added: the order depends on neither
 * the event scheduler nor the slack if entries of one key come from one station.
 *
 * @tparam T an entry
 */
template <typename T>
class TimeOrder
{
  public:
    /// @param key see the class. @param entry the rest
    void Push(int64_t atPs, uint64_t key, T entry)
    {
        m_heap.push({atPs, key, m_pushed++, std::move(entry)});
    }

    /**
     * @brief Take out everything before a time, in order.
     * @tparam F callable with (atPs, const T&)
     * @param untilPs not included
     * @param take called for each
     */
    template <typename F>
    void Release(int64_t untilPs, F&& take)
    {
        while (!m_heap.empty() && m_heap.top().atPs < untilPs)
        {
            take(m_heap.top().atPs, m_heap.top().entry);
            m_heap.pop();
        }
        m_fullAt = std::max(FULL, 2 * GetSize());
    }

    /// @return whether it is worthwhile to Release() what is final
    bool IsFull() const
    {
        return GetSize() >= m_fullAt;
    }

    /// @return entries held
    std::size_t GetSize() const
    {
        return m_heap.size();
    }

  private:
    static constexpr std::size_t FULL = 4096; //!< entries

    struct Item
    {
        int64_t atPs;
        uint64_t key;
        uint64_t sequence;
        T entry;
    };

    /// Earliest on top.
    struct Later
    {
        bool operator()(const Item& a, const Item& b) const
        {
            return a.atPs != b.atPs ? a.atPs > b.atPs
                   : a.key != b.key ? a.key > b.key
                                    : a.sequence > b.sequence;
        }
    };

    std::priority_queue<Item, std::vector<Item>, Later> m_heap;
    uint64_t m_pushed{0};
    std::size_t m_fullAt{
        FULL}; //!< entries; twice what the last Release() has left, if that is more
};

} // namespace ns3::roce

#endif /* ROCE_TIME_ORDER_H */
