// SPDX-License-Identifier: GPL-2.0-only
#include "roce-series-kinds.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3::roce
{

namespace
{

/**
 * pauses.csv `time_ns,node,port,class,paused,paused_ns`: whether a port (of a NIC, too) must
 * not send a class, and for how long in all.
 *
 * At intervals those that were paused since the last one; on change (trace source PauseState) at
 * the exact times. On the time line: slices of exact times, whatever the mode.
 */
class PauseSeries : public Series
{
  public:
    PauseSeries(SeriesContext& context, const SeriesMode& mode);

    void Start() override;
    void Sample(int64_t nowPs) override;
    void Settle(int64_t untilPs) override;
    bool HasHosts() const override;

    bool TakesPortsAsGiven() const override
    {
        return true;
    }

  protected:
    void WriteFields(CsvFile& csv, const SeriesRow& row) const override;
    void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row) override;

  private:
    using ClassTimes = std::array<int64_t, N_CLASSES>;

    bool IsToldOfChanges() const;
    void OnPauseState(std::size_t port, uint8_t trafficClass, bool paused, int64_t atPs);

    std::vector<ClassTimes> m_sincePs;   //!< by port: start of what lasts, or -1
    std::vector<ClassTimes> m_pausedPs;  //!< by port: what is over
    std::vector<ClassTimes> m_sampledPs; //!< by port: all, as of the last sample
};

PauseSeries::PauseSeries(SeriesContext& context, const SeriesMode& mode)
    : Series(context, mode),
      m_sincePs(context.ports.size()),
      m_pausedPs(context.ports.size()),
      m_sampledPs(context.ports.size())
{
    if (mode.IsOn())
    {
        OpenTable("pauses.csv", {"node", "port", "class", "paused", "paused_ns"});
    }
    for (ClassTimes& since : m_sincePs)
    {
        since.fill(-1);
    }
}

bool
PauseSeries::HasHosts() const
{
    return m_mode.IsOn();
}

bool
PauseSeries::IsToldOfChanges() const
{
    return m_mode.onChange || m_context.timeLine;
}

void
PauseSeries::Start()
{
    for (std::size_t i = 0; IsToldOfChanges() && i < m_context.ports.size(); ++i)
    {
        Connect<uint8_t, bool, Time>(*m_context.ports[i].port,
                                     "PauseState",
                                     [this, i](uint8_t trafficClass, bool paused, Time at) {
                                         OnPauseState(i, trafficClass, paused, at.GetPicoSeconds());
                                     });
    }
}

void
PauseSeries::OnPauseState(std::size_t port, uint8_t trafficClass, bool paused, int64_t atPs)
{
    int64_t& since = m_sincePs[port][trafficClass];
    int64_t& total = m_pausedPs[port][trafficClass];
    if (since >= 0)
    {
        total += atPs - since;
    }
    since = paused ? atPs : -1;
    SeriesRow row = m_context.ports[port].Row(trafficClass);
    row.files = m_mode.onChange ? SeriesFiles::ALL : SeriesFiles::TIME_LINE;
    row.counts = {paused, static_cast<uint64_t>(total)};
    Tell(atPs, port * N_CLASSES + trafficClass, row);
}

void
PauseSeries::Sample(int64_t nowPs)
{
    for (std::size_t i = 0; i < m_context.ports.size(); ++i)
    {
        Port& port = *m_context.ports[i].port;
        const uint32_t paused = port.PausedMask(nowPs);
        for (uint8_t c = 0; c < N_CLASSES; ++c)
        {
            const int64_t totalPs = port.GetPausedTimePs(c, nowPs);
            if (totalPs != m_sampledPs[i][c] || paused >> c & 1)
            {
                m_sampledPs[i][c] = totalPs;
                SeriesRow row = m_context.ports[i].Row(c);
                row.files = SeriesFiles::TABLE; // the time line has the exact times
                row.counts = {paused >> c & 1, static_cast<uint64_t>(totalPs)};
                Tell(nowPs, 0, row);
            }
        }
    }
}

void
PauseSeries::Settle(int64_t untilPs)
{
    if (IsToldOfChanges())
    {
        for (const SeriesPort& port : m_context.ports)
        {
            // No station will look at an earlier time: pauses that ran out unnoticed are reported.
            port.port->PausedMask(untilPs - 1);
        }
    }
}

void
PauseSeries::WriteFields(CsvFile& csv, const SeriesRow& row) const
{
    csv.Uint(row.port).Uint(row.trafficClass).Uint(row.counts[0]);
    csv.Ns(static_cast<int64_t>(row.counts[1]));
}

void
PauseSeries::Draw(TimeLine& line, int64_t atPs, const SeriesRow& row)
{
    line.PortSlice(row.subject, row.port, row.trafficClass, "paused", row.counts[0] > 0, atPs);
}

} // namespace

std::unique_ptr<Series>
MakePauseSeries(SeriesContext& context, const SeriesMode& mode)
{
    return std::make_unique<PauseSeries>(context, mode);
}

} // namespace ns3::roce
