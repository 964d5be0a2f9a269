// SPDX-License-Identifier: GPL-2.0-only
#include "roce-print-profile.h"

#include "ns3/object-factory.h"
#include "ns3/roce-attribute-values.h"
#include "ns3/roce-congestion-control.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-value-check.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <vector>

namespace ns3::roce
{

namespace
{

const char* const OPTION = "--PrintProfile";

/// @throw InputError if the name before the bracket is not that of a type that can be made
void
CheckName(const std::string& text)
{
    const std::string name = text.substr(0, text.find('['));
    const std::string known = ValueCheck::KnownTypes(Object::GetTypeId(), "Roce");
    TypeId tid;
    const bool found = TypeId::LookupByNameFailSafe("ns3::roce::" + name, &tid) ||
                       TypeId::LookupByNameFailSafe(name, &tid);
    if (!found || !tid.HasConstructor() || !tid.IsChildOf(Object::GetTypeId()))
    {
        throw InputError(std::string(OPTION) + " is '" + text + "', expected one of: " + known);
    }
}

} // namespace

std::string
PrintProfile(const std::string& text)
{
    CheckName(text);
    ObjectFactory factory;
    std::istringstream(ValueCheck::Factory(OPTION, text, Object::GetTypeId())) >> factory;
    const Ptr<Object> object = factory.Create<Object>();
    if (const auto* law = dynamic_cast<const CongestionControl*>(PeekPointer(object)))
    {
        law->Fork(); // throws for values that do not go together
    }
    std::vector<std::array<std::string, 5>> rows{{"parameter", "value", "from", "values", "help"}};
    for (const AttributeInForce& attribute : GetAttributesInForce(*object))
    {
        rows.push_back(
            {attribute.name, attribute.value, attribute.from, attribute.kind, attribute.help});
    }
    std::array<std::size_t, 4> widths{};
    for (const auto& row : rows)
    {
        for (std::size_t i = 0; i < widths.size(); ++i)
        {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    std::string table = factory.GetTypeId().GetName() + "\n";
    for (const auto& row : rows)
    {
        for (std::size_t i = 0; i < widths.size(); ++i)
        {
            table += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
        }
        table += row.back() + "\n";
    }
    return table;
}

} // namespace ns3::roce
