// SPDX-License-Identifier: GPL-2.0-only
#include "roce-stream-order.h"

#include <algorithm>
#include <vector>

namespace ns3::roce
{

// If n operations are in order, k of them are done before the k-th starts, on some chain of
// dependencies. If not, two have as many before them as each other.
uint32_t
StreamOrder::FindUnordered(const RankSchedule& schedule, uint16_t stream)
{
    const std::vector<RankOp>& ops = schedule.ops;
    std::vector<uint32_t> ended(ops.size()); // of those looked at, by the operation that ends them
    std::vector<uint32_t> users;
    for (uint32_t number = 0; number < ops.size(); ++number)
    {
        const RankOp& op = ops[number];
        const bool holds = op.holdsUntil != RankOp::NO_OP;
        if (op.stream == stream && (holds || op.durationPs > 0))
        {
            users.push_back(number);
            ++ended[holds ? op.holdsUntil : number];
        }
    }
    std::vector<std::vector<uint32_t>> edgesFrom(ops.size());
    std::vector<uint32_t> left(ops.size());
    for (uint32_t i = 0; i < schedule.edges.size(); ++i)
    {
        edgesFrom[schedule.edges[i].before].push_back(i);
        ++left[schedule.edges[i].op];
    }
    std::vector<uint32_t> ready;
    for (uint32_t number = 0; number < ops.size(); ++number)
    {
        if (!left[number])
        {
            ready.push_back(number);
        }
    }
    std::vector<uint32_t> before(ops.size()); // how many are done on the longest chain
    while (!ready.empty())
    {
        const uint32_t number = ready.back();
        ready.pop_back();
        for (const uint32_t i : edgesFrom[number])
        {
            const RankEdge& edge = schedule.edges[i];
            const uint32_t done = before[number] + (edge.isStarted ? 0 : ended[number]);
            before[edge.op] = std::max(before[edge.op], done);
            if (--left[edge.op] == 0)
            {
                ready.push_back(edge.op);
            }
        }
    }
    std::vector<bool> taken(users.size());
    for (const uint32_t number : users)
    {
        if (before[number] >= taken.size() || taken[before[number]])
        {
            return number;
        }
        taken[before[number]] = true;
    }
    return RankOp::NO_OP;
}

} // namespace ns3::roce
