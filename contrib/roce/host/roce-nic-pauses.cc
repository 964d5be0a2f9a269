// SPDX-License-Identifier: GPL-2.0-only
#include "roce-nic-pauses.h"

#include "ns3/node.h"
#include "ns3/roce-port.h"

#include <cmath>

namespace ns3::roce
{

namespace
{

/// The longest pause there is, which RDMA NICs ask for.
constexpr uint16_t QUANTA = 0xffff;

} // namespace

NicPauses::NicPauses(Port& port, uint8_t classes, uint64_t xoffBytes)
    : m_xoffBytes(xoffBytes)
{
    m_sender.SetQuanta(QUANTA);
    m_sender.Configure(0x800000 | port.GetNode()->GetId(), classes, {&port});
    for (uint8_t c = 0; c < N_CLASSES; ++c)
    {
        if (classes >> c & 1)
        {
            m_classes.emplace_back(0, c);
        }
    }
}

NicPauses::~NicPauses()
{
    m_frames.Clear();
}

void
NicPauses::Set(bool storm, uint64_t drainBps, int64_t nowPs)
{
    m_storm = storm;
    m_psPerByte = drainBps ? 8e12 / static_cast<double>(drainBps) : 0;
    m_limitPs = std::llround(static_cast<double>(m_xoffBytes) * m_psPerByte);
    m_emptyPs = nowPs;
    m_isFull = false;
    Update(nowPs);
}

void
NicPauses::OnData(uint32_t wireBytes, int64_t nowPs)
{
    m_emptyPs = std::max(m_emptyPs, nowPs) + std::llround(wireBytes * m_psPerByte);
    if (m_psPerByte > 0 && !m_isFull && m_emptyPs - nowPs > m_limitPs)
    {
        m_isFull = true;
        Update(nowPs);
    }
}

void
NicPauses::Run(int64_t nowPs)
{
    if (m_isFull && m_emptyPs - nowPs <= m_limitPs / 2)
    {
        m_isFull = false;
        Update(nowPs);
    }
    m_sender.Refresh(m_classes, nowPs, [this, nowPs](uint16_t port, uint8_t c) {
        m_frames.Push(m_sender.Make(PauseEvent::REFRESH, port, c, nowPs));
    });
}

/// Say what has changed.
void
NicPauses::Update(int64_t nowPs)
{
    if (m_isPaused == (m_storm || m_isFull))
    {
        return;
    }
    m_isPaused = !m_isPaused;
    const PauseEvent event = m_isPaused ? PauseEvent::XOFF : PauseEvent::XON;
    for (const auto& [port, c] : m_classes)
    {
        m_frames.Push(m_sender.Make(event, port, c, nowPs));
    }
}

void
NicPauses::Count(std::map<std::string, uint64_t>& counters) const
{
    counters["pfcXoffSent"] += m_sender.GetSent(PauseEvent::XOFF);
    counters["pfcXonSent"] += m_sender.GetSent(PauseEvent::XON);
    counters["pfcXoffRefreshed"] += m_sender.GetSent(PauseEvent::REFRESH);
}

} // namespace ns3::roce
