// SPDX-License-Identifier: GPL-2.0-only
// Loss models: rates, gaps, bursts and correlations against their closed forms, streams, bad
// values.
#include "roce-error-of.h"
#include "roce-is-built.h"
#include "roce-test-time.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/roce-error-model-loss.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-random-loss.h"
#include "ns3/string.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <vector>

using namespace ns3;
using namespace ns3::roce;

namespace
{

Ptr<LossModel>
Make(const std::string& text, int64_t stream = 1)
{
    ObjectFactory factory;
    std::istringstream("ns3::roce::" + text) >> factory;
    Ptr<LossModel> model = factory.Create<LossModel>();
    model->AssignStreams(stream);
    return model;
}

/// What becomes of n data frames.
std::vector<bool>
Losses(LossModel& model, uint64_t n)
{
    Frame frame{};
    std::vector<bool> lost(n);
    for (uint64_t i = 0; i < n; ++i)
    {
        lost[i] = model.IsLost(frame, static_cast<int64_t>(i));
    }
    return lost;
}

/// The expected number of independent events, within four standard deviations.
void
ExpectCount(double found, double n, double p, const std::string& what)
{
    EXPECT_NEAR(found, n * p, 4 * std::sqrt(n * p * (1 - p)) + 1e-9) << what;
}

/// Lengths of runs of a value, those that begin and end inside.
std::map<uint64_t, uint64_t>
Runs(const std::vector<bool>& lost, bool value)
{
    std::map<uint64_t, uint64_t> runs;
    uint64_t length = 0;
    bool whole = false;
    for (bool l : lost)
    {
        if (l == value)
        {
            ++length;
            continue;
        }
        if (length && whole)
        {
            ++runs[length];
        }
        length = 0;
        whole = true;
    }
    return runs;
}

uint64_t
Count(const std::vector<bool>& lost)
{
    return static_cast<uint64_t>(std::count(lost.begin(), lost.end(), true));
}

/// Opens what models draw with.
struct Draws : RandomLoss
{
    using LossModel::DrawGeometric;
    using LossModel::NEVER;
};

} // namespace

class RandomLossRate : public ::testing::TestWithParam<double>
{
};

TEST_P(RandomLossRate, IndependentWithThatRate)
{
    const double p = GetParam();
    const double n = 2e6;
    const auto lost = Losses(*Make("RandomLoss[Rate=" + std::to_string(p) + "]"), 2000000);
    ExpectCount(static_cast<double>(Count(lost)), n, p, "rate");
    // Independent: after a loss the next is as likely as ever, and so is the one after that.
    for (uint64_t lag : {1u, 2u, 7u})
    {
        uint64_t both = 0;
        for (uint64_t i = lag; i < lost.size(); ++i)
        {
            both += lost[i] && lost[i - lag];
        }
        ExpectCount(static_cast<double>(both), n, p * p, "lag " + std::to_string(lag));
    }
    // Gaps are geometric.
    uint64_t gaps = 0;
    uint64_t longGaps = 0;
    const auto limit = static_cast<uint64_t>(1 / p);
    for (const auto& [length, count] : Runs(lost, false))
    {
        gaps += count;
        longGaps += length > limit ? count : 0;
    }
    ExpectCount(static_cast<double>(longGaps),
                static_cast<double>(gaps),
                std::pow(1 - p, static_cast<double>(limit)),
                "gaps");
}

INSTANTIATE_TEST_SUITE_P(Rates, RandomLossRate, ::testing::Values(0.0005, 0.01, 0.3, 0.9));

TEST(RandomLossTest, NothingAndEverything)
{
    EXPECT_EQ(Count(Losses(*Make("RandomLoss[Rate=0]"), 100000)), 0u);
    EXPECT_EQ(Count(Losses(*Make("RandomLoss[Rate=1]"), 1000)), 1000u);
}

TEST(RandomLossTest, RareLossesAreNotCoarse)
{
    Ptr<Draws> draws = CreateObject<Draws>();
    draws->AssignStreams(3);
    for (double p : {1e-3, 1e-9, 1e-13})
    {
        const int n = 100000;
        double sum = 0;
        uint64_t below = 0;
        for (int i = 0; i < n; ++i)
        {
            const auto k = static_cast<double>(draws->DrawGeometric(p));
            sum += k * p;
            below += k < 0.1 / p;
        }
        EXPECT_NEAR(sum / n, 1, 4 / std::sqrt(n)) << p;
        ExpectCount(static_cast<double>(below), n, 1 - std::exp(-0.1), "short gaps");
    }
    // With 32 bits, about 18 of these would be equal to another.
    std::set<uint64_t> different;
    for (int i = 0; i < 400000; ++i)
    {
        different.insert(draws->DrawGeometric(1e-13));
    }
    EXPECT_GE(different.size(), 399998u);
    EXPECT_EQ(draws->DrawGeometric(0), Draws::NEVER);
    EXPECT_EQ(draws->DrawGeometric(1), 0u);
}

