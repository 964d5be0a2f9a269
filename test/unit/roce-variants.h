// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_VARIANTS_H
#define ROCE_VARIANTS_H

#include "roce-made-profile.h"

#include "ns3/object-factory.h"
#include "ns3/roce-parameter-value.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::roce::test
{

/**
 * @param text "Dcqcn[Profile=paper]", with or without ns3::roce:: in front
 * @param attributes more of them: "Name=value|Name=value"
 * @return the object
 */
template <typename T>
Ptr<T>
MakeObject(const std::string& text, const std::string& attributes = "")
{
    const std::string prefix = "ns3::roce::";
    ObjectFactory factory;
    std::istringstream(WithMadeProfile((text.rfind(prefix, 0) ? prefix : "") + text +
                                       (attributes.empty() ? "" : "[" + attributes + "]"))) >>
        factory;
    return factory.Create<T>();
}

/**
 * @param parent a class
 * @return names, without ns3::roce::, of the module's classes below it that can be made
 */
inline std::vector<std::string>
ChildrenOf(const TypeId& parent)
{
    std::vector<std::string> names;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (tid.IsChildOf(parent) && tid.HasConstructor() && tid.GetGroupName() == "Roce")
        {
            names.push_back(tid.GetName().substr(tid.GetName().rfind(':') + 1));
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

/**
 * @param name of a class, without ns3::roce::
 * @return "", and "Attribute=value" for each value of each choice (profiles are one) and flag
 */
inline std::vector<std::string>
VariantsOf(const std::string& name)
{
    std::vector<std::string> variants{""};
    const TypeId tid = TypeId::LookupByName("ns3::roce::" + name);
    for (std::size_t a = 0; a < tid.GetAttributeN(); ++a)
    {
        const TypeId::AttributeInformation attribute = tid.GetAttribute(a);
        const auto* checker = dynamic_cast<const ParameterChecker*>(PeekPointer(attribute.checker));
        const std::string values = checker ? checker->GetInfo().values : "";
        const bool flag = values.rfind("true", 0) == 0;
        const bool choice = checker && checker->GetInfo().expected.rfind('\'', 0) == 0;
        if (!flag && !choice)
        {
            continue;
        }
        std::istringstream list(values);
        for (std::string value; std::getline(list >> std::ws, value, ',');)
        {
            if (value.rfind("made-", 0) != 0) // else another test's, see roce-made-profile.h
            {
                variants.push_back(attribute.name + "=" + value);
            }
        }
    }
    return variants;
}

/**
 * @param text anything
 * @return its letters and digits, as GoogleTest wants a name
 */
inline std::string
NameOfTest(std::string text)
{
    std::replace_if(
        text.begin(),
        text.end(),
        [](unsigned char c) { return !std::isalnum(c); },
        '_');
    return text;
}

} // namespace ns3::roce::test

#endif /* ROCE_VARIANTS_H */
