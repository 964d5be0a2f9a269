// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_EXPECTED_TRAFFIC_H
#define ROCE_EXPECTED_TRAFFIC_H

#include <cstdint>
#include <vector>

namespace ns3::roce
{

struct NetworkParts;

/// A flow, as far as stations have work with it.
struct ExpectedFlow
{
    uint32_t src; //!< NIC
    uint32_t dst; //!< NIC
    uint64_t bytes;
};

/**
 * @brief How many frames each station of a network will handle, and each link will carry, by the
 * flows that are known: to divide the network among threads.
 *
 * Each data frame has its ACK. Frames are spread evenly over all shortest paths, without failures.
 * What makes or takes in a frame has as much work with it as a switch that passes it on (measured).
 */
class ExpectedTraffic
{
  public:
    /// @param parts built @param flows all that are known
    ExpectedTraffic(const NetworkParts& parts, const std::vector<ExpectedFlow>& flows);

    /// @return whether there is any
    bool IsKnown() const
    {
        return m_isKnown;
    }

    /// @return frames that a NIC handles, and some for being there
    double GetNicWork(uint32_t nic) const
    {
        return m_nics[nic] + m_nicBase;
    }

    /// @return frames that a switch handles, and some for being there
    double GetSwitchWork(uint32_t sw) const
    {
        return m_switches[sw] + m_switchBase;
    }

    /// @return frames that a link carries, both ways
    double GetLinkFrames(uint32_t link) const
    {
        return m_links[link];
    }

  private:
    /// Frames between two NICs, one way.
    struct Part
    {
        uint32_t src; //!< switch of the NIC
        uint32_t dst; //!< the same
        double frames;
    };

    void FindTwins(const NetworkParts& parts);
    void Spread(const NetworkParts& parts, uint32_t twins, const std::vector<Part>& flows);
    void FindDistances(const NetworkParts& parts, uint32_t destination);

    bool m_isKnown{false};
    double m_nicBase{0};
    double m_switchBase{0};
    std::vector<double> m_nics;
    std::vector<double> m_switches;
    std::vector<double> m_links;
    std::vector<std::vector<uint32_t>> m_twins; //!< sets of switches of NICs, see NetworkRoutes
    std::vector<uint32_t> m_twinsOf;            //!< by switch: its set
    // Of the destination that is looked at, by switch.
    std::vector<uint32_t> m_distances;
    std::vector<uint32_t> m_order; //!< the nearest first
    std::vector<double> m_waiting; //!< frames on their way there
};

} // namespace ns3::roce

#endif /* ROCE_EXPECTED_TRAFFIC_H */
