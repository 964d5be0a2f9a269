// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DCQCN_H
#define ROCE_DCQCN_H

#include "roce-dcqcn-params.h"

#include "ns3/roce-law-of.h"

#include <memory>

namespace ns3::roce
{

/**
 * @brief DCQCN's reaction point (Zhu et al., SIGCOMM 2015), with the parameters of real firmware.
 *
 * State: rate Rc, target Rt, alpha, a byte stage BC and a time stage TS. A cut does
 * `[Rt = Rc] ; Rc = max(MinRate, MinDecFac * Rc, Rc * (1 - alpha / 2)) ; BC = TS = 0` and restarts
 * the byte counter and the increase timer. Each expiry of either raises its stage, then
 *
 *   max(BC, TS) < F: fast recovery; min(BC, TS) > F: Rt += HaiRate; else Rt += AiRate;
 *   Rt = min(Rt, line rate); Rc = (Rt + Rc) / 2.
 *
 * Parameters, their values in the profiles nvidia (default), paper and hpcc-sim, and the sources of
 * these values: see DcqcnParams::Table().
 *
 * Details:
 * - AlphaTimerFreeRunning: ticks every AlphaPeriod from the first CNP; a tick does
 *   `alpha = (1 - g) alpha + (CNP since the last tick ? g : 0)`; the first CNP does not count.
 *   Otherwise a CNP does `alpha = (1 - g) alpha + g` and restarts the timer; its ticks decay alpha.
 * - CutTimerFreeRunning: ticks at CutPeriod + 1 ns after the first CNP and every CutPeriod from
 *   there; a tick cuts if a CNP has come since the last tick. Alpha's tick precedes it.
 * - If an increase and a cut are due at the same time, the increase is first exactly if TimeReset
 *   exceeds CutPeriod: the order of an event list in which the earlier scheduled goes first.
 * - StageRule time: the stage is compared before it is raised, with s = max(BC, TS): s < F fast
 *   recovery, s == F additive, s > F hyper.
 * - RateOnFirstCnp sets rate and target; the first CNP's cut follows.
 * - The rate counts as the line rate once less than 1 bit/s is missing. From then on there are no
 *   counters and no timers. With ReleaseAtLineRate the state is forgotten, so that alpha starts
 *   again; otherwise only alpha's history is kept (two numbers).
 * - Before the first CNP and after that, an event costs one comparison. More than 1024 timer events
 *   missed by an idle queue pair are evaluated in closed form.
 * - Window bdp ("DCQCN+win" of Li et al., SIGCOMM 2019): BDP * Rc / line rate, at least one frame.
 * - With CutOnLoss a fabric need not mark: a loss is a sign of congestion, too, and cuts by the
 * same rule.
 *
 * This is what Dcqcn and DcqcnPlus have in common; a law sets m_d, by Begin() and Change().
 */
class DcqcnReactionPoint : public CongestionControl
{
  public:
    bool NeedsEcn() const override
    {
        return true;
    }

    void OnSend(const SendInfo& sent) override;
    void OnAck(const AckInfo& ack) override;
    void OnCnp(const CnpInfo& cnp) override;
    void OnTimeout(int64_t nowPs) override;
    void Advance(int64_t nowPs) override;
    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override;

    int64_t NextRateChangePs() const override
    {
        return m_cutDuePs < m_incDuePs ? m_cutDuePs : m_incDuePs;
    }

    /// @return alpha, 0..1, at that time; the initial value while there is no state
    double GetAlpha(int64_t nowPs) const;

  protected:
    /// What an increase does.
    enum class Phase : uint8_t
    {
        FAST_RECOVERY,
        ADDITIVE,
        HYPER,
    };

    // For laws that differ in periods or steps.

    /// @brief Start at the line rate. @param p effective, and kept by the law
    void Begin(const DcqcnParams& p);

    /// @brief The parameters have changed. @param next effective from now on, and kept by the law
    /// @param nowPs current time @param setBack see m_setBack, from now on
    void Change(const DcqcnParams& next,
                int64_t nowPs,
                const std::shared_ptr<bool>& setBack = nullptr);

