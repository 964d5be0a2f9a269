/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/roce-csv-file.h"

#include "ns3/roce-input-error.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace ns3
{
namespace roce
{

namespace
{

constexpr size_t BUFFER_BYTES = 1 << 16;

/**
 * @param path the file
 * @param what what failed
 * @param error errno
 * @return the one-line message
 */
std::string
FileMessage(const std::string& path, const std::string& what, int error)
{
    return path + ": " + what + ": " + std::strerror(error);
}

/**
 * @param out where to append
 * @param value a number
 */
template <typename T>
void
AppendNumber(std::string& out, T value)
{
    char digits[24];
    const auto result = std::to_chars(digits, digits + sizeof(digits), value);
    out.append(digits, result.ptr);
}

} // namespace

CsvFile::CsvFile(const std::string& path, const std::vector<std::string>& header)
    : m_path(path),
      m_file(std::fopen(path.c_str(), "wb")),
      m_columns(header.size())
{
    if (m_file == nullptr)
    {
        throw InputError(FileMessage(path, "cannot create", errno));
    }
    std::setvbuf(m_file, nullptr, _IONBF, 0); // m_buffer is the buffer
    m_buffer.reserve(BUFFER_BYTES + 4096);
    for (const auto& name : header)
    {
        Text(name);
    }
    EndRow();
}

CsvFile::~CsvFile()
{
    if (m_file != nullptr)
    {
        std::fwrite(m_buffer.data(), 1, m_buffer.size(), m_file);
        std::fclose(m_file);
    }
}

void
CsvFile::Separate()
{
    if (m_fields++ > 0)
    {
        m_buffer += ',';
    }
}

CsvFile&
CsvFile::Int(int64_t value)
{
    Separate();
    AppendNumber(m_buffer, value);
    return *this;
}

CsvFile&
CsvFile::Uint(uint64_t value)
{
    Separate();
    AppendNumber(m_buffer, value);
    return *this;
}

CsvFile&
CsvFile::Ns(int64_t ps)
{
    Separate();
    m_buffer += FormatNs(ps);
    return *this;
}

CsvFile&
CsvFile::Text(const std::string& text)
{
    Separate();
    if (text.find_first_of(",\"\r\n") == std::string::npos)
    {
        m_buffer += text;
        return *this;
    }
    m_buffer += '"';
    for (char c : text)
    {
        m_buffer += c;
        if (c == '"')
        {
            m_buffer += c;
        }
    }
    m_buffer += '"';
    return *this;
}

void
CsvFile::EndRow()
{
    if (m_fields != m_columns || m_columns == 0)
    {
        throw std::logic_error(m_path + ": row of " + std::to_string(m_fields) +
                               " fields in a table of " + std::to_string(m_columns) + " columns");
    }
    m_fields = 0;
    m_buffer += '\n';
    if (m_buffer.size() >= BUFFER_BYTES)
    {
        Flush();
    }
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

void
CsvFile::Flush()
{
    if (m_file == nullptr)
    {
        throw std::logic_error(m_path + ": written after it was closed");
    }
    const size_t written = std::fwrite(m_buffer.data(), 1, m_buffer.size(), m_file);
    const int error = errno;
    const bool complete = written == m_buffer.size();
    m_buffer.clear(); // not tried again by the destructor
    if (!complete)
    {
        throw InputError(FileMessage(m_path, "cannot write", error));
    }
}

void
CsvFile::Close()
{
    if (m_file == nullptr)
    {
        return;
    }
    Flush();
    std::FILE* file = std::exchange(m_file, nullptr);
    if (std::fclose(file) != 0)
    {
        throw InputError(FileMessage(m_path, "cannot write", errno));
    }
}

std::string
CsvFile::FormatNs(int64_t ps)
{
    std::string out = ps < 0 ? "-" : "";
    // Negated in unsigned arithmetic: right for INT64_MIN, too.
    const uint64_t magnitude = ps < 0 ? 0 - static_cast<uint64_t>(ps) : static_cast<uint64_t>(ps);
    AppendNumber(out, magnitude / 1000);
    const auto rest = static_cast<unsigned>(magnitude % 1000);
    out += '.';
    out += static_cast<char>('0' + rest / 100);
    out += static_cast<char>('0' + rest / 10 % 10);
    out += static_cast<char>('0' + rest % 10);
    return out;
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
    std::string out;
    AppendNumber(out, whole);
    const std::string digits = std::to_string(micro);
    return out + "." + std::string(6 - digits.size(), '0') + digits;
}

} // namespace roce
} // namespace ns3
