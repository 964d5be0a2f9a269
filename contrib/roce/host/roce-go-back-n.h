// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_GO_BACK_N_H
#define ROCE_GO_BACK_N_H

#include "roce-loss-recovery.h"

namespace ns3::roce
{

/**
 * @brief Go-back-N, as InfiniBand's reliable connection has it (specification 1.2.1, chapter 9).
 *
 * The receiver accepts only the next packet in order. It reports a gap with one NAK and answers
 * repeated packets with an ACK. The sender begins again at the NAK's PSN, or, when its timeout has
 * run out, at the first packet that is not acknowledged.
 */
class GoBackN : public LossRecovery
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    Ptr<LossRecovery> ForQueuePair(const PathInfo& path, int64_t rtoFloorPs) override;

    bool LooksAt(NicTimeout) const override
    {
        return true;
    }

    bool NeedsOrder() const override
    {
        return true;
    }

    std::unique_ptr<ReceiverQp> MakeReceiver(const PathInfo& path) const override;
    QueuePair::AckResult OnAck(QueuePair& qp,
                               const Frame& ack,
                               int64_t nowPs,
                               std::vector<MessageRecord>& done) override;
    void OnTimeout(QueuePair& qp, int64_t nowPs) override;
};

/**
 * @brief Receiving half of GoBackN: in order is delivered, ahead is refused with one NAK per gap,
 * behind is acknowledged again.
 */
class GoBackNReceiver : public ReceiverQp
{
  public:
    Action OnData(const Frame& frame,
                  uint32_t ackEveryN,
                  int64_t nowPs,
                  std::vector<uint64_t>& done) override;

  private:
    bool m_nakSent{false}; //!< a NAK for expectedPsn is out
};

} // namespace ns3::roce

#endif /* ROCE_GO_BACK_N_H */
