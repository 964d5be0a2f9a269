// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_HASH_H
#define ROCE_HASH_H

#include <cstdint>

namespace ns3::roce
{

/**
 * @brief Strong 64-bit mixer (xorshift-multiply, the finaliser of SplitMix64).
 * @param x any value
 * @return hash
 */
inline uint64_t
Mix64(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

} // namespace ns3::roce

#endif /* ROCE_HASH_H */
