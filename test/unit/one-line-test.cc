// SPDX-License-Identifier: GPL-2.0-only
// Messages stay one line of UTF-8, whatever is quoted in them.
#include "ns3/roce-input-error.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

using namespace ns3::roce;

TEST(OneLine, EscapesWhatIsNotPrintable)
{
    const std::pair<const char*, const char*> cases[] = {
        {"plain 'text', 100 %", "plain 'text', 100 %"},
        {"a\nb\r\tc", "a\\nb\\r\\tc"},
        {"\x1b[31m\x7f", "\\x1b[31m\\x7f"},
        {"Gr\u00f6\u00dfe \u4e2d \U0001f600", "Gr\u00f6\u00dfe \u4e2d \U0001f600"},
        {"\xff\xc3", "\\xff\\xc3"},
        {"\xc0\x8a", "\\xc0\\x8a"},                                       // overlong newline
        {"\xc2\x85", "\\xc2\\x85"},                                       // next line
        {"\xe2\x80\xa8|\xe2\x80\xa9", "\\xe2\\x80\\xa8|\\xe2\\x80\\xa9"}, // separators
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},                              // surrogate
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},                     // beyond Unicode
    };
    for (const auto& [text, line] : cases)
    {
        EXPECT_EQ(OneLine(text), line);
        EXPECT_STREQ(InputError(text).what(), line);
    }
    EXPECT_EQ(OneLine(std::string("a\0b", 3)), "a\\x00b");
    EXPECT_STREQ(InputError("a\nb", 3, "c").what(), "a\\nb:3: c");
}

TEST(OneLine, CutsLongValues)
{
    const std::string longText(5000, 'x');
    const std::string cut = std::string(200, 'x') + "...";
    EXPECT_EQ(OneLine("--load is '" + longText + "', expected a number"),
              "--load is '" + cut + "', expected a number");
    EXPECT_EQ(OneLine("'" + longText + "'"), "'" + cut + "'");
    EXPECT_EQ(OneLine("'a' and '" + longText + "' but not 'b'"),
              "'a' and '" + cut + "' but not 'b'");
    // Not what the module itself says.
    std::string list = "--cc is 'Foo', expected one of: ";
    for (int i = 0; i < 100; ++i)
    {
        list += "Number" + std::to_string(i) + ", ";
    }
    EXPECT_EQ(OneLine(list), list);
    // Names of files.
    EXPECT_EQ(OneLine(longText + "/flow.txt:3: missing"),
              std::string(200, 'x') + "..." + std::string(67, 'x') + "/flow.txt:3: missing");
    // Characters stay whole.
    std::string wide;
    for (int i = 0; i < 300; ++i)
    {
        wide += "\u4e2d";
    }
    EXPECT_EQ(OneLine("is '" + wide + "'"), "is '" + wide.substr(0, 198) + "...'");
    // Without marks, or with marks inside.
    for (const std::string& text : {longText, "'" + longText, "--x is '" + std::string(5000, '\'')})
    {
        EXPECT_LT(OneLine(text).size(), 2000u);
        EXPECT_NE(OneLine(text).find("..."), std::string::npos);
    }
}

TEST(OneLine, AnyBytes)
{
    std::mt19937_64 rng(1);
    const std::string alphabet = "ab '\n\"\\\x80\xc3\xa4\xe2\x80\xa8\xff\t=:,";
    for (int i = 0; i < 20000; ++i)
    {
        std::string text;
        for (auto n = rng() % 300; n; --n)
        {
            text += i % 2 ? static_cast<char>(rng() % 256) : alphabet[rng() % alphabet.size()];
        }
        const std::string line = OneLine(text);
        for (const char c : line)
        {
            ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << line;
        }
    }
}
