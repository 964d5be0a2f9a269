// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MLCC_PARAMS_H
#define ROCE_MLCC_PARAMS_H

#include "roce-mlcc-dqm.h"

#include "ns3/roce-parameters.h"

namespace ns3::roce
{

/// @brief The rate laws that map MLCC's signals to R_NS and R_credit.
enum class MlccInnerCc : uint8_t
{
    HPCC,
    POWER_TCP,
    DCQCN,
    TIMELY,
};

/// Parameters of Mlcc, at both ends.
struct MlccParams
{
    MlccInnerCc innerCc;
    bool creditFastReact;
    double minRateBps;
    double inflightCap; //!< in line rate times RTT_C; 0: none
    MlccDqm::Settings dqm;

    static const ParameterTable<MlccParams>& Table();
};

} // namespace ns3::roce

#endif /* ROCE_MLCC_PARAMS_H */
