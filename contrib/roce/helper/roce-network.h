/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_NETWORK_H
#define ROCE_NETWORK_H

#include "roce-flow-spec.h"
#include "roce-ideal-fct.h"

#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/roce-nic.h"
#include "ns3/roce-switch.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief A network of hosts, NICs, switches and links under construction, and then its map.
 *
 * Any topology: add switches and hosts, attach NICs to switches, connect switches, Build(). Routes
 * are all shortest paths by number of links, computed per rack (a switch with NICs), as equal-cost
 * groups. Topology helpers (LeafSpineHelper) fill one of these.
 *
 * Nodes, NICs and switches are numbered in the order in which they are added. Host nodes may have
 * several NICs; flows run between NICs.
 */
class Network
{
  public:
    /// What Build() puts into every switch, besides what the attributes say.
    struct Options
    {
        bool ecn{true};                                    //!< install an EcnMarker
        bool telemetry{true};                              //!< install an IntStamper
        uint64_t ecmpSeed{1};                              //!< salts differ by switch and by this
        ObjectFactory ecnMarker{"ns3::roce::EcnMarker"};   //!< kind and parameters
        ObjectFactory intStamper{"ns3::roce::IntStamper"}; //!< kind and parameters
    };

    /// One link of a path, with the switch port or NIC that sends on it.
    struct PathHop
    {
        Port* port; //!< sending end
        HopSpec spec;
    };

    Network();
    ~Network();
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    /**
     * @brief Add a switch.
     * @param name for messages and files
     * @param datacenter index
     * @param factory kind and parameters
     * @return its number
     */
    uint32_t AddSwitch(const std::string& name,
                       uint32_t datacenter,
                       const ObjectFactory& factory = ObjectFactory("ns3::roce::Switch"));

    /**
     * @brief Add a host without NICs.
     * @param name for messages and files
     * @param datacenter index
     * @return its number
     */
    uint32_t AddHost(const std::string& name, uint32_t datacenter);

    /**
     * @brief Give a host a NIC and connect it.
     * @param host number
     * @param sw number of the switch
     * @param rateBps of both ends
     * @param delayPs propagation, one way
     * @param factory kind and parameters of the NIC
     * @return NIC number
     * @throw InputError for unknown numbers, rate 0, negative delay, after Build()
     */
    uint32_t AddNic(uint32_t host,
                    uint32_t sw,
                    uint64_t rateBps,
                    int64_t delayPs,
                    const ObjectFactory& factory = ObjectFactory("ns3::roce::Nic"));

    /**
     * @brief Connect two switches. Parallel links are allowed.
     * @param a one switch
     * @param b another switch
     * @param rateBps of both ends
     * @param delayPs propagation, one way
     * @return port numbers at a and at b
     * @throw InputError as AddNic()
     */
    std::pair<uint16_t, uint16_t> Connect(uint32_t a,
                                          uint32_t b,
                                          uint64_t rateBps,
                                          int64_t delayPs);

    /**
     * @brief Compute routes, size buffers, install stages.
     * @param options see Options
     * @throw InputError if headroom does not fit, or some NIC cannot reach some other
     */
    void Build(const Options& options);

    /// @brief Build() with default options.
    void Build();

    /**
     * @brief Give every random decision in the network its own stream.
     * @param stream first
     * @return number used
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * @brief Hand flows to applications at the hosts (made as needed).
     * @param flows any order; ids unique
     * @throw InputError for unknown NICs or src == dst
     */
    void InstallFlows(const std::vector<FlowSpec>& flows);

    // --- the map

    /// @return number of NICs
    uint32_t GetNNics() const
    {
        return static_cast<uint32_t>(m_nics.size());
    }

    /// @return number of switches
    uint32_t GetNSwitches() const
    {
        return static_cast<uint32_t>(m_switches.size());
    }

    /// @return a NIC
    Ptr<Nic> GetNic(uint32_t nic) const
    {
        return m_nics.at(nic).nic;
    }

    /// @return a switch
    Ptr<Switch> GetSwitch(uint32_t sw) const
    {
        return m_switches.at(sw).sw;
    }