TEST(RandomLossTest, SameStreamSameLosses)
{
    const auto once = Losses(*Make("RandomLoss[Rate=0.1]", 5), 5000);
    EXPECT_EQ(once, Losses(*Make("RandomLoss[Rate=0.1]", 5), 5000));
    EXPECT_NE(once, Losses(*Make("RandomLoss[Rate=0.1]", 6), 5000));
    for (const char* text : {"BurstLoss[LossRate=0.1]",
                             "RunLoss[Profile=none|StartRate=0.1]",
                             "ChunkLoss[Profile=none|Probabilities=0.3]"})
    {
        Ptr<LossModel> model = Make(text, 7);
        const auto first = Losses(*model, 5003);
        model->AssignStreams(7); // starts anew, in the middle of whatever
        EXPECT_EQ(first, Losses(*model, 5003)) << text;
        model->AssignStreams(8);
        EXPECT_NE(first, Losses(*model, 5003)) << text;
    }
}

TEST(BurstLossTest, MeanRateAndBurstLengths)
{
    Ptr<LossModel> model = Make("BurstLoss[LossRate=0.02|MeanBurst=4]");
    EXPECT_NEAR(dynamic_cast<BurstLoss&>(*model).GetMeanLossRate(), 0.02, 1e-12);
    const double n = 4e6;
    const auto lost = Losses(*model, 4000000);
    // Bursts of mean 4 inflate the variance by about (2 * 4 - 1).
    EXPECT_NEAR(static_cast<double>(Count(lost)) / n, 0.02, 4 * std::sqrt(0.02 * 0.98 * 7 / n));
    const auto bursts = Runs(lost, true);
    double total = 0;
    for (const auto& [length, count] : bursts)
    {
        total += static_cast<double>(count);
    }
    for (uint64_t length : {1u, 2u, 3u, 6u})
    {
        const double p = 0.25 * std::pow(0.75, static_cast<double>(length - 1));
        ExpectCount(static_cast<double>(bursts.at(length)), total, p, std::to_string(length));
    }
}

// Loss in both states: rate, and covariance Pg Pb (kB - kG)^2 (1 - p - r)^lag.
TEST(BurstLossTest, GilbertElliottClosedForm)
{
    const double p = 0.02;
    const double r = 0.1;
    const double kG = 0.01;
    const double kB = 0.6;
    Ptr<LossModel> model =
        Make("BurstLoss[GoodToBad=0.02|BadToGood=0.1|LossGood=0.01|LossBad=0.6]");
    const double rate = (p * kB + r * kG) / (p + r);
    EXPECT_NEAR(dynamic_cast<BurstLoss&>(*model).GetMeanLossRate(), rate, 1e-12);
    const uint64_t n = 6000000;
    const auto lost = Losses(*model, n);
    const double pBad = p / (p + r);
    const double spread = pBad * (1 - pBad) * (kB - kG) * (kB - kG);
    const double rho = 1 - p - r;
    const double sigma = std::sqrt((rate * (1 - rate) + 2 * spread * rho / (1 - rho)) / n);
    const double found = static_cast<double>(Count(lost)) / n;
    EXPECT_NEAR(found, rate, 4 * sigma);
    for (uint64_t lag : {1u, 5u, 20u})
    {
        uint64_t both = 0;
        for (uint64_t i = lag; i < n; ++i)
        {
            both += lost[i] && lost[i - lag];
        }
        const double covariance = static_cast<double>(both) / n - rate * rate;
        EXPECT_NEAR(covariance, spread * std::pow(rho, static_cast<double>(lag)), 6e-4) << lag;
    }
}

TEST(BurstLossTest, StartsInTheSteadyState)
{
    uint64_t lost = 0;
    const int n = 20000;
    for (int i = 0; i < n; ++i)
    {
        lost += Losses(*Make("BurstLoss[LossRate=0.2|MeanBurst=50]", i), 1)[0];
    }
    ExpectCount(static_cast<double>(lost), n, 0.2, "first frame");
}

