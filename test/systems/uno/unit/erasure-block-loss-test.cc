// SPDX-License-Identifier: GPL-2.0-only
// How often a block (8,2) cannot be rebuilt: a receiver behind each loss model, against closed
// forms (independent losses) and table 1 of Uno (losses in runs and in chunks).
#include "uno-erasure-fixture.h"

#include "ns3/double.h"
#include "ns3/roce-random-loss.h"

#include <cmath>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

struct Found
{
    uint64_t damaged{0}; //!< blocks that lost something
    uint64_t failed{0};  //!< that could not be rebuilt
};

Found
RunBlocks(LossModel& model, uint64_t blocks, uint32_t extraFrames = 0)
{
    model.AssignStreams(7);
    UnoErasureReceiver receiver({});
    std::vector<uint64_t> done;
    Found found;
    for (uint64_t b = 0; b < blocks; ++b)
    {
        Frame frame{};
        frame.flags = FRAME_CODED;
        uint64_t lost = 0;
        for (uint8_t i = 0; i < 10; ++i)
        {
            frame.psn = 10 * b + i;
            frame.Extend<UnoErasureHeader>() = {{i, 8, 10, false}, 0};
            if (model.IsLost(frame, 0))
            {
                lost |= 1ULL << i;
                continue;
            }
            receiver.OnData(frame, 1, 0, done);
        }
        found.damaged += lost != 0;
        found.failed += receiver.expectedPsn == 10 * b;
        for (uint8_t i = 0; lost; lost >>= 1, ++i)
        {
            if (lost & 1) // repaired
            {
                frame.psn = 10 * b + i;
                frame.Extend<UnoErasureHeader>().place.index = i;
                receiver.OnData(frame, 1, 0, done);
            }
        }
        for (uint32_t i = 0; i < extraFrames; ++i) // of others, so that blocks have any phase
        {
            model.IsLost(frame, 0);
        }
    }
    EXPECT_EQ(receiver.expectedPsn, 10 * blocks);
    return found;
}

/// As a Poisson variate, within three standard deviations.
void
ExpectShare(uint64_t found, uint64_t n, double p)
{
    const double mean = static_cast<double>(n) * p;
    EXPECT_NEAR(static_cast<double>(found), mean, 3 * std::sqrt(mean) + 0.5) << p;
}

template <typename T>
Ptr<T>
Profile(const char* profile)
{
    Ptr<T> model = CreateObject<T>();
    model->SetAttribute("Profile", StringValue(profile));
    return model;
}

} // namespace

TEST(ErasureBlockLoss, IndependentLosses)
{
    const std::tuple<double, double, uint64_t> table[] = {{0.01, 1.13849e-4, 1000000},
                                                          {0.05, 1.150356e-2, 100000},
                                                          {0.1, 7.019083e-2, 50000}};
    for (const auto& [rate, failure, blocks] : table)
    {
        Ptr<RandomLoss> model = CreateObject<RandomLoss>();
        model->SetAttribute("Rate", DoubleValue(rate));
        const Found found = RunBlocks(*model, blocks);
        ExpectShare(found.failed, blocks, failure);
        ExpectShare(found.damaged, blocks, 1 - std::pow(1 - rate, 10));
    }
}

// Three of ten lost: 1.56e-5 of all blocks; something lost: 3.95e-4. The code gains a factor of 25.
TEST(ErasureBlockLoss, RunsAsMeasuredForUno)
{
    constexpr uint64_t N = 3000000;
    const Found found = RunBlocks(*Profile<RunLoss>("uno-setup1"), N);
    ExpectShare(found.failed, N, 1.565e-5);
    ExpectShare(found.damaged, N, 3.950e-4);
}

// The authors' generator, whose chunks are our blocks here.
TEST(ErasureBlockLoss, ChunksAsInTheArtifact)
{
    constexpr uint64_t N = 3000000;
    const Found found = RunBlocks(*Profile<ChunkLoss>("uno-setup1"), N);
    ExpectShare(found.failed, N, 1.6e-5);
    ExpectShare(found.damaged, N, 3.91e-4);
    // At any phase a chunk's losses may fall into two blocks.
    EXPECT_LT(RunBlocks(*Profile<ChunkLoss>("uno-setup1"), N, 3).failed, found.failed);
}
