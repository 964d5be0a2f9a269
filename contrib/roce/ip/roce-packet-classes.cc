// SPDX-License-Identifier: GPL-2.0-only
#include "roce-packet-classes.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-text-form.h"

#include <set>
#include <sstream>

namespace ns3::roce
{

PacketClasses
PacketClasses::Parse(const std::string& text)
{
    static const TextForm form("((dscp|priority)([0-9]{1,3})=)?([0-7])");
    PacketClasses classes;
    std::istringstream list(text.empty() ? "," : text);
    bool isFirst = true;
    for (std::string item; std::getline(list, item, ','); isFirst = false)
    {
        const std::vector<std::string> match = form.Match(item);
        const bool isRule = !match.empty() && !match[1].empty();
        const bool isDscp = isRule && match[2] == "dscp";
        const int value = isRule ? std::stoi(match[3]) : 0;
        if (match.empty() || isRule == isFirst || value > (isDscp ? 63 : 255))
        {
            throw InputError("ns3::roce::RoceNetDevice: Classes has '" + item +
                             "', expected a class 0 to 7 and then exceptions dscpD=C or "
                             "priorityP=C, such as 0,dscp46=5");
        }
        const auto trafficClass = static_cast<uint8_t>(std::stoi(match[4]));
        if (isRule)
        {
            classes.m_rules.push_back({isDscp, static_cast<uint8_t>(value), trafficClass});
        }
        else
        {
            classes.m_default = trafficClass;
        }
    }
    return classes;
}

std::vector<uint8_t>
PacketClasses::GetAll() const
{
    std::set<uint8_t> all{m_default};
    for (const Rule& rule : m_rules)
    {
        all.insert(rule.trafficClass);
    }
    return {all.begin(), all.end()};
}

} // namespace ns3::roce