    /// @return datacenter of a NIC
    uint32_t GetDatacenter(uint32_t nic) const
    {
        return m_nics.at(nic).datacenter;
    }

    /// @return rack (index of racks in order of their switches) of a NIC, after Build()
    uint32_t GetRack(uint32_t nic) const
    {
        return m_attachments->rackOfNic.at(nic);
    }

    /// @return name of the host a NIC belongs to
    const std::string& GetNicName(uint32_t nic) const
    {
        return m_nics.at(nic).name;
    }

    /// @return name by node id, for the node column of files
    std::string GetNodeName(uint32_t nodeId) const;

    /// @return all nodes
    const NodeContainer& GetNodes() const
    {
        return m_nodes;
    }

    /**
     * @brief Follow a frame through the routing tables.
     * @param src NIC
     * @param dst NIC
     * @param entropy UDP source port
     * @return links from src to dst
     */
    std::vector<PathHop> TracePath(uint32_t src, uint32_t dst, uint16_t entropy) const;

    /**
     * @brief What a sender may know of its path.
     * @param src NIC
     * @param dst NIC
     * @param entropy UDP source port
     * @return see PathInfo
     */
    PathInfo GetPath(uint32_t src, uint32_t dst, uint16_t entropy) const;

    /**
     * @brief Exact completion time of a flow on the empty network, on the path ECMP gives it.
     * @param flow the flow
     * @param telemetry charge the telemetry its rate law asks for; false (as for slowdowns) makes
     * the figure independent of the rate law
     * @return see IdealFct::Result
     */
    IdealFct::Result GetIdeal(const FlowSpec& flow, bool telemetry = false) const;

    // --- totals over the network

    /// @return transmissions of data, ACK, NAK and CNP frames by all ports
    uint64_t CountPacketHops() const;

    /// @brief Start hashing every departure.
    void EnableFingerprint();

    /// @return hash over the fingerprints of all ports, in order
    uint64_t GetFingerprint() const;

    /// @brief Make every NIC and switch do what is due by now, so that counters are exact.
    void CatchUp() const;

    /**
     * @brief Check every switch's invariants and, once drained, that nothing is left anywhere.
     * @param drained no frame should be anywhere
     * @return empty or the first violation
     */
    std::string Audit(bool drained) const;

    /**
     * @return what Build() found that is legal but rarely meant, one line each: ECN thresholds that
     * PFC does not let the queue reach
     */
    const std::vector<std::string>& GetWarnings() const
    {
        return m_warnings;
    }

    /// @return all ports: NICs, then switch by switch
    std::vector<Ptr<Port>> GetPorts() const;

  private:
    struct SwitchEntry
    {
        Ptr<Switch> sw;
        std::string name;
        uint32_t datacenter;
        int32_t rack{-1};
        std::vector<std::pair<uint32_t, uint16_t>> neighbours; //!< (switch, own port)
    };

    struct HostEntry
    {
        Ptr<Node> node;
        std::string name;
        uint32_t datacenter;
    };

    struct NicEntry
    {
        Ptr<Nic> nic;
        std::string name;
        uint32_t datacenter;
        uint32_t sw;
        uint16_t swPort;
    };

    void CheckLink(const char* what, uint64_t rateBps, int64_t delayPs) const;
    uint16_t AddSwitchPort(uint32_t sw, Ptr<Port> port, uint64_t rateBps);
    void ComputeRoutes(const std::vector<uint32_t>& rackSwitch);
    WireSizes GetWireSizes(Nic& nic, bool telemetry) const;
    void CheckEcnBelowPfc();

    NodeContainer m_nodes;
    std::vector<SwitchEntry> m_switches;
    std::vector<HostEntry> m_hosts;
    std::vector<NicEntry> m_nics;
    std::vector<uint32_t> m_nodeKind; //!< by node id - first id: index into switches or hosts
    std::shared_ptr<Attachments> m_attachments;
    std::vector<std::string> m_warnings;
    uint32_t m_intBytesPerHop{0};
    bool m_built{false};
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_NETWORK_H */
