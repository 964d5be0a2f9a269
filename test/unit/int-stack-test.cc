/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// IntStack: walking the chunks, recognising a path.
#include "ns3/roce-frame.h"

#include <gtest/gtest.h>
#include <iterator>
#include <vector>

using namespace ns3;
using namespace ns3::roce;

namespace
{

/// A stack of so many hops; hop i has the id 100 + i.
IntStack*
MakeStack(uint32_t hops)
{
    IntStack* stack = FramePool::AllocInt();
    for (uint32_t i = 0; i < hops; ++i)
    {
        IntHop& hop = stack->Append();
        hop = IntHop{};
        hop.hopId = 100 + i;
    }
    return stack;
}

/// What a rate law keeps.
struct Sample
{
    uint64_t hopId;
};

} // namespace

TEST(IntStack, WalksAllHopsInOrder)
{
    for (const uint32_t hops : {0u, 1u, 7u, 8u, 9u, 16u, 17u, 40u})
    {
        IntStack* stack = MakeStack(hops);
        uint32_t i = 0;
        for (const IntHop& hop : *stack)
        {
            ASSERT_LT(i, hops);
            EXPECT_EQ(&hop, &stack->At(i));
            EXPECT_EQ(hop.hopId, 100 + i);
            ++i;
        }
        EXPECT_EQ(i, hops);
        EXPECT_EQ(std::distance(stack->begin(), stack->end()), static_cast<std::ptrdiff_t>(hops));
        FramePool::FreeInt(stack);
    }
}

TEST(IntStack, RecognisesItsPath)
{
    for (const uint32_t hops : {1u, 8u, 9u, 20u})
    {
        IntStack* stack = MakeStack(hops);
        std::vector<Sample> samples;
        for (const IntHop& hop : *stack)
        {
            EXPECT_FALSE(stack->HasHopsOf(samples)) << samples.size();
            samples.push_back({hop.hopId});
        }
        EXPECT_TRUE(stack->HasHopsOf(samples));
        for (Sample& sample : samples)
        {
            ++sample.hopId;
            EXPECT_FALSE(stack->HasHopsOf(samples));
            --sample.hopId;
        }
        samples.push_back({0});
        EXPECT_FALSE(stack->HasHopsOf(samples));
        FramePool::FreeInt(stack);
    }
}
