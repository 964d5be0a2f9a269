/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-chunk-loss.h"

#include "ns3/roce-input-error.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(ChunkLoss);

namespace
{

const char* const PROBABILITIES = "0.001"; //!< default of profile none

} // namespace

TypeId
ChunkLoss::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::ChunkLoss")
            .SetParent<LossModel>()
            .SetGroupName("Roce")
            .AddConstructor<ChunkLoss>()
            .AddAttribute("Profile",
                          "uno-setup1 or uno-setup2; none: Probabilities are used",
                          StringValue("uno-setup1"),
                          MakeStringAccessor(&ChunkLoss::m_profile),
                          MakeStringChecker())
            .AddAttribute("ChunkFrames",
                          "Frames of a chunk",
                          UintegerValue(10),
                          MakeUintegerAccessor(&ChunkLoss::m_chunkFrames),
                          MakeUintegerChecker<uint32_t>(1, 64))
            .AddAttribute("Probabilities",
                          "Profile none: probabilities to lose 1, 2, ... frames of a chunk",
                          StringValue(PROBABILITIES),
                          MakeStringAccessor(&ChunkLoss::m_probabilitiesText),
                          MakeStringChecker());
    return tid;
}

std::vector<double>
ChunkLoss::Resolve() const
{
    std::vector<double> probabilities;
    if (m_profile != "none" && m_probabilitiesText != PROBABILITIES)
    {
        throw InputError("ns3::roce::ChunkLoss: Profile is '" + m_profile +
                         "', expected none with Probabilities");
    }
    if (m_profile == "uno-setup1")
    {
        probabilities = {3e-4, 7.5e-5, 1.6e-5};
    }
    else if (m_profile == "uno-setup2")
    {
        probabilities = {4e-5, 2.3e-5, 4.9e-6};
    }
    else if (m_profile == "none")
    {
        probabilities =
            ParseProbabilities("ns3::roce::ChunkLoss: Probabilities", m_probabilitiesText);
    }
    else
    {
        throw InputError("ns3::roce::ChunkLoss: Profile is '" + m_profile +
                         "', expected uno-setup1, uno-setup2 or none");
    }
    const double sum = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
    if (sum > 1 + 1e-9 || probabilities.size() > m_chunkFrames)
    {
        throw InputError("ns3::roce::ChunkLoss: Probabilities is '" + m_probabilitiesText +
                         "', expected a sum of at most 1 and at most ChunkFrames, " +
                         std::to_string(m_chunkFrames) + ", numbers");
    }
    return probabilities;
}

void
ChunkLoss::Check() const
{
    Resolve();
}

bool
ChunkLoss::CanLose() const
{
    const std::vector<double> probabilities = Resolve();
    return std::accumulate(probabilities.begin(), probabilities.end(), 0.0) > 0;
}

void
ChunkLoss::Restart()
{
    m_started = false;
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
    m_cleanChunks = DrawGeometric(m_anyLoss);
    for (std::size_t left = DrawIndex(m_probabilities) + 1; left;)
    {
        const auto place = static_cast<uint32_t>((1 - DrawUniform()) * m_chunkFrames);
        const uint64_t bit = 1ULL << std::min(place, m_chunkFrames - 1);
        left -= !(m_lostPlaces & bit);
        m_lostPlaces |= bit;
    }
}

bool
ChunkLoss::DoIsLost(const Frame&, int64_t)
{
    if (!m_started)
    {
        m_started = true;
        m_probabilities = Resolve();
        m_anyLoss =
            std::min(1.0, std::accumulate(m_probabilities.begin(), m_probabilities.end(), 0.0));
        for (double& p : m_probabilities)
        {
            p /= m_anyLoss > 0 ? m_anyLoss : 1;
        }
        m_cleanChunks = DrawGeometric(m_anyLoss);
        m_place = m_chunkFrames;
    }
    if (m_place == m_chunkFrames)
    {
        BeginChunk();
    }
    return m_lostPlaces >> m_place++ & 1;
}

} // namespace roce
} // namespace ns3
