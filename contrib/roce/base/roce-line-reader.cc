// SPDX-License-Identifier: GPL-2.0-only
#include "roce-line-reader.h"

#include "roce-input-error.h"
#include "roce-input-file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <sstream>

namespace ns3::roce
{

namespace
{

constexpr std::size_t LONGEST_BYTES = 1 << 20;

} // namespace

bool
ReadLine(std::istream& in, std::string& line, const std::string& file, unsigned number)
{
    line.clear();
    std::array<char, 4096> part;
    for (bool goesOn = true; goesOn;)
    {
        in.getline(part.data(), part.size());
        const auto count = static_cast<std::size_t>(in.gcount());
        goesOn = in.rdstate() == std::ios::failbit && count + 1 == part.size();
        line.append(part.data(), count - (in.good() ? 1 : 0)); // the line's end is counted
        if (line.size() > LONGEST_BYTES)
        {
            throw InputError(file,
                             number,
                             "line of more than " + std::to_string(LONGEST_BYTES) +
                                 " bytes, expected shorter ones");
        }
        if (goesOn)
        {
            in.clear();
        }
    }
    return !line.empty() || !in.fail();
}

LineReader::LineReader(const std::string& path, const std::string& what)
    : m_path(path),
      m_what(what),
      m_in(InputFile::Open(path, what))
{
}

bool
LineReader::Next(std::string& text)
{
    std::string whole;
    while (ReadLine(m_in, whole, m_path, m_line + 1))
    {
        ++m_line;
        if (m_line == 1 && whole.compare(0, 3, "\xef\xbb\xbf") == 0)
        {
            whole.erase(0, 3); // the byte order mark that some editors write
        }
        // Messages quote the text; a zero byte would end them.
        const auto control = std::find_if(whole.begin(), whole.end(), [](unsigned char c) {
            return (c < ' ' && c != '\t' && c != '\r') || c == 127;
        });
        if (control != whole.end())
        {
            Fail("control character " + std::to_string(+*control) + ", expected plain text");
        }
        text = Trim(whole.substr(0, whole.find('#')));
        if (!text.empty())
        {
            return true;
        }
    }
    if (m_in.bad())
    {
        ++m_line;
        Fail("cannot be read, expected " + m_what);
    }
    return false;
}

void
LineReader::Fail(const std::string& message) const
{
    throw InputError(m_path, m_line, message);
}

uint64_t
LineReader::ParseUnsigned(const std::string& text, const char* what, uint64_t max) const
{
    uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    const bool isInteger = AllDigits(text[0] == '-' ? text.substr(1) : text);
    if (!isInteger)
    {
        Fail(std::string(what) + " '" + text + "' is not an integer, expected 0.." +
             std::to_string(max));
    }
    if (result.ec != std::errc() || result.ptr != end || value > max)
    {
        Fail(std::string(what) + " " + text + " out of range, expected 0.." + std::to_string(max));
    }
    return value;
}

int64_t
LineReader::ParsePs(const std::string& text, const char* what, int unitExponent, bool round) const
{
    const auto refuse = [&](const std::string& why) {
        Fail(std::string(what) + " '" + text + "' " + why);
    };
    const bool negative = text[0] == '-';
    const auto e = text.find_first_of("eE");
    std::string digits = text.substr(negative ? 1 : 0, e - (negative ? 1 : 0));
    int exponent = unitExponent;
    bool valid = true;
    if (e != std::string::npos)
    {
        const bool sign = text[e + 1] == '+' || text[e + 1] == '-';
        const std::string power = text.substr(sign ? e + 2 : e + 1);
        int value = 0;
        const auto result = std::from_chars(power.data(), power.data() + power.size(), value);
        valid = AllDigits(power) && result.ec == std::errc() && value <= 100;
        exponent += text[e + 1] == '-' ? -value : value;
    }
    const auto point = digits.find('.');
    if (point != std::string::npos)
    {
        exponent -= static_cast<int>(std::min<std::size_t>(digits.size() - point - 1, 1000));
        digits.erase(point, 1);
    }
    if (!valid || !AllDigits(digits))
    {
        refuse("is not a number, expected 0 or more");
    }
    if (negative)
    {
        refuse("is negative, expected 0 or more");
    }
    // the value is digits * 10^exponent picoseconds
    bool up = false;
    if (exponent >= 0)
    {
        digits.append(static_cast<std::size_t>(exponent), '0');
    }
    else
    {
        const auto cut = static_cast<std::size_t>(-exponent);
        digits.insert(0, cut, '0');
        const std::string finer = digits.substr(digits.size() - cut);
        if (!round && finer.find_first_not_of('0') != std::string::npos)
        {
            refuse("is finer than a picosecond, expected at most 3 decimals");
        }
        up = finer[0] >= '5';
        digits.resize(digits.size() - cut);
    }
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    int64_t ps = 0;
    const auto end = digits.data() + digits.size();
    if (!digits.empty() && std::from_chars(digits.data(), end, ps).ec != std::errc())
    {
        refuse("is too late, expected less than 2^63 picoseconds");
    }
    return ps < std::numeric_limits<int64_t>::max() ? ps + (up ? 1 : 0) : ps;
}

void
LineReader::CheckFieldCount(std::size_t found, std::size_t expected, const std::string& form) const
{
    if (found != expected)
    {
        Fail("found " + std::to_string(found) + " fields, expected " + std::to_string(expected) +
             ": " + form);
    }
}

std::string
LineReader::Trim(const std::string& text)
{
    const char* blanks = " \t\r";
    const auto begin = text.find_first_not_of(blanks);
    return begin == std::string::npos
               ? ""
               : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::vector<std::string>
LineReader::SplitAtCommas(const std::string& text)
{
    std::vector<std::string> fields;
    std::size_t begin = 0;
    while (true)
    {
        const auto comma = text.find(',', begin);
        fields.push_back(Trim(text.substr(begin, comma - begin)));
        if (comma == std::string::npos)
        {
            return fields;
        }
        begin = comma + 1;
    }
}

std::vector<std::string>
LineReader::SplitAtBlanks(const std::string& text)
{
    std::istringstream in(text);
    std::vector<std::string> fields;
    std::string field;
    while (in >> field)
    {
        fields.push_back(field);
    }
    return fields;
}

bool
LineReader::AllDigits(const std::string& text)
{
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

} // namespace ns3::roce
