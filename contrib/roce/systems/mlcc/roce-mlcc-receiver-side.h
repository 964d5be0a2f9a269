// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MLCC_RECEIVER_SIDE_H
#define ROCE_MLCC_RECEIVER_SIDE_H

#include "ns3/nstime.h"
#include "ns3/roce-datacenter-edge.h"
#include "ns3/roce-edge-flow-table.h"
#include "ns3/roce-shaped-scheduler.h"
#include "ns3/roce-stage-of.h"
#include "ns3/roce-station-trace.h"

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3::roce
{

/// Parameters of MlccReceiverSide.
struct MlccReceiverSideParams
{
    uint64_t initialRateBps; //!< 0: of the fastest server
    bool reportsPfq;
    int64_t timeoutPs; //!< 0: a round trip between the datacenters

    static const ParameterTable<MlccReceiverSideParams>& Table();
};

/**
 * @brief MLCC at the receiver's external switch (MLCC, section 3.2.2): a queue for each flow that
 * comes from another datacenter (PFQ), drained at the rate that its receiver asks for.
 *
 * Data of MLCC senders (they have an MlccHeader) that enter the datacenter wait in a
 * ShapedScheduler at the port that leads to their receiver. There are as many queues as flows; a
 * new one has PfqInitialRate, and one that has been empty for PfqTimeout is freed, with the state
 * of its flow. Queues that may send take turns.
 *
 * - ACKs, NAKs and MlccUpdates that leave the datacenter carry R_credit, which becomes the rate of
 * the flow's queue, and C_R, which is kept as C_D. They are forwarded unchanged.
 * - Data that leave their queue lose all telemetry but the record of this switch (IntStamper comes
 *   first, where the switch has one), and get C_D and Q_c: what is left in the queue, wire bytes.
 *   The record's queue length is what waits for the line, not what a rate holds back, or a backlog
 *   would lower its own rate; IntReportsPfq=true adds that.
 *
 * Other frames of a class, packets of ns-3 (FrameKind::PACKET) among them, have one queue together,
 * which no rate holds back and which takes turns with those of flows; what waits there is in the
 * record's queue length, so R_credit makes room for it.
 *
 * All that is held counts in the buffer of the WAN port it came through (Switch, SharedBuffer): a
 * deep buffer with a static threshold pauses the WAN when its headroom is all that is left.
 *
 * A flow whose frames leave by several ports has a queue at each, and each the whole rate. With
 * several external switches in a datacenter, those ACKs count that return through the one their
 * data came through.
 */
class MlccReceiverSide : public StageOf<MlccReceiverSide, MlccReceiverSideParams>,
                         private ShapedScheduler::Owner
{
  public:
    /// Counters since the start.
    struct Counters
    {
        uint64_t queues{0};        //!< made
        uint64_t credits{0};       //!< ACKs that changed a rate
        uint64_t strayAcks{0};     //!< of flows without queue
        uint64_t flowsPeak{0};     //!< most flows with a queue at a time
        uint64_t flowBytesPeak{0}; //!< longest queue of a flow at a port
        uint64_t bytesPeak{0};     //!< most bytes in all queues at a time
    };

    /// What the switch knows of a flow that has a queue.
    struct Flow
    {
        static constexpr uint16_t SEVERAL = UINT16_MAX; //!< it has had queues at several ports

        FlowKey flow{0};
        uint64_t cookie{0};  //!< of the data that has come last, in programs the flow's number
        uint64_t rateBps{0}; //!< R_credit, or the initial rate
        uint16_t epoch{0};   //!< C_D
        uint32_t queues{0};  //!< it has, at all ports
        uint16_t port{0};    //!< of all of them, or SEVERAL
    };

    static TypeId GetTypeId();

    // inherited from SwitchStage
    uint32_t GetHooks() const override
    {
        return ARRIVAL | DEQUEUE;
    }

    uint32_t GetKinds() const override
    {
        return 1U << static_cast<unsigned>(FrameKind::DATA) |
               1U << static_cast<unsigned>(FrameKind::ACK) |
               1U << static_cast<unsigned>(FrameKind::NAK) |
               1U << static_cast<unsigned>(FrameKind::NOTIFICATION); // MlccUpdate
    }

    void Check(const Deployment& deployment) const override;
    std::vector<std::string> GetWarnings(const Deployment& deployment) const override;

    /**
     * @brief Give ports their queues.
     * @throw InputError for a bad attribute, a switch without WAN port, or queues that are not of
     * class DwrrScheduler
     */
    void Install(Switch& sw) override;

    /// @param counters mlcc...: Pfqs, Credits, StrayAcks, FlowsPeak, PfqBytesPeak, QueueBytesPeak,
    /// see Counters; peaks are those of the switch that has the greatest
    void Count(std::map<std::string, uint64_t>& counters) const override;
    Verdict OnArrival(Frame& frame, Port& in, int64_t nowPs) override;
    Verdict OnDequeue(Frame& frame,
                      Port& out,
                      const EgressScheduler& queue,
                      int64_t nowPs) override;

    /// @return its queues, or null if the port leads to another datacenter
    Ptr<ShapedScheduler> GetQueues(uint16_t port) const
    {
        return m_queues.at(port);
    }

    /**
     * @brief Free the queues that are due; it would happen with the next frame anyway.
     * @param nowPs the switch is up to it
     */
    void FreeIdle(int64_t nowPs);

    /// @return flows that have a queue; see FreeIdle()
    std::size_t GetNFlows() const
    {
        return m_byFlow.size();
    }

    /// @return flows that there is state for; no more than the most that have had a queue at a time
    std::size_t GetNStates() const
    {
        return m_flows.size();
    }

    /// @return what is known of a flow, or null: it has no queue; see FreeIdle()
    const Flow* FindFlow(FlowKey flow) const
    {
        const auto found = m_byFlow.find(flow);
        return found == m_byFlow.end() ? nullptr : &m_flows[found->second];
    }

    /// @return bytes in all queues
    uint64_t GetTotalBytes() const
    {
        return m_totalBytes;
    }

    /**
     * @brief Visit the flows that have a queue, in the order of their keys.
     * @tparam F callable with (const Flow&, bytes in its queues)
     * @param visit called for each
     */
    template <typename F>
    void ForFlows(F&& visit) const
    {
        for (uint32_t key = 0; key < m_flows.size(); ++key)
        {
            if (m_flows[key].queues)
            {
                visit(m_flows[key], BytesOf(key));
            }
        }
    }

    const Counters& GetCounters() const
    {
        return m_counters;
    }

    /// Signature of trace source Queue: the flow's sending NIC and queue pair, bytes in its queue
    /// at the port and bytes in all queues.
    typedef void (
        *QueueCallback)(uint32_t nic, uint32_t qp, uint64_t bytes, uint64_t totalBytes, Time at);
    /// Signature of trace source Credit: the flow's sending NIC and queue pair, its rate from now
    /// on, bit/s, and C_D.
    typedef void (
        *CreditCallback)(uint32_t nic, uint32_t qp, uint64_t rateBps, uint16_t epoch, Time at);
    /// Signature of trace source Flows: number of flows that have a queue.
    typedef void (*FlowsCallback)(uint32_t flows, Time at);

  private:
    // inherited from ShapedScheduler::Owner
    uint32_t Classify(const Frame& frame, uint16_t port, int64_t nowPs) override;
    uint64_t GetRateBps(uint32_t key, uint16_t port, int64_t nowPs) override;
    void OnMade(uint32_t key, uint16_t port, int64_t nowPs) override;
    void OnForgotten(uint32_t key, uint16_t port, int64_t nowPs) override;

    uint32_t FindOrMake(FlowKey flow);
    void Repace(uint32_t key, uint16_t port, int64_t nowPs);
    uint64_t BytesOf(uint32_t key) const;
    void OnAck(const Frame& ack, int64_t nowPs);
    void Stamp(Frame& data, uint16_t port, uint32_t key) const;
    void NoteBytes(uint16_t port, uint64_t bytes);
    void TraceQueue(uint32_t key, uint64_t bytes, int64_t nowPs) const;

    Switch* m_at{nullptr}; //!< where it is installed
    DatacenterEdge m_edge;
    uint64_t m_serverBps{0};                    //!< of the fastest one
    uint32_t m_hopBytes{0};                     //!< of a record on the wire
    std::vector<Ptr<ShapedScheduler>> m_queues; //!< by port; null: to another datacenter
    std::vector<uint64_t> m_portBytes;          //!< in them
    uint64_t m_totalBytes{0};                   //!< sum of these
    int64_t m_freePs{0};                        //!< before that FreeIdle() has nothing to do
    std::vector<Flow> m_flows;                  //!< by key
    std::vector<uint32_t> m_freeKeys;
    std::unordered_map<FlowKey, uint32_t> m_byFlow; //!< keys; looked up, never walked
    Counters m_counters;
    StationTrace<uint32_t, uint32_t, uint64_t, uint64_t, Time> m_queueTrace;
    StationTrace<uint32_t, uint32_t, uint64_t, uint16_t, Time> m_creditTrace;
    StationTrace<uint32_t, Time> m_flowsTrace;
};

} // namespace ns3::roce

#endif /* ROCE_MLCC_RECEIVER_SIDE_H */
