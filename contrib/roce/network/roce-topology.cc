// SPDX-License-Identifier: GPL-2.0-only
#include "roce-topology.h"

#include "roce-wan-graph.h"

#include "ns3/double.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-memory-limit.h"

#include <cmath>

namespace ns3::roce
{

namespace
{

/// A WAN port resumes at half of its threshold: the buffer is far deeper than what is on the way.
constexpr double WAN_XON_FRACTION = 0.5;

} // namespace

void
Topology::AddOptions(OptionTable& table)
{
    table.AddValue("datacenters", "Number of datacenters", datacenters, Range::AtLeast(1));
    table.AddValue("nicsPerHost", "NICs per host", nicsPerHost, Range::AtLeast(1));
    AddRate(table, "hostRate", "Rate of host links", hostRate);
    AddDelay(table, "hostDelay", "One-way delay of host links", hostDelay);
    table.AddValue("gpusPerServer",
                   "Hosts that are GPUs of one server, joined by an NVSwitch; 1: none",
                   gpusPerServer,
                   Range::Within(1, 1000));
    table.SetGroup(UnusedWhile([this] { return gpusPerServer == 1; }, "with --gpusPerServer=1"));
    AddRate(table, "nvlinkRate", "Rate of a GPU's link to its NVSwitch", nvlinkRate);
    AddDelay(table, "nvlinkDelay", "One-way delay of these links", nvlinkDelay);
    table.SetGroup(nullptr);
    table
        .AddValue("egressBuffer",
                  "If above 0: instead of shared buffers, a drop-tail queue of this size at each "
                  "switch port; needs --lossless=0",
                  egressBuffer)
        .Replaces("ns3::roce::Switch::EgressLimit");
    table.AddUnusedAttributes(
        {"ns3::roce::Switch::Alpha",
         "ns3::roce::Switch::EgressAlpha",
         "ns3::roce::Switch::ReservedBytes"},
        UnusedWhile([this] { return egressBuffer.GetValue() > 0; }, "with --egressBuffer"));
}

void
Topology::AddExternalOptions(OptionTable& table, const ExternalNames& names)
{
    const std::string switches = std::string(names.what) + " switches";
    table.SetGroup(UnusedWhile([this] { return datacenters < 2; }, "with --datacenters=1"));
    table.AddValue("wanGraph",
                   "WAN links in place of one between all datacenters: a file of lines a b rate "
                   "delay, with numbers of datacenters from 0, or lcmp8",
                   wanGraph);
    const auto hasGraph = [this] { return !wanGraph.empty(); };
    const char* const why = "with --wanGraph";
    AddRate(table, "wanRate", "Rate of each WAN link", wanRate).UnusedIf(hasGraph, why);
    table
        .AddDelay("wanDelay",
                  "One-way delay of WAN links, or their length, for example 80km",
                  wanDelay)
        .Replaces("ns3::roce::Link::Delay")
        .UnusedIf(hasGraph, why);
    table
        .AddValue("wanLinks",
                  "WAN links between each pair of " + switches,
                  wanLinks,
                  Range::AtLeast(1))
        .UnusedIf(hasGraph, why);
    table.AddValue("wanPortBuffer",
                   "Buffer of each WAN port; 0: four one-way BDPs and 4 MiB",
                   wanPortBuffer);
    table.AddRemoved("wanXonFraction", "none: WAN ports resume at half of their Xoff threshold");
    table.AddValue(names.count, switches + " per datacenter", external.count, Range::AtLeast(1));
    table.AddValue(names.links,
                   "Links of each of them to each switch below",
                   external.links,
                   Range::AtLeast(1));
    AddRate(table, names.rate, "Rate of each of these links", external.rate);
    AddDelay(table, names.delay, "One-way delay of these links", external.delay);
    AddBuffer(table, names.buffer, "Shared buffer of them, without WAN ports", external.buffer)
        .UnusedIf([this] { return external.egressBuffer.GetValue() > 0; },
                  std::string("with --") + names.egressBuffer);
    table
        .AddValue(names.egressBuffer,
                  "egressBuffer of all ports of " + switches + "; 0: egressBuffer",
                  external.egressBuffer)
        .Replaces("ns3::roce::Switch::EgressLimit");
    table.SetGroup(nullptr);
}

Option&
Topology::AddRate(OptionTable& table, const char* name, const char* help, DataRate& rate)
{
    return table.AddValue(name, help, rate, Range::Above(0)).Replaces("ns3::roce::Port::DataRate");
}

void
Topology::AddDelay(OptionTable& table, const char* name, const char* help, Time& delay)
{
    table.AddDelay(name, help, delay).Replaces("ns3::roce::Link::Delay");
}

Option&
Topology::AddBuffer(OptionTable& table, const char* name, const char* help, QueueSize& buffer)
{
    return table.AddValue(name, help, buffer)
        .Replaces("ns3::roce::Switch::BufferSize")
        .UnusedIf([this] { return egressBuffer.GetValue() > 0; }, "with --egressBuffer");
}

void
Topology::AddOversubscription(OptionTable& table, const char* name, const char* help, double& ratio)
{
    table.AddValue(name, help, ratio, Range::Within(0.001, 1e9).Or(0));
}

void
Topology::RefuseBoth(const ByteSize& pool, const ByteSize& limit, const std::string& names)
{
    if (pool.GetValue() && limit.GetValue())
    {
        throw InputError("topology: " + names +
                         " are both given, expected one of them: ports with an egress limit use no "
                         "other buffer");
    }
}

void
Topology::ValidateCommon(double nSwitches, double nLinks) const
{
    RefuseBoth(wanPortBuffer, egressBuffer, "wanPortBuffer and egressBuffer");
    if (GetHostsPerRack() % gpusPerServer)
    {
        throw InputError("topology: " + std::to_string(GetHostsPerRack()) +
                         " hosts of a rack are no whole servers of " +
                         std::to_string(gpusPerServer) +
                         " GPUs, expected a multiple of gpusPerServer");
    }
    if (datacenters > 1 && wanGraph.empty()) // otherwise each link has its own
    {
        Network::GetLongLinkBufferBytes(wanRate,
                                        wanDelay,
                                        wanPortBuffer,
                                        "topology: wanPortBuffer");
    }
    // As double: the product of four 32-bit numbers.
    const double nNics = 1.0 * datacenters * GetRacks() * GetHostsPerRack() *
                         (1.0 * nicsPerHost + (gpusPerServer > 1));
    if (nNics > 1e6)
    {
        throw InputError("topology: more than 1,000,000 NICs");
    }
    if (datacenters * nSwitches > 1e6)
    {
        throw InputError("topology: more than 1,000,000 switches");
    }
    // Each link between switches has two ports, a NIC one more; each switch has routes to each
    // rack.
    CheckMemory("topology", nNics, "NICs", 8000);
    CheckMemory("topology", datacenters * nLinks, "links between switches", 4000);
    CheckMemory("topology",
                1.0 * datacenters * nSwitches * datacenters * GetRacks(),
                "routes (of each switch to each rack)",
                8);
}

uint64_t
Topology::UplinkRateBps(double belowBps,
                        uint32_t uplinks,
                        double oversubscription,
                        const DataRate& given)
{
    if (!(oversubscription > 0) || !uplinks)
    {
        return given.GetBitRate();
    }
    const int64_t bps = std::llround(belowBps / (oversubscription * uplinks));
    if (bps == 0)
    {
        throw InputError("topology: the oversubscription leaves uplinks of 0 bit/s, expected less");
    }
    return static_cast<uint64_t>(bps);
}

uint32_t
Topology::AddSwitch(Network& network,
                    uint32_t datacenter,
                    const std::string& name,
                    const QueueSize& buffer,
                    const QueueSize& egressLimit,
                    double alpha) const
{
    ObjectFactory factory("ns3::roce::Switch");
    factory.Set("BufferSize", QueueSizeValue(buffer));
    if (egressLimit.GetValue() || egressBuffer.GetValue())
    {
        factory.Set("EgressLimit",
                    QueueSizeValue(egressLimit.GetValue() ? egressLimit : egressBuffer));
    }
    if (alpha > 0)
    {
        factory.Set("Alpha", DoubleValue(alpha));
    }
    return network.AddSwitch("dc" + std::to_string(datacenter) + "-" + name, datacenter, factory);
}

uint32_t
Topology::AddRack(Network& network,
                  uint32_t datacenter,
                  const std::string& name,
                  uint32_t index,
                  const QueueSize& buffer) const
{
    const uint32_t rack = AddSwitch(network, datacenter, name, buffer);
    AddHosts(network, datacenter, index, {rack});
    return rack;
}

void
Topology::AddHosts(Network& network,
                   uint32_t datacenter,
                   uint32_t index,
                   const std::vector<uint32_t>& switches) const
{
    const std::string prefix = "dc" + std::to_string(datacenter) + "-";
    uint32_t nvSwitch = 0;
    for (uint32_t h = 0; h < GetHostsPerRack(); ++h)
    {
        const uint32_t number = index * GetHostsPerRack() + h;
        const uint32_t gpu = h % gpusPerServer;
        if (gpusPerServer > 1 && gpu == 0)
        {
            nvSwitch = network.AddInternalSwitch(prefix + "nvswitch" +
                                                     std::to_string(number / gpusPerServer),
                                                 datacenter);
        }
        const uint32_t host = network.AddHost(prefix + "host" + std::to_string(number), datacenter);
        for (uint32_t n = 0; n < nicsPerHost; ++n)
        {
            const uint32_t rail = gpu * nicsPerHost + n;
            network.AddNic(host, switches[rail % switches.size()], hostRate, hostDelay);
        }
        if (gpusPerServer > 1)
        {
            network.AddNic(host, nvSwitch, nvlinkRate, nvlinkDelay);
        }
    }
}

std::vector<uint32_t>
Topology::AddExternals(Network& network,
                       uint32_t datacenter,
                       const std::string& name,
                       const std::vector<uint32_t>& below,
                       const std::function<bool(uint32_t, uint32_t)>& isJoined) const
{
    std::vector<uint32_t> switches;
    for (uint32_t e = 0; datacenters > 1 && e < external.count; ++e)
    {
        switches.push_back(AddSwitch(network,
                                     datacenter,
                                     name + std::to_string(e),
                                     external.buffer,
                                     external.egressBuffer,
                                     external.alpha));
        for (uint32_t b = 0; b < below.size(); ++b)
        {
            for (uint32_t l = 0; isJoined(e, b) && l < external.links; ++l)
            {
                network.Connect(below[b], switches.back(), external.rate, external.delay);
            }
        }
    }
    return switches;
}

void
Topology::Construct(Network& network) const
{
    OptionTable::Check(*this, "topology: ");
    Validate();
    m_wanGraph = nullptr; // it may have been another one
    const NetworkMap::Bulk bulk(network);
    std::vector<std::vector<uint32_t>> externals;
    for (uint32_t dc = 0; dc < datacenters; ++dc)
    {
        externals.push_back(ConstructDatacenter(network, dc));
    }
    if (datacenters > 1)
    {
        ConnectDatacenters(network, externals);
    }
    bulk.Check();
}

/// @return what wanGraph names, read once
const WanGraph&
Topology::GetWanGraph() const
{
    if (!m_wanGraph)
    {
        m_wanGraph = std::make_shared<const WanGraph>(WanGraph::Read(wanGraph, datacenters));
    }
    return *m_wanGraph;
}

void
Topology::ConnectDatacenters(Network& network,
                             const std::vector<std::vector<uint32_t>>& externals) const
{
    if (!wanGraph.empty())
    {
        for (const WanGraph::Line& link : GetWanGraph().links)
        {
            for (uint32_t e = 0; e < external.count; ++e)
            {
                network.ConnectLong(externals[link.a][e],
                                    externals[link.b][e],
                                    link.rate,
                                    link.delay,
                                    wanPortBuffer,
                                    WAN_XON_FRACTION);
            }
        }
        return;
    }
    for (uint32_t a = 0; a < datacenters; ++a)
    {
        for (uint32_t b = a + 1; b < datacenters; ++b)
        {
            for (uint32_t e = 0; e < external.count; ++e)
            {
                for (uint32_t l = 0; l < wanLinks; ++l)
                {
                    network.ConnectLong(externals[a][e],
                                        externals[b][e],
                                        wanRate,
                                        wanDelay,
                                        wanPortBuffer,
                                        WAN_XON_FRACTION);
                }
            }
        }
    }
}

HostPlacement
Topology::GetPlacement(bool ofHosts) const
{
    const uint32_t perRack = GetHostsPerRack() * (ofHosts ? 1 : GetNicsOfHost());
    HostPlacement placement;
    placement.nHosts = datacenters * GetRacks() * perRack;
    for (uint32_t i = 0; i < placement.nHosts; ++i)
    {
        placement.datacenterOf.push_back(i / (GetRacks() * perRack));
        placement.rackOf.push_back(i / perRack);
    }
    return placement;
}

LoadCapacity
Topology::GetCapacity(LoadReference reference, bool ofHosts) const
{
    LoadCapacity capacity;
    capacity.reference = reference;
    capacity.hostRateBps = hostRate.GetBitRate() * (ofHosts ? nicsPerHost : 1);
    capacity.uplinkBps = GetRackUplinkBps() * GetRacks() * datacenters;
    if (datacenters > 1)
    {
        capacity.wanBps = wanRate.GetBitRate() * wanLinks * external.count * (datacenters - 1);
        if (!wanGraph.empty()) // the mean of all datacenters
        {
            uint64_t sumBps = 0;
            for (const WanGraph::Line& link : GetWanGraph().links)
            {
                sumBps += link.rate.GetBitRate();
            }
            capacity.wanBps = 2 * sumBps * external.count / datacenters;
        }
    }
    return capacity;
}

} // namespace ns3::roce
