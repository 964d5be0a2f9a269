// SPDX-License-Identifier: GPL-2.0-only
#include "roce-switch.h"

#include <algorithm>
#include <utility>

// Pauses that a Switch sends and receives.

namespace ns3::roce
{

void
Switch::OnPauseChange(Port& port, int64_t nowPs)
{
    m_pipeline.Paused(port, nowPs);
    StartIfFree(port.GetIndex(), nowPs);
}

void
Switch::OnLinkRepair(Port& port, int64_t nowPs)
{
    // The peer does not know of any XOFF.
    for (const auto& [paused, trafficClass] : GetAllPaused())
    {
        if (paused == port.GetIndex())
        {
            SendPause(PauseEvent::REFRESH, paused, trafficClass, nowPs);
        }
    }
}

/// @return ports and classes whose peers are to stay paused; some twice, which
/// PauseSender::Refresh() takes for one
PauseSender::PausedList
Switch::GetAllPaused() const
{
    PauseSender::PausedList all = m_buffer.GetPaused();
    all.insert(all.end(), m_storms.begin(), m_storms.end());
    return all;
}

/// The buffer has room again.
void
Switch::ResumePeer(uint16_t port, uint8_t trafficClass, int64_t atPs)
{
    const std::pair which(port, trafficClass);
    if (std::find(m_storms.begin(), m_storms.end(), which) == m_storms.end())
    {
        SendPause(PauseEvent::XON, port, trafficClass, atPs);
    }
}

void
Switch::SetStorm(uint16_t port, bool on)
{
    const int64_t now = NowPs();
    CatchUp(now);
    const PauseSender::PausedList& full = m_buffer.GetPaused();
    for (uint8_t c = 0; c < N_CLASSES; ++c)
    {
        const std::pair which(port, c);
        m_storms.erase(std::remove(m_storms.begin(), m_storms.end(), which), m_storms.end());
        if (!(m_losslessMask >> c & 1))
        {
            continue;
        }
        if (on)
        {
            m_storms.push_back(which);
            SendPause(PauseEvent::XOFF, port, c, now);
        }
        else if (std::find(full.begin(), full.end(), which) == full.end())
        {
            SendPause(PauseEvent::XON, port, c, now);
        }
    }
    Rearm();
}

void
Switch::Flush(uint16_t port, uint8_t trafficClass, uint8_t reason, int64_t nowPs)
{
    OutPort& out = m_ports[CheckPort(port)];
    const uint32_t others = ~(1U << trafficClass);
    const bool wasStarting = std::exchange(out.starting, true); // releasing may resume its peer
    while (Frame* frame = out.queue->Dequeue(others, nowPs))
    {
        --out.queuedFrames;
        if (!m_queueTrace.IsEmpty())
        {
            TraceQueue(port, trafficClass, nowPs);
        }
        ReleaseBuffer(*frame, port, nowPs);
        Drop(frame, reason, nowPs);
    }
    out.starting = wasStarting;
    StartIfFree(port, nowPs);
}

} // namespace ns3::roce
