// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PACKET_TIMERS_H
#define ROCE_PACKET_TIMERS_H

#include "roce-packet-repeater.h"
#include "roce-sent-packets.h"

#include "ns3/roce-parameters.h"

#include <memory>

namespace ns3::roce
{

/// Parameters of PacketTimers.
struct PacketTimersParams
{
    int64_t rtoPs; //!< 0: from rtoMultiplier, queueBytes and the path
    double rtoMultiplier;
    uint32_t rtoBackoff;
    bool timeoutIsLoss; //!< while other packets are acknowledged
    uint64_t queueBytes;
    bool countsOthers; //!< a timer begins after the backlog of others

    /// @return the parameters: attributes, profiles, ranges, meaning
    static const ParameterTable<PacketTimersParams>& Table();

    /**
     * @brief Add them to a table with the profiles paper and artifact.
     * @tparam P what the table is of
     * @param table the rows are added at its end
     * @param get from P& to the PacketTimersParams& in it
     */
    template <typename P>
    static void AddRows(ParameterTable<P>& table, PacketTimersParams& (*get)(P&));
};

/**
 * @brief A timer for each packet, and nothing else: what its timer finds missing is sent again
 * (after the recovery of Uno's flows within a datacenter: Bonato et al., "Uno", SC 2025, section
 * 4.2).
 *
 * Receiver: SelectiveRepeat's.
 *
 * Sender: a packet's timeout may double with each repetition of that packet up to RtoBackoff times:
 *
 *   Rto = RtoMultiplier * (base RTT + queues on the path * QueueBytes / line rate).
 *
 * Nothing is inferred from packets that overtake: with UnoLb or Spray they do. A packet that is no
 * longer needed is no longer in flight, and counts as acknowledged only if its own ACK still comes.
 * If that has not come SentPackets::HISTORY packets later, only the path selector is notified
 * (PathSelector::OnCoveredLoss()). Nic::RtoMin and Nic::RtoFactor have no effect; Nic::RetryLimit
 * counts timeouts of the oldest packet.
 *
 * Signals to the rate law. With TimeoutSignal=loss a packet's timeout is a loss (AckInfo::isLoss of
 * the next ACK) if an ACK has brought news since the packet's own was due, that is within the last
 * Rto less a base RTT: as with TCP's RACK (RFC 8985) it is a timer that has found a hole in what
 * arrives. Otherwise, and with TimeoutSignal=timeout always, it is a timeout: that of the oldest
 * packet OnTimeout(), others OnFurtherTimeout().
 *
 * The paper gives the timer, but not its value. The profile artifact is the authors' simulator.
 *
 * NicBacklog (the artifact's): there a host has a queue, and a timer allows for the whole queue,
 * also where queues are fair and the packet goes sooner. So timers of short flows run out later
 * where other flows of the host have much to send. Here a packet counts as sent that much later.
 * With Nic::PacingClock=due the backlog adds up as in such a queue. For each packet each busy queue
 * pair of the NIC is visited.
 */
class PacketTimers : public PacketRepeater
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /**
     * @brief Of one queue pair.
     * @param p parameters
     * @param path what is known of its path
     * @return a recovery with its state
     */
    static Ptr<PacketTimers> Make(std::shared_ptr<const PacketTimersParams> p,
                                  const PathInfo& path);

    /// @return time that all the queues on a path take to drain, ps: one at each link but the
    /// sender's own. @param path the path @param queueBytes each of them
    static int64_t FullQueuesPs(const PathInfo& path, uint64_t queueBytes);

    Ptr<LossRecovery> ForQueuePair(const PathInfo& path, int64_t rtoFloorPs) override;
    std::unique_ptr<ReceiverQp> MakeReceiver(const PathInfo& path) const override;

    int64_t GetLongestTimeoutPs(int64_t) const override
    {
        return m_rtoPs * m_p->rtoBackoff;
    }

    bool WatchesSends() const override
    {
        return true;
    }

    bool CountsOthersDue() const override
    {
        return m_p->countsOthers;
    }

    void OnSend(QueuePair& qp, Frame& frame, uint32_t inflightBytes, int64_t nowPs) override;
    int64_t TimeoutPs(const QueuePair& qp) const override;
    void OnTimeout(QueuePair& qp, int64_t nowPs) override;
    bool IsRetry(const QueuePair& qp, int64_t nowPs) override;
    bool IsMereLoss(const QueuePair& qp, int64_t nowPs) override;
    uint64_t TakeRepeat(QueuePair& qp) override;
    int64_t DeadlinePs(const QueuePair& qp) override;

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
    void UpdateRepeat(QueuePair& qp);

    Parameters<PacketTimersParams> m_parameters; //!< attributes
    // of one queue pair
    std::shared_ptr<const PacketTimersParams> m_p; //!< effective
    int64_t m_baseRttPs{0};
    int64_t m_rtoPs{0};
    int64_t m_progressPs{INT64_MIN}; //!< last ACK that brought news
    bool m_tellsLoss{false};         //!< the next such ACK tells the rate law of a loss
    SentPackets m_sent;
};

template <typename P>
void
PacketTimersParams::AddRows(ParameterTable<P>& table, PacketTimersParams& (*get)(P&))
{
    table
        .Duration(
            "Rto",
            [get](P& p) -> int64_t& { return get(p).rtoPs; },
            {0},
            Range::AtLeast(0),
            "Timeout of a packet sent for the first time; 0: from RtoMultiplier, QueueBytes and "
            "the path")
        .Number(
            "RtoMultiplier",
            [get](P& p) -> double& { return get(p).rtoMultiplier; },
            {1.5, 1},
            Range::Within(1, 1e6),
            "Rto over base RTT and full queues")
        .Count(
            "RtoBackoff",
            [get](P& p) -> uint32_t& { return get(p).rtoBackoff; },
            {1},
            Range::Within(1, SentPackets::MAX_BACKOFF),
            "Greatest factor by which a packet's timeout grows; 1: it does not")
        .Choice(
            "TimeoutSignal",
            [get](P& p) -> bool& { return get(p).timeoutIsLoss; },
            {true, false},
            {{"loss", true}, {"timeout", false}},
            "Signal to the rate law when a packet's timeout runs out while others are "
            "acknowledged: loss or timeout")
        .Count(
            "QueueBytes",
            [get](P& p) -> uint64_t& { return get(p).queueBytes; },
            {1 << 20, 1000000},
            Range::Within(0, uint64_t{1} << 40),
            "A full egress queue, as the timers assume it")
        // A packet's timer begins only after the time that the backlog of the NIC's other queue
        // pairs takes.
        .Fixed("NicBacklog", [get](P& p) -> bool& { return get(p).countsOthers; }, {false, true});
}

} // namespace ns3::roce

#endif /* ROCE_PACKET_TIMERS_H */
