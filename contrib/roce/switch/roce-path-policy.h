// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PATH_POLICY_H
#define ROCE_PATH_POLICY_H

#include "roce-routing.h"

#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <string>

namespace ns3::roce
{

class Switch;
struct Frame;

/**
 * @brief Which of several ways a switch sends a frame, in place of ECMP: one object for each switch
 * that has one.
 *
 * Hosts choose paths by what they write into their frames (PathSelector); a policy sees what the
 * switch sees: its own queues, and of each way the propagation delay and the rate of the slowest
 * link, which routing has put into its tables (PathEntry). It shares nothing with other switches.
 * Where there is but one way it is not asked.
 */
class PathPolicy : public Object
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /// What is to be decided.
    struct Question
    {
        const Frame& frame;
        const PathEntry* paths; //!< in ascending order of ports, detours last
        uint32_t count;         //!< 2 or more
        uint32_t hash;          //!< of the frame's five-tuple and of this switch
        int64_t nowPs;          //!< arrival
    };

    /**
     * @brief Called once, before routes are there.
     * @param sw has this policy, outlives it; its ports are known, its queues, too
     */
    virtual void Install([[maybe_unused]] const Switch& sw)
    {
    }

    /**
     * @brief Choose. For each frame, data and control: whether those of a flow stay together is up
     * to the policy.
     * @param question to be answered now
     * @return index of a path
     */
    virtual uint32_t Choose(const Question& question) = 0;

    /// @brief Report counters. @param counters to add to, by the names of summary.json
    virtual void Count([[maybe_unused]] std::map<std::string, uint64_t>& counters) const
    {
    }

    /// @return one of `count` things, as ECMP chooses. @param hash 32 bits @param count 1 or more
    static uint32_t PickByHash(uint32_t hash, uint64_t count)
    {
        return static_cast<uint32_t>((hash * count) >> 32);
    }
};

} // namespace ns3::roce

#endif /* ROCE_PATH_POLICY_H */
