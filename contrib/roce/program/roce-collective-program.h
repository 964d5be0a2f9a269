// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_COLLECTIVE_PROGRAM_H
#define ROCE_COLLECTIVE_PROGRAM_H

#include "roce-rank-program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief A collective operation as operations of a RankProgram, each rank for itself.
 *
 * Of n ranks, with a buffer of B bytes and shares of B / n (the first B % n have one more):
 *
 * - RING (Patarasuk and Yuan, JPDC 2009): a rank passes on to the next one what it has just
 *   received; n - 1 steps of a share for an all-gather or a reduce-scatter, twice that for an
 *   all-reduce. All-to-all: step s carries n - s shares, for the ranks further on.
 * - TREE: a binary tree (place p under (p - 1) / 2); a rank sends the whole buffer to its parent
 *   when it has those of its children, and then back down. Every second piece goes over the tree
 *   of reverse order, where leaves are inner nodes: the two trees of NCCL (Sanders et al., Parallel
 *   Computing 2009). All-reduce, reduce and broadcast (to and from the first rank).
 * - HALVING_DOUBLING (Thakur et al., IJHPCA 2005): in step s of a reduce-scatter, rank p exchanges
 *   half of what it has with rank p ^ 2^s; an all-gather is the way back. n is a power of two.
 * - CHAIN: the same without branches: place p is under p - 1.
 * - DIRECT: everyone to everyone at once, first to the next rank; an all-reduce is a
 *   reduce-scatter and then an all-gather. All-to-all may be in rounds (`block`, `atOnce`).
 *
 * In several levels (within a server, then across): a reduce-scatter goes through the levels from
 * the first to the last, each on the share that the one before has left, an all-gather back, an
 * all-reduce there and back with an all-reduce in the last one. All-to-all: each level takes what
 * is for ranks of another place in it. Reduce and broadcast: one rank of each group goes on.
 *
 * Reducing takes no time. What a rank receives next is posted when what it received before is
 * there. A message of no bytes is left out.
 */
struct CollectiveProgram
{
    /// The operation.
    enum class Kind : uint8_t
    {
        ALL_REDUCE,
        ALL_GATHER,
        REDUCE_SCATTER,
        ALL_TO_ALL,
        REDUCE,   //!< to the first rank
        BROADCAST //!< from the first rank
    };

    /// How it is done.
    enum class Algorithm : uint8_t
    {
        RING,
        TREE,
        HALVING_DOUBLING,
        DIRECT,
        CHAIN
    };

    /// Ranks in groups of one size.
    struct Level
    {
        uint32_t size{1}; //!< ranks of a group, at least 1
        Algorithm algorithm{Algorithm::RING};
        uint16_t nic{0}; //!< of each rank, for the messages of this level
    };

    Kind kind{Kind::ALL_REDUCE};
    std::vector<uint32_t> ranks; //!< at least 1, all different
    /// From inside: the first `size` ranks are a group of the first level, and so on; the first of
    /// each such group are a group of the second one. The product of sizes is the number of ranks.
    std::vector<Level> levels;
    uint64_t bytes{0};  //!< of each rank's buffer (the result of an all-gather)
    uint32_t pieces{1}; //!< parts of the buffer that go their way side by side, at least 1
    /// All-to-all by DIRECT: so many neighbours are a block (all blocks of a level have as many).
    /// Round r is with the ranks of the r-th next block. Ranks of one block send each other nothing
    /// if there are several.
    uint32_t block{1};
    uint32_t atOnce{0}; //!< the same: so many rounds go on side by side; 0: all
    uint32_t part{0};   //!< RankOp::part of all operations
    uint64_t tag{0};    //!< of the first piece's messages; the next pieces have the next tags
    uint16_t stream{RankOp::NO_STREAM}; //!< of all operations; GOAL needs one

    /// @throw InputError for an impossible configuration
    void Check() const;

    /**
     * @brief Add what one rank does.
     * @param schedule of the rank
     * @param member its place in `ranks`
     * @param after operation that comes before them all; RankOp::NO_OP: none
     * @param label of the operations
     * @return an operation that is done when all of them are; `after` if there are none
     * @throw InputError as Check()
     */
    uint32_t Add(RankSchedule& schedule, uint32_t member, uint32_t after, uint64_t label = 0) const;

    /// @return the operation alone, of as many ranks as the highest number says. @throw as Check()
    RankProgram Generate() const;

    /// @brief Name it for results. @param of whose it is, such as "tensor group 3"
    /// @return name, bytes and RankPart::busFactor
    RankPart MakePart(const std::string& of) const;

    /**
     * @param text of levels from inside, such as 8:direct,4:ring; empty: none
     * @return the levels
     * @throw InputError for any other form, which does not say where the text is from
     */
    static std::vector<Level> ParseLevels(const std::string& text);

    /// @return its name, such as "halving-doubling"
    static std::string NameOf(Algorithm algorithm);

    /// @return its name, such as "all-reduce"
    static std::string NameOf(Kind kind);

    /// @return whether an algorithm has an operation, for any number of ranks
    static bool Has(Algorithm algorithm, Kind kind);

  private:
    RankOp Model(uint32_t piece, uint64_t label) const;
};

} // namespace ns3::roce

#endif /* ROCE_COLLECTIVE_PROGRAM_H */
