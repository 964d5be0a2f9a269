// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DCQCN_PLUS_PARAMS_H
#define ROCE_DCQCN_PLUS_PARAMS_H

#include "roce-dcqcn-params.h"

#include <cstdint>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief DCQCN+'s parameters. DCQCN's parameters that it does not have are fixed at the one
 * possible value.
 */
struct DcqcnPlusParams : DcqcnParams
{
    // Receiver; the least time between two CNPs of a flow is DcqcnParams::minTimeBetweenCnpsPs.
    int64_t scanPeriodPs;
    int64_t entryTimeoutPs;
    int64_t newEntryAgePs;
    // Sender.
    int64_t leastTauPs;
    double alphaPeriods;
    double increasePeriods;
    double stepAlpha;
    double aiRateShare;
    double aiLineShare;
    double lowAiRateShare;
    double lowAiLineShare;
    double haiRateShare;
    double haiLineShare;
    double haiStages;

    /// @return the parameters: attributes, ranges, meaning
    static const ParameterTable<DcqcnPlusParams>& Table();
};

} // namespace ns3::roce

#endif /* ROCE_DCQCN_PLUS_PARAMS_H */
