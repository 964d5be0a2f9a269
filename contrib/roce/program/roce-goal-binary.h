// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_GOAL_BINARY_H
#define ROCE_GOAL_BINARY_H

#include "roce-rank-program.h"

#include "ns3/roce-network-map.h"

#include <cstdint>
#include <iosfwd>
#include <string>

namespace ns3::roce
{

/// The binary form of GOAL, which LogGOPSim's txt2bin writes.
struct GoalBinary
{
    /// No text begins with it.
    static constexpr int FIRST_BYTE = 0x7f;

    static constexpr int64_t PS_PER_NS = 1000;

    /// The longest calculation.
    static constexpr uint64_t MAX_CALC_NS =
        static_cast<uint64_t>(NetworkMap::LONGEST_RUN_PS / PS_PER_NS);

    /**
     * @param file of this form
     * @param path its name, for messages
     * @return what is in it, not checked
     * @throw InputError if it is of no such form, with the place in the file
     */
    static RankProgram Read(std::istream& file, const std::string& path);
};

} // namespace ns3::roce

#endif /* ROCE_GOAL_BINARY_H */
