// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NETWORK_ROUTES_H
#define ROCE_NETWORK_ROUTES_H

#include "ns3/roce-routing.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace ns3::roce
{

class Switch;
struct NetworkOptions;
struct NetworkParts;
struct WireSizes;

/// The routing tables of a network's switches: all shortest paths, also after failures.
class NetworkRoutes
{
  public:
    /// @param parts outlive this
    explicit NetworkRoutes(NetworkParts& parts)
        : m_parts(parts)
    {
    }

    /// @brief Find the islands of switches; call once, before anything else.
    /// @throw InputError if two hosts have no NICs at the same one
    void FindIslands();

    /// @brief Give switches their path policies; before Compute(). @param options which
    /// @throw InputError for detours that none can choose
    void InstallPolicies(const NetworkOptions& options);

    /// @brief Fill the tables of all switches.
    void Compute();

    /// @brief Compute anew after a change that switches have learnt of; not the link's present
    /// state, as a later change is not known yet. @param up repaired, not failed
    void Change(uint32_t link, unsigned directions, bool up);

    /// @return the tables of a switch before all changes
    const Routing& GetIntact(Switch& sw) const;

    /**
     * @param sizes of all frames
     * @return see PathInfo::longestRttPs: of each datacenter, within it and out of it
     */
    std::map<uint32_t, std::array<int64_t, 2>> FindLongestRtts(const WireSizes& sizes) const;

  private:
    void CheckHosts() const;
    bool IsUsable(uint32_t link, unsigned end) const;
    std::vector<std::vector<uint32_t>> FindTwinRacks() const;
    std::vector<uint32_t> ComputeDistances(uint32_t destination) const;
    std::vector<PathEntry> ComputeQualities(const std::vector<uint32_t>& distances) const;
    std::vector<PathEntry> FindPaths(uint32_t from,
                                     uint32_t distance,
                                     const std::vector<uint32_t>& distances,
                                     const std::vector<PathEntry>& qualities) const;
    PathEntry Extend(const PathEntry& rest, uint32_t from, uint16_t port) const;

    NetworkParts& m_parts;
    bool m_hasPolicies{false};
    bool m_hasDetours{false};             //!< see NetworkOptions::detours
    std::map<uint32_t, Routing> m_intact; //!< by node id; empty until routes have changed
};

} // namespace ns3::roce

#endif /* ROCE_NETWORK_ROUTES_H */
