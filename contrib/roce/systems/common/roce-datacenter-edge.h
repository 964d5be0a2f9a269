// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DATACENTER_EDGE_H
#define ROCE_DATACENTER_EDGE_H

#include "ns3/roce-frame.h"
#include "ns3/roce-switch.h"

#include <cstdint>
#include <string>

namespace ns3::roce
{

/**
 * @brief Where an edge function is: which NICs belong to the datacenter of its switch, and how
 * large that datacenter is.
 */
class DatacenterEdge
{
  public:
    /// The surroundings of a switch in its datacenter.
    struct Extent
    {
        uint64_t fastestNicBps{0}; //!< greatest rate of a NIC's link, bit/s
        int64_t farthestNicPs{0};  //!< greatest propagation delay to a NIC, by the fewest links
    };

    /// @brief Begin. @param sw outlives this
    void Install(const Switch& sw)
    {
        m_switch = &sw;
        m_datacenter = sw.GetDatacenter();
    }

    /// @return whether a NIC is in the switch's datacenter. @param nic number in the network
    bool IsOwn(uint32_t nic) const
    {
        return m_switch->GetDatacenterOf(nic) == m_datacenter;
    }

    /// @return whether a frame goes from the switch's datacenter to another one.
    bool Leaves(const Frame& frame) const
    {
        return IsOwn(frame.src) && !IsOwn(frame.dst);
    }

    /// @return whether a frame comes from another datacenter into the switch's.
    bool Enters(const Frame& frame) const
    {
        return IsOwn(frame.dst) && !IsOwn(frame.src);
    }

    /**
     * @brief Edge functions are for switches with a link to another datacenter.
     * @param who type of the stage, for the message
     * @throw InputError if it has none
     */
    static void RequireWanLink(const Switch& sw, const std::string& who);

    /// @return switches of its datacenter that have a link to another one, itself among them, when
    /// all links are there. @param sw one of them
    static uint32_t CountExternals(const Switch& sw);

    /// @return the surroundings of a switch, when all links are there.
    static Extent Measure(const Switch& sw);

    /**
     * @param sw a switch with links to other datacenters; all links are there
     * @return propagation delay of the longest round trip of a NIC here and one in a datacenter at
     * the other end of such a link, ps
     */
    static int64_t LongestRoundTripPs(const Switch& sw);

  private:
    const Switch* m_switch{nullptr};
    uint32_t m_datacenter{0};
};

} // namespace ns3::roce

#endif /* ROCE_DATACENTER_EDGE_H */
