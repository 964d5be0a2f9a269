// SPDX-License-Identifier: GPL-2.0-only
#include "roce-bicc.h"

#include "ns3/roce-edge-queue-series.h"
#include "ns3/roce-time-series.h"

namespace ns3::roce
{

namespace
{

/**
 * voqs.csv `time_ns,node,port,voq,queue_bytes,rate_bps`: virtual output queues of Bicc, at the
 * ports into the datacenter of an external switch.
 *
 * At intervals see EdgeQueueSeries; on change (trace sources ShapedScheduler/Queue and Bicc/Cut) a
 * row per frame in or out and per cut of the rate. On the time line: a counter of each queue.
 */
class VoqSeries : public EdgeQueueSeries
{
  public:
    VoqSeries(SeriesContext& context, const SeriesMode& mode)
        : EdgeQueueSeries(context,
                          mode,
                          "voqs.csv",
                          {"node", "port", "voq", "queue_bytes", "rate_bps"})
    {
    }

  protected:
    ForQueues Watch(Switch& sw, uint32_t s) override;
    std::string Label(TimeLine& line, const SeriesRow& row) const override;
    void WriteFields(CsvFile& csv, const SeriesRow& row) const override;

  private:
    /// A port with VOQs.
    struct ShapedPort
    {
        const Bicc* stage;
        Ptr<ShapedScheduler> voqs;
        uint32_t node;
        uint16_t index; //!< at the switch
        uint16_t port;  //!< as it is written

        /// @return row of a VOQ @param voq its number @param nowPs the switch is up to it
        SeriesRow Row(uint32_t voq, int64_t nowPs) const;
    };
};

SeriesRow
VoqSeries::ShapedPort::Row(uint32_t voq, int64_t nowPs) const
{
    SeriesRow row;
    row.subject = node;
    row.port = port;
    row.counts = {voq,
                  voqs->GetKeyBytes(voq),
                  stage->GetReceiverSide().GetRateBps(index, voq, nowPs),
                  0};
    return row;
}

EdgeQueueSeries::ForQueues
VoqSeries::Watch(Switch& sw, uint32_t s)
{
    auto* stage = sw.FindStage<Bicc>();
    if (!stage)
    {
        return {};
    }
    std::vector<ShapedPort> ports;
    for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
    {
        const Ptr<ShapedScheduler> voqs = stage->GetVoqs(p);
        if (!voqs || !m_context.switchPorts[s][p])
        {
            continue;
        }
        const auto number = static_cast<uint16_t>(sw.GetPort(p)->GetIfIndex());
        const ShapedPort port{stage, voqs, sw.GetNodeId(), p, number};
        ports.push_back(port);
        if (m_mode.onChange)
        {
            const auto tell = [this, s, port](uint32_t voq, Time at) {
                Tell(at.GetPicoSeconds(), s, port.Row(voq, at.GetPicoSeconds()));
            };
            Connect<uint32_t, uint64_t, Time>(
                *voqs,
                "Queue",
                [tell](uint32_t voq, uint64_t, Time at) { tell(voq, at); });
            Connect<uint16_t, uint32_t, uint64_t, double, Time>(
                *stage,
                "Cut",
                [tell, p](uint16_t cut, uint32_t voq, uint64_t, double, Time at) {
                    if (cut == p)
                    {
                        tell(voq, at);
                    }
                });
        }
    }
    return [ports](int64_t nowPs, const Visit& visit) {
        for (const ShapedPort& port : ports)
        {
            for (uint32_t voq = 0; voq < port.stage->GetReceiverSide().GetNQueues(); ++voq)
            {
                visit(port.Row(voq, nowPs));
            }
        }
    };
}

void
VoqSeries::WriteFields(CsvFile& csv, const SeriesRow& row) const
{
    csv.Uint(row.port).Uint(row.counts[0]).Uint(row.counts[1]).Uint(row.counts[2]);
}

std::string
VoqSeries::Label(TimeLine& line, const SeriesRow& row) const
{
    return line.PortLabel(row.subject, row.port) + " VOQ " + std::to_string(row.counts[0]);
}

[[maybe_unused]] const bool g_voqSeries =
    TimeSeries::Register({"voqs",
                          SeriesSubject::PORTS,
                          "voqs.csv, BiCC's virtual output queues at external switches",
                          false,
                          MakeSeries<VoqSeries>});

} // namespace

} // namespace ns3::roce
