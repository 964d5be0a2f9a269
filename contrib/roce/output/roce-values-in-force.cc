/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-values-in-force.h"

#include "ns3/roce-egress-scheduler.h"
#include "ns3/roce-network.h"
#include "ns3/roce-parameter-value.h"
#include "ns3/roce-switch-stage.h"
#include "ns3/roce-tuner.h"

#include <nlohmann/json.hpp>
#include <string>

namespace ns3
{
namespace roce
{

namespace
{

using Json = nlohmann::ordered_json;

/// Attributes that say what an object is made of are told with what it is made of.
bool
IsTold(const TypeId::AttributeInformation& attribute)
{
    return attribute.flags & TypeId::ATTR_GET && attribute.accessor->HasGetter() &&
           attribute.checker->GetValueTypeName() != "ns3::ObjectFactoryValue" &&
           attribute.checker->GetValueTypeName() != "ns3::PointerValue" &&
           attribute.checker->GetValueTypeName() != "ns3::ObjectPtrContainerValue";
}

/// @return type, values by attribute, and which of the parameters were given
Json
Describe(const Object& object)
{
    Json entry;
    entry["type"] = object.GetInstanceTypeId().GetName();
    entry["count"] = 1;
    Json values = Json::object();
    Json given = Json::array();
    TypeId tid = object.GetInstanceTypeId();
    for (bool more = true; more; tid = tid.GetParent())
    {
        for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            const TypeId::AttributeInformation attribute = tid.GetAttribute(i);
            if (!IsTold(attribute))
            {
                continue;
            }
            const Ptr<AttributeValue> value = attribute.checker->Create();
            object.GetAttribute(attribute.name, *value);
            values[attribute.name] = value->SerializeToString(attribute.checker);
            const auto* parameter = dynamic_cast<const ParameterValue*>(PeekPointer(value));
            if (parameter && parameter->IsGiven())
            {
                given.push_back(attribute.name);
            }
        }
        more = tid.HasParent();
    }
    entry["values"] = values;
    if (!given.empty())
    {
        entry["given"] = given;
    }
    return entry;
}

/// Counts it among its equals.
void
Add(Json& role, const Object& object)
{
    Json entry = Describe(object);
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
            Add(json["switchPort"], *sw.GetPort(p));
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

} // namespace roce
} // namespace ns3
