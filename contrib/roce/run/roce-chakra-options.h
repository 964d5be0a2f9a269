// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_CHAKRA_OPTIONS_H
#define ROCE_CHAKRA_OPTIONS_H

#include "ns3/roce-chakra-program.h"
#include "ns3/roce-option-table.h"

#include <string>

namespace ns3::roce
{

/// The options of a program for Chakra execution traces: --pattern=chakra.
struct ChakraOptions
{
    std::string trace;  //!< prefix of the files
    std::string groups; //!< file of process groups; empty: none
    std::string levels; //!< see CollectiveProgram::ParseLevels()
    ChakraProgram rules;

    /// @brief Make every parameter an option. @param table of the program
    void AddOptions(OptionTable& table);

    /// @return the program of the traces. @throw InputError for a file or values that make no sense
    RankProgram Read() const;
};

} // namespace ns3::roce

#endif /* ROCE_CHAKRA_OPTIONS_H */
