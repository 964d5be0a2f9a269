// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NETWORK_PFC_H
#define ROCE_NETWORK_PFC_H

#include "ns3/roce-rank-exchange.h"

#include <cstdint>
#include <string>

namespace ns3::roce
{

class Switch;
struct NetworkParts;

/// Whether PFC works as meant in a network: in time, after ECN, and without losses.
class NetworkPfc
{
  public:
    /// @param parts outlive this @param maxFrameBytes largest frame, allowed for in headroom
    NetworkPfc(const NetworkParts& parts, uint32_t maxFrameBytes)
        : m_parts(parts),
          m_maxFrameBytes(maxFrameBytes)
    {
    }

    /// @brief Refuse pauses that run out before the next XOFF arrives. @throw InputError
    void CheckPauses() const;

    /// @return of ECN thresholds that PFC does not let the queue reach, with advice, or nothing
    std::string DescribeLateMarks() const;

    /// @return see Network::DescribeLosslessDrops(). @param ranks the processes, or null
    std::string DescribeDrops(RankExchange* ranks) const;

  private:
    std::string FindDropCause(const Switch& sw) const;

    const NetworkParts& m_parts;
    uint32_t m_maxFrameBytes;
};

} // namespace ns3::roce

#endif /* ROCE_NETWORK_PFC_H */
