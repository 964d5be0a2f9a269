// SPDX-License-Identifier: GPL-2.0-only
#include "roce-egress-scheduler.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(EgressScheduler);

TypeId
EgressScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::EgressScheduler").SetParent<Object>().SetGroupName("Roce");
    return tid;
}

void
EgressScheduler::DoDispose()
{
    // Advance time until nothing is left; shaping schedulers give their frames one by one.
    int64_t at = NEVER_PS / 2;
    while (!IsEmpty())
    {
        if (Frame* frame = Dequeue(0, at))
        {
            FramePool::Free(frame);
            continue;
        }
        const int64_t next = NextEligiblePs(0, at);
        if (next <= at || next == NEVER_PS)
        {
            break;
        }
        at = next;
    }
    Object::DoDispose();
}

} // namespace ns3::roce
