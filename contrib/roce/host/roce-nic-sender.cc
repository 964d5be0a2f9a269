// SPDX-License-Identifier: GPL-2.0-only
#include "roce-nic-sender.h"

#include "roce-nic.h"

#include "ns3/log.h"
#include "ns3/roce-api-check.h"
#include "ns3/roce-object-lock.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ns3::roce
{

NS_LOG_COMPONENT_DEFINE("RoceNicSender");

NicSender::NicSender(Nic& nic)
    : m_nic(nic),
      m_queuePairs(2), // numbers 0 and 1 belong to InfiniBand's management queue pairs
      m_scheduler(m_queuePairs),
      m_timeouts(m_queuePairs)
{
}

void
NicSender::SetCosts(const MessageCosts::Settings& settings)
{
    MessageCosts::Sinks sinks;
    sinks.find = [this](uint32_t qpn) { return Get(qpn); };
    sinks.allowed = [this](QueuePair& qp, int64_t nowPs) {
        m_scheduler.Resume(&qp, nowPs, m_nic.GetBusyUntilPs());
    };
    sinks.completed = [this](const MessageRecord& record) { m_nic.NoteCompleted(record); };
    m_costs = std::make_unique<MessageCosts>(settings, std::move(sinks));
}

void
NicSender::Clear()
{
    m_last = nullptr;
    m_busy.clear();
    m_queuePairs.clear();
}

QueuePair*
NicSender::Open(const TransportProfile& profile,
                const PathInfo& path,
                QueuePair::Config config,
                int64_t nowPs)
{
    const ObjectLock lock;
    Ptr<CongestionControl> cc = CheckMade(profile.GetLaw()->Fork(), *profile.GetLaw(), "Fork()");
    cc->Start(path, nowPs);
    QpScheduler::CheckRate(*cc);
    config.burstBytes = cc->GetBurstBytes();
    config.telemetry = cc->NeedsTelemetry();
    config.extension = cc->GetDataExtension();
    config.flags = profile.NeedsTimestamp() ? FRAME_TIMESTAMP : 0;
    config.ecn = cc->IsEcnCapable() || profile.GetSelector()->NeedsEcn() ? ECN_ECT0 : ECN_NOT_ECT;
    Ptr<PathSelector> selector;
    if (!profile.GetSelector()->IsStatic())
    {
        selector = CheckMade(profile.GetSelector()->Fork(), *profile.GetSelector(), "Fork()");
        selector->Start(path, config.entropy, m_nic.DrawSeed());
    }
    const int64_t floorPs = m_nic.GetRtoFloorPs(path);
    Ptr<LossRecovery> recovery = CheckMade(profile.GetRecovery()->ForQueuePair(path, floorPs),
                                           *profile.GetRecovery(),
                                           "ForQueuePair()");
    config.countsOthers = recovery->CountsOthersDue();
    m_queuePairs.push_back(std::make_unique<QueuePair>(GetN(),
                                                       config,
                                                       std::move(cc),
                                                       std::move(recovery),
                                                       std::move(selector)));
    ++m_open;
    QueuePair* qp = m_queuePairs.back().get();
    qp->retunings = static_cast<uint32_t>(m_retunings.size()); // the profile has them
    RetransmissionTimers::Open(*qp, m_nic.GetRtoPs(path));
    return qp;
}

void
NicSender::Post(QueuePair* qp, uint64_t bytes, uint64_t cookie, int64_t nowPs)
{
    TakeOver(*qp);
    if (m_nic.m_idleRestart.IsStrictlyPositive() && qp->idleSincePs != NEVER_PS &&
        nowPs - qp->idleSincePs >= m_nic.m_idleRestart.GetPicoSeconds())
    {
        Restart(*qp, nowPs);
    }
    qp->idleSincePs = NEVER_PS;
    SetBusy(*qp, true);
    qp->Post(bytes, cookie, nowPs);
    qp->GetCc().Advance(nowPs);
    if (m_costs)
    {
        m_costs->OnPost(*qp, nowPs);
        m_nic.SetEarliestTimer();
    }
    m_scheduler.Resume(qp, nowPs, m_nic.GetBusyUntilPs());
}

/// @brief Begin with a new rate law. @param qp idle @param nowPs current time
void
NicSender::Restart(QueuePair& qp, int64_t nowPs) const
{
    const ObjectLock lock;
    const PathInfo path = qp.GetCc().GetPath();
    const CongestionControl& law = *m_nic.GetProfile(path.interDc, qp.GetConfig().law)->GetLaw();
    Ptr<CongestionControl> cc = CheckMade(law.Fork(), law, "Fork()");
    cc->Start(path, nowPs);
    QpScheduler::CheckRate(*cc);
    qp.Restart(std::move(cc));
}

void
NicSender::SetBusy(QueuePair& qp, bool busy)
{
    if (busy == (qp.busyIndex != QueuePair::NOT_BUSY))
    {
        return;
    }
    if (busy)
    {
        qp.busyIndex = static_cast<uint32_t>(m_busy.size());
        m_busy.push_back(&qp);
        return;
    }
    m_busy[qp.busyIndex] = m_busy.back();
    m_busy[qp.busyIndex]->busyIndex = qp.busyIndex;
    m_busy.pop_back();
    qp.busyIndex = QueuePair::NOT_BUSY;
}

/// @return whether Retune() is for a queue pair @param interDc given to it
bool
NicSender::IsRetuned(const QueuePair& qp, bool interDc)
{
    return qp.GetConfig().law == 0 && qp.GetCc().GetPath().interDc == interDc;
}

void
NicSender::CatchUpRetunings(QueuePair& qp) const
{
    for (; qp.retunings < m_retunings.size(); ++qp.retunings)
    {
        const Retuning& missed = m_retunings[qp.retunings];
        if (IsRetuned(qp, missed.interDc))
        {
            qp.GetCc().Retune(*missed.law, missed.atPs);
        }
    }
}

bool
NicSender::CloseIfDone(QueuePair* qp)
{
    // A queue pair in the ready ring is closed when its turn comes.
    if (qp->GetUna() != qp->GetEndPsn() || !qp->GetConfig().closeWhenDone ||
        qp->place == QueuePair::Place::READY)
    {
        return false;
    }
    if (const PathSelector* selector = qp->GetSelector())
    {
        m_nic.m_counters.pathMoves += selector->GetMoves();
    }
    m_last = m_last == qp ? nullptr : m_last;
    --m_open;
    SetBusy(*qp, false);
    const ObjectLock lock;
    m_queuePairs[qp->GetQpn()].reset();
    return true;
}

// ---------------------------------------------------------------- sending

QueuePair*
NicSender::Pick(uint32_t paused, int64_t atPs)
{
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

/// See LossRecovery::CountsOthersDue().
int64_t
NicSender::OthersDuePs(const QueuePair& qp, int64_t atPs) const
{
    uint64_t bytes = 0;
    for (const QueuePair* other : m_busy)
    {
        bytes += other == &qp ? 0 : QpScheduler::DueBytes(*other, atPs);
    }
    return static_cast<int64_t>(static_cast<double>(bytes) * 8e12 /
                                static_cast<double>(m_nic.GetRateBps()));
}

/// If it is a packet's turn, send it. @return whether there is one
bool
NicSender::SendGuest(int64_t atPs)
{
    const unsigned guest = m_scheduler.GetGuest();
    if (guest == QpScheduler::NO_CLASS)
    {
        return false;
    }
    Frame* frame = m_nic.m_packets->TakeToSend(guest);
    m_scheduler.CountGuest(guest, m_nic.WireBytes(frame->frameBytes));
    m_nic.Transmit(frame, atPs);
    return true;
}

bool
NicSender::SendNext(uint32_t paused, int64_t atPs)
{
    QueuePair* qp = Pick(paused, atPs);
    if (!qp)
    {
        return SendGuest(atPs);
    }
    m_last = qp;
    if (qp->GetConfig().countsOthers)
    {
        qp->othersDuePs = OthersDuePs(*qp, atPs);
    }
    Frame* frame = FramePool::Alloc();
    SendInfo sent;
    qp->BuildNext(*frame, sent.wireBytes, atPs);
    frame->ttl = m_nic.m_ttl;
    frame->sentPs = atPs;
    sent.nowPs = atPs;
    sent.psn = frame->psn;
    sent.isRepeat = frame->flags & FRAME_RETX;
    sent.extension = ExtensionView(*frame);
    ++m_nic.m_counters.dataSent;
    m_nic.m_counters.retransmitted += sent.isRepeat;
    CongestionControl& cc = qp->GetCc();
    cc.Advance(atPs);
    cc.OnSend(sent);
    if (m_timeouts.OnSend(*qp, *frame, atPs))
    {
        m_nic.SetEarliestTimer();
    }
    const bool isLast = frame->flags & FRAME_LAST && !sent.isRepeat;
    m_nic.Transmit(frame, atPs);
    m_scheduler.CountSent(qp, sent.wireBytes, atPs);
    m_scheduler.Place(qp, atPs, m_nic.GetBusyUntilPs());
    if (m_costs && isLast)
    {
        m_costs->OnLastPacket(*qp, atPs, m_nic.GetBusyUntilPs());
        m_nic.SetEarliestTimer();
    }
    return true;
}

// ---------------------------------------------------------------- feedback

void
NicSender::OnAck(Frame* frame, int64_t nowPs)
{
    QueuePair* qp = GetRetuned(frame->dstQp);
    if (!qp || qp->GetConfig().dst != frame->src || qp->failed)
    {
        ++m_nic.m_counters.strayFrames;
        FramePool::Free(frame);
        return;
    }
    m_nic.m_counters.naksReceived += frame->kind == FrameKind::NAK;
    m_done.clear();
    const QueuePair::AckResult result = qp->GetRecovery().OnAck(*qp, *frame, nowPs, m_done);
    if (result.packets || result.rewound || result.loss)
    {
        qp->ackedPackets += result.packets;
        if (m_timeouts.OnProgress(*qp, result, nowPs))
        {
            m_nic.SetEarliestTimer();
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
        ack.isLoss = result.loss || result.lateLoss;
        ack.rttPs = frame->flags & FRAME_TIMESTAMP ? nowPs - frame->sentPs : 0;
        ack.remoteHoldPs = frame->remoteHoldPs;
        ack.telemetry = frame->FindTelemetry();
        ack.extension = ExtensionView(*frame);
        ack.entropy = frame->dataEntropy;
        ack.isMarked = frame->ecn == ECN_CE;
        ack.hasMore = qp->HasPacket();
        qp->GetCc().OnAck(ack);
        if (PathSelector* selector = qp->GetSelector())
        {
            ack.isLoss = result.loss; // OnTimeout() has reported the other
            selector->OnAck(ack);
        }
    }
    FramePool::Free(frame);
    for (const MessageRecord& record : m_done)
    {
        m_costs ? m_costs->OnDone(*qp, record) : m_nic.NoteCompleted(record);
    }
    if (m_costs)
    {
        m_nic.SetEarliestTimer();
    }
    if (qp->GetUna() == qp->GetEndPsn() && qp->idleSincePs == NEVER_PS)
    {
        SetBusy(*qp, false);
        qp->idleSincePs = nowPs;
    }
    if (!CloseIfDone(qp))
    {
        AfterFeedback(qp, nowPs);
    }
}

void
NicSender::OnCnp(Frame* frame, int64_t nowPs)
{
    ++m_nic.m_counters.cnpsReceived;
    QueuePair* qp = GetRetuned(frame->dstQp);
    if (qp && qp->GetConfig().dst == frame->src)
    {
        qp->GetCc().OnCnp({nowPs, ExtensionView(*frame)});
        AfterFeedback(qp, nowPs);
    }
    FramePool::Free(frame);
}

void
NicSender::OnNotification(Frame* frame, int64_t nowPs)
{
    ++m_nic.m_counters.notificationsReceived;
    QueuePair* qp = GetRetuned(frame->dstQp);
    if (qp && qp->GetConfig().dst == frame->src && !qp->failed)
    {
        Notification notification;
        notification.nowPs = nowPs;
        notification.kind = frame->msn;
        notification.rttPs = frame->flags & FRAME_TIMESTAMP ? nowPs - frame->sentPs : 0;
        notification.psn = frame->psn;
        notification.telemetry = frame->FindTelemetry();
        notification.extension = ExtensionView(*frame);
        notification.isMarked = frame->ecn == ECN_CE;
        qp->GetCc().OnNotification(notification);
        AfterFeedback(qp, nowPs);
    }
    else
    {
        ++m_nic.m_counters.strayNotifications; // the flow may have ended meanwhile
    }
    FramePool::Free(frame);
}

void
NicSender::AfterFeedback(QueuePair* qp, int64_t nowPs)
{
    m_scheduler.Repace(qp, nowPs);
    m_scheduler.Resume(qp, nowPs, m_nic.GetBusyUntilPs());
    if (!m_nic.m_rateTrace.IsEmpty())
    {
        m_nic.m_rateTrace(*qp, PicoSeconds(nowPs));
    }
}

void
NicSender::Retune(bool interDc, const CongestionControl& law, int64_t nowPs)
{
    for (QueuePair* qp : m_busy)
    {
        TakeOver(*qp);
        if (IsRetuned(*qp, interDc))
        {
            qp->GetCc().Retune(law, nowPs);
            AfterFeedback(qp, nowPs);
            m_scheduler.LookAgain(qp, nowPs);
        }
    }
    if (m_busy.size() == m_open) // none is left to get the change later
    {
        m_retunings.clear();
    }
    else
    {
        m_retunings.push_back({CheckMade(law.Fork(), law, "Fork()"), nowPs, interDc});
    }
    for (QueuePair* qp : m_busy)
    {
        qp->retunings = static_cast<uint32_t>(m_retunings.size());
    }
    if (m_retunings.size() == MAX_RETUNINGS)
    {
        for (const std::unique_ptr<QueuePair>& qp : m_queuePairs)
        {
            if (qp)
            {
                TakeOver(*qp);
                qp->retunings = 0;
            }
        }
        m_retunings.clear();
    }
}

void
NicSender::RunTimers(int64_t atPs)
{
    RunTimeouts(atPs);
    if (m_costs)
    {
        m_costs->Run(atPs);
    }
}

void
NicSender::RunTimeouts(int64_t atPs)
{
    while (QueuePair* qp = m_timeouts.NextDue(atPs))
    {
        ++m_nic.m_counters.timeouts;
        LossRecovery& recovery = qp->GetRecovery();
        const bool isRetry = recovery.IsRetry(*qp, atPs);
        const bool isMereLoss = recovery.IsMereLoss(*qp, atPs);
        const uint32_t limit = recovery.MayFail(*qp) ? m_nic.m_retryLimit : 0;
        if (!RetransmissionTimers::Expire(*qp, isRetry, limit))
        {
            NS_LOG_WARN("NIC " << m_nic.GetIndex() << " QP " << qp->GetQpn()
                               << ": retry limit exceeded");
            ++m_nic.m_counters.failedQps;
            continue;
        }
        recovery.OnTimeout(*qp, atPs);
        if (!isMereLoss) // reported with the next ACK
        {
            isRetry ? qp->GetCc().OnTimeout(atPs) : qp->GetCc().OnFurtherTimeout(atPs);
        }
        if (PathSelector* selector = qp->GetSelector())
        {
            selector->OnTimeout(atPs);
        }
        m_timeouts.Resume(*qp, atPs);
        AfterFeedback(qp, atPs);
    }
}

std::string
NicSender::Explain(const QueuePair& qp, int64_t nowPs) const
{
    std::ostringstream text;
    const QueuePair::Config& config = qp.GetConfig();
    text << "NIC " << m_nic.GetIndex() << " QP " << qp.GetQpn() << " to NIC " << config.dst << ": "
         << qp.GetUna() << " of " << qp.GetEndPsn() << " packets acknowledged, "
         << qp.GetNextPsn() - qp.GetUna() << " outstanding; ";
    const CongestionControl& cc = qp.GetCc();
    if (qp.failed)
    {
        text << "failed: retry limit exceeded";
    }
    else if (m_nic.PausedMask(nowPs) >> config.trafficClass & 1)
    {
        text << "class " << +config.trafficClass << " is paused by PFC at this NIC's port";
    }
    else if (!qp.HasPacket())
    {
        text << (qp.GetNextPsn() == qp.GetEndPsn() ? "waiting for acknowledgements"
                                                   : "as much outstanding as the loss recovery "
                                                     "allows, waiting for acknowledgements");
        if (qp.timeout.GetDeadlinePs() != NEVER_PS)
        {
            text << " (timeout in " << (qp.timeout.GetDeadlinePs() - nowPs) / 1000 << " ns, "
                 << qp.timeout.GetRetries() << " retries so far)";
        }
    }
    else if (qp.GetInflightBytes() >= cc.GetWindowBytes())
    {
        text << "window full: " << qp.GetInflightBytes() << " of " << cc.GetWindowBytes()
             << " B in flight";
    }
    else
    {
        const int64_t startPs = std::max(nowPs, qp.nextAvailPs); // it may never have sent
        text << "paced at " << cc.GetRateBps() << " bit/s, next packet in "
             << (startPs - nowPs) / 1000 << " ns";
    }
    return text.str();
}

} // namespace ns3::roce
