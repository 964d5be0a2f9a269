// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DUE_MASK_H
#define ROCE_DUE_MASK_H

#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace ns3::roce
{

/**
 * @ingroup roce
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

} // namespace ns3::roce

#endif /* ROCE_DUE_MASK_H */
