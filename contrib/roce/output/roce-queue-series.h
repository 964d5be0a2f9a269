/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_QUEUE_SERIES_H
#define ROCE_QUEUE_SERIES_H

#include "roce-series.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief queues.csv `time_ns,node,port,class,queue_bytes`: bytes in an egress queue of a switch, of
 * which a frame that is being sent is no part.
 *
 * At intervals those that hold something, and a row with 0 when they have emptied. On change (trace
 * source QueueLength) a row per frame in or out. On the time line: a counter of each queue.
 */
class QueueSeries : public Series
{
  public:
    /**
     * @param context outlives this
     * @param mode see the class
     * @throw InputError if the table cannot be created
     */
    QueueSeries(SeriesContext& context, const SeriesMode& mode);

    void Start() override;
    void Sample(int64_t nowPs) override;

  protected:
    void WriteFields(CsvFile& csv, const SeriesRow& row) const override;
    void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row) override;

  private:
    std::vector<std::vector<uint8_t>> m_nonEmpty; //!< by switch and port: classes last seen so
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_QUEUE_SERIES_H */
