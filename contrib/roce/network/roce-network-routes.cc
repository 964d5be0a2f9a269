// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network-routes.h"

#include "roce-network-map.h"
#include "roce-network-options.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-path-policy.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

// Shortest paths.
//
// Racks with links from and to the same switches are twins: those of a pod, or all racks of a
// leaf-spine datacenter. Exchanging two of them changes nothing for the others, so every other
// switch is as far from one as from the other and reaches them through the same ports, unless it is
// joined to them. So one search serves all twins, and they are one class in the tables of all
// switches but their neighbours: work and tables grow with the number of pods, not of racks.

namespace ns3::roce
{

namespace
{

constexpr uint32_t FAR = std::numeric_limits<uint32_t>::max();

void
SortOut(std::vector<uint32_t>& numbers)
{
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

/// @param a and @param b ascending
std::vector<uint32_t>
Intersection(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b)
{
    std::vector<uint32_t> both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

/// The racks that a switch distinguishes.
struct Division
{
    std::shared_ptr<const std::vector<uint32_t>> classOfRack;
    std::vector<uint32_t> first; //!< class of the first rack of each set of twins
};

/// @param twins all sets @param apart numbers of those whose racks have a class each, ascending
Division
TellApart(const std::vector<std::vector<uint32_t>>& twins, const std::vector<uint32_t>& apart)
{
    Division division;
    std::vector<uint32_t> classOfRack(
        std::accumulate(twins.begin(), twins.end(), std::size_t{0}, [](auto n, const auto& set) {
            return n + set.size();
        }));
    uint32_t next = 0;
    for (uint32_t t = 0; t < twins.size(); ++t)
    {
        const bool each = std::binary_search(apart.begin(), apart.end(), t);
        division.first.push_back(next);
        for (std::size_t i = 0; i < twins[t].size(); ++i)
        {
            classOfRack[twins[t][i]] = next + (each ? static_cast<uint32_t>(i) : 0);
        }
        next += each ? static_cast<uint32_t>(twins[t].size()) : 1;
    }
    division.classOfRack = std::make_shared<const std::vector<uint32_t>>(std::move(classOfRack));
    return division;
}

} // namespace

/// @return the sets of twins, each in ascending order, in order of their first racks
std::vector<std::vector<uint32_t>>
NetworkRoutes::FindTwinRacks() const
{
    using Ends = std::pair<std::vector<uint32_t>, std::vector<uint32_t>>;
    std::map<Ends, std::size_t> known;
    std::vector<std::vector<uint32_t>> twins;
    for (uint32_t rack = 0; rack < m_parts.rackSwitch.size(); ++rack)
    {
        Ends ends; // switches that it sends to, and that send to it
        for (const auto& next : m_parts.switches[m_parts.rackSwitch[rack]].neighbours)
        {
            if (IsUsable(next.link, next.end))
            {
                ends.first.push_back(next.sw);
            }
            if (IsUsable(next.link, 1 - next.end))
            {
                ends.second.push_back(next.sw);
            }
        }
        SortOut(ends.first);
        SortOut(ends.second);
        const auto [it, isNew] = known.try_emplace(std::move(ends), twins.size());
        if (isNew)
        {
            twins.emplace_back();
        }
        twins[it->second].push_back(rack);
    }
    return twins;
}

/// @param destination a switch @return links from each switch to it, or FAR
std::vector<uint32_t>
NetworkRoutes::ComputeDistances(uint32_t destination) const
{
    std::vector<uint32_t> distances(m_parts.switches.size(), FAR);
    std::vector<uint32_t> queue{destination};
    distances[destination] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i)
    {
        for (const auto& next : m_parts.switches[queue[i]].neighbours)
        {
            if (distances[next.sw] == FAR && IsUsable(next.link, 1 - next.end)) // towards it
            {
                distances[next.sw] = distances[queue[i]] + 1;
                queue.push_back(next.sw);
            }
        }
    }
    return distances;
}

void
NetworkRoutes::FindIslands()
{
    std::vector<bool> isKnown(m_parts.switches.size());
    for (uint32_t s = 0; s < m_parts.switches.size(); ++s)
    {
        if (isKnown[s])
        {
            continue;
        }
        std::vector<uint32_t> queue{s};
        isKnown[s] = true;
        for (std::size_t i = 0; i < queue.size(); ++i)
        {
            m_parts.switches[queue[i]].island = s;
            for (const auto& next : m_parts.switches[queue[i]].neighbours)
            {
                if (!isKnown[next.sw])
                {
                    isKnown[next.sw] = true;
                    queue.push_back(next.sw);
                }
            }
        }
    }
    CheckHosts();
}

/// @throw InputError if two hosts are at no common island
void
NetworkRoutes::CheckHosts() const
{
    // Hosts at the same islands are alike: by these, the one at the first switch, and that switch.
    std::map<std::vector<uint32_t>, std::pair<uint32_t, const NetworkParts::HostEntry*>> kinds;
    for (const auto& host : m_parts.hosts)
    {
        std::vector<uint32_t> islands;
        uint32_t first = FAR;
        for (const uint32_t nic : host.nics)
        {
            first = std::min(first, m_parts.nics[nic].sw);
            islands.push_back(m_parts.switches[m_parts.nics[nic].sw].island);
        }
        SortOut(islands);
        if (!islands.empty())
        {
            auto& [sw, one] = kinds.try_emplace(std::move(islands), FAR, nullptr).first->second;
            one = first < sw ? &host : one;
            sw = std::min(sw, first);
        }
    }
    // Mostly one island has them all.
    std::vector<uint32_t> common = kinds.begin()->first;
    for (const auto& [islands, one] : kinds)
    {
        common = Intersection(common, islands);
    }
    for (auto a = kinds.begin(); common.empty() && a != kinds.end(); ++a)
    {
        for (auto b = std::next(a); b != kinds.end(); ++b)
        {
            if (Intersection(a->first, b->first).empty())
            {
                const auto [to, from] = std::minmax(a->second, b->second);
                throw InputError(
                    a->first.size() + b->first.size() == 2
                        ? "network: no path from " + m_parts.switches[from.first].name + " to " +
                              m_parts.switches[to.first].name
                        : "network: no NIC of " + to.second->name + " leads to one of " +
                              from.second->name + ", expected a network that both have");
            }
        }
    }
    m_parts.FindPair(); // throws
}

void
NetworkRoutes::InstallPolicies(const NetworkOptions& options)
{
    m_hasDetours = options.detours;
    bool hasEdge = false;
    for (uint32_t s = 0; s < m_parts.switches.size(); ++s)
    {
        const bool isEdge = m_parts.HasRole(s, SwitchRole::DCI);
        const auto& policy = isEdge ? options.edgePathPolicy : options.pathPolicy;
        if (policy && !m_parts.switches[s].isInternal)
        {
            m_parts.switches[s].sw->SetPathPolicy(policy->Create<PathPolicy>());
            m_hasPolicies = true;
            hasEdge |= isEdge;
        }
    }
    if (m_hasDetours && !hasEdge)
    {
        throw InputError("detours without a path policy of switches with a link to another "
                         "datacenter, expected one that chooses them");
    }
}

/// @return a way with one more link in front, that of a port of a switch
PathEntry
NetworkRoutes::Extend(const PathEntry& rest, uint32_t from, uint16_t port) const
{
    const Port& out = *m_parts.switches[from].sw->PeekPort(port);
    return {port,
            rest.delayPs + out.GetLink()->GetDelayPs(),
            std::min(rest.leastBps, out.GetRateBps()),
            false};
}

/// @return of each switch the quickest of its shortest ways; of those, the widest
std::vector<PathEntry>
NetworkRoutes::ComputeQualities(const std::vector<uint32_t>& distances) const
{
    const PathEntry none{Routing::NO_PORT, 0, UINT64_MAX, false};
    std::vector<PathEntry> qualities(distances.size(), none);
    std::vector<uint32_t> order(distances.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return distances[a] < distances[b];
    });
    for (const uint32_t s : order)
    {
        for (const auto& next : m_parts.switches[s].neighbours)
        {
            if (distances[s] == FAR || distances[next.sw] + 1 != distances[s] ||
                !IsUsable(next.link, next.end))
            {
                continue;
            }
            const PathEntry way = Extend(qualities[next.sw], s, next.port);
            PathEntry& best = qualities[s];
            if (best.port == Routing::NO_PORT || way.delayPs < best.delayPs ||
                (way.delayPs == best.delayPs && way.leastBps > best.leastBps))
            {
                best = way;
            }
        }
    }
    return qualities;
}

/**
 * The ways that a policy chooses from. A detour leads to a neighbour in another datacenter that is
 * as far from the destination as this switch: none of the neighbour's own shortest ways comes back
 * (a loop-free alternate, RFC 5286), and it sends on frames from other datacenters by these only.
 * @param distance of the switch itself
 */
std::vector<PathEntry>
NetworkRoutes::FindPaths(uint32_t from,
                         uint32_t distance,
                         const std::vector<uint32_t>& distances,
                         const std::vector<PathEntry>& qualities) const
{
    std::vector<PathEntry> paths;
    const auto& entry = m_parts.switches[from];
    for (const auto& next : entry.neighbours)
    {
        const bool isNearer = distance != FAR && distances[next.sw] + 1 == distance;
        const bool isDetour = m_hasDetours && distance != FAR && distances[next.sw] == distance &&
                              m_parts.switches[next.sw].datacenter != entry.datacenter;
        if ((isNearer || isDetour) && IsUsable(next.link, next.end))
        {
            paths.push_back(Extend(qualities[next.sw], from, next.port));
            paths.back().detour = isDetour;
        }
    }
    std::sort(paths.begin(), paths.end(), [](const PathEntry& a, const PathEntry& b) {
        return std::make_pair(a.detour, a.port) < std::make_pair(b.detour, b.port);
    });
    return paths;
}

void
NetworkRoutes::Compute()
{
    std::vector<uint16_t> ports;
    const auto findPorts = [&](const NetworkParts::SwitchEntry& entry,
                               const auto& isNext) -> const std::vector<uint16_t>& {
        ports.clear();
        for (const auto& next : entry.neighbours)
        {
            if (isNext(next.sw) && IsUsable(next.link, next.end))
            {
                ports.push_back(next.port);
            }
        }
        if (!std::is_sorted(ports.begin(), ports.end()))
        {
            std::sort(ports.begin(), ports.end());
        }
        return ports;
    };
    const std::vector<std::vector<uint32_t>> twins = FindTwinRacks();
    std::vector<uint32_t> twinsOfRack(m_parts.rackSwitch.size());
    for (uint32_t t = 0; t < twins.size(); ++t)
    {
        for (const uint32_t rack : twins[t])
        {
            twinsOfRack[rack] = t;
        }
    }
    // Switches that distinguish the same racks, such as those of a pod, share a table.
    std::map<std::vector<uint32_t>, Division> divisions;
    std::vector<const Division*> divisionOf;
    for (const auto& entry : m_parts.switches)
    {
        std::vector<uint32_t> apart;
        for (const auto& next : entry.neighbours)
        {
            if (const int32_t rack = m_parts.switches[next.sw].rack;
                rack >= 0 && IsUsable(next.link, next.end))
            {
                apart.push_back(twinsOfRack[rack]);
            }
        }
        SortOut(apart);
        const auto [it, isNew] = divisions.try_emplace(std::move(apart));
        if (isNew)
        {
            it->second = TellApart(twins, it->first);
        }
        divisionOf.push_back(&it->second);
        entry.sw->GetRouting().SetClasses(it->second.classOfRack);
    }
    for (uint32_t t = 0; t < twins.size(); ++t)
    {
        const uint32_t root = m_parts.rackSwitch[twins[t].front()];
        const std::vector<uint32_t> distances = ComputeDistances(root);
        const std::vector<PathEntry> qualities =
            m_hasPolicies ? ComputeQualities(distances) : std::vector<PathEntry>();
        for (uint32_t s = 0; s < m_parts.switches.size(); ++s)
        {
            const auto& entry = m_parts.switches[s];
            Routing& routing = entry.sw->GetRouting();
            const uint32_t first = divisionOf[s]->first[t];
            if (distances[s] == 1 && (!routing.KeepsPaths() || twins[t].size() > 1))
            {
                for (uint32_t i = 0; i < twins[t].size(); ++i)
                {
                    const uint32_t twin = m_parts.rackSwitch[twins[t][i]];
                    if (routing.KeepsPaths())
                    {
                        // A neighbour of all twins: over their own links only.
                        std::vector<uint32_t> towards(distances.size(), FAR);
                        towards[twin] = 0;
                        const PathEntry here{Routing::NO_PORT, 0, UINT64_MAX, false};
                        const std::vector<PathEntry> rests(distances.size(), here);
                        routing.SetPaths(first + i, FindPaths(s, 1, towards, rests));
                        continue;
                    }
                    routing.SetGroup(first + i,
                                     findPorts(entry, [&](uint32_t n) { return n == twin; }));
                }
                continue;
            }
            // The root is as far from its twins as they are from it.
            const uint32_t distance =
                distances[s != root ? s : m_parts.rackSwitch[twins[t].back()]];
            if (routing.KeepsPaths())
            {
                routing.SetPaths(first, FindPaths(s, distance, distances, qualities));
                continue;
            }
            routing.SetGroup(first, findPorts(entry, [&](uint32_t n) {
                                 return distance != FAR && distances[n] + 1 == distance;
                             }));
        }
    }
}

void
NetworkRoutes::Change(uint32_t link, unsigned directions, bool up)
{
    if (m_intact.empty())
    {
        for (const auto& entry : m_parts.switches)
        {
            m_intact.emplace(entry.sw->GetNodeId(), entry.sw->GetRouting());
        }
    }
    unsigned& down = m_parts.links[link].knownDown;
    down = up ? down & ~directions : down | directions;
    Compute();
}

const Routing&
NetworkRoutes::GetIntact(Switch& sw) const
{
    return m_intact.empty() ? sw.GetRouting() : m_intact.at(sw.GetNodeId());
}

bool
NetworkRoutes::IsUsable(uint32_t link, unsigned end) const
{
    return !(m_parts.links[link].knownDown >> end & 1);
}

namespace
{

/// What a link adds to the RTT of a full frame.
class LinkRtt
{
  public:
    /// @param sizes of frames
    explicit LinkRtt(const WireSizes& sizes)
    {
        const std::vector<HopSpec> any{{1'000'000'000, 0}};
        const IdealFct ideal(any, any, sizes);
        m_dataBytes = static_cast<uint32_t>(ideal.DataWireBytes(sizes.mtuBytes, false, 0));
        m_ackBytes = static_cast<uint32_t>(ideal.AckWireBytes());
    }

    /// @param port that sends the data @return picoseconds, there and back
    int64_t GetPs(const Port& port) const
    {
        return port.SerialisationPs(m_dataBytes) + port.GetPeer()->SerialisationPs(m_ackBytes) +
               2 * port.GetLink()->GetDelayPs();
    }

  private:
    uint32_t m_dataBytes;
    uint32_t m_ackBytes;
};

} // namespace

/// Of twins, those count that are the farthest from others.
std::map<uint32_t, std::array<int64_t, 2>>
NetworkRoutes::FindLongestRtts(const WireSizes& sizes) const
{
    const LinkRtt rtt(sizes);
    std::map<uint32_t, std::array<int64_t, 2>> longestPs;
    std::vector<int64_t> nicPs(m_parts.rackSwitch.size()); // longest link of a rack's NICs
    for (const auto& nic : m_parts.nics)
    {
        int64_t& longest = nicPs[m_parts.switches[nic.sw].rack];
        longest = std::max(longest, rtt.GetPs(*nic.nic));
    }
    const auto note = [&](uint32_t from, uint32_t to, int64_t rttPs) {
        const uint32_t datacenter = m_parts.switches[from].datacenter;
        int64_t& longest = longestPs[datacenter][datacenter != m_parts.switches[to].datacenter];
        longest = std::max(longest, rttPs);
    };
    for (const std::vector<uint32_t>& twins : FindTwinRacks())
    {
        const uint32_t root = m_parts.rackSwitch[twins.front()];
        std::vector<bool> isEnd(m_parts.switches.size());
        int64_t lastPs = 0;
        for (const uint32_t rack : twins)
        {
            isEnd[m_parts.rackSwitch[rack]] = true;
            lastPs = std::max(lastPs, nicPs[rack]);
            note(root, root, 2 * nicPs[rack]);
        }
        const std::vector<uint32_t> distances = ComputeDistances(root);
        std::vector<uint32_t> order(m_parts.switches.size());
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
            return std::make_pair(distances[a], a) < std::make_pair(distances[b], b);
        });
        std::vector<int64_t> wayPs(m_parts.switches.size());
        for (const uint32_t s : order)
        {
            if (distances[s] == 0 || distances[s] == FAR)
            {
                continue;
            }
            for (const auto& next : m_parts.switches[s].neighbours)
            {
                const bool isLast = distances[s] == 1 && isEnd[next.sw];
                if (IsUsable(next.link, next.end) &&
                    (isLast || distances[next.sw] + 1 == distances[s]))
                {
                    const int64_t restPs = isLast ? 0 : wayPs[next.sw];
                    wayPs[s] =
                        std::max(wayPs[s],
                                 restPs + rtt.GetPs(*m_parts.switches[s].sw->PeekPort(next.port)));
                }
            }
            if (const int32_t rack = m_parts.switches[s].rack; rack >= 0)
            {
                note(s, root, nicPs[rack] + wayPs[s] + lastPs);
            }
        }
    }
    return longestPs;
}

} // namespace ns3::roce
