/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-iteration-table.h"

#include "ns3/roce-flow-application.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

namespace ns3
{
namespace roce
{

IterationTable::IterationTable(const Network& network, const std::vector<FlowRecord>& records)
{
    for (const FlowRecord& record : records)
    {
        const FlowSpec& flow = record.spec;
        if (flow.phase == 0)
        {
            continue;
        }
        m_rows.resize(std::max<std::size_t>(m_rows.size(), flow.phase)); // there are no gaps
        Row& row = m_rows[flow.phase - 1];
        ++row.flows;
        row.unfinished += !record.IsFinished();
        row.bytes += flow.sizeBytes;
        row.startPs = row.flows == 1 ? flow.startPs : std::min(row.startPs, flow.startPs);
        row.endPs = std::max(row.endPs, flow.startPs + record.fctPs);
    }
    for (const FlowRecord& record : records)
    {
        const FlowSpec& flow = record.spec;
        if (flow.phase == 0)
        {
            continue;
        }
        Row& row = m_rows[flow.phase - 1];
        const PathInfo path = network.GetPath(flow.src, flow.dst, FlowApplication::Entropy(flow));
        const double bits = 8 * static_cast<double>(flow.sizeBytes);
        const int64_t payloadPs = std::llround(bits * 1e12 / static_cast<double>(path.lineRateBps));
        row.idealPs =
            std::max<int64_t>(row.idealPs, flow.startPs - row.startPs + path.baseRttPs + payloadPs);
    }
    for (Row& row : m_rows)
    {
        row.endPs = row.unfinished ? -1 : row.endPs;
    }
}

Distribution
IterationTable::GetRatios() const
{
    std::vector<double> ratios;
    for (const Row& row : m_rows)
    {
        if (row.endPs >= 0)
        {
            ratios.push_back(static_cast<double>(row.endPs - row.startPs) /
                             static_cast<double>(row.idealPs));
        }
    }
    return FctStats::Describe(ratios);
}

nlohmann::ordered_json
IterationTable::MakeJson() const
{
    const Distribution ratios = GetRatios();
    nlohmann::ordered_json json;
    json["total"] = m_rows.size();
    json["finished"] = ratios.count;
    json["ratio"] = DistributionJson(ratios, 1);
    return json;
}

void
IterationTable::Write(RunWriter& writer) const
{
    CsvFile& csv = writer.OpenCsv(FILE_NAME,
                                  {"iteration",
                                   "flows",
                                   "bytes",
                                   "start_ns",
                                   "end_ns",
                                   "duration_ns",
                                   "ideal_ns",
                                   "ratio",
                                   "status"});
    const auto time = [&csv](bool known, int64_t ps) { known ? csv.Ns(ps) : csv.Text(""); };
    for (std::size_t i = 0; i < m_rows.size(); ++i)
    {
        const Row& row = m_rows[i];
        const bool done = row.endPs >= 0;
        const int64_t durationPs = row.endPs - row.startPs;
        csv.Uint(i + 1).Uint(row.flows).Uint(row.bytes);
        time(row.startPs >= 0, row.startPs);
        time(done, row.endPs);
        time(done, durationPs);
        csv.Ns(row.idealPs);
        csv.Text(done ? CsvFile::FormatSlowdown(durationPs, row.idealPs) : "");
        csv.Text(done ? "finished" : "unfinished").EndRow();
    }
}

void
IterationTable::Print(std::ostream& out) const
{
    if (IsEmpty())
    {
        return;
    }
    const Distribution ratios = GetRatios();
    std::ostringstream text;
    text << "iterations: " << ratios.count << " of " << m_rows.size() << " finished";
    if (ratios.count)
    {
        text << std::fixed << std::setprecision(3) << "; duration over ideal: mean " << ratios.mean
             << ", p99 " << ratios.p99;
    }
    out << text.str() << "\n";
}

} // namespace roce
} // namespace ns3