/// Chunks of ten that lose 1, 2, ... frames.
std::vector<double>
Chunks(const std::vector<bool>& lost)
{
    std::vector<double> chunks(11);
    for (std::size_t i = 0; i + 10 <= lost.size(); i += 10)
    {
        ++chunks[static_cast<std::size_t>(
            std::count(lost.begin() + static_cast<std::ptrdiff_t>(i),
                       lost.begin() + static_cast<std::ptrdiff_t>(i + 10),
                       true))];
    }
    return chunks;
}

// Table 1 of Uno, both setups: whatever the form, chunks of ten have the paper's probabilities.
TEST(CorrelatedLoss, ReproducesTableOneOfUno)
{
    if (!IsBuilt("UnoCc"))
    {
        GTEST_SKIP() << "the profiles of Uno are not built";
    }
    const uint64_t n = 30000000;
    const double setups[2][3] = {{3.0438e-4, 7.495e-5, 1.5647e-5}, {4.0e-5, 2.27e-5, 4.88e-6}};
    for (int setup : {0, 1})
    {
        const std::string profile = "Profile=uno-setup" + std::to_string(setup + 1) + "]";
        for (const std::string kind : {"RunLoss[", "ChunkLoss["})
        {
            const auto chunks = Chunks(Losses(*Make(kind + profile), n));
            for (int k : {1, 2, 3})
            {
                ExpectCount(chunks[k], n / 10, setups[setup][k - 1], kind + profile);
            }
            EXPECT_LE(chunks[4], 2) << kind;
        }
    }
}

// The same on 1e8 frames and within three standard deviations, for the form on links.
TEST(CorrelatedLoss, ReproducesTableOneOfUnoClosely)
{
    if (!IsBuilt("UnoCc"))
    {
        GTEST_SKIP() << "the profiles of Uno are not built";
    }
    const uint64_t n = 100000000;
    const double setups[2][4] = {{5.012e-5, 3.0438e-4, 7.495e-5, 1.5647e-5},
                                 {1.0004e-5, 4.0e-5, 2.27e-5, 4.88e-6}};
    for (int setup : {0, 1})
    {
        Ptr<LossModel> model = Make("RunLoss[Profile=uno-setup" + std::to_string(setup + 1) + "]");
        const Frame frame{};
        double chunks[11] = {};
        double total = 0;
        for (uint64_t c = 0; c < n / 10; ++c)
        {
            int lost = 0;
            for (int i = 0; i < 10; ++i)
            {
                lost += model->IsLost(frame, 0);
            }
            ++chunks[lost];
            total += lost;
        }
        const double* p = setups[setup];
        double squares = 0; // the variance of the losses of a chunk, nearly
        for (int k : {1, 2, 3})
        {
            squares += k * k * p[k];
            const double expected = n / 10 * p[k];
            EXPECT_NEAR(chunks[k], expected, 3 * std::sqrt(expected)) << setup << " P" << k;
        }
        EXPECT_NEAR(total, n * p[0], 3 * std::sqrt(n / 10 * squares) + 1e-3 * n * p[0]) << setup;
    }
}

TEST(CorrelatedLoss, RunLengths)
{
    const auto lost =
        Losses(*Make("RunLoss[Profile=none|StartRate=0.001|BurstSizes=0.5,0,0.3,0.2]"), 4000000);
    auto runs = Runs(lost, true);
    const double n = static_cast<double>(runs[1] + runs[2] + runs[3] + runs[4]);
    EXPECT_NEAR(n, 4e6 * 0.001 / (1 + 0.001 * 1.2), 300);
    ExpectCount(static_cast<double>(runs[1]), n, 0.5, "1");
    ExpectCount(static_cast<double>(runs[3]), n, 0.3, "3");
    ExpectCount(static_cast<double>(runs[4]), n, 0.2, "4");
    EXPECT_LT(runs[2], 10u); // two runs of 1 side by side
}

