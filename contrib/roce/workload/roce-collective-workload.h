// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_COLLECTIVE_WORKLOAD_H
#define ROCE_COLLECTIVE_WORKLOAD_H

#include "ns3/roce-flow-spec.h"
#include "ns3/roce-option-table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief A collective operation of GPUs, once or again and again: each message is a flow, and a
 * rank sends what it can as soon as it has received what that needs (FlowSteps). There is no
 * barrier, not even between rounds.
 *
 * N = hosts * gpusPerHost ranks; GPU g of the h-th host is rank h * gpusPerHost + g. A host has one
 * NIC, which only the messages between hosts use. Between two GPUs of a host a message takes its
 * size over intraHostBps and waits for no other one; with 0 it takes no time.
 *
 * - Rings (Patarasuk and Yuan, JPDC 2009): in each of the N - 1 steps of a reduce-scatter or an
 *   all-gather, rank i sends a share of size / N to rank i + 1: the one that it has just received.
 *   RING_ALL_REDUCE is one after the other, 2 (N - 1) steps. Only the last GPU of a host sends to
 *   another host, and what it sends came to the host's first GPU gpusPerHost steps before. With
 *   several channels each piece is cut into as many, and each goes around a ring of its own, whose
 *   steps wait only for its own (FlowSpec::channel). Of servers with several hosts ring c enters
 *   every second server by host c and leaves it by host c + 1, and the others the other way round,
 *   so that between servers each ring keeps to one rail each way.
 * - TREE_ALL_REDUCE: the GPUs of a host reduce in a chain; the hosts are a binary tree (host h
 *   under host (h - 1) / 2), each sends the whole buffer to its parent when it has those of its
 *   children, and then back down. The buffer is not cut into pieces (no pipelining).
 * - ALL_TO_ALL: each rank has a share of size / N for each rank. In round r the h-th host's ranks
 *   send to all ranks of host h + r; a host's round begins when it has received all of the one
 *   before. Within hosts shares travel meanwhile. With several channels each has every so many of
 *   these rounds, and they go on side by side.
 *
 * Reducing takes no further time. Messages between the same two GPUs are of one queue pair
 * (FlowSpec::connection), so that they are sent one after the other and share a rate law. No
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

    /**
     * @brief Lay out the messages.
     * @return flows sorted as SortByStart() does, ids from 0, with steps and iterations
     * @throw InputError for an impossible configuration
     */
    std::vector<FlowSpec> Generate() const;

    /// @return N. @throw InputError as Generate()
    uint32_t GetRanks() const;

    /// @param share 0 to N - 1. @param channel of a ring; 0 otherwise. @return its bytes
    uint64_t GetShareBytes(uint32_t share, uint32_t channel = 0) const;

  private:
    void Check() const;
    bool IsRing() const;
    uint32_t GetSteps() const;
    double GetFlowsPerRound() const;
    int64_t GetLocalPs(uint64_t bytes) const;
    void Add(std::vector<FlowSpec>& flows,
             uint32_t round,
             uint32_t from,
             uint32_t to,
             uint64_t bytes,
             uint32_t step,
             uint32_t after,
             int64_t localPs,
             uint32_t connection = 1) const;
    std::vector<uint32_t> GetRing(uint32_t channel) const;
    void AddRing(std::vector<FlowSpec>& flows, uint32_t round, uint32_t channel) const;
    void AddTree(std::vector<FlowSpec>& flows, uint32_t round) const;
    void AddAllToAll(std::vector<FlowSpec>& flows, uint32_t round) const;
};

} // namespace ns3::roce

#endif /* ROCE_COLLECTIVE_WORKLOAD_H */
