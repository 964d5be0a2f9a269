// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_GOAL_FILE_H
#define ROCE_GOAL_FILE_H

#include "roce-rank-program.h"

#include <cstdint>
#include <iosfwd>
#include <string>

namespace ns3::roce
{

/**
 * @brief Schedules in GOAL, as LogGOPSim and ATLAHS read them: text, and the binary form that
 * LogGOPSim's txt2bin makes of it.
 *
 * Text, a statement each line, with comments after two slashes and between slash-star and
 * star-slash:
 *
 *     num_ranks 2
 *     rank 0 {
 *     l1: calc 1000 [cpu 0]                             (nanoseconds)
 *     l2: send 1048576b to 1 [tag 0] [cpu 0] [nic 0]
 *     l2 requires l1                                    (starts after l1 is done)
 *     }
 *     rank 1 {
 *     l1: recv 1048576b from 0 [tag 0] [cpu 0] [nic 0]  (from -1: any, tag -1: any)
 *     l2: calc 500
 *     l2 irequires l1                                   (starts after l1 has started)
 *     }
 *
 * Labels are of one rank and may be left out. CPUs and NICs are 0 to 255.
 */
struct GoalFile
{
    static constexpr uint64_t MAX_TAG = UINT32_MAX - 1; //!< the binary form's largest is any tag
    static constexpr uint16_t MAX_UNIT = UINT8_MAX;     //!< CPU or NIC

    /**
     * @param path of a file in either form
     * @return what Check() finds in order
     * @throw InputError for whatever does not fit, with the file and, of text, the line
     */
    static RankProgram Read(const std::string& path);

    /**
     * @brief Write GOAL text; operations are called l1, l2, ... in their order.
     *
     * What needs no stream gets a CPU that no other has; without RankCosts::overheadPs that is the
     * same.
     * @param out where to
     * @param program durations are rounded to nanoseconds
     * @throw InputError for what GOAL has no words for: operations that may have to wait for one
     * that holds their stream (RankOp::holdsUntil), calculations without stream that may be at the
     * same time, a CPU, NIC or tag that is too large
     */
    static void WriteText(std::ostream& out, const RankProgram& program);
};

} // namespace ns3::roce

#endif /* ROCE_GOAL_FILE_H */
