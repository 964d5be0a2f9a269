/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-receiver-table.h"

#include "ns3/object-factory.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ns3
{
namespace roce
{

namespace
{

template <typename T>
Ptr<T>
MakeFrom(const std::string& description)
{
    std::istringstream text(description);
    ObjectFactory factory;
    text >> factory;
    return factory.Create<T>();
}

} // namespace

ReceiverTable::ReceiverTable()
    : m_slots(2) // numbers 0 and 1 belong to InfiniBand's management queue pairs
{
}

uint32_t
ReceiverTable::Reserve(uint32_t src,
                       const std::string& feedback,
                       const std::string& recovery,
                       uint64_t cookie,
                       uint16_t replyEntropy)
{
    const auto same = [&](const Kind& kind) {
        return kind.feedbackText == feedback && kind.recoveryText == recovery;
    };
    auto it = std::find_if(m_kinds.begin(), m_kinds.end(), same);
    if (it == m_kinds.end())
    {
        it = m_kinds.insert(it,
                            {feedback,
                             recovery,
                             MakeFrom<ReceiverFeedback>(feedback),
                             MakeFrom<LossRecovery>(recovery)});
    }
    Slot slot;
    slot.cookie = cookie;
    slot.src = src;
    slot.kind = static_cast<uint16_t>(it - m_kinds.begin());
    slot.replyEntropy = replyEntropy;
    m_slots.push_back(std::move(slot));
    return static_cast<uint32_t>(m_slots.size() - 1);
}

void
ReceiverTable::Make(Slot& slot, const PathInfo& path) const
{
    const Kind& kind = m_kinds[slot.kind];
    slot.qp = kind.recovery->MakeReceiver(path);
    slot.qp->feedback = kind.feedback->Fork();
}

void
ReceiverTable::Clear()
{
    m_slots.clear();
    m_kinds.clear();
}

} // namespace roce
} // namespace ns3
