// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RETRANSMISSION_TIMERS_H
#define ROCE_RETRANSMISSION_TIMERS_H

#include "roce-queue-pair.h"

#include "ns3/roce-time-heap.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::roce
{

/**
 * @brief The retransmission timeouts of a NIC's queue pairs.
 *
 * LossRecovery gives the length of a timeout at its start, and again at its end, since more may
 * have been sent meanwhile. Each queue pair has at most one valid entry in the heap, which checks
 * the deadline at its time; a deadline that moves later costs nothing.
 */
class RetransmissionTimers
{
  public:
    /// @param queuePairs of the NIC; outlives this
    explicit RetransmissionTimers(const QueuePairList& queuePairs)
        : m_queuePairs(queuePairs)
    {
    }

    /**
     * @brief A queue pair is new.
     * @param qp queue pair
     * @param lengthPs the NIC's length of its timeout
     */
    static void Open(QueuePair& qp, int64_t lengthPs)
    {
        qp.timeout.m_lengthPs = lengthPs;
    }

    /**
     * @brief A data frame is sent: the timeout begins, or, with a repeat of the oldest packet, that
     * it watches over, begins again.
     * @param qp its queue pair
     * @param frame data
     * @param nowPs start of its transmission
     * @return whether NextPs() may have become earlier
     */
    bool OnSend(QueuePair& qp, const Frame& frame, int64_t nowPs)
    {
        return (qp.timeout.m_deadlinePs == NEVER_PS ||
                (frame.flags & FRAME_RETX && frame.psn == qp.GetUna())) &&
               Restart(qp, nowPs);
    }

    /**
     * @brief An ACK or NAK has brought news.
     * @param qp its queue pair
     * @param result what it did
     * @param nowPs current time
     * @return whether NextPs() may have become earlier
     */
    bool OnProgress(QueuePair& qp, const QueuePair::AckResult& result, int64_t nowPs)
    {
        qp.timeout.m_retries = 0;
        if (!qp.GetInflightBytes())
        {
            qp.timeout.m_deadlinePs = NEVER_PS; // what is to be repeated starts it again
            return false;
        }
        return result.advanced || result.rewound ? Restart(qp, nowPs) : Shorten(qp, nowPs);
    }

    /// @return when a deadline is to be checked, or NEVER_PS
    int64_t NextPs() const
    {
        return m_heap.NextPs();
    }

    /**
     * @brief Find a queue pair whose timeout has run out; Expire() follows.
     * @param atPs current time
     * @return the queue pair, or null if there is none
     */
    QueuePair* NextDue(int64_t atPs);

    /**
     * @brief Count a timeout.
     * @param qp from NextDue()
     * @param isRetry it counts for the limit
     * @param retryLimit timeouts in a row that are allowed; 0: any number
     * @return false: too many, the queue pair has failed
     */
    static bool Expire(QueuePair& qp, bool isRetry, uint32_t retryLimit);

    /**
     * @brief A timeout has been handled: the next one runs, if anything is in flight.
     * @param qp its queue pair
     * @param nowPs current time
     */
    void Resume(QueuePair& qp, int64_t nowPs);

  private:
    bool Restart(QueuePair& qp, int64_t nowPs);
    bool Shorten(QueuePair& qp, int64_t nowPs);
    void Push(QueuePair& qp);

    const QueuePairList& m_queuePairs;
    TimeHeap<uint32_t> m_heap; //!< by QP number
};

} // namespace ns3::roce

#endif /* ROCE_RETRANSMISSION_TIMERS_H */
