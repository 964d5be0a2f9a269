// SPDX-License-Identifier: GPL-2.0-only
#include "roce-station-groups.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

namespace ns3::roce
{

namespace
{

/// Stations that stay together.
struct Cluster
{
    uint32_t datacenter;
    uint32_t first; //!< lowest station
    uint64_t weight;
};

/// Clusters into groups in their order, each full before the next: neighbours stay together.
std::vector<uint32_t>
FillInOrder(const std::vector<Cluster>& clusters, uint32_t most)
{
    uint64_t left = 0;
    for (const Cluster& cluster : clusters)
    {
        left += cluster.weight;
    }
    std::vector<uint32_t> groups;
    uint32_t group = 0;
    uint64_t here = 0;
    for (const Cluster& cluster : clusters)
    {
        // What is left is shared by the groups that are left; half a cluster too much is fine.
        const uint64_t share = (left + here) / (most - group);
        if (here && group + 1 < most && here + cluster.weight / 2 > share)
        {
            ++group;
            here = 0;
        }
        groups.push_back(group);
        here += cluster.weight;
        left -= cluster.weight;
    }
    return groups;
}

/// The heaviest first, each into the lightest group.
std::vector<uint32_t>
FillLightest(const std::vector<Cluster>& clusters, uint32_t most)
{
    std::vector<uint32_t> order(clusters.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return clusters[a].weight > clusters[b].weight;
    });
    std::vector<uint64_t> weights(most);
    std::vector<uint32_t> groups(clusters.size());
    for (const uint32_t c : order)
    {
        const auto lightest = std::min_element(weights.begin(), weights.end());
        groups[c] = static_cast<uint32_t>(lightest - weights.begin());
        *lightest += clusters[c].weight;
    }
    return groups;
}

/// @return weight of the heaviest group
uint64_t
HeaviestOf(const std::vector<Cluster>& clusters, const std::vector<uint32_t>& groups, uint32_t most)
{
    std::vector<uint64_t> weights(most);
    for (std::size_t c = 0; c < clusters.size(); ++c)
    {
        weights[groups[c]] += clusters[c].weight;
    }
    return *std::max_element(weights.begin(), weights.end());
}

/// @return whether a is larger than b by more than a tenth
bool
IsMuchLarger(uint64_t a, uint64_t b)
{
    return static_cast<double>(a) > 1.1 * static_cast<double>(b);
}

} // namespace

StationGroups::StationGroups(const std::vector<Item>& items,
                             const std::vector<Edge>& edges,
                             uint32_t most)
    : m_groups(items.size())
{
    std::set<int64_t, std::greater<>> delays;
    for (const Edge& edge : edges)
    {
        delays.insert(edge.delayPs);
    }
    m_n = 1;
    m_shortestCutPs = delays.empty() ? 0 : *delays.rbegin();
    for (const Item& item : items)
    {
        m_heaviest += item.weight;
    }
    for (const bool racks : {true, false})
    {
        for (const int64_t delayPs : delays)
        {
            if (delayPs > 0)
            {
                Try(items, edges, most, delayPs, racks);
            }
        }
    }
}

/// Take the division that cuts no link shorter than leastPs, if it is better than the present one.
void
StationGroups::Try(const std::vector<Item>& items,
                   const std::vector<Edge>& edges,
                   uint32_t most,
                   int64_t leastPs,
                   bool racks)
{
    std::vector<uint32_t> roots(items.size()); // the lowest station of each cluster
    std::iota(roots.begin(), roots.end(), 0);
    const auto find = [&roots](uint32_t i) {
        while (roots[i] != i)
        {
            i = roots[i] = roots[roots[i]];
        }
        return i;
    };
    for (const Edge& edge : edges)
    {
        if (edge.delayPs < leastPs || (edge.host && racks))
        {
            const uint32_t a = find(edge.a);
            const uint32_t b = find(edge.b);
            roots[std::max(a, b)] = std::min(a, b);
        }
    }
    std::vector<Cluster> clusters;
    std::vector<uint32_t> clusterOf(items.size());
    for (uint32_t i = 0; i < items.size(); ++i)
    {
        if (find(i) == i)
        {
            clusterOf[i] = static_cast<uint32_t>(clusters.size());
            clusters.push_back({items[i].datacenter, i, 0});
        }
        clusterOf[i] = clusterOf[find(i)];
        clusters[clusterOf[i]].weight += items[i].weight;
    }
    // In order of datacenters.
    std::vector<uint32_t> order(clusters.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return std::tie(clusters[a].datacenter, clusters[a].first) <
               std::tie(clusters[b].datacenter, clusters[b].first);
    });
    std::vector<Cluster> sorted;
    std::vector<uint32_t> place(clusters.size());
    for (const uint32_t c : order)
    {
        place[c] = static_cast<uint32_t>(sorted.size());
        sorted.push_back(clusters[c]);
    }
    const auto n = static_cast<uint32_t>(std::min<std::size_t>(most, sorted.size()));
    std::vector<uint32_t> groups = FillInOrder(sorted, n);
    const std::vector<uint32_t> lightest = FillLightest(sorted, n);
    if (IsMuchLarger(HeaviestOf(sorted, groups, n), HeaviestOf(sorted, lightest, n)))
    {
        groups = lightest;
    }
    const uint64_t heaviest = HeaviestOf(sorted, groups, n);
    if (n < 2 || (m_n > 1 && !IsMuchLarger(m_heaviest, heaviest)))
    {
        return;
    }
    m_n = *std::max_element(groups.begin(), groups.end()) + 1;
    m_heaviest = heaviest;
    for (uint32_t i = 0; i < items.size(); ++i)
    {
        m_groups[i] = groups[place[clusterOf[i]]];
    }
    m_shortestCutPs = std::numeric_limits<int64_t>::max();
    for (const Edge& edge : edges)
    {
        if (m_groups[edge.a] != m_groups[edge.b])
        {
            m_shortestCutPs = std::min(m_shortestCutPs, edge.delayPs);
        }
    }
}

} // namespace ns3::roce
