// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_BURST_LOSS_H
#define ROCE_BURST_LOSS_H

#include "roce-loss-model.h"

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief Correlated losses by the chain of Gilbert (1960) and Elliott (1963): a good and a bad
 * state, a loss probability for each, a step after each frame.
 *
 * With p = GoodToBad, r = BadToGood, kG = LossGood, kB = LossBad, in the steady state in which the
 * chain starts:
 *
 *   P(bad) = p / (p + r),   loss rate = (p kB + r kG) / (p + r),
 *   frames in the bad state: geometric with mean 1/r.
 *
 * By default p and r are not given but follow from the mean loss rate and MeanBurst = 1/r:
 *
 *   P(bad) = (LossRate - kG) / (kB - kG),   p = r P(bad) / (1 - P(bad)).
 *
 * With kG = 0 and kB = 1 (the defaults) a loss burst is a run of lost frames of geometric length
 * with mean MeanBurst. Runs and gaps are drawn as geometric numbers, so a surviving frame costs two
 * decrements.
 */
class BurstLoss : public LossModel
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    void Check() const override;

    bool CanLose() const override;

    const char* GetRateAttribute() const override
    {
        return "LossRate";
    }

    /// @return mean loss rate by the closed form
    double GetMeanLossRate() const;

  private:
    /// The chain's parameters.
    struct Chain
    {
        double leave[2]; //!< probability to leave good, bad
        double loss[2];  //!< probability of loss in good, bad
    };

    Chain MakeChain() const;
    bool DoIsLost(const Frame& frame, int64_t nowPs) override;
    void Restart() override;
    void Enter(bool bad);

    // attributes
    double m_lossRate{0};
    double m_meanBurst{0};
    double m_goodToBad{0};
    double m_badToGood{0};
    double m_lossGood{0};
    double m_lossBad{0};

    Chain m_chain{};
    bool m_started{false};
    bool m_bad{false};
    uint64_t m_stay{0};      //!< frames until the state is left
    uint64_t m_survivors{0}; //!< until the next loss, if the state stays
};

} // namespace ns3::roce

#endif /* ROCE_BURST_LOSS_H */
