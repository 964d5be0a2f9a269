// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_UCMP_H
#define ROCE_UCMP_H

#include "roce-path-policy.h"

namespace ns3::roce
{

/**
 * @brief Unequal-cost multi-path: flows are spread by hash as ECMP does, in proportion to the rate
 * of the slowest link of each way, or over the widest ways alone.
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
