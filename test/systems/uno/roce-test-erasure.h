// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TEST_ERASURE_H
#define ROCE_TEST_ERASURE_H

#include "roce-erasure-verifier.h"

#include "ns3/roce-uno-erasure-receiver.h"
#include "ns3/roce-uno-erasure.h"

#include <map>
#include <memory>
#include <set>
#include <string>

namespace ns3::roce::test
{

/// UnoErasure that carries real bytes (attribute Bytes), and whose receivers count.
class TestErasure : public UnoErasure
{
  public:
    /// @return the object TypeId, ns3::roce::TestErasure
    static TypeId GetTypeId();

    /// @return "Bytes=true" with ISA-L, "Bytes=false" without
    static std::string BytesIfPossible();

    TestErasure() = default;
    Ptr<LossRecovery> ForQueuePair(const PathInfo& path, int64_t rtoFloorPs) override;
    std::unique_ptr<ReceiverQp> MakeReceiver(const PathInfo& path) const override;
    void OnSend(QueuePair& qp, Frame& frame, uint32_t inflightBytes, int64_t nowPs) override;
    QueuePair::AckResult OnAck(QueuePair& qp,
                               const Frame& ack,
                               int64_t nowPs,
                               std::vector<MessageRecord>& done) override;

  private:
    TestErasure(const UnoErasure& plain, bool bytes);

    bool m_bytes{false};
    std::shared_ptr<ErasureVerifier::Sender> m_sender; //!< or null
};

/// Its receiving half, for coded messages.
class TestErasureReceiver : public UnoErasureReceiver
{
  public:
    /**
     * @param plain copied
     * @param bytes they are compared
     */
    TestErasureReceiver(const UnoErasureReceiver& plain, bool bytes);

    Action OnData(const Frame& frame,
                  uint32_t ackEveryN,
                  int64_t nowPs,
                  std::vector<uint64_t>& done) override;
    bool OnTimer(int64_t nowPs, Frame& nak) override;

    /// @return blocks rebuilt with at least one packet of data missing
    uint64_t GetRebuilt() const
    {
        return m_rebuilt;
    }

    /// @return blocks that have not been rebuilt before a NACK
    uint64_t GetNackedBlocks() const
    {
        return m_nacked.size();
    }

  private:
    std::unique_ptr<ErasureVerifier::Receiver> m_verifier; //!< or null
    std::map<uint64_t, uint64_t> m_arrived; //!< by a block's first PSN: bit i: packet i is there
    std::set<uint64_t> m_nacked;            //!< first PSNs
    uint64_t m_rebuilt{0};
    uint64_t m_deliveredPsn{0}; //!< bytes below this one have been compared
};

} // namespace ns3::roce::test

#endif /* ROCE_TEST_ERASURE_H */
