/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-receiver-table.h"

#include "ns3/roce-object-lock.h"

#include <utility>

namespace ns3
{
namespace roce
{

ReceiverTable::ReceiverTable()
    : m_slots(2) // numbers 0 and 1 belong to InfiniBand's management queue pairs
{
}

uint32_t
ReceiverTable::Reserve(uint32_t src,
                       Ptr<const TransportProfile> profile,
                       uint64_t cookie,
                       uint16_t replyEntropy)
{
    Slot slot;
    slot.profile = std::move(profile);
    slot.cookie = cookie;
    slot.src = src;
    slot.replyEntropy = replyEntropy;
    m_slots.push_back(std::move(slot));
    return static_cast<uint32_t>(m_slots.size() - 1);
}

void
ReceiverTable::Make(Slot& slot, const PathInfo& path, int64_t nowPs)
{
    const ObjectLock lock;
    slot.qp = slot.profile->GetRecovery()->MakeReceiver(path);
    slot.qp->feedback = slot.profile->GetFeedback()->Fork();
    slot.version = slot.profile->GetVersion();
    slot.qp->feedback->Start(path, nowPs);
}

void
ReceiverTable::Clear()
{
    m_slots.clear();
}

} // namespace roce
} // namespace ns3
