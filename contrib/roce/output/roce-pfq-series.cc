/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-series-kinds.h"

#include "ns3/roce-mlcc-receiver-side.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace roce
{

namespace
{

/**
 * pfq.csv `time_ns,node,src,qp,queue_bytes,rate_bps,epoch`: MLCC's queues of flows at external
 * switches (MlccReceiverSide). A flow is its sending NIC and queue pair; epoch is C_D.
 *
 * At intervals queues that hold something, and a row with 0 when they have emptied; on change
 * (trace source Queue) a row per frame in or out. On the time line: a counter of each queue.
 */
class PfqSeries : public Series
{
  public:
    PfqSeries(SeriesContext& context, const SeriesMode& mode);

    void Start() override;
    void Sample(int64_t nowPs) override;

  protected:
    void WriteFields(CsvFile& csv, const SeriesRow& row) const override;
    void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row) override;

  private:
    using Flow = MlccReceiverSide::Flow;

    /// A switch with such queues.
    struct Edge
    {
        const MlccReceiverSide* stage;
        uint32_t node;
        std::map<FlowKey, Flow> filled; //!< as of the last sample
    };

    static SeriesRow MakeRow(uint32_t node, const Flow& flow, uint64_t bytes);

    std::vector<Edge> m_edges;
};

PfqSeries::PfqSeries(SeriesContext& context, const SeriesMode& mode)
    : Series(context, mode)
{
    if (mode.IsOn())
    {
        OpenTable("pfq.csv", {"node", "src", "qp", "queue_bytes", "rate_bps", "epoch"});
    }
}

void
PfqSeries::Start()
{
    for (uint32_t s = 0; m_mode.IsOn() && s < m_context.network.GetNSwitches(); ++s)
    {
        const std::vector<bool>& ports = m_context.switchPorts[s];
        const Ptr<Switch> sw = m_context.network.GetSwitch(s);
        auto* stage = sw->FindStage<MlccReceiverSide>();
        if (!stage || std::find(ports.begin(), ports.end(), true) == ports.end())
        {
            continue;
        }
        const uint32_t node = sw->GetNodeId();
        m_edges.push_back({stage, node, {}});
        if (m_mode.onChange)
        {
            Connect<uint32_t, uint32_t, uint64_t, uint64_t, Time>(
                *stage,
                "Queue",
                [this,
                 s,
                 stage,
                 node](uint32_t nic, uint32_t qp, uint64_t bytes, uint64_t, Time at) {
                    if (const Flow* flow = stage->FindFlow(MakeFlowKey(nic, qp)))
                    {
                        Tell(at.GetPicoSeconds(), s, MakeRow(node, *flow, bytes));
                    }
                });
        }
    }
}

SeriesRow
PfqSeries::MakeRow(uint32_t node, const Flow& flow, uint64_t bytes)
{
    SeriesRow row;
    row.subject = node;
    row.counts = {flow.flow, bytes, flow.rateBps, flow.epoch};
    return row;
}

void
PfqSeries::Sample(int64_t nowPs)
{
    for (Edge& edge : m_edges)
    {
        std::map<FlowKey, Flow> before;
        std::swap(before, edge.filled);
        edge.stage->ForFlows([&](const Flow& flow, uint64_t bytes) {
            const bool wasFilled = before.erase(flow.flow);
            if (bytes || wasFilled)
            {
                Tell(nowPs, 0, MakeRow(edge.node, flow, bytes));
            }
            if (bytes)
            {
                edge.filled.emplace(flow.flow, flow);
            }
        });
        for (const auto& [key, flow] : before) // freed since
        {
            Tell(nowPs, 0, MakeRow(edge.node, flow, 0));
        }
    }
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

void
PfqSeries::Draw(TimeLine& line, int64_t atPs, const SeriesRow& row)
{
    line.Counter(row.subject,
                 "queue of NIC " + std::to_string(NicOfFlow(row.counts[0])) + " QP " +
                     std::to_string(QpOfFlow(row.counts[0])),
                 "bytes",
                 atPs,
                 row.counts[1]);
}

} // namespace

std::unique_ptr<Series>
MakePfqSeries(SeriesContext& context, const SeriesMode& mode)
{
    return std::make_unique<PfqSeries>(context, mode);
}

} // namespace roce
} // namespace ns3
