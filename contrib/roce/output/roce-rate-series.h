/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_RATE_SERIES_H
#define ROCE_RATE_SERIES_H

#include "roce-series.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief rates.csv `time_ns,flow,src,dst,rate_bps,window_bytes,sent_bytes,acked_bytes`: what the
 * rate law allows (window empty: none), payload sent so far (repeats included) and acknowledged.
 *
 * Of flows under way; a last row with rate 0 at the exact time a flow is done. On change (trace
 * sources Rate, TxBegin, MessageCompleted): at the first packet, and after feedback that has
 * changed anything. On the time line: a counter of each flow's rate.
 */
class RateSeries : public Series
{
  public:
    /**
     * @param context outlives this
     * @param mode see the class
     * @throw InputError if the table cannot be created
     */
    RateSeries(SeriesContext& context, const SeriesMode& mode);

    void Start() override;
    void Sample(int64_t nowPs) override;

  protected:
    void WriteFields(CsvFile& csv, const SeriesRow& row) const override;
    void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row) override;

  private:
    /// Places in SeriesRow::counts.
    enum Count : std::size_t
    {
        RATE_BPS,
        WINDOW_BYTES,
        SENT_BYTES,
        ACKED_BYTES
    };

    using Counts = decltype(SeriesRow::counts);

    void OnChange(const QueuePair& qp, int64_t atPs);
    void OnCompleted(const MessageRecord& record);
    SeriesRow MakeRow(const QueuePair& qp) const;

    std::vector<uint64_t> m_sentBytes; //!< by flow
    std::vector<Counts> m_last;        //!< by flow, on change only
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_RATE_SERIES_H */
