// SPDX-License-Identifier: GPL-2.0-only
#include "roce-operation-table.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ns3::roce
{

namespace
{

void
WriteOperation(CsvFile& csv,
               std::size_t job,
               uint32_t rank,
               const RankProgram& program,
               const RankLog& log,
               uint32_t number)
{
    const RankOp& op = program.ranks[rank].ops[number];
    const RankPart& part = program.parts[op.part];
    const RankOpTimes& times = log.ranks[rank][number];
    const auto orEmpty = [&csv](bool isThere, uint64_t value) {
        isThere ? csv.Uint(value) : csv.Text("");
    };
    const auto time = [&csv](int64_t ps) { ps < 0 ? csv.Text("") : csv.Ns(ps); };
    const bool isMessage = op.kind != RankOp::Kind::CALC;
    const uint32_t peer = op.peer == RankOp::ANY_RANK ? times.from : op.peer;
    csv.Uint(job).Uint(rank).Uint(op.label).Text(OperationTable::NameOf(op.kind));
    orEmpty(op.stream != RankOp::NO_STREAM, op.stream);
    orEmpty(isMessage && peer != RankOp::ANY_RANK, peer);
    orEmpty(isMessage, op.bytes);
    csv.Text(part.name);
    orEmpty(part.iteration, part.iteration);
    time(times.send == RankOp::NO_OP ? -1 : log.ranks[times.from][times.send].startPs);
    time(times.startPs);
    time(times.endPs);
    csv.EndRow();
}

} // namespace

const char*
OperationTable::NameOf(RankOp::Kind kind)
{
    return kind == RankOp::Kind::CALC ? "calc" : kind == RankOp::Kind::SEND ? "send" : "recv";
}

std::vector<uint32_t>
OperationTable::InOrder(const std::vector<RankOpTimes>& log)
{
    std::vector<uint32_t> order(log.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&log](uint32_t op) {
        return std::make_pair(static_cast<uint64_t>(log[op].startPs), op); // -1 is the last
    };
    std::sort(order.begin(), order.end(), [&key](uint32_t a, uint32_t b) {
        return key(a) < key(b);
    });
    return order;
}

void
OperationTable::Write(const RankEngine& engine, RunWriter& writer)
{
    CsvFile& csv = writer.OpenCsv(FILE_NAME,
                                  {"job",
                                   "rank",
                                   "operation",
                                   "kind",
                                   "stream",
                                   "peer",
                                   "bytes",
                                   "part",
                                   "iteration",
                                   "sent_ns",
                                   "start_ns",
                                   "end_ns"});
    for (std::size_t job = 0; job < engine.GetJobs().size(); ++job)
    {
        const RankProgram& program = engine.GetJobs()[job]->program;
        const RankLog& log = *engine.GetLog(job);
        for (uint32_t rank = 0; rank < program.ranks.size(); ++rank)
        {
            for (const uint32_t number : InOrder(log.ranks[rank]))
            {
                WriteOperation(csv, job, rank, program, log, number);
            }
        }
    }
}

} // namespace ns3::roce
