// SPDX-License-Identifier: GPL-2.0-only
#include "roce-leaf-spine-helper.h"

#include "ns3/roce-input-error.h"

namespace ns3::roce
{

void
LeafSpineHelper::AddOptions(OptionTable& table)
{
    Topology::AddOptions(table);
    table.AddValue("spines", "Spine switches per datacenter", spines, Range::AtLeast(1));
    table.AddValue("leaves", "Leaf switches per datacenter", leaves, Range::AtLeast(1));
    table.AddValue("hostsPerLeaf",
                   "Hosts per leaf switch; with --rails, servers",
                   hostsPerLeaf,
                   Range::AtLeast(1));
    table.AddValue("rails",
                   "Each NIC of a server is at a leaf of its own: NIC i of all its GPUs' NICs at "
                   "the i-th leaf of a group",
                   hasRails);
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
        .AddValue("dciAlpha",
                  "ns3::roce::Switch::Alpha of DCI switches, without WAN ports; 0: as of others",
                  external.alpha,
                  Range::AtLeast(0))
        .Unused([this]() -> std::string {
            return datacenters < 2                        ? "with --datacenters=1"
                   : external.egressBuffer.GetValue() > 0 ? "with --dciEgressBuffer"
                   : egressBuffer.GetValue() > 0          ? "with --egressBuffer"
                                                          : "";
        });
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
    if (1.0 * hostsPerLeaf * gpusPerServer * nicsPerHost > 1e6) // before they are multiplied
    {
        throw InputError("topology: more than 1,000,000 NICs");
    }
    if (leaves % GetLeavesPerRack())
    {
        throw InputError("topology: " + std::to_string(leaves) +
                         " leaves, expected with --rails a multiple of the NICs of a server, " +
                         std::to_string(GetLeavesPerRack()));
    }
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
    return leaves / GetLeavesPerRack();
}

uint32_t
LeafSpineHelper::GetLeavesPerRack() const
{
    return hasRails ? gpusPerServer * nicsPerHost : 1;
}

bool
LeafSpineHelper::IsMultiHomed() const
{
    return Topology::IsMultiHomed() || GetLeavesPerRack() > 1;
}

uint32_t
LeafSpineHelper::GetHostsPerRack() const
{
    return hostsPerLeaf * (hasRails ? gpusPerServer : 1);
}

uint64_t
LeafSpineHelper::GetRackUplinkBps() const
{
    return GetFabricRateBps() * spines * GetLeavesPerRack();
}

uint64_t
LeafSpineHelper::GetFabricRateBps() const
{
    const uint32_t nics = hostsPerLeaf * (hasRails ? 1 : nicsPerHost);
    return UplinkRateBps(static_cast<double>(hostRate.GetBitRate()) * nics,
                         spines,
                         oversubscription,
                         fabricRate);
}

std::vector<uint32_t>
LeafSpineHelper::ConstructDatacenter(Network& network, uint32_t datacenter) const
{
    std::vector<uint32_t> leafSwitches;
    std::vector<uint32_t> spineSwitches;
    for (uint32_t rack = 0; rack < GetRacks(); ++rack)
    {
        std::vector<uint32_t> ofRack;
        for (uint32_t l = 0; l < GetLeavesPerRack(); ++l)
        {
            const std::string name = "leaf" + std::to_string(leafSwitches.size());
            ofRack.push_back(AddSwitch(network, datacenter, name, leafBuffer));
            leafSwitches.push_back(ofRack.back());
        }
        AddHosts(network, datacenter, rack, ofRack);
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
