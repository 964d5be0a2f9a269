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
}

void
FatTreeHelper::Validate() const
{
    if (k % 2 || k > MAX_K)
    {
        throw InputError("topology: k is " + std::to_string(k) +
                         ", expected an even number up to " + std::to_string(MAX_K) +
                         ", or 0 with all counts");
    }
    CheckPositive(GetPods(), "pods");
    CheckPositive(GetEdgesPerPod(), "edgesPerPod");
    CheckPositive(GetAggsPerPod(), "aggsPerPod");
    CheckPositive(GetCores(), "cores");
    CheckPositive(GetHostsPerRack(), "hostsPerEdge");
    CheckChoice(coreWiring, "coreWiring", "plane", "full");
    if (coreWiring == "plane" && GetCores() % GetAggsPerPod())
    {
        throw InputError("topology: cores is " + std::to_string(GetCores()) +
                         ", expected a multiple of aggsPerPod, " + std::to_string(GetAggsPerPod()) +
                         ", or coreWiring full");
    }
    CheckOversubscription(edgeOversubscription, "edgeOversubscription");
    CheckOversubscription(aggOversubscription, "aggOversubscription");
    RefuseBoth(portBuffer, "portBuffer", egressBuffer, "egressBuffer");
    RefuseBoth(wanPortBuffer, "wanPortBuffer", borderEgressBuffer, "borderEgressBuffer");
    // As double: GetRacks() is a product of two 32-bit numbers.
    const double nRacks = 1.0 * GetPods() * GetEdgesPerPod();
    const double nAggs = 1.0 * GetPods() * GetAggsPerPod();
    const double nCoresOfAgg =
        coreWiring == "plane" ? 1.0 * GetCores() / GetAggsPerPod() : GetCores();
    ValidateCommon(nRacks + nAggs + GetCores() + borders,
                   nRacks * GetAggsPerPod() + nAggs * nCoresOfAgg);
    CheckPositive(GetAggRateBps(), "aggRate");
    CheckPositive(GetCoreRateBps(), "coreRate");
    CheckDelay(aggDelay, "aggDelay");
    CheckDelay(coreDelay, "coreDelay");
    if (datacenters > 1)
    {
        CheckPositive(borders, "borders");
        CheckPositive(borderLinks, "borderLinks");
        CheckPositive(borderRate.GetBitRate(), "borderRate");
        CheckDelay(borderDelay, "borderDelay");
        CheckChoice(borderAttach, "borderAttach", "all", "split");
        if (borderAttach == "split" && GetCores() % borders)
        {
            throw InputError("topology: borders is " + std::to_string(borders) +
                             ", expected a divisor of the " + std::to_string(GetCores()) +
                             " cores, or borderAttach all");
        }
        const double nPorts =
            1.0 * GetCores() / (borderAttach == "split" ? borders : 1) * borderLinks;
        if (nPorts > Station::MAX_PORTS)
        {
            throw InputError("topology: borderLinks is " + std::to_string(borderLinks) +
                             " to each of " + std::to_string(GetCores()) +
                             " cores, too many for border0, expected at most " +
                             std::to_string(Station::MAX_PORTS) + " ports");
        }
    }
}

std::vector<std::pair<std::string, std::string>>
FatTreeHelper::GetOwnAttributes() const
{
    return {
        {"ns3::roce::Port::DataRate", "hostRate, --aggRate, --coreRate, --borderRate or --wanRate"},
        {"ns3::roce::Link::Delay",
         "hostDelay, --aggDelay, --coreDelay, --borderDelay or --wanDelay"},
        {"ns3::roce::Switch::BufferSize",
         "edgeBuffer, --aggBuffer, --coreBuffer or --borderBuffer"},
        {"ns3::roce::Switch::EgressLimit", "egressBuffer or --borderEgressBuffer"}};
}

std::vector<UnusedOptions>
FatTreeHelper::GetUnused() const
{
    std::vector<UnusedOptions> unused = Topology::GetUnused();
    if (datacenters < 2)
    {
        unused.push_back({{"borders",
                           "borderAttach",
                           "borderLinks",
                           "borderRate",
                           "borderDelay",
                           "borderBuffer",
                           "borderEgressBuffer"},
                          "with --datacenters=1"});
    }
    if (pods && edgesPerPod && aggsPerPod && cores && hostsPerEdge)
    {
        unused.push_back({{"k"}, "with all counts"});
    }
    if (edgeOversubscription > 0)
    {
        unused.push_back({{"aggRate"}, "with --edgeOversubscription"});
    }
    if (aggOversubscription > 0)
    {
        unused.push_back({{"coreRate"}, "with --aggOversubscription"});
    }
    if (egressBuffer.GetValue() || portBuffer.GetValue())
    {
        unused.push_back({{"edgeBuffer", "aggBuffer", "coreBuffer", "borderBuffer"},
                          egressBuffer.GetValue() ? "with --egressBuffer" : "with --portBuffer"});
    }
    else if (borderEgressBuffer.GetValue())
    {
        unused.push_back({{"borderBuffer", "wanXonFraction"}, "with --borderEgressBuffer"});
    }
    return unused;
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
FatTreeHelper::GetExternals() const
{
    return borders;
}

uint32_t
FatTreeHelper::GetCoresPerAgg() const
{
    return coreWiring == "full" ? GetCores() : GetCores() / GetAggsPerPod();
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
    return coreWiring == "full" || core / GetCoresPerAgg() == agg;
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
    const std::vector<uint32_t> borderSwitches =
        ConstructBorders(network, datacenter, coreSwitches);
    if (portBuffer.GetValue())
    {
        SetPortBuffers(network, first);
    }
    return borderSwitches;
}

std::vector<uint32_t>
FatTreeHelper::ConstructBorders(Network& network,
                                uint32_t datacenter,
                                const std::vector<uint32_t>& coreSwitches) const
{
    std::vector<uint32_t> borderSwitches;
    for (uint32_t b = 0; datacenters > 1 && b < borders; ++b)
    {
        borderSwitches.push_back(AddSwitch(network,
                                           datacenter,
                                           "border" + std::to_string(b),
                                           borderBuffer,
                                           borderEgressBuffer));
        for (uint32_t c = 0; c < coreSwitches.size(); ++c)
        {
            const bool joined = borderAttach == "all" || c % borders == b;
            for (uint32_t l = 0; joined && l < borderLinks; ++l)
            {
                network.Connect(coreSwitches[c], borderSwitches.back(), borderRate, borderDelay);
            }
        }
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
