// SPDX-License-Identifier: GPL-2.0-only
#include "roce-huge-pages.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace ns3::roce
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
    return last - first;
#else
    return 0;
#endif
}

namespace
{

/// Room that malloc() gets in advance: for queue pairs, rate laws and flows of a large network.
constexpr std::size_t ROOM_BYTES = 32 * HugePages::BYTES;

/// The heap of malloc(), as far as the system has given it out; nothing if it is small.
std::pair<uintptr_t, uintptr_t>
FindLargeHeap()
{
    // A small network would only take more memory.
    constexpr std::size_t LARGE = 8 * HugePages::BYTES;
    // The system lists the heap in consecutive pieces if it has been asked before or the process is
    // a child of another.
    uintptr_t first = 0;
    uintptr_t last = 0;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
    {
        uintptr_t begin;
        uintptr_t end;
        if (line.find("[heap]") != std::string::npos &&
            std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &begin, &end) == 2)
        {
            first = first ? first : begin;
            last = end;
        }
    }
    return last - first < LARGE ? std::make_pair(uintptr_t{0}, uintptr_t{0})
                                : std::make_pair(first, last);
}

/// Move written memory now, where the system can (Linux 6.1); else it does so later.
void
Move([[maybe_unused]] uintptr_t first, [[maybe_unused]] uintptr_t last)
{
#ifdef MADV_HUGEPAGE
    constexpr int COLLAPSE = 25; // MADV_COLLAPSE, which older headers do not know
    // One after the other: a page that cannot be moved, as a parent process has it as well, ends
    // the call.
    constexpr std::size_t BYTES = HugePages::BYTES;
    for (uintptr_t page = (first + BYTES - 1) / BYTES * BYTES; page + BYTES <= last; page += BYTES)
    {
        madvise(reinterpret_cast<void*>(page), BYTES, COLLAPSE);
    }
#endif
}

/// Let the heap grow now, and by large pieces from now on: what is given out later lies in pages
/// that have been asked for, too.
void
GrowHeap()
{
#ifdef __GLIBC__
    mallopt(M_TOP_PAD, ROOM_BYTES);
    mallopt(M_TRIM_THRESHOLD, 2 * ROOM_BYTES);
    // Less than what malloc() asks the system for separately.
    constexpr std::size_t BLOCK_BYTES = 64 << 10;
    std::vector<std::unique_ptr<char[]>> blocks;
    const void* const end = sbrk(0);
    for (std::size_t bytes = 0; sbrk(0) == end && bytes < ROOM_BYTES; bytes += BLOCK_BYTES)
    {
        blocks.emplace_back(new char[BLOCK_BYTES]);
    }
#endif
}

} // namespace

std::size_t
HugePages::AskForHeap()
{
    const auto [first, last] = FindLargeHeap();
    if (!first)
    {
        return 0;
    }
    const std::size_t used = Ask(reinterpret_cast<void*>(first), reinterpret_cast<void*>(last));
    Move(first, last);
    GrowHeap();
    const uintptr_t end = FindLargeHeap().second;
    return used + Ask(reinterpret_cast<void*>(last / BYTES * BYTES), reinterpret_cast<void*>(end));
}

} // namespace ns3::roce
