// SPDX-License-Identifier: GPL-2.0-only
#include "roce-qp-scheduler.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <string>

namespace ns3::roce
{

namespace
{

/// Time that these bytes take at a rate. 64 bits are enough up to 2 MB; no burst is longer.
int64_t
GapPs(uint64_t bytes, uint64_t rateBps, int64_t tickPs)
{
    const auto gap = static_cast<int64_t>(bytes * 8000000000000ULL / rateBps);
    return tickPs ? gap - gap % tickPs : gap;
}

} // namespace

void
QpScheduler::ThrowRate(const CongestionControl& law)
{
    throw InputError(law.GetInstanceTypeId().GetName() + " sets a rate of " +
                     std::to_string(law.GetRateBps()) + " bit/s, expected 1 to " +
                     std::to_string(INT64_MAX));
}

void
QpScheduler::SetClasses(uint8_t strict, const std::array<uint32_t, N_CLASSES>& weights)
{
    constexpr uint64_t UNIT = 1 << 16; // to within 0.2 %; 64 bits are enough for 280 TB
    m_strictMask = strict;
    for (unsigned c = 0; c < N_CLASSES; ++c)
    {
        m_rings[c].cost = UNIT / weights[c];
    }
}

/// A class is going to have something to send.
inline void
QpScheduler::NoteActive(unsigned trafficClass)
{
    if (!((m_readyMask | m_guestMask) >> trafficClass & 1))
    {
        // A class that was idle does not get credit for it (start-time fair queueing). One whose
        // only queue pair has just sent is not ahead of the frame's start, and keeps its count.
        Ring& ring = m_rings[trafficClass];
        ring.served = std::max(ring.served, m_servedStart);
    }
}

void
QpScheduler::AddGuest(unsigned trafficClass)
{
    NoteActive(trafficClass);
    m_guestMask |= 1U << trafficClass;
}

void
QpScheduler::CountGuest(unsigned trafficClass, uint32_t wireBytes)
{
    Ring& ring = m_rings[trafficClass];
    m_guestMask &= ~(1U << trafficClass);
    ring.isGuestsTurn = false;
    m_lastQpn = UINT32_MAX;
    m_servedStart = ring.served;
    ring.served += wireBytes * ring.cost;
}

void
QpScheduler::PushReady(QueuePair* qp)
{
    const unsigned c = qp->GetConfig().trafficClass;
    Ring& ring = m_rings[c];
    qp->place = QueuePair::Place::READY;
    qp->nextReady = nullptr;
    (ring.head ? ring.tail->nextReady : ring.head) = qp;
    ring.tail = qp;
    NoteActive(c);
    m_readyMask |= 1U << c;
}

QueuePair*
QpScheduler::PopReady(unsigned trafficClass)
{
    Ring& ring = m_rings[trafficClass];
    QueuePair* qp = ring.head;
    ring.head = qp->nextReady;
    if (!ring.head)
    {
        m_readyMask &= ~(1U << trafficClass);
    }
    qp->place = QueuePair::Place::NOWHERE;
    return qp;
}

void
QpScheduler::PushTimer(QueuePair* qp, int64_t nowPs)
{
    qp->place = QueuePair::Place::TIMED;
    // A timer may raise the rate before the gap has passed: check again then.
    qp->heapPs = std::max(nowPs + 1, std::min(qp->nextAvailPs, qp->GetCc().NextRateChangePs()));
    m_timers.Push(qp->heapPs, qp->GetQpn());
}

void
QpScheduler::Place(QueuePair* qp, int64_t nowPs, int64_t portFreePs)
{
    if (qp->place != QueuePair::Place::NOWHERE || !qp->CanSend() || qp->failed)
    {
        return;
    }
    if (qp->nextAvailPs <= std::max(nowPs, portFreePs))
    {
        if (qp->GetQpn() == m_lastQpn)
        {
            qp->place = QueuePair::Place::READY;
            m_again = qp;
            return;
        }
        PushReady(qp);
    }
    else
    {
        PushTimer(qp, nowPs);
    }
}

void
QpScheduler::Repace(QueuePair* qp, int64_t nowPs)
{
    const uint64_t rate = qp->GetCc().GetRateBps();
    if (rate == qp->pacedRateBps)
    {
        return;
    }
    CheckRate(qp->GetCc());
    switch (qp->GetConfig().repacing)
    {
    case QueuePair::Repacing::NONE:
        return;
    case QueuePair::Repacing::SHIFT: {
        const int64_t tickPs = qp->GetConfig().tickPs;
        qp->nextAvailPs +=
            GapPs(qp->pacedBytes, rate, tickPs) - GapPs(qp->pacedBytes, qp->pacedRateBps, tickPs);
        break;
    }
    case QueuePair::Repacing::STRETCH:
        Stretch(qp, rate, nowPs);
        break;
    }
    qp->pacedRateBps = rate;
    // A later time needs no new entry: the old one checks again and waits.
    if (qp->place == QueuePair::Place::TIMED && qp->nextAvailPs < qp->heapPs)
    {
        PushTimer(qp, nowPs);
    }
}

void
QpScheduler::LookAgain(QueuePair* qp, int64_t nowPs)
{
    if (qp->place == QueuePair::Place::TIMED && qp->GetCc().NextRateChangePs() < qp->heapPs)
    {
        PushTimer(qp, nowPs);
    }
}

void
QpScheduler::Stretch(QueuePair* qp, uint64_t rate, int64_t nowPs)
{
    // The rest of the gap is stretched or shortened.
    if (qp->nextAvailPs > nowPs)
    {
        qp->nextAvailPs =
            nowPs +
            static_cast<int64_t>(static_cast<double>(qp->nextAvailPs - nowPs) *
                                 static_cast<double>(qp->pacedRateBps) / static_cast<double>(rate));
    }
}

void
QpScheduler::RunTimers(int64_t atPs)
{
    QueuePair* qp = nullptr;
    const auto validPs = [&](uint32_t qpn) {
        qp = m_queuePairs[qpn].get();
        return qp && qp->place == QueuePair::Place::TIMED ? qp->heapPs : NEVER_PS;
    };
    for (TimeHeap<uint32_t>::Entry timer; m_timers.PopDue(atPs, timer, validPs);)
    {
        if (qp->nextAvailPs > timer.atPs)
        {
            qp->GetCc().Advance(timer.atPs);
            Repace(qp, timer.atPs);
            if (qp->heapPs != timer.atPs)
            {
                continue; // Repace() has made a new entry
            }
            if (qp->nextAvailPs > timer.atPs)
            {
                PushTimer(qp, timer.atPs);
                continue;
            }
        }
        if (qp->CanSend())
        {
            PushReady(qp);
        }
        else
        {
            qp->place = QueuePair::Place::NOWHERE;
        }
    }
}

uint64_t
QpScheduler::DueBytes(const QueuePair& qp, int64_t atPs)
{
    if (!qp.CanSend() || qp.failed || qp.nextAvailPs > atPs)
    {
        return 0;
    }
    const CongestionControl& cc = qp.GetCc();
    const uint64_t packet = qp.GetConfig().mtuBytes;
    const int64_t duePs = qp.nextAvailPs < 0 ? atPs : qp.nextAvailPs; // it may never have sent
    const double paced =
        static_cast<double>(atPs - duePs) * static_cast<double>(cc.GetRateBps()) / 8e12;
    // A probe may go beyond the window, and a repeat is not unsent data.
    const uint64_t window = cc.GetWindowBytes();
    const uint64_t room = window - std::min(window, qp.GetInflightBytes());
    return std::min({std::max(room, packet),
                     std::max(qp.GetUnsentBytes(), packet),
                     static_cast<uint64_t>(std::min(paced, 1e15)) + packet});
}

QueuePair*
QpScheduler::Next(uint32_t pausedMask, int64_t atPs)
{
    RunTimers(atPs);
    if (m_again)
    {
        PushReady(m_again);
        m_again = nullptr;
    }
    m_guest = NO_CLASS;
    uint32_t mask = (m_readyMask | m_guestMask) & ~pausedMask;
    if (!mask)
    {
        return nullptr;
    }
    if (const uint32_t strict = mask & m_strictMask)
    {
        mask = 1U << (31 - __builtin_clz(strict));
    }
    unsigned best = __builtin_ctz(mask);
    for (mask &= mask - 1; mask; mask &= mask - 1)
    {
        const unsigned c = __builtin_ctz(mask);
        if (m_rings[c].served < m_rings[best].served)
        {
            best = c;
        }
    }
    if (__builtin_expect(m_guestMask >> best & 1, 0))
    {
        Ring& ring = m_rings[best];
        if (!ring.head || ring.isGuestsTurn)
        {
            m_guest = best;
            return nullptr;
        }
        ring.isGuestsTurn = true;
    }
    return PopReady(best);
}

void
QpScheduler::CountSent(QueuePair* qp, uint32_t wireBytes, int64_t atPs)
{
    Ring& ring = m_rings[qp->GetConfig().trafficClass];
    m_lastQpn = qp->GetQpn();
    m_servedStart = ring.served;
    ring.served += wireBytes * ring.cost;
    CheckRate(qp->GetCc());
    qp->pacedRateBps = qp->GetCc().GetRateBps();
    const int64_t tickPs = qp->GetConfig().tickPs;
    uint64_t bytes = wireBytes;
    int64_t startPs = qp->GetConfig().dueClock ? std::min(atPs, qp->nextAvailPs) : atPs;
    if (const uint32_t burst = qp->GetConfig().burstBytes)
    {
        // What was sent of a burst counts until its own gap has passed.
        if (atPs >= qp->burstStartPs + GapPs(qp->burstBytes, qp->pacedRateBps, tickPs))
        {
            qp->burstBytes = 0;
            qp->burstStartPs = atPs;
        }
        qp->burstBytes += wireBytes;
        if (qp->burstBytes < burst)
        {
            qp->nextAvailPs = atPs;
            qp->pacedBytes = 0; // no gap that a change of rate could move
            return;
        }
        bytes = qp->burstBytes;
        startPs = qp->burstStartPs; // bursts have no clock of when they were due
        qp->burstBytes = 0;
        qp->burstStartPs = INT64_MIN / 2;
    }
    qp->pacedBytes = static_cast<uint32_t>(bytes);
    qp->nextAvailPs = startPs + GapPs(bytes, qp->pacedRateBps, tickPs);
}

} // namespace ns3::roce
