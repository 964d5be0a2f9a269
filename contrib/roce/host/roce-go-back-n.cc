// SPDX-License-Identifier: GPL-2.0-only
#include "roce-go-back-n.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(GoBackN);

TypeId
GoBackN::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::GoBackN")
                            .SetParent<LossRecovery>()
                            .SetGroupName("Roce")
                            .AddConstructor<GoBackN>();
    return tid;
}

Ptr<LossRecovery>
GoBackN::ForQueuePair(const PathInfo&, int64_t)
{
    return this; // no state of its own
}

std::unique_ptr<ReceiverQp>
GoBackN::MakeReceiver(const PathInfo&) const
{
    return std::make_unique<GoBackNReceiver>();
}

QueuePair::AckResult
GoBackN::OnAck(QueuePair& qp, const Frame& ack, int64_t nowPs, std::vector<MessageRecord>& done)
{
    const bool nak = ack.kind == FrameKind::NAK;
    const uint64_t newUna = nak ? ack.psn : ack.psn + 1;
    QueuePair::AckResult result;
    if (newUna > qp.GetHighestPsn() || newUna < qp.GetUna())
    {
        return result;
    }
    result.advanced = newUna > qp.GetUna();
    const uint64_t sentEnd = qp.GetNextPsn();
    qp.Retire(newUna, nowPs, done, [&](uint64_t psn, uint32_t wireBytes) {
        if (psn < sentEnd) // and not waiting to be sent again
        {
            qp.AddInflight(-static_cast<int64_t>(wireBytes));
        }
        result.bytes += wireBytes;
        ++result.packets;
    });
    result.newestPsn = newUna;
    if (nak && qp.GetNextPsn() > newUna)
    {
        qp.GoBack();
        result.rewound = result.loss = true;
    }
    return result;
}

void
GoBackN::OnTimeout(QueuePair& qp, int64_t)
{
    qp.GoBack();
}

ReceiverQp::Action
GoBackNReceiver::OnData(const Frame& frame,
                        uint32_t ackEveryN,
                        int64_t,
                        std::vector<uint64_t>& done)
{
    Note(frame);
    if (frame.psn == expectedPsn)
    {
        ++expectedPsn;
        m_nakSent = false;
        receivedBytes += frame.payloadBytes;
        if (frame.flags & FRAME_LAST)
        {
            done.push_back(frame.cookie);
        }
        ++unackedPackets;
        return unackedPackets >= ackEveryN || frame.flags & (FRAME_LAST | FRAME_ACK_REQ)
                   ? Action::ACK
                   : Action::NOTHING;
    }
    if (frame.psn < expectedPsn)
    {
        return Action::ACK;
    }
    if (m_nakSent)
    {
        return Action::NOTHING;
    }
    m_nakSent = true;
    return Action::NAK;
}

} // namespace ns3::roce
