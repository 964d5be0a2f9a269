// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_UCMP_H
#define ROCE_UCMP_H

#include "roce-path-policy.h"

namespace ns3::roce
{

/**
 * @brief Unequal-cost multi-path: flows are spread by hash as ECMP does, in proportion to the rate
 * of each way's next link, or over the widest alone. Narrower links further on, such as those
 * inside a datacenter, are the same on all ways as a rule, and would hide the difference.
 */
class Ucmp : public PathPolicy
{
  public:
    static TypeId GetTypeId();

    uint32_t Choose(const Question& question) override;

  private:
    bool m_onlyWidest{false};
};

} // namespace ns3::roce

#endif /* ROCE_UCMP_H */
