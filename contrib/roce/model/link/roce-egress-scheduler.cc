/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-egress-scheduler.h"

namespace ns3
{
namespace roce
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
    while (Frame* frame = Dequeue(0, NEVER_PS))
    {
        FramePool::Free(frame);
    }
    Object::DoDispose();
}

} // namespace roce
} // namespace ns3
