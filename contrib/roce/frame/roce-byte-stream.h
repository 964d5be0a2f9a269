// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_BYTE_STREAM_H
#define ROCE_BYTE_STREAM_H

#include "ns3/roce-input-error.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace ns3::roce
{

/**
 * @brief Appends plain values to bytes, for the same program in another process: in the machine's
 * own byte order.
 */
class ByteWriter
{
  public:
    /// @param out appended to; outlives this
    explicit ByteWriter(std::string& out)
        : m_out(out)
    {
    }

    /// @param value appended; a number, an enumeration, a structure without pointers
    template <typename T>
    ByteWriter& operator()(const T& value)
    {
        static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
        m_out.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }

    /// @param text appended with its length
    ByteWriter& operator()(const std::string& text)
    {
        (*this)(uint64_t{text.size()});
        m_out.append(text);
        return *this;
    }

  private:
    std::string& m_out;
};

/// @brief Takes back what a ByteWriter has written, in the same order.
class ByteReader
{
  public:
    /// @param bytes outlives this @param at where to begin
    explicit ByteReader(const std::string& bytes, std::size_t at = 0)
        : m_bytes(bytes),
          m_at(at)
    {
    }

    /// @param [out] value the next one @throw InputError if the bytes end within it
    template <typename T>
    ByteReader& operator()(T& value)
    {
        static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
        std::memcpy(static_cast<void*>(&value), Skip(sizeof value), sizeof value);
        return *this;
    }

    /// @param [out] text the next one @throw InputError if the bytes end within it
    ByteReader& operator()(std::string& text)
    {
        uint64_t bytes = 0;
        (*this)(bytes);
        const char* const first = Skip(bytes);
        text.assign(first, bytes);
        return *this;
    }

    /// @tparam T kind of the next value
    template <typename T>
    T Get()
    {
        T value{};
        (*this)(value);
        return value;
    }

    /// @return whether everything has been taken
    bool IsEmpty() const
    {
        return m_at == m_bytes.size();
    }

    /// @return where the next value begins
    std::size_t GetPosition() const
    {
        return m_at;
    }

  private:
    const char* Skip(uint64_t bytes)
    {
        if (bytes > m_bytes.size() - m_at)
        {
            throw InputError("bytes of another process end after " +
                             std::to_string(m_bytes.size()) + ", in the middle of a value");
        }
        const char* const first = m_bytes.data() + m_at;
        m_at += bytes;
        return first;
    }

    const std::string& m_bytes;
    std::size_t m_at;
};

} // namespace ns3::roce

#endif /* ROCE_BYTE_STREAM_H */
