/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-huge-pages.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace ns3
{
namespace roce
{

std::size_t
HugePages::Ask([[maybe_unused]] void* begin, [[maybe_unused]] void* end)
{
#ifdef MADV_HUGEPAGE
    const auto first = (reinterpret_cast<uintptr_t>(begin) + BYTES - 1) / BYTES * BYTES;
    const auto last = reinterpret_cast<uintptr_t>(end) / BYTES * BYTES;
    if (first >= last || madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE) != 0)
    {
        return 0;
    }
    // What has been written already is moved now, where the system can (Linux 6.1); else some day.
    constexpr int COLLAPSE = 25; // MADV_COLLAPSE, which older headers do not know
    madvise(reinterpret_cast<void*>(first), last - first, COLLAPSE);
    return last - first;
#else
    return 0;
#endif
}

std::size_t
HugePages::AskForHeap()
{
    // A small network would only take more memory.
    constexpr std::size_t LARGE = 8 * BYTES;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
    {
        uintptr_t begin;
        uintptr_t end;
        if (line.find("[heap]") != std::string::npos &&
            std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &begin, &end) == 2)
        {
            return end - begin < LARGE
                       ? 0
                       : Ask(reinterpret_cast<void*>(begin), reinterpret_cast<void*>(end));
        }
    }
    return 0;
}

} // namespace roce
} // namespace ns3
