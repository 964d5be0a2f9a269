// SPDX-License-Identifier: GPL-2.0-only
#include "roce-series.h"

#include "ns3/node.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-value-check.h"

#include <algorithm>
#include <cmath>

namespace ns3::roce
{

SeriesMode
SeriesMode::Parse(const std::string& option, const std::string& text)
{
    SeriesMode mode;
    if (text == "change")
    {
        mode.onChange = true;
    }
    else if (!text.empty())
    {
        ValueCheck::Value(option + " (change or a time between samples)", ValueKind::TIME, text);
        mode.intervalPs = Time(text).GetPicoSeconds();
        if (mode.intervalPs < 0)
        {
            throw InputError(option + " is negative, expected 0 or more");
        }
    }
    return mode;
}

void
SeriesContext::Push(int64_t atPs, uint64_t source, const SeriesRow& row)
{
    records->Push(atPs, uint64_t{row.rank} << 56 | source, row);
}

uint32_t
SeriesContext::GetSourceNode(uint64_t flow) const
{
    return network.GetNic(flows[flow].src).Peek()->GetNode()->GetId();
}

const QueuePair*
SeriesContext::GetSender(uint32_t nic, const Frame& frame) const
{
    if (frame.kind != FrameKind::DATA)
    {
        return nullptr;
    }
    const QueuePair* qp = network.GetNic(nic).Peek()->GetQp(frame.srcQp);
    return qp && IsChosen(frame.cookie) ? qp : nullptr;
}

void
SeriesContext::ConnectRateChanges(const std::function<void(const QueuePair&, int64_t)>& sink) const
{
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        Nic& nic = *network.GetNic(n);
        ConnectTrace<const Frame&, Time>(nic, "TxBegin", [this, n, sink](const Frame& f, Time at) {
            const QueuePair* qp = GetSender(n, f);
            const bool begins = f.flags & FRAME_FIRST && !(f.flags & FRAME_RETX);
            if (qp && begins && IsChosen(qp->GetOldestCookie()))
            {
                sink(*qp, at.GetPicoSeconds()); // the rate it begins with
            }
        });
        ConnectTrace<const QueuePair&, Time>(nic,
                                             "Rate",
                                             [this, sink](const QueuePair& q, Time at) {
                                                 if (IsChosen(q.GetOldestCookie()))
                                                 {
                                                     sink(q, at.GetPicoSeconds());
                                                 }
                                             });
    }
}

Series::Series(SeriesContext& context, const SeriesMode& mode, const SeriesTable& table)
    : m_context(context),
      m_mode(mode),
      m_table(table),
      m_rank(context.series++),
      m_hasSlices(std::any_of(table.columns.begin(),
                              table.columns.end(),
                              [](const SeriesColumn& column) { return column.Is(SLICE); })),
      m_hasPort(table.Has(SeriesForm::PORT))
{
    if (mode.onChange && table.isSampled)
    {
        throw InputError(std::string("--") + table.option +
                         " is 'change', expected a time, for example 10us");
    }
    if (mode.IsOn() && context.writer)
    {
        m_file = &context.writer->OpenCsv(std::string(table.option) + ".csv", table.GetHeader());
    }
}

Series::~Series() = default;

bool
Series::IsWatching() const
{
    return m_mode.onChange || (m_hasSlices && m_context.hasTimeLine);
}

void
Series::TellSample(int64_t nowPs, uint64_t place, SeriesRow row)
{
    // Slices have exact times.
    row.files = m_hasSlices ? SeriesFiles::TABLE : SeriesFiles::ALL;
    row.rank = m_rank;
    m_context.divert ? m_context.divert(place, row) : m_context.Push(nowPs, 0, row);
}

void
Series::TellChange(int64_t atPs, uint64_t source, SeriesRow row)
{
    row.files = m_mode.onChange || !m_hasSlices ? SeriesFiles::ALL : SeriesFiles::TIME_LINE;
    row.rank = m_rank;
    m_context.Push(atPs, source, row);
}

void
Series::Write(int64_t atPs, const SeriesRow& row)
{
    if (m_file && row.files != SeriesFiles::TIME_LINE)
    {
        m_file->Ns(atPs).Uint(row.subject);
        WriteFields(row);
        if (m_table.subject == SeriesSubject::PORTS)
        {
            m_file->Text(m_context.names.GetNode(row.subject));
        }
        if (m_hasPort)
        {
            m_file->Text(m_context.names.GetPort(row.subject, row.port));
        }
        m_file->EndRow();
    }
    if (m_context.timeLine && row.files != SeriesFiles::TABLE)
    {
        Draw(*m_context.timeLine, atPs, row);
    }
}

void
Series::WriteFields(const SeriesRow& row)
{
    const SeriesValue* value = row.values.data();
    for (const SeriesColumn& column : m_table.columns)
    {
        if (column.form == SeriesForm::PORT)
        {
            m_file->Uint(row.port);
        }
        else if (column.form == SeriesForm::SOURCE)
        {
            m_file->Uint(m_context.flows[row.subject].src);
        }
        else if (column.form == SeriesForm::TARGET)
        {
            m_file->Uint(m_context.flows[row.subject].dst);
        }
        else if (!column.Is(HIDDEN))
        {
            column.Write(*m_file, *value);
        }
        value += column.HasValue();
    }
}

/// @return the table's label with what is in braces replaced
std::string
Series::MakeLabel(const TimeLine& line, const SeriesRow& row) const
{
    std::string label = m_table.label;
    const auto replace = [&label](const std::string& name, const std::string& text) {
        const std::size_t at = label.find("{" + name + "}");
        if (at != std::string::npos)
        {
            label.replace(at, name.size() + 2, text);
        }
    };
    replace("flow", std::to_string(row.subject));
    const SeriesValue* value = row.values.data();
    for (const SeriesColumn& column : m_table.columns)
    {
        replace(column.name,
                column.HasValue() ? column.ToText(*value) : line.PortLabel(row.subject, row.port));
        value += column.HasValue();
    }
    return label;
}

void
Series::Draw(TimeLine& line, int64_t atPs, const SeriesRow& row)
{
    const uint32_t node = m_table.subject == SeriesSubject::PORTS
                              ? row.subject
                              : m_context.GetSourceNode(row.subject);
    const SeriesValue* value = row.values.data();
    for (const SeriesColumn& column : m_table.columns)
    {
        if (column.Is(SLICE))
        {
            line.PortSlice(node,
                           row.port,
                           static_cast<uint8_t>(row.values[0].count), // its column KEY
                           m_table.label,
                           value->count,
                           atPs);
        }
        if (column.Is(DRAWN))
        {
            const std::string label = MakeLabel(line, row);
            switch (column.form)
            {
            case SeriesForm::WHOLE:
                line.Counter(node, label, m_table.unit, atPs, std::trunc(value->real));
                break;
            case SeriesForm::SHARE:
            case SeriesForm::REAL:
                line.Counter(node, label, m_table.unit, atPs, value->real);
                break;
            default:
                line.Counter(node, label, m_table.unit, atPs, value->count);
            }
        }
        value += column.HasValue();
    }
}

} // namespace ns3::roce
