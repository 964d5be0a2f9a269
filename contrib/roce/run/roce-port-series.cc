// SPDX-License-Identifier: GPL-2.0-only

// Pauses and utilisation of ports, those of NICs included. Each is a class: what changes is
// noticed late, and what a row says follows from several reports of a port.
#include "roce-sample-filter.h"
#include "roce-series-kinds.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3::roce
{

namespace
{

/**
 * Whether a port must not send a class, and for how long in all.
 *
 * At intervals those that were paused since the last one; on change (trace source PauseState) at
 * the exact times, as the slices of the time line.
 */
class PauseSeries : public Series
{
  public:
    PauseSeries(SeriesContext& context, const SeriesMode& mode, const SeriesTable& table)
        : Series(context, mode, table),
          m_pauses(context.ports.size() * N_CLASSES),
          m_filter(table)
    {
    }

    void Start() override;
    void Sample(int64_t nowPs) override;
    void Settle(int64_t untilPs) override;

  private:
    /// Of a class of a port.
    struct Pause
    {
        int64_t sincePs{-1}; //!< start of one that lasts, or -1
        int64_t pausedPs{0}; //!< what is over
    };

    void OnPauseState(std::size_t port, uint8_t trafficClass, bool paused, int64_t atPs);
    SeriesRow MakeRow(std::size_t port, uint8_t trafficClass, bool paused, int64_t totalPs) const;

    std::vector<Pause> m_pauses; //!< by port and class
    SampleFilter m_filter;
};

void
PauseSeries::Start()
{
    for (std::size_t i = 0; IsWatching() && i < m_context.ports.size(); ++i)
    {
        ConnectTrace<uint8_t, bool, Time>(
            *m_context.ports[i].port,
            "PauseState",
            [this, i](uint8_t trafficClass, bool paused, Time at) {
                OnPauseState(i, trafficClass, paused, at.GetPicoSeconds());
            });
    }
}

SeriesRow
PauseSeries::MakeRow(std::size_t port, uint8_t trafficClass, bool paused, int64_t totalPs) const
{
    SeriesRow row;
    row.subject = m_context.ports[port].node;
    row.port = m_context.ports[port].index;
    row.values = {trafficClass, paused, totalPs};
    return row;
}

void
PauseSeries::OnPauseState(std::size_t port, uint8_t trafficClass, bool paused, int64_t atPs)
{
    const std::size_t place = port * N_CLASSES + trafficClass;
    Pause& pause = m_pauses[place];
    if (pause.sincePs >= 0)
    {
        pause.pausedPs += atPs - pause.sincePs;
    }
    pause.sincePs = paused ? atPs : -1;
    TellChange(atPs, place, MakeRow(port, trafficClass, paused, pause.pausedPs));
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
            m_filter.Take(MakeRow(i, c, paused >> c & 1, port.GetPausedTimePs(c, nowPs)));
        }
    }
    for (const SeriesRow& row : m_filter.Finish())
    {
        TellSample(nowPs, row);
    }
}

void
PauseSeries::Settle(int64_t untilPs)
{
    for (std::size_t i = 0; IsWatching() && i < m_context.ports.size(); ++i)
    {
        // No station will look at an earlier time: pauses that ran out unnoticed are reported.
        m_context.ports[i].port->PausedMask(untilPs - 1);
    }
}

/**
 * Wire bytes of all transmissions begun, and the busy share of the interval.
 *
 * At intervals ports that have sent something, and a row with 0 when they no longer have; on change
 * (trace source TxBegin) 1 when a port begins to send and 0 when it stops.
 */
class UtilisationSeries : public Series
{
  public:
    UtilisationSeries(SeriesContext& context, const SeriesMode& mode, const SeriesTable& table)
        : Series(context, mode, table),
          m_ports(context.ports.size()),
          m_filter(table)
    {
    }

    void Start() override;
    void Sample(int64_t nowPs) override;
    void Settle(int64_t untilPs) override;

