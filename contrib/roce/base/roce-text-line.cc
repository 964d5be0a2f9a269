// SPDX-License-Identifier: GPL-2.0-only
#include "roce-text-line.h"

#include "roce-input-error.h"

#include <array>

namespace ns3::roce
{

namespace
{

constexpr std::size_t LONGEST_BYTES = 1 << 20;

} // namespace

bool
ReadLine(std::istream& in, std::string& line, const std::string& file, unsigned number)
{
    line.clear();
    std::array<char, 4096> part;
    for (bool goesOn = true; goesOn;)
    {
        in.getline(part.data(), part.size());
        const auto count = static_cast<std::size_t>(in.gcount());
        goesOn = in.rdstate() == std::ios::failbit && count + 1 == part.size();
        line.append(part.data(), count - (in.good() ? 1 : 0)); // the line's end is counted
        if (line.size() > LONGEST_BYTES)
        {
            throw InputError(file,
                             number,
                             "line of more than " + std::to_string(LONGEST_BYTES) +
                                 " bytes, expected shorter ones");
        }
        if (goesOn)
        {
            in.clear();
        }
    }
    return !line.empty() || !in.fail();
}

} // namespace ns3::roce
