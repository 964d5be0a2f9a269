// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RANK_TABLE_H
#define ROCE_RANK_TABLE_H

#include "roce-run-writer.h"

#include "ns3/roce-rank-engine.h"

#include <cstdint>
#include <iosfwd>
#include <vector>

namespace ns3::roce
{

/// When each rank of a run was done: ranks.csv.
class RankTable
{
  public:
    /// What Write() writes.
    static constexpr const char* FILE_NAME = "ranks.csv";

    /// @brief After the run, by all processes. @param engine of the run; null: it has no ranks
    explicit RankTable(RankEngine* engine);

    /// @return whether there are no ranks
    bool IsEmpty() const
    {
        return m_rows.empty();
    }

    /**
     * @brief Write FILE_NAME, with columns job,rank,end_ns,ideal_ns: when the rank was done, empty
     * if it was not, and when it would be on RankJob::ideal, empty without.
     * @param writer of the run
     * @throw InputError when it cannot be written
     */
    void Write(RunWriter& writer) const;

    /// @brief One line for people, none if the table is empty. @param out where to
    void Print(std::ostream& out) const;

  private:
    struct Row
    {
        std::size_t job;
        std::size_t rank;
        int64_t endPs;   //!< -1: never
        int64_t idealPs; //!< the same, or not asked for
    };

    std::vector<Row> m_rows;
};

} // namespace ns3::roce

#endif /* ROCE_RANK_TABLE_H */
