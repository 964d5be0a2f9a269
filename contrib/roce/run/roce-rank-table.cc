// SPDX-License-Identifier: GPL-2.0-only
#include "roce-rank-table.h"

#include "ns3/roce-log-gp.h"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>

namespace ns3::roce
{

RankTable::RankTable(RankEngine* engine)
{
    for (std::size_t job = 0; engine && job < engine->GetJobs().size(); ++job)
    {
        const RankJob& made = *engine->GetJobs()[job];
        const std::vector<int64_t> ends = engine->Finish(job);
        std::vector<int64_t> ideal(ends.size(), -1);
        if (made.ideal)
        {
            RankCosts costs = made.costs;
            costs.ideal = made.ideal;
            ideal = LogGp::Run(made.program, costs);
        }
        for (std::size_t rank = 0; rank < ends.size(); ++rank)
        {
            m_rows.push_back({job, rank, ends[rank], ideal[rank]});
        }
    }
}

void
RankTable::Write(RunWriter& writer) const
{
    CsvFile& csv = writer.OpenCsv(FILE_NAME, {"job", "rank", "end_ns", "ideal_ns"});
    const auto time = [&csv](int64_t ps) { ps < 0 ? csv.Text("") : csv.Ns(ps); };
    for (const Row& row : m_rows)
    {
        csv.Uint(row.job).Uint(row.rank);
        time(row.endPs);
        time(row.idealPs);
        csv.EndRow();
    }
}

void
RankTable::Print(std::ostream& out) const
{
    if (IsEmpty())
    {
        return;
    }
    std::size_t done = 0;
    int64_t lastPs = 0;
    int64_t idealPs = -1;
    for (const Row& row : m_rows)
    {
        done += row.endPs >= 0;
        lastPs = std::max(lastPs, row.endPs);
        idealPs = std::max(idealPs, row.idealPs);
    }
    std::ostringstream text;
    text << std::fixed << std::setprecision(3) << "ranks: " << done << " of " << m_rows.size()
         << " are done, the last at " << static_cast<double>(lastPs) / 1e6 << " us";
    if (idealPs >= 0)
    {
        text << "; on the ideal network at " << static_cast<double>(idealPs) / 1e6 << " us";
    }
    out << text.str() << "\n";
}

} // namespace ns3::roce
