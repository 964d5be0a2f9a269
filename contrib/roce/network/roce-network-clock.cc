// SPDX-License-Identifier: GPL-2.0-only
// The part of Network that sets when stations wake up.
#include "roce-network.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/bipartite.hpp>

namespace ns3::roce
{

namespace
{

/**
 * Divide switches into two halves that take turns: no link that is shorter than two beats joins two
 * of the same half.
 * @param beatPs length of a beat
 * @return by switch; empty if there is no such division
 */
std::vector<StationTurn>
FindTurns(const NetworkParts& parts, int64_t beatPs)
{
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
    Graph graph(parts.switches.size());
    for (const auto& entry : parts.links)
    {
        if (!entry.host && entry.link->GetDelayPs() < 2 * beatPs)
        {
            boost::add_edge(entry.ends[0], entry.ends[1], graph);
        }
    }
    std::vector<boost::default_color_type> halves(parts.switches.size());
    const auto index = boost::get(boost::vertex_index, graph);
    if (!boost::is_bipartite(graph,
                             index,
                             boost::make_iterator_property_map(halves.begin(), index)))
    {
        return {};
    }
    const auto first = boost::color_traits<boost::default_color_type>::white();
    std::vector<StationTurn> turns;
    for (const boost::default_color_type half : halves)
    {
        turns.push_back(half == first ? StationTurn::EVEN : StationTurn::ODD);
    }
    return turns;
}

} // namespace

/// Have all stations share the clock. They take turns if they can.
void
Network::StartClock()
{
    int64_t leastPs = NEVER_PS;
    int64_t mostPs = 0;
    const auto note = [&leastPs, &mostPs](const Station& station) {
        leastPs = std::min(leastPs, station.GetSlackPs());
        mostPs = std::max(mostPs, station.GetSlackPs());
    };
    for (const auto& entry : m_parts.nics)
    {
        note(*entry.nic);
    }
    for (const auto& entry : m_parts.switches)
    {
        note(*entry.sw);
    }
    std::vector<StationTurn> turns;
    if (leastPs == mostPs && leastPs > 0)
    {
        turns = FindTurns(m_parts, leastPs);
    }
    if (turns.empty())
    {
        turns.resize(m_parts.switches.size(), StationTurn::EACH);
    }
    else
    {
        m_clock->SetBeat(leastPs);
    }
    for (const auto& entry : m_parts.nics)
    {
        entry.nic->SetClock(m_clock.get());
    }
    for (uint32_t s = 0; s < m_parts.switches.size(); ++s)
    {
        m_parts.switches[s].sw->SetClock(m_clock.get(), turns[s]);
    }
}

} // namespace ns3::roce
