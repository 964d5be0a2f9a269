// SPDX-License-Identifier: GPL-2.0-only
#include "roce-switch-series.h"

#include <algorithm>

namespace ns3::roce
{

SwitchSeries::SwitchSeries(SeriesContext& context,
                           const SeriesMode& mode,
                           const SeriesTable& table,
                           Setup setup)
    : Series(context, mode, table),
      m_setup(std::move(setup))
{
}

void
SwitchSeries::Start()
{
    for (uint32_t s = 0; (m_mode.IsOn() || IsWatching()) && s < m_context.network.GetNSwitches();
         ++s)
    {
        const At at{*m_context.network.GetSwitch(s), m_context.switchPorts[s]};
        if (std::find(at.chosen.begin(), at.chosen.end(), true) == at.chosen.end())
        {
            continue;
        }
        TellRow tell;
        if (IsWatching())
        {
            tell = [this, s](const SeriesRow& row, Time when) {
                TellChange(when.GetPicoSeconds(), s, row);
            };
        }
        if (Visit visit = m_setup(at, tell); visit && m_mode.IsSampled())
        {
            m_sources.push_back({std::move(visit), SampleFilter(GetTable())});
            Look(m_sources.back(), 0); // what is steady begins like this
        }
    }
}

/// @return rows that are told of a switch, by port
std::vector<SeriesRow>
SwitchSeries::Look(Source& source, int64_t nowPs)
{
    source.visit(nowPs, [&source](const SeriesRow& row) { source.filter.Take(row); });
    std::vector<SeriesRow> rows = source.filter.Finish();
    std::stable_sort(rows.begin(), rows.end(), [](const SeriesRow& a, const SeriesRow& b) {
        return a.port < b.port;
    });
    return rows;
}

void
SwitchSeries::Sample(int64_t nowPs)
{
    for (Source& source : m_sources)
    {
        for (const SeriesRow& row : Look(source, nowPs))
        {
            TellSample(nowPs, row);
        }
    }
}

} // namespace ns3::roce
