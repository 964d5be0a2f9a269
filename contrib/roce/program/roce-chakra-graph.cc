// SPDX-License-Identifier: GPL-2.0-only
#include "roce-chakra-graph.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <unordered_map>

namespace ns3::roce
{

ChakraGraph::ChakraGraph(const ChakraTrace& of)
    : trace(of)
{
    for (const ChakraNode& node : trace.nodes)
    {
        nodes.push_back(&node);
    }
    std::stable_sort(nodes.begin(), nodes.end(), [](const ChakraNode* a, const ChakraNode* b) {
        return a->id < b->id;
    });
    std::unordered_map<uint64_t, uint32_t> numberOf;
    for (const ChakraNode* node : nodes)
    {
        if (!numberOf.try_emplace(node->id, numberOf.size()).second)
        {
            trace.Refuse(*node, "again, expected one node of that id");
        }
    }
    before.resize(nodes.size());
    std::vector<std::vector<uint32_t>> after(nodes.size());
    std::vector<std::size_t> left(nodes.size());
    for (uint32_t i = 0; i < nodes.size(); ++i)
    {
        std::set<uint32_t> all;
        for (const auto* ids : {&nodes[i]->afterData, &nodes[i]->afterControl})
        {
            for (const uint64_t id : *ids)
            {
                const auto found = numberOf.find(id);
                if (found == numberOf.end())
                {
                    trace.Refuse(*nodes[i],
                                 "waits for node " + std::to_string(id) +
                                     ", expected a node of the same file");
                }
                all.insert(found->second);
            }
        }
        before[i].assign(all.begin(), all.end());
        left[i] = all.size();
        for (const uint32_t other : all)
        {
            after[other].push_back(i);
        }
    }
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
    for (uint32_t i = 0; i < nodes.size(); ++i)
    {
        if (left[i] == 0)
        {
            ready.push(i);
        }
    }
    while (!ready.empty())
    {
        order.push_back(ready.top());
        ready.pop();
        for (const uint32_t next : after[order.back()])
        {
            if (--left[next] == 0)
            {
                ready.push(next);
            }
        }
    }
    if (order.size() < nodes.size())
    {
        const auto in = std::find_if(left.begin(), left.end(), [](std::size_t n) { return n > 0; });
        trace.Refuse(
            *nodes[in - left.begin()],
            "waits for itself, or for nodes that do, expected dependencies without a cycle");
    }
}

} // namespace ns3::roce
