/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-station.h"

#include "roce-port.h"

#include <algorithm>

namespace ns3
{
namespace roce
{

void
Agenda::Reset(uint32_t items)
{
    m_leaves = 2;
    while (m_leaves < items)
    {
        m_leaves *= 2;
    }
    m_manyTimes.resize(m_leaves > FEW ? m_leaves : 0);
    m_manyWinners.resize(2 * m_manyTimes.size());
    m_times = m_leaves > FEW ? m_manyTimes.data() : m_fewTimes.data();
    m_winners = m_leaves > FEW ? m_manyWinners.data() : m_fewWinners.data();
    std::fill_n(m_times, m_leaves, NEVER_PS);
    for (uint32_t leaf = 0; leaf < m_leaves; ++leaf)
    {
        m_winners[m_leaves + leaf] = static_cast<uint16_t>(leaf);
    }
    for (uint32_t node = m_leaves - 1; node; --node)
    {
        m_winners[node] = m_winners[2 * node];
    }
}

struct Station::Inlet
{
    Port* port;
    Link::Direction* incoming;
};

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
    for (Port* port : ports)
    {
        m_slackPs = std::min(m_slackPs, port->GetLink()->GetDelayPs());
        m_inlets.push_back({port, &port->GetIncoming()});
    }
}

void
Station::Run(int64_t nowPs)
{
    if (!IsHere())
    {
        return;
    }
    m_running = true;
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
            Frame* frame = inlet.incoming->Pop(nextPs);
            m_agenda.Set(item, nextPs);
            if (port.Accept(frame, at))
            {
                Receive(port, frame, at);
            }
        }
        else
        {
            Timer(at);
        }
    }
    m_running = false;
    Rearm();
}

} // namespace roce
} // namespace ns3
