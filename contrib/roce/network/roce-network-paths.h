// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NETWORK_PATHS_H
#define ROCE_NETWORK_PATHS_H

#include "roce-best-paths.h"
#include "roce-network-map.h"

#include "ns3/roce-flow-spec.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace ns3::roce
{

class NetworkRoutes;

/// Paths through a network, and what senders and results need to know of them. See the functions
/// of Network with the same names.
class NetworkPaths
{
  public:
    /// @param parts @param routes outlive this
    NetworkPaths(const NetworkParts& parts, const NetworkRoutes& routes)
        : m_parts(parts),
          m_routes(routes)
    {
    }

    /// @param bytes that switches charge a frame for telemetry, at most
    void SetIntBytesPerHop(uint32_t bytes)
    {
        m_intBytesPerHop = bytes;
    }

    /// @param longestPs see NetworkRoutes::FindLongestRtts()
    void SetLongestRtts(std::map<uint32_t, std::array<int64_t, 2>> longestPs)
    {
        m_longestRttsPs = std::move(longestPs);
    }

    /// @return sizes of frames between two NICs. @param telemetry with what the law asks for
    /// @param law see FlowSpec::law
    WireSizes GetWireSizes(uint32_t src, uint32_t dst, bool telemetry, uint8_t law = 0) const;

    /// @param intact by the routes before all failures @param [out] arrives at dst
    std::vector<NetworkMap::PathHop> Trace(uint32_t src,
                                           uint32_t dst,
                                           uint16_t entropy,
                                           bool intact,
                                           bool& arrives) const;
    PathInfo GetPath(uint32_t src,
                     uint32_t dst,
                     uint16_t entropy,
                     uint8_t trafficClass,
                     uint8_t law) const;
    std::vector<std::vector<HopSpec>> GetBestPaths(uint32_t src, uint32_t dst) const;
    IdealFct::Result GetIdeal(const FlowSpec& flow, bool telemetry) const;

  private:
    const std::vector<std::array<uint32_t, 2>>& GetLikeRacks() const;

    const NetworkParts& m_parts;
    const NetworkRoutes& m_routes;
    uint32_t m_intBytesPerHop{0};
    std::map<uint32_t, std::array<int64_t, 2>> m_longestRttsPs;
    mutable std::vector<std::array<uint32_t, 2>> m_likeRacks; //!< or empty: not looked for yet
    mutable BestPaths m_bestPaths;                            //!< known so far, without failures
};

} // namespace ns3::roce

#endif /* ROCE_NETWORK_PATHS_H */
