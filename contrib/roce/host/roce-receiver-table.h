// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RECEIVER_TABLE_H
#define ROCE_RECEIVER_TABLE_H

#include "roce-transport-profile.h"

#include "ns3/roce-fetch.h"

#include <memory>
#include <vector>

namespace ns3::roce
{

/**
 * @brief The receiving queue pairs of a NIC, by number. One that has not received anything yet is a
 * reservation of a few bytes.
 */
class ReceiverTable
{
  public:
    /// The first number: 0 and 1 belong to InfiniBand's management queue pairs.
    static constexpr uint32_t FIRST = 2;

    ReceiverTable();

    /**
     * @brief Make room for a queue pair.
     * @param src sending NIC
     * @param profile of the sender's queue pair
     * @param replyEntropy see GetReplyEntropy()
     * @return its number
     */
    uint32_t Reserve(uint32_t src, Ptr<const TransportProfile> profile, uint16_t replyEntropy);

    /**
     * @brief The queue pair that a data frame is for; the first frame makes it.
     * @tparam F callable that returns a PathInfo
     * @param data frame
     * @param path asked, when the queue pair is made, for the path back to the sender
     * @param nowPs current time
     * @return queue pair, or null if there is none for that sender
     */
    template <typename F>
    ReceiverQp* Find(const Frame& data, F&& path, int64_t nowPs)
    {
        if (data.dstQp >= m_slots.size() || m_slots[data.dstQp].src != data.src)
        {
            return nullptr;
        }
        Slot& slot = m_slots[data.dstQp];
        if (!slot.qp)
        {
            Make(data.dstQp, path(), nowPs);
        }
        else if (!slot.qp->isRecent)
        {
            Revive(data.dstQp, nowPs);
        }
        return slot.qp.get();
    }

    /// @param qpn number. @return the queue pair, or null before its first frame
    const ReceiverQp* Get(uint32_t qpn) const
    {
        return qpn < m_slots.size() ? m_slots[qpn].qp.get() : nullptr;
    }

    /// @param qpn number of a queue pair that has received something. @return the queue pair
    ReceiverQp& At(uint32_t qpn) const
    {
        return *m_slots[qpn].qp;
    }

    /// @param qpn number of a reserved queue pair. @return its FlowSpec::law
    uint8_t GetLaw(uint32_t qpn) const
    {
        return m_slots[qpn].profile->GetNumber();
    }

    /// @param qpn number of a reserved queue pair. @return NIC of its sender
    uint32_t GetSource(uint32_t qpn) const
    {
        return m_slots[qpn].src;
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

    /**
     * @brief Give feedbacks the live parameters of their profiles, where these have changed. Those
     * that have had no data since the last time, and wait for nothing, get them with their next
     * data.
     * @tparam F callable with (queue pair, its number)
     * @param nowPs current time
     * @param changed called for each
     */
    template <typename F>
    void Retune(int64_t nowPs, F&& changed)
    {
        std::size_t kept = 0;
        for (const uint32_t qpn : m_recent)
        {
            Slot& slot = m_slots[qpn];
            if (TakeOver(slot, nowPs))
            {
                changed(*slot.qp, qpn);
            }
            slot.qp->isRecent = !slot.qp->feedback->CanRetuneLate();
            if (slot.qp->isRecent)
            {
                m_recent[kept++] = qpn;
            }
        }
        m_recent.resize(kept);
    }

    /// @brief Prefetch what is kept of a queue pair. @param qpn its number
    void Fetch(uint32_t qpn) const
    {
        FetchLine(m_slots.data() + qpn);
    }

    /// @brief Forget everything.
    void Clear();

  private:
    /// Room for one queue pair.
    struct Slot
    {
        std::unique_ptr<ReceiverQp> qp;
        Ptr<const TransportProfile> profile;
        uint32_t src{UINT32_MAX}; //!< sending NIC
        uint16_t replyEntropy{0}; //!< 0: that of the data
    };

    void Make(uint32_t qpn, const PathInfo& path, int64_t nowPs);
    void Revive(uint32_t qpn, int64_t nowPs);
    static bool TakeOver(Slot& slot, int64_t nowPs);

    std::vector<Slot> m_slots;
    std::vector<uint32_t> m_recent; //!< numbers: data since the last Retune(), or may not be late
};

} // namespace ns3::roce

#endif /* ROCE_RECEIVER_TABLE_H */
