/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_PAUSE_SERIES_H
#define ROCE_PAUSE_SERIES_H

#include "roce-series.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief pauses.csv `time_ns,node,port,class,paused,paused_ns`: whether a port (of a NIC, too) must
 * not send a class, and for how long in all.
 *
 * At intervals those that were paused since the last one; on change (trace source PauseState) at
 * the exact times. On the time line: slices of exact times, whatever the mode.
 */
class PauseSeries : public Series
{
  public:
    /**
     * @param context outlives this
     * @param mode see the class
     * @throw InputError if the table cannot be created
     */
    PauseSeries(SeriesContext& context, const SeriesMode& mode);

    void Start() override;
    void Sample(int64_t nowPs) override;
    void Settle(int64_t untilPs) override;
    bool HasHosts() const override;

  protected:
    void WriteFields(CsvFile& csv, const SeriesRow& row) const override;
    void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row) override;

  private:
    using ClassTimes = std::array<int64_t, N_CLASSES>;

    bool IsToldOfChanges() const;
    void OnPauseState(std::size_t port, uint8_t trafficClass, bool paused, int64_t atPs);

    std::vector<ClassTimes> m_sincePs;   //!< by port: begin of what lasts, or -1
    std::vector<ClassTimes> m_pausedPs;  //!< by port: what is over
    std::vector<ClassTimes> m_sampledPs; //!< by port: all, as of the last sample
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_PAUSE_SERIES_H */
