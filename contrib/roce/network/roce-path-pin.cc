// SPDX-License-Identifier: GPL-2.0-only
#include "roce-path-pin.h"

#include "ns3/node.h"
#include "ns3/roce-input-error.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

namespace ns3::roce
{

namespace
{

constexpr uint16_t FIRST_PORT = 0xc000; //!< RoCEv2 source ports are dynamic ones
constexpr uint16_t N_PORTS = 4096;      //!< tried; of 16 equal paths each is missed once in 10^114

/// Which of some switches a path goes through.
std::vector<bool>
Passed(const Network& network,
       const std::vector<std::string>& switches,
       const FlowSpec& flow,
       uint16_t port)
{
    std::vector<bool> passed(switches.size());
    for (const Network::PathHop& hop : network.TracePath(flow.src, flow.dst, port))
    {
        const std::string name = network.GetNodeName(hop.port->GetNode()->GetId());
        const auto found = std::find(switches.begin(), switches.end(), name);
        if (found != switches.end())
        {
            passed[found - switches.begin()] = true;
        }
    }
    return passed;
}

} // namespace

void
PinThrough(const Network& network,
           const std::vector<std::string>& switches,
           std::vector<FlowSpec>& flows)
{
    std::map<std::pair<uint32_t, uint32_t>, uint16_t> ports; // of source and destination
    std::vector<bool> used(switches.size());
    for (FlowSpec& flow : flows)
    {
        if (flow.srcPort)
        {
            continue;
        }
        const auto [entry, isNew] = ports.emplace(std::pair(flow.src, flow.dst), FIRST_PORT);
        std::ptrdiff_t most = -1;
        std::vector<bool> best;
        for (uint16_t i = 0; isNew && i < N_PORTS && most < std::ptrdiff_t(switches.size()); ++i)
        {
            const uint16_t port = FIRST_PORT + i;
            const std::vector<bool> passed = Passed(network, switches, flow, port);
            const std::ptrdiff_t count = std::count(passed.begin(), passed.end(), true);
            if (count > most)
            {
                most = count;
                best = passed;
                entry->second = port;
            }
        }
        for (std::size_t i = 0; i < best.size(); ++i)
        {
            used[i] = used[i] || best[i];
        }
        flow.srcPort = entry->second;
    }
    const auto unused = std::find(used.begin(), used.end(), false);
    if (unused != used.end())
    {
        throw InputError("flows cannot go through '" + switches[unused - used.begin()] +
                         "', expected names of switches on shortest paths of flows");
    }
}

void
PinThrough(const Network& network, const std::string& switches, std::vector<FlowSpec>& flows)
{
    std::vector<std::string> names;
    std::istringstream list(switches);
    for (std::string name; std::getline(list, name, ',');)
    {
        names.push_back(name);
    }
    if (!names.empty())
    {
        PinThrough(network, names, flows);
    }
}

} // namespace ns3::roce
