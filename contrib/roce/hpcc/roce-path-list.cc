// SPDX-License-Identifier: GPL-2.0-only
#include "roce-path-list.h"

#include "ns3/roce-line-reader.h"
#include "ns3/roce-path-policy.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace ns3::roce
{

namespace
{

const std::string HEADER = "id,path_node_ids";
const std::string HEADER_WITH_ACKS = HEADER + ",ack_path_node_ids";
constexpr uint32_t N_PORTS = 65536;
constexpr uint32_t FIRST_PORT = 0xc000; //!< RoCEv2 source ports are dynamic ones

/// Turns the lines of one file into source ports.
class Pinner : private LineReader
{
  public:
    Pinner(const std::string& path, const HpccTopology& topology, const Network& network)
        : LineReader(path, "a list of paths"),
          m_topology(topology),
          m_network(network)
    {
    }

    uint64_t Pin(FlowList& list)
    {
        std::vector<uint64_t> idOfRow(list.rows.size());
        for (uint64_t id = 0; id < list.rows.size(); ++id)
        {
            idOfRow[list.rows[id]] = id;
        }
        std::vector<bool> pinned(list.rows.size());
        std::string text;
        if (!Next(text) || (text != HEADER && text != HEADER_WITH_ACKS))
        {
            Fail("first line is '" + text + "', expected " + HEADER + "[,ack_path_node_ids]");
        }
        const std::string header = text;
        const bool withAcks = header == HEADER_WITH_ACKS;
        uint64_t count = 0;
        for (; Next(text); ++count)
        {
            const auto fields = SplitAtCommas(text);
            CheckFieldCount(fields.size(), withAcks ? 3 : 2, header);
            const uint64_t row = ParseUnsigned(fields[0], "id", idOfRow.size() - 1);
            if (pinned[row])
            {
                Fail("flow " + fields[0] + " is there twice, expected each once");
            }
            pinned[row] = true;
            FlowSpec& flow = list.flows[idOfRow[row]];
            flow.srcPort = FindPort(flow.src, flow.dst, fields[1]);
            if (withAcks)
            {
                flow.replyPort = FindPort(flow.dst, flow.src, fields[2]);
            }
        }
        return count;
    }

  private:
    /// The switches of a path.
    std::vector<const Station*> ParseNodes(uint32_t srcNic,
                                           uint32_t dstNic,
                                           const std::string& text) const
    {
        std::vector<uint32_t> nodes;
        std::istringstream list(text);
        for (std::string node; std::getline(list, node, '-');)
        {
            nodes.push_back(
                static_cast<uint32_t>(ParseUnsigned(node, "node", m_topology.isSwitch.size() - 1)));
        }
        const uint32_t src = m_topology.nodeOfNic[srcNic];
        const uint32_t dst = m_topology.nodeOfNic[dstNic];
        if (nodes.size() < 3 || nodes.front() != src || nodes.back() != dst)
        {
            Fail("path " + text + ", expected one from " + std::to_string(src) + " to " +
                 std::to_string(dst) + ", the ends of the flow (ACKs: backwards)");
        }
        std::vector<const Station*> switches;
        for (std::size_t i = 1; i + 1 < nodes.size(); ++i)
        {
            if (!m_topology.isSwitch[nodes[i]])
            {
                Fail("path " + text + " goes through host " + std::to_string(nodes[i]) +
                     ", expected switches between source and destination");
            }
            switches.push_back(PeekPointer(m_network.GetSwitch(m_topology.switchOfNode[nodes[i]])));
        }
        return switches;
    }

    uint16_t FindPort(uint32_t src, uint32_t dst, const std::string& text) const
    {
        const std::vector<const Station*> switches = ParseNodes(src, dst, text);
        for (uint32_t i = 0; i < N_PORTS; ++i)
        {
            const auto port = static_cast<uint16_t>(FIRST_PORT + i);
            if (port == 0)
            {
                continue; // FlowSpec takes it for none
            }
            const auto path = m_network.TracePath(src, dst, port);
            const auto same = [](const Network::PathHop& hop, const Station* sw) {
                return hop.port->GetOwner() == sw;
            };
            if (std::equal(path.begin() + 1, path.end(), switches.begin(), switches.end(), same))
            {
                return port;
            }
        }
        for (uint32_t s = 0; s < m_network.GetNSwitches(); ++s)
        {
            if (m_network.GetSwitch(s)->GetPathPolicy())
            {
                Fail("path " + text +
                     " is none that switches with a path policy choose for it; "
                     "expected switches without one (ROUTING_MODE 0)");
            }
        }
        Fail("path " + text + " is not one of the shortest paths, expected one that routing uses");
    }

    const HpccTopology& m_topology;
    const Network& m_network;
};

} // namespace

uint64_t
PinPaths(const std::string& path,
         const HpccTopology& topology,
         const Network& network,
         FlowList& list)
{
    return Pinner(path, topology, network).Pin(list);
}

} // namespace ns3::roce
