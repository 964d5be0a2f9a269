// SPDX-License-Identifier: GPL-2.0-only
#include "roce-random-loss.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <sstream>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(RandomLoss);
NS_OBJECT_ENSURE_REGISTERED(BurstLoss);
NS_OBJECT_ENSURE_REGISTERED(RunLoss);
NS_OBJECT_ENSURE_REGISTERED(ChunkLoss);

namespace
{

constexpr double MEAN_BURST = 3; //!< default

/// @return the numbers of "0.7,0.2,0.1". @param what names the attribute in the message
/// @throw InputError unless all are numbers from 0 to 1
std::vector<double>
ParseProbabilities(const std::string& what, const std::string& text)
{
    std::vector<double> numbers;
    std::istringstream list(text);
    for (std::string item; std::getline(list, item, ',');)
    {
        char* end = nullptr;
        const double p = std::strtod(item.c_str(), &end);
        if (item.empty() || *end || !(p >= 0 && p <= 1))
        {
            numbers.clear();
            break;
        }
        numbers.push_back(p);
    }
    if (numbers.empty() || text.back() == ',')
    {
        throw InputError(what + " is '" + text +
                         "', expected numbers from 0 to 1 with commas, for example 0.7,0.2,0.1");
    }
    return numbers;
}

/// Checks the parameters of the chain, and puts what follows from others into `leave`.
void
FinishChain(BurstLossParams& p, const Parameters<BurstLossParams>&)
{
    const auto refuse = [&p](const std::string& what) {
        std::ostringstream text;
        text << "ns3::roce::BurstLoss: LossRate is " << p.lossRate << ", expected " << what;
        throw InputError(text.str());
    };
    if (p.leave[1] > 0 && p.meanBurst != MEAN_BURST)
    {
        throw InputError("ns3::roce::BurstLoss: MeanBurst and BadToGood are both given, expected "
                         "one of them");
    }
    if (p.leave[1] == 0)
    {
        p.leave[1] = 1 / p.meanBurst;
    }
    if (p.leave[0] > 0 && p.lossRate > 0)
    {
        refuse("0 if GoodToBad is given");
    }
    if (p.leave[0] > 0 || (p.lossRate == 0 && p.loss[0] == 0)) // or never leaves the good state
    {
        return;
    }
    if (p.loss[0] >= p.loss[1] || p.lossRate < p.loss[0] || p.lossRate >= p.loss[1])
    {
        refuse("LossGood <= LossRate < LossBad");
    }
    const double bad = (p.lossRate - p.loss[0]) / (p.loss[1] - p.loss[0]);
    p.leave[0] = p.leave[1] * bad / (1 - bad);
    if (p.leave[0] > 1)
    {
        refuse("less, or a larger MeanBurst: the good state would last less than one frame");
    }
}

} // namespace

const ParameterTable<RandomLossParams>&
RandomLossParams::Table()
{
    static const auto table =
        ParameterTable<RandomLossParams>("ns3::roce::RandomLoss")
            .Number("Rate", &RandomLossParams::rate, {0.0}, Range::Within(0, 1))
            .Help("Probability that a frame is lost");
    return table;
}

void
RandomLoss::Begin()
{
    // Geometric numbers have no memory: drawing again in the middle changes no distribution.
    m_survivors = DrawGeometric(m_p->rate);
}

bool
RandomLoss::IsNextLost()
{
    if (m_survivors)
    {
        --m_survivors;
        return false;
    }
    m_survivors = DrawGeometric(m_p->rate);
    return true;
}

const ParameterTable<BurstLossParams>&
BurstLossParams::Table()
{
    using P = BurstLossParams;
    static const auto table =
        ParameterTable<P>("ns3::roce::BurstLoss")
            .Number("LossRate", &P::lossRate, {0.0}, Range::Within(0, 1))
            .Help("Mean loss rate over both states; unless GoodToBad is given")
            .Number("MeanBurst", &P::meanBurst, {MEAN_BURST}, Range::AtLeast(1))
            .Help("Mean number of frames in the bad state; unless BadToGood is given")
            .Number(
                "GoodToBad",
                [](P& p) -> double& { return p.leave[0]; },
                {0.0},
                Range::Within(0, 1))
            .Help("Probability for each frame to leave the good state; 0: from LossRate")
            .Number(
                "BadToGood",
                [](P& p) -> double& { return p.leave[1]; },
                {0.0},
                Range::Within(0, 1))
            .Help("Probability for each frame to leave the bad state; 0: 1/MeanBurst")
            .Number(
                "LossGood",
                [](P& p) -> double& { return p.loss[0]; },
                {0.0},
                Range::Within(0, 1))
            .Help("Loss probability in the good state")
            .Number(
                "LossBad",
                [](P& p) -> double& { return p.loss[1]; },
                {1.0},
                Range::Within(0, 1))
            .Help("Loss probability in the bad state")
            .Finish(FinishChain);
    return table;
}

