// SPDX-License-Identifier: GPL-2.0-only
#include "roce-variable-series.h"

#include "roce-series-kinds.h"

#include "ns3/roce-rank-exchange.h"

#include <algorithm>
#include <utility>

namespace ns3::roce
{

VariableSeries::VariableSeries(SeriesContext& context,
                               const SeriesMode& mode,
                               const SeriesTable& table,
                               OfLaw ofLaw,
                               OfFeedback ofFeedback)
    : Series(context, mode, table),
      m_ofLaw(ofLaw),
      m_ofFeedback(ofFeedback),
      m_last(mode.onChange ? context.flows.size() : 0),
      m_ofNic(mode.onChange ? context.network.GetNNics() : 0)
{
}

SeriesKind
VariableSeries::MakeKind(const char* option,
                         const char* help,
                         const char* label,
                         OfLaw ofLaw,
                         OfFeedback ofFeedback)
{
    SeriesKind kind{{option, SeriesSubject::FLOWS, help, label, "value"}, {}};
    kind.columns = {{"variable", SeriesForm::TEXT}, {"value", SeriesForm::REAL, DRAWN}};
    kind.isSampled = ofFeedback;
    kind.make = [ofLaw, ofFeedback](SeriesContext& context,
                                    const SeriesMode& mode,
                                    const SeriesTable& table) {
        return std::make_unique<VariableSeries>(context, mode, table, ofLaw, ofFeedback);
    };
    return kind;
}

void
VariableSeries::Start()
{
    if (m_mode.onChange)
    {
        m_context.ConnectRateChanges(
            [this](const QueuePair& qp, int64_t atPs) { OnFeedback(qp, atPs); });
    }
}

SeriesRow
VariableSeries::MakeRow(uint64_t flow, const ControlVariable& variable)
{
    SeriesRow row;
    row.subject = static_cast<uint32_t>(flow);
    row.values = {variable.name, variable.value};
    return row;
}

void
VariableSeries::OnFeedback(const QueuePair& qp, int64_t atPs)
{
    const uint64_t flow = qp.GetOldestCookie();
    Variables& variables = m_ofNic[qp.GetConfig().src];
    variables.clear();
    m_ofLaw(qp.GetCc(), atPs, variables);
    std::vector<double>& last = m_last[flow];
    const bool first = last.size() != variables.size();
    last.resize(variables.size());
    for (std::size_t i = 0; i < variables.size(); ++i)
    {
        if (first || variables[i].value != last[i])
        {
            last[i] = variables[i].value;
            TellChange(atPs, flow, MakeRow(flow, variables[i]));
        }
    }
}

void
VariableSeries::TellAll(int64_t nowPs, uint64_t place, uint64_t flow)
{
    for (const ControlVariable& variable : m_variables)
    {
        TellSample(nowPs, place, MakeRow(flow, variable));
    }
}

void
VariableSeries::Sample(int64_t nowPs)
{
    std::vector<Flow> flows;
    std::vector<Variables> own;
    m_context.ForOpenFlows([&](uint64_t flow, const QueuePair& qp) {
        if (m_ofLaw(qp.GetCc(), nowPs, own.emplace_back()))
        {
            flows.push_back({flow, qp.GetConfig().src, qp.GetConfig().dst, qp.GetConfig().dstQp});
        }
        else
        {
            own.pop_back();
        }
    });
    // The receiver of a flow may be of another process: all look for those of all.
    if (RankExchange* const ranks = m_context.network.GetRanks())
    {
        flows = ranks->Join(flows);
        std::stable_sort(flows.begin(), flows.end(), [](const Flow& a, const Flow& b) {
            return a.src < b.src;
        });
    }
    auto next = own.begin();
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        const Flow& flow = flows[i];
        if (m_context.network.GetNic(flow.src).Peek()->IsHere())
        {
            m_variables = std::move(*next++);
            TellAll(nowPs, 2 * i, flow.id);
        }
        const ReceiverQp* const receiver =
            m_ofFeedback ? m_context.network.GetNic(flow.dst)->GetReceiver(flow.dstQp) : nullptr;
        if (receiver && receiver->feedback) // that another process has is none here
        {
            m_variables.clear();
            m_ofFeedback(*receiver->feedback, m_variables);
            TellAll(nowPs, 2 * i + 1, flow.id);
        }
    }
}

SeriesKind
MakeTransportKind()
{
    return VariableSeries::MakeKind(
        "transport",
        "transport.csv, the rate law's own variables",
        "flow {flow} {variable}",
        [](const CongestionControl& law, int64_t nowPs, VariableSeries::Variables& variables) {
            law.GetVariables(nowPs, variables);
            return true;
        });
}

} // namespace ns3::roce
