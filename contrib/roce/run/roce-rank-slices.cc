// SPDX-License-Identifier: GPL-2.0-only
#include "roce-operation-table.h"
#include "roce-series-kinds.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::roce
{

namespace
{

/**
 * The time line's ranks: a process for each, with tracks for each stream's computation, for sends
 * and for receives. A receive is drawn from when its message is sent, if it was posted by then. No
 * table: operations.csv has them.
 */
class RankSlices : public Series
{
  public:
    RankSlices(SeriesContext& context, RankEngine& engine)
        : Series(context, SeriesMode(), {"ranks", SeriesSubject::FLOWS, "", "", ""}),
          m_engine(engine)
    {
    }

    void FinishTimeLine(int64_t nowPs) override
    {
        for (std::size_t job = 0; job < m_engine.GetJobs().size(); ++job)
        {
            m_engine.Finish(job);
            if (!m_context.timeLine)
            {
                continue;
            }
            const RankLog& log = *m_engine.GetLog(job);
            const std::string& name = m_engine.GetJobs()[job]->name;
            const std::string first = m_engine.GetJobs().size() == 1 ? ""
                                      : name.empty() ? "job " + std::to_string(job) + " "
                                                     : name + " ";
            for (uint32_t rank = 0; rank < log.ranks.size(); ++rank)
            {
                DrawRank(job, rank, first + "rank " + std::to_string(rank), nowPs);
            }
        }
    }

  private:
    void DrawRank(std::size_t job, uint32_t rank, const std::string& name, int64_t nowPs);

    RankEngine& m_engine;
};

/// A slice to be.
struct Stretch
{
    int64_t fromPs;
    int64_t toPs;
    uint32_t op;
    uint32_t peer;
};

/// @return what operations of a kind share
std::string
TrackOf(const RankOp& op)
{
    return op.kind == RankOp::Kind::SEND    ? "sends"
           : op.kind == RankOp::Kind::RECV  ? "receives"
           : op.stream == RankOp::NO_STREAM ? "computation"
                                            : "stream " + std::to_string(op.stream);
}

void
RankSlices::DrawRank(std::size_t job, uint32_t rank, const std::string& name, int64_t nowPs)
{
    const RankProgram& program = m_engine.GetJobs()[job]->program;
    const RankLog& log = *m_engine.GetLog(job);
    std::vector<Stretch> stretches;
    for (uint32_t number = 0; number < log.ranks[rank].size(); ++number)
    {
        const RankOp& op = program.ranks[rank].ops[number];
        const RankOpTimes& times = log.ranks[rank][number];
        const bool isReceive = op.kind == RankOp::Kind::RECV;
        int64_t fromPs = times.startPs;
        if (isReceive)
        {
            fromPs = times.send == RankOp::NO_OP
                         ? -1
                         : std::max(fromPs, log.ranks[times.from][times.send].startPs);
        }
        const int64_t toPs = times.endPs < 0 ? nowPs : times.endPs;
        if (fromPs >= 0 && fromPs < toPs) // what takes no time is not seen
        {
            stretches.push_back({fromPs, toPs, number, isReceive ? times.from : op.peer});
        }
    }
    std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) {
        return std::tie(a.fromPs, a.op) < std::tie(b.fromPs, b.op);
    });
    TimeLine& line = *m_context.timeLine;
    const uint32_t process = line.AddProcess(name);
    std::map<std::string, TimeLineLanes> lanes;
    for (const Stretch& stretch : stretches)
    {
        const RankOp& op = program.ranks[rank].ops[stretch.op];
        const RankPart& part = program.parts[op.part];
        const std::string track = TrackOf(op);
        std::string what = OperationTable::NameOf(op.kind);
        nlohmann::ordered_json details{{"operation", op.label}, {"kind", what}};
        if (op.kind != RankOp::Kind::CALC)
        {
            details["peer"] = stretch.peer;
            details["bytes"] = op.bytes;
            what +=
                (op.kind == RankOp::Kind::SEND ? " to " : " from ") + std::to_string(stretch.peer);
        }
        if (part.iteration)
        {
            details["iteration"] = part.iteration;
        }
        details["status"] = log.ranks[rank][stretch.op].endPs < 0 ? "unfinished" : "finished";
        line.Slice(process,
                   track + ", track " +
                       std::to_string(lanes[track].Take(stretch.fromPs, stretch.toPs)),
                   part.name.empty() ? what : part.name,
                   stretch.fromPs,
                   stretch.toPs,
                   details);
    }
}

} // namespace

std::unique_ptr<Series>
MakeRankSlices(SeriesContext& context, RankEngine& engine)
{
    return std::make_unique<RankSlices>(context, engine);
}

} // namespace ns3::roce
