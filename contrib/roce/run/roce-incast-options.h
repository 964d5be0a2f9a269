// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_INCAST_OPTIONS_H
#define ROCE_INCAST_OPTIONS_H

#include "roce-command-line.h"

#include "ns3/nstime.h"
#include "ns3/roce-flow-spec.h"
#include "ns3/roce-topology.h"
#include "ns3/roce-workload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief The options of a program for the pattern incast (IncastWorkload), all with the prefix
 * "incast".
 */
struct IncastOptions
{
    uint32_t senders{16};
    uint64_t bytes{500000};
    Time period{0};
    double load{0};
    std::string from{"all"};
    std::string localSenders{"-1"}; //!< -1: as from says
    bool spread{false};
    Time jitter{0};
    std::string receiver; //!< empty: random

    /// @brief Make every parameter an option. @param cmd command line
    void AddOptions(CheckedCommandLine& cmd);

    /**
     * @brief Draw the flows.
     * @param topology where the hosts stand
     * @param duration of repeated incasts
     * @return flows, see IncastWorkload
     * @throw InputError for bad values, naming the option
     */
    std::vector<FlowSpec> Generate(const Topology& topology, const Time& duration) const;

    /// @return all names, for a run without this pattern
    static std::vector<std::string> GetNames();

    /// @return whether there are incasts for as long as the arrivals last
    bool IsRepeated() const
    {
        return load != 0 || !period.IsZero();
    }

    /// Look at what a run without this pattern does not. @throw InputError for bad values
    void Check(uint32_t nNics) const;

  private:
    IncastSenders GetSenders() const;
    std::optional<uint32_t> GetLocalSenders() const;
    std::optional<uint32_t> GetReceiver(uint32_t nNics) const;
};

} // namespace ns3::roce

#endif /* ROCE_INCAST_OPTIONS_H */
