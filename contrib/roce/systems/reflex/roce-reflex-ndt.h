// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_REFLEX_NDT_H
#define ROCE_REFLEX_NDT_H

#include "roce-ndt-controller.h"
#include "roce-ndt-scheduler.h"

#include "ns3/nstime.h"
#include "ns3/roce-datacenter-edge.h"
#include "ns3/roce-frame-extension.h"
#include "ns3/roce-parameters.h"
#include "ns3/roce-station-trace.h"
#include "ns3/roce-switch-stage.h"

#include <memory>
#include <vector>

namespace ns3::roce
{

/// @brief The second time stamp, TS2, where the first one is taken: charged no bytes.
struct NdtStamp
{
    int64_t atPs; //!< when the data left the external switch
    static const FrameExtension EXTENSION;
};

/// Parameters of ReflexNdt.
struct ReflexNdtParams
{
    /// Where the stamp of a frame is.
    enum class Stamp : uint8_t
    {
        AUTO,
        OWN,
        SENDERS,
    };

    NdtController::Settings controller;
    uint32_t nThrottle;
    Stamp stamp;

    static const ParameterTable<ReflexNdtParams>& Table();
};

/**
 * @brief Near-destination throttling of Reflex (Reflex paper, section III-D): an external switch
 * measures the round trip of each flow that enters its datacenter, from the switch to the receiver
 * and back, and sends packets of flows whose round trip is long through a Controlled queue of low
 * weight.
 *
 * Every port to a switch of the own datacenter gets an NdtScheduler with the settings of the
 * DwrrScheduler it had. Data that enter the datacenter in a lossless class are stamped when their
 * transmission starts; their ACKs and NAKs, on their way out, bring the stamp back. Only
 * acknowledgements of flows in this switch's table count: with several external switches in a
 * datacenter, those that return through the one their data came through.
 *
 * No flow is reordered: it changes its queue only when it has no packets in the other one. So a
 * flow that is congested while the port itself is overloaded, and always has packets in Normal, is
 * not throttled at all; without SymmetricOrderGuard it is, and its packets are reordered.
 *
 * Packets of ns-3 (FrameKind::PACKET) go to Normal: they take turns of Controlled away, as any
 * traffic does, but they bring no stamps back, so they are no flows of the table or of the share.
 *
 * The paper has two queues at each egress and suspends "the Controlled Queue" by the share of flows
 * mapped to it, until returning ACKs show that congestion has resolved. So the share is that of
 * congested flows with packets in a port's Controlled queue among the port's active flows: an ACK
 * with a short round trip takes its flow out of the count, also while the flow's packets cannot
 * leave. With PauseScope=switch, one share for all ports, suspensions are rare, and pauses by PFC
 * stay.
 *
 * The stamp replaces the sender's. That is harmless only if the sender gets its round trips
 * elsewhere (ReflexNsf) and does not choose paths by them; see attribute SeparateTimestamp. A
 * separate stamp adds no bytes to frames: on a real wire it would need a field of its own.
 */
class ReflexNdt : public SwitchStage,
                  private NdtScheduler::Classifier,
                  private NdtController::Listener
{
  public:
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
               1U << static_cast<unsigned>(FrameKind::NAK);
    }

    /**
     * @brief Give ports their queues.
     * @throw InputError for a bad attribute, or queues that are not of class DwrrScheduler
     */
    void Install(Switch& sw) override;

    /**
     * @copydoc SwitchStage::Check()
     *
     * Stamps that replace the senders' do not fit rate laws without time stamps, where
     * SeparateTimestamp=false is a mistake, nor path selectors that use them.
     */
    void Check(const Deployment& deployment) const override;

    /**
     * @param counters reflexNdt...: Flows, CongestedFlows (flows that were congested at some time),
     * IsolatedFlows (flows that had a packet in Controlled at some time), Episodes (transitions to
     * congested), Controlled (packets put into Controlled), LegacyControlled (of these, of flows
     * that had recovered), Pauses, PauseTimeouts, PausedNs (those that have ended), TablePeak
     * (largest flow table of any switch). A flow that is silent for FlowEntryTimeout counts again.
     */
    void Count(std::map<std::string, uint64_t>& counters) const override;
    void OnTimer(int64_t nowPs) override;
    Verdict OnArrival(Frame& frame, Port& in, int64_t nowPs) override;
    Verdict OnDequeue(Frame& frame,
                      Port& out,
                      const EgressScheduler& queue,
                      int64_t nowPs) override;

    /// @return its queues, or null if the port does not lead into the datacenter
    Ptr<NdtScheduler> GetScheduler(uint16_t port) const
    {
        return m_schedulers.at(port);
    }

    /// Signature of trace source RttDst: the flow's sending NIC and queue pair, the sample.
    typedef void (*RttDstCallback)(uint32_t nic, uint32_t qp, int64_t rttPs, Time at);
    /// Signature of trace source State: the flow's sending NIC and queue pair, its new state.
    typedef void (*StateCallback)(uint32_t nic, uint32_t qp, bool congested, Time at);
    /// Signature of trace source Pause: Controlled of a port is suspended or resumed; the share of
    /// congested flows; whether it is resumed because MaxPause has passed.
    typedef void (
        *PauseCallback)(uint16_t port, bool begins, double ratio, bool byTimeout, Time at);

  private:
    // inherited from NdtScheduler::Classifier
    bool Classify(const Frame& frame, uint16_t port, int64_t nowPs) override;
    void Leave(const Frame& frame, uint16_t port, bool controlled) override;
    // inherited from NdtController::Listener
    void OnState(uint64_t key, bool congested, int64_t nowPs) override;
    void OnSuspension(uint16_t group,
                      bool begins,
                      double ratio,
                      bool byTimeout,
                      int64_t nowPs) override;

    bool IsEntering(const Frame& frame) const;
    bool IsSeparate();
    void KickResumed(int64_t nowPs);

    Parameters<ReflexNdtParams> m_parameters;   //!< attributes
    std::shared_ptr<const ReflexNdtParams> m_p; //!< effective since Install()
    NdtController m_controller;
    Switch* m_switch{nullptr};
    DatacenterEdge m_edge;
    std::vector<Ptr<NdtScheduler>> m_schedulers; //!< by port; null: not into the datacenter
    std::vector<uint16_t> m_resumed;             //!< ports to be kicked
    uint8_t m_losslessMask{0};
    bool m_separate{false};
    bool m_separateKnown{false};
    StationTrace<uint32_t, uint32_t, int64_t, Time> m_rttDstTrace;
    StationTrace<uint32_t, uint32_t, bool, Time> m_stateTrace;
    StationTrace<uint16_t, bool, double, bool, Time> m_pauseTrace;
};

} // namespace ns3::roce

#endif /* ROCE_REFLEX_NDT_H */
