// SPDX-License-Identifier: GPL-2.0-only
// Huge pages are asked for within the memory given, and leave its contents alone. Those of a heap
// that grows are asked for before they are written to.
#include "ns3/roce-huge-pages.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <string>
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

namespace
{

/// @return bytes of malloc()'s heap for which huge pages have been asked, or not
std::size_t
HeapBytes(bool asked)
{
    std::size_t bytes = 0;
    std::size_t piece = 0; // of the heap, or nothing
    std::ifstream pieces("/proc/self/smaps");
    for (std::string line; std::getline(pieces, line);)
    {
        uintptr_t begin;
        uintptr_t end;
        if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &begin, &end) == 2)
        {
            piece = line.find("[heap]") == std::string::npos ? 0 : end - begin;
        }
        else if (line.rfind("VmFlags:", 0) == 0 && (line.find(" hg") != std::string::npos) == asked)
        {
            bytes += piece;
        }
    }
    return bytes;
}

} // namespace

TEST(HugePages, AHeapThatIsFollowedIsAskedForBeforeItIsWritten)
{
    std::vector<char> other(2 * HugePages::BYTES);
    if (!HugePages::Ask(other.data(), other.data() + other.size()))
    {
        GTEST_SKIP() << "the system has no huge pages";
    }
    if (HeapBytes(true))
    {
        GTEST_SKIP() << "another test has asked for the heap of this process";
    }
    std::vector<std::unique_ptr<std::vector<char>>> pieces;
    HugePages::FollowHeap();
    for (int i = 0; i < 5000; ++i)
    {
        pieces.push_back(std::make_unique<std::vector<char>>(20000));
        HugePages::FollowHeap();
        if (i == 500 && HeapBytes(true))
        {
            FAIL() << "a small network would pay for huge pages";
        }
    }
    if (pieces.back()->data() > static_cast<const char*>(sbrk(0)))
    {
        GTEST_SKIP() << "malloc() has a heap of another kind, that of a sanitizer";
    }
    // What is there before it is a large one is written to before anybody asks.
    EXPECT_LE(HeapBytes(false), 10 * HugePages::BYTES) << "has been written to without";
    EXPECT_GE(HeapBytes(true), 90 * 1000 * 1000 - 10 * HugePages::BYTES);
}
