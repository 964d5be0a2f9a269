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

/// @param table of the row @param row it @param place of its source @param out appended
/// to
void
WriteRow(const SeriesTable& table, const SeriesRow& row, uint64_t place, std::string& out)
{
    ByteWriter writer(out);
    writer(place)(row.rank)(row.files)(row.port)(row.subject);
    ForValues(table, row, [&writer](SeriesForm form, const SeriesValue& value) {
        form == SeriesForm::TEXT ? writer(std::string(value.text)) : writer(value.count);
    });
}

/// @param table of the row @param reader at a row of WriteRow() @return its place, and the row
std::pair<uint64_t, SeriesRow>
ReadRow(const SeriesTable& table, ByteReader& reader)
{
    const auto place = reader.Get<uint64_t>();
    SeriesRow row;
    reader(row.rank)(row.files)(row.port)(row.subject);
    ForValues(table, row, [&reader](SeriesForm form, SeriesValue& value) {
        if (form == SeriesForm::TEXT)
        {
            std::string text;
            reader(text);
            value = Keep(text);
        }
        else
        {
            reader(value.count);
        }
    });
    return {place, row};
}

} // namespace

void
SampleOfAll(Series& series, SeriesContext& context, int64_t nowPs)
{
    RankExchange& ranks = *context.network.GetRanks();
    std::string own;
    context.divert = [&](uint64_t place, const SeriesRow& row) {
        WriteRow(series.GetTable(), row, place, own);
    };
    series.Sample(nowPs);
    context.divert = nullptr;
    std::vector<std::pair<uint64_t, SeriesRow>> rows;
    for (const std::string& bytes : ranks.Gather(own))
    {
        for (ByteReader reader(bytes); ranks.GetRank() == 0 && !reader.IsEmpty();)
        {
            rows.push_back(ReadRow(series.GetTable(), reader));
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
