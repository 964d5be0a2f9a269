// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/roce-late-random.h"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::roce;

namespace
{

/// Puts back what the tests change.
struct LateRandomTest : ::testing::Test
{
    void TearDown() override
    {
        RngSeedManager::SetSeed(m_seed);
        RngSeedManager::SetRun(m_run);
    }

    const uint32_t m_seed = RngSeedManager::GetSeed();
    const uint64_t m_run = RngSeedManager::GetRun();
};

void
ExpectSame(LateRandom& late, UniformRandomVariable& variable)
{
    for (int i = 0; i < 20; ++i)
    {
        EXPECT_EQ(late.Draw(), variable.GetValue(0.0, 1.0));
        EXPECT_EQ(late.DrawWord(), variable.GetInteger(0, UINT32_MAX));
    }
}

} // namespace

TEST_F(LateRandomTest, DrawsWhatNs3Draws)
{
    for (const uint64_t run : {1, 7})
    {
        RngSeedManager::SetRun(run);
        for (const int64_t stream : {int64_t{0}, int64_t{1}, int64_t{123456}, INT64_MAX})
        {
            LateRandom late;
            late.SetStream(stream);
            const Ptr<UniformRandomVariable> variable = CreateObject<UniformRandomVariable>();
            variable->SetStream(stream);
            ExpectSame(late, *variable);
        }
    }
}

TEST_F(LateRandomTest, DrawsGapsAsNs3Does)
{
    LateRandom late;
    late.SetStream(42);
    const Ptr<ExponentialRandomVariable> variable = CreateObject<ExponentialRandomVariable>();
    variable->SetStream(42);
    for (int i = 0; i < 20; ++i)
    {
        EXPECT_EQ(-1234.5 * std::log(late.Draw()), variable->GetValue(1234.5, 0));
    }
}

TEST_F(LateRandomTest, TakesAnAutomaticStreamAsNs3Does)
{
    const uint64_t first = RngSeedManager::GetNextStreamIndex();
    LateRandom late; // first + 1
    LateRandom again;
    again.SetStream(-1); // first + 3
    EXPECT_EQ(RngSeedManager::GetNextStreamIndex(), first + 4);
    RngStream own(m_seed, first + 1, m_run);
    RngStream other(m_seed, first + 3, m_run);
    EXPECT_EQ(late.Draw(), own.RandU01());
    EXPECT_EQ(again.Draw(), other.RandU01());
}

TEST_F(LateRandomTest, SeedIsThatOfTheTimeOfTheStream)
{
    LateRandom late;
    late.SetStream(5);
    const Ptr<UniformRandomVariable> variable = CreateObject<UniformRandomVariable>();
    variable->SetStream(5);
    RngSeedManager::SetSeed(m_seed + 1);
    RngSeedManager::SetRun(m_run + 1);
    ExpectSame(late, *variable);
    late.SetStream(5);
    variable->SetStream(5);
    ExpectSame(late, *variable);
}

TEST_F(LateRandomTest, CopyContinuesAlone)
{
    LateRandom late;
    late.SetStream(5);
    late.Draw();
    LateRandom copy = late;
    EXPECT_EQ(copy.Draw(), late.Draw());
}
