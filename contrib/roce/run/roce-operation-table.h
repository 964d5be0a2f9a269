// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_OPERATION_TABLE_H
#define ROCE_OPERATION_TABLE_H

#include "roce-run-writer.h"

#include "ns3/roce-rank-engine.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::roce
{

/// What the ranks of a run did and when: operations.csv.
struct OperationTable
{
    /// What Write() writes.
    static constexpr const char* FILE_NAME = "operations.csv";

    /**
     * @brief Write FILE_NAME: a row for each operation, by job, rank, start (those that have not
     * started last) and number.
     *
     * Columns job,rank,operation,kind,stream,peer,bytes,part,iteration,sent_ns,start_ns,end_ns.
     * operation is its number in the program's file, kind calc, send or recv. stream is empty if it
     * needs none. peer and bytes are empty for calc; of a receive from any rank, peer is the
     * sender, or empty. part and iteration are those of RankPart, or empty. sent_ns is when the
     * send of a receive's message began, empty without. start_ns and end_ns are empty before it has
     * started, and while it is not done.
     *
     * @param engine after RankEngine::Finish(), with logs
     * @param writer of the run
     * @throw InputError when it cannot be written
     */
    static void Write(const RankEngine& engine, RunWriter& writer);

    /// @param log of a rank. @return its operations in the order of rows
    static std::vector<uint32_t> InOrder(const std::vector<RankOpTimes>& log);

    /// @return calc, send or recv
    static const char* NameOf(RankOp::Kind kind);
};

} // namespace ns3::roce

#endif /* ROCE_OPERATION_TABLE_H */
