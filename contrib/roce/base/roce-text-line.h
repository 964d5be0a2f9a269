// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TEXT_LINE_H
#define ROCE_TEXT_LINE_H

#include <istream>
#include <string>

namespace ns3::roce
{

/**
 * @ingroup roce
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

} // namespace ns3::roce

#endif /* ROCE_TEXT_LINE_H */
