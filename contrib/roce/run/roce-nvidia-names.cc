// SPDX-License-Identifier: GPL-2.0-only
#include "roce-nvidia-names.h"

#include "ns3/roce-flow-spec.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-line-reader.h"
#include "ns3/roce-value-check.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <sstream>

namespace ns3::roce
{

namespace
{

/// What a value counts.
enum class Unit : uint8_t
{
    US,
    MBPS,
    BYTES,
    COUNT,
    SHARE_OF_1024,
    REST_OF_1024, //!< 1 - value / 1024
    PERCENT,
    PRIORITY,
    CLAMP,       //!< one of two flags of one attribute
    MAX_RATE_OFF //!< 0 only: the line rate
};

/// One of NVIDIA's names.
struct Name
{
    const char* name;
    Unit unit;
    const char* attribute; //!< without ns3::roce::
};

constexpr Name NAMES[] = {
    {"dce_tcp_g", Unit::REST_OF_1024, "Dcqcn::Gain"},
    {"dce_tcp_rtt", Unit::US, "Dcqcn::AlphaPeriod"},
    {"initial_alpha_value", Unit::SHARE_OF_1024, "Dcqcn::InitialAlpha"},
    {"rate_to_set_on_first_cnp", Unit::MBPS, "Dcqcn::RateOnFirstCnp"},
    {"rpg_min_dec_fac", Unit::PERCENT, "Dcqcn::MinDecFac"},
    {"rpg_min_rate", Unit::MBPS, "Dcqcn::MinRate"},
    {"rpg_gd", Unit::COUNT, "Dcqcn::Gd"},
    {"rate_reduce_monitor_period", Unit::US, "Dcqcn::CutPeriod"},
    {"clamp_tgt_rate", Unit::CLAMP, "Dcqcn::ClampTarget"},
    {"clamp_tgt_rate_after_time_inc", Unit::CLAMP, "Dcqcn::ClampTarget"},
    {"rpg_time_reset", Unit::US, "Dcqcn::TimeReset"},
    {"rpg_byte_reset", Unit::BYTES, "Dcqcn::ByteReset"},
    {"rpg_threshold", Unit::COUNT, "Dcqcn::Threshold"},
    {"rpg_ai_rate", Unit::MBPS, "Dcqcn::AiRate"},
    {"rpg_hai_rate", Unit::MBPS, "Dcqcn::HaiRate"},
    {"rpg_max_rate", Unit::MAX_RATE_OFF, "Dcqcn::ReleaseAtLineRate"},
    {"min_time_between_cnps", Unit::US, "Dcqcn::MinTimeBetweenCnps"},
    {"cnp_802p_prio", Unit::PRIORITY, "Nic::ControlClass"},
    {"kmin", Unit::BYTES, "EcnMarker::Kmin"},
    {"kmax", Unit::BYTES, "EcnMarker::Kmax"},
    {"pmax", Unit::PERCENT, "EcnMarker::Pmax"},
};

/// @return the largest value that the unit allows
uint64_t
MaxOf(Unit unit)
{
    switch (unit)
    {
    case Unit::SHARE_OF_1024:
    case Unit::REST_OF_1024:
        return 1023;
    case Unit::PERCENT:
        return 100;
    case Unit::PRIORITY:
        return 7;
    case Unit::CLAMP:
        return 1;
    case Unit::MAX_RATE_OFF:
        return 0;
    case Unit::BYTES:
        return MAX_FLOW_BYTES;
    default:
        return 1000000000;
    }
}

std::string
Decimal(double value)
{
    std::ostringstream text;
    text.precision(15);
    text << value;
    return text.str();
}

/// @return a value as the attribute takes it; not for CLAMP
std::string
Convert(Unit unit, uint64_t value)
{
    switch (unit)
    {
    case Unit::US:
        return std::to_string(value) + "us";
    case Unit::MBPS:
        return std::to_string(value) + "Mbps";
    case Unit::SHARE_OF_1024:
        return Decimal(static_cast<double>(value) / 1024);
    case Unit::REST_OF_1024:
        return Decimal(1 - static_cast<double>(value) / 1024);
    case Unit::PERCENT:
        return Decimal(static_cast<double>(value) / 100);
    case Unit::MAX_RATE_OFF:
        return "true";
    default:
        return std::to_string(value);
    }
}

/// A name as this file has it. @param text with capitals, or mlxconfig's suffix of the port
std::string
Plain(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    const std::size_t n = text.size();
    const bool port =
        n > 3 && text.compare(n - 3, 2, "_p") == 0 && (text[n - 1] == '1' || text[n - 1] == '2');
    return port ? text.substr(0, n - 3) : text;
}

} // namespace

std::vector<std::string>
NvidiaNames::GetNames()
{
    std::vector<std::string> names;
    for (const Name& known : NAMES)
    {
        names.emplace_back(known.name);
    }
    return names;
}

std::vector<NvidiaNames::Setting>
NvidiaNames::Read(const std::string& path)
{
    LineReader reader(path, "NVIDIA's names of parameters");
    std::vector<Setting> settings;
    std::map<std::string, unsigned> lineOf;
    bool always = false;      // clamp_tgt_rate
    bool afterTimeInc = true; // clamp_tgt_rate_after_time_inc
    std::string text;
    while (reader.Next(text))
    {
        std::replace(text.begin(), text.end(), '=', ' ');
        const std::vector<std::string> words = LineReader::SplitAtBlanks(text);
        reader.CheckFieldCount(words.size(), 2, "NAME=VALUE");
        const std::string name = Plain(words[0]);
        const auto* known = std::find_if(std::begin(NAMES),
                                         std::end(NAMES),
                                         [&name](const Name& n) { return name == n.name; });
        if (known == std::end(NAMES))
        {
            std::string names;
            for (const Name& n : NAMES)
            {
                names += (names.empty() ? "" : ", ") + std::string(n.name);
            }
            reader.Fail("unknown name '" + words[0] + "', expected one of: " + names);
        }
        const auto [first, isNew] = lineOf.emplace(name, reader.GetLine());
        if (!isNew)
        {
            reader.Fail(name + " is in line " + std::to_string(first->second) +
                        ", too, expected each name once");
        }
        const uint64_t value = reader.ParseUnsigned(words[1], known->name, MaxOf(known->unit));
        std::string converted;
        if (known->unit == Unit::CLAMP)
        {
            (name == "clamp_tgt_rate" ? always : afterTimeInc) = value > 0;
            converted = always ? "always" : afterTimeInc ? "afterTimeInc" : "afterByteInc";
        }
        else
        {
            converted = Convert(known->unit, value);
        }
        const std::string attribute = std::string("ns3::roce::") + known->attribute;
        try
        {
            ValueCheck::Attribute(attribute, converted);
        }
        catch (const InputError& error)
        {
            reader.Fail(name + " " + words[1] + ": " + error.what());
        }
        const auto before =
            std::find_if(settings.begin(), settings.end(), [&attribute](const Setting& s) {
                return s.first == attribute;
            });
        if (before == settings.end())
        {
            settings.emplace_back(attribute, converted);
        }
        else
        {
            before->second = converted;
        }
    }
    if (settings.empty())
    {
        reader.Fail("no name in the file, expected lines such as rpg_ai_rate=50");
    }
    return settings;
}

} // namespace ns3::roce
