// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SELECTIVE_REPEAT_H
#define ROCE_SELECTIVE_REPEAT_H

#include "roce-packet-repeater.h"
#include "roce-psn-set.h"

#include "ns3/roce-parameters.h"

#include <boost/circular_buffer.hpp>
#include <memory>
#include <vector>

namespace ns3::roce
{

/// Parameters of SelectiveRepeat.
struct SelectiveRepeatParams
{
    uint32_t reorderPackets;
    bool bdpCap;
    uint32_t bdpPackets; //!< 0: of the path
    int64_t rtoLowPs;    //!< 0: of the network
    int64_t rtoHighPs;   //!< 0: of the path
    uint32_t rtoLowPackets;

    /// @return the parameters: attributes, ranges, meaning
    static const ParameterTable<SelectiveRepeatParams>& Table();
};

/**
 * @brief Selective repeat after IRN (Mittal et al., "Revisiting network support for RDMA", SIGCOMM
 * 2018): only what is lost is sent again, in flight is at most one bandwidth-delay product.
 *
 * Receiver: takes packets in any order (RDMA writes carry their place), each once. Out of order it
 * answers with a NAK, in order with an ACK; while something is missing both carry a bitmap of the
 * 64 packets up to the one they answer, so that every arrival is reported up to 64 times and a lost
 * ACK does no harm. The bitmap costs SACK_BYTES on the wire.
 *
 * Sender:
 * - A packet is lost if one sent after it, by more than ReorderPackets, is known to have arrived.
 *   IRN has 0; paths that reorder (Spray) need more.
 * - Lost packets are sent again, in order, before new ones. A repeat is lost if a new packet sent
 *   after it, by more than ReorderPackets, is known to have arrived; if nothing new could be sent
 *   (BdpCap), the timeout finds it.
 * - When the timeout runs out, all that is not known to have arrived is sent again.
 * - RtoHigh = 0: base RTT + time that full buffers of the path take to drain, which no frame waits
 *   longer: the longest of them, as IRN has it ("one congested link"); with PFC, whose pauses fill
 *   one buffer after the other, as long for each switch. IRN's 320 us are that of its network.
 * - RtoLow holds while at most RtoLowPackets full frames are in flight (IRN: 100 us, 3), so that
 *   few are repeated in vain; it is never below srtt + 4 rttvar (RFC 6298), measured once per round
 *   trip, nor above RtoHigh. RtoLow = 0: 100 us; with PFC RtoHigh until an RTT is known. While the
 *   oldest packet waits to be sent again, for the window or a pause, RtoHigh holds.
 * - Each timeout without progress doubles the next one, up to RtoHigh, and Nic::RetryLimit ends no
 *   flow before: so it does not fail for mere queues. None is below Nic::RtoFactor base RTTs.
 *   Nic::RtoMin has no effect.
 * - BdpCap: at most BdpPackets PSNs from the first unacknowledged one on. BdpPackets = 0, as in
 * IRN: line rate times the base RTT of the longest path in the network (of the datacenter, or out
 * of it) over a full frame, rounded up. With that of a shorter path itself the window is empty for
 * a round trip after each loss. The rate law's window applies in addition.
 * - In flight, for the rate law's window, are packets that were sent and are neither known to have
 *   arrived nor lost.
 *
 * Under a code (UnoErasure) two things differ. Packets that a NACK asks for go before overtaken
 * ones. And for NACKs the sender keeps the time and the path of the last transmission of each
 * packet; it does not look for lost repeats, which NACKs report.
 *
 * Deviations from IRN: after a timeout all holes are repeated, not only the first packet; an ACK
 * carries a bitmap and not a single PSN; repeats that are lost again, timeouts that grow, and the
 * measured RTT, see above.
 */
class SelectiveRepeat : public PacketRepeater
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    Ptr<LossRecovery> ForQueuePair(const PathInfo& path, int64_t rtoFloorPs) override;
    std::unique_ptr<ReceiverQp> MakeReceiver(const PathInfo& path) const override;

