/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-default-watch.h"

#include "ns3/roce-input-error.h"

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(DefaultWatch);

TypeId
DefaultWatch::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::DefaultWatch").SetParent<Object>();
    return tid;
}

void
DefaultWatch::Note(const TypeId& type)
{
    TypeId tid = type;
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
                continue; // the same object: nobody has set it
            }
            const std::string before = defaults[i]->SerializeToString(info.checker);
            const std::string now = info.initialValue->SerializeToString(info.checker);
            if (before != now)
            {
                throw InputError("the default of " + name + "::" + info.name +
                                 " was changed from '" + before + "' to '" + now +
                                 "' after a network with such objects was built, expected before "
                                 "Network::Build()");
            }
        }
    }
}

void
DefaultWatch::DoInitialize()
{
    Check();
    Object::DoInitialize();
}

} // namespace roce
} // namespace ns3
