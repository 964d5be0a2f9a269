// SPDX-License-Identifier: GPL-2.0-only
#include "roce-series-kinds.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

namespace ns3::roce
{

namespace
{

/**
 * The time line's flows: slices from start to last ACK (trace source MessageCompleted), on as many
 * tracks of the source as there are overlaps. No table: flows.csv has them.
 */
class FlowSlices : public Series
{
  public:
    explicit FlowSlices(SeriesContext& context)
        : Series(context, SeriesMode(), {"flows", SeriesSubject::FLOWS, "", "", ""}),
          m_drawn(context.flows.size()),
          m_lanes(context.network.GetNNics())
    {
    }

    void Start() override
    {
        for (uint32_t n = 0; m_context.timeLine && n < m_context.network.GetNNics(); ++n)
        {
            ConnectTrace<const MessageRecord&>(
                *m_context.network.GetNic(n),
                "MessageCompleted",
                [this](const MessageRecord& record) {
                    if (m_context.IsChosen(record.cookie))
                    {
                        SeriesRow row;
                        row.subject = static_cast<uint32_t>(record.cookie);
                        TellChange(record.completedPs, record.cookie, row);
                    }
                });
        }
    }

    void FinishTimeLine(int64_t nowPs) override
    {
        for (std::size_t id = 0; m_context.timeLine && id < m_drawn.size(); ++id)
        {
            const int64_t startPs = m_context.network.GetStartPs(m_context.flows[id]);
            if (m_context.chosenFlows[id] && !m_drawn[id] && startPs >= 0 && startPs < nowPs)
            {
                DrawFlow(*m_context.timeLine, id, nowPs, false);
            }
        }
    }

  private:
    void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row) override
    {
        DrawFlow(line, row.subject, atPs, true);
    }

    void DrawFlow(TimeLine& line, uint64_t id, int64_t endPs, bool finished);

    std::vector<bool> m_drawn;          //!< by flow: has its slice
    std::vector<TimeLineLanes> m_lanes; //!< by NIC
};

void
FlowSlices::DrawFlow(TimeLine& line, uint64_t id, int64_t endPs, bool finished)
{
    const FlowSpec& flow = m_context.flows[id];
    const int64_t startPs = m_context.network.GetStartPs(flow);
    m_drawn[id] = true;
    const std::size_t lane = m_lanes[flow.src].Take(startPs, endPs);
    nlohmann::ordered_json details{{"flow", id},
                                   {"src", flow.src},
                                   {"dst", flow.dst},
                                   {"class", flow.trafficClass},
                                   {"bytes", flow.sizeBytes},
                                   {"status", finished ? "finished" : "unfinished"}};
    if (finished)
    {
        details["slowdown"] = static_cast<double>(endPs - startPs) /
                              static_cast<double>(m_context.network.GetIdeal(flow).senderFctPs);
    }
    line.Slice(m_context.GetSourceNode(id),
               "nic" + std::to_string(flow.src) + " flows, track " + std::to_string(lane),
               "flow " + std::to_string(id) + " to nic" + std::to_string(flow.dst),
               startPs,
               endPs,
               details);
}

} // namespace

std::unique_ptr<Series>
MakeFlowSlices(SeriesContext& context)
{
    return std::make_unique<FlowSlices>(context);
}

} // namespace ns3::roce
