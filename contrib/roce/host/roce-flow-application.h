// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FLOW_APPLICATION_H
#define ROCE_FLOW_APPLICATION_H

#include "roce-flow-spec.h"
#include "roce-nic.h"

#include "ns3/application.h"
#include "ns3/roce-wake-timer.h"

#include <map>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Writes messages at given times: each flow is one RDMA WRITE, on a queue pair of its own
 * or on a connection that it shares with others (FlowSpec::connection).
 *
 * One application serves a NIC, however many flows it has; a flow to come costs one list entry, and
 * one event is pending for all of them. A flow's own queue pair is opened when the flow starts and
 * freed when it is done; a connection is opened by its first flow and stays.
 */
class FlowApplication : public Application
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    FlowApplication();
    ~FlowApplication() override;

    /// @param nic sends the flows; belongs to the application's node
    void SetNic(Ptr<Nic> nic);

    /**
     * @brief Add a flow, before the simulation starts or while it runs.
     * @param flow its src is the NIC; its start is not in the past
     * @param dstQp number that the receiving NIC's ReserveQp() gave: the same for all flows of a
     * connection
     * Of flows that start at once those of the lower id go first, whichever was added first.
     */
    void AddFlow(const FlowSpec& flow, uint32_t dstQp);

    /// @brief Send a flow at once; called within the NIC's partition. @param dstQp as of AddFlow()
    void Post(const FlowSpec& flow, uint32_t dstQp);

    /// @return flows added
    std::size_t GetNFlows() const
    {
        return m_flows.size() + m_startsPs.size();
    }

    /// @return flows kept with all that is known of them: none if another process sends them
    std::size_t GetNKept() const
    {
        return m_flows.size();
    }

    /// @return the UDP source port it uses: its own, or one derived from its id or from its
    /// connection
    static uint16_t Entropy(const FlowSpec& flow);

    /// @brief Called by the timer: start what is due, or have the NIC's partition do so.
    void OnWake(int64_t nowPs);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    /// Called within the NIC's partition.
    struct Starter
    {
        FlowApplication* application;

        void OnWake(int64_t nowPs)
        {
            application->StartDue(nowPs);
        }
    };

    void StartDue(int64_t nowPs);
    int64_t GetStartPs(std::size_t flow) const;
    QueuePair* FindQp(const FlowSpec& flow, uint32_t dstQp);

    /// A flow to come.
    struct Item
    {
        FlowSpec flow;
        uint32_t dstQp;
    };

    Ptr<Nic> m_nic;
    std::vector<Item> m_flows;
    std::vector<int64_t> m_startsPs; //!< in place of m_flows if the NIC is a copy: its starts
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_connections; //!< by dst and dstQp: number
    std::size_t m_started{0};                                        //!< flows
    std::size_t m_next{0};                                           //!< those before are due
    bool m_running{false};
    WakeTimer<FlowApplication> m_timer;
    Starter m_starter{this};
    WakeTimer<Starter> m_startTimer{&m_starter};
};

} // namespace ns3::roce

#endif /* ROCE_FLOW_APPLICATION_H */
