// SPDX-License-Identifier: GPL-2.0-only
#include "roce-packet-timers.h"

#include "roce-selective-repeat.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(PacketTimers);

const ParameterTable<PacketTimersParams>&
PacketTimersParams::Table()
{
    using P = PacketTimersParams;
    static const ParameterTable<P> table = [] {
        ParameterTable<P> all("ns3::roce::PacketTimers", {"paper", "artifact"});
        AddRows<P>(all, [](P& p) -> P& { return p; });
        return all;
    }();
    return table;
}

TypeId
PacketTimers::GetTypeId()
{
    static const TypeId tid = PacketTimersParams::Table().AddTo(TypeId("ns3::roce::PacketTimers")
                                                                    .SetParent<LossRecovery>()
                                                                    .SetGroupName("Roce")
                                                                    .AddConstructor<PacketTimers>(),
                                                                &PacketTimers::m_parameters);
    return tid;
}

int64_t
PacketTimers::FullQueuesPs(const PathInfo& path, uint64_t queueBytes)
{
    const double queues = path.hops ? path.hops - 1 : 0;
    return std::llround(std::min(queues * static_cast<double>(queueBytes) * 8e12 /
                                     static_cast<double>(std::max<uint64_t>(1, path.lineRateBps)),
                                 static_cast<double>(LONGEST_TIMEOUT_PS)));
}

Ptr<PacketTimers>
PacketTimers::Make(std::shared_ptr<const PacketTimersParams> p, const PathInfo& path)
{
    Ptr<PacketTimers> made = CreateObject<PacketTimers>();
    made->m_baseRttPs = path.baseRttPs;
    const double rto =
        p->rtoPs ? static_cast<double>(p->rtoPs)
                 : p->rtoMultiplier *
                       static_cast<double>(path.baseRttPs + FullQueuesPs(path, p->queueBytes));
    // 10 hours are enough, and leave room for the backoff: 53 days.
    made->m_rtoPs = std::max<int64_t>(1, static_cast<int64_t>(std::min(rto, 36e15)));
    made->m_sent.SetBackoff(p->rtoBackoff);
    made->m_p = std::move(p);
    return made;
}

Ptr<LossRecovery>
PacketTimers::ForQueuePair(const PathInfo& path, int64_t)
{
    return Make(m_parameters.Get(), path);
}

std::unique_ptr<ReceiverQp>
PacketTimers::MakeReceiver(const PathInfo&) const
{
    return std::make_unique<SelectiveRepeatReceiver>();
}

void
PacketTimers::OnSend(QueuePair& qp, Frame& frame, uint32_t inflightBytes, int64_t nowPs)
{
    SentPackets::Packet packet;
    packet.sentPs = nowPs + qp.othersDuePs;
    packet.inflightBytes = inflightBytes;
    packet.entropy = frame.entropy;
    m_sent.OnSend(frame.psn, qp.GetUna(), packet);
    if (m_sent.DuePs(frame.psn, m_rtoPs) < qp.timeout.GetDeadlinePs())
    {
        qp.timeout.AskAnew(); // due before what has backed off
    }
}

void
PacketTimers::NoteArrivals(QueuePair& qp, const Frame& ack, QueuePair::AckResult& result)
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
PacketTimers::Spare(QueuePair& qp, uint64_t psn)
{
    SentPackets::Packet& packet = m_sent.At(psn);
    if (packet.state == SentPackets::State::OUT)
    {
        qp.AddInflight(-static_cast<int64_t>(packet.inflightBytes));
    }
    packet.Spare();
}

bool
PacketTimers::Lose(QueuePair& qp, uint64_t psn, int64_t sentByPs, int64_t nowPs)
{
    SentPackets::Packet& packet = m_sent.At(psn);
    if (packet.state != SentPackets::State::OUT || packet.sentPs > sentByPs)
    {
        return false;
    }
    packet.state = SentPackets::State::LOST;
    qp.AddInflight(-static_cast<int64_t>(packet.inflightBytes));
    if (PathSelector* selector = qp.GetSelector())
    {
        selector->OnLoss(packet.entropy, nowPs);
    }
    return true;
}

bool
PacketTimers::IsLost(const QueuePair&, uint64_t psn)
{
    return m_sent.At(psn).state == SentPackets::State::LOST;
}

void
PacketTimers::Repeat(QueuePair&, uint64_t psn)
{
    m_sent.PushRepeat(psn);
}

void
PacketTimers::UpdateRepeat(QueuePair& qp)
{
    uint64_t psn;
    qp.SetRepeat(m_sent.PeekRepeat(qp.GetUna(), psn));
}

void
PacketTimers::Retire(QueuePair& qp,
                     uint64_t newUna,
                     bool haveArrived,
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
        if (haveArrived && packet.IsMissing())
        {
            packet.state = SentPackets::State::ARRIVED;
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

void
PacketTimers::Settle(QueuePair& qp, int64_t nowPs, QueuePair::AckResult& result)
{
    UpdateRepeat(qp);
    if (result.packets)
    {
        m_progressPs = nowPs;
        result.lateLoss = m_tellsLoss;
        m_tellsLoss = false;
    }
}

bool
PacketTimers::IsMereLoss(const QueuePair&, int64_t nowPs)
{
    return m_p->timeoutIsLoss && m_progressPs != INT64_MIN &&
           m_progressPs > nowPs - m_rtoPs + m_baseRttPs;
}

void
PacketTimers::OnTimeout(QueuePair& qp, int64_t nowPs)
{
    const bool isMereLoss = IsMereLoss(qp, nowPs);
    for (uint64_t psn; m_sent.PopDue(qp.GetUna(), m_rtoPs, nowPs, psn);)
    {
        m_tellsLoss = isMereLoss;
        Lose(qp, psn, nowPs, nowPs);
        m_sent.PushRepeat(psn);
    }
    UpdateRepeat(qp);
}

int64_t
PacketTimers::TimeoutPs(const QueuePair&) const
{
    return m_rtoPs * m_p->rtoBackoff;
}

bool
PacketTimers::IsRetry(const QueuePair& qp, int64_t nowPs)
{
    // The oldest packet may wait to be sent again, or be one that no longer matters.
    return m_sent.At(qp.GetUna()).state == SentPackets::State::OUT &&
           m_sent.DuePs(qp.GetUna(), m_rtoPs) <= nowPs;
}

uint64_t
PacketTimers::TakeRepeat(QueuePair& qp)
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
PacketTimers::DeadlinePs(const QueuePair& qp)
{
    return m_sent.NextDuePs(qp.GetUna(), m_rtoPs);
}

} // namespace ns3::roce
