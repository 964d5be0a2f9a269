// SPDX-License-Identifier: GPL-2.0-only
#include "roce-default-watch.h"

#include "roce-parameter-value.h"

#include "ns3/global-value.h"
#include "ns3/roce-input-error.h"
#include "ns3/string.h"

namespace ns3::roce
{

namespace
{

/// @return whether it is a parameter that has the value of its profile. @param value a default
bool
IsProfile(const AttributeValue& value)
{
    const auto* parameter = dynamic_cast<const ParameterValue*>(&value);
    return parameter && !parameter->IsGiven();
}

} // namespace

NS_OBJECT_ENSURE_REGISTERED(DefaultWatch);

TypeId
DefaultWatch::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::DefaultWatch").SetParent<Object>().SetGroupName("Roce");
    return tid;
}

void
DefaultWatch::Note(const TypeId& type)
{
    TypeId tid = type;
    if (!m_types.insert(tid.GetUid()).second)
    {
        return; // without its name: a network has many ports
    }
    for (bool more = true; more; tid = tid.GetParent())
    {
        const auto [entry, isNew] = m_noted.try_emplace(tid.GetName());
        for (std::size_t i = 0; isNew && i < tid.GetAttributeN(); ++i)
        {
            entry->second.push_back(tid.GetAttribute(i).initialValue);
        }
        more = isNew && tid.HasParent() && tid != tid.GetParent();
    }
}

void
DefaultWatch::Check() const
{
    for (const auto& [name, defaults] : m_noted)
    {
        const TypeId tid = TypeId::LookupByName(name);
        for (std::size_t i = 0; i < defaults.size(); ++i)
        {
            const TypeId::AttributeInformation info = tid.GetAttribute(i);
            if (info.initialValue == defaults[i])
            {
                continue; // the same object: it has not been set
            }
            std::string before = defaults[i]->SerializeToString(info.checker);
            const std::string now = info.initialValue->SerializeToString(info.checker);
            const bool wasProfile = IsProfile(*defaults[i]);
            if (wasProfile ? IsProfile(*info.initialValue) : before == now)
            {
                continue;
            }
            before = before == now ? ParameterInfo::PROFILE : before;
            throw InputError("the default of " + name + "::" + info.name + " was changed from '" +
                             before + "' to '" + now +
                             "' after a network with such objects was built, expected before "
                             "Network::Build()");
        }
    }
}

void
DefaultWatch::DoInitialize()
{
    Check();
    Object::DoInitialize();
}

DefaultScope::DefaultScope()
{
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        for (std::size_t a = 0; a < tid.GetAttributeN(); ++a)
        {
            m_attributes.push_back({tid, a, tid.GetAttribute(a).initialValue});
        }
    }
    for (auto it = GlobalValue::Begin(); it != GlobalValue::End(); ++it)
    {
        StringValue value;
        (*it)->GetValue(value);
        m_globals[(*it)->GetName()] = value.Get();
    }
}

DefaultScope::~DefaultScope()
{
    for (Attribute& attribute : m_attributes)
    {
        attribute.tid.SetAttributeInitialValue(attribute.index, attribute.value);
    }
    for (auto it = GlobalValue::Begin(); it != GlobalValue::End(); ++it)
    {
        const auto known = m_globals.find((*it)->GetName());
        if (known != m_globals.end())
        {
            (*it)->SetValue(StringValue(known->second));
        }
    }
}

} // namespace ns3::roce
