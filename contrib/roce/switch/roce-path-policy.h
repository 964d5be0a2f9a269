// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PATH_POLICY_H
#define ROCE_PATH_POLICY_H

#include "roce-edge-flow-table.h"
#include "roce-routing.h"

#include "ns3/object.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace ns3::roce
{

class Switch;

/**
 * @brief Which of several ways a switch sends a frame, in place of ECMP: one object for each switch
 * that has one.
 *
 * Hosts choose paths by what they write into their frames (PathSelector); a policy sees what the
 * switch sees: its own queues, and of each way the propagation delay and the rate of the slowest
 * link, which routing has put into its tables (PathEntry). It shares nothing with other switches; a
 * policy that has to see frames on their way, or to tell other switches something in them, installs
 * a SwitchStage of its own (Conga). Where there is but one way it is not asked.
 *
 * Parts for policies: StickyWays, QueueTrend.
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
    void Install(Switch& sw)
    {
        m_switch = &sw;
        DoInstall(sw);
    }

    /**
     * @brief Choose. For each frame, data and control: whether those of a flow stay together is up
     * to the policy.
     * @param question to be answered now
     * @return index of a path
     */
    virtual uint32_t Choose(const Question& question) = 0;

    /// @return whether frames of a flow take several ways at a time, and overtake each other
    virtual bool IsPerPacket() const
    {
        return false;
    }

    /**
     * @brief Assign the random streams the policy uses.
     * @return number of streams used
     */
    virtual int64_t AssignStreams([[maybe_unused]] int64_t stream)
    {
        return 0;
    }

    /// @brief Report counters. @param counters to add to, by the names of summary.json
    virtual void Count([[maybe_unused]] std::map<std::string, uint64_t>& counters) const
    {
    }

    /// @return one of `count` things, as ECMP chooses. @param hash 32 bits @param count 1 or more
    static uint32_t PickByHash(uint32_t hash, uint64_t count)
    {
        return static_cast<uint32_t>((hash * count) >> 32);
    }

  protected:
    /// @return where it is installed
    const Switch& GetSwitch() const
    {
        return *m_switch;
    }

    /// @return rate of the way's first link, bit/s
    uint64_t GetNextRateBps(const PathEntry& path) const;

    /// @return propagation delay of the way's first link, picoseconds
    int64_t GetNextDelayPs(const PathEntry& path) const;

    /// @return what is queued at a port, bytes
    uint64_t GetQueueBytes(uint16_t port) const;

    /// @return when a port would have sent what it sends and what is queued there, less the present
    int64_t GetWaitPs(uint16_t port, int64_t nowPs) const;

  private:
    /// @brief See Install(). @param sw the switch
    virtual void DoInstall([[maybe_unused]] Switch& sw)
    {
    }

    Switch* m_switch{nullptr};
};

/// @brief Flows, or flowlets, that stay on their ways.
class StickyWays
{
  public:
    /// @param gapPs a flow that pauses for longer is placed anew
    void SetGap(int64_t gapPs)
    {
        m_gapPs = std::min<int64_t>(gapPs, 1'000'000'000'000'000'000);
        m_flows.SetTimeout(2 * m_gapPs);
    }

    /**
     * @brief The way of a frame's flow: its last one, if the flow has not paused and the way is
     * still there, otherwise another.
     * @tparam F callable with the port that the flow had last, or NO_PORT
     * @param place asked for the index of that other way
     * @return index of a path
     */
    template <typename F>
    uint32_t Find(const PathPolicy::Question& question, F&& place)
    {
        Way& way = m_flows.Touch(FlowOfTuple(question.frame), question.nowPs);
        const bool hasPaused = question.nowPs - way.seenPs > m_gapPs;
        way.seenPs = question.nowPs;
        for (uint32_t i = 0; i < question.count && !hasPaused; ++i)
        {
            if (question.paths[i].port == way.port)
            {
                return i;
            }
        }
        const uint32_t chosen = place(way.port);
        way.port = question.paths[chosen].port;
        ++m_placed;
        return chosen;
    }

    /// @return how often a flow was given a way
    uint64_t GetPlaced() const
    {
        return m_placed;
    }

  private:
    /// Where a flow goes.
    struct Way
    {
        int64_t seenPs{0}; //!< its last frame
        uint16_t port{Routing::NO_PORT};
    };

    EdgeFlowTable<Way> m_flows; //!< for another gap, so that a flow's last way is known
    int64_t m_gapPs{0};
    uint64_t m_placed{0};
};

/// @brief A queue's length and its growth, by looking at it now and then.
struct QueueTrend
{
    uint64_t bytes{0};     //!< when it was looked at last
    int64_t grownBytes{0}; //!< smoothed growth from one look to the next

    /// @param nowBytes present length @param part a new difference is 1 / this of the average
    void Look(uint64_t nowBytes, int64_t part)
    {
        // Towards minus infinity, as right shifts do.
        const auto portion = [part](int64_t value) {
            return (value - (value < 0 ? part - 1 : 0)) / part;
        };
        grownBytes += portion(static_cast<int64_t>(nowBytes - bytes)) - portion(grownBytes);
        bytes = nowBytes;
    }
};

} // namespace ns3::roce

#endif /* ROCE_PATH_POLICY_H */
