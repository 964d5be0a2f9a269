// SPDX-License-Identifier: GPL-2.0-only
// What ns-3 asks of any device; sending and receiving are in roce-net-device.cc.
#include "roce-net-channel.h"
#include "roce-net-device.h"

#include "ns3/node.h"
#include "ns3/roce-nic.h"

namespace ns3::roce
{

void
RoceNetDevice::SetIfIndex(uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
RoceNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
RoceNetDevice::GetChannel() const
{
    return m_channel;
}

void
RoceNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
    m_channel->Learn(m_address, m_index);
}

Address
RoceNetDevice::GetAddress() const
{
    return m_address;
}

bool
RoceNetDevice::SetMtu(uint16_t mtu)
{
    const bool isPossible = mtu >= MIN_MTU && mtu <= MAX_MTU;
    m_mtu = isPossible ? mtu : m_mtu;
    return isPossible;
}

uint16_t
RoceNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
RoceNetDevice::IsLinkUp() const
{
    return m_nic && m_nic->IsLinkUp();
}

void
RoceNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_nic->AddLinkChangeCallback(callback);
}

bool
RoceNetDevice::IsBroadcast() const
{
    return true;
}

Address
RoceNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
RoceNetDevice::IsMulticast() const
{
    return true;
}

Address
RoceNetDevice::GetMulticast(Ipv4Address group) const
{
    return Mac48Address::GetMulticast(group);
}

Address
RoceNetDevice::GetMulticast(Ipv6Address address) const
{
    return Mac48Address::GetMulticast(address);
}

bool
RoceNetDevice::IsBridge() const
{
    return false;
}

bool
RoceNetDevice::IsPointToPoint() const
{
    return false;
}

Ptr<Node>
RoceNetDevice::GetNode() const
{
    return m_node;
}

void
RoceNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
RoceNetDevice::NeedsArp() const
{
    return true;
}

void
RoceNetDevice::SetReceiveCallback(ReceiveCallback callback)
{
    m_receive = callback;
}

void
RoceNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback callback)
{
    m_promiscReceive = callback;
}

bool
RoceNetDevice::SupportsSendFrom() const
{
    return true;
}

} // namespace ns3::roce
