// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SERIES_KINDS_H
#define ROCE_SERIES_KINDS_H

#include "roce-time-series.h"

#include <functional>
#include <memory>
#include <string>

namespace ns3::roce
{

// The module's own kinds of series, and what TimeSeries needs of other files.

/// @return queues.csv
SeriesKind MakeQueueKind();

/// @return rates.csv
SeriesKind MakeRateKind();

/// @return transport.csv
SeriesKind MakeTransportKind();

/// @return pfc.csv
SeriesKind MakePauseFrameKind();

/// @return pauses.csv
SeriesKind MakePauseKind();

/// @return utilisation.csv
SeriesKind MakeUtilisationKind();

/// @return notifications.csv
SeriesKind MakeNotificationKind();

/// @param table of a row @param row it @param bytes appended to, for ReadSeriesRow() in another
/// process
void WriteSeriesRow(const SeriesTable& table, const SeriesRow& row, std::string& bytes);

/// @param tableOf called with SeriesRow::rank @param bytes of WriteSeriesRow() @return the row
SeriesRow ReadSeriesRow(const std::function<const SeriesTable&(uint8_t rank)>& tableOf,
                        ByteReader& bytes);

/// @return the time line's flows @param context with a time line; outlives it
std::unique_ptr<Series> MakeFlowSlices(SeriesContext& context);

/// @return what ranks do, on the time line @param context as above @param engine with logs;
/// outlives it
std::unique_ptr<Series> MakeRankSlices(SeriesContext& context, RankEngine& engine);

/**
 * @brief Have a series sampled of a network that several processes run. By all of them: each takes
 * rows of its own stations, and the first one gets those of all in the order of one process.
 * @param series one that is sampled
 * @param context of the series; divided among processes
 * @param nowPs stations are up to it
 */
void SampleOfAll(Series& series, SeriesContext& context, int64_t nowPs);

} // namespace ns3::roce

#endif /* ROCE_SERIES_KINDS_H */
