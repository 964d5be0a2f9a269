// SPDX-License-Identifier: GPL-2.0-only
#include "roce-sample-filter.h"

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

} // namespace ns3::roce
