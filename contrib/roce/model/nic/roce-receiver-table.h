/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_RECEIVER_TABLE_H
#define ROCE_RECEIVER_TABLE_H

#include "ns3/roce-loss-recovery.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief The receiving queue pairs of a NIC, by number. One that has not received anything yet is a
 * reservation of a few bytes.
 */
class ReceiverTable
{
  public:
    ReceiverTable();

    /**
     * @brief Make room for a queue pair.
     * @param src sending NIC
     * @param feedback ReceiverFeedback in ObjectFactory's text form
     * @param recovery LossRecovery of the sender, in the same form
     * @param cookie see GetCookie()
     * @param replyEntropy see GetReplyEntropy()
     * @return its number
     */
    uint32_t Reserve(uint32_t src,
                     const std::string& feedback,
                     const std::string& recovery,
                     uint64_t cookie,
                     uint16_t replyEntropy);

    /**
     * @brief The queue pair that a data frame is for; the first frame makes it.
     * @tparam F callable that returns a PathInfo
     * @param data frame
     * @param path asked, when the queue pair is made, for the path back to the sender
     * @return queue pair, or null if there is none for that sender
     */
    template <typename F>
    ReceiverQp* Find(const Frame& data, F&& path)
    {
        if (data.dstQp >= m_slots.size() || m_slots[data.dstQp].src != data.src)
        {
            return nullptr;
        }
        Slot& slot = m_slots[data.dstQp];
        if (!slot.qp)
        {
            Make(slot, path());
        }
        return slot.qp.get();
    }

    /**
     * @param qpn number
     * @return the queue pair, or null before its first frame
     */
    const ReceiverQp* Get(uint32_t qpn) const
    {
        return qpn < m_slots.size() ? m_slots[qpn].qp.get() : nullptr;
    }

    /**
     * @param qpn number of a queue pair that has received something
     * @return the queue pair
     */
    ReceiverQp& At(uint32_t qpn) const
    {
        return *m_slots[qpn].qp;
    }

    /**
     * @param qpn number of a reserved queue pair
     * @return NIC of its sender
     */
    uint32_t GetSource(uint32_t qpn) const
    {
        return m_slots[qpn].src;
    }

    /**
     * @param qpn number of a reserved queue pair
     * @return as given to Reserve()
     */
    uint64_t GetCookie(uint32_t qpn) const
    {
        return m_slots[qpn].cookie;
    }

    /**
     * @param data frame for a reserved queue pair
     * @return UDP source port of what answers it: the one reserved, or the frame's own if that is 0
     */
    uint16_t GetReplyEntropy(const Frame& data) const
    {
        const uint16_t reserved = m_slots[data.dstQp].replyEntropy;
        return reserved ? reserved : data.entropy;
    }

    /// @brief Forget everything.
    void Clear();

  private:
    /// What queue pairs are made of.
    struct Kind
    {
        std::string feedbackText;
        std::string recoveryText;
        Ptr<ReceiverFeedback> feedback;
        Ptr<LossRecovery> recovery;
    };

    /// Room for one queue pair.
    struct Slot
    {
        std::unique_ptr<ReceiverQp> qp;
        uint64_t cookie{0};
        uint32_t src{UINT32_MAX}; //!< sending NIC
        uint16_t kind{0};         //!< index into m_kinds
        uint16_t replyEntropy{0}; //!< 0: that of the data
    };

    void Make(Slot& slot, const PathInfo& path) const;

    std::vector<Slot> m_slots;
    std::vector<Kind> m_kinds;
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_RECEIVER_TABLE_H */
