// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_LINE_RATE_H
#define ROCE_LINE_RATE_H

#include "ns3/roce-congestion-control.h"

namespace ns3::roce
{

/// @brief No congestion control: line rate, no window. For tests and for PFC-only studies.
class LineRate : public CongestionControl
{
  public:
    static TypeId GetTypeId();

    Ptr<CongestionControl> Fork() const override;

    bool IsEcnCapable() const override
    {
        return false;
    }

  private:
    void DoStart(int64_t nowPs) override;

    uint64_t m_windowLimitBytes{0}; //!< attribute Window; 0 = none
};

} // namespace ns3::roce

#endif /* ROCE_LINE_RATE_H */
