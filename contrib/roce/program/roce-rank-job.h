// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RANK_JOB_H
#define ROCE_RANK_JOB_H

#include "roce-rank-runner.h"

#include "ns3/roce-flow-spec.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3::roce
{

/// A program to be run on a network, and how.
struct RankJob
{
    /// When a receive is done whose message the network brings.
    enum class ReceiveAt : uint8_t
    {
        LAST_BYTE, //!< when its host has it all
        LAST_ACK   //!< when the sender would have the last ACK, if nothing delayed that (as in
                   //!< HTSIM and astra-sim)
    };

    RankProgram program; //!< checked
    std::string name;    //!< for messages and results; empty: it is the only one
    uint32_t number{0};  //!< of the job in the run; jobs share no queue pairs
    /// NIC (or host) of each rank, or with n NICs each, n of the first rank, n of the second, ...;
    /// empty: 0, 1, 2, ... Messages from one to itself do not use the network.
    std::vector<uint32_t> nics;
    uint64_t insideBps{0}; //!< between ranks of one NIC (or host), bit/s; 0: no time
    RankCosts costs;       //!< on the network: without RankCosts::ideal
    ReceiveAt receiveAt{ReceiveAt::LAST_BYTE};
    std::optional<LogGpParams> ideal{}; //!< also find out when ranks would be done there

    /// @return what an operation belongs to
    const RankPart& GetPart(uint32_t rank, uint32_t op) const
    {
        return program.parts[program.ranks[rank].ops[op].part];
    }

    /// @return how long a message within a host takes, picoseconds; it waits for no other one
    int64_t GetInsidePs(uint64_t bytes) const;

    /**
     * @brief Make a flow of each send to another NIC. Flows of a job between two NICs share a
     * connection.
     * @param job with its program
     * @param nNics in the network
     * @return the flows of the job, by rank and operation, with ids from 0
     * @throw InputError if there are too few NICs, or nothing to send
     */
    static std::vector<FlowSpec> MakeFlows(const std::shared_ptr<const RankJob>& job,
                                           uint32_t nNics);
};

} // namespace ns3::roce

#endif /* ROCE_RANK_JOB_H */
