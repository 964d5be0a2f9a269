// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_COLLECTIVE_WORKLOAD_H
#define ROCE_COLLECTIVE_WORKLOAD_H

#include "roce-collective-program.h"

#include "ns3/roce-flow-spec.h"
#include "ns3/roce-option-table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief A collective operation of GPUs, once or again and again: a RankJob of CollectivePrograms.
 * A rank sends what it can as soon as it has received what that needs. There is no barrier, not
 * even between rounds: a rank begins the next one computePs after it has all of the last one.
 *
 * N = hosts * gpusPerHost ranks; GPU g of the h-th host is rank h * gpusPerHost + g. The messages
 * between two GPUs of a host do not use its NIC: each takes its size over intraHostBps and waits
 * for no other one; with 0 it takes no time.
 *
 * - Rings: RING_ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER. Only the last GPU of a host sends to
 * another host. With several channels the buffer is cut into as many parts, and each goes around a
 * ring of its own. Of servers with several hosts ring c enters every second server by host c and
 * leaves it by host c + 1, and the others the other way round, so that between servers each ring
 * keeps to one rail each way.
 * - TREE_ALL_REDUCE: the GPUs of a host reduce in a chain; their first ones are a tree, and what it
 *   has made goes back along the chains. The buffer is not cut into pieces (no pipelining).
 * - ALL_TO_ALL: each rank has a share of size / N for each rank. In round r the h-th host's ranks
 *   send to all ranks of host h + r; a rank's round begins when it has received all of the one
 *   before. Within hosts shares take no time. With several channels so many rounds go on side by
 *   side.
 *
 * Reducing takes no further time. Messages between the same two GPUs are of one queue pair for each
 * ring (FlowSpec::connection), so that they are sent one after the other and share a rate law. No
 * randomness.
 */
struct CollectiveWorkload
{
    /// The operation.
    enum class Kind : uint8_t
    {
        RING_ALL_REDUCE,
        TREE_ALL_REDUCE,
        ALL_GATHER,
        REDUCE_SCATTER,
        ALL_TO_ALL,
    };

    Kind kind{Kind::RING_ALL_REDUCE};
    std::vector<uint32_t> hosts; //!< NICs, in the order of the ring; at least 2, all different
    uint32_t gpusPerHost{1};     //!< at least 1
    uint32_t channels{1};        //!< at least 1
    uint32_t hostsPerServer{1};  //!< hosts next to each other in `hosts`; for several channels
    /// Bytes of each rank's buffer (of the result for ALL_GATHER); not a multiple of N: the first
    /// shares have one more.
    uint64_t sizeBytes{100000000};
    uint64_t intraHostBps{0}; //!< between GPUs of a host, bit/s; 0: transfers take no time
    uint32_t rounds{1};       //!< how often, at least 1
    int64_t computePs{0};     //!< pause between rounds of a rank
    int64_t startPs{0};       //!< start of the first round, picoseconds
    uint8_t trafficClass{3};  //!< 0..7
    uint8_t tag{2};           //!< 2 marks training traffic

    /**
     * @brief Make what a user chooses options.
     * @param table of the program
     * @param hostList option for hosts, see ParseHosts()
     */
    void AddOptions(OptionTable& table, std::string& hostList);

    /**
     * @param text NICs such as 0-7,12, or all
     * @return the same one by one
     * @throw InputError for another form or an unknown NIC, naming the option
     */
    static std::vector<uint32_t> ParseHosts(const std::string& text, uint32_t nNics);

    /// @return what each rank does, with a part for each round. @throw InputError for an impossible
    /// configuration
    RankProgram MakeProgram() const;

    /// @return flows of a RankJob of MakeProgram(), sorted as SortByStart() does, ids from 0.
    /// @throw as MakeProgram()
    std::vector<FlowSpec> Generate() const;

    /// @return N. @throw InputError as MakeProgram()
    uint32_t GetRanks() const;

  private:
    void Check() const;
    bool IsRing() const;
    double GetMessagesPerRound(bool inside) const;
    std::vector<uint32_t> GetRing(uint32_t channel) const;
    uint32_t AddRound(RankSchedule& schedule, uint32_t rank, uint32_t round, uint32_t after) const;
    uint32_t AddTree(RankSchedule& schedule,
                     uint32_t rank,
                     CollectiveProgram tree,
                     uint32_t after) const;
};

} // namespace ns3::roce

#endif /* ROCE_COLLECTIVE_WORKLOAD_H */
