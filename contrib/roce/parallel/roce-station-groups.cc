// SPDX-License-Identifier: GPL-2.0-only
#include "roce-station-groups.h"

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

/// Sets that are joined one after the other; each is named by its lowest member.
class Sets
{
  public:
    /// @param n members, each alone
    explicit Sets(std::size_t n)
        : m_roots(n)
    {
        std::iota(m_roots.begin(), m_roots.end(), 0);
    }

    uint32_t Find(uint32_t i)
    {
        while (m_roots[i] != i)
        {
            i = m_roots[i] = m_roots[m_roots[i]];
        }
        return i;
    }

    void Join(uint32_t a, uint32_t b)
    {
        a = Find(a);
        b = Find(b);
        m_roots[std::max(a, b)] = std::min(a, b);
    }

  private:
    std::vector<uint32_t> m_roots;
};

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
    double place{-1}; //!< see Place()
    std::vector<Neighbour> neighbours{};
};

using Clusters = std::vector<Cluster>;

/// Where a cluster without NICs belongs.
struct Finding
{
    uint32_t cluster;
    double place;
    bool isWide; //!< it is joined to half of the datacenter
};

/// @return where a cluster belongs by the neighbours in its datacenter that have a place; none have
/// one: a place below 0 @param nPlaces in the datacenter
Finding
FindPlace(const Clusters& clusters, uint32_t c, double nPlaces)
{
    double sum = 0;
    double least = nPlaces;
    double most = 0;
    int n = 0;
    for (const Neighbour& next : clusters[c].neighbours)
    {
        const Cluster& other = clusters[next.cluster];
        if (other.place >= 0 && other.datacenter == clusters[c].datacenter)
        {
            sum += other.place;
            least = std::min(least, other.place);
            most = std::max(most, other.place);
            ++n;
        }
    }
    return {c, n ? sum / n : -1, most - least >= nPlaces / 2};
}

/// @brief Give clusters their places: those with NICs by number, others amidst what they are joined
/// to, as aggregation switches with their pod. Those joined to all over the datacenter, as spines
/// and cores, are spread evenly. @param order clusters of one datacenter
void
Place(Clusters& clusters, const std::vector<uint32_t>& order)
{
    double nPlaces = 0;
    for (const uint32_t c : order)
    {
        clusters[c].place = clusters[c].hasNic ? nPlaces++ : -1;
    }
    // Those next to placed ones, then those next to these, and so on.
    for (std::vector<Finding> found(1); !found.empty();)
    {
        found.clear();
        for (const uint32_t c : order)
        {
            if (clusters[c].place < 0)
            {
                found.push_back(FindPlace(clusters, c, nPlaces));
            }
        }
        found.erase(std::remove_if(found.begin(),
                                   found.end(),
                                   [](const Finding& finding) { return finding.place < 0; }),
                    found.end());
        const auto nWide = static_cast<double>(
            std::count_if(found.begin(), found.end(), [](const Finding& f) { return f.isWide; }));
        double wide = 0.5;
        for (const Finding& finding : found)
        {
            clusters[finding.cluster].place =
                finding.isWide ? wide++ * nPlaces / nWide : finding.place;
        }
    }
}

/// @brief Sort clusters by datacenter, and by their places within it.
void
Order(Clusters& clusters, std::vector<uint32_t>& clusterOf)
{
    std::vector<uint32_t> order(clusters.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&clusters](uint32_t a, uint32_t b) {
        return std::tie(clusters[a].datacenter, clusters[a].first) <
               std::tie(clusters[b].datacenter, clusters[b].first);
    });
    for (auto first = order.begin(); first != order.end();)
    {
        const auto last = std::find_if(first, order.end(), [&](uint32_t c) {
            return clusters[c].datacenter != clusters[*first].datacenter;
        });
        Place(clusters, {first, last});
        first = last;
    }
    std::stable_sort(order.begin(), order.end(), [&clusters](uint32_t a, uint32_t b) {
        return std::tie(clusters[a].datacenter, clusters[a].place) <
               std::tie(clusters[b].datacenter, clusters[b].place);
    });
    std::vector<uint32_t> rank(clusters.size());
    Clusters sorted;
    for (const uint32_t c : order)
    {
        rank[c] = static_cast<uint32_t>(sorted.size());
        sorted.push_back(std::move(clusters[c]));
    }
    for (Cluster& cluster : sorted)
    {
        for (Neighbour& next : cluster.neighbours)
        {
            next.cluster = rank[next.cluster];
        }
    }
    for (uint32_t& c : clusterOf)
    {
        c = rank[c];
    }
    clusters = std::move(sorted);
}