    bool NeedsLongestRtt() const override
    {
        const SelectiveRepeatParams& p = *m_parameters.Get();
        return p.bdpCap && !p.bdpPackets;
    }

    bool LooksAt(NicTimeout what) const override
    {
        return what == NicTimeout::RTO_FACTOR;
    }

    bool NeedsOrder() const override
    {
        return !m_parameters.Get()->reorderPackets;
    }

    int64_t GetLongestTimeoutPs(int64_t) const override
    {
        return m_highPs;
    }

    bool MayFail(const QueuePair& qp) const override
    {
        return TimeoutPs(qp) >= m_highPs;
    }

    bool WatchesSends() const override
    {
        return true;
    }

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

    /// A packet that has been sent again.
    struct Repeated
    {
        uint64_t psn;
        uint64_t endPsn; //!< one past the last new one sent before
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
    void FindLostRepeats(QueuePair& qp);
    void AskFor(QueuePair& qp, uint64_t psn);
    void NoteSent(QueuePair& qp, const Frame& frame, int64_t nowPs);
    void MeasureRtt(const QueuePair& qp, int64_t nowPs);

    Parameters<SelectiveRepeatParams> m_parameters;   //!< attributes
    std::shared_ptr<const SelectiveRepeatParams> m_p; //!< effective
    uint64_t m_cap{UINT64_MAX};                       //!< most PSNs outstanding
    int64_t m_leastPs{0};                             //!< RtoLow for this path
    int64_t m_lowPs{0};                               //!< the same for the RTT measured
    int64_t m_highPs{0};                              //!< RtoHigh for this path
    uint64_t m_fewBytes{0};                           //!< RtoLowPackets full frames
    uint64_t m_timedPsn{0};                           //!< whose RTT is measured
    int64_t m_timedPs{NEVER_PS};                      //!< when it was sent; NEVER_PS: none is
    int64_t m_srttPs{0};                              //!< 0: not measured yet
    int64_t m_rttVarPs{0};
    bool m_recovering{false};     //!< until m_recoveryEndPsn is acknowledged
    uint64_t m_recoveryEndPsn{0}; //!< one past what had been sent when the loss was found
    uint64_t m_arrivedEndPsn{0};  //!< one past the highest PSN known to have arrived
    uint64_t m_repeatPsn{0};      //!< next to be repeated, if in [m_repeatPsn, m_lossEndPsn)
    uint64_t m_lossEndPsn{0};     //!< what is below and has not arrived is lost
    PsnSet m_arrived;             //!< above una; or not needed any more
    PsnSet m_nacked;              //!< from una on: lost, as a NACK says, and not to be sent again
    PsnSet m_asked;               //!< from una on: lost, as a NACK says, and to be sent again
    boost::circular_buffer<uint64_t> m_asks;    //!< these in order, and some that no longer matter
    boost::circular_buffer<Repeated> m_repeats; //!< in order, unless under a code
    std::vector<Sent> m_sent; //!< a power of two of them, by PSN, or none: not needed
};

/// @brief Receiving half of SelectiveRepeat.
class SelectiveRepeatReceiver : public ReceiverQp
{
  public:
    Action OnData(const Frame& frame,
                  uint32_t ackEveryN,
                  int64_t nowPs,
                  std::vector<uint64_t>& done) override;
    void FillAck(Frame& ack, const Frame& data) const override;

  private:
    /// A packet that ends a message.
    struct Last
    {
        uint64_t psn;
        uint64_t cookie; //!< of the message
    };

    PsnSet m_arrived;         //!< above expectedPsn
    std::vector<Last> m_last; //!< those of them that end a message, in order
    uint64_t m_arrivedEnd{0}; //!< one past the highest PSN that has arrived
};

} // namespace ns3::roce

#endif /* ROCE_SELECTIVE_REPEAT_H */
