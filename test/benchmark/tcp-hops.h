// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TCP_HOPS_H
#define ROCE_TCP_HOPS_H

#include <cstdint>

namespace ns3::roce
{

/// The network of a row of TCP.
struct TcpRow
{
    bool isPointToPoint; //!< of ns-3's devices and routers
    uint32_t switches;   //!< or routers, in a row
    uint64_t flowBytes;
};

/// What a row of TCP costs.
struct TcpCost
{
    uint64_t packetHops;
    double cpuSeconds;
};

/**
 * @brief Simulate TCP between the hosts at the ends of a row of switches, and the same network of
 * ns-3's point-to-point devices.
 * @return the cost; zeros if this ns-3 has no such devices
 */
TcpCost MeasureTcp(const TcpRow& row);

} // namespace ns3::roce

#endif /* ROCE_TCP_HOPS_H */
