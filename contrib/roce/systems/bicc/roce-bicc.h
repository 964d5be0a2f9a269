// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_BICC_H
#define ROCE_BICC_H

#include "roce-bicc-near-source.h"
#include "roce-bicc-receiver-side.h"

#include "ns3/roce-datacenter-edge.h"
#include "ns3/roce-shaped-scheduler.h"
#include "ns3/roce-stage-of.h"
#include "ns3/roce-station-trace.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

/// Parameters of Bicc.
struct BiccParams
{
    BiccNearSource::Settings nearSource;
    BiccReceiverSide::Settings receiverSide;
    uint8_t controlClass;

    static const ParameterTable<BiccParams>& Table();
};

/**
 * @brief BiCC-like bilateral congestion control on external switches, for hosts with DCQCN: what
 * other papers say of BiCC (Wan et al., INFOCOM 2024), and attributes where they say nothing.
 *
 * Each external switch has both halves, for data that leave its datacenter and for data that enter
 * it. Neither half can be used alone.
 *
 * *Near source* (BiccNearSource). Data that meet congestion on their way out, at the WAN port (a
 * RED curve on its queue) or before (marks they have), are answered at once with a CNP in the name
 * of the receiver, at most one per flow and CnpInterval. All marks are removed, so that the far
 * receiver does not repeat them.
 *
 * *Receiver side* (BiccReceiverSide). Data that come from other datacenters wait in virtual output
 * queues (VOQs) at the ports into the own one, by destination host, in a ShapedScheduler. CNPs that
 * these destinations send to other datacenters cut the rate of the VOQ that the data came through,
 * and end here. So a congested destination delays its own VOQ, but neither other destinations nor
 * the senders; only when the buffer of the WAN port is full (Switch, SharedBuffer: what is held
 * counts there like anything else) is the WAN paused, or loses, and the far near source acts.
 *
 * Packets of ns-3 (FrameKind::PACKET) count where they share a class with data: at the WAN port in
 * the queue of their class, and those of a lossless class share the VOQ, and its rate, of their
 * destination, which a switch tells by the address. They are never answered, and their marks stay.
 * Those of other classes are left alone.
 *
 * A destination behind several ports has a VOQ, and a rate, at each. A CNP is for the one that the
 * routing table gives its flow; it is found by the CNP's UDP source port, so by chance where
 * replies have a port of their own.
 */
class Bicc : public StageOf<Bicc, BiccParams>, private ShapedScheduler::Owner
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
               1U << static_cast<unsigned>(FrameKind::CNP);
    }

    /**
     * @copydoc SwitchStage::Check()
     *
     * Senders of data between datacenters must react to CNPs, and to nothing else.
     */
    void Check(const Deployment& deployment) const override;

    /**
     * @brief Give ports their VOQs.
     * @throw InputError for a bad attribute, a switch without WAN port, or queues that are not of
     * class DwrrScheduler
     */
    void Install(Switch& sw) override;
    int64_t AssignStreams(int64_t stream) override;

    /**
     * @param counters bicc...: NearCnps (sent to near sources), NearSuppressed (congested frames of
     * flows that had a CNP less than CnpInterval ago), MarksCleared, CnpsConsumed, CnpsPassed
     * (see PassCnpsAbove), Cuts, VoqsPeak (most queues of any port at a time)
     */
    void Count(std::map<std::string, uint64_t>& counters) const override;
    Verdict OnArrival(Frame& frame, Port& in, int64_t nowPs) override;
    Verdict OnDequeue(Frame& frame,
                      Port& out,
                      const EgressScheduler& queue,
                      int64_t nowPs) override;

    /// @return its VOQs, or null if the port leads to another datacenter
    Ptr<ShapedScheduler> GetVoqs(uint16_t port) const
    {
        return m_voqs.at(port);
    }

    /// @return rates of the VOQs
    const BiccReceiverSide& GetReceiverSide() const
    {
        return m_receiverSide;
    }

    /// Signature of trace source NearCnp: the flow's sending NIC and queue pair.
    typedef void (*NearCnpCallback)(uint32_t nic, uint32_t qp, Time at);
    /// Signature of trace source Cut: port and VOQ, rate and alpha after the cut.
    typedef void (
        *CutCallback)(uint16_t port, uint32_t voq, uint64_t rateBps, double alpha, Time at);

  private:
    void OnRetune(const BiccParams& before, int64_t nowPs) override;
    // inherited from ShapedScheduler::Owner
    uint32_t Classify(const Frame& frame, uint16_t port, int64_t nowPs) override;
    uint64_t GetRateBps(uint32_t key, uint16_t port, int64_t nowPs) override;

    void Tell(BiccNearSource::Answer answer, const Frame& data, int64_t nowPs);
    Verdict OnReturningCnp(const Frame& cnp, int64_t nowPs);

    /// Counters since the start.
    struct Counters
    {
        uint64_t nearCnps{0};
        uint64_t nearSuppressed{0};
        uint64_t cnpsConsumed{0};
        uint64_t cnpsPassed{0};
        uint64_t cuts{0};
    };

    Switch* m_switch{nullptr};
    DatacenterEdge m_edge;
    std::vector<bool> m_isWan; //!< by port
    uint8_t m_losslessMask{0}; //!< classes that are lossless at some port
    BiccNearSource m_nearSource;
    BiccReceiverSide m_receiverSide;
    std::vector<Ptr<ShapedScheduler>> m_voqs; //!< by port; null: to another datacenter
    Counters m_counters;
    StationTrace<uint32_t, uint32_t, Time> m_nearCnpTrace;
    StationTrace<uint16_t, uint32_t, uint64_t, double, Time> m_cutTrace;
};

} // namespace ns3::roce

#endif /* ROCE_BICC_H */
