/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_UNO_ERASURE_H
#define ROCE_UNO_ERASURE_H

#include "roce-sent-packets.h"

#include "ns3/roce-loss-recovery.h"
#include "ns3/roce-parameters.h"

#include <memory>

namespace ns3
{
namespace roce
{

/// Parameters of UnoErasure.
struct UnoErasureParams
{
    /// Which flows are coded.
    enum class Coded : uint8_t
    {
        NONE,
        INTER, //!< between datacenters
        ALL,
    };

    /// What a NACK has sent again.
    enum class NackRepeat : uint8_t
    {
        MISSING_DATA, //!< all data of the block that is missing
        NEEDED,       //!< as many packets as are needed to rebuild it, data first
        UNACKED,      //!< all of it that is not known to have arrived
    };

    Coded coded;
    BlockCode code;
    NackRepeat nackRepeat;
    bool rearmOnPacket;
    bool blockGap;
    int64_t blockTimeoutPs; //!< 0: from queueBytes and the path
    uint32_t maxNacks;
    int64_t rtoPs; //!< 0: from rtoMultiplier, queueBytes and the path
    double rtoMultiplier;
    uint32_t rtoBackoff;
    uint64_t queueBytes;
    bool timeoutIsLoss; //!< while other packets are acknowledged

    /// @return the parameters: attributes, profiles, ranges, meaning
    static const ParameterTable<UnoErasureParams>& Table();
};

/**
 * @ingroup roce
 * @brief Uno's reliable connectivity (Bonato et al., "Uno", SC 2025, sections 3.3 and 4.2):
 * messages between datacenters are sent in blocks with parity, and what cannot be rebuilt is asked
 * for.
 *
 * Coding. A message is cut into blocks of DataPackets packets, each followed by ParityPackets
 * packets of parity; any DataPackets of them rebuild the block (maximum distance separable code).
 * Parity is sent, paced, counted in flight and acknowledged as data is, is as long as the block's
 * longest packet, and each coded packet has a header of CODE_HEADER_BYTES. The simulation counts
 * which packets of a block have arrived; there are no bytes.
 *
 * Receiver. Each packet is acknowledged, with a bitmap of what has arrived up to it (SACK_BYTES)
 * and a bit that says whether its block can be rebuilt. The first packet of a block starts its
 * timer; if it runs out before the block can be rebuilt a NACK tells which packets of the block are
 * there, and again after a base RTT more, at most MaxNacks times:
 *
 *   BlockTimeout = queues on the path * QueueBytes / line rate + packets * max(frame time, gap),
 *
 * gap being the average time between packets of the queue pair (gain 1/8), so that blocks of a slow
 * sender do not time out.
 *
 * Sender. What a NACK misses is lost, unless it was sent less than a base RTT ago, and sent again
 * as NackRepeat says. Besides, each packet has a timeout of its own, which may double with each
 * repetition of that packet up to RtoBackoff times:
 *
 *   Rto = RtoMultiplier * (base RTT + queues on the path * QueueBytes / line rate).
 *
 * Nothing is inferred from packets that overtake: with UnoLb or Spray they do. What is known not to
 * be needed any more leaves what is in flight, and counts as acknowledged only if its own ACK comes
 * all the same. If that has not come SentPackets::HISTORY packets later, the path selector hears of
 * it (PathSelector::OnCoveredLoss()), and nobody else.
 * Nic::RtoMin and Nic::RtoFactor are not looked at; Nic::RetryLimit counts timeouts of
 * the oldest packet.
 *
 * What the rate law hears. With TimeoutSignal=loss a packet's timeout is a loss (AckInfo::isLoss of
 * the next ACK) if an ACK has told something new since the packet's own was due, that is within the
 * last Rto less a base RTT: as with TCP's RACK (RFC 8985) it is a timer that has found a hole in
 * what arrives. Otherwise, and with TimeoutSignal=timeout always, it is a timeout: that of the
 * oldest packet OnTimeout(), others OnFurtherTimeout().
 *
 * Flows within a datacenter (Code=inter) are not coded: selective repeat with the same timeouts,
 * the receiver is SelectiveRepeat's.
 *
 * The paper gives (8,2), the NACK and both timers; their values and what is repeated it does not
 * give. The profile artifact is the authors' simulator.
 */
class UnoErasure : public LossRecovery
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Ptr<LossRecovery> ForQueuePair(const PathInfo& path, int64_t rtoFloorPs) override;
    std::unique_ptr<ReceiverQp> MakeReceiver(const PathInfo& path) const override;

    BlockCode GetCode() const override
    {
        return m_code;
    }

    bool WatchesSends() const override
    {
        return true;
    }

    void OnSend(QueuePair& qp, Frame& frame, uint32_t inflightBytes, int64_t nowPs) override;
    QueuePair::AckResult OnAck(QueuePair& qp,
                               const Frame& ack,
                               int64_t nowPs,
                               std::vector<MessageRecord>& done) override;
    int64_t TimeoutPs(const QueuePair& qp) const override;
    void OnTimeout(QueuePair& qp, int64_t nowPs) override;
    bool IsRetry(const QueuePair& qp, int64_t nowPs) override;
    bool IsMereLoss(const QueuePair& qp, int64_t nowPs) override;
    uint64_t TakeRepeat(QueuePair& qp) override;
    int64_t DeadlinePs(const QueuePair& qp) override;

  private:
    void NoteArrivals(QueuePair& qp, const Frame& ack, QueuePair::AckResult& result);
    void Spare(QueuePair& qp, uint64_t psn);
    void Retire(QueuePair& qp,
                uint64_t newUna,
                int64_t nowPs,
                std::vector<MessageRecord>& done,
                QueuePair::AckResult& result);
    void OnNack(QueuePair& qp, const Frame& nack, int64_t nowPs, QueuePair::AckResult& result);
    void Lose(QueuePair& qp, uint64_t psn, int64_t nowPs);
    void UpdateRepeat(QueuePair& qp);

    Parameters<UnoErasureParams> m_parameters; //!< attributes
    // of one queue pair
    std::shared_ptr<const UnoErasureParams> m_p; //!< in force
    BlockCode m_code;                            //!< of this queue pair; off if it is not coded
    int64_t m_baseRttPs{0};
    int64_t m_rtoPs{0};
    int64_t m_progressPs{INT64_MIN}; //!< last ACK that told something new
    bool m_tellsLoss{false};         //!< the next such ACK tells the rate law of a loss
    SentPackets m_sent;
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_UNO_ERASURE_H */
