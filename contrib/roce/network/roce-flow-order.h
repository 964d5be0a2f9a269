// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FLOW_ORDER_H
#define ROCE_FLOW_ORDER_H

#include "ns3/roce-flow-application.h"
#include "ns3/roce-flow-spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

class Nic;

/// What starts the flows that wait for others; a network has one at most. It is RankEngine.
class FlowOrder
{
  public:
    virtual ~FlowOrder() = default;
    FlowOrder(const FlowOrder&) = delete;
    FlowOrder& operator=(const FlowOrder&) = delete;

    /**
     * @param flows some flows
     * @return latest start known before the run, picoseconds; 0 if there is none
     */
    static int64_t LastScheduledPs(const std::vector<FlowSpec>& flows);

    /// @brief Learn of what a NIC receives, and of what it has sent. @param nic one of the run
    virtual void Connect(Nic& nic) = 0;

    /// @brief Take a flow that waits. @param dstQp see FlowApplication::AddFlow() @param
    /// application of its source
    virtual void Add(const FlowSpec& flow,
                     uint32_t dstQp,
                     const Ptr<FlowApplication>& application) = 0;

    /**
     * @param flow one that waits
     * @return its start, picoseconds; -1 if what it waits for is not done
     */
    virtual int64_t GetStartPs(const FlowSpec& flow) const = 0;

    /// @return what the first flows that still wait wait for; empty if none do
    virtual std::string Describe() const = 0;

    /// @return latest start of flows that have waited, or when something is going to happen
    /// without any flow, picoseconds; -1: none yet. Of this process
    virtual int64_t GetLastStartPs() const = 0;

  protected:
    FlowOrder() = default;
};

} // namespace ns3::roce

#endif /* ROCE_FLOW_ORDER_H */
