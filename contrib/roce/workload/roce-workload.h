// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WORKLOAD_H
#define ROCE_WORKLOAD_H

#include "roce-flow-size-distribution.h"

#include "ns3/roce-flow-spec.h"
#include "ns3/roce-host-placement.h"
#include "ns3/roce-option-table.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Poisson arrivals of independent flows at every host, all hosts at the same rate.
 *
 * The arrival rate follows from the load and the mean flow size. Load is defined against the stated
 * reference, not against the bisection: with Host and few racks, the core sees less than the load.
 */
struct PoissonWorkload
{
    /// Flow sizes.
    FlowSizeDistribution sizes{FlowSizeDistribution::Named("websearch")};
    /// Sizes of flows between datacenters; none: the same.
    std::optional<FlowSizeDistribution> interSizes;
    HostPlacement hosts;   //!< rackOf is needed for LoadReference::Uplink and interRackOnly
    LoadCapacity capacity; //!< what the load refers to
    double load{0.5};      //!< above 0; up to 1 is sustainable, more than 10 is refused
    /**
     * Probability, 0..1, that a destination is in another datacenter; it is uniform over the hosts
     * on the side drawn. -1: uniform over all other hosts wherever they are.
     */
    double interFraction{-1};
    bool interRackOnly{false}; //!< never choose a destination in the sender's own rack
    /**
     * All flows go to this host. It replaces the sender in all of the above: its link carries the
     * load, interFraction is the share of its flows that come from other datacenters, sources are
     * uniform over the hosts on the side drawn. None: each host sends.
     */
    std::optional<uint32_t> receiver;
    /**
     * Only hosts of this datacenter send; all flows go to hosts of that one, uniformly, whatever
     * interFraction and interRackOnly say. Not with a receiver. None: of and to all.
     */
    std::optional<uint32_t> fromDatacenter;
    std::optional<uint32_t> toDatacenter;
    int64_t startPs{0};      //!< start of arrivals, picoseconds
    int64_t durationPs{0};   //!< arrivals are in [startPs, startPs + durationPs), above 0
    uint8_t trafficClass{3}; //!< 0..7
    uint8_t tag{0};          //!< copied to the flows
    /**
     * First ns-3 RNG stream. Host h uses stream+3h (arrivals), +3h+1 (sizes), +3h+2 (destinations),
     * so that none of the three shifts another, and more hosts do not shift the present ones. With
     * a receiver only its own three are used.
     */
    int64_t stream{0};

    /// @brief Make what a user chooses options. @param table of the program @param fixedSide why
    /// interFraction has no effect
    void AddOptions(OptionTable& table, const UnusedReason& fixedSide);

    /**
     * @brief Draw the flows; depends on the fields, the ns-3 seed and the ns-3 run only.
     * @return flows sorted by (startPs, src, dst), ids from 0
     * @throw InputError for an impossible configuration
     */
    std::vector<FlowSpec> Generate() const;

    /**
     * @brief Mean number of flows that Generate() draws.
     * @throw InputError as Generate()
     */
    double GetExpectedFlows() const;

    /// @brief Number of RNG streams used from `stream` on. @return 3 per host
    int64_t GetStreams() const;
};

/// Which hosts may send to the receiver of an incast.
enum class IncastSenders
{
    RemoteDatacenter, //!< hosts of other datacenters than the receiver's
    LocalDatacenter,  //!< other hosts of the receiver's datacenter
    All               //!< all other hosts
};

/// How an incast is repeated.
enum class IncastArrivals
{
    Once,     //!< at startPs only
    Periodic, //!< at startPs and after each period
    Poisson   //!< exponential gaps whose mean is the period, the first one after startPs
};

/**
 * @brief N distinct hosts send to one receiver at the same time, once or again and again.
 *
 * HPCC (SIGCOMM 2019, Fig. 11): 60 senders, 500 kB each, random receiver, Poisson, load 0.02.
 */
struct IncastWorkload
{
    HostPlacement hosts;   //!< rackOf is needed for spread
    uint32_t nSenders{16}; //!< senders per incast, at least 1
    /// Number of them in the receiver's datacenter, the others are elsewhere; none: see senders.
    std::optional<uint32_t> nLocalSenders;
    /**
     * Senders are in different racks, and not in the receiver's, for as long as there are any; then
     * each rack gives one more, and so on. Otherwise all choices are equally likely.
     */
    bool spread{false};
    uint64_t sizeBytes{500000};                    //!< bytes per sender; 0 sends empty messages
    std::optional<uint32_t> receiver;              //!< fixed receiver; none: drawn for each incast
    IncastSenders senders{IncastSenders::All};     //!< which hosts may send; drawn for each incast
    IncastArrivals arrivals{IncastArrivals::Once}; //!< repetition
    int64_t periodPs{0}; //!< (mean) gap between incasts; 0: derived from the load
    /**
     * Share of the sum of all host links' capacities that the incasts offer, (0, 10]; needs
     * hostRateBps. 0: use periodPs. Exactly one of the two is given, unless arrivals is Once.
     */
    double load{0};
    uint64_t hostRateBps{0}; //!< rate of one host's link, bit/s
    int64_t startPs{0};      //!< begin, picoseconds
    int64_t durationPs{0};   //!< incasts are in [startPs, startPs + durationPs); not used by Once
    int64_t jitterPs{0};     //!< each flow starts later by a time uniform in [0, jitterPs]
    uint8_t trafficClass{3}; //!< 0..7
    uint8_t tag{1};          //!< 1 marks incast flows
    /// First of four ns-3 RNG streams: gaps, receivers, senders, jitter.
    int64_t stream{0};

