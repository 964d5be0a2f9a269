// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_AGENDA_H
#define ROCE_AGENDA_H

#include "ns3/roce-fetch.h"
#include "ns3/roce-time.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <emmintrin.h>
#include <vector>

#ifdef __SSE2__
#endif

namespace ns3::roce
{

/**
 * @brief Which of four times have come, without a branch.
 *
 * A large network needs that for all ports of each station about to run; it was a tenth of all
 * instructions. The sign of time - (now + 1) is the answer; any x86-64 processor takes four of them
 * at once.
 * @param times four of them, 0 or later
 * @param nowPs present time, 0 or later, before NEVER_PS
 * @return bit i set: times[i] is not after nowPs
 */
inline uint64_t
DueMaskOfFour(const int64_t* times, int64_t nowPs)
{
#ifdef __SSE2__
    const __m128i soon = _mm_set1_epi64x(nowPs + 1);
    const auto* pairs = reinterpret_cast<const __m128i*>(times);
    const __m128i low = _mm_sub_epi64(_mm_loadu_si128(pairs), soon);
    const __m128i high = _mm_sub_epi64(_mm_loadu_si128(pairs + 1), soon);
    // The upper halves, where the signs are.
    return static_cast<uint64_t>(_mm_movemask_ps(
        _mm_shuffle_ps(_mm_castsi128_ps(low), _mm_castsi128_ps(high), _MM_SHUFFLE(3, 1, 3, 1))));
#else
    uint64_t due = 0;
    for (unsigned i = 0; i < 4; ++i)
    {
        due |= static_cast<uint64_t>(times[i] <= nowPs) << i;
    }
    return due;
#endif
}

/**
 * @brief The next time of each of a fixed set of items, and the earliest of them.
 *
 * A winner tree: changing an item costs log2(items) comparisons, there are no stale entries, and
 * equal times go to the lower item.
 */
class Agenda
{
  public:
    Agenda() = default;
    Agenda(const Agenda&) = delete;
    Agenda& operator=(const Agenda&) = delete;

    /// @brief Forget everything; every item is at NEVER_PS. @param items how many, at least 1
    void Reset(uint32_t items);

    /// @param item 0 .. items-1. @param atPs its time or NEVER_PS
    void Set(uint32_t item, int64_t atPs)
    {
        m_times[item] = atPs;
        for (uint32_t node = (m_leaves + item) >> 1; node; node >>= 1)
        {
            const uint16_t left = m_winners[2 * node];
            const uint16_t right = m_winners[2 * node + 1];
            const uint16_t winner = m_times[left] <= m_times[right] ? left : right;
            const uint16_t before = m_winners[node];
            m_winners[node] = winner;
            if (winner == before && winner != item)
            {
                return; // nothing changes further up
            }
        }
    }

    /// @param item 0 .. items-1.
    int64_t Get(uint32_t item) const
    {
        return m_times[item];
    }

    /// @return the earliest item
    uint32_t GetFirst() const
    {
        return m_winners[1];
    }

    /// @return the earliest time
    int64_t GetFirstPs() const
    {
        return m_times[m_winners[1]];
    }

    /**
     * @param first item, a multiple of 4
     * @param n number of items, 1 to 64
     * @param nowPs present time, before NEVER_PS
     * @return bit i set: item first + i has its time by then
     */
    uint64_t GetDue(uint32_t first, uint32_t n, int64_t nowPs) const
    {
        uint64_t due = 0;
        for (uint32_t i = 0; i < n; i += 4)
        {
            due |= DueMaskOfFour(m_times + first + i, nowPs) << i;
        }
        return due & ~uint64_t{0} >> (64 - n);
    }

    /// @brief Have it fetched from memory. @param items of how many of the first items
    void Fetch(uint32_t items) const
    {
        FetchBytes(m_times, items * sizeof *m_times);
        FetchBytes(m_winners, (m_leaves + items) * sizeof *m_winners);
    }

  private:
    static constexpr uint32_t FEW = 4; //!< enough for a NIC: no memory elsewhere

    int64_t* m_times{nullptr};    //!< by item
    uint16_t* m_winners{nullptr}; //!< tree in heap order, root at 1, leaves behind
    uint32_t m_leaves{0};         //!< power of two
    std::array<uint16_t, 2 * FEW> m_fewWinners{};
    std::array<int64_t, FEW> m_fewTimes{};
    std::vector<int64_t> m_manyTimes;
    std::vector<uint16_t> m_manyWinners;
};

inline void
Agenda::Reset(uint32_t items)
{
    m_leaves = 2;
    while (m_leaves < items)
    {
        m_leaves *= 2;
    }
    m_manyTimes.resize(m_leaves > FEW ? m_leaves : 0);
    m_manyWinners.resize(2 * m_manyTimes.size());
    m_times = m_leaves > FEW ? m_manyTimes.data() : m_fewTimes.data();
    m_winners = m_leaves > FEW ? m_manyWinners.data() : m_fewWinners.data();
    std::fill_n(m_times, std::max(m_leaves, FEW), NEVER_PS);
    for (uint32_t leaf = 0; leaf < m_leaves; ++leaf)
    {
        m_winners[m_leaves + leaf] = static_cast<uint16_t>(leaf);
    }
    for (uint32_t node = m_leaves - 1; node; --node)
    {
        m_winners[node] = m_winners[2 * node];
    }
}

} // namespace ns3::roce

#endif /* ROCE_AGENDA_H */
