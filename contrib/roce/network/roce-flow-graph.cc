// SPDX-License-Identifier: GPL-2.0-only
#include "roce-flow-graph.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <utility>

namespace ns3::roce
{

FlowGraph::FlowGraph(const std::vector<FlowSpec>& flows, int64_t marginPs)
    : m_marginPs(marginPs)
{
    std::vector<const FlowSpec*> specs; // by node
    std::unordered_map<uint32_t, uint32_t> nodeOfKey;
    const auto refuse = [](const FlowSpec& flow, const std::string& what) {
        const std::string& name = flow.dependencies->name;
        throw InputError("flow " + std::to_string(flow.id) +
                         (name.empty() ? "" : " ('" + name + "')") + " " + what);
    };
    for (const FlowSpec& flow : flows)
    {
        if (!flow.dependencies)
        {
            continue;
        }
        if (flow.phase)
        {
            refuse(flow, "has a phase, and waits for single flows; expected one of them");
        }
        const auto node = static_cast<uint32_t>(specs.size());
        if (!nodeOfKey.emplace(flow.dependencies->key, node).second)
        {
            refuse(flow, "has the key of another one, expected each once");
        }
        specs.push_back(&flow);
        m_nodeOfId[flow.id] = node;
    }
    m_nodes.resize(specs.size());
    std::vector<std::vector<uint32_t>> after(specs.size());
    for (uint32_t node = 0; node < specs.size(); ++node)
    {
        const FlowSpec& flow = *specs[node];
        m_nodes[node].id = flow.id;
        m_nodes[node].name = flow.dependencies->name;
        m_nodes[node].left = m_nodes[node].waitsFor = flow.dependencies->after.size();
        for (const uint32_t key : flow.dependencies->after)
        {
            const auto found = nodeOfKey.find(key);
            if (found == nodeOfKey.end())
            {
                refuse(flow, "waits for key " + std::to_string(key) + ", which no flow has");
            }
            after[node].push_back(found->second);
            Node& before = m_nodes[found->second];
            (specs[found->second]->dst == flow.src ? before.afterReceived : before.afterAck)
                .push_back(node);
        }
    }
    if (const std::vector<uint32_t> cycle = FindCycle(after); !cycle.empty())
    {
        refuse(*specs[cycle[0]],
               "waits for itself, by way of " + std::to_string(cycle.size() - 1) + " others");
    }
}

bool
FlowGraph::IsUsed(const std::vector<FlowSpec>& flows)
{
    return std::any_of(flows.begin(), flows.end(), [](const FlowSpec& flow) {
        return flow.dependencies != nullptr;
    });
}

std::vector<uint32_t>
FlowGraph::FindCycle(const std::vector<std::vector<uint32_t>>& after)
{
    // Depth first without recursion: chains may be as long as the list.
    enum class State : uint8_t
    {
        NEW,
        OPEN,
        DONE
    };

    std::vector<State> states(after.size(), State::NEW);
    std::vector<std::pair<uint32_t, std::size_t>>
        path; // item, and how many of its `after` are done
    for (uint32_t first = 0; first < after.size(); ++first)
    {
        if (states[first] == State::NEW)
        {
            path.emplace_back(first, 0);
            states[first] = State::OPEN;
        }
        while (!path.empty())
        {
            const auto [item, done] = path.back();
            if (done == after[item].size())
            {
                states[item] = State::DONE;
                path.pop_back();
                continue;
            }
            ++path.back().second;
            const uint32_t next = after[item][done];
            if (states[next] == State::OPEN)
            {
                std::vector<uint32_t> cycle;
                auto it = std::find_if(path.begin(), path.end(), [next](const auto& entry) {
                    return entry.first == next;
                });
                for (; it != path.end(); ++it)
                {
                    cycle.push_back(it->first);
                }
                return cycle;
            }
            if (states[next] == State::NEW)
            {
                states[next] = State::OPEN;
                path.emplace_back(next, 0);
            }
        }
    }
    return {};
}

void
FlowGraph::Connect(Nic& nic)
{
    FlowOrder::Connect(nic, "MessageReceived", MakeCallback(&FlowGraph::OnReceived, this));
    FlowOrder::Connect(nic, "MessageCompleted", MakeCallback(&FlowGraph::OnCompleted, this));
}

void
FlowGraph::Add(WaitingFlow flow)
{
    Node& node = m_nodes.at(m_nodeOfId.at(flow.flow.id));
    node.waiting = std::move(flow);
    node.isWaiting = true;
}

void
FlowGraph::Complete(const std::vector<uint32_t>& who, int64_t atPs)
{
    for (const uint32_t index : who)
    {
        Node& node = m_nodes[index];
        // NICs report out of order: the latest completion counts, not the last one reported.
        node.readyPs = std::max(node.readyPs, atPs);
        if (--node.left > 0 || !node.isWaiting)
        {
            continue;
        }
        node.startPs = StartPs(node.waiting.flow, node.readyPs, m_marginPs);
        Start(node.waiting, node.startPs, node.readyPs);
        node.isWaiting = false;
    }
}

void
FlowGraph::OnReceived(uint64_t cookie, Time at)
{
    const auto found = m_nodeOfId.find(cookie);
    if (found != m_nodeOfId.end())
    {
        Complete(m_nodes[found->second].afterReceived, at.GetPicoSeconds());
    }
}

void
FlowGraph::OnCompleted(const MessageRecord& record)
{
    const auto found = m_nodeOfId.find(record.cookie);
    if (found != m_nodeOfId.end())
    {
        Complete(m_nodes[found->second].afterAck, record.completedPs);
    }
}

int64_t
FlowGraph::GetStartPs(const FlowSpec& flow) const
{
    return m_nodes.at(m_nodeOfId.at(flow.id)).startPs;
}

std::string
FlowGraph::Describe() const
{
    const auto first = std::find_if(m_nodes.begin(), m_nodes.end(), [](const Node& node) {
        return node.isWaiting;
    });
    if (first == m_nodes.end())
    {
        return "";
    }
    return "flow " + std::to_string(first->id) +
           (first->name.empty() ? "" : " ('" + first->name + "')") +
           " has not started: " + std::to_string(first->left) + " of " +
           std::to_string(first->waitsFor) + " flows that it waits for are not done";
}

} // namespace ns3::roce
