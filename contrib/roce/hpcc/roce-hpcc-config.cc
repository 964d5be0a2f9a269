// SPDX-License-Identifier: GPL-2.0-only
#include "roce-hpcc-config.h"

#include "roce-hpcc-keys.h"

#include "ns3/data-rate.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-line-reader.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace ns3::roce
{

namespace
{

constexpr std::size_t SHOWN = 30; //!< unknown keys, in messages

/// @return words with blanks between
std::string
Join(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
    {
        text += (text.empty() ? "" : " ") + word;
    }
    return text;
}

/// @brief Drop an explanation. @param fields words of a line
void
CutExplanation(std::vector<std::string>& fields)
{
    fields.erase(std::find_if(fields.begin(),
                              fields.end(),
                              [](const std::string& word) { return word[0] == '{'; }),
                 fields.end());
}

} // namespace

HpccConfig
HpccConfig::Read(const std::string& path, bool ignoreUnknown)
{
    HpccConfig config;
    config.m_path = path;
    LineReader reader(path, "a configuration of the HPCC simulator");
    std::vector<std::pair<std::string, unsigned>> unknown;
    for (std::string text; reader.Next(text);)
    {
        Entry entry;
        entry.fields = LineReader::SplitAtBlanks(text);
        entry.line = reader.GetLine();
        const std::string key = entry.fields.front();
        entry.fields.erase(entry.fields.begin());
        if (!HpccKey::Find(key))
        {
            unknown.emplace_back(key, entry.line);
            continue;
        }
        CutExplanation(entry.fields);
        const auto old = config.m_entries.find(key);
        if (old != config.m_entries.end() && old->second.fields != entry.fields)
        {
            reader.Fail("key " + key + " is in line " + std::to_string(old->second.line) +
                        " with another value already, expected each once");
        }
        config.Set(key, std::move(entry));
    }
    config.TellUnknown(unknown, ignoreUnknown);
    return config;
}

void
HpccConfig::TellUnknown(const std::vector<std::pair<std::string, unsigned>>& unknown,
                        bool ignoreUnknown)
{
    if (unknown.empty())
    {
        return;
    }
    std::vector<std::string> names;
    std::string list;
    for (const auto& [name, line] : unknown)
    {
        names.push_back(name);
        if (names.size() <= SHOWN)
        {
            list += (list.empty() ? "'" : ", '") + name + "' (line " + std::to_string(line) + ")";
        }
    }
    if (names.size() > SHOWN)
    {
        list += " and " + std::to_string(names.size() - SHOWN) + " more";
    }
    std::string message = std::string("unknown key") + (names.size() > 1 ? "s " : " ") + list;
    if (const std::string project = HpccKey::GuessProject(names); !project.empty())
    {
        message += "; the file is taken for " + project;
    }
    if (ignoreUnknown)
    {
        m_notes.push_back(m_path + ": " + message + "; ignored");
        return;
    }
    throw InputError(m_path,
                     unknown.front().second,
                     message + ", expected those of the HPCC simulator, for example CC_MODE, or "
                               "--ignoreUnknown to go on without them");
}

void
HpccConfig::Override(const std::string& text)
{
    for (const std::string& item : LineReader::SplitAtCommas(text))
    {
        const auto equal = item.find('=');
        if (item.empty() && text.empty())
        {
            return;
        }
        if (equal == std::string::npos)
        {
            throw InputError("--set has '" + item + "', expected KEY=value, for example HAS_WIN=0");
        }
        Entry entry;
        entry.fields = LineReader::SplitAtBlanks(item.substr(equal + 1));
        Set(LineReader::Trim(item.substr(0, equal)), std::move(entry));
    }
}

void
HpccConfig::Set(const std::string& name, Entry entry)
{
    const std::string where =
        entry.line ? m_path + ":" + std::to_string(entry.line) + ": " : std::string("--set: ");
    const HpccKey* key = HpccKey::Find(name);
    if (!key)
    {
        throw InputError(where + "unknown key '" + name +
                         "', expected one of the HPCC simulator's, for example CC_MODE");
    }
    const std::vector<std::string> all = entry.fields;
    if (const std::string expected = key->Check(entry.fields); !expected.empty())
    {
        throw InputError(where + name + " is '" + Join(all) + "', expected " + expected);
    }
    if (all.size() > entry.fields.size())
    {
        m_notes.push_back(where + name + " has " + std::to_string(all.size()) + " words, and " +
                          std::to_string(entry.fields.size()) +
                          " are read, as its first number says");
    }
    m_entries[name] = std::move(entry);
}

bool
HpccConfig::Flag(const std::string& key, bool otherwise) const
{
    return Has(key) ? Number(key) != 0 : otherwise;
}

double
HpccConfig::Number(const std::string& key) const
{
    double value = 0;
    HpccKey::ParseNumber(Text(key), value);
    return value;
}

uint64_t
HpccConfig::GetRateBps(const std::string& key) const
{
    return DataRate(Text(key)).GetBitRate();
}

const std::string&
HpccConfig::Text(const std::string& key) const
{
    return m_entries.at(key).fields.at(0);
}

std::map<uint64_t, double>
HpccConfig::Map(const std::string& key) const
{
    std::map<uint64_t, double> map;
    const std::vector<std::string>& fields = m_entries.at(key).fields;
    for (std::size_t i = 1; i < fields.size(); i += 2)
    {
        double value = 0;
        HpccKey::ParseNumber(fields[i + 1], value);
        const auto [old, isNew] = map.emplace(std::stoull(fields[i]), value);
        if (!isNew && old->second != value)
        {
            Fail(key, "rate " + fields[i] + " has two values, expected one");
        }
    }
    return map;
}

std::string
HpccConfig::FindFile(const std::string& key) const
{
    std::string name = Text(key);
    for (std::size_t begin = name.find("${"); begin != std::string::npos; begin = name.find("${"))
    {
        const std::size_t end = name.find('}', begin);
        const std::string variable =
            end == std::string::npos ? "" : name.substr(begin + 2, end - begin - 2);
        if (!Has(variable) || Text(variable).find("${") != std::string::npos)
        {
            Fail(key, "'" + Text(key) + "', expected ${NAME} with the name of another key");
        }
        name.replace(begin, end - begin + 1, Text(variable));
    }
    const std::filesystem::path beside = std::filesystem::path(m_path).parent_path() / name;
    const auto isThere = [](const std::filesystem::path& path) {
        std::error_code ignored;
        return std::filesystem::exists(path, ignored);
    };
    if (isThere(beside))
    {
        return beside.string();
    }
    if (!isThere(name))
    {
        const bool two = beside != std::filesystem::path(name);
        Fail(key,
             "no file '" + beside.string() + "'" +
                 (two ? " (beside the configuration), nor '" + name +
                            "' (from the working directory)"
                      : "") +
                 ", expected one");
    }
    return name;
}

std::vector<uint64_t>
HpccConfig::Numbers(const std::string& key) const
{
    std::vector<uint64_t> numbers;
    for (const std::string& field : m_entries.at(key).fields)
    {
        numbers.push_back(std::stoull(field));
    }
    return numbers;
}

void
HpccConfig::Fail(const std::string& key, const std::string& message) const
{
    throw InputError(Where(key) + ": " + key + ": " + message);
}

std::string
HpccConfig::Where(const std::string& key) const
{
    const Entry& entry = m_entries.at(key);
    return entry.line ? m_path + ":" + std::to_string(entry.line) : "--set";
}

std::vector<std::pair<std::string, std::string>>
HpccConfig::GetUnused() const
{
    std::vector<std::pair<std::string, std::string>> unused;
    for (const auto& [name, entry] : m_entries)
    {
        if (const char* reason = HpccKey::Find(name)->unused)
        {
            unused.emplace_back(name, reason);
        }
    }
    return unused;
}

} // namespace ns3::roce
