// SPDX-License-Identifier: GPL-2.0-only
#include "roce-expected-traffic.h"

#include "roce-network-map.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

// Switches of NICs that are joined to the same switches are twins: frames to any of them take the
// same ways up to the switches next to them. So one search for shortest paths serves all twins, as
// for the routes (NetworkRoutes).

namespace ns3::roce
{

namespace
{

constexpr uint32_t UNREACHED = std::numeric_limits<uint32_t>::max();
constexpr uint32_t NO_TWINS = UNREACHED;

/// @return some work for being there: an eighth of the mean
double
BaseOf(const std::vector<double>& work)
{
    return work.empty() ? 0
                        : std::accumulate(work.begin(), work.end(), 0.0) /
                              (8.0 * static_cast<double>(work.size()));
}

} // namespace

ExpectedTraffic::ExpectedTraffic(const NetworkParts& parts, const std::vector<ExpectedFlow>& flows)
    : m_isKnown(!flows.empty()),
      m_nics(parts.nics.size()),
      m_switches(parts.switches.size()),
      m_links(parts.links.size())
{
    if (!m_isKnown)
    {
        return;
    }
    FindTwins(parts);
    std::vector<std::vector<Part>> to(m_twins.size());
    for (const ExpectedFlow& flow : flows)
    {
        const auto& src = parts.nics[flow.src];
        const auto& dst = parts.nics[flow.dst];
        const uint64_t mtu = src.nic->GetMtuBytes();
        const auto frames =
            static_cast<double>(std::max<uint64_t>(1, (flow.bytes + mtu - 1) / mtu));
        m_nics[flow.src] += 2 * frames;
        m_nics[flow.dst] += 2 * frames;
        to[m_twinsOf[dst.sw]].push_back({src.sw, dst.sw, frames});
        to[m_twinsOf[src.sw]].push_back({dst.sw, src.sw, frames}); // ACKs
    }
    for (uint32_t twins = 0; twins < to.size(); ++twins)
    {
        Spread(parts, twins, to[twins]);
    }
    for (uint32_t l = 0; l < m_links.size(); ++l)
    {
        m_links[l] += parts.links[l].host ? m_nics[parts.links[l].ends[0]] : 0;
    }
    m_nicBase = BaseOf(m_nics);
    m_switchBase = BaseOf(m_switches);
}

void
ExpectedTraffic::FindTwins(const NetworkParts& parts)
{
    m_twinsOf.assign(parts.switches.size(), NO_TWINS);
    std::map<std::vector<uint32_t>, uint32_t> known;
    for (const auto& nic : parts.nics)
    {
        if (m_twinsOf[nic.sw] != NO_TWINS)
        {
            continue;
        }
        std::vector<uint32_t> ends; // parallel links count
        for (const auto& next : parts.switches[nic.sw].neighbours)
        {
            ends.push_back(next.sw);
        }
        std::sort(ends.begin(), ends.end());
        const auto number = static_cast<uint32_t>(m_twins.size());
        const auto [it, isNew] = known.try_emplace(std::move(ends), number);
        if (isNew)
        {
            m_twins.emplace_back();
        }
        m_twinsOf[nic.sw] = it->second;
        m_twins[it->second].push_back(nic.sw);
    }
}

/// @param destination a switch
void
ExpectedTraffic::FindDistances(const NetworkParts& parts, uint32_t destination)
{
    m_distances.assign(parts.switches.size(), UNREACHED);
    m_order.assign(1, destination);
    m_distances[destination] = 0;
    for (std::size_t i = 0; i < m_order.size(); ++i)
    {
        for (const auto& next : parts.switches[m_order[i]].neighbours)
        {
            if (m_distances[next.sw] == UNREACHED)
            {
                m_distances[next.sw] = m_distances[m_order[i]] + 1;
                m_order.push_back(next.sw);
            }
        }
    }
}

/// Have frames to some twins go there. @param twins number of their set @param flows the frames
void
ExpectedTraffic::Spread(const NetworkParts& parts, uint32_t twins, const std::vector<Part>& flows)
{
    if (flows.empty())
    {
        return;
    }
    const uint32_t root = m_twins[twins].front();
    FindDistances(parts, root);
    m_waiting.assign(parts.switches.size(), 0);
    double fromOutside = 0;
    std::map<uint32_t, double> arriving; // from outside, by twin
    for (const Part& flow : flows)
    {
        m_switches[flow.dst] += flow.frames;
        if (flow.src != flow.dst)
        {
            m_waiting[flow.src] += flow.frames;
        }
        if (m_twinsOf[flow.src] != twins)
        {
            fromOutside += flow.frames;
            arriving[flow.dst] += flow.frames;
        }
    }
    // Those to another twin begin by going to one of the switches next to both.
    const auto& nearest = parts.switches[root].neighbours;
    std::vector<double> up(parts.switches.size()); // to each of these, from twins
    for (const uint32_t twin : m_twins[twins])
    {
        const double frames = m_waiting[twin];
        m_waiting[twin] = 0;
        m_switches[twin] += frames;
        for (const auto& next : parts.switches[twin].neighbours)
        {
            const double share = frames / static_cast<double>(nearest.size());
            m_links[next.link] += share;
            up[next.sw] += share;
        }
    }
    for (std::size_t i = m_order.size(); i-- > 1;)
    {
        const uint32_t at = m_order[i];
        const double frames = m_waiting[at] + up[at];
        if (frames == 0)
        {
            continue;
        }
        m_switches[at] += frames;
        const uint32_t distance = m_distances[at];
        const auto& neighbours = parts.switches[at].neighbours;
        if (distance == 1)
        {
            // From here to each twin what it gets, about.
            for (const auto& next : neighbours)
            {
                if (m_twinsOf[next.sw] == twins)
                {
                    const auto found = arriving.find(next.sw);
                    const double part = fromOutside > 0 && found != arriving.end()
                                            ? found->second / fromOutside
                                            : 0;
                    const double even = 1.0 / static_cast<double>(m_twins[twins].size());
                    m_links[next.link] += m_waiting[at] * part + up[at] * even;
                }
            }
            continue;
        }
        const auto isNext = [this, distance](const auto& next) {
            return m_distances[next.sw] + 1 == distance;
        };
        const auto n = std::count_if(neighbours.begin(), neighbours.end(), isNext);
        for (const auto& next : neighbours)
        {
            if (isNext(next))
            {
                m_waiting[next.sw] += frames / static_cast<double>(n);
                m_links[next.link] += frames / static_cast<double>(n);
            }
        }
    }
}

} // namespace ns3::roce
