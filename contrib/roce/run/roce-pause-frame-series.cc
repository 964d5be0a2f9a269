// SPDX-License-Identifier: GPL-2.0-only
#include "roce-series-kinds.h"

#include "ns3/roce-pause-sender.h"

#include <cstdint>

namespace ns3::roce
{

namespace
{

const char* const PFC_EVENTS[] = {"xoff", "xon", "refresh"}; //!< by PauseEvent

constexpr auto REFRESH = static_cast<unsigned>(PauseEvent::REFRESH);
constexpr auto XOFF = static_cast<unsigned>(PauseEvent::XOFF);

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
    void OnPauseSent(uint32_t sw,
                     uint16_t port,
                     uint8_t trafficClass,
                     PauseEvent event,
                     int64_t atPs);
};

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

} // namespace

std::unique_ptr<Series>
MakePauseFrameSeries(SeriesContext& context, const SeriesMode& mode)
{
    return std::make_unique<PauseFrameSeries>(context, mode);
}

} // namespace ns3::roce
