// SPDX-License-Identifier: GPL-2.0-only
#include "roce-hpcc-longest.h"

#include "ns3/roce-ideal-fct.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::roce
{

namespace
{

/// @return whole bytes that a link carries in a time.
uint64_t
ProductBytes(int64_t ps, uint64_t rateBps)
{
    __extension__ using Uint128 = unsigned __int128;
    return static_cast<uint64_t>(static_cast<Uint128>(ps) * rateBps / 8'000'000'000'000);
}

/// A link seen from one end: the other node, rate, delay.
using Hop = std::tuple<uint32_t, uint64_t, int64_t>;

/// A way through the network.
struct Way
{
    int64_t rttPs{-1}; //!< less than 0: there is none
    uint64_t rateBps{std::numeric_limits<uint64_t>::max()};

    bool IsLongerThan(const Way& other) const
    {
        return std::tie(rttPs, rateBps) > std::tie(other.rttPs, other.rateBps);
    }

    /// @return whether it is quicker, or as quick and wider
    bool IsBetterThan(const Way& other) const
    {
        return other.rttPs < 0 || std::tie(rttPs, other.rateBps) < std::tie(other.rttPs, rateBps);
    }
};

/// The switches and NICs of a file, and the longest of the shortest ways between them.
class Graph
{
  public:
    Graph(const HpccTopology& topology, uint32_t payloadBytes)
        : m_topology(topology),
          m_payloadBytes(payloadBytes),
          m_hops(topology.isSwitch.size())
    {
        for (const HpccTopology::LinkLine& link : topology.links)
        {
            m_hops[link.a].emplace_back(link.b, link.rateBps, link.delayPs);
            m_hops[link.b].emplace_back(link.a, link.rateBps, link.delayPs);
            if (!topology.isSwitch[link.a] || !topology.isSwitch[link.b])
            {
                const uint32_t sw = topology.isSwitch[link.a] ? link.a : link.b;
                m_nics.emplace_back(sw, link.rateBps, link.delayPs);
            }
        }
    }

    /**
     * @return some NICs: two of each kind, at different switches if there are such. Of one kind
     * are those with the same link at switches that have the same links to the same switches.
     * Exchanging such switches changes nothing, so the longest of all ways is between two of these.
     */
    std::vector<uint32_t> FindRepresentatives() const
    {
        std::map<std::pair<std::vector<Hop>, Hop>, std::vector<uint32_t>> kinds;
        std::map<uint32_t, std::vector<Hop>> uplinks;
        for (uint32_t nic = 0; nic < m_nics.size(); ++nic)
        {
            const auto [sw, rateBps, delayPs] = m_nics[nic];
            const auto [links, isNew] = uplinks.try_emplace(sw);
            if (isNew)
            {
                std::copy_if(
                    m_hops[sw].begin(),
                    m_hops[sw].end(),
                    std::back_inserter(links->second),
                    [this](const Hop& hop) { return m_topology.isSwitch[std::get<0>(hop)]; });
                std::sort(links->second.begin(), links->second.end());
            }
            std::vector<uint32_t>& some = kinds[{links->second, Hop{0, rateBps, delayPs}}];
            if (some.size() < 2)
            {
                some.push_back(nic);
            }
            else if (SwitchOf(some[0]) == SwitchOf(some[1]))
            {
                some[1] = nic;
            }
        }
        std::vector<uint32_t> nics;
        for (const auto& [kind, some] : kinds)
        {
            nics.insert(nics.end(), some.begin(), some.end());
        }
        return nics;
    }

    /// @return the longest of the shortest ways from each switch to a NIC (LCMP: the quickest).
    std::vector<Way> FindWaysTo(uint32_t nic) const
    {
        std::vector<Way> ways(m_hops.size());
        std::vector<uint32_t> links(m_hops.size(), 0); // on the way; 0: not reached
        std::vector<uint32_t> order{SwitchOf(nic)};
        links[order.front()] = 1;
        ways[order.front()] = Extend(m_nics[nic], Way{0});
        for (std::size_t i = 0; i < order.size(); ++i)
        {
            const uint32_t sw = order[i]; // all ways of fewer links are known
            for (const Hop& hop : m_hops[sw])
            {
                const uint32_t next = std::get<0>(hop);
                if (!m_topology.isSwitch[next])
                {
                    continue;
                }
                if (!links[next])
                {
                    links[next] = links[sw] + 1;
                    order.push_back(next);
                }
                if (links[next] == links[sw] + 1)
                {
                    const Way way = Extend(hop, ways[sw]);
                    // Of equal numbers of links, LCMP takes the quickest; the others, whichever
                    // they find first.
                    const bool replaces = m_topology.layout == HpccTopology::Layout::LCMP
                                              ? way.IsBetterThan(ways[next])
                                              : way.IsLongerThan(ways[next]);
                    ways[next] = replaces ? way : ways[next];
                }
            }
        }
        return ways;
    }

    /// @return a way with a NIC's link in front. @param ways from switches
    Way From(uint32_t nic, const std::vector<Way>& ways) const
    {
        const Way& way = ways[SwitchOf(nic)];
        return way.rttPs < 0 ? way : Extend(m_nics[nic], way);
    }

    uint64_t GetRateBps(uint32_t nic) const
    {
        return std::get<1>(m_nics[nic]);
    }

  private:
    uint32_t SwitchOf(uint32_t nic) const
    {
        return std::get<0>(m_nics[nic]);
    }

    Way Extend(const Hop& hop, const Way& way) const
    {
        const auto [node, rateBps, delayPs] = hop;
        return {way.rttPs + 2 * delayPs + IdealFct::SerialisationPs(m_payloadBytes, rateBps),
                std::min(way.rateBps, rateBps)};
    }

    const HpccTopology& m_topology;
    const uint32_t m_payloadBytes;
    std::vector<std::vector<Hop>> m_hops; //!< by node
    std::vector<Hop> m_nics;              //!< to the switch, by NIC
};

} // namespace

HpccLongest
HpccLongest::Find(const HpccTopology& topology, uint32_t payloadBytes)
{
    const Graph graph(topology, payloadBytes);
    const std::vector<uint32_t> nics = graph.FindRepresentatives();
    HpccLongest longest;
    for (const uint32_t dst : nics)
    {
        const std::vector<Way> ways = graph.FindWaysTo(dst);
        for (const uint32_t src : nics)
        {
            const Way way = graph.From(src, ways);
            if (src == dst || way.rttPs < 0)
            {
                continue;
            }
            longest.rttPs = std::max(longest.rttPs, way.rttPs);
            longest.bdpBytes = std::max(longest.bdpBytes, ProductBytes(way.rttPs, way.rateBps));
        }
    }
    for (const uint32_t nic : nics)
    {
        longest.isProduct = longest.isProduct &&
                            longest.bdpBytes == ProductBytes(longest.rttPs, graph.GetRateBps(nic));
    }
    return longest;
}

} // namespace ns3::roce
