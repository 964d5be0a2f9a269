// SPDX-License-Identifier: GPL-2.0-only
#include "roce-end-series.h"

#include "ns3/roce-rank-exchange.h"

#include <utility>

namespace ns3::roce
{

EndSeries::EndSeries(SeriesContext& context,
                     const SeriesMode& mode,
                     const SeriesTable& table,
                     End<CongestionControl> law,
                     End<ReceiverFeedback> feedback)
    : Series(context, mode, table),
      m_law(std::move(law)),
      m_feedback(std::move(feedback))
{
}

/// @return by flow the number of a receiver that is of this process and has got data, 1 for each,
/// and its values; zeros for others, so that those of all processes can be added up
std::vector<double>
EndSeries::LookAtReceivers(const std::vector<Flow>& flows) const
{
    std::vector<double> all;
    const std::size_t width = 1 + m_feedback.names.size();
    for (const Flow& flow : flows)
    {
        const Ptr<Nic> nic = m_context.network.GetNic(flow.dst);
        const ReceiverQp* const receiver = nic->GetReceiver(flow.dstQp);
        std::vector<double> values{1};
        if (!receiver || !receiver->feedback || !m_feedback.get(*receiver->feedback, values))
        {
            values.assign(width, 0);
        }
        all.insert(all.end(), values.begin(), values.end());
    }
    return all;
}

void
EndSeries::Tell(uint32_t flow, const std::vector<const char*>& names, const double* values)
{
    SeriesRow row;
    row.subject = flow;
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        row.values = {names[i], values[i]};
        TellSample(m_nowPs, row);
    }
}

void
EndSeries::Sample(int64_t nowPs)
{
    m_nowPs = nowPs;
    std::vector<Flow> flows;
    std::vector<double> sent; // by flow
    m_context.ForOpenFlows([&](uint64_t flow, const QueuePair& qp) {
        if (m_law.get(qp.GetCc(), sent))
        {
            flows.push_back(
                {static_cast<uint32_t>(flow), qp.GetConfig().dst, qp.GetConfig().dstQp});
        }
    });
    // The receiver of a flow may be of another process: all look for those of all.
    if (RankExchange* const ranks = m_context.network.GetRanks())
    {
        flows = ranks->Join(flows);
        sent = ranks->Join(sent);
    }
    std::vector<double> received = LookAtReceivers(flows);
    const std::size_t width = 1 + m_feedback.names.size();
    if (RankExchange* const ranks = m_context.network.GetRanks())
    {
        const std::vector<double> all = ranks->Join(received);
        received.assign(received.size(), 0);
        for (std::size_t i = 0; i < all.size(); ++i)
        {
            received[i % received.size()] += all[i];
        }
    }
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        Tell(flows[i].id, m_law.names, sent.data() + i * m_law.names.size());
        if (received[i * width] > 0)
        {
            Tell(flows[i].id, m_feedback.names, received.data() + i * width + 1);
        }
    }
}

} // namespace ns3::roce
