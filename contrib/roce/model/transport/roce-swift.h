/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_SWIFT_H
#define ROCE_SWIFT_H

#include "roce-tunable-control.h"

#include "ns3/nstime.h"

#include <string>

namespace ns3
{
namespace roce
{

/// What Swift counts as hops of a path.
enum class SwiftHopCount : uint8_t
{
    SWITCHES,   //!< switches on the way to the receiver: what a TTL tells
    LINKS,      //!< links on the way to the receiver
    ROUND_TRIP, //!< links there and back
};

/**
 * @ingroup roce
 * @brief Swift's parameters after the profile and the attributes have been put together.
 */
struct SwiftParams
{
    double baseTargetPs;     //!< target without scaling
    double hopScalePs;       //!< more of it per hop; 0 without topology scaling
    SwiftHopCount hopCount;  //!< what a hop is
    bool addBaseRtt;         //!< the path's base RTT comes on top of the target
    double fsRangePs;        //!< largest flow scaling; 0 without flow scaling
    double fsAlphaPs;        //!< a of a / sqrt(cwnd) + b
    double fsOffsetPs;       //!< b
    double endpointTargetPs; //!< target of the endpoint delay
    double ai;               //!< additive increase, packets per RTT
    double beta;             //!< multiplicative decrease
    double maxMdf;           //!< largest share of a window that one decrease takes
    double cwndMin;          //!< packets
    double cwndMax;          //!< packets
    double initialCwnd;      //!< packets; 0: BDP
    uint32_t retxReset;      //!< consecutive timeouts that lead to cwndMin
    bool split;              //!< endpoint delay has a window of its own
    bool smoothedGuard;      //!< once per smoothed RTT instead of per RTT of the ACK
    bool markNotIncreased;   //!< tLastDecrease = now also if a window just did not grow
    bool paceAlways;         //!< pace windows of one packet and more, too
};

/**
 * @ingroup roce
 * @brief Swift's attributes as the user gave them.
 *
 * The attribute Profile gives every parameter a value; each can be overridden on its own (-1, or an
 * empty text, means "from the profile"):
 *
 * | attribute   | falcon (default) | paper         | htsim           | reflex          |
 * |-------------|------------------|---------------|-----------------|-----------------|
 * | BaseTarget  | 25 us [1]        | 25 us [2]     | 20 us [3]       | 200 ns [4]      |
 * | HopScale    | 1 us [1]         | 1 us [2]      | 3.053 us [3]    | 1 us [4]        |
 * | HopCount    | switches [a]     | switches [a]  | switches [a]    | roundTrip [b]   |
 * | FsRange     | 100 us [1]       | 125 us [2]    | 100 us [3]      | 100 us [c]      |
 * | FsMin       | 0.1 [1]          | 0.1 [2]       | 0.1 [3]         | 0.1 [c]         |
 * | FsMax       | 256 [1]          | 100 [2]       | 100 [3]         | 256 [c]         |
 * | Ai          | 1 [1]            | 1 [2]         | 1 [3]           | 1 [c]           |
 * | Beta        | 0.8 [1]          | 0.8 [2]       | 0.8 [3]         | 0.8 [c]         |
 * | MaxMdf      | 0.5 [1]          | 0.5 [2]       | 0.5 [3]         | 0.5 [c]         |
 * | CwndMin     | 0.01 [1]         | 0.001 [2]     | 10 B / 4 KB [3] | 0.01 [c]        |
 * | CwndMax     | 256 [1]          | 50 [2]        | 1000 [3]        | 256 [c]         |
 * | InitialCwnd | 32 [1]           | 0 = BDP [d]   | 12 [3]          | 0 = BDP [d]     |
 * | RetxReset   | 3 [1]            | 5 [2]         | 5 [3]           | 3 [c]           |
 *
 * [1] Google's own Swift: the Falcon model in google/isekai; the only first-party set. [2] as the
 * SIGCOMM 2020 paper is remembered, not checked against its text; it gives ranges of 25..50 us and
 * 1..2 us per hop, FsRange is five times the base target. [3] Broadcom/csg-htsim, whose authors
 * call several of their values guesses; per hop is BaseTarget / 6.55. [4] text of the Reflex paper.
 * [a] "hops from the TTL". [b] Not stated. Reflex's own intra-DC path (8 us, four links of 1 us
 * each way) has a propagation delay above 200 ns + 3 or 4 hops: only links there and back (8.2 us)
 * leave it below the target. [c] not stated; falcon's values. [d] No value is known; here as with
 * the other rate laws: line rate from the start, clamped to CwndMax.
 */
struct SwiftSettings
{
    std::string profile;
    Time baseTarget;
    Time hopScale;
    std::string hopCount;
    bool topologyScaling;
    bool addBaseRtt;
    bool flowScaling;
    Time fsRange;
    double fsMin;
    double fsMax;
    double ai;
    double beta;
    double maxMdf;
    double cwndMin;
    double cwndMax;
    double initialCwnd;
    int64_t retxReset;
    bool split;
    Time endpointTarget;
    bool smoothedRttGuard;
    std::string decreaseMark;
    bool paceAlways;

