// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_POWER_TCP_H
#define ROCE_POWER_TCP_H

#include "ns3/roce-law-of.h"

#include <algorithm>
#include <vector>

namespace ns3::roce
{

/// Parameters of PowerTcp.
struct PowerTcpParams
{
    bool theta;
    bool arrivals;
    double minCurrent;
    double gamma;
    double eta;
    double rttMargin;
    double betaBytes;   //!< 0: from betaRateBps, or from expectedFlows
    double betaRateBps; //!< 0: betaBytes counts
    uint32_t expectedFlows;
    int64_t baseRttPs; //!< 0: the path's
    double minRateBps;
    double thetaGamma;
    double maxWindow;
    bool perRtt; //!< with theta
    bool fromReference;
    bool fixedWindow;

    static const ParameterTable<PowerTcpParams>& Table();
};

/**
 * @brief PowerTCP (Addanki et al., NSDI 2022): a window steered by power, current times voltage.
 *
 * From the telemetry of one ACK against that of the ACK before, for each hop of rate B,
 *
 *   current lambda = dq/dt + dTx/dt,   voltage nu = 8 q + B tau,   power lambda nu / (B B tau);
 *
 * with the hop of the largest power and its dt (tau at most),
 *
 *   Gamma_s = (Gamma_s (tau - dt) + power dt) / tau,
 *   cwnd = Gamma (cwnd_old Eta / Gamma_s + beta) + (1 - Gamma) cwnd,   rate = 8 cwnd / tau.
 *
 * cwnd_old, the window when the acknowledged data was sent, is approximated as the paper does: by
 * the window at the last round-trip mark. With Theta (theta-PowerTCP) switches play no part,
 *
 *   power = (dRTT/dt + 1) RTT / (RttMargin tau),
 *
 * smoothed at each ACK in the same way, and the window changes once per round trip, by the first
 * ACK of data that was sent after the last change: cwnd_old is then the current window.
 *
 * Parameters, profiles and their sources: see PowerTcpParams::Table().
 *
 * N flows at one bottleneck settle at windows whose sum is BDP + N beta (if MaxWindow lets them)
 * and a queue of N beta; one flow alone is held at MaxWindow = 1 BDP without a queue.
 *
 * With a new window at each ACK the loop, which is a round trip and the smoothing late, need not
 * settle: two flows with ExpectedFlows = 8 on 100 Gb/s and 4.7 us oscillate between an empty queue
 * and one BDP; eight flows settle. UpdatePer=rtt settles in both cases.
 *
 * Details:
 * - Current=queue takes dq + dTx, the paper's form; arrivals takes the port's count of arrived
 *   bytes, which is the same by conservation. queue is the default: it needs only HPCC's telemetry,
 *   and dTx has the framing of each frame in it (20 bytes of 4178), so that a busy port without a
 *   change of queue shows exactly its rate; the arrival count is without framing.
 * - tau is BaseRtt, or the path's base RTT if that is 0 (inet-tub's Theta keeps the smallest RTT
 *   seen, which is that of the empty path). Gamma_s starts at 1, cwnd at line rate * tau.
 * - MaxWindow limits cwnd in BDPs; more than one cannot raise the rate above the line rate.
 * - Window max(cwnd, one full frame); below one frame per tau the pacing rate falls further. With
 *   FixedWindow the window is always a BDP.
 * - beta: BetaBytes, or BetaRate * tau / 8, or that of the profile.
 * - Memory=reference: (1 - Gamma) cwnd_old instead of (1 - Gamma) cwnd.
 * - The first ACK only stores its records. So does an ACK whose hops are not those of the ACK
 *   before (the path has changed). Hops without a later record are left out.
 * - After a NAK or a timeout the round-trip mark goes back with the queue pair (see Hpcc).
 *
 * A change of attributes takes effect at Start(), Fork() or Retune().
 */
class PowerTcp : public LawOf<PowerTcp, PowerTcpParams>
{
  public:
    bool NeedsTelemetry() const override
    {
        return !GetParams().theta;
    }

    bool NeedsTimestamp() const override
    {
        return GetParams().theta;
    }

    bool IsEcnCapable() const override
    {
        return false;
    }

    void OnAck(const AckInfo& ack) override;
    void OnTimeout(int64_t nowPs) override;
    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override;

  protected:
    double m_cwnd{0};      //!< bytes
    double m_reference{0}; //!< cwnd at the last round-trip mark, bytes
    double m_power{1};     //!< Gamma_s

  private:
    /// What is kept of one hop's record.
    struct HopSample
    {
        int64_t timePs;
        uint64_t arrivedBytes; //!< what had arrived at the port, up to a constant
        uint64_t hopId;
    };

    void DoStart(int64_t nowPs) override;
    void OnRetune(const PowerTcpParams& before, int64_t nowPs) override;
    void TakeOver();                           //!< what is used often, from m_p
    double GetBdpBytes() const;                //!< line rate * tau
    void Rewind(uint64_t psn);                 //!< the sender goes back to this PSN
    HopSample Sample(const IntHop& hop) const; //!< what is kept of this record
    void Store(const IntStack& stack);         //!< copy the records
    bool MeasureHops(const IntStack& stack);   //!< new Gamma_s; false: no new record
    bool MeasureRtt(const AckInfo& ack);       //!< the same with Theta
    void Average(double power, double dtPs);   //!< one step of Gamma_s
    void Publish();                            //!< set the outputs

    /// @return the same within MinRate and MaxWindow. @param cwnd bytes
    double Bounded(double cwnd) const
    {
        return std::min(std::max(cwnd, m_p->minRateBps * m_tauPs / 8e12), m_ceiling);
    }

  protected:
    bool m_hasSample{false};       //!< there are records (Theta: an RTT) to compare with
    double m_tauPs{0};             //!< tau
    double m_beta{0};              //!< bytes
    double m_ceiling{0};           //!< greatest cwnd, bytes
    uint64_t m_lastUpdatePsn{0};   //!< a round trip ends with the first ACK above this one
    uint64_t m_ackedPsn{0};        //!< highest acknowledged PSN seen
    int64_t m_lastAckPs{0};        //!< Theta: time of the last sample
    int64_t m_lastRttPs{0};        //!< Theta: the last sample
    std::vector<HopSample> m_last; //!< records of the last ACK
};

} // namespace ns3::roce

#endif /* ROCE_POWER_TCP_H */
