// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RECOVERY_FIXTURE_H
#define ROCE_RECOVERY_FIXTURE_H

#include "roce-law-fixture.h"

#include "ns3/roce-line-rate.h"
#include "ns3/roce-loss-recovery.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace ns3::roce::test
{

/// The sending half of a connection, with the frames given back at once.
struct RecoverySender
{
    /**
     * @param prototype of the loss recovery
     * @param path known to it
     * @param window fixed, wire bytes; 0: none
     * @param selector of its paths, or null
     * @param config of the queue pair
     */
    RecoverySender(const Ptr<LossRecovery>& prototype,
                   const PathInfo& path,
                   uint64_t window = 0,
                   const Ptr<PathSelector>& selector = nullptr,
                   const QueuePair::Config& config = MakeConfig())
        : recovery(prototype->ForQueuePair(path, 30 * US)),
          qp(7,
             config,
             MakeLaw<LineRate>({{"Window", std::to_string(window)}}, path),
             recovery,
             selector)
    {
    }

    /// NIC 3 sends 1000 bytes a packet.
    static QueuePair::Config MakeConfig()
    {
        QueuePair::Config config;
        config.src = 3;
        config.mtuBytes = 1000;
        return config;
    }

    /// Sends the next packet.
    Frame Send(int64_t nowPs = 0)
    {
        Frame* frame = FramePool::Alloc();
        qp.BuildNext(*frame, wireBytes, nowPs);
        Frame copy = *frame;
        copy.telemetry = {};
        frame->extensions = nullptr; // the copy has them, for as long as the test runs
        FramePool::Free(frame);
        return copy;
    }

    /// Sends all that may be sent.
    std::vector<Frame> SendFrames(int64_t nowPs = 0)
    {
        std::vector<Frame> frames;
        while (qp.CanSend())
        {
            frames.push_back(Send(nowPs));
        }
        return frames;
    }

    /// The same; their PSNs.
    std::vector<uint64_t> SendAll(int64_t nowPs = 0)
    {
        std::vector<uint64_t> psns;
        for (const Frame& frame : SendFrames(nowPs))
        {
            psns.push_back(frame.psn);
        }
        return psns;
    }

    /// An ACK or NAK arrives.
    QueuePair::AckResult OnAck(const Frame& frame, int64_t nowPs = 0)
    {
        done.clear();
        return recovery->OnAck(qp, frame, nowPs, done);
    }

    /// An ACK of everything below una, or a NAK of it.
    static Frame AckOf(uint64_t una, bool nak = false)
    {
        Frame frame{};
        frame.kind = nak ? FrameKind::NAK : FrameKind::ACK;
        frame.psn = nak ? una : una - 1;
        return frame;
    }

    /// The same, which tells that these have arrived, none of them before the first.
    static Frame SackOf(uint64_t una,
                        bool nak,
                        uint64_t firstPsn,
                        const std::vector<uint64_t>& psns)
    {
        Frame frame = AckOf(una, nak);
        frame.flags = FRAME_SACK;
        frame.sackPsn = firstPsn;
        for (const uint64_t psn : psns)
        {
            frame.sackBits |= 1ULL << (psn - firstPsn);
        }
        return frame;
    }

    Ptr<LossRecovery> recovery;
    QueuePair qp;
    std::vector<MessageRecord> done; //!< completed by the last ACK
    uint32_t wireBytes{0};           //!< of the last packet sent
};

/// Data as far as a receiver looks at it.
inline Frame
Data(uint64_t psn, uint8_t flags = 0)
{
    Frame frame{};
    frame.psn = psn;
    frame.flags = flags;
    frame.payloadBytes = 1000;
    frame.ecn = ECN_ECT0;
    return frame;
}

/// A receiver that counts its messages, as the NIC does. @tparam R the receiver
template <typename R>
struct WithMessages : R
{
    using R::R;

    /// Takes a packet. @return what the receiver does
    ReceiverQp::Action Take(const Frame& data, uint32_t ackEveryN, int64_t nowPs)
    {
        const std::size_t before = done.size();
        const ReceiverQp::Action action = R::OnData(data, ackEveryN, nowPs, done);
        this->msn += static_cast<uint32_t>(done.size() - before);
        return action;
    }

    std::vector<uint64_t> done; //!< cookies of messages
};

/// The receiving half, with its answers.
struct RecoveryReceiver
{
    /**
     * @param prototype of the loss recovery
     * @param path back to the sender
     */
    RecoveryReceiver(const Ptr<LossRecovery>& prototype, const PathInfo& path)
        : qp(prototype->MakeReceiver(path))
    {
    }

    /// Takes a packet. @return whether there is an answer
    bool Take(const Frame& data, Frame& answer, int64_t nowPs = 0, uint32_t ackEveryN = 1)
    {
        const std::size_t before = done.size();
        const ReceiverQp::Action action = qp->OnData(data, ackEveryN, nowPs, done);
        qp->msn += static_cast<uint32_t>(done.size() - before);
        if (action == ReceiverQp::Action::NOTHING)
        {
            return false;
        }
        const bool nak = action == ReceiverQp::Action::NAK;
        answer = Frame{};
        answer.kind = nak ? FrameKind::NAK : FrameKind::ACK;
        answer.psn = qp->expectedPsn - !nak;
        qp->FillAck(answer, data);
        qp->unackedPackets = 0;
        return true;
    }

    /// NAKs that are due.
    std::vector<Frame> Timer(int64_t nowPs)
    {
        std::vector<Frame> naks;
        while (qp->timerPs <= nowPs)
        {
            Frame nak = RecoverySender::AckOf(qp->expectedPsn, true);
            if (qp->OnTimer(nowPs, nak))
            {
                naks.push_back(nak);
            }
        }
        return naks;
    }

    std::unique_ptr<ReceiverQp> qp;
    std::vector<uint64_t> done; //!< cookies of the messages received
};

} // namespace ns3::roce::test

#endif /* ROCE_RECOVERY_FIXTURE_H */
