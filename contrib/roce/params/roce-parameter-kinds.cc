// SPDX-License-Identifier: GPL-2.0-only
#include "roce-parameter-kinds.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/nstime.h"
#include "ns3/queue-size.h"
#include "ns3/roce-byte-size.h"
#include "ns3/roce-text-form.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>
#include <utility>

namespace ns3::roce
{

namespace
{

/// The form of a number, for all kinds that contain one.
const char* const NUMBER = "([0-9]+\\.?[0-9]*|\\.[0-9]+)"; // profiles are parsed before main()

std::string
Shortest(double number)
{
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return {digits.data(), end};
}

/// @return number in the largest unit that divides it. @param units sizes, largest first
template <std::size_t N>
std::string
InUnit(int64_t number, const std::array<std::pair<int64_t, const char*>, N>& units)
{
    for (const auto& [size, unit] : units)
    {
        if (number != 0 && number % size == 0)
        {
            return std::to_string(number / size) + unit;
        }
    }
    return std::to_string(number) + units.back().second;
}

/// @return whether a value is a V. @param read called with what is in it
template <typename V, typename F>
bool
ReadAs(const AttributeValue& from, const F& read)
{
    const auto* value = dynamic_cast<const V*>(&from);
    if (value)
    {
        read(value->Get());
    }
    return value;
}

/// @return whether a value is a V. @param to changed
template <typename V, typename T>
bool
WriteAs(AttributeValue& to, const T& content)
{
    auto* value = dynamic_cast<V*>(&to);
    if (value)
    {
        value->Set(content);
    }
    return value;
}

} // namespace

std::string
Range::ToText(const std::string& name, std::string (*print)(double)) const
{
    print = print ? print : Shortest;
    if (m_low == -INFINITE && m_high == INFINITE)
    {
        return "";
    }
    const std::string other = std::isnan(m_other) ? "" : " or " + print(m_other);
    if (m_high == INFINITE)
    {
        return name + (m_open ? " > " : " >= ") + print(m_low) + other;
    }
    return print(m_low) + (m_open ? " < " : " <= ") + name + (m_openHigh ? " < " : " <= ") +
           print(m_high) + other;
}

namespace kind
{

bool
Number::Parse(const std::string& text, double& number)
{
    static const TextForm form(std::string("[-+]?") + NUMBER + "([eE][-+]?[0-9]+)?");
    number = std::strtod(text.c_str(), nullptr);
    return !form.Match(text).empty() && std::isfinite(number);
}

std::string
Number::Print(double number)
{
    return Shortest(number);
}

bool
Number::Read(const AttributeValue& from, double& number)
{
    return ReadAs<DoubleValue>(from, [&](auto value) { number = value; });
}

bool
Number::Write(double number, AttributeValue& to)
{
    return WriteAs<DoubleValue>(to, number);
}

bool
Count::Parse(const std::string& text, int64_t& number)
{
    const char* const begin = text.c_str() + (text.size() > 1 && text[0] == '+' && text[1] != '-');
    const char* const end = text.c_str() + text.size();
    const auto result = std::from_chars(begin, end, number);
    return result.ec == std::errc() && result.ptr == end;
}

std::string
Count::Print(int64_t number)
{
    return std::to_string(number);
}

bool
Count::Read(const AttributeValue& from, int64_t& number)
{
    return ReadAs<IntegerValue>(from, [&](auto value) { number = value; }) ||
           ReadAs<UintegerValue>(from, [&](uint64_t value) {
               number = static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX));
           });
}

bool
Count::Write(int64_t number, AttributeValue& to)
{
    return WriteAs<IntegerValue>(to, number) || WriteAs<UintegerValue>(to, number);
}

bool
Unsigned::Parse(const std::string& text, uint64_t& number)
{
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, number);
    return result.ec == std::errc() && result.ptr == end;
}

std::string
Unsigned::Print(uint64_t number)
{
    return std::to_string(number);
}

bool
Unsigned::Read(const AttributeValue& from, uint64_t& number)
{
    return ReadAs<UintegerValue>(from, [&](auto value) { number = value; });
}

bool
Unsigned::Write(uint64_t number, AttributeValue& to)
{
    return WriteAs<UintegerValue>(to, number);
}

bool
Duration::Parse(const std::string& text, int64_t& ps)
{
    static const std::map<std::string, double> seconds{{"fs", 1e-15},
                                                       {"ps", 1e-12},
                                                       {"ns", 1e-9},
                                                       {"us", 1e-6},
                                                       {"ms", 1e-3},
                                                       {"s", 1},
                                                       {"min", 60},
                                                       {"h", 3600},
                                                       {"d", 86400}};
    static const TextForm form(std::string("([-+]?") + NUMBER + "([eE][-+]?[0-9]+)?)([a-z]+)");
    if (text == "0")
    {
        ps = 0;
        return true;
    }
    const std::vector<std::string> match = form.Match(text);
    if (match.empty())
    {
        return false;
    }
    const auto unit = seconds.find(match[4]);
    // Picoseconds of 106 days are what 63 bits hold.
    if (unit == seconds.end() ||
        !(std::fabs(std::strtod(match[1].c_str(), nullptr)) * unit->second < 9.2e6))
    {
        return false;
    }
    ps = Time(text).GetPicoSeconds();
    return true;
}

