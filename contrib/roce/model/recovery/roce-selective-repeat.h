/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_SELECTIVE_REPEAT_H
#define ROCE_SELECTIVE_REPEAT_H

#include "roce-packet-repeater.h"

#include "ns3/roce-parameters.h"
#include "ns3/roce-psn-set.h"

#include <boost/circular_buffer.hpp>
#include <memory>
#include <vector>

namespace ns3
{
namespace roce
{

/// Parameters of SelectiveRepeat.
struct SelectiveRepeatParams
{
    uint32_t reorderPackets;
    bool bdpCap;
    uint32_t bdpPackets; //!< 0: of the path
    int64_t rtoLowPs;
    int64_t rtoHighPs;
    uint32_t rtoLowPackets;

    /// @return the parameters: attributes, ranges, meaning
    static const ParameterTable<SelectiveRepeatParams>& Table();
};

/**
 * @ingroup roce
 * @brief Selective repeat after IRN (Mittal et al., "Revisiting network support for RDMA", SIGCOMM
 * 2018): only what is lost is sent again, in flight is at most one bandwidth-delay product.
 *
 * Receiver: takes packets in any order (RDMA writes carry their place), each once. Out of order it
 * answers with a NAK, in order with an ACK; while something is missing both carry a bitmap of the
 * 64 packets up to the one they answer, so that every arrival is told up to 64 times and a lost ACK
 * does no harm. The bitmap costs SACK_BYTES on the wire.
 *
 * Sender:
 * - A packet is lost if one sent after it, by more than ReorderPackets, is known to have arrived.
 *   IRN has 0; paths that reorder (Spray) want more.
 * - Lost packets are sent again once, in order, before new ones. One that is lost again waits for
 *   the timeout.
 * - When the timeout runs out, all that is not known to have arrived is sent again.
 * - Timeout: RtoLow while at most RtoLowPackets are outstanding, RtoHigh otherwise. The defaults
 *   are IRN's 100 and 320 us, 3 packets; neither is below Nic::RtoFactor base RTTs of the path, nor
 *   RtoHigh below RtoLow.
 *   Nic::RtoMin is not looked at: with PFC, whose pauses may last for milliseconds, raise them.
 * - BdpCap: at most BdpPackets PSNs from the first unacknowledged one on; 0: line rate times base
 *   RTT over a full frame, rounded up. The rate law's window holds besides.
 * - In flight, as the rate law's window sees it, is what has been sent and is neither known to have
 *   arrived nor lost.
 *
 * Under a code (UnoErasure) there are two more things. What a NACK has sent again goes before what
 * has been overtaken. And for NACKs the sender keeps the time and the path of the last transmission
 * of each packet: whoever stands on it calls OnSend().
 *
 * Deviations from IRN: after a timeout all holes are repeated, not only the first packet; an ACK
 * carries a bitmap and not a single PSN.
 */
class SelectiveRepeat : public PacketRepeater
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Ptr<LossRecovery> ForQueuePair(const PathInfo& path, int64_t rtoFloorPs) override;
    std::unique_ptr<ReceiverQp> MakeReceiver(const PathInfo& path) const override;
    void Start(QueuePair& qp) override;
    void OnSend(QueuePair& qp, Frame& frame, uint32_t inflightBytes, int64_t nowPs) override;
    void OnTimeout(QueuePair& qp, int64_t nowPs) override;
    uint64_t TakeRepeat(QueuePair& qp) override;
    int64_t TimeoutPs(const QueuePair& qp) const override;

    void NoteArrivals(QueuePair& qp, const Frame& ack, QueuePair::AckResult& result) override;
    void Spare(QueuePair& qp, uint64_t psn) override;
    bool Lose(QueuePair& qp, uint64_t psn, int64_t sentByPs, int64_t nowPs) override;
    bool IsLost(const QueuePair& qp, uint64_t psn) override;
    void Repeat(QueuePair& qp, uint64_t psn) override;
    void Retire(QueuePair& qp,
                uint64_t newUna,
                bool haveArrived,
                int64_t nowPs,
                std::vector<MessageRecord>& done,
                QueuePair::AckResult& result) override;
    void Settle(QueuePair& qp, int64_t nowPs, QueuePair::AckResult& result) override;

  private:
    /// A packet's last transmission.
    struct Sent
    {
        int64_t atPs{0};
        uint16_t entropy{0};
    };

    /// @return whether a packet that has been sent and has not arrived is in flight
    bool IsOut(uint64_t psn, uint64_t basePsn) const
    {
        return (psn < m_repeatPsn || psn >= m_lossEndPsn) && !m_nacked.Has(psn, basePsn) &&
               !m_asked.Has(psn, basePsn);
    }

    void ForgetNack(uint64_t psn, uint64_t basePsn);

    Sent& SentAt(uint64_t psn)
    {
        return m_sent[psn & (m_sent.size() - 1)];
    }

    void TakeOut(QueuePair& qp, uint64_t psn, uint32_t wireBytes);
    void FindLosses(QueuePair& qp, QueuePair::AckResult& result);
    void FindRepeat(QueuePair& qp);

    Parameters<SelectiveRepeatParams> m_parameters;   //!< attributes
    std::shared_ptr<const SelectiveRepeatParams> m_p; //!< in force
    uint64_t m_cap{UINT64_MAX};                       //!< most PSNs outstanding
    int64_t m_lowPs{0};                               //!< RtoLow for this path
    int64_t m_highPs{0};                              //!< RtoHigh for this path
    bool m_recovering{false};                         //!< until m_recoveryEndPsn is acknowledged
    uint64_t m_recoveryEndPsn{0}; //!< one past what had been sent when the loss was found
    uint64_t m_arrivedEndPsn{0};  //!< one past the highest PSN known to have arrived
    uint64_t m_repeatPsn{0};      //!< next to be repeated, if in [m_repeatPsn, m_lossEndPsn)
    uint64_t m_lossEndPsn{0};     //!< what is below and has not arrived is lost
    PsnSet m_arrived;             //!< above una; or not needed any more
    PsnSet m_nacked;              //!< from una on: lost, as a NACK says, and not to be sent again
    PsnSet m_asked;               //!< from una on: lost, as a NACK says, and to be sent again
    boost::circular_buffer<uint64_t> m_asks; //!< these in order, and some that no longer matter
    std::vector<Sent> m_sent; //!< a power of two of them, by PSN, or none: nobody asks for them
};

/**
 * @ingroup roce
 * @brief Receiving half of SelectiveRepeat.
 */
class SelectiveRepeatReceiver : public ReceiverQp
{
  public:
    Action OnData(const Frame& frame, uint32_t ackEveryN, int64_t nowPs) override;
    void FillAck(Frame& ack, const Frame& data) const override;

  private:
    PsnSet m_arrived;         //!< above expectedPsn
    PsnSet m_last;            //!< those of them that end a message
    uint64_t m_arrivedEnd{0}; //!< one past the highest PSN that has arrived
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_SELECTIVE_REPEAT_H */
