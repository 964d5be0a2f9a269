// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_UNO_CC_H
#define ROCE_UNO_CC_H

#include "roce-uno-params.h"
#include "roce-uno-window.h"

#include "ns3/roce-law-of.h"

#include <string>

namespace ns3::roce
{

/**
 * @brief UnoCC (Uno, SC 2025, section 4.1): one window for flows inside and between datacenters.
 *
 *   ACK without mark:   cwnd += alpha * acknowledged bytes / cwnd,   alpha = AlphaFraction * BDP
 *   epoch with marks:   cwnd *= 1 - E * 4K / (K + BDP) * s,          s = 1, or MdScale without
 * delay period of an RTT in which less than QaBeta * cwnd bytes arrived (Quick Adapt): cwnd = what
 * arrived, and an RTT without either decrease
 *
 * E is the average, over epochs, of the share of marked packets. An epoch is a time on the axis of
 * sending times that is as long for flows between datacenters as for those inside (IntraRtt): that
 * makes marks count as often for both, and flows of different RTTs share a link fairly. BDP is the
 * line rate times T, the path's base RTT. cwnd is a real number of bytes from one
 * packet to MaxCwndBdp * BDP. Parameters, profiles and their sources: see UnoParams::Table().
 *
 * What the paper leaves open, and the choices here:
 * - The delay of an epoch is the least relative delay (RTT - T) of its marked packets. It counts as
 *   none up to GentleDelayTolerance: at a store-and-forward switch it is never 0.
 * - MdScaleMode: algorithm 1 multiplies the factors of gentle epochs in a row (cumulative), after
 *   five of which MD has almost no effect; the text only says a gentler reduction (fixed).
 * - Literally, T_epoch grows by a period with each epoch. A flow that was idle would then end an
 *   epoch with every ACK. EpochCatchUp keeps it from lagging behind what was sent.
 * - Quick Adapt compares with the window at the start of this period or that before, the smaller
 *   one: what is acknowledged now was sent under a window one RTT old. And one more packet must be
 *   missing. Compared with the present window (QaReference=current, QaGuardPackets=0), a flow at
 *   one packet per RTT falls back to one as soon as its window is above two, again and again. It
 *   never raises the window. Periods start again with the ACK that ends the one before; that ACK
 *   counts for the one it ends.
 * - Quick Adapt does not count periods in which an ACK left no data to send (AckInfo::hasMore), nor
 *   the one after such a period. So the end of a flow does not count as congestion.
 * - If no ACK ends the period it ends after QaTimer periods. Nothing is scheduled for it. A queue
 *   pair that waits for its pacing gap checks then (NextRateChangePs()) and slows down in time. One
 *   whose window is full does not check: until the next ACK or timeout the window decides nothing.
 *   That ACK or timeout finds the window as it would have been (Advance()); only time series show
 *   the old one meanwhile. A rate that PacingUpdateShare holds back is set with the first ACK after
 *   that time.
 * - Losses do nothing (Quick Adapt sees them), timeouts neither.
 * - An ACK for several packets (Nic::AckEveryN) of which one is marked adds nothing. ACKs without a
 *   time stamp count, but end no epoch.
 * - A packet is what a full frame adds to the bytes in flight. The output window is a whole number
 *   of them: the queue pair sends while inflight < window, UnoCC while inflight + packet <= cwnd.
 * - FallingEwma=increase (artifact): a marked epoch whose average E is below the one before and not
 *   above 0.9 does not cut, and adds alpha * bytes of the epoch / cwnd.
 * - 4K / (K + BDP) is above 1 if BDP < 3K, where the flow's path is much shorter than IntraRtt. A
 *   cut then may leave one packet. RttBaseMode=class computes all flows inside a datacenter alike.
 * - Retune() applies MaxCwndBdp and the pacing at once. Epochs and periods that are open
 * end when they would have.
 *
 * A change of attributes takes effect at Start(), Fork() or Retune().
 */
class UnoCc : public LawOf<UnoCc, UnoParams>
{
  public:
    bool NeedsTimestamp() const override
    {
        return true;
    }

    bool NeedsEcn() const override
    {
        return true;
    }

    void OnSend(const SendInfo& sent) override;
    void OnAck(const AckInfo& ack) override;
    void OnTimeout(int64_t nowPs) override;
    void Advance(int64_t nowPs) override;
    int64_t NextRateChangePs() const override;
    std::string GetWarning() const override;
    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override;

    /// Decisions so far.
    struct Counters
    {
        uint64_t epochs{0};      //!< epochs that have ended
        uint64_t cuts{0};        //!< multiplicative decreases, gentle ones too
        uint64_t gentleCuts{0};  //!< of these for marks without delay
        uint64_t fallingRuns{0}; //!< increases of FallingEwma=increase
    };

  protected:
    double m_cwnd{0}; //!< bytes

  private:
    void DoStart(int64_t nowPs) override;
    void OnRetune(const UnoParams& before, int64_t nowPs) override;
    void TakeOver(); //!< what is used often, from m_p
    QuickAdapt::Limits GetLimits() const;
    double GetBdpBytes(int64_t rttPs) const;
    int64_t GetEpochPeriodPs() const;
    int64_t GetQaPeriodPs() const;
    void RunQuickAdapt(UnoAck& ack);
    void Adapt(double cwnd, uint64_t hitsBefore); //!< what Quick Adapt says
    void EndEpoch(int64_t nowPs);                 //!< MD
    void Clamp();
    void Publish(int64_t nowPs); //!< set the outputs

  protected:
    UnoEpoch m_epoch;
    QuickAdapt m_quickAdapt;
    Counters m_counters;
    double m_alpha{0};                //!< bytes per RTT
    double m_mdCoefficient{0};        //!< 4K / (K + BDP)
    double m_cumulativeScale{1};      //!< product of MdScale
    double m_frameBytes{0};           //!< packet as the window counts it: least cwnd, E11
    double m_ceiling{0};              //!< greatest cwnd
    int64_t m_baseRttPs{0};           //!< T
    int64_t m_rttPs{0};               //!< last sample
    int64_t m_gentlePs{0};            //!< relative delay that is none
    int64_t m_pacedPs{INT64_MIN / 2}; //!< when the rate was set last
};

} // namespace ns3::roce

#endif /* ROCE_UNO_CC_H */
