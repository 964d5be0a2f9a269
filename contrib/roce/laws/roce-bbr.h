// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_BBR_H
#define ROCE_BBR_H

#include "roce-bbr-params.h"
#include "roce-delivery-rate.h"

#include "ns3/roce-law-of.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3::roce
{

/// @brief BBR's state.
enum class BbrState : uint8_t
{
    STARTUP,   //!< the rate doubles each round trip
    DRAIN,     //!< the queue of STARTUP drains
    PROBE_BW,  //!< the cycle of gains
    PROBE_RTT, //!< four frames in flight, so that the queue is empty
};

/**
 * @brief BBR, version 1 (Cardwell et al., ACM Queue 2016): a model of the path instead of
 * congestion.
 *
 *   BtlBw  = greatest delivery rate of the last BwRounds round trips (see DeliveryRate),
 *   RTprop = least RTT of the last RttWindow,
 *   rate   = g BtlBw,   window = G BtlBw RTprop + QuantaFrames full frames, at least four.
 *
 * STARTUP (g = G = StartupGain) ends when three round trips have not brought 25 % more; DRAIN (g =
 * DrainGain) when no more than BtlBw RTprop is in flight. PROBE_BW goes through g = 1.25, 0.75, 1,
 * 1, 1, 1, 1, 1 with G = CwndGain, about an RTprop each: 1.25 until that much is in flight or a
 * loss comes, 0.75 at most until the queue has gone. PROBE_RTT, once no RTT at or below RTprop has
 * come for RttWindow: four frames in flight for ProbeRttDuration and a round trip.
 *
 * Parameters, profiles and their sources: see BbrParams::Table().
 *
 * Rounds=rtProp (the artifact's): a round trip is an RTprop by the clock, for the filter, the end
 * of STARTUP and each phase, whatever is in flight.
 *
 * PacingStep (the artifact's, where it looks like an oversight): while g is above 1, every other
 * ACK or so takes twice the step off the gap between frames. With the step of one frame at line
 * rate a flow at a fifth of it or more so probes with up to twice its bandwidth and not with 1.25
 * times.
 *
 * Details:
 * - Samples of frames that were sent while nothing more was posted only raise BtlBw. They do not
 * end STARTUP. A flow that starts again from idle sends at BtlBw first.
 * - The phase that PROBE_BW begins with is random in BBR, any but 0.75, so that flows do not probe
 *   in step. Rate laws have no random numbers here: it is taken from a hash of the time, in ps, at
 *   which PROBE_BW is entered. That is an ACK's arrival, and two flows over one link never have it
 * in common. It is the same in each run of the same network and traffic. StartPhase fixes it.
 * - A loss that selective repeat reveals: packet conservation for a round trip (window = in flight
 * + acknowledged, at least a frame), then the window there was before. Frames that are lost are not
 * in flight, so they need not be deducted. A loss that go-back-N reveals leaves the window: nothing
 * is known to be in flight then, and the rate bounds what is sent. A timeout: one frame for a round
 * trip, then the window there was before. Recovery=false: losses change nothing, a timeout leaves
 * one frame and the window grows from there.
 * - BBR ignores ECN. Its frames are not ECN-capable, so switches do not mark them, and they use the
 *   queue that ECN-driven flows leave.
 * - Left out, because they belong to TCP or to versions of Linux: the detection of policers, the
 *   margin of 1 % on the rate, extra window for aggregated ACKs, undo after spurious losses.
 * - RttWindow=10s is longer than most simulations: there is no PROBE_RTT then.
 * - SelectiveRepeat::BdpCap=true (its default) cuts the window to one BDP: a CwndGain of 2 has no
 * effect then.
 * - Several flows: each takes the queue that the others leave it for propagation, so that windows,
 * not rates, bind; the queue is then about (CwndGain - 1) BDP. It takes PROBE_RTT to come down.
 * - With Nic::PayloadWindow=true windows and bandwidth are of payload, the pace is of frames.
 * - Memory: 32 bytes for each frame in flight, about 400 KB at 100 Gb/s and 2 ms with two BDPs.
 *
 * A change of attributes takes effect at Start(), Fork() or Retune(): gains for the state it is in,
 * and all with the next ACK.
 */
class Bbr : public LawOf<Bbr, BbrParams>
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

    void OnSend(const SendInfo& sent) override;
    void OnAck(const AckInfo& ack) override;
    void OnTimeout(int64_t nowPs) override;
    void OnFurtherTimeout(int64_t nowPs) override;
    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override;

    /// @return the measurement
    const DeliveryRate& GetDelivery() const
    {
        return m_delivery;
    }

  private:
    void DoStart(int64_t nowPs) override;
    void OnRetune(const BbrParams& before, int64_t nowPs) override;
    void UpdateRound(const DeliverySample& sample, int64_t nowPs);
    void UpdateBottleneck(const DeliverySample& sample);
    void UpdatePhase(const AckInfo& ack);
    bool IsPhaseOver(const AckInfo& ack) const;
    void CheckFullPipe(const DeliverySample& sample);
    void UpdateRtProp(const AckInfo& ack);
    void CheckProbeRtt(const AckInfo& ack);
    void LeaveProbeRtt(int64_t nowPs);
    void Enter(BbrState state);
    void TakeOver(); //!< gains of the state, from m_p
    void EnterProbeBw(int64_t nowPs);
    void SetPhase(uint32_t phase, int64_t nowPs);
    double InflightBytes(double gain) const;
    void SaveCwnd();
    void SetCwnd(const AckInfo& ack);
    void SetPacing(double gain);
    double SteppedBps(double gain); //!< pace after a PacingStep
    void Publish();                 //!< set the outputs

  protected:
    DeliveryRate m_delivery; //!< samples
    std::array<double, BbrParams::BW_ROUNDS>
        m_bps{};                         //!< greatest sample of each round trip, a ring
    uint64_t m_bpsRound{0};              //!< round trip of the newest entry
    double m_bottleneckBps{0};           //!< BtlBw: greatest of these
    int64_t m_rtPropPs{NEVER_PS};        //!< RTprop
    int64_t m_rtPropStampPs{0};          //!< when it was last seen
    uint64_t m_rounds{0};                //!< round trips so far
    uint64_t m_nextRoundDelivered{0};    //!< the next one begins once this is delivered
    int64_t m_roundStampPs{0};           //!< start of this one
    double m_fullBps{0};                 //!< BtlBw when it last grew by 25 %
    uint32_t m_fullRounds{0};            //!< round trips since
    double m_pacingGain{0};              //!< g
    double m_cwndGain{0};                //!< G
    double m_pacingBps{0};               //!< rate before the line rate bounds it
    double m_paceBps{0};                 //!< the same after a PacingStep
    double m_roundPaceBps{0};            //!< that of this round trip (PacingUpdate=round)
    double m_gapPs{0};                   //!< between full frames (PacingStep)
    int64_t m_phaseStampPs{0};           //!< start of the phase
    uint32_t m_phase{0};                 //!< of PROBE_BW
    double m_cwnd{0};                    //!< window, bytes
    double m_initialCwnd{0};             //!< the first one, bytes
    double m_savedCwnd{0};               //!< before recovery or PROBE_RTT
    int64_t m_probeRttDonePs{0};         //!< earliest end of PROBE_RTT; 0: not known yet
    BbrState m_state{BbrState::STARTUP}; //!< see BbrState
    bool m_roundStart{false};            //!< this ACK begins a round trip
    bool m_filledPipe{false};            //!< STARTUP is over
    bool m_recovering{false};            //!< packet conservation
    bool m_rtPropExpired{false};         //!< RTprop is older than RttWindow
    bool m_idleRestart{false};           //!< first ACK after idle is not here yet
    bool m_probeRttRoundDone{false};     //!< PROBE_RTT has lasted a round trip
};

} // namespace ns3::roce

#endif /* ROCE_BBR_H */
