// SPDX-License-Identifier: GPL-2.0-only
#include "roce-key-settings.h"

#include "ns3/config.h"
#include "ns3/roce-congestion-control.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-value-check.h"
#include "ns3/string.h"

#include <algorithm>

namespace ns3::roce
{

bool
KeySettings::IsInUse(const std::string& attribute) const
{
    std::string law = m_law.substr(0, m_law.find('['));
    law = law.find("::") == std::string::npos ? "ns3::roce::" + law : law;
    TypeId owner;
    TypeId own;
    return !TypeId::LookupByNameFailSafe(attribute.substr(0, attribute.rfind("::")), &owner) ||
           !owner.IsChildOf(CongestionControl::GetTypeId()) ||
           (TypeId::LookupByNameFailSafe(law, &own) && (own == owner || own.IsChildOf(owner)));
}

void
KeySettings::Set(const std::string& attribute, const std::string& value)
{
    if (m_cmd.IsGiven(attribute))
    {
        return;
    }
    try
    {
        ValueCheck::Attribute(attribute, value);
    }
    catch (const InputError&)
    {
        if (IsInUse(attribute))
        {
            throw;
        }
        return;
    }
    Config::SetDefault(attribute, StringValue(value));
}

void
KeySettings::SetFrom(const std::string& key, const std::string& attribute, const std::string& value)
{
    m_keyOfAttribute[attribute] = key;
    try
    {
        Set(attribute, value);
    }
    catch (const InputError& error)
    {
        // Not the attribute's name: the user has given a key.
        const std::string what = error.what();
        m_config.Fail(key, value + what.substr(std::min(what.size(), what.find(", expected "))));
    }
}

std::string
KeySettings::FindKeys(const std::string& message) const
{
    std::string found;
    for (const auto& [attribute, key] : m_keyOfAttribute)
    {
        const std::size_t colons = attribute.rfind("::");
        const bool isNamed =
            message.compare(0, colons + 2, attribute.substr(0, colons) + ": ") == 0 &&
            message.find(" " + attribute.substr(colons + 2)) != std::string::npos;
        if (isNamed && m_config.Has(key))
        {
            found += (found.empty() ? "" : ", ") + m_config.Where(key) + ": " + key;
        }
    }
    return found;
}

} // namespace ns3::roce
