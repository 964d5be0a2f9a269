// SPDX-License-Identifier: GPL-2.0-only

// What every switch and every port offers.
#include "roce-series-kinds.h"
#include "roce-station-series.h"

#include "ns3/roce-pause-sender.h"

#include <algorithm>
#include <memory>

namespace ns3::roce
{

namespace
{

/// Queues without a frame being sent. On change (trace source QueueLength) per frame in or out.
void
OfferQueues(Switch& sw, SeriesOffer& offer)
{
    offer.visit = [&sw](int64_t, const SeriesOffer::Take& take) {
        for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
        {
            const EgressScheduler& queue = sw.GetQueue(p);
            for (uint8_t c = 0; c < N_CLASSES && !queue.IsEmpty(); ++c)
            {
                take(p, {c, queue.GetBytes(c)});
            }
        }
    };
    if (offer.tell)
    {
        ConnectTrace<uint16_t, uint8_t, uint64_t, Time>(
            sw,
            "QueueLength",
            [tell = offer.tell](uint16_t port, uint8_t trafficClass, uint64_t bytes, Time at) {
                tell(at, port, {trafficClass, bytes});
            });
    }
}

/// XOFF, refresh or XON, sent by a switch port (trace source PauseSent).
void
OfferPauseFrames(Switch& sw, SeriesOffer& offer)
{
    ConnectTrace<uint16_t, uint8_t, PauseEvent, Time>(
        sw,
        "PauseSent",
        [tell = offer.tell](uint16_t port, uint8_t trafficClass, PauseEvent event, Time at) {
            const char* const name = event == PauseEvent::XOFF  ? "xoff"
                                     : event == PauseEvent::XON ? "xon"
                                                                : "refresh";
            tell(at, port, {trafficClass, name, event != PauseEvent::XON});
        });
}

/// Whether a port must not send a class, and for how long in all. On change see trace source
/// PauseState.
void
OfferPauses(Port& port, SeriesOffer& offer)
{
    offer.visit = [&port](int64_t nowPs, const SeriesOffer::Take& take) {
        const uint32_t paused = port.PausedMask(nowPs);
        for (uint8_t c = 0; c < N_CLASSES; ++c)
        {
            // Classes that were never paused are left out: most are.
            if (const int64_t totalPs = port.GetPausedTimePs(c, nowPs); totalPs || paused)
            {
                take(0, {c, paused >> c & 1, totalPs});
            }
        }
    };
    if (offer.tell)
    {
        ConnectTrace<uint8_t, bool, Time>(
            port,
            "PauseState",
            [&port, tell = offer.tell](uint8_t trafficClass, bool paused, Time at) {
                const int64_t totalPs = port.GetPausedTimePs(trafficClass, at.GetPicoSeconds());
                tell(at, 0, {trafficClass, paused, totalPs});
            });
        // Pauses that ran out unnoticed are reported.
        offer.settle = [&port](int64_t untilPs) { port.PausedMask(untilPs - 1); };
    }
}

/// Wire bytes of all transmissions begun, and the busy share of the interval. On change (trace
/// source TxBegin) 1 when a port begins to send and 0 when it stops.
class Utilisation
{
  public:
    explicit Utilisation(const Port& port)
        : m_port(port)
    {
    }

    void Visit(int64_t nowPs, const SeriesOffer::Take& take)
    {
        const uint64_t txBytes = m_port.GetTxWireBytes();
        const int64_t endPs = m_port.GetBusyUntilPs(); // of the frame under way, if any
        const double restPs = endPs > nowPs ? static_cast<double>(endPs - nowPs) : 0;
        const double busyPs =
            static_cast<double>(txBytes) * 8e12 / static_cast<double>(m_port.GetRateBps()) - restPs;
        const double share =
            std::max(0.0, (busyPs - m_lastBusyPs) / static_cast<double>(nowPs - m_lastPs));
        take(0, {txBytes, share > 0.5e-6 ? share : 0.0});
        m_lastBusyPs = busyPs;
        m_lastPs = nowPs;
    }

