// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_GEMINI_H
#define ROCE_GEMINI_H

#include "ns3/roce-law-of.h"

#include <cstdint>
#include <string>

namespace ns3::roce
{

/// @brief The paths of a sender that react to the RTT.
enum class GeminiRttSignal : uint8_t
{
    INTER, //!< those that leave the datacenter
    BOTH,  //!< all
    NONE,  //!< none
};

/// Parameters of Gemini.
struct GeminiParams
{
    bool stepIsShare;
    double h;
    double tPs;           //!< 0: from maxQueueBytes
    double maxQueueBytes; //!< 0: not known
    double beta;
    double kBytes;
    double gain;
    double initialAlpha;
    GeminiRttSignal rttSignal;
    double interRttPs;  //!< in the step of flows inside a datacenter; 0: their own
    double initialCwnd; //!< 0: BDP and no slow start
    bool halveOnLoss;
    bool clocked;
    bool paced;
    bool pacesWindowBefore; //!< the pace is that of the window that an ACK found
    bool cutEndsSlowStart;
    double timeoutQueuePs;

    static const ParameterTable<GeminiParams>& Table();
};

/**
 * @brief Gemini (Zeng et al., ICNP 2019): marks for congestion in the datacenter, delay for the
 * WAN.
 *
 *   ACK without congestion:           W += h acked / W,   h = H C RTT
 *   congestion, at most once per RTT: W *= 1 - max(alpha F, Beta)
 *
 * alpha F counts if the ACK brings a mark, Beta if the least RTT exceeds RTTbase + T. F = 4 K / (C
 * RTT + K); alpha is DCTCP's average of the share of marked packets, renewed every round trip. h
 * and F grow and fall with the path's bandwidth-delay product C RTT, so that short and long flows
 * get the same share of a bottleneck. Parameters, profiles and their sources: see
 * GeminiParams::Table().
 *
 * Details:
 * - C is the line rate, RTT and RTTbase the path's base RTT. (The paper takes the least RTT seen.)
 * - W is in bytes. H with StepForm=packetsPerBit gives h in packets, which is what the
 * paper's 1.2e-7 is about: 24 full frames at 100 Gbit/s and 2 ms, and 0.17 at 14 us.
 * StepForm=share: h = H C RTT, 6 KB with the artifact's H. InterRtt takes the place of RTT in the
 * step of flows that stay in their datacenter: then all flows gain the same bytes in a round trip
 * of their own.
 * - A round trip is over with the first ACK of data sent after its start; the first one starts with
 *   the first ACK. "At most once per RTT": no cut before data sent after the last cut is
 *   acknowledged. Rounds=baseRtt: both by the clock.
 * - The least RTT is that of this round trip and the one before, so that a single frame that was
 *   delayed does not count. After a cut it falls with the first frame sent after it.
 * Rounds=baseRtt: of this round trip alone.
 * - T=0 is half the time that the queue MaxQueue takes to drain at line rate. 5 ms are for WANs of
 *   10 to 100 ms with deep buffers. Where buffers are shallow the signal never comes, and a flow
 *   detects congestion on the WAN only if its switches mark. GetWarning() says so if MaxQueue is
 *   given.
 * - Marks and losses have one guard: one cut per round trip. A loss (LossReaction=halve) takes
 * half. If the ACK shows several, the largest cut counts.
 * - Timeouts count once in a base RTT, plus TimeoutQueue for each queue of the path: with a timer
 * for each packet, more of them are due to the same burst.
 * - A timeout leaves one frame, and slow start doubles W each round trip up to half of the W there
 *   was. Further timeouts without progress do not lower that mark.
 * - InitialCwnd > 0 begins in slow start, until the first congestion; the BDP does not need it.
 * - W grows only while it limits the sender (cf. RFC 7661). The window is the whole frames in W.
 * - Share of marks by packets, as DCTCP's paper has it; the artifact counts bytes.
 *
 * A change of attributes takes effect at Start(), Fork() or Retune().
 */
class Gemini : public LawOf<Gemini, GeminiParams>
{
  public:
    bool NeedsTimestamp() const override
    {
        return true;
    }

    bool NeedsEcn() const override;
    void OnAck(const AckInfo& ack) override;
    void OnTimeout(int64_t nowPs) override;
    std::string GetWarning() const override;
    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override;

    /// @return whether W is below the slow start threshold
    bool IsInSlowStart() const
    {
        return m_cwnd < m_ssthresh;
    }

  private:
    void DoStart(int64_t nowPs) override;
    void OnRetune(const GeminiParams& before, int64_t nowPs) override;
    void TakeOver(); //!< what is used often, from m_p
    bool IsRoundTripSince(int64_t startPs, const AckInfo& ack) const;
    void CountRound(const AckInfo& ack); //!< alpha and the least RTTs
    bool IsDelayed(const AckInfo& ack) const;
    void Cut(double share, int64_t nowPs);
    void Grow(double ackedBytes);
    void Publish(double pacedBytes); //!< set the outputs. @param pacedBytes see m_pacedBytes

  protected:
    double m_step{0};                   //!< h, bytes
    double m_markFactor{0};             //!< F
    int64_t m_rttLimitPs{NEVER_PS};     //!< RTTbase + T
    double m_pacedBytes{0};             //!< window whose pace it is
    double m_cwnd{0};                   //!< W, bytes
    double m_ssthresh{0};               //!< slow start up to here, bytes
    int64_t m_timeoutGatePs{0};         //!< least time between timeouts that count
    int64_t m_lastTimeoutPs{INT64_MIN}; //!< the last one that did
    double m_alpha{0};                  //!< share of marked packets, averaged
    uint64_t m_roundPackets{0};         //!< acknowledged in this round trip
    uint64_t m_roundMarks{0};           //!< and with a mark
    int64_t m_roundStartPs{NEVER_PS};   //!< start of this round trip; NEVER_PS: no ACK yet
    int64_t m_minRttPs{NEVER_PS};       //!< least of this round trip
    int64_t m_lastMinRttPs{NEVER_PS};   //!< least of the one before
    int64_t m_lastCutPs{INT64_MIN / 2}; //!< time of the last cut
    bool m_timedOut{false};             //!< nothing acknowledged since a timeout
};

} // namespace ns3::roce

#endif /* ROCE_GEMINI_H */
