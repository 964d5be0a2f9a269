// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_ON_OFF_OPTIONS_H
#define ROCE_ON_OFF_OPTIONS_H

#include "roce-command-line.h"

#include "ns3/nstime.h"
#include "ns3/roce-flow-spec.h"
#include "ns3/roce-topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief The options of a program for the pattern onoff (OnOffWorkload): training traffic of
 * PARALEON, section IV-B.
 */
struct OnOffOptions
{
    uint32_t workers{20};                  //!< 2 or more, at most the NICs
    std::string workerPlacement{"spread"}; //!< or contiguous
    uint64_t workerBytes{12000000};        //!< to each other worker and round
    uint32_t rounds{5};                    //!< at least 1
    Time offTime{MilliSeconds(20)};        //!< 0 or more
    std::string roundMode{"closedLoop"};   //!< or fixedPeriod

    /// @brief Make every parameter an option. @param cmd command line
    void AddOptions(CheckedCommandLine& cmd);

    /**
     * @brief Lay out the rounds; no randomness.
     * @param topology where the hosts are
     * @return flows, see OnOffWorkload
     * @throw InputError for bad values, naming the option
     */
    std::vector<FlowSpec> Generate(const Topology& topology) const;

    /// @return all names, for a run without this pattern
    static std::vector<std::string> GetNames();

    /// @return options that change nothing where the pattern is used
    std::vector<UnusedOptions> GetUnused() const;

    /// @return whether a round waits for the one before (see FlowPhases). @throw InputError
    bool IsClosedLoop() const;

    /// Check values that a run without this pattern does not use. @throw InputError for bad values
    void Check() const;
};

} // namespace ns3::roce

#endif /* ROCE_ON_OFF_OPTIONS_H */
