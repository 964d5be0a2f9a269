// SPDX-License-Identifier: GPL-2.0-only
#include "roce-job-file.h"

#include "roce-chakra-program.h"
#include "roce-collective-program.h"
#include "roce-goal-file.h"
#include "roce-job-placement.h"
#include "roce-training-step.h"

#include "ns3/roce-flow-spec.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-json-value.h"
#include "ns3/roce-memory-limit.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>
#include <utility>

namespace ns3::roce
{

namespace
{

using Level = CollectiveProgram::Level;

constexpr uint32_t MOST = 1000000;      // of what is counted
constexpr double OPERATION_BYTES = 200; // at the least, with what is sent

/// @return what a function returns; its errors say where they are from
template <typename F>
auto
At(const JsonValue& value, F function)
{
    try
    {
        return function();
    }
    catch (const InputError& e)
    {
        throw InputError(value.Where() + ": " + e.what());
    }
}

template <typename T>
void
GetCount(const JsonValue& object, const char* key, T& value, uint64_t least, uint64_t most = MOST)
{
    if (const JsonValue found = object.Find(key))
    {
        value = static_cast<T>(found.AsCount(least, most));
    }
}

void
GetFlag(const JsonValue& object, const char* key, bool& value)
{
    if (const JsonValue found = object.Find(key))
    {
        value = found.AsFlag();
    }
}

void
GetDuration(const JsonValue& object, const char* key, int64_t& valuePs)
{
    if (const JsonValue found = object.Find(key))
    {
        valuePs = found.AsDurationPs();
    }
}

void
GetLevels(const JsonValue& object, const char* key, std::vector<Level>& levels)
{
    if (const JsonValue found = object.Find(key))
    {
        levels = At(found, [&] { return CollectiveProgram::ParseLevels(found.AsText()); });
    }
}

/// @return the file that a text names, seen from the file of jobs
std::string
PathOf(const JsonValue& text)
{
    const std::filesystem::path folder = std::filesystem::path(text.GetFile()).parent_path();
    return (folder / text.AsText()).string();
}

RankProgram
ReadTrace(const JsonValue& value)
{
    ChakraProgram rules;
    const bool isPrefix = !value.IsObject();
    if (!isPrefix)
    {
        value.AllowOnly({"prefix", "groups", "levels", "pieces", "turns"});
        GetLevels(value, "levels", rules.levels);
        GetCount(value, "pieces", rules.pieces, 1, 1000);
        GetFlag(value, "turns", rules.takesTurns);
        if (const JsonValue groups = value.Find("groups"))
        {
            rules.groups = ChakraProgram::ReadGroups(PathOf(groups));
        }
    }
    const std::string prefix = PathOf(isPrefix ? value : value.At("prefix"));
    RankProgram program = rules.Make(ChakraTrace::ReadAll(prefix), prefix);
    program.Check();
    return program;
}

CollectiveProgram::Kind
KindOf(const JsonValue& value)
{
    using Kind = CollectiveProgram::Kind;
    const std::string name = value.AsText();
    std::string known;
    for (int i = 0; i <= static_cast<int>(Kind::BROADCAST); ++i)
    {
        const auto kind = static_cast<Kind>(i);
        if (name == CollectiveProgram::NameOf(kind))
        {
            return kind;
        }
        known += (i ? ", " : "one of ") + CollectiveProgram::NameOf(kind);
    }
    value.Refuse(known);
}

/// @throw InputError for more operations than there is memory for
void
CheckOperations(const JsonValue& value, double count)
{
    CheckMemory(value.Where(), count, "operations", OPERATION_BYTES);
}

RankProgram
ReadCollective(const JsonValue& value, uint32_t ranks)
{
    value.AllowOnly({"kind", "levels", "bytes", "pieces"});
    CollectiveProgram collective;
    collective.kind = KindOf(value.At("kind"));
    collective.ranks.resize(ranks);
    std::iota(collective.ranks.begin(), collective.ranks.end(), 0);
    collective.levels = {{ranks, CollectiveProgram::Algorithm::RING}};
    GetLevels(value, "levels", collective.levels);
    collective.bytes = value.At("bytes").AsCount(1, MAX_FLOW_BYTES);
    GetCount(value, "pieces", collective.pieces, 1, 1000);
    At(value, [&] { collective.Check(); });
    double messages = 0;
    for (const Level& level : collective.levels)
    {
        const bool isToAll = level.algorithm == CollectiveProgram::Algorithm::RING ||
                             level.algorithm == CollectiveProgram::Algorithm::DIRECT;
        messages += isToAll ? level.size - 1 : 1;
    }
    CheckOperations(value, 2 * messages * collective.pieces * ranks);
    RankProgram program = collective.Generate();
    program.parts.push_back(collective.MakePart("all ranks"));
    for (RankSchedule& rank : program.ranks)
    {
        for (RankOp& op : rank.ops)
        {
            op.part = 1;
        }
    }
    return program;
}

RankProgram
ReadTraining(const JsonValue& value, uint32_t nNics)
{
    value.AllowOnly({"tensor",           "pipeline", "data",         "expert",      "layers",
                     "hidden",           "sequence", "microBatches", "microBatch",  "flops",
                     "forward",          "backward", "elementBytes", "expertEvery", "topK",
                     "sequenceParallel", "zero",     "overlap",      "bucketBytes", "tensorLevels",
                     "dataLevels"});
    TrainingStep step;
    GetCount(value, "tensor", step.tensor, 1);
    GetCount(value, "pipeline", step.pipeline, 1);
    GetCount(value, "data", step.data, 1);
    GetCount(value, "expert", step.expert, 1);
    step.layers = static_cast<uint32_t>(value.At("layers").AsCount(1, MOST));
    step.hidden = value.At("hidden").AsCount(1, MOST);
    step.sequence = value.At("sequence").AsCount(1, uint64_t{1} << 32);
    GetCount(value, "microBatches", step.microBatches, 1);
    GetCount(value, "microBatch", step.microBatch, 1);
    GetDuration(value, "forward", step.forwardPs);
    GetDuration(value, "backward", step.backwardPs);
    if (const JsonValue flops = value.Find("flops"))
    {
        step.flops = flops.AsPositive();
    }
    GetCount(value, "elementBytes", step.elementBytes, 1, 64);
    GetCount(value, "expertEvery", step.expertEvery, 1);
    GetCount(value, "topK", step.topK, 1);
    GetFlag(value, "sequenceParallel", step.sequenceParallel);
    GetFlag(value, "zero", step.zero);
    GetFlag(value, "overlap", step.overlap);
    GetCount(value, "bucketBytes", step.bucketBytes, 1, MAX_FLOW_BYTES);
    GetLevels(value, "tensorLevels", step.tensorLevels);
    GetLevels(value, "dataLevels", step.dataLevels);
    At(value, [&] { step.Check(); });
    if (step.GetRanks() > nNics)
    {
        throw InputError(value.Where() + ": tensor, data and pipeline make " +
                         std::to_string(step.GetRanks()) + " ranks, expected at most " +
                         std::to_string(nNics) + ", as many as there are NICs");
    }
    CheckOperations(value, 2.0 * step.layers * step.microBatches * step.tensor * step.data);
    return step.Generate();
}

/// @return what the ranks of a job do, once
RankProgram
ReadProgram(const JsonValue& job, uint32_t nNics)
{
    JsonValue what = job.Find("goal");
    std::string key = "goal";
    for (const char* const other : {"trace", "collective", "training"})
    {
        const JsonValue found = job.Find(other);
        if (found && what)
        {
            throw InputError(job.Where() + " has both " + key + " and " + other +
                             ", expected one of them");
        }
        what = found ? found : what;
        key = found ? other : key;
    }
    if (!what)
    {
        throw InputError(job.Where() +
                         " has no goal, trace, collective or training, expected one of them");
    }
    const JsonValue ranks = job.Find("ranks");
    const auto nRanks = static_cast<uint32_t>(ranks ? ranks.AsCount(1, nNics) : 0);
    if (key == "collective" && !ranks)
    {
        job.At("ranks");
    }
    RankProgram program = key == "goal"         ? GoalFile::Read(PathOf(what))
                          : key == "trace"      ? ReadTrace(what)
                          : key == "collective" ? ReadCollective(what, nRanks)
                                                : ReadTraining(what, nNics);
    if (key == "collective" || key == "training")
    {
        program.source = what.Where();
    }
    if (ranks && nRanks != program.ranks.size())
    {
        ranks.Refuse(std::to_string(program.ranks.size()) + ", as its " + key + " has");
    }
    return program;
}

std::shared_ptr<RankJob>
ReadJob(const JsonValue& value, uint32_t nNics, const RankJob& rules)
{
    value.AllowOnly({"name",
                     "goal",
                     "trace",
                     "collective",
                     "training",
                     "ranks",
                     "placement",
                     "stream",
                     "start",
                     "repetitions",
                     "pause"});
    auto job = std::make_shared<RankJob>(rules);
    job->name = value.At("name").AsText();
    int64_t startPs = 0;
    int64_t pausePs = 0;
    uint32_t repetitions = 1;
    GetDuration(value, "start", startPs);
    GetDuration(value, "pause", pausePs);
    GetCount(value, "repetitions", repetitions, 1);
    RankProgram program = ReadProgram(value, nNics);
    double operations = 0;
    for (const RankSchedule& rank : program.ranks)
    {
        operations += static_cast<double>(rank.ops.size());
    }
    CheckOperations(value, operations * repetitions);
    job->program = RankProgram::Repeat(std::move(program), startPs, repetitions, pausePs);
    return job;
}

/// Choose a job's NICs. @param lists whether that is for jobs with lists, or for others
void
Place(const JsonValue& value, RankJob& job, JobPlacement& nics, bool lists)
{
    using Rule = JobPlacement::Rule;
    const JsonValue placement = value.Find("placement");
    const std::string text = placement ? placement.AsText() : "linear";
    const bool isList = text != "linear" && text != "rail" && text != "random";
    if (isList != lists)
    {
        return;
    }
    const uint32_t perRank = job.program.GetNNics();
    const auto nRanks = static_cast<uint32_t>(job.program.ranks.size());
    if (isList)
    {
        job.nics = At(placement, [&] { return nics.Parse(text); });
        if (job.nics.size() != std::size_t{nRanks} * perRank)
        {
            placement.Refuse(std::to_string(std::size_t{nRanks} * perRank) +
                             " numbers such as 0-7,12, or linear, rail or random");
        }
        nics.Take(job.nics);
        return;
    }
    const Rule rule = text == "linear" ? Rule::LINEAR : text == "rail" ? Rule::RAIL : Rule::RANDOM;
    int64_t stream = job.number;
    GetCount(value, "stream", stream, 0);
    job.nics = At(placement ? placement : value,
                  [&] { return nics.Choose(rule, nRanks, perRank, JobFile::STREAM + stream); });
}

} // namespace

std::vector<std::shared_ptr<const RankJob>>
JobFile::Read(const std::string& path, uint32_t nNics, uint32_t perServer, const RankJob& rules)
{
    const JsonValue file = JsonValue::Read(path, "a list of jobs");
    const std::vector<JsonValue> values = file.AsList();
    if (values.size() > MOST_JOBS)
    {
        file.Refuse("at most " + std::to_string(MOST_JOBS) + " jobs");
    }
    std::vector<std::shared_ptr<RankJob>> jobs;
    std::set<std::string> names;
    for (const JsonValue& value : values)
    {
        jobs.push_back(ReadJob(value, nNics, rules));
        jobs.back()->number = static_cast<uint32_t>(jobs.size());
        if (!names.insert(jobs.back()->name).second)
        {
            value.At("name").Refuse("another one: a job before has it");
        }
    }
    JobPlacement nics(nNics, perServer);
    for (const bool lists : {true, false})
    {
        for (std::size_t i = 0; i < jobs.size(); ++i)
        {
            Place(values[i], *jobs[i], nics, lists);
        }
    }
    return {jobs.begin(), jobs.end()};
}

} // namespace ns3::roce
