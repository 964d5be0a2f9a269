// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NETWORK_MAP_H
#define ROCE_NETWORK_MAP_H

#include "roce-ideal-fct.h"
#include "roce-network-state.h"
#include "roce-station-handle.h"

#include "ns3/data-rate.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/roce-api-check.h"
#include "ns3/roce-byte-size.h"
#include "ns3/roce-default-watch.h"
#include "ns3/roce-nic.h"
#include "ns3/roce-switch-role.h"
#include "ns3/roce-switch.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/// What a network consists of, by number: for the classes that Network is made of.
struct NetworkParts
{
    /// A link as one of its two switches sees it.
    struct Neighbour
    {
        uint32_t sw;
        uint16_t port; //!< own port
        uint32_t link;
        unsigned end; //!< own end of the link
    };

    struct LinkEntry
    {
        Ptr<Link> link;
        std::array<uint32_t, 2> ends; //!< switches; of a HOST link NIC and switch
        bool host;                    //!< end 0 is a NIC
        unsigned knownDown{0};        //!< directions that routes avoid
    };

    struct SwitchEntry
    {
        Ptr<Switch> sw;
        std::string name;
        uint32_t datacenter;
        int32_t rack{-1};
        std::vector<Neighbour> neighbours;
        uint32_t island{0};     //!< the same for switches that links join; known once built
        bool isInternal{false}; //!< see NetworkMap::AddInternalSwitch()
    };

    struct HostEntry
    {
        Ptr<Node> node;
        std::string name;
        uint32_t datacenter;
        std::vector<uint32_t> nics;
    };

    struct NicEntry
    {
        Ptr<Nic> nic;
        std::string name;
        uint32_t datacenter;
        uint32_t sw;
        uint16_t swPort;
        uint32_t host;
    };

    const NicEntry& NicAt(uint32_t nic) const
    {
        return nics[CheckIndex("NIC", nic, nics.size())];
    }

    const SwitchEntry& SwitchAt(uint32_t sw) const
    {
        return switches[CheckIndex("switch", sw, switches.size())];
    }

    const LinkEntry& LinkAt(uint32_t link) const
    {
        return links[CheckIndex("link", link, links.size())];
    }

    /// @return whether two NICs are in different datacenters
    bool IsInterDc(uint32_t src, uint32_t dst) const
    {
        return NicAt(src).datacenter != NicAt(dst).datacenter;
    }

    /// @return see NetworkMap::AreJoined()
    bool AreJoined(uint32_t a, uint32_t b) const
    {
        return switches[NicAt(a).sw].island == switches[NicAt(b).sw].island;
    }

    /// @throw InputError unless AreJoined(). @param what needs a path, for the message
    void CheckJoined(const std::string& what, uint32_t a, uint32_t b) const;

    /// @return see NetworkMap::FindPair()
    std::pair<uint32_t, uint32_t> FindPair() const;

    /// @return see NetworkMap::HasRole()
    bool HasRole(uint32_t sw, SwitchRole role) const;

    /// @return longest delay of a link of a NIC, picoseconds
    int64_t GetLongestNicDelayPs() const;

    /// @return see NetworkMap::GetPorts()
    std::vector<Ptr<Port>> GetPorts() const;

    NodeContainer nodes;
    std::vector<SwitchEntry> switches;
    std::vector<HostEntry> hosts;
    std::vector<NicEntry> nics;
    std::vector<LinkEntry> links;
    std::vector<uint32_t> rackSwitch; //!< by rack; known once the network is built
};

/**
 * @brief Hosts, NICs, switches and links of a Network: how it is put together, and then its map.
 *
 * Nodes, hosts, NICs, switches and links are numbered in the order in which they are added. Hosts
 * may have several NICs, also at switches that no link joins: any two hosts need one network in
 * common. Flows run between NICs; see Network::ChooseNics() for those between hosts. Functions that
 * add something are called before Network::Build().
 */
