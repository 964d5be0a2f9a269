// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SERIES_MERGE_H
#define ROCE_SERIES_MERGE_H

#include "roce-series.h"

#include <cstdint>

namespace ns3::roce
{

/**
 * @brief Have a series sampled of a network that several processes run. By all of them: each takes
 * rows of its own stations, and the first one gets those of all in the order of one process.
 * @param series one that is sampled
 * @param context of the series; divided among processes
 * @param nowPs stations are up to it
 */
void SampleOfAll(Series& series, SeriesContext& context, int64_t nowPs);

} // namespace ns3::roce

#endif /* ROCE_SERIES_MERGE_H */
