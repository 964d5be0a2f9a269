// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_STATION_CLUSTERS_H
#define ROCE_STATION_CLUSTERS_H

#include "roce-station-groups.h"

#include <boost/pending/disjoint_sets.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::roce
{

/// Sets that are joined one after the other.
using JoinedSets = boost::disjoint_sets_with_storage<>;

/// @return number of the set that each of n members is in; the lowest member of a set decides
std::vector<uint32_t> NumberSets(JoinedSets& sets, std::size_t n);

/// Links of a cluster with another one.
struct Neighbour
{
    uint32_t cluster;
    uint64_t traffic;
};

/// Stations that stay together.
struct Cluster
{
    uint32_t datacenter;
    uint32_t first; //!< lowest station
    uint64_t weight{0};
    bool hasNic{false};
    double place{-1}; //!< where it belongs in its datacenter; below 0: not known yet
    std::vector<Neighbour> neighbours{};
};

using Clusters = std::vector<Cluster>;

/**
 * @brief Make clusters, of a StationGroups.
 * @param items the stations
 * @param edges the links
 * @param leastPs links shorter than this join stations
 * @param racks links of NICs do so, too
 * @param [out] clusterOf cluster of each station
 * @return them, by datacenter; neighbours are near each other
 */
Clusters MakeClusters(const std::vector<StationGroups::Item>& items,
                      const std::vector<StationGroups::Edge>& edges,
                      int64_t leastPs,
                      bool racks,
                      std::vector<uint32_t>& clusterOf);

} // namespace ns3::roce

#endif /* ROCE_STATION_CLUSTERS_H */
