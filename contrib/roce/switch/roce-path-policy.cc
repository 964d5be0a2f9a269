// SPDX-License-Identifier: GPL-2.0-only
#include "roce-path-policy.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(PathPolicy);

TypeId
PathPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::PathPolicy").SetParent<Object>().SetGroupName("Roce");
    return tid;
}

} // namespace ns3::roce
