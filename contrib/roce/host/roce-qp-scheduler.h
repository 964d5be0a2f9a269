// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_QP_SCHEDULER_H
#define ROCE_QP_SCHEDULER_H

#include "roce-queue-pair.h"

#include "ns3/roce-time-heap.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Which of a NIC's queue pairs sends next.
 *
 * Queue pairs that may send are in a ready ring for each class and take turns; classes share by
 * bytes, in proportion to their weights (start-time fair queueing: the class served least so far is
 * next, and one that was idle gets no credit for it). Strict classes go before all others. Queue
 * pairs that wait for their pacing gap are in one heap; those that wait for window or data are in
 * no list. Choosing is O(log n) in the number of paced queue pairs.
 *
 * A class may have a *guest* as well, a frame of no queue pair (NicPackets): it takes turns with
 * the queue pairs of its class.
 */
class QpScheduler
{
  public:
    /// @param queuePairs of the NIC; outlives the scheduler
    explicit QpScheduler(const QueuePairList& queuePairs)
        : m_queuePairs(queuePairs)
    {
    }

    /// The largest weight.
    static constexpr uint32_t MAX_WEIGHT = 100;

    /**
     * @brief How classes share the port; without, equally. Before the first packet.
     * @param strict classes served first, the highest first; bit c for class c
     * @param weights of the others, 1 to MAX_WEIGHT
     */
    void SetClasses(uint8_t strict, const std::array<uint32_t, N_CLASSES>& weights);

    /**
     * @brief Put a queue pair where it belongs, if it can send and is in no list.
     * @param qp queue pair
     * @param nowPs current time
     * @param portFreePs when the port is free: a pacing gap that ends by then needs no timer
     */
    void Place(QueuePair* qp, int64_t nowPs, int64_t portFreePs);

    /**
     * @brief A message or feedback may let a queue pair send: Place() it. Data posted now is not
     * due earlier.
     * @param qp queue pair
     * @param nowPs current time
     * @param portFreePs see Place()
     */
    void Resume(QueuePair* qp, int64_t nowPs, int64_t portFreePs)
    {
        if (qp->GetConfig().dueClock && qp->place == QueuePair::Place::NOWHERE && qp->CanSend())
        {
            qp->nextAvailPs = std::max(qp->nextAvailPs, nowPs);
        }
        Place(qp, nowPs, portFreePs);
    }

    /**
     * @param qp queue pair
     * @param atPs current time
     * @return bytes that its pacing and its window allow now and that have not been sent; 0 if it
     * cannot send
     */
    static uint64_t DueBytes(const QueuePair& qp, int64_t atPs);

    /**
     * @brief Check the rate that a law sets, which gaps are computed from.
     * @param law started
     * @throw InputError if it is 0 or above the largest signed number, as what is made of a
     * negative one or of NaN
     */
    static void CheckRate(const CongestionControl& law)
    {
        if (__builtin_expect(static_cast<int64_t>(law.GetRateBps()) <= 0, 0))
        {
            ThrowRate(law);
        }
    }

    /**
     * @brief The rate may have changed: stretch or shorten what is left of the pacing gap.
     * @param qp queue pair
     * @param nowPs current time
     */
    void Repace(QueuePair* qp, int64_t nowPs);

    /**
     * @brief The time of the next change of the rate may have become earlier: if the queue pair
     * waits for its gap, check it then.
     * @param qp queue pair
     * @param nowPs current time
     */
    void LookAgain(QueuePair* qp, int64_t nowPs);

    /**
     * @brief Take the next queue pair out of its ring.
     * @param pausedMask classes that must not be sent
     * @param atPs time of the transmission
     * @return queue pair, or null; its window may have shrunk since it became ready. Null, too, if
     * it is a guest's turn: GetGuest()
     */
    QueuePair* Next(uint32_t pausedMask, int64_t atPs);

    /// No class.
    static constexpr unsigned NO_CLASS = N_CLASSES;

    /// @return class of the guest whose turn it was at the last Next(), or NO_CLASS
    unsigned GetGuest() const
    {
        return m_guest;
    }

    /// @brief A class has a guest. @param trafficClass has none yet
    void AddGuest(unsigned trafficClass);

    /// @brief The guest of a class has been sent. @param wireBytes of the frame
    void CountGuest(unsigned trafficClass, uint32_t wireBytes);

    /**
     * @brief A packet has been sent: account for it and start its pacing gap.
     * @param qp queue pair, in no ring
     * @param wireBytes of the packet
     * @param atPs start of its transmission
     */
    void CountSent(QueuePair* qp, uint32_t wireBytes, int64_t atPs);

    /// @return whether some queue pair or guest is ready
    bool HasReady() const
    {
        return (m_readyMask | m_guestMask) != 0 || m_again;
    }

    /// @return when the first pacing gap ends or needs a check, or NEVER_PS
    int64_t NextTimerPs() const
    {
        return m_timers.NextPs();
    }

  private:
    /// Ready ring of one class.
    struct Ring
    {
        QueuePair* head{nullptr};
        QueuePair* tail{nullptr};
        uint64_t served{0}; //!< cost of what was sent
        uint64_t cost{1};   //!< of a byte
        bool isGuestsTurn{false};
    };

    [[noreturn]] static void ThrowRate(const CongestionControl& law);
    void NoteActive(unsigned trafficClass);
    void PushReady(QueuePair* qp);
    QueuePair* PopReady(unsigned trafficClass);
    void PushTimer(QueuePair* qp, int64_t nowPs);
    void RunTimers(int64_t atPs);
    static void Stretch(QueuePair* qp, uint64_t rate, int64_t nowPs);

    const QueuePairList& m_queuePairs;
    uint32_t m_readyMask{0};
    uint32_t m_guestMask{0}; //!< classes with a guest
    unsigned m_guest{NO_CLASS};
    uint32_t m_strictMask{0};
    std::array<Ring, N_CLASSES> m_rings;
    uint32_t m_lastQpn{UINT32_MAX}; //!< queue pair that has sent last
    /// The queue pair that has sent last, if it may send again without a gap; or null. It joins its
    /// ring when the next one is chosen, after those that have become ready meanwhile. Otherwise a
    /// queue pair a little below line rate would get every third turn beside one at line rate.
    QueuePair* m_again{nullptr};
    uint64_t m_servedStart{0};   //!< Ring::served of the class served last, before its frame
    TimeHeap<uint32_t> m_timers; //!< by QP number
};

} // namespace ns3::roce

#endif /* ROCE_QP_SCHEDULER_H */