    /**
     * @brief Put profile and attributes together.
     * @return the parameters
     * @throw InputError if a value is out of range
     */
    SwiftParams Resolve() const;
};

/**
 * @ingroup roce
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
 * see SwiftSettings.
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
 *   fullFrameBytes * 8 * cwnd / rtt with the RTT of the last ACK. PaceAlways uses that rate, up to
 *   the line rate, above one packet, too.
 * - "Once per RTT": now - tLastDecrease >= RTT of this ACK; with SmoothedRttGuard, and always for
 *   timeouts, which have no sample, the smoothed RTT (0.75 old + 0.25 new; before the first sample
 *   the path's base RTT).
 * - tLastDecrease moves when a window gets smaller. DecreaseMark=notIncreased takes the paper's
 *   pseudocode to the letter ("cwnd <= previous"): then each ACK over the target within an RTT of a
 *   decrease puts the next decrease off by another RTT, and under lasting congestion a busy flow
 *   does not slow down any more (ten flows: three times the queue). No profile uses it.
 * - An ACK without a time stamp changes no window. Any ACK ends a row of timeouts.
 * - The target knows nothing of propagation: a WAN path whose RTT is above
 *   BaseTarget + hops * HopScale + FsRange ends up at CwndMin, one packet per 100 RTTs. That is
 * Swift as published. AddBaseRtt, our extension, puts the path's base RTT on top of the target,
 * which then is a queueing delay; across datacenters set CwndMax and InitialCwnd, too (256 packets
 * of 4 KB per 1 ms are 8.6 Gb/s, and Ai = 1 adds a packet per RTT).
 * - Falcon's RTO (at least 1 ms, 2 srtt + gap) is the NIC's business: attributes Nic::RtoMin and
 *   Nic::RtoFactor.
 *
 * A change of attributes takes effect at Start() or Fork().
 */
class Swift : public TunableControl<SwiftSettings>
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Ptr<CongestionControl> Fork() const override;

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

    /// @return fabric window, packets
    double GetFabricCwnd() const
    {
        return m_fabric.cwnd;
    }

    /// @return endpoint window, packets; means nothing with Split=false
    double GetEndpointCwnd() const
    {
        return m_endpoint.cwnd;
    }

    /**
     * @param cwnd a window, packets
     * @return target delay of the fabric for it, ps
     */
    double GetTargetPs(double cwnd) const;

    /// @return smoothed RTT, ps
    double GetSmoothedRttPs() const
    {
        return m_smoothedRttPs;
    }

    /// @return timeouts since the last ACK
    uint32_t GetTimeouts() const
    {
        return m_timeouts;
    }

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
    void React(Window& w,
               double delayPs,
               double targetPs,
               const AckInfo& ack,
               double guardPs) const;
    void Cut(Window& w, int64_t nowPs, double guardPs) const; //!< loss
    void Settle(Window& w, double cwnd, int64_t nowPs) const; //!< clamp, note a decrease
    void Publish(double rttPs);                               //!< set the outputs

    uint32_t m_timeouts{0};    //!< in a row
    double m_fixedTargetPs{0}; //!< target without flow scaling
    double m_smoothedRttPs{0}; //!< average
    bool m_hasSample{false};   //!< the average is of samples, not of the path's base RTT
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_SWIFT_H */
