// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_UNO_ERASURE_FIXTURE_H
#define ROCE_UNO_ERASURE_FIXTURE_H

#include "roce-recovery-fixture.h"
#include "roce-test-erasure.h"
#include "roce-variants.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3::roce::test
{

constexpr uint32_t MTU = 1000;
/// A packet that is not the first of its message, on the wire.
constexpr uint32_t WIRE = MTU + 62 + CODE_HEADER_BYTES + 20;

/// 9 links of 100 Gbit/s, 100 us: full queues of 1 MiB drain in 671.08864 us.
inline PathInfo
ErasurePath(bool interDc = true)
{
    PathInfo path = MakePath(G100, 100 * US, 1100, 9);
    path.interDc = interDc;
    return path;
}

constexpr int64_t QUEUES = 671088640;
constexpr int64_t FRAME = 88 * NS;
constexpr int64_t RTO = 1156632960; // 1.5 * (100 us + QUEUES)

/// "Name=value|Name=value" as in ObjectFactory's text form.
inline Ptr<UnoErasure>
MakeErasure(const std::string& attributes = "")
{
    return MakeObject<UnoErasure>("TestErasure", attributes);
}

/// Hears which paths have lost something.
class LossNoter : public PathSelector
{
  public:
    Ptr<PathSelector> Fork() const override
    {
        return CopyObject<LossNoter>(this);
    }

    uint16_t Select(int64_t, uint64_t) override
    {
        return m_next++;
    }

    void OnLoss(uint16_t entropy, int64_t) override
    {
        lost.push_back(entropy);
    }

    void OnCoveredLoss(uint16_t entropy, int64_t) override
    {
        covered.push_back(entropy);
    }

    std::vector<uint16_t> lost;
    std::vector<uint16_t> covered;

  private:
    uint16_t m_next{0};
};

/// The sending half.
struct Sender : RecoverySender
{
    explicit Sender(const std::string& attributes = "", uint64_t window = 0, bool interDc = true)
        : Sender(attributes, window, interDc, CreateObject<LossNoter>())
    {
    }

    /// ACK of everything below una, answering a packet, and telling of those.
    QueuePair::AckResult Ack(uint64_t una,
                             std::vector<uint64_t> arrived,
                             bool blockDone = false,
                             int64_t nowPs = 0)
    {
        Frame frame = SackOf(una, false, arrived.front(), arrived);
        frame.flags |= blockDone ? FRAME_CODED : 0;
        return OnAck(frame, nowPs);
    }

    /// NACK of the block that begins with firstPsn, of which these have arrived.
    QueuePair::AckResult Nack(uint64_t una,
                              uint64_t firstPsn,
                              std::vector<uint64_t> arrived,
                              int64_t nowPs)
    {
        Frame frame = SackOf(una, true, firstPsn, arrived);
        frame.flags |= FRAME_CODED;
        return OnAck(frame, nowPs);
    }

    Ptr<LossNoter> noter;

  private:
    Sender(const std::string& attributes, uint64_t window, bool interDc, Ptr<LossNoter> hears)
        : RecoverySender(MakeErasure(attributes), ErasurePath(interDc), window, hears),
          noter(hears)
    {
    }
};

/// The receiving half, with its answers.
struct Receiver : RecoveryReceiver
{
    explicit Receiver(const std::string& attributes = "", bool interDc = true)
        : RecoveryReceiver(MakeErasure(attributes), ErasurePath(interDc))
    {
    }

    TestErasureReceiver& Coded() const
    {
        return dynamic_cast<TestErasureReceiver&>(*qp);
    }

    /// Takes a packet; returns the ACK.
    Frame Take(const Frame& data, int64_t nowPs = 0)
    {
        Frame ack;
        EXPECT_TRUE(RecoveryReceiver::Take(data, ack, nowPs));
        return ack;
    }
};

} // namespace ns3::roce::test

#endif /* ROCE_UNO_ERASURE_FIXTURE_H */
