// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RANK_LOG_H
#define ROCE_RANK_LOG_H

#include "roce-rank-program.h"

#include <cstdint>
#include <vector>

namespace ns3::roce
{

class RankExchange;

/// What has become of an operation.
struct RankOpTimes
{
    /// Picoseconds: a calculation or a send has its CPU, a receive is posted; -1: not yet
    int64_t startPs{-1};
    /// Picoseconds: it is done, as RankProgram says; -1: not yet. May be to come.
    int64_t endPs{-1};
    uint32_t from{RankOp::ANY_RANK}; //!< rank whose message a receive has got; ANY_RANK: none yet
    uint32_t send{RankOp::NO_OP};    //!< number of the operation that has sent it
};

/// What the ranks of a job did and when: 24 bytes for each operation, whatever the run's length.
struct RankLog
{
    std::vector<std::vector<RankOpTimes>> ranks; //!< by rank and operation

    /// @param program whose operations have not begun
    explicit RankLog(const RankProgram& program);

    /**
     * @brief Have what other processes know. Called by all of them; may be called again.
     * @param processes of the run
     * @param isHere by rank: whether this process has run it
     */
    void Gather(RankExchange& processes, const std::vector<bool>& isHere);
};

} // namespace ns3::roce

#endif /* ROCE_RANK_LOG_H */
