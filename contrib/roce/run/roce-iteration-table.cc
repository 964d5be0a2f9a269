// SPDX-License-Identifier: GPL-2.0-only
#include "roce-iteration-table.h"

#include "ns3/roce-flow-application.h"
#include "ns3/roce-rank-job.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <utility>

namespace ns3::roce
{

namespace
{

/// @return time of some bytes at a rate, picoseconds
int64_t
PayloadPs(uint64_t bytes, uint64_t rateBps)
{
    return std::llround(8 * static_cast<double>(bytes) * 1e12 / static_cast<double>(rateBps));
}

/// @return see IterationTable::Write(); of a finished iteration
double
BusGbps(const IterationTable::Row& row)
{
    return 8000 * static_cast<double>(row.mostBytes) /
           static_cast<double>(std::max<int64_t>(1, row.endPs - row.startPs));
}

} // namespace

uint32_t
IterationTable::NumberOf(const FlowSpec& flow)
{
    return flow.job ? flow.job->GetPart(flow.rank, flow.op).iteration : flow.phase;
}

IterationTable::IterationTable(const Network& network, const std::vector<FlowRecord>& records)
{
    for (const FlowRecord& record : records)
    {
        const FlowSpec& flow = record.spec;
        const uint32_t number = NumberOf(flow);
        if (number == 0)
        {
            continue;
        }
        m_rows.resize(std::max<std::size_t>(m_rows.size(), number)); // there are no gaps
        Row& row = m_rows[number - 1];
        ++row.flows;
        row.unfinished += !record.IsFinished();
        row.bytes += flow.sizeBytes;
        if (flow.startPs >= 0) // of a collective some may never begin
        {
            row.startPs = row.startPs < 0 ? flow.startPs : std::min(row.startPs, flow.startPs);
        }
        row.endPs = std::max(row.endPs, flow.startPs + record.fctPs);
    }
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> sentBy; // by iteration and host
    for (const FlowRecord& record : records)
    {
        if (const uint32_t number = NumberOf(record.spec))
        {
            uint64_t& sent = sentBy[{number, network.GetHost(record.spec.src)}];
            sent += record.spec.sizeBytes;
            m_rows[number - 1].mostBytes = std::max(m_rows[number - 1].mostBytes, sent);
        }
    }
    // Of flows of ranks: longest base RTT, and what each NIC sends and receives.
    std::map<uint32_t, int64_t> longestRttPs;
    std::map<std::pair<uint32_t, uint32_t>, std::array<uint64_t, 2>> bytesOf;
    for (const FlowRecord& record : records)
    {
        const FlowSpec& flow = record.spec;
        const uint32_t number = NumberOf(flow);
        if (number == 0)
        {
            continue;
        }
        Row& row = m_rows[number - 1];
        const PathInfo path = network.GetPath(flow.src, flow.dst, FlowApplication::Entropy(flow));
        if (flow.phase == 0)
        {
            longestRttPs[number] = std::max(longestRttPs[number], path.baseRttPs);
            bytesOf[{number, flow.src}][0] += flow.sizeBytes;
            bytesOf[{number, flow.dst}][1] += flow.sizeBytes;
            continue;
        }
        row.idealPs = std::max<int64_t>(row.idealPs,
                                        flow.startPs - row.startPs + path.baseRttPs +
                                            PayloadPs(flow.sizeBytes, path.lineRateBps));
    }
    for (const auto& [place, bytes] : bytesOf)
    {
        const auto [number, nic] = place;
        const int64_t payloadPs =
            PayloadPs(std::max(bytes[0], bytes[1]), network.GetNic(nic)->GetRateBps());
        Row& row = m_rows[number - 1];
        row.idealPs = std::max<int64_t>(row.idealPs, longestRttPs[number] + payloadPs);
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

Distribution
IterationTable::GetBusGbps() const
{
    std::vector<double> gbps;
    for (const Row& row : m_rows)
    {
        if (row.endPs > row.startPs)
        {
            gbps.push_back(BusGbps(row));
        }
    }
    return FctStats::Describe(gbps);
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
                                   "status",
                                   "busbw_gbps"});
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
        csv.Text(done ? "finished" : "unfinished");
        std::ostringstream busGbps;
        busGbps << std::fixed << std::setprecision(3) << BusGbps(row);
        csv.Text(done ? busGbps.str() : "").EndRow();
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
             << ", p99 " << ratios.p99 << "; bus bandwidth: mean " << GetBusGbps().mean
             << " Gbit/s";
    }
    out << text.str() << "\n";
}

} // namespace ns3::roce
