// SPDX-License-Identifier: GPL-2.0-only
#include "roce-acc-state.h"

#include <algorithm>
#include <initializer_list>

namespace ns3::roce
{

unsigned
AccState::LevelOf(double bytes)
{
    unsigned level = 0;
    while (level < LEVELS && bytes > static_cast<double>(ThresholdBytes(level)))
    {
        ++level;
    }
    return level;
}

double
AccState::RewardOf(const Observation& observation, const Weights& weights)
{
    const double queue = 1 - static_cast<double>(LevelOf(observation.queueBytes)) / LEVELS;
    return weights.throughput * observation.utilisation + weights.queue * queue;
}

AccState::AccState(unsigned intervals)
    : m_intervals(intervals)
{
}

void
AccState::Observe(const Observation& observation)
{
    m_seen.push_back(observation);
    if (m_seen.size() > m_intervals)
    {
        m_seen.pop_front();
    }
}

unsigned
AccState::GetCell() const
{
    double level = 0;
    double utilisation = 0;
    double marked = 0;
    for (const Observation& seen : m_seen)
    {
        level += LevelOf(seen.queueBytes);
        utilisation += seen.utilisation;
        marked += seen.markedShare;
    }
    const double n = static_cast<double>(std::max<std::size_t>(1, m_seen.size()));
    const double kmax =
        m_seen.empty() ? 0 : LevelOf(static_cast<double>(m_seen.back().curve.kmaxBytes));
    const auto classOf = [](double value, std::initializer_list<double> bounds) {
        return static_cast<unsigned>(
            std::count_if(bounds.begin(), bounds.end(), [&](double b) { return value >= b; }));
    };
    return CellOf({classOf(level / n, {0.5, 3.5, 6.5}),
                   classOf(utilisation / n, {0.3, 0.6, 0.9}),
                   classOf(marked / n, {0.001, 0.1}),
                   classOf(kmax, {4, 7})});
}

std::array<unsigned, 4>
AccState::ClassesOf(unsigned cell)
{
    std::array<unsigned, 4> classes{};
    for (std::size_t i = classes.size(); i-- > 0;)
    {
        classes[i] = cell % CLASSES[i];
        cell /= CLASSES[i];
    }
    return classes;
}

unsigned
AccState::CellOf(const std::array<unsigned, 4>& classes)
{
    unsigned cell = 0;
    for (std::size_t i = 0; i < classes.size(); ++i)
    {
        cell = cell * CLASSES[i] + classes[i];
    }
    return cell;
}

} // namespace ns3::roce
