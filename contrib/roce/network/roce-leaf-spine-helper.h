// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_LEAF_SPINE_HELPER_H
#define ROCE_LEAF_SPINE_HELPER_H

#include "roce-topology.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief One leaf-spine datacenter, or several joined by external (DCI) switches and WAN links.
 *
 * Each datacenter has leaves with hosts, spines, and, if there is more than one datacenter, DCI
 * switches that hang off every spine (or every leaf). All parameters are public, those of Topology
 * among them; the defaults are the topology of two datacenters of 16 servers and 9 switches, 8 us
 * and 1012 us of base RTT, that the Reflex paper evaluates.
 */
struct LeafSpineHelper : public Topology
{
    uint32_t spines{4};             //!< per datacenter
    uint32_t leaves{4};             //!< per datacenter
    uint32_t hostsPerLeaf{4};       //!< hosts of each leaf
    DataRate fabricRate{"100Gbps"}; //!< each leaf-spine link; see oversubscription
    Time fabricDelay{MicroSeconds(1)};
    double oversubscription{0};     //!< > 0: fabricRate follows: host capacity of a leaf over this
    uint32_t dcis{1};               //!< external switches per datacenter
    std::string dciAttach{"spine"}; //!< where they hang: spine or leaf
    uint32_t dciLinks{1};           //!< between each spine (leaf) and each DCI switch
    DataRate dciRate{"100Gbps"};    //!< each link between a spine (leaf) and a DCI switch
    Time dciDelay{MicroSeconds(1)};
    QueueSize leafBuffer{"32MiB"};
    QueueSize spineBuffer{"32MiB"};
    QueueSize dciBuffer{"256MiB"};   //!< shared buffer of a DCI switch, without its WAN ports
    QueueSize dciEgressBuffer{"0B"}; //!< egressBuffer of DCI switches, all ports; 0: the same

    /**
     * @brief Make every parameter an option of the program.
     * @tparam C ns-3's CommandLine or CheckedCommandLine
     * @param cmd command line
     */
    template <typename C>
    void AddOptions(C& cmd)
    {
        AddCommonOptions(cmd, "DCI");
        cmd.AddValue("spines", "Spine switches per datacenter", spines);
        cmd.AddValue("leaves", "Leaf switches per datacenter", leaves);
        cmd.AddValue("hostsPerLeaf", "Hosts per leaf switch", hostsPerLeaf);
        cmd.AddValue("fabricRate", "Rate of leaf-spine links", fabricRate);
        cmd.AddValue("fabricDelay", "One-way delay of leaf-spine links", fabricDelay);
        cmd.AddValue("oversubscription",
                     "If above 0, sets fabricRate: host capacity over uplink capacity of a leaf",
                     oversubscription);
        cmd.AddValue("dcis", "External (DCI) switches per datacenter", dcis);
        cmd.AddValue("dciAttach",
                     "Switches that DCI switches are linked to: spine or leaf",
                     dciAttach);
        cmd.AddValue("dciLinks", "Links between each spine (leaf) and DCI switch", dciLinks);
        cmd.AddValue("dciRate", "Rate of the links to a DCI switch", dciRate);
        cmd.AddValue("dciDelay", "One-way delay of the links to a DCI switch", dciDelay);
        cmd.AddValue("leafBuffer", "Shared buffer of a leaf switch", leafBuffer);
        cmd.AddValue("spineBuffer", "Shared buffer of a spine switch", spineBuffer);
        cmd.AddValue("dciBuffer", "Shared buffer of a DCI switch, without WAN ports", dciBuffer);
        cmd.AddValue("dciEgressBuffer",
                     "egressBuffer of all ports of DCI switches; 0: egressBuffer",
                     dciEgressBuffer);
    }

    /// @return rate of a leaf-spine link, with oversubscription applied
    uint64_t GetFabricRateBps() const;

    // inherited from Topology
    std::vector<std::pair<std::string, std::string>> GetOwnAttributes() const override;
    std::vector<UnusedOptions> GetUnused() const override;
    std::vector<OptionPreset> GetPresets() const override;
    uint32_t GetRacks() const override;
    uint32_t GetHostsPerRack() const override;
    uint64_t GetRackUplinkBps() const override;
    uint32_t GetExternals() const override;

  protected:
    void Validate() const override;
    std::vector<uint32_t> ConstructDatacenter(Network& network, uint32_t datacenter) const override;
};

} // namespace ns3::roce

#endif /* ROCE_LEAF_SPINE_HELPER_H */