std::string
Duration::Print(int64_t ps)
{
    static const std::array<std::pair<int64_t, const char*>, 5> units{
        {{1000000000000, "s"}, {1000000000, "ms"}, {1000000, "us"}, {1000, "ns"}, {1, "ps"}}};
    return InUnit(ps, units);
}

std::string
Duration::PrintBound(double ps)
{
    const bool isExact = std::fabs(ps) < 9.2e18; // 63 bits
    return ps == 0 ? "0" : isExact ? Print(static_cast<int64_t>(ps)) : Shortest(ps / 1e12) + "s";
}

bool
Duration::Read(const AttributeValue& from, int64_t& ps)
{
    return ReadAs<TimeValue>(from, [&](auto value) { ps = value.GetPicoSeconds(); });
}

bool
Duration::Write(int64_t ps, AttributeValue& to)
{
    return WriteAs<TimeValue>(to, PicoSeconds(ps));
}

bool
Rate::Parse(const std::string& text, uint64_t& bps)
{
    static const TextForm form(std::string("(") + NUMBER + ")([kKMGTi]*)([A-Za-z/]*)");
    const std::vector<std::string> match = form.Match(text);
    static const std::map<char, double> units{{'k', 1e3},
                                              {'K', 1e3},
                                              {'M', 1e6},
                                              {'G', 1e9},
                                              {'T', 1e12}};
    const auto unit = match.empty() || match[3].empty() ? units.end() : units.find(match[3][0]);
    const double number = match.empty() ? 0 : std::strtod(text.c_str(), nullptr);
    // ns-3 takes a number alone for bit/s; who writes 400 may mean Gbit/s. What is too large for
    // ns-3 is refused here.
    if (match.empty() || (number > 0 && match[3].empty() && match[4].empty()) ||
        number * (unit == units.end() ? 1 : unit->second) >= 1e17)
    {
        return false;
    }
    std::istringstream in(text);
    DataRate rate;
    in >> rate;
    bps = rate.GetBitRate();
    return !in.fail();
}

std::string
Rate::Print(uint64_t bps)
{
    static const std::array<std::pair<int64_t, const char*>, 4> units{
        {{1000000000, "Gbps"}, {1000000, "Mbps"}, {1000, "kbps"}, {1, "bps"}}};
    return InUnit(static_cast<int64_t>(bps), units);
}

bool
Rate::Read(const AttributeValue& from, uint64_t& bps)
{
    return ReadAs<DataRateValue>(from, [&](auto value) { bps = value.GetBitRate(); });
}

bool
Rate::Write(uint64_t bps, AttributeValue& to)
{
    return WriteAs<DataRateValue>(to, DataRate(bps));
}

bool
Size::Parse(const std::string& text, uint32_t& bytes)
{
    uint64_t size = 0;
    if (!ByteSize::Parse(text, size) || size > UINT32_MAX)
    {
        return false;
    }
    bytes = static_cast<uint32_t>(size);
    return true;
}

std::string
Size::Print(uint32_t bytes)
{
    static const std::array<std::pair<int64_t, const char*>, 3> units{
        {{1 << 20, "MiB"}, {1 << 10, "KiB"}, {1, "B"}}};
    return InUnit(bytes, units);
}

bool
Size::Read(const AttributeValue& from, uint32_t& bytes)
{
    return ReadAs<QueueSizeValue>(from, [&](auto value) { bytes = value.GetValue(); });
}

bool
Size::Write(uint32_t bytes, AttributeValue& to)
{
    return WriteAs<QueueSizeValue>(to, QueueSize(QueueSizeUnit::BYTES, bytes));
}

bool
LargeSize::Parse(const std::string& text, uint64_t& bytes)
{
    return ByteSize::Parse(text, bytes);
}

std::string
LargeSize::Print(uint64_t bytes)
{
    return bytes <= UINT32_MAX ? Size::Print(static_cast<uint32_t>(bytes))
                               : std::to_string(bytes) + "B";
}

bool
LargeSize::Read(const AttributeValue& from, uint64_t& bytes)
{
    return ReadAs<QueueSizeValue>(from, [&](auto value) { bytes = value.GetValue(); });
}

bool
LargeSize::Write(uint64_t, AttributeValue&)
{
    return false; // ns-3 has no such value
}

bool
Flag::Parse(const std::string& text, bool& flag)
{
    flag = text == "true" || text == "t" || text == "1";
    return flag || text == "false" || text == "f" || text == "0";
}

std::string
Flag::Print(bool flag)
{
    return flag ? "true" : "false";
}

bool
Flag::Read(const AttributeValue& from, bool& flag)
{
    return ReadAs<BooleanValue>(from, [&](auto value) { flag = value; });
}

bool
Flag::Write(bool flag, AttributeValue& to)
{
    return WriteAs<BooleanValue>(to, flag);
}

} // namespace kind

} // namespace ns3::roce
