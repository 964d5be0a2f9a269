// SPDX-License-Identifier: GPL-2.0-only
#include "roce-mlcc-receiver-side.h"

#include "ns3/roce-edge-queue-series.h"
#include "ns3/roce-time-series.h"

namespace ns3::roce
{

namespace
{

/**
 * pfq.csv `time_ns,node,src,qp,queue_bytes,rate_bps,epoch`: MLCC's queues of flows at external
 * switches (MlccReceiverSide). A flow is its sending NIC and queue pair; epoch is C_D.
 *
 * At intervals see EdgeQueueSeries; on change (trace source Queue) a row per frame in or out. On
 * the time line: a counter of each queue.
 */
class PfqSeries : public EdgeQueueSeries
{
  public:
    PfqSeries(SeriesContext& context, const SeriesMode& mode)
        : EdgeQueueSeries(context,
                          mode,
                          "pfq.csv",
                          {"node", "src", "qp", "queue_bytes", "rate_bps", "epoch"})
    {
    }

  protected:
    ForQueues Watch(Switch& sw, uint32_t s) override;
    std::string Label(TimeLine& line, const SeriesRow& row) const override;
    void WriteFields(CsvFile& csv, const SeriesRow& row) const override;

  private:
    using Flow = MlccReceiverSide::Flow;

    static SeriesRow MakeRow(uint32_t node, const Flow& flow, uint64_t bytes);
};

SeriesRow
PfqSeries::MakeRow(uint32_t node, const Flow& flow, uint64_t bytes)
{
    SeriesRow row;
    row.subject = node;
    row.counts = {flow.flow, bytes, flow.rateBps, flow.epoch};
    return row;
}

EdgeQueueSeries::ForQueues
PfqSeries::Watch(Switch& sw, uint32_t s)
{
    auto* stage = sw.FindStage<MlccReceiverSide>();
    if (!stage)
    {
        return {};
    }
    const uint32_t node = sw.GetNodeId();
    if (m_mode.onChange)
    {
        Connect<uint32_t, uint32_t, uint64_t, uint64_t, Time>(
            *stage,
            "Queue",
            [this, s, stage, node](uint32_t nic, uint32_t qp, uint64_t bytes, uint64_t, Time at) {
                if (const Flow* flow = stage->FindFlow(MakeFlowKey(nic, qp)))
                {
                    Tell(at.GetPicoSeconds(), s, MakeRow(node, *flow, bytes));
                }
            });
    }
    return [stage, node](int64_t, const Visit& visit) {
        stage->ForFlows(
            [&](const Flow& flow, uint64_t bytes) { visit(MakeRow(node, flow, bytes)); });
    };
}

void
PfqSeries::WriteFields(CsvFile& csv, const SeriesRow& row) const
{
    csv.Uint(NicOfFlow(row.counts[0]))
        .Uint(QpOfFlow(row.counts[0]))
        .Uint(row.counts[1])
        .Uint(row.counts[2])
        .Uint(row.counts[3]);
}

std::string
PfqSeries::Label(TimeLine&, const SeriesRow& row) const
{
    return "queue of NIC " + std::to_string(NicOfFlow(row.counts[0])) + " QP " +
           std::to_string(QpOfFlow(row.counts[0]));
}

[[maybe_unused]] const bool g_pfqSeries =
    TimeSeries::Register({"pfq",
                          SeriesSubject::PORTS,
                          "pfq.csv, MLCC's queues of flows at external switches",
                          false,
                          MakeSeries<PfqSeries>});

} // namespace

} // namespace ns3::roce
