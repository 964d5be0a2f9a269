// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PLB_H
#define ROCE_PLB_H

#include "ns3/roce-path-selector.h"
#include "ns3/roce-with-parameters.h"

#include <memory>

namespace ns3::roce
{

/// Parameters of Plb.
struct PlbParams
{
    bool delaySignal; //!< not ECN
    double threshold; //!< share of a round trip's packets
    uint32_t idleRounds;
    uint32_t rounds;
    int64_t suspendPs;

    static const ParameterTable<PlbParams>& Table();
};

/**
 * @brief Protective load balancing (Qureshi et al., SIGCOMM 2022): a flow that stays congested
 * moves to another path, if it can while it is idle.
 *
 * Time is counted in round trips. One is congested if at least CongestionThreshold of its packets
 * were: marked with CE (Signal = ecn), or acknowledged with an RTT above two base RTTs (Signal =
 * delay). After IdleRounds congested round trips in a row the flow moves as soon as nothing is
 * outstanding, after Rounds in any case. A timeout moves it at once, unless the last one did less
 * than a base RTT ago (with a timer for each packet, others tell of the same path); PLB
 * then rests for between one and two times SuspendTime, so that flows that leave a broken path are
 * not moved back onto it. A
 * sender that goes back (NAK, timeout) sends old PSNs again: the end of the round trip goes back
 * with it.
 *
 * Defaults are those of PLB in Linux (net/ipv4/tcp_plb: 0.5, 3 and 12 round trips, 60 s), those the
 * paper evaluates.
 */
class Plb : public WithParameters<Plb, PathSelector, PlbParams>
{
  public:
    Ptr<PathSelector> Fork() const override;

    bool NeedsEcn() const override
    {
        return !m_parameters.Get()->delaySignal;
    }

    bool NeedsTimestamp() const override
    {
        return m_parameters.Get()->delaySignal;
    }

    uint16_t Select(int64_t nowPs, uint64_t inflightBytes) override;
    void OnAck(const AckInfo& ack) override;
    void OnTimeout(int64_t nowPs) override;

    /// @return congested round trips in a row
    uint32_t GetCongestedRounds() const
    {
        return m_congestedRounds;
    }

  private:
    void DoStart(const PathInfo& path) override;
    void Flee(int64_t nowPs);

    int64_t m_baseRttPs{0};        //!< of the path
    int64_t m_fledPs{INT64_MIN};   //!< last move for a timeout
    uint32_t m_congestedRounds{0}; //!< in a row
    uint64_t m_roundEndPsn{0};     //!< an ACK beyond this ends the round trip
    uint64_t m_ackedPsn{0};        //!< highest acknowledged PSN seen
    uint64_t m_packets{0};         //!< acknowledged in this round trip
    uint64_t m_congested{0};       //!< of these, congested
    int64_t m_restUntilPs{INT64_MIN};
};

} // namespace ns3::roce

#endif /* ROCE_PLB_H */
