// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network-boxes.h"

#include "roce-netanim-file.h"

#include "ns3/node.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace ns3::roce
{

NetworkBoxes::NetworkBoxes(const Network& network)
{
    std::map<uint32_t, uint32_t> datacenters; // by node id
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        datacenters[network.GetNic(n)->GetNode()->GetId()] = network.GetDatacenter(n);
    }
    for (uint32_t s = 0; s < network.GetNSwitches(); ++s)
    {
        datacenters[network.GetSwitch(s)->GetNodeId()] = network.GetSwitch(s)->GetDatacenter();
    }
    std::map<uint32_t, std::size_t> numbers; // by node id
    for (const NetAnimFile::Place& place : NetAnimFile::GetLayout(network))
    {
        numbers[place.node] = nodes.size();
        nodes.push_back({place.name, datacenters[place.node], place.tier, NO_POD, {}});
        tiers = std::max(tiers, place.tier + 1);
    }
    for (uint32_t l = 0; l < network.GetNLinks(); ++l)
    {
        const Link& link = network.GetLink(l);
        const LinkKind kind{link.GetPort(0)->GetRateBps(), link.GetDelayPs()};
        const std::size_t a = numbers.at(link.GetPort(0)->GetNode()->GetId());
        const std::size_t b = numbers.at(link.GetPort(1)->GetNode()->GetId());
        nodes[a].links.emplace_back(b, kind);
        nodes[b].links.emplace_back(a, kind);
        ++kinds[kind];
    }
    FindPods();
    while (!MakeBoxes() && level < 3)
    {
        level += level == 1 && !m_nPods ? 2 : 1;
    }
}

/// Of the highest tier below which there is more than one part of a datacenter with two switches.
void
NetworkBoxes::FindPods()
{
    std::vector<std::size_t> root(nodes.size());
    const auto find = [&root](std::size_t node) {
        while (root[node] != node)
        {
            node = root[node] = root[root[node]];
        }
        return node;
    };
    std::map<uint32_t, bool> done; // datacenters that have their pods
    for (uint32_t tier = tiers - 1; tier > 0; --tier)
    {
        std::iota(root.begin(), root.end(), 0);
        const auto isPart = [&](const Node& node) { return node.tier <= tier; };
        for (std::size_t n = 0; n < nodes.size(); ++n)
        {
            for (const auto& [other, kind] : nodes[n].links)
            {
                const Node& peer = nodes[other];
                if (isPart(nodes[n]) && isPart(peer) && peer.datacenter == nodes[n].datacenter)
                {
                    root[find(n)] = find(other);
                }
            }
        }
        std::map<std::size_t, std::size_t> switches; // by root
        std::map<uint32_t, std::set<std::size_t>> parts;
        for (std::size_t n = 0; n < nodes.size(); ++n)
        {
            if (isPart(nodes[n]) && nodes[n].tier)
            {
                parts[nodes[n].datacenter].insert(find(n));
                ++switches[find(n)];
            }
        }
        for (const auto& [datacenter, roots] : parts)
        {
            const bool isMade = std::all_of(roots.begin(), roots.end(), [&](std::size_t r) {
                return switches[r] > 1;
            });
            if (roots.size() < 2 || !isMade || done[datacenter])
            {
                continue;
            }
            done[datacenter] = true;
            std::map<std::size_t, uint32_t> pods; // by root, numbered in the order of nodes
            for (std::size_t n = 0; n < nodes.size(); ++n)
            {
                if (nodes[n].datacenter == datacenter && isPart(nodes[n]))
                {
                    const auto [pod, isNew] = pods.try_emplace(find(n), m_nPods);
                    m_nPods += isNew;
                    nodes[n].pod = pod->second;
                }
            }
        }
    }
}

/// @return a class for each node, numbered in the order of nodes; see level
std::vector<std::size_t>
NetworkBoxes::PutTogether() const
{
    std::vector<std::size_t> classes(nodes.size());
    std::iota(classes.begin(), classes.end(), 0);
    if (level == 0)
    {
        return classes;
    }
    using Links = std::vector<std::pair<std::size_t, LinkKind>>; // to classes
    const auto linksOf = [&](std::size_t n) {
        Links links = nodes[n].links;
        for (auto& [other, kind] : links)
        {
            other = classes[other];
        }
        std::sort(links.begin(), links.end());
        return links;
    };
    if (level > 1)
    {
        std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::size_t> first;
        for (std::size_t n = 0; n < nodes.size(); ++n)
        {
            const Node& node = nodes[n];
            const uint32_t pod = level == 2 ? node.pod : 0;
            classes[n] =
                first.try_emplace({node.datacenter, node.tier, pod}, first.size()).first->second;
        }
    }
    // Each round tells apart what has links to classes that the one before has told apart.
    std::size_t before = 0;
    std::size_t count = 0;
    do
    {
        before = count;
        std::map<std::pair<std::size_t, Links>, std::size_t> first;
        std::vector<std::size_t> next(nodes.size());
        for (std::size_t n = 0; n < nodes.size(); ++n)
        {
            const bool isAlone = level == 1 && nodes[n].tier;
            const std::size_t own = level == 1 && !isAlone ? nodes.size() : classes[n];
            next[n] = first.try_emplace({own, isAlone ? Links() : linksOf(n)}, first.size())
                          .first->second;
        }
        count = first.size();
        if (level == 1)
        {
            return next;
        }
        classes = next;
    } while (count != before && count <= MOST);
    return classes;
}

/// @return whether there are few enough of boxes and lines; otherwise lines may be missing, but not
/// at the last level
bool
NetworkBoxes::MakeBoxes()
{
    boxes.clear();
    boxOf.clear();
    lines.clear();
    const std::vector<std::size_t> classes = PutTogether();
    std::map<std::size_t, std::size_t> numbers; // by class
    for (std::size_t n = 0; n < nodes.size(); ++n)
    {
        const std::size_t box = numbers.try_emplace(classes[n], boxes.size()).first->second;
        boxes.resize(std::max(boxes.size(), box + 1));
        boxes[box].push_back(n);
        boxOf.push_back(box);
    }
    const bool isFew = boxes.size() <= (level < 2 ? MOST : MOST / 2);
    if (!isFew && level < 3)
    {
        return false;
    }
    for (std::size_t n = 0; n < nodes.size(); ++n)
    {
        for (const auto& [other, kind] : nodes[n].links)
        {
            const std::size_t a = boxOf[n];
            const std::size_t b = boxOf[other];
            // Each link is at both of its nodes.
            if (a < b || (a == b && n < other))
            {
                ++lines[{a, b, kind}];
            }
        }
    }
    return isFew && lines.size() <= MOST_LINES;
}

} // namespace ns3::roce
