/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_FLOW_SERIES_H
#define ROCE_FLOW_SERIES_H

#include "roce-series.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief The time line's flows: slices from start to last ACK (trace source MessageCompleted), on
 * as many tracks of the source as overlap. No table: flows.csv has them.
 */
class FlowSeries : public Series
{
  public:
    /// @param context with a time line; outlives this
    explicit FlowSeries(SeriesContext& context);

    void Start() override;
    void FinishTimeLine(int64_t nowPs) override;

  protected:
    void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row) override;

  private:
    void DrawFlow(TimeLine& line, uint64_t flow, int64_t endPs, bool finished);

    std::vector<bool> m_drawn;                 //!< by flow: has its slice
    std::vector<std::vector<int64_t>> m_lanes; //!< by NIC: end of the last slice of each track
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_FLOW_SERIES_H */
