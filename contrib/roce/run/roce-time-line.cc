// SPDX-License-Identifier: GPL-2.0-only
#include "roce-time-line.h"

#include "ns3/node.h"

#include <nlohmann/json.hpp>

namespace ns3::roce
{

TimeLine::TimeLine(Network& network, const std::string& path)
    : m_network(network),
      m_trace(path)
{
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        const Nic& nic = *network.GetNic(n);
        m_nicLabels[{nic.GetNode()->GetId(), nic.GetIfIndex()}] = "nic" + std::to_string(n);
    }
}

std::string
TimeLine::PortLabel(uint32_t node, uint16_t port) const
{
    const auto it = m_nicLabels.find({node, port});
    return it == m_nicLabels.end() ? "port " + std::to_string(port) : it->second;
}

uint32_t
TimeLine::Process(uint32_t node)
{
    if (node >= m_named.size())
    {
        m_named.resize(node + 1);
    }
    const uint32_t process = node + 1; // viewers keep 0 for themselves
    if (!m_named[node])
    {
        m_named[node] = true;
        m_trace.NameProcess(process, m_network.GetNodeName(node));
    }
    return process;
}

void
TimeLine::Slice(uint32_t node,
                const std::string& track,
                const std::string& name,
                int64_t fromPs,
                int64_t toPs,
                const nlohmann::ordered_json& details)
{
    const uint32_t process = Process(node);
    m_trace.Slice(process, track, name, fromPs, toPs, details);
}

void
TimeLine::PortSlice(uint32_t node,
                    uint16_t port,
                    uint8_t trafficClass,
                    const char* what,
                    bool begins,
                    int64_t atPs)
{
    Process(node); // named by what comes first, even if its slice ends later
    const std::string track =
        PortLabel(node, port) + " class " + std::to_string(trafficClass) + " " + what;
    const auto [it, isNew] = m_open.try_emplace({node, track}, OpenSlice{what, atPs});
    if (!begins && !isNew)
    {
        Slice(node,
              track,
              what,
              it->second.fromPs,
              atPs,
              nlohmann::ordered_json::object({{"class", trafficClass}}));
    }
    if (!begins)
    {
        m_open.erase(it);
    }
}

void
TimeLine::EndPortSlices(int64_t nowPs)
{
    for (const auto& [key, open] : m_open)
    {
        Slice(key.first,
              key.second,
              open.what,
              open.fromPs,
              nowPs,
              nlohmann::ordered_json::object({{"status", "unfinished"}}));
    }
    m_open.clear();
}

void
TimeLine::Close()
{
    m_trace.Close();
}

} // namespace ns3::roce
