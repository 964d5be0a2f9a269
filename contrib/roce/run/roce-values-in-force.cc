// SPDX-License-Identifier: GPL-2.0-only
#include "roce-values-in-force.h"

#include "ns3/roce-attribute-values.h"
#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-egress-scheduler.h"
#include "ns3/roce-network.h"
#include "ns3/roce-switch-stage.h"
#include "ns3/roce-tuner.h"

#include <nlohmann/json.hpp>
#include <string>

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

void
AddProfile(Json& json, const std::string& scope, const TransportProfile& profile)
{
    std::string role = scope + "congestionControl";
    for (Ptr<const CongestionControl> law = profile.GetLaw(); law; law = law->GetInnerLaw())
    {
        Add(json[role], *law);
        role += ".law";
    }
    Add(json[scope + "receiverFeedback"], *profile.GetFeedback());
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
        AddProfile(json, "intra.", *nic.GetProfile(false));
        if (hasInter)
        {
            AddProfile(json, "inter.", *nic.GetProfile(true));
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

} // namespace ns3::roce
