// SPDX-License-Identifier: GPL-2.0-only
#include "roce-job-table.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <ostream>
#include <sstream>
#include <utility>

namespace ns3::roce
{

namespace
{

/// From the first start to the last end of some operations, picoseconds.
struct Span
{
    int64_t startPs{-1};
    int64_t endPs{-1};
    bool isDone{true};

    void Add(const RankOpTimes& op)
    {
        if (op.startPs >= 0)
        {
            startPs = startPs < 0 ? op.startPs : std::min(startPs, op.startPs);
        }
        endPs = std::max(endPs, op.endPs);
        isDone = isDone && op.endPs >= 0;
    }

    void Add(const Span& other)
    {
        Add(RankOpTimes{other.startPs, other.endPs});
        isDone = isDone && other.isDone;
    }
};

/// An iteration of a rank.
struct RankIteration
{
    Span span;
    int64_t computePs{0};
};

/// @return the time in which at least one of these goes on. @param calculations start and end
int64_t
LengthOf(std::vector<std::pair<int64_t, int64_t>>& calculations)
{
    std::sort(calculations.begin(), calculations.end());
    int64_t length = 0;
    int64_t untilPs = 0;
    for (const auto& [startPs, endPs] : calculations)
    {
        length += std::max<int64_t>(0, endPs - std::max(startPs, untilPs));
        untilPs = std::max(untilPs, endPs);
    }
    return length;
}

/// @return iterations of a rank, the first of which is that of what belongs to none
std::vector<RankIteration>
IterationsOf(const RankProgram& program, const RankLog& log, std::size_t rank)
{
    std::vector<RankIteration> all(program.parts.back().iteration + std::size_t{1});
    std::vector<std::vector<std::pair<int64_t, int64_t>>> calculations(all.size());
    for (std::size_t i = 0; i < log.ranks[rank].size(); ++i)
    {
        const RankOp& op = program.ranks[rank].ops[i];
        const RankOpTimes& times = log.ranks[rank][i];
        const uint32_t iteration = program.parts[op.part].iteration;
        all[iteration].span.Add(times);
        if (op.kind == RankOp::Kind::CALC && op.durationPs > 0 && times.endPs >= 0)
        {
            calculations[iteration].emplace_back(times.startPs, times.endPs);
        }
    }
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        all[i].computePs = LengthOf(calculations[i]);
    }
    return all;
}

double
Gbps(double bytes, int64_t ps)
{
    return ps > 0 ? bytes * 8000 / static_cast<double>(ps) : 0;
}

} // namespace

double
JobTable::Collective::GetBusGbps() const
{
    return Gbps(static_cast<double>(bytes) * busFactor * static_cast<double>(count), sumPs);
}

bool
JobTable::IsUsed(const std::vector<FlowSpec>& flows)
{
    return std::any_of(flows.begin(), flows.end(), [](const FlowSpec& flow) {
        return flow.job && !flow.job->name.empty();
    });
}

JobTable::JobTable(const RankEngine* engine)
{
    for (std::size_t job = 0; engine && job < engine->GetJobs().size(); ++job)
    {
        const RankJob& made = *engine->GetJobs()[job];
        if (!made.name.empty() && made.program.parts.back().iteration > 0)
        {
            Add(job, made, *engine->GetLog(job));
            AddCollectives(job, made.program, *engine->GetLog(job));
        }
    }
}

void
JobTable::Add(std::size_t number, const RankJob& made, const RankLog& log)
{
    Job job;
    job.number = number;
    job.name = made.name;
    job.ranks = log.ranks.size();
    const auto nIterations = static_cast<int64_t>(made.program.parts.back().iteration);
    std::vector<Span> iterations(static_cast<std::size_t>(nIterations));
    std::vector<int64_t> ends;
    int64_t computePs = 0;
    int64_t exposedPs = 0;
    bool isDone = true;
    for (std::size_t rank = 0; rank < job.ranks; ++rank)
    {
        const std::vector<RankIteration> own = IterationsOf(made.program, log, rank);
        Span all;
        int64_t ownComputePs = 0;
        int64_t ownExposedPs = 0;
        for (std::size_t i = 1; i < own.size() && !log.ranks[rank].empty(); ++i)
        {
            const Span& span = own[i].span;
            iterations[i - 1].Add(span);
            all.Add(span);
            ownComputePs += own[i].computePs;
            ownExposedPs += span.endPs - span.startPs - own[i].computePs;
        }
        if (job.startPs < 0 || (all.startPs >= 0 && all.startPs < job.startPs))
        {
            job.startPs = all.startPs;
        }
        isDone = isDone && all.isDone;
        ends.push_back(all.endPs);
        computePs += ownComputePs;
        exposedPs += ownExposedPs;
        job.computePs[1] = std::max(job.computePs[1], ownComputePs / nIterations);
        if (ownExposedPs / nIterations > job.exposedPs[1])
        {
            job.exposedPs[1] = ownExposedPs / nIterations;
            job.mostExposed = rank;
        }
    }
    int64_t sumPs = 0;
    for (const Span& span : iterations)
    {
        if (span.isDone && span.startPs >= 0)
        {
            ++job.iterations;
            sumPs += span.endPs - span.startPs;
            job.iterationPs[1] = std::max(job.iterationPs[1], span.endPs - span.startPs);
        }
    }
    if (job.iterations)
    {
        job.iterationPs[0] = sumPs / job.iterations;
    }
    if (isDone)
    {
        const auto nRanks = static_cast<int64_t>(job.ranks);
        job.computePs[0] = computePs / nIterations / nRanks;
        job.exposedPs[0] = exposedPs / nIterations / nRanks;
        const auto last = std::max_element(ends.begin(), ends.end());
        job.lastRank = static_cast<std::size_t>(last - ends.begin());
        job.endPs = *last;
        const auto middle = ends.begin() + static_cast<std::ptrdiff_t>((ends.size() - 1) / 2);
        std::nth_element(ends.begin(), middle, ends.end());
        job.behindPs = job.endPs - *middle;
    }
    m_jobs.push_back(job);
}

