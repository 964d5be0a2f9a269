// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FETCH_H
#define ROCE_FETCH_H

#include <cstddef>

namespace ns3::roce
{

/// @brief Prefetch a cache line. Nothing else happens, for any address.
inline void
FetchLine(const void* address)
{
    // Into the second cache: the first is too small for the stations being prefetched.
    __builtin_prefetch(address, 0, 2);
    // Otherwise g++ removes calls of functions that do nothing else.
    asm volatile("");
}

/**
 * @brief Prefetch memory.
 * @param begin first byte
 */
inline void
FetchBytes(const void* begin, std::size_t bytes)
{
    constexpr std::size_t LINE = 64;
    for (std::size_t i = 0; i < bytes; i += LINE)
    {
        FetchLine(static_cast<const char*>(begin) + i);
    }
}

} // namespace ns3::roce

#endif /* ROCE_FETCH_H */
