// SPDX-License-Identifier: GPL-2.0-only
#include "roce-group-improver.h"

#include <algorithm>
#include <tuple>

namespace ns3::roce
{

GroupImprover::GroupImprover(const Clusters& clusters,
                             const Region& region,
                             std::vector<uint32_t>& groups)
    : m_clusters(clusters),
      m_region(region),
      m_groups(groups),
      m_weights(region.nGroups),
      m_sizes(region.nGroups),
      m_traffic(region.nGroups)
{
    uint64_t all = 0;
    for (const uint32_t c : region.clusters)
    {
        m_weights[GroupOf(c)] += clusters[c].weight;
        ++m_sizes[GroupOf(c)];
        all += clusters[c].weight;
    }
    m_limit = all / region.nGroups + all / region.nGroups / 32;
}

void
GroupImprover::Run()
{
    // Four do most of it.
    bool isMoving = true;
    for (int pass = 0; isMoving && pass < 10; ++pass)
    {
        isMoving = false;
        m_waiting.clear();
        for (const uint32_t c : m_region.clusters)
        {
            isMoving |= m_sizes[GroupOf(c)] > 1 && Move(c);
        }
    }
}

/// Group within the region, or a number that is none of its groups.
uint32_t
GroupImprover::GroupOf(uint32_t c) const
{
    return m_groups[c] - m_region.firstGroup;
}

void
GroupImprover::Put(uint32_t c, uint32_t group)
{
    const uint32_t from = GroupOf(c);
    m_weights[from] -= m_clusters[c].weight;
    m_weights[group] += m_clusters[c].weight;
    --m_sizes[from];
    ++m_sizes[group];
    m_groups[c] = m_region.firstGroup + group;
}

/// Says whether the cluster has moved.
bool
GroupImprover::Move(uint32_t c)
{
    CountTraffic(c);
    const uint32_t from = GroupOf(c);
    uint32_t to = from;
    bool hasSwapped = false;
    if (m_weights[from] > m_limit)
    {
        to = FindRoom(c);
    }
    else
    {
        to = FindFriends(c, true);
        const uint32_t full = FindFriends(c, false);
        if (to == from && full != from)
        {
            hasSwapped = Swap(c, full);
            to = GroupOf(c);
        }
    }
    if (!hasSwapped)
    {
        Put(c, to);
    }
    return to != from;
}

/// Find how much traffic a cluster has with each group.
void
GroupImprover::CountTraffic(uint32_t c)
{
    std::fill(m_traffic.begin(), m_traffic.end(), 0);
    for (const Neighbour& next : m_clusters[c].neighbours)
    {
        if (GroupOf(next.cluster) < m_region.nGroups)
        {
            m_traffic[GroupOf(next.cluster)] += next.traffic;
        }
    }
}

/// Says whether a cluster has changed places with one that waits for that; else it waits itself.
/// @param to a group that has no room
bool
GroupImprover::Swap(uint32_t c, uint32_t to)
{
    const uint32_t from = GroupOf(c);
    std::vector<uint32_t>& others = m_waiting[{to, from}];
    while (!others.empty())
    {
        const uint32_t other = others.back();
        others.pop_back();
        CountTraffic(other);
        const uint64_t weight = m_clusters[c].weight;
        const uint64_t otherWeight = m_clusters[other].weight;
        if (GroupOf(other) == to && m_traffic[from] > m_traffic[to] &&
            m_weights[from] + otherWeight <= m_limit + weight &&
            m_weights[to] + weight <= m_limit + otherWeight)
        {
            Put(other, from);
            Put(c, to);
            return true;
        }
    }
    m_waiting[{from, to}].push_back(c);
    return false;
}

/// Where a cluster of a group that is too heavy goes.
uint32_t
GroupImprover::FindRoom(uint32_t c) const
{
    const uint64_t weight = m_clusters[c].weight;
    uint32_t best = GroupOf(c);
    bool fits = false;
    for (uint32_t g = 0; g < m_weights.size(); ++g)
    {
        const uint64_t then = m_weights[g] + weight;
        const auto isBetter = [&] {
            return fits ? std::tie(m_traffic[g], m_weights[best]) >
                              std::tie(m_traffic[best], m_weights[g])
                        : then <= m_limit || best == GroupOf(c) || m_weights[g] < m_weights[best];
        };
        if (then < m_weights[GroupOf(c)] && (!fits || then <= m_limit) && isBetter())
        {
            best = g;
            fits = then <= m_limit;
        }
    }
    return best;
}

/// The group that most of its traffic goes to. @param needsRoom only if it has room
uint32_t
GroupImprover::FindFriends(uint32_t c, bool needsRoom) const
{
    uint32_t best = GroupOf(c);
    for (const Neighbour& next : m_clusters[c].neighbours)
    {
        const uint32_t g = GroupOf(next.cluster);
        if (g < m_weights.size() && m_traffic[g] > m_traffic[best] &&
            (!needsRoom || m_weights[g] + m_clusters[c].weight <= m_limit))
        {
            best = g;
        }
    }
    return best;
}

} // namespace ns3::roce
