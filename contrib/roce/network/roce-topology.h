// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TOPOLOGY_H
#define ROCE_TOPOLOGY_H

#include "roce-host-placement.h"
#include "roce-network.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/queue-size.h"
#include "ns3/roce-option-table.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

struct WanGraph;

/// The external switches of each datacenter, and their links to its other switches.
struct ExternalSwitches
{
    uint32_t count{1};            //!< 1 or more
    uint32_t links{1};            //!< parallel ones to each switch that they are joined to
    DataRate rate{"100Gbps"};     //!< of each link
    Time delay{MicroSeconds(1)};  //!< one way
    QueueSize buffer{"256MiB"};   //!< shared buffer, without the WAN ports
    QueueSize egressBuffer{"0B"}; //!< Topology::egressBuffer of all their ports; 0: the same
    double alpha{0};              //!< Switch::Alpha of them; 0: that of all switches
};

/**
 * @brief Datacenters made of racks, joined by external switches and WAN links: what the topology
 * helpers have in common.
 *
 * A helper makes one datacenter at a time and says which of its switches are external. External
 * switch i of each datacenter is joined to external switch i of every other one by wanLinks links,
 * or of those that a graph names (WanGraph).
 * NICs are numbered datacenter by datacenter, rack by rack, host by host.
 *
 * With gpusPerServer above 1 hosts are GPUs: each has NICs of its own and, as its last, one at the
 * NVSwitch of its server.
 *
 * A WAN port has a buffer of its own (deep buffer) with static thresholds, so that the long link's
 * headroom does not come out of the chip's shared buffer.
 */
struct Topology
{
    uint32_t datacenters{2};         //!< 1 or more
    uint32_t nicsPerHost{1};         //!< all at the host's rack
    uint32_t gpusPerServer{1};       //!< hosts that an NVSwitch joins; 1: none is there
    DataRate nvlinkRate{"2880Gbps"}; //!< of a GPU, each direction
    Time nvlinkDelay{NanoSeconds(25)};
    DataRate hostRate{"100Gbps"};
    Time hostDelay{MicroSeconds(1)};
    DataRate wanRate{"1600Gbps"};
    Time wanDelay{MicroSeconds(500)};
    uint32_t wanLinks{1};         //!< parallel links between each pair of external switches
    std::string wanGraph;         //!< in place of a link between all datacenters: the file of a
                                  //!< WanGraph, or the name of a known one
    ByteSize wanPortBuffer;       //!< buffer of each WAN port; 0: four one-way BDPs and 4 MiB
    QueueSize egressBuffer{"0B"}; //!< > 0: drop-tail limit of each switch port, in place of shared
                                  //!< buffers; see Switch::EgressLimit
    ExternalSwitches external;    //!< for more than one datacenter

    virtual ~Topology() = default;

    /**
     * @brief Add switches, hosts and links to an empty network. The caller builds it.
     * @param network empty
     * @throw InputError for an impossible topology, naming the parameter
     */
    void Construct(Network& network) const;

    /// @return NICs of a host, that at the NVSwitch among them
    uint32_t GetNicsOfHost() const
    {
        return nicsPerHost + (gpusPerServer > 1 ? 1 : 0);
    }

    /// @return NICs per datacenter
    uint32_t GetNicsPerDatacenter() const
    {
        return GetRacks() * GetHostsPerRack() * GetNicsOfHost();
    }

    /// @return whether hosts have NICs at several switches, so that flows run between hosts (see
    /// Network::ChooseNics())
    virtual bool IsMultiHomed() const
    {
        return gpusPerServer > 1;
    }

    /// @return where the NICs are, for workloads; or the hosts. @param ofHosts which
    HostPlacement GetPlacement(bool ofHosts = false) const;

    /// @brief Capacities a load may refer to. @param ofHosts hosts offer it, and not NICs
    LoadCapacity GetCapacity(LoadReference reference, bool ofHosts = false) const;

    /// @brief Make every parameter an option. @param table of the program
    virtual void AddOptions(OptionTable& table);

    /// @return networks of papers
    virtual std::vector<OptionPreset> GetPresets() const
    {
        return {};
    }

    /// @return racks per datacenter
    virtual uint32_t GetRacks() const = 0;

    virtual uint32_t GetHostsPerRack() const = 0;

    /// @return capacity of a rack's switch towards the rest of its datacenter, bit/s
    virtual uint64_t GetRackUplinkBps() const = 0;

  protected:
    Topology() = default;
    Topology(const Topology&) = default;
    Topology& operator=(const Topology&) = default;

    /// What a kind of topology calls its external switches, and its options of them.
    struct ExternalNames
    {
        const char* what; //!< in help texts
        const char* count;
        const char* links;
        const char* rate;
        const char* delay;
        const char* buffer;
        const char* egressBuffer;
    };