class NetworkMap
{
  public:
    /// Nothing is simulated beyond, 53 days: so no sum with a timeout or a delay overflows.
    static constexpr int64_t LONGEST_RUN_PS = int64_t{1} << 62;
    /// Longest delay of a link, an hour.
    static constexpr int64_t LONGEST_DELAY_PS = 3600LL * 1000 * 1000 * 1000 * 1000;

    /// Which part of the network a link belongs to.
    enum class LinkKind : uint8_t
    {
        HOST,   //!< NIC and switch
        FABRIC, //!< switches of one datacenter
        WAN,    //!< switches of two datacenters
    };

    /// A link by its number, and which end was named first.
    struct LinkRef
    {
        uint32_t link;
        unsigned firstEnd; //!< 0 or 1, see Link
    };

    /// One link of a path, with the switch port or NIC that sends on it.
    struct PathHop
    {
        Port* port; //!< sending end
        HopSpec spec;
    };

    /**
     * @brief While one lives, default values of attributes stay as they are, and much is added: of
     * NICs and ports with default values the first one is made as always, and the others are copies
     * of it, which takes a tenth of the time.
     */
    class Bulk
    {
      public:
        /// @param network outlives this
        explicit Bulk(NetworkMap& network);

        ~Bulk();

        /// @throw InputError if a default value has changed meanwhile
        void Check() const;

        Bulk(const Bulk&) = delete;
        Bulk& operator=(const Bulk&) = delete;

      private:
        NetworkMap& m_network;
        Ptr<DefaultWatch> m_defaults;
    };

    /**
     * @brief Add a switch.
     * @param name for messages and files
     * @param factory kind and parameters
     */
    uint32_t AddSwitch(const std::string& name,
                       uint32_t datacenter,
                       const ObjectFactory& factory = ObjectFactory("ns3::roce::Switch"));

    /**
     * @brief Add a switch inside a server, such as an NVSwitch or a PCIe switch: lossless in all
     * classes of data whatever the attributes say, and joined only to NICs and to other switches of
     * its kind. Of roles it has only SwitchRole::ALL.
     * @param name for messages and files
     * @param factory kind and parameters
     */
    uint32_t AddInternalSwitch(const std::string& name,
                               uint32_t datacenter,
                               const ObjectFactory& factory = ObjectFactory("ns3::roce::Switch"));

    /**
     * @brief Add a host without NICs.
     * @param name for messages and files
     */
    uint32_t AddHost(const std::string& name, uint32_t datacenter);

    /**
     * @brief Give a host a NIC and connect it.
     * @param rate of both ends
     * @param delay propagation, one way
     * @param factory kind and parameters of the NIC
     * @throw InputError for unknown numbers, rate 0, negative delay
     */
    uint32_t AddNic(uint32_t host,
                    uint32_t sw,
                    const DataRate& rate,
                    const Time& delay,
                    const ObjectFactory& factory);

    /// The same with a Nic of default values.
    uint32_t AddNic(uint32_t host, uint32_t sw, const DataRate& rate, const Time& delay);

    /// The same in the units of the inside, bit/s and picoseconds.
    uint32_t AddNic(uint32_t host,
                    uint32_t sw,
                    uint64_t rateBps,
                    int64_t delayPs,
                    const ObjectFactory& factory);

    /// The same with a Nic of default values.
    uint32_t AddNic(uint32_t host, uint32_t sw, uint64_t rateBps, int64_t delayPs);

    /**
     * @brief Connect two switches. Parallel links are allowed.
     * @param a one switch
     * @param b another switch
     * @param rate of both ends
     * @param delay propagation, one way
     * @return port numbers at a and at b
     * @throw InputError as AddNic(), and if one of them is inside a server
     */
    std::pair<uint16_t, uint16_t> Connect(uint32_t a,
                                          uint32_t b,
                                          const DataRate& rate,
                                          const Time& delay);

