// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SAMPLE_FILTER_H
#define ROCE_SAMPLE_FILTER_H

#include "roce-series-table.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief Leaves out rows of samples that say nothing.
 *
 * A row is told if its column SILENT is not 0, if that was so at the last sample, or if its column
 * STEADY has changed since (at first it is 0). What was told at the last sample and is not offered
 * any more is told once more, with 0. Of a table without a column SILENT every row is told.
 */
class SampleFilter
{
  public:
    /// @param table the rows are of
    explicit SampleFilter(const SeriesTable& table);

    /// @param row of the present sample
    void Take(const SeriesRow& row);

    /// @brief The sample is complete. @return what is told of it, in the order of Take(), then what
    /// is not offered any more
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

} // namespace ns3::roce

#endif /* ROCE_SAMPLE_FILTER_H */
