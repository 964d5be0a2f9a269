// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_ITERATION_TABLE_H
#define ROCE_ITERATION_TABLE_H

#include "roce-fct-stats.h"
#include "roce-run-writer.h"

#include "ns3/roce-network.h"

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace ns3::roce
{

/**
 * @brief How long each phase of a run's flows took (FlowSpec::phase), or each round of a collective
 * (RankPart::iteration), such as the iterations of a training job, against their time on an empty
 * network.
 *
 * An iteration lasts from the first start of its flows to the last of their last ACKs. Its ideal is
 * that of its slowest flow: base RTT of a full packet plus payload over the NIC's line rate,
 * without headers (Uno, section 5.1: measured over ideal runtime), and how much later than the
 * first one it starts. Flows of ranks wait for each other within the iteration: there the ideal
 * is a bound, the longest base RTT plus the payload of the NIC that sends or receives longest over
 * its line rate, as if none waited.
 */
class IterationTable
{
  public:
    /// What Write() writes.
    static constexpr const char* FILE_NAME = "iterations.csv";

    /// One iteration.
    struct Row
    {
        uint64_t flows{0};
        uint64_t unfinished{0}; //!< of them
        uint64_t bytes{0};      //!< payload of all flows, in both directions
        int64_t startPs{-1};    //!< -1: has not begun
        int64_t endPs{-1};      //!< -1: some flows are not done
        int64_t idealPs{0};
        uint64_t mostBytes{0}; //!< of what its hosts send each
    };

    /// @param network in which the flows ran. @param records of all flows
    IterationTable(const Network& network, const std::vector<FlowRecord>& records);

    /// @return the iteration it belongs to; 0: none
    static uint32_t NumberOf(const FlowSpec& flow);

    /// @return whether no flow has a phase or an iteration
    bool IsEmpty() const
    {
        return m_rows.empty();
    }

    /// @return phase 1, 2, ...
    const std::vector<Row>& GetRows() const
    {
        return m_rows;
    }

    /// @return duration over ideal of the finished iterations
    Distribution GetRatios() const;

    /// @return bus bandwidth of the finished iterations, Gbit/s; see Write()
    Distribution GetBusGbps() const;

    /// @return counts and ratios for summary.json
    nlohmann::ordered_json MakeJson() const;

    /**
     * @brief Write FILE_NAME: one row per iteration, counted from 1.
     *
     * Columns iteration,flows,bytes,start_ns,end_ns,duration_ns,ideal_ns,ratio,status,busbw_gbps.
     * What is not known of an unfinished iteration is empty. The last one is the bus bandwidth of
     * NCCL's tests for collectives of one GPU each host: what the host that sends most sends, over
     * the duration; of gigabits.
     *
     * @param writer of the run
     * @throw InputError when it cannot be written
     */
    void Write(RunWriter& writer) const;

    /// @brief One line for people, none if the table is empty. @param out where to
    void Print(std::ostream& out) const;

  private:
    std::vector<Row> m_rows;
};

} // namespace ns3::roce

#endif /* ROCE_ITERATION_TABLE_H */
