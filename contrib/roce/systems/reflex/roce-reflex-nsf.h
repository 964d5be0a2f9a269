// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_REFLEX_NSF_H
#define ROCE_REFLEX_NSF_H

#include "ns3/nstime.h"
#include "ns3/roce-datacenter-edge.h"
#include "ns3/roce-edge-flow-table.h"
#include "ns3/roce-stage-of.h"
#include "ns3/roce-station-trace.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3::roce
{

/**
 * @brief Feedback state of one flow in Reflex's near-source feedback (paper, III-C and Fig. 5).
 *
 * Only data arrivals change it; it has no timers. With over = delay > threshold (strict) and due =
 * at least an interval since the last pseudo-ACK:
 *
 * | state   | over | next                      | pseudo-ACK          |
 * |---------|------|---------------------------|---------------------|
 * | Silent  | no   | Silent                    | none, or a probe    |
 * | Silent  | yes  | Active                    | if due              |
 * | Active  | yes  | Active                    | if due              |
 * | Active  | no   | Cooling, counter = nCool  | if due              |
 * | Cooling | yes  | Active                    | if due              |
 * | Cooling | no   | Cooling; at 0 Silent      | see CoolingMode     |
 *
 * The paper does not say what happens over the threshold in Cooling: back to Active, as from
 * Silent, and the counter starts again with the next Cooling.
 */
class NsfMachine
{
  public:
    /// States of a flow.
    enum State : uint8_t
    {
        SILENT,
        ACTIVE,
        COOLING,
    };

    /// What the counter of Cooling counts.
    enum class CoolingMode : uint8_t
    {
        PER_PSEUDO_ACK,     //!< pseudo-ACKs sent: the sender sees nCool samples
        PER_PACKET_GATED,   //!< data packets, as the paper has it; pseudo-ACKs if due. At line rate
                            //!< Cooling is over before one is due
        PER_PACKET_UNGATED, //!< data packets, each with a pseudo-ACK
    };

    /// Parameters, the same for all flows of a switch.
    struct Config
    {
        int64_t thresholdPs;     //!< T_src_thresh
        int64_t intervalPs;      //!< T_interval
        int64_t probeIntervalPs; //!< between pseudo-ACKs in Silent; 0: none there
        uint32_t nCool;          //!< N_cool; 0: no Cooling
        CoolingMode cooling;     //!< see CoolingMode
    };

    /**
     * @brief A data packet of the flow has come.
     * @param delayPs its T_src
     * @return whether a pseudo-ACK is to be sent for it
     */
    bool OnData(const Config& config, int64_t delayPs, int64_t nowPs);

    /// @return state now
    State GetState() const
    {
        return m_state;
    }

    /// @return rest of the counter, in Cooling
    uint32_t GetCount() const
    {
        return m_count;
    }

  private:
    bool Cool(const Config& config, bool due);

    State m_state{SILENT};
    uint32_t m_count{0};
    int64_t m_lastPs{INT64_MIN / 2}; //!< last pseudo-ACK
};

/// Parameters of ReflexNsf.
struct ReflexNsfParams
{
    /// What the sender does without pseudo-ACKs.
    enum class SilentMode : uint8_t
    {
        FREEZE,
        HOLD_AND_CLOCK,
        PROBE,
    };

    NsfMachine::Config machine; //!< its probeIntervalPs is 0 unless silentMode is PROBE
    SilentMode silentMode;
    bool paced;  //!< a window is a rate
    bool egress; //!< where T_src is taken
    uint8_t controlClass;
    bool gating;
    bool coversSent;

    static const ParameterTable<ReflexNsfParams>& Table();
};

/**
 * @brief Reflex's near-source feedback (NSF): the external switch answers in place of the far
 * receiver (Liu et al., "Reflex", III-C).
 *
 * For each data packet that leaves the datacenter the switch computes its time from the sender's
 * NIC, T_src (the switch's clock less the packet's time stamp). A machine for each flow
 * (NsfMachine) decides which of them are answered with a pseudo-ACK: a notification that echoes the
 * time stamp. At the sender ReflexSender gives it to the rate law as the RTT sample and hides the
 * RTT of real ACKs, which is the WAN's. The packet is forwarded unchanged and undelayed.
 *
 * Only rate laws that use RTT samples fit (Timely, Swift, PowerTcp's delay form).
 *
 * The profiles are readings of what the paper leaves open.
 * "literal" is the paper's text. It counts packets in Cooling, of which at line rate five pass
 * within 0.5 us, so that the sender gets one sample at most; and windows remain windows, which
 * starves window laws at a WAN's RTT (ReflexSender). SilentMode and WindowMode are explained at
 * ReflexSender; SilentMode=probe is freeze there, with a pseudo-ACK each ProbeInterval in Silent
 * here.
 *
 * With freeze, the paper's text, a sender keeps the rate it has when Cooling ends. holdAndClock
 * lets it recover, but suits only laws that speed up at each sample that keeps a flow Silent:
 * Timely, not Swift, whose target is passed by a queue far below TSrcThreshold. There a last sample
 * between the two is repeated until the window is at its floor.
 *
 * Details:
 * - T_src counts from the start of the packet's transmission at the NIC to its complete reception
 *   here (MeasurePoint=ingress), or to the start of its transmission on the WAN (egress).
 * - The clocks of hosts and switch are the same; HostClockOffset moves those of the hosts.
 * - All data between datacenters is served, whatever its class: its senders get no other samples.
 * - Packets of ns-3 (FrameKind::PACKET) are not served; T_src has the time that data wait for them.
 * - A pseudo-ACK acknowledges nothing. It is emitted in ControlClass and charged as an ACK with a
 *   time stamp, unless PseudoAckBytes says otherwise.
 */
class ReflexNsf : public StageOf<ReflexNsf, ReflexNsfParams>
{
  public:
    /// Mechanism in a notification.
    static constexpr uint32_t KIND = 0x4e5346; // "NSF"

    /// Counters since the start.
    struct Counters
    {
        uint64_t dataFrames{0};     //!< frames that left the datacenter
        uint64_t dataBytes{0};      //!< MAC header to FCS
        uint64_t pseudoAcks{0};     //!< sent
        uint64_t pseudoAckBytes{0}; //!< MAC header to FCS
        uint64_t activations{0};    //!< Silent or Cooling to Active
    };

    static TypeId GetTypeId();

    uint32_t GetHooks() const override;

    uint32_t GetKinds() const override
    {
        return 1U << static_cast<unsigned>(FrameKind::DATA);
    }

    void Check(const Deployment& deployment) const override;
    std::string GetSenderShim() const override;
    void Install(Switch& sw) override;
    void Count(std::map<std::string, uint64_t>& counters) const override;
    Verdict OnArrival(Frame& frame, Port& in, int64_t nowPs) override;
    Verdict OnDequeue(Frame& frame,
                      Port& out,
                      const EgressScheduler& queue,
                      int64_t nowPs) override;

    const Counters& GetCounters() const
    {
        return m_counters;
    }

    /// Signature of trace source PseudoAck: NIC and queue pair of the sender, T_src.
    typedef void (*PseudoAckCallback)(uint32_t nic, uint32_t qp, int64_t delayPs, Time at);
    /// Signature of trace source State: an NsfMachine::State, and T_src.
    typedef void (
        *StateCallback)(uint32_t nic, uint32_t qp, uint8_t state, int64_t delayPs, Time at);

  private:
    void Measure(const Frame& data, int64_t nowPs);
    void Answer(const Frame& data, int64_t nowPs);

    Switch* m_switch{nullptr};
    DatacenterEdge m_edge;
    EdgeFlowTable<NsfMachine> m_flows;
    Counters m_counters;
    StationTrace<uint32_t, uint32_t, int64_t, Time> m_pseudoAckTrace;
    StationTrace<uint32_t, uint32_t, uint8_t, int64_t, Time> m_stateTrace;
};

} // namespace ns3::roce

#endif /* ROCE_REFLEX_NSF_H */
