// SPDX-License-Identifier: GPL-2.0-only
#include "roce-fat-tree-helper.h"

#include "ns3/roce-input-error.h"

namespace ns3::roce
{

namespace
{

constexpr uint32_t MAX_K = 158; //!< the largest whose k^3/4 hosts are not more than 1,000,000

} // namespace

FatTreeHelper::FatTreeHelper()
{
    wanRate = DataRate("100Gbps");
    wanDelay = NanoSeconds(990500);
    wanLinks = 8;
    external.links = 8;
}

void
FatTreeHelper::AddOptions(OptionTable& table)
{
    const auto hasPortBuffer = [this] { return portBuffer.GetValue() > 0; };
    const auto addBuffer = [&](const char* name, const char* help, QueueSize& buffer) {
        AddBuffer(table, name, help, buffer).UnusedIf(hasPortBuffer, "with --portBuffer");
    };
    Topology::AddOptions(table);
    table
        .AddValue("k",
                  "Arity of the fat-tree, even; 0: all counts are given",
                  k,
                  Range::Within(0, MAX_K))
        .UnusedIf([this] { return pods && edgesPerPod && aggsPerPod && cores && hostsPerEdge; },
                  "with all counts");
    table.AddValue("pods", "Pods per datacenter; 0: k", pods);
    table.AddValue("edgesPerPod", "Edge switches (racks) per pod; 0: k/2", edgesPerPod);
    table.AddValue("aggsPerPod", "Aggregation switches per pod; 0: k/2", aggsPerPod);
    table.AddValue("cores", "Core switches per datacenter; 0: (k/2)^2", cores);
    table.AddValue("hostsPerEdge", "Hosts per edge switch; 0: k/2", hostsPerEdge);
    table.AddChoice("coreWiring",
                    "plane: each group of cores to one aggregation switch of each pod; full: every "
                    "core to all",
                    fullCoreWiring,
                    {{"plane", false}, {"full", true}});
    AddRate(table, "aggRate", "Rate of edge-aggregation links", aggRate)
        .UnusedIf([this] { return edgeOversubscription > 0; }, "with --edgeOversubscription");
    AddDelay(table, "aggDelay", "One-way delay of edge-aggregation links", aggDelay);
    AddRate(table, "coreRate", "Rate of aggregation-core links", coreRate)
        .UnusedIf([this] { return aggOversubscription > 0; }, "with --aggOversubscription");
    AddDelay(table, "coreDelay", "One-way delay of aggregation-core links", coreDelay);
    AddOversubscription(table,
                        "edgeOversubscription",
                        "If above 0, sets aggRate: host capacity over uplink capacity of an edge "
                        "switch",
                        edgeOversubscription);
    AddOversubscription(table,
                        "aggOversubscription",
                        "If above 0, sets coreRate: capacity from edge switches over uplink "
                        "capacity of an aggregation switch",
                        aggOversubscription);
    addBuffer("edgeBuffer", "Shared buffer of an edge switch", edgeBuffer);
    addBuffer("aggBuffer", "Shared buffer of an aggregation switch", aggBuffer);
    addBuffer("coreBuffer", "Shared buffer of a core switch", coreBuffer);
    table.AddValue("portBuffer",
                   "If above 0: instead of shared buffers, a buffer of this size at each port but "
                   "WAN ports",
                   portBuffer);
    AddExternalOptions(table,
                       {"border",
                        "borders",
                        "borderLinks",
                        "borderRate",
                        "borderDelay",
                        "borderBuffer",
                        "borderEgressBuffer"});
    table
        .AddChoice("borderAttach",
                   "Cores of a border switch: all, or split (core c at border c modulo borders)",
                   splitBorders,
                   {{"all", false}, {"split", true}})
        .UnusedIf([this] { return datacenters < 2; }, "with --datacenters=1");
}

void
FatTreeHelper::Validate() const
{
    if (k % 2)
    {
        throw InputError("topology: k is " + std::to_string(k) +
                         ", expected an even number, or 0 with all counts");
    }
    if (!GetPods() || !GetEdgesPerPod() || !GetAggsPerPod() || !GetCores() || !GetHostsPerRack())
    {
        throw InputError("topology: k is 0, expected all of pods, edgesPerPod, aggsPerPod, cores "
                         "and hostsPerEdge above 0 with it");
    }
    if (!fullCoreWiring && GetCores() % GetAggsPerPod())
    {
        throw InputError("topology: cores is " + std::to_string(GetCores()) +
                         ", expected a multiple of aggsPerPod, " + std::to_string(GetAggsPerPod()) +
                         ", or coreWiring full");
    }
    RefuseBoth(portBuffer, egressBuffer, "portBuffer and egressBuffer");
    RefuseBoth(wanPortBuffer, external.egressBuffer, "wanPortBuffer and borderEgressBuffer");
    // As double: GetRacks() is a product of two 32-bit numbers.
    const double nRacks = 1.0 * GetPods() * GetEdgesPerPod();
    const double nAggs = 1.0 * GetPods() * GetAggsPerPod();
    const double nCoresOfAgg = fullCoreWiring ? GetCores() : 1.0 * GetCores() / GetAggsPerPod();
    ValidateCommon(nRacks + nAggs + GetCores() + external.count,
                   nRacks * GetAggsPerPod() + nAggs * nCoresOfAgg);
    GetAggRateBps(); // both throw
    GetCoreRateBps();
    if (datacenters > 1)
    {
        ValidateBorders();
    }
}

void
FatTreeHelper::ValidateBorders() const
{
    if (splitBorders && GetCores() % external.count)
    {
        throw InputError("topology: borders is " + std::to_string(external.count) +
                         ", expected a divisor of the " + std::to_string(GetCores()) +
                         " cores, or borderAttach all");
    }
    const double nPorts = 1.0 * GetCores() / (splitBorders ? external.count : 1) * external.links;
    if (nPorts > Station::MAX_PORTS)
    {
        throw InputError("topology: borderLinks is " + std::to_string(external.links) +
                         " to each of " + std::to_string(GetCores()) +
                         " cores, too many for border0, expected at most " +
                         std::to_string(Station::MAX_PORTS) + " ports");
    }
}

std::vector<OptionPreset>
FatTreeHelper::GetPresets() const
{
    return OptionPreset::Of("fat-tree");
}

uint32_t
FatTreeHelper::GetRacks() const
{
    return GetPods() * GetEdgesPerPod();
}

uint32_t
FatTreeHelper::GetHostsPerRack() const
{
    return hostsPerEdge ? hostsPerEdge : k / 2;
}

uint64_t
FatTreeHelper::GetRackUplinkBps() const
{
    return GetAggRateBps() * GetAggsPerPod();
}

uint32_t
FatTreeHelper::GetCoresPerAgg() const
{
    return fullCoreWiring ? GetCores() : GetCores() / GetAggsPerPod();
}

uint64_t
FatTreeHelper::GetAggRateBps() const
{
    const double hosts =
        static_cast<double>(hostRate.GetBitRate()) * GetHostsPerRack() * nicsPerHost;
    return UplinkRateBps(hosts, GetAggsPerPod(), edgeOversubscription, aggRate);
}

uint64_t
FatTreeHelper::GetCoreRateBps() const
{
    const double edges = static_cast<double>(GetAggRateBps()) * GetEdgesPerPod();
    return UplinkRateBps(edges, GetCoresPerAgg(), aggOversubscription, coreRate);
}

bool
FatTreeHelper::IsJoined(uint32_t agg, uint32_t core) const
{
    return fullCoreWiring || core / GetCoresPerAgg() == agg;
}

std::vector<uint32_t>
FatTreeHelper::ConstructDatacenter(Network& network, uint32_t datacenter) const
{
    const uint32_t first = network.GetNSwitches();
    std::vector<uint32_t> aggSwitches; // pod by pod
    for (uint32_t pod = 0; pod < GetPods(); ++pod)
    {
        std::vector<uint32_t> edgeSwitches;
        for (uint32_t e = 0; e < GetEdgesPerPod(); ++e)
        {
            const uint32_t rack = pod * GetEdgesPerPod() + e;
            edgeSwitches.push_back(
                AddRack(network, datacenter, "edge" + std::to_string(rack), rack, edgeBuffer));
        }
        for (uint32_t a = 0; a < GetAggsPerPod(); ++a)
        {
            const std::string name = "agg" + std::to_string(aggSwitches.size());
            aggSwitches.push_back(AddSwitch(network, datacenter, name, aggBuffer));
            for (uint32_t edge : edgeSwitches)
            {
                network.Connect(edge, aggSwitches.back(), GetAggRateBps(), aggDelay);
            }
        }
    }
    std::vector<uint32_t> coreSwitches;
    for (uint32_t c = 0; c < GetCores(); ++c)
    {
        coreSwitches.push_back(
            AddSwitch(network, datacenter, "core" + std::to_string(c), coreBuffer));
        for (uint32_t a = 0; a < aggSwitches.size(); ++a)
        {
            if (IsJoined(a % GetAggsPerPod(), c))
            {
                network.Connect(aggSwitches[a], coreSwitches.back(), GetCoreRateBps(), coreDelay);
            }
        }
    }
    const std::vector<uint32_t> borderSwitches = AddExternals(
        network,
        datacenter,
        "border",
        coreSwitches,
        [this](uint32_t b, uint32_t core) { return !splitBorders || core % external.count == b; });
    if (portBuffer.GetValue())
    {
        SetPortBuffers(network, first);
    }
    return borderSwitches;
}

void
FatTreeHelper::SetPortBuffers(Network& network, uint32_t first) const
{
    // WAN ports do not exist yet.
    SharedBuffer::PortConfig buffer;
    buffer.ownPoolBytes = portBuffer.GetValue();
    buffer.staticXoffBytes = SharedBuffer::WHOLE_POOL;
    for (uint32_t s = first; s < network.GetNSwitches(); ++s)
    {
        for (uint16_t p = 0; p < network.GetSwitch(s)->GetNPorts(); ++p)
        {
            network.GetSwitch(s)->SetPortBuffer(p, buffer);
        }
    }
}

} // namespace ns3::roce
