// SPDX-License-Identifier: GPL-2.0-only
#include "roce-pfc-watchdog.h"

#include "roce-switch.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(PfcWatchdog);

/*
 * [1] defaults of SONiC's command pfcwd.
 */
const ParameterTable<PfcWatchdogParams>&
PfcWatchdogParams::Table()
{
    using P = PfcWatchdogParams;
    constexpr int64_t MS = 1'000'000'000; // ps
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::PfcWatchdog")
            .Duration("DetectionTime", &P::detectionPs, {200 * MS}, Range::AtLeast(1)) // [1]
            .Help("A queue that is paused, and has sent nothing for so long, is in a storm")
            .Duration("RestorationTime", &P::restorationPs, {200 * MS}, Range::AtLeast(1)) // [1]
            .Help("Time without a pause after which a storm is over")
            .Choice("Action", &P::forward, {false}, {{"drop", false}, {"forward", true}}) // [1]
            .Help("In a storm, drop the class's data, or send it in spite of pauses");
    return table;
}

TypeId
PfcWatchdog::GetTypeId()
{
    static TypeId tid = StageOf<PfcWatchdog, PfcWatchdogParams>::GetTypeId().AddTraceSource(
        "Storm",
        "A queue's pauses have become a storm, or it is over",
        MakeTraceSourceAccessor(&PfcWatchdog::m_stormTrace),
        "ns3::roce::PfcWatchdog::StormCallback");
    return tid;
}

void
PfcWatchdog::Install(Switch& sw)
{
    m_p = m_parameters.Get();
    m_sw = &sw;
    m_watches.assign(std::size_t{sw.GetNPorts()} * N_CLASSES, Watch());
    m_reason = sw.AddDropReason("watchdog");
}

void
PfcWatchdog::Arm(int64_t atPs)
{
    if (atPs < m_nextPs)
    {
        m_nextPs = atPs;
        m_sw->ArmStage(this, atPs);
    }
}

/// For the end of a storm, as far as it is known.
void
PfcWatchdog::ArmEnd(const Port& port, uint8_t trafficClass, int64_t nowPs)
{
    const int64_t fromPs = std::max(port.GetPausedUntilPs(trafficClass), nowPs);
    Arm(fromPs > NEVER_PS - m_p->restorationPs ? NEVER_PS : fromPs + m_p->restorationPs);
}

/// Frames wait.
void
PfcWatchdog::Look(const Port& port, uint8_t trafficClass, int64_t nowPs)
{
    Watch& watch = At(port, trafficClass);
    if (!watch.storm && watch.sincePs == NEVER_PS && port.GetPausedUntilPs(trafficClass) > nowPs)
    {
        watch.sincePs = nowPs;
        Arm(nowPs + m_p->detectionPs);
    }
}

SwitchStage::Verdict
PfcWatchdog::OnArrival(Frame& frame, Port& in, int64_t)
{
    return At(in, frame.trafficClass).storm && !m_p->forward ? m_sw->Refuse(m_reason)
                                                             : Verdict::PASS;
}

SwitchStage::Verdict
PfcWatchdog::OnEnqueue(Frame& frame, Port& out, const EgressScheduler&, int64_t nowPs)
{
    if (At(out, frame.trafficClass).storm && !m_p->forward)
    {
        return m_sw->Refuse(m_reason);
    }
    Look(out, frame.trafficClass, nowPs);
    return Verdict::PASS;
}

SwitchStage::Verdict
PfcWatchdog::OnDequeue(Frame& frame, Port& out, const EgressScheduler&, int64_t nowPs)
{
    Watch& watch = At(out, frame.trafficClass);
    watch.sincePs = NEVER_PS;
    m_forwarded += watch.storm && out.GetPausedUntilPs(frame.trafficClass) > nowPs;
    return Verdict::PASS;
}

void
PfcWatchdog::OnPaused(Port& port, int64_t nowPs)
{
    for (uint8_t c = 0; c < N_CLASSES; ++c)
    {
        if (At(port, c).storm)
        {
            ArmEnd(port, c, nowPs); // XON makes it earlier
        }
        else if (m_sw->GetQueue(port.GetIndex()).GetBytes(c))
        {
            Look(port, c, nowPs);
        }
    }
}

void
PfcWatchdog::OnTimer(int64_t nowPs)
{
    m_nextPs = NEVER_PS;
    for (uint16_t p = 0; p < m_sw->GetNPorts(); ++p)
    {
        Port& port = *m_sw->PeekPort(p);
        for (uint8_t c = 0; c < N_CLASSES; ++c)
        {
            Watch& watch = At(port, c);
            const int64_t pausedPs = port.GetPausedUntilPs(c);
            if (!watch.storm && pausedPs <= nowPs)
            {
                watch.sincePs = NEVER_PS;
            }
            else if (!watch.storm && watch.sincePs <= nowPs - m_p->detectionPs)
            {
                Begin(port, c, nowPs);
            }
            else if (watch.storm && pausedPs <= nowPs - m_p->restorationPs)
            {
                End(port, c, nowPs);
            }
            if (watch.storm)
            {
                ArmEnd(port, c, nowPs);
            }
            else if (watch.sincePs != NEVER_PS)
            {
                Arm(watch.sincePs + m_p->detectionPs);
            }
        }
    }
}

void
PfcWatchdog::Begin(Port& port, uint8_t trafficClass, int64_t nowPs)
{
    ++m_begun;
    At(port, trafficClass) = {NEVER_PS, true};
    m_stormTrace(port.GetIndex(), trafficClass, true, PicoSeconds(nowPs));
    if (m_p->forward)
    {
        port.IgnorePauses(trafficClass, true);
        m_sw->Kick(port.GetIndex(), nowPs);
    }
    else
    {
        m_sw->Flush(port.GetIndex(), trafficClass, m_reason, nowPs);
    }
}

void
PfcWatchdog::End(Port& port, uint8_t trafficClass, int64_t nowPs)
{
    ++m_ended;
    At(port, trafficClass).storm = false;
    port.IgnorePauses(trafficClass, false);
    m_stormTrace(port.GetIndex(), trafficClass, false, PicoSeconds(nowPs));
}

void
PfcWatchdog::Count(std::map<std::string, uint64_t>& counters) const
{
    counters["watchdogStorms"] += m_begun;
    counters["watchdogStormsOver"] += m_ended;
    counters["watchdogForwarded"] += m_forwarded;
}

} // namespace ns3::roce
