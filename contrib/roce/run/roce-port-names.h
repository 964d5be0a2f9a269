// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PORT_NAMES_H
#define ROCE_PORT_NAMES_H

#include "ns3/roce-network.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/// A port as users name it.
struct NamedPort
{
    std::string name; //!< nic3, or dc0-leaf1-2 for port 2 of switch dc0-leaf1
    Ptr<Port> port;
};

/**
 * @brief The ports that a text names.
 * @param network built
 * @param text nic3, dc0-leaf1:2 (one port of a switch) dc0-leaf1 (all of them) or all (of
 *        the network)
 * @param what begins the message, for example an option's name
 * @return one or more ports
 * @throw InputError if there is no such port
 */
std::vector<NamedPort> FindPorts(const Network& network,
                                 const std::string& text,
                                 const std::string& what);

/// @brief The names that files give to nodes and ports, as options take them.
class PortNames
{
  public:
    /// @param network built
    explicit PortNames(const Network& network);

    /// @param node ns-3 node id. @return name of a switch or a host, or "" if it is neither
    const std::string& GetNode(uint32_t node) const;

    /**
     * @param node ns-3 node id
     * @param index number of the port at its node
     * @return nic3, or dc0-leaf1:2 for port 2 of switch dc0-leaf1; "" if there is none
     */
    const std::string& GetPort(uint32_t node, uint16_t index) const;

    /// @return the port at the other end of its link by the name of each port: NICs, then switches
    const std::vector<std::pair<std::string, std::string>>& GetNeighbours() const
    {
        return m_neighbours;
    }

  private:
    /// What is known of a node.
    struct NodeNames
    {
        std::string name;
        std::vector<std::string> ports; //!< by number at the node; "" if it is no port
    };

    std::vector<NodeNames> m_nodes; //!< by node id
    std::vector<std::pair<std::string, std::string>> m_neighbours;
};

} // namespace ns3::roce

#endif /* ROCE_PORT_NAMES_H */
