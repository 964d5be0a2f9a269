// SPDX-License-Identifier: GPL-2.0-only

// Who runs which partition when, and threads that begin and end together.

#include "ns3/roce-partition-homes.h"
#include "ns3/roce-worker-pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
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

TEST(WindowTeams, ATeamEndsAWindowBeforeAnyOfItBeginsTheNext)
{
    WindowTeams teams({0, 1, 2, 4}); // another process runs 3
    teams.Join(0, 2);
    teams.Join(4, 2);
    EXPECT_TRUE(teams.AreTogether(0, 4));
    EXPECT_FALSE(teams.AreTogether(0, 1));
    teams.Begin(2);
    EXPECT_EQ(teams.CountLeft(), 4u) << "two windows of two teams";
    teams.NoteSent(2);
    teams.Finish(2);
    teams.Finish(0);
    EXPECT_EQ(teams.GetOpen(0), 1u) << "partition 4 has not run yet";
    teams.Finish(1);
    EXPECT_EQ(teams.GetOpen(1), 2u) << "other teams are waited for";
    EXPECT_EQ(teams.GetOpen(0), 1u);
    teams.Finish(4);
    EXPECT_EQ(teams.GetOpen(0), 2u);
    EXPECT_EQ(teams.CountLeft(), 2u);
    for (const unsigned partition : {0U, 2U, 4U, 1U})
    {
        teams.Finish(partition);
    }
    EXPECT_EQ(teams.CountLeft(), 0u);
    EXPECT_EQ(teams.GetOpen(0), 0u);
    teams.Begin(1);
    EXPECT_TRUE(teams.HasSent(2, 1, 1));
    EXPECT_FALSE(teams.HasSent(2, 1, 2)) << "of another window";
    EXPECT_FALSE(teams.HasSent(2, 2, 1)) << "of another round";
    EXPECT_FALSE(teams.HasSent(0, 1, 1)) << "of another partition";
}

TEST(WindowTeams, AnErrorEndsTheRoundOfItsTeam)
{
    WindowTeams teams({0, 1, 2});
    teams.Join(0, 1);
    teams.Begin(3);
    teams.End(0);
    teams.Finish(0);
    EXPECT_EQ(teams.GetOpen(1), 1u) << "others run the same window";
    teams.Finish(1);
    EXPECT_EQ(teams.GetOpen(1), 0u);
    EXPECT_EQ(teams.CountLeft(), 3u) << "the other team goes on";
    teams.Begin(3);
    teams.Finish(0);
    teams.Finish(1);
    EXPECT_EQ(teams.GetOpen(1), 2u) << "the error is of the round before";
}

/// Partitions of one team, in rounds of one window.
class PartitionHomesTest : public testing::Test
{
  protected:
    void Make(unsigned partitions, unsigned threads)
    {
        m_teams = std::make_unique<WindowTeams>(FirstNumbers(partitions));
        for (unsigned p = 1; p < partitions; ++p)
        {
            m_teams->Join(0, p);
        }
        m_homes = std::make_unique<PartitionHomes>(FirstNumbers(partitions), threads, *m_teams);
    }

    void Begin(unsigned windows = 1)
    {
        m_teams->Begin(windows);
        m_homes->Begin();
    }

    /// @return the partition that a thread takes
    unsigned Take(unsigned thread)
    {
        return m_homes->Take(thread).partition;
    }

    std::unique_ptr<WindowTeams> m_teams;
    std::unique_ptr<PartitionHomes> m_homes;
};

TEST_F(PartitionHomesTest, EachThreadTakesItsOwnFirstAndThenWhatOthersHaveLeft)
{
    Make(6, 3);
    Begin();
    EXPECT_EQ(Take(1), 2u);
    EXPECT_EQ(Take(1), 3u);
    EXPECT_EQ(Take(1), 5u) << "not what the owner comes to last";
    EXPECT_EQ(Take(2), 4u);
    EXPECT_EQ(Take(2), 1u);
    EXPECT_EQ(Take(0), 0u);
    EXPECT_EQ(Take(0), PartitionHomes::NONE) << "a partition is run twice";
    Begin();
    EXPECT_EQ(Take(0), 0u) << "nothing can be taken in the next round";
}

