// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TIMELY_H
#define ROCE_TIMELY_H

#include "ns3/roce-law-of.h"

#include <cstdint>

namespace ns3::roce
{

/// @brief When TIMELY takes an RTT sample and changes the rate.
enum class TimelyMode : uint8_t
{
    PER_RTT,     //!< the first ACK of data sent after the last update
    PER_ACK,     //!< each ACK; steps in proportion to the time since the last one
    PER_SEGMENT, //!< each SegmentBytes of newly acknowledged data
};

/// Parameters of Timely.
struct TimelyParams
{
    TimelyMode mode;
    double alpha;
    double beta;
    double deltaBps; //!< 0: a thousandth of the line rate
    int64_t tLowPs;
    int64_t tHighPs;
    bool thresholdsFromBaseRtt;
    int64_t minRttPs;      //!< 0: base RTT of the path
    int64_t minRttFloorPs; //!< least value that counts
    uint32_t haiThreshold; //!< 0: off
    double haiFactor;
    bool haiBelowTLow;
    bool haiByDifference;
    bool patched;
    double minRateBps; //!< 0: one additive step
    uint32_t segmentBytes;
    bool burstPacing;
    bool subtractSerialisation;
    bool bdpWindow;

    static const ParameterTable<TimelyParams>& Table();
};

/**
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
 * (default), hpcc-sim, erpc and patched, and where these come from: see TimelyParams::Table().
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
 *   to the acknowledged PSN, or R would not change until new PSNs are reached; a segment begins
 *   again. Losses and timeouts do not change R: TIMELY knows only delay.
 * - Window bdp: BDP * R / line rate, at least one frame (timely_vwin of the HPCC simulator).
 * - Queueing of ACKs on the way back is counted. Nic::ControlClass gives them a class of their own
 *   by default; the HPCC simulator has them in that of the data (ACK_HIGH_PRIO 0), which slows
 *   flows down.
 *
 * Pitfalls, which are TIMELY's own:
 * - TLow and THigh are absolute. On a path whose base RTT exceeds THigh each update cuts, to
 *   MinRate, with the network empty: by 0.595 at 1012 us. ThresholdsFromBaseRtt counts both from
 *   the base RTT instead. With a base RTT between them only the gradient acts.
 * - Original TIMELY (Patched=false) has no unique fixed point: any shares with g = 0 persist.
 *
 * A change of attributes takes effect at Start() or Retune(). A bad value throws InputError there,
 * or earlier in Fork().
 */
class Timely : public LawOf<Timely, TimelyParams>
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

    uint32_t GetBurstBytes() const override;
    void OnAck(const AckInfo& ack) override;
    std::string GetWarning() const override;
    void OnTimeout(int64_t nowPs) override;
    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override;

    /// @return g as of the last update
    double GetGradient() const
    {
        return m_rttDiffPs / m_minRttPs;
    }

  private:
    void DoStart(int64_t nowPs) override;
    void OnRetune(const TimelyParams& before, int64_t nowPs) override;
    void TakeOver();                         //!< what is used often, from m_p
    bool IsUpdateDue(const AckInfo& ack);    //!< by the mode; counts the segment
    void Update(double rttPs, double scale); //!< one sample
    void UpdatePatched(double rttPs, double tLowPs, double gradient, double scale);
    void Rewind(uint64_t psn); //!< the sender goes back to this PSN
    void Publish();            //!< set the outputs

  protected:
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

} // namespace ns3::roce

#endif /* ROCE_TIMELY_H */
