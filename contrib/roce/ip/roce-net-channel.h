// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NET_CHANNEL_H
#define ROCE_NET_CHANNEL_H

#include "ns3/channel.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/mac48-address.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/roce-station-trace.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::roce
{

class Network;
class RoceNetDevice;
struct Frame;

/**
 * @brief What the RoceNetDevices of a network share: one broadcast domain, over the routed fabric
 * of the network.
 *
 * It knows where each address is, as the control plane of an Ethernet VPN does (RFC 7432). So ARP
 * requests and neighbour solicitations do not cross the network: the NIC answers them at once for
 * the device that has the address (RFC 9161, ARP/ND suppression), and not at all if none has. Other
 * frames for several are sent to each device that is not the sender's (ingress replication, RFC
 * 7432 section 11).
 */
class RoceNetChannel : public Channel
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /// @param device one more
    void Add(Ptr<RoceNetDevice> device);

    /// @brief From now on, report to devices which of their packets the network loses. @param
    /// network whose NICs have the devices
    void Watch(const Network& network);

    /// @brief A device sends from that address. @param index of the device
    void Learn(Mac48Address address, std::size_t index);

    /// @return where frames for that address go, or null: unknown, or a group's
    RoceNetDevice* Find(Mac48Address address) const;

    /**
     * @param asking device
     * @param packet without MAC header
     * @param protocol number
     * @return the answer to an ARP request or a neighbour solicitation: what the owner of the
     * address would send, without MAC header; null if there is none
     * @param [out] from address of the owner, if there is one
     * @param [out] isQuestion whether it is such a request
     */
    Ptr<Packet> Answer(const RoceNetDevice& asking,
                       const Ptr<const Packet>& packet,
                       uint16_t protocol,
                       Mac48Address& from,
                       bool& isQuestion);

    // inherited from Channel
    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  private:
    void DoDispose() override;
    void OnLoss(const Frame& frame, const std::string& reason, uint32_t node, const Time& at) const;
    Ptr<Packet> AnswerArp(const RoceNetDevice& asking,
                          const Ptr<const Packet>& packet,
                          Mac48Address& from,
                          bool& isQuestion);
    Ptr<Packet> AnswerNs(const RoceNetDevice& asking,
                         const Ptr<const Packet>& packet,
                         Mac48Address& from,
                         bool& isQuestion);

    template <typename A, typename Has>
    const RoceNetDevice* FindOwner(const RoceNetDevice& asking,
                                   std::map<A, std::size_t>& known,
                                   const A& address,
                                   Has has);

    std::vector<Ptr<RoceNetDevice>> m_devices;
    std::map<uint32_t, std::size_t> m_byNic; //!< device of a NIC
    std::map<Mac48Address, std::size_t> m_byMac;
    std::map<Ipv4Address, std::size_t> m_byIpv4; //!< found before; may have changed
    std::map<Ipv6Address, std::size_t> m_byIpv6; //!< the same
    SinkMark m_mark; //!< stacks are not for several threads, and no station is late by two beats
};

} // namespace ns3::roce

#endif /* ROCE_NET_CHANNEL_H */
