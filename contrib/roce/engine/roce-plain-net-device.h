// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PLAIN_NET_DEVICE_H
#define ROCE_PLAIN_NET_DEVICE_H

#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/node.h"

namespace ns3::roce
{

/**
 * @brief What ns-3 asks of every NetDevice and RDMA has no use for: a point-to-point device that
 * hands nothing to the stack above it.
 */
class PlainNetDevice : public NetDevice
{
  public:
    void SetIfIndex(uint32_t index) override
    {
        m_ifIndex = index;
    }

    uint32_t GetIfIndex() const override
    {
        return m_ifIndex;
    }

    void SetAddress(Address address) override
    {
        m_address = Mac48Address::ConvertFrom(address);
    }

    Address GetAddress() const override
    {
        return m_address;
    }

    bool SetMtu(uint16_t mtu) override
    {
        m_mtu = mtu;
        return true;
    }

    uint16_t GetMtu() const override
    {
        return m_mtu;
    }

    bool IsBroadcast() const override
    {
        return false;
    }

    Address GetBroadcast() const override
    {
        return Mac48Address::GetBroadcast();
    }

    bool IsMulticast() const override
    {
        return false;
    }

    Address GetMulticast(Ipv4Address) const override
    {
        return Mac48Address::GetBroadcast();
    }

    Address GetMulticast(Ipv6Address) const override
    {
        return Mac48Address::GetBroadcast();
    }

    bool IsBridge() const override
    {
        return false;
    }

    bool IsPointToPoint() const override
    {
        return true;
    }

    Ptr<Node> GetNode() const override
    {
        return m_node;
    }

    void SetNode(Ptr<Node> node) override
    {
        m_node = node;
    }

    bool NeedsArp() const override
    {
        return false;
    }

    void SetReceiveCallback(ReceiveCallback) override
    {
    }

    void SetPromiscReceiveCallback(PromiscReceiveCallback) override
    {
    }

    bool SupportsSendFrom() const override
    {
        return false;
    }

  private:
    Ptr<Node> m_node;
    uint32_t m_ifIndex{0};
    uint16_t m_mtu{9000};
    Mac48Address m_address;
};

} // namespace ns3::roce

#endif /* ROCE_PLAIN_NET_DEVICE_H */
