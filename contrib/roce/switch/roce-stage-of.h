// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_STAGE_OF_H
#define ROCE_STAGE_OF_H

#include "roce-switch-stage.h"

#include "ns3/roce-with-parameters.h"

namespace ns3::roce
{

/**
 * @brief A stage whose parameters are a table and may change while a simulation is on. The stage
 * sets m_p in Install().
 *
 * @tparam SELF the stage
 * @tparam P its parameters
 */
template <typename SELF, typename P>
class StageOf : public WithParameters<SELF, SwitchStage, P>
{
  public:
    void Retune(const SwitchStage& prototype, int64_t nowPs) final
    {
        const SELF& same = this->template SameStage<SELF>(prototype);
        BeforeRetune(nowPs);
        const std::shared_ptr<const P> before = this->m_p;
        this->m_p = this->m_parameters.Retune(same.m_parameters, *before);
        OnRetune(*before, nowPs);
    }

  protected:
    /// @brief m_p is about to change: bring up to date what depends on time. @param nowPs current
    /// time
    virtual void BeforeRetune([[maybe_unused]] int64_t nowPs)
    {
    }

    /// @brief m_p has changed while the simulation is on: bring what follows from it up to date.
    /// @param before its values so far @param nowPs current time
    virtual void OnRetune([[maybe_unused]] const P& before, [[maybe_unused]] int64_t nowPs)
    {
    }
};

} // namespace ns3::roce

#endif /* ROCE_STAGE_OF_H */
