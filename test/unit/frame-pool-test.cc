// SPDX-License-Identifier: GPL-2.0-only
// Frames of several threads: none is had twice, and what a thread leaves goes to others.
#include "ns3/roce-frame.h"
#include "ns3/roce-huge-pages.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <vector>

using namespace ns3::roce;

namespace
{

/// Take frames, in a thread of its own that then ends. @param held they are added to it
/// @return they alone
std::vector<Frame*>
TakeInThread(std::size_t frames, std::vector<Frame*>& held)
{
    std::vector<Frame*> taken(frames);
    std::thread([&taken] {
        for (Frame*& frame : taken)
        {
            frame = FramePool::Alloc();
        }
        FramePool::ReleaseThread();
    }).join();
    held.insert(held.end(), taken.begin(), taken.end());
    return taken;
}

/// @return of the size of huge pages, in how many of which some frames lie
std::size_t
CountPages(const std::vector<Frame*>& frames)
{
    std::set<std::uintptr_t> pages;
    for (const Frame* frame : frames)
    {
        pages.insert(reinterpret_cast<std::uintptr_t>(frame) / HugePages::BYTES);
    }
    return pages.size();
}

} // namespace

TEST(FramePool, NoFrameIsHadTwice)
{
    constexpr std::size_t THREADS = 3;
    constexpr std::size_t FRAMES = 40000;
    const uint64_t before = FramePool::Outstanding();
    std::vector<std::vector<Frame*>> taken(THREADS, std::vector<Frame*>(FRAMES));
    std::vector<std::thread> threads;
    for (std::vector<Frame*>& frames : taken)
    {
        threads.emplace_back([&frames] {
            for (std::size_t i = 0; i < FRAMES; ++i)
            {
                frames[i] = FramePool::Alloc();
                frames[i]->psn = i;
                if (i % 3 == 2) // some come back at once
                {
                    FramePool::Free(frames[i]);
                    frames[i] = FramePool::Alloc();
                    frames[i]->psn = i;
                }
            }
            FramePool::ReleaseThread();
        });
    }
    for (std::thread& thread : threads)
    {
        thread.join();
    }
    EXPECT_EQ(FramePool::Outstanding(), before + THREADS * FRAMES);
    std::set<const Frame*> all;
    for (const std::vector<Frame*>& frames : taken)
    {
        for (std::size_t i = 0; i < FRAMES; ++i)
        {
            ASSERT_EQ(frames[i]->psn, i) << "another thread has written to it";
            all.insert(frames[i]);
        }
    }
    EXPECT_EQ(all.size(), THREADS * FRAMES);
    for (const std::vector<Frame*>& frames : taken)
    {
        for (Frame* frame : frames)
        {
            FramePool::Free(frame);
        }
    }
    EXPECT_EQ(FramePool::Outstanding(), before);
}

TEST(FramePool, ThreadsThatEndLeaveTheRestOfTheirMemory)
{
    std::vector<Frame*> held;
    // What earlier tests have given back is used first; what follows is new.
    while (CountPages(TakeInThread(200000, held)) > 200000 * sizeof(Frame) / HugePages::BYTES + 2)
    {
    }
    std::vector<Frame*> small;
    for (int i = 0; i < 40; ++i)
    {
        TakeInThread(512, small);
    }
    EXPECT_LE(CountPages(small), 4u) << "40 threads, 2.6 MB: each had memory of its own";
    held.insert(held.end(), small.begin(), small.end());
    for (Frame* frame : held)
    {
        FramePool::Free(frame);
    }
}
