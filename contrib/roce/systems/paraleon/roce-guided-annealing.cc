// SPDX-License-Identifier: GPL-2.0-only
#include "roce-guided-annealing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace ns3::roce
{

namespace
{

constexpr double UNKNOWN = -std::numeric_limits<double>::infinity();

// AdaptiveEta, from artifact 2.
constexpr double LEAST_ETA = 0.5;
constexpr double ETA_RANGE = 0.2;
constexpr double BAD_MOVE = -0.01;
constexpr double BAD_WEIGHT = 0.15;

} // namespace

void
GuidedAnnealing::Setup(const Config& config,
                       const MutationTable& table,
                       Ptr<RandomVariableStream> random)
{
    *this = GuidedAnnealing();
    m_config = config;
    m_table = table;
    m_random = std::move(random);
}

double
GuidedAnnealing::Draw()
{
    return m_random->GetValue();
}

const GuidedAnnealing::Values&
GuidedAnnealing::Begin(const Values& incumbent, const FlowShares& guide, double utility)
{
    m_isRunning = true;
    m_temperature = m_config.initialTemperature;
    m_inLevel = 0;
    m_iterations = 0;
    m_towardsElephants = guide.ElephantsDominate();
    m_badMoves = 0;
    m_best = incumbent;
    m_current = incumbent;
    m_bestUtility = UNKNOWN;
    if (m_config.startSolution == StartSolution::DEFAULT_SCORED)
    {
        m_bestUtility = utility;
    }
    m_currentUtility = m_bestUtility;
    m_deployed =
        m_config.startSolution == StartSolution::INCUMBENT ? incumbent : m_table.GetStart();
    return m_deployed;
}

/// Algorithm 1, lines 6 to 13. What is best changes only with what is accepted.
void
GuidedAnnealing::Judge(double utility)
{
    const double difference = utility - m_currentUtility;
    m_badMoves = (1 - BAD_WEIGHT) * m_badMoves + (difference < BAD_MOVE ? BAD_WEIGHT : 0);
    // An unknown utility, NaN, is in neither way above.
    if (!(difference > 0) && !(GetAcceptance(m_config, difference, m_temperature) > Draw()))
    {
        return;
    }
    m_currentUtility = utility;
    m_current = m_deployed;
    if (m_currentUtility > m_bestUtility)
    {
        m_best = m_current;
        m_bestUtility = m_currentUtility;
    }
}

/// Which rows move in this interval.
void
GuidedAnnealing::ChooseMoving()
{
    m_moving.resize(m_table.GetSize());
    std::iota(m_moving.begin(), m_moving.end(), 0);
    const std::size_t count = m_config.mutateCount;
    if (!count || count >= m_moving.size())
    {
        return;
    }
    for (std::size_t i = 0; i < count; ++i)
    {
        const auto left = static_cast<double>(m_moving.size() - i);
        std::swap(m_moving[i], m_moving[i + static_cast<std::size_t>(Draw() * left)]);
    }
    m_moving.resize(count);
    std::sort(m_moving.begin(), m_moving.end());
}

double
GuidedAnnealing::GetExploitation(const FlowShares& guide) const
{
    const double eta =
        m_config.adaptiveEta ? LEAST_ETA + ETA_RANGE * (1 - m_badMoves) : m_config.eta;
    switch (m_config.guidance)
    {
    case Guidance::DOMINANT:
        return std::min(std::max(guide.elephants, guide.mice), eta);
    case Guidance::FIXED_DOMINANT:
        return std::min(m_towardsElephants ? guide.elephants : guide.mice, eta);
    case Guidance::NONE:
        break;
    }
    return 0.5;
}

/// Algorithm 1, lines 14 to 22.
void
GuidedAnnealing::Mutate(const FlowShares& guide)
{
    const double exploitation = GetExploitation(guide);
    const bool elephants = m_config.guidance == Guidance::FIXED_DOMINANT
                               ? m_towardsElephants
                               : guide.ElephantsDominate();
    m_deployed = m_config.mutationBase == MutationBase::BEST ? m_best : m_current;
    ChooseMoving();
    for (const std::size_t i : m_moving)
    {
        const TunedParameter& row = m_table.GetRows()[i];
        const double full = m_config.rangeSteps ? (row.greatest - row.least) / 2 : row.step;
        const double step = full * (m_config.leastStep + (1 - m_config.leastStep) * Draw());
        const bool towardsThroughput = (Draw() < exploitation) == elephants;
        m_deployed[i] = m_table.Move(i, m_deployed[i], towardsThroughput == row.up ? step : -step);
    }
    m_table.Order(m_deployed);
}

const GuidedAnnealing::Values&
GuidedAnnealing::Advance(double utility, const FlowShares& guide)
{
    if (!m_isRunning)
    {
        return m_deployed;
    }
    Judge(utility);
    ++m_iterations;
    if (++m_inLevel == m_config.iterationsPerLevel)
    {
        m_inLevel = 0;
        m_temperature *= m_config.coolingRate;
        if (m_temperature <= m_config.finalTemperature)
        {
            m_isRunning = false;
            m_deployed = m_best;
            return m_deployed;
        }
    }
    Mutate(guide);
    return m_deployed;
}

void
GuidedAnnealing::OnTrigger()
{
    if (!m_isRunning || m_config.restartPolicy == RestartPolicy::IGNORE)
    {
        return;
    }
    m_bestUtility = UNKNOWN;
}

void
GuidedAnnealing::ForgetUtilities()
{
    m_bestUtility = m_currentUtility = UNKNOWN;
}

double
GuidedAnnealing::GetAcceptance(const Config& config, double difference, double temperature)
{
    return std::exp(difference * config.utilityScale / temperature);
}

uint32_t
GuidedAnnealing::GetRunLength(const Config& config)
{
    uint32_t length = 0;
    for (double t = config.initialTemperature; t > config.finalTemperature; t *= config.coolingRate)
    {
        length += config.iterationsPerLevel;
    }
    return length;
}

} // namespace ns3::roce
