/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_UTILISATION_SERIES_H
#define ROCE_UTILISATION_SERIES_H

#include "roce-series.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief utilisation.csv `time_ns,node,port,tx_bytes,utilisation`: wire bytes of all transmissions
 * begun, and the busy share of the interval.
 *
 * At intervals ports that have sent something, and a row with 0 when they have not any more; on
 * change (trace source TxBegin) 1 when a port begins to send and 0 when it falls silent. On the
 * time line: a counter of each port.
 */
class UtilisationSeries : public Series
{
  public:
    /**
     * @param context outlives this
     * @param mode see the class
     * @throw InputError if the table cannot be created
     */
    UtilisationSeries(SeriesContext& context, const SeriesMode& mode);

    void Start() override;
    void Sample(int64_t nowPs) override;
    void Settle(int64_t untilPs) override;
    bool HasHosts() const override;

  protected:
    void WriteFields(CsvFile& csv, const SeriesRow& row) const override;
    void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row) override;

  private:
    /// Of a port, on change.
    struct Transmission
    {
        bool busy{false};
        int64_t busyUntilPs{-1};
        uint64_t txBytes{0};
    };

    /// Of a port, as of the last sample.
    struct LastSample
    {
        double busyPs{0}; //!< so far
        bool wasBusy{false};
    };

    void OnTransmit(std::size_t port, const Frame& frame, int64_t atPs);
    void TellSilence(std::size_t port);

    std::vector<Transmission> m_transmissions; //!< by port
    std::vector<LastSample> m_last;            //!< by port
    int64_t m_lastPs{0};                       //!< last sample
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_UTILISATION_SERIES_H */
