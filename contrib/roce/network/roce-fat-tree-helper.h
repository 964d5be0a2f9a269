// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FAT_TREE_HELPER_H
#define ROCE_FAT_TREE_HELPER_H

#include "roce-topology.h"

#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief One k-ary fat-tree (or other three-tier) datacenter, or several joined by border switches
 * and WAN links.
 *
 * Counts. A k-ary fat-tree (k even) has k pods of k/2 edge and k/2 aggregation switches, (k/2)^2
 * core switches and k/2 hosts at each edge switch; all its switches have k ports. Each of the
 * counts pods, edgesPerPod, aggsPerPod, cores and hostsPerEdge that is not 0 takes the place of
 * what k gives; with k = 0 all of them must be given.
 *
 * Wiring. In each pod every edge switch is joined to every aggregation switch. With coreWiring
 * "plane", the cores are split evenly into aggsPerPod groups of neighbouring indices, and
 * aggregation switch i of every pod is joined to the cores of group i (the fat-tree's rule; cores
 * must be a multiple of aggsPerPod). With "full", every aggregation switch is joined to every core.
 * With borderAttach "all", every core is joined to every border switch of its datacenter; with
 * "split", core c to border switch c modulo borders only (cores must be a multiple of borders), so
 * that each group of cores spreads over the border switches. A core and its border switch are
 * joined by borderLinks parallel links, the border switches i of two datacenters by wanLinks ones.
 *
 * Names: dc0-edge3, dc0-agg5, dc0-core2, dc0-border0, dc0-host17; edge and aggregation switches are
 * numbered pod by pod.
 *
 * | parameters | network | source |
 * | --- | --- | --- |
 * | (defaults) | two 8-ary fat-trees, one border switch each, 8 links from each core to it and 8
 * between the two, all 100 Gbit/s; 14 us and 2 ms of base RTT | Uno, section 5.1 |
 * | k=4 hostsPerEdge=4 borderLinks=1 wanLinks=1 wanRate=400Gbps wanDelay=1ms | 4 cores, 8
 * aggregation switches, 8 racks of 4 hosts (2:1 oversubscribed) per datacenter, 400 Gbit/s from
 * the cores to the border switch and over the WAN; 12 us and 2016 us of propagation both ways |
 * WRCC, section 4.1 (the paper gives the counts; that the wiring is that of a 4-ary fat-tree and
 * that each core has one link to the border is inferred from its RTT and its WAN rate) |
 * | k=16 | 1,024 hosts and 320 switches per datacenter without the border switch | |
 *
 * The defaults' base RTTs, exactly: between pods 14,046,720 ps and between datacenters
 * 2,000,070,080 ps for a packet of 4096 bytes (real RoCEv2 headers, preamble and gap) and its ACK.
 * Uno has 1 MiB of egress buffer at each port and drops: egressBuffer=1MiB and Switch attribute
 * LosslessClasses=0. The defaults here are lossless switches with shared buffers and deep WAN
 * ports. portBuffer=1MiB gives each port that much, on the ingress side.
 */
struct FatTreeHelper : public Topology
{
    uint32_t k{8};               //!< arity, even; 0: all counts are given
    uint32_t pods{0};            //!< per datacenter; 0: k
    uint32_t edgesPerPod{0};     //!< edge switches (racks) of each pod; 0: k/2
    uint32_t aggsPerPod{0};      //!< aggregation switches of each pod; 0: k/2
    uint32_t cores{0};           //!< core switches per datacenter; 0: (k/2)^2
    uint32_t hostsPerEdge{0};    //!< hosts of each edge switch; 0: k/2
    bool fullCoreWiring{false};  //!< coreWiring "full"
    DataRate aggRate{"100Gbps"}; //!< each edge-aggregation link; see edgeOversubscription
    Time aggDelay{MicroSeconds(1)};
    DataRate coreRate{"100Gbps"}; //!< each aggregation-core link; see aggOversubscription
    Time coreDelay{MicroSeconds(1)};
    double edgeOversubscription{0}; //!< > 0: sets aggRate, host capacity of an edge over this
    double aggOversubscription{0};  //!< > 0: sets coreRate, edge links' capacity of an agg. over it
    bool splitBorders{false};       //!< borderAttach "split"
    QueueSize edgeBuffer{"32MiB"};
    QueueSize aggBuffer{"32MiB"};
    QueueSize coreBuffer{"32MiB"};
    ByteSize portBuffer; //!< > 0: all ports but WAN ports have a buffer of their own instead

    FatTreeHelper();

    /// @return pods per datacenter
    uint32_t GetPods() const
    {
        return pods ? pods : k;
    }

    /// @return edge switches of each pod
    uint32_t GetEdgesPerPod() const
    {
        return edgesPerPod ? edgesPerPod : k / 2;
    }

    /// @return aggregation switches of each pod
    uint32_t GetAggsPerPod() const
    {
        return aggsPerPod ? aggsPerPod : k / 2;
    }

    /// @return core switches per datacenter
    uint32_t GetCores() const
    {
        return cores ? cores : (k / 2) * (k / 2);
    }

    /// @return cores that an aggregation switch is joined to
    uint32_t GetCoresPerAgg() const;

    /// @return rate of an edge-aggregation link, with oversubscription applied
    uint64_t GetAggRateBps() const;

    /// @return rate of an aggregation-core link, with oversubscription applied
    uint64_t GetCoreRateBps() const;

    // inherited from Topology
    void AddOptions(OptionTable& table) override;
    std::vector<OptionPreset> GetPresets() const override;
    uint32_t GetRacks() const override;
    uint32_t GetHostsPerRack() const override;
    uint64_t GetRackUplinkBps() const override;

  protected:
    void Validate() const override;
    std::vector<uint32_t> ConstructDatacenter(Network& network, uint32_t datacenter) const override;

  private:
    void ValidateBorders() const;
    bool IsJoined(uint32_t agg, uint32_t core) const;
    void SetPortBuffers(Network& network, uint32_t first) const;
};

} // namespace ns3::roce

#endif /* ROCE_FAT_TREE_HELPER_H */
