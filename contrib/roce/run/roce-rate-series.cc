// SPDX-License-Identifier: GPL-2.0-only
#include "roce-series-kinds.h"

#include <cstdint>
#include <vector>

namespace ns3::roce
{

namespace
{

/**
 * rates.csv `time_ns,flow,src,dst,rate_bps,window_bytes,sent_bytes,acked_bytes`: what the
 * rate law allows (window empty: none), payload sent so far (repeats included) and acknowledged.
 *
 * Of flows under way; a last row with rate 0 at the exact time a flow is done. On change (trace
 * sources Rate, TxBegin, MessageCompleted): at the first packet, and after feedback that has
 * changed anything. On the time line: a counter of each flow's rate.
 */
class RateSeries : public Series
{
  public:
    RateSeries(SeriesContext& context, const SeriesMode& mode);

    void Start() override;
    void Sample(int64_t nowPs) override;

  protected:
    void WriteFields(CsvFile& csv, const SeriesRow& row) const override;
    void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row) override;

  private:
    /// Places in SeriesRow::counts.
    enum Count : std::size_t
    {
        RATE_BPS,
        WINDOW_BYTES,
        SENT_BYTES,
        ACKED_BYTES
    };

    using Counts = decltype(SeriesRow::counts);

    void OnChange(const QueuePair& qp, int64_t atPs);
    void OnCompleted(const MessageRecord& record);
    SeriesRow MakeRow(const QueuePair& qp) const;

    std::vector<uint64_t> m_sentBytes; //!< by flow
    std::vector<Counts> m_last;        //!< by flow, on change only
};

RateSeries::RateSeries(SeriesContext& context, const SeriesMode& mode)
    : Series(context, mode)
{
    if (mode.IsOn())
    {
        OpenTable("rates.csv",
                  {"flow", "src", "dst", "rate_bps", "window_bytes", "sent_bytes", "acked_bytes"});
        m_sentBytes.resize(context.flows.size());
        m_last.resize(mode.onChange ? context.flows.size() : 0);
    }
}

void
RateSeries::Start()
{
    for (uint32_t n = 0; m_mode.IsOn() && n < m_context.network.GetNNics(); ++n)
    {
        Nic& nic = *m_context.network.GetNic(n);
        Connect<const MessageRecord&>(nic, "MessageCompleted", [this](const MessageRecord& record) {
            OnCompleted(record);
        });
        // Before what ConnectRateChanges() connects: a row has the packet that it is due to.
        Connect<const Frame&, Time>(nic, "TxBegin", [this, n](const Frame& frame, Time) {
            if (const QueuePair* qp = m_context.GetSender(n, frame))
            {
                m_sentBytes[qp->GetOldestCookie()] += frame.payloadBytes;
            }
        });
    }
    if (m_mode.onChange)
    {
        ConnectRateChanges([this](const QueuePair& qp, int64_t atPs) { OnChange(qp, atPs); });
    }
}

SeriesRow
RateSeries::MakeRow(const QueuePair& qp) const
{
    const uint64_t flow = qp.GetOldestCookie();
    SeriesRow row;
    row.subject = static_cast<uint32_t>(flow);
    row.counts[RATE_BPS] = qp.GetCc().GetRateBps();
    row.counts[WINDOW_BYTES] = qp.GetCc().GetWindowBytes();
    row.counts[SENT_BYTES] = m_sentBytes[flow];
    row.counts[ACKED_BYTES] = qp.GetAckedPayloadBytes();
    return row;
}

void
RateSeries::OnChange(const QueuePair& qp, int64_t atPs)
{
    const uint64_t flow = qp.GetOldestCookie();
    const SeriesRow row = MakeRow(qp);
    if (row.counts != m_last[flow])
    {
        m_last[flow] = row.counts;
        Tell(atPs, flow, row);
    }
}

void
RateSeries::OnCompleted(const MessageRecord& record)
{
    const uint64_t flow = record.cookie;
    if (m_context.IsChosen(flow))
    {
        SeriesRow row;
        row.subject = static_cast<uint32_t>(flow);
        row.counts[WINDOW_BYTES] = UNLIMITED_BYTES;
        row.counts[SENT_BYTES] = m_sentBytes[flow];
        row.counts[ACKED_BYTES] = m_context.flows[flow].sizeBytes;
        Tell(record.completedPs, flow, row);
    }
}

void
RateSeries::Sample(int64_t nowPs)
{
    m_context.ForOpenFlows(
        [this, nowPs](uint64_t, const QueuePair& qp) { Tell(nowPs, 0, MakeRow(qp)); });
}

void
RateSeries::WriteFields(CsvFile& csv, const SeriesRow& row) const
{
    const FlowSpec& flow = m_context.flows[row.subject];
    csv.Uint(flow.src).Uint(flow.dst).Uint(row.counts[RATE_BPS]);
    const uint64_t windowBytes = row.counts[WINDOW_BYTES];
    windowBytes == UNLIMITED_BYTES ? csv.Text("") : csv.Uint(windowBytes);
    csv.Uint(row.counts[SENT_BYTES]).Uint(row.counts[ACKED_BYTES]);
}

void
RateSeries::Draw(TimeLine& line, int64_t atPs, const SeriesRow& row)
{
    line.Counter(m_context.GetSourceNode(row.subject),
                 "flow " + std::to_string(row.subject) + " rate",
                 "bps",
                 atPs,
                 row.counts[RATE_BPS]);
}

} // namespace

std::unique_ptr<Series>
MakeRateSeries(SeriesContext& context, const SeriesMode& mode)
{
    return std::make_unique<RateSeries>(context, mode);
}

} // namespace ns3::roce
