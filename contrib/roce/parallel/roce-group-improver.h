// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_GROUP_IMPROVER_H
#define ROCE_GROUP_IMPROVER_H

#include "roce-station-clusters.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3::roce
{

/// Clusters, and groups for them.
struct Region
{
    std::vector<uint32_t> clusters{};
    uint64_t weight{0};
    uint32_t firstGroup{0};
    uint32_t nGroups{1};
};

/// Moves clusters of a region to other groups of it: out of groups that are too heavy, and to
/// those that most of their traffic goes to.
class GroupImprover
{
  public:
    /// @param clusters all @param region some of them @param groups [in,out] of all clusters.
    /// All outlive this
    GroupImprover(const Clusters& clusters, const Region& region, std::vector<uint32_t>& groups);

    /// @brief Do it.
    void Run();

  private:
    uint32_t GroupOf(uint32_t c) const;
    void Put(uint32_t c, uint32_t group);
    bool Move(uint32_t c);
    void CountTraffic(uint32_t c);
    bool Swap(uint32_t c, uint32_t to);
    uint32_t FindRoom(uint32_t c) const;
    uint32_t FindFriends(uint32_t c, bool needsRoom) const;

    const Clusters& m_clusters;
    const Region& m_region;
    std::vector<uint32_t>& m_groups;
    std::vector<uint64_t> m_weights; //!< by group
    std::vector<uint32_t> m_sizes;   //!< clusters, by group
    std::vector<uint64_t> m_traffic; //!< by group: of the cluster that is looked at
    uint64_t m_limit;                //!< groups above are too heavy
    /// Clusters that would rather be in a group without room, by their group and that one.
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> m_waiting;
};

} // namespace ns3::roce

#endif /* ROCE_GROUP_IMPROVER_H */
