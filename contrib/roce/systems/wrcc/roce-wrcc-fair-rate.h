// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WRCC_FAIR_RATE_H
#define ROCE_WRCC_FAIR_RATE_H

#include "roce-wrcc-port-rate.h"

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#include "ns3/roce-edge-flow-table.h"
#include "ns3/roce-stage-of.h"
#include "ns3/roce-station-trace.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

struct WrccHeader;

/// Parameters of WrccFairRate.
struct WrccFairRateParams
{
    WrccPortRate::Config rate;
    bool isLiteral;         //!< profile literal
    int64_t fcnpIntervalPs; //!< 0: the period
    uint32_t fcnpHashBits;  //!< 0: each flow has an entry of its own
    bool countsRefreshes;
    bool phaseJitter;
    uint32_t controlClass;

    static const ParameterTable<WrccFairRateParams>& Table();
};

/**
 * @brief WRCC in a switch: counters of its ports, their fair rates, and notifications to senders
 * (sections 3.2 to 3.4 of the paper). For every switch.
 *
 * - Per period: bytes of data by input and output port, at MARK; RTT_est and number of the data
 *   that leave, at DEQUEUE; XOFFs sent on the input ports, at PAUSE. All data count, with
 *   WRCC's header or not; bytes are wire bytes, framing included, as the rates are.
 * - At the end of a period: each port's fair rate, see WrccPortRate. All ports of a switch
 * together; each switch begins at a random phase.
 * - Data with a higher FairRate get the port's, and the mark CLIPPED. If they come from the
 * switch's own datacenter with FBDP set, their sender gets an FCNP, one per flow and FcnpInterval.
 *
 * Packets of ns-3 (FrameKind::PACKET) are load as data are: a port's input rate and what it has
 * sent count them in every class, its queue in the classes that data use. They are not changed, and
 * their senders get no FCNP.
 *
 * There is no timer: the frame that comes first after the end of a period (at the same instant,
 * too) does its work, and that of later periods without packets. Of the buffer, only thresholds are
 * read then; the present frame may be in it already.
 */
class WrccFairRate : public StageOf<WrccFairRate, WrccFairRateParams>
{
  public:
    static TypeId GetTypeId();

    WrccFairRate();

    uint32_t GetHooks() const override
    {
        return MARK | DEQUEUE | PAUSE;
    }

    uint32_t GetKinds() const override
    {
        return LOAD_KINDS;
    }

    void Check(const Deployment& deployment) const override;
    void Install(Switch& sw) override;
    int64_t AssignStreams(int64_t stream) override;
    void Count(std::map<std::string, uint64_t>& counters) const override;
    Verdict OnEnqueue(Frame& frame,
                      Port& out,
                      const EgressScheduler& queue,
                      int64_t nowPs) override;
    Verdict OnDequeue(Frame& frame,
                      Port& out,
                      const EgressScheduler& queue,
                      int64_t nowPs) override;
    void OnPause(PauseEvent event, Port& port, uint8_t trafficClass, int64_t nowPs) override;

    /**
     * @brief A port's fair rate. Changes nothing.
     * @param nowPs the switch is up to it
     * @return the state after the last period that has ended by then
     */
    WrccPortRate Look(uint16_t port, int64_t nowPs) const;

    /// Signature of trace source Period: port, state, end of the period, and when the switch has
    /// noticed it. Of consecutive periods without packets only the last one is reported.
    typedef void (*PeriodCallback)(uint16_t port, const WrccPortRate& rate, Time end, Time at);
    /// Signature of trace source Fcnp: NIC and queue pair of the sender, fair rate in Mbit/s.
    typedef void (*FcnpCallback)(uint32_t nic, uint32_t qp, uint32_t fairRateMbps, Time at);

  protected:
    void DoDispose() override;

  private:
    void BeforeRetune(int64_t nowPs) override;
    void OnRetune(const WrccFairRateParams& before, int64_t nowPs) override;

    /// What is counted of a port within a period, and its rate.
    struct OutPort
    {
        WrccPortRate rate;
        uint32_t rateMbps{0};            //!< as it is written into frames
        std::vector<uint64_t> bytesFrom; //!< by input port; the last: emitted by the switch itself
        std::vector<uint16_t> inputs;    //!< those of which bytesFrom is not zero
        uint64_t rttSumUs{0};
        uint64_t loopSumUs{0};
        uint64_t packets{0};
        uint64_t sentBytes{0};
    };

    /// When a flow last got a notification.
    struct Told
    {
        int64_t atPs{INT64_MIN / 2};
    };

    void Begin(int64_t nowPs);
    void EndPeriods(int64_t nowPs, const Frame* leaving, uint16_t leavingPort);
    void EndPeriods(uint16_t port, uint64_t queueBytes, int64_t missed, int64_t nowPs);
    WrccPortRate::Period GetPeriod(const OutPort& port, uint64_t queueBytes) const;
    uint64_t GetQueueBytes(uint16_t port) const;
    bool IsIdle(const OutPort& port) const;
    void Rewrite(Frame& frame, WrccHeader& header, uint32_t fairRateMbps, int64_t nowPs);
    bool IsToldAtOnce(const WrccHeader& header) const;
    bool MayTell(const Frame& frame, int64_t nowPs);

    Switch* m_at{nullptr};               //!< where it is installed
    Ptr<UniformRandomVariable> m_random; //!< phase
    uint16_t m_domain{0};
    uint8_t m_classes{0};           //!< of data seen so far, a bit each
    bool m_anyPause{false};         //!< in this period
    int64_t m_nextEndPs{INT64_MIN}; //!< end of the present period; before the first frame: any
    int64_t m_index{0};             //!< of the present period
    std::vector<OutPort> m_ports;
    std::vector<uint64_t> m_pauses; //!< in this period, by input port
    EdgeFlowTable<Told> m_flows;    //!< exact
    std::vector<int64_t> m_toldPs;  //!< hashed
    uint64_t m_rewrites{0};
    uint64_t m_fcnps{0};
    StationTrace<uint16_t, const WrccPortRate&, Time, Time> m_periodTrace;
    StationTrace<uint32_t, uint32_t, uint32_t, Time> m_fcnpTrace;
};

} // namespace ns3::roce

#endif /* ROCE_WRCC_FAIR_RATE_H */
