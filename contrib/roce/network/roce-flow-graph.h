// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FLOW_GRAPH_H
#define ROCE_FLOW_GRAPH_H

#include "roce-flow-order.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Flows that wait for single others (FlowSpec::dependencies): any graph without a cycle.
 *
 * A flow starts startPs after the last of those that it waits for is complete. One whose
 * destination is the waiting flow's source is complete when that NIC has received all of it; any
 * other one when its sender has the last ACK. What else its own source sends or receives does not
 * matter.
 */
class FlowGraph : public FlowOrder
{
  public:
    /**
     * @param flows all flows of the run
     * @param marginPs longest delay of a NIC's link, picoseconds
     * @throw InputError for a key that is there twice, one that is waited for and not there, a
     * cycle, and a flow that has a phase, too
     */
    FlowGraph(const std::vector<FlowSpec>& flows, int64_t marginPs);

    /// @param flows some flows. @return whether any of them has dependencies
    static bool IsUsed(const std::vector<FlowSpec>& flows);

    /**
     * @brief Find a cycle.
     * @param after for each item, which others it waits for; all are items
     * @return items of a cycle, each waiting for the next one and the last for the first; empty
     * if there is none
     */
    static std::vector<uint32_t> FindCycle(const std::vector<std::vector<uint32_t>>& after);

    std::string GetWhat() const override
    {
        return "flows that wait for others";
    }

    bool Keeps(const FlowSpec& flow) const override
    {
        return flow.IsDependent();
    }

    void Connect(Nic& nic) override;
    void Add(WaitingFlow flow) override;
    int64_t GetStartPs(const FlowSpec& flow) const override;
    std::string Describe() const override;

  private:
    /// A flow with dependencies.
    struct Node
    {
        uint64_t id{0};
        std::string name;
        std::vector<uint32_t> afterReceived; //!< nodes whose source is this one's destination
        std::vector<uint32_t> afterAck;      //!< the other nodes that wait for it
        std::size_t left{0};                 //!< what it waits for and is not complete
        std::size_t waitsFor{0};
        int64_t readyPs{0};    //!< last completion so far
        int64_t startPs{-1};   //!< -1: waits, or has not waited
        WaitingFlow waiting{}; //!< once there
        bool isWaiting{false}; //!< the above is there
    };

    void OnReceived(uint64_t cookie, Time at);
    void OnCompleted(const MessageRecord& record);
    void Complete(const std::vector<uint32_t>& who, int64_t atPs);

    int64_t m_marginPs;
    std::vector<Node> m_nodes;                         //!< in the flows' order
    std::unordered_map<uint64_t, uint32_t> m_nodeOfId; //!< by flow id
};

} // namespace ns3::roce

#endif /* ROCE_FLOW_GRAPH_H */
