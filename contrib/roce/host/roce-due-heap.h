// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DUE_HEAP_H
#define ROCE_DUE_HEAP_H

#include "roce-congestion-control.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief Times at which objects need a check. Earliest first, equal times by number.
 *
 * Entries are not moved or taken out when an object's time changes: its owner remembers the time of
 * the one entry that is valid and ignores others.
 */
class DueHeap
{
  public:
    /// An entry.
    struct Entry
    {
        int64_t atPs;
        uint32_t number;
    };

    /// @param atPs when. @param number of the object
    void Push(int64_t atPs, uint32_t number)
    {
        m_entries.push_back({atPs, number});
        std::push_heap(m_entries.begin(), m_entries.end(), &DueHeap::Later);
    }

    /**
     * @brief Take out the first entry, if its time has come.
     * @param nowPs current time
     * @param [out] entry it
     * @return whether there was one
     */
    bool PopDue(int64_t nowPs, Entry& entry)
    {
        if (NextPs() > nowPs || m_entries.empty())
        {
            return false;
        }
        entry = m_entries.front();
        std::pop_heap(m_entries.begin(), m_entries.end(), &DueHeap::Later);
        m_entries.pop_back();
        return true;
    }

    /// @return time of the first entry, or NEVER_PS
    int64_t NextPs() const
    {
        return m_entries.empty() ? NEVER_PS : m_entries.front().atPs;
    }

  private:
    static bool Later(const Entry& a, const Entry& b)
    {
        return a.atPs != b.atPs ? a.atPs > b.atPs : a.number > b.number;
    }

    std::vector<Entry> m_entries;
};

} // namespace ns3::roce

#endif /* ROCE_DUE_HEAP_H */
