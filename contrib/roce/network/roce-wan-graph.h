// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WAN_GRAPH_H
#define ROCE_WAN_GRAPH_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

/// Links between datacenters that are not all alike.
struct WanGraph
{
    /// A link between two datacenters.
    struct Line
    {
        uint32_t a;
        uint32_t b;
        DataRate rate;
        Time delay; //!< one way
    };

    std::vector<Line> links;

    /**
     * @brief Read lines `a b rate delay`, where a and b are numbers of datacenters, from 0. Several
     * lines for the same two are parallel links.
     * @param text a file, or the name of a known graph: lcmp8
     * @param datacenters how many there are
     * @throw InputError naming file and line
     */
    static WanGraph Read(const std::string& text, uint32_t datacenters);
};

} // namespace ns3::roce

#endif /* ROCE_WAN_GRAPH_H */
