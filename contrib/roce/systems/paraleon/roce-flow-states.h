// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FLOW_STATES_H
#define ROCE_FLOW_STATES_H

#include "ns3/roce-edge-flow-table.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3::roce
{

/// @brief What a switch has counted of one flow since it was last read.
struct FlowReading
{
    FlowKey flow;   //!< which
    uint64_t size;  //!< bytes or packets, as the counter's unit is; an estimate
    bool mayBePart; //!< the flow may have lost its place once: size holds what the light part has
};

/// State of a flow in PARALEON (section III-B, figure 3 of its paper).
enum class FlowState : uint8_t
{
    MICE,               //!< M
    POTENTIAL_ELEPHANT, //!< PE: small so far, but active throughout the window
    ELEPHANT,           //!< E: Tau or more in all
};

/**
 * @brief What PARALEON's control plane at a ToR switch knows of flows from one monitor interval to
 * the next: ternary states with a sliding window.
 *
 * Of each flow it keeps Phi, all that the flow has sent, and the intervals in which it has sent
 * something: Phi >= Tau is an elephant; else WindowDelta or more intervals in succession make a
 * potential elephant; else it is a mouse. A flow that is not read in an interval has no state in
 * it. After EntryTimeout such intervals it is forgotten.
 *
 * Figure 4 decides what the text leaves open: its f2 becomes an elephant at interval 7, so Phi is
 * the sum of all intervals, not of the window.
 */
class FlowStates
{
  public:
    /// When a flow below Tau is a potential elephant.
    enum class PeRule : uint8_t
    {
        CONSECUTIVE,     //!< WindowDelta intervals with data in succession (paper)
        ARTIFACT_WINDOW, //!< as many in all; and the sums of two intervals that follow each other
                         //!< have never fallen by more than 10 packets and then by more than 20
    };

    /// Parameters; see ParaleonParams::Table().
    struct Config
    {
        uint64_t tau;          //!< in the unit of the readings
        uint32_t delta;        //!< intervals
        PeRule peRule;         //!< see there
        uint32_t entryTimeout; //!< intervals without data; 0: a flow is never forgotten
        bool isTernary;        //!< false: a state by the size in this interval alone, E or M
        bool inPackets;        //!< unit of the readings; for ARTIFACT_WINDOW
    };

    /// A flow that has sent in this interval.
    struct Flow
    {
        FlowKey flow;    //!< which
        FlowState state; //!< now
        uint64_t size;   //!< in this interval
        uint64_t phi;    //!< in all
        uint32_t
            peAge; //!< of a potential elephant: intervals with data since it became one, from 0
    };

    /// @brief Begin without flows. @param config copied
    void Start(const Config& config);

    /**
     * @brief A monitor interval has ended.
     * @param readings what the switch has counted in it, each flow once; sizes of 0 are ignored
     * @return its flows, in the order of the readings; until the next call
     */
    const std::vector<Flow>& Update(const std::vector<FlowReading>& readings);

    /// @return the flows of the last interval
    const std::vector<Flow>& GetActive() const
    {
        return m_active;
    }

    /// @return the configuration
    const Config& GetConfig() const
    {
        return m_config;
    }

    /// @return number of flows remembered: at most those of the last 2 EntryTimeout intervals
    std::size_t GetKnown() const
    {
        return m_flows.size();
    }

  private:
    /// What is kept of a flow.
    struct Memory
    {
        uint64_t phi{0};
        int64_t lastActive{0};      //!< interval
        uint32_t activeRun{0};      //!< intervals with data in succession
        uint32_t reports{0};        //!< intervals with data
        uint32_t peAge{0};          //!< see Flow
        bool wasPotential{false};   //!< in its last interval with data
        bool hasFallen{false};      //!< its last sum of two fell by more than 10 packets
        bool hasFallenTwice{false}; //!< and the next one by more than 20, some time
        uint64_t lastSize{0};       //!< of its last interval with data
        uint64_t lastSum{0};        //!< of its last two
    };

    void Count(Memory& memory, uint64_t size) const;
    void WatchDecline(Memory& memory, uint64_t size) const;
    bool IsForgotten(const Memory& memory) const;
    bool IsPotential(const Memory& memory) const;
    void Sweep();

    Config m_config{};
    int64_t m_interval{0};
    std::vector<Flow> m_active;
    std::unordered_map<FlowKey, Memory> m_flows; //!< iterated only to forget
};

} // namespace ns3::roce

#endif /* ROCE_FLOW_STATES_H */
