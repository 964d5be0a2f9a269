// SPDX-License-Identifier: GPL-2.0-only
// IntStack: where records stand, walking the chunks, recognising a path.
#include "ns3/roce-frame.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <vector>

using namespace ns3;
using namespace ns3::roce;

namespace
{

/// A stack of so many hops; hop i has the id 100 + i.
IntStack
MakeStack(uint32_t hops)
{
    IntStack stack = FramePool::AllocInt();
    for (uint32_t i = 0; i < hops; ++i)
    {
        stack.Append().hopId = 100 + i;
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
        const IntStack stack = MakeStack(hops);
        uint32_t i = 0;
        for (const IntHop& hop : stack)
        {
            ASSERT_LT(i, hops);
            EXPECT_EQ(&hop, &stack.At(i));
            EXPECT_EQ(hop.hopId, 100 + i);
            ++i;
        }
        EXPECT_EQ(i, hops);
        EXPECT_EQ(std::distance(stack.begin(), stack.end()), static_cast<std::ptrdiff_t>(hops));
        FramePool::FreeInt(stack);
    }
}

// A switch that adds a record touches one cache line of the stack, the one that was fetched for it.
TEST(IntStack, EachRecordHasACacheLineOfItsOwn)
{
    constexpr uintptr_t LINE = 64;
    IntStack stack = FramePool::AllocInt();
    std::set<uintptr_t> lines;
    for (uint32_t i = 0; i < 20; ++i)
    {
        const void* next = stack.GetNextLine();
        const auto first = reinterpret_cast<uintptr_t>(&stack.Append());
        EXPECT_EQ(first / LINE, (first + sizeof(IntHop) - 1) / LINE) << "record " << i;
        EXPECT_TRUE(lines.insert(first / LINE).second) << "record " << i;
        if (i < IntChunk::HOPS)
        {
            EXPECT_EQ(reinterpret_cast<uintptr_t>(next), first) << "record " << i;
        }
    }
    FramePool::FreeInt(stack);
}

// Memory comes back as it was left, whatever its last user wrote.
TEST(IntStack, ANewRecordIsAllZero)
{
    for (int turn = 0; turn < 2; ++turn)
    {
        IntStack stack = FramePool::AllocInt();
        EXPECT_TRUE(stack);
        EXPECT_EQ(stack.hops, 0u);
        for (uint32_t i = 0; i < 10; ++i)
        {
            IntHop& hop = stack.Append();
            EXPECT_EQ(hop.timePs, 0);
            EXPECT_EQ(hop.txBytes | hop.rxBytes | hop.queueBytes | hop.rateBps | hop.hopId, 0u);
            hop = {1, 2, 3, 4, 5, 6};
        }
        FramePool::FreeInt(stack);
    }
    EXPECT_FALSE(IntStack{});
    EXPECT_EQ(IntStack{}.GetNextLine(), nullptr); // asked for any frame
    FramePool::FreeInt(IntStack{});               // nothing to give back
}

TEST(IntStack, RecognisesItsPath)
{
    for (const uint32_t hops : {1u, 8u, 9u, 20u})
    {
        const IntStack stack = MakeStack(hops);
        std::vector<Sample> samples;
        for (const IntHop& hop : stack)
        {
            EXPECT_FALSE(stack.HasHopsOf(samples)) << samples.size();
            samples.push_back({hop.hopId});
        }
        EXPECT_TRUE(stack.HasHopsOf(samples));
        for (Sample& sample : samples)
        {
            ++sample.hopId;
            EXPECT_FALSE(stack.HasHopsOf(samples));
            --sample.hopId;
        }
        samples.push_back({0});
        EXPECT_FALSE(stack.HasHopsOf(samples));
        FramePool::FreeInt(stack);
    }
}
