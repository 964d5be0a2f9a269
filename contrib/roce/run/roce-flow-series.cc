// SPDX-License-Identifier: GPL-2.0-only

// What the senders of flows offer: rate and progress, and the rate law's own variables.
#include "roce-series-kinds.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3::roce
{

namespace
{

/**
 * A series of flows under way. On change (trace sources Rate and TxBegin): at the first packet, and
 * after feedback.
 */
class SenderSeries : public Series
{
  public:
    using Series::Series;
    void Start() override;

  protected:
    /// Rate or variables may have changed. @param qp of a chosen flow @param atPs time
    virtual void OnFeedback(const QueuePair& qp, int64_t atPs) = 0;

    /// @return the queue pair, if the frame is data of a chosen flow, or null
    const QueuePair* FindSender(uint32_t nic, const Frame& frame) const;
};

const QueuePair*
SenderSeries::FindSender(uint32_t nic, const Frame& frame) const
{
    const QueuePair* qp = frame.kind == FrameKind::DATA
                              ? m_context.network.GetNic(nic).Peek()->GetQp(frame.srcQp)
                              : nullptr;
    return qp && m_context.IsChosen(qp->GetOldestCookie()) ? qp : nullptr;
}

void
SenderSeries::Start()
{
    for (uint32_t n = 0; m_mode.onChange && n < m_context.network.GetNNics(); ++n)
    {
        Nic& nic = *m_context.network.GetNic(n);
        ConnectTrace<const Frame&, Time>(nic, "TxBegin", [this, n](const Frame& f, Time at) {
            const QueuePair* qp = FindSender(n, f);
            if (qp && f.psn == 0 && !(f.flags & FRAME_RETX))
            {
                OnFeedback(*qp, at.GetPicoSeconds()); // the rate it begins with
            }
        });
        ConnectTrace<const QueuePair&, Time>(nic, "Rate", [this](const QueuePair& qp, Time at) {
            if (m_context.IsChosen(qp.GetOldestCookie()))
            {
                OnFeedback(qp, at.GetPicoSeconds());
            }
        });
    }
}

/**
 * What the rate law allows, payload sent so far (repeats included) and acknowledged; a last row
 * with rate 0 at the exact time a flow is done. On change only what differs from the row before.
 *
 * It is a class because nobody counts what a flow has sent.
 */
class RateSeries : public SenderSeries
{
  public:
    RateSeries(SeriesContext& context, const SeriesMode& mode, const SeriesTable& table)
        : SenderSeries(context, mode, table),
          m_sentBytes(mode.IsOn() ? context.flows.size() : 0),
          m_last(mode.onChange ? context.flows.size() : 0)
    {
    }

    void Start() override;
    void Sample(int64_t nowPs) override;

  private:
    /// Rate, window, bytes sent and acknowledged.
    using Values = std::array<uint64_t, 4>;

    void OnFeedback(const QueuePair& qp, int64_t atPs) override;
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
        // Connected before OnFeedback(): a row has the packet that it is due to.
        ConnectTrace<const Frame&, Time>(nic, "TxBegin", [this, n](const Frame& frame, Time) {
            if (const QueuePair* qp = FindSender(n, frame))
            {
                m_sentBytes[qp->GetOldestCookie()] += frame.payloadBytes;
            }
        });
    }
    SenderSeries::Start();
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
    if (m_context.IsChosen(flow))
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
        TellSample(nowPs, MakeRow(flow, Look(qp)));
    });
}

/// CongestionControl::GetVariables(). On change only those that differ from the row before.
class TransportSeries : public SenderSeries
{
  public:
    TransportSeries(SeriesContext& context, const SeriesMode& mode, const SeriesTable& table)
        : SenderSeries(context, mode, table),
          m_last(mode.onChange ? context.flows.size() : 0)
    {
    }

    void Sample(int64_t nowPs) override;

  private:
    void OnFeedback(const QueuePair& qp, int64_t atPs) override;
    const std::vector<ControlVariable>& Look(const QueuePair& qp, int64_t atPs);
    static SeriesRow MakeRow(uint64_t flow, const ControlVariable& variable);

    std::vector<std::vector<double>> m_last;  //!< by flow, on change only
    std::vector<ControlVariable> m_variables; //!< scratch
};

const std::vector<ControlVariable>&
TransportSeries::Look(const QueuePair& qp, int64_t atPs)
{
    m_variables.clear();
    qp.GetCc().GetVariables(atPs, m_variables);
    return m_variables;
}

SeriesRow
TransportSeries::MakeRow(uint64_t flow, const ControlVariable& variable)
{
    SeriesRow row;
    row.subject = static_cast<uint32_t>(flow);
    row.values = {variable.name, variable.value};
    return row;
}

void
TransportSeries::OnFeedback(const QueuePair& qp, int64_t atPs)
{
    const uint64_t flow = qp.GetOldestCookie();
    Look(qp, atPs);
    std::vector<double>& last = m_last[flow];
    const bool first = last.size() != m_variables.size();
    last.resize(m_variables.size());
    for (std::size_t i = 0; i < m_variables.size(); ++i)
    {
        if (first || m_variables[i].value != last[i])
        {
            last[i] = m_variables[i].value;
            TellChange(atPs, flow, MakeRow(flow, m_variables[i]));
        }
    }
}

void
TransportSeries::Sample(int64_t nowPs)
{
    m_context.ForOpenFlows([this, nowPs](uint64_t flow, const QueuePair& qp) {
        for (const ControlVariable& variable : Look(qp, nowPs))
        {
            TellSample(nowPs, MakeRow(flow, variable));
        }
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

SeriesKind
MakeTransportKind()
{
    return {{"transport",
             SeriesSubject::FLOWS,
             "transport.csv, the rate law's own variables",
             "flow {flow} {variable}",
             "value",
             {{"variable", SeriesForm::TEXT}, {"value", SeriesForm::REAL, DRAWN}}},
            MakeSeries<TransportSeries>};
}

} // namespace ns3::roce
