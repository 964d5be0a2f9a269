/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-uno-erasure.h"

#include "roce-selective-repeat.h"
#include "roce-uno-erasure-receiver.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace roce
{

namespace
{

/// How messages on a path are laid out.
BlockCode
CodeFor(const UnoErasureParams& p, const PathInfo& path)
{
    using Coded = UnoErasureParams::Coded;
    const bool on = p.coded == Coded::ALL || (p.coded == Coded::INTER && path.interDc);
    return on ? p.code : BlockCode();
}

/// Time that all the queues on a path take to drain, ps: one at each link but the sender's own.
int64_t
FullQueuesPs(const PathInfo& path, uint64_t queueBytes)
{
    const double queues = path.hops ? path.hops - 1 : 0;
    return std::llround(std::min(queues * static_cast<double>(queueBytes) * 8e12 /
                                     static_cast<double>(std::max<uint64_t>(1, path.lineRateBps)),
                                 static_cast<double>(LossRecovery::LONGEST_TIMEOUT_PS)));
}

} // namespace

Ptr<LossRecovery>
UnoErasure::ForQueuePair(const PathInfo& path, int64_t)
{
    const std::shared_ptr<const UnoErasureParams>& p = m_parameters.Get();
    Ptr<UnoErasure> copy = CopyObject<UnoErasure>(this);
    copy->m_p = p;
    copy->m_code = CodeFor(*p, path);
    copy->m_baseRttPs = path.baseRttPs;
    const double rto =
        p->rtoPs ? static_cast<double>(p->rtoPs)
                 : p->rtoMultiplier *
                       static_cast<double>(path.baseRttPs + FullQueuesPs(path, p->queueBytes));
    // 10 hours are enough, and leave room for the backoff: 53 days.
    copy->m_rtoPs = std::max<int64_t>(1, static_cast<int64_t>(std::min(rto, 36e15)));
    copy->m_sent.SetBackoff(p->rtoBackoff);
    return copy;
}

std::unique_ptr<ReceiverQp>
UnoErasure::MakeReceiver(const PathInfo& path) const
{
    const UnoErasureParams& p = *m_parameters.Get();
    const BlockCode code = CodeFor(p, path);
    if (!code.IsOn())
    {
        return std::make_unique<SelectiveRepeatReceiver>();
    }
    UnoErasureReceiver::Config config;
    config.timeoutPs =
        std::min(p.blockTimeoutPs ? p.blockTimeoutPs : FullQueuesPs(path, p.queueBytes),
                 LONGEST_TIMEOUT_PS);
    config.allowsForGaps = p.blockGap && !p.blockTimeoutPs;
    config.framePs =
        static_cast<int64_t>(path.fullFrameBytes * 8e12 / static_cast<double>(path.lineRateBps));
    config.baseRttPs = path.baseRttPs;
    config.rearmOnPacket = p.rearmOnPacket;
    config.maxNacks = p.maxNacks;
    return std::make_unique<UnoErasureReceiver>(config);
}

void
UnoErasure::OnSend(QueuePair& qp, Frame& frame, uint32_t inflightBytes, int64_t nowPs)
{
    SentPackets::Packet packet;
    packet.sentPs = nowPs;
    packet.inflightBytes = inflightBytes;
    packet.entropy = frame.entropy;
    m_sent.OnSend(frame.psn, qp.GetUna(), packet);
    if (m_sent.DuePs(frame.psn, m_rtoPs) < qp.timeout.GetDeadlinePs())
    {
        qp.timeout.AskAnew(); // due before what has backed off
    }
}

void
UnoErasure::NoteArrivals(QueuePair& qp, const Frame& ack, QueuePair::AckResult& result)
{
    for (uint64_t bits = ack.sackBits; bits; bits &= bits - 1)
    {
        const uint64_t psn = ack.sackPsn + static_cast<unsigned>(__builtin_ctzll(bits));
        if (psn + SentPackets::HISTORY < qp.GetUna() || psn >= qp.GetHighestPsn())
        {
            continue;
        }
        result.newestPsn = std::max(result.newestPsn, psn + 1);
        SentPackets::Packet& packet = m_sent.At(psn);
        if (!packet.MayArrive())
        {
            continue;
        }
        if (packet.state == SentPackets::State::OUT)
        {
            qp.AddInflight(-static_cast<int64_t>(packet.inflightBytes));
        }
        packet.state = SentPackets::State::ARRIVED;
        result.bytes += packet.inflightBytes;
        ++result.packets;
    }
}

void
UnoErasure::Spare(QueuePair& qp, uint64_t psn)
{
    if (psn < qp.GetUna() || psn >= qp.GetHighestPsn())
    {
        return;
    }
    const auto [first, place] = qp.GetBlock(psn);
    const uint64_t end = std::min(first + place.total, qp.GetHighestPsn());
    for (uint64_t p = std::max(first, qp.GetUna()); p < end; ++p)
    {
        SentPackets::Packet& packet = m_sent.At(p);
        if (packet.state == SentPackets::State::OUT)
        {
            qp.AddInflight(-static_cast<int64_t>(packet.inflightBytes));
        }
        packet.Spare();
    }
}

void
UnoErasure::Lose(QueuePair& qp, uint64_t psn, int64_t nowPs)
{
    SentPackets::Packet& packet = m_sent.At(psn);
    packet.state = SentPackets::State::LOST;
    qp.AddInflight(-static_cast<int64_t>(packet.inflightBytes));
    if (PathSelector* selector = qp.GetSelector())
    {
        selector->OnLoss(packet.entropy, nowPs);
    }
}

void
UnoErasure::OnNack(QueuePair& qp, const Frame& nack, int64_t nowPs, QueuePair::AckResult& result)
{
    if (nack.sackPsn < qp.GetUna() || nack.sackPsn >= qp.GetHighestPsn())
    {
        return;
    }
    const auto [first, place] = qp.GetBlock(nack.sackPsn);
    const uint64_t end = std::min(first + place.total, qp.GetHighestPsn());
    uint64_t there = first + place.total - end; // not sent yet, arrived, or on its way
    for (uint64_t psn = first; psn < end; ++psn)
    {
        const SentPackets::Packet& packet = m_sent.At(psn);
        // The NACK could not know of what was sent within the last base RTT.
        if (packet.state == SentPackets::State::OUT && packet.sentPs + m_baseRttPs <= nowPs)
        {
            Lose(qp, psn, nowPs);
            result.loss = true;
        }
        there += packet.state != SentPackets::State::LOST;
    }
    using NackRepeat = UnoErasureParams::NackRepeat;
    for (uint64_t psn = first; psn < end; ++psn)
    {
        const bool data = psn - first < place.data;
        if (m_sent.At(psn).state == SentPackets::State::LOST &&
            (m_p->nackRepeat == NackRepeat::UNACKED ||
             (m_p->nackRepeat == NackRepeat::MISSING_DATA && data) ||
             (m_p->nackRepeat == NackRepeat::NEEDED && there < place.data)))
        {
            m_sent.PushRepeat(psn);
            ++there;
        }
    }
}

void
UnoErasure::UpdateRepeat(QueuePair& qp)
{
    uint64_t psn;
    qp.SetRepeat(m_sent.PeekRepeat(qp.GetUna(), psn));
}

void
UnoErasure::Retire(QueuePair& qp,
                   uint64_t newUna,
                   int64_t nowPs,
                   std::vector<MessageRecord>& done,
                   QueuePair::AckResult& result)
{
    result.advanced = true;
    PathSelector* const selector = qp.GetSelector();
    qp.Retire(newUna, nowPs, done, [&](uint64_t psn, uint32_t) {
        SentPackets::Packet& packet = m_sent.At(psn);
        if (packet.state == SentPackets::State::OUT)
        {
            qp.AddInflight(-static_cast<int64_t>(packet.inflightBytes));
        }
        if (!m_code.IsOn() && packet.IsMissing())
        {
            packet.state = SentPackets::State::ARRIVED; // without code, all that is below has
            result.bytes += packet.inflightBytes;
            ++result.packets;
        }
        const SentPackets::Packet old = m_sent.Retire(psn);
        if (old.state == SentPackets::State::SPARED && selector)
        {
            selector->OnCoveredLoss(old.entropy, nowPs); // the path may be dead
        }
    });
}

QueuePair::AckResult
UnoErasure::OnAck(QueuePair& qp, const Frame& ack, int64_t nowPs, std::vector<MessageRecord>& done)
{
    const uint64_t newUna = ack.kind == FrameKind::NAK ? ack.psn : ack.psn + 1;
    QueuePair::AckResult result;
    // A receiver that can rebuild a block needs nothing more of it, sent or not.
    const uint64_t sentEnd = qp.GetHighestPsn();
    uint64_t knownEnd = sentEnd;
    if (newUna > sentEnd && m_code.IsOn() && sentEnd > qp.GetUna())
    {
        const auto [first, place] = qp.GetBlock(sentEnd - 1);
        knownEnd = first + place.total;
    }
    if (newUna > knownEnd)
    {
        return result;
    }
    result.newestPsn = std::max(newUna, qp.GetUna());
    if (ack.flags & FRAME_SACK)
    {
        NoteArrivals(qp, ack, result);
        const bool coded = ack.flags & FRAME_CODED;
        if (coded && ack.kind == FrameKind::ACK && ack.sackBits)
        {
            Spare(qp, ack.sackPsn + 63 - static_cast<unsigned>(__builtin_clzll(ack.sackBits)));
        }
        else if (coded && ack.kind == FrameKind::NAK && m_code.IsOn())
        {
            OnNack(qp, ack, nowPs, result);
        }
    }
    if (newUna > qp.GetUna())
    {
        Retire(qp, newUna, nowPs, done, result);
    }
    UpdateRepeat(qp);
    if (result.packets)
    {
        m_progressPs = nowPs;
        result.lateLoss = m_tellsLoss;
        m_tellsLoss = false;
    }
    return result;
}

bool
UnoErasure::IsMereLoss(const QueuePair&, int64_t nowPs)
{
    return m_p->timeoutIsLoss && m_progressPs != INT64_MIN &&
           m_progressPs > nowPs - m_rtoPs + m_baseRttPs;
}

void
UnoErasure::OnTimeout(QueuePair& qp, int64_t nowPs)
{
    const bool isMereLoss = IsMereLoss(qp, nowPs);
    for (uint64_t psn; m_sent.PopDue(qp.GetUna(), m_rtoPs, nowPs, psn);)
    {
        m_tellsLoss = isMereLoss;
        Lose(qp, psn, nowPs);
        m_sent.PushRepeat(psn);
    }
    UpdateRepeat(qp);
}

int64_t
UnoErasure::TimeoutPs(const QueuePair&) const
{
    return m_rtoPs * m_p->rtoBackoff;
}

bool
UnoErasure::IsRetry(const QueuePair& qp, int64_t nowPs)
{
    // The oldest packet may wait to be sent again, or be one that no longer matters.
    return m_sent.At(qp.GetUna()).state == SentPackets::State::OUT &&
           m_sent.DuePs(qp.GetUna(), m_rtoPs) <= nowPs;
}

uint64_t
UnoErasure::TakeRepeat(QueuePair& qp)
{
    uint64_t psn = qp.GetUna();
    if (m_sent.PeekRepeat(qp.GetUna(), psn))
    {
        m_sent.PopRepeat();
    }
    UpdateRepeat(qp);
    return psn;
}

int64_t
UnoErasure::DeadlinePs(const QueuePair& qp)
{
    return m_sent.NextDuePs(qp.GetUna(), m_rtoPs);
}

} // namespace roce
} // namespace ns3
