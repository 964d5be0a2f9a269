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

void
IntStack::KeepLast(uint32_t n)
{
    const uint32_t skip = n < hops ? hops - n : 0;
    if (!skip)
    {
        return;
    }
    for (uint32_t i = 0; i < n; ++i)
    {
        const IntHop kept = At(skip + i);
        IntStack* chunk = this;
        for (uint32_t j = i; j >= CHUNK; j -= CHUNK)
        {
            chunk = chunk->next;
        }
        chunk->hop[i % CHUNK] = kept;
    }
    IntStack* last = this;
    for (uint32_t j = CHUNK; j < n; j += CHUNK)
    {
        last = last->next;
    }
    FramePool::FreeInt(last->next);
    last->next = nullptr;
    hops = n;
}

uint64_t
FramePool::Outstanding()
{
    return s_outstanding;
}

} // namespace roce
} // namespace ns3
