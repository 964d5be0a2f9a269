// SPDX-License-Identifier: GPL-2.0-only
#include "roce-receiver-table.h"

#include "ns3/roce-api-check.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-object-lock.h"

#include <utility>

namespace ns3::roce
{

ReceiverTable::ReceiverTable()
    : m_slots(FIRST)
{
}

uint32_t
ReceiverTable::Reserve(uint32_t src, Ptr<const TransportProfile> profile, uint16_t replyEntropy)
{
    if (!profile)
    {
        throw InputError("a receiver is reserved without a TransportProfile, expected that of the "
                         "sending NIC");
    }
    Slot slot;
    slot.profile = std::move(profile);
    slot.src = src;
    slot.replyEntropy = replyEntropy;
    m_slots.push_back(std::move(slot));
    return static_cast<uint32_t>(m_slots.size() - 1);
}

void
ReceiverTable::Make(uint32_t qpn, const PathInfo& path, int64_t nowPs)
{
    const ObjectLock lock;
    Slot& slot = m_slots[qpn];
    const LossRecovery& recovery = *slot.profile->GetRecovery();
    const ReceiverFeedback& feedback = *slot.profile->GetFeedback();
    slot.qp = CheckMade(recovery.MakeReceiver(path), recovery, "MakeReceiver()");
    slot.qp->feedback = CheckMade(feedback.Fork(), feedback, "Fork()");
    slot.qp->profileVersion = slot.profile->GetVersion();
    slot.qp->feedback->Start(path, nowPs);
    slot.qp->isRecent = true;
    m_recent.push_back(qpn);
}

/// @brief Data again after a Retune() that has left this one out. @param qpn its number @param
/// nowPs current time
void
ReceiverTable::Revive(uint32_t qpn, int64_t nowPs)
{
    const ObjectLock lock;
    Slot& slot = m_slots[qpn];
    TakeOver(slot, nowPs);
    slot.qp->isRecent = true;
    m_recent.push_back(qpn);
}

/// @return false if there is nothing new. @param slot changed @param nowPs current time
bool
ReceiverTable::TakeOver(Slot& slot, int64_t nowPs)
{
    const bool isNew = slot.qp->profileVersion != slot.profile->GetVersion();
    if (isNew)
    {
        slot.qp->profileVersion = slot.profile->GetVersion();
        slot.qp->feedback->Retune(*slot.profile->GetFeedback(), nowPs);
    }
    return isNew;
}

void
ReceiverTable::Clear()
{
    m_slots.clear();
    m_recent.clear();
}

} // namespace ns3::roce
