/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-frame.h"

#include <memory>
#include <vector>

namespace ns3
{
namespace roce
{

Frame* FramePool::s_free = nullptr;
IntStack* FramePool::s_freeInt = nullptr;
uint64_t FramePool::s_outstanding = 0;

namespace
{

/// Slabs are never freed: links that die after main() still give their frames back. Leak checkers
/// see them as reachable.
template <typename T>
T*
NewSlab(std::size_t n)
{
    static auto* const slabs = new std::vector<std::unique_ptr<T[]>>;
    slabs->push_back(std::make_unique<T[]>(n));
    return slabs->back().get();
}

} // namespace

void
FramePool::Grow()
{
    constexpr std::size_t n = 256;
    Frame* slab = NewSlab<Frame>(n);
    for (std::size_t i = n; i-- > 0;)
    {
        slab[i].next = s_free;
        s_free = &slab[i];
    }
}

void
FramePool::GrowInt()
{
    constexpr std::size_t n = 256;
    IntStack* slab = NewSlab<IntStack>(n);
    for (std::size_t i = n; i-- > 0;)
    {
        slab[i].next = s_freeInt;
        s_freeInt = &slab[i];
    }
}

uint64_t
FramePool::Outstanding()
{
    return s_outstanding;
}

} // namespace roce
} // namespace ns3
