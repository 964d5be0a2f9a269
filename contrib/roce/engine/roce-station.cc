// SPDX-License-Identifier: GPL-2.0-only
#include "roce-station.h"

#include "roce-station-ahead.h"

#include "ns3/roce-hash.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-scoped-value.h"

#include <algorithm>

namespace ns3::roce
{

Station::Station()
    : m_wake(this)
{
    m_agenda.Reset(1);
}

Station::~Station() = default;

void
Station::SetUp(uint32_t nodeId, const std::vector<Port*>& ports, bool eager)
{
    m_nodeId = nodeId;
    m_nPorts = static_cast<uint32_t>(ports.size());
    m_agenda.Reset(2 * m_nPorts + 1);
    m_slackPs = eager || ports.empty() ? 0 : NEVER_PS;
    m_inlets.clear();
    m_inlets.reserve(m_isCopy ? 0 : m_nPorts);
    for (Port* port : ports)
    {
        m_slackPs = std::min(m_slackPs, port->GetLink()->GetDelayPs());
        if (!m_isCopy)
        {
            m_inlets.push_back({port, &port->GetIncoming(), port->GetOutgoing(), nullptr});
        }
    }
}

void
Station::SetRandomTies(uint64_t seed)
{
    m_randomTies = m_nPorts > 1;
    m_tieSeed = Mix64(seed);
    m_tied.reserve(m_nPorts);
}

uint64_t
Station::TieKey(int64_t atPs, uint64_t which) const
{
    return Mix64(Mix64(m_tieSeed ^ static_cast<uint64_t>(atPs)) + which);
}

/// A frame has been taken off its link, and more may arrive at the same time: take all, and handle
/// them in the order of a random key. Departures at that time still go first.
void
Station::RunTied(uint32_t item, Frame* frame, int64_t atPs, int64_t nowPs)
{
    m_tied.clear();
    m_tied.push_back({TieKey(atPs, item), item - m_nPorts, frame});
    while (m_agenda.GetFirstPs() == atPs && m_agenda.GetFirst() < 2 * m_nPorts)
    {
        const uint32_t other = m_agenda.GetFirst();
        int64_t nextPs;
        Frame* arrived = m_inlets[other - m_nPorts].incoming->Pop(nowPs, nextPs);
        m_agenda.Set(other, nextPs);
        m_tied.push_back({TieKey(atPs, other), other - m_nPorts, arrived});
    }
    std::sort(m_tied.begin(), m_tied.end(), [](const Tied& a, const Tied& b) {
        return a.key != b.key ? a.key < b.key : a.inlet < b.inlet;
    });
    for (const Tied& tied : m_tied)
    {
        while (m_agenda.GetFirstPs() == atPs && m_agenda.GetFirst() < m_nPorts)
        {
            Depart(static_cast<uint16_t>(m_agenda.GetFirst()), atPs);
        }
        Port& port = *m_inlets[tied.inlet].port;
        if (port.Accept(tied.frame, atPs))
        {
            Receive(port, tied.frame, atPs);
        }
    }
}

/// Stations take turns, so this one's neighbours may not have run far enough. Their own neighbours
/// have: see StationClock.
void
Station::CatchUpNeighbours(int64_t nowPs)
{
    if (m_running)
    {
        return;
    }
    for (const Inlet& inlet : m_inlets)
    {
        Station& other = *inlet.outgoing->to;
        if (other.m_turn != StationTurn::EACH &&
            m_clock->GetDonePs(other.m_turn) + m_slackPs < nowPs)
        {
            if (other.m_running && other.m_presentPs + m_slackPs < nowPs)
            {
                throw InputError("a sink of a switch that was connected just now looks at a "
                                 "station next to it; expected a sink connected two link delays "
                                 "before");
            }
            other.RunDue(nowPs - m_slackPs);
        }
    }
}

void
Station::SetQueueOf(uint16_t port, const void* queue)
{
    if (!m_isCopy)
    {
        m_inlets[port].queue = queue;
    }
}

void
Station::FetchTables() const
{
    if (m_nPorts > 1)
    {
        m_agenda.Fetch(2 * m_nPorts);
    }
    FetchBytes(m_inlets.data(), m_nPorts * sizeof(Inlet));
}

void
Station::FetchLinks(Plan& plan, int64_t nowPs) const
{
    plan.nArrivals = 0;
    plan.nDepartures = 0;
    const uint32_t items = 2 * m_nPorts;
    for (uint32_t first = 0; first < items; first += 64)
    {
        // Which of them are due, without a branch for each.
        uint64_t due = m_agenda.GetDue(first, std::min(items - first, 64U), nowPs);
        for (; due; due &= due - 1)
        {
            const uint32_t item = first + static_cast<uint32_t>(__builtin_ctzll(due));
            if (item < m_nPorts)
            {
                if (plan.nDepartures < Plan::MAX)
                {
                    const auto port = static_cast<uint16_t>(item);
                    plan.departures[plan.nDepartures++] = port;
                    FetchOut(port);
                }
            }
            else if (plan.nArrivals < Plan::MAX)
            {
                const auto port = static_cast<uint16_t>(item - m_nPorts);
                plan.arrivals[plan.nArrivals++] = port;
                m_inlets[port].port->Fetch();
                FetchLine(m_inlets[port].incoming);
            }
        }
    }
}

void
Station::FetchFrames(const Plan& plan) const
{
    for (uint32_t i = 0; i < plan.nArrivals; ++i)
    {
        FetchLine(PeekArrival(plan.arrivals[i]));
    }
}

void
Station::Run(int64_t nowPs)
{
    if (!IsHere())
    {
        return;
    }
    RunItems(nowPs);
    Rearm();
}

/// Do all that is due. Even if it throws, the station is not at work afterwards.
void
Station::RunItems(int64_t nowPs)
{
    const ScopedValue<bool> atWork(m_running, true, false);
    for (int64_t at = m_agenda.GetFirstPs(); at <= nowPs; at = m_agenda.GetFirstPs())
    {
        const uint32_t item = m_agenda.GetFirst();
        m_presentPs = at;
        if (item < m_nPorts)
        {
            Depart(static_cast<uint16_t>(item), at);
        }
        else if (item < 2 * m_nPorts)
        {
            const Inlet& inlet = m_inlets[item - m_nPorts];
            Port& port = *inlet.port;
            int64_t nextPs;
            Frame* frame = inlet.incoming->Pop(nowPs, nextPs);
            if (m_nPorts == 1 && nextPs <= nowPs)
            {
                FetchRest(*inlet.incoming->head);
            }
            m_agenda.Set(item, nextPs);
            if (__builtin_expect(m_agenda.GetFirstPs() == at, 0) && m_randomTies)
            {
                RunTied(item, frame, at, nowPs);
            }
            else if (port.Accept(frame, at))
            {
                Receive(port, frame, at);
            }
        }
        else
        {
            Timer(at);
        }
    }
}

} // namespace ns3::roce
