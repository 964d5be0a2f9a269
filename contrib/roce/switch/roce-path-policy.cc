// SPDX-License-Identifier: GPL-2.0-only
#include "roce-path-policy.h"

#include "roce-switch.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(PathPolicy);

TypeId
PathPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::PathPolicy").SetParent<Object>().SetGroupName("Roce");
    return tid;
}

uint64_t
PathPolicy::GetNextRateBps(const PathEntry& path) const
{
    return m_switch->PeekPort(path.port)->GetRateBps();
}

int64_t
PathPolicy::GetNextDelayPs(const PathEntry& path) const
{
    return m_switch->PeekPort(path.port)->GetLink()->GetDelayPs();
}

uint64_t
PathPolicy::GetQueueBytes(uint16_t port) const
{
    return m_switch->GetQueue(port).GetTotalBytes();
}

int64_t
PathPolicy::GetWaitPs(uint16_t port, int64_t nowPs) const
{
    const Port& out = *m_switch->PeekPort(port);
    const double queuePs =
        static_cast<double>(GetQueueBytes(port)) * 8e12 / static_cast<double>(out.GetRateBps());
    return std::max(out.GetBusyUntilPs(), nowPs) - nowPs + static_cast<int64_t>(queuePs);
}

} // namespace ns3::roce