    /// @brief Set what is used often, from m_d and m_line.
    virtual void TakeOver();

    /**
     * @brief How much more the target becomes.
     * @param phase of the increase; not fast recovery
     * @return bit/s
     */
    virtual double GetStep(Phase phase, int64_t atPs) const;

    /**
     * @brief Several expiries of the increase timer in closed form, if possible.
     * @param events [in, out] how many are left
     * @return whether it was possible
     */
    virtual bool Jump(uint64_t& events);

    /// @brief Apply alpha's ticks. @param nowPs up to this time
    void AdvanceAlpha(int64_t nowPs);

    /// @return the gain that counts now
    double GetGain() const
    {
        return IsSetBack() ? 5.0 / 1024 : m_d->gain;
    }

    /// @return whether the vendor's Gd, MinDecFac and Gain count in place of the parameters
    bool IsSetBack() const
    {
        return m_setBack && *m_setBack;
    }

  private:
    void MakeState(int64_t nowPs);             //!< first CNP
    double AlphaAfter(int64_t ticks) const;    //!< alpha after this many ticks
    double RaisedAlpha(double alpha) const;    //!< one step with a CNP
    void Cut(int64_t nowPs);                   //!< one rate decrease
    Phase PhaseOf(uint64_t timeStage) const;   //!< phase of an increase, by the present BC
    void Increase(bool byTimer, int64_t atPs); //!< one increase event
    void TimerIncreases(int64_t untilPs);      //!< all expiries up to and including untilPs
    void CheckLine();                          //!< stop work at the line rate
    void ReleaseAtLine();                      //!< the same after an increase
    void Publish();                            //!< set the outputs

  protected:
    const DcqcnParams* m_d{nullptr}; //!< effective since Start() or Retune()
    double m_line{0};                //!< line rate, bit/s
    double m_ai{0};                  //!< additive step, bit/s
    double m_hai{0};                 //!< hyper step, bit/s
    double m_rate{0};                //!< Rc, bit/s
    double m_target{0};              //!< Rt, bit/s
    bool m_cnpInAck{false};          //!< as in m_d
    bool m_cutOnLoss{false};         //!< as in m_d
    int64_t m_alphaPeriodPs{1};      //!< of alpha's timer
    int64_t m_timeResetPs{0};        //!< of the increase timer; 0: off
    double m_alpha{1};               //!< alpha as of m_alphaTickPs
    int64_t m_alphaTickPs{0};        //!< last tick of alpha's timer that has been applied
    int64_t m_cutTickPs{0};          //!< a tick of the free-running cut timer
    int64_t m_nextCutPs{INT64_MIN};  //!< no cut before this time
    int64_t m_cutDuePs{NEVER_PS};    //!< a CNP waits for its cut
    int64_t m_incDuePs{NEVER_PS};    //!< expiry of the increase timer
    uint64_t m_timeStage{0};         //!< TS
    uint64_t m_byteStage{0};         //!< BC
    uint64_t m_hyperEvents{0};       //!< hyper increases since the cut
    uint64_t m_bytes{0};             //!< byte counter
    bool m_hasState{false};          //!< a CNP has come (and the state has not been released)
    bool m_limited{false};           //!< Rc is below the line rate
    bool m_cnpSinceTick{false};      //!< for the next tick of alpha's free-running timer
    std::shared_ptr<bool> m_setBack; //!< see IsSetBack(), of all that the NIC has forked from its
                                     //!< prototype; null without CutFaults
};

/// @brief DCQCN, see DcqcnReactionPoint; CNPs come at the receiver's interval, MinTimeBetweenCnps.
class Dcqcn : public LawOf<Dcqcn, DcqcnParams, DcqcnReactionPoint>
{
  public:
    bool NeedsEcn() const override
    {
        return !GetParams().cutOnLoss;
    }

    Ptr<ReceiverFeedback> MakeFeedback() const override;
    void Retune(const CongestionControl& prototype, int64_t nowPs) override;

  protected:
    /// It is a NIC's prototype from now on.
    void DoInitialize() override;

  private:
    void DoStart(int64_t nowPs) override;
};

} // namespace ns3::roce

#endif /* ROCE_DCQCN_H */
