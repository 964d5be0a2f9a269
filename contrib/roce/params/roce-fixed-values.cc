// SPDX-License-Identifier: GPL-2.0-only
#include "roce-fixed-values.h"

#include <map>

namespace ns3::roce
{

namespace
{

/// @return values by type and name
std::map<std::string, std::string>&
Values()
{
    static std::map<std::string, std::string> values;
    return values;
}

} // namespace

bool
FixedValues::Add(const std::string& type, const std::string& name, const std::string& value)
{
    Values()[type + "::" + name] = value;
    return true;
}

std::string
FixedValues::Explain(const std::string& type, const std::string& name)
{
    const auto found = Values().find(type + "::" + name);
    return found == Values().end() ? "" : "it is fixed at " + found->second;
}

} // namespace ns3::roce
