// SPDX-License-Identifier: GPL-2.0-only
#include "roce-json-value.h"

#include "roce-parameter-kinds.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-input-file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3::roce
{

JsonValue
JsonValue::Read(const std::string& path, const std::string& what)
{
    std::ifstream in = InputFile::Open(path, what);
    std::ostringstream all;
    if (in.peek() != std::ifstream::traits_type::eof())
    {
        all << in.rdbuf();
    }
    if (in.bad() || all.bad())
    {
        throw InputError(path, 1, "cannot be read, expected " + what);
    }
    const std::string text = all.str();
    JsonValue read;
    try
    {
        read.m_root = std::make_shared<nlohmann::json>(nlohmann::json::parse(text));
    }
    catch (const nlohmann::json::parse_error& e)
    {
        const std::size_t end = std::min(text.size(), std::max<std::size_t>(e.byte, 1) - 1);
        const auto begin = text.begin();
        const auto line = std::count(begin, begin + static_cast<std::ptrdiff_t>(end), '\n');
        throw InputError(path,
                         static_cast<unsigned>(line) + 1,
                         std::string("no JSON (") + e.what() + "), expected " + what);
    }
    catch (const nlohmann::json::exception& e) // such as a number that no variable can hold
    {
        throw InputError(path, 1, std::string("no JSON (") + e.what() + "), expected " + what);
    }
    read.m_file = std::make_shared<std::string>(path);
    read.m_value = read.m_root.get();
    return read;
}

JsonValue
JsonValue::Child(const nlohmann::json& value, const std::string& name) const
{
    JsonValue child = *this;
    child.m_value = &value;
    child.m_pointer += "/";
    for (const char c : name)
    {
        child.m_pointer += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    }
    return child;
}

std::string
JsonValue::Where() const
{
    return *m_file + ": " + (m_pointer.empty() ? "all of it" : m_pointer);
}

void
JsonValue::Refuse(const std::string& expected) const
{
    constexpr std::size_t LONGEST = 60;
    // Strings are valid UTF-8: else the file was refused.
    std::string text = m_value->is_object()  ? "an object"
                       : m_value->is_array() ? "a list"
                                             : m_value->dump(-1, ' ', true);
    if (text.size() > LONGEST)
    {
        text = text.substr(0, LONGEST) + "...";
    }
    throw InputError(Where() + " is " + text + ", expected " + expected);
}

bool
JsonValue::IsObject() const
{
    return m_value->is_object();
}

JsonValue
JsonValue::Find(const std::string& key) const
{
    if (!IsObject())
    {
        Refuse("an object {...}");
    }
    const auto found = m_value->find(key);
    return found == m_value->end() ? JsonValue() : Child(*found, key);
}

JsonValue
JsonValue::At(const std::string& key) const
{
    JsonValue found = Find(key);
    if (!found)
    {
        throw InputError(Where() + " has no \"" + key + "\", expected one");
    }
    return found;
}

void
JsonValue::AllowOnly(const std::vector<std::string>& keys) const
{
    Find(""); // an object
    for (const auto& [name, value] : m_value->items())
    {
        if (std::find(keys.begin(), keys.end(), name) == keys.end())
        {
            std::string known;
            for (const std::string& key : keys)
            {
                known += (known.empty() ? "" : ", ") + key;
            }
            throw InputError(Child(value, name).Where() + " is not known, expected " + known);
        }
    }
}

std::vector<JsonValue>
JsonValue::AsList() const
{
    if (!m_value->is_array() || m_value->empty())
    {
        Refuse("a list [...] of one or more");
    }
    std::vector<JsonValue> elements;
    for (std::size_t i = 0; i < m_value->size(); ++i)
    {
        elements.push_back(Child((*m_value)[i], std::to_string(i)));
    }
    return elements;
}

std::string
JsonValue::AsText() const
{
    if (!m_value->is_string() || m_value->get_ref<const std::string&>().empty())
    {
        Refuse("a text");
    }
    return m_value->get<std::string>();
}

uint64_t
JsonValue::AsCount(uint64_t least, uint64_t most) const
{
    const bool isWhole = m_value->is_number_unsigned();
    const uint64_t count = isWhole ? m_value->get<uint64_t>() : 0;
    if (!isWhole || count < least || count > most)
    {
        Refuse("a whole number, " + std::to_string(least) + " to " + std::to_string(most));
    }
    return count;
}

double
JsonValue::AsPositive() const
{
    const double number = m_value->is_number() ? m_value->get<double>() : 0;
    if (!(number > 0 && number <= 1e30))
    {
        Refuse("a number above 0");
    }
    return number;
}

bool
JsonValue::AsFlag() const
{
    if (!m_value->is_boolean())
    {
        Refuse("true or false");
    }
    return m_value->get<bool>();
}

int64_t
JsonValue::AsDurationPs() const
{
    int64_t ps = -1;
    if (!m_value->is_string() || !kind::Duration::Parse(m_value->get<std::string>(), ps) || ps < 0)
    {
        Refuse(std::string(kind::Duration::WHAT) + ", 0s or more");
    }
    return ps;
}

} // namespace ns3::roce
