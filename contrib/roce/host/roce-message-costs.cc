// SPDX-License-Identifier: GPL-2.0-only
#include "roce-message-costs.h"

namespace ns3::roce
{

void
MessageCosts::OnPost(QueuePair& qp, int64_t nowPs)
{
    QueuePair::Work& work = qp.work;
    for (; qp.HasPosted() && (!m_settings.depth || work.underWay < m_settings.depth);
         ++work.underWay)
    {
        qp.SetReady(nowPs + m_settings.postPs);
    }
    Start(qp, nowPs);
}

/// Begin the next messages of a queue pair, or wait for the time when that may be.
void
MessageCosts::Start(QueuePair& qp, int64_t nowPs)
{
    QueuePair::Work& work = qp.work;
    while (!work.hasTurn && qp.GetReadyPs() != NEVER_PS)
    {
        if (m_settings.gapPs && !qp.IsAllSent())
        {
            return; // OnLastPacket() follows
        }
        const int64_t atPs = std::max(qp.GetReadyPs(), work.lastPs + m_settings.gapPs);
        if (atPs > nowPs)
        {
            if (atPs < work.entryPs)
            {
                work.entryPs = atPs;
                m_starts.Push(atPs, qp.GetQpn());
            }
            return;
        }
        if (m_settings.periodPs)
        {
            work.hasTurn = true;
            m_turns.push_back(qp.GetQpn());
            TakeTurns(nowPs);
            return;
        }
        qp.Allow();
        m_sinks.allowed(qp, nowPs);
    }
}

void
MessageCosts::TakeTurns(int64_t nowPs)
{
    while (!m_turns.empty() && m_nextTurnPs <= nowPs)
    {
        QueuePair& qp = *m_sinks.find(m_turns.front()); // has a message, so it is open
        m_turns.pop_front();
        m_nextTurnPs = nowPs + m_settings.periodPs;
        qp.work.hasTurn = false;
        qp.Allow();
        m_sinks.allowed(qp, nowPs);
        Start(qp, nowPs);
    }
}

void
MessageCosts::OnDone(QueuePair& qp, const MessageRecord& record)
{
    Completion completion{record, qp.GetQpn()};
    completion.record.completedPs += m_settings.completionPs;
    if (m_settings.completionPs)
    {
        m_completions.Push(completion.record.completedPs, completion);
    }
    else
    {
        Complete(completion);
    }
}

void
MessageCosts::Complete(const Completion& completion)
{
    if (QueuePair* qp = m_sinks.find(completion.qpn))
    {
        --qp->work.underWay;
        OnPost(*qp, completion.record.completedPs);
    }
    m_sinks.completed(completion.record);
}

void
MessageCosts::Run(int64_t atPs)
{
    for (Completion completion; m_completions.Pop(atPs, completion);)
    {
        Complete(completion);
    }
    QueuePair* qp = nullptr;
    const auto validPs = [&](uint32_t qpn) {
        qp = m_sinks.find(qpn);
        return qp ? qp->work.entryPs : NEVER_PS;
    };
    for (TimeHeap<uint32_t>::Entry entry; m_starts.PopDue(atPs, entry, validPs);)
    {
        qp->work.entryPs = NEVER_PS;
        Start(*qp, atPs);
    }
    TakeTurns(atPs);
}

} // namespace ns3::roce
