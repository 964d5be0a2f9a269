/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_UNO_LB_H
#define ROCE_UNO_LB_H

#include "ns3/roce-parameters.h"
#include "ns3/roce-path-selector.h"

#include <memory>
#include <vector>

namespace ns3
{
namespace roce
{

/// Parameters of UnoLb.
struct UnoLbParams
{
    uint32_t subflows;
    bool stale;          //!< a loss moves all subflows without recent ACK
    bool fresh;          //!< always to a new entropy
    bool gatePerSubflow; //!< not for the flow
    double gateRtts;
    double recentRtts;
    double staleRtts;

    /// @return the parameters: attributes, profiles, ranges, meaning
    static const ParameterTable<UnoLbParams>& Table();
};

/**
 * @ingroup roce
 * @brief Uno's subflow load balancing (Bonato et al., "Uno", SC 2025, section 4.2, Algorithm 2).
 *
 * A flow has Subflows entropies and its packets use them in turn, repeated ones too, so that the
 * packets of a block take different paths. A loss - a NACK, or a timeout - moves a subflow to
 * another path, at most once per Gate base RTTs:
 *
 * - who moves (Move): implicated, of the subflows that the lost packets took, the one whose last
 * ACK is oldest (if the loss recovery cannot tell which these are: of all subflows); or stale,
 * every subflow without an ACK for StaleRtts base RTTs;
 * - to where (Target): healthy, the entropy of a subflow chosen at random among those with an ACK
 *   within RecentRtts base RTTs, or a new one if there is none; or fresh, always a new random one;
 * - the gate (GateScope) is one for the flow, or one for each subflow.
 *
 * A loss that the code has made up for is neither NACK nor timeout; with one or two subflows on a
 * dead path there are no others. So it counts for a subflow without ACK for RecentRtts base RTTs,
 * and only for such a one: where packets are lost at random, copying would soon leave few paths.
 *
 * Subflows is 10, the packets of a block (the paper has the same letter for both). Algorithm 2
 * gives the gate of one base RTT and says that an entropy which "received an ACK recently" is
 * taken; how recently, it does not say: RecentRtts is 1.5. An entropy that no subflow uses any more
 * is left for good; copying entropies makes paths fewer over time. The profile artifact is the
 * authors' simulator.
 *
 * Whether it is used within datacenters, too, is up to Nic::PathSelector and
 * Nic::InterPathSelector.
 */
class UnoLb : public PathSelector
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

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
        bool suspect{false};           //!< lost something, and did not move since
        int64_t lastAckPs{INT64_MIN};  //!< of its present entropy
        int64_t lastMovePs{INT64_MIN}; //!< when it moved
    };

    void DoStart(const PathInfo& path) override;
    void Suspect(int64_t nowPs);
    bool IsRecent(const Subflow& subflow, int64_t nowPs) const;
    bool MayMove(const Subflow& subflow, int64_t nowPs) const;
    void MoveSubflow(Subflow& subflow, int64_t nowPs);
    const Subflow* DrawHealthy(uint16_t avoid, int64_t nowPs);

    Parameters<UnoLbParams> m_parameters;   //!< attributes
    std::shared_ptr<const UnoLbParams> m_p; //!< in force since Start()
    int64_t m_gatePs{0};
    int64_t m_recentPs{0};
    int64_t m_stalePs{0};
    int64_t m_lastMovePs{INT64_MIN};
    uint32_t m_next{0}; //!< subflow of the next packet
    bool m_lost{false}; //!< OnLoss() has been called for what is reported next
    std::vector<Subflow> m_subflows;
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_UNO_LB_H */
