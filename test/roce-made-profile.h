// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MADE_PROFILE_H
#define ROCE_MADE_PROFILE_H

#include "ns3/roce-parameters-base.h"
#include "ns3/type-id.h"

#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce::test
{

/// Names and values.
using Attributes = std::vector<std::pair<std::string, std::string>>;

/**
 * @brief Values that profiles alone decide are given to a test's object by a profile that is made
 * for it: as the one it names, or the default, with these values.
 * @param type that has the parameters
 * @param attributes of the object, and names that are no attributes but values of profiles
 * @return attributes that can be set
 */
inline Attributes
WithMadeProfile(const TypeId& type, const Attributes& attributes)
{
    static std::map<std::string, std::string> made; // by all that is in it
    OutsideProfile profile;
    TypeId owner = type; // or a parent of it
    for (bool isOwner = false; !isOwner && owner.HasParent();
         owner = isOwner ? owner : owner.GetParent())
    {
        for (std::size_t i = 0; i < owner.GetAttributeN(); ++i)
        {
            isOwner = isOwner || owner.GetAttribute(i).name == "Profile";
        }
    }
    profile.type = owner.GetName();
    Attributes rest;
    std::string key = owner.GetName();
    TypeId::AttributeInformation info;
    for (const auto& [name, value] : attributes)
    {
        const bool isAttribute = type.LookupAttributeByName(name, &info);
        (isAttribute ? rest : profile.values).emplace_back(name, value);
        profile.base = name == "Profile" ? value : profile.base;
        key += isAttribute ? "" : "|" + name + "=" + value;
    }
    if (profile.values.empty() || !type.LookupAttributeByName("Profile", &info))
    {
        return attributes;
    }
    if (profile.base.empty())
    {
        profile.base = info.originalInitialValue->SerializeToString(info.checker);
    }
    const auto [place, isNew] = made.try_emplace(key + "|" + profile.base, "");
    if (isNew)
    {
        profile.name = "made-" + std::to_string(made.size());
        OutsideProfile::Register(profile);
        place->second = profile.name;
    }
    rest.emplace_back("Profile", place->second);
    return rest;
}

/// @return the same of an object as text. @param text "Bbr[Rounds=acks|ProbeRtt=false]", with or
/// without ns3::roce:: in front
inline std::string
WithMadeProfile(const std::string& text)
{
    const std::string prefix = "ns3::roce::";
    const std::size_t bracket = text.find('[');
    const std::string name = text.substr(0, bracket);
    Attributes attributes;
    std::istringstream list(
        bracket == std::string::npos ? "" : text.substr(bracket + 1, text.size() - bracket - 2));
    for (std::string item; std::getline(list, item, '|');)
    {
        const std::size_t equal = item.find('=');
        attributes.emplace_back(item.substr(0, equal), item.substr(equal + 1));
    }
    TypeId type;
    if (!TypeId::LookupByNameFailSafe((name.rfind(prefix, 0) ? prefix : "") + name, &type))
    {
        return text;
    }
    std::string all;
    for (const auto& [attribute, value] : WithMadeProfile(type, attributes))
    {
        all += (all.empty() ? "" : "|") + attribute + "=" + value;
    }
    return all.empty() ? name : name + "[" + all + "]";
}

} // namespace ns3::roce::test

#endif /* ROCE_MADE_PROFILE_H */
