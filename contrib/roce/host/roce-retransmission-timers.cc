// SPDX-License-Identifier: GPL-2.0-only
#include "roce-retransmission-timers.h"

#include "roce-loss-recovery.h"

#include <algorithm>

namespace ns3::roce
{

void
RetransmissionTimers::Push(QueuePair& qp)
{
    qp.timeout.m_entryPs = qp.timeout.m_deadlinePs;
    m_heap.Push(qp.timeout.m_deadlinePs, qp.GetQpn());
}

bool
RetransmissionTimers::Restart(QueuePair& qp, int64_t nowPs)
{
    RetransmissionTimer& timer = qp.timeout;
    timer.m_startPs = nowPs;
    timer.m_deadlinePs = qp.GetRecovery().DeadlinePs(qp);
    if (timer.m_deadlinePs >= timer.m_entryPs)
    {
        return false;
    }
    Push(qp);
    return true;
}

/// Fewer may be in flight than when the timeout began: then a shorter one may hold now.
bool
RetransmissionTimers::Shorten(QueuePair& qp, int64_t nowPs)
{
    RetransmissionTimer& timer = qp.timeout;
    if (timer.m_deadlinePs == NEVER_PS)
    {
        return false;
    }
    const int64_t deadlinePs = std::max(qp.GetRecovery().DeadlinePs(qp), nowPs);
    if (deadlinePs >= timer.m_deadlinePs)
    {
        return false;
    }
    timer.m_deadlinePs = deadlinePs;
    if (timer.m_deadlinePs >= timer.m_entryPs)
    {
        return false;
    }
    Push(qp);
    return true;
}

QueuePair*
RetransmissionTimers::NextDue(int64_t atPs)
{
    QueuePair* qp = nullptr;
    const auto validPs = [&](uint32_t qpn) {
        qp = m_queuePairs[qpn].get();
        return qp ? qp->timeout.m_entryPs : NEVER_PS;
    };
    for (TimeHeap<uint32_t>::Entry entry; m_heap.PopDue(atPs, entry, validPs);)
    {
        RetransmissionTimer& timer = qp->timeout;
        timer.m_entryPs = NEVER_PS;
        if (timer.m_deadlinePs == NEVER_PS)
        {
            continue;
        }
        // More may have been sent since: then a longer timeout may hold now.
        timer.m_deadlinePs = qp->GetRecovery().DeadlinePs(*qp);
        if (timer.m_deadlinePs <= atPs)
        {
            return qp;
        }
        if (timer.m_deadlinePs != NEVER_PS)
        {
            Push(*qp);
        }
    }
    return nullptr;
}

bool
RetransmissionTimers::Expire(QueuePair& qp, bool isRetry, uint32_t retryLimit)
{
    qp.timeout.m_retries += isRetry;
    if (retryLimit && qp.timeout.m_retries > retryLimit)
    {
        qp.failed = true;
        qp.timeout.m_deadlinePs = NEVER_PS;
    }
    return !qp.failed;
}

void
RetransmissionTimers::Resume(QueuePair& qp, int64_t nowPs)
{
    // A packet that waits for its turn cannot be lost: the timeout runs again from the repeat.
    qp.timeout.m_deadlinePs = NEVER_PS;
    if (qp.GetInflightBytes())
    {
        Restart(qp, nowPs);
    }
}

} // namespace ns3::roce
