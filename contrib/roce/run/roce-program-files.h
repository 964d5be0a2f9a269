// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PROGRAM_FILES_H
#define ROCE_PROGRAM_FILES_H

#include "ns3/roce-flow-spec.h"
#include "ns3/roce-option-table.h"

#include <string>
#include <vector>

namespace ns3::roce
{

/// Files of the programs that the ranks of a run have, for other simulators or another run.
struct ProgramFiles
{
    std::string goal;  //!< GOAL as text; empty: none
    std::string trace; //!< prefix of Chakra traces; empty: none

    /// @brief Make every parameter an option. @param table of the program
    void AddOptions(OptionTable& table);

    /// @return whether there is something to write
    bool IsOn() const
    {
        return !goal.empty() || !trace.empty();
    }

    /**
     * @brief Write the programs. If there are several jobs, each has files of its own, with the
     * job's name, or its number, added to `goal` and `trace` after a dot.
     * @param flows of the run; with ranks
     * @return what is to be said of it, or nothing
     * @throw InputError for what a form cannot have, or a file that cannot be written
     */
    std::vector<std::string> Write(const std::vector<FlowSpec>& flows) const;
};

} // namespace ns3::roce

#endif /* ROCE_PROGRAM_FILES_H */
