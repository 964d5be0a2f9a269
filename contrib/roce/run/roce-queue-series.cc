// SPDX-License-Identifier: GPL-2.0-only
#include "roce-series-kinds.h"

#include <cstdint>
#include <vector>

namespace ns3::roce
{

namespace
{

/// Classes in which a switch port holds frames.
uint8_t
NonEmptyMask(const EgressScheduler& queue)
{
    uint8_t mask = 0;
    for (uint8_t c = 0; c < N_CLASSES && !queue.IsEmpty(); ++c)
    {
        mask |= static_cast<uint8_t>((queue.GetBytes(c) > 0) << c);
    }
    return mask;
}

/**
 * queues.csv `time_ns,node,port,class,queue_bytes`: bytes in an egress queue of a switch, without a
 * frame being sent.
 *
 * At intervals those that are not empty, and a row with 0 when they have become empty. On change
 * (trace source QueueLength) a row per frame in or out. On the time line: a counter of each queue.
 */
class QueueSeries : public Series
{
  public:
    QueueSeries(SeriesContext& context, const SeriesMode& mode);

    void Start() override;
    void Sample(int64_t nowPs) override;

  protected:
    void WriteFields(CsvFile& csv, const SeriesRow& row) const override;
    void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row) override;

  private:
    std::vector<std::vector<uint8_t>> m_nonEmpty; //!< by switch and port: classes last seen so
};

QueueSeries::QueueSeries(SeriesContext& context, const SeriesMode& mode)
    : Series(context, mode)
{
    if (mode.IsOn())
    {
        OpenTable("queues.csv", {"node", "port", "class", "queue_bytes"});
    }
    for (const std::vector<bool>& ports : context.switchPorts)
    {
        m_nonEmpty.emplace_back(ports.size(), 0);
    }
}

void
QueueSeries::Start()
{
    for (uint32_t s = 0; m_mode.onChange && s < m_context.network.GetNSwitches(); ++s)
    {
        Switch& sw = *m_context.network.GetSwitch(s);
        Connect<uint16_t, uint8_t, uint64_t, Time>(
            sw,
            "QueueLength",
            [this,
             s,
             node = sw.GetNodeId()](uint16_t port, uint8_t trafficClass, uint64_t bytes, Time at) {
                if (m_context.switchPorts[s][port])
                {
                    SeriesRow row;
                    row.subject = node;
                    row.port = port;
                    row.trafficClass = trafficClass;
                    row.counts[0] = bytes;
                    Tell(at.GetPicoSeconds(), s, row);
                }
            });
    }
}

void
QueueSeries::Sample(int64_t nowPs)
{
    SeriesRow row;
    for (uint32_t s = 0; s < m_context.network.GetNSwitches(); ++s)
    {
        const Ptr<Switch> sw = m_context.network.GetSwitch(s);
        row.subject = sw->GetNodeId();
        for (row.port = 0; row.port < sw->GetNPorts(); ++row.port)
        {
            if (!m_context.switchPorts[s][row.port])
            {
                continue;
            }
            const EgressScheduler& queue = sw->GetQueue(row.port);
            const uint8_t mask = NonEmptyMask(queue);
            const unsigned rows = mask | m_nonEmpty[s][row.port];
            for (row.trafficClass = 0; rows >> row.trafficClass; ++row.trafficClass)
            {
                if (rows >> row.trafficClass & 1)
                {
                    row.counts[0] = queue.GetBytes(row.trafficClass);
                    Tell(nowPs, 0, row);
                }
            }
            m_nonEmpty[s][row.port] = mask;
        }
    }
}

void
QueueSeries::WriteFields(CsvFile& csv, const SeriesRow& row) const
{
    csv.Uint(row.port).Uint(row.trafficClass).Uint(row.counts[0]);
}

void
QueueSeries::Draw(TimeLine& line, int64_t atPs, const SeriesRow& row)
{
    line.Counter(row.subject,
                 "port " + std::to_string(row.port) + " class " + std::to_string(row.trafficClass) +
                     " queue",
                 "bytes",
                 atPs,
                 row.counts[0]);
}

} // namespace

std::unique_ptr<Series>
MakeQueueSeries(SeriesContext& context, const SeriesMode& mode)
{
    return std::make_unique<QueueSeries>(context, mode);
}

} // namespace ns3::roce