void
JobTable::AddCollectives(std::size_t number, const RankProgram& program, const RankLog& log)
{
    std::vector<Span> spans(program.parts.size());
    std::vector<int64_t> lastStartPs(program.parts.size(), -1); // of a rank's first operation
    std::vector<int64_t> firstPs(program.parts.size(), -1);     // of one rank
    for (std::size_t rank = 0; rank < log.ranks.size(); ++rank)
    {
        std::vector<uint32_t> own;
        for (std::size_t i = 0; i < log.ranks[rank].size(); ++i)
        {
            const uint32_t part = program.ranks[rank].ops[i].part;
            const RankOpTimes& times = log.ranks[rank][i];
            if (program.parts[part].busFactor > 0)
            {
                spans[part].Add(times);
                if (firstPs[part] < 0)
                {
                    own.push_back(part);
                    firstPs[part] = times.startPs;
                }
                firstPs[part] = std::min(firstPs[part], times.startPs);
            }
        }
        for (const uint32_t part : own)
        {
            lastStartPs[part] = std::max(lastStartPs[part], std::exchange(firstPs[part], -1));
        }
    }
    std::map<std::pair<std::string, uint64_t>, std::size_t> rows;
    double bytes = 0;
    int64_t sumPs = 0;
    for (std::size_t i = 0; i < spans.size(); ++i)
    {
        const RankPart& part = program.parts[i];
        const Span& span = spans[i];
        if (part.busFactor <= 0)
        {
            continue;
        }
        const auto row = rows.try_emplace({part.name, part.bytes}, m_collectives.size());
        if (row.second)
        {
            m_collectives.push_back({number, part.name, part.bytes, part.busFactor});
        }
        if (!span.isDone || span.startPs < 0)
        {
            continue;
        }
        Collective& collective = m_collectives[row.first->second];
        const int64_t ps = span.endPs - span.startPs;
        ++collective.count;
        collective.sumPs += ps;
        collective.longestPs = std::max(collective.longestPs, ps);
        collective.skewPs += lastStartPs[i] - span.startPs;
        bytes += static_cast<double>(part.bytes) * part.busFactor;
        sumPs += ps;
    }
    m_jobs.back().busGbps = sumPs > 0 ? Gbps(bytes, sumPs) : -1;
}

void
JobTable::Write(RunWriter& writer) const
{
    CsvFile& jobs = writer.OpenCsv(JOBS,
                                   {"job",
                                    "name",
                                    "ranks",
                                    "start_ns",
                                    "end_ns",
                                    "iterations",
                                    "iteration_mean_ns",
                                    "iteration_max_ns",
                                    "compute_mean_ns",
                                    "compute_max_ns",
                                    "exposed_mean_ns",
                                    "exposed_max_ns",
                                    "exposed_max_rank",
                                    "busbw_gbps",
                                    "last_rank",
                                    "behind_ns"});
    for (const Job& job : m_jobs)
    {
        const bool isDone = job.endPs >= 0;
        const auto time = [&jobs](int64_t ps) { ps < 0 ? jobs.Text("") : jobs.Ns(ps); };
        const auto rank = [&](std::size_t number) { isDone ? jobs.Uint(number) : jobs.Text(""); };
        jobs.Uint(job.number).Text(job.name).Uint(job.ranks);
        time(job.startPs);
        time(job.endPs);
        jobs.Uint(job.iterations);
        time(job.iterationPs[0]);
        time(job.iterationPs[1]);
        for (const int64_t ps :
             {job.computePs[0], job.computePs[1], job.exposedPs[0], job.exposedPs[1]})
        {
            time(isDone ? ps : -1);
        }
        rank(job.mostExposed);
        job.busGbps < 0 ? jobs.Text("") : jobs.Fixed(std::llround(job.busGbps * 1000), 3);
        rank(job.lastRank);
        time(job.behindPs);
        jobs.EndRow();
    }
    CsvFile& csv = writer.OpenCsv(
        COLLECTIVES,
        {"job", "name", "bytes", "count", "mean_ns", "max_ns", "skew_mean_ns", "busbw_gbps"});
    for (const Collective& row : m_collectives)
    {
        csv.Uint(row.job).Text(row.name).Uint(row.bytes).Uint(row.count);
        if (const auto count = static_cast<int64_t>(row.count))
        {
            csv.Ns(row.sumPs / count).Ns(row.longestPs).Ns(row.skewPs / count);
            csv.Fixed(std::llround(row.GetBusGbps() * 1000), 3);
        }
        else
        {
            csv.Text("").Text("").Text("").Text("");
        }
        csv.EndRow();
    }
}

void
JobTable::Print(std::ostream& out) const
{
    const auto us = [](int64_t ps) { return static_cast<double>(ps) / 1e6; };
    for (const Job& job : m_jobs)
    {
        std::ostringstream text;
        text << std::fixed << std::setprecision(3) << "job " << job.name << ": " << job.iterations
             << (job.iterations == 1 ? " iteration" : " iterations");
        if (job.iterations)
        {
            text << " of " << us(job.iterationPs[0]) << " us, the longest "
                 << us(job.iterationPs[1]);
        }
        if (job.endPs >= 0)
        {
            text << "; a rank computes " << us(job.computePs[0]) << " and does not for "
                 << us(job.exposedPs[0]);
        }
        out << text.str() << "\n";
    }
}

} // namespace ns3::roce
