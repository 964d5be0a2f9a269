// SPDX-License-Identifier: GPL-2.0-only
// The part of Network that sets when stations wake up.
#include "roce-network.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/bipartite.hpp>

namespace ns3::roce
{

/**
 * Divide switches into two halves that take turns: no link that is shorter than two beats joins two
 * of the same half.
 * @param beatPs length of a beat
 * @return by switch; empty if there is no such division
 */
std::vector<StationTurn>
Network::FindTurns(int64_t beatPs) const
{
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
    Graph graph(m_switches.size());
    for (const LinkEntry& entry : m_links)
    {
        if (!entry.host && entry.link->GetDelayPs() < 2 * beatPs)
        {
            boost::add_edge(entry.ends[0], entry.ends[1], graph);
        }
    }
    std::vector<boost::default_color_type> halves(m_switches.size());
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
    for (const NicEntry& entry : m_nics)
    {
        note(*entry.nic);
    }
    for (const SwitchEntry& entry : m_switches)
    {
        note(*entry.sw);
    }
    std::vector<StationTurn> turns;
    if (leastPs == mostPs && leastPs > 0)
    {
        turns = FindTurns(leastPs);
    }
    if (turns.empty())
    {
        turns.resize(m_switches.size(), StationTurn::EACH);
    }
    else
    {
        m_clock->SetBeat(leastPs);
    }
    for (const NicEntry& entry : m_nics)
    {
        entry.nic->SetClock(m_clock.get());
    }
    for (uint32_t s = 0; s < m_switches.size(); ++s)
    {
        m_switches[s].sw->SetClock(m_clock.get(), turns[s]);
    }
}

} // namespace ns3::roce
