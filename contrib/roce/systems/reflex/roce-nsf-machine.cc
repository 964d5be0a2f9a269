// SPDX-License-Identifier: GPL-2.0-only
#include "roce-nsf-machine.h"

namespace ns3::roce
{

bool
NsfMachine::OnData(const Config& config, int64_t delayPs, int64_t nowPs)
{
    const bool due = nowPs - m_lastPs >= config.intervalPs;
    bool answer = due;
    if (delayPs > config.thresholdPs)
    {
        m_state = ACTIVE;
    }
    else if (m_state == ACTIVE)
    {
        m_state = config.nCool ? COOLING : SILENT;
        m_count = config.nCool;
    }
    else if (m_state == COOLING)
    {
        answer = Cool(config, due);
    }
    else
    {
        answer = config.probeIntervalPs > 0 && nowPs - m_lastPs >= config.probeIntervalPs;
    }
    if (answer)
    {
        m_lastPs = nowPs;
    }
    return answer;
}

bool
NsfMachine::Cool(const Config& config, bool due)
{
    const bool counts = config.cooling != CoolingMode::PER_PSEUDO_ACK || due;
    m_count -= counts;
    if (!m_count)
    {
        m_state = SILENT;
    }
    return due || config.cooling == CoolingMode::PER_PACKET_UNGATED;
}

} // namespace ns3::roce
