// SPDX-License-Identifier: GPL-2.0-only
#include "roce-nic-receiver.h"

#include "roce-nic.h"

#include "ns3/roce-reply-builder.h"

#include <algorithm>
#include <optional>

namespace ns3::roce
{

/// What a feedback sends, at one queue pair.
class NicReceiver::Replies final : public ReplySink
{
  public:
    Replies(NicReceiver& receiver, const ReceiverQp& qp, uint32_t qpn, int64_t nowPs)
        : m_receiver(receiver),
          m_qp(qp),
          m_qpn(qpn),
          m_nowPs(nowPs)
    {
    }

    Frame* Make(FrameKind kind) override
    {
        return m_receiver.MakeReply(kind, m_qp, m_qpn);
    }

    void Send(Frame* reply) override
    {
        m_receiver.Send(reply, m_nowPs);
    }

  private:
    NicFeedback& DoShare(std::type_index type, ShareMaker make) override
    {
        for (Shared& shared : m_receiver.m_shared)
        {
            if (shared.type == type)
            {
                return *shared.object;
            }
        }
        m_receiver.m_shared.push_back({type, make()});
        return *m_receiver.m_shared.back().object;
    }

    NicReceiver& m_receiver;
    const ReceiverQp& m_qp;
    uint32_t m_qpn;
    int64_t m_nowPs;
};

/// What a NicFeedback sends.
class NicReceiver::AllReplies final : public NicReplySink
{
  public:
    AllReplies(NicReceiver& receiver, int64_t nowPs)
        : m_receiver(receiver),
          m_nowPs(nowPs)
    {
    }

    ReplySink& At(uint32_t qpn) override
    {
        return m_replies.emplace(m_receiver, m_receiver.m_table.At(qpn), qpn, m_nowPs);
    }

