/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-series-kinds.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace roce
{

namespace
{

/// What the table calls its events.
enum PfcEvent : uint8_t
{
    XON,
    XOFF,
    REFRESH,
};

const char* const PFC_EVENTS[] = {"xon", "xoff", "refresh"};

/**
 * pfc.csv `time_ns,node,port,class,event`: xoff, refresh or xon, sent by a switch port
 * (trace source PauseSent).
 *
 * On change only. On the time line: slices from XOFF to XON.
 */
class PauseFrameSeries : public Series
{
  public:
    PauseFrameSeries(SeriesContext& context, const SeriesMode& mode);

    void Start() override;

  protected:
    void WriteFields(CsvFile& csv, const SeriesRow& row) const override;
    void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row) override;

  private:
    void OnPauseSent(uint32_t sw, uint16_t port, uint8_t trafficClass, bool pause, int64_t atPs);

    std::vector<std::vector<uint8_t>> m_xoffSent; //!< by switch and port: classes
};

PauseFrameSeries::PauseFrameSeries(SeriesContext& context, const SeriesMode& mode)
    : Series(context, mode)
{
    if (mode.IsOn())
    {
        OpenTable("pfc.csv", {"node", "port", "class", "event"});
    }
    for (const std::vector<bool>& ports : context.switchPorts)
    {
        m_xoffSent.emplace_back(ports.size(), 0);
    }
}

void
PauseFrameSeries::Start()
{
    const bool on = m_mode.IsOn() || m_context.timeLine;
    for (uint32_t s = 0; on && s < m_context.network.GetNSwitches(); ++s)
    {
        Connect<uint16_t, uint8_t, uint16_t, Time>(
            *m_context.network.GetSwitch(s),
            "PauseSent",
            [this, s](uint16_t port, uint8_t trafficClass, uint16_t quanta, Time at) {
                OnPauseSent(s, port, trafficClass, quanta > 0, at.GetPicoSeconds());
            });
    }
}

void
PauseFrameSeries::OnPauseSent(uint32_t sw,
                              uint16_t port,
                              uint8_t trafficClass,
                              bool pause,
                              int64_t atPs)
{
    if (!m_context.switchPorts[sw][port])
    {
        return;
    }
    uint8_t& sent = m_xoffSent[sw][port];
    const auto bit = static_cast<uint8_t>(1U << trafficClass);
    SeriesRow row;
    row.subject = m_context.network.GetSwitch(sw)->GetNodeId();
    row.port = port;
    row.trafficClass = trafficClass;
    row.counts[0] = !pause ? XON : sent & bit ? REFRESH : XOFF;
    sent = static_cast<uint8_t>(pause ? sent | bit : sent & ~bit);
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

} // namespace

std::unique_ptr<Series>
MakePauseFrameSeries(SeriesContext& context, const SeriesMode& mode)
{
    return std::make_unique<PauseFrameSeries>(context, mode);
}

} // namespace roce
} // namespace ns3
