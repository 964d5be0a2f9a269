// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_ALL_ATTRIBUTES_H
#define ROCE_ALL_ATTRIBUTES_H

#include "ns3/object.h"
#include "ns3/string.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3::roce::test
{

/// Calls for each attribute of a type and of its parents that can be set and read and is no
/// pointer.
inline void
ForAllAttributes(
    const TypeId& type,
    const std::function<void(const std::string& fullName, const TypeId::AttributeInformation&)>& f)
{
    for (TypeId tid = type;; tid = tid.GetParent())
    {
        for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            const TypeId::AttributeInformation info = tid.GetAttribute(i);
            const std::string kind = info.checker->GetValueTypeName();
            if (info.accessor->HasSetter() && info.accessor->HasGetter() &&
                kind.find("Pointer") == std::string::npos &&
                kind.find("Container") == std::string::npos)
            {
                f(tid.GetAttributeFullName(i), info);
            }
        }
        if (!tid.HasParent() || tid.GetParent() == tid)
        {
            return;
        }
    }
}

/// @return the values as text, by name
inline std::map<std::string, std::string>
ReadAll(const Object& object)
{
    std::map<std::string, std::string> values;
    ForAllAttributes(object.GetInstanceTypeId(),
                     [&](const std::string& name, const TypeId::AttributeInformation& info) {
                         const Ptr<AttributeValue> value = info.checker->Create();
                         if (info.accessor->Get(&object, *value))
                         {
                             values[name] = value->SerializeToString(info.checker);
                         }
                     });
    return values;
}

/// @return a value that is not the default
inline std::string
OtherValue(const TypeId::AttributeInformation& info)
{
    if (info.checker->GetValueTypeName().find("ObjectFactory") != std::string::npos)
    {
        // Kinds of what NICs and switch ports are made of.
        const std::map<std::string, std::string> others{
            {"CongestionControl", "ns3::roce::LineRate[]"},
            {"LossRecovery", "ns3::roce::SelectiveRepeat[]"},
            {"PathSelector", "ns3::roce::Spray[]"},
            {"EgressScheduler", "ns3::roce::DwrrScheduler[Quantum=77]"}};
        const auto other = others.find(info.name);
        return other == others.end() ? "" : other->second;
    }
    const std::map<std::string, std::vector<std::string>> texts{
        {"Boolean", {"true", "false"}},
        {"Uinteger", {"3", "2", "70"}},
        {"Double", {"0.5", "2"}},
        {"Time", {"17ns", "17us"}},
        {"DataRate", {"40Gbps", "50Gbps"}},
        {"QueueSize", {"3B", "5MB"}},
        {"String", {"3:2"}},
        {"Parameter", {"3"}}}; // any text, as parameters report bad ones when they are used
    const std::string before = info.initialValue->SerializeToString(info.checker);
    for (const auto& [kind, candidates] : texts)
    {
        if (info.checker->GetValueTypeName().find(kind + "Value") == std::string::npos)
        {
            continue;
        }
        for (const std::string& text : candidates)
        {
            const Ptr<AttributeValue> value = info.checker->CreateValidValue(StringValue(text));
            if (value && value->SerializeToString(info.checker) != before)
            {
                return text;
            }
        }
    }
    return "";
}

} // namespace ns3::roce::test

#endif /* ROCE_ALL_ATTRIBUTES_H */
