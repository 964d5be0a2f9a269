// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_INPUT_ERROR_H
#define ROCE_INPUT_ERROR_H

#include <stdexcept>
#include <string>

namespace ns3::roce
{

/**
 * @brief Make a message printable as one line, whatever was given as a value or as the name of a
 * file.
 * @param message any bytes
 * @return UTF-8 of about 2000 bytes at most: control characters, separators of lines and what is no
 * UTF-8 are escaped (`\\n`, `\\xff`), text between quotation marks is cut after 200 bytes
 */
std::string OneLine(const std::string& message);

/**
 * @brief Thrown for anything a user can get wrong: an option, a file, an impossible topology.
 *
 * The message is one line that says what was found and what was expected; for files it begins with
 * `file:line:`. Programs print it as `error: <message>` and exit with status 2 before simulating.
 */
class InputError : public std::runtime_error
{
  public:
    /// @param message no trailing newline; OneLine() makes one line of it
    explicit InputError(const std::string& message);

    /**
     * @param file the file's name as the user gave it
     * @param line line number, from 1
     * @param message what was found and what was expected
     */
    InputError(const std::string& file, unsigned line, const std::string& message);
};

} // namespace ns3::roce

#endif /* ROCE_INPUT_ERROR_H */
