// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TIME_HEAP_H
#define ROCE_TIME_HEAP_H

#include "roce-time.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Times at which something is to be looked at, the earliest first. Equal times: numbers in
 * their order, pointers in that of the heap, so that what is done for them must not depend on it.
 *
 * Entries are neither moved nor taken out when a time changes. Where that happens, the owner of
 * each object remembers the time of its one valid entry, and PopDue() passes over the others.
 * Where it happens often, PlaceHeap and Agenda are better.
 *
 * @tparam T number of an object, or pointer to it
 */
template <typename T>
class TimeHeap
{
  public:
    /// An entry.
    struct Entry
    {
        int64_t atPs;
        T what;
    };

    /// @param what to look at
    void Push(int64_t atPs, T what)
    {
        m_entries.push_back({atPs, what});
        std::push_heap(m_entries.begin(), m_entries.end(), &TimeHeap::IsLater);
    }

    /// @return the first entry, which is taken out; there is one
    Entry Pop()
    {
        const Entry entry = m_entries.front();
        std::pop_heap(m_entries.begin(), m_entries.end(), &TimeHeap::IsLater);
        m_entries.pop_back();
        return entry;
    }

    /**
     * @brief Take out the first valid entry, if its time has come.
     * @tparam F callable with a T
     * @param [out] entry it
     * @param validPs time of the object's valid entry; another one: none
     * @return whether there was one
     */
    template <typename F>
    bool PopDue(int64_t nowPs, Entry& entry, F&& validPs)
    {
        while (IsDue(nowPs))
        {
            entry = Pop();
            if (validPs(entry.what) == entry.atPs)
            {
                return true;
            }
        }
        return false;
    }

    /// @return whether there is an entry whose time has come
    bool IsDue(int64_t nowPs) const
    {
        return !m_entries.empty() && m_entries.front().atPs <= nowPs;
    }

    /// @return whether there is nothing
    bool IsEmpty() const
    {
        return m_entries.empty();
    }

    /// @return time of the first entry, or NEVER_PS
    int64_t NextPs() const
    {
        return m_entries.empty() ? NEVER_PS : m_entries.front().atPs;
    }

    /// @brief Call use for what is due until a time, which stays. @param limitPs that time
    /// @param use called with a T, in the order of the heap
    template <typename F>
    void ForEachUntil(int64_t limitPs, const F& use, std::size_t from = 0) const
    {
        if (from < m_entries.size() && m_entries[from].atPs <= limitPs)
        {
            use(m_entries[from].what);
            ForEachUntil(limitPs, use, 2 * from + 1);
            ForEachUntil(limitPs, use, 2 * from + 2);
        }
    }

  private:
    /// Heaps of the standard library have the greatest on top.
    static bool IsLater(const Entry& a, const Entry& b)
    {
        if constexpr (std::is_integral_v<T>)
        {
            return a.atPs != b.atPs ? a.atPs > b.atPs : a.what > b.what;
        }
        return a.atPs > b.atPs;
    }

    std::vector<Entry> m_entries;
};

} // namespace ns3::roce

#endif /* ROCE_TIME_HEAP_H */