  private:
    NicReceiver& m_receiver;
    int64_t m_nowPs;
    std::optional<Replies> m_replies;
};

Frame*
NicReceiver::MakeReply(FrameKind kind, const ReceiverQp& qp, uint32_t qpn) const
{
    const uint8_t own = m_nic.m_controlClass;
    return ReplyBuilder{own < N_CLASSES ? own : qp.peerClass, m_nic.m_ttl}.Build(
        kind,
        {m_nic.m_nicIndex, qpn, m_table.GetSource(qpn), qp.peerQp, qp.peerEntropy},
        kind == FrameKind::CNP ? m_nic.m_cnpFrameBytes : m_nic.m_ackFrameBytes);
}

void
NicReceiver::SetLatencies(int64_t deliveryPs, int64_t cnpPs)
{
    m_latencies = std::make_unique<Latencies>(Latencies{deliveryPs, cnpPs, {}, {}});
}

/// @brief Send what a feedback has made. @param reply taken over @param nowPs current time
void
NicReceiver::Send(Frame* reply, int64_t nowPs)
{
    const bool isCnp = reply->kind == FrameKind::CNP;
    if (isCnp && m_latencies && m_latencies->cnpPs)
    {
        m_latencies->cnps.Push(nowPs + m_latencies->cnpPs, reply);
        m_nic.SetEarliestTimer();
        return;
    }
    m_nic.m_counters.cnpsSent += isCnp;
    m_nic.m_control.Push(reply);
}

/// @brief A message is complete at the NIC. @param cookie of it @param nowPs current time
void
NicReceiver::NoteReceived(uint64_t cookie, int64_t nowPs)
{
    if (m_latencies && m_latencies->deliveryPs)
    {
        m_latencies->deliveries.Push(nowPs + m_latencies->deliveryPs, cookie);
        m_nic.SetEarliestTimer();
        return;
    }
    m_nic.NoteReceived(cookie, nowPs);
}

void
NicReceiver::RunLatencies(int64_t atPs)
{
    for (uint64_t cookie = 0; m_latencies->deliveries.Pop(atPs, cookie);)
    {
        m_nic.NoteReceived(cookie, atPs);
    }
    for (Frame* cnp = nullptr; m_latencies->cnps.Pop(atPs, cnp);)
    {
        ++m_nic.m_counters.cnpsSent;
        m_nic.m_control.Push(cnp);
    }
}

/// @return whether the NIC's buffer has room for a frame; marks it if there is much in it
bool
NicReceiver::Take(Frame& frame, int64_t nowPs)
{
    Nic::Counters& counters = m_nic.m_counters;
    switch (m_ingress->Take(m_nic.WireBytes(frame.frameBytes), nowPs))
    {
    case IngressLimit::Verdict::LOST:
        ++counters.ingressDrops;
        return false;
    case IngressLimit::Verdict::MARKED:
        if (frame.ecn == ECN_ECT0)
        {
            frame.ecn = ECN_CE;
            ++counters.ingressMarks;
        }
        break;
    case IngressLimit::Verdict::TAKEN:
        break;
    }
    return true;
}

void
NicReceiver::OnData(Frame* frame, int64_t nowPs)
{
    Nic::Counters& counters = m_nic.m_counters;
    if (!Admit(*frame, nowPs))
    {
        FramePool::Free(frame);
        return;
    }
    const auto path = [&] {
        return m_nic.m_oracle(m_nic.m_nicIndex,
                              frame->src,
                              frame->entropy,
                              frame->trafficClass,
                              m_table.GetLaw(frame->dstQp));
    };
    ReceiverQp* found =
        frame->dst == m_nic.m_nicIndex ? m_table.Find(*frame, path, nowPs) : nullptr;
    if (!found)
    {
        ++counters.strayFrames;
        FramePool::Free(frame);
        return;
    }
    ReceiverQp& qp = *found;
    m_last = found;
    m_lastQpn = frame->dstQp;
    ++counters.dataReceived;
    qp.peerQp = frame->srcQp;
    qp.peerEntropy = m_table.GetReplyEntropy(*frame);
    qp.peerClass = frame->trafficClass;
    Replies replies(*this, qp, frame->dstQp, nowPs);
    qp.feedback->OnData(*frame, nowPs, replies);
    const uint64_t bytesBefore = qp.receivedBytes;
    const uint32_t reorderedBefore = qp.reordered;
    m_done.clear();
    const ReceiverQp::Action action = qp.OnData(*frame, m_nic.m_ackEveryN, nowPs, m_done);
    qp.msn += static_cast<uint32_t>(m_done.size());
    counters.bytesDelivered += qp.receivedBytes - bytesBefore;
    if (qp.reordered != reorderedBefore)
    {
        counters.reordered += qp.reordered - reorderedBefore;
        counters.reorderDepth = std::max<uint64_t>(counters.reorderDepth, qp.reorderDepth);
    }
    for (const uint64_t cookie : m_done)
    {
        NoteReceived(cookie, nowPs);
    }
    if (action != ReceiverQp::Action::NOTHING)
    {
        Answer(qp, *frame, action == ReceiverQp::Action::NAK, nowPs);
    }
    if (qp.NextTimerPs() < qp.timerEntryPs)
    {
        NoteTimer(qp, frame->dstQp);
    }
    NoteShared();
    FramePool::Free(frame);
}

void
NicReceiver::Answer(ReceiverQp& qp, Frame& data, bool isNak, int64_t nowPs)
{
    Frame* reply = MakeReply(isNak ? FrameKind::NAK : FrameKind::ACK, qp, data.dstQp);
    reply->psn = isNak ? qp.expectedPsn : qp.expectedPsn - 1;
    reply->msn = qp.msn;
    reply->ackedPackets = qp.unackedPackets;
    reply->markedPackets = qp.markedPackets;
    reply->dataEntropy = data.entropy;
    if (qp.markedPackets) // the echo covers all packets since the last ACK
    {
        reply->flags |= FRAME_ECN_ECHO;
    }
    ReceiverFeedback::Echo(*reply, data);
    qp.feedback->FillAck(*reply, data, nowPs);
    qp.FillAck(*reply, data);
    reply->frameBytes = std::max(reply->frameBytes, m_nic.m_ackMinBytes);
    qp.unackedPackets = 0;
    qp.markedPackets = 0;
    ++(isNak ? m_nic.m_counters.naksSent : m_nic.m_counters.acksSent);
    m_nic.m_control.Push(reply);
}

void
NicReceiver::NoteTimer(ReceiverQp& qp, uint32_t qpn)
{
    qp.timerEntryPs = qp.NextTimerPs();
    m_timers.Push(qp.timerEntryPs, qpn);
    m_nic.SetEarliestTimer();
}

void
NicReceiver::NoteShared()
{
    const int64_t nextPs = NextSharedPs();
    if (nextPs < m_sharedPs)
    {
        m_sharedPs = nextPs;
        m_nic.SetEarliestTimer();
    }
}

void
NicReceiver::RunTimers(int64_t atPs)
{
    const auto validPs = [this](uint32_t qpn) { return m_table.At(qpn).timerEntryPs; };
    for (TimeHeap<uint32_t>::Entry entry; m_timers.PopDue(atPs, entry, validPs);)
    {
        ReceiverQp& qp = m_table.At(entry.what);
        qp.timerEntryPs = NEVER_PS;
        while (qp.timerPs <= atPs)
        {
            Frame* nak = MakeReply(FrameKind::NAK, qp, entry.what);
            nak->psn = qp.expectedPsn;
            nak->msn = qp.msn;
            if (!qp.OnTimer(atPs, *nak))
            {
                FramePool::Free(nak);
                continue;
            }
            ++m_nic.m_counters.naksSent;
            nak->frameBytes = std::max(nak->frameBytes, m_nic.m_ackMinBytes);
            m_nic.m_control.Push(nak);
        }
        if (qp.feedback->GetTimerPs() <= atPs)
        {
            Replies replies(*this, qp, entry.what, atPs);
            qp.feedback->RunTimer(atPs, replies);
        }
        if (qp.NextTimerPs() != NEVER_PS)
        {
            NoteTimer(qp, entry.what);
        }
    }
    for (std::size_t i = 0; i < m_shared.size(); ++i) // more may come meanwhile
    {
        NicFeedback& shared = *m_shared[i].object;
        if (shared.GetTimerPs() <= atPs)
        {
            AllReplies replies(*this, atPs);
            shared.RunTimer(atPs, replies);
        }
    }
    m_sharedPs = NextSharedPs();
    if (m_latencies)
    {
        RunLatencies(atPs);
    }
}

void
NicReceiver::Retune(int64_t nowPs)
{
    m_table.Retune(nowPs, [this](ReceiverQp& qp, uint32_t qpn) {
        if (qp.NextTimerPs() < qp.timerEntryPs)
        {
            NoteTimer(qp, qpn);
        }
    });
    NoteShared();
}

void
NicReceiver::Clear()
{
    m_last = nullptr;
    for (Frame* cnp = nullptr; m_latencies && m_latencies->cnps.Pop(NEVER_PS, cnp);)
    {
        FramePool::Free(cnp);
    }
    m_shared.clear();
    m_table.Clear();
}

} // namespace ns3::roce
