// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_COLLECTIVE_PART_H
#define ROCE_COLLECTIVE_PART_H

#include "roce-collective-program.h"

#include <cstdint>
#include <vector>

namespace ns3::roce
{

/**
 * @brief What a rank does for one piece of a collective: adds operations, level by level.
 *
 * An operation comes after another one, RankOp::NO_OP for none.
 */
class CollectivePart
{
  public:
    using Kind = CollectiveProgram::Kind;
    using Shares = std::vector<uint64_t>; //!< bytes that each place of a group has, or gets

    /// @param schedule of the rank. @param model of its operations. @param block, atOnce see
    /// CollectiveProgram
    CollectivePart(RankSchedule& schedule, const RankOp& model, uint32_t block, uint32_t atOnce)
        : m_schedule(schedule),
          m_model(model),
          m_block(block),
          m_atOnce(atOnce)
    {
    }

    /// @brief Go to a level. @param group ranks there. @param place of this one. @param nic of all
    void Enter(const std::vector<uint32_t>& group, uint32_t place, uint16_t nic);

    /**
     * @brief Add an operation of the present group.
     * @param algorithm one that has it
     * @param reversed whether places of a tree count from the end
     * @param after what comes before
     * @return the operation after which the rank has all that it receives
     */
    uint32_t Run(CollectiveProgram::Algorithm algorithm,
                 Kind kind,
                 const Shares& shares,
                 bool reversed,
                 uint32_t after);

    /// @param received as of Run(). @return what is done when this and all sends are; or NO_OP
    uint32_t Finish(uint32_t received);

    /// @param ops all different. @return what is done when they are; `none` if there are none
    uint32_t Join(const std::vector<uint32_t>& ops, uint32_t none);

    /// @return an operation that takes no time
    uint32_t Nothing();

  private:
    uint32_t Add(RankOp::Kind kind, uint32_t peer, uint64_t bytes, uint32_t after);
    void Send(uint32_t to, uint64_t bytes, uint32_t after);
    uint32_t Receive(uint32_t from, uint64_t bytes, uint32_t after);
    uint32_t Ring(const Shares& shares, uint32_t lead, uint32_t after);
    uint32_t RingAllToAll(const Shares& shares, uint32_t after);
    uint32_t Tree(uint64_t bytes, uint32_t width, Kind kind, bool reversed, uint32_t after);
    uint32_t Halve(const Shares& shares, uint32_t after);
    uint32_t Double(const Shares& shares, uint32_t after);
    uint32_t Direct(const Shares& shares, bool isGather, uint32_t after);
    uint32_t Rounds(const Shares& shares, uint32_t after);

    RankSchedule& m_schedule;
    RankOp m_model; //!< what all have in common
    const uint32_t m_block;
    const uint32_t m_atOnce;
    const std::vector<uint32_t>* m_group{nullptr};
    uint32_t m_n{1};     //!< ranks of the group
    uint32_t m_place{0}; //!< own place in it
    std::vector<uint32_t> m_sends;
};

} // namespace ns3::roce

#endif /* ROCE_COLLECTIVE_PART_H */
