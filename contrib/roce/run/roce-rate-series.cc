// SPDX-License-Identifier: GPL-2.0-only
#include "roce-series-kinds.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3::roce
{

namespace
{

/**
 * What the rate law allows, payload sent so far (repeats included) and acknowledged; a last row
 * with rate 0 at the exact time a flow is done. On change (see ConnectRateChanges()) only what
 * differs from the row before.
 *
 * It is a class because nobody counts what a flow has sent.
 */
class RateSeries : public Series
{
  public:
    RateSeries(SeriesContext& context, const SeriesMode& mode, const SeriesTable& table)
        : Series(context, mode, table),
          m_sentBytes(mode.IsOn() ? context.flows.size() : 0),
          m_last(mode.onChange ? context.flows.size() : 0)
    {
    }

    void Start() override;
    void Sample(int64_t nowPs) override;

  private:
    /// Rate, window, bytes sent and acknowledged.
    using Values = std::array<uint64_t, 4>;

    void OnFeedback(const QueuePair& qp, int64_t atPs);
    void OnCompleted(const MessageRecord& record);
    Values Look(const QueuePair& qp) const;
    static SeriesRow MakeRow(uint64_t flow, const Values& values);

    std::vector<uint64_t> m_sentBytes; //!< by flow
    std::vector<Values> m_last;        //!< by flow, on change only
};

void
RateSeries::Start()
{
    for (uint32_t n = 0; m_mode.IsOn() && n < m_context.network.GetNNics(); ++n)
    {
        Nic& nic = *m_context.network.GetNic(n);
        ConnectTrace<const MessageRecord&>(
            nic,
            "MessageCompleted",
            [this](const MessageRecord& record) { OnCompleted(record); });
        // Before ConnectRateChanges(): a row has the packet that it is due to.
        ConnectTrace<const Frame&, Time>(nic, "TxBegin", [this, n](const Frame& frame, Time) {
            if (m_context.GetSender(n, frame))
            {
                m_sentBytes[frame.cookie] += frame.payloadBytes;
            }
        });
    }
    if (m_mode.onChange)
    {
        m_context.ConnectRateChanges(
            [this](const QueuePair& qp, int64_t atPs) { OnFeedback(qp, atPs); });
    }
}

RateSeries::Values
RateSeries::Look(const QueuePair& qp) const
{
    return {qp.GetCc().GetRateBps(),
            qp.GetCc().GetWindowBytes(),
            m_sentBytes[qp.GetOldestCookie()],
            qp.GetAckedPayloadBytes()};
}

SeriesRow
RateSeries::MakeRow(uint64_t flow, const Values& values)
{
    SeriesRow row;
    row.subject = static_cast<uint32_t>(flow);
    row.values = {values[0], values[1], values[2], values[3]};
    return row;
}

void
RateSeries::OnFeedback(const QueuePair& qp, int64_t atPs)
{
    const uint64_t flow = qp.GetOldestCookie();
    const Values values = Look(qp);
    if (values != m_last[flow])
    {
        m_last[flow] = values;
        TellChange(atPs, flow, MakeRow(flow, values));
    }
}

void
RateSeries::OnCompleted(const MessageRecord& record)
{
    const uint64_t flow = record.cookie;
    // All processes learn of it; the one that has the sender knows what it has sent.
    if (m_context.IsChosen(flow) &&
        m_context.network.GetNic(m_context.flows[flow].src).Peek()->IsHere())
    {
        TellChange(
            record.completedPs,
            flow,
            MakeRow(flow,
                    {0, UNLIMITED_BYTES, m_sentBytes[flow], m_context.flows[flow].sizeBytes}));
    }
}

void
RateSeries::Sample(int64_t nowPs)
{
    m_context.ForOpenFlows([this, nowPs](uint64_t flow, const QueuePair& qp) {
        TellSample(nowPs, qp.GetConfig().src, MakeRow(flow, Look(qp)));
    });
}

} // namespace

SeriesKind
MakeRateKind()
{
    return {{"rates",
             SeriesSubject::FLOWS,
             "rates.csv, rate and progress of flows: in the same way",
             "flow {flow} rate",
             "bps",
             {{"src", SeriesForm::SOURCE},
              {"dst", SeriesForm::TARGET},
              {"rate_bps", SeriesForm::COUNT, DRAWN},
              {"window_bytes", SeriesForm::LIMIT},
              {"sent_bytes", SeriesForm::COUNT},
              {"acked_bytes", SeriesForm::COUNT}}},
            MakeSeries<RateSeries>};
}

} // namespace ns3::roce
