// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_STATION_SERIES_H
#define ROCE_STATION_SERIES_H

#include "roce-series-table.h"
#include "roce-time-series.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Leaves out rows of samples that say nothing.
 *
 * A row is reported if its column SILENT is not 0, if that was so at the last sample, or if its
 * column STEADY has changed since (at first it is 0). What was reported at the last sample and is
 * not offered any more is reported once more, with 0. Of a table without a column SILENT every row
 * is reported.
 */
class SampleFilter
{
  public:
    /// @param table the rows are of
    explicit SampleFilter(const SeriesTable& table);

    /// @param row of the present sample
    void Take(const SeriesRow& row);

    /// @brief The sample is complete. @return what is reported of it, in the order of Take(), then
    /// what is not offered any more
    std::vector<SeriesRow> Finish();

  private:
    /// Subject and port, then the columns KEY.
    using Key = std::array<uint64_t, 3>;

    /// Of the last sample, if it matters for the next one.
    struct Last
    {
        SeriesRow row;
        uint64_t sample;
        bool isSilent;
    };

    Key KeyOf(const SeriesRow& row) const;

    std::optional<std::size_t> m_silent; //!< place in SeriesRow::values
    std::optional<std::size_t> m_steady; //!< place in SeriesRow::values
    std::vector<std::size_t> m_keys;     //!< places in SeriesRow::values
    std::map<Key, Last> m_last;
    std::vector<SeriesRow> m_told;
    uint64_t m_sample{0}; //!< number of the present one
};

/**
 * @brief What a switch, a stage or scheduler of it, or a port offers for time series: rows of one
 * table. Functions, set when the run begins.
 *
 * Rows are given as the port's number at the switch (0 if a port offers its own), and the values.
 */
struct SeriesOffer
{
    /// Takes a row as it is now.
    using Take = std::function<void(uint16_t port, const SeriesValues& values)>;
    /// Takes a row that has changed, and when.
    using Tell = std::function<void(Time at, uint16_t port, const SeriesValues& values)>;

    /// To be called at each change from now on; empty if nobody wants to know.
    Tell tell;
    /// To be set, but for a table on change only: hands out all rows.
    std::function<void(int64_t nowPs, const Take& take)> visit;
    /// May be set: nothing of an earlier time will happen; reports what is final.
    std::function<void(int64_t untilPs)> settle;
};

/**
 * @brief Records what switches and ports offer.
 *
 * If the table has a column PORT, there are rows of chosen ports only (--seriesPorts), else of
 * switches with a chosen port. At intervals SampleFilter says which rows there are.
 */
class StationSeries : public Series
{
  public:
    /// Sets what a switch offers, if it has such a stage.
    using OfSwitch = void (*)(Switch& sw, SeriesOffer& offer);
    /// Sets what a port offers.
    using OfPort = void (*)(Port& port, SeriesOffer& offer);

    /// @copydoc Series::Series() @param ofSwitch called for each switch, or null @param ofPort
    /// called for each chosen port, or null
    StationSeries(SeriesContext& context,
                  const SeriesMode& mode,
                  const SeriesTable& table,
                  OfSwitch ofSwitch,
                  OfPort ofPort)
        : Series(context, mode, table),
          m_ofSwitch(ofSwitch),
          m_ofPort(ofPort)
    {
    }

    void Start() override;
    void Sample(int64_t nowPs) override;
    void Settle(int64_t untilPs) override;

    /// @return the kind of series @param table what is recorded @param ofSwitch of each switch
    /// @param ofPort of each chosen port; one of the two
    static SeriesKind MakeKind(const SeriesTable& table,
                               OfSwitch ofSwitch,
                               OfPort ofPort = nullptr);

    /**
     * @brief Make an option and a table, before options are read.
     * @param table what is recorded
     * @param ofSwitch sets what a switch offers
     * @return true, for the initialisation of a static variable
     */
    static bool Register(const SeriesTable& table, OfSwitch ofSwitch)
    {
        return TimeSeries::Register(MakeKind(table, ofSwitch));
    }

  private:
    /// A switch or a port.
    struct Source
    {
        SeriesOffer offer;
        uint32_t number; //!< in the order of the network, or of SeriesContext::ports
        const Station& station;
        uint32_t node;
        const Switch* sw; //!< null: a port
        SampleFilter filter;
    };

    Source& Add(uint32_t number, const Station& station, uint32_t node, const Switch* sw);
    bool MakeRow(const Source& source,
                 uint16_t port,
                 const SeriesValues& values,
                 SeriesRow& row) const;
    std::vector<SeriesRow> Look(Source& source, int64_t nowPs) const;

    const OfSwitch m_ofSwitch;
    const OfPort m_ofPort;
    std::deque<Source> m_sources; //!< never moved
};

} // namespace ns3::roce

#endif /* ROCE_STATION_SERIES_H */
