// SPDX-License-Identifier: GPL-2.0-only
#include "roce-chrome-trace.h"

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

ChromeTrace::ChromeTrace(const std::string& path)
    : m_file(path)
{
    m_file.Append("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

void
ChromeTrace::BeginEvent(const char* kind, uint32_t process, uint32_t track)
{
    m_file.Append(m_first ? "\n" : ",\n");
    m_first = false;
    m_file.Append("{\"ph\":\"").Append(kind).Append("\",\"pid\":").Number(process);
    m_file.Append(",\"tid\":").Number(track);
}

void
ChromeTrace::Metadata(const char* what, uint32_t process, uint32_t track, const std::string& name)
{
    BeginEvent("M", process, track);
    m_file.Append(",\"name\":\"").Append(what).Append("\",\"args\":{\"name\":");
    m_file.Append(Quoted(name)).Append("}}").FlushIfFull();
}

void
ChromeTrace::NameProcess(uint32_t process, const std::string& name)
{
    Metadata("process_name", process, 0, name);
}

uint32_t
ChromeTrace::TrackOf(uint32_t process, const std::string& name)
{
    const auto [it, isNew] =
        m_tracks.try_emplace({process, name}, static_cast<uint32_t>(m_tracks.size() + 1));
    if (isNew)
    {
        Metadata("thread_name", process, it->second, name);
    }
    return it->second;
}

void
ChromeTrace::Slice(uint32_t process,
                   const std::string& track,
                   const std::string& name,
                   int64_t fromPs,
                   int64_t toPs,
                   const nlohmann::ordered_json& details)
{
    const uint32_t number = TrackOf(process, track);
    BeginEvent("X", process, number);
    m_file.Append(",\"name\":").Append(Quoted(name));
    m_file.Append(",\"ts\":").Fixed(fromPs, DECIMALS_OF_US);
    m_file.Append(",\"dur\":").Fixed(toPs - fromPs, DECIMALS_OF_US);
    m_file.Append(",\"args\":").Append(details.dump()).Append('}').FlushIfFull();
}

void
ChromeTrace::BeginCounter(uint32_t process, const std::string& name, const char* unit, int64_t atPs)
{
    BeginEvent("C", process, 0);
    m_file.Append(",\"name\":").Append(Quoted(name));
    m_file.Append(",\"ts\":").Fixed(atPs, DECIMALS_OF_US);
    m_file.Append(",\"args\":{\"").Append(unit).Append("\":");
}

void
ChromeTrace::Close()
{
    m_file.Append("\n]}\n").Close();
}

} // namespace ns3::roce
