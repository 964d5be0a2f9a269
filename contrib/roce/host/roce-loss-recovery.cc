// SPDX-License-Identifier: GPL-2.0-only
#include "roce-loss-recovery.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(LossRecovery);

TypeId
LossRecovery::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::LossRecovery").SetParent<Object>().SetGroupName("Roce");
    return tid;
}

} // namespace ns3::roce
