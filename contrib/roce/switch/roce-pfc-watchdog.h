// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PFC_WATCHDOG_H
#define ROCE_PFC_WATCHDOG_H

#include "roce-stage-of.h"

#include "ns3/roce-port.h"
#include "ns3/roce-station-trace.h"
#include "ns3/roce-time.h"

#include <map>
#include <string>
#include <vector>

namespace ns3::roce
{

/// Parameters of PfcWatchdog.
struct PfcWatchdogParams
{
    int64_t detectionPs;
    int64_t restorationPs;
    bool forward;

    static const ParameterTable<PfcWatchdogParams>& Table();
};

/**
 * @brief A PFC watchdog as switches have it (SONiC's pfcwd): it finds queues that pauses of the
 * peer have stopped for long, and stops the pauses from spreading.
 *
 * Each port and class is watched for itself. A storm begins when its queue has had frames for
 * DetectionTime, has sent none, and is paused by the peer at the end of that time. The storm is
 * over when the peer has not kept the class paused for RestorationTime. Meanwhile, with Action
 *
 * - drop: what is queued there is dropped, and so are the class's data, and packets of ns-3, that
 * come later to the port or from it (drop reason watchdog);
 * - forward: pauses of that class are ignored, and frames are sent.
 *
 * SONiC looks at its queues at intervals, so that it is late by up to one; here times are exact.
 */
class PfcWatchdog : public StageOf<PfcWatchdog, PfcWatchdogParams>
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    uint32_t GetHooks() const override
    {
        return ARRIVAL | ENQUEUE | DEQUEUE | PAUSED;
    }

    uint32_t GetKinds() const override
    {
        return LOAD_KINDS;
    }

    void Install(Switch& sw) override;
    Verdict OnArrival(Frame& frame, Port& in, int64_t nowPs) override;
    Verdict OnEnqueue(Frame& frame,
                      Port& out,
                      const EgressScheduler& queue,
                      int64_t nowPs) override;
    Verdict OnDequeue(Frame& frame,
                      Port& out,
                      const EgressScheduler& queue,
                      int64_t nowPs) override;
    void OnPaused(Port& port, int64_t nowPs) override;
    void OnTimer(int64_t nowPs) override;
    void Count(std::map<std::string, uint64_t>& counters) const override;

    /// Signature of trace source Storm: one begins or is over.
    typedef void (*StormCallback)(uint16_t port, uint8_t trafficClass, bool begins, Time at);

  private:
    /// One class at one port.
    struct Watch
    {
        int64_t sincePs{NEVER_PS}; //!< frames wait, and none has been sent since then
        bool storm{false};
    };

    Watch& At(const Port& port, uint8_t trafficClass)
    {
        return m_watches[port.GetIndex() * N_CLASSES + trafficClass];
    }

    void Arm(int64_t atPs);
    void ArmEnd(const Port& port, uint8_t trafficClass, int64_t nowPs);
    void Look(const Port& port, uint8_t trafficClass, int64_t nowPs);
    void Begin(Port& port, uint8_t trafficClass, int64_t nowPs);
    void End(Port& port, uint8_t trafficClass, int64_t nowPs);

    Switch* m_sw{nullptr};
    std::vector<Watch> m_watches; //!< by port and class
    int64_t m_nextPs{NEVER_PS};   //!< of the timer
    uint8_t m_reason{0};          //!< of drops
    uint64_t m_begun{0};          //!< storms
    uint64_t m_ended{0};
    uint64_t m_forwarded{0}; //!< frames sent in spite of pauses
    StationTrace<uint16_t, uint8_t, bool, Time> m_stormTrace;
};

} // namespace ns3::roce

#endif /* ROCE_PFC_WATCHDOG_H */
