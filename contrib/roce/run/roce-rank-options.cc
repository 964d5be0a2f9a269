// SPDX-License-Identifier: GPL-2.0-only
#include "roce-rank-options.h"

#include "ns3/roce-goal-file.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-job-file.h"
#include "ns3/roce-log-gp.h"

#include <memory>
#include <utility>

namespace ns3::roce
{

void
RankOptions::AddOptions(OptionTable& table)
{
    table.AddDuration(
        "rankOverhead",
        "goal, chakra, jobs: what a rank's CPU does for each send and each message that arrives",
        costs.overheadPs);
    table.AddBytes("eagerBytes",
                   "goal, chakra, jobs: a send of at most this many bytes is done when its CPU is, "
                   "others when the "
                   "last ACK is back",
                   costs.eagerBytes);
    table.AddChoice(
        "receiveAt",
        "goal, chakra, jobs: a receive is done with the message's last byte, or when the sender "
        "has "
        "the last ACK",
        receiveAt,
        {{"lastByte", RankJob::ReceiveAt::LAST_BYTE}, {"lastAck", RankJob::ReceiveAt::LAST_ACK}});
    table
        .AddValue("logGp",
                  "goal, chakra, jobs: L,g,G such as 2us,5ns,0.04ns: ranks.csv also has when each "
                  "rank is done "
                  "on LogGP's ideal network, with rankOverhead as o and eagerBytes as S",
                  logGp)
        .OnlyWatches();
}

std::vector<FlowSpec>
RankOptions::Generate(uint32_t nNics) const
{
    if (goalFile.empty())
    {
        throw InputError("--pattern=goal, expected --goal=FILE with it");
    }
    return Generate(GoalFile::Read(goalFile), nNics);
}

/// @return a job without ranks, as the options have it
RankJob
RankOptions::MakeRules() const
{
    RankJob job;
    if (!logGp.empty())
    {
        job.ideal = LogGp::Parse(logGp);
    }
    job.costs = costs;
    job.receiveAt = receiveAt;
    return job;
}

std::vector<FlowSpec>
RankOptions::Generate(RankProgram program, uint32_t nNics) const
{
    auto job = std::make_shared<RankJob>(MakeRules());
    job->program = std::move(program);
    return RankJob::MakeFlows(job, nNics);
}

std::vector<std::vector<FlowSpec>>
RankOptions::GenerateJobs(uint32_t nNics, uint32_t perServer) const
{
    if (jobsFile.empty())
    {
        throw InputError("--pattern=jobs, expected --jobs=FILE with it");
    }
    std::vector<std::vector<FlowSpec>> flows;
    for (const auto& job : JobFile::Read(jobsFile, nNics, perServer, MakeRules()))
    {
        flows.push_back(RankJob::MakeFlows(job, nNics));
    }
    return flows;
}

} // namespace ns3::roce
