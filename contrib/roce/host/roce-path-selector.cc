// SPDX-License-Identifier: GPL-2.0-only
#include "roce-path-selector.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(PathSelector);
NS_OBJECT_ENSURE_REGISTERED(FlowHash);

TypeId
PathSelector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::PathSelector").SetParent<Object>().SetGroupName("Roce");
    return tid;
}

TypeId
FlowHash::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::FlowHash")
                            .SetParent<PathSelector>()
                            .SetGroupName("Roce")
                            .AddConstructor<FlowHash>();
    return tid;
}

Ptr<PathSelector>
FlowHash::Fork() const
{
    return CopyObject<FlowHash>(this);
}

uint16_t
FlowHash::Select(int64_t, uint64_t)
{
    return m_entropy;
}

} // namespace ns3::roce
