/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-nic.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/roce-control-shim.h"
#include "ns3/roce-input-error.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace roce
{

NS_LOG_COMPONENT_DEFINE("RoceNic");

Nic::Nic()
    : m_senders(2), // numbers 0 and 1 belong to InfiniBand's management queue pairs
      m_scheduler(m_senders)
{
    SetOwner(this, 0);
}

Nic::~Nic() = default;

void
Nic::DoDispose()
{
    m_control.Clear();
    m_senders.clear();
    m_receivers.Clear();
    m_prototypes = {};
    m_recoveries = {};
    m_selectors = {};
    m_random = nullptr;
    m_oracle = nullptr;
    Port::DoDispose();
}

void
Nic::SetIdentity(uint32_t index, PathOracle oracle)
{
    m_nicIndex = index;
    m_oracle = std::move(oracle);
}

namespace
{

ObjectFactory
FactoryOf(const std::string& text)
{
    ObjectFactoryValue value;
    value.DeserializeFromString(text, MakeObjectFactoryChecker());
    return value.Get();
}

} // namespace

Ptr<CongestionControl>
Nic::GetPrototype(bool interDc)
{
    Ptr<CongestionControl>& prototype = m_prototypes[interDc];
    if (!prototype)
    {
        const bool own = interDc && !m_interCc.empty();
        prototype = (own ? FactoryOf(m_interCc) : m_ccFactory).Create<CongestionControl>();
        if (DynamicCast<ControlShim>(prototype))
        {
            const std::string name = prototype->GetInstanceTypeId().GetName();
            prototype = nullptr;
            throw InputError(std::string("ns3::roce::Nic::") + (own ? "Inter" : "") +
                             "CongestionControl is " + name +
                             ", which stands in front of a rate law; expected a rate law");
        }
        if (interDc && !m_interShim.empty())
        {
            Ptr<ControlShim> shim = FactoryOf(m_interShim).Create<ControlShim>();
            shim->SetLaw(prototype);
            prototype = shim;
        }
    }
    return prototype;
}

void
Nic::SetInterShim(const std::string& factory)
{
    m_interShim = factory;
    m_prototypes[true] = nullptr;
}

uint32_t
Nic::GetTelemetryBytes(bool interDc)
{
    return (GetPrototype(interDc)->NeedsTelemetry() ? m_intHeaderBytes : 0) +
           (NeedsTimestamp(interDc) ? TIMESTAMP_BYTES : 0);
}

bool
Nic::NeedsTimestamp(bool interDc)
{
    return GetPrototype(interDc)->NeedsTimestamp() ||
           GetSelectorPrototype(interDc)->NeedsTimestamp();
}

Ptr<PathSelector>
Nic::GetSelectorPrototype(bool interDc)
{
    Ptr<PathSelector>& prototype = m_selectors[interDc];
    if (!prototype)
    {
        const bool own = interDc && !m_interSelector.empty();
        prototype = (own ? FactoryOf(m_interSelector) : m_selectorFactory).Create<PathSelector>();
    }
    return prototype;
}

std::string
Nic::GetLossRecoveryFactory(bool interDc) const
{
    if (interDc && !m_interRecovery.empty())
    {
        return m_interRecovery;
    }
    std::ostringstream text;
    text << m_recoveryFactory;
    return text.str();
}

int64_t
Nic::AssignStreams(int64_t stream)
{
    m_stream = stream;
    return 1;
}

uint64_t
Nic::DrawSeed()
{
    if (!m_random)
    {
        m_random = CreateObject<UniformRandomVariable>();
        m_random->SetStream(m_stream);
    }
    const uint64_t high = m_random->GetInteger(0, UINT32_MAX);
    return high << 32 | m_random->GetInteger(0, UINT32_MAX);
}

QueuePair*
Nic::OpenQp(uint32_t dst,
            uint32_t dstQp,
            uint8_t trafficClass,
            uint16_t entropy,
            bool closeWhenDone)
{
    const int64_t now = PresentPs(NowPs());
    PathInfo path = m_oracle(m_nicIndex, dst, entropy);
    path.windowFrameBytes = m_payloadWindow ? path.mtuBytes : path.fullFrameBytes;
    Ptr<CongestionControl> cc = GetPrototype(path.interDc)->Fork();
    cc->Start(path, now);
    QueuePair::Config config;
    config.src = m_nicIndex;
    config.dst = dst;
    config.dstQp = dstQp;
    config.trafficClass = trafficClass;
    config.entropy = entropy;
    config.mtuBytes = m_mtuBytes;
    config.headerBytes = static_cast<uint16_t>(m_headerBytes);
    config.firstHeaderBytes = static_cast<uint16_t>(m_firstHeaderBytes);
    config.alignMask = static_cast<uint16_t>(m_payloadAlign - 1);
    config.payloadWindow = m_payloadWindow;
    config.repacing = m_repacing;
    config.tickPs = GetTick().GetPicoSeconds();
    config.ackEveryN = m_ackEveryN;
    config.burstBytes = cc->GetBurstBytes();
    config.telemetry = cc->NeedsTelemetry();
    config.telemetryBytes = GetTelemetryBytes(path.interDc);
    config.framingBytes = WireBytes(100000) - 100000;
    config.minFrameBytes = WireBytes(0) - config.framingBytes;
    const Ptr<PathSelector> prototype = GetSelectorPrototype(path.interDc);
    config.flags = NeedsTimestamp(path.interDc) ? FRAME_TIMESTAMP : 0;
    config.ecn = cc->IsEcnCapable() || prototype->NeedsEcn() ? ECN_ECT0 : ECN_NOT_ECT;
    config.closeWhenDone = closeWhenDone;
    Ptr<PathSelector> selector;
    if (!prototype->IsStatic())
    {
        selector = prototype->Fork();
        selector->Start(path, entropy, DrawSeed());
    }
    Ptr<LossRecovery>& recovery = m_recoveries[path.interDc];
    if (!recovery)
    {
        recovery = FactoryOf(GetLossRecoveryFactory(path.interDc)).Create<LossRecovery>();
    }
    const auto floorPs =
        static_cast<int64_t>(std::min(m_rtoFactor * static_cast<double>(path.baseRttPs),
                                      static_cast<double>(LossRecovery::LONGEST_TIMEOUT_PS)));
    const auto qpn = static_cast<uint32_t>(m_senders.size());
    m_senders.push_back(std::make_unique<QueuePair>(qpn,
                                                    config,
                                                    std::move(cc),
                                                    recovery->ForQueuePair(path, floorPs),
                                                    std::move(selector)));
    ++m_openQps;
    QueuePair* qp = m_senders.back().get();
    qp->rtoPs = std::clamp(m_rtoMin.GetPicoSeconds(), floorPs, LossRecovery::LONGEST_TIMEOUT_PS);
    return qp;
}

void
Nic::Post(QueuePair* qp, uint64_t bytes, uint64_t cookie)
{
    // A sink of a trace posts at the time of what it was told, which Simulator::Now() may be past.
    const int64_t now = PresentPs(NowPs());
    CatchUp(now);
    qp->Post(bytes, cookie, now);
    qp->GetCc().Advance(now);
    m_scheduler.Place(qp, now, GetBusyUntilPs());
    if (!IsRunning()) // what is being run ends with the same
    {
        Settle(now);
        Rearm();
    }
}

bool
Nic::CloseIfDone(QueuePair* qp)
{
    // One that stands in the ready ring is closed when its turn comes.
    if (qp->GetUna() != qp->GetEndPsn() || !qp->GetConfig().closeWhenDone ||
        qp->place == QueuePair::Place::READY)
    {
        return false;
    }
    if (const PathSelector* selector = qp->GetSelector())
    {
        m_counters.pathMoves += selector->GetMoves();
    }
    --m_openQps;
    m_senders[qp->GetQpn()].reset();
    return true;
}

// ---------------------------------------------------------------- choosing what to send

void
Nic::Activate()
{
    SetUp(GetNode()->GetId(), {this}, m_eager);
}

int64_t
Nic::NextDuePs() const
{
    const int64_t free = GetBusyUntilPs();
    if (m_scheduler.HasReady() || !m_control.IsEmpty())
    {
        return free;
    }
    return std::max(free, m_scheduler.NextTimerPs());
}

void
Nic::Depart(uint16_t, int64_t atPs)
{
    const uint32_t paused = PausedMask(atPs);
    if (!m_control.IsEmpty() && !(paused >> m_controlClass & 1))
    {
        Transmit(m_control.Pop(), atPs);
    }
    else if (QueuePair* qp = PickData(atPs))
    {
        SendData(qp, atPs);
    }
    else
    {
        // Nothing may be sent: wait for a pacing gap or for a pause to run out.
        SetDeparture(0, std::min(NextPauseExpiryPs(), m_scheduler.NextTimerPs()));
        return;
    }
    SetDeparture(0, NextDuePs());
}

void
Nic::Settle(int64_t nowPs)
{
    const int64_t due = NextDuePs();
    if (due <= nowPs)
    {
        Depart(0, nowPs);
    }
    else if (due < GetDeparture(0))
    {
        SetDeparture(0, due);
    }
}

void
Nic::OnPauseChange(Port&, int64_t atPs)
{
    Settle(atPs);
}

QueuePair*
Nic::PickData(int64_t atPs)
{
    const uint32_t paused = PausedMask(atPs);
    while (QueuePair* qp = m_scheduler.Next(paused, atPs))
    {
        if (qp->CanSend() && !qp->failed) // the window may have shrunk meanwhile
        {
            return qp;
        }
        CloseIfDone(qp);
    }
    return nullptr;
}

void
Nic::SendData(QueuePair* qp, int64_t atPs)
{
    Frame* frame = FramePool::Alloc();
    uint32_t wireBytes;
    qp->BuildNext(*frame, wireBytes, atPs);
    frame->ttl = m_ttl;
    frame->sentPs = atPs;
    ++m_counters.dataSent;
    m_counters.retransmitted += (frame->flags & FRAME_RETX) != 0;
    CongestionControl& cc = qp->GetCc();
    cc.Advance(atPs);
    cc.OnSend(atPs, wireBytes);
    // The timeout watches over the oldest packet: it begins anew when that is repeated.
    if (qp->rtoDeadlinePs == NEVER_PS || (frame->flags & FRAME_RETX && frame->psn == qp->GetUna()))
    {
        RestartRto(qp, atPs);
    }
    Transmit(frame, atPs);
    m_scheduler.CountSent(qp, wireBytes, atPs);
    m_scheduler.Place(qp, atPs, GetBusyUntilPs());
}

// ---------------------------------------------------------------- receiving

void
Nic::Receive(Port&, Frame* frame, int64_t nowPs)
{
    switch (frame->kind)
    {
    case FrameKind::DATA:
        ReceiveData(frame, nowPs);
        break;
    case FrameKind::ACK:
    case FrameKind::NAK:
        ReceiveAck(frame, nowPs);
        break;
    case FrameKind::CNP:
        ReceiveCnp(frame, nowPs);
        break;
    case FrameKind::NOTIFICATION:
        ReceiveNotification(frame, nowPs);
        break;
    case FrameKind::PFC:
        break; // handled by the port
    }
    Settle(nowPs);
}

Frame*
Nic::MakeReply(FrameKind kind, const Frame& data) const
{
    Frame* reply = FramePool::Alloc();
    reply->kind = kind;
    reply->src = m_nicIndex;
    reply->dst = data.src;
    reply->srcQp = data.dstQp;
    reply->dstQp = data.srcQp;
    reply->entropy = data.entropy;
    reply->dataEntropy = data.entropy;
    reply->trafficClass = m_controlClass;
    reply->dscp = static_cast<uint8_t>(m_controlClass << 3);
    reply->ttl = m_ttl;
    reply->frameBytes = kind == FrameKind::CNP ? m_cnpFrameBytes : m_ackFrameBytes;
    return reply;
}

void
Nic::ReceiveData(Frame* frame, int64_t nowPs)
{
    const auto path = [&] { return m_oracle(m_nicIndex, frame->src, frame->entropy); };
    ReceiverQp* found = frame->dst == m_nicIndex ? m_receivers.Find(*frame, path) : nullptr;
    if (!found)
    {
        ++m_counters.strayFrames;
        FramePool::Free(frame);
        return;
    }
    ReceiverQp& qp = *found;
    ++m_counters.dataReceived;
    if (qp.feedback->OnData(*frame, nowPs))
    {
        ++m_counters.cnpsSent;
        Frame* cnp = MakeReply(FrameKind::CNP, *frame);
        cnp->entropy = m_receivers.GetReplyEntropy(*frame);
        m_control.Push(cnp);
    }
    const uint64_t bytesBefore = qp.receivedBytes;
    const uint32_t messagesBefore = qp.msn;
    const uint32_t reorderedBefore = qp.reordered;
    const ReceiverQp::Action action = qp.OnData(*frame, m_ackEveryN, nowPs);
    if (qp.timerPs < qp.timerEntryPs)
    {
        NoteReceiverTimer(qp, frame->dstQp);
    }
    qp.peerQp = frame->srcQp;
    qp.peerEntropy = m_receivers.GetReplyEntropy(*frame);
    m_counters.bytesDelivered += qp.receivedBytes - bytesBefore;
    if (qp.reordered != reorderedBefore)
    {
        m_counters.reordered += qp.reordered - reorderedBefore;
        m_counters.reorderDepth = std::max<uint64_t>(m_counters.reorderDepth, qp.reorderDepth);
    }
    for (uint32_t i = messagesBefore; i != qp.msn; ++i)
    {
        m_receivedTrace(m_receivers.GetCookie(frame->dstQp), PicoSeconds(nowPs));
    }
    if (action != ReceiverQp::Action::NOTHING)
    {
        const bool nak = action == ReceiverQp::Action::NAK;
        Frame* reply = MakeReply(nak ? FrameKind::NAK : FrameKind::ACK, *frame);
        reply->psn = nak ? qp.expectedPsn : qp.expectedPsn - 1;
        reply->msn = qp.msn;
        reply->ackedPackets = qp.unackedPackets;
        ++(nak ? m_counters.naksSent : m_counters.acksSent);
        reply->markedPackets = qp.markedPackets;
        if (qp.markedPackets)
        {
            frame->ecn = ECN_CE; // the echo covers all packets since the last ACK
        }
        qp.feedback->FillAck(*reply, *frame, nowPs);
        qp.FillAck(*reply, *frame);
        reply->entropy = qp.peerEntropy;
        reply->frameBytes = std::max(reply->frameBytes, m_ackMinBytes);
        qp.unackedPackets = 0;
        qp.markedPackets = 0;
        m_control.Push(reply);
    }
    FramePool::Free(frame);
}

void
Nic::ReceiveAck(Frame* frame, int64_t nowPs)
{
    QueuePair* qp = GetQp(frame->dstQp);
    if (!qp || qp->GetConfig().dst != frame->src || qp->failed)
    {
        ++m_counters.strayFrames;
        FramePool::Free(frame);
        return;
    }
    m_counters.naksReceived += frame->kind == FrameKind::NAK;
    m_done.clear();
    const QueuePair::AckResult result = qp->GetRecovery().OnAck(*qp, *frame, nowPs, m_done);
    if (result.packets || result.rewound || result.loss)
    {
        qp->retries = 0;
        qp->ackedPackets += result.packets;
        if (!qp->GetInflightBytes())
        {
            qp->rtoDeadlinePs = NEVER_PS; // what is to be repeated starts it again
        }
        else if (result.advanced || result.rewound)
        {
            RestartRto(qp, nowPs);
        }
        AckInfo ack;
        ack.nowPs = nowPs;
        ack.ackPsn = result.newestPsn;
        ack.sndNxtPsn = qp->GetNextPsn();
        ack.ackedBytes = result.bytes;
        ack.ackedPackets = static_cast<uint32_t>(result.packets);
        ack.inflightBytes = qp->GetInflightBytes();
        ack.ecnEcho = frame->flags & FRAME_ECN_ECHO;
        ack.markedPackets = frame->markedPackets;
        ack.isNak = result.rewound;
        ack.isLoss = result.loss;
        ack.rttPs = frame->flags & FRAME_TIMESTAMP ? nowPs - frame->sentPs : 0;
        ack.remoteHoldPs = frame->remoteHoldPs;
        ack.telemetry = frame->telemetry;
        ack.entropy = frame->dataEntropy;
        ack.hasMore = qp->HasPacket();
        qp->GetCc().OnAck(ack);
        if (PathSelector* selector = qp->GetSelector())
        {
            selector->OnAck(ack);
        }
    }
    FramePool::Free(frame);
    for (const MessageRecord& record : m_done)
    {
        m_completedTrace(record);
    }
    if (!CloseIfDone(qp))
    {
        AfterFeedback(qp, nowPs);
    }
}

void
Nic::ReceiveCnp(Frame* frame, int64_t nowPs)
{
    ++m_counters.cnpsReceived;
    QueuePair* qp = GetQp(frame->dstQp);
    if (qp && qp->GetConfig().dst == frame->src)
    {
        qp->GetCc().OnCnp(nowPs);
        AfterFeedback(qp, nowPs);
    }
    FramePool::Free(frame);
}

void
Nic::ReceiveNotification(Frame* frame, int64_t nowPs)
{
    ++m_counters.notificationsReceived;
    QueuePair* qp = GetQp(frame->dstQp);
    if (qp && qp->GetConfig().dst == frame->src && !qp->failed)
    {
        Notification notification;
        notification.nowPs = nowPs;
        notification.kind = frame->msn;
        notification.rttPs = frame->flags & FRAME_TIMESTAMP ? nowPs - frame->sentPs : 0;
        notification.psn = frame->psn;
        notification.value = frame->aux;
        qp->GetCc().OnNotification(notification);
        AfterFeedback(qp, nowPs);
    }
    else
    {
        ++m_counters.strayNotifications; // the flow may have ended meanwhile
    }
    FramePool::Free(frame);
}

void
Nic::AfterFeedback(QueuePair* qp, int64_t nowPs)
{
    m_scheduler.Repace(qp, nowPs);
    m_scheduler.Place(qp, nowPs, GetBusyUntilPs());
    if (!m_rateTrace.IsEmpty())
    {
        m_rateTrace(*qp, PicoSeconds(nowPs));
    }
}

// ---------------------------------------------------------------- timeouts

void
Nic::PushTimeout(QueuePair* qp)
{
    // One valid entry for each queue pair; it looks at the deadline when its time comes.
    qp->rtoEntryPs = qp->rtoDeadlinePs;
    m_timeouts.Push(qp->rtoDeadlinePs, qp->GetQpn());
    SetTimer(std::min(m_timeouts.NextPs(), m_receiverTimers.NextPs()));
}

void
Nic::RestartRto(QueuePair* qp, int64_t nowPs)
{
    qp->rtoStartPs = nowPs;
    qp->rtoDeadlinePs = qp->GetRecovery().DeadlinePs(*qp);
    if (qp->rtoDeadlinePs < qp->rtoEntryPs)
    {
        PushTimeout(qp);
    }
}

void
Nic::Timer(int64_t atPs)
{
    RunTimeouts(atPs);
    RunReceiverTimers(atPs);
    SetTimer(std::min(m_timeouts.NextPs(), m_receiverTimers.NextPs()));
    Settle(atPs);
}

void
Nic::RunTimeouts(int64_t atPs)
{
    for (DueHeap::Entry entry; m_timeouts.PopDue(atPs, entry);)
    {
        QueuePair* qp = GetQp(entry.number);
        if (!qp || qp->rtoEntryPs != entry.atPs)
        {
            continue;
        }
        qp->rtoEntryPs = NEVER_PS;
        if (qp->rtoDeadlinePs == NEVER_PS)
        {
            continue;
        }
        // More may have been sent since: then a longer timeout may hold now.
        qp->rtoDeadlinePs = qp->GetRecovery().DeadlinePs(*qp);
        if (qp->rtoDeadlinePs == NEVER_PS)
        {
            continue;
        }
        if (qp->rtoDeadlinePs > atPs)
        {
            PushTimeout(qp);
            continue;
        }
        ++m_counters.timeouts;
        const bool isRetry = qp->GetRecovery().IsRetry(*qp, atPs);
        qp->retries += isRetry;
        if (m_retryLimit && qp->retries > m_retryLimit)
        {
            NS_LOG_WARN("NIC " << m_nicIndex << " QP " << qp->GetQpn() << ": retry limit exceeded");
            qp->failed = true;
            qp->rtoDeadlinePs = NEVER_PS;
            ++m_counters.failedQps;
            continue;
        }
        qp->GetRecovery().OnTimeout(*qp, atPs);
        if (isRetry)
        {
            qp->GetCc().OnTimeout(atPs);
        }
        else
        {
            qp->GetCc().OnFurtherTimeout(atPs);
        }
        if (PathSelector* selector = qp->GetSelector())
        {
            selector->OnTimeout(atPs);
        }
        // What waits for its turn cannot be lost: the timeout runs again from the repeat on.
        qp->rtoDeadlinePs = NEVER_PS;
        if (qp->GetInflightBytes())
        {
            RestartRto(qp, atPs);
        }
        AfterFeedback(qp, atPs);
    }
}

void
Nic::NoteReceiverTimer(ReceiverQp& qp, uint32_t qpn)
{
    qp.timerEntryPs = qp.timerPs;
    m_receiverTimers.Push(qp.timerPs, qpn);
    SetTimer(std::min(m_timeouts.NextPs(), m_receiverTimers.NextPs()));
}

void
Nic::RunReceiverTimers(int64_t atPs)
{
    for (DueHeap::Entry entry; m_receiverTimers.PopDue(atPs, entry);)
    {
        ReceiverQp& qp = m_receivers.At(entry.number);
        if (qp.timerEntryPs != entry.atPs)
        {
            continue;
        }
        qp.timerEntryPs = NEVER_PS;
        while (qp.timerPs <= atPs)
        {
            Frame data{}; // as far as a reply needs it
            data.src = m_receivers.GetSource(entry.number);
            data.srcQp = qp.peerQp;
            data.dstQp = entry.number;
            data.entropy = qp.peerEntropy;
            Frame* nak = MakeReply(FrameKind::NAK, data);
            nak->dataEntropy = 0; // it answers no data
            nak->psn = qp.expectedPsn;
            nak->msn = qp.msn;
            if (!qp.OnTimer(atPs, *nak))
            {
                FramePool::Free(nak);
                continue;
            }
            ++m_counters.naksSent;
            nak->frameBytes = std::max(nak->frameBytes, m_ackMinBytes);
            m_control.Push(nak);
        }
        if (qp.timerPs != NEVER_PS)
        {
            NoteReceiverTimer(qp, entry.number);
        }
    }
}

std::string
Nic::Explain(const QueuePair& qp, int64_t nowPs)
{
    std::ostringstream text;
    const QueuePair::Config& config = qp.GetConfig();
    text << "NIC " << m_nicIndex << " QP " << qp.GetQpn() << " to NIC " << config.dst << ": "
         << qp.GetUna() << " of " << qp.GetEndPsn() << " packets acknowledged, "
         << qp.GetNextPsn() - qp.GetUna() << " outstanding; ";
    const CongestionControl& cc = qp.GetCc();
    if (qp.failed)
    {
        text << "failed: retry limit exceeded";
    }
    else if (PausedMask(nowPs) >> config.trafficClass & 1)
    {
        text << "class " << +config.trafficClass << " is paused by PFC at this NIC's port";
    }
    else if (!qp.HasPacket())
    {
        text << (qp.GetNextPsn() == qp.GetEndPsn() ? "waiting for acknowledgements"
                                                   : "as much outstanding as the loss recovery "
                                                     "allows, waiting for acknowledgements");
        if (qp.rtoDeadlinePs != NEVER_PS)
        {
            text << " (timeout in " << (qp.rtoDeadlinePs - nowPs) / 1000 << " ns, " << qp.retries
                 << " retries so far)";
        }
    }
    else if (qp.GetInflightBytes() >= cc.GetWindowBytes())
    {
        text << "window full: " << qp.GetInflightBytes() << " of " << cc.GetWindowBytes()
             << " B in flight";
    }
    else
    {
        text << "paced at " << cc.GetRateBps() << " bit/s, next packet in "
             << std::max<int64_t>(0, qp.nextAvailPs - nowPs) / 1000 << " ns";
    }
    return text.str();
}

} // namespace roce
} // namespace ns3
