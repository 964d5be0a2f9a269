/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_PORT_NAMES_H
#define ROCE_PORT_NAMES_H

#include "ns3/roce-network.h"

#include <string>
#include <vector>

namespace ns3
{
namespace roce
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

} // namespace roce
} // namespace ns3

#endif /* ROCE_PORT_NAMES_H */
