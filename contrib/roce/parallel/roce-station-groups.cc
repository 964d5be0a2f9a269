// SPDX-License-Identifier: GPL-2.0-only
#include "roce-station-groups.h"

#include "roce-group-improver.h"
#include "roce-station-clusters.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace ns3::roce
{

namespace
{

/// @return all clusters @param n groups
Region
MakeWhole(const Clusters& clusters, uint32_t n)
{
    Region whole;
    whole.clusters.resize(clusters.size());
    std::iota(whole.clusters.begin(), whole.clusters.end(), 0);
    whole.nGroups = n;
    return whole;
}

/// @return what only the longest links join, each part with its share of the groups; empty if there
/// are no such parts, or too many @param n groups @param [out] regionsPs least delay between them
std::vector<Region>
FindRegions(const Clusters& clusters,
            const std::vector<StationGroups::Edge>& edges,
            const std::vector<uint32_t>& clusterOf,
            const std::set<int64_t, std::greater<>>& delays,
            uint32_t n,
            int64_t& regionsPs)
{
    std::vector<Region> regions;
    for (const int64_t longPs : delays)
    {
        regionsPs = longPs;
        JoinedSets sets(clusters.size());
        for (const StationGroups::Edge& edge : edges)
        {
            if (edge.delayPs < longPs)
            {
                sets.union_set(clusterOf[edge.a], clusterOf[edge.b]);
            }
        }
        regions.clear();
        const std::vector<uint32_t> regionOf = NumberSets(sets, clusters.size());
        for (uint32_t c = 0; c < clusters.size(); ++c)
        {
            regions.resize(std::max<std::size_t>(regions.size(), regionOf[c] + 1));
            regions[regionOf[c]].clusters.push_back(c);
            regions[regionOf[c]].weight += clusters[c].weight;
        }
        if (regions.size() > 1)
        {
            break;
        }
    }
    if (regions.size() < 2 || regions.size() > n)
    {
        return {};
    }
    for (auto left = static_cast<uint32_t>(n - regions.size()); left; --left)
    {
        // To the one whose groups are the heaviest, if it can be divided further.
        Region* heaviest = nullptr;
        for (Region& region : regions)
        {
            if (region.nGroups < region.clusters.size() &&
                (!heaviest ||
                 region.weight / region.nGroups > heaviest->weight / heaviest->nGroups))
            {
                heaviest = &region;
            }
        }
        if (heaviest)
        {
            ++heaviest->nGroups;
        }
    }
    for (std::size_t r = 1; r < regions.size(); ++r)
    {
        regions[r].firstGroup = regions[r - 1].firstGroup + regions[r - 1].nGroups;
    }
    return regions;
}

/// @brief Clusters into groups in their order, each full before the next: neighbours stay together.
/// @param groups [out] of each cluster
void
FillInOrder(const Clusters& clusters, const Region& region, std::vector<uint32_t>& groups)
{
    uint64_t left = 0;
    for (const uint32_t c : region.clusters)
    {
        left += clusters[c].weight;
    }
    uint32_t group = 0;
    uint64_t here = 0;
    for (const uint32_t c : region.clusters)
    {
        // What is left is shared by the groups that are left; half a cluster too much is fine.
        const uint64_t weight = clusters[c].weight;
        const uint64_t share = (left + here) / (region.nGroups - group);
        if (here && group + 1 < region.nGroups && here + weight / 2 > share)
        {
            ++group;
            here = 0;
        }
        groups[c] = region.firstGroup + group;
        here += weight;
        left -= weight;
    }
}

/// The heaviest first, each into the lightest group.
std::vector<uint32_t>
FillLightest(const Clusters& clusters, uint32_t n)
{
    std::vector<uint32_t> order(clusters.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return clusters[a].weight > clusters[b].weight;
    });
    std::vector<uint64_t> weights(n);
    std::vector<uint32_t> groups(clusters.size());
    for (const uint32_t c : order)
    {
        const auto lightest = std::min_element(weights.begin(), weights.end());
        groups[c] = static_cast<uint32_t>(lightest - weights.begin());
        *lightest += clusters[c].weight;
    }
    return groups;
}

/// A division.
struct Division
{
    std::vector<uint32_t> groups; //!< by cluster
    uint64_t heaviest;            //!< group
    uint64_t cost;                //!< a frame between groups costs half as much as a hop
};

Division
Judge(const Clusters& clusters, std::vector<uint32_t> groups, uint32_t n)
{
    std::vector<uint64_t> weights(n);
    uint64_t twiceCut = 0;
    for (std::size_t c = 0; c < clusters.size(); ++c)
    {
        weights[groups[c]] += clusters[c].weight;
        for (const Neighbour& next : clusters[c].neighbours)
        {
            twiceCut += groups[next.cluster] == groups[c] ? 0 : next.traffic;
        }
    }
    const uint64_t heaviest = *std::max_element(weights.begin(), weights.end());
    return {std::move(groups), heaviest, heaviest + twiceCut / (4 * n)};
}

/// @return whether a is larger than b by more than a tenth
bool
IsMuchLarger(uint64_t a, uint64_t b)
{
    return static_cast<double>(a) > 1.1 * static_cast<double>(b);
}

/// @return whether a division is so much heavier than another one that it is worse, though its
/// groups are further from each other. Where they are far, they have to know of each other so much
/// more seldom that they may weigh a quarter more. @param farPs delay between its groups @param
/// nearPs the same of the other one
bool
IsTooHeavy(uint64_t heaviest, int64_t farPs, uint64_t other, int64_t nearPs)
{
    return farPs / 4 >= nearPs ? IsMuchLarger(heaviest, other + other / 8)
                               : IsMuchLarger(heaviest, other);
}

/// @return the best division of those tried @param regions see FindRegions() @param regionsPs delay
/// between them @param leastPs delay between groups @param n groups
Division
FindBest(const Clusters& clusters,
         const std::vector<Region>& regions,
         int64_t regionsPs,
         int64_t leastPs,
         uint32_t n)
{
    const std::vector<Region> whole{MakeWhole(clusters, n)};
    std::vector<uint32_t> lightest = FillLightest(clusters, n);
    GroupImprover(clusters, whole.front(), lightest).Run();
    Division best = Judge(clusters, std::move(lightest), n);
    for (const std::vector<Region>* parts : {&whole, &regions})
    {
        std::vector<uint32_t> groups(clusters.size());
        for (const Region& region : *parts)
        {
            FillInOrder(clusters, region, groups);
            GroupImprover(clusters, region, groups).Run();
        }
        Division division = Judge(clusters, std::move(groups), n);
        // Groups of different regions need to know of each other seldom only.
        if (parts == &whole ? division.cost <= best.cost
                            : !parts->empty() &&
                                  !IsTooHeavy(division.heaviest, regionsPs, best.heaviest, leastPs))
        {
            best = std::move(division);
        }
    }
    return best;
}

} // namespace

