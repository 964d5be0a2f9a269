/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-hpcc-topology.h"

#include "roce-hpcc-topology-file.h"

#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/queue-size.h"
#include "ns3/roce-random-loss.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace ns3
{
namespace roce
{

HpccTopology
HpccTopology::Read(const std::string& path)
{
    return HpccTopologyFile(path).Read();
}

void
HpccTopology::Construct(Network& network, uint32_t dciBufferBytes) const
{
    ObjectFactory dci("ns3::roce::Switch");
    if (dciBufferBytes)
    {
        dci.Set("BufferSize", QueueSizeValue(QueueSize(QueueSizeUnit::BYTES, dciBufferBytes)));
    }
    std::vector<uint32_t> hostOfNode(isSwitch.size());
    for (uint32_t node = 0; node < isSwitch.size(); ++node)
    {
        if (isSwitch[node])
        {
            const std::string name = "switch" + std::to_string(node);
            if (isDci[node])
            {
                network.AddSwitch(name, 0, dci);
            }
            else
            {
                network.AddSwitch(name, 0);
            }
        }
        else
        {
            hostOfNode[node] = network.AddHost("host" + std::to_string(node), 0);
        }
    }
    for (const LinkLine& link : links)
    {
        if (isSwitch[link.a] && isSwitch[link.b])
        {
            network.Connect(switchOfNode[link.a], switchOfNode[link.b], link.rateBps, link.delayPs);
        }
        else
        {
            const uint32_t host = isSwitch[link.a] ? link.b : link.a;
            const uint32_t sw = isSwitch[link.a] ? link.a : link.b;
            network.AddNic(hostOfNode[host], switchOfNode[sw], link.rateBps, link.delayPs);
        }
    }
}

void
HpccTopology::ApplyLoss(Network& network, double otherwise) const
{
    for (uint32_t i = 0; i < links.size(); ++i)
    {
        const double rate = links[i].lossRate > 0 ? links[i].lossRate : otherwise;
        for (unsigned end = 0; end < 2 && rate > 0; ++end)
        {
            network.GetLink(i).GetPort(end)->SetLossModel(
                CreateObjectWithAttributes<RandomLoss>("Rate", DoubleValue(rate)));
        }
    }
}

namespace
{

/// What one hop adds to HpccIdeal::BaseRttPs(). @param port that sends @param payloadBytes of a
/// packet
/// @return picoseconds
int64_t
HopPs(const Port& port, uint32_t payloadBytes)
{
    return 2 * port.GetLink()->GetDelayPs() +
           IdealFct::SerialisationPs(payloadBytes, port.GetRateBps());
}

/// The longest ways of a packet to one NIC, by the routes to its rack.
class LongestWays
{
  public:
    /// @param network built @param dst the NIC @param payloadBytes of the packet
    LongestWays(const Network& network, uint32_t dst, uint32_t payloadBytes)
        : m_rack(network.GetRack(dst)),
          m_payloadBytes(payloadBytes),
          m_lastHop(*network.GetNic(dst)->GetPeer())
    {
    }

    /// @param sw a switch with a route @return time from there to the NIC, picoseconds
    int64_t From(Switch* sw)
    {
        if (sw == m_lastHop.GetOwner())
        {
            return HopPs(m_lastHop, m_payloadBytes);
        }
        const auto [known, isNew] = m_ways.try_emplace(sw, 0);
        if (isNew)
        {
            int64_t longestPs = 0;
            for (const uint16_t p : sw->GetRouting().GetGroup(m_rack))
            {
                const Port& port = *sw->GetPort(p);
                auto* next = dynamic_cast<Switch*>(port.GetPeer()->GetOwner());
                longestPs = std::max(longestPs, HopPs(port, m_payloadBytes) + From(next));
            }
            m_ways[sw] = longestPs; // the map has grown meanwhile
            return longestPs;
        }
        return known->second;
    }

  private:
    const uint32_t m_rack;
    const uint32_t m_payloadBytes;
    const Port& m_lastHop;
    std::unordered_map<Switch*, int64_t> m_ways;
};

/**
 * Some NICs of a network: two of each kind, of different racks if there are such. Of one kind are
 * those with the same link at racks whose switches have the same links to the same switches. To
 * exchange such racks changes nothing, so the longest of all paths is between two of these NICs.
 */
std::vector<uint32_t>
FindRepresentatives(const Network& network)
{
    using LinkKind = std::tuple<const Station*, uint64_t, int64_t>; // neighbour, rate, delay
    std::map<const Station*, std::vector<LinkKind>> uplinks;        // of switches with NICs
    std::map<std::pair<std::vector<LinkKind>, LinkKind>, std::vector<uint32_t>> kinds;
    for (uint32_t nic = 0; nic < network.GetNNics(); ++nic)
    {
        const Ptr<Nic> port = network.GetNic(nic);
        const auto* sw = dynamic_cast<const Switch*>(port->GetPeer()->GetOwner());
        const auto [links, isNew] = uplinks.try_emplace(sw);
        for (uint16_t p = 0; isNew && p < sw->GetNPorts(); ++p)
        {
            const Port& own = *sw->GetPort(p);
            const Station* peer = own.GetPeer()->GetOwner();
            if (dynamic_cast<const Switch*>(peer))
            {
                links->second.emplace_back(peer, own.GetRateBps(), own.GetLink()->GetDelayPs());
            }
        }
        if (isNew)
        {
            std::sort(links->second.begin(), links->second.end());
        }
        const LinkKind own{nullptr, port->GetRateBps(), port->GetLink()->GetDelayPs()};
        std::vector<uint32_t>& some = kinds[{links->second, own}];
        if (some.size() < 2)
        {
            some.push_back(nic);
        }
        else if (network.GetRack(some[0]) == network.GetRack(some[1]))
        {
            some[1] = nic; // of another rack, if there is one
        }
    }
    std::vector<uint32_t> nics;
    for (const auto& [kind, some] : kinds)
    {
        nics.insert(nics.end(), some.begin(), some.end());
    }
    return nics;
}

} // namespace

int64_t
HpccTopology::GetMaxRttPs(const Network& network, uint32_t payloadBytes) const
{
    const std::vector<uint32_t> nics = FindRepresentatives(network);
    int64_t longestPs = 0;
    for (const uint32_t dst : nics)
    {
        LongestWays ways(network, dst, payloadBytes);
        for (const uint32_t src : nics)
        {
            if (src != dst)
            {
                const Port& port = *network.GetNic(src);
                auto* sw = dynamic_cast<Switch*>(port.GetPeer()->GetOwner());
                longestPs = std::max(longestPs, HopPs(port, payloadBytes) + ways.From(sw));
            }
        }
    }
    return longestPs;
}

uint64_t
HpccTopology::GetMaxHostRateBps() const
{
    uint64_t rateBps = 0;
    for (const LinkLine& link : links)
    {
        if (!isSwitch[link.a] || !isSwitch[link.b])
        {
            rateBps = std::max(rateBps, link.rateBps);
        }
    }
    return rateBps;
}

int64_t
HpccIdeal::BaseRttPs(const std::vector<Network::PathHop>& path, uint32_t payloadBytes)
{
    int64_t rttPs = 0;
    for (const Network::PathHop& hop : path)
    {
        rttPs += 2 * hop.spec.delayPs + IdealFct::SerialisationPs(payloadBytes, hop.spec.rateBps);
    }
    return rttPs;
}

int64_t
HpccIdeal::FctPs(const std::vector<Network::PathHop>& path,
                 uint32_t payloadBytes,
                 uint64_t sizeBytes)
{
    uint64_t rateBps = path.front().spec.rateBps;
    for (const Network::PathHop& hop : path)
    {
        rateBps = std::min(rateBps, hop.spec.rateBps);
    }
    const uint64_t packets = sizeBytes / payloadBytes + (sizeBytes % payloadBytes != 0);
    const double bits = 8.0 * static_cast<double>(sizeBytes + HEADER_BYTES * packets);
    const int64_t ps = BaseRttPs(path, payloadBytes) +
                       static_cast<int64_t>(bits * 1e12 / static_cast<double>(rateBps));
    return ps - ps % 1000;
}

} // namespace roce
} // namespace ns3
