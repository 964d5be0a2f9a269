// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SWIFT_H
#define ROCE_SWIFT_H

#include "ns3/roce-law-of.h"
#include "ns3/roce-real-window.h"

#include <algorithm>

namespace ns3::roce
{

/// What Swift counts as hops of a path.
enum class SwiftHopCount : uint8_t
{
    SWITCHES,   //!< switches on the way to the receiver, as by TTL
    ROUND_TRIP, //!< links there and back
};

/// Parameters of Swift.
struct SwiftParams
{
    double baseTargetPs;
    double hopScalePs; //!< 0 without topology scaling
    SwiftHopCount hopCount;
    bool topologyScaling;
    bool addBaseRtt;
    bool flowScaling;
    double fsRangePs; //!< 0 without flow scaling
    double fsMin;
    double fsMax;
    double fsAlphaPs;  //!< a of a / sqrt(cwnd) + b; derived
    double fsOffsetPs; //!< b; derived
    double ai;
    double beta;
    double maxMdf;
    double cwndMin;
    double cwndMax;
    double initialCwnd; //!< 0: BDP
    uint32_t retxReset;
    bool split;
    double endpointTargetPs;

    static const ParameterTable<SwiftParams>& Table();
};

/**
 * @brief Swift (Kumar et al., SIGCOMM 2020): a window that steers the delay to a target.
 *
 *   target = BaseTarget + hops * HopScale + fs(cwnd),
 *   fs(cwnd) = clamp(a / sqrt(cwnd) + b, 0, FsRange),
 *   a = FsRange / (1/sqrt(FsMin) - 1/sqrt(FsMax)),  b = -a / sqrt(FsMax);
 *
 *   ACK of n packets, delay < target:  cwnd += Ai n / max(cwnd, 1)
 *   else, at most once per RTT:        cwnd *= max(1 - Beta (delay - target) / delay, 1 - MaxMdf)
 *   loss, at most once per RTT:        cwnd *= 1 - MaxMdf   (instead of the above)
 *   timeout: the RetxReset-th in a row cwnd = CwndMin, otherwise as a loss.
 *
 * cwnd is a real number of packets in [CwndMin, CwndMax]. Parameters, profiles and their sources:
 * see SwiftParams::Table().
 *
 * Details:
 * - Split: the fabric delay (RTT without the time the remote host held the data) has the window
 *   fcwnd and the target above, the hold time ecwnd and EndpointTarget (without scaling; its 100 us
 *   are our choice). Each window has its own once-per-RTT guard, losses and timeouts act on both,
 *   and the smaller one counts. Without a receiver model the endpoint delay is 0 and ecwnd stays at
 *   CwndMax. Split=false: the whole RTT against the fabric's target, one window.
 * - HopCount: a path of n links has n - 1 switches; TTL-based hop counts see these.
 * - A packet is a full frame of the path (fullFrameBytes). From cwnd = 1 on the window is
 *   floor(cwnd) of them and nothing is paced. The queue pair sends while inflight < window, so a
 *   window of 12.4 frames would let 13 out.
 * - Below cwnd = 1 the window is one frame and one frame goes out per rtt / cwnd: the rate is
 *   fullFrameBytes * 8 * cwnd / rtt with the RTT of the last ACK.
 * - "Once per RTT": now - tLastDecrease >= RTT of this ACK; for timeouts, which have no sample, the
 *   smoothed RTT (0.75 old + 0.25 new; before the first sample
 *   the path's base RTT).
 * - tLastDecrease moves when a window gets smaller. With the paper's pseudocode to
 *   the letter ("cwnd <= previous") each ACK over the target within an RTT of a
 *   decrease would put the next decrease off by another RTT, and under lasting congestion a busy
 * flow would no longer slow down (ten flows: three times the queue).
 * - An ACK without a time stamp changes no window. Any ACK ends a row of timeouts.
 * - The target does not include propagation: a WAN path whose RTT is above BaseTarget + hops *
 *   HopScale + FsRange ends up at CwndMin, one packet per 100 RTTs. That is
 * Swift as published. AddBaseRtt, our extension, puts the path's base RTT on top of the target,
 * which then is a queueing delay; across datacenters set CwndMax and InitialCwnd, too (256 packets
 * of 4 KB per 1 ms are 8.6 Gb/s, and Ai = 1 adds a packet per RTT).
 * - Falcon's RTO (at least 1 ms, 2 srtt + gap) is set at the NIC: attributes Nic::RtoMin and
 *   Nic::RtoFactor.
 * - Retune() applies CwndMin and CwndMax at once; that is no decrease. A rate that changes with
 * them is by the smoothed RTT until the next ACK.
 *
 * A change of attributes takes effect at Start(), Fork() or Retune().
 */
class Swift : public LawOf<Swift, SwiftParams>, public RealWindow
{
  public:
    bool NeedsTimestamp() const override
    {
        return true;
    }

    bool IsEcnCapable() const override
    {
        return false;
    }

    void OnAck(const AckInfo& ack) override;
    std::string GetWarning() const override;
    void OnTimeout(int64_t nowPs) override;
    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override;

    /// @return effective window, packets
    double GetCwnd() const;

    double GetRealWindowBytes() const override
    {
        return GetCwnd() * m_path.fullFrameBytes;
    }

    /// @param cwnd a window, packets. @return target delay of the fabric for it, ps
    double GetTargetPs(double cwnd) const;

  protected:
    /// One window with its once-per-RTT guard.
    struct Window
    {
        double cwnd{0};                        //!< packets
        int64_t lastDecreasePs{INT64_MIN / 2}; //!< tLastDecrease
    };

    Window m_fabric;   //!< fcwnd, or the only window
    Window m_endpoint; //!< ecwnd

  private:
    void DoStart(int64_t nowPs) override;
    void OnRetune(const SwiftParams& before, int64_t nowPs) override;
    void TakeOver(); //!< what is used often, from m_p
    void React(Window& w,
               double delayPs,
               double targetPs,
               const AckInfo& ack,
               double guardPs) const;
    void Cut(Window& w, int64_t nowPs, double guardPs) const; //!< loss
    void Settle(Window& w, double cwnd, int64_t nowPs) const; //!< clamp, note a decrease
    void Publish(double rttPs);                               //!< set the outputs

    /// @return the same within CwndMin and CwndMax. @param cwnd packets
    double Bounded(double cwnd) const
    {
        return std::min(std::max(cwnd, m_p->cwndMin), m_p->cwndMax);
    }

  protected:
    uint32_t m_timeouts{0};    //!< in a row
    double m_fixedTargetPs{0}; //!< target without flow scaling
    double m_smoothedRttPs{0}; //!< average
    bool m_hasSample{false};   //!< the average is of samples, not of the path's base RTT
};

} // namespace ns3::roce

#endif /* ROCE_SWIFT_H */
