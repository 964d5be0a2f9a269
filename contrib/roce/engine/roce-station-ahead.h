// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_STATION_AHEAD_H
#define ROCE_STATION_AHEAD_H

#include "roce-egress-scheduler.h"
#include "roce-port.h"

#include "ns3/roce-fetch.h"

// What a Station has fetched from memory ahead, as far as it knows ports.

namespace ns3::roce
{

struct Station::Inlet
{
    Port* port;
    Link::Direction* incoming;
    const Link::Direction* outgoing;
    const void* queue; //!< see SetQueueOf()
};

inline const Frame*
Station::PeekArrival(uint16_t port) const
{
    return m_inlets[port].incoming->head;
}

inline void
Station::FetchOut(uint16_t port) const
{
    const Inlet& inlet = m_inlets[port];
    inlet.port->Fetch();
    FetchLine(inlet.outgoing);
    if (inlet.queue)
    {
        EgressScheduler::Fetch(inlet.queue);
    }
}

inline void
Station::FetchRest(const Frame& frame)
{
    FetchLine(&frame.dstQp);
    if (frame.telemetry && frame.kind != FrameKind::DATA)
    {
        // A sender reads it; a receiver hands it back unread.
        FetchBytes(frame.telemetry.first, frame.telemetry.hops * sizeof(IntChunk::Line));
    }
}

} // namespace ns3::roce

#endif /* ROCE_STATION_AHEAD_H */
