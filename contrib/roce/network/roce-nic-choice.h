// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NIC_CHOICE_H
#define ROCE_NIC_CHOICE_H

#include "ns3/roce-flow-spec.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3::roce
{

class NetworkPaths;
struct NetworkParts;

/**
 * @brief Which NICs a flow from host to host takes, of those that links join.
 *
 * Two hosts that share a switch inside their server (NetworkMap::AddInternalSwitch()) use its NICs
 * by every rule. All messages of a connection take the same NICs.
 */
enum class NicRule : uint8_t
{
    NAMED,   //!< none: a flow says from which NIC to which
    NEAREST, //!< fewest links, then the highest rate of the slowest link, then the least delay; of
             //!< several pairs one by hash
    RAIL,    //!< those of the same number at their hosts, in turn: by connection, or else by id
    HASH,    //!< any pair, by hash
};

/// Puts the NICs of hosts into flows. See Network::ChooseNics().
class NicChoice
{
  public:
    /// @param parts @param paths outlive this
    NicChoice(const NetworkParts& parts, const NetworkPaths& paths, NicRule rule)
        : m_parts(parts),
          m_paths(paths),
          m_rule(rule)
    {
    }

    /// @param flow its src and dst are hosts; then they are NICs
    /// @throw InputError for unknown hosts, or if no NICs of both are joined
    void Apply(FlowSpec& flow);

  private:
    using Pair = std::pair<uint32_t, uint32_t>;

    std::vector<Pair> FindPairs(uint32_t srcHost, uint32_t dstHost) const;
    std::vector<Pair> FindNearest(const std::vector<Pair>& pairs) const;
    std::vector<uint32_t> GetNics(uint32_t host, bool internal) const;

    const NetworkParts& m_parts;
    const NetworkPaths& m_paths;
    NicRule m_rule;
    std::map<Pair, std::vector<Pair>> m_pairs; //!< NICs by hosts, found so far
};

} // namespace ns3::roce

#endif /* ROCE_NIC_CHOICE_H */