    void OnTransmit(const Frame& frame, Time at, const SeriesOffer::Tell& tell)
    {
        if (at.GetPicoSeconds() > m_untilPs)
        {
            Settle(INT64_MAX, tell);
            tell(at, 0, {m_txBytes, 1.0});
        }
        m_isBusy = true;
        m_untilPs = m_port.GetBusyUntilPs();
        m_txBytes += m_port.WireBytes(frame.frameBytes);
    }

    void Settle(int64_t untilPs, const SeriesOffer::Tell& tell)
    {
        if (m_isBusy && m_untilPs < untilPs)
        {
            m_isBusy = false;
            tell(PicoSeconds(m_untilPs), 0, {m_txBytes, 0.0});
        }
    }

  private:
    const Port& m_port;
    double m_lastBusyPs{0}; //!< until the last sample
    int64_t m_lastPs{0};    //!< last sample
    bool m_isBusy{false};   //!< on change: reported so
    int64_t m_untilPs{-1};  //!< on change: busy so long
    uint64_t m_txBytes{0};  //!< on change
};

void
OfferUtilisation(Port& port, SeriesOffer& offer)
{
    const auto state = std::make_shared<Utilisation>(port);
    offer.visit = [state](int64_t nowPs, const SeriesOffer::Take& take) {
        state->Visit(nowPs, take);
    };
    if (offer.tell)
    {
        ConnectTrace<const Frame&, Time>(port,
                                         "TxBegin",
                                         [state, tell = offer.tell](const Frame& f, Time at) {
                                             state->OnTransmit(f, at, tell);
                                         });
        offer.settle = [state, tell = offer.tell](int64_t untilPs) {
            state->Settle(untilPs, tell);
        };
    }
}

} // namespace

SeriesKind
MakeQueueKind()
{
    return StationSeries::MakeKind({"queues",
                                    SeriesSubject::PORTS,
                                    "queues.csv: time between samples, or change",
                                    "{port} class {class} queue",
                                    "bytes",
                                    {{"port", SeriesForm::PORT},
                                     {"class", SeriesForm::COUNT, KEY},
                                     {"queue_bytes", SeriesForm::COUNT, SILENT | DRAWN}}},
                                   OfferQueues);
}

SeriesKind
MakePauseFrameKind()
{
    return StationSeries::MakeKind({"pfc",
                                    SeriesSubject::PORTS,
                                    "Write pfc.csv, pause frames sent",
                                    "XOFF sent",
                                    "",
                                    {{"port", SeriesForm::PORT},
                                     {"class", SeriesForm::COUNT, KEY},
                                     {"event", SeriesForm::TEXT},
                                     {"is_paused", SeriesForm::COUNT, SLICE | HIDDEN}},
                                    true},
                                   OfferPauseFrames);
}

SeriesKind
MakePauseKind()
{
    return StationSeries::MakeKind({"pauses",
                                    SeriesSubject::PORTS,
                                    "pauses.csv, classes that ports must not send",
                                    "paused",
                                    "",
                                    {{"port", SeriesForm::PORT},
                                     {"class", SeriesForm::COUNT, KEY},
                                     {"paused", SeriesForm::COUNT, SILENT | SLICE},
                                     {"paused_ns", SeriesForm::NS, STEADY}}},
                                   nullptr,
                                   OfferPauses);
}

SeriesKind
MakeUtilisationKind()
{
    return StationSeries::MakeKind({"utilisation",
                                    SeriesSubject::PORTS,
                                    "utilisation.csv, how busy links are",
                                    "{port} utilisation",
                                    "share",
                                    {{"port", SeriesForm::PORT},
                                     {"tx_bytes", SeriesForm::COUNT},
                                     {"utilisation", SeriesForm::SHARE, SILENT | DRAWN}}},
                                   nullptr,
                                   OfferUtilisation);
}

} // namespace ns3::roce
