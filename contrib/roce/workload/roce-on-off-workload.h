// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_ON_OFF_WORKLOAD_H
#define ROCE_ON_OFF_WORKLOAD_H

#include "roce-workload.h"

#include <cstdint>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Training traffic: some hosts, the workers, all send to each other (ON), then none sends
 * (OFF), and so on (PARALEON, section IV-B: 20 workers, 12 MB to each peer, 20 ms OFF).
 *
 * A closed loop waits for the last flow of a round, and then for the OFF time: round i is phase i+1
 * (FlowSpec::phase), so a run has one such job. With a fixed period, as in the generator of
 * PARALEON's authors, rounds begin in any case: ideal ON time and OFF time after each other. No
 * randomness.
 */
struct OnOffWorkload
{
    /// Which hosts are workers.
    enum class Placement : uint8_t
    {
        SPREAD,     //!< the first host of each rack, then the second of each, and so on
        CONTIGUOUS, //!< the first hosts
    };

    HostPlacement hosts;
    uint32_t workers{20};                   //!< 2 or more, at most the hosts
    Placement placement{Placement::SPREAD}; //!< SPREAD needs racks
    uint64_t sizeBytes{12000000};           //!< bytes per ordered pair and round
    uint32_t rounds{5};                     //!< at least 1
    int64_t offPs{20000000000};             //!< OFF time; 20 ms
    bool isClosedLoop{true};                //!< false: fixed period
    uint64_t hostRateBps{0};                //!< for the fixed period: rate of a host's link
    int64_t startPs{0};                     //!< start of the first round, picoseconds
    uint8_t trafficClass{3};                //!< 0..7
    uint8_t tag{2};                         //!< 2 marks training traffic

    /// @brief Make what a user chooses options. @param table of the program
    void AddOptions(OptionTable& table);

    /// @copydoc PoissonWorkload::Generate
    std::vector<FlowSpec> Generate() const;

    /// @return the workers, in the order of racks. @throw InputError as Generate()
    std::vector<uint32_t> GetWorkers() const;

    /// @return fixed period of a round, picoseconds: all that a worker sends in a round at
    /// hostRateBps, without headers, and offPs
    int64_t GetPeriodPs() const;
};

} // namespace ns3::roce

#endif /* ROCE_ON_OFF_WORKLOAD_H */
