// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RANK_PROGRAM_H
#define ROCE_RANK_PROGRAM_H

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ns3::roce
{

/// What a rank does: computes, sends or receives. Plain data, made by readers and generators.
struct RankOp
{
    /// What an operation does.
    enum class Kind : uint8_t
    {
        CALC,
        SEND,
        RECV
    };

    static constexpr uint32_t ANY_RANK = std::numeric_limits<uint32_t>::max();  //!< a RECV's peer
    static constexpr uint64_t ANY_TAG = std::numeric_limits<uint64_t>::max();   //!< a RECV's tag
    static constexpr uint16_t NO_STREAM = std::numeric_limits<uint16_t>::max(); //!< waits for none
    static constexpr uint32_t NO_OP = std::numeric_limits<uint32_t>::max();     //!< holds nothing

    Kind kind{Kind::CALC};
    uint16_t stream{0};         //!< CPU of GOAL; it does one operation at a time. NO_STREAM: none
    uint16_t nic{0};            //!< of the rank, from 0; a message goes to the NIC of this number
    uint32_t line{0};           //!< of the file; 0: it has no lines
    uint32_t peer{0};           //!< rank that it sends to or receives from
    uint32_t holdsUntil{NO_OP}; //!< its stream is taken until this operation of the rank (itself,
                                //!< for one) is done; NO_OP: as long as the CPU is at work on it
    uint64_t tag{0};            //!< a receive takes messages of this tag only
    uint64_t label{0};          //!< its number in the file
    uint64_t bytes{0};          //!< of a message; a RECV matches whatever the length is
    int64_t durationPs{0};      //!< of a CALC, picoseconds
    uint32_t part{0};           //!< of the program that it belongs to: place in RankProgram::parts
};

/// What operations of several ranks do together, such as one collective, or one rank's forward
/// pass of a layer: for results, which the program's run does not depend on.
struct RankPart
{
    std::string name;      //!< such as "all-reduce of tensor group 3"; empty: has none
    uint64_t bytes{0};     //!< of each rank's buffer, if it is a collective
    double busFactor{0};   //!< bytes over the bus per byte of `bytes`, as NCCL's tests count them;
                           //!< 0: it is no collective
    uint32_t iteration{0}; //!< of the job, from 1; 0: none
};

/// One operation of a rank waits for another one of that rank.
struct RankEdge
{
    uint32_t op{0};        //!< starts
    uint32_t before{0};    //!< after this one
    bool isStarted{false}; //!< has started (irequires); false: is done (requires)
};

/// Operations of one rank; their numbers are their places.
struct RankSchedule
{
    std::vector<RankOp> ops;
    std::vector<RankEdge> edges;

    /// @param op a further operation. @return its number
    uint32_t Add(const RankOp& op)
    {
        ops.push_back(op);
        return static_cast<uint32_t>(ops.size() - 1);
    }

    /// @brief Have an operation start after another one is done.
    void Require(uint32_t op, uint32_t before)
    {
        edges.push_back({op, before, false});
    }

    /// @brief Have an operation start after another one has started.
    void RequireStarted(uint32_t op, uint32_t before)
    {
        edges.push_back({op, before, true});
    }
};

/**
 * @brief What each rank of a job does and in which order.
 *
 * An operation is ready when all that it waits for is there (RankSchedule::edges; none: at the
 * start), and starts when its stream is free: of those that are ready then, the one of the lowest
 * number. A CALC is done after its duration; a SEND when the NIC has the message (eager) or has
 * sent it (rendezvous); a RECV when a message that matches has arrived. A message matches the
 * receive that was posted first of those that name its source and its tag, or any; one that arrives
 * before its receive waits for it. Messages of a rank to another one match in the order in which
 * they were sent.
 */
struct RankProgram
{
    std::vector<RankSchedule> ranks;
    std::string source;                      //!< file or generator, for messages
    std::vector<RankPart> parts{RankPart{}}; //!< the first is of operations that belong to none

    /**
     * @brief Check that the program can be run to its end, as far as that can be seen.
     *
     * @throw InputError with file, line (or rank and label) and what is wrong: an unknown
     * operation, rank or NIC, a cycle, a message to itself, a negative duration, or, where no
     * receive of the rank is from any source or of any tag, a number of sends that is not the
     * number of receives of their source and tag
     */
    void Check() const;

    /**
     * @brief Have each rank do all of it several times, without waiting for other ranks.
     *
     * A rank begins again when all its operations are done, and `pausePs` later. Parts are there
     * once for each time, with RankPart::iteration 1, 2, ..., also for operations that belong to
     * none.
     *
     * @param once the program
     * @param startPs when ranks begin, picoseconds
     * @param times 1 or more
     * @param pausePs picoseconds
     */
    static RankProgram Repeat(RankProgram once, int64_t startPs, uint32_t times, int64_t pausePs);

    /// @return where the operation is: file and line, or file, rank and label
    std::string Where(uint32_t rank, uint32_t op) const;

    /// @return SHA-256 of what ranks do, in 64 hexadecimal digits
    std::string GetDigest() const;

    /// @return the most NICs that a rank uses, 1 or more
    uint16_t GetNNics() const;
};

} // namespace ns3::roce

#endif /* ROCE_RANK_PROGRAM_H */
