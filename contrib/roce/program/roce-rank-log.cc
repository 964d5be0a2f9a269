// SPDX-License-Identifier: GPL-2.0-only
#include "roce-rank-log.h"

#include "ns3/roce-rank-exchange.h"

namespace ns3::roce
{

RankLog::RankLog(const RankProgram& program)
{
    for (const RankSchedule& rank : program.ranks)
    {
        ranks.emplace_back(rank.ops.size());
    }
}

void
RankLog::Gather(RankExchange& processes, const std::vector<bool>& isHere)
{
    struct Entry
    {
        uint32_t rank;
        uint32_t op;
        RankOpTimes times;
    };

    std::vector<Entry> own;
    for (uint32_t rank = 0; rank < ranks.size(); ++rank)
    {
        for (uint32_t op = 0; isHere[rank] && op < ranks[rank].size(); ++op)
        {
            own.push_back({rank, op, ranks[rank][op]});
        }
    }
    for (const Entry& entry : processes.Join(own))
    {
        ranks[entry.rank][entry.op] = entry.times;
    }
}

} // namespace ns3::roce
