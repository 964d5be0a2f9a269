// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FLOW_READING_H
#define ROCE_FLOW_READING_H

#include "ns3/roce-edge-flow-table.h"

#include <cstdint>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief What a switch has counted of one flow since it was last read.
 */
struct FlowReading
{
    FlowKey flow;   //!< which
    uint64_t size;  //!< bytes or packets, as the counter's unit is; an estimate
    bool mayBePart; //!< the flow may have lost its place once: size holds what the light part has
};

} // namespace ns3::roce

#endif /* ROCE_FLOW_READING_H */
