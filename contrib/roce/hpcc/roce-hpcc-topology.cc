// SPDX-License-Identifier: GPL-2.0-only
#include "roce-hpcc-topology.h"

#include "roce-hpcc-topology-file.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/queue-size.h"
#include "ns3/roce-random-loss.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace ns3::roce
{

HpccTopology
HpccTopology::Read(const std::string& path)
{
    return HpccTopologyFile(path).Read();
}

uint32_t
HpccTopology::WrapBufferBytes(uint32_t node, uint32_t bufferBytes) const
{
    uint32_t leftBytes = bufferBytes;
    for (const LinkLine& link : links)
    {
        if (link.a == node || link.b == node)
        {
            const uint64_t delayNs = static_cast<uint64_t>(link.delayPs) / 1000;
            leftBytes -= static_cast<uint32_t>(link.rateBps * delayNs / 8 / 1'000'000'000 * 3);
        }
    }
    return leftBytes;
}

void
HpccTopology::Construct(Network& network, uint32_t dciBufferBytes, bool wraps) const
{
    const NetworkMap::Bulk bulk(network);
    const std::vector<uint32_t> datacenters = FindDatacenters();
    std::vector<uint32_t> hostOfNode(isSwitch.size());
    for (uint32_t node = 0; node < isSwitch.size(); ++node)
    {
        if (isSwitch[node])
        {
            const std::string name = "switch" + std::to_string(node);
            if (isNvSwitch[node])
            {
                network.AddInternalSwitch(name, datacenters[node]);
            }
            else if (isDci[node] && dciBufferBytes)
            {
                const uint32_t bytes =
                    wraps ? WrapBufferBytes(node, dciBufferBytes) : dciBufferBytes;
                ObjectFactory dci("ns3::roce::Switch");
                dci.Set("BufferSize", QueueSizeValue(QueueSize(QueueSizeUnit::BYTES, bytes)));
                if (wraps)
                {
                    dci.Set("HeadroomInBuffer", BooleanValue(false));
                }
                network.AddSwitch(name, datacenters[node], dci);
            }
            else
            {
                network.AddSwitch(name, datacenters[node]);
            }
        }
        else
        {
            hostOfNode[node] = network.AddHost("host" + std::to_string(node), datacenters[node]);
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

std::vector<uint32_t>
HpccTopology::FindDatacenters() const
{
    if (std::find(isDci.begin(), isDci.end(), true) == isDci.end())
    {
        return std::vector<uint32_t>(isSwitch.size()); // all in one, joined or not
    }
    boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> graph(isSwitch.size());
    for (const LinkLine& link : links)
    {
        if (!isDci[link.a] || !isDci[link.b])
        {
            boost::add_edge(link.a, link.b, graph);
        }
    }
    // In order of each one's first node.
    std::vector<uint32_t> datacenters(isSwitch.size());
    boost::connected_components(graph, datacenters.data());
    return datacenters;
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

uint32_t
HpccTopology::GetNHosts() const
{
    return static_cast<uint32_t>(std::count(isSwitch.begin(), isSwitch.end(), false));
}

uint64_t
HpccTopology::GetMaxHostRateBps() const
{
    uint64_t rateBps = 0;
    for (const LinkLine& link : links)
    {
        if ((!isSwitch[link.a] || !isSwitch[link.b]) && !isNvSwitch[link.a] && !isNvSwitch[link.b])
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

} // namespace ns3::roce
