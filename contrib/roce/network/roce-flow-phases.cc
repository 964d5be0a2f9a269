// SPDX-License-Identifier: GPL-2.0-only
#include "roce-flow-phases.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <utility>

namespace ns3::roce
{

FlowPhases::FlowPhases(const std::vector<FlowSpec>& flows, int64_t marginPs)
    : m_marginPs(marginPs)
{
    const auto numbered = static_cast<uint64_t>(
        std::count_if(flows.begin(), flows.end(), [](const FlowSpec& flow) { return flow.phase; }));
    m_phases.resize(2);
    m_phases[1].beginPs = 0;
    for (const FlowSpec& flow : flows)
    {
        if (flow.phase == 0)
        {
            continue;
        }
        // With fewer flows than phases one of them is empty: do not make room for them all.
        m_phases.resize(
            std::max<uint64_t>(m_phases.size(), std::min<uint64_t>(flow.phase, numbered) + 1));
        if (flow.phase < m_phases.size())
        {
            ++m_phases[flow.phase].flows;
        }
        m_phaseOf[flow.id] = flow.phase;
    }
    const auto empty = std::find_if(m_phases.begin() + 1, m_phases.end(), [](const Phase& phase) {
        return phase.flows == 0;
    });
    for (const FlowSpec& flow : flows)
    {
        if (static_cast<int64_t>(flow.phase) > empty - m_phases.begin())
        {
            throw InputError("flow " + std::to_string(flow.id) + " has phase " +
                             std::to_string(flow.phase) + ", but no flow has phase " +
                             std::to_string(empty - m_phases.begin()) +
                             "; expected phases 1, 2, 3, ... or 0");
        }
    }
    for (Phase& phase : m_phases)
    {
        phase.left = phase.flows;
    }
}

bool
FlowPhases::IsUsed(const std::vector<FlowSpec>& flows)
{
    return std::any_of(flows.begin(), flows.end(), [](const FlowSpec& flow) {
        return flow.phase > 0;
    });
}

void
FlowPhases::Connect(Nic& nic)
{
    FlowOrder::Connect(nic, "MessageCompleted", MakeCallback(&FlowPhases::OnCompleted, this));
}

void
FlowPhases::Add(WaitingFlow flow)
{
    m_phases.at(flow.flow.phase).waiting.push_back(std::move(flow));
}

int64_t
FlowPhases::GetStartPs(const FlowSpec& flow) const
{
    const int64_t beginPs = m_phases.at(flow.phase).beginPs;
    return beginPs < 0 ? -1 : StartPs(flow, beginPs, m_marginPs);
}

void
FlowPhases::Begin(Phase& phase, int64_t atPs)
{
    phase.beginPs = atPs;
    for (WaitingFlow& waiting : phase.waiting)
    {
        Start(waiting, StartPs(waiting.flow, atPs, m_marginPs), atPs);
    }
    phase.waiting = {};
}

void
FlowPhases::OnCompleted(const MessageRecord& record)
{
    const auto found = m_phaseOf.find(record.cookie);
    if (found == m_phaseOf.end())
    {
        return;
    }
    Phase& phase = m_phases[found->second];
    // NICs report out of order: the latest completion counts, not the last one reported.
    phase.lastPs = std::max(phase.lastPs, record.completedPs);
    if (--phase.left == 0 && found->second + 1 < m_phases.size())
    {
        Begin(m_phases[found->second + 1], phase.lastPs);
    }
}

std::string
FlowPhases::Describe() const
{
    for (std::size_t p = 2; p < m_phases.size(); ++p)
    {
        if (m_phases[p].beginPs < 0)
        {
            const Phase& before = m_phases[p - 1];
            return "phase " + std::to_string(p) + " has not begun: " + std::to_string(before.left) +
                   " of " + std::to_string(before.flows) + " flows of phase " +
                   std::to_string(p - 1) + " are not done";
        }
    }
    return "";
}

} // namespace ns3::roce
