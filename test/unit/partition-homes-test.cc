// SPDX-License-Identifier: GPL-2.0-only

// Who runs which partition, and threads that begin and end together.

#include "ns3/roce-partition-homes.h"
#include "ns3/roce-worker-pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

namespace ns3::roce::test
{

namespace
{

/// @return 0, 1, and so on
std::vector<unsigned>
FirstNumbers(unsigned n)
{
    std::vector<unsigned> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

} // namespace

TEST(PartitionHomes, EachThreadTakesItsOwnFirstAndThenWhatOthersHaveLeft)
{
    PartitionHomes homes(FirstNumbers(6), 3);
    homes.Begin();
    EXPECT_EQ(homes.Take(1), 2u);
    EXPECT_EQ(homes.Take(1), 3u);
    EXPECT_EQ(homes.Take(1), 5u) << "not what the owner comes to last";
    EXPECT_EQ(homes.Take(2), 4u);
    EXPECT_EQ(homes.Take(2), 1u);
    EXPECT_EQ(homes.Take(0), 0u);
    EXPECT_EQ(homes.Take(0), PartitionHomes::NONE) << "a partition is run twice";
    homes.Begin();
    EXPECT_EQ(homes.Take(0), 0u) << "nothing can be taken in the next window";
}

TEST(PartitionHomes, HomesMoveWhereTheyAreUneven)
{
    PartitionHomes homes(FirstNumbers(4), 2);
    const std::vector<int64_t> workNs{800, 900, 100, 50}; // thread 0 has nearly all
    for (unsigned window = 0; window < 64; ++window)
    {
        homes.Begin();
        for (unsigned p = 0; p < 4; ++p)
        {
            homes.Note(homes.Take(0), 0);
        }
        for (unsigned p = 0; p < 4; ++p)
        {
            homes.Note(p, workNs[p]);
        }
    }
    homes.Begin();
    const unsigned first = homes.Take(0);
    const unsigned second = homes.Take(1);
    EXPECT_EQ((std::set<unsigned>{first, second}), (std::set<unsigned>{0, 1}))
        << "each thread begins with one of the two that take long";
    EXPECT_EQ(homes.Predict(workNs), 950);
}

TEST(PartitionHomes, PredictsWhatAWindowTakes)
{
    const PartitionHomes homes(FirstNumbers(4), 2);
    EXPECT_EQ(homes.Predict({100, 100, 100, 100}), 200);
    EXPECT_EQ(homes.Predict({10, 10, 100, 100}), 120) << "a thread that has nothing left waits";
    EXPECT_EQ(homes.Predict({0, 500, 0, 0}), 500);
}

TEST(PartitionHomes, ThreadsShareOutAllPartitions)
{
    constexpr unsigned THREADS = 4;
    PartitionHomes homes(FirstNumbers(9), THREADS);
    std::mutex mutex;
    std::vector<unsigned> taken;
    WorkerPool pool(
        THREADS,
        [&](unsigned thread) {
            for (unsigned p = homes.Take(thread); p != PartitionHomes::NONE; p = homes.Take(thread))
            {
                const std::lock_guard lock(mutex);
                taken.push_back(p);
            }
        },
        [] {});
    for (unsigned window = 0; window < 500; ++window)
    {
        taken.clear();
        homes.Begin();
        pool.Run();
        std::sort(taken.begin(), taken.end());
        ASSERT_EQ(taken, FirstNumbers(9)) << "window " << window;
    }
}

TEST(WorkerPool, AllThreadsWorkInEachRoundHoweverLongTheyHaveWaited)
{
    std::atomic<unsigned> ends{0};
    std::vector<unsigned> rounds(5); // more threads than cores on many machines
    {
        WorkerPool pool(
            5,
            [&](unsigned thread) {
                if (thread == 2 && rounds[2] == 7)
                {
                    // Long enough for the caller to sleep.
                    std::this_thread::sleep_for(std::chrono::milliseconds(100));
                }
                ++rounds[thread];
            },
            [&] { ++ends; });
        EXPECT_EQ(pool.GetThreads(), 5u);
        for (unsigned round = 1; round <= 20; ++round)
        {
            if (round == 10)
            {
                // Long enough for the others to sleep.
                std::this_thread::sleep_for(std::chrono::milliseconds(100));
            }
            pool.Run();
            ASSERT_EQ(rounds, std::vector<unsigned>(5, round));
        }
    }
    EXPECT_EQ(ends, 4u) << "a thread has not said that it ends";
}

} // namespace ns3::roce::test
