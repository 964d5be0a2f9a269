// SPDX-License-Identifier: GPL-2.0-only
#include "roce-switch.h"

#include "ns3/roce-station-ahead.h"

// Prefetching for a Switch that is going to run soon.

namespace ns3::roce
{

/// Memory used when a frame from a port passes.
inline void
Switch::FetchWay(const Frame& frame, uint16_t inPort) const
{
    FetchLine(frame.next);
    if (frame.telemetry && frame.kind == FrameKind::DATA)
    {
        FetchLine(frame.telemetry.GetNextLine());
    }
    const uint16_t out = m_routing.Route(frame.src, frame.dst, frame.entropy);
    if (out < Routing::CHOOSE)
    {
        FetchLine(&m_ports[out]);
        FetchOut(out);
        m_buffer.Fetch(inPort, frame.trafficClass);
        m_buffer.Fetch(out, frame.trafficClass);
    }
}

void
Switch::Fetch(FetchStep step, Plan& plan, int64_t nowPs) const
{
    switch (step)
    {
    case FETCH_TABLES:
        FetchTables();
        FetchLine(&m_ports);
        FetchLine(&m_routing);
        FetchLine(&m_counters);
        m_pipeline.Fetch();
        break;
    case FETCH_LINKS:
        FetchLinks(plan, nowPs);
        m_pipeline.FetchList();
        m_routing.Fetch();
        break;
    case FETCH_FRAMES:
        FetchFrames(plan);
        m_pipeline.FetchStages();
        for (uint32_t i = 0; i < plan.nDepartures; ++i)
        {
            FetchLine(&m_ports[plan.departures[i]]);
        }
        break;
    case FETCH_NEXT:
        // In between the station may have run: code has looked at it.
        for (uint32_t i = 0; i < plan.nArrivals; ++i)
        {
            const uint16_t port = plan.arrivals[i];
            if (const Frame* frame = PeekArrival(port))
            {
                FetchWay(*frame, port);
            }
        }
        break;
    default:
        break;
    }
}

} // namespace ns3::roce
