// SPDX-License-Identifier: GPL-2.0-only
#include "roce-pause-sender.h"

#include <algorithm>

namespace ns3::roce
{

void
PauseSender::Configure(uint32_t source, uint8_t losslessMask, std::vector<Port*> ports)
{
    m_source = source;
    m_losslessMask = losslessMask;
    m_ports = std::move(ports);
    m_refreshAtPs.assign(m_ports.size() * N_CLASSES, NEVER_PS);
    m_nextRefreshPs = NEVER_PS;
}

Frame*
PauseSender::Make(PauseEvent event, uint16_t port, uint8_t trafficClass, int64_t nowPs)
{
    ++m_sent[static_cast<unsigned>(event)];
    const uint16_t quanta = event == PauseEvent::XON ? 0 : m_quanta;
    const Port& out = *m_ports[port];
    int64_t refresh = NEVER_PS;
    if (quanta && m_refresh)
    {
        // However short the pause is, at most half of what the port sends are pause frames.
        const int64_t leastPs = 2 * __builtin_popcount(m_losslessMask) *
                                out.SerialisationPs(out.WireBytes(out.GetPfcFrameBytes()));
        refresh = nowPs + std::max(out.QuantaPs(quanta) / 2, leastPs);
        m_nextRefreshPs = std::min(m_nextRefreshPs, refresh);
    }
    m_refreshAtPs[port * N_CLASSES + trafficClass] = refresh;
    Frame* frame = out.MakePfc(trafficClass, quanta);
    frame->src = m_source;
    return frame;
}

} // namespace ns3::roce
