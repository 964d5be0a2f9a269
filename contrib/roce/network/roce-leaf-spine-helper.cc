// SPDX-License-Identifier: GPL-2.0-only
#include "roce-leaf-spine-helper.h"

namespace ns3::roce
{

void
LeafSpineHelper::Validate() const
{
    CheckPositive(spines, "spines");
    CheckPositive(leaves, "leaves");
    CheckPositive(hostsPerLeaf, "hostsPerLeaf");
    CheckOversubscription(oversubscription, "oversubscription");
    RefuseBoth(wanPortBuffer, "wanPortBuffer", dciEgressBuffer, "dciEgressBuffer");
    const double nDcis = datacenters > 1 ? dcis : 0;
    ValidateCommon(1.0 * spines + leaves + nDcis,
                   1.0 * spines * leaves +
                       nDcis * dciLinks * (dciAttach == "spine" ? spines : leaves));
    CheckPositive(GetFabricRateBps(), "fabricRate");
    CheckDelay(fabricDelay, "fabricDelay");
    if (datacenters > 1)
    {
        CheckPositive(dcis, "dcis");
        CheckPositive(dciLinks, "dciLinks");
        CheckPositive(dciRate.GetBitRate(), "dciRate");
        CheckDelay(dciDelay, "dciDelay");
        CheckChoice(dciAttach, "dciAttach", "spine", "leaf");
    }
}

std::vector<std::pair<std::string, std::string>>
LeafSpineHelper::GetOwnAttributes() const
{
    return {{"ns3::roce::Port::DataRate", "hostRate, --fabricRate, --dciRate or --wanRate"},
            {"ns3::roce::Link::Delay", "hostDelay, --fabricDelay, --dciDelay or --wanDelay"},
            {"ns3::roce::Switch::BufferSize", "leafBuffer, --spineBuffer or --dciBuffer"},
            {"ns3::roce::Switch::EgressLimit", "egressBuffer or --dciEgressBuffer"}};
}

std::vector<UnusedOptions>
LeafSpineHelper::GetUnused() const
{
    std::vector<UnusedOptions> unused = Topology::GetUnused();
    if (datacenters < 2)
    {
        unused.push_back({{"dcis",
                           "dciAttach",
                           "dciLinks",
                           "dciRate",
                           "dciDelay",
                           "dciBuffer",
                           "dciEgressBuffer"},
                          "with --datacenters=1"});
    }
    if (oversubscription > 0)
    {
        unused.push_back({{"fabricRate"}, "with --oversubscription"});
    }
    if (egressBuffer.GetValue())
    {
        unused.push_back({{"leafBuffer", "spineBuffer", "dciBuffer"}, "with --egressBuffer"});
    }
    else if (dciEgressBuffer.GetValue())
    {
        unused.push_back({{"dciBuffer", "wanXonFraction"}, "with --dciEgressBuffer"});
    }
    return unused;
}

std::vector<OptionPreset>
LeafSpineHelper::GetPresets() const
{
    return OptionPreset::Of("leaf-spine");
}

uint32_t
LeafSpineHelper::GetRacks() const
{
    return leaves;
}

uint32_t
LeafSpineHelper::GetHostsPerRack() const
{
    return hostsPerLeaf;
}

uint64_t
LeafSpineHelper::GetRackUplinkBps() const
{
    return GetFabricRateBps() * spines;
}

uint32_t
LeafSpineHelper::GetExternals() const
{
    return dcis;
}

uint64_t
LeafSpineHelper::GetFabricRateBps() const
{
    const double hosts = static_cast<double>(hostRate.GetBitRate()) * hostsPerLeaf * nicsPerHost;
    return UplinkRateBps(hosts, spines, oversubscription, fabricRate);
}

std::vector<uint32_t>
LeafSpineHelper::ConstructDatacenter(Network& network, uint32_t datacenter) const
{
    std::vector<uint32_t> leafSwitches;
    std::vector<uint32_t> spineSwitches;
    std::vector<uint32_t> dciSwitches;
    for (uint32_t l = 0; l < leaves; ++l)
    {
        leafSwitches.push_back(
            AddRack(network, datacenter, "leaf" + std::to_string(l), l, leafBuffer));
    }
    for (uint32_t s = 0; s < spines; ++s)
    {
        spineSwitches.push_back(
            AddSwitch(network, datacenter, "spine" + std::to_string(s), spineBuffer));
        for (uint32_t leaf : leafSwitches)
        {
            network.Connect(leaf, spineSwitches.back(), GetFabricRateBps(), fabricDelay);
        }
    }
    for (uint32_t d = 0; datacenters > 1 && d < dcis; ++d)
    {
        dciSwitches.push_back(
            AddSwitch(network, datacenter, "dci" + std::to_string(d), dciBuffer, dciEgressBuffer));
        for (uint32_t sw : dciAttach == "spine" ? spineSwitches : leafSwitches)
        {
            for (uint32_t l = 0; l < dciLinks; ++l)
            {
                network.Connect(sw, dciSwitches.back(), dciRate, dciDelay);
            }
        }
    }
    return dciSwitches;
}

} // namespace ns3::roce
