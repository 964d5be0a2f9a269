// SPDX-License-Identifier: GPL-2.0-only
// Huge pages are asked for within the memory given, and leave its contents alone.
#include "ns3/roce-huge-pages.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <unistd.h>
#include <vector>

using namespace ns3::roce;

TEST(HugePages, LeaveContentsAlone)
{
    std::vector<uint32_t> numbers(5 * HugePages::BYTES / sizeof(uint32_t));
    std::iota(numbers.begin(), numbers.end(), 0U);
    const std::size_t asked = HugePages::Ask(numbers.data(), numbers.data() + numbers.size());
    EXPECT_TRUE(asked == 0 || asked == 4 * HugePages::BYTES) << asked; // not aligned: 4 are whole
    for (uint32_t i = 0; i < numbers.size(); ++i)
    {
        ASSERT_EQ(numbers[i], i);
    }
}

TEST(HugePages, LessThanAPageIsLeftOut)
{
    // Of less than a page no whole page can be; nor may the neighbours be touched.
    const auto memory = std::make_unique<char[]>(HugePages::BYTES / 2);
    EXPECT_EQ(HugePages::Ask(memory.get(), memory.get() + HugePages::BYTES / 2), 0u);
}

TEST(HugePages, HeapCanBeAskedForAtAnyTime)
{
    // Many pieces, too small to be mapped one by one.
    std::vector<std::unique_ptr<std::vector<char>>> pieces;
    for (int i = 0; i < 2000; ++i)
    {
        pieces.push_back(std::make_unique<std::vector<char>>(20000, static_cast<char>(i)));
    }
    const std::size_t asked = HugePages::AskForHeap();
    EXPECT_EQ(asked % HugePages::BYTES, 0u);
    for (int i = 0; i < 2000; ++i)
    {
        EXPECT_EQ(pieces[i]->back(), static_cast<char>(i));
    }
}

TEST(HugePages, AHeapInPiecesIsAskedForWhole)
{
    // What has been asked for is another piece of the heap for the system than what has not, and
    // what a child gets is another than what its parent had.
    std::vector<std::unique_ptr<std::vector<char>>> pieces;
    const auto grow = [&pieces] {
        for (int i = 0; i < 5000; ++i)
        {
            pieces.push_back(std::make_unique<std::vector<char>>(20000));
        }
    };
    grow();
    std::vector<char> other(2 * HugePages::BYTES);
    if (!HugePages::Ask(other.data(), other.data() + other.size()))
    {
        GTEST_SKIP() << "the system has no huge pages";
    }
    if (pieces.back()->data() > static_cast<const char*>(sbrk(0)))
    {
        GTEST_SKIP() << "malloc() has a heap of another kind, that of a sanitizer";
    }
    const std::size_t first = HugePages::AskForHeap();
    EXPECT_GE(first, 90 * 1000 * 1000u);
    grow();
    EXPECT_GE(HugePages::AskForHeap(), first + 40 * 1000 * 1000u);
}