  private:
    /// Of a port.
    struct PortState
    {
        bool busy{false};        //!< on change: reported so
        int64_t busyUntilPs{-1}; //!< on change
        uint64_t txBytes{0};     //!< on change
        double busyPs{0};        //!< until the last sample
    };

    void OnTransmit(std::size_t port, const Frame& frame, int64_t atPs);
    void TellSilence(std::size_t port);
    SeriesRow MakeRow(std::size_t port, uint64_t txBytes, double share) const;

    std::vector<PortState> m_ports;
    SampleFilter m_filter;
    int64_t m_lastPs{0}; //!< last sample
};

void
UtilisationSeries::Start()
{
    for (std::size_t i = 0; IsWatching() && i < m_context.ports.size(); ++i)
    {
        ConnectTrace<const Frame&, Time>(
            *m_context.ports[i].port,
            "TxBegin",
            [this, i](const Frame& frame, Time at) { OnTransmit(i, frame, at.GetPicoSeconds()); });
    }
}

SeriesRow
UtilisationSeries::MakeRow(std::size_t port, uint64_t txBytes, double share) const
{
    SeriesRow row;
    row.subject = m_context.ports[port].node;
    row.port = m_context.ports[port].index;
    row.values = {txBytes, share};
    return row;
}

void
UtilisationSeries::OnTransmit(std::size_t port, const Frame& frame, int64_t atPs)
{
    const Port& at = *m_context.ports[port].port;
    PortState& state = m_ports[port];
    if (atPs > state.busyUntilPs)
    {
        TellSilence(port);
        TellChange(atPs, port, MakeRow(port, state.txBytes, 1.0));
    }
    state.busy = true;
    state.busyUntilPs = at.GetBusyUntilPs();
    state.txBytes += at.WireBytes(frame.frameBytes);
}

void
UtilisationSeries::TellSilence(std::size_t port)
{
    PortState& state = m_ports[port];
    if (state.busy)
    {
        state.busy = false;
        TellChange(state.busyUntilPs, port, MakeRow(port, state.txBytes, 0.0));
    }
}

void
UtilisationSeries::Settle(int64_t untilPs)
{
    for (std::size_t i = 0; i < m_ports.size(); ++i)
    {
        if (m_ports[i].busyUntilPs < untilPs)
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
        const uint64_t txBytes = port.GetTxWireBytes();
        const int64_t endPs = port.GetBusyUntilPs(); // of the frame under way, if any
        const double restPs = endPs > nowPs ? static_cast<double>(endPs - nowPs) : 0;
        const double busyPs =
            static_cast<double>(txBytes) * 8e12 / static_cast<double>(port.GetRateBps()) - restPs;
        const auto elapsedPs = static_cast<double>(nowPs - m_lastPs);
        const double share = std::max(0.0, (busyPs - m_ports[i].busyPs) / elapsedPs);
        m_filter.Take(MakeRow(i, txBytes, share > 0.5e-6 ? share : 0.0));
        m_ports[i].busyPs = busyPs;
    }
    m_lastPs = nowPs;
    for (const SeriesRow& row : m_filter.Finish())
    {
        TellSample(nowPs, row);
    }
}

} // namespace

SeriesKind
MakePauseKind()
{
    return {{"pauses",
             SeriesSubject::PORTS,
             "pauses.csv, classes that ports must not send",
             "paused",
             "",
             {{"port", SeriesForm::PORT},
              {"class", SeriesForm::COUNT, KEY},
              {"paused", SeriesForm::COUNT, SILENT | SLICE},
              {"paused_ns", SeriesForm::NS, STEADY}},
             false,
             false,
             true},
            MakeSeries<PauseSeries>};
}

SeriesKind
MakeUtilisationKind()
{
    return {{"utilisation",
             SeriesSubject::PORTS,
             "utilisation.csv, how busy links are",
             "{port} utilisation",
             "share",
             {{"port", SeriesForm::PORT},
              {"tx_bytes", SeriesForm::COUNT},
              {"utilisation", SeriesForm::SHARE, SILENT | DRAWN}},
             false,
             false,
             true},
            MakeSeries<UtilisationSeries>};
}

} // namespace ns3::roce
