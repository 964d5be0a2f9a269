// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_BEST_PATHS_H
#define ROCE_BEST_PATHS_H

#include "roce-ideal-fct.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <unordered_map>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Which of the equal-cost paths between two switches may be the fastest on an empty network.
 *
 * A path is never faster than one with as many links, each at least as fast, and at most the same
 * total delay; such paths are left out. Where the links of each level are alike, as in most
 * networks, one path is left.
 *
 * Results between two switches are kept, so that paths that meet are followed once: in a fat-tree,
 * a search visits only switches that no search to the same rack has visited.
 */
class BestPaths
{
  public:
    using Path = std::vector<HopSpec>;

    /// A link to the next switch.
    struct Link
    {
        HopSpec spec;
        uint32_t to;
    };

    /// Answers with the links that a switch may send on. All ways end at the switch looked for.
    using Links = std::function<std::vector<Link>(uint32_t sw)>;

    /**
     * @brief Follow all ways from a switch to another.
     * @param from a switch
     * @param to a switch; the same: one path without links
     * @param links towards it; for the same switches always the same
     * @return paths; none if no way leads there
     */
    const std::vector<Path>& Find(uint32_t from, uint32_t to, const Links& links);

    /// @return pairs of switches that are remembered
    std::size_t GetN() const
    {
        return m_found.size();
    }

  private:
    /// By links; any order of all paths will do.
    struct Less
    {
        bool operator()(const Path& a, const Path& b) const;
        bool operator()(const std::vector<Path>& a, const std::vector<Path>& b) const;
    };

    /// A few different ones, however many pairs of switches there are.
    using Sets = std::set<std::vector<Path>, Less>;

    const std::vector<Path>& Search(uint32_t from, uint32_t to, const Links& links);

    Sets m_sets;
    std::unordered_map<uint64_t, const std::vector<Path>*> m_found; //!< by both switches
};

} // namespace ns3::roce

#endif /* ROCE_BEST_PATHS_H */
