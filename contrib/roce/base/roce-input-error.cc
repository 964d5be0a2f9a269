// SPDX-License-Identifier: GPL-2.0-only
#include "roce-input-error.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace ns3::roce
{

namespace
{

constexpr std::size_t MAX_VALUE_BYTES = 200;
constexpr std::size_t MAX_WORD_TAIL_BYTES = 80;
constexpr std::size_t MAX_HEAD_BYTES = 1500;
constexpr std::size_t MAX_TAIL_BYTES = 400;

bool
IsContinuation(char c)
{
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// The first bytes of a text, without part of a UTF-8 character at their end.
std::string
Head(const std::string& text, std::size_t most)
{
    std::size_t length = std::min(most, text.size());
    for (unsigned i = 0; i < 3 && length < text.size() && IsContinuation(text[length]); ++i)
    {
        --length;
    }
    return text.substr(0, length);
}

/// The beginning and the end of a text that is too long.
std::string
Shorten(const std::string& text, std::size_t headBytes, std::size_t tailBytes, const char* gap)
{
    if (text.size() <= headBytes + tailBytes)
    {
        return text;
    }
    std::size_t tail = text.size() - tailBytes;
    while (tail < text.size() && IsContinuation(text[tail]))
    {
        ++tail;
    }
    return Head(text, headBytes) + gap + text.substr(tail);
}

/// Shorten what has no blank for too long: paths of files.
std::string
CutWords(const std::string& text)
{
    std::string cut;
    for (std::size_t begin = 0; begin < text.size();)
    {
        const std::size_t end = std::min(text.find(' ', begin), text.size() - 1) + 1;
        cut +=
            Shorten(text.substr(begin, end - begin), MAX_VALUE_BYTES, MAX_WORD_TAIL_BYTES, "...");
        begin = end;
    }
    return cut;
}

/// @return length of the printable character at a place, 0 if it is none
std::size_t
CharacterBytes(const std::string& text, std::size_t at)
{
    const auto first = static_cast<unsigned char>(text[at]);
    if (first < 0x80)
    {
        return first >= 0x20 && first != 0x7f ? 1 : 0;
    }
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || at + length > text.size())
    {
        return 0;
    }
    uint32_t code = first & (0xffU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i)
    {
        if (!IsContinuation(text[at + i]))
        {
            return 0;
        }
        code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3fU);
    }
    const uint32_t least[] = {0xa0, 0x800, 0x10000}; // those from 0x80 on are control characters
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    const bool separator = code == 0x2028 || code == 0x2029; // of lines, of paragraphs
    return code < least[length - 2] || code > 0x10ffff || surrogate || separator ? 0 : length;
}

/// Shorten text between quotation marks.
std::string
CutValues(const std::string& text)
{
    const auto isMark = [&text](std::size_t at, std::size_t beside, const char* what) {
        return text[at] == '\'' && (beside >= text.size() || std::strchr(what, text[beside]));
    };
    std::string cut;
    std::size_t at = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        if (!isMark(i, i - 1, " (=:"))
        {
            continue;
        }
        std::size_t end = i + 1;
        while (end < text.size() && !isMark(end, end + 1, " ,.;:)"))
        {
            ++end;
        }
        if (end - i - 1 > MAX_VALUE_BYTES)
        {
            cut += text.substr(at, i + 1 - at) +
                   Head(text.substr(i + 1, end - i - 1), MAX_VALUE_BYTES) + "...";
            at = end;
        }
        i = end;
    }
    return cut + text.substr(std::min(at, text.size()));
}

} // namespace

std::string
OneLine(const std::string& message)
{
    const std::string text =
        Shorten(CutWords(CutValues(message)), MAX_HEAD_BYTES, MAX_TAIL_BYTES, " ... ");
    std::string line;
    for (std::size_t i = 0; i < text.size();)
    {
        if (const std::size_t length = CharacterBytes(text, i))
        {
            line += text.substr(i, length);
            i += length;
            continue;
        }
        const char* const known = "\n\r\t";
        const char* const found = text[i] ? std::strchr(known, text[i]) : nullptr;
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(text[i]));
        line += found ? std::string("\\") + "nrt"[found - known] : std::string(escape);
        ++i;
    }
    return line;
}

InputError::InputError(const std::string& message)
    : std::runtime_error(OneLine(message))
{
}

InputError::InputError(const std::string& file, unsigned line, const std::string& message)
    : InputError(file + ":" + std::to_string(line) + ": " + message)
{
}

} // namespace ns3::roce
