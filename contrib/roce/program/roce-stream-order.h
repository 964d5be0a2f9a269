// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_STREAM_ORDER_H
#define ROCE_STREAM_ORDER_H

#include "roce-rank-program.h"

#include <cstdint>

namespace ns3::roce
{

/// Whether streams decide anything, for formats of programs that have no such streams.
struct StreamOrder
{
    /**
     * @brief Find an operation that is not bound to be after another one with which it shares a
     * stream, so that one may have to wait for it.
     *
     * Looked at are calculations that take time, and operations that hold the stream
     * (RankOp::holdsUntil).
     * @param schedule checked
     * @param stream of them
     * @return number of the operation; RankOp::NO_OP: each waits for the one before anyway
     */
    static uint32_t FindUnordered(const RankSchedule& schedule, uint16_t stream);
};

} // namespace ns3::roce

#endif /* ROCE_STREAM_ORDER_H */
