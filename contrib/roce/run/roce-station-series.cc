// SPDX-License-Identifier: GPL-2.0-only
#include "roce-station-series.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ns3::roce
{

SampleFilter::SampleFilter(const SeriesTable& table)
{
    std::size_t place = 0;
    for (const SeriesColumn& column : table.columns)
    {
        if (column.Is(SILENT))
        {
            m_silent = place;
        }
        if (column.Is(STEADY))
        {
            m_steady = place;
        }
        if (column.Is(KEY))
        {
            m_keys.push_back(place);
        }
        place += column.HasValue();
    }
    if (place > SeriesValues().size() || m_keys.size() + 1 > Key().size())
    {
        throw std::logic_error(std::string(table.option) + ": a series with too many values");
    }
}

SampleFilter::Key
SampleFilter::KeyOf(const SeriesRow& row) const
{
    Key key{uint64_t{row.subject} << 16 | row.port};
    for (std::size_t i = 0; i < m_keys.size(); ++i)
    {
        key[i + 1] = row.values[m_keys[i]].count;
    }
    return key;
}

void
SampleFilter::Take(const SeriesRow& row)
{
    if (!m_silent)
    {
        m_told.push_back(row);
        return;
    }
    const bool isSilent = row.values[*m_silent].count == 0;
    const uint64_t steady = m_steady ? row.values[*m_steady].count : 0;
    if (isSilent && !steady && m_last.empty())
    {
        return; // most rows of most networks
    }
    const Key key = KeyOf(row);
    const auto last = m_last.find(key);
    const bool isNew = last == m_last.end();
    const uint64_t before = m_steady && !isNew ? last->second.row.values[*m_steady].count : 0;
    if (!isSilent || (!isNew && !last->second.isSilent) || steady != before)
    {
        m_told.push_back(row);
    }
    if (!isSilent || steady)
    {
        m_last.insert_or_assign(key, Last{row, m_sample, isSilent});
    }
    else if (!isNew)
    {
        m_last.erase(last);
    }
}

std::vector<SeriesRow>
SampleFilter::Finish()
{
    for (auto it = m_last.begin(); it != m_last.end();)
    {
        Last& last = it->second;
        if (last.sample == m_sample)
        {
            ++it;
            continue;
        }
        if (!last.isSilent)
        {
            last.row.values[*m_silent] = SeriesValue();
            m_told.push_back(last.row);
        }
        it = m_last.erase(it);
    }
    ++m_sample;
    return std::exchange(m_told, {});
}

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
        // Classes of a port in their order, whether one is reported late or not.
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

/// @return rows reported of a switch or port, by port
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
