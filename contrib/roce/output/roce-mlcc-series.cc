/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-series-kinds.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-mlcc-credit.h"
#include "ns3/roce-mlcc.h"

#include <string>

namespace ns3
{
namespace roce
{

namespace
{

/**
 * mlcc.csv `time_ns,flow,variable,value`: what MLCC's sender (Mlcc) and receiver (MlccCredit) of a
 * flow know: r_ns_bps and rbar_sender_bps at the sender; matches, r_credit_bps, q_c_bytes,
 * d_pre_ns, r_dqm_bps, dw, token, rbar_bps at the receiver.
 *
 * Of flows under way, at intervals only: the two ends change on their own. On the time line: a
 * counter of each variable.
 */
class MlccSeries : public Series
{
  public:
    MlccSeries(SeriesContext& context, const SeriesMode& mode);

    void Sample(int64_t nowPs) override;

  protected:
    void WriteFields(CsvFile& csv, const SeriesRow& row) const override;
    void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row) override;
};

MlccSeries::MlccSeries(SeriesContext& context, const SeriesMode& mode)
    : Series(context, mode)
{
    if (mode.onChange)
    {
        throw InputError("--mlcc is 'change', expected a time, for example 10us");
    }
    if (mode.IsOn())
    {
        OpenTable("mlcc.csv", {"flow", "variable", "value"});
    }
}

void
MlccSeries::Sample(int64_t nowPs)
{
    m_context.ForOpenFlows([this, nowPs](uint64_t flow, const QueuePair& qp) {
        const auto* sender = dynamic_cast<const Mlcc*>(&qp.GetCc());
        if (!sender)
        {
            return;
        }
        SeriesRow row;
        row.subject = static_cast<uint32_t>(flow);
        const auto tell = [&](const char* name, double value) {
            row.name = name;
            row.value = value;
            Tell(nowPs, 0, row);
        };
        tell("r_ns_bps", static_cast<double>(sender->GetNearBps()));
        tell("rbar_sender_bps", static_cast<double>(sender->GetDqmBps()));
        const Ptr<Nic> nic = m_context.network.GetNic(qp.GetConfig().dst);
        const ReceiverQp* receiver = nic->GetReceiver(qp.GetConfig().dstQp);
        const auto* credit =
            receiver ? dynamic_cast<const MlccCredit*>(PeekPointer(receiver->feedback)) : nullptr;
        if (!credit)
        {
            return; // no data has arrived yet
        }
        const MlccDqm& dqm = credit->GetDqm();
        tell("matches", static_cast<double>(credit->GetMatches()));
        tell("r_credit_bps", credit->GetCreditBps());
        tell("q_c_bytes", credit->GetQueueBytes());
        tell("d_pre_ns", dqm.GetDelayPs() / 1e3);
        tell("r_dqm_bps", dqm.GetTargetBps());
        tell("dw", dqm.GetDw());
        tell("token", dqm.GetToken());
        tell("rbar_bps", dqm.GetSmoothedBps());
    });
}

void
MlccSeries::WriteFields(CsvFile& csv, const SeriesRow& row) const
{
    csv.Text(row.name).Double(row.value);
}

void
MlccSeries::Draw(TimeLine& line, int64_t atPs, const SeriesRow& row)
{
    line.Counter(m_context.GetSourceNode(row.subject),
                 "flow " + std::to_string(row.subject) + " MLCC " + row.name,
                 "value",
                 atPs,
                 row.value);
}

} // namespace

std::unique_ptr<Series>
MakeMlccSeries(SeriesContext& context, const SeriesMode& mode)
{
    return std::make_unique<MlccSeries>(context, mode);
}

} // namespace roce
} // namespace ns3
