// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_UNO_ERASURE_H
#define ROCE_UNO_ERASURE_H

#include "roce-block-code.h"

#include "ns3/roce-packet-timers.h"
#include "ns3/roce-with-parameters.h"

#include <memory>

namespace ns3::roce
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

    /// What a NACK asks for.
    enum class NackRepeat : uint8_t
    {
        MISSING_DATA, //!< all data of the block that is missing
        NEEDED,       //!< as many packets as are needed to rebuild it, data first
        UNACKED,      //!< all of it that is not known to have arrived
    };

    /// What finds losses in addition to NACKs, and sends again.
    enum class Repeater : uint8_t
    {
        PACKET_TIMERS,
        SELECTIVE_REPEAT,
    };

    Coded coded;
    BlockCode code;
    Repeater repeater;
    NackRepeat nackRepeat;
    bool rearmOnPacket;
    bool blockGap;
    int64_t blockTimeoutPs; //!< 0: from queueBytes and the path
    uint32_t maxNacks;
    PacketTimersParams timers; //!< of PACKET_TIMERS; queueBytes also of blockTimeoutPs

    static const ParameterTable<UnoErasureParams>& Table();
};

/**
 * @brief Uno's reliable connectivity (Bonato et al., "Uno", SC 2025, sections 3.3 and 4.2):
 * messages between datacenters are sent in blocks with parity, and receivers ask for what cannot be
 * rebuilt.
 *
 * Coding. A message is cut into blocks of DataPackets packets, each followed by ParityPackets
 * packets of parity; any DataPackets of them rebuild the block (maximum distance separable code).
 * Parity is sent, paced, counted in flight and acknowledged as data is, is as long as the block's
 * longest packet, and each coded packet has a UnoErasureHeader. The simulation counts
 * which packets of a block have arrived; there are no bytes. Packets of ns-3 (FrameKind::PACKET)
 * are of no queue pair, and not coded.
 *
 * Receiver. Each packet is acknowledged, with a bitmap of what has arrived up to it (SACK_BYTES)
 * and a bit that says whether its block can be rebuilt. The first packet of a block starts its
 * timer; if it runs out before the block can be rebuilt a NACK reports which packets of the block
 * are there, and again after a base RTT more, at most MaxNacks times:
 *
 *   BlockTimeout = queues on the path * QueueBytes / line rate + packets * max(frame time, gap),
 *
 * gap being the average time between packets of the queue pair (gain 1/8), so that blocks of a slow
 * sender do not time out.
 *
 * Sender. What a NACK misses is lost, unless it was sent less than a base RTT ago, and sent again
 * as NackRepeat says. Also, a Repeater finds losses in its own way, sends again, and tracks what is
 * in flight:
 *
 * - PacketTimers, as the paper has it: see there; its parameters are UnoErasure's own.
 * - SelectiveRepeat: what has been overtaken is lost, and so on; its parameters are the defaults of
 *   its type (--ns3::roce::SelectiveRepeat::ReorderPackets=64). Packets of a block that can be
 *   rebuilt do not count as acknowledged, even if they arrive later.
 *
 * Flows within a datacenter (Code=inter) are not coded: they have the Repeater, and its receiver.
 *
 * The paper gives (8,2), the NACK and both timers; but neither their values nor what is repeated.
 * The profile artifact is the authors' simulator.
 */
class UnoErasure : public WithParameters<UnoErasure, LossRecovery, UnoErasureParams>
{
  public:
    Ptr<LossRecovery> ForQueuePair(const PathInfo& path, int64_t rtoFloorPs) override;
    std::unique_ptr<ReceiverQp> MakeReceiver(const PathInfo& path) const override;
    const FrameExtension* GetDataExtension() const override;

    const MessageLayout* GetLayout() const override
    {
        return m_p && m_p->code.IsOn() ? &m_p->code : nullptr;
    }

    bool CountsOthersDue() const override
    {
        return m_repeater->CountsOthersDue();
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

    bool NeedsLongestRtt() const override;
    bool LooksAt(NicTimeout what) const override;
    bool NeedsOrder() const override;

    // Done by the Repeater.

    int64_t GetLongestTimeoutPs(int64_t nicPs) const override
    {
        return m_repeater->GetLongestTimeoutPs(nicPs);
    }

    bool MayFail(const QueuePair& qp) const override
    {
        return m_repeater->MayFail(qp);
    }

    void Start(QueuePair& qp) override
    {
        m_repeater->Start(qp);
    }

    int64_t TimeoutPs(const QueuePair& qp) const override
    {
        return m_repeater->TimeoutPs(qp);
    }

    void OnTimeout(QueuePair& qp, int64_t nowPs) override
    {
        m_repeater->OnTimeout(qp, nowPs);
    }

    bool IsRetry(const QueuePair& qp, int64_t nowPs) override
    {
        return m_repeater->IsRetry(qp, nowPs);
    }

    bool IsMereLoss(const QueuePair& qp, int64_t nowPs) override
    {
        return m_repeater->IsMereLoss(qp, nowPs);
    }

    uint64_t TakeRepeat(QueuePair& qp) override
    {
        return m_repeater->TakeRepeat(qp);
    }

    int64_t DeadlinePs(const QueuePair& qp) override
    {
        return m_repeater->DeadlinePs(qp);
    }

  private:
    /// A packet's block.
    struct Block
    {
        uint64_t firstPsn; //!< of its first packet
        BlockPlace place;  //!< of the packet
        uint32_t bytes;    //!< of the message that it carries
    };

    Block GetBlock(const QueuePair& qp, uint64_t psn) const;

    void Spare(QueuePair& qp, uint64_t psn);
    void OnNack(QueuePair& qp, const Frame& nack, int64_t nowPs, QueuePair::AckResult& result);

    // of one queue pair that is coded
    int64_t m_baseRttPs{0};
    Ptr<PacketRepeater> m_repeater;
};

} // namespace ns3::roce

#endif /* ROCE_UNO_ERASURE_H */