    /// The same in the units of the inside, bit/s and picoseconds.
    std::pair<uint16_t, uint16_t> Connect(uint32_t a,
                                          uint32_t b,
                                          uint64_t rateBps,
                                          int64_t delayPs);

    /**
     * @brief Connect two switches by a long link, whose ports have deep buffers of their own: its
     * headroom does not come out of the switches' shared buffers.
     *
     * What arrives over the link may fill what the headroom leaves of the buffer before PFC stops
     * the other end (static threshold). Lossless classes need more than the headroom, a little over
     * two one-way BDPs.
     * @param a one switch
     * @param b another switch
     * @param rate of both ends
     * @param delay propagation, one way
     * @param buffer of each of the two ports; 0: four one-way BDPs, rate times two round trips, and
     * 4 MiB
     * @param xonFraction Xon over Xoff threshold, 0 to 1
     * @return port numbers at a and at b
     * @throw InputError as AddNic(), and for a buffer that does not hold the headroom
     */
    std::pair<uint16_t, uint16_t> ConnectLong(uint32_t a,
                                              uint32_t b,
                                              const DataRate& rate,
                                              const Time& delay,
                                              const ByteSize& buffer = {},
                                              double xonFraction = 0.5);

    /**
     * @brief The buffer of a port of a long link.
     * @param rate of the link
     * @param delay of the link
     * @param buffer see ConnectLong()
     * @param name of the buffer, for the message
     * @return bytes
     * @throw InputError if it does not hold the headroom of one lossless class
     */
    static uint64_t GetLongLinkBufferBytes(const DataRate& rate,
                                           const Time& delay,
                                           const ByteSize& buffer,
                                           const char* name);

    uint32_t GetNNics() const
    {
        return static_cast<uint32_t>(m_parts.nics.size());
    }

    uint32_t GetNSwitches() const
    {
        return static_cast<uint32_t>(m_parts.switches.size());
    }

    uint32_t GetNHosts() const
    {
        return static_cast<uint32_t>(m_parts.hosts.size());
    }

    /// @return the host that a NIC belongs to
    uint32_t GetHost(uint32_t nic) const
    {
        return m_parts.NicAt(nic).host;
    }

    /// @return in the order in which they were added
    const std::vector<uint32_t>& GetNicsOfHost(uint32_t host) const
    {
        return m_parts.hosts[CheckIndex("host", host, m_parts.hosts.size())].nics;
    }

    /// @return whether links of the network without failures join two NICs; after Build()
    bool AreJoined(uint32_t a, uint32_t b) const
    {
        m_state.ExpectBuilt("AreJoined()");
        return m_parts.AreJoined(a, b);
    }

    /// @return two NICs that are joined: the first and the last of all, if possible and if they are
    /// not at switches inside their servers; after Build()
    std::pair<uint32_t, uint32_t> FindPair() const
    {
        m_state.ExpectBuilt("FindPair()");
        return m_parts.FindPair();
    }

    /// @return whether a NIC is at a switch inside its server
    bool IsInternal(uint32_t nic) const
    {
        return m_parts.switches[m_parts.NicAt(nic).sw].isInternal;
    }

    /// @return a NIC; whatever is asked of it through the handle is up to date
    StationHandle<Nic> GetNic(uint32_t nic) const
    {
        m_state.ExpectThere("GetNic()");
        return StationHandle<Nic>(PeekPointer(m_parts.NicAt(nic).nic));
    }

    /// @return a switch; whatever is asked of it through the handle is up to date
    StationHandle<Switch> GetSwitch(uint32_t sw) const
    {
        m_state.ExpectThere("GetSwitch()");
        return StationHandle<Switch>(PeekPointer(m_parts.SwitchAt(sw).sw));
    }

    /**
     * @param role see SwitchRole
     * @return whether the switch has it; after Build()
     */
    bool HasRole(uint32_t sw, SwitchRole role) const;

