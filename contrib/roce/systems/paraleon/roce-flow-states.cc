// SPDX-License-Identifier: GPL-2.0-only
#include "roce-flow-states.h"

#include <iterator>

namespace ns3::roce
{

namespace
{

// PARALEON's artifact: packets of 1000 bytes.
constexpr uint64_t FIRST_FALL_PACKETS = 10;
constexpr uint64_t SECOND_FALL_PACKETS = 20;
constexpr uint64_t PACKET_BYTES = 1000;

} // namespace

void
FlowStates::Start(const Config& config)
{
    m_config = config;
    m_interval = 0;
    m_active.clear();
    m_flows.clear();
}

bool
FlowStates::IsForgotten(const Memory& memory) const
{
    return m_config.entryTimeout && m_interval - memory.lastActive > m_config.entryTimeout;
}

/// Frees the memory of flows that are forgotten anyway.
void
FlowStates::Sweep()
{
    for (auto it = m_flows.begin(); it != m_flows.end();)
    {
        it = IsForgotten(it->second) ? m_flows.erase(it) : std::next(it);
    }
}

/// Whether the sums of two intervals in succession fall twice, and by how much.
void
FlowStates::WatchDecline(Memory& memory, uint64_t size) const
{
    const uint64_t unit = m_config.inPackets ? 1 : PACKET_BYTES;
    if (memory.reports >= 2)
    {
        const uint64_t sum = memory.lastSize + size;
        // A third report gives the second sum.
        const bool compares = memory.reports >= 3;
        if (compares && memory.hasFallen && memory.lastSum > sum + SECOND_FALL_PACKETS * unit)
        {
            memory.hasFallenTwice = true;
        }
        memory.hasFallen = compares && memory.lastSum > sum + FIRST_FALL_PACKETS * unit;
        memory.lastSum = sum;
    }
    memory.lastSize = size;
}

void
FlowStates::Count(Memory& memory, uint64_t size) const
{
    const int64_t idle = m_interval - memory.lastActive - 1;
    memory.activeRun = memory.reports && idle == 0 ? memory.activeRun + 1 : 1;
    ++memory.reports;
    memory.phi += size;
    WatchDecline(memory, size);
    memory.lastActive = m_interval;
}

bool
FlowStates::IsPotential(const Memory& memory) const
{
    switch (m_config.peRule)
    {
    case PeRule::CONSECUTIVE:
        return memory.activeRun >= m_config.delta;
    case PeRule::ARTIFACT_WINDOW:
        return memory.reports >= m_config.delta && !memory.hasFallenTwice;
    }
    return false;
}

const std::vector<FlowStates::Flow>&
FlowStates::Update(const std::vector<FlowReading>& readings)
{
    ++m_interval;
    m_active.clear();
    for (const FlowReading& reading : readings)
    {
        if (!reading.size)
        {
            continue;
        }
        if (!m_config.isTernary)
        {
            const bool isElephant = reading.size >= m_config.tau;
            m_active.push_back({reading.flow,
                                isElephant ? FlowState::ELEPHANT : FlowState::MICE,
                                reading.size,
                                reading.size,
                                0});
            continue;
        }
        Memory& memory = m_flows[reading.flow];
        if (IsForgotten(memory))
        {
            memory = Memory();
        }
        Count(memory, reading.size);
        const bool isElephant = memory.phi >= m_config.tau;
        const bool isPotential = !isElephant && IsPotential(memory);
        memory.peAge = isPotential && memory.wasPotential ? memory.peAge + 1 : 0;
        memory.wasPotential = isPotential;
        m_active.push_back({reading.flow,
                            isElephant    ? FlowState::ELEPHANT
                            : isPotential ? FlowState::POTENTIAL_ELEPHANT
                                          : FlowState::MICE,
                            reading.size,
                            memory.phi,
                            memory.peAge});
    }
    if (m_config.entryTimeout && m_interval % m_config.entryTimeout == 0)
    {
        Sweep();
    }
    return m_active;
}

} // namespace ns3::roce
