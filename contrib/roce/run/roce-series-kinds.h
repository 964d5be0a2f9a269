// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SERIES_KINDS_H
#define ROCE_SERIES_KINDS_H

#include "roce-series.h"

#include <memory>

namespace ns3::roce
{

// Each is a class in a file of its own, which says what its table holds. All throw InputError if
// the table cannot be created.

/// @return queues.csv @param context outlives it @param mode when it is recorded
std::unique_ptr<Series> MakeQueueSeries(SeriesContext& context, const SeriesMode& mode);

/// @return rates.csv @copydetails MakeQueueSeries()
std::unique_ptr<Series> MakeRateSeries(SeriesContext& context, const SeriesMode& mode);

/// @return transport.csv @copydetails MakeQueueSeries()
std::unique_ptr<Series> MakeTransportSeries(SeriesContext& context, const SeriesMode& mode);

/// @return pfc.csv @copydetails MakeQueueSeries()
std::unique_ptr<Series> MakePauseFrameSeries(SeriesContext& context, const SeriesMode& mode);

/// @return pauses.csv @copydetails MakeQueueSeries()
std::unique_ptr<Series> MakePauseSeries(SeriesContext& context, const SeriesMode& mode);

/// @return utilisation.csv @copydetails MakeQueueSeries()
std::unique_ptr<Series> MakeUtilisationSeries(SeriesContext& context, const SeriesMode& mode);

/// @return the time line's flows @param context with a time line; outlives it
std::unique_ptr<Series> MakeFlowSeries(SeriesContext& context);

} // namespace ns3::roce

#endif /* ROCE_SERIES_KINDS_H */
