// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_EDGE_QUEUE_SERIES_H
#define ROCE_EDGE_QUEUE_SERIES_H

#include "ns3/roce-series.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief Bytes and rates of the queues that an edge function has made at its switch, many of which
 * are empty.
 *
 * At intervals queues that are not empty, and a row with 0 when they have become empty. In a row
 * `counts` are the queue's key, its bytes, its rate, and further values.
 */
class EdgeQueueSeries : public Series
{
  public:
    /**
     * @param context outlives this
     * @param mode see SeriesMode
     * @param table name of the file, opened if it is on
     * @param columns after time_ns
     * @throw InputError when it cannot be created
     */
    EdgeQueueSeries(SeriesContext& context,
                    const SeriesMode& mode,
                    const std::string& table,
                    const std::vector<std::string>& columns);

    void Start() override;
    void Sample(int64_t nowPs) override;

  protected:
    /// Takes the row of a queue.
    using Visit = std::function<void(const SeriesRow& row)>;

    /// Visits the queues of a switch. Its arguments are the present time, and what to call.
    using ForQueues = std::function<void(int64_t nowPs, const Visit& visit)>;

    /**
     * @brief Set up a switch, some ports of which are recorded. If GetMode().onChange, connect to
     * what changes its queues.
     * @param sw the switch
     * @param s its number
     * @return how to visit its queues; empty if it has none
     */
    virtual ForQueues Watch(Switch& sw, uint32_t s) = 0;

    /// @return what the time line calls a queue. @param line the time line @param row of the queue
    virtual std::string Label(TimeLine& line, const SeriesRow& row) const = 0;

    void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row) override;

  private:
    /// A switch with such queues.
    struct Edge
    {
        ForQueues forQueues;
        /// Rows of the last sample by port and key, of queues that held something.
        std::map<std::pair<uint16_t, uint64_t>, SeriesRow> filled;
    };

    std::vector<Edge> m_edges;
};

} // namespace ns3::roce

#endif /* ROCE_EDGE_QUEUE_SERIES_H */
