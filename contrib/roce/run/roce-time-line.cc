// SPDX-License-Identifier: GPL-2.0-only
#include "roce-time-line.h"

#include "ns3/node-list.h"
#include "ns3/node.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ns3::roce
{

namespace
{

constexpr unsigned DECIMALS_OF_US = 6; //!< of microseconds

/// A text in quotation marks.
std::string
Quoted(const std::string& text)
{
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace

std::size_t
TimeLineLanes::Take(int64_t fromPs, int64_t toPs)
{
    const auto free = std::find_if(m_ends.begin(), m_ends.end(), [fromPs](int64_t endPs) {
        return endPs <= fromPs;
    });
    const auto number = static_cast<std::size_t>(free - m_ends.begin());
    m_ends.resize(std::max(m_ends.size(), number + 1));
    m_ends[number] = toPs;
    return number;
}

TimeLine::TimeLine(const Network& network, const std::string& path)
    : m_network(network),
      m_file(path)
{
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        const Nic& nic = *network.GetNic(n);
        m_nicLabels[{nic.GetNode()->GetId(), nic.GetIfIndex()}] = "nic" + std::to_string(n);
    }
    m_file.Append("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

void
TimeLine::BeginEvent(const char* kind, uint32_t process, uint32_t track)
{
    m_file.Append(m_isFirst ? "\n" : ",\n");
    m_isFirst = false;
    m_file.Append("{\"ph\":\"").Append(kind).Append("\",\"pid\":").Number(process);
    m_file.Append(",\"tid\":").Number(track);
}

void
TimeLine::Name(const char* what, uint32_t process, uint32_t track, const std::string& name)
{
    BeginEvent("M", process, track);
    m_file.Append(",\"name\":\"").Append(what).Append("\",\"args\":{\"name\":");
    m_file.Append(Quoted(name)).Append("}}").FlushIfFull();
}

void
TimeLine::BeginCounter(uint32_t process, const std::string& name, const char* unit, int64_t atPs)
{
    BeginEvent("C", process, 0);
    m_file.Append(",\"name\":").Append(Quoted(name));
    m_file.Append(",\"ts\":").Fixed(atPs, DECIMALS_OF_US);
    m_file.Append(",\"args\":{\"").Append(unit).Append("\":");
}

std::string
TimeLine::PortLabel(uint32_t node, uint16_t port) const
{
    const auto it = m_nicLabels.find({node, port});
    return it == m_nicLabels.end() ? "port " + std::to_string(port) : it->second;
}

uint32_t
TimeLine::AddProcess(const std::string& name)
{
    const auto number =
        std::max<uint32_t>(static_cast<uint32_t>(m_named.size()), NodeList::GetNNodes());
    m_named.resize(number + 1);
    m_named[number] = true;
    Name("process_name", number + 1, 0, name);
    return number;
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
        Name("process_name", process, 0, m_network.GetNodeName(node));
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
    const auto [it, isNew] =
        m_tracks.try_emplace({process, track}, static_cast<uint32_t>(m_tracks.size() + 1));
    if (isNew)
    {
        Name("thread_name", process, it->second, track);
    }
    BeginEvent("X", process, it->second);
    m_file.Append(",\"name\":").Append(Quoted(name));
    m_file.Append(",\"ts\":").Fixed(fromPs, DECIMALS_OF_US);
    m_file.Append(",\"dur\":").Fixed(toPs - fromPs, DECIMALS_OF_US);
    m_file.Append(",\"args\":").Append(details.dump()).Append('}').FlushIfFull();
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
    m_file.Append("\n]}\n").Close();
}

} // namespace ns3::roce
