// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_LINE_READER_H
#define ROCE_LINE_READER_H

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <istream>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Read a line as std::getline() does, but at most 1 MiB: what is longer is no text, and may
 * have no end (/dev/zero).
 * @param in text
 * @param [out] line without its end
 * @param file for the message
 * @param number of the line, for the message
 * @return whether there is one
 * @throw InputError if it is longer
 */
bool ReadLine(std::istream& in, std::string& line, const std::string& file, unsigned number);

/**
 * @brief Reads a text file line by line, with file and line in its errors.
 *
 * `#` starts a comment, empty lines are skipped, `\r` before the line's end is ignored.
 */
class LineReader
{
  public:
    /**
     * @param what it is expected to hold, for messages ("a flow list")
     * @throw InputError if it cannot be read
     */
    LineReader(const std::string& path, const std::string& what);

    /**
     * @brief Go on to the next line with anything but blanks and comment on it.
     * @param text [out] the line without comment and outer blanks
     * @return whether there is one
     */
    bool Next(std::string& text);

    /**
     * @brief Refuse the present line.
     * @param message what was found and what was expected
     * @throw InputError always
     */
    [[noreturn]] void Fail(const std::string& message) const;

    /**
     * @param text decimal integer
     * @param what it is, for messages
     * @param max largest value
     * @return the value
     * @throw InputError for anything else
     */
    uint64_t ParseUnsigned(const std::string& text, const char* what, uint64_t max) const;

    /**
     * @brief Read a decimal number exactly, as an integer number of picoseconds.
     * @param text digits, optional fraction, optional exponent
     * @param unitExponent the unit is 10^unitExponent ps: 3 for ns, 12 for s
     * @param round whether finer digits are rounded half up; if not, they are refused
     * @throw InputError for anything else, or 2^63 ps and more
     */
    int64_t ParsePs(const std::string& text, const char* what, int unitExponent, bool round) const;

    /**
     * @param found fields of the present line
     * @param expected their number
     * @param form of the line, for the message
     * @throw InputError if they differ
     */
    void CheckFieldCount(std::size_t found, std::size_t expected, const std::string& form) const;

    /// @return number of the present line, from 1; 0 before the first
    unsigned GetLine() const
    {
        return m_line;
    }

    /// @return the file as given
    const std::string& GetPath() const
    {
        return m_path;
    }

    /// @return text without blanks at its ends.
    static std::string Trim(const std::string& text);

    /// @return trimmed fields between commas, at least one.
    static std::vector<std::string> SplitAtCommas(const std::string& text);

    /// @return fields between blanks.
    static std::vector<std::string> SplitAtBlanks(const std::string& text);

    /// @return whether text is one or more decimal digits.
    static bool AllDigits(const std::string& text);

  private:
    std::string m_path;
    std::string m_what;
    std::ifstream m_in;
    unsigned m_line{0};
};

} // namespace ns3::roce

#endif /* ROCE_LINE_READER_H */