TEST(CorrelatedLoss, PlacesInAChunkAreUniform)
{
    const uint64_t n = 2000000;
    const auto lost =
        Losses(*Make("ChunkLoss[Profile=none|ChunkFrames=5|Probabilities=0.1,0.05]"), n);
    std::vector<double> places(5);
    std::map<uint64_t, double> perChunk;
    for (uint64_t chunk = 0; chunk < n / 5; ++chunk)
    {
        uint64_t k = 0;
        for (uint64_t i = 0; i < 5; ++i)
        {
            k += lost[5 * chunk + i];
            places[i] += lost[5 * chunk + i];
        }
        ++perChunk[k];
    }
    ExpectCount(perChunk[1], n / 5, 0.1, "one");
    ExpectCount(perChunk[2], n / 5, 0.05, "two");
    EXPECT_EQ(perChunk.size(), 3u);
    for (double count : places)
    {
        ExpectCount(count, n / 5, 0.2 / 5, "place");
    }
}

TEST(LossModelTest, PauseFramesAreLostUnlessToldOtherwise)
{
    Frame pfc{};
    pfc.kind = FrameKind::PFC;
    Ptr<LossModel> model = Make("RandomLoss[Rate=1]");
    EXPECT_TRUE(model->IsLost(pfc, 0));
    model->SetAttribute("AffectsPfc", BooleanValue(false));
    EXPECT_FALSE(model->IsLost(pfc, 0));
    EXPECT_TRUE(model->IsLost(Frame{}, 0));
}

TEST(LossModelTest, AdapterOfNs3Models)
{
    Ptr<ReceiveListErrorModel> list = CreateObject<ReceiveListErrorModel>();
    list->SetList({0, 3, 4});
    Ptr<ErrorModelLoss> model = CreateObject<ErrorModelLoss>();
    EXPECT_THROW(model->Check(), InputError);
    model->SetAttribute("ErrorModel", PointerValue(list));
    model->Check();
    EXPECT_EQ(Losses(*model, 6), (std::vector<bool>{true, false, false, true, true, false}));
    EXPECT_EQ(model->AssignStreams(1), 0);
    // Sizes count: errors per byte hit large frames more.
    Ptr<RateErrorModel> rate = CreateObject<RateErrorModel>();
    rate->SetRate(1e-4);
    rate->SetUnit(RateErrorModel::ERROR_UNIT_BYTE);
    model->SetErrorModel(rate);
    EXPECT_EQ(model->AssignStreams(1), 1);
    for (uint32_t bytes : {100u, 4158u})
    {
        Frame frame{};
        frame.frameBytes = bytes;
        uint64_t lost = 0;
        for (int i = 0; i < 20000; ++i)
        {
            lost += model->IsLost(frame, 0);
        }
        ExpectCount(static_cast<double>(lost), 20000, 1 - std::pow(1 - 1e-4, bytes), "bytes");
    }
}

TEST(LossModelTest, RefusesBadValues)
{
    const std::pair<const char*, const char*> cases[] = {
        {"BurstLoss[LossRate=0.1|GoodToBad=0.1]", "0 if GoodToBad is given"},
        {"BurstLoss[LossRate=0.1|LossGood=0.2]", "LossGood <= LossRate < LossBad"},
        {"BurstLoss[LossRate=0.1|LossBad=0.1]", "LossGood <= LossRate < LossBad"},
        {"BurstLoss[LossRate=0.9|MeanBurst=2]", "larger MeanBurst"},
        {"RunLoss[Profile=uno]", "expected 'none'"},
        {"RunLoss[Profile=none|BurstSizes=0.5,0.4]", "whose sum is 1"},
        {"RunLoss[Profile=none|BurstSizes=0.5,x]", "numbers from 0 to 1"},
        {"RunLoss[Profile=none|BurstSizes=0.5,]", "numbers from 0 to 1"},
        {"RunLoss[Profile=none|BurstSizes=2]", "numbers from 0 to 1"},
        {"ChunkLoss[Profile=uno]", "expected 'none'"},
        {"ChunkLoss[Profile=none|Probabilities=0.6,0.6]", "sum of at most 1"},
        {"ChunkLoss[Profile=none|ChunkFrames=1|Probabilities=0.1,0.1]", "at most ChunkFrames, 1"},
    };
    for (const auto& [text, part] : cases)
    {
        const std::string error = test::ErrorOf([name = text] { Make(name)->Check(); });
        EXPECT_NE(error.find(part), std::string::npos) << error;
        EXPECT_THROW(Losses(*Make(text), 1), InputError) << text;
    }
    for (const char* text : {"RandomLoss", "BurstLoss", "RunLoss", "ChunkLoss"})
    {
        EXPECT_NO_THROW(Make(text)->Check());
    }
}
