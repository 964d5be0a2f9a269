// SPDX-License-Identifier: GPL-2.0-only
#include "roce-program-files.h"

#include "roce-buffered-file.h"

#include "ns3/roce-chakra-program.h"
#include "ns3/roce-goal-binary.h"
#include "ns3/roce-goal-file.h"
#include "ns3/roce-rank-job.h"
#include "ns3/roce-stream-order.h"

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>

namespace ns3::roce
{

namespace
{

/// Say if calculations are no whole multiples of a time. @param said [out] gets a line
void
SayRounded(const RankProgram& program,
           int64_t unitPs,
           const std::string& option,
           const std::string& unit,
           std::vector<std::string>& said)
{
    std::size_t rounded = 0;
    for (const RankSchedule& rank : program.ranks)
    {
        rounded += static_cast<std::size_t>(
            std::count_if(rank.ops.begin(), rank.ops.end(), [unitPs](const RankOp& op) {
                return op.durationPs % unitPs != 0;
            }));
    }
    if (rounded)
    {
        said.push_back(option + " rounds " + std::to_string(rounded) + " calculations to " + unit);
    }
}

/// Say if operations wait for streams, which those of a Chakra trace do not. @param said as above
void
SayStreams(const RankProgram& program, std::vector<std::string>& said)
{
    for (uint32_t rank = 0; rank < program.ranks.size(); ++rank)
    {
        const RankSchedule& schedule = program.ranks[rank];
        std::set<uint16_t> streams;
        for (const RankOp& op : schedule.ops)
        {
            streams.insert(op.stream);
        }
        streams.erase(RankOp::NO_STREAM);
        for (const uint16_t stream : streams)
        {
            const uint32_t found = StreamOrder::FindUnordered(schedule, stream);
            if (found != RankOp::NO_OP)
            {
                said.push_back("--writeTrace has no streams: " + program.Where(rank, found) +
                               " may run beside another operation of stream " +
                               std::to_string(stream) + " of rank " + std::to_string(rank));
                return;
            }
        }
    }
}

} // namespace

void
ProgramFiles::AddOptions(OptionTable& table)
{
    table
        .AddValue("writeGoal",
                  "Write what ranks do as a GOAL schedule into this file; also with dryRun",
                  goal)
        .OnlyWatches();
    table
        .AddValue("writeTrace",
                  "Write what ranks do as Chakra traces, PREFIX.0.et and so on; also with dryRun",
                  trace)
        .OnlyWatches();
}

std::vector<std::string>
ProgramFiles::Write(const std::vector<FlowSpec>& flows) const
{
    std::vector<std::shared_ptr<const RankJob>> jobs;
    for (const FlowSpec& flow : flows)
    {
        if (flow.job && std::find(jobs.begin(), jobs.end(), flow.job) == jobs.end())
        {
            jobs.push_back(flow.job);
        }
    }
    std::vector<std::string> said;
    for (std::size_t number = 0; number < jobs.size(); ++number)
    {
        const RankProgram& program = jobs[number]->program;
        const std::string& name = jobs[number]->name;
        const std::string end = jobs.size() == 1 ? ""
                                : name.empty()   ? "." + std::to_string(number)
                                                 : "." + name;
        if (!goal.empty())
        {
            std::ostringstream text;
            GoalFile::WriteText(text, program);
            BufferedFile(goal + end).Append(text.str()).Close();
            SayRounded(program, GoalBinary::PS_PER_NS, "--writeGoal", "whole nanoseconds", said);
        }
        if (!trace.empty())
        {
            const std::vector<ChakraTrace> traces = ChakraProgram::ToTraces(program);
            for (std::size_t rank = 0; rank < traces.size(); ++rank)
            {
                traces[rank].Write(ChakraTrace::NameOf(trace + end, rank));
            }
            SayRounded(program, 1000000, "--writeTrace", "whole microseconds", said);
            SayStreams(program, said);
        }
    }
    return said;
}

} // namespace ns3::roce
