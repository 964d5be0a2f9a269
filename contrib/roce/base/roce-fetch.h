// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FETCH_H
#define ROCE_FETCH_H

#include <cstddef>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief Have a cache line fetched before it is needed. Nothing else happens, whatever the address.
 * @param address in it
 */
inline void
FetchLine(const void* address)
{
    // Into the second cache: what the stations under way need is more than the first one holds.
    __builtin_prefetch(address, 0, 2);
    // Or g++ leaves out calls of functions that do nothing else.
    asm volatile("");
}

/**
 * @ingroup roce
 * @brief Prefetch memory.
 * @param begin first byte
 * @param bytes length
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
