// SPDX-License-Identifier: GPL-2.0-only
#include "roce-edge-queue-series.h"

namespace ns3::roce
{

EdgeQueueSeries::EdgeQueueSeries(SeriesContext& context,
                                 const SeriesMode& mode,
                                 const std::string& table,
                                 const std::vector<std::string>& columns)
    : Series(context, mode)
{
    if (mode.IsOn())
    {
        OpenTable(table, columns);
    }
}

void
EdgeQueueSeries::Start()
{
    for (uint32_t s = 0; m_mode.IsOn() && s < m_context.network.GetNSwitches(); ++s)
    {
        const std::vector<bool>& ports = m_context.switchPorts[s];
        if (std::find(ports.begin(), ports.end(), true) != ports.end())
        {
            if (ForQueues forQueues = Watch(*m_context.network.GetSwitch(s), s))
            {
                m_edges.push_back({std::move(forQueues), {}});
            }
        }
    }
}

void
EdgeQueueSeries::Sample(int64_t nowPs)
{
    for (Edge& edge : m_edges)
    {
        auto before = std::exchange(edge.filled, {});
        edge.forQueues(nowPs, [&](const SeriesRow& row) {
            const std::pair queue(row.port, row.counts[0]);
            const bool isFilled = row.counts[1];
            if (before.erase(queue) || isFilled)
            {
                Tell(nowPs, 0, row);
            }
            if (isFilled)
            {
                edge.filled.emplace(queue, row);
            }
        });
        for (auto& [queue, row] : before) // forgotten since
        {
            row.counts[1] = 0;
            Tell(nowPs, 0, row);
        }
    }
}

void
EdgeQueueSeries::Draw(TimeLine& line, int64_t atPs, const SeriesRow& row)
{
    line.Counter(row.subject, Label(line, row), "bytes", atPs, row.counts[1]);
}

} // namespace ns3::roce
