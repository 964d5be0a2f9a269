// SPDX-License-Identifier: GPL-2.0-only
#include "roce-series-merge.h"

#include "ns3/node.h"
#include "ns3/roce-byte-stream.h"

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

/// @tparam F callable with (form, value&) @param table of the row @param row any
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

/// @param table of the row @param row it @param place see SeriesMerge::Source @param out appended
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

SeriesMerge::SeriesMerge(SeriesContext& context)
    : m_context(context),
      m_ranks(*context.network.GetRanks())
{
    const Network& network = context.network;
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        const Nic& nic = *network.GetNic(n).Peek();
        m_nicOf.push_back({n, nic.IsHere()});
        m_nics[{nic.GetNode()->GetId(), static_cast<uint16_t>(nic.GetIfIndex())}] = m_nicOf.back();
    }
    for (uint32_t s = 0; s < network.GetNSwitches(); ++s)
    {
        const Switch& sw = *network.GetSwitch(s).Peek();
        m_switches[sw.GetNodeId()] = {uint64_t{network.GetNNics()} + s, sw.IsHere()};
    }
}

SeriesMerge::Source
SeriesMerge::SourceOf(const Series& series, const SeriesRow& row) const
{
    if (series.GetTable().subject == SeriesSubject::FLOWS)
    {
        return m_nicOf[m_context.flows[row.subject].src];
    }
    const auto sw = m_switches.find(row.subject);
    Source source = sw != m_switches.end() ? sw->second : m_nics.at({row.subject, row.port});
    if (series.GetTable().hasHosts)
    {
        const auto port = std::find_if(
            m_context.ports.begin(),
            m_context.ports.end(),
            [&row](const SeriesPort& p) { return p.node == row.subject && p.index == row.port; });
        source.place = static_cast<uint64_t>(port - m_context.ports.begin());
    }
    return source;
}

void
SeriesMerge::Sample(Series& series, int64_t nowPs)
{
    std::string own;
    m_context.order.Divert([&](const SeriesRow& row) {
        if (const Source source = SourceOf(series, row); source.isHere)
        {
            WriteRow(series.GetTable(), row, source.place, own);
        }
    });
    series.Sample(nowPs);
    m_context.order.Divert(nullptr);
    std::vector<std::pair<uint64_t, SeriesRow>> rows;
    for (const std::string& bytes : m_ranks.Gather(own))
    {
        for (ByteReader reader(bytes); m_ranks.GetRank() == 0 && !reader.IsEmpty();)
        {
            rows.push_back(ReadRow(series.GetTable(), reader));
        }
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    for (const auto& [place, row] : rows)
    {
        m_context.order.Push(nowPs, 0, row);
    }
}

} // namespace ns3::roce