/// @param clusterOf [out] cluster of each station @return the clusters, see Order()
Clusters
MakeClusters(const std::vector<StationGroups::Item>& items,
             const std::vector<StationGroups::Edge>& edges,
             int64_t leastPs,
             bool racks,
             std::vector<uint32_t>& clusterOf)
{
    Sets sets(items.size());
    for (const StationGroups::Edge& edge : edges)
    {
        if (edge.delayPs < leastPs || (edge.host && racks))
        {
            sets.Join(edge.a, edge.b);
        }
    }
    Clusters clusters;
    clusterOf.assign(items.size(), 0);
    for (uint32_t i = 0; i < items.size(); ++i)
    {
        const uint32_t root = sets.Find(i);
        if (root == i)
        {
            clusterOf[i] = static_cast<uint32_t>(clusters.size());
            clusters.push_back({items[i].datacenter, i});
        }
        clusterOf[i] = clusterOf[root];
        clusters[clusterOf[i]].weight += items[i].weight;
    }
    for (const StationGroups::Edge& edge : edges)
    {
        const uint32_t a = clusterOf[edge.a];
        const uint32_t b = clusterOf[edge.b];
        clusters[a].hasNic |= edge.host;
        if (a != b)
        {
            clusters[a].neighbours.push_back({b, edge.traffic});
            clusters[b].neighbours.push_back({a, edge.traffic});
        }
    }
    Order(clusters, clusterOf);
    return clusters;
}

/// Clusters, and groups for them.
struct Region
{
    std::vector<uint32_t> clusters{};
    uint64_t weight{0};
    uint32_t firstGroup{0};
    uint32_t nGroups{1};
};

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
        Sets sets(clusters.size());
        for (const StationGroups::Edge& edge : edges)
        {
            if (edge.delayPs < longPs)
            {
                sets.Join(clusterOf[edge.a], clusterOf[edge.b]);
            }
        }
        std::vector<uint32_t> regionOf(clusters.size());
        regions.clear();
        for (uint32_t c = 0; c < clusters.size(); ++c)
        {
            const uint32_t root = sets.Find(c);
            if (root == c)
            {
                regionOf[c] = static_cast<uint32_t>(regions.size());
                regions.emplace_back();
            }
            regionOf[c] = regionOf[root];
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

/// Moves clusters of a region to other groups of it: out of groups that are too heavy, and to those
/// that most of their traffic goes to.
class Improver
{
  public:
    Improver(const Clusters& clusters, const Region& region, std::vector<uint32_t>& groups)
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

    void Run()
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

  private:
    /// @return group within the region, or a number that is none of its groups
    uint32_t GroupOf(uint32_t c) const
    {
        return m_groups[c] - m_region.firstGroup;
    }

    void Put(uint32_t c, uint32_t group)
    {
        const uint32_t from = GroupOf(c);
        m_weights[from] -= m_clusters[c].weight;
        m_weights[group] += m_clusters[c].weight;
        --m_sizes[from];
        ++m_sizes[group];
        m_groups[c] = m_region.firstGroup + group;
    }

    /// @return whether it has moved
    bool Move(uint32_t c)
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

    /// @brief Find how much traffic a cluster has with each group.
    void CountTraffic(uint32_t c)
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

    /// @return whether a cluster has changed places with one that waits for that; else it waits
    /// itself. @param to a group that has no room
    bool Swap(uint32_t c, uint32_t to)
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

    /// @return where a cluster of a group that is too heavy goes
    uint32_t FindRoom(uint32_t c) const
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
                            : then <= m_limit || best == GroupOf(c) ||
                                  m_weights[g] < m_weights[best];
            };
            if (then < m_weights[GroupOf(c)] && (!fits || then <= m_limit) && isBetter())
            {
                best = g;
                fits = then <= m_limit;
            }
        }
        return best;
    }

    /// @return the group that most of its traffic goes to @param needsRoom only if it has room
    uint32_t FindFriends(uint32_t c, bool needsRoom) const
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
    Improver(clusters, whole.front(), lightest).Run();
    Division best = Judge(clusters, std::move(lightest), n);
    for (const std::vector<Region>* parts : {&whole, &regions})
    {
        std::vector<uint32_t> groups(clusters.size());
        for (const Region& region : *parts)
        {
            FillInOrder(clusters, region, groups);
            Improver(clusters, region, groups).Run();
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
