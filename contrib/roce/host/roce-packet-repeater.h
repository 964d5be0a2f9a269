// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PACKET_REPEATER_H
#define ROCE_PACKET_REPEATER_H

#include "roce-loss-recovery.h"

namespace ns3::roce
{

/**
 * @brief A loss recovery that repeats single packets, and that a block code can use.
 *
 * By itself it is a LossRecovery: what an ACK acknowledges has arrived. A code above it, which has
 * a receiver of its own, takes ACKs in its place, and reports the consequences of each, in the
 * order of the functions below.
 */
class PacketRepeater : public LossRecovery
{
  public:
    /// @return one past the last PSN below which nothing is missing. @param ack ACK or NAK
    static uint64_t AckedEnd(const Frame& ack)
    {
        return ack.kind == FrameKind::NAK ? ack.psn : ack.psn + 1;
    }

    QueuePair::AckResult OnAck(QueuePair& qp,
                               const Frame& ack,
                               int64_t nowPs,
                               std::vector<MessageRecord>& done) final;

    // --- for a code

    /**
     * @brief Take over which packets have arrived.
     * @param qp its queue pair
     * @param ack ACK or NAK with FRAME_SACK
     * @param result [out] what is newly acknowledged is added
     */
    virtual void NoteArrivals(QueuePair& qp, const Frame& ack, QueuePair::AckResult& result) = 0;

    /**
     * @brief A packet is no longer needed: it is not in flight, and not sent again.
     * @param qp its queue pair
     * @param psn from the first unacknowledged one on, sent before
     */
    virtual void Spare(QueuePair& qp, uint64_t psn) = 0;

    /**
     * @brief The receiver did not have a packet; take it for lost if it is in flight since then.
     * @param qp its queue pair
     * @param psn from the first unacknowledged one on, sent before
     * @param sentByPs if its last transmission is later, the receiver could not know of it
     * @param nowPs current time
     * @return whether it is lost now, and was not before
     */
    virtual bool Lose(QueuePair& qp, uint64_t psn, int64_t sentByPs, int64_t nowPs) = 0;

    /**
     * @param qp its queue pair
     * @param psn as for Lose()
     * @return whether a packet is lost, and not to be sent again
     */
    virtual bool IsLost(const QueuePair& qp, uint64_t psn) = 0;

    /// @brief Have a packet sent again. @param qp its queue pair. @param psn of one that IsLost()
    virtual void Repeat(QueuePair& qp, uint64_t psn) = 0;

    /**
     * @brief Forget everything below a PSN.
     * @param qp its queue pair
     * @param newUna as for QueuePair::Retire(); may be above what has been sent
     * @param haveArrived whether all of that has arrived, or is only no longer needed
     * @param nowPs current time
     * @param done [out] messages completed are appended
     * @param result [out] what is newly acknowledged is added
     */
    virtual void Retire(QueuePair& qp,
                        uint64_t newUna,
                        bool haveArrived,
                        int64_t nowPs,
                        std::vector<MessageRecord>& done,
                        QueuePair::AckResult& result) = 0;

    /**
     * @brief All that an ACK or NAK says has been handled.
     * @param qp its queue pair
     * @param nowPs current time
     * @param result [out] completed
     */
    virtual void Settle(QueuePair& qp, int64_t nowPs, QueuePair::AckResult& result) = 0;
};

} // namespace ns3::roce

#endif /* ROCE_PACKET_REPEATER_H */