    /// @brief Make the parameters of external switches options. @param table of the program @param
    /// names of them
    void AddExternalOptions(OptionTable& table, const ExternalNames& names);

    /// @brief Add an option for the rate of links. @param table of the program; the rest as in
    /// OptionTable::AddValue() @param name see there @param help see there @param rate see there
    /// @return the option
    static Option& AddRate(OptionTable& table, const char* name, const char* help, DataRate& rate);

    /// @brief Add an option for the delay of links, see AddRate(). @param table of the program
    /// @param name see there @param help see there @param delay see there
    static void AddDelay(OptionTable& table, const char* name, const char* help, Time& delay);

    /// @brief Add an option for a shared buffer of switches, see AddRate(). @param table of the
    /// program @param name see there @param help see there @param buffer see there @return the
    /// option
    Option& AddBuffer(OptionTable& table, const char* name, const char* help, QueueSize& buffer);

    /// @brief Add an option for an oversubscription, see AddRate(). @param table of the program
    /// @param name see there @param help see there @param ratio see there
    static void AddOversubscription(OptionTable& table,
                                    const char* name,
                                    const char* help,
                                    double& ratio);

    /**
     * @brief Check parameters together, each of which is in its range; a helper checks its own and
     * those of this class.
     * @throw InputError naming the parameter
     */
    virtual void Validate() const = 0;

    /**
     * @brief Make one datacenter.
     * @param network where
     * @return its external switches; none if there is one datacenter
     */
    virtual std::vector<uint32_t> ConstructDatacenter(Network& network,
                                                      uint32_t datacenter) const = 0;

    /**
     * @brief Check the parameters of this class and the size of the network.
     * @param nSwitches per datacenter
     * @param nLinks between them, per datacenter
     */
    void ValidateCommon(double nSwitches, double nLinks) const;

    /**
     * @brief Add a rack's switch and its hosts.
     * @param network where
     * @param name of the switch
     * @param index of the rack in its datacenter
     * @param buffer shared buffer of the switch
     * @return the switch
     */
    uint32_t AddRack(Network& network,
                     uint32_t datacenter,
                     const std::string& name,
                     uint32_t index,
                     const QueueSize& buffer) const;

    /**
     * @brief Add the hosts of a rack.
     * @param network where
     * @param index of the rack in its datacenter
     * @param switches of the rack. With several the NICs of a server are each at one of them
     */
    void AddHosts(Network& network,
                  uint32_t datacenter,
                  uint32_t index,
                  const std::vector<uint32_t>& switches) const;

    /**
     * @brief Add a switch.
     * @param network where
     * @param name without the datacenter
     * @param buffer shared buffer
     * @param egressLimit drop-tail limit of each port; 0: egressBuffer
     * @param alpha Switch::Alpha; 0: the default
     */
    uint32_t AddSwitch(Network& network,
                       uint32_t datacenter,
                       const std::string& name,
                       const QueueSize& buffer,
                       const QueueSize& egressLimit = QueueSize("0B"),
                       double alpha = 0) const;

    /**
     * @brief Add the external switches of a datacenter and their links; none if it is the only one.
     * @param network where
     * @param name of the switches, without the datacenter and index
     * @param below switches that they are joined to
     * @param isJoined whether an external switch is joined to a switch below, by their indices
     * @return the switches
     */
    std::vector<uint32_t> AddExternals(
        Network& network,
        uint32_t datacenter,
        const std::string& name,
        const std::vector<uint32_t>& below,
        const std::function<bool(uint32_t external, uint32_t below)>& isJoined) const;

    /// @throw InputError for a buffer of each ingress port and a limit of each egress port at once.
    /// @param pool the buffer @param limit the limit @param names of both
    static void RefuseBoth(const ByteSize& pool, const ByteSize& limit, const std::string& names);

    /**
     * @brief The rate of each uplink that an oversubscription asks for.
     * @param belowBps capacity from below
     * @param oversubscription belowBps over the uplinks' capacity; 0: not given
     * @param given rate if it is not
     * @return bit/s
     * @throw InputError for 0
     */
    static uint64_t UplinkRateBps(double belowBps,
                                  uint32_t uplinks,
                                  double oversubscription,
                                  const DataRate& given);

  private:
    void ConnectDatacenters(Network& network,
                            const std::vector<std::vector<uint32_t>>& externals) const;
    const WanGraph& GetWanGraph() const;

    mutable std::shared_ptr<const WanGraph> m_wanGraph; //!< null: not read yet
};

} // namespace ns3::roce

#endif /* ROCE_TOPOLOGY_H */
