// SPDX-License-Identifier: GPL-2.0-only
#include "roce-flow-mix.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3::roce
{

namespace
{

/// A term of KL.
double
Term(double now, double before)
{
    return now <= 0      ? 0
           : before <= 0 ? std::numeric_limits<double>::infinity()
                         : now * std::log(now / before);
}

/// The likelihood that a potential elephant becomes an elephant.
double
Likelihood(FlowMix::PeWeight weight, const FlowStates::Flow& flow, uint64_t tau)
{
    switch (weight)
    {
    case FlowMix::PeWeight::CUMULATIVE:
        return std::min(1.0, static_cast<double>(flow.phi) / static_cast<double>(tau));
    case FlowMix::PeWeight::SIGMOID:
        return 1 / (1 + std::exp(-static_cast<double>(flow.peAge)));
    }
    return 0;
}

} // namespace

void
FlowMix::Start(const Config& config)
{
    *this = FlowMix();
    m_config = config;
}

FlowShares
FlowMix::Weigh(const Config& config, const std::vector<FlowStates::Flow>& flows, uint64_t tau)
{
    FlowShares masses;
    for (const FlowStates::Flow& flow : flows)
    {
        switch (flow.state)
        {
        case FlowState::ELEPHANT:
            ++masses.elephants;
            break;
        case FlowState::MICE:
            ++masses.mice;
            break;
        case FlowState::POTENTIAL_ELEPHANT: {
            const double w = Likelihood(config.peWeight, flow, tau);
            masses.elephants += w;
            masses.mice += config.peComplement ? 1 - w : 0;
            break;
        }
        }
    }
    return masses;
}

double
FlowMix::Divergence(const FlowShares& now, const FlowShares& before, double smoothing)
{
    const auto share = [smoothing](double x, const FlowShares& of) {
        return (x + smoothing) / (of.elephants + of.mice + 2 * smoothing);
    };
    return Term(share(now.elephants, now), share(before.elephants, before)) +
           Term(share(now.mice, now), share(before.mice, before));
}

bool
FlowMix::Update(const FlowShares& masses)
{
    const double sum = masses.elephants + masses.mice;
    if (sum <= 0)
    {
        return false;
    }
    const FlowShares before = m_shares;
    m_shares = {masses.elephants / sum, masses.mice / sum};
    const bool hasBoth = m_shares.elephants > 0 && m_shares.mice > 0;
    m_guide = hasBoth || !m_config.guideByBothOnly || !m_isKnown ? m_shares : before;
    if (!m_isKnown)
    {
        m_isKnown = true;
        return true;
    }
    m_divergence = Divergence(m_shares, before, m_config.klSmoothing);
    return m_divergence > m_config.theta;
}

} // namespace ns3::roce
