// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_CHAKRA_PROGRAM_H
#define ROCE_CHAKRA_PROGRAM_H

#include "roce-chakra-file.h"
#include "roce-collective-program.h"
#include "roce-rank-program.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Makes a RankProgram of Chakra execution traces, one of each rank.
 *
 * - A COMP node computes for its duration, and so does a MEM_LOAD or MEM_STORE node; INVALID and
 *   METADATA take no time. A node starts when its data and control dependencies are complete.
 * - COMM_SEND and COMM_RECV match by ranks and comm_tag. The tags of collectives come after theirs.
 * - COMM_COLL is among the ranks of its process group (pg_name): as METADATA nodes of PyTorch or
 *   `groups` have it; "" and an unknown "0" are all ranks. Without a name, involved_dim says which
 *   levels it spans. The k-th collective of a group on one rank is the k-th on each, in the order
 *   of dependencies and then of ids. comm_size is what a rank gives: of an all-gather, its share.
 * - With `takesTurns`, a rank does one CPU operation, one GPU operation and one communication at a
 *   time, of those that are ready that of the smallest id: astra-sim's rule. As there, receives
 *   wait for no turn: two ranks that send to each other would block each other.
 */
struct ChakraProgram
{
    using Level = CollectiveProgram::Level;
    using Algorithm = CollectiveProgram::Algorithm;

    /// Streams of a rank that takes turns.
    enum Stream : uint16_t
    {
        CPU,
        GPU,
        COMMUNICATION
    };

    /// Ranks as CollectiveProgram::levels has them, from inside; empty: one ring. A group that is
    /// not the same part of each level is in one level, like the last.
    std::vector<Level> levels;
    Algorithm allToAll{Algorithm::DIRECT}; //!< in all levels; reduce, broadcast, barrier: TREE
    uint32_t pieces{1};                    //!< of each collective, at least 1
    bool takesTurns{true};                 //!< false: what is ready starts
    std::map<std::string, std::vector<uint32_t>> groups; //!< process groups by name

    /**
     * @param path of a file of groups: a JSON object of a list of ranks for each name
     * @throw InputError if it is anything else
     */
    static std::map<std::string, std::vector<uint32_t>> ReadGroups(const std::string& path);

    /**
     * @param traces by rank
     * @param source for messages: what the traces were read from
     * @return the program. @throw InputError with file, byte, node and what was expected
     */
    RankProgram Make(const std::vector<ChakraTrace>& traces, const std::string& source) const;

    /**
     * @brief The other way: traces of sends, receives and computation, for other simulators.
     *
     * Durations are rounded to microseconds. Nothing waits for a stream: to be read without
     * `takesTurns`.
     * @return traces by rank. @throw InputError for what Chakra does not have: a receive from any
     * rank or of any tag, an operation that waits for the start of another one, a NIC above 0, a
     * tag above 2^31 - 1
     */
    static std::vector<ChakraTrace> ToTraces(const RankProgram& program);
};

} // namespace ns3::roce

#endif /* ROCE_CHAKRA_PROGRAM_H */
