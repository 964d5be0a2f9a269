// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_UNUSED_OPTIONS_H
#define ROCE_UNUSED_OPTIONS_H

#include <string>
#include <vector>

namespace ns3::roce
{

/// Options and attributes of a program that have no effect with the current values of the others.
struct UnusedOptions
{
    std::vector<std::string> names; //!< without dashes
    std::string why;                //!< "with --datacenters=1"
};

} // namespace ns3::roce

#endif /* ROCE_UNUSED_OPTIONS_H */
