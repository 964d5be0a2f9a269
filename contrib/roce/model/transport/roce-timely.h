/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_TIMELY_H
#define ROCE_TIMELY_H

#include "roce-tunable-control.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace roce
{

/// @brief When TIMELY takes an RTT sample and changes the rate.
enum class TimelyMode : uint8_t
{
    PER_RTT,     //!< the first ACK of data sent after the last update
    PER_ACK,     //!< each ACK; steps in proportion to the time since the last one
    PER_SEGMENT, //!< each SegmentBytes of newly acknowledged data
};

/**
 * @ingroup roce
 * @brief TIMELY's parameters after the profile and the attributes have been put together.
 */
struct TimelyParams
{
    TimelyMode mode;            //!< see TimelyMode
    double alpha;               //!< weight of the new RTT difference, 0 < alpha <= 1
    double beta;                //!< factor of decreases
    double deltaBps;            //!< additive step; 0 = deltaShare of the line rate
    double deltaShare;          //!< additive step as a share of the line rate
    int64_t tLowPs;             //!< below: increase
    int64_t tHighPs;            //!< above: decrease
    bool thresholdsFromBaseRtt; //!< TLow and THigh count from the base RTT of the path
    int64_t minRttPs;           //!< normalises the gradient; 0 = base RTT of the path
    int64_t minRttFloorPs;      //!< least value of that base RTT as the gradient's norm
    uint32_t haiThreshold;      //!< from this event on in a row the step is haiFactor steps; 0: off
    double haiFactor;           //!< hyper-active step, in additive steps
    bool haiBelowTLow;          //!< increases below TLow count for and use the hyper-active step
    bool haiByDifference;       //!< counted by falling RTTs, not by gradients
    bool patched;               //!< weighted rule of Zhu et al. between the thresholds
    double minRateBps;          //!< floor of the rate; 0 = one additive step
    uint32_t segmentBytes;      //!< segment of PER_SEGMENT, wire bytes
    bool burstPacing;           //!< segments of PER_SEGMENT leave back to back
    bool subtractSerialisation; //!< an RTT sample does not count one full frame's serialisation
    bool bdpWindow;             //!< window of BDP * R / line rate
};

/**
 * @ingroup roce
 * @brief TIMELY's attributes as the user gave them.
 *
 * The attribute Profile gives every parameter a value; each can be overridden on its own (an
 * attribute left at its default, -1, -1ns, 0 for rates, or an empty text, means "from the
 * profile"):
 *
 * | attribute             | paper         | hpcc-sim     | erpc           | patched        |
 * |-----------------------|---------------|--------------|----------------|----------------|
 * | Mode                  | perRtt [a]    | perRtt [2]   | perAck [4]     | perSegment [b] |
 * | Alpha                 | 0.875 [1]     | 0.875 [2]    | 0.46 [4]       | 0.875 [5]      |
 * | Beta                  | 0.8 [1]       | 0.8 [2]      | 0.26 [4]       | 0.008 [5]      |
 * | Delta                 | C/1000 [1][c] | C/1000 [3]   | 40 Mb/s [4]    | C/1000 [5][c]  |
 * | TLow                  | 50 us [1]     | 50 us [3]    | 50 us [4]      | 50 us [5]      |
 * | THigh                 | 500 us [1]    | 500 us [3]   | 1 ms [4]       | 500 us [5]     |
 * | MinRtt                | base RTT [d]  | 20 us [3]    | 2 us [4]       | 20 us [5]      |
 * | HaiThreshold          | 5 [1]         | 6 [2][e]     | 5 [4]          | 0 = off [5]    |
 * | HaiFactor             | 5 [1]         | 5 [3]        | 5 [4]          | 5              |
 * | HaiBelowTLow          | false [1]     | true [2]     | false [4]      | false          |
 * | HaiSignal             | gradient [1]  | gradient [2] | difference [4] | gradient       |
 * | Patched               | false         | false        | false [f]      | true           |
 * | MinRate               | Delta [g]     | 1 Gb/s [3]   | 120 Mb/s [4]   | Delta [g]      |
 * | SubtractSerialisation | true [1]      | [h][2]       | [h]            | true [1]       |
 *
 * C is the line rate. [1] SIGCOMM 2015 paper (from the literature on it; no copy was at hand). [2]
 * rdma-hw.cc of alibaba-edu/High-Precision-Congestion-Control, CC mode 7. [3] run.py there: steps
 * of 10 Mb/s and 50 Mb/s for each 10 Gb/s. [4] eRPC (NSDI 2019), src/cc/timely.h; an earlier
 * version has 0.02, 0.8 and 1 us for Alpha, Beta and MinRtt. [5] Zhu et al., "ECN or Delay", CoNEXT
 * 2016 (as [1]). [a] The paper updates at each completion of a segment, which is mode perSegment;
 * with one update per round trip results do not depend on how the NIC cuts messages, and shares are
 * fairer (see the table at Timely). [b] Their model updates per segment, at most once
 * per minimum RTT. With one update per round trip a Beta of 0.008 takes a thousand of them: at 100
 * Gb/s the queue that two starters build stays at the threshold of PFC. [c] 10 Mb/s at 10 Gb/s;
 * scaled with the line rate. [d] The base RTT of the path, but at least the 20 us of the paper.
 * Normalised by less (5 us on one switch), differences of RTTs that queues make longer than TLow
 * are over-estimated: two flows then use 54 % of a 100 Gb/s link instead of 95 %, eight 44 %
 * instead of 92 %. [e] Five increases come before the first hyper-active one. [f] A compile-time
 * option there. [g] Ours: the paper has no floor; from one step the rate doubles at once. [h] true
 * with Mode=perSegment, false otherwise.
 */
struct TimelySettings
{
    std::string profile;
    std::string mode;
    double alpha;
    double beta;
    DataRate delta;
    Time tLow;
    Time tHigh;
    bool thresholdsFromBaseRtt;
    Time minRtt;
    int64_t haiThreshold;
    double haiFactor;
    std::string haiBelowTLow;
    std::string haiSignal;
    std::string patched;
    DataRate minRate;
    int64_t segmentBytes;
    bool burstPacing;
    std::string subtractSerialisation;
    std::string window;

    /**
     * @brief Put profile and attributes together.
     * @return the parameters
     * @throw InputError if a value is out of range
     */
    TimelyParams Resolve() const;
};

/**
 * @ingroup roce
 * @brief TIMELY (Mittal et al., SIGCOMM 2015): a rate steered by the gradient of the RTT.
 *
 * At each update, with the RTT sample rtt,
 *
 *   d = (1 - Alpha) d + Alpha (rtt - rtt'),   rtt' = rtt,   g = d / MinRtt,
 *   rtt < TLow:  R = R + Delta
 *   rtt > THigh: R = R (1 - Beta (1 - THigh / rtt)),          n = 0
 *   g <= 0:      n = n + 1,  R = R + (n >= HaiThreshold ? HaiFactor : 1) Delta
 *   g > 0:       R = R (1 - Beta g),                          n = 0
 *
 * and R is kept within [MinRate, line rate]. Parameters, their values in the profiles paper
 * (default), hpcc-sim, erpc and patched, and where these come from: see TimelySettings.
 *
 * Mode says when an update takes place:
 * - perRtt: the first ACK of data sent after the last update.
 * - perAck: each ACK. Both kinds of steps are scaled by min(1, t / MinRtt), t being the time since
 *   the last update, and no update leaves less than half of the rate.
 * - perSegment: each SegmentBytes of newly acknowledged data (wire bytes; what is over does not
 *   count for the next one, so that segments and the bursts of the NIC stay together). The sample
 *   is that of the frame whose ACK completes the segment, less one frame's serialisation: the same
 *   as the paper's time from the segment's start less the serialisation of the segment. With
 *   BurstPacing the NIC sends a segment back to back and then waits for the gap of all of it.
 *
 * Patched replaces the two middle rules (between TLow and THigh) by those of Zhu et al., CoNEXT
 * 2016:
 *
 *   w = min(1, max(0, 2 g + 1/2)),  R = R (1 - Beta w (rtt - TLow) / TLow) + (1 - w) Delta,
 *
 * which have one fixed point: g = 0, N equal rates, (rtt - TLow) / TLow = N Delta / (Beta C).
 *
 * Details:
 * - The first sample is only stored.
 * - Below TLow n becomes 0, or counts on with HaiBelowTLow, where the step there is as for g <= 0.
 *   HaiSignal=difference counts falling samples (rtt < rtt') instead, whichever rule applies.
 * - After a NAK or a timeout the queue pair sends old PSNs again. So the round-trip mark goes back
 *   to the acknowledged PSN, or R would stand still until new PSNs are reached; a segment begins
 *   anew. Losses and timeouts do not change R: TIMELY knows only delay.
 * - Window bdp: BDP * R / line rate, at least one frame (timely_vwin of the HPCC simulator).
 * - What ACKs wait on the way back is counted. Nic::ControlClass gives them a class of their own by
 *   default; the HPCC simulator has them in that of the data (ACK_HIGH_PRIO 0). On its 128-host
 *   leaf-spine network this is a mean slowdown of 1.96 against 2.34.
 *
 * Pitfalls, which are TIMELY's own:
 * - TLow and THigh are absolute. On a path whose base RTT exceeds THigh each update cuts, to
 *   MinRate, with the network empty: by 0.595 at 1012 us. ThresholdsFromBaseRtt counts both from
 *   the base RTT instead. A base RTT between them leaves the gradient alone in charge.
 * - Original TIMELY (Patched=false) has no unique fixed point: any shares with g = 0 persist.
 *
 * Measured on one switch (100 Gb/s, 1 us links, 4 KB frames, endless flows, equal start), for 2 and
 * 8 flows: share of the goodput bound, Jain's index, mean queue in KB
 *
 * |                  | 2, 10-20 ms | 2, 20-60 ms       | 8, 10-20 ms | 8, 20-60 ms       |
 * |------------------|-------------|-------------------|-------------|-------------------|
 * | paper            | 0.95, 1.000 | 0.95, 1.000, 174  | 0.92, 0.998 | 0.92, 1.000, 215  |
 * | paper perSegment | 0.98, 0.992 | 0.97, 0.974, 231  | 0.90, 0.939 | 0.92, 0.557, 189  |
 * | paper perAck     | 1.00, 1.000 | 0.93, 1.000, 1972 | 1.00, 0.990 | 1.00, 0.982, 747  |
 * | hpcc-sim         | 0.88, 1.000 | 0.89, 1.000, 227  | 0.74, 0.996 | 0.75, 0.997, 277  |
 * | erpc             | 0.98, 1.000 | 0.98, 1.000, 199  | 0.63, 0.668 | 0.85, 0.397, 127  |
 * | patched          | 0.96, 1.000 | 0.96, 1.000, 553  | 1.00, 1.000 | 1.00, 1.000, 1190 |
 *
 * One flow reaches the bound in all of them. The 1190 KB are the fixed point of patched TIMELY: RTT
 * 100 us for N = 8. Two flows oscillate around theirs (62.5 us), up to 1.5 MB.
 *
 * A change of attributes takes effect at Start(). A bad value throws InputError there, or earlier
 * in Fork().
 */
class Timely : public TunableControl<TimelySettings>
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

    uint32_t GetBurstBytes() const override;
    void OnAck(const AckInfo& ack) override;
    std::string GetWarning() const override;
    void OnTimeout(int64_t nowPs) override;
    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override;

    /// @return exact current rate, bit/s
    double GetExactRateBps() const
    {
        return m_rate;
    }

    /// @return g as of the last update
    double GetGradient() const
    {
        return m_rttDiffPs / m_minRttPs;
    }

    /// @return n, updates in a row that count for the hyper-active step
    uint32_t GetHaiCount() const
    {
        return m_haiCount;
    }

    /// @return additive step, bit/s, as derived by Start()
    double GetDeltaBps() const
    {
        return m_delta;
    }

  private:
    void DoStart(int64_t nowPs) override;
    bool IsUpdateDue(const AckInfo& ack);    //!< by the mode; counts the segment
    void Update(double rttPs, double scale); //!< one sample
    void UpdatePatched(double rttPs, double tLowPs, double gradient, double scale);
    void Rewind(uint64_t psn); //!< the sender goes back to this PSN
    void Publish();            //!< set the outputs

    double m_delta{0};          //!< additive step, bit/s
    double m_minRttPs{1};       //!< normalises the gradient
    double m_rate{0};           //!< R, bit/s
    double m_rttPs{0};          //!< last sample; 0 before the first
    double m_rttDiffPs{0};      //!< d
    int64_t m_updatedPs{0};     //!< last update, or the start
    uint64_t m_roundEndPsn{0};  //!< perRtt: the next update is by the first ACK above this one
    uint64_t m_ackedPsn{0};     //!< highest acknowledged PSN seen
    uint32_t m_segmentBytes{0}; //!< perSegment: acknowledged of the present segment
    uint32_t m_haiCount{0};     //!< n
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_TIMELY_H */