TEST_F(PartitionHomesTest, PartitionsWaitForTheWindowOfTheirTeam)
{
    Make(2, 2);
    Begin(2);
    EXPECT_EQ(Take(0), 0u);
    EXPECT_EQ(Take(1), 1u);
    m_teams->Finish(0);
    EXPECT_EQ(Take(0), PartitionHomes::NONE) << "the other one has not run the first window";
    m_teams->Finish(1);
    const PartitionHomes::Turn turn = m_homes->Take(0);
    EXPECT_EQ(turn.partition, 0u);
    EXPECT_EQ(turn.window, 2u);
}

TEST_F(PartitionHomesTest, HomesMoveWhereTheyAreUneven)
{
    Make(4, 2);
    const std::vector<int64_t> workNs{800, 900, 100, 50}; // thread 0 has nearly all
    for (unsigned round = 0; round < 64; ++round)
    {
        Begin();
        for (unsigned p = 0; p < 4; ++p)
        {
            m_homes->Note(p, workNs[p]);
        }
    }
    Begin();
    const unsigned first = Take(0);
    const unsigned second = Take(1);
    EXPECT_EQ((std::set<unsigned>{first, second}), (std::set<unsigned>{0, 1}))
        << "each thread begins with one of the two that take long";
    EXPECT_EQ(m_homes->Predict({workNs}, 1), 950);
}

TEST_F(PartitionHomesTest, PredictsWhatARoundTakes)
{
    Make(4, 2);
    EXPECT_EQ(m_homes->Predict({{100, 100, 100, 100}}, 1), 200);
    EXPECT_EQ(m_homes->Predict({{10, 10, 100, 100}}, 1), 120) << "who has nothing left waits";
    EXPECT_EQ(m_homes->Predict({{0, 500, 0, 0}}, 1), 500);
    EXPECT_EQ(m_homes->Predict({{0, 500, 0, 0}, {0, 0, 0, 500}}, 2), 1000) << "the team waits";
    const WindowTeams apart(FirstNumbers(4));
    const PartitionHomes homes(FirstNumbers(4), 2, apart);
    EXPECT_EQ(homes.Predict({{0, 500, 0, 0}, {0, 0, 0, 500}}, 2), 500) << "nobody waits";
}

TEST_F(PartitionHomesTest, ThreadsShareOutAllPartitionsInEachWindow)
{
    constexpr unsigned THREADS = 4;
    constexpr unsigned WINDOWS = WindowTeams::MOST;
    Make(9, THREADS);
    std::mutex mutex;
    std::vector<unsigned> taken; // windows, in the order taken; and so the partitions
    std::vector<std::vector<unsigned>> in(WINDOWS);
    WorkerPool pool(
        THREADS,
        [&](unsigned thread) {
            while (m_teams->CountLeft())
            {
                const PartitionHomes::Turn turn = m_homes->Take(thread);
                if (turn.partition == PartitionHomes::NONE)
                {
                    std::this_thread::yield();
                    continue;
                }
                {
                    const std::lock_guard lock(mutex);
                    taken.push_back(turn.window);
                    in[turn.window - 1].push_back(turn.partition);
                }
                m_teams->Finish(turn.partition);
            }
        },
        [] {});
    for (unsigned round = 0; round < 200; ++round)
    {
        taken.clear();
        in.assign(WINDOWS, {});
        Begin(WINDOWS);
        pool.Run();
        ASSERT_TRUE(std::is_sorted(taken.begin(), taken.end()))
            << "a partition has run ahead of its team in round " << round;
        for (std::vector<unsigned>& partitions : in)
        {
            std::sort(partitions.begin(), partitions.end());
            ASSERT_EQ(partitions, FirstNumbers(9)) << "round " << round;
        }
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
