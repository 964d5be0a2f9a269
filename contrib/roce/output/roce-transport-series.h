/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_TRANSPORT_SERIES_H
#define ROCE_TRANSPORT_SERIES_H

#include "roce-series.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief transport.csv `time_ns,flow,variable,value`: the rate law's own variables,
 * CongestionControl::GetVariables().
 *
 * Of flows under way. On change (trace sources Rate, TxBegin): at the first packet, and after
 * feedback only what it has changed. On the time line: a counter of each variable.
 */
class TransportSeries : public Series
{
  public:
    /**
     * @param context outlives this
     * @param mode see the class
     * @throw InputError if the table cannot be created
     */
    TransportSeries(SeriesContext& context, const SeriesMode& mode);

    void Start() override;
    void Sample(int64_t nowPs) override;

  protected:
    void WriteFields(CsvFile& csv, const SeriesRow& row) const override;
    void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row) override;

  private:
    void OnChange(const QueuePair& qp, int64_t atPs);
    void GetVariables(const QueuePair& qp, int64_t atPs);
    SeriesRow MakeRow(uint64_t flow, const ControlVariable& variable) const;

    std::vector<std::vector<double>> m_last;  //!< by flow, on change only
    std::vector<ControlVariable> m_variables; //!< scratch
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_TRANSPORT_SERIES_H */
