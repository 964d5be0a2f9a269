// SPDX-License-Identifier: GPL-2.0-only
#include "roce-flow-columns.h"

#include "ns3/roce-line-reader.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace ns3::roce
{

namespace
{

/// Later starts than this are not those of a list of a few seconds' traffic.
constexpr double MAX_START_SECONDS = 60;

/// @return whether a text is a number of seconds. @param seconds [out] it
bool
IsSeconds(const std::string& text, double& seconds)
{
    std::istringstream in(text);
    return in >> seconds && in.eof() && seconds >= 0;
}

FlowColumns
ConWeave()
{
    FlowColumns columns;
    columns.dport = FlowColumns::NONE;
    columns.size = 3;
    columns.start = 4;
    columns.count = 5;
    columns.form = "src dst pg size start_seconds";
    columns.note = "five columns are taken for ConWeave's: " + columns.form;
    return columns;
}

FlowColumns
Hawkeye()
{
    FlowColumns columns;
    columns.count = 7;
    columns.form += " stop_seconds";
    columns.note = "seven columns are taken for Hawkeye's: " + columns.form +
                   "; flows do not stop before they are complete";
    return columns;
}

FlowColumns
M3()
{
    FlowColumns columns;
    columns.src = 1;
    columns.dst = 2;
    columns.pg = 3;
    columns.dport = 4;
    columns.size = 5;
    columns.start = 6;
    columns.count = 7;
    columns.form = "id " + columns.form;
    columns.note = "seven columns are taken for m3's: " + columns.form;
    return columns;
}

/// @return whether all flows of a list can be m3's: seven columns, of which the first counts them
bool
AreM3(const std::string& path)
{
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored))
    {
        return false; // a pipe is read once only
    }
    LineReader reader(path, "a flow list");
    std::string text;
    reader.Next(text);
    const uint64_t count = reader.ParseUnsigned(text, "number of flows", UINT64_MAX);
    uint64_t first = 0;
    for (uint64_t found = 0; found < count && reader.Next(text); ++found)
    {
        const auto fields = LineReader::SplitAtBlanks(text);
        first = found == 0 && fields[0] == "1" ? 1 : first;
        const bool fits = fields.size() == 7 && fields[0] == std::to_string(first + found) &&
                          fields[1] != fields[2] && fields[3].size() == 1 && fields[3] < "8" &&
                          LineReader::AllDigits(fields[5]);
        if (!fits)
        {
            return false;
        }
    }
    return true;
}

} // namespace

FlowColumns
FlowColumns::Find(const std::string& path, const std::vector<std::string>& fields)
{
    switch (fields.size())
    {
    case 5:
        return ConWeave();
    case 7:
        return AreM3(path) ? M3() : Hawkeye();
    default:
        return {};
    }
}

void
PacketListGuess::Look(const std::vector<std::string>& fields)
{
    double start = 0;
    double stop = 0;
    m_fits = m_fits && fields.size() == 6 && IsSeconds(fields[4], start) &&
             IsSeconds(fields[5], stop) && start <= MAX_START_SECONDS && start < stop;
    m_hasOddPort = m_hasOddPort || (fields.size() == 6 && fields[3] != "100" && fields[3] != "200");
}

bool
PacketListGuess::IsNoFlow(const std::vector<std::string>& fields)
{
    return !LineReader::AllDigits(fields[4]) || std::strtod(fields[3].c_str(), nullptr) > 65535;
}

} // namespace ns3::roce
