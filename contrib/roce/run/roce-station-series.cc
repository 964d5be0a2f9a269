// SPDX-License-Identifier: GPL-2.0-only
#include "roce-station-series.h"

#include <algorithm>

namespace ns3::roce
{

SeriesKind
StationSeries::MakeKind(const SeriesTable& table, OfSwitch ofSwitch, OfPort ofPort)
{
    SeriesKind kind{table, {}};
    kind.hasHosts = ofPort;
    kind.make = [ofSwitch, ofPort](SeriesContext& context,
                                   const SeriesMode& mode,
                                   const SeriesTable& recorded) {
        return std::make_unique<StationSeries>(context, mode, recorded, ofSwitch, ofPort);
    };
    return kind;
}

void
StationSeries::Start()
{
    if (!m_mode.IsOn() && !IsWatching())
    {
        return;
    }
    for (uint32_t s = 0; m_ofSwitch && s < m_context.network.GetNSwitches(); ++s)
    {
        const std::vector<bool>& chosen = m_context.switchPorts[s];
        if (std::find(chosen.begin(), chosen.end(), true) != chosen.end())
        {
            Switch& sw = *m_context.network.GetSwitch(s);
            Source& source = Add(s, sw, sw.GetNodeId(), &sw);
            m_ofSwitch(sw, source.offer);
            Look(source, 0); // what is steady begins like this
        }
    }
    for (uint32_t i = 0; m_ofPort && i < m_context.ports.size(); ++i)
    {
        Port& port = *m_context.ports[i].port;
        m_ofPort(port, Add(i, *port.GetOwner(), m_context.ports[i].node, nullptr).offer);
    }
}

StationSeries::Source&
StationSeries::Add(uint32_t number, const Station& station, uint32_t node, const Switch* sw)
{
    Source& source =
        m_sources.emplace_back(Source{{}, number, station, node, sw, SampleFilter(GetTable())});
    if (IsWatching())
    {
        // Classes of a port in their order, whether one is told late or not.
        const bool byClass = !sw && GetTable().columns[1].Is(KEY);
        source.offer.tell =
            [this, &source, byClass](Time at, uint16_t port, const SeriesValues& v) {
                if (SeriesRow row; MakeRow(source, port, v, row))
                {
                    const uint64_t key =
                        byClass ? source.number * N_CLASSES + v[0].count : source.number;
                    TellChange(at.GetPicoSeconds(), key, row);
                }
            };
    }
    return source;
}

/// @param [out] row filled in, if the port is chosen @return whether it is
bool
StationSeries::MakeRow(const Source& source,
                       uint16_t port,
                       const SeriesValues& values,
                       SeriesRow& row) const
{
    if (!source.sw)
    {
        row.port = m_context.ports[source.number].index;
    }
    else if (HasPort())
    {
        if (!m_context.switchPorts[source.number][port])
        {
            return false;
        }
        row.port = static_cast<uint16_t>(source.sw->GetPort(port)->GetIfIndex());
    }
    row.subject = source.node;
    row.values = values;
    return true;
}

/// @return rows that are told of a switch or port, by port
std::vector<SeriesRow>
StationSeries::Look(Source& source, int64_t nowPs) const
{
    if (source.offer.visit)
    {
        source.offer.visit(nowPs, [&](uint16_t port, const SeriesValues& values) {
            if (SeriesRow row; MakeRow(source, port, values, row))
            {
                source.filter.Take(row);
            }
        });
    }
    std::vector<SeriesRow> rows = source.filter.Finish();
    std::stable_sort(rows.begin(), rows.end(), [](const SeriesRow& a, const SeriesRow& b) {
        return a.port < b.port;
    });
    return rows;
}

void
StationSeries::Sample(int64_t nowPs)
{
    for (Source& source : m_sources)
    {
        if (source.station.IsHere())
        {
            for (const SeriesRow& row : Look(source, nowPs))
            {
                TellSample(nowPs, source.number, row);
            }
        }
    }
}

void
StationSeries::Settle(int64_t untilPs)
{
    for (const Source& source : m_sources)
    {
        if (source.offer.settle)
        {
            source.offer.settle(untilPs);
        }
    }
}

} // namespace ns3::roce
