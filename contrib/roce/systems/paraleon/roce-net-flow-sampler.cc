// SPDX-License-Identifier: GPL-2.0-only
#include "roce-net-flow-sampler.h"

#include <cmath>
#include <utility>

namespace ns3::roce
{

void
NetFlowSampler::Start(uint32_t oneIn, bool inPackets, Ptr<RandomVariableStream> random)
{
    m_oneIn = oneIn;
    m_inPackets = inPackets;
    m_random = std::move(random);
    m_taken.clear();
    m_places.clear();
    DrawSkip();
}

/// The number of failures before the first success with probability 1/N.
void
NetFlowSampler::DrawSkip()
{
    const double p = 1.0 / m_oneIn;
    m_skip = m_oneIn == 1
                 ? 0
                 : static_cast<uint64_t>(std::log1p(-m_random->GetValue()) / std::log1p(-p));
}

void
NetFlowSampler::Take(FlowKey flow, uint32_t bytes)
{
    const auto [place, isNew] = m_places.emplace(flow, m_taken.size());
    if (isNew)
    {
        m_taken.push_back({flow, 0, false});
    }
    m_taken[place->second].size += uint64_t{m_oneIn} * (m_inPackets ? 1 : bytes);
    DrawSkip();
}

void
NetFlowSampler::ReadAndReset(std::vector<FlowReading>& readings)
{
    readings.swap(m_taken);
    m_taken.clear();
    m_places.clear();
}

} // namespace ns3::roce
