// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_LAW_OF_H
#define ROCE_LAW_OF_H

#include "roce-congestion-control.h"

#include "ns3/roce-with-parameters.h"

namespace ns3::roce
{

/**
 * @brief A rate law whose parameters are a table: attributes, forks, and changes while a simulation
 * is on. The law sets m_p in DoStart().
 *
 * @tparam SELF the law
 * @tparam P its parameters
 * @tparam BASE what it has in common with other laws
 */
template <typename SELF, typename P, typename BASE = CongestionControl>
class LawOf : public WithParameters<SELF, BASE, P>
{
  public:
    Ptr<CongestionControl> Fork() const override
    {
        this->m_parameters.Get(); // once for all forks
        return CopyObject<SELF>(static_cast<const SELF*>(this));
    }

    void Retune(const CongestionControl& prototype, int64_t nowPs) override
    {
        this->Advance(nowPs);
        const std::shared_ptr<const P> before = this->m_p;
        const SELF& same = this->template SameLaw<SELF>(prototype);
        this->m_p = this->m_parameters.Retune(same.m_parameters, *before);
        OnRetune(*before, nowPs);
    }

  protected:
    /**
     * @brief m_p has changed while the simulation is on: bring what follows from it up to date.
     * @param before its values so far
     * @param nowPs current time
     */
    virtual void OnRetune([[maybe_unused]] const P& before, [[maybe_unused]] int64_t nowPs)
    {
    }
};

} // namespace ns3::roce

#endif /* ROCE_LAW_OF_H */
