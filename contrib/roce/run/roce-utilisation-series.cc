// SPDX-License-Identifier: GPL-2.0-only
#include "roce-series-kinds.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ns3::roce
{

namespace
{

/**
 * utilisation.csv `time_ns,node,port,tx_bytes,utilisation`: wire bytes of all transmissions
 * begun, and the busy share of the interval.
 *
 * At intervals ports that have sent something, and a row with 0 when they no longer have; on change
 * (trace source TxBegin) 1 when a port begins to send and 0 when it stops. On the time line: a
 * counter of each port.
 */
class UtilisationSeries : public Series
{
  public:
    UtilisationSeries(SeriesContext& context, const SeriesMode& mode);

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
    /// Of a port, on change.
    struct Transmission
    {
        bool busy{false};
        int64_t busyUntilPs{-1};
        uint64_t txBytes{0};
    };

    /// Of a port, as of the last sample.
    struct LastSample
    {
        double busyPs{0}; //!< so far
        bool wasBusy{false};
    };

    void OnTransmit(std::size_t port, const Frame& frame, int64_t atPs);
    void TellSilence(std::size_t port);

    std::vector<Transmission> m_transmissions; //!< by port
    std::vector<LastSample> m_last;            //!< by port
    int64_t m_lastPs{0};                       //!< last sample
};

UtilisationSeries::UtilisationSeries(SeriesContext& context, const SeriesMode& mode)
    : Series(context, mode),
      m_transmissions(context.ports.size()),
      m_last(context.ports.size())
{
    if (mode.IsOn())
    {
        OpenTable("utilisation.csv", {"node", "port", "tx_bytes", "utilisation"});
    }
}

bool
UtilisationSeries::HasHosts() const
{
    return m_mode.IsOn();
}

void
UtilisationSeries::Start()
{
    for (std::size_t i = 0; m_mode.onChange && i < m_context.ports.size(); ++i)
    {
        Connect<const Frame&, Time>(
            *m_context.ports[i].port,
            "TxBegin",
            [this, i](const Frame& frame, Time at) { OnTransmit(i, frame, at.GetPicoSeconds()); });
    }
}

void
UtilisationSeries::OnTransmit(std::size_t port, const Frame& frame, int64_t atPs)
{
    const SeriesPort& at = m_context.ports[port];
    Transmission& state = m_transmissions[port];
    if (atPs > state.busyUntilPs)
    {
        TellSilence(port);
        SeriesRow row = at.Row(0);
        row.counts[0] = state.txBytes;
        row.value = 1;
        Tell(atPs, port, row);
    }
    state.busy = true;
    state.busyUntilPs = at.port->GetBusyUntilPs();
    state.txBytes += at.port->WireBytes(frame.frameBytes);
}

void
UtilisationSeries::TellSilence(std::size_t port)
{
    Transmission& state = m_transmissions[port];
    if (state.busy)
    {
        state.busy = false;
        SeriesRow row = m_context.ports[port].Row(0);
        row.counts[0] = state.txBytes;
        Tell(state.busyUntilPs, port, row);
    }
}

void
UtilisationSeries::Settle(int64_t untilPs)
{
    for (std::size_t i = 0; i < m_transmissions.size(); ++i)
    {
        if (m_transmissions[i].busyUntilPs < untilPs)
        {
            TellSilence(i);
        }
    }
}

void
UtilisationSeries::Sample(int64_t nowPs)
{
    for (std::size_t i = 0; i < m_context.ports.size(); ++i)
    {
        const Port& port = *m_context.ports[i].port;
        LastSample& last = m_last[i];
        const uint64_t txBytes = port.GetTxWireBytes();
        const int64_t endPs = port.GetBusyUntilPs(); // of the frame under way, if any
        const double restPs = endPs > nowPs ? static_cast<double>(endPs - nowPs) : 0;
        const double busyPs =
            static_cast<double>(txBytes) * 8e12 / static_cast<double>(port.GetRateBps()) - restPs;
        const auto elapsedPs = static_cast<double>(nowPs - m_lastPs);
        const double share = std::max(0.0, (busyPs - last.busyPs) / elapsedPs);
        const bool busy = share > 0.5e-6;
        if (busy || last.wasBusy)
        {
            SeriesRow row = m_context.ports[i].Row(0);
            row.counts[0] = txBytes;
            row.value = busy ? share : 0;
            Tell(nowPs, 0, row);
        }
        last.wasBusy = busy;
        last.busyPs = busyPs;
    }
    m_lastPs = nowPs;
}

void
UtilisationSeries::WriteFields(CsvFile& csv, const SeriesRow& row) const
{
    csv.Uint(row.port).Uint(row.counts[0]).Fixed(std::llround(row.value * 1e6), 6);
}

void
UtilisationSeries::Draw(TimeLine& line, int64_t atPs, const SeriesRow& row)
{
    line.Counter(row.subject,
                 line.PortLabel(row.subject, row.port) + " utilisation",
                 "share",
                 atPs,
                 row.value);
}

} // namespace

std::unique_ptr<Series>
MakeUtilisationSeries(SeriesContext& context, const SeriesMode& mode)
{
    return std::make_unique<UtilisationSeries>(context, mode);
}

} // namespace ns3::roce
