// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_UNO_LB_H
#define ROCE_UNO_LB_H

#include "ns3/roce-path-selector.h"
#include "ns3/roce-with-parameters.h"

#include <memory>
#include <vector>

namespace ns3::roce
{

/// Parameters of UnoLb.
struct UnoLbParams
{
    uint32_t subflows;
    bool stale;          //!< a loss moves all subflows without recent ACK
    bool fresh;          //!< always to a new entropy
    bool gatePerSubflow; //!< not for the flow
    bool heedsCovered;   //!< losses that the code has repaired count, too
    double gateRtts;

    static const ParameterTable<UnoLbParams>& Table();
};

/**
 * @brief Uno's subflow load balancing (Bonato et al., "Uno", SC 2025, section 4.2, Algorithm 2).
 *
 * A flow has Subflows entropies and its packets use them in turn, repeated ones too, so that the
 * packets of a block take different paths. A loss - a NACK, or a timeout - moves subflows to other
 * paths, at most once per Gate base RTTs:
 *
 * - what moves (Move): implicated, the subflows that the lost packets took (if the loss recovery
 *   cannot tell which these are: all); or stale, every subflow without an ACK for half a base
 *   RTTs;
 * - to where (Target): healthy, the entropy of a subflow chosen at random among those with an ACK
 *   within RecentRtts base RTTs, or a new one if there is none; or fresh, always a new random one;
 * - the gate (GateScope): subflow, each has its own. Or flow, one for all: of those implicated only
 *   the one moves whose last ACK is oldest; those that are stale move together.
 *
 * Algorithm 2 is called for a packet, compares with "last_reroute" and calls
 * update_subflow(packet). Its variables have no index: they may belong to the flow or to the
 * packet's subflow. Here they belong to the subflow: a NACK misses three packets or more, so with
 * one gate for the flow all but one of its subflows would stay on bad paths, for a base RTT each.
 * The authors' simulator has a time for each subflow.
 *
 * A loss that the code has repaired is neither NACK nor timeout; with one or two subflows on a dead
 * path there are no others. OnCoveredLoss=true: it counts for a subflow without ACK for RecentRtts
 * base RTTs, and only for such a one: where packets are lost at random, copying would soon leave
 * few paths. Algorithm 2 does not have it.
 *
 * Subflows is 10, the packets of a block (the paper has the same letter for both). Algorithm 2
 * gives the gate of one base RTT and says that an entropy which "received an ACK recently" is
 * taken, but not how recently: here within 1.5 base RTTs. An entropy that no subflow uses any
 * longer is abandoned; copying entropies makes paths fewer over time. The profile artifact is the
 * authors' simulator.
 *
 * Nic::PathSelector and Nic::InterPathSelector decide whether it is used within datacenters, too.
 */
class UnoLb : public WithParameters<UnoLb, PathSelector, UnoLbParams>
{
  public:
    Ptr<PathSelector> Fork() const override;

    bool IsPerPacket() const override
    {
        return true;
    }

    uint16_t Select(int64_t nowPs, uint64_t inflightBytes) override;
    void OnAck(const AckInfo& ack) override;
    void OnLoss(uint16_t entropy, int64_t nowPs) override;
    void OnCoveredLoss(uint16_t entropy, int64_t nowPs) override;
    void OnTimeout(int64_t nowPs) override;

    /// @return entropies in use, by subflow
    std::vector<uint16_t> GetEntropies() const;

  private:
    /// One of the paths in rotation.
    struct Subflow
    {
        uint16_t entropy{0};
        bool suspect{false};           //!< has lost something, and has not moved since
        int64_t lastAckPs{INT64_MIN};  //!< of its present entropy
        int64_t lastMovePs{INT64_MIN}; //!< when it moved
    };

    void DoStart(const PathInfo& path) override;
    void Suspect(int64_t nowPs);
    bool IsRecent(const Subflow& subflow, int64_t nowPs) const;
    bool IsOpen(int64_t lastMovePs, int64_t nowPs) const;
    void MoveSubflow(Subflow& subflow, int64_t nowPs);
    const Subflow* DrawHealthy(uint16_t avoid, int64_t nowPs);

    int64_t m_gatePs{0};
    int64_t m_recentPs{0};
    int64_t m_stalePs{0};
    int64_t m_lastMovePs{INT64_MIN};
    uint32_t m_next{0}; //!< subflow of the next packet
    bool m_lost{false}; //!< OnLoss() has been called for what is reported next
    std::vector<Subflow> m_subflows;
};

} // namespace ns3::roce

#endif /* ROCE_UNO_LB_H */
