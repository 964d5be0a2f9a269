// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MLCC_EDGE_H
#define ROCE_MLCC_EDGE_H

#include "roce-mlcc.h"

#include "ns3/roce-deployment.h"
#include "ns3/roce-frame.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-int-stamper.h"
#include "ns3/roce-switch.h"

#include <algorithm>
#include <string>

namespace ns3::roce
{

// What MLCC's two edge functions have in common.

/**
 * @brief An edge function of MLCC needs the rate law, which needs both functions.
 * @param deployment what runs together in the network
 * @param who the stage that is there, with ns3::roce::
 * @throw InputError if it is missing
 */
inline void
CheckMlccEdge(const Deployment& deployment, const std::string& who)
{
    const auto& transports = deployment.GetTransports();
    if (std::none_of(transports.begin(), transports.end(), [](const auto& transport) {
            return transport.interDc && dynamic_cast<const Mlcc*>(PeekPointer(transport.law));
        }))
    {
        throw InputError("edge function " + who +
                         " is for MLCC's senders, but no rate law between datacenters is one; "
                         "expected Mlcc (--interCc=Mlcc)");
    }
}

/// @return what a hop record costs on the wire, as the switch's own IntStamper has it; 0 without
/// one @param sw has its IntStamper already
inline uint32_t
GetHopBytes(const Switch& sw)
{
    const IntStamper* stamper = sw.FindStage<IntStamper>();
    return stamper ? stamper->GetTelemetryBytes().value_or(0) : 0;
}

/**
 * @brief Erase hop records, and what the wire is charged for them.
 * @param frame with telemetry
 * @param n how many of the last ones stay
 * @param hopBytes see GetHopBytes()
 */
inline void
KeepLastHops(Frame& frame, uint32_t n, uint32_t hopBytes)
{
    const uint32_t hops = frame.telemetry.hops;
    const auto bytes = static_cast<uint16_t>(
        std::min<uint32_t>(frame.telemetryBytes, hops > n ? (hops - n) * hopBytes : 0));
    frame.telemetry.KeepLast(n);
    frame.telemetryBytes -= bytes;
    frame.frameBytes -= bytes;
}

} // namespace ns3::roce

#endif /* ROCE_MLCC_EDGE_H */
