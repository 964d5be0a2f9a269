// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FLOW_PHASES_H
#define ROCE_FLOW_PHASES_H

#include "roce-flow-order.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Flows that wait for others: a closed loop of phases, such as the iterations of a training
 * job (FlowSpec::phase).
 *
 * Flows of phase 0 do not wait. Flows of phase 1 start at their startPs. Phase p > 1 begins when
 * the senders of all flows of phase p-1 have their last ACK; its startPs count from that moment.
 *
 * A flow that never completes keeps all later phases from beginning.
 */
class FlowPhases : public FlowOrder
{
  public:
    /**
     * @param flows all flows of the run
     * @param marginPs longest delay of a NIC's link, picoseconds
     * @throw InputError if a phase above 0 has no flow but a later one has
     */
    FlowPhases(const std::vector<FlowSpec>& flows, int64_t marginPs);

    /// @param flows some flows. @return whether any of them has a phase
    static bool IsUsed(const std::vector<FlowSpec>& flows);

    std::string GetWhat() const override
    {
        return "flows with phases";
    }

    bool Keeps(const FlowSpec& flow) const override
    {
        return flow.phase > 1;
    }

    void Connect(Nic& nic) override;
    void Add(WaitingFlow flow) override;
    int64_t GetStartPs(const FlowSpec& flow) const override;
    std::string Describe() const override;

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

    void OnCompleted(const MessageRecord& record);
    void Begin(Phase& phase, int64_t atPs);

    int64_t m_marginPs;
    std::vector<Phase> m_phases;                      //!< by number; phase 0 is empty
    std::unordered_map<uint64_t, uint32_t> m_phaseOf; //!< by flow id
};

} // namespace ns3::roce

#endif /* ROCE_FLOW_PHASES_H */
