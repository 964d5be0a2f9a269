// SPDX-License-Identifier: GPL-2.0-only
#include "roce-datacenter-edge.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-link.h"
#include "ns3/roce-port.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace ns3::roce
{

namespace
{

/// @return the switch at the other end of a port, or null. @param port connected
const Switch*
NeighbourAt(const Port& port)
{
    return dynamic_cast<const Switch*>(port.GetPeer()->GetOwner());
}

/**
 * @brief Visit the ports of the switches of a datacenter, switch by switch, the nearest first.
 * @tparam F callable with (const Switch&, port, propagation delay to the port's other end, ps)
 * @param sw where to begin @param visit called for each
 */
template <typename F>
void
ForPorts(const Switch& sw, F&& visit)
{
    std::set<const Switch*> seen{&sw}; // looked up, never walked
    std::vector<std::pair<const Switch*, int64_t>> reached{{&sw, 0}};
    for (std::size_t i = 0; i < reached.size(); ++i) // breadth first
    {
        const auto [at, delayPs] = reached[i];
        for (uint16_t p = 0; p < at->GetNPorts(); ++p)
        {
            const Port& port = *at->GetPort(p);
            const int64_t thenPs = delayPs + port.GetLink()->GetDelayPs();
            visit(*at, p, thenPs);
            if (!at->IsHostPort(p) && !at->IsWanPort(p) && seen.insert(NeighbourAt(port)).second)
            {
                reached.emplace_back(NeighbourAt(port), thenPs);
            }
        }
    }
}

} // namespace

void
DatacenterEdge::RequireWanLink(const Switch& sw, const std::string& who)
{
    for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
    {
        if (sw.IsWanPort(p))
        {
            return;
        }
    }
    throw InputError(who + ": switch " + sw.GetName() +
                     " has no link to another datacenter, expected it at switches of role dci only "
                     "(--edge)");
}

DatacenterEdge::Extent
DatacenterEdge::Measure(const Switch& sw)
{
    Extent extent;
    ForPorts(sw, [&](const Switch& at, uint16_t p, int64_t thenPs) {
        if (at.IsHostPort(p))
        {
            extent.fastestNicBps = std::max(extent.fastestNicBps, at.GetPort(p)->GetRateBps());
            extent.farthestNicPs = std::max(extent.farthestNicPs, thenPs);
        }
    });
    return extent;
}

uint32_t
DatacenterEdge::CountExternals(const Switch& sw)
{
    uint32_t count = 0;
    const Switch* last = nullptr;
    ForPorts(sw, [&](const Switch& at, uint16_t p, int64_t) {
        if (at.IsWanPort(p) && last != &at)
        {
            ++count;
            last = &at; // the ports of a switch come one after the other
        }
    });
    return count;
}

int64_t
DatacenterEdge::LongestRoundTripPs(const Switch& sw)
{
    int64_t longest = 0;
    for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
    {
        if (sw.IsWanPort(p))
        {
            const Port& port = *sw.GetPort(p);
            longest =
                std::max(longest,
                         port.GetLink()->GetDelayPs() + Measure(*NeighbourAt(port)).farthestNicPs);
        }
    }
    return 2 * (Measure(sw).farthestNicPs + longest);
}

} // namespace ns3::roce
