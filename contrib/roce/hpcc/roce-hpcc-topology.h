// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_HPCC_TOPOLOGY_H
#define ROCE_HPCC_TOPOLOGY_H

#include "ns3/roce-flow-spec.h"
#include "ns3/roce-network.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief A network in the HPCC simulator's `topology.txt`.
 *
 * The first line determines the layout:
 * - `nodes switches links`: alibaba-edu/High-Precision-Congestion-Control, ConWeave,
 *   astra-network-ns3;
 * - `nodes switches tors links`, perhaps followed by two rates: inet-tub/ns3-datacenter. The number
 *   of ToRs and the rates are not used there either;
 * - `nodes switches DCI links`: LCMP, if the ids of as many DCI switches follow those of the
 * others;
 * - `nodes gpus_per_server nvswitches switches links gpu_type [gpus_per_node]`: SimAI. The first
 *   switches are NVSwitches, inside servers (NetworkMap::AddInternalSwitch()) unless a link joins
 *   them to other switches.
 *
 * Then come the ids of the switches, on any number of lines, then one line for each link: `a b rate
 * delay error_rate`, for example `0 128 100Gbps 1000ns 0`; a rate without unit is in bit/s.
 * error_rate is the probability that a frame is lost, each direction. Later lines are not read, as
 * there.
 *
 * Nodes are made in the order of their ids, so that a file's ids are ns-3's if there were no nodes
 * before. NICs are numbered in the order of their links, which need not be that of the hosts. Hosts
 * are joined only to switches, each to one or several.
 */
struct HpccTopology
{
    /// One line of the list of links.
    struct LinkLine
    {
        uint32_t a;
        uint32_t b;
        uint64_t rateBps;
        int64_t delayPs;
        double lossRate;
        unsigned line; //!< in the file
    };

    /// Whose file it is; see above.
    enum class Layout
    {
        ORIGINAL,
        INET_TUB,
        LCMP,
        SIM_AI
    };

    std::string path; //!< of the file
    Layout layout{Layout::ORIGINAL};
    unsigned unreadLine{0};       //!< line after the links that looks like another one; 0: none
    std::vector<bool> isSwitch;   //!< by node
    std::vector<bool> isDci;      //!< by node; only LCMP says so
    std::vector<bool> isNvSwitch; //!< by node; only SimAI says so
    std::vector<LinkLine> links;  //!< in the file's order

    std::vector<uint32_t> nicOfNode;    //!< the first one; FlowList::NO_NIC for switches
    std::vector<uint32_t> nodeOfNic;    //!< the other way round, of all
    std::vector<uint32_t> switchOfNode; //!< number in the network; of no meaning for hosts

    /**
     * @brief Read a file.
     * @throw InputError naming file and line: unreadable file, missing or extra field, not a
     *        number, unit missing, unknown node, a node joined to itself, two hosts joined, a host
     *        with no link, fewer or more links than announced
     */
    static HpccTopology Read(const std::string& path);

    /**
     * @brief Add nodes and links to an empty network: switches are `switch7`, hosts `host3`.
     * @param network empty; the caller builds it
     * @param dciBufferBytes shared buffer of DCI switches, below 4 GiB; 0: as of the others
     * @param wraps see WrapBufferBytes()
     */
    void Construct(Network& network, uint32_t dciBufferBytes = 0, bool wraps = false) const;

    /**
     * @param node a DCI switch
     * @param bufferBytes its buffer
     * @return what LCMP's simulator shares there: the headroom of long links, three times what they
     * hold, is more than the buffer, and 32 bits make a large number of the difference
     */
    uint32_t WrapBufferBytes(uint32_t node, uint32_t bufferBytes) const;

    /// @return datacenter of each node: what links join that are not between two DCI switches
    std::vector<uint32_t> FindDatacenters() const;

    /**
     * @brief Give ports the loss rates of the file.
     * @param network made by Construct() and built, before Network::AssignStreams()
     * @param otherwise rate of links whose own is 0
     */
    void ApplyLoss(Network& network, double otherwise = 0) const;

    /// @return hosts
    uint32_t GetNHosts() const;

    /// @return highest rate of a host's link, without NVLinks, bit/s
    uint64_t GetMaxHostRateBps() const;
};

/**
 * @brief The HPCC simulator's estimate of a flow's completion time on the empty network.
 *
 * base RTT = 2 * propagation + sum over the links of payload / rate, ideal FCT = base RTT + (size +
 * 48 * packets) / lowest rate; telemetry and ACKs are left out, and the first packet counts twice
 * on its first link (third.cc, qp_finish; see also the ideal_fct_ns of inet-tub/ns3-datacenter).
 */
struct HpccIdeal
{
    /// Header bytes that the estimate counts for each packet.
    static constexpr uint32_t HEADER_BYTES = 48;

    /**
     * @param path of the data
     * @param payloadBytes payload of a full packet
     * @return base RTT, picoseconds
     */
    static int64_t BaseRttPs(const std::vector<Network::PathHop>& path, uint32_t payloadBytes);

    /**
     * @param path of the data
     * @param payloadBytes payload of a full packet
     * @param sizeBytes of the flow
     * @return ideal FCT, picoseconds, whole nanoseconds as there
     */
    static int64_t FctPs(const std::vector<Network::PathHop>& path,
                         uint32_t payloadBytes,
                         uint64_t sizeBytes);
};

} // namespace ns3::roce

#endif /* ROCE_HPCC_TOPOLOGY_H */
