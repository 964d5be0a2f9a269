// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SERIES_MERGE_H
#define ROCE_SERIES_MERGE_H

#include "roce-series.h"

#include "ns3/roce-rank-exchange.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief Samples of a network that several processes run: each takes rows of all stations, those of
 * its own are kept, and the first process gets those of all in the order of one process.
 */
class SeriesMerge
{
  public:
    /// @param context of the series; divided among processes; outlives this
    explicit SeriesMerge(SeriesContext& context);

    /**
     * @brief Have a series sampled. By all processes.
     * @param series one that is sampled
     * @param nowPs stations are up to it
     */
    void Sample(Series& series, int64_t nowPs);

  private:
    /// Where a row comes from.
    struct Source
    {
        uint64_t place; //!< NICs, then switches
        bool isHere;
    };

    Source SourceOf(const Series& series, const SeriesRow& row) const;

    SeriesContext& m_context;
    RankExchange& m_ranks;
    std::map<std::pair<uint32_t, uint16_t>, Source> m_nics; //!< by node and interface
    std::map<uint32_t, Source> m_switches;                  //!< by node
    std::vector<Source> m_nicOf;                            //!< by number of the NIC
};

} // namespace ns3::roce

#endif /* ROCE_SERIES_MERGE_H */
