// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_STATION_GROUPS_H
#define ROCE_STATION_GROUPS_H

#include <cstdint>
#include <functional>
#include <set>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Divides the stations of a network into groups of similar weight that only links with long
 * delays join, for a ParallelRun.
 *
 * Stations that links shorter than some delay join stay together, and so do racks as long as that
 * balances: several such divisions are tried, and of those that balance about best the one with the
 * longest delay between groups is taken. Where the longest links join parts of the network, such as
 * datacenters, no group has stations of two of them, as long as that balances. After that, groups
 * have little traffic with each other: pods stay whole. The same network is always divided in the
 * same way.
 */
class StationGroups
{
  public:
    /// A station.
    struct Item
    {
        uint32_t datacenter;
        uint64_t weight; //!< amount of its work
    };

    /// A link.
    struct Edge
    {
        uint32_t a; //!< index of a station; of a NIC, if it is one
        uint32_t b; //!< index of another
        int64_t delayPs;
        bool host;           //!< of a NIC
        uint64_t traffic{1}; //!< both ways, in the unit of the stations' weights
    };

    /**
     * @param items the stations
     * @param edges the links
     * @param most number of groups wanted; there may be fewer
     */
    StationGroups(const std::vector<Item>& items, const std::vector<Edge>& edges, uint32_t most);

    /// @return number of groups
    uint32_t GetN() const
    {
        return m_n;
    }

    /// @param item index of a station. @return its group, from 0
    uint32_t GetGroup(uint32_t item) const
    {
        return m_groups.at(item);
    }

    /// @return shortest delay of a link between two groups, ps; if there is none that of all links
    int64_t GetShortestCutPs() const
    {
        return m_shortestCutPs;
    }

    /// @return weight of the heaviest group
    uint64_t GetHeaviest() const
    {
        return m_heaviest;
    }

  private:
    void Try(const std::vector<Item>& items,
             const std::vector<Edge>& edges,
             uint32_t most,
             int64_t leastPs,
             bool racks);

    std::set<int64_t, std::greater<>> m_delays; //!< of links
    uint32_t m_n{0};
    std::vector<uint32_t> m_groups; //!< by station
    int64_t m_shortestCutPs{0};
    uint64_t m_heaviest{0};
};

} // namespace ns3::roce

#endif /* ROCE_STATION_GROUPS_H */
