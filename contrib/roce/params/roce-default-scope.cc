// SPDX-License-Identifier: GPL-2.0-only
#include "roce-default-scope.h"

#include "ns3/global-value.h"
#include "ns3/string.h"

namespace ns3::roce
{

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
