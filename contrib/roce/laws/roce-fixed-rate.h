// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FIXED_RATE_H
#define ROCE_FIXED_RATE_H

#include "ns3/roce-law-of.h"

#include <cstdint>

namespace ns3::roce
{

/// Parameters of FixedRate.
struct FixedRateParams
{
    uint64_t rateBps;

    static const ParameterTable<FixedRateParams>& Table();
};

/**
 * @brief A flow that does not respond to congestion: it sends at its rate, or at the line's if that
 * is lower, whatever marks, losses and delays say. PFC pauses it, and lost packets are repeated.
 *
 * Its data is not ECN-capable.
 */
class FixedRate : public LawOf<FixedRate, FixedRateParams>
{
  public:
    bool IsEcnCapable() const override
    {
        return false;
    }

  private:
    void DoStart(int64_t nowPs) override;
    void OnRetune(const FixedRateParams& before, int64_t nowPs) override;
};

} // namespace ns3::roce

#endif /* ROCE_FIXED_RATE_H */
