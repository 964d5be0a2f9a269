/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-pause-frame-series.h"

namespace ns3
{
namespace roce
{

namespace
{

const char* const PFC_EVENTS[] = {"xoff", "xon", "refresh"}; //!< by PauseEvent

constexpr auto REFRESH = static_cast<unsigned>(PauseEvent::REFRESH);
constexpr auto XOFF = static_cast<unsigned>(PauseEvent::XOFF);

} // namespace

PauseFrameSeries::PauseFrameSeries(SeriesContext& context, const SeriesMode& mode)
    : Series(context, mode)
{
    if (mode.IsOn())
    {
        OpenTable("pfc.csv", {"node", "port", "class", "event"});
    }
}

void
PauseFrameSeries::Start()
{
    const bool on = m_mode.IsOn() || m_context.timeLine;
    for (uint32_t s = 0; on && s < m_context.network.GetNSwitches(); ++s)
    {
        Connect<uint16_t, uint8_t, PauseEvent, Time>(
            *m_context.network.GetSwitch(s),
            "PauseSent",
            [this, s](uint16_t port, uint8_t trafficClass, PauseEvent event, Time at) {
                OnPauseSent(s, port, trafficClass, event, at.GetPicoSeconds());
            });
    }
}

void
PauseFrameSeries::OnPauseSent(uint32_t sw,
                              uint16_t port,
                              uint8_t trafficClass,
                              PauseEvent event,
                              int64_t atPs)
{
    if (!m_context.switchPorts[sw][port])
    {
        return;
    }
    SeriesRow row;
    row.subject = m_context.network.GetSwitch(sw)->GetNodeId();
    row.port = port;
    row.trafficClass = trafficClass;
    row.counts[0] = static_cast<unsigned>(event);
    Tell(atPs, sw, row);
}

void
PauseFrameSeries::WriteFields(CsvFile& csv, const SeriesRow& row) const
{
    csv.Uint(row.port).Uint(row.trafficClass).Text(PFC_EVENTS[row.counts[0]]);
}

void
PauseFrameSeries::Draw(TimeLine& line, int64_t atPs, const SeriesRow& row)
{
    if (row.counts[0] != REFRESH)
    {
        line.PortSlice(row.subject,
                       row.port,
                       row.trafficClass,
                       "XOFF sent",
                       row.counts[0] == XOFF,
                       atPs);
    }
}

} // namespace roce
} // namespace ns3
