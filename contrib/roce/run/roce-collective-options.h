// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_COLLECTIVE_OPTIONS_H
#define ROCE_COLLECTIVE_OPTIONS_H

#include "roce-command-line.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/roce-collective-workload.h"
#include "ns3/roce-topology.h"
#include "ns3/roce-unused-options.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief The options of a program for the pattern collective (CollectiveWorkload).
 */
struct CollectiveOptions
{
    std::string collective{"ring-all-reduce"}; //!< see GetKind()
    std::string hosts{"all"};                  //!< NICs as 0-7,12, or all
    uint32_t gpusPerHost{1};
    uint64_t bytes{100000000};
    DataRate intraHostRate{0}; //!< 0: free
    uint32_t rounds{1};
    Time computeTime{0};

    /// @brief Make every parameter an option. @param cmd command line
    void AddOptions(CheckedCommandLine& cmd);

    /**
     * @brief Lay out the messages; no randomness.
     * @param topology where the hosts are
     * @return flows, see CollectiveWorkload
     * @throw InputError for bad values, naming the option
     */
    std::vector<FlowSpec> Generate(const Topology& topology) const;

    /// @return all names, for a run without this pattern
    static std::vector<std::string> GetNames();

    /// @return options that change nothing where the pattern is used
    std::vector<UnusedOptions> GetUnused() const;

    /**
     * @brief Check values that a run without this pattern does not use.
     * @param nNics of the network
     * @throw InputError for bad values
     */
    void Check(uint32_t nNics) const;

  private:
    CollectiveWorkload::Kind GetKind() const;
    std::vector<uint32_t> GetHosts(uint32_t nNics) const;
};

} // namespace ns3::roce

#endif /* ROCE_COLLECTIVE_OPTIONS_H */
