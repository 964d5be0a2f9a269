// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MESSAGE_COSTS_H
#define ROCE_MESSAGE_COSTS_H

#include "roce-delay-line.h"
#include "roce-queue-pair.h"

#include "ns3/roce-time-heap.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

namespace ns3::roce
{

/**
 * @brief What a message costs at its sender's NIC in addition to its packets: when it may be sent,
 * and when its completion is seen.
 *
 * A message is posted when fewer than `depth` of its queue pair are under way, otherwise when one
 * of them completes. It may be sent `postPs` later (doorbell, fetching the work queue element and
 * the first data), `gapPs` after the last packet of the message before it on its queue pair has
 * left, and `periodPs` after any message of the NIC began. So costs of messages overlap with what
 * was posted before, except for gap and period. The host sees the completion `completionPs` after
 * the last ACK (completion queue entry, polling).
 */
class MessageCosts
{
  public:
    /// Attributes of the NIC.
    struct Settings
    {
        uint32_t depth{0}; //!< 0: any number
        int64_t postPs{0};
        int64_t gapPs{0};
        int64_t periodPs{0};
        int64_t completionPs{0};
    };

    /// What becomes of messages.
    struct Sinks
    {
        std::function<QueuePair*(uint32_t qpn)> find; //!< null once it is closed
        /// A message may be sent now.
        std::function<void(QueuePair& qp, int64_t nowPs)> allowed;
        /// The host sees a completion now.
        std::function<void(const MessageRecord& record)> completed;
    };

    /// @param settings of the NIC @param sinks called
    MessageCosts(const Settings& settings, Sinks sinks)
        : m_settings(settings),
          m_sinks(std::move(sinks))
    {
    }

    /// @brief Messages have been posted. @param qp their queue pair @param nowPs current time
    void OnPost(QueuePair& qp, int64_t nowPs);

    /// @brief The last packet of a message is being sent for the first time. @param qp its queue
    /// pair @param nowPs current time @param endPs of the packet
    void OnLastPacket(QueuePair& qp, int64_t nowPs, int64_t endPs)
    {
        qp.work.lastPs = endPs;
        Start(qp, nowPs);
    }

    /// @brief A message has its last ACK. @param qp its queue pair @param record of it
    void OnDone(QueuePair& qp, const MessageRecord& record);

    /// @return when something is due, or NEVER_PS
    int64_t NextPs() const
    {
        return std::min(
            {m_starts.NextPs(), m_completions.NextPs(), m_turns.empty() ? NEVER_PS : m_nextTurnPs});
    }

    /// @brief Do what is due. @param atPs current time
    void Run(int64_t atPs);

  private:
    struct Completion
    {
        MessageRecord record;
        uint32_t qpn;
    };

    void Start(QueuePair& qp, int64_t nowPs);
    void TakeTurns(int64_t nowPs);
    void Complete(const Completion& completion);

    const Settings m_settings;
    const Sinks m_sinks;
    TimeHeap<uint32_t> m_starts;     //!< by QP number: its next message may begin
    std::deque<uint32_t> m_turns;    //!< QP numbers whose next message waits for periodPs alone
    int64_t m_nextTurnPs{INT64_MIN}; //!< of the first of these
    DelayLine<Completion> m_completions;
};

} // namespace ns3::roce

#endif /* ROCE_MESSAGE_COSTS_H */
