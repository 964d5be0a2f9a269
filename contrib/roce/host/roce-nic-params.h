// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NIC_PARAMS_H
#define ROCE_NIC_PARAMS_H

#include "ns3/roce-parameters.h"

#include <cstdint>

namespace ns3::roce
{

/// @brief What kinds of NICs differ in: attributes of Nic that its Profile gives.
struct NicParams
{
    int64_t postPs;
    int64_t gapPs;
    double messageRate;
    int64_t completionPs;
    int64_t deliveryPs;
    int64_t cnpPs;
    uint32_t ackEveryN;
    uint64_t ingressBps;   //!< 0: no limit
    uint64_t ingressBytes; //!< wire bytes
    uint64_t ingressMarkBytes;

    static const ParameterTable<NicParams>& Table();
};

} // namespace ns3::roce

#endif /* ROCE_NIC_PARAMS_H */
