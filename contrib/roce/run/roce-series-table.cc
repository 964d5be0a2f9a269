// SPDX-License-Identifier: GPL-2.0-only
#include "roce-series-table.h"

#include "roce-csv-file.h"

#include "ns3/roce-congestion-control.h"

#include <algorithm>
#include <cmath>

namespace ns3::roce
{

static_assert(UNLIMITED_BYTES == NO_LIMIT, "windows are written as they are");

void
SeriesColumn::Write(CsvFile& csv, SeriesValue value) const
{
    switch (form)
    {
    case SeriesForm::SIGNED:
        csv.Int(static_cast<int64_t>(value.count));
        break;
    case SeriesForm::NS:
        csv.Ns(static_cast<int64_t>(value.count));
        break;
    case SeriesForm::WHOLE:
        csv.Uint(static_cast<uint64_t>(value.real));
        break;
    case SeriesForm::SHARE:
        csv.Fixed(std::llround(value.real * 1e6), 6);
        break;
    case SeriesForm::REAL:
        csv.Double(value.real);
        break;
    case SeriesForm::TEXT:
        csv.Text(value.text);
        break;
    case SeriesForm::LIMIT:
        value.count == NO_LIMIT ? csv.Text("") : csv.Uint(value.count);
        break;
    default:
        csv.Uint(value.count);
    }
}

std::string
SeriesColumn::ToText(SeriesValue value) const
{
    return form == SeriesForm::TEXT ? value.text : std::to_string(value.count);
}

std::vector<std::string>
SeriesTable::GetHeader() const
{
    std::vector<std::string> names{"time_ns", subject == SeriesSubject::PORTS ? "node" : "flow"};
    for (const SeriesColumn& column : columns)
    {
        if (!column.Is(HIDDEN))
        {
            names.emplace_back(column.name);
        }
    }
    if (subject == SeriesSubject::PORTS)
    {
        names.emplace_back("node_name");
    }
    if (Has(SeriesForm::PORT))
    {
        names.emplace_back("port_name");
    }
    return names;
}

bool
SeriesTable::Has(SeriesForm form) const
{
    return std::any_of(columns.begin(), columns.end(), [form](const SeriesColumn& column) {
        return column.form == form;
    });
}

} // namespace ns3::roce
