// SPDX-License-Identifier: GPL-2.0-only
#include "roce-net-channel.h"

#include "roce-net-device.h"

#include "ns3/arp-header.h"
#include "ns3/icmpv6-header.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6.h"
#include "ns3/node.h"
#include "ns3/roce-network.h"
#include "ns3/roce-nic.h"
#include "ns3/roce-port.h"
#include "ns3/roce-switch.h"
#include "ns3/roce-wire-format.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(RoceNetChannel);

TypeId
RoceNetChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::RoceNetChannel")
                            .SetParent<Channel>()
                            .SetGroupName("Roce")
                            .AddConstructor<RoceNetChannel>();
    return tid;
}

void
RoceNetChannel::DoDispose()
{
    m_devices.clear();
    m_mark = {};
    Channel::DoDispose();
}

void
RoceNetChannel::Add(Ptr<RoceNetDevice> device)
{
    m_mark.Set();
    m_devices.push_back(std::move(device));
}

void
RoceNetChannel::Watch(const Network& network)
{
    for (std::size_t i = 0; i < m_devices.size(); ++i)
    {
        m_byNic[m_devices[i]->GetNic()->GetIndex()] = i;
    }
    // No sink is called after the simulation, with which the devices end.
    for (uint32_t s = 0; s < network.GetNSwitches(); ++s)
    {
        const Ptr<Switch> sw = network.GetSwitch(s);
        const uint32_t node = sw->GetNodeId();
        sw->TraceConnectWithoutContext(
            "Drop",
            Callback<void, const Frame&, const char*, Time>(
                [this, node](const Frame& frame, const char* reason, Time at) {
                    OnLoss(frame, reason, node, at);
                }));
    }
    for (uint32_t l = 0; l < network.GetNLinks(); ++l)
    {
        for (const unsigned end : {0, 1})
        {
            const Ptr<Port> port = network.GetLink(l).GetPort(end);
            const uint32_t node = port->GetNode()->GetId();
            port->TraceConnectWithoutContext(
                "PhyRxDrop",
                Callback<void, const Frame&, uint8_t, Time>(
                    [this, node](const Frame& frame, uint8_t reason, Time at) {
                        OnLoss(frame,
                               reason == Port::LOSS_LINK_DOWN ? "linkDown" : "lossModel",
                               node,
                               at);
                    }));
        }
    }
}

void
RoceNetChannel::OnLoss(const Frame& frame,
                       const std::string& reason,
                       uint32_t node,
                       const Time& at) const
{
    if (frame.kind == FrameKind::PACKET && !m_devices.empty())
    {
        m_devices[m_byNic.at(frame.src)]->OnLoss(frame, reason, node, at);
    }
}

void
RoceNetChannel::Learn(Mac48Address address, std::size_t index)
{
    m_byMac[address] = index;
}

RoceNetDevice*
RoceNetChannel::Find(Mac48Address address) const
{
    const auto found = m_byMac.find(address);
    return found == m_byMac.end() ? nullptr : PeekPointer(m_devices[found->second]);
}

std::size_t
RoceNetChannel::GetNDevices() const
{
    return m_devices.size();
}

Ptr<NetDevice>
RoceNetChannel::GetDevice(std::size_t i) const
{
    return m_devices.at(i);
}

/// @param has whether a device has the address now
template <typename A, typename Has>
const RoceNetDevice*
RoceNetChannel::FindOwner(const RoceNetDevice& asking,
                          std::map<A, std::size_t>& known,
                          const A& address,
                          Has has)
{
    const auto isIt = [&](const RoceNetDevice& device) {
        return &device != &asking && has(device);
    };
    if (const auto found = known.find(address);
        found != known.end() && isIt(*m_devices[found->second]))
    {
        return PeekPointer(m_devices[found->second]);
    }
    for (std::size_t i = 0; i < m_devices.size(); ++i)
    {
        if (isIt(*m_devices[i]))
        {
            known[address] = i;
            return PeekPointer(m_devices[i]);
        }
    }
    return nullptr;
}

