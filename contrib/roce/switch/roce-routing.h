// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_ROUTING_H
#define ROCE_ROUTING_H

#include "ns3/roce-fetch.h"
#include "ns3/roce-hash.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::roce
{

/// @brief Where every NIC is attached: one table for the whole network, shared by its switches.
struct Attachments
{
    std::vector<uint32_t> rackOfNic;       //!< index of the switch-side rack of each NIC
    std::vector<uint16_t> portOfNic;       //!< port of its rack's switch that leads to the NIC
    std::vector<uint32_t> datacenterOfNic; //!< as a table of address prefixes would say
};

/**
 * @brief ECMP hash of a frame's five-tuple (protocol and destination port are constant in RoCEv2).
 * @param entropy UDP source port
 * @param salt of the switch
 * @return 32 well-mixed bits
 */
inline uint32_t
EcmpHash(uint32_t src, uint32_t dst, uint16_t entropy, uint64_t salt)
{
    const uint64_t tuple = static_cast<uint64_t>(src) << 32 | dst;
    return static_cast<uint32_t>(Mix64(Mix64(tuple ^ salt) + entropy * 0x9e3779b97f4a7c15ULL) >>
                                 32);
}

/// A way from a switch to the racks of a class, and what the tables of a PathPolicy say of it.
struct PathEntry
{
    uint16_t port;     //!< it begins there
    int64_t delayPs;   //!< propagation from here to the rack's switch
    uint64_t leastBps; //!< rate of the slowest link on the way
    bool detour;       //!< one link longer than the others
};

/// The ways from a switch to a rack: the shortest ones first.
struct PathList
{
    const PathEntry* entries{nullptr};
    uint32_t shortest{0}; //!< how many have the fewest links
    uint32_t all{0};      //!< the detours among them
};

/**
 * @brief ECMP groups of one switch. Racks that the switch reaches through the same ports form a
 * class with one group, which every NIC of these racks shares: a table has one entry for each
 * direction of the switch, not for each rack.
 */
class Routing
{
  public:
    /// No route.
    static constexpr uint16_t NO_PORT = 0xffff;
    /// Several ways, of which the switch's PathPolicy is to choose one: see GetPaths().
    static constexpr uint16_t CHOOSE = 0xfffe;

    /**
     * @param attachments table of the network
     * @param ownRack rack whose NICs hang off this switch, or -1
     * @param salt of the ECMP hash; different for every switch
     */
    void Configure(std::shared_ptr<const Attachments> attachments, int32_t ownRack, uint64_t salt);

    /**
     * @brief Forget all groups and say which racks are to share one. After Configure().
     * @param classOfRack class of each rack of the network, from 0; other switches may have the
     * same table
     */
    void SetClasses(std::shared_ptr<const std::vector<uint32_t>> classOfRack);

    /**
     * @brief Set the equal-cost ports towards the racks of a class.
     * @param rackClass see SetClasses()
     * @param ports in ascending order
     */
    void SetGroup(uint32_t rackClass, const std::vector<uint16_t>& ports);

    /// @brief Tables of paths are kept for a PathPolicy. After Configure(), before SetClasses().
    void KeepPaths()
    {
        m_keepsPaths = true;
    }

    /// @return whether groups are set by SetPaths()
    bool KeepsPaths() const
    {
        return m_keepsPaths;
    }

    /**
     * @brief Set the ways towards the racks of a class, in place of SetGroup().
     * @param rackClass see SetClasses()
     * @param paths in ascending order of ports, the detours last
     */
    void SetPaths(uint32_t rackClass, std::vector<PathEntry> paths);

    /**
     * @brief Choose the egress port.
     * @param entropy UDP source port
     * @return port, NO_PORT, or CHOOSE
     */
    uint16_t Route(uint32_t src, uint32_t dst, uint16_t entropy) const
    {
        const uint32_t rack = m_rackOfNic[dst];
        if (static_cast<int32_t>(rack) == m_ownRack)
        {
            return m_portOfNic[dst];
        }
        const Group group = m_groups[m_classOfRack[rack]];
        if (group.count < 2)
        {
            return group.count ? m_ports[group.first] : NO_PORT;
        }
        const uint64_t hash = EcmpHash(src, dst, entropy, m_salt);
        return m_ports[group.first + ((hash * group.count) >> 32)];
    }

    /// @return the ways towards a NIC for which Route() says CHOOSE. @param dst the NIC
    PathList GetPaths(uint32_t dst) const
    {
        const Paths& paths = m_paths[m_classOfRack[m_rackOfNic[dst]]];
        return {paths.entries.data(), paths.shortest, static_cast<uint32_t>(paths.entries.size())};
    }

    /**
     * @brief Route() for those who look ahead: where a policy chooses, the way with the longest
     * delay, which a sender has to reckon with.
     * @param entropy UDP source port
     * @param detours whether they are among those that the policy may choose
     * @return port, or NO_PORT
     */
    uint16_t Foresee(uint32_t src, uint32_t dst, uint16_t entropy, bool detours) const;

    /// @return 32 well-mixed bits of a five-tuple, others at each switch. @param entropy UDP source
    /// port
    uint32_t Hash(uint32_t src, uint32_t dst, uint16_t entropy) const
    {
        return EcmpHash(src, dst, entropy, m_salt);
    }

    /// @brief Prefetch what Route() looks up, as far as it is this switch's own.
    void Fetch() const
    {
        FetchBytes(m_groups.data(), std::min<std::size_t>(m_groups.size() * sizeof(Group), 256));
        FetchBytes(m_ports.data(), std::min<std::size_t>(m_ports.size() * sizeof(uint16_t), 128));
    }

    /// @return table of the network
    const Attachments& GetAttachments() const
    {
        return *m_attachments;
    }

    /// @return rack whose NICs hang off this switch, or -1
    int32_t GetOwnRack() const
    {
        return m_ownRack;
    }

    /// @return rack that a NIC belongs to. @param nic number in the network
    int32_t GetRackOf(uint32_t nic) const
    {
        return static_cast<int32_t>(m_rackOfNic[nic]);
    }

    /// @param rack destination rack. @return equal-cost ports towards it, without detours
    std::vector<uint16_t> GetGroup(uint32_t rack) const;

  private:
    /// A run of m_ports.
    struct Group
    {
        uint32_t first{0};
        uint32_t count{0};
    };

    /// The ways towards a class.
    struct Paths
    {
        std::vector<PathEntry> entries;
        uint32_t shortest{0};
    };

    std::shared_ptr<const Attachments> m_attachments;
    const uint32_t* m_rackOfNic{nullptr};
    const uint16_t* m_portOfNic{nullptr};
    const uint32_t* m_classOfRack{nullptr};
    int32_t m_ownRack{-1};
    uint64_t m_salt{0};
    std::shared_ptr<const std::vector<uint32_t>> m_classes;
    std::vector<Group> m_groups; //!< by class
    std::vector<uint16_t> m_ports;
    std::vector<Paths> m_paths; //!< by class, if they are kept
    bool m_keepsPaths{false};
};

} // namespace ns3::roce

#endif /* ROCE_ROUTING_H */
