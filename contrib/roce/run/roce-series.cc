// SPDX-License-Identifier: GPL-2.0-only
#include "roce-series.h"

#include "ns3/node.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-value-check.h"

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

SeriesRow
SeriesPort::Row(uint8_t trafficClass) const
{
    SeriesRow row;
    row.subject = node;
    row.port = index;
    row.trafficClass = trafficClass;
    return row;
}

SeriesOrder::SeriesOrder(std::function<void()> whenFull)
    : m_whenFull(std::move(whenFull))
{
}

uint8_t
SeriesOrder::NewRank()
{
    return m_ranks++;
}

void
SeriesOrder::Push(int64_t atPs, uint64_t source, const SeriesRow& row)
{
    if (m_divert)
    {
        m_divert(row);
        return;
    }
    m_order.Push(atPs, uint64_t{row.rank} << 56 | source, row);
    if (m_order.GetSize() >= m_fullAt)
    {
        m_whenFull();
    }
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
    return qp && IsChosen(qp->GetOldestCookie()) ? qp : nullptr;
}

Series::Series(SeriesContext& context, const SeriesMode& mode)
    : m_context(context),
      m_mode(mode),
      m_rank(context.order.NewRank())
{
}

Series::~Series() = default;

void
Series::Start()
{
}

void
Series::Sample(int64_t)
{
}

void
Series::Settle(int64_t)
{
}

void
Series::FinishTimeLine(int64_t)
{
}

bool
Series::HasHosts() const
{
    return false;
}

void
Series::WriteFields(CsvFile&, const SeriesRow&) const
{
}

void
Series::Draw(TimeLine&, int64_t, const SeriesRow&)
{
}

void
Series::OpenTable(const std::string& name, const std::vector<std::string>& columns)
{
    std::vector<std::string> header{"time_ns"};
    header.insert(header.end(), columns.begin(), columns.end());
    const auto has = [&columns](const char* column) {
        return std::find(columns.begin(), columns.end(), column) != columns.end();
    };
    m_hasNodeName = columns.front() == "node";
    m_hasPortName = m_hasNodeName && has("port");
    if (m_hasNodeName)
    {
        header.emplace_back("node_name");
    }
    if (m_hasPortName)
    {
        header.emplace_back("port_name");
    }
    if (m_context.writer)
    {
        m_table = &m_context.writer->OpenCsv(name, header);
    }
}

void
Series::Tell(int64_t atPs, uint64_t source, SeriesRow row)
{
    row.rank = m_rank;
    m_context.order.Push(atPs, source, row);
}

void
Series::Write(int64_t atPs, const SeriesRow& row)
{
    if (m_table && row.files != SeriesFiles::TIME_LINE)
    {
        m_table->Ns(atPs).Uint(row.subject);
        WriteFields(*m_table, row);
        if (m_hasNodeName)
        {
            m_table->Text(m_context.names.GetNode(row.subject));
        }
        if (m_hasPortName)
        {
            m_table->Text(m_context.names.GetPort(row.subject, row.port));
        }
        m_table->EndRow();
    }
    if (m_context.timeLine && row.files != SeriesFiles::TABLE)
    {
        Draw(*m_context.timeLine, atPs, row);
    }
}

} // namespace ns3::roce