Ptr<Packet>
RoceNetChannel::Answer(const RoceNetDevice& asking,
                       const Ptr<const Packet>& packet,
                       uint16_t protocol,
                       Mac48Address& from,
                       bool& isQuestion)
{
    isQuestion = false;
    return protocol == RoceNetDevice::ETHERTYPE_ARP ? AnswerArp(asking, packet, from, isQuestion)
           : protocol == wire::ETHERTYPE_IPV6       ? AnswerNs(asking, packet, from, isQuestion)
                                                    : nullptr;
}

Ptr<Packet>
RoceNetChannel::AnswerArp(const RoceNetDevice& asking,
                          const Ptr<const Packet>& packet,
                          Mac48Address& from,
                          bool& isQuestion)
{
    ArpHeader asked;
    isQuestion = packet->PeekHeader(asked) && asked.IsRequest();
    const Ipv4Address wanted = asked.GetDestinationIpv4Address();
    const RoceNetDevice* owner =
        !isQuestion ? nullptr
                    : FindOwner(asking, m_byIpv4, wanted, [&wanted](const RoceNetDevice& device) {
                          const Ptr<Ipv4> ip = device.GetNode()->GetObject<Ipv4>();
                          const int32_t own = ip ? ip->GetInterfaceForDevice(&device) : -1;
                          return own >= 0 && ip->GetInterfaceForAddress(wanted) == own;
                      });
    if (!owner)
    {
        return nullptr;
    }
    from = Mac48Address::ConvertFrom(owner->GetAddress());
    ArpHeader reply;
    reply.SetReply(from, wanted, asked.GetSourceHardwareAddress(), asked.GetSourceIpv4Address());
    Ptr<Packet> answer = Create<Packet>();
    answer->AddHeader(reply);
    return answer;
}

Ptr<Packet>
RoceNetChannel::AnswerNs(const RoceNetDevice& asking,
                         const Ptr<const Packet>& packet,
                         Mac48Address& from,
                         bool& isQuestion)
{
    Ptr<Packet> copy = packet->Copy();
    Ipv6Header ip;
    copy->RemoveHeader(ip);
    Icmpv6Header icmp;
    if (ip.GetNextHeader() != Ipv6Header::IPV6_ICMPV6 || !copy->PeekHeader(icmp) ||
        icmp.GetType() != Icmpv6Header::ICMPV6_ND_NEIGHBOR_SOLICITATION)
    {
        return nullptr;
    }
    isQuestion = true;
    Icmpv6NS asked;
    copy->RemoveHeader(asked);
    const Ipv6Address wanted = asked.GetIpv6Target();
    const RoceNetDevice* owner =
        FindOwner(asking, m_byIpv6, wanted, [&wanted](const RoceNetDevice& device) {
            const Ptr<Ipv6> stack = device.GetNode()->GetObject<Ipv6>();
            const int32_t own = stack ? stack->GetInterfaceForDevice(&device) : -1;
            return own >= 0 && stack->GetInterfaceForAddress(wanted) == own;
        });
    if (!owner)
    {
        return nullptr;
    }
    // A host that checks whether its address is free sends from none (RFC 4861, section 7.2.4).
    const bool isCheck = ip.GetSource().IsAny();
    const Ipv6Address to = isCheck ? Ipv6Address::GetAllNodesMulticast() : ip.GetSource();
    from = Mac48Address::ConvertFrom(owner->GetAddress());
    Icmpv6NA reply;
    reply.SetIpv6Target(wanted);
    reply.SetFlagS(!isCheck);
    reply.SetFlagO(true);
    const Icmpv6OptionLinkLayerAddress option(false, from);
    Ptr<Packet> answer = Create<Packet>();
    answer->AddHeader(option);
    reply.CalculatePseudoHeaderChecksum(
        wanted,
        to,
        static_cast<uint16_t>(answer->GetSize() + reply.GetSerializedSize()),
        Ipv6Header::IPV6_ICMPV6);
    answer->AddHeader(reply);
    Ipv6Header header;
    header.SetSource(wanted);
    header.SetDestination(to);
    header.SetNextHeader(Ipv6Header::IPV6_ICMPV6);
    header.SetPayloadLength(static_cast<uint16_t>(answer->GetSize()));
    header.SetHopLimit(255);
    answer->AddHeader(header);
    return answer;
}

} // namespace ns3::roce
