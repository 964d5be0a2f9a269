// SPDX-License-Identifier: GPL-2.0-only
#include "roce-csv-file.h"

#include "ns3/roce-input-error.h"

#include <stdexcept>

namespace ns3::roce
{

CsvFile::CsvFile(const std::string& path, const std::vector<std::string>& header)
    : m_file(path),
      m_columns(header.size())
{
    for (const auto& name : header)
    {
        Text(name);
    }
    EndRow();
}

void
CsvFile::Separate()
{
    if (m_fields++ > 0)
    {
        m_file.Append(',');
    }
}

CsvFile&
CsvFile::Fixed(int64_t value, unsigned decimals)
{
    Separate();
    m_file.Fixed(value, decimals);
    return *this;
}

CsvFile&
CsvFile::Text(const std::string& text)
{
    Separate();
    if (text.find_first_of(",\"\r\n") == std::string::npos)
    {
        m_file.Append(text);
        return *this;
    }
    m_file.Append('"');
    for (char c : text)
    {
        m_file.Append(c);
        if (c == '"')
        {
            m_file.Append(c);
        }
    }
    m_file.Append('"');
    return *this;
}

void
CsvFile::EndRow()
{
    if (m_fields != m_columns || m_columns == 0)
    {
        throw std::logic_error(m_file.GetPath() + ": row of " + std::to_string(m_fields) +
                               " fields in a table of " + std::to_string(m_columns) + " columns");
    }
    m_fields = 0;
    m_file.Append('\n').FlushIfFull();
}

void
CsvFile::Row(std::initializer_list<int64_t> values)
{
    for (int64_t value : values)
    {
        Int(value);
    }
    EndRow();
}

std::string
CsvFile::FormatSlowdown(int64_t fctPs, int64_t idealPs)
{
    if (fctPs < 0 || idealPs <= 0)
    {
        throw InputError("slowdown of FCT " + std::to_string(fctPs) + " ps over ideal " +
                         std::to_string(idealPs) + " ps, expected 0 or more over a positive one");
    }
    const auto ideal = static_cast<uint64_t>(idealPs);
    uint64_t whole = static_cast<uint64_t>(fctPs) / ideal;
    const uint64_t remainder = static_cast<uint64_t>(fctPs) % ideal;
    uint64_t rest = remainder;
    uint64_t micro = 0;
    for (int place = 0; place < 6; place++)
    {
        // rest * 10 / ideal by repeated addition: all values stay below 2^64 for any input.
        const uint64_t step = rest;
        unsigned digit = 0;
        rest = 0;
        for (int i = 0; i < 10; i++)
        {
            rest += step;
            if (rest >= ideal)
            {
                rest -= ideal;
                digit++;
            }
        }
        micro = micro * 10 + digit;
    }
    if (rest * 2 >= ideal && ++micro == 1000000)
    {
        micro = 0;
        whole++;
    }
    const std::string digits = std::to_string(micro);
    return std::to_string(whole) + "." + std::string(6 - digits.size(), '0') + digits;
}

} // namespace ns3::roce
