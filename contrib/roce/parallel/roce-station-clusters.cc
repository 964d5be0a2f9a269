// SPDX-License-Identifier: GPL-2.0-only
#include "roce-station-clusters.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace ns3::roce
{

namespace
{

/// Where a cluster without NICs belongs.
struct FoundPlace
{
    uint32_t cluster;
    double place;
    bool isWide; //!< it is joined to half of the datacenter
};

/// @return where a cluster belongs by the neighbours in its datacenter that have a place; none have
/// one: a place below 0 @param nPlaces in the datacenter
FoundPlace
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
    for (std::vector<FoundPlace> found(1); !found.empty();)
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
                                   [](const FoundPlace& finding) { return finding.place < 0; }),
                    found.end());
        const auto nWide =
            static_cast<double>(std::count_if(found.begin(), found.end(), [](const FoundPlace& f) {
                return f.isWide;
            }));
        double wide = 0.5;
        for (const FoundPlace& finding : found)
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

} // namespace

std::vector<uint32_t>
NumberSets(JoinedSets& sets, std::size_t n)
{
    constexpr uint32_t NONE = UINT32_MAX;
    std::vector<uint32_t> numbers(n, NONE); // by the member that stands for the set
    std::vector<uint32_t> of(n);
    uint32_t next = 0;
    for (std::size_t i = 0; i < n; ++i)
    {
        uint32_t& number = numbers[sets.find_set(i)];
        number = number == NONE ? next++ : number;
        of[i] = number;
    }
    return of;
}

Clusters
MakeClusters(const std::vector<StationGroups::Item>& items,
             const std::vector<StationGroups::Edge>& edges,
             int64_t leastPs,
             bool racks,
             std::vector<uint32_t>& clusterOf)
{
    JoinedSets sets(items.size());
    for (const StationGroups::Edge& edge : edges)
    {
        if (edge.delayPs < leastPs || (edge.host && racks))
        {
            sets.union_set(edge.a, edge.b);
        }
    }
    clusterOf = NumberSets(sets, items.size());
    Clusters clusters;
    for (uint32_t i = 0; i < items.size(); ++i)
    {
        if (clusterOf[i] == clusters.size())
        {
            clusters.push_back({items[i].datacenter, i});
        }
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

} // namespace ns3::roce
