// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_REFLEX_SENDER_H
#define ROCE_REFLEX_SENDER_H

#include "ns3/roce-control-shim.h"
#include "ns3/roce-real-window.h"
#include "ns3/roce-with-parameters.h"

#include <memory>
#include <string>

namespace ns3::roce
{

/// Parameters of ReflexSender.
struct ReflexSenderParams
{
    bool clock; //!< real ACKs repeat the last sample
    bool paced; //!< a window is a rate
    int64_t clockIntervalPs;
    bool gating;
    bool coversSent;

    static const ParameterTable<ReflexSenderParams>& Table();
};

/**
 * @brief Reflex at the sender (Liu et al., "Reflex", III-C, "Rewrite RTT input"): a shim that gives
 * the pseudo-ACKs of ReflexNsf to an unmodified delay-based rate law as its RTT samples.
 *
 * The law is started as if the path ended at the external switch: base RTT and hops are those of
 * the loop through it. Real ACKs and NAKs deliver data and report losses, but never a sample.
 *
 * ReflexNsf makes this shim's parameters (SwitchStage::GetSenderShim()); set them there.
 *
 * - SilentMode: what happens while no pseudo-ACKs come. freeze: nothing, as the paper has it.
 *   holdAndClock: real ACKs repeat the last sample, at most once per max(that RTT, ClockInterval):
 *   the law gets no new RTT, but a sender that was slowed down can recover. Before the first
 *   pseudo-ACK the law has no effect, and the sender stays at line rate.
 * - WindowMode: the use of a window law. pacedNearSource: the window, which fits the near-source
 *   loop, is a rate, window / RTT_src (of a RealWindow the number itself, not rounded to packets),
 *   and what is in flight is limited to the BDP of the whole path. endToEnd: the window limits what
 *   is in flight. Through a WAN of 1 ms that is 0.6 Gbit/s for a window that fills a loop of 6 us.
 * - PseudoAckGating: a sample counts only if its packet was sent after the last one that counted.
 *   Otherwise each counts: the switch's interval already separates them. To a law that updates once
 *   per RTT (Timely) a sample is a round trip of its own.
 * - PseudoAckCovers: how many packets a sample acknowledges to the law. sent: those sent since the
 *   last one, as real ACKs would have, but at most a window. one: one.
 */
class ReflexSender : public WithParameters<ReflexSender, ControlShim, ReflexSenderParams>
{
  public:
    /**
     * @param shim as SwitchStage::GetSenderShim() has it, or nothing
     * @return whether it is this one: its senders take no round trip from the time stamps of data
     */
    static bool IsMeant(const std::string& shim);

    Ptr<CongestionControl> Fork() const override;
    void OnSend(const SendInfo& sent) override;
    void OnAck(const AckInfo& ack) override;
    void OnCnp(const CnpInfo& cnp) override;
    void Retune(const CongestionControl& prototype, int64_t nowPs) override;
    void OnNotification(const Notification& notification) override;
    void OnTimeout(int64_t nowPs) override;
    void Advance(int64_t nowPs) override;
    int64_t NextRateChangePs() const override;
    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override;

    /// @return last RTT_src, picoseconds; 0 before the first
    int64_t GetNearRttPs() const
    {
        return m_rttPs;
    }

  private:
    void DoStart(int64_t nowPs) override;
    void Feed(int64_t nowPs);
    void Publish();

    int64_t m_rttPs{0};          //!< last RTT_src
    int64_t m_fedPs{0};          //!< when the law last got a sample
    int64_t m_dueReplayPs{0};    //!< when a real ACK may repeat it
    uint64_t m_sent{0};          //!< packets since then
    uint64_t m_round{0};         //!< replaces PSNs at the law: each sample is a new round trip
    uint64_t m_inflightBytes{0}; //!< as of the last real ACK
    bool m_timedOut{false};      //!< and no real ACK since

    const RealWindow* m_realWindow{nullptr}; //!< the law, if it has one; set by DoStart()
};

} // namespace ns3::roce

#endif /* ROCE_REFLEX_SENDER_H */
