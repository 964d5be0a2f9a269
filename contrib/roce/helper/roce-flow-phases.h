/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_FLOW_PHASES_H
#define ROCE_FLOW_PHASES_H

#include "roce-waiting-flow.h"

#include "ns3/roce-flow-application.h"
#include "ns3/roce-flow-spec.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief Flows that wait for others: a closed loop of phases, such as the iterations of a training
 * job (FlowSpec::phase).
 *
 * Phase 0 takes no part. Flows of phase 1 start at their startPs. Phase p > 1 begins when the
 * senders of all flows of phase p-1 have their last ACK; its startPs count from that moment. They
 * start no earlier than the longest delay of a NIC's link after it: hosts cannot know sooner, and
 * no result depends on when stations tell of completions (see Station).
 *
 * A flow that never completes keeps all later phases from beginning.
 */
class FlowPhases
{
  public:
    /**
     * @param flows all flows of the run
     * @param marginPs longest delay of a NIC's link, picoseconds
     * @throw InputError if a phase above 0 has no flow but a later one has
     */
    FlowPhases(const std::vector<FlowSpec>& flows, int64_t marginPs);
    FlowPhases(const FlowPhases&) = delete;
    FlowPhases& operator=(const FlowPhases&) = delete;

    /**
     * @param flow a flow
     * @return whether its start is known before the run
     */
    static bool IsScheduled(const FlowSpec& flow)
    {
        return flow.phase <= 1 && flow.after == 0 && !flow.IsDependent();
    }

    /**
     * @param flows some flows
     * @return whether any of them has a phase
     */
    static bool IsUsed(const std::vector<FlowSpec>& flows);

    /**
     * @param flows some flows
     * @return latest start known before the run, picoseconds; 0 if there is none
     */
    static int64_t LastScheduledPs(const std::vector<FlowSpec>& flows);

    /**
     * @brief Keep a flow until its phase begins.
     * @param flow not IsScheduled()
     */
    void Add(WaitingFlow flow);

    /**
     * @brief The sender of a flow has its last ACK: sink of trace source MessageCompleted.
     * @param record cookie is the flow's id
     */
    void OnCompleted(const MessageRecord& record);

    /**
     * @param flow a flow
     * @return its start, picoseconds; -1 if its phase has not begun
     */
    int64_t GetStartPs(const FlowSpec& flow) const;

    /// @return latest start of the phases begun, picoseconds; -1 if that is phase 1
    int64_t GetLastStartPs() const
    {
        return m_lastStartPs;
    }

    /// @return the first phase that has not begun and what it waits for; empty if all have begun
    std::string Describe() const;

  private:
    /// All flows of one number.
    struct Phase
    {
        uint64_t flows{0};
        uint64_t left{0};    //!< without last ACK
        int64_t beginPs{-1}; //!< from here startPs count; -1: not begun
        int64_t lastPs{0};   //!< last completion so far
        std::vector<WaitingFlow> waiting;
    };

    void Begin(Phase& phase, int64_t atPs);
    int64_t StartPs(const FlowSpec& flow, int64_t beginPs) const;

    int64_t m_marginPs;
    std::vector<Phase> m_phases;                      //!< by number; phase 0 is empty
    std::unordered_map<uint64_t, uint32_t> m_phaseOf; //!< by flow id
    int64_t m_lastStartPs{-1};
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_FLOW_PHASES_H */
