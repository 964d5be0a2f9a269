// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NETWORK_BOXES_H
#define ROCE_NETWORK_BOXES_H

#include "ns3/roce-network.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief What a picture of a network shows: boxes, which are hosts and switches, and lines, which
 * are links.
 *
 * Of a network with more than MOST nodes or MOST_LINES links, hosts at the same switches are one
 * box. If that is not enough, so are all nodes with the same place in a pod, and then those in a
 * datacenter: nodes of a tier that have the same numbers of the same links to nodes that have the
 * same. A pod is a part of a datacenter with two switches or more that only higher tiers join to
 * the others.
 */
struct NetworkBoxes
{
    /// Boxes that are not put together any further; half as many of pods, whose names are longer.
    static constexpr std::size_t MOST = 120;

    static constexpr std::size_t MOST_LINES = 400; //!< likewise

    static constexpr uint32_t NO_POD = UINT32_MAX;

    /// Rate in bit/s and delay in picoseconds.
    using LinkKind = std::pair<uint64_t, int64_t>;

    /// A host or a switch.
    struct Node
    {
        std::string name;
        uint32_t datacenter;
        uint32_t tier; //!< links to the nearest host; 0: a host
        uint32_t pod;  //!< its number in the network; NO_POD
        std::vector<std::pair<std::size_t, LinkKind>> links; //!< to other nodes
    };

    /// Links that are one line: boxes at the ends, and what they are.
    using Line = std::tuple<std::size_t, std::size_t, LinkKind>;

    /// @param network with its hosts, switches and links
    explicit NetworkBoxes(const Network& network);

    /// @return the first node of a box
    const Node& FirstOf(std::size_t box) const
    {
        return nodes[boxes[box].front()];
    }

    std::vector<Node> nodes;               //!< tier by tier
    std::map<LinkKind, std::size_t> kinds; //!< number of links
    uint32_t tiers{1};                     //!< number of them
    unsigned level{0}; //!< what a box is: 0 a node, 1 hosts of the same switches, 2 equals of a
                       //!< pod, 3 of a datacenter
    std::vector<std::vector<std::size_t>> boxes; //!< nodes, at least one
    std::vector<std::size_t> boxOf;              //!< by node
    std::map<Line, std::size_t> lines;           //!< number of links

  private:
    void FindPods();
    std::vector<std::size_t> PutTogether() const;
    bool MakeBoxes();

    uint32_t m_nPods{0};
};

} // namespace ns3::roce

#endif /* ROCE_NETWORK_BOXES_H */
