// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FLOW_ORDER_H
#define ROCE_FLOW_ORDER_H

#include "ns3/nstime.h"
#include "ns3/roce-flow-application.h"
#include "ns3/roce-flow-spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

class Nic;

/// A flow to come that waits for others.
struct WaitingFlow
{
    FlowSpec flow;
    uint32_t dstQp;                   //!< see FlowApplication::AddFlow()
    Ptr<FlowApplication> application; //!< of its source
};

/**
 * @brief A rule by which flows wait for others, and start when those are done.
 *
 * A flow starts no earlier than the delay of a NIC's link after what it waits for: hosts cannot
 * know sooner, and no result depends on when stations tell of completions (see Station).
 */
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

    /// @return which flows it is for, in the words of messages: "flows with phases"
    virtual std::string GetWhat() const = 0;

    /// @return whether it waits by this rule
    virtual bool Keeps(const FlowSpec& flow) const = 0;

    /// @brief Learn of what a NIC receives, or of what it has sent. @param nic one of the run
    virtual void Connect(Nic& nic) = 0;

    /// @brief Keep a flow until what it waits for is done. @param flow one that Keeps()
    virtual void Add(WaitingFlow flow) = 0;

    /**
     * @param flow one that Keeps()
     * @return its start, picoseconds; -1 if what it waits for is not done
     */
    virtual int64_t GetStartPs(const FlowSpec& flow) const = 0;

    /// @return what the first flows that still wait wait for; empty if none do
    virtual std::string Describe() const = 0;

    /// @return latest start of flows that have waited, or when something is going to happen
    /// without any flow, picoseconds; -1: none yet. Of this process
    virtual int64_t GetLastStartPs() const
    {
        return m_lastStartPs;
    }

  protected:
    FlowOrder() = default;

    /**
     * @brief Connect a sink to a trace source that there must be.
     * @param source MessageReceived or MessageCompleted
     * @param sink what is called
     */
    static void Connect(Nic& nic, const std::string& source, const CallbackBase& sink);

    /**
     * @param readyPs when what it waits for is done, picoseconds; its startPs count from here
     * @param marginPs delay of a link, picoseconds
     */
    static int64_t StartPs(const FlowSpec& flow, int64_t readyPs, int64_t marginPs);

    /// @brief Start a flow. @param waiting the flow. @param startPs exact time. @param readyPs when
    /// what it waits for was done
    void Start(WaitingFlow& waiting, int64_t startPs, int64_t readyPs);

  private:
    int64_t m_lastStartPs{-1};
};

} // namespace ns3::roce

#endif /* ROCE_FLOW_ORDER_H */
