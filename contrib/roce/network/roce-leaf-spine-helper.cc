// SPDX-License-Identifier: GPL-2.0-only
#include "roce-leaf-spine-helper.h"

namespace ns3::roce
{

void
LeafSpineHelper::AddOptions(OptionTable& table)
{
    Topology::AddOptions(table);
    table.AddValue("spines", "Spine switches per datacenter", spines, Range::AtLeast(1));
    table.AddValue("leaves", "Leaf switches per datacenter", leaves, Range::AtLeast(1));
    table.AddValue("hostsPerLeaf", "Hosts per leaf switch", hostsPerLeaf, Range::AtLeast(1));
    AddRate(table, "fabricRate", "Rate of leaf-spine links", fabricRate)
        .UnusedIf([this] { return oversubscription > 0; }, "with --oversubscription");
    AddDelay(table, "fabricDelay", "One-way delay of leaf-spine links", fabricDelay);
    AddOversubscription(table,
                        "oversubscription",
                        "If above 0, sets fabricRate: host capacity over uplink capacity of a leaf",
                        oversubscription);
    AddBuffer(table, "leafBuffer", "Shared buffer of a leaf switch", leafBuffer);
    AddBuffer(table, "spineBuffer", "Shared buffer of a spine switch", spineBuffer);
    AddExternalOptions(
        table,
        {"DCI", "dcis", "dciLinks", "dciRate", "dciDelay", "dciBuffer", "dciEgressBuffer"});
    table
        .AddChoice("dciAttach",
                   "Switches that DCI switches are linked to: spine or leaf",
                   dcisAtLeaves,
                   {{"spine", false}, {"leaf", true}})
        .UnusedIf([this] { return datacenters < 2; }, "with --datacenters=1");
}

void
LeafSpineHelper::Validate() const
{
    RefuseBoth(wanPortBuffer, external.egressBuffer, "wanPortBuffer and dciEgressBuffer");
    const double nDcis = datacenters > 1 ? external.count : 0;
    ValidateCommon(1.0 * spines + leaves + nDcis,
                   1.0 * spines * leaves +
                       nDcis * external.links * (dcisAtLeaves ? leaves : spines));
    GetFabricRateBps(); // throws
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
    return AddExternals(network,
                        datacenter,
                        "dci",
                        dcisAtLeaves ? leafSwitches : spineSwitches,
                        [](uint32_t, uint32_t) { return true; });
}

} // namespace ns3::roce