StationGroups::StationGroups(const std::vector<Item>& items,
                             const std::vector<Edge>& edges,
                             uint32_t most)
    : m_groups(items.size())
{
    for (const Edge& edge : edges)
    {
        m_delays.insert(edge.delayPs);
    }
    m_n = 1;
    m_shortestCutPs = m_delays.empty() ? 0 : *m_delays.rbegin();
    for (const Item& item : items)
    {
        m_heaviest += item.weight;
    }
    const uint64_t share = m_heaviest / std::max<uint32_t>(1, most);
    for (const bool racks : {true, false})
    {
        for (const int64_t delayPs : m_delays)
        {
            if (delayPs > 0 && (m_n == 1 || IsMuchLarger(m_heaviest, share)))
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
    std::vector<uint32_t> clusterOf;
    const Clusters clusters = MakeClusters(items, edges, leastPs, racks, clusterOf);
    const auto n = static_cast<uint32_t>(std::min<std::size_t>(most, clusters.size()));
    const auto isHeavy = [this](const Cluster& cluster) {
        return !IsMuchLarger(m_heaviest, cluster.weight);
    };
    if (n < 2 || (m_n > 1 && std::any_of(clusters.begin(), clusters.end(), isHeavy)))
    {
        return;
    }
    int64_t regionsPs = 0;
    const std::vector<Region> regions =
        FindRegions(clusters, edges, clusterOf, m_delays, n, regionsPs);
    const Division best = FindBest(clusters, regions, regionsPs, leastPs, n);
    if (m_n > 1 && !IsTooHeavy(m_heaviest, m_shortestCutPs, best.heaviest, leastPs))
    {
        return;
    }
    // Some groups may have stayed empty.
    std::vector<uint32_t> numbers(n);
    for (const uint32_t group : best.groups)
    {
        numbers[group] = 1;
    }
    m_n = std::accumulate(numbers.begin(), numbers.end(), 0U);
    std::exclusive_scan(numbers.begin(), numbers.end(), numbers.begin(), 0U);
    m_heaviest = best.heaviest;
    for (uint32_t i = 0; i < items.size(); ++i)
    {
        m_groups[i] = numbers[best.groups[clusterOf[i]]];
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
