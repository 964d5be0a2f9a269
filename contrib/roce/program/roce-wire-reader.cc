// SPDX-License-Identifier: GPL-2.0-only
#include "roce-wire-reader.h"

#include "ns3/roce-input-error.h"

namespace ns3::roce
{

namespace
{

/// Wire types of protobuf; 3 and 4 (groups) went out of use with proto3.
enum Form : uint32_t
{
    FORM_VARINT = 0,
    FORM_64 = 1,
    FORM_LENGTH = 2,
    FORM_32 = 5
};

} // namespace

WireReader::WireReader(const std::string& file, const std::string& bytes)
    : m_file(&file),
      m_bytes(&bytes),
      m_end(bytes.size())
{
}

void
WireReader::Refuse(std::size_t at, const std::string& message) const
{
    throw InputError(*m_file + ": byte " + std::to_string(at) + ": " + message);
}

uint64_t
WireReader::Varint(const char* what)
{
    const std::size_t begin = m_at;
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7)
    {
        if (m_at == m_end)
        {
            Refuse(begin, std::string("the end, expected ") + what);
        }
        const auto byte = static_cast<unsigned char>((*m_bytes)[m_at++]);
        number |= static_cast<uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80)
        {
            return number;
        }
    }
    Refuse(begin, std::string("an integer of more than 10 bytes, expected ") + what);
}

uint64_t
WireReader::Fixed(unsigned bytes, const char* what)
{
    if (m_end - m_at < bytes)
    {
        Refuse(m_at,
               std::string("the end, expected ") + std::to_string(bytes) + " bytes of " + what);
    }
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; ++i)
    {
        number |= static_cast<uint64_t>(static_cast<unsigned char>((*m_bytes)[m_at++])) << 8 * i;
    }
    return number;
}

std::size_t
WireReader::Length(const char* what)
{
    const std::size_t begin = m_at;
    const uint64_t length = Varint(what);
    if (length > m_end - m_at)
    {
        Refuse(begin,
               std::string(what) + " of " + std::to_string(length) +
                   " bytes, expected at most the " + std::to_string(m_end - m_at) +
                   " that are left");
    }
    return static_cast<std::size_t>(length);
}

void
WireReader::Expect(uint32_t form, const char* what) const
{
    if (m_form != form)
    {
        Refuse(m_fieldAt,
               "field " + std::to_string(m_field) + " (" + what + ") has wire type " +
                   std::to_string(m_form) + ", expected " + std::to_string(form));
    }
}

uint32_t
WireReader::Next()
{
    if (AtEnd())
    {
        return 0;
    }
    m_fieldAt = m_at;
    const uint64_t key = Varint("a field");
    m_field = static_cast<uint32_t>(key >> 3);
    m_form = key & 7;
    if (m_field == 0 || key >> 32 != 0)
    {
        Refuse(m_fieldAt, "field " + std::to_string(key >> 3) + ", expected 1 to 536870911");
    }
    return m_field;
}

uint64_t
WireReader::Number(const char* what)
{
    Expect(FORM_VARINT, what);
    return Varint(what);
}

uint32_t
WireReader::Fixed32(const char* what)
{
    Expect(FORM_32, what);
    return static_cast<uint32_t>(Fixed(4, what));
}

uint64_t
WireReader::Fixed64(const char* what)
{
    Expect(FORM_64, what);
    return Fixed(8, what);
}

std::string
WireReader::Text(const char* what)
{
    Expect(FORM_LENGTH, what);
    const std::size_t length = Length(what);
    m_at += length;
    return m_bytes->substr(m_at - length, length);
}

WireReader
WireReader::Message(const char* what)
{
    Expect(FORM_LENGTH, what);
    return Delimited(what);
}

WireReader
WireReader::Delimited(const char* what)
{
    const std::size_t length = Length(what);
    WireReader inner = *this;
    inner.m_end = m_at + length;
    m_at = inner.m_end;
    return inner;
}

void
WireReader::Numbers(const char* what, std::vector<uint64_t>& list)
{
    if (m_form == FORM_VARINT) // not packed
    {
        list.push_back(Varint(what));
        return;
    }
    for (WireReader packed = Message(what); !packed.AtEnd();)
    {
        list.push_back(packed.Varint(what));
    }
}

void
WireReader::Skip()
{
    switch (m_form)
    {
    case FORM_VARINT:
        Varint("a value");
        break;
    case FORM_64:
        Fixed(8, "a value");
        break;
    case FORM_LENGTH:
        m_at += Length("a value");
        break;
    case FORM_32:
        Fixed(4, "a value");
        break;
    default:
        Refuse(m_fieldAt,
               "field " + std::to_string(m_field) + " has wire type " + std::to_string(m_form) +
                   ", expected 0, 1, 2 or 5");
    }
}

void
WireWriter::Varint(std::string& out, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
    {
        out += static_cast<char>(number | 0x80);
    }
    out += static_cast<char>(number);
}

} // namespace ns3::roce
