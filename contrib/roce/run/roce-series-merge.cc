// SPDX-License-Identifier: GPL-2.0-only
#include "roce-series-kinds.h"

#include "ns3/roce-byte-stream.h"
#include "ns3/roce-rank-exchange.h"

#include <algorithm>
#include <set>

namespace ns3::roce
{

namespace
{

/// @return a text with a fixed address, like a literal
const char*
Keep(const std::string& text)
{
    static std::set<std::string> texts;
    return texts.insert(text).first->c_str();
}

/// @tparam F callable with (form, value&) @param table of the row
template <typename R, typename F>
void
ForValues(const SeriesTable& table, R& row, F&& visit)
{
    std::size_t place = 0;
    for (const SeriesColumn& column : table.columns)
    {
        if (column.HasValue())
        {
            visit(column.form, row.values[place++]);
        }
    }
}

} // namespace

void
WriteSeriesRow(const SeriesTable& table, const SeriesRow& row, std::string& bytes)
{
    ByteWriter writer(bytes);
    writer(row.rank)(row.files)(row.port)(row.subject);
    ForValues(table, row, [&writer](SeriesForm form, const SeriesValue& value) {
        form == SeriesForm::TEXT ? writer(std::string(value.text)) : writer(value.count);
    });
}

SeriesRow
ReadSeriesRow(const std::function<const SeriesTable&(uint8_t rank)>& tableOf, ByteReader& bytes)
{
    SeriesRow row;
    bytes(row.rank)(row.files)(row.port)(row.subject);
    ForValues(tableOf(row.rank), row, [&bytes](SeriesForm form, SeriesValue& value) {
        if (form == SeriesForm::TEXT)
        {
            std::string text;
            bytes(text);
            value = Keep(text);
        }
        else
        {
            bytes(value.count);
        }
    });
    return row;
}

void
SampleOfAll(Series& series, SeriesContext& context, int64_t nowPs)
{
    RankExchange& ranks = *context.network.GetRanks();
    std::string own;
    context.divert = [&](uint64_t place, const SeriesRow& row) {
        ByteWriter{own}(place);
        WriteSeriesRow(series.GetTable(), row, own);
    };
    series.Sample(nowPs);
    context.divert = nullptr;
    const auto tableOf = [&series](uint8_t) -> const SeriesTable& { return series.GetTable(); };
    std::vector<std::pair<uint64_t, SeriesRow>> rows;
    for (const std::string& bytes : ranks.Gather(own))
    {
        for (ByteReader reader(bytes); ranks.GetRank() == 0 && !reader.IsEmpty();)
        {
            const auto place = reader.Get<uint64_t>();
            rows.emplace_back(place, ReadSeriesRow(tableOf, reader));
        }
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    for (const auto& [place, row] : rows)
    {
        context.Push(nowPs, 0, row);
    }
}

} // namespace ns3::roce
