// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NET_DEVICE_H
#define ROCE_NET_DEVICE_H

#include "roce-packet-classes.h"

#include "ns3/mac48-address.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/net-device.h"
#include "ns3/object-factory.h"
#include "ns3/packet.h"
#include "ns3/queue.h"
#include "ns3/roce-nic-packets.h"
#include "ns3/roce-station-trace.h"
#include "ns3/roce-wake-timer.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace ns3::roce
{

class Nic;
class RoceNetChannel;

/// @brief Where a device says which of its packets are lost, by a trace source of the name that a
/// queue has: so ns-3's FlowMonitor, which looks for a queue at devices, counts them.
class PacketLosses : public Object
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /// @param packet is lost
    void Count(const Ptr<const Packet>& packet)
    {
        m_drop(packet);
    }

  private:
    TracedCallback<Ptr<const Packet>> m_drop;
};

/**
 * @brief ns-3's TCP/IP at a NIC: whatever is sent over it shares the NIC's port, links, switches
 * and buffers with RDMA. Made by RoceNetDeviceHelper.
 *
 * A packet is Ethernet II without tags. Its traffic class is that of the map (attribute Classes).
 * Each class in it has a queue of the device, as a transmission queue of traffic-control, from
 * which a packet goes when the NIC sends it. In the NIC packets take turns
 * with the queue pairs of their class, and classes share as the NIC's attributes say.
 *
 * In the network it is a Frame of kind PACKET. The fabric routes it by NIC, with ECMP by its own
 * addresses, protocol and ports; marks CE in packets that are ECN-capable; and counts down the TTL
 * as routers do, without ICMP. What is sent to a group is not counted down (it would be
 * encapsulated). All else that the stack sees is that of one broadcast domain, see RoceNetChannel.
 *
 * What the stack sees happens at Simulator::Now(), though NICs and switches act late.
 */
class RoceNetDevice : public NetDevice, public PacketStack
{
  public:
    static constexpr uint16_t ETHERTYPE_ARP = 0x0806; //!< protocol number
    static constexpr uint16_t MIN_MTU = 68;           //!< RFC 791
    static constexpr uint16_t MAX_MTU = 9216;         //!< of usual switches

    /// @return the object TypeId
    static TypeId GetTypeId();

    RoceNetDevice();
    ~RoceNetDevice() override;

    /**
     * @brief Be the stack of a NIC. Once.
     * @param nic of a built network; has no stack yet
     * @param channel of the network's devices
     * @param index of the device in the channel
     */
    void Attach(const Ptr<Nic>& nic, const Ptr<RoceNetChannel>& channel, std::size_t index);

    /// @return the NIC
    const Ptr<Nic>& GetNic() const
    {
        return m_nic;
    }

    /// @return the device's queues, one for each class of attribute Classes
    std::size_t GetNQueues() const
    {
        return m_queues.size();
    }

    /// @param i below GetNQueues(). @return packets that wait
    Ptr<Queue<Packet>> GetQueue(std::size_t i) const
    {
        return m_queues.at(i).packets;
    }

    /// @brief Called by the timer.
    void OnWake(int64_t nowPs);

    /// @brief A packet of this device is lost on its way. @param frame that carries it
    /// @param reason as in the name of a counter: buffer, red, ttl, noRoute, ... of switches, and
    /// linkDown and lossModel @param node id, where @param at when; Simulator::Now() may be later
    void OnLoss(const Frame& frame, const std::string& reason, uint32_t node, const Time& at);

    /// Signature of trace source NetworkDrop: see OnLoss(). The packet has its MAC header, and is
    /// as it was sent.
    typedef void (*NetworkDropCallback)(Ptr<const Packet> packet,
                                        const std::string& reason,
                                        uint32_t node,
                                        const Time& at);

    // inherited from PacketStack
    void Foresee(int64_t atPs) override;

    // inherited from NetDevice
    void SetIfIndex(uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    /// @param mtu 68 to 9216. @return whether it is one of these
    bool SetMtu(uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address group) const override;
    Address GetMulticast(Ipv6Address address) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocol) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocol) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(ReceiveCallback callback) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback callback) override;
    bool SupportsSendFrom() const override;

  protected:
    void DoDispose() override;
    void NotifyConstructionCompleted() override;
    void NotifyNewAggregate() override;

  private:
    /// Packets of one class.
    struct TxQueue
    {
        uint8_t trafficClass;
        Ptr<Queue<Packet>> packets;
        bool isShown;        //!< the NIC has been given the first one
        Ptr<Packet> copied;  //!< goes to further devices, or null
        std::size_t next{0}; //!< of them
    };

    void MakeQueues();
    bool Refuse(const Ptr<const Packet>& packet);
    TxQueue& QueueOf(const Ptr<const Packet>& packet);
    bool Answer(const Ptr<const Packet>& packet, const Mac48Address& dest, uint16_t protocol);
    void Refill();
    bool SendCopy(TxQueue& queue);
    void Transmit(const Ptr<Packet>& packet, uint32_t toNic, uint8_t trafficClass);
    void Receive(Frame* frame);
    void Deliver(const Ptr<Packet>& packet,
                 const Mac48Address& from,
                 const Mac48Address& to,
                 uint16_t protocol);
    void Arm();

    Ptr<Node> m_node;
    Ptr<Nic> m_nic;
    Ptr<RoceNetChannel> m_channel;
    std::size_t m_index{0};
    uint32_t m_ifIndex{0};
    Mac48Address m_address;
    Ptr<NetDeviceQueueInterface> m_interface;
    std::vector<TxQueue> m_queues;
    Ptr<PacketLosses> m_losses{CreateObject<PacketLosses>()};
    std::deque<int64_t> m_foreseen; //!< when to look at the NIC, earliest first
    WakeTimer<RoceNetDevice> m_timer{this};
    ReceiveCallback m_receive;
    PromiscReceiveCallback m_promiscReceive;
    // attributes
    uint16_t m_mtu{0};
    ObjectFactory m_queueFactory;
    std::string m_classText;
    PacketClasses m_classes;

    TracedCallback<Ptr<const Packet>> m_macTx;
    TracedCallback<Ptr<const Packet>> m_macTxDrop;
    CheckedTrace<Ptr<const Packet>, const std::string&, uint32_t, const Time&> m_networkDrop;
    TracedCallback<Ptr<const Packet>> m_macPromiscRx;
    TracedCallback<Ptr<const Packet>> m_macRx;
    TracedCallback<Ptr<const Packet>> m_phyTxBegin;
    TracedCallback<Ptr<const Packet>> m_phyRxEnd;
    TracedCallback<Ptr<const Packet>> m_sniffer;
    TracedCallback<Ptr<const Packet>> m_promiscSniffer;
};

} // namespace ns3::roce

#endif /* ROCE_NET_DEVICE_H */
