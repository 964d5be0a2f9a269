// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NETWORK_FLOWS_H
#define ROCE_NETWORK_FLOWS_H

#include "roce-expected-traffic.h"
#include "roce-flow-order.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::roce
{

struct NetworkParts;

/// The flows of a network, at their NICs or waiting for others. See the functions of Network with
/// the same names.
class NetworkFlows
{
  public:
    /// @param parts outlive this
    explicit NetworkFlows(const NetworkParts& parts)
        : m_parts(parts)
    {
    }

    /// @brief See Network::InstallFlows().
    void Install(const std::vector<FlowSpec>& flows);

    /// @brief See Network::SetFlowOrder().
    void SetOrder(std::unique_ptr<FlowOrder> order);

    int64_t GetStartPs(const FlowSpec& flow) const;
    int64_t GetLastWaitedStartPs() const;
    std::string DescribeWaiting() const;

    /// @return whether some flows wait for others
    bool HasWaiting() const
    {
        return m_order != nullptr;
    }

    /// @return all that were installed
    const std::vector<ExpectedFlow>& GetExpected() const
    {
        return m_expected;
    }

    /// @return last start of the flows that wait for none
    int64_t GetLastScheduledPs() const
    {
        return m_lastStartPs;
    }

  private:
    /// src, dst, FlowSpec::connection, class, whose ranks send
    using ConnectionKey = std::tuple<uint32_t, uint32_t, uint32_t, uint8_t, const RankJob*>;

    struct Connection
    {
        uint32_t dstQp;
        Ptr<FlowApplication> application; //!< has its sending queue pair
        uint64_t first;                   //!< flow
        uint16_t srcPort;
        uint16_t replyPort;
        uint8_t law;
    };

    void CheckFlow(const FlowSpec& flow) const;
    uint32_t Reserve(const FlowSpec& flow) const;
    const Connection& FindConnection(const FlowSpec& flow, const Ptr<FlowApplication>& application);

    const NetworkParts& m_parts;
    std::map<ConnectionKey, Connection> m_connections;
    std::vector<ExpectedFlow> m_expected;
    std::unique_ptr<FlowOrder> m_order; //!< null: no flow waits for others
    int64_t m_lastStartPs{0};           //!< of flows that wait for none
};

} // namespace ns3::roce

#endif /* ROCE_NETWORK_FLOWS_H */
