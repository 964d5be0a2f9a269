// SPDX-License-Identifier: GPL-2.0-only
#include "roce-buffered-file.h"

#include "ns3/roce-input-error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <utility>

namespace ns3::roce
{

namespace
{

constexpr size_t BUFFER_BYTES = 1 << 16;

/// @param what what failed. @param error errno. @return the one-line message
std::string
FileMessage(const std::string& path, const std::string& what, int error)
{
    return path + ": " + what + ": " + std::strerror(error);
}

} // namespace

BufferedFile::BufferedFile(const std::string& path)
    : m_path(path),
      m_file(nullptr)
{
    // Not through a link: what it leads to is not of the run.
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
    const int descriptor = open(path.c_str(), flags, 0666);
    m_file = descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
    if (m_file == nullptr)
    {
        throw InputError(FileMessage(path, "cannot create", errno));
    }
    std::setvbuf(m_file, nullptr, _IONBF, 0); // m_buffer is the buffer
    m_buffer.reserve(BUFFER_BYTES + 4096);
}

BufferedFile::~BufferedFile()
{
    if (m_file != nullptr)
    {
        std::fwrite(m_buffer.data(), 1, m_buffer.size(), m_file);
        std::fclose(m_file);
    }
}

void
BufferedFile::AppendFixed(std::string& out, int64_t value, unsigned decimals)
{
    if (value < 0)
    {
        out += '-';
    }
    // Negated in unsigned arithmetic: right for INT64_MIN, too.
    uint64_t rest = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    char digits[32];
    char* const end = digits + sizeof(digits);
    char* at = end;
    for (unsigned place = 0; place <= decimals || rest; ++place)
    {
        if (place == decimals)
        {
            *--at = '.';
        }
        *--at = static_cast<char>('0' + rest % 10);
        rest /= 10;
    }
    out.append(at, end);
}

void
BufferedFile::FlushIfFull()
{
    if (m_buffer.size() >= BUFFER_BYTES)
    {
        Flush();
    }
}

void
BufferedFile::Flush()
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
BufferedFile::Close()
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

} // namespace ns3::roce
