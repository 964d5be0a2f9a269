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
#include <optional>
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

/// How a file is written.
enum class Form : uint8_t
{
    LINES,     //!< NAME=VALUE
    MLXCONFIG, //!< what `mlxconfig query` prints
    SYSFS      //!< what `grep -r . /sys/class/net/NAME/ecn` prints: PATH:VALUE
};

bool
StartsWith(const std::string& text, const std::string& start)
{
    return text.compare(0, start.size(), start) == 0;
}

/// @return the form of a file. @param text its first line
Form
FormOf(const std::string& text)
{
    return StartsWith(text, "Device") || StartsWith(text, "Configurations:") ? Form::MLXCONFIG
           : text.find("/ecn/roce_") != std::string::npos                    ? Form::SYSFS
                                                                             : Form::LINES;
}

/// A row of a dump, as words; for every other line fewer than two.
class DumpRows
{
  public:
    explicit DumpRows(Form form)
        : m_form(form)
    {
    }

    /// @return name and value. @param text the next line
    std::vector<std::string> Split(const std::string& text)
    {
        return m_form == Form::SYSFS ? SplitPath(text) : SplitColumns(text);
    }

  private:
    static std::vector<std::string> SplitPath(const std::string& text)
    {
        const std::size_t colon = text.rfind(':');
        const std::string path = text.substr(0, colon);
        if (colon == std::string::npos || path.find("/ecn/roce_") == std::string::npos)
        {
            return {};
        }
        return {path.substr(path.rfind('/') + 1), LineReader::Trim(text.substr(colon + 1))};
    }

    std::vector<std::string> SplitColumns(const std::string& text)
    {
        std::vector<std::string> words = LineReader::SplitAtBlanks(text);
        if (words[0] == "Configurations:")
        {
            // With --enable_verbosity there are three columns: Default, Current, Next Boot.
            const auto current = std::find(words.begin(), words.end(), "Current");
            m_column = current == words.end() ? 1 : current - words.begin();
            return {};
        }
        if (words[0] == "*" || words[0] == "RO") // not the default, read only
        {
            words.erase(words.begin());
        }
        if (!m_column || words.size() <= m_column)
        {
            return {};
        }
        return {words[0], words[m_column]};
    }

    Form m_form;
    std::size_t m_column{0}; //!< of the value; 0: the rows have not begun
};

/// @return a value without the word that mlxconfig writes before it: 1 of `True(1)`
std::string
Bare(const std::string& value)
{
    const std::size_t open = value.find('(');
    return open == std::string::npos || value.back() != ')'
               ? value
               : value.substr(open + 1, value.size() - open - 2);
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
    std::map<std::string, std::pair<unsigned, uint64_t>> found; // line and value by name
    std::optional<Form> form;
    std::optional<DumpRows> dump;
    bool always = false;      // clamp_tgt_rate
    bool afterTimeInc = true; // clamp_tgt_rate_after_time_inc
    std::string text;
    while (reader.Next(text))
    {
        if (!form)
        {
            form = FormOf(text);
            dump.emplace(*form);
        }
        const bool isDump = *form != Form::LINES;
        if (!isDump)
        {
            std::replace(text.begin(), text.end(), '=', ' ');
        }
        const std::vector<std::string> words =
            isDump ? dump->Split(text) : LineReader::SplitAtBlanks(text);
        if (isDump && words.empty())
        {
            continue;
        }
        reader.CheckFieldCount(words.size(), 2, "NAME=VALUE");
        const std::string name = Plain(words[0]);
        const auto* known = std::find_if(std::begin(NAMES),
                                         std::end(NAMES),
                                         [&name](const Name& n) { return name == n.name; });
        if (isDump && name == "roce_cc_algorithm" && Bare(words[1]) != "0")
        {
            reader.Fail("ROCE_CC_ALGORITHM is " + words[1] + ", expected ECN(0), which is DCQCN");
        }
        if (known == std::end(NAMES) && isDump) // a NIC has a hundred others
        {
            continue;
        }
        if (known == std::end(NAMES))
        {
            std::string names;
            for (const Name& n : NAMES)
            {
                names += (names.empty() ? "" : ", ") + std::string(n.name);
            }
            reader.Fail("unknown name '" + words[0] + "', expected one of: " + names);
        }
        const uint64_t value =
            reader.ParseUnsigned(Bare(words[1]), known->name, MaxOf(known->unit));
        const auto [first, isNew] = found.try_emplace(name, reader.GetLine(), value);
        const auto& [line, earlier] = first->second;
        if (!isNew && isDump && value == earlier)
        {
            continue; // of the other port
        }
        if (!isNew)
        {
            reader.Fail(name + " is in line " + std::to_string(line) +
                        (isDump ? " with another value, expected the rows of one port"
                                : ", too, expected each name once"));
        }
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
