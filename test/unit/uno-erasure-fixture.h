/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_UNO_ERASURE_FIXTURE_H
#define ROCE_UNO_ERASURE_FIXTURE_H

#include "../roce-test-erasure.h"
#include "../roce-test-time.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/roce-line-rate.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace roce
{
namespace test
{

constexpr int64_t NS = 1000;
constexpr int64_t US = 1000 * NS;
constexpr uint32_t MTU = 1000;
/// A packet that is not the first of its message, on the wire.
constexpr uint32_t WIRE = MTU + 62 + CODE_HEADER_BYTES + 20;

/// 9 links of 100 Gbit/s, 100 us: full queues of 1 MiB drain in 671.08864 us.
inline PathInfo
MakePath(bool interDc = true)
{
    PathInfo path;
    path.lineRateBps = 100000000000;
    path.baseRttPs = 100 * US;
    path.hops = 9;
    path.fullFrameBytes = 1100;
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
    ObjectFactoryValue value;
    value.DeserializeFromString("ns3::roce::TestErasure[" + attributes + "]",
                                MakeObjectFactoryChecker());
    return value.Get().Create<UnoErasure>();
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
struct Sender
{
    explicit Sender(const std::string& attributes = "", uint64_t window = 0, bool interDc = true)
        : recovery(DynamicCast<UnoErasure>(
              MakeErasure(attributes)->ForQueuePair(MakePath(interDc), 30 * US))),
          noter(CreateObject<LossNoter>()),
          qp(7, MakeConfig(), MakeCc(window), recovery, noter)
    {
    }

    static QueuePair::Config MakeConfig()
    {
        QueuePair::Config config;
        config.src = 3;
        config.mtuBytes = MTU;
        return config;
    }

    static Ptr<CongestionControl> MakeCc(uint64_t window)
    {
        Ptr<LineRate> cc = CreateObject<LineRate>();
        cc->SetAttribute("Window", UintegerValue(window));
        cc->Start(MakePath(), 0);
        return cc;
    }

    Frame Send(int64_t nowPs = 0)
    {
        Frame* frame = FramePool::Alloc();
        uint32_t wireBytes = 0;
        qp.BuildNext(*frame, wireBytes, nowPs);
        Frame copy = *frame;
        FramePool::Free(frame);
        return copy;
    }

    std::vector<Frame> SendFrames(int64_t nowPs = 0)
    {
        std::vector<Frame> frames;
        while (qp.CanSend())
        {
            frames.push_back(Send(nowPs));
        }
        return frames;
    }

    std::vector<uint64_t> SendAll(int64_t nowPs = 0)
    {
        std::vector<uint64_t> psns;
        for (const Frame& frame : SendFrames(nowPs))
        {
            psns.push_back(frame.psn);
        }
        return psns;
    }

    /// ACK of everything below una, answering a packet, and telling of those.
    QueuePair::AckResult Ack(uint64_t una,
                             std::vector<uint64_t> arrived,
                             bool blockDone = false,
                             int64_t nowPs = 0)
    {
        Frame frame = Tell(FrameKind::ACK, una - 1, arrived.front(), arrived);
        frame.flags |= blockDone ? FRAME_CODED : 0;
        return OnAck(frame, nowPs);
    }

    /// NACK of the block that begins with firstPsn, of which these have arrived.
    QueuePair::AckResult Nack(uint64_t una,
                              uint64_t firstPsn,
                              std::vector<uint64_t> arrived,
                              int64_t nowPs)
    {
        Frame frame = Tell(FrameKind::NAK, una, firstPsn, arrived);
        frame.flags |= FRAME_CODED;
        return OnAck(frame, nowPs);
    }

    QueuePair::AckResult OnAck(const Frame& frame, int64_t nowPs)
    {
        done.clear();
        return recovery->OnAck(qp, frame, nowPs, done);
    }

    static Frame Tell(FrameKind kind,
                      uint64_t psn,
                      uint64_t firstPsn,
                      const std::vector<uint64_t>& arrived)
    {
        Frame frame{};
        frame.kind = kind;
        frame.psn = psn;
        frame.flags = FRAME_SACK;
        frame.sackPsn = firstPsn;
        for (const uint64_t a : arrived)
        {
            frame.sackBits |= 1ULL << (a - firstPsn);
        }
        return frame;
    }

    Ptr<UnoErasure> recovery;
    Ptr<LossNoter> noter;
    QueuePair qp;
    std::vector<MessageRecord> done;
};

/// The receiving half, with its answers.
struct Receiver
{
    explicit Receiver(const std::string& attributes = "", bool interDc = true)
        : qp(MakeErasure(attributes)->MakeReceiver(MakePath(interDc)))
    {
    }

    TestErasureReceiver& Coded() const
    {
        return dynamic_cast<TestErasureReceiver&>(*qp);
    }

    /// Takes a packet; returns the ACK.
    Frame Take(const Frame& data, int64_t nowPs = 0)
    {
        const ReceiverQp::Action action = qp->OnData(data, 1, nowPs);
        EXPECT_NE(action, ReceiverQp::Action::NOTHING);
        Frame ack{};
        ack.kind = action == ReceiverQp::Action::NAK ? FrameKind::NAK : FrameKind::ACK;
        ack.psn = qp->expectedPsn - (action == ReceiverQp::Action::NAK ? 0 : 1);
        qp->FillAck(ack, data);
        qp->unackedPackets = 0;
        return ack;
    }

    /// NACKs that are due.
    std::vector<Frame> Timer(int64_t nowPs)
    {
        std::vector<Frame> nacks;
        while (qp->timerPs <= nowPs)
        {
            Frame nack{};
            nack.kind = FrameKind::NAK;
            nack.psn = qp->expectedPsn;
            if (qp->OnTimer(nowPs, nack))
            {
                nacks.push_back(nack);
            }
        }
        return nacks;
    }

    std::unique_ptr<ReceiverQp> qp;
};

} // namespace test
} // namespace roce
} // namespace ns3

#endif /* ROCE_UNO_ERASURE_FIXTURE_H */
