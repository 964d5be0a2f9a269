// SPDX-License-Identifier: GPL-2.0-only
#include "roce-flow-order.h"

#include <algorithm>

namespace ns3::roce
{

int64_t
FlowOrder::LastScheduledPs(const std::vector<FlowSpec>& flows)
{
    int64_t lastPs = 0;
    for (const FlowSpec& flow : flows)
    {
        lastPs = std::max(lastPs, flow.IsScheduled() ? flow.startPs : 0);
    }
    return lastPs;
}

} // namespace ns3::roce
