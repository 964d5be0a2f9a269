// SPDX-License-Identifier: GPL-2.0-only
#include "roce-mutation-table.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-parameter-kinds.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace ns3::roce
{

namespace
{

using Unit = TunedParameter::Unit;

/// Units of rows in text.
const std::vector<std::pair<std::string, Unit>> UNITS{{"number", Unit::NUMBER},
                                                      {"us", Unit::MICROSECONDS},
                                                      {"Mbps", Unit::MBPS},
                                                      {"KB", Unit::KILOBYTES}};

/// Larger numbers are not printed as whole ones.
constexpr double WHOLE = 1e15;

/// How a unit is written, in full and in its smallest part, and how many of these it has.
struct Spelling
{
    const char* full;
    const char* part;
    double parts;
};

/// @return for units that have a spelling
Spelling
SpellingOf(Unit unit)
{
    return unit == Unit::MICROSECONDS ? Spelling{"us", "ps", 1e6}
           : unit == Unit::MBPS       ? Spelling{"Mbps", "bps", 1e6}
                                      : Spelling{"KB", "B", 1e3};
}

/// Reads a text of kind K. @return false if it is none
template <typename K>
bool
Parse(const std::string& text, double divisor, double& value)
{
    typename K::Plain plain;
    if (!K::Parse(text, plain))
    {
        return false;
    }
    value = static_cast<double>(plain) / divisor;
    return true;
}

std::vector<std::string>
Split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream list(text);
    for (std::string part; std::getline(list, part, separator);)
    {
        parts.push_back(part);
    }
    return parts;
}

/// A row of the text form.
TunedParameter
ParseRow(const std::string& text)
{
    const auto require = [&text](bool ok, const std::string& expected) {
        if (!ok)
        {
            throw InputError("tuned parameter '" + text + "', expected " + expected);
        }
    };
    const std::vector<std::string> fields = Split(text, ':');
    require(fields.size() >= 7,
            "Target.Attribute:unit:direction:step:least:greatest:start, for example "
            "Swift.BaseTarget:us:+:2:5:100:25");
    TunedParameter row;
    const std::size_t dot = fields[0].find('.');
    require(dot != std::string::npos && dot > 0 && dot + 1 < fields[0].size(),
            "Target.Attribute in front, for example Dcqcn.AiRate");
    row.target = fields[0].substr(0, dot);
    row.attribute = fields[0].substr(dot + 1);
    const auto unit = std::find_if(UNITS.begin(), UNITS.end(), [&fields](const auto& known) {
        return known.first == fields[1];
    });
    require(unit != UNITS.end(), "one of the units number, us, Mbps, KB");
    row.unit = unit->second;
    require(fields[2] == "+" || fields[2] == "-",
            "+ or - for the direction that favours throughput");
    row.up = fields[2] == "+";
    double* const numbers[] = {&row.step, &row.least, &row.greatest, &row.start};
    for (std::size_t i = 0; i < 4; ++i)
    {
        require(kind::Number::Parse(fields[3 + i], *numbers[i]) && std::isfinite(*numbers[i]),
                "a number in place of '" + fields[3 + i] + "'");
    }
    for (std::size_t i = 7; i < fields.size(); ++i)
    {
        const bool isBelow = fields[i].rfind("below=", 0) == 0;
        require(isBelow || fields[i] == "fraction" || fields[i] == "scales",
                "fraction, scales or below=Attribute behind the numbers");
        row.isWhole = row.isWhole && fields[i] != "fraction";
        row.scales = row.scales || fields[i] == "scales";
        row.below = isBelow ? fields[i].substr(6) : row.below;
    }
    return row;
}

} // namespace

void
MutationTable::Add(const TunedParameter& row)
{
    const std::string name = row.target + "." + row.attribute;
    if (row.least > row.greatest || row.step <= 0)
    {
        throw InputError("tuned parameter " + name + ": step " + kind::Number::Print(row.step) +
                         ", bounds " + kind::Number::Print(row.least) + " and " +
                         kind::Number::Print(row.greatest) +
                         ", expected a step above 0 and the lower bound first");
    }
    if (Find(row.target, row.attribute) != GetSize())
    {
        throw InputError("tuned parameter " + name + " is there twice, expected once");
    }
    m_rows.push_back(row);
}

MutationTable
MutationTable::Parse(const std::string& text)
{
    MutationTable table;
    for (const std::string& row : Split(text, ';'))
    {
        table.Add(ParseRow(row));
    }
    for (const TunedParameter& row : table.m_rows)
    {
        const std::size_t other = table.Find(row.target, row.below);
        // With these bounds, an exchange leaves both within their own.
        if (!row.below.empty() &&
            (other == table.GetSize() || table.m_rows[other].least < row.least ||
             table.m_rows[other].greatest < row.greatest))
        {
            throw InputError("tuned parameter " + row.target + "." + row.attribute + ": below=" +
                             row.below + ", expected a row of that name with bounds no lower");
        }
    }
    return table;
}

std::size_t
MutationTable::Find(const std::string& target, const std::string& attribute) const
{
    const auto found = std::find_if(m_rows.begin(), m_rows.end(), [&](const TunedParameter& row) {
        return row.target == target && row.attribute == attribute;
    });
    return static_cast<std::size_t>(found - m_rows.begin());
}

MutationTable::Values
MutationTable::GetStart() const
{
    Values values;
    for (const TunedParameter& row : m_rows)
    {
        values.push_back(row.start);
    }
    return values;
}

double
MutationTable::Move(std::size_t row, double value, double distance) const
{
    const TunedParameter& p = m_rows[row];
    const double moved = value + distance;
    return std::min(std::max(p.isWhole ? std::round(moved) : moved, p.least), p.greatest);
}

void
MutationTable::Order(Values& values) const
{
    for (std::size_t i = 0; i < m_rows.size(); ++i)
    {
        const std::size_t other =
            m_rows[i].below.empty() ? GetSize() : Find(m_rows[i].target, m_rows[i].below);
        if (other != GetSize() && values[i] > values[other])
        {
            std::swap(values[i], values[other]);
        }
    }
}

std::string
MutationTable::ToText(std::size_t row, double value) const
{
    const TunedParameter& p = m_rows[row];
    if (p.unit == Unit::NUMBER)
    {
        const double number = p.offset + p.factor * value;
        // An attribute that is a whole number takes no 1e+05.
        return number == std::round(number) && std::abs(number) < WHOLE
                   ? std::to_string(std::llround(number))
                   : kind::Number::Print(number);
    }
    const Spelling spelling = SpellingOf(p.unit);
    return value == std::round(value)
               ? std::to_string(std::llround(value)) + spelling.full
               : std::to_string(std::llround(value * spelling.parts)) + spelling.part;
}

double
MutationTable::FromText(std::size_t row, const std::string& text) const
{
    const TunedParameter& p = m_rows[row];
    double value = 0;
    bool ok = false;
    switch (p.unit)
    {
    case Unit::NUMBER:
        ok = roce::Parse<kind::Number>(text, 1, value);
        value = (value - p.offset) / p.factor;
        break;
    case Unit::MICROSECONDS:
        ok = roce::Parse<kind::Duration>(text, 1e6, value);
        break;
    case Unit::MBPS:
        ok = roce::Parse<kind::Rate>(text, 1e6, value);
        break;
    case Unit::KILOBYTES:
        ok = roce::Parse<kind::Size>(text, 1e3, value);
        break;
    }
    if (!ok)
    {
        throw InputError("tuned parameter " + p.target + "." + p.attribute + " is '" + text +
                         "', which is no value that can be tuned");
    }
    return value;
}

} // namespace ns3::roce
