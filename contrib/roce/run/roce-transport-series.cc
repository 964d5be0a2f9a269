// SPDX-License-Identifier: GPL-2.0-only
#include "roce-series-kinds.h"

#include <cstdint>
#include <vector>

namespace ns3::roce
{

namespace
{

/**
 * transport.csv `time_ns,flow,variable,value`: the rate law's own variables,
 * CongestionControl::GetVariables().
 *
 * Of flows under way. On change (trace sources Rate, TxBegin): at the first packet, and after
 * feedback only what it has changed. On the time line: a counter of each variable.
 */
class TransportSeries : public Series
{
  public:
    TransportSeries(SeriesContext& context, const SeriesMode& mode);

    void Start() override;
    void Sample(int64_t nowPs) override;

  protected:
    void WriteFields(CsvFile& csv, const SeriesRow& row) const override;
    void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row) override;

  private:
    void OnChange(const QueuePair& qp, int64_t atPs);
    void GetVariables(const QueuePair& qp, int64_t atPs);
    SeriesRow MakeRow(uint64_t flow, const ControlVariable& variable) const;

    std::vector<std::vector<double>> m_last;  //!< by flow, on change only
    std::vector<ControlVariable> m_variables; //!< scratch
};

TransportSeries::TransportSeries(SeriesContext& context, const SeriesMode& mode)
    : Series(context, mode)
{
    if (mode.IsOn())
    {
        OpenTable("transport.csv", {"flow", "variable", "value"});
        m_last.resize(mode.onChange ? context.flows.size() : 0);
    }
}

void
TransportSeries::Start()
{
    if (m_mode.onChange)
    {
        ConnectRateChanges([this](const QueuePair& qp, int64_t atPs) { OnChange(qp, atPs); });
    }
}

void
TransportSeries::GetVariables(const QueuePair& qp, int64_t atPs)
{
    m_variables.clear();
    qp.GetCc().GetVariables(atPs, m_variables);
}

SeriesRow
TransportSeries::MakeRow(uint64_t flow, const ControlVariable& variable) const
{
    SeriesRow row;
    row.subject = static_cast<uint32_t>(flow);
    row.name = variable.name;
    row.value = variable.value;
    return row;
}

void
TransportSeries::OnChange(const QueuePair& qp, int64_t atPs)
{
    const uint64_t flow = qp.GetOldestCookie();
    GetVariables(qp, atPs);
    std::vector<double>& last = m_last[flow];
    const bool first = last.size() != m_variables.size();
    last.resize(m_variables.size());
    for (std::size_t i = 0; i < m_variables.size(); ++i)
    {
        if (first || m_variables[i].value != last[i])
        {
            last[i] = m_variables[i].value;
            Tell(atPs, flow, MakeRow(flow, m_variables[i]));
        }
    }
}

void
TransportSeries::Sample(int64_t nowPs)
{
    m_context.ForOpenFlows([this, nowPs](uint64_t flow, const QueuePair& qp) {
        GetVariables(qp, nowPs);
        for (const ControlVariable& variable : m_variables)
        {
            Tell(nowPs, 0, MakeRow(flow, variable));
        }
    });
}

void
TransportSeries::WriteFields(CsvFile& csv, const SeriesRow& row) const
{
    csv.Text(row.name).Double(row.value);
}

void
TransportSeries::Draw(TimeLine& line, int64_t atPs, const SeriesRow& row)
{
    line.Counter(m_context.GetSourceNode(row.subject),
                 "flow " + std::to_string(row.subject) + " " + row.name,
                 "value",
                 atPs,
                 row.value);
}

} // namespace

std::unique_ptr<Series>
MakeTransportSeries(SeriesContext& context, const SeriesMode& mode)
{
    return std::make_unique<TransportSeries>(context, mode);
}

} // namespace ns3::roce
