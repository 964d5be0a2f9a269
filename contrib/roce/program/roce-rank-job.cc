// SPDX-License-Identifier: GPL-2.0-only
#include "roce-rank-job.h"

#include "ns3/roce-input-error.h"

#include <cmath>
#include <string>
#include <utility>

namespace ns3::roce
{

namespace
{

constexpr uint32_t CONNECTION = UINT32_MAX; // of the first job: other flows count from 1

} // namespace

int64_t
RankJob::GetInsidePs(uint64_t bytes) const
{
    return insideBps == 0
               ? 0
               : std::llround(8e12 * static_cast<double>(bytes) / static_cast<double>(insideBps));
}

std::vector<FlowSpec>
RankJob::MakeFlows(const std::shared_ptr<const RankJob>& job, uint32_t nNics)
{
    const RankProgram& program = job->program;
    const uint32_t nicsPerRank = program.GetNNics();
    const std::size_t needed = program.ranks.size() * nicsPerRank;
    if (job->nics.empty() ? needed > nNics : needed != job->nics.size())
    {
        throw InputError(program.source + ": " + std::to_string(program.ranks.size()) +
                         " ranks of " + std::to_string(nicsPerRank) + " NICs each, and " +
                         (job->nics.empty()
                              ? "the network has " + std::to_string(nNics)
                              : "the job is given " + std::to_string(job->nics.size())) +
                         " NICs");
    }
    const auto nicOf = [&](uint32_t rank, uint16_t nic) {
        const uint32_t place = rank * nicsPerRank + nic;
        return job->nics.empty() ? place : job->nics[place];
    };
    std::vector<FlowSpec> flows;
    for (uint32_t rank = 0; rank < program.ranks.size(); ++rank)
    {
        for (uint32_t number = 0; number < program.ranks[rank].ops.size(); ++number)
        {
            const RankOp& op = program.ranks[rank].ops[number];
            if (op.kind == RankOp::Kind::SEND && nicOf(rank, op.nic) != nicOf(op.peer, op.nic))
            {
                FlowSpec flow;
                flow.id = flows.size();
                flow.src = nicOf(rank, op.nic);
                flow.dst = nicOf(op.peer, op.nic);
                flow.sizeBytes = op.bytes;
                flow.connection = CONNECTION - job->number;
                flow.job = job;
                flow.rank = rank;
                flow.op = number;
                flows.push_back(std::move(flow));
            }
        }
    }
    if (flows.empty())
    {
        throw InputError(program.source + ": no rank sends anything, expected a message");
    }
    return flows;
}

} // namespace ns3::roce
