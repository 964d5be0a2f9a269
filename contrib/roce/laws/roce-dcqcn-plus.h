// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DCQCN_PLUS_H
#define ROCE_DCQCN_PLUS_H

#include "roce-dcqcn-plus-feedback.h"
#include "roce-dcqcn.h"

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief DCQCN+ (Gao et al., ICNP 2018) as the authors of PARALEON have it in their second
 * simulator: DCQCN whose periods and steps follow the size of the incast.
 *
 * Each CNP carries the number of congested flows at its receiver, N, and the time that the receiver
 * takes to visit each of them once, tau (DcqcnPlusFeedback). A CNP raises alpha, cuts (`Rt = Rc ;
 * Rc = max(MinRate, Rc (1 - alpha / 2)) ; T = 0`) and sets
 *
 *   X = max(50 us, tau, time of a full frame at Rc before the cut).
 *
 * Alpha decays by its gain every X, and every 2 X the rate increases:
 *
 *   T < F: fast recovery;  T = F: Rt += min(Rc / 5, line / 50), or min(Rc / 10, line / 100) once
 *   alpha <= 0.1;  T > F: Rt += min(Rc, max(1, T - 4 F + 1) line / 100);
 *   Rt = min(Rt, line) ; Rc = (Rt + Rc) / 2 ; T = T + 1.
 *
 * Alpha counts as of just before the increase, as in an event list where the increase, which was
 * scheduled first, precedes alpha's tick of the same time. A CNP without N and tau counts as tau =
 * 0.
 */
class DcqcnPlus : public LawOf<DcqcnPlus, DcqcnPlusParams, DcqcnReactionPoint>
{
  public:
    Ptr<ReceiverFeedback> MakeFeedback() const override;
    void OnCnp(const CnpInfo& cnp) override;
    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override;

  protected:
    void TakeOver() override;
    double GetStep(Phase phase, int64_t atPs) const override;

    /// @return false: a few steps lead to the line rate
    bool Jump(uint64_t&) override
    {
        return false;
    }

  private:
    void DoStart(int64_t nowPs) override;
    void OnRetune(const DcqcnPlusParams& before, int64_t nowPs) override;

    uint32_t m_flows{0}; //!< N of the last CNP
    int64_t m_tauPs{0};  //!< tau of the last CNP
};

} // namespace ns3::roce

#endif /* ROCE_DCQCN_PLUS_H */
