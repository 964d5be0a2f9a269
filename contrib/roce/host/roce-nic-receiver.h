// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NIC_RECEIVER_H
#define ROCE_NIC_RECEIVER_H

#include "roce-delay-line.h"
#include "roce-ingress-limit.h"
#include "roce-receiver-table.h"

#include "ns3/roce-fetch.h"
#include "ns3/roce-time-heap.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <typeindex>
#include <vector>

namespace ns3::roce
{

class Nic;

/// @brief The receiving half of a NIC: its queue pairs, what answers data, and their timers.
class NicReceiver
{
  public:
    /// @param nic whose half it is
    explicit NicReceiver(Nic& nic)
        : m_nic(nic)
    {
    }

    /// @return the queue pairs
    ReceiverTable& GetTable()
    {
        return m_table;
    }

    /// @return the queue pairs
    const ReceiverTable& GetTable() const
    {
        return m_table;
    }

    /// @brief A data frame has arrived. @param frame taken over. @param nowPs current time
    void OnData(Frame* frame, int64_t nowPs);

    /// @return when a timer needs a check, or NEVER_PS
    int64_t NextTimerPs() const
    {
        const int64_t nextPs = std::min(m_timers.NextPs(), NextSharedPs());
        return m_latencies
                   ? std::min(
                         {nextPs, m_latencies->deliveries.NextPs(), m_latencies->cnps.NextPs()})
                   : nextPs;
    }

    /// @brief From now on hosts see messages later, and CNPs are sent later. @param deliveryPs
    /// @param cnpPs by so much
    void SetLatencies(int64_t deliveryPs, int64_t cnpPs);

    /**
     * @brief Data, or a packet of ns-3, have come to the NIC's buffer.
     * @param frame is marked if there is much in it @param nowPs current time
     * @return whether there is room; otherwise it is lost
     */
    bool Admit(Frame& frame, int64_t nowPs)
    {
        return !m_ingress || Take(frame, nowPs);
    }

    /// @brief From now on, data are taken within a limit. @param limit of all queue pairs
    void SetIngress(std::unique_ptr<IngressLimit> limit)
    {
        m_ingress = std::move(limit);
    }

    /// @return whether data may be lost here
    bool HasIngressLimit() const
    {
        return m_ingress != nullptr;
    }

    /// @brief Run the timers that are due. @param atPs current time
    void RunTimers(int64_t atPs);

    /**
     * @brief Give the feedbacks the live parameters of their profiles, where these have changed.
     * @param nowPs current time
     */
    void Retune(int64_t nowPs);

    /// @brief Forget everything.
    void Clear();

    /// @brief Prefetch what has been used last.
    void Fetch() const
    {
        FetchBytes(m_last, m_last ? sizeof(ReceiverQp) : 0);
        m_table.Fetch(m_lastQpn);
    }

    /// @brief Later, prefetch its feedback.
    void FetchFeedback() const
    {
        if (m_last)
        {
            FetchBytes(PeekPointer(m_last->feedback), FEEDBACK_BYTES);
        }
    }

  private:
    static constexpr std::size_t FEEDBACK_BYTES = 128; //!< of a feedback, or so

    class Replies;
    class AllReplies;

    /// What feedbacks share.
    struct Shared
    {
        std::type_index type;
        std::unique_ptr<NicFeedback> object;
    };

    Frame* MakeReply(FrameKind kind, const ReceiverQp& qp, uint32_t qpn) const;

    /// What comes later.
    struct Latencies
    {
        int64_t deliveryPs;
        int64_t cnpPs;
        DelayLine<uint64_t> deliveries; //!< cookies of messages that their host has not seen
        DelayLine<Frame*> cnps;         //!< to be sent
    };

    bool Take(Frame& frame, int64_t nowPs);
    void Send(Frame* reply, int64_t nowPs);
    void NoteReceived(uint64_t cookie, int64_t nowPs);
    void RunLatencies(int64_t atPs);
    void Answer(ReceiverQp& qp, Frame& data, bool isNak, int64_t nowPs);
    void NoteTimer(ReceiverQp& qp, uint32_t qpn);
    void NoteShared();

    /// @return when the first timer of a shared object is due, or NEVER_PS
    int64_t NextSharedPs() const
    {
        int64_t nextPs = NEVER_PS;
        for (const Shared& shared : m_shared)
        {
            nextPs = std::min(nextPs, shared.object->GetTimerPs());
        }
        return nextPs;
    }

    Nic& m_nic;
    ReceiverTable m_table;
    TimeHeap<uint32_t> m_timers;             //!< by QP number
    std::vector<Shared> m_shared;            //!< in the order in which they were first asked for
    std::vector<uint64_t> m_done;            //!< scratch: cookies
    std::unique_ptr<Latencies> m_latencies;  //!< null: there are none
    std::unique_ptr<IngressLimit> m_ingress; //!< null: as fast as the link
    ReceiverQp* m_last{nullptr};             //!< has got data last; for Fetch()
    uint32_t m_lastQpn{0};                   //!< its number
    int64_t m_sharedPs{NEVER_PS};            //!< the NIC looks at them at this time or earlier
};

} // namespace ns3::roce

#endif /* ROCE_NIC_RECEIVER_H */
