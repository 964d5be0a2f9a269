// SPDX-License-Identifier: GPL-2.0-only

// What every switch offers: its queues, and the pause frames that it sends.
#include "roce-series-kinds.h"
#include "roce-switch-series.h"

#include "ns3/roce-pause-sender.h"

namespace ns3::roce
{

namespace
{

/// A class of a switch port.
struct ClassQueue
{
    uint16_t port;
    uint8_t trafficClass;
    uint64_t bytes; //!< without a frame being sent
};

/// Those of ports that hold nothing are left out: most are.
void
VisitQueues(const Switch& sw, int64_t, const StageTable<Switch, ClassQueue>::Take& take)
{
    for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
    {
        const EgressScheduler& queue = sw.GetQueue(p);
        for (uint8_t c = 0; c < N_CLASSES && !queue.IsEmpty(); ++c)
        {
            take({p, c, queue.GetBytes(c)});
        }
    }
}

void
WatchQueues(Switch& sw, const StageTable<Switch, ClassQueue>::Tell& tell)
{
    ConnectTrace<uint16_t, uint8_t, uint64_t, Time>(
        sw,
        "QueueLength",
        [tell](uint16_t port, uint8_t trafficClass, uint64_t bytes, Time at) {
            tell({port, trafficClass, bytes}, at);
        });
}

/// A pause frame.
struct PauseFrame
{
    uint16_t port;
    uint8_t trafficClass;
    PauseEvent event;
};

const char*
NameOf(PauseEvent event)
{
    return event == PauseEvent::XOFF ? "xoff" : event == PauseEvent::XON ? "xon" : "refresh";
}

void
WatchPauseFrames(Switch& sw, const StageTable<Switch, PauseFrame>::Tell& tell)
{
    ConnectTrace<uint16_t, uint8_t, PauseEvent, Time>(
        sw,
        "PauseSent",
        [tell](uint16_t port, uint8_t trafficClass, PauseEvent event, Time at) {
            tell({port, trafficClass, event}, at);
        });
}

} // namespace

SeriesKind
MakeQueueKind()
{
    using Q = ClassQueue;
    using Form = SeriesForm;
    return SwitchSeries::MakeKind<Switch, Q>(
        {"queues",
         "queues.csv: time between samples, or change",
         "{port} class {class} queue",
         "bytes",
         {{"port", Form::PORT, [](const Q& q) -> SeriesValue { return q.port; }},
          {"class", Form::COUNT, [](const Q& q) -> SeriesValue { return q.trafficClass; }, KEY},
          {"queue_bytes",
           Form::COUNT,
           [](const Q& q) -> SeriesValue { return q.bytes; },
           SILENT | DRAWN}},
         VisitQueues,
         WatchQueues});
}

SeriesKind
MakePauseFrameKind()
{
    using F = PauseFrame;
    using Form = SeriesForm;
    return SwitchSeries::MakeKind<Switch, F>(
        {"pfc",
         "Write pfc.csv, pause frames sent",
         "XOFF sent",
         "",
         {{"port", Form::PORT, [](const F& f) -> SeriesValue { return f.port; }},
          {"class", Form::COUNT, [](const F& f) -> SeriesValue { return f.trafficClass; }, KEY},
          {"event", Form::TEXT, [](const F& f) -> SeriesValue { return NameOf(f.event); }},
          {"pauses",
           Form::COUNT,
           [](const F& f) -> SeriesValue { return f.event != PauseEvent::XON; },
           SLICE | HIDDEN}},
         nullptr,
         WatchPauseFrames});
}

} // namespace ns3::roce
