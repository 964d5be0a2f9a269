// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_CHAKRA_GRAPH_H
#define ROCE_CHAKRA_GRAPH_H

#include "roce-chakra-file.h"

#include <cstdint>
#include <vector>

namespace ns3::roce
{

/// A Chakra trace as a graph: its nodes are numbered from 0 in the order of their ids.
struct ChakraGraph
{
    /**
     * @param of trace, there longer than the graph
     * @throw InputError for an id that is there twice, one that is waited for and not there, and a
     * cycle
     */
    explicit ChakraGraph(const ChakraTrace& of);

    const ChakraTrace& trace;
    std::vector<const ChakraNode*> nodes;      //!< by number
    std::vector<std::vector<uint32_t>> before; //!< what each waits for, data or control
    /// All numbers, each after what it waits for; of those that could be next, the smallest.
    std::vector<uint32_t> order;
};

} // namespace ns3::roce

#endif /* ROCE_CHAKRA_GRAPH_H */