    /// @return datacenter of a NIC
    uint32_t GetDatacenter(uint32_t nic) const
    {
        return m_parts.NicAt(nic).datacenter;
    }

    /// @return rack (index of racks in order of their switches) of a NIC, after Build()
    uint32_t GetRack(uint32_t nic) const
    {
        m_state.ExpectBuilt("GetRack()");
        return static_cast<uint32_t>(m_parts.switches[m_parts.NicAt(nic).sw].rack);
    }

    /// @return name of the host a NIC belongs to
    const std::string& GetNicName(uint32_t nic) const
    {
        return m_parts.NicAt(nic).name;
    }

    /// @return name by node id, for the node column of files
    std::string GetNodeName(uint32_t nodeId) const;

    /// @return nodes of the hosts, in their order
    NodeContainer GetHostNodes() const;

    const NodeContainer& GetNodes() const
    {
        return m_parts.nodes;
    }

    // --- links

    uint32_t GetNLinks() const
    {
        return static_cast<uint32_t>(m_parts.links.size());
    }

    Link& GetLink(uint32_t link) const
    {
        m_state.ExpectThere("GetLink()");
        return *m_parts.LinkAt(link).link;
    }

    /// @return what a link joins
    LinkKind GetLinkKind(uint32_t link) const;

    /// @return "dc0-leaf0 - dc0-spine1", with " #1" and so on for further parallel links
    std::string GetLinkName(uint32_t link) const;

    /**
     * @brief Find a link by the names of what it joins: switches, hosts, or nicN for the N-th NIC.
     * @param first one end
     * @param second the other
     * @param index which of parallel links, in the order they were added
     * @throw InputError that names what is unknown
     */
    LinkRef FindLink(const std::string& first, const std::string& second, uint32_t index = 0) const;

    /**
     * @brief Find a link between two switches.
     * @param a one switch
     * @param b the other
     * @param index which of parallel links
     * @throw InputError if there is none
     */
    LinkRef FindLink(uint32_t a, uint32_t b, uint32_t index = 0) const;

    /// @return the link of a NIC; end 0 is the NIC
    uint32_t GetLinkOfNic(uint32_t nic) const;

    /// @return all ports: NICs, then switch by switch
    std::vector<Ptr<Port>> GetPorts() const;

    NetworkMap(const NetworkMap&) = delete;
    NetworkMap& operator=(const NetworkMap&) = delete;

  protected:
    /// @param findPath for NICs, see Nic::SetIdentity()
    explicit NetworkMap(Nic::PathOracle findPath);

    ~NetworkMap() = default;

    /// @return the link of a port. @throw InputError for a port of another network
    uint32_t LinkOf(const Port& port) const;

    NetworkParts m_parts;
    NetworkState m_state;

  private:
    /// The first object of each kind that was made while a Bulk lives.
    struct Firsts
    {
        Ptr<Nic> nic;
        Ptr<Port> port;
    };

    using MakeNic = std::function<Ptr<Nic>()>;

    uint32_t AddMadeNic(uint32_t host,
                        uint32_t sw,
                        uint64_t rateBps,
                        int64_t delayPs,
                        const MakeNic& make);
    Ptr<Port> MakePort(uint64_t rateBps);
    uint16_t AddSwitchPort(uint32_t sw, Ptr<Port> port);
    uint32_t Join(Ptr<Port> a, Ptr<Port> b, int64_t delayPs);
    bool IsEnd(const NetworkParts::LinkEntry& entry, unsigned end, const std::string& name) const;
    std::string EndName(const NetworkParts::LinkEntry& entry, unsigned end) const;
    bool KnowsName(const std::string& name) const;

    Nic::PathOracle m_findPath;
    std::unique_ptr<Firsts> m_firsts; //!< null: no Bulk lives
};

} // namespace ns3::roce

#endif /* ROCE_NETWORK_MAP_H */
