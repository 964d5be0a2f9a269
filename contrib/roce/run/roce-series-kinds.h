// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SERIES_KINDS_H
#define ROCE_SERIES_KINDS_H

#include "roce-time-series.h"

#include <memory>

namespace ns3::roce
{

// The module's own kinds of series. What their tables hold is said where they are made.

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

/// @return the time line's flows @param context with a time line; outlives it
std::unique_ptr<Series> MakeFlowSlices(SeriesContext& context);

} // namespace ns3::roce

#endif /* ROCE_SERIES_KINDS_H */
