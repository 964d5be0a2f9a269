// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/roce-time-heap.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

using namespace ns3::roce;

namespace
{

using Heap = TimeHeap<uint32_t>;

/// @return what is due until a time, all entries valid
std::vector<std::pair<int64_t, uint32_t>>
Take(Heap& heap, int64_t nowPs)
{
    std::vector<std::pair<int64_t, uint32_t>> taken;
    while (heap.IsDue(nowPs))
    {
        const Heap::Entry entry = heap.Pop();
        taken.emplace_back(entry.atPs, entry.what);
    }
    return taken;
}

} // namespace

TEST(TimeHeap, EarliestFirstThenByNumber)
{
    Heap heap;
    EXPECT_TRUE(heap.IsEmpty());
    EXPECT_EQ(heap.NextPs(), NEVER_PS);
    EXPECT_FALSE(heap.IsDue(NEVER_PS)) << "nothing is there";
    std::mt19937 random(3);
    std::vector<std::pair<int64_t, uint32_t>> expected;
    for (int i = 0; i < 1000; ++i)
    {
        expected.emplace_back(random() % 50, random());
        heap.Push(expected.back().first, expected.back().second);
    }
    std::sort(expected.begin(), expected.end());
    const auto end = std::find_if(expected.begin(), expected.end(), [](const auto& entry) {
        return entry.first > 20;
    });
    ASSERT_NE(end, expected.begin());
    EXPECT_EQ(heap.NextPs(), expected.front().first);
    EXPECT_EQ(Take(heap, 20), decltype(expected)(expected.begin(), end));
    EXPECT_EQ(Take(heap, 1000), decltype(expected)(end, expected.end()));
    EXPECT_TRUE(heap.IsEmpty());
}

// An object whose time has changed has several entries: only that of the time it remembers counts.
TEST(TimeHeap, EntriesOutOfDateArePassedOver)
{
    Heap heap;
    std::vector<int64_t> validPs{30, 10, NEVER_PS};
    heap.Push(10, 0); // before it was moved to 30
    heap.Push(30, 0);
    heap.Push(10, 1);
    heap.Push(20, 1); // before it was moved to 10
    heap.Push(15, 2); // it needs nothing any more
    const auto valid = [&](uint32_t number) { return validPs[number]; };
    Heap::Entry entry{};
    EXPECT_FALSE(heap.PopDue(9, entry, valid));
    ASSERT_TRUE(heap.PopDue(29, entry, valid));
    EXPECT_EQ(entry.what, 1u);
    EXPECT_EQ(entry.atPs, 10);
    validPs[1] = NEVER_PS;
    EXPECT_FALSE(heap.PopDue(29, entry, valid));
    EXPECT_EQ(heap.NextPs(), 30) << "what is out of date is gone, what is to come is not";
    ASSERT_TRUE(heap.PopDue(30, entry, valid));
    EXPECT_EQ(entry.what, 0u);
    EXPECT_TRUE(heap.IsEmpty());
}

TEST(TimeHeap, LooksAtWhatIsDueWithoutTakingIt)
{
    Heap heap;
    std::mt19937 random(4);
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < 300; ++i)
    {
        const int64_t atPs = random() % 100;
        heap.Push(atPs, i);
        if (atPs <= 40)
        {
            expected.push_back(i);
        }
    }
    std::vector<uint32_t> found;
    heap.ForEachUntil(40, [&](uint32_t number) { found.push_back(number); });
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected);
    EXPECT_EQ(Take(heap, 100).size(), 300u);
}
