// SPDX-License-Identifier: GPL-2.0-only
#include "roce-flow-steps.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <utility>

namespace ns3::roce
{

FlowSteps::FlowSteps(const std::vector<FlowSpec>& flows, std::vector<int64_t> marginsPs)
    : m_marginsPs(std::move(marginsPs)),
      m_ranks(m_marginsPs.size())
{
    for (const FlowSpec& flow : flows)
    {
        if (flow.step)
        {
            Step& step = m_ranks.at(flow.dst).steps[flow.step];
            step.left = ++step.flows;
            m_placeOf[flow.id] = {flow.dst, flow.step};
        }
        if (flow.step && !flow.after)
        {
            Rank& rank = m_ranks.at(flow.src);
            rank.lastStartPs = std::max(rank.lastStartPs, flow.startPs);
        }
    }
    for (const FlowSpec& flow : flows)
    {
        const auto refuse = [&flow](const std::string& what) {
            throw InputError("flow " + std::to_string(flow.id) + " " + what);
        };
        const std::map<uint32_t, Step>& steps = m_ranks.at(flow.src).steps;
        if (flow.after && (steps.empty() || steps.begin()->first > flow.after))
        {
            refuse("waits for steps up to " + std::to_string(flow.after) + ", but NIC " +
                   std::to_string(flow.src) +
                   " receives none of them; expected a step of a flow "
                   "that goes there, or 0");
        }
        if ((flow.step || flow.after) && flow.phase)
        {
            refuse("has a phase and a step, expected one of them");
        }
    }
}

bool
FlowSteps::IsUsed(const std::vector<FlowSpec>& flows)
{
    return std::any_of(flows.begin(), flows.end(), [](const FlowSpec& flow) {
        return flow.step > 0 || flow.after > 0;
    });
}

void
FlowSteps::Connect(Nic& nic)
{
    FlowOrder::Connect(nic, "MessageReceived", MakeCallback(&FlowSteps::OnReceived, this));
}

void
FlowSteps::Add(WaitingFlow flow)
{
    m_ranks.at(flow.flow.src).waiting[flow.flow.after].push_back(std::move(flow));
}

int64_t
FlowSteps::GetStartPs(const FlowSpec& flow) const
{
    const auto found = m_startPsOf.find(flow.id);
    return found == m_startPsOf.end() ? -1 : found->second;
}

void
FlowSteps::StartUpTo(uint32_t nic, uint32_t after)
{
    Rank& rank = m_ranks[nic];
    while (!rank.waiting.empty() && rank.waiting.begin()->first <= after)
    {
        for (WaitingFlow& waiting : rank.waiting.begin()->second)
        {
            rank.lastStartPs = std::max(StartPs(waiting.flow, rank.receivedPs, m_marginsPs[nic]),
                                        rank.lastStartPs);
            m_startPsOf[waiting.flow.id] = rank.lastStartPs;
            Start(waiting, rank.lastStartPs);
        }
        rank.waiting.erase(rank.waiting.begin());
    }
}

void
FlowSteps::OnReceived(uint64_t cookie, Time at)
{
    const auto found = m_placeOf.find(cookie);
    if (found == m_placeOf.end())
    {
        return;
    }
    const auto [nic, number] = found->second;
    Rank& rank = m_ranks[nic];
    Step& step = rank.steps.at(number);
    step.lastPs = std::max(step.lastPs, at.GetPicoSeconds());
    --step.left;
    while (!rank.steps.empty() && rank.steps.begin()->second.left == 0)
    {
        rank.receivedPs = std::max(rank.receivedPs, rank.steps.begin()->second.lastPs);
        rank.steps.erase(rank.steps.begin());
        // Steps that the NIC does not receive are complete with the one before them.
        StartUpTo(nic, rank.steps.empty() ? UINT32_MAX : rank.steps.begin()->first - 1);
    }
}

std::string
FlowSteps::Describe() const
{
    for (std::size_t nic = 0; nic < m_ranks.size(); ++nic)
    {
        const Rank& rank = m_ranks[nic];
        if (!rank.waiting.empty())
        {
            const auto& [number, step] = *rank.steps.begin();
            return "NIC " + std::to_string(nic) + " waits for step " + std::to_string(number) +
                   ": " + std::to_string(step.left) + " of " + std::to_string(step.flows) +
                   " flows to it are not done";
        }
    }
    return "";
}

} // namespace ns3::roce
