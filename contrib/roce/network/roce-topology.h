// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TOPOLOGY_H
#define ROCE_TOPOLOGY_H

#include "roce-host-placement.h"
#include "roce-network.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/queue-size.h"
#include "ns3/roce-option-preset.h"
#include "ns3/roce-unused-options.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief Datacenters made of racks, joined by external switches and WAN links: what the topology
 * helpers have in common.
 *
 * A helper makes one datacenter at a time and says which of its switches are external. External
 * switch i of each datacenter is joined to external switch i of every other one by wanLinks links.
 * NICs are numbered datacenter by datacenter, rack by rack, host by host.
 *
 * A WAN port has a buffer of its own (deep buffer) with static thresholds, so that the long link's
 * headroom does not come out of the chip's shared buffer.
 */
struct Topology
{
    uint32_t datacenters{2}; //!< 1 or more
    uint32_t nicsPerHost{1}; //!< all at the host's rack
    DataRate hostRate{"100Gbps"};
    Time hostDelay{MicroSeconds(1)};
    DataRate wanRate{"1600Gbps"};
    Time wanDelay{MicroSeconds(500)};
    uint32_t wanLinks{1};         //!< parallel links between each pair of external switches
    ByteSize wanPortBuffer;       //!< buffer of each WAN port; 0: four one-way BDPs and 4 MiB
    double wanXonFraction{0.5};   //!< Xon over Xoff threshold of a WAN port
    QueueSize egressBuffer{"0B"}; //!< > 0: drop-tail limit of each switch port, in place of shared
                                  //!< buffers; see Switch::EgressLimit

    virtual ~Topology() = default;

    /**
     * @brief Add switches, hosts and links to an empty network. The caller builds it.
     * @param network empty
     * @throw InputError for an impossible topology, naming the parameter
     */
    void Construct(Network& network) const;

    /// @return NICs per datacenter
    uint32_t GetNicsPerDatacenter() const
    {
        return GetRacks() * GetHostsPerRack() * nicsPerHost;
    }

    /// @return where the NICs are, for workloads
    HostPlacement GetPlacement() const;

    /// @brief Capacities a load may refer to. @param reference which one. @return all of them
    LoadCapacity GetCapacity(LoadReference reference) const;

    /// @return attributes that the topology sets itself, each with the options to use instead
    /// (without the first one's dashes)
    virtual std::vector<std::pair<std::string, std::string>> GetOwnAttributes() const = 0;

    /// @return options that change nothing, whether they are given or not
    virtual std::vector<UnusedOptions> GetUnused() const;

    /// @return networks of papers
    virtual std::vector<OptionPreset> GetPresets() const
    {
        return {};
    }

    /// @return racks per datacenter
    virtual uint32_t GetRacks() const = 0;

    /// @return hosts of each rack
    virtual uint32_t GetHostsPerRack() const = 0;

    /// @return capacity of a rack's switch towards the rest of its datacenter, bit/s
    virtual uint64_t GetRackUplinkBps() const = 0;

    /// @return external switches per datacenter
    virtual uint32_t GetExternals() const = 0;

  protected:
    Topology() = default;
    Topology(const Topology&) = default;
    Topology& operator=(const Topology&) = default;

    /**
     * @brief Make the common parameters options of the program.
     * @tparam C ns-3's CommandLine or CheckedCommandLine
     * @param cmd command line
     * @param external what this topology calls an external switch
     */
    template <typename C>
    void AddCommonOptions(C& cmd, const std::string& external)
    {
        cmd.AddValue("datacenters", "Number of datacenters", datacenters);
        cmd.AddValue("nicsPerHost", "NICs per host", nicsPerHost);
        cmd.AddValue("hostRate", "Rate of host links", hostRate);
        cmd.AddValue("hostDelay", "One-way delay of host links", hostDelay);
        cmd.AddValue("wanRate", "Rate of each WAN link", wanRate);
        cmd.AddValue("wanDelay", "One-way delay of WAN links", wanDelay);
        cmd.AddValue("wanLinks",
                     "WAN links between each pair of " + external + " switches",
                     wanLinks);
        cmd.AddValue("wanPortBuffer",
                     "Buffer of each WAN port; 0: four one-way BDPs and 4 MiB",
                     wanPortBuffer);
        cmd.AddValue("wanXonFraction", "Xon over Xoff threshold of a WAN port", wanXonFraction);
        cmd.AddValue("egressBuffer",
                     "If above 0: instead of shared buffers, a drop-tail queue of this size at "
                     "each switch port; needs --lossless=0",
                     egressBuffer);
    }

    /**
     * @brief Check all parameters; a helper checks its own and those of this class.
     * @throw InputError naming the parameter
     */
    virtual void Validate() const = 0;

    /**
     * @brief Make one datacenter.
     * @param network where
     * @param datacenter its index
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
     * @param datacenter index
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
     * @brief Add a switch.
     * @param network where
     * @param datacenter index
     * @param name without the datacenter
     * @param buffer shared buffer
     * @param egressLimit drop-tail limit of each port; 0: egressBuffer
     * @return the switch
     */
    uint32_t AddSwitch(Network& network,
                       uint32_t datacenter,
                       const std::string& name,
                       const QueueSize& buffer,
                       const QueueSize& egressLimit = QueueSize("0B")) const;

    /// Refuse 0 as the value of a parameter.
    static void CheckPositive(uint64_t value, const char* name);

    /// Refuse a negative delay as the value of a parameter.
    static void CheckDelay(const Time& delay, const char* name);

    /// Refuse a value of a parameter that is neither of two choices.
    static void CheckChoice(const std::string& value,
                            const char* name,
                            const char* first,
                            const char* second);

    /// Refuse a buffer of each ingress port and a limit of each egress port at once.
    static void RefuseBoth(const ByteSize& pool,
                           const char* poolName,
                           const ByteSize& limit,
                           const char* limitName);

    /// Refuse all but 0 and sensible ratios as the value of a parameter.
    static void CheckOversubscription(double value, const char* name);

    /**
     * @brief The rate of each uplink that an oversubscription asks for.
     * @param belowBps capacity from below
     * @param uplinks their number
     * @param oversubscription belowBps over the uplinks' capacity; 0: not given
     * @param given rate if it is not
     * @return bit/s
     */
    static uint64_t UplinkRateBps(double belowBps,
                                  uint32_t uplinks,
                                  double oversubscription,
                                  const DataRate& given);

  private:
    void ConnectDatacenters(Network& network,
                            const std::vector<std::vector<uint32_t>>& externals) const;
};

} // namespace ns3::roce

#endif /* ROCE_TOPOLOGY_H */