    /// @brief Make what a user chooses options. @param table of the program
    void AddOptions(OptionTable& table);

    /// @copydoc PoissonWorkload::Generate
    std::vector<FlowSpec> Generate() const;
};

/**
 * @brief Every host sends the same amount to every other host.
 *
 * In round r = 1..n-1 the i-th host sends to the (i+r)-th, counted round: each round is a
 * permutation. Round r begins at startPs + (r-1) * staggerPs. No randomness.
 */
struct AllToAllWorkload
{
    std::vector<uint32_t> hosts; //!< participants, in this order; at least 2, all different
    uint64_t sizeBytes{0};       //!< bytes per ordered pair
    int64_t startPs{0};          //!< begin, picoseconds
    int64_t staggerPs{0};        //!< gap between rounds, picoseconds; 0: all flows at once
    uint8_t trafficClass{3};     //!< 0..7
    uint8_t tag{0};              //!< copied to the flows

    /// @copydoc PoissonWorkload::Generate
    std::vector<FlowSpec> Generate() const;
};

/**
 * @brief Each host sends to one other host and receives from one, at random.
 *
 * Uniform over all permutations without a fixed point (shuffled until none is left, e tries on
 * average).
 */
struct PermutationWorkload
{
    uint32_t nHosts{0};      //!< at least 2
    uint64_t sizeBytes{0};   //!< bytes per flow
    int64_t startPs{0};      //!< start of all flows, picoseconds
    uint8_t trafficClass{3}; //!< 0..7
    uint8_t tag{0};          //!< copied to the flows
    int64_t stream{0};       //!< the one ns-3 RNG stream used

    /// @copydoc PoissonWorkload::Generate
    std::vector<FlowSpec> Generate() const;
};

/**
 * @brief Training traffic: in each iteration, every group's two hosts, one in each of two
 * datacenters, send each other their share of the gradients; the next iteration begins when all
 * have what was sent and a time of computing is over.
 *
 * Data-parallel training of one replica in each datacenter, whose hosts hold a share of the model
 * each (Uno, section 5.1: 70-500 MiB per iteration, without details). Assumptions: an all-reduce of
 * two replicas is one exchange (each host sends its share and receives the other's); groups are
 * independent and of equal size; the amount is drawn for each iteration; within a datacenter
 * nothing is sent; each transfer is a queue pair of its own, so congestion control starts again.
 *
 * Iteration i is phase i+1 (FlowSpec::phase), so a run has one such job.
 */
struct AllReduceWorkload
{
    HostPlacement hosts;         //!< two datacenters; with rackOf the groups are in different racks
    uint32_t groups{8};          //!< at least 1, at most the hosts of the smaller datacenter
    uint32_t iterations{100};    //!< at least 1
    uint64_t minBytes{73400320}; //!< amount of one iteration in each direction, all groups; 70 MiB
    uint64_t maxBytes{524288000};  //!< uniform up to this; 500 MiB
    int64_t computePs{1000000000}; //!< pause between iterations; 1 ms
    int64_t startPs{0};            //!< start of the first, picoseconds
    uint8_t trafficClass{3};       //!< 0..7
    uint8_t tag{2};                //!< 2 marks training traffic
    int64_t stream{0};             //!< the one ns-3 RNG stream used

    /// @brief Make what a user chooses options. @param table of the program
    void AddOptions(OptionTable& table);

    /// @copydoc PoissonWorkload::Generate
    std::vector<FlowSpec> Generate() const;

    /**
     * @return the group's hosts in each datacenter, by group: evenly spread over the racks
     * @throw InputError as Generate()
     */
    std::vector<std::array<uint32_t, 2>> GetGroups() const;
};

/**
 * @brief Sort flows by (startPs, src, dst), equal ones in their order. Those of phase 2 come after
 * all whose start is known before, then those of phase 3, and so on (FlowSpec::phase). Those that
 * wait for single flows come after the others, in the order of their keys (FlowDependencies).
 */
void SortByStart(std::vector<FlowSpec>& flows);

/// @brief SortByStart(), and number them from 0.
void SortAndNumber(std::vector<FlowSpec>& flows);

/**
 * @brief Put workloads together, e.g. background and incast.
 * @param workloads flow lists, in any order
 * @return all flows, sorted and numbered
 */
std::vector<FlowSpec> Merge(const std::vector<std::vector<FlowSpec>>& workloads);

/// @brief What a flow list really offers, to be written with its results.
struct OfferedLoad
{
    uint64_t bytes{0};                  //!< payload of all flows
    uint64_t bytesInterRack{0};         //!< of those between racks (0 if racks are unknown)
    uint64_t bytesInterDc{0};           //!< of those between datacenters
    uint64_t flows{0};                  //!< number of flows
    uint64_t flowsInterDc{0};           //!< number of flows between datacenters
    std::vector<uint64_t> bytesOutOfDc; //!< per datacenter, payload sent to other datacenters
    double load{0}; //!< bytes * 8 / (duration * capacity), as the reference defines

    /**
     * @brief Count the flows.
     * @param flows any flow list
     * @param hosts placement of the hosts
     * @param capacity what the load refers to
     * @param durationPs length of the arrival window, picoseconds, above 0
     * @return the counts and the load
     * @throw InputError if a flow names an unknown host, or the reference's capacity, the racks
     *        (Uplink), a second datacenter (Wan) or the duration are missing
     */
    static OfferedLoad Measure(const std::vector<FlowSpec>& flows,
                               const HostPlacement& hosts,
                               const LoadCapacity& capacity,
                               int64_t durationPs);
};

} // namespace ns3::roce

#endif /* ROCE_WORKLOAD_H */
