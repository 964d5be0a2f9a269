// SPDX-License-Identifier: GPL-2.0-only
#include "roce-values-in-force.h"

#include "ns3/object-factory.h"
#include "ns3/roce-attribute-values.h"
#include "ns3/roce-congestion-control.h"
#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-egress-scheduler.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-network.h"
#include "ns3/roce-switch-stage.h"
#include "ns3/roce-tuner.h"
#include "ns3/roce-value-check.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::roce
{

namespace
{

using Json = nlohmann::ordered_json;

/// @return type, values by attribute, and where each comes from
Json
Describe(const Object& object)
{
    Json entry;
    entry["type"] = object.GetInstanceTypeId().GetName();
    entry["count"] = 1;
    Json values = Json::object();
    Json origins = Json::object();
    for (const AttributeInForce& attribute : GetAttributesInForce(object))
    {
        values[attribute.name] = attribute.value;
        origins[attribute.name] = attribute.from;
    }
    entry["values"] = values;
    entry["from"] = origins;
    return entry;
}

/// @return the marking curve that a switch has at a port, of its rate: bytes; empty if it marks
/// none
Json
Thresholds(const Switch& sw, uint16_t port)
{
    Json json = Json::object();
    const auto* marker = sw.FindStage<EcnMarker>();
    if (marker && marker->GetCurve(port).CanMark())
    {
        const EcnCurve& curve = marker->GetCurve(port);
        json["ecnKminBytes"] = curve.kminBytes;
        json["ecnKmaxBytes"] = curve.kmaxBytes;
        json["ecnPmax"] = curve.pmax;
    }
    return json;
}

/// Counts it among its equals.
void
Add(Json& role, const Object& object, const Json& thresholds = Json())
{
    Json entry = Describe(object);
    if (!thresholds.is_null())
    {
        entry["thresholds"] = thresholds;
    }
    for (Json& other : role)
    {
        entry["count"] = other["count"];
        if (entry == other)
        {
            other["count"] = other["count"].get<uint64_t>() + 1;
            return;
        }
    }
    entry["count"] = 1;
    role.push_back(entry);
}

/// What queue pairs of a NIC have within a datacenter, or across.
void
AddProfiles(Json& json, Nic& nic, bool interDc)
{
    const std::string scope = interDc ? "inter." : "intra.";
    for (std::size_t number = 0; number < nic.GetNLaws(); ++number)
    {
        const TransportProfile& profile = *nic.GetProfile(interDc, static_cast<uint8_t>(number));
        std::string role = scope + "congestionControl";
        for (Ptr<const CongestionControl> law = profile.GetLaw(); law; law = law->GetInnerLaw())
        {
            Add(json[role], *law);
            role += ".law";
        }
        Add(json[scope + "receiverFeedback"], *profile.GetFeedback());
    }
    const TransportProfile& profile = *nic.GetProfile(interDc);
    Add(json[scope + "lossRecovery"], *profile.GetRecovery());
    Add(json[scope + "pathSelector"], *profile.GetSelector());
}

} // namespace

Json
ValuesInForce(const Network& network)
{
    Json json = Json::object();
    bool hasInter = false;
    for (uint32_t i = 0; i < network.GetNNics(); ++i)
    {
        hasInter = hasInter || network.GetDatacenter(i) != network.GetDatacenter(0);
    }
    for (uint32_t i = 0; i < network.GetNNics(); ++i)
    {
        Nic& nic = *network.GetNic(i);
        Add(json["nic"], nic);
        AddProfiles(json, nic, false);
        if (hasInter)
        {
            AddProfiles(json, nic, true);
        }
    }
    for (uint32_t i = 0; i < network.GetNSwitches(); ++i)
    {
        const Switch& sw = *network.GetSwitch(i);
        Add(json["switch"], sw);
        for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
        {
            Add(json["switchPort"], *sw.GetPort(p), Thresholds(sw, p));
            Add(json["scheduler"], sw.GetQueue(p));
        }
        for (const Ptr<SwitchStage>& stage : sw.GetStages())
        {
            Add(json["stage"], *stage);
        }
    }
    if (const Ptr<Tuner> tuner = network.GetTuner())
    {
        Add(json["tuner"], *tuner);
    }
    return json;
}

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
