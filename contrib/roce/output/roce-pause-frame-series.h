/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_PAUSE_FRAME_SERIES_H
#define ROCE_PAUSE_FRAME_SERIES_H

#include "roce-series.h"

#include "ns3/roce-pause-sender.h"

#include <cstdint>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief pfc.csv `time_ns,node,port,class,event`: xoff, refresh or xon, sent by a switch port
 * (trace source PauseSent).
 *
 * On change only. On the time line: slices from XOFF to XON.
 */
class PauseFrameSeries : public Series
{
  public:
    /**
     * @param context outlives this
     * @param mode see the class
     * @throw InputError if the table cannot be created
     */
    PauseFrameSeries(SeriesContext& context, const SeriesMode& mode);

    void Start() override;

  protected:
    void WriteFields(CsvFile& csv, const SeriesRow& row) const override;
    void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row) override;

  private:
    void OnPauseSent(uint32_t sw,
                     uint16_t port,
                     uint8_t trafficClass,
                     PauseEvent event,
                     int64_t atPs);
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_PAUSE_FRAME_SERIES_H */
