// SPDX-License-Identifier: GPL-2.0-only
#include "roce-option-table.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-text-form.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ns3::roce
{

namespace
{

/// @return presets by topology and name
std::map<std::string, std::map<std::string, OptionPreset>>&
Presets()
{
    static std::map<std::string, std::map<std::string, OptionPreset>> presets;
    return presets;
}

} // namespace

bool
OptionPreset::Register(const std::string& topology, const OptionPreset& preset)
{
    return Presets()[topology].emplace(preset.name, preset).second;
}

std::vector<OptionPreset>
OptionPreset::Of(const std::string& topology)
{
    std::vector<OptionPreset> found;
    for (const auto& [name, preset] : Presets()[topology])
    {
        found.push_back(preset);
    }
    return found;
}

namespace
{

/// The text of a factory, which is kept as the user wrote it.
struct FactoryText : public AnyText
{
    bool Parse(const std::string& text, std::string& held) const
    {
        if (std::find(words.begin(), words.end(), text) == words.end())
        {
            ValueCheck::Factory(what, text, base); // says what is wrong
        }
        held = text;
        return true;
    }

    std::string what;
    TypeId base;
    std::vector<std::string> words;
};

} // namespace

UnusedReason
UnusedWhile(std::function<bool()> holds, const std::string& why)
{
    return [holds = std::move(holds), why] { return holds() ? why : std::string(); };
}

std::string
Option::FindUnusedReason() const
{
    for (const UnusedReason& reason : reasons)
    {
        if (const std::string why = reason(); !why.empty())
        {
            return why;
        }
    }
    return "";
}

void
Option::Check(const std::string& text) const
{
    if (!row->Takes(text))
    {
        throw InputError("--" + row->name + " is '" + text + "', expected " + row->expected);
    }
}

void
Option::Set(const std::string& text) const
{
    // ns-3's form of a flag: --name alone inverts it.
    const bool inverts = isFlag && text.empty();
    row->Parse(variable, inverts ? (print() == "true" ? "false" : "true") : text);
}

bool
OptionTable::Bytes::Parse(const std::string& text, uint64_t& bytes)
{
    return kind::Unsigned::Parse(text, bytes) || ByteSize::Parse(text, bytes);
}

bool
OptionTable::LinkDelay::Parse(const std::string& text, int64_t& ps)
{
    constexpr double PS_OF_M = 5e3;
    static const TextForm form("(.*?)(k?)m");
    const std::vector<std::string> length = form.Match(text);
    if (length.empty())
    {
        return kind::Duration::Parse(text, ps);
    }
    double number = 0;
    const bool isLength = kind::Number::Parse(length[1], number) && std::fabs(number) < 1e12;
    ps = isLength ? std::llround(number * PS_OF_M * (length[2].empty() ? 1 : 1000)) : 0;
    return isLength;
}

Option&
OptionTable::AddFactory(const std::string& name,
                        const std::string& help,
                        std::string& value,
                        const TypeId& base,
                        const std::vector<std::string>& words)
{
    FactoryText codec;
    codec.what = "--" + name;
    codec.base = base;
    codec.words = words;
    return AddText(name, help, value, codec, "a type");
}

Option&
OptionTable::Add(const std::string& name,
                 const std::string& help,
                 std::shared_ptr<ParameterRow> row,
                 void* variable,
                 std::function<std::string()> print)
{
    row->name = name;
    row->help = help;
    Option& option = m_options.emplace_back();
    option.row = std::move(row);
    option.variable = variable;
    option.print = std::move(print);
    if (m_group)
    {
        option.reasons.push_back(m_group);
    }
    return option;
}

void
OptionTable::AddUnusedAttributes(const std::vector<std::string>& names, UnusedReason reason)
{
    m_attributes.emplace_back(names, std::move(reason));
}

std::map<std::string, std::string>
OptionTable::GetValues() const
{
    std::map<std::string, std::string> values;
    for (const Option& option : m_options)
    {
        values[option.row->name] = option.print();
    }
    return values;
}

std::set<std::string>
OptionTable::GetWatching() const
{
    std::set<std::string> names;
    for (const Option& option : m_options)
    {
        if (option.onlyWatches)
        {
            names.insert(option.row->name);
        }
    }
    return names;
}

const Option*
OptionTable::Find(const std::string& name) const
{
    const auto found = std::find_if(m_options.begin(), m_options.end(), [&name](const Option& o) {
        return o.row->name == name;
    });
    return found == m_options.end() ? nullptr : &*found;
}

const Option*
OptionTable::FindFor(const void* variable) const
{
    const auto found = std::find_if(m_options.begin(),
                                    m_options.end(),
                                    [variable](const Option& o) { return o.variable == variable; });
    return found == m_options.end() ? nullptr : &*found;
}

void
OptionTable::CheckAll(const std::string& what) const
{
    for (const Option& option : m_options)
    {
        if (!option.row->IsInRange(option.variable) && option.FindUnusedReason().empty())
        {
            throw InputError(what + option.row->name + " is " + option.row->Print(option.variable) +
                             ", expected " + option.row->expected);
        }
    }
}

} // namespace ns3::roce
