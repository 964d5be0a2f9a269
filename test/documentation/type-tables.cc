// SPDX-License-Identifier: GPL-2.0-only

// Prints all types of the module with their attributes and trace sources, or (--series) the tables
// of time series, as JSON: what scripts/build-doc.py makes tables of.

#include "ns3/core-module.h"
#include "ns3/roce-network.h"
#include "ns3/roce-parameter-value.h"
#include "ns3/roce-time-series.h"

#include <iostream>
#include <nlohmann/json.hpp>

using namespace ns3;

namespace
{

/// The parameter that an attribute is, or null.
const roce::ParameterInfo*
ParameterOf(const TypeId::AttributeInformation& attribute)
{
    const auto* parameter =
        dynamic_cast<const roce::ParameterChecker*>(PeekPointer(attribute.checker));
    return parameter ? &parameter->GetInfo() : nullptr;
}

/// The default as text; times exactly, in ps; where profiles differ, that of each.
std::string
DefaultOf(const TypeId::AttributeInformation& attribute)
{
    if (const auto time = DynamicCast<const TimeValue>(attribute.originalInitialValue))
    {
        return std::to_string(time->Get().GetPicoSeconds()) + "ps";
    }
    const roce::ParameterInfo* parameter = ParameterOf(attribute);
    if (!parameter || parameter->GetDefault() != roce::ParameterInfo::PROFILE)
    {
        return attribute.originalInitialValue->SerializeToString(attribute.checker);
    }
    std::string byProfile;
    for (const std::string& text : parameter->profileText)
    {
        byProfile += (byProfile.empty() ? "" : " / ") + text;
    }
    return byProfile;
}

/// @return option, help and columns of each table
nlohmann::ordered_json
ListSeries()
{
    nlohmann::ordered_json tables = nlohmann::json::array();
    for (const roce::SeriesKind& kind : roce::TimeSeries::GetKinds())
    {
        tables.push_back(
            {{"option", kind.option}, {"help", kind.help}, {"columns", kind.GetHeader()}});
    }
    return tables;
}

} // namespace

int
main(int argc, char* argv[])
{
    if (argc == 2 && std::string(argv[1]) == "--series")
    {
        std::cout << ListSeries().dump(1) << std::endl;
        return 0;
    }
    Time::SetResolution(Time::PS);
    roce::Network network; // nothing of it is looked at: the library must be loaded
    nlohmann::ordered_json types = nlohmann::json::array();
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (tid.GetName().rfind("ns3::roce::", 0) != 0)
        {
            continue;
        }
        nlohmann::ordered_json type{{"name", tid.GetName()},
                                    {"parent", tid.GetParent().GetName()},
                                    {"group", tid.GetGroupName()},
                                    {"constructor", tid.HasConstructor()},
                                    {"attributes", nlohmann::json::array()},
                                    {"traces", nlohmann::json::array()}};
        for (std::size_t a = 0; a < tid.GetAttributeN(); ++a)
        {
            const TypeId::AttributeInformation attribute = tid.GetAttribute(a);
            const roce::ParameterInfo* parameter = ParameterOf(attribute);
            type["attributes"].push_back(
                {{"name", attribute.name},
                 {"profiles", parameter ? parameter->profileText : std::vector<std::string>()},
                 {"help", attribute.help},
                 {"default", DefaultOf(attribute)},
                 {"value", attribute.checker->GetValueTypeName()},
                 {"range",
                  ParameterOf(attribute) ? ParameterOf(attribute)->values
                  : attribute.checker->HasUnderlyingTypeInformation()
                      ? attribute.checker->GetUnderlyingTypeInformation()
                      : std::string()},
                 {"settable",
                  (attribute.flags & (TypeId::ATTR_SET | TypeId::ATTR_CONSTRUCT)) != 0}});
        }
        for (std::size_t t = 0; t < tid.GetTraceSourceN(); ++t)
        {
            const TypeId::TraceSourceInformation trace = tid.GetTraceSource(t);
            type["traces"].push_back(
                {{"name", trace.name}, {"help", trace.help}, {"callback", trace.callback}});
        }
        types.push_back(type);
    }
    std::cout << types.dump(1) << std::endl;
}
