/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_LEAF_SPINE_HELPER_H
#define ROCE_LEAF_SPINE_HELPER_H

#include "roce-network.h"
#include "roce-workload.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/queue-size.h"

#include <string>
#include <vector>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief One leaf-spine datacenter, or several joined by external (DCI) switches and WAN links.
 *
 * Each datacenter has leaves with hosts, spines, and, if there is more than one datacenter, DCI
 * switches that hang off every spine (or every leaf). DCI switch i of each datacenter is joined to
 * DCI switch i of every other one by wanLinks links. All parameters are public; the defaults are
 * the topology of two datacenters of 16 servers and 9 switches, 8 us and 1012 us of base RTT, that
 * the Reflex paper evaluates.
 *
 * A WAN port has a buffer of its own (deep buffer) with static thresholds, so that the long link's
 * headroom does not come out of the chip's shared buffer.
 */
struct LeafSpineHelper
{
    uint32_t datacenters{2};  //!< 1 or more
    uint32_t spines{4};       //!< per datacenter
    uint32_t leaves{4};       //!< per datacenter
    uint32_t hostsPerLeaf{4}; //!< hosts of each leaf
    uint32_t nicsPerHost{1};  //!< all at the host's leaf
    DataRate hostRate{"100Gbps"};
    Time hostDelay{MicroSeconds(1)};
    DataRate fabricRate{"100Gbps"}; //!< each leaf-spine link; see oversubscription
    Time fabricDelay{MicroSeconds(1)};
    double oversubscription{0};     //!< > 0: fabricRate follows: host capacity of a leaf over this
    uint32_t dcis{1};               //!< external switches per datacenter
    std::string dciAttach{"spine"}; //!< where they hang: spine or leaf
    DataRate dciRate{"100Gbps"};    //!< each link between a spine (leaf) and a DCI switch
    Time dciDelay{MicroSeconds(1)};
    DataRate wanRate{"1600Gbps"};
    Time wanDelay{MicroSeconds(500)};
    uint32_t wanLinks{1}; //!< parallel links between each pair of DCI switches
    QueueSize leafBuffer{"32MiB"};
    QueueSize spineBuffer{"32MiB"};
    QueueSize dciBuffer{"256MiB"}; //!< shared buffer of a DCI switch, without its WAN ports
    QueueSize wanPortBuffer{"0B"}; //!< buffer of each WAN port; 0: four one-way BDPs and 4 MiB
    double wanXonFraction{0.5};    //!< Xon over Xoff threshold of a WAN port

    /**
     * @brief Make every parameter an option of the program.
     * @tparam C ns-3's CommandLine or CheckedCommandLine
     * @param cmd command line
     */
    template <typename C>
    void AddOptions(C& cmd)
    {
        cmd.AddValue("datacenters", "Number of datacenters", datacenters);
        cmd.AddValue("spines", "Spine switches per datacenter", spines);
        cmd.AddValue("leaves", "Leaf switches per datacenter", leaves);
        cmd.AddValue("hostsPerLeaf", "Hosts per leaf switch", hostsPerLeaf);
        cmd.AddValue("nicsPerHost", "NICs per host", nicsPerHost);
        cmd.AddValue("hostRate", "Rate of host links", hostRate);
        cmd.AddValue("hostDelay", "One-way delay of host links", hostDelay);
        cmd.AddValue("fabricRate", "Rate of leaf-spine links", fabricRate);
        cmd.AddValue("fabricDelay", "One-way delay of leaf-spine links", fabricDelay);
        cmd.AddValue("oversubscription",
                     "If above 0, sets fabricRate: host capacity over uplink capacity of a leaf",
                     oversubscription);
        cmd.AddValue("dcis", "External (DCI) switches per datacenter", dcis);
        cmd.AddValue("dciAttach", "Where the DCI switches hang: spine or leaf", dciAttach);
        cmd.AddValue("dciRate", "Rate of the links to a DCI switch", dciRate);
        cmd.AddValue("dciDelay", "One-way delay of the links to a DCI switch", dciDelay);
        cmd.AddValue("wanRate", "Rate of each WAN link", wanRate);
        cmd.AddValue("wanDelay", "One-way delay of WAN links", wanDelay);
        cmd.AddValue("wanLinks", "WAN links between each pair of DCI switches", wanLinks);
        cmd.AddValue("leafBuffer", "Shared buffer of a leaf switch", leafBuffer);
        cmd.AddValue("spineBuffer", "Shared buffer of a spine switch", spineBuffer);
        cmd.AddValue("dciBuffer", "Shared buffer of a DCI switch, without WAN ports", dciBuffer);
        cmd.AddValue("wanPortBuffer",
                     "Buffer of each WAN port; 0: four one-way BDPs and 4 MiB",
                     wanPortBuffer);
        cmd.AddValue("wanXonFraction", "Xon over Xoff threshold of a WAN port", wanXonFraction);
    }

    /**
     * @brief Add switches, hosts and links to an empty network. The caller builds it.
     * @param network empty
     * @throw InputError for an impossible topology, naming the parameter
     */
    void Construct(Network& network) const;

    /// @return NICs per datacenter
    uint32_t GetNicsPerDatacenter() const
    {
        return leaves * hostsPerLeaf * nicsPerHost;
    }

    /**
     * @return where the NICs stand, for workloads
     */
    HostPlacement GetPlacement() const;

    /**
     * @brief Capacities a load may refer to.
     * @param reference which one
     * @return all of them
     */
    LoadCapacity GetCapacity(LoadReference reference) const;

    /// @return rate of a leaf-spine link, with oversubscription applied
    uint64_t GetFabricRateBps() const;

  private:
    void Validate() const;
    void ConnectDatacenters(Network& network,
                            const std::vector<std::vector<uint32_t>>& dciSwitches) const;
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_LEAF_SPINE_HELPER_H */