double
BurstLoss::GetMeanLossRate() const
{
    const BurstLossParams& p = GetParams();
    return (p.leave[0] * p.loss[1] + p.leave[1] * p.loss[0]) / (p.leave[0] + p.leave[1]);
}

void
BurstLoss::Enter(bool bad)
{
    m_bad = bad;
    m_stay = DrawGeometric(m_p->leave[bad]);
    m_stay += m_stay != NEVER; // the frame after which it is left still belongs to it
    m_survivors = DrawGeometric(m_p->loss[bad]);
}

void
BurstLoss::Begin()
{
    Enter(DrawUniform() <= m_p->leave[0] / (m_p->leave[0] + m_p->leave[1]));
}

bool
BurstLoss::IsNextLost()
{
    if (m_stay == 0)
    {
        Enter(!m_bad);
    }
    --m_stay;
    if (m_survivors)
    {
        --m_survivors;
        return false;
    }
    m_survivors = DrawGeometric(m_p->loss[m_bad]);
    return true;
}

const ParameterTable<RunLossParams>&
RunLossParams::Table()
{
    using P = RunLossParams;
    static const auto table =
        ParameterTable<P>("ns3::roce::RunLoss", {"none"})
            .Number("StartRate", &P::startRate, {1e-4}, Range::Within(0, 1))
            .Help("Probability that a frame outside a run starts one")
            .Text("BurstSizes", &P::burstSizes, {"1"})
            .Help("Probabilities of runs of 1, 2, ... frames, with commas")
            .Finish([](P& p, const Parameters<P>&) {
                p.sizes = ParseProbabilities("ns3::roce::RunLoss: BurstSizes", p.burstSizes);
                Table().Require(
                    std::fabs(std::accumulate(p.sizes.begin(), p.sizes.end(), 0.0) - 1) <= 1e-3,
                    "BurstSizes",
                    "'" + p.burstSizes + "'",
                    "numbers whose sum is 1");
            });
    return table;
}

void
RunLoss::Begin()
{
    m_survivors = DrawGeometric(m_p->startRate);
    m_lose = 0;
}

bool
RunLoss::IsNextLost()
{
    if (m_survivors)
    {
        --m_survivors;
        return false;
    }
    if (!m_lose)
    {
        m_lose = DrawIndex(m_p->sizes) + 1;
    }
    if (--m_lose == 0)
    {
        m_survivors = DrawGeometric(m_p->startRate);
    }
    return true;
}

const ParameterTable<ChunkLossParams>&
ChunkLossParams::Table()
{
    using P = ChunkLossParams;
    static const auto table =
        ParameterTable<P>("ns3::roce::ChunkLoss", {"none"})
            .Count("ChunkFrames", &P::chunkFrames, {10}, Range::Within(1, 64))
            .Help("Frames of a chunk")
            .Text("Probabilities", &P::probabilities, {"0.001"})
            .Help("Probabilities to lose 1, 2, ... frames of a chunk, with commas")
            .Finish([](P& p, const Parameters<P>&) {
                p.losses =
                    ParseProbabilities("ns3::roce::ChunkLoss: Probabilities", p.probabilities);
                const double sum = std::accumulate(p.losses.begin(), p.losses.end(), 0.0);
                Table().Require(sum <= 1 + 1e-9 && p.losses.size() <= p.chunkFrames,
                                "Probabilities",
                                "'" + p.probabilities + "'",
                                "a sum of at most 1 and at most ChunkFrames, " +
                                    std::to_string(p.chunkFrames) + ", numbers");
                p.anyLoss = std::min(1.0, sum);
                for (double& loss : p.losses)
                {
                    loss /= p.anyLoss > 0 ? p.anyLoss : 1;
                }
            });
    return table;
}

void
ChunkLoss::Begin()
{
    m_cleanChunks = DrawGeometric(m_p->anyLoss);
    m_place = m_p->chunkFrames;
}

void
ChunkLoss::BeginChunk()
{
    m_place = 0;
    m_lostPlaces = 0;
    if (m_cleanChunks)
    {
        --m_cleanChunks;
        return;
    }
    m_cleanChunks = DrawGeometric(m_p->anyLoss);
    for (std::size_t left = DrawIndex(m_p->losses) + 1; left;)
    {
        const auto place = static_cast<uint32_t>((1 - DrawUniform()) * m_p->chunkFrames);
        const uint64_t bit = 1ULL << std::min(place, m_p->chunkFrames - 1);
        left -= !(m_lostPlaces & bit);
        m_lostPlaces |= bit;
    }
}

bool
ChunkLoss::IsNextLost()
{
    if (m_place == m_p->chunkFrames)
    {
        BeginChunk();
    }
    return m_lostPlaces >> m_place++ & 1;
}

} // namespace ns3::roce
