// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_LEAF_SPINE_HELPER_H
#define ROCE_LEAF_SPINE_HELPER_H

#include "roce-topology.h"

#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief One leaf-spine datacenter, or several joined by external (DCI) switches and WAN links.
 *
 * Each datacenter has leaves with hosts, spines, and, if there is more than one datacenter, DCI
 * switches that hang off every spine (or every leaf). All parameters are public, those of Topology
 * among them; the defaults are the topology of two datacenters of 16 servers and 9 switches, 8 us
 * and 1012 us of base RTT, that the Reflex paper evaluates.
 */
struct LeafSpineHelper : public Topology
{
    uint32_t spines{4};       //!< per datacenter
    uint32_t leaves{4};       //!< per datacenter
    uint32_t hostsPerLeaf{4}; //!< hosts of each leaf; with rails, servers
    /// NIC i of a server (its GPUs' one after the other) is at the i-th leaf of a group of as many
    bool hasRails{false};
    DataRate fabricRate{"100Gbps"}; //!< each leaf-spine link; see oversubscription
    Time fabricDelay{MicroSeconds(1)};
    double oversubscription{0}; //!< > 0: fabricRate follows: host capacity of a leaf over this
    bool dcisAtLeaves{false};   //!< external switches are joined to leaves, not to spines
    QueueSize leafBuffer{"32MiB"};
    QueueSize spineBuffer{"32MiB"};

    /// @return rate of a leaf-spine link, with oversubscription applied
    uint64_t GetFabricRateBps() const;

    // inherited from Topology
    void AddOptions(OptionTable& table) override;
    std::vector<OptionPreset> GetPresets() const override;
    uint32_t GetRacks() const override;
    uint32_t GetHostsPerRack() const override;
    uint64_t GetRackUplinkBps() const override;
    bool IsMultiHomed() const override;

  protected:
    void Validate() const override;
    std::vector<uint32_t> ConstructDatacenter(Network& network, uint32_t datacenter) const override;

  private:
    uint32_t GetLeavesPerRack() const;
};

} // namespace ns3::roce

#endif /* ROCE_LEAF_SPINE_HELPER_H */
