// SPDX-License-Identifier: GPL-2.0-only
#include "roce-chunk-loss.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <numeric>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(ChunkLoss);

const ParameterTable<ChunkLossParams>&
ChunkLossParams::Table()
{
    using P = ChunkLossParams;
    static const auto table =
        ParameterTable<P>("ns3::roce::ChunkLoss", {"none"})
            .Count("ChunkFrames", &P::chunkFrames, {10}, Range::Within(1, 64), "Frames of a chunk")
            .Text("Probabilities",
                  &P::probabilities,
                  {"0.001"},
                  "Probabilities to lose 1, 2, ... frames of a chunk, with commas")
            .Finish([](P& p, const Parameters<P>&) {
                p.losses = LossModel::ParseProbabilities("ns3::roce::ChunkLoss: Probabilities",
                                                         p.probabilities);
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
ChunkLoss::Check() const
{
    m_parameters.Get();
}

bool
ChunkLoss::CanLose() const
{
    return m_parameters.Get()->anyLoss > 0;
}

void
ChunkLoss::Restart()
{
    m_p = nullptr;
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
ChunkLoss::DoIsLost(const Frame&, int64_t)
{
    if (!m_p)
    {
        m_p = m_parameters.Get();
        m_cleanChunks = DrawGeometric(m_p->anyLoss);
        m_place = m_p->chunkFrames;
    }
    if (m_place == m_p->chunkFrames)
    {
        BeginChunk();
    }
    return m_lostPlaces >> m_place++ & 1;
}

} // namespace ns3::roce
